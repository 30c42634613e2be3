"""A plain trainer of the paper's Plain mode, which the package must agree with.

Float64, sums over rows, every (column, border) tried: no bins, no histograms, no fixed point, no
threads. Only the borders come from the package.

    repeat
        g = negative gradients at M
        a tree: at each level the question with the highest score, over all leaves together
        its leaf values, from all rows
        M = M + learning rate * tree
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: (loss of each row, first derivatives (K, n), second derivatives (K, K, n)) at raw (K, n)
Derivatives = tuple[Floats, Floats, Floats]
MAX_HALVINGS = 10


@dataclass(frozen=True)
class Question:
    """ "Is the value greater than the border?"; a NaN border asks about missing values.

    answers  bool (n,) of the training rows
    """

    column: int
    border: float
    answers: NDArray[np.bool_]

    @property
    def place(self) -> tuple[int, float | str]:
        """Column and border, comparable."""
        return self.column, "missing" if np.isnan(self.border) else self.border


@dataclass(frozen=True)
class Tree:
    questions: list[Question]
    leaf_values: Floats  # (2^depth, K), learning rate included


@dataclass(frozen=True)
class LeafRule:
    method: str  # "Newton", "Gradient" or "Exact"
    steps: int


# ---- losses ----------------------------------------------------------------------------------


def squared_error(y: Floats, raw: Floats) -> Derivatives:
    return (y - raw[0]) ** 2, raw - y, np.ones((1, *raw.shape))


def logistic(y: Floats, raw: Floats) -> Derivatives:
    p = 1.0 / (1.0 + np.exp(-raw))
    return np.logaddexp(0.0, raw[0]) - y * raw[0], p - y, (p * (1 - p))[None]


def poisson(y: Floats, raw: Floats) -> Derivatives:
    mean = np.exp(raw)
    return mean[0] - y * raw[0], mean - y, mean[None]


def absolute_error(y: Floats, raw: Floats) -> Derivatives:
    return np.abs(y - raw[0]), np.sign(raw - y), np.zeros((1, *raw.shape))


def softmax(y: Floats, raw: Floats) -> Derivatives:
    e = np.exp(raw - raw.max(axis=0))
    p = e / e.sum(axis=0)
    own = (np.arange(len(raw))[:, None] == y).astype(np.float64)
    second = np.einsum("kn,kl->kln", p, np.eye(len(p))) - np.einsum("kn,ln->kln", p, p)
    return -np.log((p * own).sum(axis=0)), p - own, second


LOSSES: dict[str, tuple[Callable[[Floats, Floats], Derivatives], LeafRule]] = {
    "RMSE": (squared_error, LeafRule("Newton", 1)),
    "Logloss": (logistic, LeafRule("Newton", 10)),
    "MultiClass": (softmax, LeafRule("Newton", 1)),
    "Poisson": (poisson, LeafRule("Newton", 10)),
    "MAE": (absolute_error, LeafRule("Exact", 1)),
}


def start_value(loss: str, y: Floats, weight: Floats) -> Floats:
    """The raw prediction before the first tree: (K,)."""
    if loss == "RMSE":
        return np.array([np.average(y, weights=weight)])
    if loss == "Poisson":
        return np.array([np.log(np.average(y, weights=weight))])
    if loss == "MAE":
        return np.array([weighted_median(y, weight)])
    return np.zeros(int(y.max()) + 1 if loss == "MultiClass" else 1)


def weighted_median(values: Floats, weight: Floats) -> float:
    """The smallest value with at least half of the weight at or below it."""
    if len(values) == 0:
        return 0.0
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order])
    return float(values[order][mass >= 0.5 * mass[-1] * (1 - 1e-12)][0])


# ---- the trainer -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ReferenceTrainer:
    """Trains on the given questions.

    choose  picks a question from (tree, level, questions, scores); by default the best one
    """

    loss: str
    iterations: int
    depth: int
    learning_rate: float
    l2_leaf_reg: float = 3.0
    cosine: bool = True
    leaf_rule: LeafRule | None = None
    choose: Callable[[int, int, list[Question], Floats], Question] | None = None

    def train(
        self, questions: list[Question], y: Floats, weight: Floats | None
    ) -> tuple[Floats, list[Tree]]:
        """The start value (K,) and the trees."""
        weight = np.ones(len(y)) if weight is None else weight
        derivatives, rule = LOSSES[self.loss]
        rule = rule if self.leaf_rule is None else self.leaf_rule
        # Whole weights count copies of rows; other weights are relative to their mean.
        whole = bool((weight == np.rint(weight)).all())
        regularization = self.l2_leaf_reg * (1.0 if whole else weight.mean())
        start = start_value(self.loss, y, weight)
        raw = np.repeat(start[:, None], len(y), axis=1)
        trees = []
        for tree_number in range(self.iterations):
            gradients = -derivatives(y, raw)[1]
            chosen, leaves = self.grow(tree_number, questions, gradients, weight, regularization)
            n_leaves = 1 << len(chosen)
            if rule.method == "Exact":
                values = exact_values(y - raw[0], weight, leaves, n_leaves)
            else:
                values = stepped_values(
                    derivatives, y, weight, raw, leaves, n_leaves, regularization, rule
                )
            tree = Tree(chosen, self.learning_rate * values)
            raw = raw + tree.leaf_values[leaves].T
            trees.append(tree)
        return start, trees

    def grow(
        self,
        tree_number: int,
        questions: list[Question],
        gradients: Floats,
        weight: Floats,
        regularization: float,
    ) -> tuple[list[Question], NDArray[np.intp]]:
        """The questions of a tree, and the leaf of every row."""
        chosen: list[Question] = []
        leaves = np.zeros(len(weight), dtype=np.intp)
        answers = np.array([question.answers for question in questions])
        for level in range(self.depth):
            scores = self.scores(answers, gradients, weight, leaves, 1 << level, regularization)
            choose = self.choose or best_question
            question = choose(tree_number, level, questions, scores)
            divided = 2 * leaves + question.answers
            if len(np.unique(divided)) == len(np.unique(leaves)):
                break
            chosen.append(question)
            leaves = divided
        return chosen, leaves

    def scores(
        self,
        answers: NDArray[np.bool_],
        gradients: Floats,
        weight: Floats,
        leaves: NDArray[np.intp],
        n_leaves: int,
        regularization: float,
    ) -> Floats:
        """Cosine or L2 between leaf values and gradients, for every question: (n_questions,)."""
        of_leaf = (leaves[:, None] == np.arange(n_leaves)) * weight[:, None]  # (n, n_leaves)
        numerator, squares = np.zeros((2, len(answers)))
        for side in (answers, ~answers):
            side_weight = side @ of_leaf  # (n_questions, n_leaves)
            empty_is_one = np.where(side_weight > 0, side_weight, 1.0)
            for gradient in gradients:
                total = side @ (of_leaf * gradient[:, None])
                value = np.where(side_weight > 0, total / (empty_is_one + regularization), 0.0)
                numerator += (value * total).sum(axis=1)
                squares += (value**2 * side_weight).sum(axis=1)
        return numerator / np.sqrt(1e-100 + squares) if self.cosine else numerator


def best_question(
    tree_number: int, level: int, questions: list[Question], scores: Floats
) -> Question:
    return questions[int(np.argmax(scores))]


def exact_values(
    residuals: Floats, weight: Floats, leaves: NDArray[np.intp], n_leaves: int
) -> Floats:
    return np.array(
        [[weighted_median(residuals[leaves == k], weight[leaves == k])] for k in range(n_leaves)]
    )


def stepped_values(
    derivatives: Callable[[Floats, Floats], Derivatives],
    y: Floats,
    weight: Floats,
    raw: Floats,
    leaves: NDArray[np.intp],
    n_leaves: int,
    regularization: float,
    rule: LeafRule,
) -> Floats:
    """Newton or gradient steps; a step that does not lower the training loss is halved."""
    values = np.zeros((n_leaves, len(raw)))

    def at(values: Floats) -> Derivatives:
        return derivatives(y, raw + values[leaves].T)

    for _ in range(rule.steps):
        losses, first, second = at(values)
        step = np.zeros_like(values)
        for leaf in np.unique(leaves):
            own = weight * (leaves == leaf)
            curvature = second @ own if rule.method == "Newton" else np.eye(len(raw)) * own.sum()
            step[leaf] = np.linalg.solve(
                curvature + regularization * np.eye(len(raw)), -(first @ own)
            )
        limit = losses @ weight + 1e-12 * abs(losses @ weight)  # rounding must not decide
        for _ in range(MAX_HALVINGS if rule.steps > 1 else 1):
            if rule.steps == 1 or at(values + step)[0] @ weight <= limit:
                values = values + step
                break
            step = step / 2
        else:
            break
    return values


def all_questions(
    X: NDArray[np.floating], borders: list[Floats], *, missing_high: bool
) -> list[Question]:
    """Every question about the table, column after column, from the lowest border to the highest.

    Missing values are below all numbers, or above them; parting them from the numbers is a
    question too, where a column has any.
    """
    found = []
    for column, own in enumerate(borders):
        values = X[:, column].astype(np.float64)
        missing = np.isnan(values)
        above = np.searchsorted(own, values, side="left")  # how many borders are below the value
        above[missing] = len(own) if missing_high else 0
        by_border = [Question(column, float(border), above > i) for i, border in enumerate(own)]
        about_missing = Question(column, float("nan"), missing if missing_high else ~missing)
        if not missing.any():
            found += by_border
        elif missing_high:
            found += [*by_border, about_missing]
        else:
            found += [about_missing, *by_border]
    return found
