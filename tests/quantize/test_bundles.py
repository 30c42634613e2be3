"""Bundles of sparse columns take less memory and change no bit of a model."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.data import assert_same_bits

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.grow import scorer
from ocelotboost.kernels.contract import N_BINS
from ocelotboost.quantize.block import ColumnSplit
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table import table_from_input


def sparse_table(n_rows=600, n_columns=300, density=0.01, seed=0):
    """Positive and negative numbers, missing ones, counts, and a column without zeros."""
    rng = np.random.default_rng(seed)
    X = sp.random(n_rows, n_columns, density, random_state=rng, format="lil", dtype=np.float32)
    X = X.tocsc()
    X.data = rng.normal(size=X.nnz).astype(np.float32).round(1)
    X.data[: X.nnz // 3] = rng.poisson(2, size=X.nnz // 3)
    X.data[rng.random(X.nnz) < 0.1] = np.nan
    X = X.tolil()
    X[:, 5] = rng.integers(1, 30, size=(n_rows, 1))
    return X.tocsr()


def block_of(X, nan_mode="Min"):
    table = table_from_input(X)
    quantizer = Quantizer.fit(table, nan_mode=nan_mode, rng=np.random.default_rng(0), n_threads=1)
    return quantizer.block(table, 1)


def target_of(X, n_classes):
    """Made of a few columns, so that trees find many splits."""
    dense = np.nan_to_num(X.toarray(), nan=3.0)
    score = dense[:, :40].sum(axis=1) + np.abs(dense[:, 40:80]).sum(axis=1)
    return np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
@pytest.mark.parametrize("n_classes", [2, 3, 8])
@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_the_model_is_that_of_the_dense_table(mode, n_classes, nan_mode):
    X = sparse_table()
    y = target_of(X, n_classes)
    models = [
        OcelotClassifier(
            iterations=8, learning_rate=0.3, boosting_type=mode, nan_mode=nan_mode, n_jobs=2
        ).fit(own, y)
        for own in (X, X.toarray())
    ]
    assert_same_bits(models[0].forest_, models[1].forest_)
    asked = set(models[0].forest_.split_columns.tolist())
    assert len(asked) > 8, "the trees ask about few of the columns"


def test_the_model_is_the_same_where_levels_are_summed_from_rows(monkeypatch):
    X = sparse_table()
    y = target_of(X, 5).astype(float)
    expected = OcelotRegressor(iterations=5, learning_rate=0.3).fit(X.toarray(), y)
    layout = block_of(X).layout
    monkeypatch.setattr(scorer, "HISTOGRAM_BYTES", 3 * layout.n_slots * N_BINS * 8)
    found = OcelotRegressor(iterations=5, learning_rate=0.3).fit(X, y)
    assert_same_bits(found.forest_, expected.forest_)


@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_every_border_of_every_column_is_a_question_about_bytes(nan_mode):
    X = sparse_table()
    bundled, dense = block_of(X, nan_mode), block_of(X.toarray(), nan_mode)
    assert (bundled.layout.firsts > 0).any()
    for column, count in enumerate(bundled.layout.bin_counts):
        for bin_ in range(int(count) - 1):
            leaves = np.zeros(bundled.n_rows, dtype=np.uint32)
            bundled.append_answers([ColumnSplit(column, bin_)], leaves, 1)
            np.testing.assert_array_equal(leaves, dense.bins(column) > bin_)


def test_many_sparse_columns_take_few_slots():
    X = sp.random(1500, 1500, 0.002, random_state=0, format="csr", dtype=np.float32)
    for values in (X.data, np.ones_like(X.data)):
        X.data = values
        layout = block_of(X).layout
        assert len(np.unique(layout.slots)) < 1.4 * layout.bin_counts.sum() / N_BINS


def test_columns_that_are_one_hot_are_one_slot():
    """As a one-hot encoder stores them."""
    values = np.random.default_rng(0).integers(0, 100, size=3000)
    X = sp.csr_matrix((np.ones(3000), (np.arange(3000), values)), shape=(3000, 100))
    layout = block_of(X).layout
    assert len(np.unique(layout.slots)) == 1


def test_an_eval_set_is_watched_as_its_dense_table_is():
    X, held_out = sparse_table(), sparse_table(200, seed=1)
    y, y_held_out = target_of(X, 3), target_of(held_out, 3)
    histories = [
        OcelotClassifier(iterations=8, learning_rate=0.3)
        .fit(X, y, eval_set=(own, y_held_out))
        .history_
        for own in (held_out, held_out.toarray())
    ]
    assert histories[0] == histories[1]
