"""Combinations as if they were features: one code for each value that occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.order.combination import Combination
from ocelotboost.order.recently_used import RecentlyUsed
from ocelotboost.quantize.block import ColumnBlock, ColumnSplit
from ocelotboost.quantize.categorical_data import CategoricalData

#: Codes are kept in this many bytes: a combination soon comes again, in another ordering.
_KEPT_BYTES = 1 << 25


class Codes(NamedTuple):
    """Codes of some combinations, each of which is one line of the arrays.

    codes         uint32 (n_lines, n) of all rows
    value_counts  uint32 (n_lines,) how many distinct codes there are
    fingerprints  uint64 (n_lines,) equal where all codes are
    lines         uint32 (n_combinations,)
    """

    codes: NDArray[np.uint32]
    value_counts: NDArray[np.uint32]
    fingerprints: NDArray[np.uint64]
    lines: NDArray[np.uint32]

    @classmethod
    def empty(cls, n_lines: int, n_rows: int) -> Codes:
        return cls(
            np.empty((n_lines, n_rows), dtype=np.uint32),
            np.empty(n_lines, dtype=np.uint32),
            np.empty(n_lines, dtype=np.uint64),
            np.arange(n_lines, dtype=np.uint32),
        )

    def on(self, lines: Sequence[int | None]) -> Codes:
        """Those on some of the lines."""
        return self._replace(lines=np.array(lines, dtype=np.uint32))


class CombinationCodes:
    """Codes of combinations, made when they are asked for. Those without a base are kept for a
    while; a base belongs to one tree, and hardly comes again."""

    def __init__(self, data: CategoricalData, block: ColumnBlock, n_threads: int) -> None:
        self._data = data
        self._block = block
        self._n_threads = n_threads
        n_kept = _KEPT_BYTES // (4 * max(data.n_rows, 1))
        self._kept = Codes.empty(n_kept, data.n_rows)
        self._lines = RecentlyUsed[Combination](n_kept)

    def base_answers(self, base: Sequence[ColumnSplit]) -> NDArray[np.uint32] | None:
        """The answers (n,) to the questions of a base, as binary digits; None without questions."""
        if not base:
            return None
        answers = np.zeros(self._data.n_rows, dtype=np.uint32)
        self._block.append_answers(base, answers, self._n_threads)
        return answers

    def of(self, combinations: Sequence[Combination], answers: NDArray[np.uint32] | None) -> Codes:
        """Codes of distinct combinations with the same base, whose ``answers`` are given. Valid
        until the next call."""
        if answers is not None or len(combinations) > self._lines.capacity:
            codes = Codes.empty(len(combinations), self._data.n_rows)
            self._join(combinations, answers, codes)
            return codes
        find = self._lines.find
        absent = [combination for combination in combinations if find(combination) is None]
        if absent:
            self._join(absent, None, self._kept.on(self._lines.take(len(absent))))
            self._lines.hold(absent)
        return self._kept.on([find(combination) for combination in combinations])

    def _join(
        self,
        combinations: Sequence[Combination],
        answers: NDArray[np.uint32] | None,
        out: Codes,
    ) -> None:
        data = self._data
        members = [[data.line(feature) for feature in c.features] for c in combinations]
        native.join_codes(
            data.codes,
            data.value_counts,
            answers,
            1 << len(combinations[0].base),
            np.cumsum([0, *map(len, members)], dtype=np.uint32),
            np.array([line for own in members for line in own], dtype=np.uint32),
            out.lines,
            out.codes,
            out.value_counts,
            out.fingerprints,
            n_threads=self._n_threads,
        )
