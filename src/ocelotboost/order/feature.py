"""What trees ask about. A feature gives every row a bin, and a split asks whether it is greater.

    Number           a column of numbers
    CategoryValue    a yes/no column: is the category of a feature this one? (one-hot)
    StatisticColumn  one column of the target statistic of a combination

This is the one place that tells the kinds apart in training. Rows that train trees and rows of eval
sets are asked in the same way, by ``address``; a tree becomes part of a model by ``model_column``,
and of a snapshot by ``to_json``. A further kind of feature is a further class with these methods,
and a line in ``KINDS``. What is left is who offers it to trees (grow/), and how a model makes its
bins for new rows (predict/), which knows nothing of training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ocelotboost.lazy import cached_property
from ocelotboost.order.combination import Combination, Facet
from ocelotboost.quantize.block import Bins, ColumnSplit

_HALF_A_BYTE = 15


class Address(NamedTuple):
    """Where the bins of a feature are: in some bits of one byte of every row.

    page   the page of statistics that has the byte; NO_PAGE: it is a slot of the table
    byte   of the page, or the slot
    shift  the lowest of the bits
    mask   2^bits - 1
    bins   which values of these bits they are
    """

    page: int
    byte: int
    shift: int
    mask: int
    bins: Bins = Bins()

    def question(self, bin: int) -> tuple[int, int]:
        """The question "is the bin greater than ``bin``?", in terms of these values."""
        return self.bins.question(bin)


class Feature(Protocol):
    """Anything that gives every row a bin. Features are equal when they ask about the same."""

    @property
    def statistic(self) -> Facet | None:
        """What of a combination's statistic holds the bins; None: the table holds them."""
        ...

    @property
    def joinable(self) -> Combination | None:
        """What a tree that asks about this feature joins with further categorical features."""
        ...

    def address(self, columns: Sequence[Address], pages: Mapping[Facet, int]) -> Address:
        """Where the bins of some rows are, by where they are for the columns of the table and for
        the statistics of combinations."""
        ...

    def base_question(self, bin: int) -> ColumnSplit | None:
        """The question "is the bin greater than ``bin``?" as part of a combination's base; None for
        a feature that may be no part of one."""
        ...

    def model_column(self, first_columns: Mapping[Facet, int]) -> int:
        """The column of a model that the feature becomes. ``first_columns`` are where the columns
        of each facet of a statistic begin."""
        ...

    def to_json(self) -> list[Any]:
        """The name of the kind, then what ``KINDS`` needs to make the feature again."""
        ...


class Split(NamedTuple):
    """The question "is the bin of this feature greater than ``bin``?"."""

    feature: Feature
    bin: int


@dataclass(frozen=True)
class _TableColumn:
    """A feature whose bins the table holds."""

    column: int

    statistic = None

    def address(self, columns: Sequence[Address], pages: Mapping[Facet, int]) -> Address:
        return columns[self.column]

    def base_question(self, bin: int) -> ColumnSplit:
        return ColumnSplit(self.column, bin)

    def model_column(self, first_columns: Mapping[Facet, int]) -> int:
        return self.column


@dataclass(frozen=True)
class Number(_TableColumn):
    """A column of numbers, cut into bins by its borders."""

    joinable = None

    def to_json(self) -> list[Any]:
        return ["number", self.column]


@dataclass(frozen=True)
class CategoryValue(_TableColumn):
    """A yes/no column of the quantizer: is the category of ``feature`` a certain one?"""

    feature: int

    @property
    def joinable(self) -> Combination:
        return Combination((self.feature,))

    def to_json(self) -> list[Any]:
        return ["category value", self.column, self.feature]


@dataclass(frozen=True)
class StatisticColumn:
    """One column of a combination's target statistic: a target and a prior, or the frequency.

    column  of its facet
    """

    combination: Combination
    column: int
    facet: int = 0

    @cached_property
    def statistic(self) -> Facet:
        return Facet(self.combination, self.facet)

    @property
    def joinable(self) -> Combination:
        return self.combination

    def address(self, columns: Sequence[Address], pages: Mapping[Facet, int]) -> Address:
        page = pages[self.statistic]
        return Address(page, self.column // 2, self.column % 2 * 4, _HALF_A_BYTE)

    def base_question(self, bin: int) -> None:
        return None

    def model_column(self, first_columns: Mapping[Facet, int]) -> int:
        return first_columns[self.statistic] + self.column

    def to_json(self) -> list[Any]:
        features, base = self.combination
        questions = [[question.column, question.bin] for question in base]
        return ["statistic", list(features), questions, self.column, self.facet]

    @classmethod
    def from_json(
        cls, features: list[int], questions: list[list[int]], column: int, facet: int
    ) -> StatisticColumn:
        base = tuple(ColumnSplit(*question) for question in questions)
        return cls(Combination(tuple(features), base), column, facet)


#: What makes a feature of each kind again, by the name that ``to_json`` gives.
KINDS: dict[str, Callable[..., Feature]] = {
    "number": Number,
    "category value": CategoryValue,
    "statistic": StatisticColumn.from_json,
}


def feature_from_json(kind: str, *arguments: Any) -> Feature:
    """The feature that ``to_json`` was asked of."""
    return KINDS[kind](*arguments)
