"""What several tests of tables need to hold or to name a column."""

from __future__ import annotations


class ArrowStream:
    """Something of an unknown library that speaks Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def library_and_type(column):
    """A name for a test; a repr may hold an address, which is another in every process."""
    dtype = getattr(column, "dtype", None) or getattr(column, "type", None)
    return f"{type(column).__module__.split('.')[0]} {dtype}"
