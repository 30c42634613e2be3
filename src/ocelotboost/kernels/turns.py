"""Threads that train side by side take turns at running Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ocelotboost.kernels import native


@contextmanager
def taking_turns(taking: bool = True) -> Iterator[None]:
    """For a thread that trains while others do, as many as there are cores at most; False: while it
    waits for something else than its turn. It changes how the thread waits for the others between
    kernels, and that their kernels share the cores; no result (cpp/bindings/turn.h)."""
    before = native.take_turns(taking)
    try:
        yield
    finally:
        native.take_turns(before)
