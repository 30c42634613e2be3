"""What estimators tell about their predictions: SHAP values, leaves, importances."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.centre import centre_of, centred
from ocelotboost.estimator.explained import check_kind, crossing, joined, numeric_target
from ocelotboost.estimator.fitted import Fitted, FittedAttributes
from ocelotboost.estimator.in_batches import batches_for
from ocelotboost.estimator.parameters import whole
from ocelotboost.explain import importances
from ocelotboost.explain.category_statistics import CategoryStatistics, category_statistics
from ocelotboost.explain.counterfactuals import Counterfactuals, counterfactuals
from ocelotboost.explain.explanation import Explanation, as_shap, given_values, shown_values
from ocelotboost.explain.importances import ImportanceKind, Importances, Interactions, JudgedRows
from ocelotboost.explain.partial_dependence import (
    PartialDependence,
    choose_grid,
    partial_dependence,
)
from ocelotboost.explain.players import By
from ocelotboost.explain.similar import SimilarRows, most_similar
from ocelotboost.table.cat_features import column_positions, columns_listed
from ocelotboost.table.columns import Table
from ocelotboost.table.roles import encode_labels, regression_target, row_weights
from ocelotboost.table.sources import as_source, is_source

_ROWS_OF_LEAVES = 1 << 16


class Explaining(FittedAttributes):
    """Methods that explain a fitted model (docs/explain.md)."""

    def explain(
        self,
        X: Any,
        *,
        by: By = "columns",
        interactions: bool = False,
        background: Any = None,
    ) -> Any:
        """SHAP values: how far each column moves each row's raw prediction away from what is
        expected of any row.

        by            "columns", those of X; "features", what the trees ask about, for example
                      "mean target of (device × site)"
        interactions  divide each value among the pairs that its column is in
        background    some typical rows; columns that are not known then have their values. None:
                      columns that are not known follow the training rows down each tree

        Returns ``shap.Explanation`` where shap is installed, for its plots, else a record with the
        same attributes: values, base_values, data, feature_names. The values of a row and its base
        value sum to ``predict_raw``.

        >>> from ocelotboost import OcelotRegressor
        >>> model = OcelotRegressor(iterations=1, depth=1, learning_rate=1.0, l2_leaf_reg=0.0)
        >>> model = model.fit([[20.0], [30.0], [40.0]], [1.0, 1.0, 4.0])
        >>> explanation = model.explain([[25.0], [50.0]])
        >>> explanation.base_values.tolist(), explanation.values.tolist()
        ([2.0, 2.0], [[-1.0], [2.0]])
        """
        return as_shap(self._explanation(X, by, interactions, background))

    def _explanation(
        self, X: Any, by: By = "columns", interactions: bool = False, background: Any = None
    ) -> Explanation:
        """Our own record, whatever is installed."""
        fitted = self._require_fitted()
        if by not in ("columns", "features"):
            raise ParameterError(f"by={by!r} is not possible; give 'columns' or 'features'.")
        if is_source(X):
            batches = batches_for(fitted.model, as_source(X), type(self).__name__)
            return joined([self._explanation(b, by, interactions, background) for b in batches])
        table = self._matching_table(fitted, X)
        return fitted.explainer.explain(
            table,
            shown_values(X),
            by=by,
            interactions=interactions,
            background=None if background is None else self._matching_table(fitted, background),
            n_threads=self._prediction_threads(1 << 16),
        )

    def apply(self, X: Any) -> NDArray[np.uint32]:
        """The leaf that each row reaches in each tree: (n_rows, n_trees).

        The answers to a tree's questions are the binary digits of the leaf's number, the first
        question highest; ``describe`` and ``plot_tree`` show leaves by the same digits.
        """
        fitted = self._require_fitted()
        if is_source(X):
            batches = batches_for(fitted.model, as_source(X), type(self).__name__)
            return np.concatenate([self.apply(batch) for batch in batches])
        table = self._matching_table(fitted, X)
        n_threads = self._prediction_threads(table.n_rows)
        chunks = fitted.predictor.ready.leaves(table, _ROWS_OF_LEAVES, n_threads)
        return np.concatenate([np.ascontiguousarray(leaves.T) for leaves in chunks])

    def importances(
        self,
        kind: ImportanceKind = "prediction_change",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        n_repeats: int = 5,
        random_state: int = 0,
    ) -> Importances:
        """How much each column matters: a record with names, values and standard errors.

        kind  "prediction_change" and "splits" need the model alone; "shap" needs X, rows to average
              over; "loss_change" and "permutation" need X and y, best of rows that were not trained
              on (docs/explain.md)

        ``n_repeats`` and ``random_state`` are for "permutation".
        """
        fitted = self._require_fitted()
        check_kind(kind, X, y)
        explainer, n_threads = fitted.explainer, self._prediction_threads(1 << 16)
        errors: NDArray[np.float64] | None = None
        if kind == "prediction_change":
            values = self.feature_importances_
        elif kind == "splits":
            values = importances.splits(fitted.model.forest)
        elif kind == "shap":
            table = self._matching_table(fitted, X)
            weight = row_weights(sample_weight, table.n_rows)
            values, errors = importances.mean_absolute(explainer, table, weight, n_threads)
        else:
            rows = self._judged_rows(fitted, X, y, sample_weight)
            if kind == "loss_change":
                values, errors = importances.loss_change(explainer, rows, n_threads)
            else:
                rng = np.random.default_rng(random_state)
                values, errors = importances.permutation(explainer, rows, n_repeats, rng, n_threads)
        names = [explainer.wording.feature(place) for place in range(self.n_features_in_)]
        return Importances(kind, names, values, errors)

    def interactions(self, X: Any) -> Interactions:
        """How much pairs of columns do together, from the SHAP interactions of the rows of X: a
        record with names, values (n_columns, n_columns), errors, and ``ranked()`` pairs."""
        fitted = self._require_fitted()
        table = self._matching_table(fitted, X)
        return importances.interactions(fitted.explainer, table, self._prediction_threads(1 << 16))

    def partial_dependence(
        self,
        X: Any,
        columns: Any,
        *,
        grid: Any = None,
        n_points: int = 50,
        response: Literal["raw", "response"] = "raw",
        individual: bool = False,
    ) -> PartialDependence:
        """The mean prediction of the rows of X for each value of a column, or of two columns.

        columns     a name or a position, or a pair of them
        grid        values to try, of two columns a list of values for each; None: at most
                    ``n_points`` quantiles of the numbers in X, or the most frequent categories
        response    "raw" averages raw predictions, such as log-odds, and is fast; "response"
                    averages what ``predict`` or ``predict_proba`` gives
        individual  also the predictions of each row (ICE curves)
        """
        fitted = self._require_fitted()
        table = self._matching_table(fitted, X)
        positions = self._positions(fitted, columns)
        if len(positions) > 2:
            raise ParameterError(
                f"columns={columns!r} are {len(positions)} columns; give one or two of them."
            )
        if response not in ("raw", "response"):
            raise ParameterError(
                f"response={response!r} is not possible; give 'raw' or 'response'."
            )
        if grid is None:
            given = given_values(X)
            grids = [choose_grid(table, place, given[:, place], n_points) for place in positions]
        else:
            grids = [list(grid)] if len(positions) == 1 else [list(values) for values in grid]
        return partial_dependence(
            fitted.explainer,
            table,
            positions,
            grids,
            link=fitted.loss.link if response == "response" else None,
            individual=individual,
            n_threads=self._prediction_threads(table.n_rows),
        )

    def category_statistics(
        self, X: Any, y: Any, column: str | int, *, output: Any = None
    ) -> CategoryStatistics:
        """What is known of the categories of a column: their counts and mean targets in X and y,
        and the statistic that the model has for each, with its bin.

        output  a class, for several classes; its share is the mean target
        """
        fitted = self._require_fitted()
        (position,) = self._positions(fitted, column)
        table, model = self._matching_table(fitted, X), fitted.model
        if position not in table.categories:
            name = fitted.explainer.wording.feature(position)
            raise ParameterError(f"column={column!r}: {name} holds numbers, not categories.")
        return category_statistics(
            fitted.explainer,
            table,
            position,
            given_values(X)[:, position],
            numeric_target(model, y, table.n_rows, output),
        )

    def plot_tree(self, tree: int = 0, *, output: Any = None, ax: Any = None) -> Any:
        """Draw a tree: its questions in words, and each leaf with its value and share of the
        training rows. Needs matplotlib; returns its axes.

        output  a class, for several classes
        """
        from ocelotboost.display.tree import plot_tree

        return plot_tree(self.model_, tree, output=output, ax=ax)

    def similar(self, X: Any, X_train: Any, *, n_nearest: int = 5) -> SimilarRows:
        """For each row of X, the rows of X_train that the model treats most alike: a record with
        indices and similarity, the share of the trees in which both are in the same leaf."""
        leaves, others = self.apply(X), self.apply(X_train)
        if not whole(1, len(others)).holds(n_nearest):
            raise ParameterError(
                f"n_nearest={n_nearest!r} is not possible; give a whole number from 1 to the rows "
                f"of X_train ({len(others):,})."
            )
        return most_similar(leaves, others, n_nearest)

    def counterfactuals(
        self,
        row: Any,
        X: Any,
        *,
        columns: Any = None,
        threshold: float | None = None,
        output: Any = None,
        most_columns: int = 2,
    ) -> Counterfactuals:
        """The smallest changes of one or two columns that move the prediction of a row across a
        threshold, as a table: ``print`` shows it, and ``rows()`` gives it as dictionaries.

        row           a table with one row
        X             typical rows: they say which categories there are, and how large a change is
        columns       which columns may change, by name or position; None: all
        threshold     a probability for a classifier, by default that at which two classes change;
                      a prediction for a regressor
        output        the class whose probability is meant; the second of two by default
        most_columns  how many columns may change at a time: 1 or 2
        """
        fitted = self._require_fitted()
        one, typical = self._matching_table(fitted, row), self._matching_table(fitted, X)
        if one.n_rows != 1:
            raise InputError(f"row has {one.n_rows} rows; pass a table with the one to change.")
        if most_columns not in (1, 2):
            raise ParameterError(f"most_columns={most_columns!r} is not possible; give 1 or 2.")
        place, limit = crossing(fitted.model, threshold, output)
        predictor, link = fitted.predictor.ready, fitted.loss.link
        n_threads = self._prediction_threads(1 << 16)

        def predict(table: Table) -> NDArray[np.float64]:
            raw = predictor.raw(table, n_threads)
            return link(raw[0]) if len(raw) == 1 else link(raw)[place]

        return counterfactuals(
            fitted.explainer,
            one,
            given_values(row)[0].tolist(),
            typical,
            given_values(X),
            range(self.n_features_in_) if columns is None else self._positions(fitted, columns),
            predict,
            limit,
            most_columns,
        )

    def _positions(self, fitted: Fitted, columns: Any) -> list[int]:
        """Columns of X by name or position, in the order given."""
        model = fitted.model
        listed = columns_listed(columns, "columns")
        return column_positions(listed, model.feature_names, model.n_features, "X", "columns")

    def _judged_rows(self, fitted: Fitted, X: Any, y: Any, sample_weight: Any) -> JudgedRows:
        table, model, loss = self._matching_table(fitted, X), fitted.model, fitted.loss
        centre = 0.0
        if model.classes is None:
            given = regression_target(y, table.n_rows)
            centre = centre_of(given, loss)
            target = centred(given, centre)
        else:
            codes = encode_labels(y, model.classes, n_rows=table.n_rows, argument="y")
            target = codes.astype(np.float32)
        loss.check_target(target)
        weight = row_weights(sample_weight, table.n_rows)
        return JudgedRows(table, target, weight, loss, centre)

    # What the estimators have.

    def _matching_table(self, fitted: Fitted, X: Any) -> Table:
        raise NotImplementedError

    def _prediction_threads(self, n_rows: int) -> int:
        raise NotImplementedError
