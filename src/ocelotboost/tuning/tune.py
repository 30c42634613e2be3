"""``tune``: better parameters by trials, and a model that is fitted with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import clone

from ocelotboost.cross_validation.kind import estimator_from
from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.parameters import model_parameters
from ocelotboost.estimator.reading import Given
from ocelotboost.model.plain_values import plain_parameters
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.tuning.budget import Clock, seconds_of, trials_of
from ocelotboost.tuning.judges import choose_judges
from ocelotboost.tuning.result import Tuning
from ocelotboost.tuning.space import choose_space, first_trials
from ocelotboost.tuning.workbench import Workbench


def tune(
    X: Any,
    y: Any,
    *,
    estimator: OcelotEstimator | Mapping[str, Any] | None = None,
    trials: int | None = None,
    budget: Any = None,
    cv: Any = None,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    cat_features: Any = None,
    metric: Any = None,
    space: Mapping[str, Any] | Sequence[str] | None = None,
    storage: str | PathLike[str] | Any = None,
    study_name: str | None = None,
    random_state: int | None = None,
    callbacks: Any = None,
    verbose: bool = False,
) -> Tuning:
    """Search better parameters on held-out rows, and fit a model with them on all rows.

    Trial 0 is the defaults, and the result is never worse than they are on the rows that judge.
    Needs Optuna: ``pip install 'ocelot-boost[tune]'`` (docs/tuning.md).

    Parameters
    ----------
    X, y, sample_weight, cat_features
        As in ``fit``; no iterator, because the rows are read again for the final model.
    estimator : OcelotClassifier, OcelotRegressor, or a dict of parameters, optional
        Parameters that are set there are not searched. Without an estimator y decides: texts,
        truth values and two distinct numbers are classes, numbers with decimals are numbers.
    trials : int, optional
        How many; 50 where there is no budget. Those of earlier calls in the same storage count.
    budget : text, seconds or timedelta, optional
        The time for all of it, such as "10min": the final fit included, roughly.
    cv : int, splitter or pairs of row numbers, optional
        Which rows judge. None: a holdout of a fifth, at most 20,000 rows, and the finalists meet
        on further folds; three folds with fewer than 10,000 rows, five with fewer than 2,000.
    groups, time : (n_rows,), optional
        No group trains and judges; or rows that judge are later than those that train. The times
        are those of ``has_time`` where the estimator has it.
    metric : optional
        What scores trials and stops their training, as in ``eval_metric``. None: the loss.
    space : optional
        What is searched: names of parameters, or a dict from names to (low, high), a list of
        values, a ``Range`` or ``Choices``. None: the ranges in docs/parameters.md.
    storage, study_name : optional
        Where the trials are kept: a path of an SQLite file, or a storage of Optuna. The same call
        after a kill goes on with the remaining trials.
    random_state : int, optional
        Of the search and of all trainings in it. None: that of the estimator, if it is a number.
    callbacks : optional
        Called with the study and the trial after each trial; returning True ends the search.
    verbose : bool
        A progress bar with the best score so far, or lines where the output is no terminal.

    Returns
    -------
    Tuning, with the fitted ``estimator``, ``best_params``, the scores and the ``study``. Ctrl-C
    ends the search, and the best so far is fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from ocelotboost import tune
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X[:, 0] + X[:, 1] ** 2
    >>> found = tune(X, y, estimator={"iterations": 20}, trials=3, cv=2)
    >>> found.best_score <= found.default_score, len(found.trials)
    (True, 3)
    """
    _require_optuna()
    clock, n_trials = Clock(seconds_of(budget)), trials_of(trials, budget)
    observers = _callables(callbacks)
    _refuse_iterator(X)
    base = estimator_from(estimator, y)
    if metric is not None:
        base.set_params(eval_metric=metric)
    seed = _seed(random_state, base)
    in_trials = clone(base).set_params(random_state=seed, quality="fast", verbose=False)
    from ocelotboost.tuning.progress import progress_for
    from ocelotboost.tuning.search import Search, judge_finalists, run
    from ocelotboost.tuning.study import open_study, quiet

    with CacheDirectory(base.cache_dir) as cache, quiet():
        bench = Workbench(in_trials, Given(X, y, sample_weight), cat_features, cache)
        judges = choose_judges(cv, bench.rows_to_split(X, groups, time), seed)
        bench.folds = judges.folds
        searched = choose_space(space, in_trials, bench)
        first = first_trials(searched, in_trials, bench)
        about = {
            "data": bench.fingerprint(),
            "metric": bench.judge.name,
            "rows to judge by": judges.fingerprint(),
            "parameters": _parameters(in_trials),
            "search space": {name: str(search) for name, search in searched.items()},
        }
        study = open_study(storage, study_name, bench.judge.direction, about)
        with progress_for(verbose, n_trials, clock, bench.judge) as progress:
            search = Search(
                bench, judges, searched, first, n_trials, clock, seed, [progress, *observers]
            )
            interrupted = run(study, search)
            verdict = judge_finalists(study, search, interrupted)
            progress.say("fitting the best on all rows")
            best, default = verdict.best, verdict.default
            chosen = {} if best is default else dict(best.params)
            model = clone(base).set_params(**chosen)
            model.fit(X, y, sample_weight=sample_weight, cat_features=cat_features)
    return Tuning(
        estimator=model,
        study=study,
        best_params=chosen,
        best_score=verdict.scores[best.number],
        default_score=verdict.scores[default.number],
        metric=bench.judge.name,
        higher_is_better=bench.judge.higher_is_better,
        default_params=first[0],
        finalists=verdict.scores,
        judges=str(judges),
        seconds=clock.elapsed,
        interrupted=interrupted,
    )


def _require_optuna() -> None:
    try:
        import optuna  # noqa: F401
    except ImportError as problem:
        raise ImportError(
            "tune needs Optuna: install it by pip install 'ocelot-boost[tune]'."
        ) from problem


def _seed(random_state: Any, estimator: OcelotEstimator) -> int:
    given = estimator.random_state if random_state is None else random_state
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and given >= 0:
        return int(given)
    if random_state is not None:
        raise ParameterError(
            f"random_state={random_state!r} is not possible; give a whole number from 0, or None."
        )
    return 0


def _refuse_iterator(X: Any) -> None:
    if hasattr(X, "__next__"):
        raise InputError(
            "X is an iterator, which can be read only once, and the final model reads the rows "
            "again: give a table, a file or a dataset."
        )


def _callables(callbacks: Any) -> list[Any]:
    if callbacks is None:
        return []
    found = list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
    for callback in found:
        if not callable(callback):
            raise ParameterError(
                f"callbacks: {callback!r} cannot be called; give functions of a study and a trial."
            )
    return found


def _parameters(estimator: OcelotEstimator) -> dict[str, Any]:
    """Those that models depend on, as a study keeps them."""
    kept, _ = plain_parameters(model_parameters(estimator))
    return kept
