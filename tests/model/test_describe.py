"""Models as text."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.errors import ParameterError
from ocelotboost.model.describe import describe
from ocelotboost.model.file import dumps
from ocelotboost.model.wording import Wording
from tests.data import multiclass, regression
from tests.model.forests import category_forest
from tests.model.models import small_model


def test_every_kind_of_question_has_words():
    questions = [line.strip() for line in describe(small_model()).splitlines()]
    start = questions.index("tree 0")
    assert questions[start + 1 : start + 9] == [
        "1. age > 31.5",
        "2. city is 'Paris'",
        "3. city is missing",
        "4. age is not missing",
        "5. income is missing",
        "6. mean target of (device × site), prior 0.5 > 0.31",
        "7. frequency of (device × site) > 0.2",
        "8. share of class 'x' of city, prior 0 > 0.4",
    ]
    assert "  1. frequency of (device × [age > 31.5] × [city is 'Paris']) > 1" in describe(
        small_model(), trees=[1]
    )


def test_a_column_without_a_name_has_its_number():
    wording = Wording(small_model().forest, None)
    assert wording.question(0, 31.5) == "feature 0 > 31.5"
    assert wording.combination(0) == "(feature 1 × feature 2)"


def test_the_summary_says_what_the_model_is():
    lines = describe(small_model()).splitlines()
    assert lines[:5] == [
        "classifier, Logloss: 2 trees, 5 features",
        "training: Ordered, learning rate 0.25, sampling MVS, leaves by Newton in 3 steps",
        "categorical: device, site, city",
        "classes: 'no', 'yes'",
        "start value: 0.25",
    ]


def test_sizes_add_up():
    model = dataclasses.replace(
        small_model(),
        forest=category_forest(3, n_tables=30, n_trees=100).pruned(),
        feature_names=None,
    )
    forest = model.forest
    rows = [
        [part.strip() for part in line.rsplit(maxsplit=2)]
        for line in describe(model, trees=0).split("\n\n")[1].splitlines()
    ]
    by_name = {name: (entries, size) for name, entries, size in rows[1:-1]}

    def number(text: str) -> int:
        return int(text.replace(",", ""))

    assert number(by_name["trees"][0]) == len(forest.leaf_values)
    tables = by_name[f"{forest.statistics.n_tables} statistic tables"]
    assert number(tables[0]) == len(forest.statistics.keys)
    at = [row[0] for row in rows].index(f"{forest.statistics.n_tables} statistic tables")
    single = rows[at + 1 : -1]
    assert len(single) == 6
    assert single[-1][0].endswith("others")
    assert sum(number(row[1]) for row in single) == len(forest.statistics.keys)
    assert sum(number(row[2]) for row in single) <= number(tables[1])
    sizes = [number(row[2]) for row in single[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert rows[-1][:2] == ["saved", "file"]
    assert number(rows[-1][2]) == len(dumps(model))


def test_a_shallow_tree_shows_all_leaves_and_a_deep_one_the_first():
    model = small_model()
    deep, shallow = describe(model, trees=2).split("\n\n")[2:]
    assert len(deep.splitlines()) == 1 + 8 + 1 + 8 + 1
    assert deep.splitlines()[-1].strip() == "... and 248 other leaves"
    assert [line.split()[0] for line in shallow.splitlines()[-2:]] == ["0", "1"]
    values = [float(line.split()[1]) for line in shallow.splitlines()[-2:]]
    np.testing.assert_allclose(values, model.forest.leaf_values[-2:, 0], rtol=1e-3)
    widths = {len(line) for line in shallow.splitlines()[2:]}
    assert len(widths) == 1


def test_several_classes_have_a_column_each():
    X, y = multiclass(200)
    model = OcelotClassifier(iterations=3, depth=2).fit(X, np.array(["a", "b", "c"])[y])
    header = model.describe().split("\n\n")[2].splitlines()[3]
    assert header.split() == ["yes", "=", "1", "'a'", "'b'", "'c'", "weight"]


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        (0, []),
        (2, [0, 1]),
        (99, [0, 1, 2, 3]),
        ([3, 1], [3, 1]),
        (np.array([2]), [2]),
        (np.int64(1), [0]),
        (range(2), [0, 1]),
        ("all", [0, 1, 2, 3]),
    ],
)
def test_trees_are_chosen_by_number(trees, expected):
    X, y = regression(100)
    model = OcelotRegressor(iterations=4, depth=2).fit(X, y)
    lines = model.describe(trees).splitlines()
    assert [line for line in lines if line.startswith("tree ")] == [f"tree {t}" for t in expected]


@pytest.mark.parametrize("trees", [-1, True, "first", [4], [-1], [0.5], 1.5, None, ["a"]])
def test_trees_that_there_are_not_are_an_error(trees):
    X, y = regression(100)
    model = OcelotRegressor(iterations=4, depth=2).fit(X, y)
    with pytest.raises(ParameterError, match=r"a list of tree numbers from 0 to 3, or 'all'"):
        model.describe(trees)


def test_a_tree_without_questions_and_a_model_without_trees():
    forest = small_model().forest
    one = dataclasses.replace(
        forest,
        split_columns=forest.split_columns[:0],
        split_borders=forest.split_borders[:0],
        tree_depths=np.zeros(1, np.uint32),
        leaf_values=forest.leaf_values[:1],
        leaf_weights=forest.leaf_weights[:1],
    )
    assert "  none" in describe(small_model(forest=one))
    assert "tree 0" not in describe(small_model(forest=one.first(0)), "all")


def test_a_description_shows_itself_as_it_is():
    found = describe(small_model())
    assert isinstance(found, str)
    assert repr(found) == str(found)
