"""What is asked of every library, and the face behind which each of them answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.data import Data, Features

Predictor = Callable[[Features], Any]
LEAST_HESSIAN = 1e-3  # in a leaf, where a library has such a rule; LightGBM fails with none


@dataclass(frozen=True)
class Settings:
    """The same work for all, in CatBoost's words: no sampling, no noise, no early stopping."""

    loss: str  # RMSE, Logloss, MultiClass or Poisson
    learning_rate: float = 0.1
    depth: int = 6
    border_count: int = 254
    l2_leaf_reg: float = 3.0
    leaf_estimation_iterations: int = 1  # Newton steps per tree, where a library lets one choose
    max_combination: int = 4  # categorical columns in one statistic; for data with categories
    one_hot_max_size: int = 2  # likewise
    threads: int = 2


@dataclass(frozen=True)
class Stopping:
    """The same task for all: trees until a held-out part gets no better, else the defaults."""

    loss: str  # RMSE, Logloss or MultiClass
    learning_rate: float = 0.05
    depth: int = 6
    trees: int = 1000  # at most
    rounds: int = 50  # without a better loss on the held-out rows
    seed: int = 0
    threads: int = 2


@dataclass(frozen=True)
class Defaults:
    """What a library cannot know by itself; all else is its own default."""

    loss: str  # RMSE, Logloss or MultiClass
    seed: int = 0
    threads: int = 2


Chosen = Settings | Stopping | Defaults


@dataclass(frozen=True)
class Held:
    """Training rows of which some are held out to choose the number of trees."""

    all_rows: Data
    train: Data
    stop: Data


@dataclass(frozen=True)
class Stopped:
    """A model that was stopped early: how it predicts and how many trees it keeps."""

    predict: Predictor
    trees: int


class Library(ABC):
    """A gradient boosting library behind the things that are measured."""

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
        """NumPy arrays or a frame in, trained model out: preparation and all trees."""

    @abstractmethod
    def fit_stopped(self, held: Held, stopping: Stopping) -> Stopped:
        """The library's defaults but for what `stopping` says; frames with categories."""

    @abstractmethod
    def fit_defaults(self, data: Data, defaults: Defaults) -> Predictor:
        """The library as it comes: a frame with categories in, predictions out."""

    @abstractmethod
    def prepare(self, data: Data, settings: Settings) -> Any:
        """NumPy arrays in, quantized data set out: what comes before the first tree."""

    @abstractmethod
    def predictor(self, model: Any, settings: Chosen) -> Predictor:
        """The library's fastest ordinary call from features to predictions.

        Means for RMSE and Poisson; (rows, classes) or, for Logloss, (rows,) probabilities.
        """

    def explainer(self, model: Any, settings: Settings, *, interactions: bool) -> Predictor:
        """The library's ordinary call from features to SHAP values, or to their interactions."""
        raise NotImplementedError(f"{self.name} explains nothing here")

    def warm_up(self, data: Data, settings: Settings) -> None:
        """A fit of two trees that starts threads, loads what is loaded late, compiles."""
        self.fit(data.take(slice(self.warm_up_rows)), settings, 2)

    def save(self, model: Any, path: Path) -> None:
        """Write the model in the library's own format."""
        model.save_model(str(path))


def class_count(data: Data, settings: Chosen) -> int:
    """The number of classes that LightGBM and XGBoost want to be told; 1 for two."""
    return int(data.target.max()) + 1 if settings.loss == "MultiClass" else 1


def is_classification(settings: Chosen) -> bool:
    """Whether a scikit-learn face is that of a classifier."""
    return settings.loss in ("Logloss", "MultiClass")


def estimator_predictor(model: Any, settings: Chosen) -> Predictor:
    """The scikit-learn face: `predict` for numbers, `predict_proba` for classes."""
    if settings.loss == "Logloss":
        return second_column(model.predict_proba)
    predict: Predictor = model.predict_proba if settings.loss == "MultiClass" else model.predict
    return predict


def second_column(predict: Predictor) -> Predictor:
    """Of two classes, the probability of the second."""
    return lambda features: predict(features)[:, 1]
