"""Public use as a type checker sees it; mypy reads this file in `make check`, nobody runs it.

A ``type: ignore`` marks a mistake that has to be found: mypy complains where it is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost import OcelotClassifier, OcelotRegressor, load_model
from ocelotboost.boost.callback import IterationInfo


class Squares:
    """A loss."""

    def derivatives(
        self, target: NDArray[np.float32], raw: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return raw - target, np.ones_like(raw)


class Largest:
    """A metric."""

    name = "largest"
    higher_is_better = True

    def value(
        self,
        target: NDArray[np.float32],
        raw: NDArray[np.float64],
        weight: NDArray[np.float32] | None,
    ) -> float:
        return float(raw.max())


class Stop:
    def after_iteration(self, info: IterationInfo) -> bool:
        return info.seconds > 5 or info.history["learn"]["RMSE"][-1] < 0.1


def parameters() -> None:
    OcelotClassifier(boosting_type="Ordered", bootstrap_type="MVS", random_state=None)
    OcelotClassifier(random_state=np.random.RandomState(0), class_weights={"a": 2.0})
    OcelotClassifier(random_state=np.random.default_rng(0), auto_class_weights="Balanced")
    OcelotRegressor(loss_function=Squares(), eval_metric=[Largest(), "MAE"], verbose=100)
    OcelotRegressor(regression_statistic="mean", nan_mode="Max", has_time="day", interrupt="keep")
    OcelotClassifier(boosting_type="ordered")  # type: ignore[arg-type]
    OcelotClassifier(random_state="0")  # type: ignore[arg-type]
    OcelotClassifier(eval_metric=3)  # type: ignore[arg-type]
    OcelotRegressor(interrupt="stop")  # type: ignore[arg-type]


def results(X: Any, y: Any) -> None:
    classifier: OcelotClassifier = OcelotClassifier().fit(X, y, eval_set={"new": (X, y)})
    probabilities: NDArray[np.float64] = classifier.predict_proba(X, n_trees=10)
    regressor: OcelotRegressor = OcelotRegressor().fit(X, y, callbacks=[Stop()], X_val=X, y_val=y)
    predictions: NDArray[np.float64] = regressor.predict(X)
    stages: list[NDArray[np.float64]] = list(regressor.staged_predict_raw(X))
    best: float | None = regressor.best_score_
    curve: list[float] = regressor.history_["learn"]["RMSE"]
    again: OcelotRegressor = regressor.set_params(depth=3)
    loaded: OcelotClassifier | OcelotRegressor = load_model("model.ocelot")
    print(probabilities, predictions, stages, best, curve, again, loaded)
    regressor.fit(X, y, early_stopping_rounds=5)  # type: ignore[call-arg]
    regressor.predict(X, n_trees="all")  # type: ignore[arg-type]
