"""A trained model: the forest, and what its numbers mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from ocelotboost.model.forest import Forest
from ocelotboost.model.training_summary import TrainingSummary

KINDS = ("classifier", "regressor")
NUMBER_LABELS = (
    "bool",
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)


@dataclass(frozen=True)
class Choice:
    """The value of a parameter that the user left open.

    value   a number or a text; a list where models differ
    reason  for it
    """

    value: Any
    reason: str

    def told(self, name: str) -> str:
        """A line about the parameter of this name.

        >>> Choice([6, 8], "held-out rows").told("depth")
        'depth = 6 and 8: held-out rows'
        """
        words = str(self.value)
        if isinstance(self.value, list):
            words = (", " if len(self.value) > 2 else " and ").join(map(str, self.value)) or "none"
        return f"{name} = {words}: {self.reason}"


@dataclass(frozen=True)
class Resolved:
    """What training chose, or was told, where a parameter may say None or 'auto'. Where models
    differ, of the one that was best.

    n_models  whose average this is
    """

    learning_rate: float
    boosting_type: str
    bootstrap_type: str
    leaf_estimation_method: str
    leaf_estimation_iterations: int
    depth: int
    n_models: int


@dataclass(frozen=True)
class TrainedModel:
    """Everything a saved model is: the forest and what its numbers mean.

    forest              the trees
    kind                "classifier" or "regressor"
    loss                "Logloss", "Quantile:alpha=0.9"; a user's own loss: "custom:<class name>"
    feature_names       one per column, or None when the training data had no names
    classes             (n_classes,) labels in the order of the outputs: ints, floats, bools or
                        strings; None for a regressor
    parameters          the estimator's parameters; only JSON values can be saved
    resolved            of the last fit
    history             metric values of the last fit, by iteration: history["eval_0"]["Logloss"][3]
    best_iteration      number of a tree; None when nothing was watched
    watched             names of the data set and the metric that decided which is best
    n_init_trees        how many trees the last fit continued
    dropped_parameters  names of parameters that an earlier save could not keep
    choices             parameters that were left open: what they became, and why
    training            what is remembered of the training rows, or None
    """

    forest: Forest
    kind: str
    loss: str
    feature_names: tuple[str, ...] | None
    classes: NDArray[Any] | None
    parameters: dict[str, Any]
    resolved: Resolved
    history: dict[str, dict[str, list[float]]]
    best_iteration: int | None
    watched: tuple[str, str] | None = None
    n_init_trees: int = 0
    dropped_parameters: tuple[str, ...] = ()
    choices: dict[str, Choice] = field(default_factory=dict)
    training: TrainingSummary | None = None

    @property
    def best_score(self) -> float | None:
        """Value of the watched metric after the best iteration."""
        if self.best_iteration is None or self.watched is None:
            return None
        data, metric = self.watched
        return self.history[data][metric][self.best_iteration - self.n_init_trees]

    @property
    def n_features(self) -> int:
        """Columns that the user gives."""
        return self.forest.n_given
