"""Twins: categories -> bins, and the sum of the trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import BUCKET_SIZE
from ocelotboost.kernels.reference.table import siphash

Hashes = NDArray[np.uint64]
Indices = NDArray[np.uint32]
Floats = NDArray[np.float64]

_GOLDEN_RATIO = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64

#: A search passes at most this many buckets.
MOST_BUCKETS = 16


def combination_keys(hashes: Hashes, key: Hashes, out_keys: Hashes, *, n_threads: int) -> None:
    """The key of all rows of ``hashes`` (n_members, n) together: of one member its own hash, of
    several the hash of their bytes."""
    if len(hashes) == 1:
        out_keys[:] = hashes[0]
    else:
        out_keys[:] = siphash([*hashes, np.zeros_like(hashes[0])], 8 * len(hashes), key)


def index_keys(
    keys: Hashes,
    entry_offsets: Hashes,
    bucket_offsets: Hashes,
    out_slot_keys: Hashes,
    out_vacant: Hashes,
    out_n_ascending: Hashes,
    out_slot_entries: Indices,
    *,
    n_threads: int,
) -> None:
    """Put each table's keys into its buckets; the next bucket is for those that do not fit.

    Keys that fill too many buckets in a row are put one after the other instead.
    """
    for table in range(len(out_vacant)):
        own = keys[int(entry_offsets[table]) : int(entry_offsets[table + 1])].tolist()
        of_table = slice(int(bucket_offsets[table]), int(bucket_offsets[table + 1]))
        shape = (of_table.stop - of_table.start, BUCKET_SIZE)
        vacant = next(key for key in range(len(own) + 1) if key not in own)
        slots = _slots_by_bucket(own, shape[0])
        out_n_ascending[table] = 0
        if slots is None:
            slots = list(range(len(own)))
            out_n_ascending[table] = -(-len(own) // BUCKET_SIZE)
        slot_keys = np.full(shape, vacant, dtype=np.uint64)
        entries = np.full(shape, len(own), dtype=np.uint32)
        slot_keys.reshape(-1)[slots] = own
        entries.reshape(-1)[slots] = np.arange(len(own))
        out_vacant[table] = vacant
        out_slot_keys[of_table], out_slot_entries[of_table] = slot_keys, entries


def _slots_by_bucket(keys: list[int], n_buckets: int) -> list[int] | None:
    """The slot of each key; None when too many buckets in a row would be full."""
    used = [0] * n_buckets
    slots = []
    for key in keys:
        first = _bucket_of(key, n_buckets)
        near = [(first + step) % n_buckets for step in range(MOST_BUCKETS)]
        bucket = next((bucket for bucket in near if used[bucket] < BUCKET_SIZE), None)
        if bucket is None:
            return None
        slots.append(bucket * BUCKET_SIZE + used[bucket])
        used[bucket] += 1
    full = "".join("x" if n_keys == BUCKET_SIZE else "." for n_keys in used)
    return None if "x" * MOST_BUCKETS in (full + full)[: n_buckets + MOST_BUCKETS] else slots


def _bucket_of(key: int, n_buckets: int) -> int:
    return (key * _GOLDEN_RATIO % _MODULUS) * n_buckets // _MODULUS


def look_up(
    hashes: Hashes,
    key: Hashes,
    member_offsets: Indices,
    members: Indices,
    answers: Indices,
    answer_rows: NDArray[np.int32],
    bucket_offsets: Hashes,
    slot_keys: Hashes,
    vacant: Hashes,
    n_ascending: Hashes,
    column_offsets: Indices,
    bin_offsets: Hashes,
    slot_bins: NDArray[np.uint8],
    out_rows: Indices,
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None:
    """The bins that stand at the slot of each row's key; those of a vacant slot are for others."""
    for table in range(len(vacant)):
        own = hashes[members[member_offsets[table] : member_offsets[table + 1]]]
        if answer_rows[table] >= 0:
            base = answers[answer_rows[table]].astype(np.uint64)
            own = np.concatenate([own, base[None]])
        keys = np.empty(hashes.shape[1], dtype=np.uint64)
        combination_keys(own, key, keys, n_threads=1)
        buckets = slot_keys[int(bucket_offsets[table]) : int(bucket_offsets[table + 1])]
        flat = buckets.reshape(-1).tolist()
        slot_of = {key: slot for slot, key in enumerate(flat)}
        slots = [slot_of.get(key, slot_of[int(vacant[table])]) for key in keys.tolist()]
        bins = slot_bins[int(bin_offsets[table]) : int(bin_offsets[table + 1])]
        rows = out_rows[column_offsets[table] : column_offsets[table + 1]]
        inout_bins[rows] = bins.reshape(len(flat), len(rows))[slots].T


def match_categories(
    hashes: Hashes,
    sources: Indices,
    categories: Hashes,
    out_rows: Indices,
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None:
    """Is the category in row ``sources[i]`` of ``hashes`` the i-th one?"""
    inout_bins[out_rows] = hashes[sources] == categories[:, None]


def answer_questions(
    bins: NDArray[np.uint8],
    offsets: Indices,
    columns: Indices,
    split_bins: NDArray[np.uint8],
    out_answers: Indices,
    *,
    n_threads: int,
) -> None:
    """The answers to each list of questions as binary digits, the first question highest."""
    out_answers[:] = 0
    for list_, answers in enumerate(out_answers):
        for question in range(offsets[list_], offsets[list_ + 1]):
            answers *= 2
            answers += bins[columns[question]] > split_bins[question]


def find_leaves(
    bins: NDArray[np.uint8],
    split_columns: Indices,
    split_bins: NDArray[np.uint8],
    depths: Indices,
    out_leaves: Indices,
    *,
    n_threads: int,
) -> None:
    """The leaf of each row in each tree: the answers of a tree as binary digits."""
    offsets = np.concatenate([[0], np.cumsum(depths)]).astype(np.uint32)
    answer_questions(bins, offsets, split_columns, split_bins, out_leaves, n_threads=1)


def predict_trees(
    bins: NDArray[np.uint8],
    split_columns: Indices,
    split_bins: NDArray[np.uint8],
    depths: Indices,
    leaf_values: Floats,
    inout_raw: Floats,
    *,
    n_threads: int,
) -> None:
    """Add the leaf values of every tree, one tree after the other."""
    leaves = np.empty((len(depths), bins.shape[1]), dtype=np.uint32)
    find_leaves(bins, split_columns, split_bins, depths, leaves, n_threads=1)
    first_leaf = 0
    for depth, own in zip(depths.tolist(), leaves, strict=True):
        inout_raw += leaf_values[first_leaf + own].T
        first_leaf += 1 << depth
