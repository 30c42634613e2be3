"""Files of every released format stay readable (tools/golden_models.py wrote them)."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pandas as pd
import pytest

from ocelotboost import load_model
from ocelotboost.model.file import dumps, loads
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
