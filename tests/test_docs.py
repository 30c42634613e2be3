"""The pages: their code runs, links lead somewhere, and the parameters are those that there are."""

from __future__ import annotations

import dataclasses
import doctest
import linecache
import pkgutil
import re
from importlib import import_module

import pytest
from sklearn.base import BaseEstimator
from tools import (
    coming_from_page,
    command_page,
    error_page,
    estimator_page,
    loss_page,
    ordered_figures,
    parameter_page,
)

import ocelotboost
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator import documentation
from ocelotboost.estimator.documentation import fitted_attributes
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES
from ocelotboost.metric.registry import METRICS
from tests.markdown import PAGES, PROJECT, blocks, links, name, run

MODULES = [
    module.name
    for module in pkgutil.walk_packages(ocelotboost.__path__, "ocelotboost.")
    if not module.name.endswith("._native")
]
TOOLS = [f"tools.{name}" for name in ("error_page", "markdown", "markers")]
TOOLS += [f"tools.site.{name}" for name in ("docstrings", "notebook", "stage")]
WITH_CODE = [
    page
    for page in PAGES
    if page != PROJECT / "README.md" and any(block.runs for block in blocks(page))
]


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_code_block_runs_or_is_only_to_be_read(page):
    assert {block.language for block in blocks(page)} <= {"python", "sh", "text", "math", ""}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files(page):
    missing = [link for link in links(page) if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("module", [*MODULES, *TOOLS])
def test_the_examples_in_docstrings_are_right(module, monkeypatch):
    # Debuggers look for changed sources, which fails when a thread of another test does it, too.
    monkeypatch.setattr(linecache, "checkcache", lambda filename=None: None)
    assert doctest.testmod(import_module(module)).failed == 0


@pytest.mark.parametrize(
    "generated", [parameter_page, estimator_page, loss_page, command_page, error_page]
)
def test_the_generated_pages_are_up_to_date(generated):
    written = (PROJECT / generated.PAGE).read_text(encoding="utf-8")
    assert written == generated.page(), "run `make docs`"


@pytest.mark.parametrize("library", coming_from_page.LIBRARIES, ids=lambda own: own.title)
def test_the_maps_of_parameters_are_up_to_date(library):
    written = (PROJECT / library.page).read_text(encoding="utf-8")
    assert written == coming_from_page.page(library), "run `make docs`"


@pytest.mark.parametrize("picture", ordered_figures.PICTURES)
def test_the_pictures_are_up_to_date(picture):
    written = (PROJECT / ordered_figures.FOLDER / f"{picture}.svg").read_text(encoding="utf-8")
    assert written == ordered_figures.svg(picture), "run `make docs`"


@pytest.mark.parametrize("kind", [ocelotboost.OcelotClassifier, ocelotboost.OcelotRegressor])
def test_everything_public_of_an_estimator_is_documented(kind):
    X = [[0.0], [1.0], [2.0], [3.0]]
    model = kind(iterations=2).fit(X, [0, 1, 0, 1], eval_set=(X, [0, 1, 0, 1]))
    own = {f.name for f in dataclasses.fields(kind)}
    public = {name for name in dir(model) if not name.startswith("_")} - own
    public -= set(dir(BaseEstimator)) | {"score"} | {n for n in public if n.startswith("set_")}
    attributes, methods = fitted_attributes(kind), documentation.methods(kind)
    assert public - {"feature_names_in_"} <= {m.name for m in (*attributes, *methods)}
    assert all(member.text.endswith(".") for member in (*attributes, *methods))
    for section in ("Parameters", "Attributes", "Methods", "Examples"):
        assert f"\n\n{section}\n{'-' * len(section)}\n" in kind.__doc__
    fields = {f.name for f in dataclasses.fields(IterationInfo)}
    page = (PROJECT / estimator_page.PAGE).read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in fields)


def test_all_losses_and_metrics_are_described():
    page = (PROJECT / "docs/losses_and_metrics.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)(?::\w+=[^`]*)?`", page))
    assert {*CLASS_LOSSES, *REGRESSION_LOSSES, *METRICS} <= described
