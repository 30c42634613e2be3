"""Categories to bins, and the sum of the trees: native equals twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import BUCKET_SIZE
from tests.kernels.strategies import SEEDS, THREADS
from tests.model.forests import KEY, key_of

ROWS = st.sampled_from([0, 1, 255, 256, 257, 5000])


def hashes_of(rng: np.random.Generator, n_columns: int, n_rows: int) -> np.ndarray:
    """Few and many different categories, missing ones among them."""
    hashes = rng.integers(0, 2**64, size=(n_columns, n_rows), dtype=np.uint64)
    few = rng.integers(0, 2**64, size=5, dtype=np.uint64)
    few[0] = 0
    hashes[::2] = rng.choice(few, size=hashes[::2].shape)
    return hashes


@given(SEEDS, st.integers(1, 5), ROWS, THREADS)
def test_keys_of_combinations_equal_the_twin(seed, n_members, n_rows, n_threads):
    hashes = hashes_of(np.random.default_rng(seed), n_members, n_rows)
    found, expected = np.zeros((2, n_rows), dtype=np.uint64)
    native.combination_keys(hashes, KEY, found, n_threads=n_threads)
    reference.combination_keys(hashes, KEY, expected, n_threads=1)
    np.testing.assert_array_equal(found, expected)


def test_a_key_by_hand():
    hashes = np.array([[5], [0], [2**64 - 1]], dtype=np.uint64)
    found = np.zeros(1, dtype=np.uint64)
    native.combination_keys(hashes[:1], KEY, found, n_threads=1)
    assert found[0] == 5
    native.combination_keys(hashes, KEY, found, n_threads=1)
    assert int(found[0]) == key_of([5, 0, 2**64 - 1])


def keys_of_one_bucket(n_keys: int, first: int = 0) -> np.ndarray:
    """Keys whose products with the golden ratio, which choose the bucket, follow each other."""
    inverse = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))
    return np.arange(first, first + n_keys, dtype=np.uint64) * inverse


def random_keys(rng: np.random.Generator, n_tables: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys of tables that are empty, tiny, full of small numbers, random, or made to share a
    bucket: keys, offsets."""
    tables = []
    for _ in range(n_tables):
        size = int(rng.choice([0, 1, 7, 8, 40, 300]))
        highest = int(rng.choice([size + 1, 2**64 - 1]))
        own = np.unique(rng.integers(0, highest, size=size, dtype=np.uint64))
        tables.append(np.sort(keys_of_one_bucket(size)) if rng.random() < 0.2 else own)
    offsets = np.concatenate([[0], np.cumsum([len(t) for t in tables])]).astype(np.uint64)
    return np.concatenate([np.empty(0, np.uint64), *tables]), offsets


def index(kernels, keys, entry_offsets, bucket_offsets, n_threads):
    slot_keys = np.zeros((int(bucket_offsets[-1]), BUCKET_SIZE), dtype=np.uint64)
    vacant = np.zeros(len(entry_offsets) - 1, dtype=np.uint64)
    n_ascending = np.zeros(len(entry_offsets) - 1, dtype=np.uint64)
    entries = np.zeros(slot_keys.shape, dtype=np.uint32)
    kernels.index_keys(
        keys,
        entry_offsets,
        bucket_offsets,
        slot_keys,
        vacant,
        n_ascending,
        entries,
        n_threads=n_threads,
    )
    return slot_keys, vacant, n_ascending, entries


def some_buckets(rng: np.random.Generator, entry_offsets: np.ndarray) -> np.ndarray:
    """From as few as possible, so that many keys are not in their own bucket, to plenty."""
    n_entries = np.diff(entry_offsets.astype(np.int64))
    n_buckets = n_entries // rng.integers(1, 9, size=len(n_entries)) + 1
    return np.concatenate([[0], np.cumsum(n_buckets)]).astype(np.uint64)


def distances(slot_keys, vacant):
    """How many buckets after its own each key lies."""
    bucket, slot = np.nonzero(slot_keys != vacant)
    products = slot_keys[bucket, slot] * np.uint64(0x9E3779B97F4A7C15)
    own = [product * len(slot_keys) >> 64 for product in products.tolist()]
    return (bucket - np.array(own)) % len(slot_keys)


