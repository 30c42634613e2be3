"""A plain trainer of Ordered mode, which the package must agree with.

What it shares with Plain mode is in reference_trainer.py. Everything random is given: orderings,
the ordering of each tree, sampling weights. Row by row with the paper: tests/paper/algorithms.py.

    positions of σ_r    0      b₀      b₁              b₂                    n
    segment 0           [ body ][ tail ]
    segment 1           [     body     ][    tail      ]
    segment 2           [            body              ][        tail        ]

    M_{r,j} learns from the body of segment j and predicts body and tail.

    repeat, r being the ordering of the tree
        g_j = negative gradients: a tail's at M_{r,j}, a body's there too or at each row's own model
        a tree: at each level the question whose leaf values, made of g_j in the bodies, are most
            aligned with g_j in the tails, over all leaves, outputs and segments together
        for each r', j: leaf values from the body, in the package by a single step;
            M_{r',j} = M_{r',j} + learning rate * tree
        for M_0: leaf values from all rows, by σ₀; these are the model's
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tests.boost.reference_trainer import (
    Floats,
    LeafRule,
    Part,
    Question,
    ReferenceTrainer,
    Tree,
    count_outputs,
    leaves_by,
    start_value,
    without_idle_question,
)


@dataclass(frozen=True)
class Segment:
    """Positions [0, body) and [body, end) of an ordering."""

    body: int
    end: int


def segments(n_rows: int, first_body: int, growth: float) -> list[Segment]:
    """All segments: the next body is ``growth`` times the last one, and ends where its tail did."""
    found = [Segment(first_body, min(math.ceil(growth * first_body), n_rows))]
    while found[-1].end < n_rows:
        body = found[-1].end
        found.append(Segment(body, min(math.ceil(growth * body), n_rows)))
    return found


@dataclass(frozen=True)
class SupportingModel:
    """M_{r,j}.

    body, tail  bool (n,), the segment's rows
    raw         (K, n) predictions; NaN for rows beyond the tail
    """

    body: NDArray[np.bool_]
    tail: NDArray[np.bool_]
    raw: Floats


#: M_{r,0}, M_{r,1} … of each ordering r that supports
Supporting = dict[int, list[SupportingModel]]


def own_predictions(models: list[SupportingModel]) -> Floats:
    """The prediction (K, n) at which each row's own gradient is taken: by the model in whose tail
    it is, and by the first model for rows of the first body."""
    own = models[0].raw.copy()
    for model in models:
        own[:, model.tail] = model.raw[:, model.tail]
    return own


@dataclass(frozen=True)
class OrderedTraining:
    """The result.

    start       (K,) of M_0
    trees       with the leaf values of M_0
    supporting  before each tree, and after the last
    """

    start: Floats
    trees: list[Tree]
    supporting: list[Supporting]


@dataclass(frozen=True)
class OrderedTrainer:
    """Trains as ``plain`` does, but on segments.

    first_body       b₀; rows before it take no part in scores but by their gradients in bodies
    growth           of the bodies, above 1
    supporting_rule  how supporting models fill leaves: the package takes one step of M_0's method;
                     None: as M_0 does
    body_gradients   which make leaf values in scores: those at the "segment"'s model, as in the
                     paper's Algorithm 2, or at each row's "own", as its Algorithm 1 has residuals;
                     the package's default is "own"
    """

    plain: ReferenceTrainer
    first_body: int
    growth: float = 2.0
    supporting_rule: LeafRule | None = None
    body_gradients: str = "segment"

    def train(
        self,
        questions: list[Question],
        y: Floats,
        weight: Floats | None,
        orderings: NDArray[np.integer],
        drawn: Sequence[int],
        sampling: Sequence[Floats | None] | None = None,
    ) -> OrderedTraining:
        """Train on the questions.

        orderings  (s + 1, n): the row at each position of σ₀ … σ_s. σ₁ … σ_s support, or σ₀ alone
        drawn      r of each tree
        sampling   sampling weights (n,) of each tree, for its scores only
        """
        plain = self.plain
        weight = np.ones(len(y)) if weight is None else weight
        regularization = plain.regularization(weight)
        start = start_value(plain.loss, y, weight, count_outputs(plain.loss, y))
        raw = np.repeat(start[:, None], len(y), axis=1)
        supporting = self.start(y, weight, orderings)
        trees, history = [], [supporting]
        for tree_number, r in zip(range(plain.iterations), drawn, strict=True):
            sampled = None if sampling is None else sampling[tree_number]
            sampled = np.ones(len(y)) if sampled is None else sampled
            parts = [
                replace(part, gradients=plain.compared(tree_number, part.gradients))
                for part in self.parts(supporting[r], y, weight * sampled)
            ]
            answers = np.array([question.by(r) for question in questions])
            score = partial(plain.scores, answers, parts, regularization)
            chosen = plain.grow(tree_number, questions, r, sampled > 0, score)
            supporting = {
                other: self.add_tree(models, chosen, other, y, weight, regularization)
                for other, models in supporting.items()
            }
            history.append(supporting)
            leaves = leaves_by(chosen, 0, len(y))
            values = plain.leaf_values(y, weight, raw, leaves, 1 << len(chosen), regularization)
            raw = raw + values[leaves].T
            trees.append(without_idle_question(Tree(chosen, values), leaves))
        return OrderedTraining(start, trees, history)

    def start(self, y: Floats, weight: Floats, orderings: NDArray[np.integer]) -> Supporting:
        """The supporting models before the first tree: each starts from its own body."""
        n_outputs = count_outputs(self.plain.loss, y)
        supporting: Supporting = {}
        for r in range(min(1, len(orderings) - 1), len(orderings)):
            position = np.argsort(orderings[r])
            models = supporting[r] = []
            for segment in segments(len(y), self.first_body, self.growth):
                body = position < segment.body
                tail = ~body & (position < segment.end)
                value = start_value(self.plain.loss, y[body], weight[body], n_outputs)
                raw = np.where(body | tail, value[:, None], np.nan)
                models.append(SupportingModel(body, tail, raw))
        return supporting

    def parts(self, models: list[SupportingModel], y: Floats, weight: Floats) -> list[Part]:
        """What the segments contribute to scores."""
        own = self.plain.gradients(y, own_predictions(models))
        found = []
        for model in models:
            gradients, body = own.copy(), model.body
            if self.body_gradients == "segment":
                gradients[:, body] = self.plain.gradients(y[body], model.raw[:, body])
            found.append(Part(gradients, weight * body, weight * model.tail))
        return found

    def add_tree(
        self,
        models: list[SupportingModel],
        chosen: list[Question],
        ordering: int,
        y: Floats,
        weight: Floats,
        regularization: float,
    ) -> list[SupportingModel]:
        """The models of one ordering with a tree more, whose leaves each fills from its body."""
        leaves = leaves_by(chosen, ordering, len(y))
        rule = self.plain.leaf_rule if self.supporting_rule is None else self.supporting_rule
        supporting = replace(self.plain, leaf_rule=rule)
        added = []
        for model in models:
            body = model.body
            values = supporting.leaf_values(
                y[body],
                weight[body],
                model.raw[:, body],
                leaves[body],
                1 << len(chosen),
                regularization,
            )
            added.append(SupportingModel(body, model.tail, model.raw + values[leaves].T))
        return added


def statistic_questions(column: int, bins: NDArray[np.integer], n_bins: int) -> list[Question]:
    """One for each border between the bins (s + 1, n) of a target statistic, by all orderings."""
    return [Question(column, float(b), bins > b) for b in range(n_bins - 1)]
