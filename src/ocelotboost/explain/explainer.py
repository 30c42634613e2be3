"""Explainer: what a model needs to explain its predictions, made when it is first asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.explain.explanation import Explanation
from ocelotboost.explain.players import By, Players, players_of
from ocelotboost.explain.tables import Game, TreeTables, background_weights, training_weights
from ocelotboost.lazy import cached_property
from ocelotboost.model.forest import Forest
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.wording import Wording
from ocelotboost.predict.predictor import Predictor, PredictorOnDemand
from ocelotboost.table.columns import Table

#: For fewer rows and a background of their own, tables of all leaves would not pay.
_FEW_ROWS = 1000


class Explainer:
    """Explains a model's predictions. Tables of its trees are made once and kept.

    An object of its own, because explanations may not change the attributes of an estimator.
    """

    def __init__(self, model: TrainedModel, predictor: PredictorOnDemand) -> None:
        self._model = model
        self._prepared = predictor
        self._games: dict[tuple[By, bool], Game] = {}
        self._kept: dict[tuple[By, bool], TreeTables] = {}

    @property
    def predictor(self) -> Predictor:
        return self._prepared.ready

    @property
    def forest(self) -> Forest:
        """The trees as the predictor has them, without columns of no use."""
        return self.predictor.forest

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.forest, self._model.feature_names)

    @property
    def output_names(self) -> list[str] | None:
        if self.forest.n_outputs == 1:
            return None
        assert self._model.classes is not None  # only classifiers have several outputs
        return [str(label) for label in self._model.classes.tolist()]

    def explain(
        self,
        table: Table,
        data: NDArray[Any] | None,
        *,
        by: By,
        interactions: bool,
        background: Table | None,
        n_threads: int,
    ) -> Explanation:
        """SHAP values of all rows of a table; ``data`` is what the user gave."""
        if background is None:
            game = self._game(by, interactions)
            kept = self._tables(game, by, table.n_rows, n_threads)
        else:
            weights = background_weights(self.predictor, background, n_threads)
            game = Game(self.forest, self._players(by), weights, True, interactions)
            is_whole = table.n_rows > _FEW_ROWS and game.needs_whole_tables(table.n_rows)
            kept = game.whole_tables(n_threads) if is_whole else None
        values, expected = game.sums(self.predictor, table, kept, n_threads)
        base_values = np.tile(expected, (table.n_rows, 1))
        if self.forest.n_outputs == 1:
            values, base_values = values[..., 0], base_values[:, 0]
        return Explanation(
            values=values,
            base_values=base_values,
            data=data if by == "columns" else None,
            feature_names=list(game.players.names),
            output_names=self.output_names,
        )

    def _players(self, by: By) -> Players:
        return players_of(self.forest, self.wording, by)

    def _game(self, by: By, interactions: bool) -> Game:
        """The one by the training weights."""
        if (by, interactions) not in self._games:
            weights = training_weights(self.forest)
            game = Game(self.forest, self._players(by), weights, False, interactions)
            self._games[by, interactions] = game
        return self._games[by, interactions]

    def _tables(self, game: Game, by: By, n_rows: int, n_threads: int) -> TreeTables | None:
        """Of all leaves; None when only those that occur are to be made."""
        key = by, game.interactions
        if key not in self._kept and game.needs_whole_tables(n_rows):
            self._kept[key] = game.whole_tables(n_threads)
        return self._kept.get(key)
