"""Snapshots: a training is stored now and then, and goes on from there after its process died.

A tree may be interrupted when it has changed some predictions and not yet others. So the moment
before each tree is kept in memory until the tree is finished.
"""

from __future__ import annotations

import errno
import os
import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ocelotboost.boost.identity import Identity, check_identity
from ocelotboost.boost.snapshot_file import Stored, from_bytes, to_bytes
from ocelotboost.boost.state import Moment, TrainingState
from ocelotboost.errors import ParameterError
from ocelotboost.loss.base import Floats
from ocelotboost.model.file_writing import write_file


@dataclass(frozen=True)
class SnapshotFile:
    """Where a training is stored, how often, and what was there when it began.

    interval  seconds between two snapshots; 0: after every tree
    stored    None: there is no file
    """

    path: str
    interval: float
    stored: Stored | None

    def random_state(self, given: Any) -> Any:
        """What seeds are drawn from: where any will do, from what they were drawn before."""
        return self.stored.entropy if given is None and self.stored is not None else given

    def of_training(self, number: int) -> SnapshotFile:
        """Of one of several trainings, each of which has a file; the first has this one."""
        if number == 0:
            return self
        return _opened(f"{self.path}.{number}", self.interval)


def open_snapshot(snapshot: Any, interval: Any) -> SnapshotFile | None:
    """The file as it is, read and checked. None: there will be no snapshots."""
    if snapshot is None:
        return None
    if not isinstance(snapshot, str | os.PathLike):
        raise ParameterError(f"snapshot={snapshot!r} is not possible; give the path of a file.")
    number = isinstance(interval, int | float | np.number) and not isinstance(interval, bool)
    if not number or not interval >= 0:
        raise ParameterError(
            f"snapshot_interval={interval!r} is not possible; give a number of seconds from 0."
        )
    path = os.fsdecode(snapshot)
    if os.path.isdir(path):
        raise ParameterError(f"snapshot={path!r} is a folder; give the path of a file in it.")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "Make this folder before fit writes into it", folder)
    return _opened(path, float(interval))


def _opened(path: str, interval: float) -> SnapshotFile:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return SnapshotFile(path, interval, None)
    return SnapshotFile(path, interval, from_bytes(data, path))


class Snapshots:
    """The snapshots of one training; without a file, none."""

    def __init__(self, file: SnapshotFile | None, identity: Identity | None, entropy: int) -> None:
        """``identity`` is what the training is begun with, ``entropy`` what its seeds are drawn
        from. A file of another training is an error."""
        self._file = file
        self._identity = identity
        self._entropy = entropy
        self._written = time.perf_counter()
        self._kept: Moment | None = None
        self._copies: dict[str, Floats] = {}
        if file is not None and file.stored is not None:
            assert identity is not None
            check_identity(file.stored.identity, identity, len(file.stored.trees), file.path)

    def resume(self, state: TrainingState) -> None:
        """Bring the state to where the file is. Without one, write the first: if that cannot be
        done, it is better known now."""
        file = self._file
        if file is None:
            return
        if file.stored is None:
            write_file(file.path, to_bytes(self._stored(state, state.moment())))
            return
        stored = file.stored
        state.restore(stored.moment, stored.trees, stored.curves, stored.stopped, stored.moves)

    def before_tree(self, state: TrainingState) -> None:
        """Keep the present moment."""
        if self._file is None:
            return
        moment = state.moment()
        if not self._copies:
            self._copies = {name: np.empty_like(raw) for name, raw in moment.raw.items()}
        for name, raw in moment.raw.items():
            np.copyto(self._copies[name], raw)
        self._kept = replace(moment, raw=self._copies)

    def after_tree(self, state: TrainingState) -> None:
        """Store the training if it is time."""
        file = self._file
        if file is not None and time.perf_counter() - self._written >= file.interval:
            self.write(state)

    def write(self, state: TrainingState) -> None:
        """Store the training as it was after its last finished tree. Training is worth more than
        its snapshot: a disk that is full does not end it."""
        if self._file is None:
            return
        # After the first change by an unfinished tree, the kept moment is the last that was whole;
        # while it is being copied, and once the tree is finished, the present one is.
        inside = self._kept is not None and self._kept.n_trees == len(state.trees)
        moment = self._kept if inside and self._kept is not None else state.moment()
        try:
            write_file(self._file.path, to_bytes(self._stored(state, moment)))
        except OSError as problem:
            warnings.warn(
                f"The snapshot {self._file.path!r} could not be written ({problem}). Training goes "
                "on without; the snapshot before it, if there is one, stays.",
                stacklevel=4,
            )
        self._written = time.perf_counter()

    def _stored(self, state: TrainingState, moment: Moment) -> Stored:
        assert self._identity is not None
        return Stored(
            identity=self._identity.to_json(),
            entropy=self._entropy,
            moment=moment,
            trees=state.trees[: moment.n_trees],
            curves={names: curve[: moment.n_trees] for names, curve in state.curves.items()},
            stopped=state.stopped,
            n_outputs=state.n_outputs,
            moves=state.moves[: moment.n_trees],
        )


NO_SNAPSHOTS = Snapshots(None, None, 0)
