"""Who plays which role: are these the columns of the model, is this a target, are these weights?

What a person can get wrong about y, sample_weight and the columns of X is found here, and named:
the row or column, the value, and what to do. The first words of several messages are
scikit-learn's own, which its users (and its estimator checks) know.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.table.arrow_check import check_arrow
from ocelotboost.table.columns import Table
from ocelotboost.table.from_input import is_sparse
from ocelotboost.table.values import (
    FLOAT32,
    FloatArray,
    Header,
    Origin,
    first_where,
    floats,
    is_missing,
    not_numbers,
    shorten,
)

LARGEST = float(np.finfo(np.float32).max)
NAMES_SHOWN = 5


# ---- columns --------------------------------------------------------------------------------


def match_columns(
    table: Table | Header,
    expected_names: tuple[str, ...] | None,
    n_expected: int,
    estimator_name: str,
) -> None:
    """Check that the table has the columns of the fit, by name where both sides have names."""
    names = table.names
    if names is not None and expected_names is not None:
        if names != expected_names:
            raise InputError(_names_message(names, expected_names))
    elif names is not None:
        _warn(f"X has feature names, but {estimator_name} was fitted without feature names")
    elif expected_names is not None:
        _warn(
            f"X does not have valid feature names, but {estimator_name} was fitted with "
            "feature names"
        )
    n_columns = table.n_given if isinstance(table, Table) else table.n_columns
    if n_columns != n_expected:
        raise InputError(
            f"X has {n_columns} features, but {estimator_name} is expecting {n_expected} "
            "features as input. Pass the same columns, in the same order, as in fit."
        )


def _names_message(names: tuple[str, ...], expected: tuple[str, ...]) -> str:
    unseen, missing = set(names) - set(expected), set(expected) - set(names)
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += f"Feature names unseen at fit time:\n{_list_names(unseen)}"
    if missing:
        message += f"Feature names seen at fit time, yet now missing:\n{_list_names(missing)}"
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    if missing:
        return message + "Add the missing columns, or train the model without them."
    return message + "Select the columns of the fit, in their order: X[model.feature_names_in_]."


def _list_names(names: Iterable[str]) -> str:
    names = sorted(names)
    lines = [f"- {name}\n" for name in names[:NAMES_SHOWN]]
    return "".join(lines) + ("- ...\n" if len(names) > NAMES_SHOWN else "")


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


# ---- targets --------------------------------------------------------------------------------


def regression_target(y: Any, n_rows: int, *, argument: str = "y") -> FloatArray:
    """The target of a regression: finite numbers (n_rows,), in the precision they have.

    A float array is returned as it is, not copied.
    """
    array = _vector(y, argument)
    _check_length(array, n_rows, argument)
    remedy = "pass numbers; to learn classes, use a classifier"
    values = floats(array, Origin(argument, remedy=remedy))
    _check_finite(values, argument)
    return values


def class_target(
    y: Any, n_rows: int, *, argument: str = "y"
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The target of a classification: its sorted classes, and each row's place among them.

    Returns classes (n_classes,) of the labels' own kind and codes uint32 (n_rows,), such that
    ``classes[codes]`` are the labels.
    """
    labels = _labels(y, argument)
    _check_length(labels, n_rows, argument)
    classes, codes = _classes_and_codes(labels)
    if len(classes) == 1:
        raise InputError(
            f"{argument} has one class only, {shorten(classes[0])}, in all {n_rows} rows: a "
            "classifier needs rows of at least 2 classes. Check how the rows were selected."
        )
    return classes, codes


