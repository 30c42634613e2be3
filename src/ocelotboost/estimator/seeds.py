"""Seeds of one training, drawn once from ``random_state``.

Each kind of randomness has a seed of its own, so that one does not shift the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray


@dataclass(frozen=True)
class Seeds:
    """The seed of each kind of randomness.

    entropy      what all of them are drawn from
    validation   which rows are held out for validation
    borders      which rows choose borders where there are many
    trees        samples, noise, columns and orderings of the trees
    history      which rows are the history of a 'holdout' statistic
    orderings    orderings of target statistics, and of the segments of Ordered mode
    independent  orderings of the segments where they have their own
    parcels      which rows are in which parcel, where they are many
    hash_key     uint64 (2,) what the categories of a new model are hashed under
    """

    entropy: int
    validation: SeedSequence
    borders: SeedSequence
    trees: SeedSequence
    history: SeedSequence
    orderings: SeedSequence
    independent: SeedSequence
    parcels: SeedSequence
    hash_key: NDArray[np.uint64]


def fresh(seed: SeedSequence) -> SeedSequence:
    """The same seed, from which nothing was drawn."""
    return SeedSequence(seed.entropy, spawn_key=seed.spawn_key)


def of_model(seed: SeedSequence, number: int) -> SeedSequence:
    """The seed for one of several models; for the first it is the same. Nothing was drawn from it:
    the children of a seed have shorter keys than these."""
    if number == 0:
        return fresh(seed)
    return SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, _MODELS, number))


#: A key that no child of a seed has.
_MODELS = 1 << 20


def draw_seeds(random_state: Any) -> Seeds:
    """From a number or None; a RandomState or Generator gives one number, and moves on by it."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(1 << 31))
    elif isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(1 << 31))
    drawn = SeedSequence(random_state)
    validation, borders, trees, order, key, parcels = drawn.spawn(6)
    history, orderings, independent = order.spawn(3)
    hash_key = key.generate_state(2, np.uint64).astype(np.uint64)
    return Seeds(
        int(drawn.entropy),  # type: ignore[arg-type]
        validation, borders, trees, history, orderings, independent, parcels, hash_key,
    )  # fmt: skip
