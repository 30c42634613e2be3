"""Generated inputs for the kernels, small and with all the awkward shapes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from ocelotboost.kernels.contract import NO_HISTOGRAM
from ocelotboost.quantize.block import ColumnBlock, SlottedColumns, fill_fields, layout_columns
from ocelotboost.quantize.bundles import Bundles, StoredBins

THREADS = st.sampled_from([1, 2, 5])
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def tables(draw: st.DrawFn) -> NDArray[np.floating]:
    """Numbers with ties, missing values and infinities, in any memory order."""
    n_rows = draw(st.sampled_from([0, 1, 2, 3, 31, 32, 65, 300]))
    n_columns = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(SEEDS))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    kind = draw(st.sampled_from(["normal", "few", "constant", "all missing", "extreme"]))
    values = rng.normal(size=(n_rows, n_columns))
    if kind == "few":
        values = np.round(values)
    if kind == "constant":
        values[:] = 3.25
    if kind == "extreme":
        values *= 10.0 ** rng.integers(-30, 30, size=values.shape)
        values[rng.random(values.shape) < 0.1] = np.inf
        values[rng.random(values.shape) < 0.1] = -np.inf
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    if kind == "all missing":
        values[:] = np.nan
    values = values.astype(dtype)
    order = draw(st.sampled_from(["C", "F", "strided"]))
    if order == "strided":
        wide = np.zeros((n_rows, 2 * n_columns), dtype=dtype)
        wide[:, ::2] = values
        return wide[:, ::2]
    return np.asarray(values, order=order)


@st.composite
def blocks(draw: st.DrawFn) -> ColumnBlock:
    """Bins of columns with many and few values, some of them sparse and in bundles."""
    n_rows = draw(st.sampled_from([1, 2, 17, 200, 1500]))
    n_columns = draw(st.sampled_from([1, 3, 16, 21, 90]))
    n_dense = draw(st.sampled_from([n_columns, n_columns // 2, 0]))
    rng = np.random.default_rng(draw(SEEDS))
    counts = rng.choice([1, 2, 2, 3, 16, 17, 200, 255], size=n_columns).astype(np.uint32)
    bins = rng.integers(0, counts[:, None], size=(n_columns, n_rows)).astype(np.uint8)
    defaults = rng.integers(0, counts).astype(np.uint8)
    default = rng.random(bins.shape) < rng.choice([0.5, 0.9, 0.99, 1.0], size=(n_columns, 1))
    default[:n_dense] = False
    bins = np.where(default, defaults[:, None], bins)
    return block_of(bins, counts, defaults, np.arange(n_dense, n_columns))


def block_of(bins, bin_counts, defaults, sparse):
    """The block of bins (n_columns, n_rows), of which columns ``sparse`` are stored as such."""
    n_rows = bins.shape[1]
    sparse = sparse[bin_counts[sparse] > 1]
    rows = [np.flatnonzero(bins[column] != defaults[column]) for column in sparse]
    stored = StoredBins(
        columns=sparse,
        starts=np.cumsum([0, *map(len, rows)], dtype=np.uint64),
        rows=np.concatenate([[], *rows]).astype(np.uint32),
        bins=np.concatenate(
            [[], *(bins[c, own] for c, own in zip(sparse, rows, strict=True))]
        ).astype(np.uint8),
        defaults=defaults[sparse],
    )
    layout = layout_columns(bin_counts, n_rows, Bundles.of(stored, bin_counts, n_rows))
    slots = np.zeros((layout.n_slots, n_rows), dtype=np.uint8)
    for column in np.setdiff1d(np.arange(len(bins)), sparse):
        slots[layout.slots[column]] |= bins[column] << np.uint8(layout.shifts[column])
    fill_fields(stored, layout, slots)
    return ColumnBlock.of(SlottedColumns(slots, layout), 1)


@st.composite
def category_codes(
    draw: st.DrawFn, n_rows: int, n_columns: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Codes (n_columns, n) of columns with few and many values, not all of which occur; and how
    many values each has."""
    rng = np.random.default_rng(draw(SEEDS))
    value_counts = rng.choice([1, 2, 7, 1000, 100_000], size=n_columns)
    codes = rng.integers(0, value_counts[:, None], size=(n_columns, n_rows))
    # Some rows again, so that combinations of many values have more than one row too.
    codes = codes[:, rng.integers(0, max(n_rows // 2, 1), size=n_rows)]
    return codes.astype(np.uint32, order="C"), value_counts.astype(np.uint32)


@st.composite
def partitions(draw: st.DrawFn, n_rows: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Some rows sorted by leaf, empty leaves included: rows, offsets."""
    rng = np.random.default_rng(draw(SEEDS))
    n_leaves = draw(st.sampled_from([1, 2, 4, 8]))
    used = np.flatnonzero(rng.random(n_rows) < draw(st.sampled_from([0.0, 0.7, 1.0])))
    leaves = rng.integers(0, n_leaves, size=len(used))
    rows = used[np.argsort(leaves, kind="stable")].astype(np.uint32)
    sizes = np.bincount(leaves, minlength=n_leaves)
    return rows, np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)


@st.composite
def weights(draw: st.DrawFn, n_rows: int) -> NDArray[np.float32] | None:
    """No weights, whole ones, or any."""
    rng = np.random.default_rng(draw(SEEDS))
    kind = draw(st.sampled_from(["none", "whole", "any"]))
    if kind == "none":
        return None
    if kind == "whole":
        return rng.integers(0, 5, size=n_rows).astype(np.float32)
    return rng.exponential(size=n_rows).astype(np.float32)


def scored_by_era(histograms, n_eras):
    """Histograms (n_eras, n_leaves); the last leaf lacks some eras."""
    if n_eras == 1:
        return histograms[np.newaxis]
    n_leaves = -(-len(histograms) // n_eras)
    scored = np.full((n_leaves, n_eras), NO_HISTOGRAM, dtype=np.uint32)
    scored.reshape(-1)[: len(histograms)] = histograms
    return np.ascontiguousarray(scored.T)
