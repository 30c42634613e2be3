"""Borders and bins of tables in which some columns are categorical."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from ocelotboost.errors import InputError
from ocelotboost.quantize.quantizer import Quantizer, refuse_missing
from ocelotboost.table import table_from_input

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "city": RNG.choice(["Paris", "Rome", None], size=50),
        "x": RNG.normal(size=50),
        "code": RNG.integers(0, 9, size=50),
        "y": RNG.normal(size=50),
        "zip": RNG.integers(0, 9, size=50),
    }
)
TABLE = table_from_input(FRAME, cat_features=["code", "zip"])


def quantizer(table, **options):
    return Quantizer.fit(table, rng=np.random.default_rng(0), n_threads=1, **options)


def test_categorical_columns_have_no_borders_and_one_bin():
    fitted = quantizer(TABLE)
    assert [len(borders) for borders in fitted.borders] == [0, 49, 0, 49, 0]
    assert fitted.bin_counts.tolist() == [1, 50, 1, 50, 1]


def test_numeric_columns_keep_their_places_beside_categorical_ones():
    alone = quantizer(table_from_input(FRAME[["x", "y"]]))
    fitted = quantizer(TABLE)
    columns, own = fitted.slots(TABLE, 1), alone.slots(table_from_input(FRAME[["x", "y"]]), 1)
    for column, other in ((1, 0), (3, 1)):
        assert len(np.unique(own.bins(other))) == 50
        assert_array_equal(columns.bins(column), own.bins(other))
    for column in (0, 2, 4):
        assert not columns.bins(column).any()
    assert_array_equal(fitted.block(TABLE, 1).slots, columns.slots)


def test_a_missing_category_is_not_forbidden():
    assert FRAME["city"].isna().any()
    quantizer(TABLE, nan_mode="Forbidden")
    refuse_missing(TABLE, 1)
    with_gap = table_from_input(FRAME.assign(y=FRAME["y"].where(FRAME["y"] > 0)))
    with pytest.raises(InputError, match=r"'y' \(position 3\) has missing values"):
        refuse_missing(with_gap, 1)
