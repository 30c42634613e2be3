"""``ocelot predict``: rows in, predictions out, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ocelotboost.cli.options import Files, Jobs, Model, names_in, with_files
from ocelotboost.cli.rows import (
    categorical_columns,
    described,
    features_of,
    is_sparse_file,
    load_sparse,
)
from ocelotboost.cli.screen import Screen, command
from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.in_batches import PREDICTIONS, prediction_columns
from ocelotboost.estimator.load import load_model
from ocelotboost.files.delimited import TYPES
from ocelotboost.files.formats import KINDS, STREAM
from ocelotboost.files.opened import arrow
from ocelotboost.files.reading import open_batches
from ocelotboost.files.writing import TableWriter
from ocelotboost.report.figures import count
from ocelotboost.table.sources import no_column

#: What can be asked for, and the method that answers.
METHODS = {shown: method for method, shown in PREDICTIONS.items()}
ALL = "all"


@command
@with_files
def predict(
    screen: Screen,
    model: Model,
    files: Files,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Where predictions go; - is stdout."),
    ] = STREAM,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            "-k",
            metavar="NAMES",
            help=f"What to predict, one or several of {', '.join(METHODS)}. "
            "[dim](default: prediction)[/dim]",
            autocompletion=lambda: list(METHODS),
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMNS",
            help="Columns to copy to the output, such as an id, or: all.",
        ),
    ] = None,
    trees: Annotated[
        int | None,
        typer.Option("--trees", metavar="INTEGER", help="Use the first trees only, this many."),
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--output-format",
            metavar="NAME",
            help=f"Of the output: {', '.join(KINDS[:-1])}. By its ending, and CSV for stdout.",
        ),
    ] = None,
    n_jobs: Jobs = None,
) -> None:
    """Predict the rows of a table, also in a pipe.

    Files and pipes are read and written in batches, so that memory does not grow with them:
    ocelot predict model.ocelot < in.csv > out.csv
    """
    estimator = load_model(model).set_params(n_jobs=n_jobs)
    methods = _methods(estimator, names_in(kind) or ("prediction",))
    with TableWriter(output, output_format) as writer:
        with screen.reading("predicting") as watch, screen.warnings_as_notes():
            for features, kept in feature_batches(screen, estimator, files, names_in(keep), watch):
                writer.write(_predicted(estimator, methods, features, kept, trees))
        if writer.n_rows == 0:
            raise InputError(f"{files.named} has columns, but no rows.")
    if output != STREAM:
        told = f"Wrote {count(writer.n_rows, 'prediction')} to [bold green]{output}[/bold green]."
        if not screen.quiet or screen.as_json:
            screen.show(told, output=output, n_rows=writer.n_rows)


def _methods(model: OcelotEstimator, kinds: tuple[str, ...]) -> list[str]:
    allowed = [shown for shown, method in METHODS.items() if hasattr(model, method)]
    for kind in kinds:
        if kind not in allowed:
            raise ParameterError(
                f"--kind {kind} is not possible with this model; give {', '.join(allowed)}."
            )
    return [METHODS[kind] for kind in kinds]


def _predicted(
    model: OcelotEstimator, methods: list[str], features: Any, kept: Any, trees: int | None
) -> Any:
    columns = dict(zip(kept.column_names, kept.columns, strict=True)) if kept is not None else {}
    for method in methods:
        values = getattr(model, method)(features, n_trees=trees)
        found = prediction_columns(values, method, model.model_)
        if method != "predict" and "prediction" in found:  # raw predictions have a name, too
            found = {PREDICTIONS[method]: found["prediction"]}
        columns |= found
    return arrow().table(columns)


def feature_batches(
    screen: Screen, model: OcelotEstimator, files: Files, keep: tuple[str, ...], watch: Any
) -> Iterator[tuple[Any, Any]]:
    """Features, and the columns to copy, a few thousand rows at a time."""
    if is_sparse_file(files):
        if keep:
            raise ParameterError("--keep names columns, but those of libsvm files have no names.")
        yield load_sparse(screen, files, model.n_features_in_).X, None
        return
    options, description = described(files)
    batches = open_batches(files.paths, options, watch)
    target = None
    if description is not None:
        target = next(iter(description.columns("target", batches.names)), None)
    features = features_of(model, list(batches.names), files.named, known=target)
    kept = list(batches.names) if keep == (ALL,) and ALL not in batches.names else list(keep)
    for name in kept:
        if name not in batches.names:
            raise no_column(name, batches.names, files.named, f"--keep {name}")
    columns = list(dict.fromkeys([*features, *kept]))
    for table in batches.read(columns, _types(model, features, columns)):
        if len(table):
            yield table.select(features), table.select(kept) if kept else None


def _types(model: OcelotEstimator, features: list[str], columns: list[str]) -> dict[str, str]:
    """What the columns of a CSV stream are: the model knows its own, and others stay as they are
    written."""
    others = {name: "text" for name in columns if name not in features}
    if model.model_.feature_names is None:
        return others
    categorical = set(categorical_columns(model))
    own = {name: "text" if name in categorical else "number" for name in features}
    return {**own, **others, **_dates(model, features)}


def _dates(model: OcelotEstimator, features: list[str]) -> dict[str, str]:
    """Features that are dates or times."""
    derivation = getattr(model.forest_, "derivation", None)
    times = {} if derivation is None else derivation.times
    kinds = {place: "date with zone" if kind.zone else kind.what for place, kind in times.items()}
    return {features[place]: kind for place, kind in kinds.items() if kind in TYPES}
