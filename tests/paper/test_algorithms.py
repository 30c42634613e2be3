"""The references of ordered boosting say the same where the paper says they do.

Equal here means the same bits: both sides add the same numbers in the same order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.paper.algorithms import (
    Algorithm2,
    BuildTree,
    Details,
    Examples,
    catboost,
    doubling,
    get_leaf,
    leaf_averages,
    logistic,
    ordered_boosting,
    ordered_statistic,
    squared_error,
    top_down,
)

SEEDS = range(3)
LOSSES = pytest.mark.parametrize("L", [squared_error, logistic])
N, S = 14, 2
ALL_J = Algorithm2("Ordered")
TRAINING = {"r": (1, 2, 2, 1), "alpha": 0.3, "depth": 2}


class Table:
    """Numbers, categories, targets and orderings, from which examples are made."""

    def __init__(self, seed: int, L=squared_error, n: int = N) -> None:
        rng = np.random.default_rng(seed)
        self.numbers = rng.normal(size=(2, n))
        self.category = rng.integers(0, 3, size=n)
        y = self.numbers[0] + (self.category == 1) + rng.normal(scale=0.5, size=n)
        self.y = (y > 0.5).astype(np.float64) if L is logistic else y
        self.sigma = np.array([rng.permutation(n) + 1 for _ in range(S + 1)])
        self.a = rng.exponential(size=(len(TRAINING["r"]), n))

    def examples(self, y=None, sigma_cat=None) -> Examples:
        """Splits of both numbers and of the category's statistic, with the given targets."""
        y = self.y if y is None else y
        sigma_cat = self.sigma if sigma_cat is None else sigma_cat
        above = self.numbers[:, None] > np.array([-0.5, 0.0, 0.5])[:, None]
        of_numbers = np.broadcast_to(above.reshape(6, 1, -1), (6, S + 1, len(y)))
        statistics = np.array(
            [ordered_statistic(self.category, y, sigma, a=1.0, p=0.5) for sigma in sigma_cat]
        )
        of_category = np.array([statistics > border for border in (0.3, 0.5, 0.7)])
        return Examples(y, self.sigma, np.concatenate([of_numbers, of_category]))

    def changed(self, k: int, L) -> np.ndarray:
        """The targets, but another one for row k."""
        y = self.y.copy()
        y[k] = 1 - y[k] if L is logistic else y[k] + 7.0
        return y


def assert_same_training(first, second):
    assert first.T == second.T
    assert_array_equal(first.M_0, second.M_0)
    for b, other in zip(first.b, second.b, strict=True):
        assert_array_equal(b, other)


# ---- Algorithm 2 and BuildTree ----------------------------------------------------------------


@pytest.mark.parametrize("reading", ["all", "body"])
@pytest.mark.parametrize("seed", SEEDS)
@LOSSES
def test_where_every_row_is_its_own_segment_build_tree_is_algorithm_2(seed, L, reading):
    table = Table(seed, L)
    details = [Details(a, discarded=2) for a in table.a]
    build = BuildTree(tuple(range(1, N)), reading)
    fine = catboost(table.examples(), build, L, details=details, **TRAINING)
    every = catboost(table.examples(), ALL_J, L, details=details, **TRAINING)
    assert_same_training(fine, every)
    for M, all_j in zip(fine.M, every.M, strict=True):
        assert_array_equal(M, all_j[:, 1:N])


@pytest.mark.parametrize("seed", SEEDS)
@LOSSES
def test_supporting_models_of_build_tree_are_those_of_algorithm_2_at_powers_of_two(seed, L):
    # M'_{r,j}(i) := M_{r,2^j}(i), given the structures.
    table = Table(seed, L)
    build = BuildTree(doubling(N))
    assert build.bodies == (1, 2, 4, 8)
    coarse = catboost(table.examples(), build, L, **TRAINING)
    every = catboost(table.examples(), ALL_J, L, T=coarse.T, **TRAINING)
    assert_same_training(coarse, every)
    for M, all_j in zip(coarse.M, every.M, strict=True):
        for j, body in enumerate(build.bodies):
            both = table.sigma[1:] <= body + 1  # Algorithm 2 keeps no more of M_{r,2^j}
            assert_array_equal(M[1:, j][both], all_j[1:, body][both])
            assert not np.isnan(M[1:, j][both]).any()


@pytest.mark.parametrize("seed", SEEDS)
@LOSSES
def test_the_first_structure_of_build_tree_is_that_of_algorithm_2(seed, L):
    # All models are still 0, so it does not matter at which a gradient is taken.
    examples = Table(seed, L).examples()
    build, details = BuildTree(doubling(N)), Details(discarded=1)
    for r in range(1, S + 1):
        leaf = get_leaf(examples, [0, 6], r)
        assert_array_equal(
            build.leaf_values(build.start(examples), examples, L, r, leaf, None),
            ALL_J.leaf_values(ALL_J.start(examples), examples, L, r, leaf, None),
        )
        assert top_down(build, build.start(examples), examples, L, r, 3, details) == top_down(
            ALL_J, ALL_J.start(examples), examples, L, r, 3, details
        )


