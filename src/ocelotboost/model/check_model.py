"""Whether all parts of a model fit together."""

from __future__ import annotations

import math

import numpy as np

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
from ocelotboost.model.check_derivation import check_derivation
from ocelotboost.model.check_training import check_training
from ocelotboost.model.forest import Forest
from ocelotboost.model.plain_values import plain_parameters
from ocelotboost.model.trained import KINDS, NUMBER_LABELS, Resolved, TrainedModel

#: Losses by kind of model. A user's own, "custom:<name>", are of both; they have one output.
LOSSES = {
    "classifier": ("Logloss", "CrossEntropy", "MultiClass"),
    "regressor": (
        "RMSE", "MAE", "Quantile", "Huber", "Poisson", "Tweedie", "Gamma", "CrossEntropy",
    ),
}  # fmt: skip
_CHOICES = {
    "boosting_type": ("Plain", "Ordered"),
    "bootstrap_type": ("No", "Bayesian", "Bernoulli", "MVS"),
    "leaf_estimation_method": ("Newton", "Gradient", "Exact"),
}


def validate(model: TrainedModel) -> None:
    """Raise ModelFileError unless all parts fit together.

    Prediction kernels trust these arrays: they follow ``split_columns`` and leaf numbers without
    looking. So whatever passes here must be safe to predict with.
    """
    _check_arrays(model.forest)
    check_categories(model.forest)
    check_derivation(model.forest)
    _check_trees(model.forest)
    _check_numbers(model.forest)
    _check_kind(model)
    _check_classes(model)
    _check_names(model)
    _check_resolved(model.resolved)
    _check_choices(model)
    _check_iterations(model)
    if model.training is not None:
        check_training(model.training, model.n_features)


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
        small = bool((np.abs(getattr(forest, name)) <= LARGEST_NUMBER).all())  # not so for NaN
        require(small, f"{name} has a value that is not finite, or beyond {LARGEST_NUMBER:g}")
    require(bool((forest.leaf_weights >= 0).all()), "leaf_weights has a negative value")
    check_flags("missing_high", forest.missing_high)


def _check_kind(model: TrainedModel) -> None:
    """Kind, loss and number of outputs."""
    known = isinstance(model.kind, str) and model.kind in KINDS
    require(known, f"the kind {model.kind!r} is none of {', '.join(KINDS)}")
    require(isinstance(model.loss, str), f"the loss is {model.loss!r}, not a name")
    name, n_outputs = model.loss.partition(":")[0], model.forest.n_outputs
    require(
        name in (*LOSSES[model.kind], "custom"),
        f"the loss {model.loss!r} is none of a {model.kind}: {', '.join(LOSSES[model.kind])}",
    )
    expected = n_outputs >= 2 if name == "MultiClass" else n_outputs == 1
    require(
        expected, f"a {model.kind} with the loss {model.loss!r} cannot have {n_outputs} outputs"
    )


def _check_classes(model: TrainedModel) -> None:
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
    labels = classes.tolist()
    require(len(set(labels)) == len(labels), "a class label occurs twice")
    require(all(label == label for label in labels), "a class label is NaN")


def _check_names(model: TrainedModel) -> None:
    names = model.feature_names
    if names is not None:
        all_text = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
        require(all_text, "feature_names is not a tuple of texts")
        require(
            len(names) == model.n_features,
            f"there are {len(names)} feature names for {model.n_features} columns",
        )
        require(len(set(names)) == len(names), "a feature name occurs twice")
    require(
        isinstance(model.parameters, dict) and all(isinstance(k, str) for k in model.parameters),
        "parameters is not a dict with texts for keys",
    )
    dropped = model.dropped_parameters
    require(
        isinstance(dropped, tuple) and all(isinstance(name, str) for name in dropped),
        "dropped_parameters is not a tuple of texts",
    )
    require(
        list(dropped) == sorted({*dropped} - model.parameters.keys()),
        "dropped_parameters are not in order, or are among the parameters",
    )


def _check_resolved(resolved: Resolved) -> None:
    require(isinstance(resolved, Resolved), "resolved is not a record of what training chose")
    rate = resolved.learning_rate
    require(
        isinstance(rate, float) and 0 < rate < math.inf,
        f"the learning_rate is {rate!r}, not a number above 0",
    )
    for name, choices in _CHOICES.items():
        found = getattr(resolved, name)
        known = isinstance(found, str) and found in choices
        require(known, f"{name} is {found!r}, none of {', '.join(choices)}")
    for name in ("leaf_estimation_iterations", "depth", "n_models"):
        count = getattr(resolved, name)
        require(type(count) is int and count >= 1, f"{name} is {count!r}, not a number from 1")


def _check_choices(model: TrainedModel) -> None:
    for name, own in model.choices.items():
        require(isinstance(own.reason, str), f"the reason for {name} is {own.reason!r}, not a text")
        kept = plain_parameters({name: own.value})[0]
        require(kept == {name: own.value}, f"{name} was chosen as {own.value!r}, not a plain value")


def _check_iterations(model: TrainedModel) -> None:
    """The numbers of trees, and the history."""
    n_trees, best, before = model.forest.n_trees, model.best_iteration, model.n_init_trees
    require(
        best is None or (type(best) is int and 0 <= best < n_trees),
        f"best_iteration is {best!r}, neither None nor the number of one of {n_trees} trees",
    )
    require(
        type(before) is int and 0 <= before <= n_trees,
        f"n_init_trees is {before!r}, not a number from 0 to that of all trees, {n_trees}",
    )
    problem = "history is not a dict of data sets, each a dict of metrics, each a list of numbers"
    require(isinstance(model.history, dict), problem)
    lengths = set()
    for data_set, metrics in model.history.items():
        require(isinstance(data_set, str) and isinstance(metrics, dict), problem)
        for metric, values in metrics.items():
            require(isinstance(metric, str) and isinstance(values, list), problem)
            require(all(isinstance(v, float | int | np.number) for v in values), problem)
            lengths.add(len(values))
    require(len(lengths) <= 1, f"the lists of history have different lengths: {sorted(lengths)}")
    shortest = min(lengths, default=n_trees)
    require(
        shortest * model.resolved.n_models >= n_trees - before,
        f"history tells of {shortest} iterations, but {n_trees - before} trees were trained",
    )
    _check_watched(model)


def _check_watched(model: TrainedModel) -> None:
    """The curve that decided is one of the history, and as long as it has to be."""
    if model.watched is None:
        return
    two_names = isinstance(model.watched, tuple) and [type(n) for n in model.watched] == [str, str]
    require(two_names, f"watched is {model.watched!r}, not the names of a data set and a metric")
    data, metric = model.watched
    curve = model.history.get(data, {}).get(metric)
    if curve is None:
        raise ModelFileError(f"history has no metric {metric!r} of {data!r}, which was watched")
    best = model.best_iteration
    require(
        best is None or 0 <= best - model.n_init_trees < len(curve),
        f"best_iteration is {best!r}, but {len(curve)} iterations follow the first "
        f"{model.n_init_trees} trees",
    )