def test_keys_of_chance_lie_near_their_buckets():
    keys = np.unique(np.random.default_rng(0).integers(0, 2**64, size=200_000, dtype=np.uint64))
    offsets = np.array([0, len(keys)], dtype=np.uint64)
    buckets = np.array([0, len(keys) // 5 + 1], dtype=np.uint64)
    slot_keys, vacant, n_ascending, _ = index(native, keys, offsets, buckets, 1)
    assert n_ascending[0] == 0
    far = distances(slot_keys, vacant[0])
    assert far.max() <= 8
    assert far.mean() < 0.1


@pytest.mark.parametrize("n_keys", [127, 128, 20_000])
def test_keys_that_were_made_to_share_a_bucket_are_found_by_halving(n_keys):
    keys = np.sort(keys_of_one_bucket(n_keys, first=1))
    offsets = np.array([0, n_keys], dtype=np.uint64)
    buckets = np.array([0, n_keys // 5 + 1], dtype=np.uint64)
    slot_keys, vacant, n_ascending, entries = index(native, keys, offsets, buckets, 1)
    if n_keys < 16 * BUCKET_SIZE:
        assert n_ascending[0] == 0
        assert distances(slot_keys, vacant[0]).max() < 16
        return
    assert n_ascending[0] == -(-n_keys // BUCKET_SIZE)
    np.testing.assert_array_equal(slot_keys.reshape(-1)[:n_keys], keys)
    np.testing.assert_array_equal(entries.reshape(-1)[:n_keys], np.arange(n_keys))
    assert (entries.reshape(-1)[n_keys:] == n_keys).all()


@given(SEEDS, st.integers(0, 6), ROWS, THREADS)
def test_look_ups_equal_the_twin(seed, n_tables, n_rows, n_threads):
    rng = np.random.default_rng(seed)
    keys, entry_offsets = random_keys(rng, n_tables)
    bucket_offsets = some_buckets(rng, entry_offsets)
    found = index(native, keys, entry_offsets, bucket_offsets, n_threads)
    expected = index(reference, keys, entry_offsets, bucket_offsets, 1)
    for ours, twin in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, twin)
    slot_keys, vacant, n_ascending, entries = found

    n_columns = rng.integers(0, 4, size=n_tables)
    bins = []
    for table in range(n_tables):
        slots = slice(int(bucket_offsets[table]), int(bucket_offsets[table + 1]))
        of_entry = rng.integers(0, 16, size=(int(entries[slots].max()) + 1, n_columns[table]))
        bins.append(of_entry[entries[slots].reshape(-1)].reshape(-1))
    slot_bins = np.concatenate([np.empty(0), *bins]).astype(np.uint8)
    bin_offsets = np.concatenate([[0], np.cumsum([len(b) for b in bins])]).astype(np.uint64)

    # Single members are keys themselves, so that rows find entries.
    hashes = hashes_of(rng, 3, n_rows)
    hashes[0] = rng.choice(np.append(keys, np.uint64(0)), size=n_rows)
    n_members = rng.choice([1, 1, 1, 2, 3], size=n_tables)
    based = rng.random(n_tables) < 0.3
    based_rows = np.where(based, np.cumsum(based) - 1, -1).astype(np.int32)
    answers = rng.integers(0, 9, size=(int(based.sum()), n_rows)).astype(np.uint32)
    n_targets = int(n_columns.sum())
    arguments = (
        hashes,
        KEY,
        np.concatenate([[0], np.cumsum(n_members)]).astype(np.uint32),
        np.concatenate([np.empty(0), *(np.arange(m) for m in n_members)]).astype(np.uint32),
        answers,
        based_rows,
        bucket_offsets,
        slot_keys,
        vacant,
        n_ascending,
        np.concatenate([[0], np.cumsum(n_columns)]).astype(np.uint32),
        bin_offsets,
        slot_bins,
        rng.permutation(n_targets + 1)[:n_targets].astype(np.uint32),
    )
    ours, twin = np.full((2, n_targets + 1, n_rows), 99, dtype=np.uint8)
    native.look_up(*arguments, ours, n_threads=n_threads)
    reference.look_up(*arguments, twin, n_threads=1)
    np.testing.assert_array_equal(ours, twin)


@given(SEEDS, st.integers(0, 6), ROWS, THREADS)
def test_indicators_equal_the_twin(seed, n_indicators, n_rows, n_threads):
    rng = np.random.default_rng(seed)
    hashes = hashes_of(rng, 3, n_rows)
    pool = np.append(hashes[0], np.uint64(0))
    arguments = (
        hashes,
        rng.integers(0, 3, size=n_indicators).astype(np.uint32),
        rng.choice(pool, size=n_indicators),
        rng.permutation(n_indicators + 2)[:n_indicators].astype(np.uint32),
    )
    ours, twin = np.full((2, n_indicators + 2, n_rows), 99, dtype=np.uint8)
    native.match_categories(*arguments, ours, n_threads=n_threads)
    reference.match_categories(*arguments, twin, n_threads=1)
    np.testing.assert_array_equal(ours, twin)


@given(SEEDS, st.lists(st.integers(0, 16), max_size=5), ROWS, THREADS)
def test_answers_equal_the_twin(seed, sizes, n_rows, n_threads):
    rng = np.random.default_rng(seed)
    n_questions = sum(sizes)
    arguments = (
        rng.integers(0, 256, size=(4, n_rows)).astype(np.uint8),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32),
        rng.integers(0, 4, size=n_questions).astype(np.uint32),
        rng.integers(0, 256, size=n_questions).astype(np.uint8),
    )
    ours, twin = np.full((2, len(sizes), n_rows), 99, dtype=np.uint32)
    native.answer_questions(*arguments, ours, n_threads=n_threads)
    reference.answer_questions(*arguments, twin, n_threads=1)
    np.testing.assert_array_equal(ours, twin)


def test_arrays_that_do_not_fit_are_refused():
    keys, offsets = np.arange(9, dtype=np.uint64), np.array([0, 9], dtype=np.uint64)
    with pytest.raises(ValueError, match="more slots than entries"):
        index(native, keys, offsets, np.array([0, 1], dtype=np.uint64), 1)
    with pytest.raises(ValueError, match="entry_offsets: do not fit"):
        index(native, keys[:8], offsets, np.array([0, 2], dtype=np.uint64), 1)
    bins, one = np.zeros((2, 3), dtype=np.uint8), np.zeros(1, dtype=np.uint32)
    with pytest.raises(ValueError, match="no such row of hashes"):
        native.match_categories(
            np.zeros((0, 3), np.uint64), one, np.zeros(1, np.uint64), one, bins, n_threads=1
        )
    with pytest.raises(ValueError, match="columns: no such column"):
        native.answer_questions(
            bins,
            np.array([0, 1], dtype=np.uint32),
            one + np.uint32(2),
            np.zeros(1, dtype=np.uint8),
            np.zeros((1, 3), dtype=np.uint32),
            n_threads=1,
        )
    with pytest.raises(ValueError, match="at least one member"):
        native.combination_keys(
            np.zeros((0, 3), np.uint64), KEY, np.zeros(3, np.uint64), n_threads=1
        )


@given(
    SEEDS, st.sampled_from([1, 3]), st.sampled_from([1, 7, 128, 129, 700]),
    st.lists(st.sampled_from([0, 1, 6, 8, 9, 11]), max_size=4), THREADS,
)  # fmt: skip
def test_predictions_equal_the_twin(seed, n_outputs, n_rows, depths, n_threads):
    assert_predictions_equal_the_twin(seed, n_outputs, n_rows, depths, n_threads)


@pytest.mark.parametrize("n_rows", [128, 129, 128 * 40 + 5])
@pytest.mark.parametrize(("n_outputs", "depths"), [(1, [8, 3] * 150), (3, [6] * 220), (1, [16, 1])])
def test_forests_larger_than_a_cache_are_summed_in_parts(n_outputs, depths, n_rows):
    for n_threads in (1, 3):
        assert_predictions_equal_the_twin(0, n_outputs, n_rows, depths, n_threads)


def assert_predictions_equal_the_twin(seed, n_outputs, n_rows, depths, n_threads):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, 256, size=(5, n_rows), dtype=np.uint8)
    n_splits, n_leaves = sum(depths), sum(1 << d for d in depths)
    arguments = (
        bins,
        rng.integers(0, 5, size=n_splits).astype(np.uint32),
        rng.integers(0, 256, size=n_splits).astype(np.uint8),
        np.array(depths, dtype=np.uint32),
        rng.normal(size=(n_leaves, n_outputs)),
    )
    raw = rng.normal(size=(n_outputs, n_rows))
    expected = raw.copy()
    native.predict_trees(*arguments, raw, n_threads=n_threads)
    reference.predict_trees(*arguments, expected, n_threads=1)
    np.testing.assert_array_equal(raw, expected)


def test_prediction_refuses_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="no such column"):
        native.predict_trees(
            np.zeros((1, 3), np.uint8), np.array([1], np.uint32), np.array([0], np.uint8),
            np.array([1], np.uint32), np.zeros((2, 1)), np.zeros((1, 3)), n_threads=1,
        )  # fmt: skip
