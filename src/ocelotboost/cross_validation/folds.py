"""Which rows train and which rows judge, fold by fold.

cv=5                      every row judges once; classes have equal shares in all folds
cv=5, groups=...          no group both trains and judges
cv=5, time=...            rows that judge are later than all rows that train

    fold 1   train | judge |
    fold 2   train   train | judge |
    fold 3   train   train   train | judge        ──► time

cv=splitter, or a list    any splitter of scikit-learn, or pairs of row numbers
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.table.values import is_missing, shorten

Rows = NDArray[np.intp]

#: With more groups, balancing the classes over the folds takes longer than training.
_MOST_STRATIFIED_GROUPS = 10_000

_FORMS = "give a number of folds from 2 on, a splitter of scikit-learn, or pairs of row numbers"


class Fold(NamedTuple):
    """Row numbers: those to train on, and those to judge by."""

    train: Rows
    test: Rows


@dataclass(frozen=True)
class RowsToSplit:
    """What folds may depend on.

    X        as the user gave it, for splitters that look at it
    y        (n,) labels, or numbers
    classes  (n_classes,) of the labels; None: y holds numbers
    codes    uint32 (n,) each row's place among the classes
    weight   float32 (n,), or None when all weigh 1
    groups   as the user gave them, or None
    time     as the user gave it, or None
    """

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None = None
    codes: NDArray[np.uint32] | None = None
    weight: NDArray[np.float32] | None = None
    groups: Any = None
    time: Any = None

    @property
    def n_rows(self) -> int:
        return len(self.y)


def make_folds(cv: Any, rows: RowsToSplit, random_state: Any) -> list[Fold]:
    """All folds, checked: each trains on every class, and on no row that judges it."""
    groups = None if rows.groups is None else _one_per_row(rows.groups, rows.n_rows, "groups")
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool | np.bool_):
        if cv < 2:
            raise ParameterError(f"cv={cv} is not possible; {_FORMS}.")
        folds = _counted_folds(int(cv), rows, groups, random_state)
    else:
        if rows.time is not None:
            raise ParameterError(
                f"time makes folds that go forward, and cv={shorten(cv)} makes folds of its own: "
                "give cv as a number, or leave time out."
            )
        folds = list(_given_folds(cv, rows, groups))
    for number, fold in enumerate(folds):
        _check(number, fold, rows)
    return folds


def _counted_folds(
    n_folds: int, rows: RowsToSplit, groups: NDArray[Any] | None, random_state: Any
) -> list[Fold]:
    if rows.n_rows < n_folds:
        raise InputError(
            f"cv={n_folds} needs at least as many rows, and X has {rows.n_rows}; use fewer folds."
        )
    if rows.time is not None:
        return _forward(n_folds, _one_per_row(rows.time, rows.n_rows, "time"), groups)
    if groups is not None:
        found = _by_group(n_folds, rows, groups, random_state)
    else:
        found = _shuffled(n_folds, rows, random_state)
    return [Fold(np.sort(train), np.sort(test)) for train, test in found]


def _shuffled(n_folds: int, rows: RowsToSplit, random_state: Any) -> Iterator[Any]:
    from sklearn.model_selection import KFold, StratifiedKFold

    if rows.classes is None or rows.codes is None:
        splitter: Any = KFold(n_folds, shuffle=True, random_state=random_state)
        return splitter.split(rows.y)  # type: ignore[no-any-return]
    counts = np.bincount(rows.codes)
    rarest = int(counts.argmin())
    if counts[rarest] < n_folds:
        raise InputError(
            f"The class {shorten(rows.classes[rarest])} has {counts[rarest]} rows, fewer than the "
            f"{n_folds} folds that each need one to judge: use at most {max(counts[rarest], 2)} "
            "folds, or leave out or merge rare classes."
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return splitter.split(rows.codes, rows.codes)  # type: ignore[no-any-return]


def _by_group(
    n_folds: int, rows: RowsToSplit, groups: NDArray[Any], random_state: Any
) -> Iterator[Any]:
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    n_groups, codes = _codes(groups, "groups")
    if n_groups < n_folds:
        raise InputError(
            f"groups has {n_groups} distinct values, fewer than cv={n_folds}: no group may be in "
            "two folds, so use fewer folds."
        )
    splitter: Any = GroupKFold(n_folds)
    if rows.codes is not None and n_groups <= _MOST_STRATIFIED_GROUPS:
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    return splitter.split(codes, rows.codes, codes)  # type: ignore[no-any-return]


def _forward(n_folds: int, time: NDArray[Any], groups: NDArray[Any] | None) -> list[Fold]:
    """Equal times stay together. A group that judges does not train in that fold."""
    n_times, moment = _codes(time, "time")
    if n_times < n_folds + 1:
        raise InputError(
            f"time has {n_times} distinct values; cv={n_folds} folds that go forward need at "
            f"least {n_folds + 1}: use fewer folds, or finer times."
        )
    edges = _edges(np.cumsum(np.bincount(moment)), n_folds)
    folds = []
    for begin, end in itertools.pairwise(edges):
        judges = (moment >= begin) & (moment < end)
        trains = moment < begin
        if groups is not None:
            trains &= ~np.isin(groups, groups[judges])
        folds.append(Fold(np.flatnonzero(trains), np.flatnonzero(judges)))
    return folds


def _edges(rows_until: NDArray[Any], n_folds: int) -> list[int]:
    """Distinct times at which parts begin, such that all parts have about as many rows.

    >>> _edges(np.array([1, 2, 3, 4, 5, 6, 7, 8]), 3)
    [2, 4, 6, 8]
    >>> _edges(np.array([100, 101, 102]), 2)
    [1, 2, 3]
    """
    n_times, n_rows = len(rows_until), int(rows_until[-1])
    edges, before = [], 0
    for part in range(1, n_folds + 1):
        wanted = int(np.searchsorted(rows_until, n_rows * part / (n_folds + 1))) + 1
        before = min(max(wanted, before + 1), n_times - (n_folds + 1 - part))
        edges.append(before)
    return [*edges, n_times]


def _given_folds(cv: Any, rows: RowsToSplit, groups: NDArray[Any] | None) -> Iterator[Fold]:
    """Those of a splitter, or as they were given."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        try:
            pairs: Iterable[Any] = list(cv.split(rows.X, rows.y, groups))
        except (TypeError, ValueError) as problem:
            raise InputError(f"cv={cv!r} cannot split these rows: {problem}") from problem
    elif isinstance(cv, Iterable) and not isinstance(cv, str | bytes | dict):
        pairs = list(cv)
    else:
        raise ParameterError(f"cv={cv!r} is not possible; {_FORMS}.")
    if not pairs:
        raise ParameterError(f"cv={cv!r} has no folds; {_FORMS}.")
    for number, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ParameterError(
                f"Fold {number + 1} of cv is {shorten(pair)}, not a pair of row numbers to train "
                f"on and to judge by; {_FORMS}."
            )
        yield Fold(*(_row_numbers(own, rows.n_rows, number) for own in pair))


