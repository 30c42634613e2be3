"""The page of parameters, from their declarations.

`python -m tools.parameter_page` writes it, `--check` compares it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from ocelotboost import OcelotClassifier
from ocelotboost.estimator.base import OcelotEstimator
from tools.compare import write_or_check

PAGE = Path("docs/parameters.md")

INTRODUCTION = """\
# Parameters

Keywords of `OcelotClassifier` and `OcelotRegressor`. A value that is not allowed is an error
at `fit` that names the parameter, the value and what may stand there instead.

Each parameter is declared once, in `src/ocelotboost/estimator/`; `make docs` writes this page from
the declarations.
"""


def page() -> str:
    """The text of the page."""
    shared = {declared.name for declared in dataclasses.fields(OcelotEstimator)}
    own = [f for f in dataclasses.fields(OcelotClassifier) if f.name not in shared]
    return "\n".join(
        [
            INTRODUCTION,
            "## Of both estimators\n",
            *_table(dataclasses.fields(OcelotEstimator)),
            "\n## Of OcelotClassifier\n",
            *_table(own),
            "",
        ]
    )


def _table(fields: Iterable[dataclasses.Field[object]]) -> list[str]:
    rows = [
        f"| `{f.name}` | `{f.default!r}` | {f.metadata['rule'].wanted} | {f.metadata['text']} |"
        for f in fields
    ]
    return ["| parameter | default | allowed | meaning |", "|---|---|---|---|", *rows]


if __name__ == "__main__":
    write_or_check("tools.parameter_page", __doc__, PAGE, page, remedy="make docs")
