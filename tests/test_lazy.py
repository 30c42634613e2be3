"""Values that are computed once, without a lock that a forked child could inherit."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from ocelotboost.lazy import cached_property


@dataclass(frozen=True)
class Square:
    side: int
    computed: list[int] = field(default_factory=list)

    @cached_property
    def area(self) -> int:
        self.computed.append(self.side)
        return self.side**2


def test_it_is_computed_once():
    square = Square(3)
    assert [square.area, square.area] == [9, 9]
    assert square.computed == [3]


def test_nobody_waits_for_a_thread_that_computes():
    """A forked child would wait for a thread that it does not have."""
    begun, finish = threading.Event(), threading.Event()

    class Slow:
        @cached_property
        def value(self) -> int:
            if threading.current_thread() is threading.main_thread():
                return 1
            begun.set()
            assert finish.wait(60)
            return 2

    slow = Slow()
    other = threading.Thread(target=lambda: slow.value)
    other.start()
    assert begun.wait(60)
    assert slow.value == 1
    finish.set()
    other.join(60)
    assert not other.is_alive()
