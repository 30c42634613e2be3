"""What a case of the speed table is: data, settings, a way of measuring and goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.data import Data
from benchmarks.peers import (
    NAMES,
    PRESETS,
    CatBoost,
    CatBoostOrdered,
    Ocelot,
    OcelotOrdered,
    Settings,
)

ORDERED = (OcelotOrdered.name, CatBoostOrdered.name)
PLAIN = tuple(name for name in NAMES if name not in (*ORDERED, *PRESETS))
FEWEST_TREES = 5


@dataclass(frozen=True)
class Goal:
    """The value of `ours` is at most `limit` times the smallest value of `against`.

    With nobody to compare with, `limit` is the largest value itself.
    """

    text: str
    limit: float
    against: tuple[str, ...]  # labels, as `Variant.label` makes them
    ours: str = Ocelot.name  # likewise


@dataclass(frozen=True)
class Variant:
    """Threads and rows that every library of a case runs with."""

    suffix: str = ""  # behind a library's name, where a case has several variants
    threads: int = 2
    share: float = 1.0  # of the rows

    def label(self, name: str) -> str:
        """How the tables call a library, or the case, in this variant."""
        return f"{name}, {self.suffix}" if self.suffix else name


def of_catboost(text: str, limit: float) -> Goal:
    """Plain compared with Plain."""
    return Goal(f"{text} of catboost", limit, (CatBoost.name,))


def of_catboost_ordered(text: str, limit: float) -> Goal:
    """Ordered compared with Ordered."""
    return Goal(
        f"Ordered {text} of catboost-ordered",
        limit,
        (CatBoostOrdered.name,),
        ours=OcelotOrdered.name,
    )


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
    libraries: tuple[str, ...] = PLAIN
    guests: tuple[str, ...] = NAMES  # run too when asked for by name
    variants: tuple[Variant, ...] = (Variant(),)
    repeat: int = 3  # the best repetition counts
    make_training: Callable[[float], Data] | None = None  # of the model that predicts make_data

    def admits(self, library: str, *, asked: bool) -> bool:
        """Whether a library runs: one of the list, or a guest that was asked for by name."""
        return library in self.libraries or (asked and library in self.guests)

    def scaled_trees(self, scale: float) -> int:
        """The number of trees at a reduced scale."""
        return max(min(self.trees, FEWEST_TREES), round(self.trees * scale))
