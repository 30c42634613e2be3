"""A user's own loss of classes: what its link gives are probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ocelotboost import InputError, OcelotClassifier, load_model
from tests.data import binary


class PlainLogistic:
    """Log-odds without a link."""

    name = "PlainLogistic"

    def derivatives(self, target, raw):
        p = 1 / (1 + np.exp(-raw))
        return p - target, p * (1 - p)


class WithLink(PlainLogistic):
    def link(self, raw):
        return raw


def test_a_custom_loss_of_classes_without_a_link_has_the_logistic_one_also_after_loading(tmp_path):
    X, y = binary(300)
    model = OcelotClassifier(iterations=60, learning_rate=0.3, loss_function=PlainLogistic())
    probabilities = model.fit(X, y).predict_proba(X)
    assert np.abs(model.predict_raw(X)).max() > 1
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert_array_equal(model.predict(X), model.classes_[(probabilities[:, 1] > 0.5).astype(int)])
    model.save_model(tmp_path / "model.ocelot")
    with pytest.warns(UserWarning, match="your own loss"):
        loaded = load_model(tmp_path / "model.ocelot")
    assert_array_equal(loaded.predict_proba(X), probabilities)


def test_a_link_that_gives_no_probabilities_is_refused():
    X, y = binary(300)
    model = OcelotClassifier(iterations=60, learning_rate=0.3, loss_function=WithLink()).fit(X, y)
    with pytest.raises(InputError, match=r"link of loss PlainLogistic gives .* not a probability"):
        model.predict_proba(X)
