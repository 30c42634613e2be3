"""``report``: one page about a model, judged by rows that it was not trained on."""

from __future__ import annotations

import dataclasses
import os
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.fitted import Fitted, FittedAttributes
from ocelotboost.explain.explanation import Explanation
from ocelotboost.model.forest import Forest
from ocelotboost.report.assemble import assemble
from ocelotboost.report.made import FORMATS, Report
from ocelotboost.report.subject import Rows, Subject
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import evenly
from ocelotboost.table.roles import encode_labels, regression_target, row_weights
from ocelotboost.table.sources import is_source

_BACKGROUND_ROWS = 200


class Reporting(FittedAttributes):
    """The method ``report`` (docs/report.md)."""

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
        classes = fitted.model.classes
        target = (
            regression_target(y, table.n_rows, argument=arguments[1])
            if classes is None
            else encode_labels(y, classes, n_rows=table.n_rows, argument=arguments[1])
        )
        names = [_name(fitted, place) for place in range(table.n_given)]
        counted = row_weights(weight, table.n_rows)
        return Rows.of(table, names, target.astype(np.float64), counted)

    # What the estimators have.

    def _response(self, fitted: Fitted, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        raise NotImplementedError

    def _matching_table(self, fitted: Fitted, X: Any) -> Table:
        raise NotImplementedError

    def _prediction_threads(self, n_rows: int) -> int:
        raise NotImplementedError


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
