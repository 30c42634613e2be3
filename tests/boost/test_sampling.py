"""Sampling chooses structures only, keeps the sums it estimates, and draws what it says."""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.boost.sampling import (
    AllRows,
    Bayesian,
    Bernoulli,
    MinimalVariance,
    check_sampling,
    choose_sampling,
)
from ocelotboost.kernels import reference
from tests.data import assert_same_bits, multiclass, regression

N_ROWS = 20_000


def gradients(n_outputs: int = 1, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.exponential(size=(n_outputs, N_ROWS)).astype(np.float32) - np.float32(0.7)


def drawn(sampling, seed: int = 0, leaf_size: float = 0.1, n_outputs: int = 1):
    rng = np.random.default_rng(seed)
    return sampling.weights(gradients(n_outputs), None, leaf_size, rng)


def test_bayesian_weights_are_exponential_and_temperature_spreads_them():
    weights = drawn(Bayesian(1.0))
    assert weights.mean() == pytest.approx(1.0, abs=0.03)
    assert weights.var() == pytest.approx(1.0, abs=0.1)
    assert (weights > 0).all()
    assert drawn(Bayesian(0.3)).var() < weights.var() < drawn(Bayesian(2.0)).var()


def test_temperatures_are_powers_of_the_same_bits_everywhere():
    exponential = drawn(Bayesian(1.0))
    for temperature in (0.3, 0.5, 2.0):
        weights = drawn(Bayesian(temperature))
        assert weights.dtype == np.float32
        np.testing.assert_allclose(weights, exponential.astype(float) ** temperature, rtol=1e-7)
        logs = reference.links.logarithm(exponential.astype(np.float64))
        expected = reference.links.exponential(temperature * logs).astype(np.float32)
        np.testing.assert_array_equal(weights, expected)


def test_bernoulli_takes_its_share():
    weights = drawn(Bernoulli(0.3))
    assert set(np.unique(weights)) == {0.0, 1.0}
    assert weights.mean() == pytest.approx(0.3, abs=0.02)
    assert drawn(Bernoulli(1e-12)).sum() == 1


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("leaf_size", [0.01, 0.1, 1.0])
def test_minimal_variance_keeps_large_gradients_and_the_sums(n_outputs, leaf_size):
    sampling = MinimalVariance(0.5, n_threads=2)
    lengths = np.sqrt((gradients(n_outputs).astype(np.float64) ** 2).sum(axis=0))
    weights = drawn(sampling, leaf_size=leaf_size, n_outputs=n_outputs)
    assert (weights > 0).mean() == pytest.approx(0.5, abs=0.02)
    kept = weights > 0
    assert lengths[kept].mean() > lengths[~kept].mean()
    # 1 / probability makes every sum right on average.
    assert weights.mean() == pytest.approx(1.0, abs=0.03)
    many = [drawn(sampling, seed, leaf_size, n_outputs) @ lengths for seed in range(20)]
    assert np.mean(many) == pytest.approx(lengths.sum(), rel=0.01)


def test_auto_depends_on_outputs_and_rows():
    def chosen(n_outputs, n_rows):
        return type(choose_sampling("auto", None, None, n_outputs, n_rows, 1))

    assert chosen(1, 1000) is MinimalVariance
    assert chosen(3, 10_000) is Bayesian
    assert chosen(3, 10_001) is MinimalVariance
    assert chosen(1, 99) is chosen(3, 99) is AllRows


def test_sampling_that_takes_everything_is_none():
    for name, share, temperature in (
        ("No", 0.5, 1.0),
        ("Bernoulli", 1.0, 1.0),
        ("MVS", 1.0, 1.0),
        ("Bayesian", None, 0.0),
    ):
        assert isinstance(choose_sampling(name, share, temperature, 1, 1000, 1), AllRows)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("n_rows", [20, 1000])
def test_auto_is_the_sampling_that_what_was_given_belongs_to(n_outputs, n_rows):
    def chosen(subsample, temperature):
        return choose_sampling("auto", subsample, temperature, n_outputs, n_rows, 1)

    assert chosen(0.5, None).share == 0.5
    assert isinstance(chosen(0.5, 0.0), MinimalVariance)
    assert chosen(None, 0.7).temperature == 0.7
    assert isinstance(chosen(1.0, 0.7), Bayesian)
    assert isinstance(chosen(1.0, None), AllRows)
    assert isinstance(chosen(None, 0.0), AllRows)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"bootstrap_type": "Bayesian", "subsample": 0.5}, r"subsample=0.5.*'Bernoulli' or 'MVS'"),
        ({"bootstrap_type": "No", "subsample": 0.5}, r"subsample=0.5.*'No'"),
        ({"bootstrap_type": "MVS", "bagging_temperature": 1.0}, r"temperature=1.0.*'Bayesian'"),
        ({"bootstrap_type": "Bernoulli", "bagging_temperature": 2}, r"temperature=2.*'Bernoulli'"),
        ({"bootstrap_type": "No", "bagging_temperature": 2}, r"temperature=2.*'No'"),
        ({"subsample": 0.5, "bagging_temperature": 1}, "give one of them"),
    ],
)
def test_what_the_sampling_would_ignore_is_refused(parameters, problem):
    X, y = regression(50)
    with pytest.raises(ParameterError, match=problem):
        OcelotRegressor(iterations=1, **parameters).fit(X, y)


@pytest.mark.parametrize("bootstrap_type", ["auto", "No", "Bayesian", "Bernoulli", "MVS"])
def test_a_share_of_all_rows_and_no_temperature_contradict_nothing(bootstrap_type):
    check_sampling(bootstrap_type, 1.0, 0.0)
    check_sampling(bootstrap_type, None, None)


@pytest.mark.parametrize("bootstrap_type", ["Bayesian", "Bernoulli", "MVS"])
def test_leaf_values_come_from_all_rows(bootstrap_type):
    X, y = multiclass(500)
    share = None if bootstrap_type == "Bayesian" else 0.3
    model = OcelotClassifier(iterations=5, bootstrap_type=bootstrap_type, subsample=share)
    forest = model.fit(X, y).forest_
    for begin, end in zip(forest.leaf_offsets()[:-1], forest.leaf_offsets()[1:], strict=True):
        assert forest.leaf_weights[begin:end].sum() == 500


def test_sampled_trees_differ_from_seed_to_seed_and_not_otherwise():
    X, y = regression(500)
    for bootstrap_type in ("Bayesian", "Bernoulli", "MVS"):
        model = OcelotRegressor(iterations=5, random_strength=0, bootstrap_type=bootstrap_type)
        first, again = model.fit(X, y).forest_, model.fit(X, y).forest_
        assert_same_bits(first, again)
        other = model.set_params(random_state=1).fit(X, y).forest_
        assert not np.array_equal(first.split_borders, other.split_borders)
