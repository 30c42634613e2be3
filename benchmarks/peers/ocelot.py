"""Ours, in its Plain and its Ordered mode."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from benchmarks.data import Data
from benchmarks.peers.library import (
    Chosen,
    Defaults,
    Held,
    Library,
    Predictor,
    Settings,
    Stopped,
    Stopping,
    estimator_predictor,
    is_classification,
)


class Ocelot(Library):
    """Plain mode. Its public estimators, and the hook in `prepare`."""

    name = "ocelot"
    package = "ocelotboost"
    quality: ClassVar[str] = "default"
    boosting_type: ClassVar[str] = "Plain"

    def _estimator(self, settings: Settings | Stopping, **parameters: Any) -> Any:
        classify = is_classification(settings)
        kind = self.module.OcelotClassifier if classify else self.module.OcelotRegressor
        return kind(
            learning_rate=settings.learning_rate,
            depth=settings.depth,
            loss_function=settings.loss,
            boosting_type=self.boosting_type,
            n_jobs=settings.threads,
            verbose=False,
            **parameters,
        )

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        estimator = self._estimator(
            settings,
            iterations=trees,
            l2_leaf_reg=settings.l2_leaf_reg,
            border_count=settings.border_count,
            random_strength=0,
            bootstrap_type="No",
            leaf_estimation_method="Newton",
            leaf_estimation_iterations=settings.leaf_estimation_iterations,
            random_state=0,
            **_of_categories(data, settings),
        )
        return estimator.fit(data.features, data.target, sample_weight=data.weight)

    def fit_stopped(self, held: Held, stopping: Stopping) -> Stopped:
        estimator = self._estimator(
            stopping,
            iterations=stopping.trees,
            early_stopping_rounds=stopping.rounds,
            random_state=stopping.seed,
            cat_features=list(held.train.categorical),
        )
        eval_set = (held.stop.features, held.stop.target)
        estimator.fit(held.train.features, held.train.target, eval_set=eval_set)
        return Stopped(self.predictor(estimator, stopping), estimator.n_iter_)

    def fit_defaults(self, data: Data, defaults: Defaults) -> Predictor:
        classify = is_classification(defaults)
        kind = self.module.OcelotClassifier if classify else self.module.OcelotRegressor
        estimator = kind(
            cat_features=list(data.categorical),
            random_state=defaults.seed,
            n_jobs=defaults.threads,
            loss_function=defaults.loss,
            quality=self.quality,
        )
        estimator.fit(data.features, data.target, sample_weight=data.weight)
        return self.predictor(estimator, defaults)

    def prepare(self, data: Data, settings: Settings) -> Any:
        # HOOK: the one place that names inner functions, because no public call stops before the
        # first tree. It must do all that `fit` does up to there: read, choose borders, fill bins.
        read = import_module("ocelotboost.table.from_input").table_from_input
        quantizer = import_module("ocelotboost.quantize.quantizer").Quantizer
        table = read(data.features)
        fitted = quantizer.fit(
            table,
            weight=data.weight,
            border_count=settings.border_count,
            rng=np.random.default_rng(0),
            n_threads=settings.threads,
        )
        return fitted.block(table, settings.threads)

    def predictor(self, model: Any, settings: Chosen) -> Predictor:
        model.set_params(n_jobs=settings.threads)
        return estimator_predictor(model, settings)

    def explainer(self, model: Any, settings: Settings, *, interactions: bool) -> Predictor:
        model.set_params(n_jobs=settings.threads)
        return lambda features: model.explain(features, interactions=interactions).values


class OcelotOrdered(Ocelot):
    """Ordered mode."""

    name = "ocelot-ordered"
    boosting_type = "Ordered"


class OcelotFast(Ocelot):
    """For the comparison at defaults: quality="fast"."""

    name = "ocelot-fast"
    quality = "fast"


class OcelotBest(Ocelot):
    """For the comparison at defaults: quality="best"."""

    name = "ocelot-best"
    quality = "best"


def _of_categories(data: Data, settings: Settings) -> dict[str, Any]:
    if not data.categorical:
        return {}
    return {
        "cat_features": list(data.categorical),
        "max_combination": settings.max_combination,
        "one_hot_max_size": settings.one_hot_max_size,
    }
