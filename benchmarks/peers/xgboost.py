"""XGBoost."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from benchmarks.data import Data
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


class XGBoost(Library):
    """Histogram trees grown level by level, from its compact QuantileDMatrix."""

    name = "xgboost"
    package = "xgboost"
    objectives: ClassVar[dict[str, str]] = {
        "RMSE": "reg:squarederror",
        "Logloss": "binary:logistic",
        "MultiClass": "multi:softprob",
        "Poisson": "count:poisson",
    }

    def _common(self, data: Data, settings: Settings | Stopping) -> dict[str, Any]:
        classes = {"num_class": class_count(data, settings)}
        return {
            "objective": self.objectives[settings.loss],
            **(classes if settings.loss == "MultiClass" else {}),
            "learning_rate": settings.learning_rate,
            "tree_method": "hist",
            "grow_policy": "depthwise",
            "max_depth": settings.depth,
            "nthread": settings.threads,
            "verbosity": 0,
        }

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        parameters = {
            **self._common(data, settings),
            "min_child_weight": LEAST_HESSIAN,
            "reg_lambda": settings.l2_leaf_reg,
            "max_bin": settings.border_count + 1,
            "seed": 0,
        }
        return self.module.train(parameters, self.prepare(data, settings), num_boost_round=trees)

    def fit_stopped(self, held: Held, stopping: Stopping) -> Stopped:
        types = CategoryTypes.of(held.train)
        matrix = partial(
            self.module.QuantileDMatrix, enable_categorical=True, nthread=stopping.threads
        )
        train = matrix(types.apply(held.train.features), held.train.target)
        stop = matrix(types.apply(held.stop.features), held.stop.target, ref=train)
        model = self.module.train(
            {**self._common(held.train, stopping), "seed": stopping.seed},
            train,
            num_boost_round=stopping.trees,
            evals=[(stop, "stop")],
            early_stopping_rounds=stopping.rounds,
            verbose_eval=False,
        )
        best = model[: model.best_iteration + 1]
        predict = self.predictor(best, stopping)
        return Stopped(lambda features: predict(types.apply(features)), best.num_boosted_rounds())

    def fit_defaults(self, data: Data, defaults: Defaults) -> Predictor:
        types = CategoryTypes.of(data)
        kind = "XGBClassifier" if is_classification(defaults) else "XGBRegressor"
        estimator = getattr(self.module, kind)(
            objective=self.objectives[defaults.loss],
            random_state=defaults.seed,
            n_jobs=defaults.threads,
            enable_categorical=True,
        )
        estimator.fit(types.apply(data.features), data.target, sample_weight=data.weight)
        predict = estimator_predictor(estimator, defaults)
        return lambda features: predict(types.apply(features))

    def prepare(self, data: Data, settings: Settings) -> Any:
        return self.module.QuantileDMatrix(
            data.features,
            data.target,
            weight=data.weight,
            max_bin=settings.border_count + 1,
            nthread=settings.threads,
        )

    def predictor(self, model: Any, settings: Chosen) -> Predictor:
        model.set_param({"nthread": settings.threads})
        predict: Predictor = model.inplace_predict
        return predict

    def explainer(self, model: Any, settings: Settings, *, interactions: bool) -> Predictor:
        model.set_param({"nthread": settings.threads})
        kind = "pred_interactions" if interactions else "pred_contribs"
        matrix = partial(self.module.DMatrix, nthread=settings.threads)
        return lambda features: model.predict(matrix(features), **{kind: True})
