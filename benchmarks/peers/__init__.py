"""One small class per library: everything that is said differently by each of them."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Sequence

from benchmarks.peers.catboost import CatBoost, CatBoostOrdered
from benchmarks.peers.chimeraboost import ChimeraBoost
from benchmarks.peers.library import (
    Defaults,
    Held,
    Library,
    Predictor,
    Settings,
    Stopped,
    Stopping,
)
from benchmarks.peers.lightgbm import LightGBM, LightGBMQuantized
from benchmarks.peers.ocelot import Ocelot, OcelotBest, OcelotFast, OcelotOrdered
from benchmarks.peers.xgboost import XGBoost

__all__ = [
    "CatBoost",
    "CatBoostOrdered",
    "ChimeraBoost",
    "Defaults",
    "Held",
    "KINDS",
    "Library",
    "LightGBM",
    "LightGBMQuantized",
    "NAMES",
    "OURS",
    "Ocelot",
    "OcelotBest",
    "OcelotFast",
    "OcelotOrdered",
    "PEERS",
    "PRESETS",
    "Predictor",
    "Settings",
    "Stopped",
    "Stopping",
    "XGBoost",
    "load",
    "parse_names",
    "versions",
]

KINDS: tuple[type[Library], ...] = (
    Ocelot,
    OcelotOrdered,
    OcelotBest,
    OcelotFast,
    CatBoost,
    CatBoostOrdered,
    LightGBM,
    LightGBMQuantized,
    XGBoost,
    ChimeraBoost,
)
NAMES = tuple(kind.name for kind in KINDS)
OURS = (Ocelot.name, OcelotOrdered.name, OcelotFast.name, OcelotBest.name)
#: What ``quality`` stands for, which matters where nothing else is said.
PRESETS = (OcelotFast.name, OcelotBest.name)
PEERS = tuple(name for name in NAMES if name not in OURS)


def load(names: Iterable[str], *, required: bool) -> dict[str, Library]:
    """The named libraries, imported. One that is not installed is left out, or an error."""
    libraries = {name: _load_one(name, required) for name in names}
    return {name: library for name, library in libraries.items() if library is not None}


def _load_one(name: str, required: bool) -> Library | None:
    kind = next(kind for kind in KINDS if kind.name == name)
    try:
        return kind()
    except ImportError as error:
        if required:
            raise
        print(f"{name} is left out: {error}")
        return None


def versions(libraries: Iterable[Library]) -> dict[str, str]:
    """Package name to version."""
    return {library.package: library.version for library in libraries}


def parse_names(text: str) -> Sequence[str]:
    """A comma-separated list of library names, checked."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in NAMES:
            raise ArgumentTypeError(f"no library {name!r}; choose from {', '.join(NAMES)}")
    return names
