"""A training that goes on after workers were lost: as after a killed process, from the moment
before its last tree, which the driver keeps in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ocelotboost.boost.snapshot import Snapshots
from ocelotboost.boost.state import Moment, TrainingState
from ocelotboost.loss.base import Floats


class KeptMoments(Snapshots):
    """The snapshots of a training, and the last moment of it that was whole."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._state: TrainingState | None = None
        self._moment: Moment | None = None
        self._own: dict[str, Floats] = {}

    @property
    def n_trees(self) -> int:
        """So many are safe."""
        return 0 if self._moment is None else self._moment.n_trees

    def resume(self, state: TrainingState) -> None:
        before, moment = self._state, self._moment
        if before is None or moment is None:
            self._snapshots.resume(state)
            return
        n = moment.n_trees
        curves = {names: curve[:n] for names, curve in before.curves.items()}
        state.restore(moment, before.trees[:n], curves, before.stopped, before.moves[:n])

    def before_tree(self, state: TrainingState) -> None:
        moment = state.moment()
        for name, raw in moment.raw.items():
            if name not in self._own:
                self._own[name] = np.empty_like(raw)
            np.copyto(self._own[name], raw)
        self._state, self._moment = state, replace(moment, raw=self._own)
        self._snapshots.before_tree(state)

    def after_tree(self, state: TrainingState) -> None:
        self._snapshots.after_tree(state)

    def write(self, state: TrainingState) -> None:
        self._snapshots.write(state)
