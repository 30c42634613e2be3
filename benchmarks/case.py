"""What a case of the speed table is: data, settings, a way of measuring and goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.data import Data
from benchmarks.peers import NAMES, CatBoostOrdered, Settings

PLAIN = tuple(name for name in NAMES if name != CatBoostOrdered.name)
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
    libraries: tuple[str, ...] = PLAIN
    threads: tuple[int, ...] = (2,)
    closed: bool = False  # nobody else can run in it, even when asked to
    repeat: int = 3  # the best repetition counts
    make_training: Callable[[float], Data] | None = None  # of the model that predicts make_data

    def admits(self, library: str, *, asked: bool) -> bool:
        """Whether a library runs: one of the list, or one that was asked for by name."""
        return library in self.libraries or (asked and not self.closed)

    def scaled_trees(self, scale: float) -> int:
        """The number of trees at a reduced scale."""
        return max(min(self.trees, FEWEST_TREES), round(self.trees * scale))


def one_thread(name: str) -> str:
    """How the table calls a library that was measured with one thread beside two."""
    return f"{name}, 1 thread"
