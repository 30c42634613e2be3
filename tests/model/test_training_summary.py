"""What a model remembers of its training rows, in memory and in files."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from ocelotboost import ModelFileError, OcelotRegressor
from ocelotboost.model.file import dumps, loads
from ocelotboost.model.training_summary import (
    MOST_KNOWN,
    MOST_ROWS,
    SUMMARY_ARRAYS,
    remember,
    row_hashes,
)
from ocelotboost.table import table_from_input


def rows(n_rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.normal(size=n_rows)
    age[: n_rows // 4] = np.nan
    return pd.DataFrame(
        {"age": age, "city": rng.choice(["a", "b", None], n_rows, p=[0.6, 0.3, 0.1])}
    )


def trained(n_rows: int = 600):
    X = rows(n_rows)
    return OcelotRegressor(iterations=3).fit(X, np.nan_to_num(X["age"])).model_


def summary_of(X, **known):
    table = table_from_input(X)
    values = {place: np.unique(c.row_hashes()) for place, c in table.categories.items()}
    return remember(table, values)


def test_it_has_the_shares_of_training():
    summary = trained().training
    assert summary.n_rows == 600
    assert summary.missing[0] == 0.25
    assert summary.range_shares_of(0).sum() == pytest.approx(1)
    np.testing.assert_allclose(summary.range_shares_of(0), 0.1, atol=0.02)
    hashes, shares = summary.categories_of(1)
    assert shares.tolist() == sorted(shares, reverse=True)
    assert shares.sum() == pytest.approx(1)
    assert sorted(hashes.tolist()) == summary.known_of(1).tolist()
    assert len(summary.edges_of(1)) == 0


@pytest.mark.parametrize("form", ["safetensors", "json"])
def test_files_keep_it(form):
    model = trained()
    found = loads(dumps(model, form)).training
    for array in SUMMARY_ARRAYS:
        kept, own = getattr(found, array.name), getattr(model.training, array.name)
        assert kept.dtype == own.dtype == np.dtype(array.dtypes[0])
        np.testing.assert_array_equal(kept, own)


@pytest.mark.parametrize("form", ["safetensors", "json"])
def test_a_file_may_be_without_it(form):
    model = dataclasses.replace(trained(), training=None)
    data = dumps(model, form)
    assert loads(data).training is None
    assert b"training." not in data
    assert dumps(loads(data), form) == data


@pytest.mark.parametrize("array", [a.name for a in SUMMARY_ARRAYS if a.name != "size"])
def test_what_does_not_fit_together_is_refused(array):
    model = trained()
    longer = np.append(getattr(model.training, array), 1).astype(
        getattr(model.training, array).dtype
    )
    if array in ("row_hashes",):
        longer = np.zeros(601, dtype=np.uint64)  # more rows than there were
    broken = dataclasses.replace(model.training, **{array: longer})
    with pytest.raises(ModelFileError, match="training"):
        dumps(dataclasses.replace(model, training=broken))


def test_it_stays_small():
    many = rows(3 * MOST_ROWS)
    many["user"] = [f"user {number}" for number in range(len(many))]
    summary = summary_of(many)
    assert summary.n_rows == 3 * MOST_ROWS
    assert len(summary.row_hashes) == MOST_ROWS
    assert summary.known_of(2) is None  # more than MOST_KNOWN
    assert len(summary.known) <= MOST_KNOWN
    assert sum(getattr(summary, array.name).nbytes for array in SUMMARY_ARRAYS) < 50_000
    wide = np.zeros((2, 3000))
    assert summary_of(wide) is None


def test_equal_rows_have_equal_hashes_whatever_holds_them():
    X = rows(50)
    hashes = row_hashes(table_from_input(X))
    assert len(np.unique(hashes)) > 35
    again = row_hashes(table_from_input(X.astype({"city": "category"}).iloc[::-1]))
    np.testing.assert_array_equal(again[::-1], hashes)
    assert (row_hashes(table_from_input([[0.0]])) == row_hashes(table_from_input([[-0.0]]))).all()


def test_weights_of_zero_and_infinities_are_no_problem():
    X = np.array([[np.inf], [-np.inf], [1.0], [2.0]] * 10)
    model = OcelotRegressor(iterations=2).fit(X, np.arange(40.0), sample_weight=[0, 1] * 20)
    summary = model.model_.training
    assert summary.n_rows == 20
    assert np.isfinite(summary.edges).all()
