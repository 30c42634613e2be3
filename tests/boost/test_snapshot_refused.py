"""Snapshots of other data or parameters, and damaged ones, are refused by name."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from tools.fingerprint import categories, signal, weights

from ocelotboost import (
    OcelotClassifier,
    OcelotRegressor,
    ParameterError,
    SnapshotError,
    load_model,
)
from tests.boost.snapshots import CATEGORICAL
from tests.data import regression


def test_other_parameters_are_refused_by_name(tmp_path):
    X, y, file = categories(), signal() > 0, tmp_path / "run.snapshot"
    begun = {"iterations": 2, "learning_rate": 0.1, "cat_features": CATEGORICAL, "depth": 6}
    OcelotClassifier(**begun).fit(X, y, snapshot=file)
    before = file.read_bytes()
    for name, value, stored in [
        ("depth", 5, 6), ("random_state", 1, 0), ("random_state", None, 0),
        ("learning_rate", 0.2, 0.1), ("priors", (0.0, 1.0), r"\[0.0, 0.5, 1.0\]"),
        ("border_count", 20, 254), ("bootstrap_type", "No", "'auto'"), ("rsm", 0.5, None),
        ("eval_metric", "AUC", None), ("random_state", np.random.default_rng(3), 0),
    ]:  # fmt: skip
        model = OcelotClassifier(**{**begun, name: value})
        with pytest.raises(SnapshotError, match=f"with {name}={stored}, and now it is"):
            model.fit(X, y, snapshot=file)
    with pytest.raises(SnapshotError, match="estimator='classifier'"):
        OcelotRegressor(**begun).fit(X, y, snapshot=file)
    assert file.read_bytes() == before


def test_settings_of_a_run_may_differ(tmp_path):
    X, y = regression(100)
    file = tmp_path / "run.snapshot"
    OcelotRegressor(iterations=2, n_jobs=1).fit(X, y, snapshot=file)
    more = OcelotRegressor(iterations=2, n_jobs=2, time_limit=1e6, interrupt="keep")
    assert more.fit(X, y, snapshot=file).n_iter_ == 2


def changed(values, row, value):
    found = values.copy()
    found[row] = value
    return found


def test_other_data_is_refused_by_name(tmp_path):
    X, y, w = categories(), signal() > 0, np.rint(weights() + 1)
    file = tmp_path / "run.snapshot"
    begun = {"X": X, "y": y, "sample_weight": w, "eval_set": (X[:50], y[:50])}

    def fit(**different):
        model = OcelotClassifier(
            iterations=2, learning_rate=0.1, cat_features=CATEGORICAL, one_hot_max_size=6
        )
        return model.fit(**{**begun, **different}, snapshot=file)

    fit()
    for message, different in {
        "it is of a training with 700 rows, and X has 600": {
            "X": X[:600], "y": y[:600], "sample_weight": w[:600],
        },
        "with 7 columns, and X has 8": {
            "X": np.hstack([X, X[:, :1]]), "eval_set": (np.hstack([X, X[:, :1]])[:50], y[:50]),
        },
        "the column 1 of X is not": {"X": changed(X, (7, 1), 3.0)},
        "the column 4 of X is not": {"X": changed(X, (7, 4), "value 3")},
        "the column 6 of X is not": {"X": changed(X, (7, 6), "new")},
        "y is not": {"y": changed(y, 7, not y[7])},
        "sample_weight is not": {"sample_weight": changed(w, 7, 3.0)},
        "the eval set 'eval_0' is not": {"eval_set": (X[:50], ~y[:50])},
        "begun with the eval set 'eval_0', which is missing": {"eval_set": None},
        "begun without the eval set 'eval_1'": {"eval_set": [begun["eval_set"]] * 2},
    }.items():  # fmt: skip
        with pytest.raises(SnapshotError, match=message):
            fit(**different)
    assert fit().n_iter_ == 2


def test_columns_are_called_by_name(tmp_path):
    X, y = regression(100)
    X, file = pd.DataFrame(X).add_prefix("size_"), tmp_path / "run.snapshot"
    OcelotRegressor(iterations=1).fit(X, y, snapshot=file)
    with pytest.raises(SnapshotError, match="the names of the columns"):
        OcelotRegressor(iterations=1).fit(X.add_suffix("s"), y, snapshot=file)
    with pytest.raises(SnapshotError, match="the column 'size_1' of X"):
        OcelotRegressor(iterations=1).fit(X.assign(size_1=-X.size_1), y, snapshot=file)


def test_damaged_and_foreign_files_are_refused_and_left_alone(tmp_path):
    X, y = regression(100)
    file = tmp_path / "run.snapshot"
    model = OcelotRegressor(iterations=2).fit(X, y, snapshot=file)
    whole = file.read_bytes()
    model.save_model(tmp_path / "model.ocelot")
    rng = np.random.default_rng(0)
    flipped = [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for at in [0, 8, *rng.integers(9, len(whole), 40).tolist()]
    ]
    for data, message in [
        (whole[:-1], "start anew"),
        (whole[:100], "cut short"),
        (b"", "cut short"),
        (b"a,b\n1,2\n", "not a snapshot"),
        (whole.replace(b'\\"snapshot\\": 2', b'\\"snapshot\\": 1'), "written by ocelotboost"),
        ((tmp_path / "model.ocelot").read_bytes(), "it is a model. Give another name"),
        *((data, "Cannot go on from the snapshot") for data in flipped),
    ]:
        file.write_bytes(data)
        with pytest.raises(SnapshotError, match=message):
            OcelotRegressor(iterations=2).fit(X, y, snapshot=file)
        assert file.read_bytes() == data
    file.write_bytes(whole)
    with pytest.raises(ValueError, match="not a model"):
        load_model(file)


def test_impossible_arguments_are_refused_before_training(tmp_path):
    X, y = regression(100)
    model = OcelotRegressor(iterations=1)
    for interval in (-1, float("nan"), "10", None, True):
        with pytest.raises(ParameterError, match="snapshot_interval="):
            model.fit(X, y, snapshot=tmp_path / "s", snapshot_interval=interval)
    with pytest.raises(ParameterError, match="is a folder"):
        model.fit(X, y, snapshot=tmp_path)
    with pytest.raises(ParameterError, match="give the path of a file"):
        model.fit(X, y, snapshot=True)
    with pytest.raises(FileNotFoundError, match="Make this folder"):
        model.fit(X, y, snapshot=tmp_path / "nowhere" / "s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y, snapshot=str(tmp_path / "s"))
