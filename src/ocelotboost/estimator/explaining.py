"""What estimators tell about their predictions: SHAP values, leaves, importances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.fitted import Fitted, FittedAttributes
from ocelotboost.estimator.in_batches import batches_for
from ocelotboost.explain.explanation import Explanation, as_shap, shown_values
from ocelotboost.explain.players import By
from ocelotboost.table.columns import Table
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
            return _joined([self._explanation(b, by, interactions, background) for b in batches])
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

    # What the estimators have.

    def _matching_table(self, fitted: Fitted, X: Any) -> Table:
        raise NotImplementedError

    def _prediction_threads(self, n_rows: int) -> int:
        raise NotImplementedError


def _joined(parts: list[Explanation]) -> Explanation:
    """Explanations of one batch of rows after the other."""
    first = parts[0]
    shown = [part.data for part in parts if part.data is not None]
    return Explanation(
        values=np.concatenate([part.values for part in parts]),
        base_values=np.concatenate([part.base_values for part in parts]),
        data=np.concatenate(shown) if shown else None,
        feature_names=first.feature_names,
        output_names=first.output_names,
    )
