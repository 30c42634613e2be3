"""A first look at Ocelot: `make demo`.

Generates a year of flat sales, holds a fifth of them out, trains with early stopping, and shows
what came of it.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.model_selection import train_test_split

from ocelotboost import OcelotRegressor, __version__, load_model

Floats = NDArray[np.float64]

COLUMNS = (
    "area", "rooms", "floor", "floors", "year_built", "year_renovated", "distance_to_centre",
    "distance_to_station", "latitude", "longitude", "noise_at_night", "energy_use", "day_sold",
)  # fmt: skip


@dataclass(frozen=True)
class Sales:
    """Flats (n, 13) with NaN where something is not known, and their prices in thousands (n,)."""

    flats: Floats
    prices: Floats


def generate_sales(n: int, seed: int = 7) -> Sales:
    """A town with two centres, a river view, old and renovated houses, and a rising market."""
    rng = np.random.default_rng(seed)
    area = rng.gamma(6.0, 12.0, n) + 18
    rooms = np.clip(np.round(area / 24 + rng.normal(0, 0.6, n)), 1, 9)
    floors = rng.integers(2, 13, n).astype(np.float64)
    floor = np.floor(rng.random(n) * floors)
    built = np.round(2024 - 110 * rng.beta(1.2, 1.8, n))
    renovated = np.where(
        rng.random(n) < 0.35, np.round(built + rng.random(n) * (2025 - built)), np.nan
    )
    latitude, longitude = rng.normal(0, 3.0, (2, n))
    centre = np.minimum(np.hypot(latitude, longitude), np.hypot(latitude - 4, longitude + 3) + 1)
    station = rng.exponential(0.7, n)
    noise = 62 - 9 * np.log1p(station) + rng.normal(0, 3, n)
    state = np.fmax(renovated, built)
    energy = 250 - 1.6 * (state - 1914) + rng.normal(0, 18, n)
    day = rng.integers(0, 365, n).astype(np.float64)

    square_metre = 5.2 * np.exp(-0.17 * centre) + 1.6
    square_metre *= 1 + 0.0025 * (state - 1980) + 0.15 * (built < 1930)
    square_metre *= 1 + 0.02 * np.minimum(floor, 6) - 0.07 * ((floor > 4) & (floors < 7))
    square_metre *= 1 + 0.25 * (np.abs(longitude - 0.4 * latitude) < 0.4) * (floor >= 3)
    square_metre *= 1 - 0.012 * np.clip(noise - 55, 0, None) + 0.0002 * day
    square_metre *= np.where(area / rooms < 15, 0.9, 1.0)
    prices = square_metre * area * np.exp(rng.normal(0, 0.07, n))

    energy[rng.random(n) < 0.2] = np.nan
    noise[rng.random(n) < 0.1] = np.nan
    flats = np.column_stack(
        [area, rooms, floor, floors, built, renovated, centre, station, latitude, longitude, noise,
         energy, day]
    )  # fmt: skip
    return Sales(flats, prices)


def train(flats: Floats, prices: Floats, iterations: int) -> tuple[OcelotRegressor, float]:
    """The model, and the seconds that training took."""
    model = OcelotRegressor(
        iterations=iterations,
        learning_rate=0.2,
        validation_fraction=0.1,  # watched to find the best number of trees
        early_stopping_rounds=50,
        refit="replay",  # then the leaves are filled again from all rows
        verbose=True,
    )
    began = time.perf_counter()
    model.fit(flats, prices)
    return model, time.perf_counter() - began


def show_quality(console: Console, model: OcelotRegressor, known: Sales, held_out: Sales) -> None:
    """Held-out errors, beside those of guessing the mean."""
    predicted = model.predict(held_out.flats)
    guess = np.full_like(held_out.prices, known.prices.mean())
    table = Table("on 20 % held-out sales", "guess the mean", "Ocelot")
    for name, measure in (
        ("root of mean squared error", root_mean_squared_error),
        ("mean absolute error", mean_absolute_error),
        ("R²", r2_score),
    ):
        values = (measure(held_out.prices, prices) for prices in (guess, predicted))
        table.add_row(name, *(f"{value:.3f}" for value in values))
    console.print(table)


def show_speed(
    console: Console, model: OcelotRegressor, seconds: float, n_rows: int, flats: Floats
) -> None:
    """Time per tree and per prediction."""
    n_grown = len(model.history_["learn"]["RMSE"])
    began = time.perf_counter()
    model.predict(flats)
    per_row = (time.perf_counter() - began) / len(flats)
    console.print(
        f"Grew {n_grown} trees on {n_rows:,} rows in {seconds:.1f} s: "
        f"[bold]{1000 * seconds / n_grown:.1f} ms a tree[/bold].\n"
        f"The validation rows chose the first {model.n_iter_} of them. "
        f"Predicts {1 / per_row / 1e6:.1f} million rows a second.",
        soft_wrap=True,
    )


def show_importances(console: Console, model: OcelotRegressor) -> None:
    """The columns that move the prediction most."""
    importances = model.feature_importances_
    table = Table("what the price depends on", "importance", "")
    for column in np.argsort(-importances)[:6]:
        share = float(importances[column])
        table.add_row(COLUMNS[column], f"{100 * share:.1f} %", "█" * round(40 * share))
    console.print(table)


def show_file(console: Console, model: OcelotRegressor, path: Path, flats: Floats) -> None:
    """Save the model, load it again, and compare predictions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save_model(path)
    same = np.array_equal(load_model(path).predict(flats), model.predict(flats))
    console.print(
        f"Saved to [bold]{path}[/bold] ({path.stat().st_size / 1024:.0f} KiB). "
        f"Loaded again, it predicts {'the same bits' if same else 'SOMETHING ELSE'}.",
        soft_wrap=True,
    )


def show_next(console: Console) -> None:
    """What to try after this."""
    console.print(
        "\n[bold]What to try next[/bold]\n"
        "  the ten lines of Python in README.md                your own data\n"
        "  docs/parameters.md                                  everything you can set\n"
        "  .venv/bin/python examples/demo.py --rows 1000000    the same with more rows\n"
        "  make bench                                          the speed table, with its peers\n",
        highlight=False,
        soft_wrap=True,
    )


def main() -> None:
    """Generate, train, show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--save", type=Path, default=Path("build/demo/flat_prices.ocelot"))
    options = parser.parse_args()
    console = Console()
    console.print(
        f"[bold]Ocelot {__version__}[/bold]: what is a flat worth? {options.rows:,} sales.\n"
    )
    sales = generate_sales(options.rows)
    pieces = train_test_split(sales.flats, sales.prices, test_size=0.2, random_state=0)
    known, held_out = Sales(pieces[0], pieces[2]), Sales(pieces[1], pieces[3])
    model, seconds = train(known.flats, known.prices, options.iterations)
    show_quality(console, model, known, held_out)
    show_importances(console, model)
    show_speed(console, model, seconds, len(known.prices), held_out.flats)
    show_file(console, model, options.save, held_out.flats)
    show_next(console)


if __name__ == "__main__":
    main()
