"""The curve that a notebook shows while training runs: one display that is updated, no widgets.

What is left when training has ended is a picture, which stays in the saved notebook.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator.progress import Progress, clock, in_order_of_interest

_WIDTH, _HEIGHT = 620, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 10, 34
_MOST_POINTS = 300
_SECONDS_BETWEEN = 0.5
_SKIPPED = 0.04  # of the first trees, whose steep way would flatten all others
#: Readable on white and on black.
_COLOURS = ("#d9480f", "#1c7ed6", "#7950f2", "#2f9e44", "#868e96")


class LiveCurve(Progress):
    """A curve for each data set, drawn again about twice per second.

    display  IPython's function of that name
    """

    def __init__(self, metric: str, display: Any) -> None:
        self._metric = metric
        self._display = display
        self._shown: Any = None
        self._last = -math.inf
        self._undrawn: IterationInfo | None = None

    def after_iteration(self, info: IterationInfo) -> None:
        if time.monotonic() - self._last < _SECONDS_BETWEEN:
            self._undrawn = info
        else:
            self._draw(info)

    def close(self) -> None:
        if self._undrawn is not None:
            self._draw(self._undrawn)

    def _draw(self, info: IterationInfo) -> None:
        self._undrawn = None
        picture = {"text/html": live_curve(info, self._metric), "text/plain": _words(info)}
        if self._shown is None:
            self._shown = self._display(picture, raw=True, display_id=True)
        else:
            self._shown.update(picture, raw=True)
        self._last = time.monotonic()


def live_curve(info: IterationInfo, metric: str) -> str:
    """The curves so far, as HTML with a picture in it."""
    names = in_order_of_interest(info.history)
    curves = {name: np.array(info.history[name][metric], dtype=np.float64) for name in names}
    legend = " ".join(
        f'<span style="color:{colour};font-weight:600;margin-right:1em">{escape(name)} '
        f"{curve[-1]:.5g}</span>"
        for (name, curve), colour in zip(curves.items(), _repeated(), strict=False)
    )
    done = info.iteration + 1
    left = info.seconds / done * (info.iterations - done)
    times = f"{clock(info.seconds)}, {clock(left)} left" if left else clock(info.seconds)
    return (
        f'<div style="font-family:system-ui,sans-serif;font-size:13px;max-width:{_WIDTH}px">'
        f"<div>{done:,} of {info.iterations:,} trees, {times}</div>"
        f"<div>{escape(metric)}: {legend}</div>{_picture(list(curves.values()), info)}</div>"
    )


def _words(info: IterationInfo) -> str:
    return f"{info.iteration + 1} of {info.iterations} trees"


def _repeated() -> Iterator[str]:
    while True:
        yield from _COLOURS


def _picture(curves: list[NDArray[np.float64]], info: IterationInfo) -> str:
    later = np.concatenate([curve[int(_SKIPPED * len(curve)) :] for curve in curves])
    known = later[np.isfinite(later)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    low, high = low - room, high + room
    n_trees = max(info.iterations, 2)

    def x(tree: float) -> float:
        return _LEFT + (tree - 1) / (n_trees - 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" role="img" fill="none" '
        'aria-label="Metric after each tree" xmlns="http://www.w3.org/2000/svg">'
    ]
    parts += [
        f'<path d="M{_LEFT} {y(value):.1f}H{_WIDTH - _RIGHT}" stroke="currentColor" '
        f'opacity=".15"/><text x="{_LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end" '
        f'font-size="11" fill="currentColor" opacity=".7">{value:.4g}</text>'
        for value in np.linspace(low + room, high - room, 4).tolist()
    ]
    for tree in (1, (n_trees + 1) // 2, n_trees):
        anchor = "middle" if tree < n_trees else "end"
        parts.append(
            f'<text x="{x(tree):.1f}" y="{_HEIGHT - 12}" text-anchor="{anchor}" font-size="11" '
            f'fill="currentColor" opacity=".7">{tree:,}</text>'
        )
    for curve, colour in zip(curves, _repeated(), strict=False):
        chosen = np.unique(np.linspace(0, len(curve) - 1, _MOST_POINTS).astype(int)).tolist()
        points = " ".join(
            f"{x(place + 1):.1f},{y(curve[place]):.1f}"
            for place in chosen
            if low <= curve[place] <= high
        )
        parts.append(f'<polyline points="{points}" stroke="{colour}" stroke-width="2"/>')
    return "".join([*parts, "</svg>"])
