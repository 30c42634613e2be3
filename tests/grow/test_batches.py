"""Batches of columns: every column is in one of them, with its layout as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ocelotboost.grow.scorer import cut_into_batches
from ocelotboost.quantize.block import layout_columns


@pytest.mark.parametrize("n_groups", [1, 2, 5, 1000])
@pytest.mark.parametrize("n_columns", [1, 3, 40, 333])
def test_every_column_is_in_one_batch_where_its_bins_are(n_columns, n_groups):
    bin_counts = np.random.default_rng(n_columns).integers(1, 256, n_columns).astype(np.uint32)
    layout = layout_columns(bin_counts, 100)
    batches = cut_into_batches(layout, n_groups)
    columns = np.concatenate([batch.columns for batch in batches])
    assert sorted(columns.tolist()) == list(range(n_columns))
    first_slot = 0
    for batch in batches:
        own = batch.layout
        assert len(own.group_widths) <= n_groups
        assert_array_equal(own.slots + first_slot, layout.slots[batch.columns])
        assert_array_equal(own.shifts, layout.shifts[batch.columns])
        assert_array_equal(own.bin_counts, bin_counts[batch.columns])
        assert (own.slots < own.n_slots).all()
        first_slot += own.n_slots
    assert first_slot == layout.n_slots
    offsets = np.concatenate([batch.layout.group_offsets for batch in batches])
    assert_array_equal(offsets, layout.group_offsets)
