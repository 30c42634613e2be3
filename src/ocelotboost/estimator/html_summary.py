"""An estimator as notebooks show it: what is set, what was found, and all parameters on demand.

Text and lines take the notebook's own colours, so that it reads well in light and dark themes.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import numpy as np

from ocelotboost.estimator.fitted import Fitted
from ocelotboost.model.importance import feature_importances
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.wording import Wording

_MOST_IMPORTANT = 6  # features that are listed

STYLE = """<style>
.ocelot-summary {display: inline-block; border: 1px solid #8888; border-radius: 6px;
  padding: 0.5em 0.9em; font-family: sans-serif; font-size: 0.9em; line-height: 1.45}
.ocelot-summary .name {font-weight: bold; font-size: 1.1em}
.ocelot-summary .muted {opacity: 0.65}
.ocelot-summary table {border-collapse: collapse; margin: 0.3em 0; font-size: inherit}
.ocelot-summary table table {margin: 0}
.ocelot-summary tr, .ocelot-summary td, .ocelot-summary th {background: none; border: none;
  text-align: left; vertical-align: top; padding: 0.05em 1.2em 0.05em 0; white-space: normal}
.ocelot-summary th {font-weight: normal; opacity: 0.65; white-space: nowrap}
.ocelot-summary code {background: none; color: inherit; padding: 0}
.ocelot-summary .bar {display: inline-block; height: 0.65em; background: #d9480fcc;
  margin-right: 0.5em; border-radius: 2px}
.ocelot-summary .parameters td:last-child {max-width: 36em}
.ocelot-summary summary {cursor: pointer; opacity: 0.8}
</style>"""


def html_summary(estimator: Any, fitted: Fitted | None) -> str:
    """The estimator as a piece of HTML."""
    state = "not fitted" if fitted is None else _count(fitted.model.forest.n_trees, "tree")
    facts = [("parameters", _changed(estimator))]
    if fitted is not None:
        facts += _facts(fitted.model)
    return "\n".join(
        [
            f'<div class="ocelot-summary">{STYLE}',
            f'<span class="name">{escape(type(estimator).__name__)}</span> '
            f'<span class="muted">{state}</span>',
            html_table([f"<th>{name}</th>", f"<td>{html}</td>"] for name, html in facts),
            "<details><summary>All parameters</summary>",
            html_table(_parameters(estimator), "parameters"),
            "</details></div>",
        ]
    )


def _changed(estimator: Any) -> str:
    """What is not at its default, as in a call."""
    changed = [
        f"<b>{declared.name}</b>={_value(getattr(estimator, declared.name))}"
        for declared in dataclasses.fields(estimator)
        if _differs(getattr(estimator, declared.name), declared.default)
    ]
    return f"<code>{', '.join(changed)}</code>" if changed else "all at their defaults"


def _parameters(estimator: Any) -> Iterator[list[str]]:
    """Name, value and meaning of each; changed ones in bold."""
    for declared in dataclasses.fields(estimator):
        value = getattr(estimator, declared.name)
        name = _bold_if(_differs(value, declared.default), declared.name)
        yield [
            f"<td><code>{name}</code></td>",
            f"<td><code>{_value(value)}</code></td>",
            f"<td>{escape(declared.metadata['text'])}</td>",
        ]


def _facts(model: TrainedModel) -> Iterator[tuple[str, str]]:
    """What training found, as pairs of a name and HTML."""
    yield "loss", escape(model.loss) + _classes(model)
    chosen = model.resolved
    yield (
        "training",
        f"{escape(chosen.boosting_type)} boosting, learning rate {chosen.learning_rate:.3g}, "
        f"sampling: {escape(chosen.bootstrap_type)}",
    )
    if model.n_init_trees:
        yield "continued", f"{_count(model.n_init_trees, 'tree')} came from init_model"
    yield "features", _features(model)
    if any(model.history.values()):
        yield _metrics(model)
    if model.forest.n_trees:
        yield "importance", _importance(model)


def _classes(model: TrainedModel) -> str:
    return "" if model.classes is None else f", classes {_value(model.classes.tolist())}"


def _features(model: TrainedModel) -> str:
    categorical = int(np.count_nonzero(model.forest.categorical))
    kinds = {"numeric": model.n_features - categorical, "categorical": categorical}
    return " and ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)


def _metrics(model: TrainedModel) -> tuple[str, str]:
    """Every metric on every data set, after the best tree or else after the last."""
    best = model.best_iteration
    place = -1 if best is None else best - model.n_init_trees
    rows = [
        [f"<td>{escape(data)}</td>"]
        + [
            f"<td>{_bold_if((data, name) == model.watched, f'{escape(name)} {values[place]:.5g}')}"
            "</td>"
            for name, values in metrics.items()
        ]
        for data, metrics in model.history.items()
    ]
    return ("last tree" if best is None else f"best tree ({best:,})"), html_table(rows)


def _importance(model: TrainedModel) -> str:
    importances = feature_importances(model.forest)
    wording = Wording(model.forest, model.feature_names)
    top = np.argsort(-importances, kind="stable")[:_MOST_IMPORTANT].tolist()
    largest = max(float(importances[top[0]]), 1e-300)
    others = model.n_features - len(top)
    rows = []
    for feature in top:
        width = 10 * importances[feature] / largest
        bar = f'<span class="bar" style="width: {width:.2f}em"></span>'
        name = escape(wording.feature(feature))
        rows.append([f"<td>{name}</td>", f"<td>{bar}{importances[feature]:.1%}</td>"])
    if others:
        rest = max(0.0, 1.0 - float(importances[top].sum()))
        more = f"{_count(others, 'other')}: {rest:.1%}"
        rows.append([f'<td colspan="2" class="muted">{more}</td>'])
    return html_table(rows)


def html_table(rows: Iterable[Iterable[str]], kind: str = "") -> str:
    made = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f'<table class="{kind}">\n{made}\n</table>'


def _bold_if(important: bool, html: str) -> str:
    return f"<b>{html}</b>" if important else html


def _differs(value: Any, default: Any) -> bool:
    return value is not default and repr(value) != repr(default)


def _value(value: Any) -> str:
    short = reprlib.Repr()
    short.maxstring = short.maxother = 60
    return escape(short.repr(value))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
