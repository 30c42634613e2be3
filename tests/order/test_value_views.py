"""Which categories explain most of a numeric target, and are asked for single values, too."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost.order import value_views as views
from ocelotboost.order.value_views import ValueView, Variance, value_views
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.labelled import LabelledTable

N_ROWS = 1200


def _rng():
    return np.random.default_rng(7)


def totals_of(codes, target, weight, n_values):
    counts = np.bincount(codes, weight, minlength=n_values)
    sums = np.bincount(codes, target if weight is None else weight * target, minlength=n_values)
    return np.stack([counts, sums], axis=1).astype(np.float64)


def share_of(codes, target, weight=None):
    n_values = int(codes.max()) + 1
    return Variance.of(target, weight).explained_by(totals_of(codes, target, weight, n_values))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_share_is_that_of_variance_between_values(weighted):
    codes = _rng().integers(0, 12, N_ROWS)
    target = (codes + _rng().normal(size=N_ROWS)).astype(np.float32)
    weight = _rng().uniform(0.5, 2, N_ROWS).astype(np.float32) if weighted else None
    frame = pd.DataFrame({"code": codes, "y": target, "w": 1 if weight is None else weight})
    own = frame.groupby("code").apply(lambda rows: np.average(rows["y"], weights=rows["w"]))
    within = np.average((frame["y"] - frame["code"].map(own)) ** 2, weights=frame["w"])
    mean = np.average(frame["y"], weights=frame["w"])
    everything = np.average((frame["y"] - mean) ** 2, weights=frame["w"])
    expected = 1 - (within / (N_ROWS - 12)) / (everything / (N_ROWS - 1))
    assert share_of(codes, target, weight) == pytest.approx(expected, rel=1e-5)


def test_chance_explains_nothing():
    target = _rng().normal(size=N_ROWS).astype(np.float32)
    shares = [share_of(np.arange(N_ROWS) % n, target) for n in (2, 50, 600)]
    np.testing.assert_allclose(shares, 0, atol=0.1)


@pytest.mark.parametrize(
    ("codes", "target"),
    [
        (np.arange(N_ROWS), np.arange(N_ROWS)),
        (np.arange(N_ROWS) % 5, np.full(N_ROWS, 3)),
        (np.zeros(1, dtype=int), np.ones(1)),
    ],
)
def test_what_explains_nothing_else(codes, target):
    assert share_of(codes, target.astype(np.float32)) == 0


def test_rows_without_weight_do_not_count():
    codes = np.arange(N_ROWS) % 20
    target = (codes % 7).astype(np.float32)
    weight = (codes < 15).astype(np.float32)
    target[weight == 0] = 1e6
    assert share_of(codes, target, weight) > 0.99


def table(**columns):
    return table_from_input(pd.DataFrame(columns), cat_features=list(columns))


def _panel():
    """A country that explains the target, a name that does not, ids."""
    rng = _rng()
    country = rng.integers(0, 40, N_ROWS)
    rows = table(
        country=country.astype(str),
        name=rng.integers(0, 40, N_ROWS).astype(str),
        id=(country * 1000 + np.arange(N_ROWS)).astype(str),
        many=(country * 10 + np.arange(N_ROWS) % 10).astype(str),
    )
    target = (country % 13 + 0.5 * rng.normal(size=N_ROWS)).astype(np.float32)
    return LabelledTable(rows, target, None)


def test_views_of_categories_that_explain_most():
    panel = _panel()
    assert value_views(panel, 1) == (ValueView(0, 40),)
    noisy = panel.target + 6 * _rng().normal(size=N_ROWS).astype(np.float32)
    assert value_views(LabelledTable(panel.table, noisy, None), 1) == ()
    weight = np.ones(N_ROWS, dtype=np.float32)
    assert value_views(LabelledTable(panel.table, panel.target, weight), 2) == (ValueView(0, 40),)


def test_no_views_of_many_rows(monkeypatch):
    monkeypatch.setattr(views, "MOST_ROWS", N_ROWS - 1)
    assert value_views(_panel(), 1) == ()


def test_the_most_values():
    codes = np.arange(N_ROWS * 2) % 256
    target = (codes % 13).astype(np.float32)
    full = table(c=codes.astype(str))
    assert value_views(LabelledTable(full, target, None), 1) == ()
    fewer = np.flatnonzero(codes < views.MOST_VALUES)
    some = LabelledTable(full.take(fewer), target[fewer], None)
    assert value_views(some, 1) == (ValueView(0, views.MOST_VALUES),)
