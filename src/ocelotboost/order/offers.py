"""Which combinations a tree is offered while it grows, greedily."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from ocelotboost.lazy import cached_property
from ocelotboost.order.combination import Combination
from ocelotboost.order.feature import CategoryValue, Feature, Number, Split
from ocelotboost.order.settings import StatisticSettings
from ocelotboost.quantize.quantizer import Quantizer


@dataclass(frozen=True)
class Combinations:
    """What may be combined, and with what.

    features      categorical features, by position in the table
    one_hot       those of them that are one-hot encoded. Alone they have no statistic
    largest       c_max, the most features of a combination
    with_numbers  the tree's questions about columns may be the base of a combination
    """

    features: tuple[int, ...] = ()
    one_hot: tuple[int, ...] = ()
    largest: int = 1
    with_numbers: bool = False
    _joined: dict[Combination, list[Combination]] = field(default_factory=dict, repr=False)

    @cached_property
    def single(self) -> list[Combination]:
        """Every feature for itself: what the first level is offered."""
        return [Combination((f,)) for f in self.features if f not in self.one_hot]

    def after(self, splits: Sequence[Split]) -> list[Combination]:
        """What the last split adds: it is joined with every feature."""
        last = splits[-1]
        offered: list[Combination] = []
        if last.feature.joinable is not None:
            offered += self._join(last.feature.joinable)
        if self.with_numbers and last.feature.base_question(last.bin) is not None:
            questions = (split.feature.base_question(split.bin) for split in splits)
            base = tuple(question for question in questions if question is not None)
            offered += self._join(Combination((), base))
        return offered

    def among(self, columns: Collection[int]) -> Combinations:
        """The same for some of the features."""
        features = tuple(f for f in self.features if f in columns)
        return replace(self, features=features, _joined={})

    def most(self, depth: int) -> int:
        """The most combinations that are offered to a tree."""
        per_level = len(self.features) * (1 + self.with_numbers)
        return len(self.features) + (depth - 1) * per_level

    def _join(self, used: Combination) -> list[Combination]:
        if used.size >= self.largest:
            return []
        if used not in self._joined:
            features = (f for f in self.features if f not in used.features)
            self._joined[used] = [used.joined(feature) for feature in features]
        return self._joined[used]


def choose_combinations(
    features: Sequence[int],
    value_counts: Sequence[int],
    quantizer: Quantizer,
    settings: StatisticSettings,
) -> Combinations:
    """Which features have statistics, alone or combined. Those with a single value say nothing,
    except by what leaving one out leaks; those of one-hot have none alone unless they are value
    views, and need something to be combined with."""
    one_hot = set(quantizer.indicators.columns.tolist()) - set(settings.value_views)
    fewest = 1 if settings.kind == "leave_one_out" else 2
    telling = [f for f, n in zip(features, value_counts, strict=True) if n >= fewest]
    alone = len(telling) == 1 and not settings.combine_numbers
    if settings.max_combination == 1 or alone:
        telling = [f for f in telling if f not in one_hot]
    return Combinations(
        features=tuple(telling),
        one_hot=tuple(f for f in telling if f in one_hot),
        largest=settings.max_combination,
        with_numbers=settings.combine_numbers,
    )


def table_features(quantizer: Quantizer) -> tuple[Feature, ...]:
    """The columns of a block as features, in their order."""
    n_numbers, one_hot = quantizer.n_features, quantizer.indicators.columns.tolist()
    values = (CategoryValue(n_numbers + i, feature) for i, feature in enumerate(one_hot))
    return (*map(Number, range(n_numbers)), *values)
