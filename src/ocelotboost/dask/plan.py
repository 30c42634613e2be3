"""A plan of a training on a cluster, as ``estimator/plan.py`` makes it on one machine.

Workers work at the same time, so a tree takes as long as with the share of the rows that the
busiest of them holds. Short trainings of some of these rows run in the driver, with the threads of
that worker, and tell how much is exchanged (dask/loopback.py). How long an exchange takes is
measured with the workers themselves.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.loopback import Exchanged, LoopbackRows
from ocelotboost.dask.partitions import length
from ocelotboost.dask.reading import Partitions
from ocelotboost.dask.remote import RemoteWorker
from ocelotboost.dask.rows import cut_parcels, persistently
from ocelotboost.dask.some_rows import RowsByUse
from ocelotboost.estimator.memory_plan import (
    Extent,
    Need,
    file_needs,
    process_need,
    statistic_needs,
    training_needs,
)
from ocelotboost.estimator.plan import Beginning, Plan, asks_for_plan, described
from ocelotboost.estimator.probe import (
    Probe,
    Probes,
    decided,
    probe,
    sample_of,
    sample_sizes,
)
from ocelotboost.estimator.process_memory import process_bytes
from ocelotboost.estimator.progress import print_text
from ocelotboost.estimator.rows import Rows
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.target import Target
from ocelotboost.kernels.contract import N_BINS, packed_layout
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.parcels import count_parcels
from ocelotboost.quantize.block import BlockLayout
from ocelotboost.quantize.borders import SAMPLE_SIZE
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.labelled import LabelledTable, WatchedRows, evenly

#: Rounds of messages that are timed.
_ROUNDS = 5


@dataclass(frozen=True)
class Share:
    """What the busiest worker holds.

    addresses  of all workers that will hold rows
    """

    addresses: tuple[str, ...]
    n_rows: int
    n_parcels: int
    n_threads: int

    @classmethod
    def of(cls, cluster: Cluster, n_rows: int) -> Share:
        n_parcels = count_parcels(n_rows)
        workers = list(cluster.wait_for_workers().items())[:n_parcels]
        spans = np.diff(cut_parcels(n_parcels, [threads for _, threads in workers]))
        busiest = int(np.argmax(spans / [threads for _, threads in workers]))
        n_held = int(spans[busiest])
        return cls(
            tuple(address for address, _ in workers),
            -(-n_rows * n_held // n_parcels),
            n_held,
            workers[busiest][1],
        )


def announce(
    begun: Beginning,
    cluster: Cluster,
    parts: Partitions,
    rows: RowsByUse,
    quantizer: Quantizer,
    target: Target,
    continued: TrainedModel | None,
    settings: Settings,
) -> None:
    """Print the plan of a training that is under way, where ``verbose`` asks for it."""
    if asks_for_plan(settings.training.verbose):
        plan = make_cluster_plan(
            begun, cluster, parts, rows, quantizer, target, continued, settings
        )
        print_text(str(plan))


def make_cluster_plan(
    begun: Beginning,
    cluster: Cluster,
    parts: Partitions,
    rows: RowsByUse,
    quantizer: Quantizer,
    target: Target,
    continued: TrainedModel | None,
    settings: Settings,
) -> Plan:
    """The plan of what comes after the bins are known, together with what it took to know them."""
    seconds, training = begun.seconds, rows.training
    extent = Extent(
        n_rows=training.n_rows,
        n_watched=sum(own.data.n_rows for own in rows.watched),
        n_eval_sets=len(rows.watched),
        n_columns=parts.like_a_table().n_columns,
        n_categorical=len(parts.header.categorical),
        weighted=training.weight is not None,
    )
    settings = decided(settings, extent, training.weight, target)
    share = Share.of(cluster, extent.n_rows)
    probes = _probes(parts, rows, share, extent, quantizer, target, continued, settings)
    n_workers = len(share.addresses)
    exchanged = _exchanged_per_tree(probes, share.n_rows)
    of_sums, n_answers = exchanged.of_sums, exchanged.n_answers
    of_others = exchanged.of_values + exchanged.of_rows
    n_bytes = of_sums * n_workers + of_others * extent.n_rows / share.n_rows
    per_answer = round((of_sums + of_others) / n_answers)
    exchanging = n_answers * _seconds_per_round(cluster, share.addresses, per_answer)
    before = probes.expected(lambda own: own.seconds_before, share.n_rows)
    return described(
        extent,
        quantizer,
        settings,
        memory=_worker_memory(cluster, share, extent, target, probes.layout, settings),
        seconds_before=seconds + before + _seconds_of_tasks(parts, n_workers),
        seconds_per_tree=exchanging
        + probes.expected(lambda own: own.seconds_per_tree, share.n_rows),
        n_workers=n_workers,
        driver_memory=_driver_memory(begun, n_workers, extent, target, probes.layout, settings),
        bytes_per_tree=round(n_bytes),
    )


# ---- time and bytes ----------------------------------------------------------------------------


def _probes(
    parts: Partitions,
    rows: RowsByUse,
    share: Share,
    extent: Extent,
    quantizer: Quantizer,
    target: Target,
    continued: TrainedModel | None,
    settings: Settings,
) -> Probes:
    """Of some of the rows of a share, which are brought here."""
    sizes = sample_sizes(share.n_rows, extent)
    own = rows.training.take(evenly(rows.training.n_rows, sizes[-1]))
    data = LabelledTable(parts.taken(own.numbers()), own.target, own.weight)
    watched = [
        WatchedRows(one.name, one.data.some(sizes[-1] / share.n_rows)) for one in rows.watched
    ]
    largest = Rows(data, data, watched)
    n_parcels, n_threads = min(share.n_parcels, sizes[0]), share.n_threads
    order = replace(settings.order, n_parcels=n_parcels, n_threads=n_threads)
    loop = replace(settings.training.loop, n_threads=n_threads)
    settings = replace(settings, order=order, training=replace(settings.training, loop=loop))

    def of(size: int) -> Probe:
        holder = LoopbackRows(share.n_threads)
        return probe(
            sample_of(largest, size),
            quantizer,
            target,
            continued,
            settings,
            size / share.n_rows,
            holder.exchanged,
            holder.boosting,
        )

    return Probes(tuple(map(of, sizes)))


def _exchanged_per_tree(probes: Probes, n_rows: int) -> Exchanged:
    """With a worker that holds this many rows."""
    largest = probes.probes[-1]
    per_tree = Exchanged(*largest.counted_per_tree)
    of_values = probes.expected_of_values(
        lambda own: Exchanged(*own.counted_per_tree).of_values,
        n_rows,
    )
    of_rows = per_tree.of_rows * n_rows / largest.n_rows
    return per_tree._replace(of_values=of_values, of_rows=of_rows)


def _seconds_per_round(cluster: Cluster, addresses: tuple[str, ...], n_bytes: int) -> float:
    """Until all workers have answered with this many bytes."""
    workers: list[RemoteWorker] = []

    def ask() -> float:
        workers[:] = cluster.connect([own for own in addresses if own in cluster.workers()])
        moments = [time.perf_counter()]
        for _ in range(_ROUNDS):
            for worker in workers:
                worker.request(lambda rows: rows.echo(n_bytes))
            for worker in workers:
                worker.receive()
            moments.append(time.perf_counter())
        return float(np.median(np.diff(moments)))

    def disconnect() -> None:
        for worker in workers:
            worker.close()

    try:
        return persistently(ask, disconnect)
    finally:
        disconnect()


def _seconds_of_tasks(parts: Partitions, n_workers: int) -> float:
    """Of Dask, for cutting all partitions and bringing a piece of each to every worker."""
    begun = time.perf_counter()
    parts.ask(length, [()] * (len(parts.edges) - 1))
    return (time.perf_counter() - begun) * (1 + n_workers)


# ---- memory ------------------------------------------------------------------------------------


def _worker_memory(
    cluster: Cluster,
    share: Share,
    extent: Extent,
    target: Target,
    layout: BlockLayout,
    settings: Settings,
) -> tuple[Need, ...]:
    own = replace(extent, n_rows=share.n_rows, n_watched=0, n_eval_sets=0)
    known = [n for n in cluster.ask(process_bytes, share.addresses) if n is not None]
    process = process_need(max(known, default=None))
    return (
        replace(process, what="the worker, with the columns that it has read"),
        Need("bins on their way to the worker", layout.n_slots * share.n_rows),
        *training_needs(settings, own, target, at_most=False),
        *file_needs(settings, own, target, layout),
        *statistic_needs(settings, own, target),
    )


def _driver_memory(
    begun: Beginning,
    n_workers: int,
    extent: Extent,
    target: Target,
    layout: BlockLayout,
    settings: Settings,
) -> tuple[Need, ...]:
    order, depth, n_outputs = settings.order, settings.training.loop.depth, target.loss.n_outputs
    n_orderings = (order.n_supporting + 1) * (
        (extent.n_categorical > 0) + (order.boosting_type == "Ordered")
    )
    per_row = 16 + 8 * extent.weighted + 4 * n_orderings
    n_chunks, n_words = packed_layout(n_outputs)
    level = (1 << depth - 1) * layout.n_slots * N_BINS * 8 * n_chunks * n_words
    sample = 8 * extent.n_columns * min(extent.n_rows, SAMPLE_SIZE)
    watched = (8 * extent.n_columns + layout.n_slots + 16 * n_outputs + 24) * extent.n_watched
    needs = (
        process_need(begun.n_bytes),
        Need(f"targets, places and orderings ({per_row} bytes per row)", per_row * extent.n_rows),
        Need("rows that borders are chosen from", sample),
        Need("histograms, and those that workers send", level * (2 + n_workers) // 2),
        Need(f"eval sets of {extent.n_watched:,} rows", watched),
    )
    return tuple(need for need in needs if need.n_bytes)
