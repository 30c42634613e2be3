"""Learning curves: the metrics of training after each tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ocelotboost.model.trained import TrainedModel
from ocelotboost.report.document import Block, Figure, Paragraph, Section, code, section, strong
from ocelotboost.report.figures import count, number, rounded

_MOST_POINTS = 300


def learning_section(model: TrainedModel) -> Section:
    return section("learning", "Learning", "How it learned", _blocks(model))


def _blocks(model: TrainedModel) -> Iterator[Block]:
    metrics = _metrics(model)
    if not metrics:
        yield Paragraph("The model keeps no record of its training.")
        return
    yield Paragraph(_story(model))
    shown = _first_metric(model, metrics)
    says = f"{shown} after each tree, on {', '.join(model.history)}."
    yield Figure("learning", "Metric after each tree", _data(model, metrics, shown), says, True)


def _metrics(model: TrainedModel) -> list[str]:
    return list(dict.fromkeys(metric for own in model.history.values() for metric in own))


def _first_metric(model: TrainedModel, metrics: list[str]) -> str:
    return metrics[0] if model.watched is None else model.watched[1]


def _story(model: TrainedModel) -> str:
    n_trees = model.forest.n_trees
    made = f"The model has {strong(count(n_trees, 'tree'))}"
    if model.resolved.n_models > 1:
        made += f" of {model.resolved.n_models} models, whose average it is"
    if model.n_init_trees:
        made += f", of which {model.n_init_trees:,} came from another model"
    if model.best_iteration is None or model.watched is None or model.best_score is None:
        return (
            f"{made}. No rows were set aside during training, so the curves show how the trees fit "
            "rows that they learned from: they say little about other rows."
        )
    data, metric = model.watched
    best = model.best_iteration
    text = (
        f"{made}. {metric} on {code(data)} was best after tree {strong(f'{best + 1:,}')}, at "
        f"{strong(number(model.best_score))}."
    )
    if model.resolved.n_models > 1:  # curves of models that end at different trees
        return f"{text} Curves are means over the models."
    values = model.history[data][metric]
    made_here = len(values) + model.n_init_trees
    if best + 1 >= made_here - max(1, made_here // 50):
        return f"{text} It was still improving when training ended: more trees may help."
    return f"{text} Trees after that one no longer helped there."


def _data(model: TrainedModel, metrics: list[str], shown: str) -> dict[str, Any]:
    return {
        "metrics": [
            {
                "name": metric,
                "series": [
                    _series(data, model.history[data][metric], model.n_init_trees)
                    for data in _by_interest(model)
                    if metric in model.history[data]
                ],
            }
            for metric in metrics
        ],
        "shown": metrics.index(shown),
        "best": None if model.best_iteration is None else model.best_iteration + 1,
    }


def _by_interest(model: TrainedModel) -> list[str]:
    """What decided about the best tree first, then other rows that were watched, then training."""
    watched = () if model.watched is None else (model.watched[0],)
    return sorted(model.history, key=lambda own: (own not in watched, own in ("learn", "ordered")))


def _series(data: str, values: list[float], before: int) -> dict[str, Any]:
    places = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MOST_POINTS)).astype(int))
    chosen = np.asarray(values, dtype=np.float64)[places]
    return {"name": data, "x": (places + 1 + before).tolist(), "y": rounded(chosen, 6)}
