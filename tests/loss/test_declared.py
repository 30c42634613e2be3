"""A loss is declared once: what else there is of it follows, or is compared here."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ocelotboost.loss
import ocelotboost.metric
from ocelotboost.kernels.contract import LossKind
from ocelotboost.loss.declared import DeclaredLoss
from ocelotboost.loss.links import IDENTITY
from ocelotboost.loss.passes import NumpyPass, pass_for
from ocelotboost.loss.registry import CLASS_LOSSES, LOSSES, REGRESSION_LOSSES, link_of, loss_from
from ocelotboost.metric.base import Metric
from ocelotboost.metric.of_loss import LossMetric
from ocelotboost.metric.registry import METRICS, METRICS_ALONE, metric_from_name
from tests.loss.data import N_CLASSES, data_of, loss_of

ANY = (*REGRESSION_LOSSES, *CLASS_LOSSES)
EVERY_LOSS = pytest.mark.parametrize("name", LOSSES)


def classes_in(package, base):
    """Names of the concrete subclasses of ``base`` in all modules of a folder."""
    names = (found.name for found in pkgutil.iter_modules(package.__path__))
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    return {
        name
        for module in modules
        for name, found in vars(module).items()
        if isinstance(found, type) and issubclass(found, base) and found is not base
    }


def rows_of(name):
    """Targets and raw predictions of a few rows."""
    loss = loss_of(name)
    target = np.asarray(data_of(name, LOSSES[name].estimators[0])(200)[1], dtype=np.float32)
    return loss, target, np.random.default_rng(1).normal(size=(loss.n_outputs, 200))


def test_every_loss_that_is_defined_can_be_chosen():
    assert classes_in(ocelotboost.loss, DeclaredLoss) == set(LOSSES)
    assert set(LOSSES) == {*REGRESSION_LOSSES, *CLASS_LOSSES}


def test_every_metric_that_is_defined_can_be_chosen():
    assert classes_in(ocelotboost.metric, Metric) - {LossMetric.__name__} == set(METRICS_ALONE)
    assert set(METRICS) == {*LOSSES, *METRICS_ALONE}


def test_every_native_loss_belongs_to_the_loss_of_its_name():
    assert {kind.name: kind for kind in LossKind} == {
        name.upper(): loss.kernel
        for name, loss in LOSSES.items()
        if loss.kernel is not None and loss.kernel.name == name.upper()
    }


@pytest.mark.parametrize("missing", ["link", "estimators", "purpose"])
def test_a_loss_that_leaves_something_out_cannot_be_defined(missing):
    said = {"link": IDENTITY, "estimators": ("regressor",), "purpose": "tests"}
    del said[missing]
    with pytest.raises(TypeError, match=f"The loss Unsaid does not declare {missing}"):
        type("Unsaid", (DeclaredLoss,), said)
    assert "Unsaid" not in DeclaredLoss.declared


def test_a_name_is_given_once():
    said = {"link": IDENTITY, "estimators": ("regressor",), "purpose": "tests"}
    with pytest.raises(TypeError, match="There is a loss RMSE already"):
        type("RMSE", (DeclaredLoss,), said)
    assert DeclaredLoss.declared["RMSE"] is LOSSES["RMSE"]


@EVERY_LOSS
def test_the_name_of_a_loss_leads_back_to_it(name):
    loss = loss_of(name)
    assert loss.name.partition(":")[0] == name
    assert loss_from(loss.name, ANY, N_CLASSES) == loss
    assert link_of(loss.name) is loss.link


@EVERY_LOSS
def test_its_native_loops_have_its_formulas(name):
    loss, target, raw = rows_of(name)
    weight = np.random.default_rng(2).exponential(size=200).astype(np.float32)
    native, by_numpy = np.empty((2, *raw.shape), dtype=np.float32)
    native_loss = pass_for(loss, 1).gradients(target, weight, raw, native)
    assert not isinstance(pass_for(loss, 1), NumpyPass)
    assert_allclose(native_loss, NumpyPass(loss).gradients(target, weight, raw, by_numpy))
    assert_allclose(native, by_numpy, rtol=1e-6, atol=1e-6)


@EVERY_LOSS
def test_its_metric_is_the_figure_that_training_reports(name):
    loss, target, raw = rows_of(name)
    metric = metric_from_name(loss.name, lambda scores: loss.link(scores.T).T)
    scores = raw[0] if loss.n_outputs == 1 else np.ascontiguousarray(raw.T)
    total = NumpyPass(loss).gradients(target, None, raw, np.empty(raw.shape, dtype=np.float32))
    assert_allclose(metric.value(target, scores, None), loss.report(total / 200), rtol=1e-12)
    assert loss.link in METRICS[name].understands


@EVERY_LOSS
def test_derivatives_are_those_of_the_value(name):
    loss, target, raw = rows_of(name)
    half = 0.5 if name == "RMSE" else 1.0  # whose derivatives are those of half the squared error
    h = 1e-6
    first, _ = loss.derivatives(target, raw if loss.n_outputs > 1 else raw[0])
    for k, slope in enumerate(first.reshape(raw.shape)):
        up, down = raw.copy(), raw.copy()
        up[k] += h
        down[k] -= h
        above, below = (loss.value(target, x if len(x) > 1 else x[0]) for x in (up, down))
        assert_allclose(half * (above - below) / (2 * h), slope, rtol=1e-4, atol=1e-6)
