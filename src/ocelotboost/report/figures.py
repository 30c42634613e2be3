"""Numbers as people read them, and arrays as pages hold them."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def number(value: float) -> str:
    """Four significant digits, without powers of ten where there need not be.

    >>> [number(value) for value in (0.12345, 1234567.0, 12.0, 1e-7, float("nan"))]
    ['0.1235', '1,234,567', '12', '1e-07', '–']
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−") if abs(value) >= 1e-4 else f"{value:.3g}"


def percent(share: float) -> str:
    """
    >>> percent(0.9213), percent(0.00012), percent(0.0), percent(0.99997)
    ('92.1 %', '0.01 %', '0 %', '99.997 %')
    """
    if math.isnan(share):
        return "–"
    if -0.0005 < share < 0:  # worse than nothing by a hair
        return "0 %"
    away = min(abs(share), abs(1 - share))
    if away == 0:
        return f"{100 * share:.0f} %"
    digits = max(1, min(6, math.ceil(-math.log10(away)) - 2))  # enough to see the difference
    return f"{100 * share:.{digits}f} %".replace("-", "−")


def count(amount: int, what: str) -> str:
    """
    >>> count(1, "row"), count(1234, "row")
    ('1 row', '1,234 rows')
    """
    return f"{amount:,} {what}" + ("" if amount == 1 else "s")


def rounded(values: NDArray[Any], digits: int = 4) -> list[float | None]:
    """For JSON: this many significant digits; None where there is no finite number."""
    array = np.asarray(values, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(array == 0, 0.0, np.floor(np.log10(np.abs(array))))
    places = np.where(np.isfinite(size), digits - 1 - size, 0).astype(int)
    return [
        round(value, place) if math.isfinite(value) else None
        for value, place in zip(array.tolist(), places.tolist(), strict=True)
    ]


def plain(value: float) -> float | None:
    """For JSON: a number of five digits; None where it is not finite."""
    return float(f"{value:.5g}") if math.isfinite(value) else None


def packed(values: NDArray[Any]) -> dict[str, str]:
    """An array as text: little-endian bytes in base64. ``read`` in page/figures.js unpacks it."""
    little = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
    return {
        "dtype": values.dtype.name,
        "bytes": base64.b64encode(little.tobytes()).decode("ascii"),
    }