def encode_labels(
    y: Any, classes: NDArray[Any], *, n_rows: int | None = None, argument: str = "y"
) -> NDArray[np.uint32]:
    """The labels of further rows as places among the classes of the fit, uint32 (n,)."""
    labels = _labels(y, argument)
    if n_rows is not None:
        _check_length(labels, n_rows, argument)
    present, codes = _classes_and_codes(labels)
    place = {label: code for code, label in enumerate(classes.tolist())}
    for label in present.tolist():
        if label not in place:
            row = first_where(labels == label)
            known = ", ".join(shorten(known) for known in classes[:NAMES_SHOWN])
            raise InputError(
                f"Row {row} of {argument} is {shorten(label)}, a class that the training target "
                f"does not have (it has {known}{', ...' if len(classes) > NAMES_SHOWN else ''}). "
                "Drop such rows, or add rows of that class to the training rows."
            )
    place_of_code = np.array([place[label] for label in present.tolist()], dtype=np.uint32)
    return place_of_code[codes]


# ---- weights --------------------------------------------------------------------------------


def row_weights(
    sample_weight: Any, n_rows: int, *, argument: str = "sample_weight"
) -> NDArray[np.float32] | None:
    """How much each row counts: not negative, not all zero, float32 (n_rows,).

    None stays None; a single number is every row's weight.
    """
    if sample_weight is None:
        return None
    array = _array(sample_weight, argument)
    if array.ndim == 0:
        array = np.full(n_rows, array)
    if array.shape != (n_rows,):
        raise InputError(
            f"{argument} has shape {array.shape}, but X has {n_rows} rows: pass one weight for "
            f"each row, an array of shape ({n_rows},)."
        )
    values = floats(array, Origin(argument, remedy="pass one number for each row"))
    if not (values.min() >= 0 and values.max() <= LARGEST):
        row = first_where(~((values >= 0) & (values <= LARGEST)))
        raise InputError(
            f"Row {row} of {argument} is {shorten(values[row])}: a weight must be finite and not "
            "negative. Use 0 for a row that should not count."
        )
    weights = np.ascontiguousarray(values, dtype=FLOAT32)
    if not weights.any():
        raise InputError(
            f"All weights in {argument} are zero: sample weights must contain at least one "
            "non-zero number, because rows of weight zero do not count."
        )
    return weights


# ---- one value per row ----------------------------------------------------------------------


def _vector(y: Any, argument: str) -> NDArray[Any]:
    """y as an array (n,) of whatever dtype it has; a single column is accepted and warned of."""
    if y is None:
        raise InputError(
            f"This estimator requires {argument} to be passed, but the target {argument} is None: "
            "pass one value for each row of X."
        )
    array = _array(y, argument)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            f"A column-vector {argument} was passed when a 1d array was expected. Please change "
            f"the shape of {argument} to (n_samples, ), for example using ravel().",
            import_module("sklearn.exceptions").DataConversionWarning,
            stacklevel=4,
        )
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(
            f"{argument} should be a 1d array, got an array of shape {array.shape} instead "
            f"(from a {type(y).__name__}). Pass one value for each row; fit one model per target."
        )
    return array


def _array(values: Any, argument: str) -> NDArray[Any]:
    """The values as an array of any shape and dtype; text mixed with numbers is kept as objects."""
    if is_sparse(values):
        raise InputError(
            f"{argument} is a sparse matrix: pass it dense, for example {argument}.toarray()."
        )
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row = first_where(np.ma.getmaskarray(values).ravel())
        raise InputError(f"Row {row} of {argument} is masked: drop masked rows.")
    check_arrow(values, argument, contents=True)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{argument} cannot be read as an array of one value per row: {error}."
        ) from error
    if array.dtype.kind in "US" and array.ndim == 1 and isinstance(values, list | tuple):
        objects = np.asarray(values, dtype=object)
        return array if all(isinstance(value, str) for value in objects) else objects
    return array.astype(object) if array.dtype.kind == "T" else array


def _check_length(array: NDArray[Any], n_rows: int, argument: str) -> None:
    if len(array) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, "
            f"{len(array)}]. X has {n_rows} rows and {argument} has {len(array)} values: pass one "
            "value for each row."
        )


def _check_finite(values: FloatArray, argument: str) -> None:
    """No NaN, and nothing that float32 cannot hold."""
    if values.size == 0 or (values.min() >= -LARGEST and values.max() <= LARGEST):
        return
    row = first_where(~(np.abs(values) <= LARGEST))
    value = values[row]
    if np.isnan(value):
        raise _missing(row, value, argument)
    raise InputError(
        f"Input {argument} contains infinity or a value too large for dtype('float32'): row {row} "
        f"is {shorten(value)}. Drop such rows, or rescale the target."
    )


