"""Pages of the Python API: which objects are on them; their texts are the docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from sklearn.base import BaseEstimator

import ocelotboost
import ocelotboost.dask
import ocelotboost.display
from ocelotboost.estimator.documentation import fitted_attributes, methods


def pages() -> Mapping[str, Callable[[], str]]:
    """By the name in the navigation: what writes the page."""
    return {
        "reference/estimators.md": _estimators,
        "reference/records.md": _records,
        "reference/displays.md": partial(_listed, "Displays", _DISPLAYS, _displays()),
        "reference/cluster.md": partial(_listed, "Clusters", _CLUSTER, _cluster()),
    }


_ESTIMATORS = """\
The estimators and what is public in `ocelotboost`. Tables of all [parameters](../parameters.md) and
[methods](../estimators.md) are on pages of their own.
"""
_RECORDS = """\
What methods of a fitted model return.
"""
_DISPLAYS = """\
`ocelotboost.display`: pictures of models, in scikit-learn's manner. [Explanations and
pictures](../explain.md#pictures) shows them. They need the extra `plot`.
"""
_CLUSTER = """\
`ocelotboost.dask`: the estimators on a Dask cluster ([how to use it](../scale.md#clusters-dask)).
They need the extra `dask`.
"""

#: Results of methods: where each is defined.
RECORDS = (
    "ocelotboost.estimator.plan.Plan",
    "ocelotboost.explain.explanation.Explanation",
    "ocelotboost.explain.importances.Importances",
    "ocelotboost.explain.partial_dependence.PartialDependence",
    "ocelotboost.explain.counterfactuals.Counterfactuals",
    "ocelotboost.explain.similar.SimilarRows",
    "ocelotboost.explain.importances.Interactions",
    "ocelotboost.explain.category_statistics.CategoryStatistics",
    "ocelotboost.report.made.Report",
    "ocelotboost.boost.callback.IterationInfo",
)


def _estimators() -> str:
    public = {name: getattr(ocelotboost, name) for name in ocelotboost.__all__}
    kinds = {name: kind for name, kind in public.items() if inspect.isclass(kind)}
    estimators = [kind for kind in kinds.values() if issubclass(kind, BaseEstimator)]
    errors = [name for name, kind in kinds.items() if issubclass(kind, Exception)]
    results = [n for n, kind in kinds.items() if kind not in estimators and n not in errors]
    lines = ["# Python API", "", _ESTIMATORS, *map(_estimator, estimators)]
    lines += [
        "## Functions",
        "",
        *(_function(f"ocelotboost.{n}") for n in public if n not in kinds),
    ]
    lines += [_class(f"ocelotboost.{name}", "") for name in results]
    lines += ["## Errors", "", "[All errors](../errors.md), with their causes and remedies.", ""]
    lines += [_exception(f"ocelotboost.{name}") for name in errors]
    return "\n".join([*lines, ""])


def _records() -> str:
    entries = [_class(record, "") for record in RECORDS]
    return "\n".join(["# Results of methods", "", _RECORDS, *entries, ""])


def _listed(title: str, introduction: str, entries: Iterable[str]) -> str:
    return "\n".join([f"# {title}", "", introduction, *entries, ""])


def _displays() -> list[str]:
    names = ocelotboost.display.__all__
    kinds = [getattr(ocelotboost.display, name) for name in names]
    own = [kind for kind in kinds if kind.__module__.startswith("ocelotboost.")]
    return [_class(f"ocelotboost.display.{kind.__name__}", "") for kind in own]


def _cluster() -> list[str]:
    names = [name for name in ocelotboost.dask.__all__ if name.startswith("Dask")]
    entries = [_estimator(getattr(ocelotboost.dask, name)) for name in names]
    return [*entries, _exception("ocelotboost.dask.ClusterError")]


def _estimator(kind: type) -> str:
    """With what this package defines; scikit-learn documents its own members."""
    package = "ocelotboost.dask" if "dask" in kind.__module__ else "ocelotboost"
    members = [member.name for member in (*methods(kind), *fitted_attributes(kind))]
    return _class(f"{package}.{kind.__name__}", " " + ", ".join(members))


def _class(name: str, members: str) -> str:
    """`members`: those to show, or nothing for all that have a docstring."""
    title = f"## {name.rpartition('.')[2]}\n"
    return f"{title}\n{_directive('autoclass', name, [f'members:{members}'])}"


def _exception(name: str) -> str:
    return _directive("autoexception", name, ["show-inheritance:"])


def _function(name: str) -> str:
    return _directive("autofunction", name, [])


def _directive(kind: str, name: str, options: Iterable[str]) -> str:
    lines = [f"   :{option}" for option in options if option]
    return "\n".join(["```{eval-rst}", f".. {kind}:: {name}", *lines, "```", ""])
