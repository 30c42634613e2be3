"""Categories are encoded once per set of rows."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.estimator.category_data import CATEGORICAL, FRAME, fit

from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.table.categories import CategoryColumn
from ocelotboost.table.from_input import table_from_input

TABLE = table_from_input(FRAME, cat_features=CATEGORICAL)
FEATURES = tuple(sorted(TABLE.categories))


def assert_equal(first, second):
    assert first.memory is second.memory
    for field in fields(CategoricalData):
        if field.name == "memory":
            continue
        own, other = getattr(first, field.name), getattr(second, field.name)
        assert len(own) == len(other)
        for one, two in zip(own, other, strict=True):
            assert_array_equal(one, two)
    assert first.codes.dtype == second.codes.dtype
    assert first.value_counts.dtype == second.value_counts.dtype


@pytest.mark.parametrize("features", [FEATURES, FEATURES[:1], FEATURES[1:], ()])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_selection_is_what_encoding_would_give(features, shuffled):
    rows = np.random.default_rng(0).permutation(TABLE.n_rows) if shuffled else None
    encoded = CategoricalData.of(TABLE, FEATURES, n_threads=1)
    table = TABLE if rows is None else TABLE.take(rows)
    assert_equal(encoded.select(features, rows), CategoricalData.of(table, features, n_threads=1))


@pytest.mark.parametrize(
    ("parameters", "sets_of_rows"),
    [
        ({}, 1),
        ({"target_statistic": "holdout"}, 1),
        ({"one_hot_max_size": 10, "max_combination": 1}, 1),
        ({"validation_fraction": 0.2, "refit": None}, 1),
        ({"validation_fraction": 0.2, "refit": "replay"}, 2),
    ],
)
def test_training_encodes_each_column_once_per_set_of_rows(monkeypatch, parameters, sets_of_rows):
    n_encoded = 0
    encode = CategoryColumn.encode

    def counted(column, n_threads):
        nonlocal n_encoded
        n_encoded += 1
        return encode(column, n_threads)

    monkeypatch.setattr(CategoryColumn, "encode", counted)
    fit(**parameters)
    assert n_encoded == sets_of_rows * len(FEATURES)
