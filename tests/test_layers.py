"""Who may import whom: the stages know nothing of the estimators, and prediction of training.

And where tests are: in the folder that is called like the one they test.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ocelotboost

PACKAGE = Path(ocelotboost.__file__).parent

#: The way in and out. ``__init__`` shows what is public.
TOP = "estimator"

#: The same on a cluster, and as a command: other ways in and out, which nothing else imports.
CLUSTER, COMMANDS = "dask", "cli"

#: What is done with estimators.
AROUND = {"cross_validation", "tuning"}

#: What training consists of.
TRAINING = {"quantize", "order", "boost", "grow", "leaves", "estimator"}

FILES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def imported(source: str, folders: tuple[str, ...]) -> Iterator[str]:
    """The modules of the package that a source imports anywhere, for types and in functions too,
    without the name of the package. ``folders`` are those that the source is in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inside = ["ocelotboost", *folders][: len(folders) + 2 - node.level]
            above = ".".join(inside) if node.level else ""
            module = ".".join(filter(None, [above, node.module]))
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("ocelotboost."):
                yield name.removeprefix("ocelotboost.")


def folders_imported(path: Path) -> set[str]:
    source = (PACKAGE / path).read_text(encoding="utf-8")
    return {name.split(".")[0] for name in imported(source, path.parts[:-1])}


@pytest.mark.parametrize(
    "line",
    [
        "from ocelotboost.estimator.base import OcelotEstimator",
        "import ocelotboost.estimator.base as base",
        "from ocelotboost import estimator",
        "from ..estimator import base",
        "from .. import estimator",
        "if TYPE_CHECKING:\n    from ocelotboost.estimator.base import OcelotEstimator",
        "def f():\n    from ocelotboost.estimator import base",
    ],
)
def test_every_way_to_import_is_seen(line):
    assert [name.split(".")[0] for name in imported(line, ("boost",))] == [TOP]


@pytest.mark.parametrize("path", FILES, ids=str)
def test_no_stage_imports_the_estimators(path):
    if path.parts[0] not in {TOP, CLUSTER, COMMANDS, "__init__.py", *AROUND}:
        assert TOP not in folders_imported(path)


@pytest.mark.parametrize("path", FILES, ids=str)
def test_nothing_needs_a_cluster_or_the_command(path):
    for folder in (CLUSTER, COMMANDS):
        if path.parts[0] != folder:
            assert folder not in folders_imported(path)


@pytest.mark.parametrize("folder", ["model", "predict", "explain", "display"])
def test_a_model_can_be_used_without_training(folder):
    used = set().union(*(folders_imported(path) for path in FILES if path.parts[0] == folder))
    assert used
    assert not used & TRAINING


def test_kernels_import_nothing_of_the_package_but_kernels():
    used = set().union(*(folders_imported(path) for path in FILES if path.parts[0] == "kernels"))
    assert used <= {"kernels", "_native"}


def test_only_one_module_reads_the_parameters():
    """Helpers take settings; who names the classes of estimators is one, or makes one."""
    classes = {"OcelotEstimator", "DeclaredParameters", "OcelotClassifier", "OcelotRegressor"}
    who = {
        path.stem
        for path in FILES
        if path.parts[0] == TOP
        and any(
            name.split(".")[-1] in classes
            for name in imported((PACKAGE / path).read_text(encoding="utf-8"), path.parts[:-1])
        )
    }
    assert who == {"base", "classifier", "regressor", "settings", "load"}


def test_tests_are_in_folders_named_like_those_of_the_package():
    here = Path(__file__).parent
    package = {path.parts[0] for path in FILES if len(path.parts) > 1}
    folders = {path.parent.name for path in here.glob("*/*.py")}
    of_the_project, of_the_whole = (
        {"benchmarks", "experiments", "examples", "site"},
        {"golden", "paper"},
    )
    assert folders == package | of_the_project | of_the_whole
    assert all(any((here / folder).glob("test_*.py")) for folder in folders)


def test_files_outside_the_folders_are_about_a_module_or_all_of_the_project():
    modules = {f"test_{path.stem}" for path in FILES if len(path.parts) == 1}
    project = {
        "test_docs",
        "test_layers",
        "test_markdown",
        "test_prose",
        "test_public",
        "test_readme",
    }
    for_all = {"__init__", "conftest", "data", "markdown"}
    assert {path.stem for path in Path(__file__).parent.glob("*.py")} <= modules | project | for_all
