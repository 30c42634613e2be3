"""``ocelot cv`` and ``tune``: how good a model will be on new rows, and better parameters."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ocelotboost import CrossValidation
from ocelotboost import cv as cross_validate
from ocelotboost import tune as search
from ocelotboost.cli.asked import Asked, with_training
from ocelotboost.cli.errors import DONE, INTERRUPTED
from ocelotboost.cli.options import Files, with_files
from ocelotboost.cli.screen import Screen, command
from ocelotboost.cli.train import SAID
from ocelotboost.cli.training_rows import training_rows
from ocelotboost.errors import ParameterError
from ocelotboost.files.opened import arrow, check_writable
from ocelotboost.files.writing import TableWriter
from ocelotboost.report.figures import number

_MOST_FOLDS = 8


@command
@with_files
@with_training
def cv(
    screen: Screen,
    files: Files,
    asked: Asked,
    folds: Annotated[int, typer.Option("--folds", "-k", metavar="INTEGER", help="How many.")] = 5,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Train on all rows as well, with the number of trees that was found, and save.",
        ),
    ] = None,
    predictions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write what is predicted of each row by models that did not see it.",
        ),
    ] = None,
) -> None:
    """Cross-validation: how good a model will be on new rows.

    Each fold is judged by rows that its model has not seen. With --group no group is on both sides;
    with --time folds go forward.
    """
    for path in (output, predictions):
        if path is not None:
            check_writable(path)
    if folds < 2:
        raise ParameterError(f"--folds {folds} is not possible; give a whole number from 2.")
    rows, kind, known = training_rows(screen, files, asked)
    model = asked.estimator(kind, known, verbose=screen.talks)
    with screen.warnings_as_notes(ignore=(SAID,)):
        found = cross_validate(
            model,
            rows.X,
            rows.y,
            cv=folds,
            groups=rows.groups,
            time=rows.time,
            sample_weight=rows.weight,
            refit=output is not None,
        )
    if output is not None:
        found.model.save_model(output)
    if predictions is not None:
        _write_predictions(found, predictions)
    screen.show(
        _folds_table(found, [path for path in (output, predictions) if path is not None]),
        metric=found.metric,
        higher_is_better=found.higher_is_better,
        n_folds=found.n_folds,
        mean=found.mean_scores,
        spread=found.score_spreads,
        scores=found.scores,
        n_trees=found.n_trees,
        best_iteration=found.best_iteration,
        model=output,
        predictions=predictions,
        seconds=round(found.seconds, 3),
    )


def _write_predictions(found: CrossValidation, path: str) -> None:
    """In the order of the rows as they were read, or of their times."""
    values = found.predictions
    columns: dict[str, Any] = {"prediction": values}
    if found.classes is not None:
        columns = {
            f"probability_{label}": np.ascontiguousarray(values[:, place])
            for place, label in enumerate(found.classes.tolist())
        }
    with TableWriter(path) as writer:
        writer.write(arrow().table(columns))


def _folds_table(found: CrossValidation, written: list[str]) -> Group:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(f"{found.n_folds} folds", no_wrap=True)
    table.add_column("mean", justify="right", style="bold")
    table.add_column("± spread", justify="right")
    shown = min(found.n_folds, _MOST_FOLDS)
    for fold in range(shown):
        table.add_column(f"{fold + 1}", justify="right", style="dim")
    for name, values in found.scores.items():
        each = [number(value) for value in values[:shown].tolist()]
        mean, spread = found.mean_scores[name], found.score_spreads[name]
        table.add_row(name, number(mean), number(spread), *each)
    notes = [Text(f"{found.trees_in_words()}.", style="dim")]
    notes += [Text.assemble("Wrote ", (path, "bold green"), ".") for path in written]
    return Group(table, *notes)


@command
@with_files
@with_training
def tune(
    screen: Screen,
    files: Files,
    asked: Asked,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The tuned model's file.")
    ] = "model.ocelot",
    trials: Annotated[
        int | None, typer.Option(metavar="INTEGER", help="How many; 50 without a budget.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="The time for all of it, such as 10min.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", "-k", metavar="INTEGER", help="Judge by this many folds."),
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Keep the trials here, and go on from them."),
    ] = None,
) -> int:
    """Search better parameters, and train a model with them.

    Trial 0 is the defaults. Parameters that are given are not searched. Ctrl-C ends the search, and
    the best so far is trained on all rows and saved.
    """
    check_writable(output)
    rows, kind, known = training_rows(screen, files, asked)
    with screen.warnings_as_notes(ignore=(SAID,)):
        found = search(
            rows.X,
            rows.y,
            estimator=asked.estimator(kind, known),
            trials=trials,
            budget=budget,
            cv=folds,
            groups=rows.groups,
            time=rows.time,
            sample_weight=rows.weight,
            storage=storage,
            verbose=screen.talks,
        )
    found.estimator.save_model(output)
    screen.show(
        Group(Text(str(found)), Text.assemble("Saved ", (output, "bold green"), ".")),
        model=output,
        metric=found.metric,
        best_score=found.best_score,
        default_score=found.default_score,
        best_params=found.best_params,
        improvement=found.improvement,
        n_trials=len(found.trials),
        importances=found.importances,
        seconds=round(found.seconds, 3),
        interrupted=found.interrupted,
    )
    return INTERRUPTED if found.interrupted else DONE
