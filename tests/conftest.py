"""Settings of all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Kernels check the contents of arrays too; read at the first call of a kernel.
os.environ["OCELOT_CHECKED"] = "1"

# Machines that run tests are busy: a slow example is no failure.
settings.register_profile(
    "default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("default"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def five_threads(monkeypatch):
    """n_jobs up to 5 is obeyed on machines with fewer cores too."""
    monkeypatch.setenv("OCELOT_NUM_THREADS", "5")
