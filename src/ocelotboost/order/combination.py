"""Combinations of categorical features, offered greedily while a tree grows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ocelotboost.order.settings import StatisticSettings
from ocelotboost.quantize.block import ColumnSplit
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantizer import Quantizer


class Combination(NamedTuple):
    """Categorical features taken together: the values of one row are one category.

    features  positions in the table, ascending
    base      questions of the tree about numbers and single categories, whose answers together
              count as one more feature
    """

    features: tuple[int, ...]
    base: tuple[ColumnSplit, ...] = ()

    @property
    def size(self) -> int:
        return len(self.features) + (len(self.base) > 0)

    def joined(self, feature: int) -> Combination:
        return Combination(tuple(sorted({*self.features, feature})), self.base)


@dataclass(frozen=True)
class StatisticSplit:
    """The question "is the bin of this column of a statistic greater than ``bin``?"."""

    combination: Combination
    column: int
    bin: int


@dataclass(frozen=True)
class Combinations:
    """What may be combined, and with what.

    features      categorical features, by position in the table
    one_hot       those of them that are asked for single values: the column of each such question
                  and its feature. Alone they have no statistic
    largest       c_max, the most features of a combination
    with_numbers  the tree's questions about columns may be the base of a combination
    """

    features: tuple[int, ...] = ()
    one_hot: Mapping[int, int] = field(default_factory=dict)
    largest: int = 1
    with_numbers: bool = False
    _joined: dict[Combination, list[Combination]] = field(default_factory=dict, repr=False)

    @cached_property
    def single(self) -> list[Combination]:
        """Every feature for itself: what the first level is offered."""
        few_values = set(self.one_hot.values())
        return [Combination((f,)) for f in self.features if f not in few_values]

    def after(self, splits: Sequence[ColumnSplit | StatisticSplit]) -> list[Combination]:
        """What the last split adds: it is joined with every feature."""
        last = splits[-1]
        if isinstance(last, StatisticSplit):
            return self._join(last.combination)
        offered = []
        if last.column in self.one_hot:
            offered += self._join(Combination((self.one_hot[last.column],)))
        if self.with_numbers:
            base = tuple(split for split in splits if isinstance(split, ColumnSplit))
            offered += self._join(Combination((), base))
        return offered

    def among(self, columns: Collection[int]) -> Combinations:
        """The same for some of the features."""
        features = tuple(f for f in self.features if f in columns)
        return replace(self, features=features, _joined={})

    def most(self, depth: int) -> int:
        """At most so many combinations are offered to a tree."""
        a_level = len(self.features) * (1 + self.with_numbers)
        return len(self.features) + (depth - 1) * a_level

    def _join(self, used: Combination) -> list[Combination]:
        if used.size >= self.largest:
            return []
        if used not in self._joined:
            features = (f for f in self.features if f not in used.features)
            self._joined[used] = [used.joined(feature) for feature in features]
        return self._joined[used]


def choose_combinations(
    data: CategoricalData, quantizer: Quantizer, settings: StatisticSettings
) -> Combinations:
    """Which features have statistics, alone or combined. Those with a single value say nothing,
    except by what leaving one out leaks; those of one-hot have none alone."""
    indicators, first = quantizer.indicators, quantizer.n_features
    fewest = 1 if settings.kind == "leave_one_out" else 2
    n_values = data.value_counts[: len(data.features)].tolist()
    telling = [f for f, n in zip(data.features, n_values, strict=True) if n >= fewest]
    if settings.max_combination == 1:
        telling = [f for f in telling if f not in indicators.columns]
    columns = range(first, first + len(indicators))
    return Combinations(
        features=tuple(telling),
        one_hot=dict(zip(columns, indicators.columns.tolist(), strict=True)),
        largest=settings.max_combination,
        with_numbers=settings.combine_numbers,
    )
