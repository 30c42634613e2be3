"""Twins of the links. The exponential is that of C++, operation by operation
(cpp/core/shared/vector_math.h)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SHIFT = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number


def exponentials(values: Floats, out: Floats, *, n_threads: int) -> None:
    """exp(x); arguments beyond [-708, 708] are clamped to that range."""
    out[:] = exponential(values)


def logarithms(values: Floats, out: Floats, *, n_threads: int) -> None:
    """log(x) for normal x > 0."""
    out[:] = logarithm(values)


def logistics(values: Floats, out: Floats, *, n_threads: int) -> None:
    """1 / (1 + exp(-x))."""
    e = exponential(-np.abs(values))
    out[:] = np.where(values < 0, e, 1.0) / (1.0 + e)


def softmax(raw: Floats, out: Floats, out_log_sums: Floats, *, n_threads: int) -> None:
    """Softmax over the first axis of raw (n_outputs, n_rows), and logs (n_rows,) of the sums of
    exponentials."""
    highest = raw.max(axis=0)
    out[:] = exponential(raw - highest)
    sums = np.add.accumulate(out, axis=0)[-1]
    out_log_sums[:] = highest + logarithm(sums)
    out *= 1.0 / sums


def exponential(x: Floats) -> Floats:
    """2^k exp(r), |r| <= log(2) / 2, by a Padé approximant."""
    x = np.clip(x, -708.0, 708.0)
    k = (x * 1.4426950408889634 + _SHIFT) - _SHIFT
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    r2 = r * r
    r4 = r2 * r2
    even = 1.0 + r2 * (1.0 / 9.0) + r4 * (1.0 / 1008.0)
    odd = r * (0.5 + r2 * (1.0 / 72.0) + r4 * (1.0 / 30240.0))
    found: Floats = np.ldexp(even + odd, k.astype(np.intc)) / (even - odd)
    return found


def logarithm(x: Floats) -> Floats:
    """e log(2) + log(m), x = 2^e m; log(m) = 2 atanh((m - 1) / (m + 1)) by its series."""
    m, e = np.frexp(x)
    low = m < 0.70710678118654757  # the double above sqrt(1/2)
    m, e = np.where(low, 2.0 * m, m), e - low
    f = (m - 1.0) / (m + 1.0)
    s = f * f
    s2 = s * s
    s4 = s2 * s2
    pairs = [2.0 / d + s * (2.0 / (d + 2.0)) for d in (3.0, 7.0, 11.0, 15.0, 19.0)]
    p = (pairs[0] + s2 * pairs[1]) + s4 * ((pairs[2] + s2 * pairs[3]) + s4 * pairs[4])
    found: Floats = e * 0.6931471805599453 + (f * s * p + 2.0 * f)
    return found
