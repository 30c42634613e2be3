"""Numbers stored as text give a warning, and columns may be named by anything that holds names."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from ocelotboost import OcelotClassifier, ParameterError, load_model

N_ROWS = 200
PRICES = [f"{number:.2f}" for number in np.random.default_rng(0).uniform(0, 99, size=N_ROWS)]
Y = [float(price) > 50 for price in PRICES]
NUMBERS = np.arange(N_ROWS)


def fit(X, **parameters):
    return OcelotClassifier(iterations=2, **parameters).fit(X, Y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_numbers_as_text_are_told_once_with_remedies_that_work(frame):
    X = frame({"n": NUMBERS, "price": PRICES, "again": PRICES})
    with pytest.warns(UserWarning, match="2 columns .'price', 'again'") as told:
        fit(X)
    assert len(told) == 1
    message = str(told[0].message)
    assert told[0].filename == __file__
    conversion = message.split("for example ")[1].split(". If they")[0]
    numbers = eval(conversion, {"X": X, "pandas": pd, "polars": pl})
    named = eval(message.split("cat_features=")[1].rstrip("."))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(X, cat_features=named)
        model = fit(frame({"n": NUMBERS, "price": numbers}))
    assert (model.predict(frame({"n": NUMBERS, "price": numbers})) == Y).mean() > 0.9


def test_numbers_as_text_in_an_array_are_told():
    X = np.array([NUMBERS, PRICES], dtype=object).T
    with pytest.warns(UserWarning, match=r"X\[:, 1\]\.astype\(float\)"):
        fit(X)


@pytest.mark.parametrize(
    "texts",
    [
        [f"{number:05d}" for number in NUMBERS],
        [str(75001 + number) for number in NUMBERS],
        [str(number % 5) for number in NUMBERS],
        [f"user {number}" for number in NUMBERS],
        pd.Categorical(PRICES),
        [None] * N_ROWS,
    ],
    ids=["leading zeros", "one length", "few values", "words", "declared", "missing"],
)
def test_codes_and_words_are_left_alone(texts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(pd.DataFrame({"n": NUMBERS, "text": texts}))


def test_marks_of_missing_values_among_numbers_do_not_hide_them():
    texts = ["?" if number % 7 == 0 else price for number, price in enumerate(PRICES)]
    X = pd.DataFrame({"text": texts})
    with pytest.warns(UserWarning, match="errors='coerce'"):
        fit(X)
    assert pd.to_numeric(X["text"], errors="coerce").isna().sum() == 29


HOLDERS = {
    "Index": pd.Index(["code"]),
    "Series": pd.Series(["code"], index=[5]),
    "keys": {"code": 1}.keys(),
    "dict": {"code": 1},
    "array": np.array(["code"]),
    "objects": np.array(["code"], dtype=object),
    "set": {"code"},
    "polars": pl.Series(["code"]),
    "name": "code",
    "position": 1,
    "range": range(1, 2),
}
CODES = pd.DataFrame({"n": NUMBERS, "code": NUMBERS % 9})


@pytest.mark.parametrize("holder", HOLDERS)
def test_columns_are_named_by_anything_that_holds_names(holder, tmp_path):
    model = OcelotClassifier(iterations=2, cat_features=HOLDERS[holder])
    if holder != "keys":  # which Python cannot copy
        model = clone(model)
    model.fit(CODES, Y)
    assert model.forest_.categorical.tolist() == [False, True]
    model.save_model(tmp_path / "model.ocelot")
    loaded = load_model(tmp_path / "model.ocelot")
    assert loaded.fit(CODES, Y).forest_.categorical.tolist() == [False, True]


def test_a_generator_names_columns_for_one_fit_only():
    names = (name for name in ["code"])
    model = OcelotClassifier(iterations=2).fit(CODES, Y, cat_features=names)
    assert model.forest_.categorical.tolist() == [False, True]
    with pytest.raises(ParameterError, match="no generator"):
        fit(CODES, cat_features=(name for name in ["code"]))
