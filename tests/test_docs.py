"""The pages: examples run, links lead somewhere, and the parameters are those that there are."""

from __future__ import annotations

import doctest
import pkgutil
import re
from importlib import import_module

import pytest
from tools import parameter_page

import ocelotboost
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES
from ocelotboost.metric.registry import METRICS
from tests.markdown import PAGES, PROJECT, links, name, python_blocks, run

MODULES = [
    module.name
    for module in pkgutil.walk_packages(ocelotboost.__path__, "ocelotboost.")
    if not module.name.endswith("._native")
]
WITH_PYTHON = [page for page in PAGES if page.name != "README.md" and python_blocks(page)]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name)
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files(page):
    missing = [link for link in links(page) if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_are_right(module):
    assert doctest.testmod(import_module(module)).failed == 0


def test_the_page_of_parameters_is_up_to_date():
    written = (PROJECT / parameter_page.PAGE).read_text(encoding="utf-8")
    assert written == parameter_page.page(), "run `make docs`"


def test_all_losses_and_metrics_are_described():
    page = (PROJECT / "docs/losses_and_metrics.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)(?::\w+=[^`]*)?`", page))
    assert {*CLASS_LOSSES, *REGRESSION_LOSSES, *METRICS} <= described
