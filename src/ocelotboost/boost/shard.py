"""A shard: some of the training rows, and everything that passes over rows.

The loop sees sums alone. It asks all shards the same: each request returns sums, parcel by parcel
where they are of floating-point numbers (order/parcels.py), or changes the shard's own state.
Sums of integers are exact, those of parcels are added in the parcels' order: so a model has the
same bits, whoever holds which parcels. One process with one shard is the usual case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.contrast import Contrast
from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.models import UnseenRows
from ocelotboost.boost.ordered_rows import OrderedRows
from ocelotboost.boost.plain_rows import PlainRows
from ocelotboost.boost.training_set import HeldRows, ShardSettings
from ocelotboost.grow.packing import Scale
from ocelotboost.grow.rows import GrowingRows
from ocelotboost.kernels import native
from ocelotboost.leaves.estimate import LeafSettings, RowsInLeaves, estimate_alone
from ocelotboost.loss.base import Floats
from ocelotboost.loss.passes import LeafSums, NativePass, pass_for
from ocelotboost.order.binned_rows import PageOf
from ocelotboost.order.feature import Split
from ocelotboost.order.statistic_rows import StatisticRows

#: For sampling that draws nothing.
_NOTHING_DRAWN = np.random.default_rng(0)


class GradientSums(NamedTuple):
    """Of the rows of one parcel.

    fields   float64 (n_gradients + 1,) sums of |gradient| and of weights, sampling included
    squares  sum of weight times squared length of the gradient, without sampling
    weight   sum of the weights, without sampling
    """

    fields: Floats
    squares: float
    weight: float


class Sample(NamedTuple):
    """The rows of a parcel that choose a tree.

    rows      uint32, places of the rows, era after era
    eras      uint32 (n_eras + 1,) rows [eras[e], eras[e + 1]) are of era e
    weight    float32, weight times sampling weight of every row of the parcel; None: all ones
    """

    rows: NDArray[np.uint32]
    eras: NDArray[np.uint32]
    weight: NDArray[np.float32] | None


class EraRows(NamedTuple):
    """The rows of one parcel, era after era.

    rows  uint32, places of the rows in the parcel
    eras  uint32 (n_eras + 1,) rows [eras[e], eras[e + 1]) are of era e
    """

    rows: NDArray[np.uint32]
    eras: NDArray[np.uint32]


class Shard:
    """Whole parcels of the training rows.

    rows     what is held of them; the first has place 0 here
    growing  the same rows while a tree grows
    """

    def __init__(
        self, rows: HeldRows, first_parcel: int, first_place: int, settings: ShardSettings
    ) -> None:
        """``first_parcel`` and ``first_place`` are among those of all shards."""
        self.rows = rows
        self._first_parcel = first_parcel
        self._first_place = first_place
        self._pass = pass_for(settings.loss, settings.n_threads)
        self._sampling = settings.sampling
        self._seed = settings.seed
        self._n_threads = settings.n_threads
        self.growing = GrowingRows(
            rows.block, rows.binned, rows.statistics, settings.n_gradients, settings.n_threads
        )
        self._leaves = rows.memory.zeros((rows.n_rows,), np.uint32)
        self._every_row = rows.memory.keep(np.arange(rows.n_rows, dtype=np.uint32))
        self._plain: dict[int, list[PlainRows]] = {}
        self._ordered: dict[int, list[OrderedRows]] = {}
        self.chosen: list[Evidence] = []  # what the present tree is chosen by

    @property
    def statistics(self) -> StatisticRows:
        """Those of the rows, where there are any."""
        assert self.rows.statistics is not None
        return self.rows.statistics

    # ---- models --------------------------------------------------------------------------

    def start_plain(self, model: int) -> None:
        """M_r of that number, at the raw predictions that training begins with."""
        self._plain[model] = [
            PlainRows(self.rows, places, self._pass) for places in self.rows.parcels.slices
        ]

    def start_ordered(
        self,
        ordering: int,
        parcels: Sequence[EraRows],
        start_values: Sequence[Floats],
        n_slots: int,
    ) -> None:
        """The segments' models of an ordering, whose eras divide each parcel."""
        self._ordered[ordering] = [
            OrderedRows(
                self.rows,
                places,
                self._pass,
                own.rows + np.uint32(places.start),
                own.eras,
                start_values,
                n_slots,
            )
            for places, own in zip(self.rows.parcels.slices, parcels, strict=True)
        ]

    def raw(self) -> list[dict[str, Floats]]:
        """The raw predictions of each parcel, by the models' names: the arrays themselves."""
        found: list[dict[str, Floats]] = [{} for _ in self.rows.parcels.slices]
        for r, model in self._plain.items():
            for p, rows in enumerate(model):
                found[p][f"model {r}"] = rows.raw
        for r, segments in self._ordered.items():
            for p, own in enumerate(segments):
                found[p][f"segments {r}"] = own.raw_of_all
        return found

    def raw_of(self, model: int) -> list[Floats]:
        """The raw predictions (n_outputs, n) of M_r in each parcel."""
        return [rows.raw for rows in self._plain[model]]

    def raw_restored(self, plain_known: Sequence[int]) -> None:
        """The raw predictions were replaced. Gradients are made again where the next leaves are
        filled by them: at the models ``plain_known``, and at all segments."""
        for r, model in self._plain.items():
            for rows in model:
                rows.raw_restored()
                if r in plain_known:
                    rows.differentiate()
        for segments in self._ordered.values():
            for own in segments:
                own.differentiate_tails()

    # ---- growing a tree ------------------------------------------------------------------

    def lengths(self, ordering: int) -> list[float]:
        """Sums of the lengths of gradients, and nothing of weights."""
        return [float(np.sqrt(_squares(own)).sum()) for own in self.evidence(ordering)]

    def sample(self, ordering: int, leaf_size: float, tree: int) -> list[GradientSums]:
        """Choose the rows of a tree. ``leaf_size`` is as sampling takes it."""
        self.chosen = self.evidence(ordering)
        self._sampled = [
            self._sample(own, leaf_size, self._generator(tree, p))
            for p, own in enumerate(self.chosen)
        ]
        return self._sums_of_chosen()

    def compare(self, contrast: Contrast) -> list[GradientSums]:
        """Of the sampled rows' gradients, only the differences of two classes choose the tree."""
        self.chosen = [
            replace(
                own,
                gradients=contrast.of(own.gradients, len(own.own)),
                own=contrast.of(own.own, len(own.own)),
            )
            for own in self.chosen
        ]
        return self._sums_of_chosen()

    def pack(self, scale: Scale, n_eras: int) -> NDArray[np.uint32]:
        """Gradients become integers, and the chosen rows a single leaf: where its eras begin."""
        for own, sample in zip(self.chosen, self._sampled, strict=True):
            native.pack_gradients(
                own.gradients, sample.weight, scale.exact, scale.units, scale.dithered, own.rows,
                own.places.start, self._first_place, self.growing.words, n_threads=self._n_threads,
            )  # fmt: skip
        return self.growing.root(*_by_era(self._sampled, n_eras))

    def evidence(self, ordering: int) -> list[Evidence]:
        """What a tree of this ordering is chosen by, parcel by parcel."""
        models = self._ordered if self._ordered else self._plain
        return [rows.evidence() for rows in models[ordering]]

    def _generator(self, tree: int, parcel: int) -> np.random.Generator:
        """What a parcel draws for a tree depends on nothing that was drawn before."""
        if self._sampling.takes_all_rows:
            return _NOTHING_DRAWN
        seed, number = self._seed, self._first_parcel + parcel
        own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, tree, number))
        return np.random.default_rng(own)

    def _sample(self, evidence: Evidence, leaf_size: float, rng: np.random.Generator) -> Sample:
        own, weight = evidence.own, evidence.weight
        sampled = self._sampling.weights(own, weight, leaf_size, rng)
        every = self._every_row[evidence.places] if evidence.rows is None else evidence.rows
        if sampled is None:
            return Sample(every, evidence.eras, weight)
        taken = np.flatnonzero(sampled > 0)
        eras = np.searchsorted(taken, evidence.eras).astype(np.uint32)
        weight = sampled if weight is None else sampled * weight
        return Sample(every.take(taken), eras, weight)

    def _sums_of_chosen(self) -> list[GradientSums]:
        return [
            self._gradient_sums(own, sample.weight)
            for own, sample in zip(self.chosen, self._sampled, strict=True)
        ]

    def _gradient_sums(
        self, evidence: Evidence, weight: NDArray[np.float32] | None
    ) -> GradientSums:
        fields = np.empty(len(evidence.gradients) + 1)
        native.absolute_sums(evidence.gradients, weight, fields, n_threads=self._n_threads)
        squares, own = _squares(evidence), evidence.weight
        if own is None:
            return GradientSums(fields, float(squares.sum()), float(len(squares)))
        total = float(own.sum(dtype=np.float64))
        return GradientSums(fields, float((squares * own).sum()), total)

    # ---- filling leaves ------------------------------------------------------------------

    def one_leaf(self) -> None:
        """All rows are in one leaf, for the requests that follow."""
        self._leaves[:] = 0

    def append_answers(self, splits: Sequence[Split], pages: PageOf) -> None:
        """The leaves are divided by some questions, about the statistics on these pages."""
        self.rows.binned.append_answers(splits, pages, self._leaves, self._n_threads)

    def in_leaves(self, model: int) -> list[RowsInLeaves]:
        """The rows at M_r: not a sum, but all of them."""
        return [rows.in_leaves(self._leaves) for rows in self._plain[model]]

    def leaf_values(
        self, model: int, n_leaves: int, settings: LeafSettings
    ) -> list[tuple[Floats, Floats]]:
        """Values and weights of leaves by the rows of each parcel alone, at M_r."""
        own = replace(settings, n_threads=self._n_threads)
        return [estimate_alone(self._pass, rows, n_leaves, own) for rows in self.in_leaves(model)]

    def leaf_sums(self, model: int, steps: Floats, with_losses: bool) -> list[LeafSums]:
        """Of M_r at its raw predictions plus steps (n_leaves, n_outputs)."""
        return [rows.sums(self._pass, steps, with_losses) for rows in self.in_leaves(model)]

    def add(self, model: int, values: Floats) -> None:
        """Add the values (n_leaves, n_outputs) of leaves to the predictions of M_r."""
        for rows in self._plain[model]:
            rows.add(self._leaves, values, self._n_threads)

    def losses(self, model: int) -> list[float]:
        """Sums of the losses of M_r, weights included."""
        return [rows.differentiate() for rows in self._plain[model]]

    def bodies_in_leaves(self, ordering: int, n_leaves: int) -> list[RowsInLeaves]:
        """The rows of all bodies at their models, in leaf ``segment * n_leaves + leaf``: not a
        sum, but all of them."""
        return [rows.bodies_in_leaves(self._leaves, n_leaves) for rows in self._ordered[ordering]]

    def body_leaf_values(
        self, ordering: int, n_leaves: int, settings: LeafSettings, n_segments: int
    ) -> list[tuple[Floats, Floats]]:
        """Values and weights of these leaves by the rows of each parcel alone."""
        own = replace(settings, n_threads=self._n_threads)
        bodies = self.bodies_in_leaves(ordering, n_leaves)
        return [estimate_alone(self._pass, rows, n_segments * n_leaves, own) for rows in bodies]

    def body_leaf_sums(
        self, ordering: int, n_leaves: int, steps: Floats, with_losses: bool
    ) -> list[LeafSums]:
        """Of all bodies at their models' raw predictions plus the steps of these leaves."""
        bodies = self.bodies_in_leaves(ordering, n_leaves)
        return [rows.sums(self._pass, steps, with_losses) for rows in bodies]

    def body_sums(self, ordering: int, n_leaves: int) -> list[Floats]:
        """(n_segments, n_leaves, 3) gradients, Hessians and weights of all bodies."""
        assert isinstance(self._pass, NativePass)
        return [
            rows.body_sums(self._pass, self._leaves, n_leaves) for rows in self._ordered[ordering]
        ]

    def add_by_segment(self, ordering: int, values: Floats) -> None:
        """Add the values (n_segments, n_leaves) of leaves to the segments' predictions."""
        assert isinstance(self._pass, NativePass)
        for rows in self._ordered[ordering]:
            rows.add_by_segment(self._pass, self._leaves, values)

    def add_to_segments(self, ordering: int, values: Floats) -> None:
        """The same with values (n_segments, n_leaves, n_outputs)."""
        for rows in self._ordered[ordering]:
            rows.add(self._leaves, values, self._n_threads)

    def unseen_losses(self, ordering: int) -> list[float]:
        """Sums of the losses of the tails, weights included."""
        return [rows.unseen_loss for rows in self._ordered[ordering]]

    def unseen(self, ordering: int) -> list[UnseenRows]:
        """The rows of the tails."""
        return [rows.unseen for rows in self._ordered[ordering]]


def _by_era(
    samples: Sequence[Sample], n_eras: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The rows of all parcels, era after era, and where the eras begin."""
    if len(samples) == 1:
        return samples[0].rows, samples[0].eras
    rows = [
        sample.rows[sample.eras[e] : sample.eras[e + 1]]
        for e in range(n_eras)
        for sample in samples
    ]
    eras = np.zeros(n_eras + 1, dtype=np.uint32)
    for sample in samples:
        eras += sample.eras
    return np.concatenate([np.empty(0, dtype=np.uint32), *rows]), eras


def _squares(evidence: Evidence) -> Floats:
    squares: Floats = np.einsum("kn,kn->n", evidence.own, evidence.own, dtype=np.float64)
    return squares
