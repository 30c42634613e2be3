"""What ``model.explain`` returns: shap's own record where shap is installed, else ours.

Both have the same attributes, so whoever reads the numbers need not know which one it is.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.from_frame import as_frame
from ocelotboost.table.from_input import is_sparse
from ocelotboost.table.times import array_kind, read_array
from ocelotboost.table.values import Origin, has_text, is_missing

Floats = NDArray[np.float64]

#: What a missing value among texts is called.
MISSING = "missing"


@dataclass(frozen=True, eq=False)
class Explanation:
    """SHAP values: how far each column moves each row's prediction away from ``base_values``.

    values         float64 (n_rows, n_columns), with several outputs (n_rows, n_columns,
                   n_outputs); with interactions (n_rows, n_columns, n_columns, ...)
    base_values    float64 (n_rows,) or (n_rows, n_outputs): the raw prediction for a row of which
                   nothing is known. With the values of a row it sums to its raw prediction
    data           (n_rows, n_columns) what the user gave: floats, or objects where some columns
                   hold texts; None when the values are not of the user's columns
    feature_names  of the columns
    output_names   of the outputs, None when there is one
    """

    values: Floats
    base_values: Floats
    data: NDArray[Any] | None
    feature_names: list[str]
    output_names: list[str] | None = None

    def __len__(self) -> int:
        return len(self.values)


def as_shap(explanation: Explanation) -> Any:
    """The same for shap's plots, when shap is installed; otherwise the explanation as it is."""
    if find_spec("shap") is None:
        return explanation
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shap about the libraries that it imports
        shap = import_module("shap")
    numbers = None if explanation.data is None else _times_as_numbers(explanation.data)
    return shap.Explanation(
        explanation.values,
        base_values=explanation.base_values,
        data=numbers,
        display_data=None if numbers is explanation.data else explanation.data,
        feature_names=explanation.feature_names,
        output_names=explanation.output_names,
    )


def _times_as_numbers(data: NDArray[Any]) -> NDArray[Any]:
    """Plots of shap need numbers for dates, times of day and durations."""
    if data.dtype.kind != "O":
        return data
    numbers = data
    for place in range(data.shape[1]):
        kind = array_kind(data[:, place])
        if kind is not None:
            numbers = data.copy() if numbers is data else numbers
            numbers[:, place] = read_array(data[:, place], kind, Origin("X")).numbers
    return numbers


def shown_values(X: Any) -> NDArray[Any]:
    """The values of a table as the user gave them: (n_rows, n_columns).

    Floats when all columns are numbers, otherwise objects. A missing value among texts is the text
    "missing", so that a column's values can be sorted.
    """
    shown = given_values(X)
    if shown.dtype.kind in "fiub":
        return shown.astype(np.float64, copy=False)
    for column in shown.T:
        if has_text(column):
            others = [not isinstance(value, str) and is_missing(value) for value in column]
            column[others] = MISSING
    return shown


def given_values(X: Any) -> NDArray[Any]:
    """X as an array: numbers as they are, objects that nobody else has where some columns are no
    numbers."""
    if is_sparse(X):
        return np.asarray(X.toarray())
    frame = None if isinstance(X, np.ndarray) else as_frame(X, "X")
    if frame is None:
        array = np.asarray(X)
        return array if array.dtype.kind in "fiub" else np.array(X, dtype=object)
    columns = list(frame.iter_columns())
    if all(column.dtype.is_numeric() for column in columns):
        return np.stack([column.to_numpy().astype(np.float64) for column in columns], axis=1)
    objects = np.empty(frame.shape, dtype=object)
    for place, column in enumerate(columns):
        objects[:, place] = column.to_list()
    return objects