def _row_numbers(given: Any, n_rows: int, number: int) -> Rows:
    """From numbers or from a mask."""
    array = np.asarray(given)
    if array.dtype == np.bool_ and array.shape == (n_rows,):
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(
            f"Fold {number + 1} of cv has an array of dtype {array.dtype} and shape "
            f"{array.shape}; give row numbers, or a mask with one value per row of X."
        )
    chosen = array.astype(np.intp)
    outside = (chosen < 0) | (chosen >= n_rows)
    if outside.any():
        raise InputError(
            f"Fold {number + 1} of cv names row {chosen[outside][0]}, and X has {n_rows} rows: "
            f"give numbers from 0 to {n_rows - 1}."
        )
    return chosen


def _check(number: int, fold: Fold, rows: RowsToSplit) -> None:
    which = f"Fold {number + 1}"
    for own, what in ((fold.train, "train on"), (fold.test, "judge by")):
        if not len(own):
            raise InputError(f"{which} has no rows to {what}: use other folds, or fewer.")
        if rows.weight is not None and not rows.weight[own].any():
            raise InputError(
                f"All rows that {which.lower()} has to {what} have weight 0: use other folds, or "
                "leave out rows of weight 0."
            )
    both = np.intersect1d(fold.train, fold.test)
    if len(both):
        raise InputError(
            f"{which} both trains on row {both[0]} and is judged by it, which would flatter the "
            "model: a row may be in one of the two."
        )
    if rows.classes is not None and rows.codes is not None:
        counts = np.bincount(rows.codes[fold.train], minlength=len(rows.classes))
        if not counts.all():
            raise InputError(
                f"{which} has no row of class {shorten(rows.classes[counts.argmin()])} among the "
                f"{len(fold.train):,} rows to train on: use fewer folds, or folds that have rows "
                "of all classes."
            )


def _one_per_row(values: Any, n_rows: int, argument: str) -> NDArray[Any]:
    """An array (n_rows,) of any dtype without missing values."""
    try:
        array = np.asarray(values)
    except ValueError as problem:
        raise InputError(f"{argument} cannot be read as one value per row: {problem}.") from problem
    if array.shape != (n_rows,):
        raise InputError(
            f"{argument} has shape {array.shape}, but X has {n_rows} rows: pass one value for "
            f"each row, an array of shape ({n_rows},)."
        )
    if array.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in array], dtype=np.bool_)
    elif array.dtype.kind in "mM":
        missing = np.isnat(array)
    else:
        missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(n_rows, dtype=np.bool_)
    if missing.any():
        row = int(np.argmax(missing))
        raise InputError(
            f"Row {row} of {argument} is missing ({shorten(array[row])}): fill it in, or leave out "
            "such rows."
        )
    return array


def _codes(values: NDArray[Any], argument: str) -> tuple[int, NDArray[np.intp]]:
    """How many distinct values there are, and each row's place among them, ascending."""
    try:
        distinct, codes = np.unique(values, return_inverse=True)
    except TypeError as problem:
        raise InputError(
            f"{argument} holds values that cannot be compared ({problem}): pass numbers, times or "
            "texts, and not a mixture."
        ) from problem
    return len(distinct), codes.astype(np.intp)
