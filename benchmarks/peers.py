"""One small class a library: everything that is said differently by each of them.

All of them get the same work: depth 6 (64 leaves), every row and column for every tree, 254
borders a column, the same learning rate and L2, no validation set.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Data

Predictor = Callable[[NDArray[np.float32]], Any]
LEAST_HESSIAN = 1e-3  # in a leaf, where a library has such a rule; LightGBM fails with none


@dataclass(frozen=True)
class Settings:
    """What every library is asked for, in CatBoost's words."""

    loss: str  # RMSE, Logloss, MultiClass or Poisson
    learning_rate: float = 0.1
    depth: int = 6
    border_count: int = 254
    l2_leaf_reg: float = 3.0
    leaf_estimation_iterations: int = 1  # Newton steps a tree, where a library lets one choose
    threads: int = 2


class Library(ABC):
    """A gradient boosting library behind the three things that are measured."""

    name: ClassVar[str]
    package: ClassVar[str]
    warm_up_rows: ClassVar[int | None] = 1000  # None: all rows

    def __init__(self) -> None:
        self.module: Any = import_module(self.package)

    @property
    def version(self) -> str:
        """The installed version."""
        return str(getattr(self.module, "__version__", "of unknown version"))

    @abstractmethod
    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        """NumPy arrays in, trained model out: preparation and all trees."""

    @abstractmethod
    def prepare(self, data: Data, settings: Settings) -> Any:
        """NumPy arrays in, quantized data set out: what comes before the first tree."""

    @abstractmethod
    def predictor(self, model: Any, settings: Settings) -> Predictor:
        """The library's fastest ordinary call from a NumPy array to predictions.

        Means for RMSE and Poisson; (rows, classes) or, for Logloss, (rows,) probabilities.
        """

    def warm_up(self, data: Data, settings: Settings) -> None:
        """A fit of two trees that starts threads, loads what is loaded late, compiles."""
        self.fit(data.take(slice(self.warm_up_rows)), settings, 2)


class Ocelot(Library):
    """Ours: its public estimators, and the hook in `prepare`."""

    name = "ocelot"
    package = "ocelotboost"

    def _estimator(self, settings: Settings, trees: int) -> Any:
        classify = settings.loss in ("Logloss", "MultiClass")
        kind = self.module.OcelotClassifier if classify else self.module.OcelotRegressor
        return kind(
            iterations=trees,
            learning_rate=settings.learning_rate,
            depth=settings.depth,
            l2_leaf_reg=settings.l2_leaf_reg,
            loss_function=settings.loss,
            boosting_type="Plain",
            border_count=settings.border_count,
            random_strength=0,
            bootstrap_type="No",
            leaf_estimation_method="Newton",
            leaf_estimation_iterations=settings.leaf_estimation_iterations,
            random_state=0,
            n_jobs=settings.threads,
            verbose=False,
        )

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        estimator = self._estimator(settings, trees)
        return estimator.fit(data.features, data.target, sample_weight=data.weight)

    def prepare(self, data: Data, settings: Settings) -> Any:
        # HOOK: the one place that names inner functions, because no public call stops before the
        # first tree. It must do all that `fit` does up to there: read, choose borders, fill bins.
        read = import_module("ocelotboost.table.from_input").table_from_input
        quantizer = import_module("ocelotboost.quantize.quantizer").Quantizer
        table = read(data.features)
        fitted = quantizer.fit(
            table,
            weight=data.weight,
            border_count=settings.border_count,
            rng=np.random.default_rng(0),
            n_threads=settings.threads,
        )
        return fitted.block(table, settings.threads)

    def predictor(self, model: Any, settings: Settings) -> Predictor:
        model.set_params(n_jobs=settings.threads)
        return _estimator_predictor(model, settings)


