"""What can go wrong on a cluster."""

from __future__ import annotations

from ocelotboost.errors import OcelotError


class ClusterError(OcelotError, RuntimeError):
    """The cluster cannot go on: a partition can no longer be computed, or no worker is left."""


class ClusterChanged(Exception):  # noqa: N818 - it is news, and no error
    """Workers were lost, or have joined: the rows have to be held by others. Training goes on."""
