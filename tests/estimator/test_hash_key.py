"""The key that categories are hashed under: drawn once, kept in the model, used everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, load_model
from ocelotboost.model.file import dumps
from ocelotboost.table import table_from_input


def rows(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "city": [f"city {number}" for number in rng.integers(0, 40, size=n_rows)],
            "postcode": rng.integers(0, 30, size=n_rows),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], size=n_rows)),
            "size": rng.normal(size=n_rows),
        }
    )
    odd = X["city"].str.len() + X["postcode"] + (X["colour"] == "red") + X["size"]
    return X, (odd % 2 > 1).astype(int)


def model(**parameters):
    return OcelotClassifier(
        iterations=8, depth=4, cat_features=["postcode"], **parameters
    )  # fmt: skip


def test_the_same_seed_draws_the_same_key_and_another_seed_another():
    X, y = rows()
    keys = [model(random_state=seed).fit(X, y).forest_.hash_key for seed in (0, 0, 1)]
    assert keys[0].tolist() == keys[1].tolist()
    assert keys[0].tolist() != keys[2].tolist()
    fresh = [model(random_state=None).fit(X, y).forest_.hash_key.tolist() for _ in range(2)]
    assert fresh[0] != fresh[1]


def test_one_seed_gives_one_model():
    X, y = rows()
    assert dumps(model().fit(X, y).model_) == dumps(model().fit(X, y).model_)


@pytest.mark.parametrize("name", ["model.ocelot", "model.json"])
def test_a_loaded_model_hashes_as_the_saved_one(tmp_path, name):
    X, y = rows()
    fitted = model(random_state=5).fit(X, y)
    fitted.save_model(tmp_path / name)
    loaded = load_model(tmp_path / name)
    assert loaded.forest_.hash_key.tolist() == fitted.forest_.hash_key.tolist()
    np.testing.assert_array_equal(loaded.predict_raw(X), fitted.predict_raw(X))


def test_eval_sets_are_hashed_under_the_key_of_the_training_rows():
    X, y = rows()
    fitted = model(random_state=5, use_best_model=False).fit(X, y, eval_set=(X, y))
    raw = fitted.predict_raw(X)
    expected = np.mean(np.log1p(np.exp(-raw * (2 * y - 1))))
    assert fitted.history_["eval_0"]["Logloss"][-1] == pytest.approx(expected)


def test_training_goes_on_under_the_key_of_the_first_model():
    X, y = rows()
    first = model(random_state=5).fit(X, y)
    second = model(random_state=6).fit(X, y, init_model=first)
    assert second.forest_.hash_key.tolist() == first.forest_.hash_key.tolist()
    assert second.n_iter_ == 16
    staged = list(second.staged_predict_proba(X))
    np.testing.assert_allclose(staged[7], first.predict_proba(X), rtol=1e-12)


def test_a_table_of_another_key_is_refused():
    X, y = rows()
    fitted = model(random_state=5).fit(X, y)
    other = table_from_input(X, cat_features=["postcode"])
    with pytest.raises(ValueError, match="another key"):
        fitted._fitted.predictor.ready.raw(other, 1)