class CatBoost(Library):
    """Plain mode without sampling or noise."""

    name = "catboost"
    package = "catboost"

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        model = self.module.CatBoost(
            {
                "iterations": trees,
                "learning_rate": settings.learning_rate,
                "depth": settings.depth,
                "l2_leaf_reg": settings.l2_leaf_reg,
                "loss_function": settings.loss,
                "boosting_type": "Plain",
                "border_count": settings.border_count,
                "random_strength": 0,
                "bootstrap_type": "No",
                "leaf_estimation_method": "Newton",
                "leaf_estimation_iterations": settings.leaf_estimation_iterations,
                "thread_count": settings.threads,
                "random_seed": 0,
                "metric_period": trees,  # the others compute no training metric either
                "logging_level": "Silent",
                "allow_writing_files": False,
            }
        )
        return model.fit(self._pool(data, settings))

    def prepare(self, data: Data, settings: Settings) -> Any:
        pool = self._pool(data, settings)
        pool.quantize(border_count=settings.border_count, task_type="CPU")
        return pool

    def _pool(self, data: Data, settings: Settings) -> Any:
        return self.module.Pool(
            data.features, data.target, weight=data.weight, thread_count=settings.threads
        )

    def predictor(self, model: Any, settings: Settings) -> Predictor:
        kinds = {"Logloss": "Probability", "MultiClass": "Probability", "Poisson": "Exponent"}
        predict = partial(
            model.predict,
            prediction_type=kinds.get(settings.loss, "RawFormulaVal"),
            thread_count=settings.threads,
        )
        return _second_column(predict) if settings.loss == "Logloss" else predict


class LightGBM(Library):
    """64 leaves that may not be deeper than 6, so every leaf of a full tree of depth 6."""

    name = "lightgbm"
    package = "lightgbm"
    extra: ClassVar[dict[str, Any]] = {}
    objectives: ClassVar[dict[str, str]] = {
        "RMSE": "regression",
        "Logloss": "binary",
        "MultiClass": "multiclass",
        "Poisson": "poisson",
    }

    def _parameters(self, data: Data, settings: Settings) -> dict[str, Any]:
        return {
            "objective": self.objectives[settings.loss],
            "num_class": _class_count(data, settings),
            "learning_rate": settings.learning_rate,
            "num_leaves": 2**settings.depth,
            "max_depth": settings.depth,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": LEAST_HESSIAN,
            "lambda_l2": settings.l2_leaf_reg,
            "max_bin": settings.border_count + 1,
            "num_threads": settings.threads,
            "seed": 0,
            "verbosity": -1,
            **self.extra,
        }

    def _dataset(self, data: Data, settings: Settings) -> Any:
        parameters = self._parameters(data, settings)
        return self.module.Dataset(
            data.features, data.target, weight=data.weight, params=parameters
        )

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        parameters = self._parameters(data, settings)
        return self.module.train(parameters, self._dataset(data, settings), num_boost_round=trees)

    def prepare(self, data: Data, settings: Settings) -> Any:
        return self._dataset(data, settings).construct()

    def predictor(self, model: Any, settings: Settings) -> Predictor:
        return partial(model.predict, num_threads=settings.threads)


class LightGBMQuantized(LightGBM):
    """LightGBM with its quantized gradients."""

    name = "lightgbm-quantized"
    extra: ClassVar[dict[str, Any]] = {"use_quantized_grad": True}


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

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        parameters = {
            "objective": self.objectives[settings.loss],
            "learning_rate": settings.learning_rate,
            "tree_method": "hist",
            "grow_policy": "depthwise",
            "max_depth": settings.depth,
            "min_child_weight": LEAST_HESSIAN,
            "reg_lambda": settings.l2_leaf_reg,
            "max_bin": settings.border_count + 1,
            "nthread": settings.threads,
            "seed": 0,
            "verbosity": 0,
        }
        if settings.loss == "MultiClass":
            parameters["num_class"] = _class_count(data, settings)
        return self.module.train(parameters, self.prepare(data, settings), num_boost_round=trees)

    def prepare(self, data: Data, settings: Settings) -> Any:
        return self.module.QuantileDMatrix(
            data.features,
            data.target,
            weight=data.weight,
            max_bin=settings.border_count + 1,
            nthread=settings.threads,
        )

    def predictor(self, model: Any, settings: Settings) -> Predictor:
        model.set_param({"nthread": settings.threads})
        predict: Predictor = model.inplace_predict
        return predict


