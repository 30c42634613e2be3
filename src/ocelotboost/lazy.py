"""``cached_property`` without a lock.

That of Python before 3.12 holds a lock while it computes. A child that is forked at that moment
inherits the lock, but not the thread that would release it, and never gets it. Without a lock
two threads may compute the same value; the last one stays.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801
        """Computed when it is first asked for, then an attribute."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            found = self.func(instance)
            instance.__dict__[self.attrname] = found
            return found


__all__ = ["cached_property"]