def _missing(row: int, value: object, argument: str) -> InputError:
    return InputError(
        f"Input {argument} contains NaN. Row {row} is {shorten(value)}: a row without a target "
        "cannot be learned from. Drop such rows."
    )


# ---- labels ---------------------------------------------------------------------------------


def _labels(y: Any, argument: str) -> NDArray[Any]:
    """y as an array (n,) of booleans, integers, whole floats or strings, none of them missing."""
    array = _vector(y, argument)
    if array.dtype.kind == "O":
        array = _labels_from_objects(array, argument)
    kind = array.dtype.kind
    if kind == "c":
        raise not_numbers(array, Origin(argument))
    if kind == "f":
        _check_whole(array, argument)
    elif kind not in "biuUO":
        raise InputError(
            f"Unknown label type: {argument} has dtype {array.dtype}. Pass integers or strings."
        )
    return array


def _check_whole(labels: NDArray[Any], argument: str) -> None:
    _check_finite(floats(labels, Origin(argument)), argument)
    fractions = labels != np.rint(labels)
    if fractions.any():
        row = int(np.argmax(fractions))
        raise InputError(
            f"Unknown label type: continuous. Row {row} of {argument} is {shorten(labels[row])}, "
            "which looks like the target of a regression: use a regressor, or turn the target "
            "into integers or strings."
        )


def _labels_from_objects(array: NDArray[Any], argument: str) -> NDArray[Any]:
    """Objects that are all of one kind as an array of that kind; strings stay objects."""
    kinds = set(map(type, array))
    if all(issubclass(kind, str) for kind in kinds):
        return array
    missing = [is_missing(value) for value in array]
    if any(missing):
        row = first_where(missing)
        raise _missing(row, array[row], argument)
    if np.timedelta64 in kinds:  # NumPy counts durations among the integers
        raise _unknown_labels(array, kinds, argument)
    if all(issubclass(kind, numbers.Integral | np.bool_) for kind in kinds):
        return np.array(array.tolist())
    if all(issubclass(kind, numbers.Real) for kind in kinds):
        return array.astype(np.float64)
    raise _unknown_labels(array, kinds, argument)


def _unknown_labels(array: NDArray[Any], kinds: set[type], argument: str) -> InputError:
    examples = {kind.__name__: first_where(type(v) is kind for v in array) for kind in kinds}
    found = ", ".join(
        f"{shorten(array[row])} ({name}, row {row})"
        for name, row in sorted(examples.items(), key=lambda item: item[1])[:NAMES_SHOWN]
    )
    return InputError(
        f"Unknown label type: {argument} holds {found}. Class labels must all be integers, all be "
        "booleans or all be strings."
    )


def _classes_and_codes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The sorted distinct labels, and for each label its place among them."""
    if labels.dtype.kind == "O":
        distinct = sorted(set(labels.tolist()))
        place = {label: code for code, label in enumerate(distinct)}
        codes = np.fromiter(map(place.__getitem__, labels.tolist()), np.uint32, len(labels))
        return np.array(distinct, dtype=object), codes
    if labels.dtype.kind in "biuf" and labels.size:
        low, high = labels.min().item(), labels.max().item()
        if high - low < 2 * len(labels) + 256 and low > -(2**62) and high < 2**62:
            return _count_integers(labels, int(low), int(high))
    classes, inverse = np.unique(labels, return_inverse=True)
    return classes, inverse.astype(np.uint32)


def _count_integers(
    labels: NDArray[Any], low: int, high: int
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The same for whole numbers between low and high, by one table instead of sorting."""
    offsets = labels.astype(np.int64) - low
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[offsets] = True
    classes = (np.flatnonzero(present) + low).astype(labels.dtype)
    code_of_offset = (np.cumsum(present) - 1).astype(np.uint32)
    return classes, code_of_offset[offsets]
