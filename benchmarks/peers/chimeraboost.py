"""chimeraboost."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchmarks.data import Data
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
    estimator_predictor,
    is_classification,
)


class ChimeraBoost(Library):
    """For speed its plain trees alone: none of the extra fits that its defaults choose among.

    For quality all its defaults. It then sets a fifth of the rows apart by itself, and after
    stopping fits the leaves again on all rows, which it does not do for a part it is given.
    """

    name = "chimeraboost"
    package = "chimeraboost"
    warm_up_rows = None  # some of its compiled loops are chosen by the number of rows

    def _estimator(self, data: Data, settings: Settings | Stopping, **parameters: Any) -> Any:
        classify = is_classification(settings)
        loss = {} if classify else {"loss": settings.loss}
        name = "ChimeraBoostClassifier" if classify else "ChimeraBoostRegressor"
        return getattr(self.module, name)(
            learning_rate=settings.learning_rate,
            depth=settings.depth,
            thread_count=settings.threads,
            cat_features=list(data.categorical) or None,
            **loss,
            **parameters,
        )

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        estimator = self._estimator(
            data,
            settings,
            n_estimators=trees,
            l2_leaf_reg=settings.l2_leaf_reg,
            max_bins=settings.border_count + 1,
            subsample=1.0,
            colsample=1.0,
            min_child_weight=LEAST_HESSIAN,
            leaf_estimation_iterations=settings.leaf_estimation_iterations,
            linear_leaves=False,
            cross_features=False,
            early_stopping=False,
            refit_full=False,
            random_state=0,
        )
        return estimator.fit(data.features, data.target, sample_weight=data.weight)

    def fit_stopped(self, held: Held, stopping: Stopping) -> Stopped:
        estimator = self._estimator(
            held.all_rows,
            stopping,
            n_estimators=stopping.trees,
            early_stopping_rounds=stopping.rounds,
            random_state=stopping.seed,
        )
        estimator.fit(held.all_rows.features, held.all_rows.target)
        return Stopped(self.predictor(estimator, stopping), len(estimator.model_.trees_))

    def fit_defaults(self, data: Data, defaults: Defaults) -> Predictor:
        classify = is_classification(defaults)
        name = "ChimeraBoostClassifier" if classify else "ChimeraBoostRegressor"
        estimator = getattr(self.module, name)(
            cat_features=list(data.categorical) or None,
            random_state=defaults.seed,
            thread_count=defaults.threads,
            **({} if classify else {"loss": defaults.loss}),
        )
        estimator.fit(data.features, data.target, sample_weight=data.weight)
        return self.predictor(estimator, defaults)

    def prepare(self, data: Data, settings: Settings) -> Any:
        import_module("numba").set_num_threads(settings.threads)
        binner = import_module("chimeraboost.binning").Binner(settings.border_count + 1)
        return binner.fit_transform(data.features, data.weight)

    def predictor(self, model: Any, settings: Chosen) -> Predictor:
        model.thread_count = model.model_.thread_count = settings.threads
        return estimator_predictor(model, settings)
