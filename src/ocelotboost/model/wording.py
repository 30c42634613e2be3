"""Questions and combinations as text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import FREQUENCY, N_STATISTIC_BINS
from ocelotboost.model.time_wording import part_text, time_text
from ocelotboost.table.date_texts import DATE_ORDERS
from ocelotboost.table.formulas import TimeKind, formula_name


@dataclass(frozen=True)
class Wording:
    """Says as text what a forest's numbers mean.

    names  of the features; None: they have none
    """

    forest: Forest
    names: tuple[str, ...] | None

    def feature(self, feature: int) -> str:
        """ "age"; of a derived column "bought.month"."""
        if feature >= self.forest.n_given:
            formula = self.forest.derivation.formulas[feature - self.forest.n_given]
            return formula_name(formula, self.feature)
        return f"feature {feature}" if self.names is None else self.names[feature]

    def question(self, column: int, border: float) -> str:
        """What a yes means: "age > 31.5", "bought > 2024-02-29", "city is 'Paris'", "frequency of
        city > 0.2"."""
        forest = self.forest
        if column < forest.n_features:
            return self._number(column, border)
        if column < forest.first_statistic:
            return self._indicator(column - forest.n_features)
        return self._statistic(column - forest.first_statistic, border)

    def column(self, column: int) -> str:
        """What is asked about: "age", "city is 'Paris'", "mean target of city, prior 0.5"."""
        forest = self.forest
        if column < forest.n_features:
            return self.feature(column)
        if column < forest.first_statistic:
            return self._indicator(column - forest.n_features)
        return self._statistic_name(column - forest.first_statistic)

    def combination(self, table: int) -> str:
        """The members of a table's combination: "city", "(device × [age > 31.5])"."""
        tables = self.forest.statistics
        members = [self.feature(member) for member in tables.members_of(table).tolist()]
        base = tables.questions_of(table)
        members += [
            f"[{self.question(column, border)}]"
            for column, border in zip(
                tables.question_columns[base].tolist(),
                tables.question_borders[base].tolist(),
                strict=True,
            )
        ]
        return members[0] if len(members) == 1 else f"({' × '.join(members)})"

    def _number(self, column: int, border: float) -> str:
        if not np.isnan(border):
            return f"{self.feature(column)} > {self._border(column, border)}"
        # The border parts missing values from numbers, and the higher of the two say yes.
        missing = "missing" if self.forest.missing_high[column] else "not missing"
        return f"{self.feature(column)} is {missing}"

    def _border(self, column: int, border: float) -> str:
        derivation, n_given = self.forest.derivation, self.forest.n_given
        if column in derivation.times:
            return time_text(derivation.times[column], border)
        if column < n_given:
            return f"{border:.6g}"
        kind = derivation.formulas[column - n_given].kind
        if kind in DATE_ORDERS:
            return time_text(TimeKind("date"), border)
        words = part_text(kind.rpartition(".")[2], border)
        return f"{border:.6g}" if words is None else f"{border:.6g} ({words})"

    def _indicator(self, number: int) -> str:
        indicators = self.forest.indicators
        text = indicators.texts[number]
        category = "missing" if text is None else repr(text)
        return f"{self.feature(int(indicators.columns[number]))} is {category}"

    def _statistic(self, column: int, border: float) -> str:
        tables = self.forest.statistics
        low, high = float(tables.column_lows[column]), float(tables.column_highs[column])
        value = low + (border + 1) / (N_STATISTIC_BINS - 1) * (high - low)
        return f"{self._statistic_name(column)} > {value:.3g}"

    def _statistic_name(self, column: int) -> str:
        tables = self.forest.statistics
        table, target = int(tables.column_tables[column]), int(tables.column_targets[column])
        combination = self.combination(table)
        if target == FREQUENCY:
            return f"frequency of {combination}"
        name, prior = tables.target_names[table][target], float(tables.column_priors[column])
        return f"{name} of {combination}, prior {prior:g}"
