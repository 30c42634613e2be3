"""The study in Optuna's storage: opened, or gone on with after a kill.

What a trial is asked depends on the finished trials, the seed and their number, and on nothing that
a process remembers. So a search that was killed goes on as if it had not been.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.parameters import Choices, Range
from ocelotboost.tuning.pruning import BetterShare
from ocelotboost.tuning.space import Space
from ocelotboost.tuning.workbench import Direction

#: Random trials before the sampler looks at the results, the first ones included.
_STARTUP = 10

_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)

#: Under these names the study says what it is about.
_ATTRIBUTES = "ocelot:"


def open_study(
    storage: str | PathLike[str] | Any,
    name: str | None,
    direction: Direction,
    about: Mapping[str, Any],
) -> Study:
    """A new study, or that of the same name in the storage, if it is ``about`` the same."""
    if isinstance(storage, str | PathLike):
        text = fspath(storage)
        storage = text if "://" in text else f"sqlite:///{text}"
    name = name or ("ocelot" if storage is not None else None)
    study = optuna.create_study(
        storage=storage,
        study_name=name,
        direction=direction,
        pruner=BetterShare(),
        load_if_exists=True,
    )
    _check(study, about, direction)
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)  # its process was killed
    return study


@contextmanager
def quiet() -> Iterator[None]:
    """Optuna logs a line per trial; here progress is shown by other means."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def finished(study: Study) -> list[FrozenTrial]:
    """Trials that have a result, pruned ones included."""
    return study.get_trials(deepcopy=False, states=_FINISHED)


def importances(study: Study, fewest: int) -> dict[str, float]:
    """Shares of the parameters; none where fewer trials than that are complete."""
    if len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))) < fewest:
        return {}
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    return dict(optuna.importance.get_param_importances(study, evaluator=evaluator))


def ask(study: Study, space: Space, first: list[dict[str, Any]], seed: int) -> Trial:
    """The next trial: one of the ``first``, then what the sampler suggests."""
    number = len(finished(study))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.sampler = TPESampler(
            n_startup_trials=_STARTUP, multivariate=True, seed=(seed * 1_000_003 + number) % 2**32
        )
        if number < len(first):
            study.enqueue_trial(first[number])
        return study.ask({name: _distribution(search) for name, search in space.items()})


def _distribution(search: Range | Choices) -> BaseDistribution:
    if isinstance(search, Choices):
        return CategoricalDistribution(search.values)
    if search.whole:
        return IntDistribution(int(search.low), int(search.high), log=search.log)
    return FloatDistribution(float(search.low), float(search.high), log=search.log)


def _check(study: Study, about: Mapping[str, Any], direction: Direction) -> None:
    """Refuse to go on with other data or other settings."""
    known = study.user_attrs
    remedy = "Give another study_name, or another storage, to start anew."
    if study.direction.name.lower() != direction:
        raise ParameterError(
            f"The study {study.study_name!r} is to {study.direction.name.lower()} its metric, and "
            f"this one is to {direction} it. {remedy}"
        )
    for what, value in about.items():
        key = _ATTRIBUTES + what
        if key not in known:
            if study.get_trials(deepcopy=False):
                raise ParameterError(
                    f"The study {study.study_name!r} was not begun by tune, or by another version "
                    f"of it. {remedy}"
                )
            study.set_user_attr(key, value)
        elif known[key] != value:
            kind = InputError if what == "data" else ParameterError
            detail = "" if what == "data" else f": it was {known[key]!r}, and now it is {value!r}"
            raise kind(
                f"The study {study.study_name!r} was begun with other {what}{detail}. {remedy}"
            )
