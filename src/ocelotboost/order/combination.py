"""Combinations of categorical features, and what is known of their values."""

from __future__ import annotations

from typing import NamedTuple

from ocelotboost.quantize.block import ColumnSplit


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


class Facet(NamedTuple):
    """The part of a combination's target statistic that is made, kept and asked for together.

    number  of more than two classes, the class it is about. Otherwise there is one facet: all
    """

    combination: Combination
    number: int = 0
