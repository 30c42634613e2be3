"""``ocelot demo``: what Ocelot is for, in half a minute.

Will an order be sent back? The columns are texts, ids and numbers with gaps. First the same trees
are trained on statistics that leak the target and on ordered ones that do not; then a model is
trained, judged on held-out orders, explained, saved and loaded.
"""

from __future__ import annotations

import dataclasses
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from ocelotboost import OcelotClassifier, __version__, load_model
from ocelotboost.cli.orders import generate_orders
from ocelotboost.cli.screen import Screen, command
from ocelotboost.cli.summary import in_bytes
from ocelotboost.files.opened import check_writable
from ocelotboost.model.describe import describe

BAR = 36  # characters for a log loss of 1


@dataclass(frozen=True, eq=False)
class Orders:
    """Orders, and whether each was sent back.

    names     of the columns
    values    (n, n_columns) objects: texts, numbers, and gaps; no data frame library is needed
    returned  (n,)
    """

    names: tuple[str, ...]
    values: NDArray[Any]
    returned: NDArray[np.bool_]

    def loss(self, model: OcelotClassifier) -> float:
        return float(log_loss(self.returned, model.predict_proba(self.values)[:, 1]))

    def take(self, rows: NDArray[np.intp]) -> Orders:
        return Orders(self.names, self.values[rows], self.returned[rows])


def make_orders(n: int) -> Orders:
    columns, returned = generate_orders(n)
    values = np.empty((n, len(columns)), dtype=object)
    for place, column in enumerate(columns.values()):
        values[:, place] = column
    return Orders(tuple(columns), values, returned)


