"""What is said of a model after training, and of metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.report.evaluation import Evaluation
from ocelotboost.report.figures import count, number


def summary(
    model: OcelotEstimator, path: str, n_rows: int, seconds: float, interrupted: bool
) -> tuple[Text, dict[str, Any]]:
    """The end of ``train``: in words, and as data."""
    size = Path(path).stat().st_size
    kind = "classifier" if model.model_.classes is not None else "regressor"
    classes = model.model_.classes
    told = Text()
    if interrupted:
        told.append("Interrupted: the trees so far are saved.\n", "bold yellow")
    told.append("Saved ")
    told.append(path, "bold green")
    told.append(f" ({in_bytes(size)}): {kind}")
    told.append(f" of {len(classes)} classes" if classes is not None else "")
    told.append(f", {count(model.n_iter_, 'tree')}")
    told.append(f" in {model.n_models_} averaged models" if model.n_models_ > 1 else "")
    told.append(f", {model.boosting_type_}, depth {model.depth_}")
    told.append(f", learning rate {model.learning_rate_:.3g}.\n")
    told.append(f"{count(n_rows, 'row')} in {seconds:.1f} s")
    watched = model.model_.watched
    if watched is not None and model.best_score_ is not None:
        data, metric = watched
        told.append(f"; {metric} of {_words(data)} ")
        told.append(number(model.best_score_), "bold")
    told.append(".\n")
    told.append("Next: ", "dim")
    told.append(f"ocelot predict {path} new.csv > predictions.csv", "dim")
    told.append("   ocelot report, importance, explain", "dim")
    return told, {
        "model": path,
        "bytes": size,
        "kind": kind,
        "n_rows": n_rows,
        "n_trees": model.n_iter_,
        "n_models": model.n_models_,
        "boosting_type": model.boosting_type_,
        "depth": model.depth_,
        "learning_rate": model.learning_rate_,
        "loss": model.model_.loss,
        "best_score": model.best_score_,
        "watched": watched,
        "seconds": round(seconds, 3),
        "interrupted": interrupted,
    }


def _words(data: str) -> str:
    return {"validation": "held-out rows"}.get(data, data)


def in_bytes(size: int) -> str:
    """
    >>> in_bytes(2048), in_bytes(5_000_000)
    ('2 KiB', '4.8 MiB')
    """
    return f"{size / 1024:,.0f} KiB" if size < 1 << 20 else f"{size / (1 << 20):,.1f} MiB"


def evaluation_table(evaluation: Evaluation, what: str = "rows") -> Table:
    """Metrics with their intervals."""
    title = f"{evaluation.n_rows:,} {what}"
    table = Table(title=title, title_justify="left", title_style="", box=SIMPLE_HEAD)
    table.add_column("metric", no_wrap=True)
    table.add_column("value", justify="right", style="bold")
    table.add_column("95 % interval", justify="right")
    table.add_column("", style="dim")
    for figure in evaluation.figures:
        better = "higher is better" if figure.higher_is_better else "lower is better"
        table.add_row(figure.name, figure.shown(figure.value), figure.range, better)
    return table
