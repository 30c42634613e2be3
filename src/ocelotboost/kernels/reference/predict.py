"""Twins: categories -> bins, and the sum of the trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.uint32]
Floats = NDArray[np.float64]

_GOLDEN_RATIO = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64


def combination_keys(hashes: Hashes, out_keys: Hashes, *, n_threads: int) -> None:
    """The key of all rows of ``hashes`` (n_members, n) together."""
    out_keys[:] = hashes[0]
    for member in hashes[1:]:
        out_keys[:] = mixed(out_keys * np.uint64(_GOLDEN_RATIO) + member)


def mixed(x: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def index_keys(
    keys: Hashes,
    entry_offsets: Hashes,
    bucket_offsets: Hashes,
    out_slot_keys: Hashes,
    out_vacant: Hashes,
    out_slot_entries: Indices,
    *,
    n_threads: int,
) -> None:
    """Put each table's keys into its buckets; the next bucket is for those that do not fit."""
    for table in range(len(out_vacant)):
        own = keys[int(entry_offsets[table]) : int(entry_offsets[table + 1])].tolist()
        of_table = slice(int(bucket_offsets[table]), int(bucket_offsets[table + 1]))
        buckets, entries = out_slot_keys[of_table], out_slot_entries[of_table]
        vacant = next(key for key in range(len(own) + 1) if key not in own)
        out_vacant[table] = buckets[:] = vacant
        entries[:] = len(own)
        for entry, key in enumerate(own):
            bucket = _bucket_of(key, len(buckets))
            while buckets[bucket, -1] != vacant:
                bucket = (bucket + 1) % len(buckets)
            slot = int(np.flatnonzero(buckets[bucket] == vacant)[0])
            buckets[bucket, slot], entries[bucket, slot] = key, entry


def _bucket_of(key: int, n_buckets: int) -> int:
    return (key * _GOLDEN_RATIO % _MODULUS) * n_buckets // _MODULUS


def look_up(
    hashes: Hashes,
    member_offsets: Indices,
    members: Indices,
    answers: Indices,
    answer_rows: NDArray[np.int32],
    bucket_offsets: Hashes,
    slot_keys: Hashes,
    vacant: Hashes,
    column_offsets: Indices,
    bin_offsets: Hashes,
    slot_bins: NDArray[np.uint8],
    targets: Indices,
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None:
    """The bins that stand at the slot of each row's key; those of a vacant slot are for others."""
    for table in range(len(vacant)):
        own = hashes[members[member_offsets[table] : member_offsets[table + 1]]]
        if answer_rows[table] >= 0:
            base = mixed(answers[answer_rows[table]].astype(np.uint64) + np.uint64(1))
            own = np.concatenate([own, base[None]])
        keys = np.empty(hashes.shape[1], dtype=np.uint64)
        combination_keys(own, keys, n_threads=1)
        buckets = slot_keys[int(bucket_offsets[table]) : int(bucket_offsets[table + 1])]
        flat = buckets.reshape(-1).tolist()
        slot_of = {key: slot for slot, key in enumerate(flat)}
        slots = [slot_of.get(key, slot_of[int(vacant[table])]) for key in keys.tolist()]
        bins = slot_bins[int(bin_offsets[table]) : int(bin_offsets[table + 1])]
        rows = targets[column_offsets[table] : column_offsets[table + 1]]
        inout_bins[rows] = bins.reshape(len(flat), len(rows))[slots].T


def match_categories(
    hashes: Hashes,
    sources: Indices,
    categories: Hashes,
    targets: Indices,
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None:
    """Is the category in row ``sources[i]`` of ``hashes`` the i-th one?"""
    inout_bins[targets] = hashes[sources] == categories[:, None]


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
    split = first_leaf = 0
    for depth in depths.tolist():
        leaves = np.zeros(bins.shape[1], dtype=np.intp)
        for d in range(split, split + depth):
            leaves = leaves * 2 + (bins[split_columns[d]] > split_bins[d])
        inout_raw += leaf_values[first_leaf + leaves].T
        split += depth
        first_leaf += 1 << depth