def test_discarded_rows_are_those_before_the_first_body():
    mattered = 0
    for seed in range(8):
        examples = Table(seed).examples()
        late, all_j = BuildTree(tuple(range(6, N))), ALL_J.start(examples)
        discarding = top_down(ALL_J, all_j, examples, squared_error, 1, 2, Details(discarded=6))
        assert discarding == top_down(
            late, late.start(examples), examples, squared_error, 1, 2, Details()
        )
        mattered += discarding != top_down(ALL_J, all_j, examples, squared_error, 1, 2, Details())
    assert mattered > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_both_readings_agree_on_rows_right_after_a_body_and_not_on_the_others(seed):
    examples = Table(seed).examples()
    build = BuildTree(doubling(N))
    M = catboost(examples, build, squared_error, **TRAINING).M[-1]
    for r in range(1, S + 1):
        leaf = np.zeros(N, dtype=np.intp)
        read = [
            replace(build, reading=reading).leaf_values(M, examples, squared_error, r, leaf, None)
            for reading in ("all", "body")
        ]
        after_a_body = np.isin(examples.sigma[r] - 1, [0, *build.bodies])
        assert_array_equal(read[0] == read[1], after_a_body)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 31, 32, 33, 100])
def test_build_tree_keeps_fewer_predictions_than_the_paper_counts(n):
    sigma = np.tile(np.arange(1, n + 1), (S + 1, 1))
    M = BuildTree(doubling(n)).start(Examples(np.zeros(n), sigma, np.empty((0, S + 1, n), bool)))
    assert np.count_nonzero(~np.isnan(M)) <= 8 * (S + 1) * n
    assert (~np.isnan(M[1:])).sum(axis=(1, 2)).max(initial=0) < 4 * n


# ---- Ordered and Plain ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@LOSSES
def test_the_model_of_all_rows_is_plain_given_the_structures(seed, L):
    examples = Table(seed, L).examples()
    ordered = catboost(examples, ALL_J, L, **TRAINING)
    plain = catboost(examples, Algorithm2("Plain"), L, T=ordered.T, **TRAINING)
    assert_same_training(ordered, plain)
    for M, M_plain in zip(ordered.M, plain.M, strict=True):
        assert_array_equal(M[:, N], M_plain)


@pytest.mark.parametrize("seed", SEEDS)
@LOSSES
def test_without_categories_all_models_of_plain_mode_are_the_final_model(seed, L):
    examples = Table(seed, L).examples()
    examples = replace(examples, answers=examples.answers[:6])
    plain = catboost(examples, Algorithm2("Plain"), L, **TRAINING)
    for M in plain.M[-1][1:]:
        assert_array_equal(M, plain.M_0)


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_bootstrap_weights_count_copies_in_plain_mode(seed):
    table = Table(seed)
    examples, plain = table.examples(), Algorithm2("Plain")
    copies = np.random.default_rng(seed).integers(0, 4, size=N)
    repeated = Examples(
        np.repeat(examples.y, copies),
        np.tile(np.arange(1, copies.sum() + 1), (S + 1, 1)),
        np.repeat(examples.answers, copies, axis=2),
    )
    weighted = top_down(
        plain, plain.start(examples), examples, squared_error, 1, 3, Details(copies * 1.0)
    )
    assert weighted == top_down(
        plain, plain.start(repeated), repeated, squared_error, 1, 3, Details()
    )


# ---- what a row's own target enters -----------------------------------------------------------


def own_predictions(build, M, sigma):
    """M_{r,σ_r(k)-1}(k) of every row and ordering; NaN where no model precedes the row."""
    own = np.full(sigma.shape, np.nan)
    for r in range(1, len(sigma)):
        for k in range(sigma.shape[1]):
            j = build.model_of(sigma[r, k]) if isinstance(build, BuildTree) else sigma[r, k] - 1
            own[r, k] = M[r, j, k] if j >= 0 else np.nan
    return own


#: Structures of which every one asks about a number and about the statistic.
GIVEN = [[1, 7], [8, 3], [6, 4], [0, 8]]

BUILDERS = {
    "all j": ALL_J,
    "doubling, all rows before": BuildTree(doubling(N)),
    "doubling, body": BuildTree(doubling(N), "body"),
    "slow growth, body": BuildTree((2, 3, 5, 8, 12), "body"),
}


