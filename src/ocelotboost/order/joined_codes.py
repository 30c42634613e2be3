"""Combinations as if they were features: one code for each value that occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.order.combination import Combination
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData

#: Codes of so many bytes are kept: a combination soon comes again, in another ordering.
_KEPT_CODE_BYTES = 1 << 25


class Codes(NamedTuple):
    """Of some combinations, which stand on some of the lines.

    codes         uint32 (n_lines, n) of all rows
    value_counts  uint32 (n_lines,) how many codes there are
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

    def on(self, lines: Sequence[int]) -> Codes:
        """Those on some of the lines."""
        return self._replace(lines=np.array(lines, dtype=np.uint32))


class JoinedCodes:
    """Codes of combinations, made when they are asked for and kept for a while."""

    def __init__(self, data: CategoricalData, block: ColumnBlock, n_threads: int) -> None:
        self._data = data
        self._block = block
        self._n_threads = n_threads
        self._kept = Codes.empty(_KEPT_CODE_BYTES // (4 * data.n_rows), data.n_rows)
        self._line_of: dict[Combination, int] = {}  # what was asked for last at the end

    def of(self, combinations: Sequence[Combination]) -> Codes:
        """Valid until the next call. The base of all combinations is the same."""
        kept, line_of = self._kept, self._line_of
        # The answers of a base are no feature's: another base leaves others in their place.
        if combinations[0].base or len(combinations) > len(kept.lines):
            codes = Codes.empty(len(combinations), self._data.n_rows)
            self._join(combinations, codes)
            return codes
        absent = []
        for combination in combinations:
            if combination in line_of:
                line_of[combination] = line_of.pop(combination)
            else:
                absent.append(combination)
        if absent:
            for combination in absent:
                full = len(line_of) == len(kept.lines)
                line_of[combination] = line_of.pop(next(iter(line_of))) if full else len(line_of)
            self._join(absent, kept.on([line_of[combination] for combination in absent]))
        return kept.on([line_of[combination] for combination in combinations])

    def _join(self, combinations: Sequence[Combination], out: Codes) -> None:
        data, base = self._data, combinations[0].base
        if base:
            data.codes[data.base_line] = 0
            self._block.append_answers(base, data.codes[data.base_line], self._n_threads)
            data.value_counts[data.base_line] = 1 << len(base)
        members = [
            [*map(data.line, combination.features), *([data.base_line] if base else [])]
            for combination in combinations
        ]
        native.join_codes(
            data.codes,
            data.value_counts,
            np.cumsum([0, *map(len, members)], dtype=np.uint32),
            np.array([line for own in members for line in own], dtype=np.uint32),
            out.lines,
            out.codes,
            out.value_counts,
            out.fingerprints,
            n_threads=self._n_threads,
        )
