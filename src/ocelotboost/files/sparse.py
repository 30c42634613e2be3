"""libsvm files: rows of "target column:value ...", read by scikit-learn as a sparse matrix."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.files.opened import Watch, expand, open_file

_BUFFER = 1 << 20


@dataclass(frozen=True, eq=False)
class SparseRows:
    """X       scipy.sparse (n_rows, n_columns)
    target  float64 (n_rows,)
    groups  int64 (n_rows,) of "qid:", or None where the file has none
    """

    X: Any
    target: NDArray[np.float64]
    groups: NDArray[np.int64] | None


def read_libsvm(
    paths: Sequence[str], n_columns: int | None = None, watch: Watch | None = None
) -> SparseRows:
    """Rows of some files.

    n_columns  of the matrix, for rows to predict; None: as many as the files have
    """
    from scipy.sparse import vstack
    from sklearn.datasets import load_svmlight_files

    opened = [open_file(path, "libsvm", watch) for path in expand(paths)]
    files = [io.BufferedReader(one.stream, _BUFFER) for one in opened]
    try:
        # Matrix, target and query of each file, one after the other.
        found = load_svmlight_files(files, n_features=n_columns, query_id=True)
    except ValueError as error:
        raise InputError(f"{opened[0].name} cannot be read as libsvm: {error}") from error
    matrices, targets, queries = found[::3], found[1::3], found[2::3]
    groups = np.concatenate(queries)
    return SparseRows(
        matrices[0] if len(matrices) == 1 else vstack(matrices).tocsr(),
        np.concatenate(targets),
        groups if groups.any() else None,
    )
