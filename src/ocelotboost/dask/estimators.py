"""The estimators for Dask: collections in, lazy predictions out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar

import dask
import dask.array
import numpy as np
from distributed import Client, default_client
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score

from ocelotboost.boost.callback import check_callbacks
from ocelotboost.boost.snapshot import open_snapshot
from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.collections import Collection, gathered, is_frame
from ocelotboost.dask.fit import GivenCollections, fit_on_cluster, plan_on_cluster
from ocelotboost.dask.some_rows import WatchedCollection
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.classifier import OcelotClassifier
from ocelotboost.estimator.continuing import model_to_continue
from ocelotboost.estimator.documentation import documented
from ocelotboost.estimator.eval_sets import GivenRows, rows_to_watch
from ocelotboost.estimator.hints import hint_in_constructor, hint_in_fit
from ocelotboost.estimator.parameters import Rule, either, nothing, number, parameter
from ocelotboost.estimator.plan import Beginning, Plan
from ocelotboost.estimator.reading import Given
from ocelotboost.estimator.regressor import OcelotRegressor
from ocelotboost.estimator.settings import settings_from, settings_to_plan

Self = TypeVar("Self", bound="DaskEstimator")


@dataclass(eq=False, repr=False, kw_only=True)
class DaskEstimator(OcelotEstimator):
    """What the estimators for Dask do alike."""

    client: Any = parameter(
        None,
        either(nothing(), Rule("a distributed.Client", lambda v: isinstance(v, Client))),
        "The cluster. None: the client that was made last.",
        runtime=True,
    )
    timeout: float = parameter(
        300.0,
        number(0, open_low=True),
        "Seconds after which a worker that does not answer counts as lost, and a cluster without "
        "workers is an error.",
        runtime=True,
    )

    #: Between the driver and all workers in the last fit, while trees were made.
    bytes_exchanged_ = 0

    @hint_in_fit
    def fit(
        self: Self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        cat_features: Any = None,
        init_model: Any = None,
        callbacks: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        snapshot: str | PathLike[str] | None = None,
        snapshot_interval: float = 600.0,
    ) -> Self:
        """Train on a dask DataFrame or Array. The model has the same bits as one that is trained on
        the same rows on one machine.

        Parameters
        ----------
        X : dask DataFrame or Array
            Columns as in a table in memory; workers hold them.
        y : dask Series or Array, or an array
            The target, of as many rows as X. It is brought to the driver.
        sample_weight : optional
            As y.
        eval_set, X_val, y_val, sample_weight_val : optional
            As in ``OcelotRegressor.fit``, of dask collections; they are brought to the driver.
        cat_features, init_model, callbacks, snapshot, snapshot_interval : optional
            As in ``OcelotRegressor.fit``. Callbacks run in the driver, which writes the snapshots.

        Returns
        -------
        The estimator itself.
        """
        begun = Beginning.now()
        continued = model_to_continue(init_model)
        stored = open_snapshot(snapshot, snapshot_interval)
        settings = settings_from(self, cat_features, continued, stored)
        observers = check_callbacks(callbacks)
        watched = rows_to_watch(
            eval_set, X_val, y_val, sample_weight_val, Given(X, y, sample_weight)
        )
        with Cluster(self._cluster_client(), self.timeout) as cluster:
            given = self._collections(cluster, X, y, sample_weight, watched)
            done = fit_on_cluster(cluster, given, continued, observers, settings, begun)
        self.bytes_exchanged_ = done.bytes_exchanged
        self._keep(done.fitted, done.interruption)
        return self

    @hint_in_fit
    def plan(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        cat_features: Any = None,
    ) -> Plan:
        """What ``fit`` would do with the same arguments: rows, columns and bins, and estimates of
        the memory of workers and driver, of what they exchange, and of the time (docs/scale.md).
        Nothing is fitted."""
        begun = Beginning.now()
        settings = settings_to_plan(self, cat_features)
        watched = rows_to_watch(eval_set, None, None, None, Given(X, y, sample_weight))
        with Cluster(self._cluster_client(), self.timeout) as cluster:
            given = self._collections(cluster, X, y, sample_weight, watched)
            return plan_on_cluster(cluster, given, settings, begun)

    def to_local(self) -> Any:
        """The same model as an ordinary estimator, for tables in memory."""
        local = self._local_class()
        own = {declared.name for declared in dataclasses.fields(local)}
        estimator = local(**{k: v for k, v in self.get_params(deep=False).items() if k in own})
        estimator._fitted = self._require_fitted()
        return estimator

    def predict_raw(self, X: Any, *, n_trees: int | None = None) -> Any:
        """The sum of the trees; lazy for a dask collection."""
        if not dask.is_dask_collection(X):
            return super().predict_raw(X, n_trees=n_trees)
        n_outputs = self.forest_.n_outputs
        names = None if n_outputs == 1 else list(range(n_outputs))
        return self._lazily("predict_raw", X, n_trees, np.dtype(np.float64), names)

    def _local_class(self) -> type[OcelotEstimator]:
        raise NotImplementedError

    def _collections(
        self, cluster: Cluster, X: Any, y: Any, sample_weight: Any, watched: list[GivenRows]
    ) -> GivenCollections:
        name = type(self).__name__
        return GivenCollections(
            Collection.of(X, "X", name),
            gathered(cluster, y, "y"),
            gathered(cluster, sample_weight, "sample_weight"),
            [
                WatchedCollection(
                    own.name,
                    own.argument,
                    Collection.of(own.given.X, own.arguments.X, name),
                    gathered(cluster, own.given.y, own.arguments.y),
                    gathered(cluster, own.given.weight, own.arguments.weight),
                )
                for own in watched
            ],
        )

    def _cluster_client(self) -> Client:
        if self.client is not None:
            return self.client
        try:
            return default_client()
        except ValueError:
            raise ParameterError(
                f"There is no Dask client; make one with distributed.Client(...), or give "
                f"{type(self).__name__}(client=...)."
            ) from None

    def _lazily(
        self, method: str, X: Any, n_trees: int | None, dtype: np.dtype[Any], names: Any
    ) -> Any:
        """A prediction of each partition; ``names`` are columns of the result, None: it has no
        columns."""
        model = dask.delayed(self.to_local())
        if is_frame(X):
            meta = _as_frame(np.empty((0, *([] if names is None else [len(names)])), dtype), names)
            return X.map_partitions(_of_frame, model, method, n_trees, names, meta=meta)
        rows = X.rechunk({1: -1})
        shape: dict[str, Any] = {"drop_axis": 1, "meta": np.empty(0, dtype)}
        if names is not None:
            shape = {"chunks": (rows.chunks[0], (len(names),)), "meta": np.empty((0, 0), dtype)}
        return rows.map_blocks(_of_array, model, method, n_trees, **shape)

    def __sklearn_clone__(self: Self) -> Self:
        """A client is used by all; it cannot be copied."""
        given = self.get_params(deep=False)
        client = given.pop("client")
        return type(self)(client=client, **{k: clone(v, safe=False) for k, v in given.items()})

    def __getstate__(self) -> Mapping[str, Any]:
        """A client belongs to its process."""
        return {**super().__getstate__(), "client": None}


@documented
@hint_in_constructor
@dataclass(eq=False, repr=False, kw_only=True)
class DaskOcelotClassifier(DaskEstimator, OcelotClassifier):
    """``OcelotClassifier`` on a Dask cluster (docs/scale.md).

    >>> import dask.array as da
    >>> from distributed import Client
    >>> from ocelotboost.dask import DaskOcelotClassifier
    >>> client = Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")
    >>> X = da.random.default_rng(0).normal(size=(500, 3), chunks=(100, 3))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> model = DaskOcelotClassifier(iterations=50, client=client).fit(X, y)
    >>> float((model.predict(X) == y).mean().compute()) > 0.9
    True
    >>> client.close()
    """

    def predict(self, X: Any, *, n_trees: int | None = None) -> Any:
        """The likeliest class; lazy for a dask collection."""
        if not dask.is_dask_collection(X):
            return super().predict(X, n_trees=n_trees)
        return self._lazily("predict", X, n_trees, self.classes_.dtype, None)

    def predict_proba(self, X: Any, *, n_trees: int | None = None) -> Any:
        """The probability of each class, in the order of ``classes_``; lazy for a dask
        collection."""
        if not dask.is_dask_collection(X):
            return super().predict_proba(X, n_trees=n_trees)
        return self._of_classes("predict_proba", X, n_trees)

    def predict_log_proba(self, X: Any, *, n_trees: int | None = None) -> Any:
        """Logarithms of the probabilities; lazy for a dask collection."""
        if not dask.is_dask_collection(X):
            return super().predict_log_proba(X, n_trees=n_trees)
        return self._of_classes("predict_log_proba", X, n_trees)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted."""
        found = dask.compute(y, self.predict(X), sample_weight)
        return float(accuracy_score(found[0], found[1], sample_weight=found[2]))

    def _of_classes(self, method: str, X: Any, n_trees: int | None) -> Any:
        return self._lazily(method, X, n_trees, np.dtype(np.float64), self.classes_.tolist())

    def _local_class(self) -> type[OcelotEstimator]:
        return OcelotClassifier


