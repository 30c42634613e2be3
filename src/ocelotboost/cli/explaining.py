"""``ocelot explain``, ``importance`` and ``describe``: why a model predicts what it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ocelotboost.cli.options import Files, Jobs, Model, Target, names_in, with_files
from ocelotboost.cli.predict import feature_batches
from ocelotboost.cli.rows import rows_for
from ocelotboost.cli.screen import Screen, command
from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.load import load_model
from ocelotboost.explain.explanation import Explanation
from ocelotboost.explain.importances import KINDS, NEEDS_ROWS, NEEDS_TARGET, Importances
from ocelotboost.files.formats import STREAM
from ocelotboost.files.opened import arrow
from ocelotboost.files.writing import TableWriter
from ocelotboost.report.figures import count, number, percent

_BAR = 24
_MOST_COLUMNS = 15


@command
@with_files
def explain(
    screen: Screen,
    model: Model,
    files: Files,
    row: Annotated[
        int | None,
        typer.Option(
            "--row", metavar="INTEGER", help="Show this row alone, counted from 0, as a table."
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where the values of all rows go; - is stdout."
        ),
    ] = STREAM,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMNS", help="Columns to copy, such as an id, or: all."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--class", metavar="NAME", help="Of several classes, the one to explain."),
    ] = None,
    n_jobs: Jobs = None,
) -> None:
    """SHAP values: why each row is predicted so.

    One line per row, with a column for each feature: how far it moves the raw prediction away from
    what is expected of any row. With --row the steps of one prediction.
    """
    estimator = load_model(model).set_params(n_jobs=n_jobs)
    if row is not None:
        _show_row(screen, estimator, files, row, label)
        return
    with TableWriter(output) as writer:
        with screen.reading("explaining") as watch, screen.warnings_as_notes():
            for features, kept in feature_batches(screen, estimator, files, names_in(keep), watch):
                explanation = estimator._explanation(features)
                table = arrow().table(dict(_columns(explanation, label)))
                for place, name in enumerate(() if kept is None else kept.column_names):
                    table = table.add_column(place, name, kept[name])
                writer.write(table)
        if writer.n_rows == 0:
            raise InputError(f"{files.named} has columns, but no rows.")
    if output != STREAM and (not screen.quiet or screen.as_json):
        told = f"Wrote SHAP values of {count(writer.n_rows, 'row')} to [bold green]{output}[/]."
        screen.show(told, output=output, n_rows=writer.n_rows)


def _columns(explanation: Explanation, label: str | None) -> Iterator[tuple[str, Any]]:
    """A column per feature, of several classes one for each pair, and the base value."""
    names, classes = explanation.feature_names, explanation.output_names
    if classes is None:
        yield "base", np.broadcast_to(explanation.base_values, len(explanation))
        for place, name in enumerate(names):
            yield f"shap_{name}", np.ascontiguousarray(explanation.values[:, place])
        return
    for output in _outputs(classes, label):
        yield f"base_{classes[output]}", explanation.base_values[:, output]
        for place, name in enumerate(names):
            values = np.ascontiguousarray(explanation.values[:, place, output])
            yield f"shap_{name}_{classes[output]}", values


def _outputs(classes: list[str], label: str | None) -> list[int]:
    if label is None:
        return list(range(len(classes)))
    if label not in classes:
        raise ParameterError(f"--class {label} is not possible; give {', '.join(classes)}.")
    return [classes.index(label)]


def _show_row(
    screen: Screen, model: OcelotEstimator, files: Files, row: int, label: str | None
) -> None:
    """From the base value to the prediction, the largest steps first."""
    features = _one_row(screen, model, files, row)
    explanation = model._explanation(features)
    values, base, output = explanation.values[0], explanation.base_values[0], None
    if explanation.output_names is not None:
        likeliest = int(np.argmax(model.predict_raw(features)[0]))
        output = likeliest if label is None else _outputs(explanation.output_names, label)[0]
        values, base = values[:, output], base[output]
    given = [""] * len(values) if explanation.data is None else explanation.data[0].tolist()
    order = np.argsort(-np.abs(values), kind="stable").tolist()
    steps = [(explanation.feature_names[p], given[p], float(values[p])) for p in order]
    total = float(base + values.sum())
    what = "" if output is None else f" of class {explanation.output_names[output]}"  # type: ignore[index]
    screen.show(
        _waterfall(steps, float(base), total, f"raw prediction{what}", _answer(model, features)),
        row=row,
        base=float(base),
        raw_prediction=total,
        prediction=_answer(model, features),
        shap=[{"column": n, "value": v, "shap": s} for n, v, s in steps],
    )


def _one_row(screen: Screen, model: OcelotEstimator, files: Files, row: int) -> Any:
    seen = 0
    for features, _ in feature_batches(screen, model, files, (), None):
        n_rows = features.shape[0]
        if 0 <= row - seen < n_rows:
            place = row - seen
            return features.slice(place, 1) if hasattr(features, "slice") else features[[place]]
        seen += n_rows
    raise ParameterError(f"--row {row} is not possible: there are rows 0 to {seen - 1:,}.")


def _answer(model: OcelotEstimator, features: Any) -> str:
    """The prediction, as people would say it."""
    predicted = model.predict(features)[0]
    if not hasattr(model, "predict_proba"):
        return number(float(predicted))
    return f"{predicted} ({percent(float(model.predict_proba(features)[0].max()))})"


def _waterfall(
    steps: list[tuple[str, Any, float]], base: float, total: float, what: str, answer: str
) -> Group:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("column", max_width=28, no_wrap=True, overflow="ellipsis")
    table.add_column("its value", max_width=24, no_wrap=True, overflow="ellipsis")
    table.add_column("moves it by", justify="right")
    table.add_column("")
    table.add_row(Text("any row", style="dim"), "", Text(number(base), style="dim"), "")
    largest = max((abs(step) for _, _, step in steps), default=1.0) or 1.0
    for name, value, step in steps[:_MOST_COLUMNS]:
        style = "red" if step > 0 else "blue"
        sign = "+" if step > 0 else ""
        bar = "█" * max(round(_BAR * abs(step) / largest), 1 if step else 0)
        table.add_row(Text(name), Text(_shown(value)), f"{sign}{number(step)}", Text(bar, style))
    if len(steps) > _MOST_COLUMNS:
        rest = sum(step for _, _, step in steps[_MOST_COLUMNS:])
        table.add_row(f"{len(steps) - _MOST_COLUMNS} others", "", number(rest), "")
    table.add_row(Text(what, style="bold"), "", Text(number(total), style="bold"), "")
    return Group(table, Text.assemble("Prediction: ", (answer, "bold green")))


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


@command
@with_files
def importance(
    screen: Screen,
    model: Model,
    files: Files,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="NAME",
            help=f"How it is measured: {', '.join(KINDS)}.",
            autocompletion=lambda: list(KINDS),
        ),
    ] = "prediction_change",
    target: Target = None,
    most: Annotated[
        int, typer.Option("--most", metavar="INTEGER", help="Show this many columns.")
    ] = 30,
    n_jobs: Jobs = None,
) -> None:
    """Which columns matter most.

    prediction_change and splits need the model alone. shap needs rows; loss_change and permutation
    need rows with a target, best such that the model was not trained on.
    """
    estimator = load_model(model).set_params(n_jobs=n_jobs)
    if kind not in KINDS:
        raise ParameterError(f"--kind {kind} is not possible; give {', '.join(KINDS)}.")
    with screen.warnings_as_notes():
        if kind in NEEDS_TARGET:
            rows = rows_for(screen, [estimator], files, target)
            found = estimator.importances(kind, rows.X(estimator), rows.y)  # type: ignore[arg-type]
        elif kind in NEEDS_ROWS:
            parts = [part for part, _ in feature_batches(screen, estimator, files, (), None)]
            table = parts[0] if len(parts) == 1 else arrow().concat_tables(parts)
            found = estimator.importances(kind, table)  # type: ignore[arg-type]
        else:
            found = estimator.importances(kind)  # type: ignore[arg-type]
    errors = _by_name(found)
    ranked = found.ranked()
    screen.show(
        _importance_table(ranked[:most], errors, kind, len(ranked) - most),
        kind=kind,
        importances=dict(ranked),
        errors=errors,
    )


def _by_name(found: Importances) -> dict[str, float] | None:
    if found.errors is None:
        return None
    return dict(zip(found.names, found.errors.tolist(), strict=True))


def _importance_table(
    ranked: list[tuple[str, float]], errors: dict[str, float] | None, kind: str, hidden: int
) -> Group:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("column", max_width=36, no_wrap=True, overflow="ellipsis")
    table.add_column(kind.replace("_", " "), justify="right")
    if errors is not None:
        table.add_column("± error", justify="right", style="dim")
    table.add_column("")
    largest = max((value for _, value in ranked), default=0.0) or 1.0
    for name, value in ranked:
        bar = "█" * round(_BAR * max(value, 0) / largest)
        shown = percent(value) if kind == "prediction_change" else number(value)
        error = [] if errors is None else [number(errors[name])]
        table.add_row(Text(name), shown, *error, Text(bar, style="green"))
    more = [Text(f"… and {hidden:,} more (--most)", style="dim")] if hidden > 0 else []
    return Group(table, *more)


@command
def describe(
    screen: Screen,
    model: Model,
    trees: Annotated[
        str,
        typer.Option("--trees", metavar="INTEGER", help="How many of the first trees, or: all."),
    ] = "1",
) -> None:
    """A model in words: size, choices, trees."""
    estimator = load_model(model)
    if trees != "all" and not trees.isdigit():
        raise ParameterError(f"--trees {trees} is not possible; give a number, or all.")
    text = estimator.describe("all" if trees == "all" else int(trees))
    screen.show(Text(text), model=model, text=text, choices=estimator.choices_)
