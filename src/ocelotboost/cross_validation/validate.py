"""``cv``: read once, split into folds, train them side by side, judge each by unseen rows."""

from __future__ import annotations

import time as clock
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ocelotboost.boost.callback import check_callbacks
from ocelotboost.cross_validation.fitting import Common, Data, fit_all
from ocelotboost.cross_validation.folds import RowsToSplit, make_folds
from ocelotboost.cross_validation.judging import fitted_like, out_of_fold
from ocelotboost.cross_validation.kind import estimator_from
from ocelotboost.cross_validation.places import choose_places
from ocelotboost.cross_validation.result import CrossValidation
from ocelotboost.cross_validation.running import Outcome, run_by_fold, run_by_tree
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.class_target import ClassSettings
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.reading import Given, read
from ocelotboost.estimator.settings import Settings, settings_from
from ocelotboost.order.ordering import check_time
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.roles import class_target, regression_target, row_weights
from ocelotboost.table.sources import is_source

Parallel = Literal["auto", "folds", "inside"]
_PARALLEL = ("auto", "folds", "inside")


def cv(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    cat_features: Any = None,
    callbacks: Any = None,
    refit: bool = False,
    return_models: bool = False,
    share: bool = True,
    parallel: Parallel = "auto",
    random_state: Any = 0,
) -> CrossValidation:
    """How well an estimator predicts rows that it has not seen, and with how many trees
    (docs/cross_validation.md).

    Parameters
    ----------
    estimator : OcelotClassifier, OcelotRegressor, or a dict of parameters
        With ``iterations``, each fold is one model: there are curves, and all folds together find
        the best number of trees. ``early_stopping_rounds`` then follows their mean. Without, each
        fold is what ``fit`` trains by itself, and is judged at the end.
    X, y, sample_weight, cat_features
        As in ``fit``.
    cv : number, splitter, or pairs of row numbers
        A number makes stratified folds for classes, shuffled ones for numbers.
    groups : (n_rows,), optional
        No group both trains and judges.
    time : (n_rows,), optional
        Folds go forward: earlier rows train, later rows judge. Numbers, dates or texts.
    callbacks : optional
        Objects with after_iteration(info), where info is a ``FoldsInfo`` of all folds; True stops
        all of them. Needs ``iterations``.
    refit : bool
        Fit the estimator on all rows, with the best number of trees: ``result.model``.
    return_models : bool
        Keep the fitted estimator of each fold: ``result.models``.
    share : bool
        Borders, one-hot columns and what depends on the number of rows are those of all rows. They
        see no target. False: each fold has its own, as a ``fit`` of its rows would; so has a fold
        with value views, which follow from its target.
    parallel : "auto", "folds" or "inside"
        Train several folds at a time, or one with all threads. The same bits either way.
    random_state : number
        Which folds a row is in, where cv is a number.

    Returns
    -------
    CrossValidation

    >>> import numpy as np
    >>> from ocelotboost import OcelotRegressor, cv
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> found = cv(OcelotRegressor(iterations=30), X, X[:, 0] + X[:, 1], cv=3, refit=True)
    >>> found.curves["RMSE"].shape
    (3, 30)
    >>> bool(found.best_iteration == found.mean["RMSE"].argmin())
    True
    >>> found.model.n_iter_ == found.best_iteration + 1
    True
    """
    begun = clock.perf_counter()
    estimator = estimator_from(estimator, y)
    if parallel not in _PARALLEL:
        raise ParameterError(f"parallel={parallel!r} is not possible; give one of {_PARALLEL}.")
    settings = settings_from(estimator, cat_features, None)
    by_tree = _has_one_model(settings)
    observers = _observers(callbacks, by_tree)
    with CacheDirectory(settings.read.cache_dir) as cache:
        data, rows = _read(Given(X, y, sample_weight), settings, cache, groups, time)
        folds = make_folds(cv, rows, random_state)
        common = Common.of(data, settings, by_tree, bool(share), bool(return_models), cache)
        places = choose_places(parallel, len(folds), common)
        if by_tree:
            found = run_by_tree(estimator, common, folds, places, observers)
        else:
            found = run_by_fold(estimator, common, folds, places)
        model = _refitted(estimator, common, found, cat_features) if refit else None
    metric, higher_is_better = common.metric
    judged = found.judged
    names = [metric, *(name for name in judged[0].scores if name != metric)]
    return CrossValidation(
        folds=folds,
        metric=metric,
        higher_is_better=higher_is_better,
        scores={name: np.array([own.scores[name] for own in judged]) for name in names},
        curves=found.test,
        learn_curves=found.learn,
        n_trees=np.array([own.n_trees for own in judged]),
        predictions=out_of_fold(folds, [own.predictions for own in judged], rows.n_rows),
        classes=rows.classes,
        estimator=type(estimator).__name__,
        models=[fitted_like(estimator, own.fitted) for own in judged] if return_models else None,
        model=model,
        seconds=clock.perf_counter() - begun,
    )


def _has_one_model(settings: Settings) -> bool:
    """Whether a fold is one model of all its rows, so that there are curves to compare."""
    given = settings.left_open
    return (
        given.iterations is not None
        and given.n_models in (None, 1)
        and given.validation_fraction in (None, "auto")
    )


def _observers(callbacks: Any, by_tree: bool) -> list[Any]:
    observers = check_callbacks(callbacks)
    for observer in observers:
        if not hasattr(observer, "after_iteration"):
            raise ParameterError(
                f"callbacks: {observer!r} has no after_iteration, which is called when all folds "
                "have one more tree."
            )
    if observers and not by_tree:
        raise ParameterError(
            "callbacks follow one model per fold, tree by tree: give the estimator iterations, and "
            "neither n_models nor validation_fraction."
        )
    return observers


def _read(
    given: Given, settings: Settings, cache: CacheDirectory, groups: Any, time: Any
) -> tuple[Data, RowsToSplit]:
    """The table and its target, and what folds may depend on."""
    table, y, weight = read(given, settings.read, cache)
    check_time(table, settings.split.has_time)
    classes = codes = None
    if isinstance(settings.target, ClassSettings):
        classes, codes = class_target(y, table.n_rows)
        values = classes[codes]
    else:
        values = regression_target(y, table.n_rows)
    data = Data(table, values, row_weights(weight, table.n_rows))
    X = np.empty((table.n_rows, 0)) if is_source(given.X) else given.X
    return data, RowsToSplit(X, values, classes, codes, data.weight, groups, time)


def _refitted(
    estimator: OcelotEstimator, common: Common, found: Outcome, cat_features: Any
) -> OcelotEstimator:
    """Fitted on all rows. The number of trees was found at a learning rate, which stays."""
    copy: OcelotEstimator = clone(estimator)
    if common.by_tree:
        largest = max(found.judged, key=lambda own: own.n_rows)
        copy.set_params(
            iterations=largest.n_trees,
            learning_rate=largest.fitted.model.resolved.learning_rate,
            early_stopping_rounds=None,
        )
    trained = fit_all(common, settings_from(copy, cat_features, None))
    copy._keep(Fitted.of(trained.model(), trained.target.loss), trained.ensemble.interruption)
    return copy
