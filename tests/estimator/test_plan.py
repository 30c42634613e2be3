"""A plan tells before the work what it will be, and changes nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.estimator import probe as probes
from tests.data import assert_same_bits, binary, regression
from tests.estimator import planned_fit

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def _small_samples(monkeypatch):
    """So that a table of hundreds of rows is larger than the samples."""
    monkeypatch.setattr(probes, "_FEWEST_ROWS", 20)
    monkeypatch.setattr(probes, "_MOST_ROWS", 100)


def table(n_rows=600):
    X, y = regression(n_rows, 3, missing=0.1)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["city"] = pd.Categorical([f"c{i}" for i in rng.integers(0, 20, n_rows)])
    frame["size"] = pd.Categorical([f"s{i}" for i in rng.integers(0, 2, n_rows)])
    return frame, y


# ---- what there is -----------------------------------------------------------------------------


def test_it_counts_rows_columns_and_bins():
    X, y = table()
    weight = np.ones(len(y))
    weight[:50] = 0
    model = OcelotRegressor(
        iterations=7, validation_fraction=0.2, border_count=10, boosting_type="Ordered"
    )
    plan = model.plan(X, y, sample_weight=weight, eval_set={"other": (X[:30], y[:30])})
    assert (plan.n_rows, plan.n_watched) == (440, 110 + 30)
    assert (plan.n_numeric, plan.n_categorical) == (3, 2)
    # Missing values have a bin and spend a border; the two sizes are a column of two bins.
    assert plan.n_bins == 3 * 11 + 2
    assert (plan.n_trees, plan.may_stop_early, plan.boosting_type) == (7, True, "Ordered")
    assert (plan.n_workers, plan.bytes_per_tree, plan.driver_memory) == (0, 0, ())
    assert plan.seconds == pytest.approx(plan.seconds_before + 7 * plan.seconds_per_tree)


@pytest.mark.usefixtures("_small_samples")
@pytest.mark.parametrize(
    ("parameters", "mode"),
    [
        ({}, "Plain"),
        ({"boosting_type": "Plain"}, "Plain"),
        ({"boosting_type": "Plain", "max_combination": 1, "cache_memory": "20KB"}, "Plain"),
        ({"boosting_type": "Ordered", "first_body": 5, "body_gradients": "segment"}, "Ordered"),
        ({"target_statistic": "holdout", "bootstrap_type": "Bernoulli"}, "Plain"),
        ({"has_time": "a", "eval_metric": "MAE", "loss_function": "MAE"}, "Plain"),
        ({"validation_fraction": 0.3, "refit": "replay"}, "Plain"),
    ],
    ids=str,
)
def test_samples_of_all_kinds_of_trainings(parameters, mode):
    X, y = table()
    plan = OcelotRegressor(iterations=4, **parameters).plan(X, y)
    assert plan.boosting_type == mode
    assert 0 < plan.seconds < 60
    assert plan.memory_bytes > 10**6


@pytest.mark.usefixtures("_small_samples")
def test_auto_is_decided_by_all_rows_and_not_by_those_of_a_sample():
    X, y = binary(5_100, 2)
    model = OcelotClassifier(iterations=2)
    assert model.plan(X, y).boosting_type == "Plain"
    assert model.plan(X[:5_000], y[:5_000]).boosting_type == "Ordered"


@pytest.mark.usefixtures("_small_samples")
def test_a_class_that_no_sample_has():
    X, y = binary(500)
    y[:] = 0
    y[3] = y[4] = 1
    assert OcelotClassifier(iterations=2).plan(X, y).n_rows == 500
    y[5] = 2
    assert OcelotClassifier(iterations=2).plan(X, y, eval_set=(X, y)).n_watched == 500


@pytest.mark.usefixtures("_small_samples")
def test_all_that_can_be_given_to_fit(tmp_path):
    X, y = table()
    everything = X.assign(target=y)
    pq.write_table(pa.Table.from_pandas(everything), tmp_path / "data.parquet")
    model = OcelotRegressor(iterations=2, cache_dir=tmp_path / "cache")
    numbers = X[["a", "b", "c"]].to_numpy()
    plans = {
        "pandas": model.plan(X, y),
        "polars": model.plan(pl.from_pandas(X), y),
        "a file": model.plan(tmp_path / "data.parquet", "target"),
        "a query": model.plan(pl.from_pandas(everything).lazy(), "target"),
        "a limit": OcelotRegressor(**{**model.get_params(), "memory_limit": "100GB"}).plan(X, y),
    }
    assert {(p.n_rows, p.n_numeric, p.n_categorical, p.n_bins) for p in plans.values()} == {
        (600, 3, 2, plans["pandas"].n_bins)
    }
    of_numbers = model.plan(numbers, y)
    assert of_numbers.n_bins == plans["pandas"].n_bins - 2
    in_files = model.plan(tmp_path / "data.parquet", "target")
    assert any("bins, twice" in need.what for need in of_numbers.memory)
    assert not any("bins, twice" in need.what for need in in_files.memory)
    assert list((tmp_path / "cache").iterdir()) == []


# ---- nothing is changed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [np.random.default_rng, np.random.RandomState, int], ids=lambda make: make.__name__
)
def test_nothing_is_fitted_and_no_generator_moves_on(make):
    X, y = regression(200)
    planned, other = (OcelotRegressor(iterations=3, random_state=make(5)) for _ in range(2))
    planned.plan(X, y)
    assert not hasattr(planned, "n_iter_")
    assert_same_bits(planned.fit(X, y).forest_, other.fit(X, y).forest_)
    before = planned.forest_
    planned.plan(X[:100], y[:100])
    assert planned.forest_ is before


@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_verbose_prints_it_and_the_model_is_the_same(boosting_type, capsys):
    X, y = table()
    parameters = {"iterations": 5, "boosting_type": boosting_type}
    model = OcelotRegressor(verbose=2, **parameters).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    first = next(i for i, line in enumerate(lines) if re.match(r" *\d+/5 trees", line))
    assert lines[0] == "rows      600 to train on"
    assert lines[first - 1].endswith("per tree")
    assert len(lines[first:]) == 3
    assert_same_bits(model.forest_, OcelotRegressor(**parameters).fit(X, y).forest_)
    OcelotRegressor(verbose=1, **parameters).fit(X, y)
    assert capsys.readouterr().out.startswith("1/5 trees")


# ---- errors ------------------------------------------------------------------------------------


def test_a_table_that_can_be_read_only_once(tmp_path):
    X, y = table()
    batches = pa.Table.from_pandas(X.assign(target=y)).to_batches()
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    for once in (iter(batches), reader):
        with pytest.raises(InputError, match=r"X is of type .*, which can be read only once"):
            OcelotRegressor().plan(once, "target")
    with pytest.raises(InputError, match=r"eval_set\[0\] X is of type"):
        OcelotRegressor().plan(X, y, eval_set=(iter(batches), "target"))
    model = OcelotRegressor(iterations=2, cache_dir=tmp_path)
    assert model.fit(reader, "target").n_iter_ == 2


@pytest.mark.usefixtures("_small_samples")
@pytest.mark.parametrize(
    ("parameters", "n_targets"),
    [
        ({}, 599),
        ({"iterations": 0}, 600),
        ({"first_body": 600, "boosting_type": "Ordered"}, 600),
        ({"iterations": 9, "early_stopping_rounds": 3}, 600),
        ({"leaf_estimation_method": "Exact"}, 600),
        ({"cache_memory": 1000}, 600),
    ],
    ids=str,
)
def test_errors_are_those_of_fit(parameters, n_targets):
    X, y = table()
    model = OcelotRegressor(**parameters)
    with pytest.raises((InputError, ParameterError)) as of_fit:
        model.fit(X, y[:n_targets])
    with pytest.raises(of_fit.type) as of_plan:
        model.plan(X, y[:n_targets])
    assert str(of_plan.value) == str(of_fit.value)


def test_too_small_a_limit(tmp_path):
    X, y = regression(300)
    model = OcelotRegressor(memory_limit="1MB", cache_dir=tmp_path)
    with pytest.raises(ParameterError, match="memory_limit=1MB is too small"):
        model.plan(X, y)
    with pytest.raises(TypeError, match=r"plan\(\) got an unexpected .*; did you mean `eval_set`?"):
        model.plan(X, y, eval_sets=(X, y))


def test_an_interrupt_ends_it():
    class Interrupted:
        name, higher_is_better, n_calls = "interrupted", False, 0

        def value(self, target, raw, weight):
            self.n_calls += 1
            if self.n_calls > 2:
                raise KeyboardInterrupt
            return 0.0

    X, y = regression(200)
    with pytest.raises(KeyboardInterrupt):
        OcelotRegressor(iterations=50, eval_metric=Interrupted()).plan(X, y)


# ---- what people read --------------------------------------------------------------------------


def test_it_is_shown_as_a_table():
    X, y = table()
    model = OcelotRegressor(iterations=1500, early_stopping_rounds=5)
    plan = model.plan(X, y, eval_set=(X[:40], y[:40]))
    text = str(plan)
    assert repr(plan) == text
    assert max(map(len, text.splitlines())) < 80
    for words in (
        "600 to train on, 40 to watch",
        "3 of numbers, 2 of categories",
        "at most 1,500, Plain mode",
        "the process before training",
        "nothing: this process has all rows",
        "per tree",
    ):
        assert words in text
    assert re.search(r"time +at most \d", text)
    total = re.search(
        r"time +about (\d[\d.]* m?s|\d+ min \d+ s)",
        str(OcelotRegressor(iterations=1000).plan(X, y)),
    )
    assert total is not None


def test_a_time_limit_counts():
    X, y = regression(300)
    plan = OcelotRegressor(iterations=100_000, time_limit=2).plan(X, y)
    assert plan.may_stop_early
    assert 2 <= plan.seconds < 5


# ---- it is right -------------------------------------------------------------------------------


def test_the_time_of_a_fit():
    """Within a factor of two, unless the machine is busy with something else."""
    X, y = binary(200_000, 20)
    ratios = []
    for _ in range(3):
        model = OcelotClassifier(iterations=40)
        planned = model.plan(X, y).seconds
        begun = time.perf_counter()
        model.fit(X, y)
        ratios.append(planned / (time.perf_counter() - begun))
        if 0.5 < ratios[-1] < 2:
            return
    pytest.fail(f"planned / true: {ratios}")


def test_the_time_of_a_table_that_is_larger_than_the_samples(monkeypatch):
    monkeypatch.setattr(probes, "_MOST_ROWS", 60_000)
    test_the_time_of_a_fit()


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
def test_the_memory_of_a_fit(mode):
    """What 300,000 rows of 30 columns add to a process, within a factor of two."""
    parameters = json.dumps({"iterations": 3, "boosting_type": mode})

    def run(what):
        command = [sys.executable, "-m", planned_fit.__name__, what, parameters]
        done = subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, timeout=120)
        return json.loads(done.stdout)

    assert 0.5 < run("plan") / run("fit") < 2
