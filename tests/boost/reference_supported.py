"""A plain trainer of Plain mode with target statistics, which the package must agree with.

All else that Plain mode does is tests/boost/reference_trainer.py's. Everything random is given: the
ordering of each tree, and sampling weights.

    M_0, M_1 … M_s = start value
    repeat, r being the ordering of the tree
        g = negative gradients at M_r
        a tree: at each level the question with the highest score, answered by σ_r
        for each r': leaf values from all rows, at M_r' and by the answers in σ_r';
            M_r' = M_r' + learning rate * tree, for r' > 0 times the supporting rate, and with
            a single step towards the leaf values

In the paper the supporting rate is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tests.boost.reference_trainer import (
    LOSSES,
    Floats,
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
class SupportedTrainer:
    """Trains as ``plain`` does, with a model for each ordering."""

    plain: ReferenceTrainer
    supporting_rate: float

    @property
    def supporting(self) -> ReferenceTrainer:
        """How the models that only choose trees fill leaves."""
        plain = self.plain
        rule = LOSSES[plain.loss][1] if plain.leaf_rule is None else plain.leaf_rule
        rate = plain.learning_rate * self.supporting_rate
        return replace(plain, learning_rate=rate, leaf_rule=replace(rule, steps=1))

    def train(
        self,
        questions: list[Question],
        y: Floats,
        weight: Floats | None,
        n_orderings: int,
        drawn: Sequence[int],
        sampling: Sequence[Floats | None],
    ) -> tuple[Floats, list[Tree]]:
        """The start value (K,), and the trees with the leaf values of M_0.

        drawn     r of each tree
        sampling  sampling weights (n,) of each tree, for its scores only
        """
        plain = self.plain
        weight = np.ones(len(y)) if weight is None else weight
        regularization = plain.regularization(weight)
        start = start_value(plain.loss, y, weight, count_outputs(plain.loss, y))
        models = [np.repeat(start[:, None], len(y), axis=1) for _ in range(n_orderings)]
        trees = []
        for tree_number, r in zip(range(plain.iterations), drawn, strict=True):
            given = sampling[tree_number]
            sampled = np.ones(len(y)) if given is None else given
            gradients = plain.compared(tree_number, plain.gradients(y, models[r]))
            part = Part(gradients, weight * sampled, weight * sampled)
            answers = np.array([question.by(r) for question in questions])
            score = partial(plain.scores, answers, [part], regularization)
            chosen = plain.grow(tree_number, questions, r, sampled > 0, score)
            for ordering in reversed(range(n_orderings)):  # M_0 last: its values are the tree's
                leaves = leaves_by(chosen, ordering, len(y))
                values = (self.supporting if ordering else plain).leaf_values(
                    y, weight, models[ordering], leaves, 1 << len(chosen), regularization
                )
                models[ordering] = models[ordering] + values[leaves].T
            trees.append(without_idle_question(Tree(chosen, values), leaves))
        return start, trees
