"""Files of every released format stay readable (tools/golden_models.py wrote them)."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pandas as pd
import pytest
from tools.golden_models import with_dates

from ocelotboost import load_model
from ocelotboost.model.file import dumps, loads
from ocelotboost.table.crosses import CROSSES
from ocelotboost.table.date_parts import DATE_PARTS
from ocelotboost.table.date_texts import DATE_ORDERS
from ocelotboost.table.formulas import NUMBER_VIEW
from tests.model.models import FORMS, assert_same

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_golden_files_predict_what_they_did_when_they_were_written(kind: str, suffix: str) -> None:
    known = json.loads((GOLDEN / "format_3_predictions.json").read_text(encoding="utf-8"))
    model = load_model(GOLDEN / f"format_3_{kind}.{suffix}")
    np.testing.assert_array_equal(
        model.predict_raw(pd.DataFrame(known["rows"])), known["raw"][kind]
    )
    assert model.feature_names_in_.tolist() == ["age", "größe", "city", "device", "site"]
    assert model.forest_.categorical.tolist() == [False, False, True, True, True]
    assert len(model.forest_.indicators) > 0
    assert model.forest_.statistics.n_tables > 0
    if kind == "classifier":
        assert model.classes_.tolist() == ["blue", "green", "red"]
    for form in FORMS:
        assert_same(loads(dumps(model.model_, form)), model.model_)


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
def test_golden_files_of_crosses_predict_what_they_did(suffix: str) -> None:
    known = json.loads((GOLDEN / "format_4_crosses_predictions.json").read_text(encoding="utf-8"))
    model = load_model(GOLDEN / f"format_4_crosses.{suffix}")
    shown = pd.DataFrame(known["rows"])
    np.testing.assert_array_equal(model.predict_raw(shown), known["raw"]["crosses"])
    assert {formula.kind for formula in model.forest_.derivation.formulas} == set(CROSSES)
    for form in FORMS:
        assert_same(loads(dumps(model.model_, form)), model.model_)


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
def test_golden_files_of_views_predict_what_they_did(suffix: str) -> None:
    known = json.loads((GOLDEN / "format_4_views_predictions.json").read_text(encoding="utf-8"))
    model = load_model(GOLDEN / f"format_4_views.{suffix}")
    shown = pd.DataFrame(known["rows"])
    np.testing.assert_array_equal(model.predict_raw(shown), known["raw"]["views"])
    kinds = [formula.kind for formula in model.forest_.derivation.formulas]
    assert {kind.partition(".")[0] for kind in kinds} == {NUMBER_VIEW, *DATE_ORDERS}
    assert {kind.partition(".")[2] for kind in kinds} == {"", *DATE_PARTS}
    asked = {model.forest_.n_given <= column for column in model.forest_.split_columns.tolist()}
    assert True in asked
    for form in FORMS:
        assert_same(loads(dumps(model.model_, form)), model.model_)


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
def test_golden_files_of_dates_predict_what_they_did(suffix: str) -> None:
    known = json.loads((GOLDEN / "format_4_predictions.json").read_text(encoding="utf-8"))
    model = load_model(GOLDEN / f"format_4_dates.{suffix}")
    np.testing.assert_array_equal(
        model.predict_raw(with_dates(known["rows"])), known["raw"]["dates"]
    )
    derivation = model.forest_.derivation
    assert [(kind.what, kind.zone) for kind in derivation.times.values()] == [
        ("date", None),
        ("date", "Asia/Tokyo"),
        ("duration", None),
        ("time", None),
    ]
    assert {formula.kind for formula in derivation.formulas} == set(DATE_PARTS)
    asked = {model.forest_.n_given <= column for column in model.forest_.split_columns.tolist()}
    assert asked == {True, False}
    for form in FORMS:
        assert_same(loads(dumps(model.model_, form)), model.model_)
