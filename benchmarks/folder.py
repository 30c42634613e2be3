"""The folder of real tables: Parquet files, and an `index.json` that describes them.

An entry of the index names the file, the target, the columns to drop and the categorical ones,
and where the test rows are published. The folder is the one named by the environment variable
OCELOT_DATA, else `../shared/datasets`, next to the project.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PROJECT = Path(__file__).resolve().parent.parent


class DataMissingError(Exception):
    """A real table is not on this machine; the message says where it was looked for."""


def index() -> dict[str, Any]:
    """The entries by name of the task."""
    entries: dict[str, Any] = json.loads(_path("index.json").read_text(encoding="utf-8"))
    return entries


def read_table(name: str) -> tuple[dict[str, Any], Any]:
    """The entry of a task and its file as a pyarrow table."""
    from pyarrow import parquet

    entry = index()[name]
    return entry, parquet.read_table(_path(entry["file"]))


def published_test_rows(entry: dict[str, Any]) -> NDArray[np.bool] | None:
    """(rows,) whether a row is for testing, None if nobody has published that."""
    from pyarrow import parquet

    where = entry.get("test_rows")
    if where is None:
        return None
    is_test = np.zeros(entry["rows"], dtype=np.bool)
    if "first" in where:
        is_test[where["first"] :] = True
        return is_test
    listed = parquet.read_table(_path(where["file"]), filters=[("dataset", "=", where["dataset"])])
    is_test[listed.column("row").to_numpy()] = True
    return is_test


def _path(file: str) -> Path:
    folder = Path(os.environ.get("OCELOT_DATA", PROJECT.parent / "shared" / "datasets"))
    path = folder / file
    if not path.exists():
        raise DataMissingError(
            f"no {path}: set OCELOT_DATA to the folder of the Parquet tables and their index.json"
        )
    return path
