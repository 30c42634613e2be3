"""``report``: one page about a model, judged by rows that it was not trained on."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.fitted import Fitted, FittedAttributes
from ocelotboost.explain.explanation import Explanation
from ocelotboost.metric.registry import check_metric_fits, metric_from_name
from ocelotboost.model.forest import Forest
from ocelotboost.report.assemble import assemble
from ocelotboost.report.evaluation import Comparison, Evaluation, Judged, compare, evaluate
from ocelotboost.report.made import FORMATS, Report
from ocelotboost.report.scores import Value
from ocelotboost.report.subject import Rows, Subject, task_of
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import evenly
from ocelotboost.table.roles import encode_labels, regression_target, row_weights
from ocelotboost.table.sources import is_source

_BACKGROUND_ROWS = 200


class Reporting(FittedAttributes):
    """The methods ``evaluate``, ``compare`` and ``report`` (docs/report.md)."""

    def evaluate(
        self, X: Any, y: Any, *, sample_weight: Any = None, metrics: Sequence[str] = ()
    ) -> Evaluation:
        """Metrics on rows that the model was not trained on, each with a 95 % interval by bootstrap
        over the rows: a record that ``print`` shows as a table.

        metrics  names of further metrics, such as "F1" (docs/losses_and_metrics.md)

        >>> from ocelotboost import OcelotRegressor
        >>> X, y = [[float(x)] for x in range(50)], [float(x % 7) for x in range(50)]
        >>> evaluation = OcelotRegressor(iterations=10).fit(X, y).evaluate(X, y)
        >>> [figure.name for figure in evaluation.figures]
        ['RMSE', 'MAE', 'R²']
        >>> evaluation["MAE"].low < evaluation["MAE"].value < evaluation["MAE"].high
        True
        """
        fitted = self._require_fitted()
        judged, raw = self._judged(fitted, X, y, sample_weight)
        return evaluate(judged, [_prepared(name, fitted, judged, raw) for name in metrics])

    def compare(
        self,
        other: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        X_other: Any = None,
        names: tuple[str, str] = ("this model", "the other"),
    ) -> Comparison:
        """This model and another on the same rows: the difference of their losses per row with a
        paired test, and of metrics with intervals.

        other    a fitted estimator of the same kind, or predictions: numbers, or probabilities as
                 ``predict_proba`` gives them (of two classes, those of the second are enough)
        X_other  the same rows with the columns of the other, where it has others than this model
        names    what the result calls the two
        """
        fitted = self._require_fitted()
        judged, _ = self._judged(fitted, X, y, sample_weight)
        if isinstance(other, Reporting):
            response = other._response_like(fitted.model.classes, X if X_other is None else X_other)
        else:
            response = _given_response(other, judged.response)
        return compare(judged, response, names)

    def _judged(
        self, fitted: Fitted, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Judged, NDArray[np.float64]]:
        """Rows with a target, and their raw predictions (n_outputs, n)."""
        model = fitted.model
        table = self._matching_table(fitted, X)
        target = self._target_of(fitted, y, table.n_rows, "y")
        weight = row_weights(sample_weight, table.n_rows)
        raw = fitted.predictor.ready.raw(table, self._prediction_threads(table.n_rows))
        counted = np.ones(table.n_rows) if weight is None else weight.astype(np.float64)
        task = task_of(model.classes)
        return Judged(target, self._response(fitted, raw), counted, task, model.loss), raw

    def _response_like(self, classes: NDArray[Any] | None, X: Any) -> NDArray[np.float64]:
        """Predictions, with the classes of another model in their order."""
        fitted = self._require_fitted()
        own = fitted.model.classes
        if (own is None) != (classes is None):
            raise InputError("One model predicts classes and the other numbers: compare alike.")
        table = self._matching_table(fitted, X)
        raw = fitted.predictor.ready.raw(table, self._prediction_threads(table.n_rows))
        response = self._response(fitted, raw)
        if own is None or classes is None:
            return response
        place = {label: column for column, label in enumerate(own.tolist())}
        if set(place) != set(classes.tolist()):
            raise InputError(
                f"The models have other classes: {classes.tolist()} and {own.tolist()}."
            )
        return response[:, [place[label] for label in classes.tolist()]]

    def report(
        self,
        path: str | PathLike[str] | None = None,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        title: str | None = None,
        format: str = "auto",
    ) -> Report:
        """A page about the model, judged by rows that it was not trained on: how good it is
        compared with simple models, why it predicts what it does, where it is weak, and what in
        the data looks suspicious.

        path              the file to write; None: a notebook shows the report, and ``print`` too
        X, y              rows to judge the model by, and their targets
        sample_weight     how many rows each of them counts for
        X_train, y_train  the rows of training, for a fair linear baseline and exact comparisons;
                          without them the report has what the model remembers of its training
        title             the first line; None: a general one
        format            "html", "md" for Markdown, or "auto": by the name of the file

        The HTML file needs no network (docs/report.md).

        >>> from ocelotboost import OcelotRegressor
        >>> X, y = [[float(x)] for x in range(50)], [float(x % 7) for x in range(50)]
        >>> model = OcelotRegressor(iterations=10).fit(X, y)
        >>> model.report(X=X, y=y, format="md")
        <report: OcelotRegressor with 10 trees, judged by 50 rows, not written to a file>
        """
        fitted = self._require_fitted()
        name, chosen = _destination(path, format)
        subject = self._subject(fitted, X, y, sample_weight, X_train, y_train, title)
        made = Report(assemble(subject), chosen, name)
        if name is not None:
            made.save(name, chosen)
        return made

    def _subject(
        self,
        fitted: Fitted,
        X: Any,
        y: Any,
        sample_weight: Any,
        X_train: Any,
        y_train: Any,
        title: str | None,
    ) -> Subject:
        rows = self._rows_of(fitted, X, y, sample_weight, ("X", "y"))
        training = None
        if X_train is not None or y_train is not None:
            training = self._rows_of(fitted, X_train, y_train, None, ("X_train", "y_train"))
        n_threads = self._prediction_threads(rows.n_rows)
        raw = fitted.predictor.ready.raw(rows.table, n_threads)

        background = _background(fitted.model.forest, rows.table)

        def explain(chosen: NDArray[np.intp], interactions: bool) -> Explanation:
            return fitted.explainer.explain(
                rows.table.take(chosen),
                None,
                by="columns",
                interactions=interactions,
                background=background,
                n_threads=n_threads,
            )

        declared = dataclasses.fields(self)  # type: ignore[arg-type]
        return Subject(
            model=fitted.model,
            loss=fitted.loss,
            rows=rows,
            response=self._response(fitted, raw),
            training=training,
            estimator=type(self).__name__,
            title=title,
            parameters={own.name: getattr(self, own.name) for own in declared},
            defaults={own.name: own.default for own in declared},
            explain=explain,
        )

    def _rows_of(
        self, fitted: Fitted, X: Any, y: Any, weight: Any, arguments: tuple[str, str]
    ) -> Rows:
        if X is None or y is None:
            missing = arguments[0] if X is None else arguments[1]
            raise InputError(
                f"{missing} is missing: a report judges the model by rows and their targets; call "
                'report("report.html", X, y) with rows that were not used for training.'
            )
        if is_source(X):
            raise InputError(
                f"{arguments[0]} is read in batches, but a report needs its rows in memory: pass a "
                "table in memory, for example a random sample of the rows."
            )
        table = self._matching_table(fitted, X)
        if table.n_rows == 0:
            raise InputError(f"{arguments[0]} has no rows: pass at least one row to judge by.")
        target = self._target_of(fitted, y, table.n_rows, arguments[1])
        names = [_name(fitted, place) for place in range(table.n_columns)]
        counted = row_weights(weight, table.n_rows)
        return Rows.of(table, names, target, counted)

    def _target_of(self, fitted: Fitted, y: Any, n_rows: int, argument: str) -> NDArray[np.float64]:
        """Numbers, or codes of the model's classes."""
        classes = fitted.model.classes
        target = (
            regression_target(y, n_rows, argument=argument)
            if classes is None
            else encode_labels(y, classes, n_rows=n_rows, argument=argument)
        )
        return target.astype(np.float64)

    # What the estimators have.

    def _response(self, fitted: Fitted, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        raise NotImplementedError

    def _matching_table(self, fitted: Fitted, X: Any) -> Table:
        raise NotImplementedError

    def _prediction_threads(self, n_rows: int) -> int:
        raise NotImplementedError


def _prepared(
    name: str, fitted: Fitted, judged: Judged, raw: NDArray[np.float64]
) -> tuple[str, bool, Callable[[NDArray[np.intp]], Value]]:
    """A metric by name, as ``evaluate`` takes it."""
    metric = metric_from_name(name, fitted.loss.link)
    check_metric_fits(name, fitted.model.loss)
    target = judged.target.astype(np.float32)
    rows_first = raw[0] if len(raw) == 1 else raw.T

    def prepare(rows: NDArray[np.intp]) -> Value:
        own, scores = target[rows], np.ascontiguousarray(rows_first[rows])
        return lambda weight: metric.value(own, scores, weight.astype(np.float32))

    return name, metric.higher_is_better, prepare


def _given_response(given: Any, like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predictions that the user has, in the form of the model's own."""
    values = np.asarray(given, dtype=np.float64)
    if like.ndim == 2 and like.shape[1] == 2 and values.ndim == 1:
        values = np.stack([1 - values, values], axis=1)
    if values.shape != like.shape:
        raise InputError(
            f"The predictions have shape {values.shape}, but those of the model {like.shape}."
        )
    if like.ndim == 2 and not (values >= 0).all():
        raise InputError("The predictions have negative numbers: give probabilities.")
    if not np.isfinite(values).all():
        raise InputError("The predictions have missing or infinite numbers: drop such rows.")
    return values


def _background(forest: Forest, table: Table) -> Table | None:
    """Rows to average over in explanations of a model that has no weights of training: some of the
    given ones. None: it has."""
    if forest.n_trees == 0:
        return None
    if (np.add.reduceat(forest.leaf_weights, forest.leaf_offsets()[:-1]) > 0).all():
        return None
    return table.take(evenly(table.n_rows, min(table.n_rows, _BACKGROUND_ROWS)))


def _name(fitted: Fitted, place: int) -> str:
    names = fitted.model.feature_names
    return f"feature {place}" if names is None else names[place]


def _destination(path: Any, format: str) -> tuple[str | None, str]:
    """The file, if any, and the form."""
    if path is not None and not isinstance(path, str | bytes | PathLike):
        raise ParameterError(
            f"path is a {type(path).__name__}, but it must be the name of a file: "
            'report("report.html", X, y), or report(X=X, y=y) to show the report without a file.'
        )
    if format not in ("auto", *FORMATS):
        raise ParameterError(f"format={format!r} is not possible; give 'html', 'md' or 'auto'.")
    name = None if path is None else os.fsdecode(path)
    if format != "auto":
        return name, format
    is_markdown = name is not None and name.lower().endswith((".md", ".markdown"))
    return name, "md" if is_markdown else "html"
