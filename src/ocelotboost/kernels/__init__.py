"""The only door to C++.

``native`` holds the loops over rows; ``reference`` holds a plain NumPy twin of each, of the same
name and signature, which is its specification. ``contract`` names the numbers both sides share.
"""

from __future__ import annotations

from ocelotboost.kernels import _native as native

__all__ = ["native"]