@documented
@hint_in_constructor
@dataclass(eq=False, repr=False, kw_only=True)
class DaskOcelotRegressor(DaskEstimator, OcelotRegressor):
    """``OcelotRegressor`` on a Dask cluster (docs/scale.md).

    >>> import dask.array as da
    >>> from distributed import Client
    >>> from ocelotboost.dask import DaskOcelotRegressor
    >>> client = Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")
    >>> X = da.random.default_rng(0).normal(size=(500, 3), chunks=(100, 3))
    >>> y = X[:, 0] + 2 * X[:, 1]
    >>> model = DaskOcelotRegressor(iterations=50, client=client).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> client.close()
    """

    def predict(self, X: Any, *, n_trees: int | None = None) -> Any:
        """The target as the trees predict it; lazy for a dask collection."""
        if not dask.is_dask_collection(X):
            return super().predict(X, n_trees=n_trees)
        return self._lazily("predict", X, n_trees, np.dtype(np.float64), None)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R²."""
        found = dask.compute(y, self.predict(X), sample_weight)
        return float(r2_score(found[0], found[1], sample_weight=found[2]))

    def _local_class(self) -> type[OcelotEstimator]:
        return OcelotRegressor


def _of_frame(part: Any, model: OcelotEstimator, method: str, n_trees: Any, names: Any) -> Any:
    found = _of_array(part, model, method, n_trees) if len(part) else _nothing(model, method, names)
    return _as_frame(found, names, part.index)


def _of_array(part: Any, model: OcelotEstimator, method: str, n_trees: Any) -> NDArray[Any]:
    found: NDArray[Any] = getattr(model, method)(part, n_trees=n_trees)
    return found


def _nothing(model: Any, method: str, names: Any) -> NDArray[Any]:
    labels = method == "predict" and hasattr(model, "classes_")
    dtype = model.classes_.dtype if labels else np.float64
    return np.empty((0,) if names is None else (0, len(names)), dtype=dtype)


def _as_frame(values: NDArray[Any], names: Any, index: Any = None) -> Any:
    """As the data frames of the collection are: a Series, or a DataFrame of named columns."""
    import pandas as pd

    if names is None:
        return pd.Series(values, index=index, name="prediction")
    return pd.DataFrame(values, index=index, columns=names)
