"""The reference of Ordered mode is the paper's BuildTree, its Δ from bodies, and leaks nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.boost.reference_ordered import (
    OrderedTrainer,
    own_predictions,
    segments,
    statistic_questions,
)
from tests.boost.reference_trainer import (
    LOSSES,
    LeafRule,
    Question,
    ReferenceTrainer,
    Tree,
    leaves_by,
    without_idle_question,
)
from tests.paper.algorithms import (
    BuildTree,
    Details,
    Examples,
    catboost,
    doubling,
    get_leaf,
    logistic,
    ordered_statistic,
)

N, S = 40, 2
DRAWN = (1, 2, 2, 1, 2)
NUMBERS = 3


class Table:
    """Numbers, a category, orderings and weights, of which questions are made."""

    def __init__(self, seed: int, loss: str = "Logloss") -> None:
        rng = np.random.default_rng(seed)
        self.numbers = rng.normal(size=(NUMBERS, N))
        self.category = rng.integers(0, 5, size=N)
        signal = self.numbers[0] + 2 * (self.category % 2) - 1 + rng.normal(scale=0.7, size=N)
        self.y = {
            "RMSE": signal,
            "MAE": signal,
            "Logloss": (signal > 0.5) * 1.0,
            "MultiClass": np.searchsorted([0.0, 1.0], signal) * 1.0,
            "Poisson": rng.poisson(np.exp(0.5 * signal)) * 1.0,
        }[loss]
        self.orderings = np.array([rng.permutation(N) for _ in range(S + 1)])
        self.weight = rng.uniform(0.3, 3.0, size=N)
        self.sampling = rng.exponential(size=(len(DRAWN), N))

    @property
    def sigma(self):
        return np.argsort(self.orderings, axis=1) + 1

    def questions(self, y=None) -> list[Question]:
        y = self.y if y is None else y
        found = [
            Question(column, border, self.numbers[column] > border)
            for column in range(NUMBERS)
            for border in np.quantile(self.numbers[column], [0.2, 0.4, 0.6, 0.8])
        ]
        statistics = np.array(
            [ordered_statistic(self.category, y, s, a=1.0, p=0.5) for s in self.sigma]
        )
        bins = np.digitize(statistics, [0.2, 0.4, 0.6, 0.8, 1.2])
        return [*found, *statistic_questions(NUMBERS, bins, 6)]


def following(structures):
    """Chooses these questions, given by their places."""

    def choose(tree_number, level, questions, scores):
        places = [question.place for question in questions]
        return questions[places.index(structures[tree_number][level])]

    return choose


def places(trees):
    return [[question.place for question in tree.questions] for tree in trees]


# ---- segments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("growth", [1.01, 1.5, 2.0, 3.7])
@pytest.mark.parametrize("first", [1, 2, 7])
@pytest.mark.parametrize("n", [8, 9, 64, 65, 1000])
def test_tails_follow_each_other_from_the_first_body_to_the_end(n, first, growth):
    found = segments(n, first, growth)
    assert found[0].body == first
    assert found[-1].end == n
    for segment, later in pairwise(found):
        assert later.body == segment.end
    for segment in found[:-1]:
        assert growth * segment.body <= segment.end < growth * segment.body + 1
    assert found[-1].end <= max(growth * found[-1].body, found[-1].body + 1) + 1


@pytest.mark.parametrize("n", [2, 3, 8, 9, 1000])
def test_segments_that_double_are_the_papers(n):
    found = segments(n, 1, 2.0)
    assert tuple(segment.body for segment in found) == doubling(n)
    assert sum(segment.end for segment in found) < 4 * n
    assert [(s.body, s.end) for s in segments(n, 1, 1 + 1 / n)] == [(b, b + 1) for b in range(1, n)]


# ---- the paper --------------------------------------------------------------------------------


@pytest.mark.parametrize("growth", [1.2, 2.0])
@pytest.mark.parametrize("first_body", [1, 5])
@pytest.mark.parametrize("seed", range(3))
def test_without_regularization_it_is_the_papers_build_tree(seed, first_body, growth):
    # One gradient step per leaf; Logloss starts at 0, as the paper does.
    table = Table(seed)
    questions = table.questions()
    plain = ReferenceTrainer(
        "Logloss", len(DRAWN), 2, 0.3, l2_leaf_reg=0.0, leaf_rule=LeafRule("Gradient", 1)
    )
    trained = OrderedTrainer(plain, first_body, growth).train(
        questions, table.y, None, table.orderings, DRAWN, list(table.sampling)
    )
    answers = np.array([[question.by(r) for r in range(S + 1)] for question in questions])
    bodies = tuple(segment.body for segment in segments(N, first_body, growth))
    examples = Examples(table.y, table.sigma, answers)
    paper = catboost(
        examples,
        BuildTree(bodies, "body"),
        logistic,
        r=DRAWN,
        alpha=0.3,
        depth=2,
        details=[Details(a) for a in table.sampling],
    )
    assert any(NUMBERS in dict(T) for T in places(trained.trees))  # the statistic is asked about
    for tree, T, b in zip(trained.trees, paper.T, paper.b, strict=True):
        whole = Tree([questions[c] for c in T], 0.3 * b[:, None])
        expected = without_idle_question(whole, get_leaf(examples, T, 0))
        assert places([tree]) == places([expected])
        assert_allclose(tree.leaf_values, expected.leaf_values, rtol=1e-12)
    for supporting, M in zip(trained.supporting, paper.M, strict=True):
        for r in range(1, S + 1):
            raw = np.array([model.raw[0] for model in supporting[r]])
            assert_allclose(raw, M[r], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("body_gradients", ["segment", "own"])
@pytest.mark.parametrize("cosine", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_scores_compare_each_tail_row_with_the_value_that_its_body_gives_it(
    loss, cosine, body_gradients
):
    table = Table(7, loss)
    plain = ReferenceTrainer(loss, len(DRAWN), 3, 0.3, 2.0, cosine)
    trainer = OrderedTrainer(plain, 4, 2.0, body_gradients=body_gradients)
    questions = table.questions()
    models = trainer.train(questions, table.y, table.weight, table.orderings, DRAWN).supporting[-1]
    weight, lam = table.weight * table.sampling[0], 1.3
    leaves = leaves_by(questions[:2], 1, N)
    answers = np.array([question.by(1) for question in questions])
    found = plain.scores(
        answers, trainer.parts(models[1], table.y, weight), lam, leaves, n_leaves=4
    )
    own = plain.gradients(table.y, own_predictions(models[1]))
    for question, score in zip(questions, found, strict=True):
        place = 2 * leaves + question.by(1)
        together = squares = 0.0
        for model in models[1]:
            for i in np.flatnonzero(model.tail):
                same = model.body & (place == place[i])
                if body_gradients == "segment":
                    gradients = plain.gradients(table.y[same], model.raw[:, same])
                else:
                    gradients = own[:, same]
                v = (gradients * weight[same]).sum(axis=1) / (weight[same].sum() + lam)
                together += weight[i] * (v * own[:, i]).sum()
                squares += weight[i] * (v * v).sum()
        assert score == pytest.approx(together / np.sqrt(squares) if cosine else together)


@pytest.mark.parametrize("loss", LOSSES)
def test_leaf_values_are_those_of_plain_mode_given_the_structure(loss):
    table = Table(1, loss)
    questions = table.questions()[: 4 * NUMBERS]
    plain = ReferenceTrainer(loss, len(DRAWN), 3, 0.3)
    start, trees = plain.train(questions, table.y, table.weight)
    follower = replace(plain, choose=following(places(trees)))
    trained = OrderedTrainer(follower, 3).train(
        questions, table.y, table.weight, table.orderings, DRAWN
    )
    assert_array_equal(trained.start, start)
    for tree, expected in zip(trained.trees, trees, strict=True):
        assert places([tree]) == places([expected])
        assert_array_equal(tree.leaf_values, expected.leaf_values)


@pytest.mark.parametrize("rule", [None, LeafRule("Gradient", 1)])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_supporting_model_is_plain_boosting_of_its_body(loss, rule):
    table = Table(5, loss)
    questions = table.questions()
    plain = ReferenceTrainer(loss, len(DRAWN), 1, 0.3)
    trained = OrderedTrainer(plain, 10, 1.5, rule).train(
        questions, table.y, table.weight, table.orderings, DRAWN
    )
    follower = replace(plain, choose=following(places(trained.trees)), leaf_rule=rule)
    for r in range(1, S + 1):
        for model in trained.supporting[-1][r]:
            body = model.body
            own = [replace(q, answers=q.by(r)[body]) for q in questions]
            # λ goes with the weights of all rows.
            of_all, of_body = map(plain.regularization, (table.weight, table.weight[body]))
            l2 = plain.l2_leaf_reg * of_all / of_body
            start, trees = replace(follower, l2_leaf_reg=l2).train(
                own, table.y[body], table.weight[body]
            )
            raw = np.repeat(start[:, None], body.sum(), axis=1)
            for tree in trees:
                raw += tree.leaf_values[leaves_by(tree.questions, 0, body.sum())].T
            assert_allclose(model.raw[:, body], raw, rtol=1e-12, atol=1e-13)


# ---- what a row's own target enters -----------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_target_never_enters_the_prediction_at_which_its_gradient_is_taken(loss, weighted):
    table, first_body = Table(2, loss), 3
    weight = table.weight if weighted else None
    structures = [
        [(0, table.questions()[1].border), (NUMBERS, 1.0)],
        [(NUMBERS, 2.0), (1, table.questions()[6].border)],
    ] * 2
    plain = ReferenceTrainer(loss, len(structures), 2, 0.3, choose=following(structures))
    trainer = OrderedTrainer(plain, first_body)

    def trained(y):
        return trainer.train(table.questions(y), y, weight, table.orderings, (1, 2, 2, 1))

    before = trained(table.y)
    entered_first_body = entered_model = 0
    for k in range(0, N, 2):
        y = table.y.copy()
        y[k] = {"Logloss": 1 - y[k], "MultiClass": (y[k] + 1) % 3}.get(loss, y[k] + 3)
        after = trained(y)
        for supporting, changed in zip(before.supporting, after.supporting, strict=True):
            for r in range(1, S + 1):
                own = own_predictions(supporting[r])
                now = own_predictions(changed[r])
                assert not np.isnan(own).any()
                if table.sigma[r, k] > first_body:
                    assert_array_equal(own[:, k], now[:, k])
                    # So is the gradient that the old target would have there.
                    gradients = plain.gradients(table.y, own), plain.gradients(table.y, now)
                    assert_array_equal(gradients[0][:, k], gradients[1][:, k])
                else:
                    entered_first_body += bool((own[:, k] != now[:, k]).any())
        entered_model += any(
            (tree.leaf_values != other.leaf_values).any()
            for tree, other in zip(before.trees, after.trees, strict=True)
        )
    assert entered_first_body > 0
    assert entered_model >= N // 4


def test_a_single_ordering_supports_itself():
    table = Table(3)
    plain = ReferenceTrainer("Logloss", 2, 2, 0.3)
    questions = table.questions()[: 4 * NUMBERS]
    orderings = table.orderings[1:2]
    alone = OrderedTrainer(plain, 2).train(questions, table.y, None, orderings, (0, 0))
    twice = OrderedTrainer(plain, 2).train(
        questions, table.y, None, np.repeat(orderings, 2, axis=0), (1, 1)
    )
    assert list(alone.supporting[0]) == [0]
    assert list(twice.supporting[0]) == [1]
    for tree, other in zip(alone.trees, twice.trees, strict=True):
        assert places([tree]) == places([other])
        assert_array_equal(tree.leaf_values, other.leaf_values)
