"""A table is parts; parts give their values only when asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

from ocelotboost.table import DensePart, RowsPart, SparsePart, table_from_input

MATRIX = np.arange(60, dtype=np.float64).reshape(3, 20)
MATRIX[1, 4] = np.nan


@pytest.fixture(params=["matrix", "frame", "sparse"])
def table(request):
    holders = {"matrix": np.asarray, "frame": pd.DataFrame, "sparse": scipy.sparse.csc_array}
    return table_from_input(holders[request.param](MATRIX))


def test_parts_cover_every_column_once_and_in_order(table):
    covered = [c for part in table.parts for c in range(part.first, part.first + part.width)]
    assert covered == list(range(20))
    for part in table.parts:
        assert_array_equal(part.values(), MATRIX[:, part.first : part.first + part.width])


def test_take_chooses_rows_in_the_given_order_and_with_repeats(table):
    taken = table.take(np.array([2, 0, 2]))
    assert (taken.n_rows, taken.n_columns, taken.names) == (3, 20, table.names)
    assert_array_equal(taken.dense(), MATRIX[[2, 0, 2]])


def test_take_of_take_gathers_once_from_the_first_table(table):
    taken = table.take(np.array([2, 0, 2])).take(np.array([1, 0], dtype=np.uint32))
    assert_array_equal(taken.dense(), MATRIX[[0, 2]])
    assert all(isinstance(part, RowsPart) for part in taken.parts)
    assert not any(isinstance(part.part, RowsPart) for part in taken.parts)


def test_take_copies_nothing_until_values_are_asked_for():
    X = MATRIX.copy()
    taken = table_from_input(X).take(np.array([1]))
    X[1, 0] = -5.0
    assert taken.dense()[0, 0] == -5.0


def test_a_dense_part_hands_out_its_own_array():
    part = DensePart(3, MATRIX)
    assert part.values() is MATRIX
    assert (part.first, part.width) == (3, 20)


def test_sparse_parts_are_sixteen_columns_wide_and_share_the_matrix():
    wide = scipy.sparse.random_array((5, 40), density=0.3, rng=np.random.default_rng(0)).tocsc()
    parts = table_from_input(wide).parts
    assert all(isinstance(part, SparsePart) for part in parts)
    assert [(part.first, part.width) for part in parts] == [(0, 16), (16, 16), (32, 8)]
    assert all(np.shares_memory(part.numbers, wide.data) for part in parts)
