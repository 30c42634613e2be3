"""What ``fit`` leaves behind: one record, and the attributes that show it.

The record is assigned once, when everything in it is complete. So an estimator has all of its old
model or all of its new one, wherever an interrupt or an error ends the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from ocelotboost.explain.explainer import Explainer
from ocelotboost.loss.base import Loss
from ocelotboost.model.forest import Forest
from ocelotboost.model.importance import feature_importances
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.predict.predictor import PredictorOnDemand


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """A trained model, and what else prediction needs.

    model      what is saved
    loss       for its link
    predictor  prepared by the first prediction
    explainer  prepared by the first explanation
    """

    model: TrainedModel
    loss: Loss
    predictor: PredictorOnDemand
    explainer: Explainer

    @classmethod
    def of(cls, model: TrainedModel, loss: Loss) -> Fitted:
        predictor = PredictorOnDemand(model.forest)
        return cls(model, loss, predictor, Explainer(model, predictor))

    def __reduce__(self) -> tuple[Any, ...]:
        return Fitted.of, (self.model, self.loss)  # a pickle does without what is prepared

    @property
    def forbids_missing(self) -> bool:
        return self.model.parameters.get("nan_mode") == "Forbidden"


class FittedAttributes:
    """Attributes of a fitted estimator; before ``fit`` each of them raises NotFittedError."""

    _fitted: Fitted | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None

    def _require_fitted(self) -> Fitted:
        return self._fitted or self._not_fitted()

    def _not_fitted(self) -> NoReturn:
        name = type(self).__name__
        raise NotFittedError(
            f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments "
            "before using this estimator."
        )

    @property
    def _loss_(self) -> Loss:
        return self._require_fitted().loss

    @property
    def model_(self) -> TrainedModel:
        """Everything that ``save_model`` writes."""
        return self._require_fitted().model

    @property
    def forest_(self) -> Forest:
        """The trees as arrays."""
        return self.model_.forest

    @property
    def n_features_in_(self) -> int:
        """Number of columns of X."""
        return self.model_.n_features

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the columns of X; absent when X had none."""
        names = self.model_.feature_names
        if names is None:
            raise AttributeError("feature_names_in_: the training data had no column names")
        return np.array(names, dtype=object)

    @property
    def history_(self) -> dict[str, dict[str, list[float]]]:
        """Metric values after each tree of this fit: ``history_["learn"]["RMSE"][3]``. Of several
        models, the mean of theirs.

        After ``init_model`` the first value belongs to tree ``n_init_trees_``.
        """
        return self.model_.history

    @property
    def best_iteration_(self) -> int | None:
        """The tree after which the watched metric was best, counted from the first tree of the
        model, those of ``init_model`` included; None when nothing was watched. Of several models,
        that of the one that kept most trees."""
        return self.model_.best_iteration

    @property
    def best_score_(self) -> float | None:
        """The value of the watched metric after ``best_iteration_``; None when nothing was
        watched. That is the first ``eval_metric``, or else the loss, on the first eval set."""
        return self.model_.best_score

    @property
    def n_iter_(self) -> int:
        """Number of trees."""
        return self.model_.forest.n_trees

    @property
    def n_init_trees_(self) -> int:
        """Number of trees that came from ``init_model``; they are the first."""
        return self.model_.n_init_trees

    @property
    def choices_(self) -> dict[str, Choice]:
        """Parameters that were left open, by name: what they became, and why."""
        return self.model_.choices

    @property
    def n_models_(self) -> int:
        """Number of models whose average this is."""
        return self.model_.resolved.n_models

    @property
    def depth_(self) -> int:
        """The depth of trees, given or chosen; where models differ, of the best."""
        return self.model_.resolved.depth

    @property
    def learning_rate_(self) -> float:
        """The learning rate of this fit, given or chosen."""
        return self.model_.resolved.learning_rate

    @property
    def boosting_type_(self) -> str:
        """The mode of this fit, given or chosen: "Ordered" or "Plain"; where models differ, of the
        best."""
        return self.model_.resolved.boosting_type

    @property
    def bootstrap_type_(self) -> str:
        """The sampling of this fit: "No", "Bayesian", "Bernoulli" or "MVS"."""
        return self.model_.resolved.bootstrap_type

    @property
    def leaf_estimation_method_(self) -> str:
        """How this fit found leaf values: "Newton", "Gradient" or "Exact"."""
        return self.model_.resolved.leaf_estimation_method

    @property
    def leaf_estimation_iterations_(self) -> int:
        """How many steps this fit took to find the values of a tree's leaves."""
        return self.model_.resolved.leaf_estimation_iterations

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much predictions change with each column, summing to 1."""
        return feature_importances(self.model_.forest)
