"""Pictures are drawn without a screen, and closed."""

from __future__ import annotations

import matplotlib
import pytest


@pytest.fixture(autouse=True)
def without_a_screen():
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")
