"""Columns of pandas' category type, as LightGBM and XGBoost take their native categories."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from benchmarks.data import Data, Features


@dataclass(frozen=True)
class CategoryTypes:
    """The values that each categorical column has in the training rows."""

    types: dict[str, pd.CategoricalDtype]

    @classmethod
    def of(cls, train: Data) -> CategoryTypes:
        """Of the rows that the trees are grown on."""
        return cls(
            {
                name: pd.CategoricalDtype(train.features[name].dropna().unique())
                for name in train.categorical
            }
        )

    def apply(self, features: Features) -> Features:
        """The same columns as categories; values without a place among them become missing."""
        known = features.copy(deep=False)
        for name, dtype in self.types.items():
            own = features[name]
            known[name] = own.where(own.isin(dtype.categories)).astype(dtype)
        return known
