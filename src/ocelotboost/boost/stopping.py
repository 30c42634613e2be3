"""When to stop, and which number of trees was best."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass
class BestIteration:
    """Follows one metric and remembers where it was best."""

    higher_is_better: bool
    patience: int | None
    iteration: int = -1
    value: float = field(default=math.nan)

    def update(self, iteration: int, value: float) -> bool:
        """Note the value after a tree; whether it has not improved for ``patience`` trees."""
        better = value > self.value if self.higher_is_better else value < self.value
        if better or math.isnan(self.value):
            self.iteration, self.value = iteration, value
        return self.patience is not None and iteration - self.iteration >= self.patience


class TimeLimit:
    """Whether one more tree would go beyond the limit, judged by the trees so far."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.began = time.perf_counter()

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def reached(self, n_trees: int) -> bool:
        if self.seconds is None:
            return False
        elapsed = self.elapsed
        return elapsed + elapsed / max(n_trees, 1) > self.seconds
