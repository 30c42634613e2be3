"""Joined codes, target statistics and tables of the whole data: native equals twin."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import History
from ocelotboost.order.statistic import statistic_units
from tests.kernels.strategies import (
    SEEDS,
    THREADS,
    category_codes,
    weights,
)

OUTPUTS = st.sampled_from([1, 2, 3, 5, 7, 9])


# ---- combinations ----------------------------------------------------------------------------


def join(kernels, codes, value_counts, members, base=None, n_base_values=0, n_threads=1):
    offsets = np.cumsum([0, *map(len, members)], dtype=np.uint32)
    flat = np.array([column for own in members for column in own], dtype=np.uint32)
    lines = np.arange(len(members), dtype=np.uint32)[::-1] + np.uint32(1)  # the first stays empty
    out = (
        np.full((len(members) + 1, codes.shape[1]), 99, dtype=np.uint32),
        np.full(len(members) + 1, 99, dtype=np.uint32),
        np.full(len(members) + 1, 99, dtype=np.uint64),
    )
    kernels.join_codes(
        codes, value_counts, base, n_base_values, offsets, flat, lines, *out, n_threads=n_threads
    )
    assert all((array[0] == 99).all() for array in out)
    return tuple(array[lines] for array in out)


def assert_joined_alike(codes, value_counts, members, base=None, n_base_values=0, n_threads=1):
    """The native function against its twin; what it gives."""
    found = join(native, codes, value_counts, members, base, n_base_values, n_threads)
    expected = join(reference, codes, value_counts, members, base, n_base_values)
    for own, twin in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, twin)
    return found


@given(st.data(), SEEDS, THREADS)
def test_joined_codes_equal_the_twin(data, seed, n_threads):
    n_rows = data.draw(st.sampled_from([0, 1, 5, 63, 64, 65, 700]))
    codes, value_counts = data.draw(category_codes(n_rows, n_columns=5))
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, size=data.draw(st.sampled_from([0, 1, 7])))
    members = [np.sort(rng.choice(5, size=size, replace=False)) for size in sizes]
    joined, fingerprints = assert_joined_alike(codes, value_counts, members, n_threads=n_threads)[
        ::2
    ]
    for a, b in combinations(range(len(members)), 2):
        assert (fingerprints[a] == fingerprints[b]) == (joined[a] == joined[b]).all()


@given(st.data(), SEEDS, THREADS)
def test_a_base_counts_as_one_more_column_of_every_combination(data, seed, n_threads):
    codes, value_counts = data.draw(category_codes(65, n_columns=4))
    rng = np.random.default_rng(seed)
    members = [np.sort(rng.choice(3, size=size, replace=False)) for size in (1, 2, 3)]
    with_base = assert_joined_alike(
        codes[:3], value_counts[:3], members, codes[3], int(value_counts[3]), n_threads
    )
    as_column = join(reference, codes, value_counts, [[*own, 3] for own in members])
    for own, twin in zip(with_base, as_column, strict=True):
        np.testing.assert_array_equal(own, twin)


@given(SEEDS, st.sampled_from([[0, 1], [0, 1, 2], [2, 1, 0], [0, 1, 2, 3]]))
def test_products_beyond_64_bits_are_joined_in_turns(seed, members):
    rng = np.random.default_rng(seed)
    largest = 2**32 - 1
    # Codes of one column lie far apart: a wrapped product would make different rows meet.
    codes = rng.choice([0, 1, 2**16, 2**31, largest - 1], size=(4, 300)).astype(np.uint32)
    value_counts = np.full(4, largest, dtype=np.uint32)
    assert_joined_alike(codes, value_counts, [members])


def unmixed(number):
    """The number that ``mix64`` turns into this one."""
    for turn, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        number ^= number >> turn ^ number >> 2 * turn
        number = number * pow(factor, -1, 2**64) % 2**64
    return number


def test_codes_that_were_made_to_share_a_place_are_joined_as_any_others():
    keys = [unmixed(number << 24) for number in range(4000)]
    pairs = [divmod(key, 2**31) for key in keys if key < 2**62]
    assert len(pairs) > 900
    codes = np.array([*pairs, *pairs[::-1]], dtype=np.uint32).T.copy()
    value_counts = np.full(2, 2**31, dtype=np.uint32)
    assert_joined_alike(codes, value_counts, [[0, 1]])


@pytest.mark.parametrize("n_threads", [1, 2])
def test_many_values_grow_the_hash_table(n_threads):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30_000, size=(3, 40_000)).astype(np.uint32)
    value_counts = np.full(3, 30_000, dtype=np.uint32)
    members = [[0, 1], [0, 1, 2], [1]]
    counts = assert_joined_alike(codes, value_counts, members, n_threads=n_threads)[1]
    assert counts.min() > 20_000


@given(st.data())
def test_codes_are_equal_where_all_members_are(data):
    codes, value_counts = data.draw(category_codes(60, n_columns=3))
    joined, n_values, _ = join(native, codes, value_counts, [[0, 1, 2]])
    same = (codes[:, :, None] == codes[:, None, :]).all(axis=0)
    np.testing.assert_array_equal(joined[0][:, None] == joined[0][None, :], same)
    assert n_values[0] == len(np.unique(joined[0])) == joined[0].max() + 1


# ---- statistics ------------------------------------------------------------------------------


@st.composite
def sources(draw, n_rows, history):
    """Everything that statistics are made of, as the kernel takes it."""
    rng = np.random.default_rng(draw(SEEDS))
    codes, value_counts = draw(category_codes(n_rows, n_columns=draw(st.sampled_from([1, 3]))))
    orders = np.stack([rng.permutation(n_rows) for _ in range(draw(st.sampled_from([1, 3])))])
    n_ordered = draw(st.sampled_from([n_rows, n_rows - n_rows // 3, 0]))
    n_targets, n_priors = draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([1, 2, 3]))
    targets = rng.integers(0, 2, size=(n_targets, n_rows)).astype(np.float32)
    if draw(st.booleans()):
        targets = rng.normal(size=targets.shape).astype(np.float32)
    weight = draw(weights(n_rows))
    units = statistic_units(targets, weight)
    if draw(st.booleans()):
        units = rng.choice([1.0, 0.25, 2.0**-40], size=n_targets + 1)
    before = history == History.BEFORE
    n_columns = n_targets * n_priors
    lows = rng.choice([0.0, -0.3], size=n_columns)
    return {
        "codes": codes,
        "value_counts": value_counts,
        "lines": rng.integers(len(codes), size=draw(st.integers(0, 4))).astype(np.uint32),
        "orders": np.ascontiguousarray(orders[:, :n_ordered], dtype=np.uint32),
        "history": int(history),
        "window": draw(st.sampled_from([0, 1, 7, n_rows, 3 * n_rows])) if before else 0,
        "targets": targets,
        "weights": weight,
        "units": units,
        "before": None,
        "counts": None,
        "largest": None,
        "prior_weight": draw(st.sampled_from([0.1, 1.0, 3.0])),
        "priors": rng.uniform(size=n_columns),
        "lows": lows,
        "highs": lows + rng.choice([1.0, 1.7], size=n_columns),
        "frequency": draw(st.booleans()),
    }


def statistics(kernels, source, n_out_rows, n_threads=1):
    """Units (n_combinations * n_orderings, n_out_rows, n_bytes), in reverse order of making."""
    shape = (len(source["lines"]), len(source["orders"]))
    n_bytes = (len(source["priors"]) + source["frequency"] + 1) // 2
    numbers = np.arange(shape[0] * shape[1], dtype=np.uint32)[::-1].reshape(shape).copy()
    pages = np.full((numbers.size, n_out_rows, n_bytes), 255, dtype=np.uint8)
    kernels.target_statistics(*source.values(), numbers, pages, n_threads=n_threads)
    return pages


def assert_statistics_alike(source, n_out_rows, n_threads=1):
    found = statistics(native, source, n_out_rows, n_threads)
    np.testing.assert_array_equal(found, statistics(reference, source, n_out_rows))


@given(st.data(), st.sampled_from(History), st.sampled_from([1, 2, 40, 300]), THREADS)
def test_statistics_equal_the_twin(data, history, n_rows, n_threads):
    source = data.draw(sources(n_rows, history))
    n_out_rows = data.draw(st.sampled_from([n_rows, (n_rows + 1) // 2]))
    assert_statistics_alike(source, n_out_rows, n_threads)


@given(st.data(), st.sampled_from(History), st.booleans(), st.booleans(), SEEDS, THREADS)
def test_statistics_on_top_of_known_totals_equal_the_twin(
    data, history, counts_known, zeros_and_ones, seed, n_threads
):
    n_rows = data.draw(st.sampled_from([1, 40, 300]))
    source = data.draw(sources(n_rows, history))
    rng = np.random.default_rng(seed)
    if zeros_and_ones:
        targets = rng.integers(0, 2, size=source["targets"].shape).astype(np.float32)
        units = np.ones(len(targets) + 1)
        source |= {"targets": targets, "weights": None, "units": units, "frequency": True}
    n_values = source["value_counts"][source["lines"]].astype(int)
    # Counts take 28 bits where they can, then 32, then 64.
    most = data.draw(st.sampled_from([3, 100, 2**28 - 1, 2**28, 2**32 - 1, 2**32, 2**40]))
    shape = (n_values.sum(), len(source["units"]))
    before = rng.integers(max(0, most - 5), most, size=shape, endpoint=True)
    source |= {"orders": source["orders"][:1], "window": 0, "before": before}
    if counts_known:
        counts = before[:, 0] + rng.integers(0, most, size=len(before), endpoint=True)
        ends = np.cumsum(n_values)
        largest = [counts[end - n : end].max() + 1 for n, end in zip(n_values, ends, strict=True)]
        source |= {"counts": counts, "largest": np.array(largest, dtype=np.int64)}
    assert_statistics_alike(source, data.draw(st.sampled_from([n_rows, n_rows // 2])), n_threads)


def totals_of(source, line, rows):
    """Counts and sums of some rows by the values of one line: (n_values, n_targets + 1)."""
    n_values = source["value_counts"][line]
    totals = np.empty((n_values, len(source["units"])), dtype=np.int64)
    native.total_by_value(
        source["codes"][line], source["targets"], source["weights"], source["units"], rows, totals,
        np.empty(n_values, dtype=np.uint32),
    )  # fmt: skip
    return totals


@given(st.data(), st.sampled_from([[], [0], [7, 7, 30], [1, 90, 120]]))
def test_statistics_made_piece_by_piece_are_those_made_at_once(data, cuts):
    n_rows = 120
    source = data.draw(sources(n_rows, History.BEFORE))
    order = np.random.default_rng(0).permutation(n_rows).astype(np.uint32)
    whole = source | {"orders": order[np.newaxis], "window": 0}
    expected = statistics(native, whole, n_rows)
    counts = [totals_of(source, line, None)[:, 0].copy() for line in source["lines"]]
    found = np.full_like(expected, 255)
    for begin, end in pairwise([0, *cuts, n_rows]):
        # A shard has its own rows alone, under numbers of its own.
        own = np.sort(order[begin:end])
        of_rows = {name: source[name].take(own, axis=1) for name in ("codes", "targets")}
        weight = source["weights"]
        shard = whole | of_rows | {
            "weights": None if weight is None else weight[own],
            "orders": np.searchsorted(own, order[begin:end]).astype(np.uint32)[np.newaxis],
        }  # fmt: skip
        if len(source["lines"]):
            shard |= {
                "before": np.concatenate(
                    [totals_of(source, line, order[:begin]) for line in source["lines"]]
                ),
                "counts": np.concatenate(counts),
                "largest": np.array([own_counts.max() for own_counts in counts]),
            }
        found[:, own] = statistics(native, shard, len(own))
    np.testing.assert_array_equal(found, expected)


@given(st.data(), st.sampled_from([History.ALL, History.APART]), SEEDS)
def test_the_order_of_adding_does_not_matter(data, history, seed):
    source = data.draw(sources(60, history))
    order = np.random.default_rng(seed).permutation(60).astype(np.uint32)[np.newaxis]
    found = [
        statistics(native, source | {"orders": own}, 40) for own in (order, np.sort(order))
    ]  # fmt: skip
    np.testing.assert_array_equal(*found)


def bins_of(pages, n_columns):
    """(n_pages, n_rows, n_bytes) -> (n_pages, n_columns, n_rows)"""
    halves = np.stack([pages & 15, pages >> 4], axis=3).reshape(*pages.shape[:2], -1)
    return halves.transpose(0, 2, 1)[:, :n_columns]


def usual_source(n_rows, n_values):
    """What most statistics are made of: one target of zeros and ones, three priors, no weights."""
    rng = np.random.default_rng(3)
    return {
        "codes": rng.integers(0, n_values, size=(1, n_rows)).astype(np.uint32),
        "value_counts": np.array([n_values], dtype=np.uint32),
        "lines": np.zeros(1, dtype=np.uint32),
        "orders": rng.permutation(n_rows).astype(np.uint32)[None],
        "history": int(History.BEFORE),
        "window": 0,
        "targets": rng.integers(0, 2, size=(1, n_rows)).astype(np.float32),
        "weights": None,
        "units": np.ones(2),
        "before": None,
        "counts": None,
        "largest": None,
        "prior_weight": 1.0,
        "priors": np.array([0.0, 0.5, 1.0]),
        "lows": np.zeros(3),
        "highs": np.ones(3),
        "frequency": True,
    }


@pytest.mark.parametrize("n_values", [1, 5])
@pytest.mark.parametrize("whole", [True, False])
def test_counts_beyond_the_known_ones_fall_into_the_same_bins(n_values, whole):
    # Zeros and ones without weights are counted in integers, with bins known up to a count of 64.
    weight = None if whole else np.ones(2000, dtype=np.float32)
    assert_statistics_alike(usual_source(2000, n_values) | {"weights": weight}, 2000)


@pytest.mark.parametrize("most", [2**28 - 101, 2**28 - 100, 2**31, 2**32 - 101, 2**32, 2**40])
@pytest.mark.parametrize("n_out_rows", [100, 60])
def test_counts_of_any_size_may_come_before(most, n_out_rows):
    # The usual case has 28 bits for counts, zeros and ones otherwise 32.
    rng = np.random.default_rng(4)
    source = usual_source(100, 3) | {
        "before": np.stack([np.full(3, most), rng.integers(0, most, size=3)], axis=1),
        "counts": np.array([most + 100, most // 2, 60]),
        "largest": np.array([most + 101]),
    }
    assert_statistics_alike(source, n_out_rows)


def test_statistics_of_a_table_by_hand():
    source = {
        "codes": np.array([[0, 1, 0, 0, 1]], dtype=np.uint32),
        "value_counts": np.array([2], dtype=np.uint32),
        "lines": np.zeros(1, dtype=np.uint32),
        "orders": np.array([[4, 3, 2, 1, 0]], dtype=np.uint32),
        "history": int(History.BEFORE),
        "window": 0,
        "targets": np.array([[1, 0, 0, 1, 1]], dtype=np.float32),
        "weights": None,
        "units": np.ones(2),
        "before": None,
        "counts": None,
        "largest": None,
        "prior_weight": 1.0,
        "priors": np.array([0.5]),
        "lows": np.zeros(1),
        "highs": np.ones(1),
        "frequency": True,
    }
    found = bins_of(statistics(native, source, 5), 2)[0]
    # before row 0: rows 2, 3 (y 0, 1); row 1: row 4 (1); row 2: row 3 (1); rows 3 and 4: nobody
    expected = [1.5 / 3, 1.5 / 2, 1.5 / 2, 0.5, 0.5]
    np.testing.assert_array_equal(found[0], np.floor(15 * np.array(expected)))
    frequencies = np.array([3, 2, 3, 3, 2]) / 4
    np.testing.assert_array_equal(found[1], np.floor(15 * frequencies))


# ---- tables of the whole data ----------------------------------------------------------------


@given(st.data(), st.integers(1, 40), st.integers(1, 3), st.booleans(), SEEDS)
def test_totals_by_value_equal_the_twin(data, n_rows, n_targets, some_rows, seed):
    rng = np.random.default_rng(seed)
    n_values = data.draw(st.integers(1, 9))
    rows = rng.permutation(n_rows)[: n_rows // 2].astype(np.uint32) if some_rows else None
    targets = rng.normal(size=(n_targets, n_rows)).astype(np.float32)
    weight = data.draw(weights(n_rows))
    units = data.draw(st.sampled_from([statistic_units(targets, weight), np.ones(n_targets + 1)]))
    codes = rng.integers(n_values, size=n_rows).astype(np.uint32)
    found = []
    for kernels in (native, reference):
        totals = np.empty((n_values, n_targets + 1), dtype=np.int64)
        last = np.empty(n_values, dtype=np.uint32)
        kernels.total_by_value(codes, targets, weight, units, rows, totals, last)
        found.append((totals, last))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(st.integers(0, 300), st.sampled_from([1, 5, 1 << 32, (1 << 64) - 1]), SEEDS)
def test_keys_are_ordered_like_the_twin_even_if_they_are_no_hashes(n_keys, highest, seed):
    rng = np.random.default_rng(seed)
    keys = rng.integers(highest, size=n_keys, dtype=np.uint64, endpoint=True)
    found = [np.empty(n_keys, dtype=np.uint32) for _ in range(2)]
    for kernels, order in zip((native, reference), found, strict=True):
        kernels.order_keys(keys, order)
    np.testing.assert_array_equal(*found)


# ---- the boundary ----------------------------------------------------------------------------


def test_joining_refuses_columns_that_are_not_there():
    codes = np.zeros((2, 3), dtype=np.uint32)
    counts = np.ones(2, dtype=np.uint32)
    with pytest.raises(ValueError, match="no such column"):
        join(native, codes, counts, [[0, 2]])
    with pytest.raises(ValueError, match="needs a member"):
        join(native, codes, counts, [[0], []])


def test_a_statistic_needs_a_page_that_is_there():
    source = usual_source(2, 1) | {"priors": np.zeros(1), "lows": np.zeros(1), "highs": np.ones(1)}
    for page, shape, problem in [
        (1, (1, 2, 1), "no such page"),
        (0, (1, 3, 1), "more than the rows"),
        (0, (1, 2, 2), "half a byte per column"),
    ]:
        with pytest.raises(ValueError, match=problem):
            native.target_statistics(
                *source.values(),
                np.array([[page]], dtype=np.uint32),
                np.zeros(shape, dtype=np.uint8),
                n_threads=1,
            )


def test_totals_need_values_and_rows_that_are_there():
    codes, targets = np.array([0, 2], dtype=np.uint32), np.zeros((1, 2), dtype=np.float32)
    for n_values, rows, problem in [
        (2, None, "no such value"),
        (3, np.array([2], dtype=np.uint32), "no such row"),
    ]:
        out = np.empty((n_values, 2), dtype=np.int64), np.empty(n_values, dtype=np.uint32)
        with pytest.raises(ValueError, match=problem):
            native.total_by_value(codes, targets, None, np.ones(2), rows, *out)
