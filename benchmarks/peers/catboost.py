"""CatBoost in its Plain and its Ordered mode."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import pandas as pd

from benchmarks.data import Data, Features
from benchmarks.peers.library import (
    Chosen,
    Defaults,
    Held,
    Library,
    Predictor,
    Settings,
    Stopped,
    Stopping,
    second_column,
)

MISSING = "nan"  # how a missing category is said: CatBoost takes no null in a categorical column


class CatBoost(Library):
    """Plain mode."""

    name = "catboost"
    package = "catboost"
    boosting_type: ClassVar[str] = "Plain"

    def _model(self, settings: Settings | Stopping, parameters: dict[str, Any]) -> Any:
        return self.module.CatBoost(
            {
                "learning_rate": settings.learning_rate,
                "depth": settings.depth,
                "loss_function": settings.loss,
                "boosting_type": self.boosting_type,
                "thread_count": settings.threads,
                "logging_level": "Silent",
                "allow_writing_files": False,
                **parameters,
            }
        )

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        model = self._model(
            settings,
            {
                "iterations": trees,
                "l2_leaf_reg": settings.l2_leaf_reg,
                "border_count": settings.border_count,
                "random_strength": 0,
                "bootstrap_type": "No",
                "leaf_estimation_method": "Newton",
                "leaf_estimation_iterations": settings.leaf_estimation_iterations,
                "max_ctr_complexity": settings.max_combination,
                "one_hot_max_size": settings.one_hot_max_size,
                "random_seed": 0,
                "metric_period": trees,  # the others compute no training metric either
            },
        )
        return model.fit(self.pool(data, settings))

    def fit_stopped(self, held: Held, stopping: Stopping) -> Stopped:
        model = self._model(
            stopping,
            {
                "iterations": stopping.trees,
                "early_stopping_rounds": stopping.rounds,
                "random_seed": stopping.seed,
            },
        )
        train, stop = self.pool(held.train, stopping), self.pool(held.stop, stopping)
        model.fit(train, eval_set=stop)
        return Stopped(self.predictor(model, stopping), model.tree_count_)

    def fit_defaults(self, data: Data, defaults: Defaults) -> Predictor:
        model = self.module.CatBoost(
            {
                "loss_function": defaults.loss,
                "random_seed": defaults.seed,
                "thread_count": defaults.threads,
                "logging_level": "Silent",
                "allow_writing_files": False,
            }
        )
        return self.predictor(model.fit(self.pool(data, defaults)), defaults)

    def prepare(self, data: Data, settings: Settings) -> Any:
        pool = self.pool(data, settings)
        pool.quantize(border_count=settings.border_count, task_type="CPU")
        return pool

    def pool(self, data: Data, settings: Chosen) -> Any:
        """The rows as CatBoost takes them."""
        return self.module.Pool(
            _named_missing(data.features),
            data.target,
            weight=data.weight,
            cat_features=list(data.categorical),
            thread_count=settings.threads,
        )

    def predictor(self, model: Any, settings: Chosen) -> Predictor:
        kinds = {"Logloss": "Probability", "MultiClass": "Probability", "Poisson": "Exponent"}
        call = partial(
            model.predict,
            prediction_type=kinds.get(settings.loss, "RawFormulaVal"),
            thread_count=settings.threads,
        )
        predict = second_column(call) if settings.loss == "Logloss" else call
        return lambda features: predict(_named_missing(features))

    def explainer(self, model: Any, settings: Settings, *, interactions: bool) -> Predictor:
        kind = "ShapInteractionValues" if interactions else "ShapValues"
        categorical = model.get_cat_feature_indices()

        def explain(features: Features) -> Any:
            pool = self.module.Pool(
                _named_missing(features), cat_features=categorical, thread_count=settings.threads
            )
            return model.get_feature_importance(pool, type=kind, thread_count=settings.threads)

        return explain


class CatBoostOrdered(CatBoost):
    """Ordered mode."""

    name = "catboost-ordered"
    boosting_type = "Ordered"


def _named_missing(features: Features) -> Features:
    """Missing categories as a text; arrays and numeric columns as they are."""
    if not isinstance(features, pd.DataFrame):
        return features
    texts = features.select_dtypes(exclude="number").columns
    return features.fillna(dict.fromkeys(texts, MISSING))
