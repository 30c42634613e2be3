"""The cases of the speed table that have categories: Ocelot compared with CatBoost, mode by mode.

c_max is the paper's word for the largest combination of categorical columns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.case import ORDERED, Case, Goal, of_catboost, of_catboost_ordered
from benchmarks.data import Data, scaled_rows
from benchmarks.peers import CatBoost, ChimeraBoost, Ocelot, Settings
from benchmarks.tables import generate_classes, generate_table, scaled, split_table

BOTH = (Ocelot.name, CatBoost.name)
ALL_FOUR = (*BOTH, *ORDERED)
PREDICTED_ROWS = 100_000


def _training_rows(name: str) -> Callable[[float], Data]:
    return lambda scale: scaled(split_table(name).train, scale, seed=0)


def _generated(scale: float) -> Data:
    return generate_table(scaled_rows(1_000_000, scale))


def _generated_classes(scale: float) -> Data:
    return generate_classes(scaled_rows(80_000, scale))


def _repeated_amazon(scale: float) -> Data:
    """Rows of the whole table, drawn with repetition."""
    table = split_table("amazon").all_rows
    rows = scaled_rows(PREDICTED_ROWS, scale)
    return table.take(np.random.default_rng(0).integers(len(table), size=rows))


AMAZON = _training_rows("amazon")
KICK = _training_rows("kick")
UP_TO_4 = Settings(loss="Logloss", max_combination=4)
UP_TO_2 = Settings(loss="Logloss", max_combination=2)
CLASSES_ALONE = Settings(loss="MultiClass", max_combination=1)
CLASSES_UP_TO_4 = Settings(loss="MultiClass", max_combination=4)
CategoricalCase = partial(Case, guests=ALL_FOUR)  # the others take categories differently

CATEGORICAL_CASES = (
    CategoricalCase(
        name="amazon_1000trees",
        title="amazon, c_max 4, 1000 trees, whole fit",
        way="whole_fit",
        make_data=AMAZON,
        settings=UP_TO_4,
        trees=1000,
        goals=(
            of_catboost("≤ 1/10", 1 / 10),
            Goal("no slower than chimeraboost", 1.0, (ChimeraBoost.name,)),
            of_catboost_ordered("≤ 1/10", 1 / 10),
        ),
        libraries=(*ALL_FOUR, ChimeraBoost.name),
        repeat=2,
    ),
    CategoricalCase(
        name="adult_1000trees",
        title="adult, c_max 4, 1000 trees, whole fit",
        way="whole_fit",
        make_data=_training_rows("adult"),
        settings=UP_TO_4,
        trees=1000,
        goals=(of_catboost("≤ 1/5", 1 / 5), of_catboost_ordered("≤ 1/8", 1 / 8)),
        libraries=ALL_FOUR,
        repeat=2,
    ),
    CategoricalCase(
        name="internet_1000trees",
        title="internet, c_max 4, 1000 trees, whole fit",
        way="whole_fit",
        make_data=_training_rows("internet"),
        settings=UP_TO_4,
        trees=1000,
        goals=(of_catboost_ordered("≤ 1/8", 1 / 8),),
        libraries=ORDERED,
        repeat=2,
    ),
    *(
        CategoricalCase(
            name=f"kick_500trees_cmax{settings.max_combination}",
            title=f"kick, c_max {settings.max_combination}, 500 trees, whole fit",
            way="whole_fit",
            make_data=KICK,
            settings=settings,
            trees=500,
            goals=(of_catboost("≤ 1/5", 1 / 5),),
            libraries=BOTH,
            repeat=1,
        )
        for settings in (UP_TO_2, UP_TO_4)
    ),
    CategoricalCase(
        name="categorical_1m",
        title="1,000,000 × 10 categorical + 10, c_max 2, 100 trees, whole fit",
        way="whole_fit",
        make_data=_generated,
        settings=UP_TO_2,
        trees=100,
        goals=(of_catboost("≤ 1/4", 1 / 4),),
        libraries=BOTH,
        repeat=1,
    ),
    *(
        CategoricalCase(
            name=f"classes_80k_cmax{settings.max_combination}",
            title=f"80,000 × 24 categorical, 8 classes, c_max {settings.max_combination}",
            way="per_tree",
            make_data=_generated_classes,
            settings=settings,
            trees=50,
            goals=(of_catboost("≤ 1/10", 1 / 10),),
            libraries=BOTH,
            repeat=2,
        )
        for settings in (CLASSES_ALONE, CLASSES_UP_TO_4)
    ),
    CategoricalCase(
        name="memory_categorical_1m",
        title="peak memory, 1,000,000 × 10 categorical + 10, c_max 2, 100 trees",
        way="memory",
        make_data=_generated,
        settings=UP_TO_2,
        trees=100,
        goals=(of_catboost("no more than that", 1.0),),
        libraries=BOTH,
    ),
    CategoricalCase(
        name="model_file_amazon",
        title="model file, amazon, c_max 4, 1000 trees",
        way="model_file",
        make_data=AMAZON,
        settings=UP_TO_4,
        trees=1000,
        goals=(of_catboost("no larger than that", 1.0),),
        libraries=BOTH,
    ),
    CategoricalCase(
        name="predict_100k_amazon",
        title="predict 100,000 amazon rows × 1000 trees from a DataFrame",
        way="prediction",
        make_data=_repeated_amazon,
        make_training=AMAZON,
        settings=UP_TO_4,
        trees=1000,
        goals=(of_catboost("≤ 1/3", 1 / 3),),
        libraries=BOTH,
    ),
)