class ChimeraBoost(Library):
    """Its plain trees alone: none of the extra fits that its defaults choose among."""

    name = "chimeraboost"
    package = "chimeraboost"
    warm_up_rows = None  # some of its compiled loops are chosen by the number of rows

    def fit(self, data: Data, settings: Settings, trees: int) -> Any:
        classify = settings.loss in ("Logloss", "MultiClass")
        loss = {} if classify else {"loss": settings.loss}
        name = "ChimeraBoostClassifier" if classify else "ChimeraBoostRegressor"
        estimator = getattr(self.module, name)(
            n_estimators=trees,
            learning_rate=settings.learning_rate,
            depth=settings.depth,
            l2_leaf_reg=settings.l2_leaf_reg,
            max_bins=settings.border_count + 1,
            subsample=1.0,
            colsample=1.0,
            min_child_weight=LEAST_HESSIAN,
            leaf_estimation_iterations=settings.leaf_estimation_iterations,
            linear_leaves=False,
            cross_features=False,
            early_stopping=False,
            refit_full=False,
            thread_count=settings.threads,
            random_state=0,
            **loss,
        )
        return estimator.fit(data.features, data.target, sample_weight=data.weight)

    def prepare(self, data: Data, settings: Settings) -> Any:
        import_module("numba").set_num_threads(settings.threads)
        binner = import_module("chimeraboost.binning").Binner(settings.border_count + 1)
        return binner.fit_transform(data.features, data.weight)

    def predictor(self, model: Any, settings: Settings) -> Predictor:
        model.thread_count = model.model_.thread_count = settings.threads
        return _estimator_predictor(model, settings)


def _class_count(data: Data, settings: Settings) -> int:
    return int(data.target.max()) + 1 if settings.loss == "MultiClass" else 1


def _estimator_predictor(model: Any, settings: Settings) -> Predictor:
    """The scikit-learn face: `predict` for numbers, `predict_proba` for classes."""
    if settings.loss == "Logloss":
        return _second_column(model.predict_proba)
    predict: Predictor = model.predict_proba if settings.loss == "MultiClass" else model.predict
    return predict


def _second_column(predict: Predictor) -> Predictor:
    return lambda features: predict(features)[:, 1]


KINDS: tuple[type[Library], ...] = (
    Ocelot,
    CatBoost,
    LightGBM,
    LightGBMQuantized,
    XGBoost,
    ChimeraBoost,
)
NAMES = tuple(kind.name for kind in KINDS)
PEERS = tuple(name for name in NAMES if name != Ocelot.name)


def load(names: Iterable[str], *, required: bool) -> dict[str, Library]:
    """The named libraries, imported. One that is not installed is left out, or an error."""
    libraries = {name: _load_one(name, required) for name in names}
    return {name: library for name, library in libraries.items() if library is not None}


def _load_one(name: str, required: bool) -> Library | None:
    kind = next(kind for kind in KINDS if kind.name == name)
    try:
        return kind()
    except ImportError as error:
        if required:
            raise
        print(f"{name} is left out: {error}")
        return None


def versions(libraries: Iterable[Library]) -> dict[str, str]:
    """Package name to version."""
    return {library.package: library.version for library in libraries}


def parse_names(text: str) -> Sequence[str]:
    """A comma-separated list of library names, checked."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in NAMES:
            raise ArgumentTypeError(f"no library {name!r}; choose from {', '.join(NAMES)}")
    return names
