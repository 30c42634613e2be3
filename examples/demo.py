"""What Ocelot is for, in half a minute: `make demo`.

Will an order be sent back? The columns are texts, ids and numbers with gaps. First the same trees
are trained on statistics that leak the target and on ordered ones that do not; then a model is
trained, judged on held-out orders, explained, saved and loaded.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from examples.orders import generate_orders
from ocelotboost import OcelotClassifier, __version__, load_model

BAR = 36  # characters for a log loss of 1


@dataclass(frozen=True)
class Orders:
    """Orders, and whether each was sent back."""

    frame: pd.DataFrame
    returned: NDArray[np.bool_]

    def loss(self, model: OcelotClassifier) -> float:
        return float(log_loss(self.returned, model.predict_proba(self.frame)[:, 1]))


def show_orders(console: Console, orders: Orders) -> None:
    """The first rows, as they go into ``fit``."""
    table = Table(*orders.frame.columns, "back?", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for cells, returned in zip(
        orders.frame.head(4).itertuples(index=False), orders.returned[:4], strict=True
    ):
        texts = ("" if pd.isna(cell) else str(cell) for cell in cells)
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
    ).fit(known.frame, known.returned)
    return Leak(model.history_["learn"]["Logloss"][-1], new.loss(model))


def show_leak(console: Console, known: Orders, new: Orders, iterations: int) -> None:
    """Greedy and ordered statistics compared with each other and with a constant guess."""
    console.print(
        "\n[bold]The leak.[/bold] A category becomes the mean target of its rows. If a row's own "
        "target is in that mean, training looks splendid and new rows disappoint. Ordered "
        "statistics let a row see only the rows before it.\n"
    )
    table = Table("statistics", "log loss", "measured on", "", box=SIMPLE_HEAD)
    kinds: tuple[Literal["greedy"], Literal["ordered"]] = ("greedy", "ordered")
    for kind in kinds:
        leak = measure_leak(kind, known, new, iterations)
        table.add_row(kind, f"{leak.training_rows:.3f}", "training rows", _bar(leak.training_rows))
        table.add_row("", f"{leak.new_rows:.3f}", "new rows", _bar(leak.new_rows))
    guess = log_loss(new.returned, np.full(len(new.returned), known.returned.mean()))
    table.add_row("none", f"{guess:.3f}", "guessing the rate", _bar(guess))
    console.print(table)


def _bar(share: float) -> str:
    return "█" * round(BAR * share)


def train(known: Orders, iterations: int) -> tuple[OcelotClassifier, float]:
    """The model, and the seconds that training took."""
    model = OcelotClassifier(
        iterations=iterations,
        validation_fraction=0.2,  # watched to find the best number of trees
        refit="replay",  # then the leaves are filled again from all rows
        verbose=True,
    )
    began = time.perf_counter()
    model.fit(known.frame, known.returned)
    return model, time.perf_counter() - began


def show_model(console: Console, model: OcelotClassifier, seconds: float, new: Orders) -> None:
    """Quality on new rows, and speed."""
    began = time.perf_counter()
    probabilities = model.predict_proba(new.frame)[:, 1]
    rows_per_second = len(new.frame) / (time.perf_counter() - began)
    n_grown = len(model.history_["learn"]["Logloss"])
    console.print(
        f"On new orders: log loss [bold]{log_loss(new.returned, probabilities):.3f}[/bold], "
        f"AUC [bold]{roc_auc_score(new.returned, probabilities):.3f}[/bold].\n"
        f"Grew {n_grown} trees in {seconds:.1f} s and kept the best {model.n_iter_}. "
        f"Predicts {rows_per_second / 1e3:,.0f},000 rows per second.\n"
    )


def show_importances(console: Console, model: OcelotClassifier) -> None:
    """The columns that move the prediction most."""
    importances = model.feature_importances_
    table = Table("what it depends on", "importance", "", box=SIMPLE_HEAD)
    for column in np.argsort(-importances):
        share = float(importances[column])
        name = str(model.feature_names_in_[column])
        table.add_row(name, f"{100 * share:.1f} %", _bar(share))
    console.print(table)
    first_tree = model.describe().split("\n\n")[-1]
    console.print("\nIts first tree, in words:\n", first_tree, sep="", highlight=False)


def show_file(console: Console, model: OcelotClassifier, path: Path, new: Orders) -> None:
    """Save the model, load it again, and compare predictions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save_model(path)
    again = load_model(path)
    assert isinstance(again, OcelotClassifier)
    same = np.array_equal(again.predict_proba(new.frame), model.predict_proba(new.frame))
    console.print(
        f"\nSaved to [bold]{path}[/bold] ({path.stat().st_size / 1024:.0f} KiB). "
        f"Loaded again, it predicts {'the same bits' if same else 'SOMETHING ELSE'}.",
        soft_wrap=True,
    )


def show_next(console: Console) -> None:
    """What to try after this."""
    console.print(
        "\n[bold]What to try next[/bold]\n"
        "  README.md            ten lines for your own data\n"
        "  docs/parameters.md   everything you can set\n"
        "  docs/ordered.md      how order prevents the leak, and when it pays\n",
        highlight=False,
    )


def main() -> None:
    """Generate, compare, train, show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--save", type=Path, default=Path("build/demo/returns.ocelot"))
    options = parser.parse_args()
    console = Console(width=min(Console().width, 100))
    console.print(
        f"[bold]Ocelot {__version__}[/bold]: will an order be sent back? {options.rows:,} orders.\n"
    )
    frame, returned = generate_orders(options.rows)
    pieces = train_test_split(frame, returned, test_size=0.2, random_state=0)
    known, new = Orders(pieces[0], pieces[2]), Orders(pieces[1], pieces[3])
    show_orders(console, known)
    show_leak(console, known, new, options.iterations)
    console.print("\n[bold]The model.[/bold] Defaults, stopped on a fifth of the rows.\n")
    model, seconds = train(known, options.iterations)
    show_model(console, model, seconds, new)
    show_importances(console, model)
    show_file(console, model, options.save, new)
    show_next(console)


if __name__ == "__main__":
    main()
