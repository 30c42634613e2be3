"""The page of parameters, from their declarations.

`python -m tools.parameter_page` writes it, `--check` compares it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.estimator.base import OcelotEstimator
from tools.compare import write_or_check
from tools.markers import linked

PAGE = Path("docs/parameters.md")

INTRODUCTION = """\
# Parameters

Keywords of `OcelotClassifier` and `OcelotRegressor`. A value that is not allowed is an error
at `fit` that names the parameter, the value and what may stand there instead.

Each parameter is declared once, in `src/ocelotboost/estimator/`; `make docs` writes this page from
the declarations.
"""

SEARCHED = """
## What tune searches

`ocelotboost.tune` looks for better values of these parameters, unless you set them
([docs/tuning.md](tuning.md)). Ranges marked "log" are drawn evenly by the logarithm.
"""

#: Of `Range.needs` and `Choices.needs`.
NEEDS = {
    None: "",
    "categories": "categorical columns",
    "iterations": "a given number of `iterations`",
    "ordered": "at most 40,000 rows and 100 classes",
    "share": "a sampling that takes a share of the rows",
    "temperature": "Bayesian sampling, the default for more than two classes",
}

OTHER_NAMES = """
## Names in other libraries

The names on the right are refused, with the name on the left as a hint. What they do elsewhere is
close to what the parameter does here, and not always the same. For one, `num_leaves` is a number of
leaves, and a tree of `depth` d has 2^d.
"""


def page() -> str:
    """The text of the page."""
    shared = dataclasses.fields(OcelotEstimator)
    sections = [INTRODUCTION, "## Of both estimators\n", *_table(shared)]
    every = list(shared)
    for estimator in (OcelotClassifier, OcelotRegressor):
        own = [f for f in dataclasses.fields(estimator) if f.name not in {s.name for s in shared}]
        sections += [f"\n## Of {estimator.__name__}\n", *_table(own)]
        every += own
    sections += [SEARCHED, *_searched(every), OTHER_NAMES, *_aliases(every), ""]
    return "\n".join(sections)


def _table(fields: Iterable[dataclasses.Field[object]]) -> list[str]:
    rows = [
        f"| `{f.name}` | `{f.default!r}` | {f.metadata['rule'].wanted} | {_meaning(f)} |"
        for f in fields
    ]
    return ["| parameter | default | allowed | meaning |", "|---|---|---|---|", *rows]


def _meaning(field: dataclasses.Field[object]) -> str:
    return linked(field.metadata["text"])


def _searched(fields: Iterable[dataclasses.Field[object]]) -> list[str]:
    searches = {f.name: f.metadata["search"] for f in fields}
    rows = [
        f"| `{name}` | {search} | {NEEDS[search.needs]} |"
        for name, search in searches.items()
        if search is not None
    ]
    return ["| parameter | values | where there is |", "|---|---|---|", *rows]


def _aliases(fields: Iterable[dataclasses.Field[object]]) -> list[str]:
    rows = [
        f"| `{f.name}` | {', '.join(f'`{alias}`' for alias in sorted(f.metadata['aliases']))} |"
        for f in fields
        if f.metadata["aliases"]
    ]
    return ["| here | elsewhere |", "|---|---|", *rows]


if __name__ == "__main__":
    write_or_check("tools.parameter_page", __doc__, PAGE, page, remedy="make docs")
