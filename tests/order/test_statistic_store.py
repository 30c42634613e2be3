"""The store of statistics: within its memory, and never in the way of the result."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost import OcelotClassifier, ParameterError
from ocelotboost.order import (
    combination_codes,
    growing_memory,
    pages,
    statistic_rows,
    statistic_store,
)
from ocelotboost.order.combination import Combination, Facet
from tests.data import assert_same_bits
from tests.kernels.strategies import SEEDS
from tests.order.sources import (
    COMBINATIONS,
    bins_of,
    make_block,
    make_source,
    make_store,
    page_bytes,
    unpacked,
    values_of,
)

N_ROWS = 40


@given(
    st.integers(0, 3),
    st.integers(1, 2),
    st.integers(1, 30),
    st.booleans(),
    st.sampled_from([0, 1, 3, 100]),
    st.lists(
        st.tuples(
            st.lists(st.integers(0, len(COMBINATIONS) - 1), max_size=6, unique=True),
            st.integers(0, 3),
        ),
        max_size=12,
    ),
)
def test_whatever_was_fetched_before_a_page_holds_the_right_bytes(
    n_supporting, n_facets, capacity, one_at_a_time, n_kept, requests
):
    source = make_source(N_ROWS, 1, n_supporting=n_supporting, n_facets=n_facets)
    block = make_block(N_ROWS, 1)
    budget = capacity * page_bytes(source, block) + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(combination_codes, "_KEPT_BYTES", n_kept * 4 * source.data.n_rows)
        large, small = make_store(source, block), make_store(source, block, budget)
        if one_at_a_time:  # codes of more than one combination would not fit
            patch.setattr(statistic_store, "_CODE_BYTES", 1)
        for asked, ordering in requests:
            ordering = min(ordering, n_supporting)
            some = [Facet(COMBINATIONS[i], number) for i in asked for number in range(n_facets)]
            some = some[:capacity]
            statistics, numbers = small.fetch(some, ordering)
            of_pages = zip(statistics, [facet.number for facet in some], strict=True)
            assert len(set(numbers)) == len(set(of_pages))
            for page, (combination, number) in zip(numbers, some, strict=True):
                expected = bins_of(large, combination, ordering, number)
                np.testing.assert_array_equal(unpacked(small, page), expected)
            assert small.pages.nbytes <= budget


def test_room_grows_as_pages_are_needed_and_nothing_that_was_made_is_lost(monkeypatch):
    source, block = make_source(N_ROWS, 1, n_supporting=3), make_block(N_ROWS, 1)
    monkeypatch.setattr(pages, "_FIRST_BYTES", 3 * page_bytes(source, block))
    whole, growing = make_store(source, block), make_store(source, block, 2**20)
    at_first = len(growing.pages)
    assert 1 <= at_first <= 3
    for ordering in range(4):
        for combination in COMBINATIONS:
            growing.fetch([Facet(combination)], ordering)
    assert at_first < len(growing.pages) < growing.capacity
    for ordering in range(4):
        for combination in COMBINATIONS:
            expected = bins_of(whole, combination, ordering)
            np.testing.assert_array_equal(bins_of(growing, combination, ordering), expected)


def test_without_memory_for_more_pages_the_error_says_what_to_do(monkeypatch):
    source, block = make_source(N_ROWS, 1), make_block(N_ROWS, 1)
    monkeypatch.setattr(pages, "_FIRST_BYTES", 1)
    store = make_store(source, block, 2**20)

    def no_memory(*arguments, **keywords):
        raise OSError("no memory")

    held = store.rows.pages.bytes  # which keeps it from growing in place
    store.fetch([Facet(COMBINATIONS[0])], 0)
    monkeypatch.setattr(growing_memory.mmap, "mmap", no_memory)
    with pytest.raises(MemoryError, match="make cache_memory smaller, for example"):
        store.rows.pages._grow()
    np.testing.assert_array_equal(store.rows.pages.bytes, held)


def test_a_small_fit_with_categories_needs_little_address_space():
    small_fit = """
        import resource
        from pathlib import Path
        import numpy as np
        from ocelotboost import OcelotRegressor

        rng = np.random.default_rng(0)
        X = rng.integers(0, 20, size=(5000, 4))
        OcelotRegressor(iterations=2, n_jobs=1).fit(rng.normal(size=(500, 2)), np.arange(500))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + 200_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        model = OcelotRegressor(iterations=5, n_jobs=1, cat_features=[0, 1, 2, 3])
        model.fit(X, rng.normal(size=5000))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(small_fit)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_what_was_not_asked_for_the_longest_goes_first(monkeypatch):
    source, block = make_source(N_ROWS, 1, n_supporting=0), make_block(N_ROWS, 1)
    store = make_store(source, block, 3 * page_bytes(source, block))
    made = []
    make = store._make
    monkeypatch.setattr(store, "_make", lambda absent, r: (made.extend(absent), make(absent, r)))

    def fetch(*asked):
        made.clear()
        store.fetch([Facet(COMBINATIONS[i]) for i in asked], 0)
        return [COMBINATIONS.index(facet.combination) for facet in made]

    assert fetch(0, 1) == [0, 1]
    assert fetch(2) == [2]
    assert fetch(0) == []
    assert fetch(3) == [3]  # in place of 1
    assert fetch(0, 2, 3) == []
    assert fetch(1) == [1]  # in place of one of the three
    assert fetch(1) == []


