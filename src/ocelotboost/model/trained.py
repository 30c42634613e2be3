"""A trained model: the forest, and what its numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ModelFileError
from ocelotboost.model.check_categories import (
    LARGEST_DEPTH,
    LARGEST_NUMBER,
    check_array,
    check_categories,
    check_flags,
    check_questions,
    require,
)
from ocelotboost.model.forest import Forest

KINDS = ("classifier", "regressor")
_CHOICES = {
    "boosting_type": ("Plain", "Ordered"),
    "bootstrap_type": ("No", "Bayesian", "Bernoulli", "MVS"),
    "leaf_estimation_method": ("Newton", "Gradient", "Exact"),
}
NUMBER_LABELS = (
    "bool",
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)


@dataclass(frozen=True)
class Resolved:
    """What training chose, or was told, where a parameter may say None or 'auto'."""

    learning_rate: float
    boosting_type: str
    bootstrap_type: str
    leaf_estimation_method: str
    leaf_estimation_iterations: int


@dataclass(frozen=True)
class TrainedModel:
    """Everything a saved model is: the forest and what its numbers mean.

    forest              the trees
    kind                "classifier" or "regressor"
    loss                "Logloss", "Quantile:alpha=0.9"; a user's own loss: "custom:<class name>"
    feature_names       one a column, or None when the training data had no names
    classes             (n_classes,) labels in the order of the outputs: ints, floats, bools or
                        strings; None for a regressor
    parameters          the estimator's parameters; only JSON values can be saved
    resolved            of the last fit
    history             metric values of the last fit, by iteration: history["eval_0"]["Logloss"][3]
    best_iteration      number of a tree; None when nothing was watched
    n_init_trees        how many trees the last fit continued
    dropped_parameters  names of parameters that an earlier save could not keep
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
    n_init_trees: int = 0
    dropped_parameters: tuple[str, ...] = ()

    @property
    def n_features(self) -> int:
        return self.forest.n_features


def validate(model: TrainedModel) -> None:
    """Raise ModelFileError unless all parts fit together.

    Prediction kernels trust these arrays: they follow ``split_columns`` and leaf numbers without
    looking. So whatever passes here must be safe to predict with.
    """
    _check_arrays(model.forest)
    check_categories(model.forest)
    _check_trees(model.forest)
    _check_numbers(model.forest)
    _check_classes(model)
    _check_names(model)
    _check_resolved(model.resolved)
    _check_history(model)


def _check_arrays(forest: Forest) -> None:
    for name, dtype, n_axes in (
        ("split_columns", np.uint32, 1),
        ("split_borders", np.float64, 1),
        ("tree_depths", np.uint32, 1),
        ("leaf_values", np.float64, 2),
        ("leaf_weights", np.float64, 1),
        ("start_value", np.float64, 1),
        ("missing_high", np.bool_, 1),
    ):
        check_array(name, getattr(forest, name), (dtype,), n_axes)


def _check_trees(forest: Forest) -> None:
    depths = forest.tree_depths.astype(np.int64)
    deepest = int(depths.max(initial=0))
    require(deepest <= LARGEST_DEPTH, f"a tree has depth {deepest}; at most {LARGEST_DEPTH} fit")
    n_splits, n_leaves = int(depths.sum()), int(np.left_shift(1, depths).sum())
    for name, array, expected in (
        ("split_columns", forest.split_columns, n_splits),
        ("split_borders", forest.split_borders, n_splits),
        ("leaf_values", forest.leaf_values, n_leaves),
        ("leaf_weights", forest.leaf_weights, n_leaves),
    ):
        require(
            len(array) == expected,
            f"{name} has length {len(array)}, but the tree depths ask for {expected}",
        )
    check_questions(forest, forest.split_columns, forest.split_borders)
    require(forest.n_outputs >= 1, "start_value is empty: the model has no output")
    require(
        forest.leaf_values.shape[1] == forest.n_outputs,
        f"leaf_values has {forest.leaf_values.shape[1]} outputs, start_value {forest.n_outputs}",
    )


def _check_numbers(forest: Forest) -> None:
    for name in ("leaf_values", "leaf_weights", "start_value"):
        finite = bool(np.isfinite(getattr(forest, name)).all())
        require(finite, f"{name} has a value that is not finite")
    require(bool((forest.leaf_weights >= 0).all()), "leaf_weights has a negative value")
    check_flags("missing_high", forest.missing_high)


def _check_classes(model: TrainedModel) -> None:
    require(model.kind in KINDS, f"the kind {model.kind!r} is none of {', '.join(KINDS)}")
    classes = model.classes
    if model.kind != "classifier":
        require(classes is None, f"a {model.kind} cannot have classes")
        return
    if not isinstance(classes, np.ndarray) or classes.ndim != 1:
        raise ModelFileError("a classifier needs its classes as an array of one axis")
    n_outputs = model.forest.n_outputs
    expected = 2 if n_outputs == 1 else n_outputs
    require(
        len(classes) == expected,
        f"there are {len(classes)} classes, but {n_outputs} outputs need {expected}",
    )
    known = classes.dtype.kind in "UT" or classes.dtype.name in NUMBER_LABELS
    if classes.dtype == np.dtype(object):
        known = all(type(label) in (str, int, float, bool) for label in classes)
    require(
        known,
        f"the class labels are of dtype {classes.dtype}; only ints, floats, bools and strings can "
        "be saved: encode the target before fitting",
    )
    require(len(set(classes.tolist())) == len(classes), "a class label occurs twice")


def _check_names(model: TrainedModel) -> None:
    require(isinstance(model.loss, str), f"the loss is {model.loss!r}, not a name")
    names = model.feature_names
    if names is not None:
        all_text = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
        require(all_text, "feature_names is not a tuple of texts")
        require(
            len(names) == model.n_features,
            f"there are {len(names)} feature names for {model.n_features} columns",
        )
    require(
        isinstance(model.parameters, dict) and all(isinstance(k, str) for k in model.parameters),
        "parameters is not a dict with texts for keys",
    )
    best = model.best_iteration
    require(
        best is None or (isinstance(best, int) and not isinstance(best, bool) and best >= 0),
        f"best_iteration is {best!r}, not None or a number from 0",
    )
    dropped = model.dropped_parameters
    require(
        isinstance(dropped, tuple) and all(isinstance(name, str) for name in dropped),
        "dropped_parameters is not a tuple of texts",
    )


def _check_resolved(resolved: Resolved) -> None:
    require(isinstance(resolved, Resolved), "resolved is not a record of what training chose")
    rate = resolved.learning_rate
    require(
        isinstance(rate, float) and 0 < rate <= LARGEST_NUMBER,
        f"the learning_rate is {rate!r}, not a number above 0",
    )
    for name, choices in _CHOICES.items():
        found = getattr(resolved, name)
        known = isinstance(found, str) and found in choices
        require(known, f"{name} is {found!r}, none of {', '.join(choices)}")
    steps = resolved.leaf_estimation_iterations
    require(
        type(steps) is int and steps >= 1,
        f"leaf_estimation_iterations is {steps!r}, not a number from 1",
    )


def _check_history(model: TrainedModel) -> None:
    problem = "history is not a dict of data sets, each a dict of metrics, each a list of numbers"
    require(isinstance(model.history, dict), problem)
    for data_set, metrics in model.history.items():
        require(isinstance(data_set, str) and isinstance(metrics, dict), problem)
        for metric, values in metrics.items():
            require(isinstance(metric, str) and isinstance(values, list), problem)
            require(all(isinstance(v, float | int | np.number) for v in values), problem)
