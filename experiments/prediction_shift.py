"""The paper's prediction shift, measured: `python -m experiments.prediction_shift`.

Prints tables of measured and expected values and draws docs/images/prediction_shift.svg. What it
means is in docs/prediction_shift.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.estimate import Estimate, estimate
from experiments.statistics_in_order import covariance_with_own_noise, draw_category_samples
from experiments.stumps import (
    C2,
    Floats,
    bagging_shift,
    boosted,
    boosted_in_order,
    draw_bags,
    draw_samples,
    own_shift_in_order,
    plain_shift,
    truth,
    without_first_row,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = Path("docs/images/prediction_shift.svg")
ROWS = (6, 8, 10, 14, 20, 30, 50, 100)
BAGGED_ROWS = (20, 30, 50, 100)
N_MODELS = 30
CATEGORY_ROWS, N_CATEGORIES, WINDOW = 30, 5, 10
N_SAMPLES, SEED = 100_000, 0
SHIFT = "Shift of a training row's prediction at x² = 1"
BIAS = "Bias of two stumps at x² = 1"
#: Samples that are in memory together.
CHUNK = 5_000


# ---- what is expected ---------------------------------------------------------------------------


def theorem_1(n: int) -> float:
    """The bias at x² = 1 when both stumps learn from one data set; its negative at x² = 0."""
    return -C2 / 2 / (n - 1)


def proposition_2(n: int) -> float:
    """How much more h¹ predicts for a training row with x² = 1 than for such a test example."""
    return C2 / n


def bias_in_order(n: int) -> float:
    """The bias of Algorithm 1 at x² = 1, exact under its condition A.

    The first row of each leaf of h¹ has no model before it, which leaves m = n - 2 residuals. Where
    one of these rows has x² = 1, the m - 1 others have it less often than half the time, by
    1/2/(m - 1), and h¹ before the row is lower accordingly. The first row of its leaf is not among
    them; its share in the means of the first 1, 2 … N - 1 rows is 1, 1/2 … 1/(N - 1).
    """
    m = n - 2
    first_rows = np.array([_harmonic(k - 1) + _harmonic(n - k - 1) for k in range(1, n)])
    probability = np.array([comb(n, k) for k in range(1, n)]) / (2.0**n - 2)
    return C2 / 2 / (m - 1) * (1 - float((probability * first_rows).sum()) / m)


def _harmonic(k: int) -> float:
    return sum(1 / i for i in range(1, k + 1))


# ---- what is measured ---------------------------------------------------------------------------


def bias(F: Floats) -> Floats:
    """Of a sample at x² = 1, averaged with minus that at x² = 0: (n_samples,)."""
    away = F - truth()
    mean: Floats = (away[:, :, 1] - away[:, :, 0]).mean(axis=1) / 2
    return mean


def one_data_set(n: int, count: int, rng: np.random.Generator) -> Floats:
    samples = draw_samples(n, count, rng)
    return bias(boosted(samples, samples))


def two_data_sets(n: int, count: int, rng: np.random.Generator) -> Floats:
    return bias(boosted(draw_samples(n, count, rng), draw_samples(n, count, rng)))


def in_order(n: int, count: int, rng: np.random.Generator) -> Floats:
    return bias(boosted_in_order(draw_samples(n, count, rng)))


def shift_of_plain(n: int, count: int, rng: np.random.Generator) -> Floats:
    samples = draw_samples(n, count, rng)
    toward_own = 2 * samples.x2[:, 0] - 1
    return toward_own * plain_shift(samples, without_first_row(samples, rng))


def shift_in_order(n: int, count: int, rng: np.random.Generator) -> Floats:
    samples = draw_samples(n, count, rng)
    return (2 * samples.x2[:, -1] - 1) * own_shift_in_order(samples)


def shift_of_bagging(n: int, count: int, rng: np.random.Generator) -> Floats:
    samples = draw_samples(n, count, rng)
    bags = draw_bags(n, N_MODELS, count, rng)
    after_two = bagging_shift(samples, without_first_row(samples, rng), bags)[1]
    return (2 * samples.x2[:, 0] - 1) * after_two


def covariance(n: int, count: int, rng: np.random.Generator, *, same_ordering: bool) -> Floats:
    samples = draw_category_samples(n, N_CATEGORIES, count, rng, same_ordering=same_ordering)
    return covariance_with_own_noise(samples, WINDOW, rng)


Simulation = Callable[[int, int, np.random.Generator], Floats]


def measure(simulation: Simulation, n: int, n_samples: int, seed: int) -> Estimate:
    """The mean over samples of n rows."""
    rng = np.random.default_rng([seed, n])
    counts = [min(CHUNK, n_samples - done) for done in range(0, n_samples, CHUNK)]
    return estimate(np.concatenate([simulation(n, count, rng) for count in counts]))


# ---- tables and figure --------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One way to learn: measured at several numbers of rows, and what it should come to."""

    name: str
    rows: tuple[int, ...]
    measured: list[Estimate]
    expected: Callable[[int], float] | None
    colour: str


