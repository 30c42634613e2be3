"""Memory that grows keeps what is in it, whoever looks on."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ocelotboost.order.growing_memory import GrowingMemory


def filled(n_lines, shape=(3, 5)):
    memory = GrowingMemory(shape)
    memory.grow(n_lines)
    memory.array[:] = np.arange(memory.array.size, dtype=np.uint8).reshape(memory.array.shape)
    return memory


@pytest.mark.parametrize("somebody_holds_it", [False, True])
@pytest.mark.parametrize("shape", [(3, 5), (1000, 7)])
def test_lines_stay_as_they_are(shape, somebody_holds_it):
    memory = filled(4, shape)
    before = memory.array.copy()
    held = memory.array[2] if somebody_holds_it else None
    for n_lines in (5, 9, 1000):
        memory.grow(n_lines)
        assert memory.array.shape == (n_lines, *shape)
        assert_array_equal(memory.array[:4], before)
    memory.array[999] = 7
    if held is not None:
        assert_array_equal(held, before[2])


def test_a_system_that_cannot_grow_it_copies(monkeypatch):
    class Fixed(mmap.mmap):
        def resize(self, size):
            raise SystemError("mmap: resizing not available")

    monkeypatch.setattr("ocelotboost.order.growing_memory.mmap.mmap", Fixed)
    memory = filled(4)
    before = memory.array.copy()
    memory.grow(50)
    assert_array_equal(memory.array[:4], before)


@pytest.mark.parametrize("shape", [(0, 3), (0,)])
def test_lines_may_be_empty(shape):
    memory = GrowingMemory(shape)
    memory.grow(3)
    assert memory.array.shape == (3, *shape)
    memory.grow(6)
    assert memory.array.shape == (6, *shape)
