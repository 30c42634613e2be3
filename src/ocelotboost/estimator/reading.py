"""The stage as one call: from what the user has to a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.cat_features import columns_listed, named_positions
from ocelotboost.table.columns import Table
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.number_texts import warn_of_number_texts


@dataclass(frozen=True)
class ReadSettings:
    """How the training data is read.

    cat_features  names and positions of columns that hold categories, as the user gave them
    hash_key      uint64 (2,) what categories are hashed under
    """

    cat_features: Any
    hash_key: NDArray[np.uint64]
    n_threads: int


def read(X: Any, settings: ReadSettings) -> Table:
    """The table that X is."""
    given = settings.cat_features
    named = None if given is None else columns_listed(given)
    table = table_from_input(
        X, cat_features=named, hash_key=settings.hash_key, n_threads=settings.n_threads
    )
    warn_of_number_texts(table, named_positions(named, table.names, table.n_columns, "X"), X)
    return table
