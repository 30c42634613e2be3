"""Orders of an online shop, generated: texts, ids, numbers, and gaps in all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KINDS = ("shoes", "shirts", "trousers", "coats", "bags", "watches", "phones", "books")
DEVICES = ("phone", "laptop", "tablet")
CITIES = 120
BRANDS = 60
CUSTOMERS_PER_ORDER = 0.25


def generate_orders(n: int, seed: int = 7) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    """The columns of ``n`` orders, and whether each was sent back.

    Customers have habits, brands run small or large depending on the kind of article, and phones
    invite hasty clicks. A third of what decides is chance.
    """
    rng = np.random.default_rng(seed)
    n_customers = max(int(CUSTOMERS_PER_ORDER * n), 10)
    customer = _popular(rng, n, n_customers)
    brand, city = _popular(rng, n, BRANDS), _popular(rng, n, CITIES)
    kind = rng.integers(len(KINDS), size=n)
    device = rng.choice(len(DEVICES), size=n, p=[0.6, 0.3, 0.1])
    price = np.exp(rng.normal(3.6, 0.7, n) + 0.4 * (kind >= 5))
    discount = rng.choice([0.0, 10.0, 20.0, 50.0], size=n, p=[0.6, 0.2, 0.15, 0.05])
    hour = rng.integers(24, size=n)

    signal = 1.1 * rng.normal(size=n_customers)[customer]
    signal += 1.3 * rng.normal(size=(BRANDS, len(KINDS)))[brand, kind]
    signal += 0.4 * rng.normal(size=CITIES)[city]
    signal += np.array([0.5, -0.2, 0.1])[device] * (1 + (hour >= 22))
    signal += 0.5 * np.log(price / 40) - 0.02 * discount - 1.0
    returned = rng.random(n) < 1 / (1 + np.exp(-signal))

    columns = {
        "customer": np.array([f"C{number:05}" for number in customer], dtype=object),
        "city": _texts(rng, [f"town {c}" for c in range(CITIES)], city, missing=0.08),
        "device": _texts(rng, DEVICES, device, missing=0.05),
        "brand": _texts(rng, [f"label {b}" for b in range(BRANDS)], brand, missing=0.02),
        "kind": _texts(rng, KINDS, kind, missing=0.0),
        "price": price.round(2),
        "discount": np.where(rng.random(n) < 0.1, np.nan, discount),
        "hour": hour,
    }
    return columns, returned


def _popular(rng: np.random.Generator, n: int, n_values: int) -> NDArray[np.intp]:
    """Numbers below ``n_values``, small ones more often."""
    return (n_values * rng.random(n) ** 2).astype(np.intp)


def _texts(
    rng: np.random.Generator, texts: Any, numbers: NDArray[np.intp], missing: float
) -> NDArray[np.object_]:
    found: NDArray[np.object_] = np.array(texts, dtype=object)[numbers]
    found[rng.random(len(found)) < missing] = None
    return found
