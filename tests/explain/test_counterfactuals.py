"""Counterfactuals: the smallest change there is, compared with trying all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.explain.counterfactuals import nearest_values
from tests.data import features
from tests.estimator.category_data import FRAME, LABELS, Y, fit


@pytest.fixture(scope="module")
def regressor():
    X = np.round(features(400, 3), 1)
    return OcelotRegressor(iterations=25, depth=3).fit(X, X[:, 0] + X[:, 1] * X[:, 2]), X


def share_between(column, old, new):
    ordered = np.sort(column)
    return abs(int(np.searchsorted(ordered, new)) - int(np.searchsorted(ordered, old))) / len(
        column
    )


@settings(max_examples=15)
@given(st.integers(0, 399), st.sampled_from([-1.0, 0.3, 1.2]))
def test_nothing_smaller_crosses(regressor, number, threshold):
    """All values of the typical rows are tried, alone and in pairs."""
    model, X = regressor
    row = X[number]
    found = model.counterfactuals(row[None], X, threshold=threshold)
    is_above = model.predict(row[None])[0] > threshold
    by_columns = {change.columns: change for change in found.changes}
    for change in found.changes:
        changed = row.copy()
        for name, new in zip(change.columns, change.after, strict=True):
            changed[int(name.split()[1])] = new
        assert (model.predict(changed[None])[0] > threshold) != is_above
        assert change.prediction == pytest.approx(model.predict(changed[None])[0])
    values = [np.unique(X[:, column]) for column in range(3)]
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        tries = np.array(np.meshgrid(values[a], values[b])).reshape(2, -1).T
        rows = np.repeat(row[None], len(tries), axis=0)
        rows[:, [a, b]] = tries
        crossed = (model.predict(rows) > threshold) != is_above
        sizes = [
            share_between(X[:, a], row[a], new_a) + share_between(X[:, b], row[b], new_b)
            for new_a, new_b in tries[crossed]
        ]
        names = (f"feature {a}", f"feature {b}")
        of_group = [by_columns[key].size for key in (names, names[:1], names[1:])
                    if key in by_columns]  # fmt: skip
        if sizes:
            assert min(of_group) <= min(sizes) + 1e-12


def test_a_table_is_shown(regressor):
    model, X = regressor
    found = model.counterfactuals(X[:1], X, threshold=0.5)
    assert len(found) == len(found.rows()) > 0
    lines = str(found).splitlines()
    assert len(lines) == len(found) + 1
    assert "->" in lines[1]
    sizes = [change.size for change in found.changes]
    assert sizes == sorted(sizes)
    nothing = model.counterfactuals(X[:1], X, threshold=1e6)
    assert str(nothing).endswith("no change of these columns moves it across 1e+06")


def test_categories_change_to_those_of_typical_rows():
    model = fit(iterations=60)
    rows = FRAME[LABELS["binary"](Y) == "no"]
    found = model.counterfactuals(rows[:1], FRAME, columns=["city", "code"])
    assert found.changes
    for change in found.changes:
        changed = rows[:1].copy()
        for name, new in zip(change.columns, change.after, strict=True):
            changed[name] = new
        assert model.predict_proba(changed)[0, 1] == pytest.approx(change.prediction)
        assert (change.prediction > 0.5) != (found.prediction > 0.5)


def test_one_class_of_several():
    X = features(500, 3)
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = OcelotClassifier(iterations=30).fit(X, y)
    row = X[y == 2][:1]
    found = model.counterfactuals(row, X, output=0, threshold=0.5, most_columns=1)
    assert found.changes[0].columns == ("feature 0",)
    changed = row.copy()
    changed[0, 0] = found.changes[0].after[0]
    assert model.predict_proba(changed)[0, 0] > 0.5


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6, unique=True),
    st.floats(-1e6, 1e6),
    st.lists(st.floats(-1e6, 1e6), max_size=4),
)
def test_every_other_interval_has_a_value(borders, current, known):
    borders = np.sort(np.array(borders))
    values = nearest_values(borders, current, np.sort(np.array(known)))
    intervals = sorted(np.searchsorted(borders, values).tolist())
    own = int(np.searchsorted(borders, current))
    assert intervals == [k for k in range(len(borders) + 1) if k != own]


def test_what_cannot_be_is_named(regressor):
    model, X = regressor
    with pytest.raises(ParameterError, match="threshold is missing"):
        model.counterfactuals(X[:1], X)
    with pytest.raises(InputError, match="row has 2 rows"):
        model.counterfactuals(X[:2], X, threshold=0.0)
    with pytest.raises(ParameterError, match="most_columns=3"):
        model.counterfactuals(X[:1], X, threshold=0.0, most_columns=3)
    classifier = OcelotClassifier(iterations=3).fit(X, X[:, 0] > 0)
    with pytest.raises(ParameterError, match="threshold=2 is not a probability"):
        classifier.counterfactuals(X[:1], X, threshold=2)
    with pytest.raises(ParameterError, match="not a class"):
        classifier.counterfactuals(X[:1], X, output="maybe")


# ---- rows that share leaves ------------------------------------------------------------------


def test_a_row_is_most_similar_to_itself_and_then_to_its_neighbours(regressor):
    model, X = regressor
    found = model.similar(X[10:13], X, n_nearest=4)
    leaves = model.apply(X)
    for row, nearest, shares in zip(range(10, 13), found.indices, found.similarity, strict=True):
        by_hand = (leaves == leaves[row]).mean(axis=1)
        assert shares[0] == 1.0
        np.testing.assert_allclose(shares, np.sort(by_hand)[::-1][:4])
        np.testing.assert_allclose(by_hand[nearest], shares)
    with pytest.raises(ParameterError, match="n_nearest=0"):
        model.similar(X[:1], X, n_nearest=0)


def test_leaves_are_those_of_the_questions():
    from tests.data import leaves_of

    X = features(200, 3, missing=0.1)
    model = OcelotRegressor(iterations=7).fit(X, np.nan_to_num(X[:, 0]))
    np.testing.assert_array_equal(model.apply(X), leaves_of(model.forest_, X).T)
    assert model.apply(X).dtype == np.uint32
