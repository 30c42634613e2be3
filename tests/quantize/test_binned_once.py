"""Bins that are taken are those that would be made."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from tests import data

from ocelotboost.quantize.binned_once import BinnedOnce
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.from_input import table_from_input

X = data.features(200, 4, missing=0.1)
RARE = sparse.random(200, 30, density=0.05, format="csc", random_state=0)


@pytest.mark.parametrize("given", [X, RARE], ids=["dense", "sparse"])
def test_bins_are_taken_from_those_of_the_whole_table(given, monkeypatch):
    table = table_from_input(given)
    quantizer = Quantizer.fit(table, rng=np.random.default_rng(0), n_threads=1)
    once = BinnedOnce.of(quantizer, table, n_threads=1)
    chosen = np.random.default_rng(1).permutation(200)[:90]
    some = table.take(chosen).take(np.arange(10, 70))
    order = np.arange(60, dtype=np.uint32)[::-1].copy()
    for rows in (None, order):
        made = quantizer.slots(some, 1, rows)
        taken = once.slots(some, 1, rows)
        for column in range(quantizer.n_columns):
            assert np.array_equal(made.bins(column), taken.bins(column))
    monkeypatch.setattr(Quantizer, "_fill", None)  # nothing is binned again
    once.slots(some, 1)
    once.block(some, 1, order)


def test_another_table_is_binned_by_the_same_borders():
    table, other = table_from_input(X), table_from_input(X[::-1].copy())
    quantizer = Quantizer.fit(table, rng=np.random.default_rng(0), n_threads=1)
    once = BinnedOnce.of(quantizer, table, n_threads=1)
    for own in (other, other.take(np.arange(5))):
        assert np.array_equal(once.slots(own, 1).slots, quantizer.slots(own, 1).slots)
