"""The trees, as a page can show them: questions in words, values and weights of the leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ocelotboost.report.document import Block, Figure, Paragraph, Section, section, strong
from ocelotboost.report.figures import count, packed
from ocelotboost.report.subject import Subject

_MOST_NUMBERS = 60_000  # values and weights of leaves on a page


def trees_section(subject: Subject) -> Section:
    return section("trees", "Trees", "The trees", _blocks(subject))


def _blocks(subject: Subject) -> Iterator[Block]:
    forest = subject.model.forest
    if forest.n_trees == 0:
        yield Paragraph("The model has no trees: it predicts the same for each row.")
        return
    shown = _shown(subject)
    depths = forest.tree_depths
    depth = (
        f"{depths.min()}" if depths.min() == depths.max() else f"{depths.min()} to {depths.max()}"
    )
    yield Paragraph(
        f"The prediction is the sum of {strong(count(forest.n_trees, 'tree'))} and a start value. "
        f"A tree asks {depth} questions, the same of each row, and adds the value of the leaf that "
        "the answers lead to."
        + (f" The first {shown:,} are below." if shown < forest.n_trees else "")
    )
    questions = _questions(subject, 0)
    yield Figure(
        "trees",
        "One tree at a time",
        _data(subject, shown),
        "The first tree asks: " + "; ".join(f"{text}?" for text in questions) + ".",
        True,
    )


def _shown(subject: Subject) -> int:
    """As many trees as a page should hold."""
    forest = subject.model.forest
    numbers = forest.leaf_offsets()[1:] * (forest.n_outputs + 1)
    return max(1, int(np.searchsorted(numbers, _MOST_NUMBERS, side="right")))


def _questions(subject: Subject, tree: int) -> list[str]:
    forest = subject.model.forest
    offsets = forest.split_offsets()
    own = slice(int(offsets[tree]), int(offsets[tree + 1]))
    return [
        subject.wording.question(column, border)
        for column, border in zip(
            forest.split_columns[own].tolist(), forest.split_borders[own].tolist(), strict=True
        )
    ]


def _data(subject: Subject, shown: int) -> dict[str, Any]:
    forest = subject.model.forest.first(shown)
    texts: dict[str, int] = {}
    questions = [
        [texts.setdefault(text, len(texts)) for text in _questions(subject, tree)]
        for tree in range(shown)
    ]
    several = forest.n_outputs > 1
    return {
        "texts": list(texts),
        "questions": questions,
        "values": packed(forest.leaf_values.astype(np.float32)),
        "weights": packed(forest.leaf_weights.astype(np.float32)),
        "outputs": subject.labels if several else [""],
        "start": [float(f"{value:.5g}") for value in forest.start_value],
        "all": subject.model.forest.n_trees,
    }
