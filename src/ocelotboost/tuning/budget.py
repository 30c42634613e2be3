"""How long to search: a number of trials, a time, or whichever ends first."""

from __future__ import annotations

import math
import re
import time
from datetime import timedelta
from numbers import Real
from typing import Any

from ocelotboost.errors import ParameterError

#: Where the user says nothing.
USUAL_TRIALS = 50

_SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PIECE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(min|sec|[smhd])\s*")


def seconds_of(budget: Any) -> float | None:
    """
    >>> seconds_of("10min"), seconds_of("1h 30min"), seconds_of(90), seconds_of(None)
    (600.0, 5400.0, 90.0, None)
    """
    if budget is None:
        return None
    seconds = math.nan
    if isinstance(budget, timedelta):
        seconds = budget.total_seconds()
    elif isinstance(budget, Real) and not isinstance(budget, bool):
        seconds = float(budget)
    elif isinstance(budget, str) and re.fullmatch(f"({_PIECE.pattern})+", budget):
        seconds = sum(float(n) * _SECONDS[unit] for n, unit in _PIECE.findall(budget))
    if not (math.isfinite(seconds) and seconds > 0):
        raise ParameterError(
            f"budget={budget!r} is not possible; give a time such as '10min', '90s' or '1h 30min', "
            "a number of seconds above 0, or a timedelta."
        )
    return seconds


def trials_of(trials: Any, budget: Any) -> int | None:
    """The most trials; None: as many as there is time for."""
    if trials is None:
        return USUAL_TRIALS if budget is None else None
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < 1:
        raise ParameterError(f"trials={trials!r} is not possible; give a whole number from 1.")
    return trials


class Clock:
    """The time of a search, of which some is kept for what comes after it.

    seconds  all of it; None: without end
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.began = time.perf_counter()
        self.reserved = 0.0

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    @property
    def over(self) -> bool:
        return self.seconds is not None and self.elapsed + self.reserved >= self.seconds
