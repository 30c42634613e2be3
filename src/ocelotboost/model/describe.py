"""A model as text: what it is, how large its parts are, and its trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.model.file import dumps
from ocelotboost.model.file_arrays import TREE_ARRAYS, arrays_of, narrowed
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.wording import Wording

_MOST_LEAVES = 16
_LEAVES_OF_A_DEEP_TREE = 8
_LARGEST_TABLES = 5
_MOST_NAMES = 10


class Description(str):
    """A text that shows itself as it is, also where Python shows values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def describe(model: TrainedModel, trees: int | Sequence[int] | str = 1) -> Description:
    """The model as text.

    trees  which trees to write out: how many of the first, a list of tree numbers, or "all"
    """
    chosen = _chosen_trees(trees, model.forest.n_trees)
    model = replace(model, forest=model.forest.pruned())
    wording = Wording(model.forest, model.feature_names)
    parts = [_summary(model, wording), _sizes(model, wording)]
    parts += [_tree(model, wording, tree) for tree in chosen]
    return Description("\n\n".join(parts))


def _chosen_trees(trees: int | Sequence[int] | str, n_trees: int) -> Sequence[int]:
    if isinstance(trees, str) and trees == "all":
        return range(n_trees)
    if _is_whole(trees) and trees >= 0:
        return range(min(trees, n_trees))
    if not isinstance(trees, str | bytes) and isinstance(trees, Sequence | np.ndarray):
        numbers = [number for number in trees if _is_whole(number) and 0 <= number < n_trees]
        if len(numbers) == len(trees):
            return numbers
    raise ParameterError(
        f"trees={trees!r}; give a number of trees, a list of tree numbers from 0 to {n_trees - 1}, "
        "or 'all'."
    )


def _is_whole(number: object) -> TypeGuard[int]:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


# ---- what it is ------------------------------------------------------------------------------


def _summary(model: TrainedModel, wording: Wording) -> str:
    forest = model.forest
    lines = [
        f"{model.kind}, {model.loss}: {_count(forest.n_trees, 'tree')}, "
        f"{_count(model.n_features, 'feature')}"
    ]
    lines.append(_training(model))
    lines += _choices(model)
    categorical = np.flatnonzero(forest.categorical).tolist()
    if categorical:
        lines.append("categorical: " + _listed([wording.feature(column) for column in categorical]))
    dates = sorted(forest.derivation.times)
    if dates:
        lines.append("dates and times: " + _listed([wording.feature(column) for column in dates]))
    if model.classes is not None:
        lines.append("classes: " + _listed([repr(label) for label in model.classes.tolist()]))
    lines.append("start value: " + ", ".join(f"{value:.6g}" for value in forest.start_value))
    return "\n".join(lines)


def _training(model: TrainedModel) -> str:
    chosen = model.resolved
    steps = chosen.leaf_estimation_iterations
    line = (
        f"training: {chosen.boosting_type}, learning rate {chosen.learning_rate:.6g}, sampling "
        f"{chosen.bootstrap_type}, leaves by {chosen.leaf_estimation_method}"
    )
    line += f" in {steps} steps" if steps > 1 else ""
    if chosen.n_models > 1:
        line += f"; the average of {chosen.n_models} models"
    before = model.n_init_trees
    return line + (f", after {_count(before, 'tree')} of another fit" if before else "")


def _choices(model: TrainedModel) -> list[str]:
    """What was left open."""
    return [f"  {own.told(name)}" for name, own in model.choices.items()]


def _listed(names: list[str]) -> str:
    others = len(names) - _MOST_NAMES
    ending = f" and {others} others" if others > 0 else ""
    return ", ".join(names[:_MOST_NAMES]) + ending


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


# ---- sizes -----------------------------------------------------------------------------------


def _sizes(model: TrainedModel, wording: Wording) -> str:
    """Bytes in a saved file, by part."""
    forest, tables = model.forest, model.forest.statistics
    stored = {name: narrowed(array).nbytes for name, array in arrays_of(forest).items()}
    rows = [["size", "entries", "bytes"]]
    rows.append(["trees", f"{len(forest.leaf_values):,}", _bytes(stored, "")])
    if len(forest.indicators):
        entries = f"{len(forest.indicators):,}"
        rows.append(["indicators", entries, _bytes(stored, "indicators.")])
    if tables.n_tables:
        entries = f"{len(tables.keys):,}"
        name = _count(tables.n_tables, "statistic table")
        rows.append([name, entries, _bytes(stored, "statistics.")])
        n_entries = tables.n_entries()
        of_entry = tables.keys.itemsize + tables.counts.itemsize
        n_bytes = n_entries * (of_entry + tables.n_targets * tables.sums.itemsize)
        largest = np.argsort(-n_bytes, kind="stable")[:_LARGEST_TABLES].tolist()
        rows += [
            [f"  {wording.combination(table)}", f"{n_entries[table]:,}", f"{n_bytes[table]:,}"]
            for table in largest
        ]
        others = tables.n_tables - len(largest)
        if others:
            rest = n_entries.sum() - n_entries[largest].sum()
            n_rest = n_bytes.sum() - n_bytes[largest].sum()
            rows.append([f"  {_count(others, 'other')}", f"{rest:,}", f"{n_rest:,}"])
    rows.append(["saved file", "", f"{len(dumps(model)):,}"])
    return _aligned(rows)


def _bytes(stored: dict[str, int], prefix: str) -> str:
    """Of the arrays whose names begin so; without a prefix, those of the trees."""
    chosen = [
        name for name in stored if (name.startswith(prefix) if prefix else name in TREE_ARRAYS)
    ]
    return f"{sum(stored[name] for name in chosen):,}"


# ---- trees -----------------------------------------------------------------------------------


def _tree(model: TrainedModel, wording: Wording, tree: int) -> str:
    forest = model.forest
    splits, leaves = forest.split_offsets(), forest.leaf_offsets()
    asked = slice(int(splits[tree]), int(splits[tree + 1]))
    questions = [
        f"  {number}. {wording.question(column, border)}"
        for number, (column, border) in enumerate(
            zip(
                forest.split_columns[asked].tolist(),
                forest.split_borders[asked].tolist(),
                strict=True,
            ),
            start=1,
        )
    ]
    own = slice(int(leaves[tree]), int(leaves[tree + 1]))
    table = _leaf_table(
        len(questions), forest.leaf_values[own], forest.leaf_weights[own], _output_names(model)
    )
    return "\n".join([f"tree {tree}", *questions, table])


def _output_names(model: TrainedModel) -> list[str]:
    if model.classes is None or model.forest.n_outputs == 1:
        return ["value"] * model.forest.n_outputs
    return [repr(label) for label in model.classes.tolist()]


def _leaf_table(
    depth: int, values: NDArray[np.float64], weights: NDArray[np.float64], names: list[str]
) -> str:
    """One line per leaf: its answers as digits, what it adds to each output, and its weight."""
    shown = len(values) if len(values) <= _MOST_LEAVES else _LEAVES_OF_A_DEEP_TREE
    rows = [["  yes = 1", *names, "weight"]]
    for leaf in range(shown):
        answers = " ".join(f"{leaf:0{depth}b}") if depth else "none"
        added = [f"{value:+.4g}" for value in values[leaf]]
        rows.append([f"  {answers}", *added, f"{weights[leaf]:,.6g}"])
    ending = [f"  ... and {len(values) - shown:,} other leaves"] if shown < len(values) else []
    return "\n".join([_aligned(rows), *ending])


def _aligned(rows: list[list[str]]) -> str:
    """Columns of texts: the first to the left, the others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)
