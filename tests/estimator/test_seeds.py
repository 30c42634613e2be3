"""Seeds are drawn once per fit, whatever they are drawn from."""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost import OcelotClassifier
from tests.data import assert_same_bits
from tests.estimator.category_data import columns, frame_of, signal

SOURCES = {
    "RandomState": (np.random.RandomState, lambda state: int(state.randint(1 << 31))),
    "Generator": (np.random.default_rng, lambda state: int(state.integers(1 << 31))),
}


def fitted(random_state):
    """A training that draws every kind of seed, some of them for two sets of rows."""
    drawn = columns(300, seed=0)
    return OcelotClassifier(
        iterations=5,
        boosting_type="Ordered",
        target_statistic="holdout",
        independent_orderings=True,
        validation_fraction=0.2,
        refit="replay",
        random_state=random_state,
    ).fit(frame_of(drawn), signal(drawn) > 0)


@pytest.mark.parametrize("source", SOURCES)
def test_a_generator_is_asked_for_one_number_and_trains_as_that_number_does(source):
    make, draw = SOURCES[source]
    state, other = make(5), make(5)
    assert_same_bits(fitted(state).forest_, fitted(draw(other)).forest_)
    assert draw(state) == draw(other)
