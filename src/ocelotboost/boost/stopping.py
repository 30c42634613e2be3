"""When to stop, and which number of trees was best."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from itertools import pairwise

#: A loss of which less than this share is left has to fall by this many times as much.
_NEARLY_GONE, _TIMES_AS_MUCH = 0.01, 10


class BestIteration:
    """Follows one curve and remembers where it was best.

    watched    names of its data set and metric, for warnings; None: there is no curve
    patience   how many trees may bring no improvement; None: any number
    grows      patience begins at 40 % and grows with a quarter of the trees, up to all of it
    least      share of the first value that counts as an improvement when patience is counted;
               ten times as much where less than a hundredth of a loss is left
    iteration  of the best value so far; None while there is none
    """

    def __init__(
        self,
        watched: tuple[str, str] | None,
        higher_is_better: bool,
        patience: int | None,
        least: float = 0.0,
        grows: bool = False,
    ) -> None:
        self.iteration: int | None = None
        self.value: float | None = None
        self._watched = watched
        self._higher_is_better = higher_is_better
        self._patience = patience
        self._least = least
        self._grows = grows
        self._n_followed = 0
        self._moved: tuple[int, float] | None = None  # the last improvement that counts
        self._has_warned = False

    def follow(self, curve: Sequence[float]) -> bool:
        """Look at the values since the last call; whether patience is at its end. A nan is no
        improvement. Looking at a value twice changes nothing."""
        for iteration in range(self._n_followed, len(curve)):
            value = curve[iteration]
            if math.isnan(value):
                self._warn_of_nan(iteration)
            elif self._improves(value):
                self.iteration, self.value = iteration, value
                self._notice(iteration, value, curve[0])
            self._n_followed = iteration + 1
        before_all = -1
        moved = before_all if self._moved is None else self._moved[0]
        return len(curve) - 1 - moved >= self._patience_after(len(curve))

    def _patience_after(self, n_trees: int) -> float:
        if self._patience is None:
            return math.inf
        if not self._grows:
            return self._patience
        return min(max(n_trees / 4, 0.4 * self._patience), self._patience)

    def _notice(self, iteration: int, value: float, first: float) -> None:
        """Whether it is far enough from the last value that was. Of a loss that is all but gone,
        less is to be gained."""
        nearly_gone = not self._higher_is_better and abs(value) < _NEARLY_GONE * abs(first)
        least = self._least * (_TIMES_AS_MUCH if nearly_gone else 1)
        if self._moved is None or not abs(value - self._moved[1]) <= least * abs(first):
            self._moved = iteration, value

    def _improves(self, value: float) -> bool:
        if self.value is None:
            return True
        return value > self.value if self._higher_is_better else value < self.value

    def _warn_of_nan(self, iteration: int) -> None:
        if self._watched is not None and not self._has_warned:
            self._has_warned = True
            data, metric = self._watched
            warnings.warn(
                f"The metric {metric!r} on {data!r} is nan after iteration {iteration}. A nan "
                "counts as no improvement when the best number of trees is looked for.",
                stacklevel=6,
            )


def diverges(losses: Sequence[float]) -> bool:
    """Whether the training loss after each tree runs away: it has risen with each of the last five
    trees, to more than ten times what it was after the first, above it."""
    recent = losses[-6:]
    if len(recent) < 6 or not all(before < after for before, after in pairwise(recent)):
        return False
    return losses[-1] - losses[0] > 10 * abs(losses[0])


class TimeLimit:
    """Whether one more tree would go beyond the limit, judged by the trees so far."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.began = time.perf_counter()

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def restore(self, elapsed: float) -> None:
        """Go on from a time that was measured before."""
        self.began = time.perf_counter() - elapsed

    def reached(self, n_trees: int) -> bool:
        if self.seconds is None:
            return False
        elapsed = self.elapsed
        return elapsed + elapsed / max(n_trees, 1) > self.seconds


def warn_of_no_trees(limit: TimeLimit) -> None:
    warnings.warn(
        f"time_limit={limit.seconds:g} seconds was over before the first tree: the model has no "
        "new trees. Give it more time.",
        stacklevel=4,
    )