@pytest.mark.parametrize("builder", BUILDERS)
@pytest.mark.parametrize("seed", SEEDS)
@LOSSES
def test_a_target_never_enters_the_prediction_at_which_its_gradient_is_taken(seed, L, builder):
    table, build = Table(seed, L), BUILDERS[builder]
    unchanged = table.examples()
    before = catboost(unchanged, build, L, T=GIVEN, **TRAINING)
    for k in range(N):
        examples = table.examples(table.changed(k, L))
        after = catboost(examples, build, L, T=GIVEN, **TRAINING)
        for t, T in enumerate(GIVEN):
            own = [own_predictions(build, x.M[t], table.sigma)[:, k] for x in (before, after)]
            assert_array_equal(own[0], own[1])
            for r in range(1, S + 1):
                delta = [
                    build.leaf_values(x.M[t], e, L, r, get_leaf(e, T, r), None)[k]
                    for x, e in ((before, unchanged), (after, examples))
                ]
                assert delta[0] == delta[1]
        assert not np.array_equal(before.M_0, after.M_0)


@pytest.mark.parametrize("seed", SEEDS)
def test_models_of_fewer_rows_than_come_before_a_row_do_not_know_its_target(seed):
    table = Table(seed)
    before = catboost(table.examples(), ALL_J, squared_error, **TRAINING)
    for k in range(N):
        y = table.changed(k, squared_error)
        after = catboost(table.examples(y), ALL_J, squared_error, T=before.T, **TRAINING)
        for r in range(1, S + 1):
            first = table.sigma[r, k]
            assert_array_equal(before.M[-1][r, :first], after.M[-1][r, :first])
            for j in range(first, N + 1):  # every later model has learnt from row k
                assert before.M[-1][r, j, k] != after.M[-1][r, j, k]


def test_statistics_by_another_ordering_let_the_target_in():
    # Appendix F: σ_cat must be σ_boost.
    entered = 0
    for seed in SEEDS:
        table = Table(seed)
        sigma_cat = np.random.default_rng(100 + seed).permuted(table.sigma, axis=1)
        before = catboost(
            table.examples(sigma_cat=sigma_cat), ALL_J, squared_error, T=GIVEN, **TRAINING
        )
        for k in range(N):
            examples = table.examples(table.changed(k, squared_error), sigma_cat)
            after = catboost(examples, ALL_J, squared_error, T=GIVEN, **TRAINING)
            own = [own_predictions(ALL_J, x.M[-1], table.sigma)[1:, k] for x in (before, after)]
            entered += np.count_nonzero(own[0] != own[1])
    assert entered > 0


# ---- Algorithm 1 ------------------------------------------------------------------------------


def best_stump(x, r):
    """A LearnModel that chooses its own feature, by least squares."""
    learnt = [
        leaf_averages(lambda x, f=f: (x[:, f] > 0).astype(np.intp), 2)(x, r)
        for f in range(x.shape[1])
    ]
    return min(learnt, key=lambda h: float(((r - h(x)) ** 2).sum()))


@pytest.mark.parametrize("seed", SEEDS)
def test_algorithm_1_never_shows_a_model_the_target_of_the_next_row(seed):
    # Also where every model chooses its own structure.
    table = Table(seed)
    x, sigma = table.numbers.T, table.sigma[1]
    before = ordered_boosting(x, table.y, sigma, [best_stump] * 4)
    for k in range(N):
        y = table.changed(k, squared_error)
        after = ordered_boosting(x, y, sigma, [best_stump] * 4)
        for i in range(N + 1):
            assert np.array_equal(before[i](x), after[i](x)) == (i < sigma[k])


@pytest.mark.parametrize("seed", SEEDS)
def test_algorithms_1_and_2_agree_on_one_tree_and_part_at_the_second(seed):
    # Algorithm 1 teaches M_i the residuals of M_{σ(p)-1}, Algorithm 2 those of M_i itself: what
    # lies between them is the average, in the leaf, of M_i(p) - M_{σ(p)-1}(p) after one tree.
    table = Table(seed)
    examples, sigma, x = table.examples(), table.sigma[1], table.numbers.T
    splits = [1, 4]  # of one number each, so that both algorithms can ask
    learn = [leaf_averages(lambda x, f=f: (x[:, f] > 0.0).astype(np.intp), 2) for f in (0, 1)]
    first = ordered_boosting(x, table.y, sigma, learn[:1])
    both = ordered_boosting(x, table.y, sigma, learn)
    M = catboost(
        examples, ALL_J, squared_error, r=(1, 1), alpha=1.0, depth=1, T=[[c] for c in splits]
    ).M
    leaf = get_leaf(examples, splits[1:], 1)
    own = np.array([first[sigma[p] - 1](x)[p] for p in range(N)])
    for j in range(N + 1):
        kept = sigma <= j + 1
        assert_allclose(first[j](x)[kept], M[1][1, j][kept], rtol=0, atol=1e-14)
        between = both[j](x) - M[2][1, j]
        for i in np.flatnonzero(kept):
            seen = (sigma <= j) & (leaf == leaf[i])
            ahead = (first[j](x) - own)[seen].mean() if seen.any() else 0.0
            assert between[i] == pytest.approx(ahead, abs=1e-13)
    assert np.abs(both[N](x) - M[2][1, N]).max() > 0.01
