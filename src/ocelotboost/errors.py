"""What can go wrong, as a tree.

    OcelotError
    ├── InputError          X, y, sample_weight or eval_set cannot be used (also a ValueError)
    ├── ParameterError      a parameter has a value it cannot have         (also a ValueError)
    ├── ModelFileError      a file is not a model this version can read    (also a ValueError)
    └── SnapshotError       a training cannot go on from this snapshot     (also a ValueError)

Every message names the thing (column, row, parameter, file), the value that was found, and what
to do about it.
"""

from __future__ import annotations


class OcelotError(Exception):
    """Base of every error that Ocelot raises on purpose."""


class InputError(OcelotError, ValueError):
    """The data cannot be used as given."""


class ParameterError(OcelotError, ValueError):
    """A parameter has a value it cannot have."""


class ModelFileError(OcelotError, ValueError):
    """A file is damaged, foreign, or newer than this version."""


class SnapshotError(OcelotError, ValueError):
    """A snapshot is damaged, or of another training."""
