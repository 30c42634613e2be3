"""The cases of the speed table that are about SHAP values."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import data as source
from benchmarks.case import Case, Goal, of_catboost
from benchmarks.data import Data, scaled_rows
from benchmarks.peers import CatBoost, LightGBM, Ocelot, Settings, XGBoost
from benchmarks.tables import scaled, split_table

TRAINING_ROWS = 10_000


def _numbers(rows: int, columns: int) -> Callable[[float], Data]:
    return lambda scale: source.generate("RMSE", scaled_rows(rows, scale), columns)


def _first(make_data: Callable[[float], Data]) -> Callable[[float], Data]:
    return lambda scale: make_data(scale).take(slice(TRAINING_ROWS))


def _adult_training(scale: float) -> Data:
    return scaled(split_table("adult").train, scale, seed=0)


def _adult_test(scale: float) -> Data:
    return scaled(split_table("adult").test, scale, seed=0)


WIDE, SHORT, NARROW = _numbers(100_000, 100), _numbers(10_000, 100), _numbers(10_000, 20)
EXPLANATION_CASES = (
    Case(
        name="shap_adult_1000trees",
        title="SHAP values, adult, c_max 4, 1000 trees, all test rows",
        way="explanation",
        make_data=_adult_test,
        make_training=_adult_training,
        settings=Settings(loss="Logloss"),
        trees=1000,
        goals=(
            of_catboost("≤ 1/5", 1 / 5),
            Goal("≤ 1/20 of shap.TreeExplainer on lightgbm", 1 / 20, (LightGBM.name,)),
        ),
        libraries=(Ocelot.name, CatBoost.name, LightGBM.name),
        guests=(),
        repeat=2,
    ),
    Case(
        name="shap_100k_1000trees",
        title="SHAP values, 100,000 × 100, 1000 trees",
        way="explanation",
        make_data=WIDE,
        make_training=_first(WIDE),
        settings=Settings(loss="RMSE"),
        trees=1000,
        goals=(of_catboost("≤ 1/5", 1 / 5),),
        libraries=(Ocelot.name, CatBoost.name),
        guests=(LightGBM.name, XGBoost.name),  # which take a quarter of an hour and more
        repeat=2,
    ),
    Case(
        name="shap_10k_100trees",
        title="SHAP values, 10,000 × 100, 100 trees",
        way="explanation",
        make_data=SHORT,
        make_training=SHORT,
        settings=Settings(loss="RMSE"),
        trees=100,
        goals=(Goal("≤ 1/5 of xgboost", 1 / 5, (XGBoost.name,)),),
        libraries=(Ocelot.name, XGBoost.name),
        guests=(CatBoost.name, LightGBM.name),
        repeat=2,
    ),
    Case(
        name="shap_interactions_10k_20",
        title="SHAP interactions, 10,000 × 20, 300 trees",
        way="interactions",
        make_data=NARROW,
        make_training=NARROW,
        settings=Settings(loss="RMSE"),
        trees=300,
        goals=(of_catboost("≤ 1/5", 1 / 5),),
        libraries=(Ocelot.name, CatBoost.name),
        guests=(XGBoost.name,),
        repeat=1,  # the peers take minutes
    ),
)
