"""Combinations: what is offered while a tree grows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost import OcelotRegressor
from ocelotboost.order.combination import Combination
from ocelotboost.order.feature import CategoryValue, Number, Split, StatisticColumn
from ocelotboost.order.offers import Combinations
from ocelotboost.quantize.block import ColumnSplit


def test_the_first_level_is_offered_features_for_themselves_but_not_those_of_one_hot():
    combinations = Combinations(features=(1, 3, 4), one_hot=(3,), largest=2)
    assert combinations.single == [Combination((1,)), Combination((4,))]


def test_what_a_tree_uses_is_joined_with_every_feature():
    combinations = Combinations(features=(1, 3, 4), one_hot=(3,), largest=3)
    pair = combinations.after([Split(StatisticColumn(Combination((3,)), 0), 7)])
    assert pair == [Combination((1, 3)), Combination((3, 4))]
    triple = combinations.after([Split(StatisticColumn(Combination((1, 4)), 2), 7)])
    assert triple == [Combination((1, 3, 4))]
    assert combinations.after([Split(StatisticColumn(Combination((1, 3, 4)), 2), 7)]) == []


def test_a_question_of_one_hot_counts_as_its_feature_and_numbers_do_not_count():
    combinations = Combinations(features=(1, 3, 4), one_hot=(3,), largest=2)
    assert combinations.after([Split(CategoryValue(9, 3), 0)]) == [
        Combination((1, 3)),
        Combination((3, 4)),
    ]
    assert combinations.after([Split(Number(0), 5)]) == []


def test_questions_about_columns_together_are_one_more_member():
    combinations = Combinations(features=(1, 3), largest=2, with_numbers=True)
    splits = [
        Split(Number(0), 5),
        Split(StatisticColumn(Combination((1,)), 0), 3),
        Split(Number(2), 6),
    ]
    base = (ColumnSplit(0, 5), ColumnSplit(2, 6))
    assert combinations.after(splits) == [Combination((1,), base), Combination((3,), base)]
    assert Combination((1,), base).size == 2
    assert combinations.after([Split(StatisticColumn(Combination((1,), base), 0), 3)]) == []


def test_one_feature_at_most_means_no_combinations():
    combinations = Combinations(features=(1, 3), one_hot=(3,), largest=1, with_numbers=True)
    assert combinations.after([Split(StatisticColumn(Combination((1,)), 0), 3)]) == []
    assert combinations.after([Split(CategoryValue(9, 3), 0)]) == []


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 4), st.booleans(), st.booleans()
)
def test_no_tree_is_offered_more_than_expected(seed, n_features, largest, with_numbers, subspace):
    rng = np.random.default_rng(seed)
    features = tuple(range(2, 2 + n_features))
    one_hot = tuple(f for f in features if rng.random() < 0.4)
    table = [Number(0), *(CategoryValue(20 + f, f) for f in one_hot)]
    all_features = Combinations(features, one_hot, largest, with_numbers)
    combinations = all_features.among([2, 3, 4]) if subspace else all_features
    depth = 6
    offered = dict.fromkeys(combinations.single)
    splits = []
    for _ in range(depth - 1):
        columns = [Split(feature, int(rng.integers(3))) for feature in table]
        statistics = [Split(StatisticColumn(combination, 0), 1) for combination in offered]
        choices = [*columns, *statistics]
        splits.append(choices[rng.integers(len(choices))])
        offered.update(dict.fromkeys(combinations.after(splits)))
    assert len(offered) <= all_features.most(depth)
    for combination in offered:
        assert 1 <= combination.size <= largest
        assert list(combination.features) == sorted(set(combination.features))
        assert set(combination.features) <= set(features)


def test_a_single_feature_of_one_hot_is_combined_with_numbers_or_not_at_all():
    rng = np.random.default_rng(0)
    value, number = np.arange(300) % 5, rng.normal(size=300)
    X = pd.DataFrame({"category": [f"v{own}" for own in value], "number": number})
    y = value * (number > 0) + rng.normal(size=300)
    for with_numbers in (False, True):
        model = OcelotRegressor(
            iterations=20, one_hot_max_size=10, combine_numbers=with_numbers
        ).fit(X, y)
        assert (model.forest_.statistics.n_tables > 0) == with_numbers
