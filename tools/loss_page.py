"""The tables of losses and metrics in their page, from the declarations.

`python -m tools.loss_page` writes them, `--check` compares them. The rest of the page stays.
"""

from __future__ import annotations

import math
from pathlib import Path

from ocelotboost.loss.base import LeafRule
from ocelotboost.loss.declared import DeclaredLoss
from ocelotboost.loss.names import NumberParameter, number_text
from ocelotboost.loss.registry import LOSSES
from ocelotboost.metric.registry import METRICS_ALONE
from tools.compare import write_or_check
from tools.markers import between

PAGE = Path("docs/losses_and_metrics.md")
_ROOT = Path(__file__).resolve().parents[1]


def page() -> str:
    """The text of the page that is there, with its tables made again."""
    text = (_ROOT / PAGE).read_text(encoding="utf-8")
    for name, rows in (("losses", _losses()), ("metrics", _metrics())):
        text = between(text, name, "make docs", rows, PAGE)
    return text


def _losses() -> list[str]:
    header = "| name | for | estimator | raw prediction | link | response | leaves by |"
    rows = [
        f"| `{_written(loss)}` | {_purpose(loss)} | {', '.join(loss.estimators)} "
        f"| {loss.link.raw_score} | {loss.link.name} | `{loss.link.formula}` "
        f"| {_leaves(loss.leaf_rule)} |"
        for loss in LOSSES.values()
    ]
    return [header, "|---|---|---|---|---|---|---|", *rows]


def _metrics() -> list[str]:
    rows = [
        f"| `{name}` | {metric.purpose} | {'higher' if metric.higher_is_better else 'lower'} |"
        for name, metric in METRICS_ALONE.items()
    ]
    return ["| name | for | better |", "|---|---|---|", *rows]


def _written(loss: type[DeclaredLoss]) -> str:
    numbers = (
        f"{p.name}={'…' if p.default is None else number_text(p.default)}"
        for p in loss.parameters()
    )
    return ":".join([loss.__name__, *numbers])


def _purpose(loss: type[DeclaredLoss]) -> str:
    return "; ".join([loss.purpose, *(_range(parameter) for parameter in loss.parameters())])


def _range(parameter: NumberParameter) -> str:
    if math.isinf(parameter.high):
        return f"{parameter.name} > {parameter.low:g}"
    return f"{parameter.low:g} < {parameter.name} < {parameter.high:g}"


def _leaves(rule: LeafRule) -> str:
    if rule.method == "Exact":
        return rule.method
    return f"{rule.method}, {rule.iterations} step{'s' if rule.iterations > 1 else ''}"


if __name__ == "__main__":
    write_or_check("tools.loss_page", __doc__, PAGE, page, remedy="make docs")
