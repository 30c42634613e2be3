"""``ocelot evaluate``, ``compare`` and ``report``: how good models are, on rows with a target."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ocelotboost.cli.options import Files, Jobs, Model, Target, Weight, names_in, with_files
from ocelotboost.cli.rows import rows_for
from ocelotboost.cli.screen import Screen, command
from ocelotboost.cli.summary import evaluation_table
from ocelotboost.estimator.load import load_model
from ocelotboost.files.opened import check_writable
from ocelotboost.metric.registry import METRICS
from ocelotboost.report.evaluation import Comparison, Difference

DropMissing = Annotated[
    bool, typer.Option("--drop-missing", help="Leave out rows without a target.")
]


@command
@with_files
def evaluate(
    screen: Screen,
    model: Model,
    files: Files,
    target: Target = None,
    weight: Weight = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAMES",
            help="Further metrics, such as F1.",
            autocompletion=lambda: list(METRICS),
        ),
    ] = None,
    drop_missing: DropMissing = False,
    n_jobs: Jobs = None,
) -> None:
    """Metrics on rows with a target, with intervals.

    Intervals are by bootstrap over the rows: where the value would be with other rows of the same
    kind. Use rows that the model was not trained on.
    """
    estimator = load_model(model).set_params(n_jobs=n_jobs)
    rows = rows_for(screen, [estimator], files, target, weight, drop=drop_missing)
    with screen.warnings_as_notes():
        evaluation = estimator.evaluate(
            rows.X(estimator), rows.y, sample_weight=rows.weight, metrics=names_in(metric)
        )
    screen.show(
        evaluation_table(evaluation),
        model=model,
        n_rows=evaluation.n_rows,
        metrics={figure.name: figure for figure in evaluation.figures},
    )


@command
@with_files
def compare(
    screen: Screen,
    first: Annotated[str, typer.Argument(metavar="MODEL", help="A model.")],
    second: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="Another model, or a column of predictions: @column."),
    ],
    files: Files,
    target: Target = None,
    weight: Weight = None,
    drop_missing: DropMissing = False,
    n_jobs: Jobs = None,
) -> None:
    """Two models on the same rows, with a paired test.

    The losses of both are compared row by row, which tells smaller differences than two metrics
    would. OTHER may be a column of the table with predictions, written @column: numbers, or
    probabilities of the second class.
    """
    one = load_model(first).set_params(n_jobs=n_jobs)
    column = second[1:] if second.startswith("@") else None
    other = load_model(second).set_params(n_jobs=n_jobs) if column is None else None
    models = [one] if other is None else [one, other]
    rows = rows_for(screen, models, files, target, weight, drop=drop_missing)
    against: Any = other
    if column is not None:
        against = rows.column(column).astype(np.float64)
    with screen.warnings_as_notes():
        comparison = one.compare(
            against,
            rows.X(one),
            rows.y,
            sample_weight=rows.weight,
            X_other=None if other is None else rows.X(other),
            names=_names(first, second),
        )
    screen.show(
        comparison_table(comparison),
        first=first,
        second=second,
        n_rows=comparison.n_rows,
        better=comparison.better,
        sentence=comparison.sentence(),
        test={
            "loss": comparison.loss,
            "mean": comparison.mean,
            "low": comparison.low,
            "high": comparison.high,
            "p_value": comparison.p_value,
            "wins": comparison.wins,
        },
        metrics={own.name: own for own in comparison.differences},
    )


def _names(first: str, second: str) -> tuple[str, str]:
    """Short, and different."""
    short = (Path(first).stem, second if second.startswith("@") else Path(second).stem)
    return short if short[0] != short[1] else (first, second)


def comparison_table(comparison: Comparison) -> Group:
    """The metrics of both, their difference, and the result as a sentence."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column(f"{comparison.n_rows:,} rows", no_wrap=True)
    for name in comparison.names:
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("difference", justify="right", style="bold")
    table.add_column("95 % interval", justify="right")
    for own in comparison.differences:
        table.add_row(
            own.name,
            own.shown(own.first),
            own.shown(own.second),
            Text(_signed(own, own.change), style=_tone(own)),
            f"{_signed(own, own.low).split()[0]} to {_signed(own, own.high)}",
        )
    style = "bold green" if comparison.better else "bold"
    wins = f"{comparison.names[1]} has the smaller {comparison.loss} on "
    wins += f"{100 * comparison.wins:.0f} % of the rows."
    return Group(table, Text(comparison.sentence(), style=style), Text(wins, style="dim"))


def _signed(own: Difference, value: float) -> str:
    text = f"{100 * value:.2f} points".replace("-", "−") if own.percentage else own.shown(value)
    return f"+{text}" if value > 0 else text


def _tone(own: Difference) -> str:
    """Green where the second is clearly better, red where it is clearly worse."""
    if own.low <= 0 <= own.high:
        return ""
    return "green" if (own.change > 0) == own.higher_is_better else "red"


@command
@with_files
def report(
    screen: Screen,
    model: Model,
    files: Files,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page: .html, or .md for Markdown."
        ),
    ] = "report.html",
    target: Target = None,
    weight: Weight = None,
    training: Annotated[
        str | None,
        typer.Option(
            "--train", metavar="FILE", help="The training rows, for exact comparisons with them."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The first line of the page.")
    ] = None,
    drop_missing: DropMissing = False,
    n_jobs: Jobs = None,
) -> None:
    """Write a page about a model, for people.

    How good it is compared with simple models, why it predicts what it does, where it is weak, and
    what in the data looks suspicious. The file needs no network.
    """
    check_writable(output)
    estimator = load_model(model).set_params(n_jobs=n_jobs)
    rows = rows_for(screen, [estimator], files, target, weight, drop=drop_missing)
    known: dict[str, Any] = {}
    if training is not None:
        own = Files((training,), files.options, files.cd)
        trained = rows_for(screen, [estimator], own, target, None, drop=drop_missing)
        known = {"X_train": trained.X(estimator), "y_train": trained.y}
    with screen.warnings_as_notes():
        made = estimator.report(
            output, rows.X(estimator), rows.y, sample_weight=rows.weight, title=title, **known
        )
    told = f"Wrote [bold green]{output}[/bold green]: {made.document.subtitle}."
    if not screen.quiet or screen.as_json:
        screen.show(told, output=output, n_rows=rows.n_rows)
