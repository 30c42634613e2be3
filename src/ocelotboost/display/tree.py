"""An oblivious tree: its questions in words, one per level, and its leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.style import BLUE, GREY, INK, ORANGE, axes_for, output_of, shortened
from ocelotboost.errors import ParameterError
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.wording import Wording

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DEEPEST = 6
_LINE = "#cbd5e0"
#: Inches.
_LEAF, _NARROWEST, _CHARACTER = 0.42, 4.6, 0.082


def plot_tree(model: TrainedModel, tree: int, *, output: Any = None, ax: Any = None) -> Axes:
    """Draw one tree: a level per question, each leaf with its value and its share of the training
    rows. Of a tree deeper than six, the first six levels are drawn, with means of their leaves.
    """
    forest = model.forest
    if not 0 <= tree < forest.n_trees:
        raise ParameterError(
            f"tree={tree!r}: the model has {forest.n_trees} trees; give a number from 0 to "
            f"{forest.n_trees - 1}."
        )
    names = None if model.classes is None else [str(label) for label in model.classes.tolist()]
    place = output_of(forest.n_outputs, names, output)
    splits = slice(*forest.split_offsets()[tree : tree + 2].tolist())
    leaves = slice(*forest.leaf_offsets()[tree : tree + 2].tolist())
    wording = Wording(forest, model.feature_names)
    questions = [
        wording.question(column, border)
        for column, border in zip(
            forest.split_columns[splits].tolist(),
            forest.split_borders[splits].tolist(),
            strict=True,
        )
    ]
    depth = min(len(questions), _DEEPEST)
    weights = forest.leaf_weights[leaves]
    values, shares = _merged(forest.leaf_values[leaves, place], weights, depth)
    questions = [f"{shortened(question, 60)} ?" for question in questions[:depth]]
    leaf_width = max(_LEAF, _NARROWEST / 2**depth)
    text_width = _CHARACTER * max(len(text) for text in [*questions, "share of rows"]) + 0.2
    axes = axes_for(ax, leaf_width * 2**depth + text_width, 1.8 + 0.72 * depth)
    axes.set_xlim(-text_width / leaf_width, 2**depth)
    _draw_levels(axes, shares, questions)
    _draw_leaves(axes, values, shares, depth)
    title = f"tree {tree}" if names is None or forest.n_outputs == 1 else f"tree {tree}, {output}"
    n_questions = splits.stop - splits.start
    if depth < n_questions:
        title += f": the first {depth} of {n_questions} questions"
    axes.set_title(title, fontsize="medium", loc="left")
    axes.set_axis_off()
    return axes


def _merged(
    values: NDArray[np.float64], weights: NDArray[np.float64], depth: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean value and share of the rows of each node at a depth."""
    by_node, own = values.reshape(1 << depth, -1), weights.reshape(1 << depth, -1)
    totals = own.sum(axis=1)
    means = np.divide(
        (by_node * own).sum(axis=1), totals, out=by_node.mean(axis=1), where=totals > 0
    )
    return means, totals / (totals.sum() or 1.0)


def _draw_levels(ax: Axes, shares: NDArray[np.float64], questions: list[str]) -> None:
    """Lines from each node to its children; the width of a line is its share of the rows."""
    depth, n_leaves = len(questions), len(shares)
    for level, question in enumerate(questions):
        width = n_leaves >> level
        below = shares.reshape(2 << level, -1).sum(axis=1)
        for node in range(1 << level):
            top = (node + 0.5) * width, -level
            for answer in (0, 1):
                share = float(below[2 * node + answer])
                bottom = (node + 0.25 + 0.5 * answer) * width, -level - 1
                ax.plot(
                    [top[0], bottom[0]], [top[1], bottom[1]], zorder=1,
                    color=BLUE if answer else _LINE if share > 0 else "#edf2f7",
                    linewidth=0.8 + 5.0 * share, solid_capstyle="round",
                )  # fmt: skip
            ax.plot(*top, "o", color="white", markeredgecolor=INK, markersize=5, zorder=2)
        ax.annotate(question, (-0.6, -level), ha="right", va="center", color=INK)
    if depth:
        ax.annotate("no", (0.22 * n_leaves, -0.45), ha="right", color=GREY, fontsize="small")
        ax.annotate("yes", (0.78 * n_leaves, -0.45), ha="left", color=BLUE, fontsize="small")


def _draw_leaves(
    ax: Axes, values: NDArray[np.float64], shares: NDArray[np.float64], depth: int
) -> None:
    """A bar up or down per leaf, its value above it and its share of the rows below."""
    largest = float(np.abs(values).max()) or 1.0
    upright = depth > 3
    middle = -depth - 0.75
    for leaf, (value, share) in enumerate(zip(values.tolist(), shares.tolist(), strict=True)):
        x = leaf + 0.5
        height = 0.5 * value / largest
        colour = "#e2e8f0" if share == 0 else ORANGE if value > 0 else BLUE
        ax.bar(x, height, bottom=middle, width=0.6, color=colour)
        ax.annotate(
            f"{value:+.2g}", (x, middle - 0.62), ha="center", va="top", fontsize="small",
            rotation=90 if upright else 0, color=INK if share else GREY,
        )  # fmt: skip
        ax.annotate(
            f"{100 * share:.2g} %", (x, middle - (1.5 if upright else 0.95)), ha="center",
            va="top", fontsize="small", rotation=90 if upright else 0, color=GREY,
        )  # fmt: skip
    ax.plot([0, len(values)], [middle, middle], color=GREY, linewidth=0.8)
    ax.annotate("value", (-0.6, middle - 0.62), ha="right", va="top", color=INK, fontsize="small")
    ax.annotate(
        "share of rows", (-0.6, middle - (1.5 if upright else 0.95)), ha="right", va="top",
        color=GREY, fontsize="small",
    )  # fmt: skip
    ax.set_ylim(middle - (2.3 if upright else 1.4), 0.5)
