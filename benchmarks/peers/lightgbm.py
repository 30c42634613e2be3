"""LightGBM, with exact and with quantized gradients."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import pandas as pd

from benchmarks.data import Data, Features
from benchmarks.peers.categories import CategoryTypes
from benchmarks.peers.library import (
    LEAST_HESSIAN,
    Chosen,
    Defaults,
    Held,
    Library,
    Predictor,
    Settings,
    Stopped,
    Stopping,
    class_count,
    estimator_predictor,
    is_classification,
)


class LightGBM(Library):
    """64 leaves that may not be deeper than 6, so every leaf of a full tree of depth 6."""

    name = "lightgbm"
    package = "lightgbm"
    extra: ClassVar[dict[str, Any]] = {}
    objectives: ClassVar[dict[str, str]] = {
        "RMSE": "regression",
        "Logloss": "binary",
        "MultiClass": "multiclass",
        "Poisson": "poisson",
    }

    def _common(self, data: Data, settings: Settings | Stopping) -> dict[str, Any]:
        return {
            "objective": self.objectives[settings.loss],
            "num_class": class_count(data, settings),
            "learning_rate": settings.learning_rate,
            "num_leaves": 2**settings.depth,
            "max_depth": settings.depth,
            "num_threads": settings.threads,
            "verbosity": -1,
            **self.extra,
        }

    def _parameters(self, data: Data, settings: Settings) -> dict[str, Any]:
        return {
            **self._common(data, settings),
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": LEAST_HESSIAN,
            "lambda_l2": settings.l2_leaf_reg,
            "max_bin": settings.border_count + 1,
            "seed": 0,
        }

    def _dataset(self, data: Data, settings: Settings) -> Any:
        parameters = self._parameters(data, settings)
        return self.module.Dataset(
            _with_categories(data.features), data.target, weight=data.weight, params=parameters
        )

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        parameters = self._parameters(data, settings)
        return self.module.train(parameters, self._dataset(data, settings), num_boost_round=trees)

    def fit_stopped(self, held: Held, stopping: Stopping) -> Stopped:
        types = CategoryTypes.of(held.train)
        train = self.module.Dataset(types.apply(held.train.features), held.train.target)
        stop = train.create_valid(types.apply(held.stop.features), held.stop.target)
        model = self.module.train(
            {**self._common(held.train, stopping), "seed": stopping.seed},
            train,
            num_boost_round=stopping.trees,
            valid_sets=[stop],
            callbacks=[self.module.early_stopping(stopping.rounds, verbose=False)],
        )
        predict = self.predictor(model, stopping)  # with the trees up to the best
        return Stopped(lambda features: predict(types.apply(features)), model.best_iteration)

    def fit_defaults(self, data: Data, defaults: Defaults) -> Predictor:
        types = CategoryTypes.of(data)
        kind = "LGBMClassifier" if is_classification(defaults) else "LGBMRegressor"
        estimator = getattr(self.module, kind)(
            objective=self.objectives[defaults.loss],
            random_state=defaults.seed,
            n_jobs=defaults.threads,
            verbosity=-1,
        )
        estimator.fit(types.apply(data.features), data.target, sample_weight=data.weight)
        predict = estimator_predictor(estimator, defaults)
        return lambda features: predict(types.apply(features))

    def prepare(self, data: Data, settings: Settings) -> Any:
        return self._dataset(data, settings).construct()

    def predictor(self, model: Any, settings: Chosen) -> Predictor:
        return partial(model.predict, num_threads=settings.threads)

    def explainer(self, model: Any, settings: Settings, *, interactions: bool) -> Predictor:
        # It has no SHAP values of its own name: shap asks it for `pred_contrib`.
        model.params["num_threads"] = settings.threads
        explain: Predictor = import_module("shap").TreeExplainer(model).shap_values
        return lambda features: explain(_with_categories(features))


class LightGBMQuantized(LightGBM):
    """LightGBM with its quantized gradients."""

    name = "lightgbm-quantized"
    extra: ClassVar[dict[str, Any]] = {"use_quantized_grad": True}


def _with_categories(features: Features) -> Features:
    """Texts as pandas' categories, which a model remembers; arrays and numbers as they are."""
    if not isinstance(features, pd.DataFrame):
        return features
    texts = features.select_dtypes(exclude="number").columns
    return features.astype(dict.fromkeys(texts, "category"))
