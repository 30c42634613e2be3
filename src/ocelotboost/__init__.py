"""Ocelot: gradient boosting of oblivious trees that does not leak its targets.

The journey of the data, a folder a stage:

    table      what a user has             -> typed columns
    quantize   numbers                     -> bins
    loss       predictions and targets     -> gradients         (metric: -> one number)
    boost      the loop: one tree after the other
    grow       gradients                   -> the structure of a tree
    leaves     a structure                 -> leaf values
    model      trees                       -> packed arrays, files
    predict    model and table             -> predictions
    explain    model and table             -> why it predicts so (display: pictures of it)
    report     model, table and target     -> a page about the model
    files      files                       -> tables, and back
    estimator  all of it with scikit-learn's face
    cross_validation  several of it on folds of the rows
    tuning     better parameters by trials
    dask       all of it on a cluster
    cli        all of it as the command `ocelot`
    kernels    the only door to C++
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ocelotboost.cross_validation.result import CrossValidation
    from ocelotboost.cross_validation.validate import cv
    from ocelotboost.errors import (
        InputError,
        ModelFileError,
        OcelotError,
        ParameterError,
        SnapshotError,
    )
    from ocelotboost.estimator.classifier import OcelotClassifier
    from ocelotboost.estimator.load import load_model
    from ocelotboost.estimator.regressor import OcelotRegressor
    from ocelotboost.tuning.result import Tuning
    from ocelotboost.tuning.tune import tune

__version__ = version("ocelot-boost")

__all__ = [
    "OcelotClassifier",
    "OcelotRegressor",
    "load_model",
    "cv",
    "CrossValidation",
    "tune",
    "Tuning",
    "OcelotError",
    "InputError",
    "ParameterError",
    "ModelFileError",
    "SnapshotError",
]

#: Where public names are. They are imported when they are first used: scikit-learn takes most of a
#: second, for which `ocelot --help` need not wait.
_HOMES = {
    "OcelotClassifier": "estimator.classifier",
    "OcelotRegressor": "estimator.regressor",
    "load_model": "estimator.load",
    "cv": "cross_validation.validate",
    "CrossValidation": "cross_validation.result",
    "tune": "tuning.tune",
    "Tuning": "tuning.result",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
