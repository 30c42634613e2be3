"""What classifier and regressor do alike: ``fit``, prediction, saving.

``fit`` is the journey of the data, one line per stage.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import Tags

from ocelotboost.boost.callback import check_callbacks
from ocelotboost.boost.snapshot import open_snapshot
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.choosing import choose, facts_of
from ocelotboost.estimator.continuing import check_continued, model_to_continue
from ocelotboost.estimator.crossing import cross
from ocelotboost.estimator.declared import DeclaredParameters
from ocelotboost.estimator.ensemble import quantize_for_all, train_models
from ocelotboost.estimator.eval_sets import rows_to_watch
from ocelotboost.estimator.explaining import Explaining
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.hints import hint_in_fit
from ocelotboost.estimator.html_summary import html_summary
from ocelotboost.estimator.in_batches import PREDICTIONS, batches_for, write_predictions
from ocelotboost.estimator.memory_plan import within_memory
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.parameters import whole
from ocelotboost.estimator.plan import Beginning, Plan, announce, plan_training, tell_choices
from ocelotboost.estimator.reading import Given, read
from ocelotboost.estimator.reporting import Reporting
from ocelotboost.estimator.rows import split
from ocelotboost.estimator.settings import settings_from, settings_to_plan
from ocelotboost.loss.base import Floats
from ocelotboost.model.describe import describe
from ocelotboost.model.file import save_model
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.training_summary import remember
from ocelotboost.quantize.quantizer import refuse_missing
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.columns import Table
from ocelotboost.table.derived import given_columns
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.roles import match_columns
from ocelotboost.table.sources import as_source, is_source
from ocelotboost.threads import thread_count

Self = TypeVar("Self", bound="OcelotEstimator")


@dataclass(eq=False, repr=False, kw_only=True)
class OcelotEstimator(Reporting, Explaining, DeclaredParameters):
    """Behaviour of both estimators."""

    # ---- training ------------------------------------------------------------------------

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
        """Train on a table and a target.

        Parameters
        ----------
        X : table (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, scipy.sparse or lists; NaN and null are missing. Dates
            and times are used as they are (docs/dates.md).
            Tables that may be larger than memory are read in batches: Parquet files (a path, a
            list, a pattern, a directory), a pyarrow Dataset, a polars LazyFrame, a DuckDB
            relation, or an iterator of record batches (docs/scale.md).
        y : (n_rows,)
            The target; of a table that is read in batches also the name of its column.
        sample_weight : (n_rows,), optional
            How many rows each row counts for, or the name of the column. Small weights, whose mean
            is below 1, count more: their unit does not matter (docs/weights.md).
        eval_set : optional
            Rows to watch and to stop on: (X, y) or (X, y, weight), a list of such, or a dict of
            such whose keys are their names in ``history_``. The first decides about stopping. A
            file or another table that is read in batches may stand alone, when y is a name.
        cat_features : optional
            Columns that hold categories, in place of the parameter of that name.
        init_model : optional
            A fitted estimator, or the path of a saved model, to continue from.
        callbacks : optional
            Objects with before_iteration(info) and/or after_iteration(info); True stops.
        X_val, y_val, sample_weight_val : optional
            One eval set in another form, called "validation" in ``history_``: for a pipeline, which
            transforms it with ``Pipeline(..., transform_input=["X_val"])``.
        snapshot : optional
            The path of a file. Training is stored there, and the same ``fit`` goes on from it
            after its process was killed: the model has the same bits (docs/snapshots.md).
        snapshot_interval : seconds
            Between two snapshots; 0 is one after each tree.

        Returns
        -------
        The estimator itself.
        """
        begun = Beginning.now()
        continued = model_to_continue(init_model)
        stored = open_snapshot(snapshot, snapshot_interval)
        settings = settings_from(self, cat_features, continued, stored)
        observers = check_callbacks(callbacks)
        rows_given = Given(X, y, sample_weight)
        watched = rows_to_watch(eval_set, X_val, y_val, sample_weight_val, rows_given)

        with CacheDirectory(settings.read.cache_dir) as cache:
            table, y, weight = read(rows_given, settings.read, cache)
            target = settings.target.learn(y, weight, table.n_rows, table.memory)
            check_continued(continued, table, target, settings.quantize.nan_mode)
            facts = facts_of(table, target, watched, continued, settings)
            settings, choices = choose(settings, facts)
            division = split(table, target, watched, settings.split, cache)
            crossed = cross(division, target, settings)
            division, first = crossed.division, crossed.division.rows(0)
            settings = within_memory(settings, first, target)
            quantized = quantize_for_all(division, first, settings)
            choices = {**choices, **crossed.choices}
            tell_choices(choices, settings)
            announce(begun, first, quantized, target, continued, settings)
            trained = train_models(
                division, first, quantized, target, continued, observers, settings
            )
            model = pack(
                trained.models,
                quantized.quantizer,
                target,
                table.names,
                first.everything.table.derivation,
                settings.parameters,
                {**choices, **trained.choices},
                remember(given_columns(first.everything.table), quantized.categories.by_feature()),
                trained.shares,
            )
        self._keep(Fitted.of(model, target.loss), trained.interruption)
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
        the memory and the time that it would take (docs/scale.md). Nothing is fitted.

        Tables are read as ``fit`` reads them, and a few trees are trained on a few rows.

        >>> from ocelotboost import OcelotRegressor
        >>> plan = OcelotRegressor(iterations=10).plan([[20.0], [30.0], [40.0]], [1.0, 1.0, 4.0])
        >>> plan.n_rows, plan.n_bins, plan.boosting_type, plan.n_trees
        (3, 3, 'Plain', 10)
        >>> plan.seconds < 60
        True
        """
        given = Given(X, y, sample_weight)
        watched = rows_to_watch(eval_set, None, None, None, given)
        return plan_training(given, watched, settings_to_plan(self, cat_features))

    def _keep(self, fitted: Fitted, interruption: KeyboardInterrupt | None) -> None:
        """After Ctrl-C the trees are kept. A search or cross-validation around this fit has to end,
        too."""
        self._fitted = fitted
        if interruption is None:
            return
        if self.interrupt == "raise":
            raise interruption
        warnings.warn(
            f"Training was interrupted; the model keeps its {self.n_iter_} trees.", stacklevel=4
        )

    # ---- prediction ----------------------------------------------------------------------

    def predict_raw(self, X: Any, *, n_trees: int | None = None) -> Floats:
        """The sum of the first ``n_trees`` trees, or of all: (n,), or (n, n_classes) for several
        classes."""
        return _rows_first(self._raw_by(self._require_fitted(), X, n_trees))

    def predict_to_parquet(
        self,
        X: Any,
        path: str | PathLike[str],
        *,
        method: str = "predict",
        keep: Sequence[str] = (),
        n_trees: int | None = None,
    ) -> int:
        """Write predictions to a Parquet file, in batches of rows: neither X nor the predictions
        have to fit into memory (docs/scale.md).

        method  "predict", "predict_raw", or of a classifier "predict_proba" or "predict_log_proba"
        keep    names of columns of X that are copied, for example an identifier

        The column is called "prediction", or there is one per class, such as "probability_yes".
        Returns the number of rows.
        """
        fitted = self._require_fitted()
        allowed = [name for name in PREDICTIONS if hasattr(self, name)]
        if method not in allowed:
            raise ParameterError(f"method={method!r} is not possible; give one of {allowed}.")
        return write_predictions(
            lambda batch: getattr(self, method)(batch, n_trees=n_trees),
            fitted.model,
            X,
            path,
            method,
            keep,
            type(self).__name__,
        )

    def staged_predict_raw(self, X: Any) -> Iterator[Floats]:
        """The sum of the trees after each of them, as ``predict_raw`` gives it."""
        for raw in self._staged_raw_by(self._require_fitted(), X):
            yield _rows_first(raw)

    def _raw_by(self, fitted: Fitted, X: Any, n_trees: int | None = None) -> Floats:
        """Raw predictions (n_outputs, n) by a given model: one call answers from one model,
        whatever fits meanwhile."""
        model, predictor = fitted.model, fitted.predictor.ready
        if n_trees is not None:
            predictor = predictor.first(_checked_trees(n_trees, model))
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.char in "fd"
            and X.dtype.isnative
            and X.flags.aligned
            and X.shape[1] == model.n_features
            and len(X) > 0
            and model.feature_names is None
            and not fitted.forbids_missing
            and not predictor.others
            and not model.forest.derivation
        ):
            return predictor.raw_of_matrix(X, self._prediction_threads(len(X)))
        if is_source(X):
            batches = batches_for(model, as_source(X), type(self).__name__)
            return np.concatenate([self._raw_by(fitted, own, n_trees) for own in batches], axis=1)
        table = self._matching_table(fitted, X)
        return predictor.raw(table, self._prediction_threads(table.n_rows))

    def _staged_raw_by(self, fitted: Fitted, X: Any) -> Iterator[Floats]:
        table = self._matching_table(fitted, X)
        n_threads = self._prediction_threads(table.n_rows)
        yield from fitted.predictor.ready.staged(table, n_threads)

    def _matching_table(self, fitted: Fitted, X: Any) -> Table:
        model, name = fitted.model, type(self).__name__
        table = table_from_input(
            X,
            cat_features=np.flatnonzero(model.forest.categorical).tolist(),
            detect=False,
            check=lambda header: match_columns(header, model.feature_names, model.n_features, name),
            hash_key=model.forest.hash_key,
            derivation=model.forest.derivation,
        )
        if fitted.forbids_missing:
            refuse_missing(table, self._prediction_threads(table.n_rows))
        return table

    def _prediction_threads(self, n_rows: int) -> int:
        return 1 if n_rows < 128 else thread_count(self.n_jobs)

    # ---- the model -----------------------------------------------------------------------

    def describe(self, trees: int | Sequence[int] | str = 1) -> str:
        """The model as text: a summary, its size, and some of its trees.

        trees  how many of the first trees, a list of tree numbers, or "all"

        >>> from ocelotboost import OcelotRegressor
        >>> model = OcelotRegressor(iterations=1, depth=1, learning_rate=1.0, l2_leaf_reg=0.0)
        >>> print(model.fit([[20.0], [30.0], [40.0]], [1.0, 1.0, 4.0]).describe())
        ... # doctest: +ELLIPSIS
        regressor, RMSE: 1 tree, 1 feature
        training: Plain, learning rate 1, sampling No, leaves by Newton
          boosting_type = Plain: Ordered is for classes and up to ...
        start value: 2
        <BLANKLINE>
        size        entries  bytes
        trees             2     15
        saved file           ...
        <BLANKLINE>
        tree 0
          1. feature 0 > 35
          yes = 1  value  weight
          0           -1       2
          1           +2       1
        """
        return describe(self.model_, trees)

    def save_model(self, path: str | PathLike[str], format: str = "auto") -> None:
        """Write the model: safetensors, or JSON when the name ends in .json (or format="json")."""
        save_model(self.model_, path, format)

    # What notebooks show. scikit-learn decides whether it is HTML (`set_config(display=...)`), and
    # asks for it by a name that depends on its version.

    def _html_repr(self) -> str:
        return html_summary(self, self._fitted)

    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._html_repr()} if "text/html" in bundle else bundle

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.nan_mode != "Forbidden"
        tags.input_tags.sparse = True
        return tags


def _rows_first(raw: Floats) -> Floats:
    """As users have them: (n,) for one output, (n, n_outputs) for several."""
    return raw[0] if len(raw) == 1 else raw.T


def _checked_trees(n_trees: Any, model: TrainedModel) -> int:
    allowed = whole(0, model.forest.n_trees)
    if not allowed.holds(n_trees):
        raise ParameterError(
            f"n_trees={n_trees!r} is not possible; the model has {model.forest.n_trees} trees: "
            f"give {allowed.wanted}, or None for all."
        )
    return int(n_trees)