def lines(n_samples: int, seed: int) -> tuple[list[Line], list[Line]]:
    """Shifts of predictions for training rows, and biases of the model."""

    def line(
        name: str,
        simulation: Simulation,
        expected: Callable[[int], float] | None,
        colour: str,
        rows: tuple[int, ...] = ROWS,
        share: float = 1.0,
    ) -> Line:
        count = max(int(share * n_samples), 2)
        measured = [measure(simulation, n, count, seed) for n in rows]
        return Line(name, rows, measured, expected, colour)

    shifts = [
        line("plain boosting, 1 stump", shift_of_plain, proposition_2, "tab:red"),
        line("ordered boosting, 1 stump", shift_in_order, _nothing, "tab:blue"),
        line("iterated bagging, 2 stumps", shift_of_bagging, None, "tab:orange", BAGGED_ROWS, 0.1),
    ]
    biases = [
        line("one data set", one_data_set, theorem_1, "tab:red"),
        line("two independent data sets", two_data_sets, _nothing, "tab:green"),
        line("ordered boosting", in_order, bias_in_order, "tab:blue"),
    ]
    return shifts, biases


def _nothing(n: int) -> float:
    return 0.0


def table(some: list[Line]) -> str:
    """Markdown: measured values and, behind them, expected ones."""
    cells = {line.name: dict(zip(line.rows, _cells(line), strict=True)) for line in some}
    made = [["rows", *cells], ["---:"] * (1 + len(cells))]
    made += [[str(n), *(cells[name].get(n, "") for name in cells)] for n in ROWS]
    return "\n".join("| " + " | ".join(row) + " |" for row in made)


def _cells(line: Line) -> list[str]:
    if line.expected is None:
        return [str(measured) for measured in line.measured]
    return [
        f"{measured} ({line.expected(n):+.5f})"
        for n, measured in zip(line.rows, line.measured, strict=True)
    ]


def draw(shifts: list[Line], biases: list[Line], path: Path) -> None:
    """Measured values with two standard errors, on the lines that they should be on."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # The same bytes for the same numbers.
    with mpl.rc_context({"svg.hashsalt": "ocelot", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.set_title(SHIFT)
        right.set_title(BIAS)
        for axes, some in ((left, shifts), (right, biases)):
            for line in some:
                _draw_line(axes, line)
            axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
            axes.set_xscale("log")
            axes.set_xticks(ROWS, [str(n) for n in ROWS])
            axes.minorticks_off()
            axes.set_xlabel("rows")
            axes.legend(frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def _draw_line(axes: Axes, line: Line) -> None:
    means = np.array([measured.mean for measured in line.measured])
    errors = np.array([measured.error for measured in line.measured])
    if line.expected is None:
        axes.plot(line.rows, means, ":", color=line.colour, linewidth=0.8)
    else:
        every = np.arange(min(line.rows), max(line.rows) + 1)
        axes.plot(every, [line.expected(int(n)) for n in every], color=line.colour, linewidth=1)
    axes.errorbar(
        line.rows, means, 2 * errors, fmt="o", color=line.colour, markersize=4, label=line.name
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.prediction_shift")
    parser.add_argument("--samples", type=int, default=N_SAMPLES, help="simulated training sets")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--figure", type=Path, default=FIGURE)
    options = parser.parse_args()
    shifts, biases = lines(options.samples, options.seed)
    print(f"{SHIFT}, c₂ = {C2:g}: measured ± standard error (expected)\n\n{table(shifts)}\n")
    print(f"{BIAS}, c₂ = {C2:g}\n\n{table(biases)}\n")
    print("Covariance of a row's prediction with its own noise, windowed target statistic\n")
    for name, same in (("σ_cat = σ_boost", True), ("σ_cat drawn apart", False)):
        simulation = partial(covariance, same_ordering=same)
        print(f"{name}: {measure(simulation, CATEGORY_ROWS, options.samples, options.seed)}")
    draw(shifts, biases, options.figure)
    print(f"\nwrote {options.figure}")


if __name__ == "__main__":
    main()