def show_orders(console: Console, orders: Orders) -> None:
    """The first rows, as they go into ``fit``."""
    table = Table(*orders.names, "back?", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for cells, returned in zip(orders.values[:4].tolist(), orders.returned[:4], strict=True):
        texts = ("" if cell is None or cell != cell else str(cell) for cell in cells)
        table.add_row(*texts, "yes" if returned else "no")
    console.print(table)


@dataclass(frozen=True)
class Leak:
    """Log losses with one kind of statistics; a wide gap is a leak."""

    training_rows: float
    new_rows: float


def measure_leak(
    kind: Literal["greedy", "ordered"], known: Orders, new: Orders, iterations: int
) -> Leak:
    """Train on statistics of that kind, with all else the same."""
    model = OcelotClassifier(
        iterations=iterations, boosting_type="Plain", target_statistic=kind
    ).fit(known.values, known.returned)
    return Leak(model.history_["learn"]["Logloss"][-1], new.loss(model))


def show_leak(console: Console, known: Orders, new: Orders, iterations: int) -> dict[str, Leak]:
    """Greedy and ordered statistics compared with each other and with a constant guess."""
    console.print(
        "\n[bold]The leak.[/bold] A category becomes the mean target of its rows. If a row's own "
        "target is in that mean, training looks splendid and new rows disappoint. Ordered "
        "statistics let a row see only the rows before it.\n"
    )
    table = Table("statistics", "log loss", "measured on", "", box=SIMPLE_HEAD)
    kinds: tuple[Literal["greedy"], Literal["ordered"]] = ("greedy", "ordered")
    leaks: dict[str, Leak] = {}
    for kind in kinds:
        leak = leaks[kind] = measure_leak(kind, known, new, iterations)
        table.add_row(kind, f"{leak.training_rows:.3f}", "training rows", _bar(leak.training_rows))
        table.add_row("", f"{leak.new_rows:.3f}", "new rows", _bar(leak.new_rows))
    guess = log_loss(new.returned, np.full(len(new.returned), known.returned.mean()))
    table.add_row("none", f"{guess:.3f}", "guessing the rate", _bar(guess))
    console.print(table)
    return leaks


def _bar(share: float) -> str:
    return "█" * round(BAR * share)


def train(known: Orders, iterations: int, verbose: bool) -> tuple[OcelotClassifier, float]:
    """The model, and the seconds that training took."""
    model = OcelotClassifier(
        iterations=iterations,
        validation_fraction=0.2,  # watched to find the best number of trees
        refit="replay",  # then the leaves are filled again from all rows
        verbose=verbose,
    )
    began = time.perf_counter()
    model.fit(known.values, known.returned)
    return model, time.perf_counter() - began


def show_model(console: Console, model: OcelotClassifier, seconds: float, new: Orders) -> None:
    """Quality on new rows, and speed."""
    began = time.perf_counter()
    probabilities = model.predict_proba(new.values)[:, 1]
    rows_per_second = len(new.values) / (time.perf_counter() - began)
    n_grown = len(model.history_["learn"]["Logloss"])
    console.print(
        f"On new orders: log loss [bold]{log_loss(new.returned, probabilities):.3f}[/bold], "
        f"AUC [bold]{roc_auc_score(new.returned, probabilities):.3f}[/bold].\n"
        f"Grew {n_grown} trees in {seconds:.1f} s and kept the best {model.n_iter_}. "
        f"Predicts {rows_per_second / 1e3:,.0f},000 rows per second.\n"
    )


def show_importances(console: Console, model: OcelotClassifier, names: tuple[str, ...]) -> None:
    """The columns that move the prediction most."""
    importances = model.feature_importances_
    table = Table("what it depends on", "importance", "", box=SIMPLE_HEAD)
    for column in np.argsort(-importances):
        share = float(importances[column])
        table.add_row(names[column], f"{100 * share:.1f} %", _bar(share))
    console.print(table)
    named = dataclasses.replace(model.model_, feature_names=names)
    first_tree = describe(named, 1).split("\n\n")[-1]
    console.print("\nIts first tree, in words:\n", first_tree, sep="", highlight=False)


def show_file(console: Console, model: OcelotClassifier, save: str | None, new: Orders) -> None:
    """Save the model, load it again, and compare predictions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(save or Path(folder, "returns.ocelot"))
        model.save_model(path)
        size, again = path.stat().st_size, load_model(path)
    assert isinstance(again, OcelotClassifier)
    same = np.array_equal(again.predict_proba(new.values), model.predict_proba(new.values))
    console.print(
        f"\nSaved{f' to [bold]{save}[/bold]' if save else ''} ({in_bytes(size)}) and loaded again, "
        f"it predicts {'the same bits' if same else 'SOMETHING ELSE'}.",
        soft_wrap=True,
    )


def show_next(console: Console) -> None:
    """What to try after this."""
    console.print(
        "\n[bold]What to try next[/bold]\n"
        "  ocelot train data.csv --target price   a model of your own table\n"
        "  ocelot params                          everything you can set\n"
        "  ocelot --help                          all commands\n",
        highlight=False,
    )


@command
def demo(
    screen: Screen,
    rows: Annotated[
        int, typer.Option(metavar="INTEGER", min=500, help="Orders to generate.")
    ] = 30_000,
    iterations: Annotated[
        int, typer.Option(metavar="INTEGER", min=1, help="The most trees.")
    ] = 500,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep the model in this file.")
    ] = None,
) -> None:
    """What ordered statistics are for, in half a minute.

    Generated orders of a shop: will they be sent back? Statistics that leak the target and ordered
    ones that do not, then a model that is trained, judged, explained, saved and loaded.
    """
    if save is not None:
        check_writable(save)
    console = Console(quiet=True) if screen.as_json else screen.out
    console.print(
        f"[bold]Ocelot {__version__}[/bold]: will an order be sent back? {rows:,} orders.\n"
    )
    orders = make_orders(rows)
    parts = train_test_split(np.arange(rows), test_size=0.2, random_state=0)
    known, new = orders.take(parts[0]), orders.take(parts[1])
    show_orders(console, known)
    leaks = show_leak(console, known, new, iterations)
    console.print("\n[bold]The model.[/bold] Defaults, stopped on a fifth of the rows.\n")
    model, seconds = train(known, iterations, screen.talks)
    show_model(console, model, seconds, new)
    show_importances(console, model, orders.names)
    show_file(console, model, save, new)
    show_next(console)
    if screen.as_json:
        screen.show("", n_rows=rows, leaks=leaks, log_loss=new.loss(model), n_trees=model.n_iter_)
