"""The cases of the speed table: those of numbers, of categories, and of explanations."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import data as source
from benchmarks.case import ORDERED, PLAIN, Case, Goal, Variant, of_catboost_ordered
from benchmarks.categorical_cases import CATEGORICAL_CASES
from benchmarks.data import Data, scaled_rows
from benchmarks.explanation_cases import EXPLANATION_CASES
from benchmarks.peers import PEERS, LightGBMQuantized, Ocelot, OcelotOrdered, Settings

MAIN_PEERS = ("catboost", "lightgbm", "xgboost")
FOUR_PEERS = (*MAIN_PEERS, "chimeraboost")  # as they come: quantized gradients are a variant


def _generated(loss: str, rows: int, columns: int) -> Callable[[float], Data]:
    return lambda scale: source.generate(loss, scaled_rows(rows, scale), columns)


def _covtype(scale: float) -> Data:
    return source.covtype(None if scale == 1 else scaled_rows(581_012, scale))


def _fraction(text: str, limit: float, against: tuple[str, ...] = MAIN_PEERS) -> tuple[Goal, ...]:
    return (Goal(text, limit, against),)


LOGLOSS = Settings(loss="Logloss")
RMSE = Settings(loss="RMSE")
PREDICTED = _generated("RMSE", 100_000, 100)
TRAINING_ROWS = 10_000  # of the models whose prediction is timed, so that training is quick


def _first_predicted(scale: float) -> Data:
    return PREDICTED(scale).take(slice(TRAINING_ROWS))


WITHOUT_QUANTIZED = tuple(name for name in PLAIN if name != LightGBMQuantized.name)
ONE_THREAD = Variant("1 thread", threads=1)
MOST_ROWS = 400_000
BY_ROWS = {
    rows: Variant(f"{rows:,} rows", share=rows / MOST_ROWS)
    for rows in (25_000, 50_000, 100_000, 200_000, MOST_ROWS)
}


def _doubling(rows: int) -> Goal:
    return Goal(
        f"{2 * rows:,} rows ≤ 2.2 × {rows:,}",
        2.2,
        (BY_ROWS[rows].label(OcelotOrdered.name),),
        ours=BY_ROWS[2 * rows].label(OcelotOrdered.name),
    )


NUMERIC_CASES = (
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
            Goal("Ordered ≤ 1.7 × our Plain", 1.7, (Ocelot.name,), ours=OcelotOrdered.name),
            of_catboost_ordered("≤ 1/10", 1 / 10),
        ),
        libraries=(*PLAIN, *ORDERED),
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
        repeat=2,  # the peers prepare this data for up to ten seconds per fit
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
        libraries=WITHOUT_QUANTIZED,
    ),
    Case(
        name="predict_100k_1000trees",
        title="predict 100,000 rows × 1000 trees",
        way="prediction",
        make_data=PREDICTED,
        make_training=_first_predicted,
        settings=RMSE,
        trees=1000,
        goals=(
            Goal("≤ 1/3 of catboost", 1 / 3, ("catboost",)),
            Goal("≤ 1/5 of lightgbm and xgboost", 1 / 5, ("lightgbm", "xgboost")),
        ),
        libraries=WITHOUT_QUANTIZED,
    ),
    Case(
        name="predict_one_row",
        title="predict one row, 1000 trees",
        way="one_row",
        make_data=PREDICTED,
        make_training=_first_predicted,
        settings=RMSE,
        trees=1000,
        goals=(
            Goal("≤ 30 µs", 30.0, ()),
            Goal("faster than every peer", 1.0, PEERS),
        ),
        libraries=WITHOUT_QUANTIZED,
        variants=(Variant(threads=1),),
    ),
    Case(
        name="threads_1_vs_2",
        title="2 threads against 1, 100,000 × 100, Logloss",
        way="per_tree",
        make_data=_generated("Logloss", 100_000, 100),
        settings=LOGLOSS,
        trees=60,
        goals=_fraction("≥ 1.7 × faster", 1 / 1.7, (ONE_THREAD.label(Ocelot.name),)),
        libraries=(Ocelot.name,),
        variants=(Variant(), ONE_THREAD),
    ),
    Case(
        name="ordered_rows_double",
        title="25,000 to 400,000 × 100, Logloss",
        way="per_tree",
        make_data=_generated("Logloss", MOST_ROWS, 100),
        settings=LOGLOSS,
        trees=30,
        goals=tuple(_doubling(rows) for rows in BY_ROWS if rows < MOST_ROWS),
        libraries=(OcelotOrdered.name,),
        variants=tuple(BY_ROWS.values()),
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
BY_NAME = {case.name: case for case in (*NUMERIC_CASES, *CATEGORICAL_CASES, *EXPLANATION_CASES)}
