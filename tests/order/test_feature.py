"""Features: the same question has the same answer, whoever is asked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ocelotboost.kernels.contract import History
from ocelotboost.order.binned_rows import BinnedRows, located
from ocelotboost.order.feature import (
    KINDS,
    CategoryValue,
    Number,
    Split,
    StatisticColumn,
    feature_from_json,
)
from ocelotboost.order.looked_up_statistics import LookedUpStatistics
from ocelotboost.order.whole_data import WholeData
from tests.order.sources import (
    COMBINATIONS,
    FEATURES,
    NUMBERS,
    bins_of,
    column_bins,
    make_block,
    make_source,
    make_store,
    page_bytes,
)

N_ROWS = 150
SPLITS = [
    Split(Number(0), 7),
    *(Split(StatisticColumn(c, 3 * facet, facet), 5) for c in COMBINATIONS for facet in (0, 1)),
    Split(CategoryValue(5, 6), 3),
]


def expected_leaves(store, block, splits):
    """By unpacked bins."""
    leaves = np.zeros(N_ROWS, dtype=np.uint32)
    for feature, bin in splits:
        own = (
            column_bins(block, feature.column)
            if feature.statistic is None
            else bins_of(store, feature.combination, 0, feature.facet)[feature.column]
        )
        leaves = 2 * leaves + (own > bin)
    return leaves


def answers(binned, statistics, splits):
    leaves = np.zeros(N_ROWS, dtype=np.uint32)
    for some, pages in located(splits, statistics, 0):
        binned.append_answers(some, pages, leaves, n_threads=1)
    return leaves


@pytest.mark.parametrize("capacity", [1, 2, 100])
def test_training_rows_and_an_eval_set_of_the_same_rows_answer_alike(capacity):
    source = make_source(N_ROWS, 2, history=History.ALL, n_facets=2)
    block = make_block(N_ROWS, 2)
    store = make_store(source, block, capacity * page_bytes(source, block))
    hashes = {
        feature: own[source.data.codes[line]]
        for line, (feature, own) in enumerate(zip(FEATURES, source.data.hashes, strict=True))
    }
    looked_up = LookedUpStatistics(
        hashes,
        block,
        WholeData(source.rule, store.rows.value_totals),
        capacity * page_bytes(source, block),
        1,
    )
    expected = expected_leaves(make_store(source, block), block, SPLITS)
    assert len(np.unique(expected)) > 10
    assert looked_up.capacity == capacity
    for statistics, pages in ((store, store.rows.pages), (looked_up, looked_up.pages)):
        binned = BinnedRows(block, pages)
        np.testing.assert_array_equal(answers(binned, statistics, SPLITS), expected)
        np.testing.assert_array_equal(answers(binned, statistics, []), np.zeros(N_ROWS))


def test_the_bytes_of_an_address_hold_the_bins():
    source, block = make_source(N_ROWS, 3, n_facets=2), make_block(N_ROWS, 3)
    store = make_store(source, block)
    binned = BinnedRows(block, store.rows.pages)
    for ordering in range(3):
        for feature, expected in (
            *((Number(column), column_bins(block, column)) for column in NUMBERS),
            *(
                (StatisticColumn(combination, column, facet), bins)
                for combination in COMBINATIONS
                for facet in range(2)
                for column, bins in enumerate(bins_of(store, combination, ordering, facet))
            ),
        ):
            ((splits, pages),) = located([Split(feature, 0)], store, ordering)
            address = binned.address(splits[0], pages)
            memory, position = binned.bytes_at(address)
            found = (memory[:, position] >> address.shift) & address.mask
            np.testing.assert_array_equal(found, expected)


def test_every_kind_of_feature_can_be_written_and_read():
    features = [split.feature for split in SPLITS]
    assert {feature.to_json()[0] for feature in features} == set(KINDS)
    for feature in features:
        assert feature_from_json(*json.loads(json.dumps(feature.to_json()))) == feature
