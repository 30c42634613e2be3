"""The README's figure and its two tables, from the stored results: `python -m benchmarks.front`.

`--check` writes nothing, and fails where the README is not what the results say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.compare import write_or_check
from tools.markers import between

from benchmarks.cases import BY_NAME
from benchmarks.defaults import (
    LIBRARIES,
    METRICS,
    TASKS,
    Standing,
    Summary,
    in_bold,
    loss_table,
    read_outcomes,
    read_summaries,
    standings,
)
from benchmarks.measure import Measurement
from benchmarks.report import Table
from benchmarks.speed import Result
from benchmarks.store import RESULTS, read

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROJECT = Path(__file__).resolve().parent.parent
README = PROJECT / "README.md"
FIGURE = PROJECT / "docs" / "images" / "quality_and_time.svg"
SPEED, DEFAULTS = RESULTS / "speed.json", RESULTS / "defaults.json"
COMMAND = "python -m benchmarks.front"
#: Of all libraries over all tables.
STANDINGS_FIGURE = PROJECT / "docs" / "images" / "standings.svg"
#: Tables that the README shows.
SHOWN = ("amazon", "adult", "internet", "kick", "california_housing")
ABSENT = "No results are stored for this version of the code yet."

TITLES = {
    "ocelot": "Ocelot",
    "catboost": "CatBoost",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "chimeraboost": "ChimeraBoost",
}
COLOURS = {
    "ocelot": "#d9480f",
    "catboost": "#e0a800",
    "lightgbm": "#2b8a3e",
    "xgboost": "#1971c2",
    "chimeraboost": "#862e9c",
}
MARKERS = {"ocelot": "*", "catboost": "s", "lightgbm": "^", "xgboost": "v", "chimeraboost": "D"}


@dataclass(frozen=True)
class Row:
    """A row of the README's speed table: a column of a case, in one mode."""

    title: str
    case: str
    column: str
    ordered: bool = False


ROWS = (
    Row("One tree, 100,000 × 100 numbers (ms)", "logloss_100k_100", "ms/tree"),
    Row("The same in Ordered mode (ms)", "logloss_100k_100", "ms/tree", ordered=True),
    Row("adult, 1000 trees (s)", "adult_1000trees", "total s"),
    Row("amazon, 1000 trees, Ordered mode (s)", "amazon_1000trees", "total s", ordered=True),
    Row("Predict 100,000 rows, 1000 trees (ms)", "predict_100k_1000trees", "ms"),
)


def readme() -> str:
    """The README that is there, with its figure and tables made again."""
    found = read_summaries(DEFAULTS)
    text = README.read_text(encoding="utf-8")
    for name, lines in (
        ("figure", _figure_lines(found)),
        ("speed table", _table_lines(speed_table())),
        ("quality table", _table_lines(_titled(loss_table(found, SHOWN)))),
    ):
        text = between(text, name, COMMAND, lines, README)
    return text


def speed_table() -> Table:
    """One row per measured row of ROWS, one column per library."""
    speed = read(SPEED)
    rows = []
    for row in ROWS:
        if row.case in speed:
            values = [Measurement(**measured) for measured in speed[row.case]["values"]]
            result = Result(BY_NAME[row.case], values)
            mode = "-ordered" if row.ordered else ""
            cells = [result.value(library + mode, row.column) for library in LIBRARIES]
            best = min(cell for cell in cells if cell is not None)
            rows.append([row.title, *(in_bold(cell, best) for cell in cells)])
    return _titled(Table("Speed", ("", *LIBRARIES), rows))


def _titled(table: Table) -> Table:
    """The libraries by the names they give themselves."""
    first, *libraries = table.header
    return Table(table.title, (first, *(TITLES[name] for name in libraries)), table.rows)


def _table_lines(table: Table) -> list[str]:
    return ["", table.markdown() if table.rows else ABSENT, ""]


def _figure_lines(found: Sequence[Summary]) -> list[str]:
    if not found:
        return []
    path = FIGURE.relative_to(PROJECT)
    return ["", f"![Test loss and training time of five libraries on real tables]({path})", ""]


def draw(found: Sequence[Summary], path: Path) -> None:
    """One panel per table: training time to the right, test loss upwards; the legend comes last."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # The same bytes for the same numbers.
    with mpl.rc_context({"svg.hashsalt": "ocelot", "font.size": 9}):
        figure = Figure(figsize=(9, 5), layout="constrained")
        *panels, last = figure.subplots(2, (len(SHOWN) + 2) // 2).flat
        for axes, task in zip(panels, SHOWN, strict=False):
            own = [one for one in found if one.task == task and one.library in LIBRARIES]
            _draw_panel(axes, task, own)
        handles, labels = panels[0].get_legend_handles_labels()
        last.axis("off")
        last.legend(
            handles,
            labels,
            loc="center",
            frameon=False,
            fontsize=11,
            title="at their own defaults\nbetter is lower and to the left",
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def _draw_panel(axes: Axes, task: str, found: Sequence[Summary]) -> None:
    for one in found:
        ours = one.library == LIBRARIES[0]
        axes.plot(
            one.seconds,
            one.loss,
            MARKERS[one.library],
            color=COLOURS[one.library],
            markersize=15 if ours else 9,
            markeredgecolor="white",
            linestyle="none",
            label=TITLES[one.library],
            zorder=3 if ours else 2,
        )
    axes.set_title(task)
    axes.set_xscale("log")
    axes.set_xlabel("training time, s")
    axes.set_ylabel(f"test {METRICS[TASKS[task].loss][0]}")
    axes.margins(0.15)
    axes.grid(color="0.9")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.spines[["top", "right"]].set_visible(False)


def draw_standings(found: Sequence[Standing], path: Path) -> None:
    """All libraries in one panel: training time to the right, relative loss upwards."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "ocelot", "font.size": 10}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.subplots()
        for one in found:
            name, _, quality = one.library.partition("-")
            ours = name == LIBRARIES[0]
            title = f'{TITLES[name]}, quality="{quality}"' if quality else TITLES[name]
            axes.errorbar(
                one.seconds,
                one.ratio,
                yerr=0 if math.isnan(one.error) else one.error,
                fmt=MARKERS[name],
                color=COLOURS[name],
                markersize=15 if ours else 9,
                markeredgecolor="white",
                zorder=3 if ours else 2,
            )
            axes.annotate(
                title, (one.seconds, one.ratio), xytext=(10, 6), textcoords="offset points"
            )
        axes.set_xscale("log")
        axes.set_xlabel("training time, geometric mean over tables, s")
        axes.set_ylabel("test loss relative to the best, mean")
        axes.margins(0.2)
        axes.grid(color="0.9")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.spines[["top", "right"]].set_visible(False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Draw the figure if there is anything to draw, write the README or check it."""
    checking = write_or_check("benchmarks.front", __doc__, README, readme, remedy=COMMAND)
    found = read_summaries(DEFAULTS)
    if found and not checking:
        draw(found, FIGURE)
        print(f"wrote {FIGURE}")
    together = standings(read_outcomes(DEFAULTS))
    if together and not checking:
        draw_standings(together, STANDINGS_FIGURE)
        print(f"wrote {STANDINGS_FIGURE}")


if __name__ == "__main__":
    main()
