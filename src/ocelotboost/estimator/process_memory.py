"""How much memory the process has, and a source that is watched while it is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.memory_size import in_words
from ocelotboost.table.sources import Source


def watching_memory(source: Source, limit: int | None) -> Source:
    """The same source, which ends with an error when reading takes more than the limit."""
    if limit is None:
        return source

    def read(columns: list[str], n_rows: int) -> Iterator[Any]:
        for batch in source.read(columns, n_rows):
            used = process_bytes()
            if used is not None and used > limit:
                raise ParameterError(
                    f"memory_limit={in_words(limit)} is too small: the process takes "
                    f"{in_words(used)} while X is read, before any training. Write Parquet files "
                    "with smaller row groups, for example of 100,000 rows, or raise memory_limit."
                )
            yield batch

    return replace(source, read=read)


def process_bytes() -> int | None:
    """Memory that the process cannot give back, which pages of mapped files are no part of; None
    where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            fields = dict(line.split(":", 1) for line in status)
        return int(fields["RssAnon"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return _most_so_far()


def _most_so_far() -> int | None:
    if os.name != "posix":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
