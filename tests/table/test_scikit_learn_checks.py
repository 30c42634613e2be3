"""The smallest estimators on top of this folder satisfy scikit-learn's checks of data.

They predict the mean and the most frequent class, so every check that says something about X, y
and sample_weight is a check of table/ alone.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from ocelotboost.table import (
    class_target,
    match_columns,
    regression_target,
    row_weights,
    table_from_input,
)


class TableEstimator(BaseEstimator):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _fit_table(self, X):
        table = table_from_input(X)
        self.n_features_in_ = table.n_columns
        if table.names is not None:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return table

    def _n_rows(self, X):
        check_is_fitted(self)
        table = table_from_input(X)
        names = getattr(self, "feature_names_in_", None)
        expected = None if names is None else tuple(names)
        match_columns(table, expected, self.n_features_in_, type(self).__name__)
        return table.n_rows


class MeanRegressor(RegressorMixin, TableEstimator):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X, y, sample_weight=None):
        table = self._fit_table(X)
        target = regression_target(y, table.n_rows)
        weights = row_weights(sample_weight, table.n_rows)
        self.mean_ = np.average(target.astype(np.float64), weights=weights)
        return self

    def predict(self, X):
        n_rows = self._n_rows(X)
        return np.full(n_rows, self.mean_)


class FrequentClassifier(ClassifierMixin, TableEstimator):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X, y, sample_weight=None):
        table = self._fit_table(X)
        self.classes_, codes = class_target(y, table.n_rows)
        weights = row_weights(sample_weight, table.n_rows)
        counts = np.bincount(codes, weights=weights, minlength=len(self.classes_))
        self.share_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        n_rows = self._n_rows(X)
        return np.tile(self.share_, (n_rows, 1))

    def predict(self, X):
        n_rows = self._n_rows(X)
        return np.full(n_rows, self.classes_[np.argmax(self.share_)])


@parametrize_with_checks([MeanRegressor(), FrequentClassifier()])
def test_scikit_learn_check(estimator, check, monkeypatch):
    # Without this scikit-learn leaves out its check of array API input.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)
