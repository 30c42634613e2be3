"""The paper's prediction shift: theorem 1, proposition 2, appendices E and F.

For few rows expectations are exact: every possible training set is looked at. For more rows they
are simulated: what is expected must be within 4 standard errors, and what is claimed to be there
more than 10 standard errors away from nothing. docs/prediction_shift.md tells the story.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from experiments import prediction_shift as experiment
from experiments.estimate import estimate
from experiments.statistics_in_order import (
    covariance_with_own_noise,
    draw_category_samples,
    last_prediction,
    ordered_statistics,
)
from experiments.stumps import (
    C1,
    C2,
    Samples,
    bagging_shift,
    boosted,
    boosted_in_order,
    complete,
    draw_bags,
    draw_samples,
    out_of_bag_estimates,
    own_shift_in_order,
    stump,
    stump_before,
    truth,
    without_first_row,
)
from numpy.testing import assert_allclose, assert_array_equal

from tests.paper.algorithms import (
    Algorithm2,
    Examples,
    catboost,
    leaf_averages,
    ordered_boosting,
    ordered_statistic,
    squared_error,
)

NEAR, FAR = 4.0, 10.0
#: x² - 1/2 at (s, t)
AWAY_FROM_HALF = np.array([[-0.5, 0.5], [-0.5, 0.5]])


def all_samples(n: int) -> Samples:
    """Every training set of n rows: 4^n, equally likely."""
    digits = np.arange(4**n)[:, None] // 4 ** np.arange(n) % 4
    return Samples(digits // 2, digits % 2)


def mean(F: np.ndarray) -> np.ndarray:
    """Over the samples that count: (2, 2)."""
    return F[~np.isnan(F).any(axis=(1, 2))].mean(axis=0)


# ---- theorem 1 --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
def test_one_data_set_is_biased_as_theorem_1_says_exactly(n):
    # The paper has + O(2^-n); given that no leaf is empty, there is nothing to add.
    samples = all_samples(n)
    expected = truth() - C2 * AWAY_FROM_HALF / (n - 1)
    assert_allclose(mean(boosted(samples, samples)), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_two_data_sets_are_not_biased_at_all(n):
    samples = all_samples(n)
    pairs = np.indices((4**n, 4**n)).reshape(2, -1)
    first, second = (Samples(samples.x1[pick], samples.x2[pick]) for pick in pairs)
    assert_allclose(mean(boosted(first, second)), truth(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [10, 40])
def test_the_bias_of_theorem_1_is_there_in_simulation_and_with_two_data_sets_it_is_not(n):
    rng = np.random.default_rng(n)
    samples, others = draw_samples(n, 40_000, rng), draw_samples(n, 40_000, rng)
    for F, expected in (
        (boosted(samples, samples), -C2 * AWAY_FROM_HALF / (n - 1)),
        (boosted(samples, others), np.zeros((2, 2))),
    ):
        for s, t in np.ndindex(2, 2):
            found = estimate(F[:, s, t] - truth()[s, t])
            assert found.errors_from(expected[s, t]) < NEAR
            if expected[s, t] != 0:
                assert found.errors_from(0) > FAR


# ---- proposition 2: the shift on training rows ------------------------------------------------


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8])
def test_a_stump_predicts_more_for_a_training_row_by_what_proposition_2_says(n):
    # The sign is that of the proposition's proof, 2t/n + (n - 2)/(2n) = 1/2 + (2t - 1)/n; where it
    # is stated, it is printed the other way round.
    samples = all_samples(n)
    h1, counts = stump(samples.x1, samples.y), complete(samples)
    for s, t in np.ndindex(2, 2):
        first_is = counts & (samples.x1[:, 0] == s) & (samples.x2[:, 0] == t)
        for_training_row = h1[first_is, s].mean()
        for_test_example = h1[counts, s].mean()
        assert for_test_example == pytest.approx(C1 * s + C2 / 2, abs=1e-12)
        shift = for_training_row - for_test_example
        assert shift == pytest.approx(C2 * (2 * t - 1) / n, abs=C2 * 2.0**-n)


@pytest.mark.parametrize("n", [20, 50])
def test_the_shift_of_proposition_2_is_there_in_simulation_and_not_in_order(n):
    shift = experiment.measure(experiment.shift_of_plain, n, 20_000, seed=1)
    assert shift.errors_from(C2 / n) < NEAR
    assert shift.errors_from(0) > FAR
    for s, t in np.ndindex(2, 2):
        samples = draw_samples(n, 20_000, np.random.default_rng([n, s, t]))
        samples.x1[:, -1], samples.x2[:, -1] = s, t
        assert estimate(own_shift_in_order(samples)).errors_from(0) < NEAR


# ---- ordered boosting: Algorithm 1 ------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 6, 8])
def test_in_order_no_row_has_a_shifted_prediction_or_gradient(n):
    samples = all_samples(n)
    own = stump_before(samples.x1, samples.y)
    for k in range(1, n):
        for s, t in np.ndindex(2, 2):
            here = (samples.x1[:, k] == s) & (samples.x2[:, k] == t) & ~np.isnan(own[:, k])
            assert own[here, k].mean() == pytest.approx(C1 * s + C2 / 2, abs=1e-12)
            residuals = (samples.y - own)[here, k]
            assert residuals.mean() == pytest.approx(C2 * (t - 0.5), abs=1e-12)


@pytest.mark.parametrize("n", [5, 6, 7, 8])
def test_in_order_the_model_is_still_biased_the_other_way_exactly(n):
    # h² divides by the number of its rows, which is not independent of the rows before: what
    # remains is what drawing without replacement costs, see docs/prediction_shift.md.
    found = mean(boosted_in_order(all_samples(n)))
    expected = truth() + 2 * AWAY_FROM_HALF * experiment.bias_in_order(n)
    assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_the_bias_in_order_is_about_that_of_theorem_1_with_the_sign_changed():
    for n in (10, 40):
        found = experiment.measure(experiment.in_order, n, 20_000, seed=2)
        assert found.errors_from(experiment.bias_in_order(n)) < NEAR
        assert found.errors_from(0) > FAR
    ratios = [experiment.bias_in_order(n) / experiment.theorem_1(n) for n in (10, 100, 1000)]
    assert ratios == pytest.approx([-0.640, -0.927, -0.988], abs=1e-3)


# ---- appendix E: iterated bagging -------------------------------------------------------------


def test_iterated_bagging_is_not_shifted_after_one_stump_and_is_after_two():
    n, n_samples = 20, 4_000
    rng = np.random.default_rng(3)
    samples = draw_samples(n, n_samples, rng)
    bags = draw_bags(n, 30, n_samples, rng)
    after_one, after_two = bagging_shift(samples, without_first_row(samples, rng), bags)
    assert_array_equal(after_one[~np.isnan(after_one)], 0.0)
    toward_own = 2 * samples.x2[:, 0] - 1
    shift = estimate(toward_own * after_two)
    assert shift.errors_from(0) > FAR
    assert shift.mean < 0  # away from its own target: the others' residuals have learnt it
    assert -0.7 * C2 / n < shift.mean < -0.4 * C2 / n


# ---- appendix F: target statistics in a window, in the order of boosting ----------------------


def test_with_one_ordering_for_both_a_prediction_knows_nothing_of_its_own_target():
    for window in (None, 10):
        rng = np.random.default_rng(4)
        samples = draw_category_samples(30, 5, 2_000, rng, same_ordering=True)
        values = covariance_with_own_noise(samples, window, rng)
        assert_array_equal(values[~np.isnan(values)], 0.0)


def test_with_two_orderings_it_does():
    simulation = partial(experiment.covariance, same_ordering=False)
    found = experiment.measure(simulation, 30, 40_000, seed=5)
    assert found.errors_from(0) > FAR
    assert found.mean < 0


def errors_between_training_rows_and_test_examples(window, power):
    """Standard errors between moments of the statistic of one category: row 10 of 25 against the
    last row of other samples, which stands for a test example."""
    rng = np.random.default_rng(6)
    samples = draw_category_samples(25, 3, 40_000, rng, same_ordering=True)
    samples = replace(samples, effect=samples.category - 1.0)
    statistics = ordered_statistics(samples, window)
    moments = np.where(samples.category == 2, statistics, np.nan) ** power
    row, example = estimate(moments[:20_000, 10]), estimate(moments[20_000:, -1])
    return abs(row.mean - example.mean) / np.hypot(row.error, example.error)


@pytest.mark.parametrize("power", [1, 2])
def test_statistics_in_a_window_are_distributed_alike_for_training_rows_and_test_examples(power):
    assert errors_between_training_rows_and_test_examples(window=8, power=power) < NEAR


def test_statistics_of_all_rows_before_are_not():
    # A test example's history is longer, and its statistic further from the prior.
    assert errors_between_training_rows_and_test_examples(window=None, power=1) > FAR


# ---- the simulations do what the references do ------------------------------------------------


def rows(samples: Samples, i: int) -> np.ndarray:
    return np.stack([samples.x1[i], samples.x2[i]], axis=1).astype(np.float64)


def ask(feature: int):
    return lambda x: x[:, feature].astype(np.intp)


EVERY = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_boosting_is_the_plain_mode_of_algorithm_2():
    samples = draw_samples(9, 30, np.random.default_rng(7))
    F = boosted(samples, samples)
    for i in np.flatnonzero(complete(samples)):
        answers = rows(samples, i).T[:, None].repeat(2, axis=1) > 0.5
        examples = Examples(samples.y[i], np.tile(np.arange(1, 10), (2, 1)), answers)
        M_0 = catboost(
            examples, Algorithm2("Plain"), squared_error, r=(1, 1), alpha=1.0, depth=1,
            T=[[0], [1]],
        ).M_0  # fmt: skip
        assert_allclose(F[i][samples.x1[i], samples.x2[i]], M_0, rtol=0, atol=1e-14)


def test_boosting_in_order_is_algorithm_1():
    n = 9
    samples = draw_samples(n, 30, np.random.default_rng(8))
    F, own = boosted_in_order(samples), stump_before(samples.x1, samples.y)
    sigma = np.arange(1, n + 1)
    learn = [leaf_averages(ask(feature), 2, empty=np.nan) for feature in (0, 1)]
    known = 0
    for i in range(len(F)):
        x = rows(samples, i)
        first = ordered_boosting(x, samples.y[i], sigma, learn[:1])
        assert_allclose(own[i], [first[k](x)[k] for k in range(n)], rtol=0, atol=1e-14)
        both = ordered_boosting(x, samples.y[i], sigma, learn)[n](EVERY)
        if not np.isnan(both).any():
            known += 1
            assert_allclose(F[i].ravel(), both, rtol=0, atol=1e-14)
        else:
            assert np.isnan(F[i]).all()
    assert known > 20


def test_iterated_bagging_is_as_appendix_e_describes_it():
    n, n_models = 12, 5
    rng = np.random.default_rng(9)
    samples = draw_samples(n, 20, rng)
    bags = draw_bags(n, n_models, 20, rng)
    found = out_of_bag_estimates(samples, samples, bags)
    known = 0
    for i in range(20):
        x, y = rows(samples, i), samples.y[i]
        D = [np.repeat(np.arange(n), bags[i, k].astype(int)) for k in range(n_models)]
        F = [lambda x: np.zeros(len(x))] * n_models
        estimates = []
        for feature in (0, 1, None):
            M = np.array(
                [
                    np.mean([F[k](x)[j] for k in range(n_models) if j not in D[k]] or [np.nan])
                    for j in range(n)
                ]
            )
            estimates.append(M[0])
            if feature is not None:
                learn = leaf_averages(ask(feature), 2, empty=np.nan)
                h = [learn(x[D[k]], (y - M)[D[k]]) for k in range(n_models)]
                F = [lambda x, f=f, g=g: f(x) + g(x) for f, g in zip(F, h, strict=True)]
        if np.isfinite(found[1][i]):
            known += 1
            assert_allclose([found[0][i], found[1][i]], estimates[1:], rtol=0, atol=1e-14)
    assert known > 2


@pytest.mark.parametrize("window", [None, 4])
def test_statistics_in_order_are_those_of_section_3_under_algorithm_1(window):
    n = 12
    rng = np.random.default_rng(10)
    samples = draw_category_samples(n, 3, 20, rng, same_ordering=False)
    statistics, predicted = ordered_statistics(samples, window), last_prediction(samples, window)
    learn = leaf_averages(lambda x: (x[:, 0] > 0).astype(np.intp), 2, empty=np.nan)
    for i in range(20):
        expected = ordered_statistic(
            samples.category[i], samples.y[i], samples.sigma_cat[i] + 1, a=1.0, p=0.0, window=window
        )
        assert_allclose(statistics[i], expected, rtol=0, atol=1e-14)
        x = expected[:, None]
        M = ordered_boosting(x, samples.y[i], np.arange(1, n + 1), [learn])
        assert_allclose(predicted[i], M[n - 1](x)[-1], rtol=0, atol=1e-14)


def test_the_command_prints_all_lines_and_draws_them(tmp_path, monkeypatch, capsys):
    figure = tmp_path / "images" / "shift.svg"
    words = ["prediction_shift", "--samples", "300", "--figure", str(figure)]
    monkeypatch.setattr("sys.argv", words)
    experiment.main()
    printed, drawn = capsys.readouterr().out, figure.read_text(encoding="utf-8")
    for name in ("plain boosting", "iterated bagging", "one data set", "two independent data sets"):
        assert name in printed
        assert name in drawn
    assert "(-0.10000)" in printed  # theorem 1 with 6 rows
    assert "nan" not in printed
