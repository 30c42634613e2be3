"""Explainer: what a model needs to explain its predictions, made when it is first asked for."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.explain.explanation import Explanation
from ocelotboost.explain.players import By, Players, players_of
from ocelotboost.explain.tables import Game, TreeTables, background_weights, training_weights
from ocelotboost.model.forest import Forest
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.wording import Wording
from ocelotboost.predict.predictor import Predictor, PredictorOnDemand
from ocelotboost.table.columns import Table


class Explainer:
    """Explains a model's predictions. Tables of its trees are made once and kept.

    An object of its own, because explanations may not change the attributes of an estimator.
    """

    def __init__(self, model: TrainedModel, predictor: PredictorOnDemand) -> None:
        self._model = model
        self._prepared = predictor
        # Per explainer, so that they go when the model goes.
        self._players = lru_cache(maxsize=None)(self._make_players)
        self._tables = lru_cache(maxsize=4)(self._make_tables)

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
            game, kept = self._tables(by, interactions, n_threads)
        else:
            weights = background_weights(self.predictor, background, n_threads)
            game = Game(self.forest, self._players(by), weights, True, interactions)
            kept = None if game.is_deep else game.whole_tables(n_threads)
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

    def _make_players(self, by: By) -> Players:
        return players_of(self.forest, self.wording, by)

    def _make_tables(
        self, by: By, interactions: bool, n_threads: int
    ) -> tuple[Game, TreeTables | None]:
        weights = training_weights(self.forest)
        game = Game(self.forest, self._players(by), weights, False, interactions)
        return game, None if game.is_deep else game.whole_tables(n_threads)
