"""The cases of the speed table: each is data, settings, a way of measuring and goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import data as source
from benchmarks.data import Data, scaled_rows
from benchmarks.peers import NAMES, PEERS, Settings

MAIN_PEERS = ("catboost", "lightgbm", "xgboost")
FOUR_PEERS = (*MAIN_PEERS, "chimeraboost")  # as they come: quantized gradients are a variant
FEWEST_TREES = 5


@dataclass(frozen=True)
class Goal:
    """Ocelot's value is at most `limit` times the smallest value of `against`.

    With nobody to compare with, `limit` is the largest value itself.
    """

    text: str
    limit: float
    against: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One row or more of the speed table."""

    name: str
    title: str
    way: str  # a key of measure.WAYS
    make_data: Callable[[float], Data]  # of the scale, 1 for the real size
    settings: Settings
    trees: int
    goals: tuple[Goal, ...]
    libraries: tuple[str, ...] = NAMES
    threads: tuple[int, ...] = (2,)
    repeat: int = 3  # the best repetition counts

    def scaled_trees(self, scale: float) -> int:
        """The number of trees at a reduced scale."""
        return max(min(self.trees, FEWEST_TREES), round(self.trees * scale))


def one_thread(name: str) -> str:
    """How the table calls a library that was measured with one thread beside two."""
    return f"{name}, 1 thread"


def _generated(loss: str, rows: int, columns: int) -> Callable[[float], Data]:
    return lambda scale: source.generate(loss, scaled_rows(rows, scale), columns)


def _covtype(scale: float) -> Data:
    return source.covtype(None if scale == 1 else scaled_rows(581_012, scale))


def _fraction(text: str, limit: float, against: tuple[str, ...] = MAIN_PEERS) -> tuple[Goal, ...]:
    return (Goal(text, limit, against),)


LOGLOSS = Settings(loss="Logloss")
RMSE = Settings(loss="RMSE")
PREDICTED = _generated("RMSE", 100_000, 100)
WITHOUT_VARIANTS = tuple(name for name in NAMES if name != "lightgbm-quantized")

CASES = (
    Case(
        name="logloss_100k_100",
        title="100,000 × 100, Logloss",
        way="per_tree",
        make_data=_generated("Logloss", 100_000, 100),
        settings=LOGLOSS,
        trees=60,
        goals=(
            Goal("≤ 1/3 of the fastest of catboost, lightgbm, xgboost", 1 / 3, MAIN_PEERS),
            Goal("faster than lightgbm-quantized", 1.0, ("lightgbm-quantized",)),
            Goal("faster than chimeraboost", 1.0, ("chimeraboost",)),
        ),
    ),
    Case(
        name="logloss_1m_28",
        title="1,000,000 × 28, Logloss",
        way="per_tree",
        make_data=_generated("Logloss", 1_000_000, 28),
        settings=LOGLOSS,
        trees=25,
        goals=_fraction("≤ 1/2 of the fastest", 1 / 2, FOUR_PEERS),
    ),
    Case(
        name="logloss_20k_2000",
        title="20,000 × 2,000, Logloss",
        way="per_tree",
        make_data=_generated("Logloss", 20_000, 2_000),
        settings=LOGLOSS,
        trees=20,
        goals=_fraction("≤ 1/2 of the fastest", 1 / 2, FOUR_PEERS),
        repeat=2,  # the peers prepare this data for up to ten seconds a fit
    ),
    Case(
        name="rmse_1k_20_1000trees",
        title="1,000 × 20, RMSE, 1000 trees, whole fit",
        way="whole_fit",
        make_data=_generated("RMSE", 1_000, 20),
        settings=RMSE,
        trees=1000,
        goals=_fraction("≤ the fastest", 1.0, FOUR_PEERS),
    ),
    Case(
        name="covtype",
        title="covtype (581,012 × 54, 7 classes)",
        way="per_tree",
        make_data=_covtype,
        settings=Settings(loss="MultiClass"),
        trees=10,
        goals=_fraction("≤ 1/2 of the fastest", 1 / 2, FOUR_PEERS),
    ),
    Case(
        name="preparation_1m_28",
        title="data preparation, 1,000,000 × 28",
        way="preparation",
        make_data=_generated("Logloss", 1_000_000, 28),
        settings=LOGLOSS,
        trees=0,
        goals=_fraction("≤ the fastest", 1.0, FOUR_PEERS),
        libraries=WITHOUT_VARIANTS,
    ),
    Case(
        name="predict_100k_1000trees",
        title="predict 100,000 rows × 1000 trees",
        way="prediction",
        make_data=PREDICTED,
        settings=RMSE,
        trees=1000,
        goals=(
            Goal("≤ 1/3 of catboost", 1 / 3, ("catboost",)),
            Goal("≤ 1/5 of lightgbm and xgboost", 1 / 5, ("lightgbm", "xgboost")),
        ),
        libraries=WITHOUT_VARIANTS,
    ),
    Case(
        name="predict_one_row",
        title="predict one row, 1000 trees",
        way="one_row",
        make_data=PREDICTED,
        settings=RMSE,
        trees=1000,
        goals=(
            Goal("≤ 30 µs", 30.0, ()),
            Goal("faster than every peer", 1.0, PEERS),
        ),
        libraries=WITHOUT_VARIANTS,
        threads=(1,),
    ),
    Case(
        name="threads_1_vs_2",
        title="2 threads against 1, 100,000 × 100, Logloss",
        way="per_tree",
        make_data=_generated("Logloss", 100_000, 100),
        settings=LOGLOSS,
        trees=60,
        goals=_fraction("≥ 1.7 × faster", 1 / 1.7, (one_thread("ocelot"),)),
        libraries=("ocelot",),
        threads=(2, 1),
    ),
    Case(
        name="memory_1m_28",
        title="peak memory, 1,000,000 × 28",
        way="memory",
        make_data=_generated("Logloss", 1_000_000, 28),
        settings=LOGLOSS,
        trees=10,
        goals=_fraction("≤ the smallest", 1.0, PEERS),
    ),
)
BY_NAME = {case.name: case for case in CASES}
