"""A plain trainer of the paper's Plain mode, which the package must agree with.

reference_ordered.py is the one of Ordered mode, on the same losses, questions and leaves.

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
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tests.boost.in_order import first_of_the_best, solve, total, totals_by_leaf

Floats = NDArray[np.float64]
#: (loss of each row, first derivatives (K, n), second derivatives (K, K, n)) at raw (K, n)
Derivatives = tuple[Floats, Floats, Floats]
MAX_HALVINGS = 10


@dataclass(frozen=True)
class Question:
    """ "Is the value greater than the border?"; a NaN border asks about missing values.

    answers  bool (n,) of the training rows, or (s + 1, n) where orderings σ₀ … σ_s give a row
             different values, as they do to target statistics
    """

    column: int
    border: float
    answers: NDArray[np.bool_]

    @property
    def place(self) -> tuple[int, float | str]:
        """Column and border, comparable."""
        return self.column, "missing" if np.isnan(self.border) else self.border

    def by(self, ordering: int) -> NDArray[np.bool_]:
        """The answers (n,) in one ordering."""
        return self.answers if self.answers.ndim == 1 else self.answers[ordering]


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
    p = e / total(e.T)
    own = (np.arange(len(raw))[:, None] == y).astype(np.float64)
    second = np.eye(len(p))[:, :, None] * p - p[:, None] * p
    return -np.log(total((p * own).T)), p - own, second


LOSSES: dict[str, tuple[Callable[[Floats, Floats], Derivatives], LeafRule]] = {
    "RMSE": (squared_error, LeafRule("Newton", 1)),
    "Logloss": (logistic, LeafRule("Newton", 10)),
    "MultiClass": (softmax, LeafRule("Newton", 1)),
    "Poisson": (poisson, LeafRule("Newton", 10)),
    "MAE": (absolute_error, LeafRule("Exact", 1)),
}


def count_outputs(loss: str, y: Floats) -> int:
    """K."""
    return int(y.max()) + 1 if loss == "MultiClass" else 1


def start_value(loss: str, y: Floats, weight: Floats, n_outputs: int) -> Floats:
    """The raw prediction before the first tree: (K,)."""
    if loss == "RMSE":
        return np.array([total(y * weight) / total(weight)])
    if loss == "Poisson":
        mean = total(y * weight) / total(weight)
        return np.array([np.log(mean) if mean > 0 else 0.0])
    if loss == "MAE":
        return np.array([weighted_median(y, weight)])
    return np.zeros(n_outputs)


def weighted_median(values: Floats, weight: Floats) -> float:
    """The smallest value with at least half of the weight at or below it."""
    if len(values) == 0:
        return 0.0
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order])
    return float(values[order][mass >= 0.5 * mass[-1] * (1 - 1e-12)][0])


# ---- the trainer -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """Rows that make leaf values, and rows that these are compared with. Plain mode has one part,
    in which all rows are both.

    gradients   (K, n), negative
    body, tail  (n,) weights of the former and of the latter, 0 for rows that are not among them
    """

    gradients: Floats
    body: Floats
    tail: Floats


@dataclass(frozen=True)
class ReferenceTrainer:
    """Trains on the given questions.

    choose   picks a question from (tree, level, questions, scores); by default the best one
    compare  makes of (tree, gradients (K, n)) those that choose the tree; by default all do
    """

    loss: str
    iterations: int
    depth: int
    learning_rate: float
    l2_leaf_reg: float = 3.0
    cosine: bool = True
    leaf_rule: LeafRule | None = None
    choose: Callable[[int, int, list[Question], Floats], Question] | None = None
    compare: Callable[[int, Floats], Floats] | None = None

    def train(
        self, questions: list[Question], y: Floats, weight: Floats | None
    ) -> tuple[Floats, list[Tree]]:
        """The start value (K,) and the trees."""
        weight = np.ones(len(y)) if weight is None else weight
        start = start_value(self.loss, y, weight, count_outputs(self.loss, y))
        raw = np.repeat(start[:, None], len(y), axis=1)
        answers = np.array([question.by(0) for question in questions])
        everyone = np.ones(len(y), dtype=np.bool_)
        regularization = self.regularization(weight)
        trees = []
        for tree_number in range(self.iterations):
            part = Part(self.gradients(y, raw), weight, weight)
            score = partial(self.scores, answers, [part], regularization)
            chosen = self.grow(tree_number, questions, 0, everyone, score)
            leaves = leaves_by(chosen, 0, len(y))
            values = self.leaf_values(y, weight, raw, leaves, 1 << len(chosen), regularization)
            raw = raw + values[leaves].T
            trees.append(without_idle_question(Tree(chosen, values), leaves))
        return start, trees

    def gradients(self, y: Floats, raw: Floats) -> Floats:
        """Negative gradients (K, n)."""
        return -LOSSES[self.loss][0](y, raw)[1]

    def compared(self, tree_number: int, gradients: Floats) -> Floats:
        """Those of the gradients that choose a tree."""
        return gradients if self.compare is None else self.compare(tree_number, gradients)

    def regularization(self, weight: Floats) -> float:
        """λ. Weights count rows, and small ones as many as equal weights that tell as much."""
        return self.l2_leaf_reg * min(1.0, float(total(weight**2) / total(weight)))

    def grow(
        self,
        tree_number: int,
        questions: list[Question],
        ordering: int,
        counted: NDArray[np.bool_],
        score: Callable[[NDArray[np.intp], int], Floats],
    ) -> list[Question]:
        """The questions of a tree, answered by ``ordering``. ``score`` rates all of them, given the
        rows' leaves so far and their number. One that divides no leaf of counted rows ends the
        tree; whether the last one does is seen by the leaves it makes."""
        chosen: list[Question] = []
        leaves = np.zeros(len(counted), dtype=np.intp)
        for level in range(self.depth):
            choose = self.choose or best_question
            question = choose(tree_number, level, questions, score(leaves, 1 << level))
            divided = 2 * leaves + question.by(ordering)
            idle = len(np.unique(divided[counted])) == len(np.unique(leaves[counted]))
            if idle and level < self.depth - 1:
                break
            chosen.append(question)
            leaves = divided
        return chosen

    def leaf_values(
        self,
        y: Floats,
        weight: Floats,
        raw: Floats,
        leaves: NDArray[np.intp],
        n_leaves: int,
        regularization: float,
    ) -> Floats:
        """Values (n_leaves, K) from these rows, learning rate included."""
        derivatives, rule = LOSSES[self.loss]
        rule = rule if self.leaf_rule is None else self.leaf_rule
        if rule.method == "Exact":
            values = exact_values(y - raw[0], weight, leaves, n_leaves)
        else:
            values = stepped_values(
                derivatives, y, weight, raw, leaves, n_leaves, regularization, rule
            )
        return self.learning_rate * values

    def scores(
        self,
        answers: NDArray[np.bool_],
        parts: list[Part],
        regularization: float,
        leaves: NDArray[np.intp],
        n_leaves: int,
    ) -> Floats:
        """Cosine or L2 between leaf values and gradients, for every question: (n_questions,)."""
        divided = 2 * leaves + answers  # (n_questions, n)
        numerator, squares = np.zeros((2, len(answers)))
        for part in parts:
            body_weight, tail_weight = (
                totals_by_leaf(weight, divided, 2 * n_leaves) for weight in (part.body, part.tail)
            )
            empty_is_one = np.where(body_weight > 0, body_weight, 1.0)
            for gradient in part.gradients:
                body = totals_by_leaf(part.body * gradient, divided, 2 * n_leaves)
                tail = totals_by_leaf(part.tail * gradient, divided, 2 * n_leaves)
                value = np.where(body_weight > 0, body / (empty_is_one + regularization), 0.0)
                numerator += total(value * tail)
                squares += total(value**2 * tail_weight)
        return numerator / np.sqrt(1e-100 + squares) if self.cosine else numerator


def best_question(
    tree_number: int, level: int, questions: list[Question], scores: Floats
) -> Question:
    return questions[first_of_the_best(scores)]


def leaves_by(questions: list[Question], ordering: int, n_rows: int) -> NDArray[np.intp]:
    """Leaf numbers (n,): the answers as binary digits, the first question highest."""
    leaves = np.zeros(n_rows, dtype=np.intp)
    for question in questions:
        leaves = 2 * leaves + question.by(ordering)
    return leaves


def without_idle_question(tree: Tree, leaves: NDArray[np.intp]) -> Tree:
    """The tree without its last question, if no rows in the same leaf answer it differently."""
    if not tree.questions or len(np.unique(leaves)) > len(np.unique(leaves // 2)):
        return tree
    halves = tree.leaf_values.reshape(-1, 2, tree.leaf_values.shape[1])
    return Tree(tree.questions[:-1], halves.sum(axis=1))  # an empty leaf has value 0


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
    """Newton or gradient steps; a step that makes the loss of its leaf worse is halved."""
    values = np.zeros((n_leaves, len(raw)))

    def at(values: Floats) -> Derivatives:
        return derivatives(y, raw + values[leaves].T)

    def by_leaf(losses: Floats) -> Floats:
        return totals_by_leaf(losses * weight, leaves[None], n_leaves)[0]

    for _ in range(rule.steps):
        losses, first, second = at(values)
        step = np.zeros_like(values)
        for leaf in np.unique(leaves):
            own = weight * (leaves == leaf)
            one = np.eye(len(raw))
            curvature = total(second * own) if rule.method == "Newton" else one * total(own)
            step[leaf] = solve(curvature + regularization * one, -total(first * own))
        limit = by_leaf(losses)
        limit = limit + 1e-12 * abs(limit)  # rounding must not decide
        for halvings in range(MAX_HALVINGS + 1 if rule.steps > 1 else 0):
            worse = by_leaf(at(values + step)[0]) > limit
            if not worse.any():
                break
            step[worse] /= 2 if halvings < MAX_HALVINGS else np.inf
        values = values + step
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
