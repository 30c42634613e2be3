"""``ocelot train``: read, show what was read, train, save, and say how good it is."""

from __future__ import annotations

import time as clock
from typing import Annotated, Any

import typer

from ocelotboost.cli.asked import Asked, with_training
from ocelotboost.cli.config import write_config
from ocelotboost.cli.errors import DONE, INTERRUPTED
from ocelotboost.cli.options import FILES, Files, with_files
from ocelotboost.cli.screen import Screen, command
from ocelotboost.cli.summary import evaluation_table, summary
from ocelotboost.cli.training_rows import (
    can_be_batches,
    divided,
    eval_rows,
    rows_in_batches,
    training_rows,
)
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.files.opened import check_writable

#: What the table of columns says already.
SAID = "Numbers are stored as text"
_INTERRUPTED = "Training was interrupted"


@command
@with_files
@with_training
def train(
    screen: Screen,
    files: Files,
    asked: Asked,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="The model's file; .json is readable."),
    ] = "model.ocelot",
    holdout: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Keep this share of the rows aside, and judge the model by them."
        ),
    ] = None,
    evaluated: Annotated[
        list[str] | None,
        typer.Option(
            "--eval", metavar="FILE", help="Rows to watch and to stop on.", rich_help_panel=FILES
        ),
    ] = None,
    save_config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write these options to a TOML file.", rich_help_panel=FILES
        ),
    ] = None,
    init_model: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A model to continue from.", rich_help_panel=FILES),
    ] = None,
    snapshot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Store training here, and go on from it.", rich_help_panel=FILES
        ),
    ] = None,
) -> int:
    """Train a model on a table, and save it.

    What the columns are is found and shown first. Ctrl-C saves the trees so far.
    """
    check_writable(output)
    holdout = holdout or asked.options.get("holdout")
    watched = evaluated or asked.options.get("eval") or []
    if save_config is not None:
        check_writable(save_config)
        chosen = {**asked.options, "holdout": holdout, "eval": watched}
        write_config(save_config, chosen, asked.parameters)
    began = clock.perf_counter()
    rows, held_out, model = _prepared(screen, files, asked, holdout)
    eval_sets = [eval_rows(screen, path, files, asked, rows.X) for path in watched]
    interrupted = _fit(screen, model, rows, eval_sets, init_model, snapshot)
    model.save_model(output)
    seconds = clock.perf_counter() - began
    told, data = summary(model, output, rows.n_rows, seconds, interrupted)
    if held_out is not None:
        evaluation = model.evaluate(held_out.X, held_out.y, sample_weight=held_out.weight)
        data["evaluation"] = evaluation
        if not screen.as_json:
            screen.out.print(evaluation_table(evaluation, "rows that were kept aside"))
    screen.show(told, **data)
    return INTERRUPTED if interrupted else DONE


def _prepared(
    screen: Screen, files: Files, asked: Asked, holdout: float | None
) -> tuple[Any, Any, OcelotEstimator]:
    """Rows to train on, rows kept aside or None, and the estimator."""
    if can_be_batches(files, asked):
        if holdout is not None:
            raise ParameterError("--holdout needs the rows in memory: leave out --memory-limit.")
        rows, kind, known = rows_in_batches(screen, files, asked)
        held_out = None
    else:
        everything, kind, known = training_rows(screen, files, asked)
        rows, held_out = divided(everything, kind, holdout)
    return rows, held_out, asked.estimator(kind, known, verbose=screen.talks, interrupt="keep")


def _fit(
    screen: Screen,
    model: OcelotEstimator,
    rows: Any,
    eval_sets: list[tuple[Any, ...]],
    init_model: str | None,
    snapshot: str | None,
) -> bool:
    """Train; was it interrupted?"""
    with screen.warnings_as_notes(ignore=(SAID, _INTERRUPTED)) as caught:
        model.fit(
            rows.X,
            rows.y,
            sample_weight=rows.weight,
            eval_set=eval_sets or None,
            init_model=init_model,
            snapshot=snapshot,
        )
    interrupted = any(str(one.message).startswith(_INTERRUPTED) for one in caught)
    if interrupted and model.n_iter_ == 0:
        raise KeyboardInterrupt("interrupted before the first tree; nothing was saved.")
    return interrupted
