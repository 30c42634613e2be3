"""memory_limit is a promise: training stays below it, or says before it begins what it needs."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError
from tests.data import assert_same_bits, regression
from tests.estimator import limited_fit

N_ROWS = 200_000


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A table, and its file with small row groups."""
    X, y = regression(N_ROWS, 4, seed=1)
    rng = np.random.default_rng(2)
    city, day = rng.integers(0, 500, N_ROWS), rng.integers(0, 7, N_ROWS)
    columns = {name: X[:, i] for i, name in enumerate("abcd")}
    columns |= {"city": [f"c{i}" for i in city], "day": [f"d{i}" for i in day]}
    table = pa.table({**columns, "target": y + city % 5 + day})
    path = tmp_path_factory.mktemp("limit") / "data.parquet"
    pq.write_table(table, path, row_group_size=20_000)
    return table, path


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("OcelotRegressor", {"max_combination": 2}),
        ("OcelotRegressor", {"boosting_type": "Ordered"}),
        ("OcelotClassifier", {"bootstrap_type": "Bayesian"}),
    ],
    ids=str,
)
def test_training_stays_below_the_limit_with_the_same_bits(kind, parameters, stored, tmp_path):
    """The system refuses more memory than that."""
    table, path = stored
    if kind == "OcelotClassifier":
        classes = pa.array(
            (table["target"].to_numpy() > 3).astype(int) + (table["a"].to_numpy() > 1)
        )
        table = table.set_column(6, "target", classes)
        path = tmp_path / "classes.parquet"
        pq.write_table(table, path, row_group_size=20_000)
    parameters = {"iterations": 3, "n_jobs": 2, "cache_dir": str(tmp_path / "cache"), **parameters}
    found = json.loads(
        subprocess.run(
            [sys.executable, limited_fit.__file__, str(path), kind, json.dumps(parameters)],
            env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"},
            check=True,
            capture_output=True,
            timeout=300,
        ).stdout
    )
    assert 0 < found["most"] <= found["limit"]
    make = {"OcelotRegressor": OcelotRegressor, "OcelotClassifier": OcelotClassifier}[kind]
    expected = make(**parameters).fit(table.drop_columns(["target"]), table["target"].to_numpy())
    digest = hashlib.sha256(expected.forest_.leaf_values.tobytes()).hexdigest()
    assert found["digest"] == digest
    assert list((tmp_path / "cache").iterdir()) == []


def test_too_small_a_limit_says_what_is_needed(stored, tmp_path):
    table, path = stored
    model = OcelotRegressor(iterations=9, memory_limit="1MB", cache_dir=tmp_path / "cache")
    with pytest.raises(ParameterError, match="while X is read, before any training"):
        model.fit(path, "target")
    with pytest.raises(ParameterError, match=r"needs about .* of memory") as caught:
        model.fit(table.drop_columns(["target"]), table["target"].to_numpy())
    message = str(caught.value)
    for words in ("200,000 rows", "bytes per row", "the process before training", "memory_limit"):
        assert words in message
    assert not (tmp_path / "cache").exists() or list((tmp_path / "cache").iterdir()) == []


def test_a_table_in_memory_keeps_its_bits_under_a_limit(tmp_path):
    X, y = regression(300)
    limited = OcelotRegressor(iterations=5, memory_limit="100GB", cache_dir=tmp_path / "cache")
    assert_same_bits(limited.fit(X, y).forest_, OcelotRegressor(iterations=5).fit(X, y).forest_)
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_recipe_that_needs_most_counts():
    """Models are trained one after the other, the deep Plain one first."""
    X, y = regression(12_000)
    with pytest.raises(ParameterError, match="supporting models of Ordered mode"):
        OcelotRegressor(memory_limit="60MB").fit(X, y)