@pytest.mark.parametrize("capacity", [1, 2, 100])
def test_combinations_that_divide_the_rows_alike_share_a_page(capacity):
    source, block = make_source(N_ROWS, 1), make_block(N_ROWS, 1)
    a, b = source.data.codes[:2]
    b[:] = 1 - a  # the first feature under other names
    source.data.value_counts[:2] = 2
    store = make_store(source, block, capacity * page_bytes(source, block))
    alike = [Facet(Combination(own)) for own in ((1,), (4,), (1, 4))]
    for ordering in (0, 1):
        statistics, numbers = store.fetch(alike, ordering)
        assert len(set(statistics)) == len(set(numbers)) == 1
        assert statistics[0].n_values == 2
        ((other,), (page,)) = store.fetch([Facet(Combination((1, 6)))], ordering)
        assert other is not statistics[0]
        assert other.fingerprint != statistics[0].fingerprint
        assert capacity == 1 or page not in numbers
        assert store.fetch([Facet(Combination((4, 6)))], ordering) == ([other], [page])
    assert (store.pages[page] != store.pages[numbers[0]]).any() or capacity == 1


def test_codes_are_equal_where_all_members_and_answers_are():
    source, block = make_source(200, 4), make_block(200, 4)
    made = make_store(source, block).rows._codes
    for combination in COMBINATIONS:
        joined = made.of([combination], made.base_answers(combination.base))
        (codes,), (n_values,) = joined.codes[joined.lines], joined.value_counts[joined.lines]
        values = values_of(source, block, combination)
        pairs = set(zip(codes.tolist(), values, strict=True))
        assert len(pairs) == len(set(values)) == len(set(codes.tolist())) == n_values


@given(SEEDS)
def test_the_number_of_threads_changes_nothing(seed):
    source, block = make_source(N_ROWS, seed), make_block(N_ROWS, seed)
    one, five = make_store(source, block, n_threads=1), make_store(source, block, n_threads=5)
    for combination in COMBINATIONS:
        for ordering in range(3):
            np.testing.assert_array_equal(
                bins_of(one, combination, ordering), bins_of(five, combination, ordering)
            )


def test_an_interruption_leaves_no_page_and_no_codes_that_were_not_filled(monkeypatch):
    source, block = make_source(N_ROWS, 1), make_block(N_ROWS, 1)
    whole = make_store(source, block)
    store = make_store(source, block, 3 * page_bytes(source, block))

    def interrupted(*arguments, **keywords):
        raise KeyboardInterrupt

    for kernel in ("join_codes", "target_statistics"):
        for combination in COMBINATIONS:
            with monkeypatch.context() as patch:
                patch.setattr(statistic_rows.native, kernel, interrupted)
                with pytest.raises(KeyboardInterrupt):
                    store.fetch([Facet(combination)], 0)
    for combination in COMBINATIONS:
        np.testing.assert_array_equal(bins_of(store, combination), bins_of(whole, combination))


def table(n_rows=150):
    rng = np.random.default_rng(0)
    X = np.empty((n_rows, 5), dtype=object)
    X[:, :4] = np.array(list("abcdefgh"))[rng.integers(0, 8, size=(n_rows, 4))]
    X[:, 4] = rng.normal(size=n_rows)
    y = (X[:, 0] > X[:, 1]) ^ (rng.random(n_rows) < 0.1)
    return X, y.astype(int)


@pytest.mark.parametrize("combine_numbers", [False, True])
@pytest.mark.parametrize("pages", [1, 2, 3, 9])
def test_a_small_cache_trains_the_same_model(pages, combine_numbers):
    X, y = table()

    def fit(cache_memory):
        return OcelotClassifier(
            iterations=6,
            depth=4,
            combine_numbers=combine_numbers,
            cat_features=[0, 1, 2, 3],
            cache_memory=cache_memory,
        ).fit(X, y, eval_set=(X[:50], y[:50]))

    small, large = fit(pages * 150 * 2), fit("10MB")
    assert_same_bits(small.forest_, large.forest_)
    assert small.history_ == large.history_
    assert small.forest_.statistics.n_columns > 1


def test_a_cache_for_less_than_one_statistic_says_what_it_needs():
    X, y = table()
    with pytest.raises(ParameterError, match=r"cache_memory=299 .*at least 300 bytes"):
        OcelotClassifier(iterations=1, cat_features=[0], cache_memory=299).fit(X[:, [0, 4]], y)
    OcelotClassifier(iterations=1, cat_features=[0], cache_memory=300).fit(X[:, [0, 4]], y)


def test_memory_that_nobody_needs_is_not_asked_for():
    X, y = table()
    model = OcelotClassifier(iterations=2, cat_features=[0, 1, 2, 3], cache_memory="1000000GB")
    model.fit(X, y)
    source, block = make_source(2, 1), make_block(2, 1)
    assert make_store(source, block, 10**15).pages.nbytes < 10**7
