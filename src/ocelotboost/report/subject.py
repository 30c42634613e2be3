"""What a report is about: a model, rows that it is judged by, and what is known of its training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.explain.explanation import Explanation
from ocelotboost.lazy import cached_property
from ocelotboost.loss.base import Loss
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.wording import Wording
from ocelotboost.table.categories import CategoryColumn, encode_hashes
from ocelotboost.table.columns import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """values  float64 (n,), NaN is missing"""

    position: int
    name: str
    values: Floats

    categorical = False

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.values)

    @cached_property
    def n_distinct(self) -> int:
        return len(np.unique(self.values[~self.missing]))


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """codes   uint32 (n,)
    hashes  uint64 (n_values,) the category behind each code; 0 is missing
    source  for texts
    """

    position: int
    name: str
    codes: NDArray[np.uint32]
    hashes: NDArray[np.uint64]
    source: CategoryColumn

    categorical = True

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        absent: NDArray[np.bool_] = self.hashes[self.codes] == 0
        return absent

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each value."""
        return np.bincount(self.codes, minlength=len(self.hashes))

    @property
    def n_distinct(self) -> int:
        return int(np.count_nonzero(self.hashes))

    @cached_property
    def _first_rows(self) -> NDArray[np.intp]:
        rows = np.zeros(len(self.hashes), dtype=np.intp)
        rows[self.codes[::-1]] = np.arange(len(self.codes) - 1, -1, -1)
        return rows

    def texts(self, codes: NDArray[Any]) -> list[str]:
        """The categories in words."""
        found = self.source.texts(self._first_rows[np.asarray(codes, dtype=np.intp)])
        return ["missing" if text is None else text for text in found]


Column = NumberColumn | CategoricalColumn


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns, target and weights of some rows.

    target  float64 (n,): numbers, or codes of classes
    weight  float64 (n,)
    """

    columns: tuple[Column, ...]
    target: Floats
    weight: Floats
    table: Table

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @classmethod
    def of(
        cls,
        table: Table,
        names: Sequence[str],
        target: Floats,
        weight: NDArray[np.float32] | None,
    ) -> Rows:
        columns: dict[int, Column] = {}
        for position, source in table.categories.items():
            codes, hashes = encode_hashes(source.row_hashes(), 1)
            columns[position] = CategoricalColumn(position, names[position], codes, hashes, source)
        for part in table.parts:
            values = part.values()
            for place in range(part.width):
                position = part.first + place
                own = values[:, place].astype(np.float64)
                columns[position] = NumberColumn(position, names[position], own)
        counted = np.ones(table.n_rows) if weight is None else weight.astype(np.float64)
        return cls(tuple(columns[place] for place in sorted(columns)), target, counted, table)


#: SHAP values of some of the given rows (their positions), perhaps with interactions.
Explain = Callable[[NDArray[np.intp], bool], Explanation]


@dataclass(frozen=True, eq=False)
class Subject:
    """What all sections are made of.

    rows      that the model is judged by
    response  float64 (n, n_classes) probabilities, or (n,) predicted numbers
    training  the rows of training, where the user gave them
    title     what the user calls the report
    estimator, parameters, defaults  for the command that repeats the training
    """

    model: TrainedModel
    loss: Loss
    rows: Rows
    response: Floats
    training: Rows | None
    estimator: str
    title: str | None
    parameters: dict[str, Any]
    defaults: dict[str, Any]
    explain: Explain

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.model.forest, self.model.feature_names)

    @cached_property
    def labels(self) -> list[str]:
        """The classes in words; none for a number."""
        return [] if self.model.classes is None else [str(c) for c in self.model.classes.tolist()]

    @property
    def unit(self) -> str:
        """What raw predictions are."""
        raw_score = self.loss.link.raw_score
        return "the target's own unit" if raw_score == "number" else raw_score

    @property
    def task(self) -> str:
        """ "binary", "classes" or "numbers"."""
        return task_of(self.model.classes)


def task_of(classes: NDArray[Any] | None) -> str:
    """What a model with these classes predicts: "binary", "classes" or "numbers"."""
    if classes is None:
        return "numbers"
    return "binary" if len(classes) == 2 else "classes"
