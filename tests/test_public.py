"""What is public, what is twinned, and examples that run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re

import ocelotboost
from ocelotboost.kernels import native, reference


def test_public_names():
    assert set(ocelotboost.__all__) == {
        "OcelotClassifier",
        "OcelotRegressor",
        "load_model",
        "cv",
        "CrossValidation",
        "tune",
        "Tuning",
        "OcelotError",
        "InputError",
        "ParameterError",
        "ModelFileError",
        "SnapshotError",
    }
    for name in ocelotboost.__all__:
        assert hasattr(ocelotboost, name)


def test_every_kernel_has_a_twin_of_the_same_signature():
    kernels = {name for name in dir(native) if not name.startswith("_")}
    kernels.remove("take_turns")  # says how a thread waits, and computes nothing
    assert kernels == set(reference.__all__)
    for name in kernels:
        described = getattr(native, name).__doc__ or ""
        first_line = described.splitlines()[0]
        native_names = re.findall(r"(\w+):", first_line[first_line.index("(") :])
        ours = list(inspect.signature(getattr(reference, name)).parameters)
        assert [n for n in native_names if n in ours] == ours, name


def test_examples_in_docstrings_run():
    n_examples = 0
    for module in pkgutil.walk_packages(ocelotboost.__path__, "ocelotboost."):
        if module.name.endswith("_native"):
            continue
        results = doctest.testmod(importlib.import_module(module.name))
        assert results.failed == 0, module.name
        n_examples += results.attempted
    assert n_examples > 10
