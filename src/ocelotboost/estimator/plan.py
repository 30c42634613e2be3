"""A plan before the work: how large a training is, and the memory and time that it will take.

Reading, splitting and quantizing are done as ``fit`` does them, so that rows and bins are counted
and their time is measured. What follows is estimated: memory line by line as the stages allocate
it (estimator/memory_plan.py), time from short trainings of a few rows (estimator/probe.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ocelotboost.errors import InputError
from ocelotboost.estimator.choosing import choose, facts_of
from ocelotboost.estimator.crossing import cross
from ocelotboost.estimator.ensemble import RACED, quantize_for_all
from ocelotboost.estimator.eval_sets import GivenRows
from ocelotboost.estimator.memory_plan import (
    Extent,
    Need,
    file_needs,
    process_need,
    statistic_needs,
    training_needs,
    within_memory,
)
from ocelotboost.estimator.memory_size import in_words
from ocelotboost.estimator.probe import Probes, decided, probe, sample_of, sample_sizes
from ocelotboost.estimator.process_memory import process_bytes
from ocelotboost.estimator.progress import print_text
from ocelotboost.estimator.reading import Given, read
from ocelotboost.estimator.rows import Rows, split
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.target import Target
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.parcels import count_parcels
from ocelotboost.quantize.quantized import Quantized
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.cache_directory import PROCESS_MEMORY, CacheDirectory
from ocelotboost.table.sources import is_read_once


@dataclass(frozen=True, repr=False)
class Plan:
    """How large a training is, and what it will take; printed, it is a table.

    n_rows            to train on
    n_watched         rows of all eval sets, held-out ones included
    n_numeric         columns of numbers
    n_categorical     columns of categories
    n_bins            of all numbers and one-hot values together
    boosting_type     "Plain" or "Ordered"
    n_models          whose average is the model
    n_trees           the most there will be
    may_stop_early    by early stopping or a time limit: then trees and seconds are the most
    n_workers         of a cluster; 0: all is done by this process
    memory            of the process, or of each worker, line by line
    driver_memory     of the process that asks the workers; empty without a cluster
    bytes_per_tree    that are exchanged with all workers together
    seconds_before    the first tree
    seconds_per_tree  from then on
    seconds           in all
    """

    n_rows: int
    n_watched: int
    n_numeric: int
    n_categorical: int
    n_bins: int
    boosting_type: str
    n_models: int
    n_trees: int
    may_stop_early: bool
    n_workers: int
    memory: tuple[Need, ...]
    driver_memory: tuple[Need, ...]
    bytes_per_tree: int
    seconds_before: float
    seconds_per_tree: float
    seconds: float

    @property
    def memory_bytes(self) -> int:
        """Of the process, or of each worker."""
        return sum(need.n_bytes for need in self.memory)

    @property
    def driver_bytes(self) -> int:
        """Of the process that asks the workers."""
        return sum(need.n_bytes for need in self.driver_memory)

    def __str__(self) -> str:
        return "\n".join(f"{name:<9} {text}".rstrip() for name, text in self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[tuple[str, str]]:
        watched = f", {self.n_watched:,} to watch" if self.n_watched else ""
        yield "rows", f"{self.n_rows:,} to train on{watched}"
        yield "columns", f"{self.n_numeric:,} of numbers, {self.n_categorical:,} of categories"
        yield "bins", f"{self.n_bins:,} in all"
        most = "at most " if self.may_stop_early else ""
        each = f" in each of {self.n_models} models" if self.n_models > 1 else ""
        yield "trees", f"{most}{self.n_trees:,}{each}, {self.boosting_type} mode"
        if not self.n_workers:
            yield from _memory_lines("memory", self.memory, "")
            yield "exchange", "nothing: this process has all rows"
        else:
            yield "workers", f"{self.n_workers:,}"
            yield from _memory_lines("memory", self.memory, " per worker")
            yield from _memory_lines("", self.driver_memory, " in the driver")
            each = in_words(self.bytes_per_tree // self.n_workers)
            yield "exchange", f"about {in_words(self.bytes_per_tree)} per tree, {each} per worker"
        per_tree, before = in_time(self.seconds_per_tree), in_time(self.seconds_before)
        yield "time", f"{most or 'about '}{in_time(self.seconds)} in all"
        yield "", f"{before:>8}  before the first tree"
        yield "", f"{per_tree:>8}  per tree"


def _memory_lines(name: str, needs: tuple[Need, ...], where: str) -> Iterator[tuple[str, str]]:
    total = sum(need.n_bytes for need in needs)
    yield name, f"about {in_words(total)}{where}"
    for need in needs:
        yield "", f"{in_words(need.n_bytes):>8}  {need.what}"


def in_time(seconds: float) -> str:
    """
    >>> in_time(0.00123), in_time(0.123), in_time(3.456), in_time(75), in_time(7320)
    ('1.2 ms', '123 ms', '3.5 s', '1 min 15 s', '2 h 2 min')
    """
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


@dataclass(frozen=True)
class Beginning:
    """When a training began, and the memory that the process had; None: not known."""

    moment: float
    n_bytes: int | None

    @classmethod
    def now(cls) -> Beginning:
        return cls(time.perf_counter(), process_bytes())

    @property
    def seconds(self) -> float:
        """Since then."""
        return time.perf_counter() - self.moment


def plan_training(given: Given, watched: list[GivenRows], settings: Settings) -> Plan:
    """The plan of a training: ``fit`` as far as to the bins."""
    begun = Beginning.now()
    for X, argument in ((given.X, "X"), *((own.given.X, own.arguments.X) for own in watched)):
        if is_read_once(X):
            raise InputError(
                f"{argument} is of type {type(X).__name__}, which can be read only once: a plan "
                "would leave nothing to train on. Give the files or the query that it comes from."
            )
    with CacheDirectory(settings.read.cache_dir) as cache:
        table, y, weight = read(given, settings.read, cache)
        target = settings.target.learn(y, weight, table.n_rows, table.memory)
        settings, _ = choose(settings, facts_of(table, target, watched, None, settings))
        division = split(table, target, watched, settings.split, cache)
        division = cross(division, target, settings).division
        rows = division.rows(0)
        settings = within_memory(settings, rows, target)
        quantized = quantize_for_all(division, rows, settings)
        return make_plan(begun, rows, quantized, target, None, settings)


def announce(
    begun: Beginning,
    rows: Rows,
    quantized: Quantized,
    target: Target,
    continued: TrainedModel | None,
    settings: Settings,
) -> None:
    """Print the plan of a training that is under way, where ``verbose`` asks for it."""
    if asks_for_plan(settings.training.verbose):
        print_text(str(make_plan(begun, rows, quantized, target, continued, settings)))


def tell_choices(choices: Mapping[str, Choice], settings: Settings) -> None:
    """Print what was chosen where ``iterations`` is left open, if ``verbose`` asks for it. What
    models decide by a race is told as soon as it is known."""
    raced = RACED if len(settings.ensemble.recipes) > 1 else ()
    lines = [own.told(name) for name, own in choices.items() if name not in raced]
    if settings.training.verbose and settings.left_open.iterations is None and lines:
        print_text("\n".join(lines))


def asks_for_plan(verbose: bool | int) -> bool:
    """True asks for a bar, a number from 2 on for the plan."""
    return not isinstance(verbose, bool | np.bool_) and verbose >= 2


def make_plan(
    begun: Beginning,
    rows: Rows,
    quantized: Quantized,
    target: Target,
    continued: TrainedModel | None,
    settings: Settings,
) -> Plan:
    """The plan of what comes after the bins, together with what it took to make them."""
    seconds, quantizer = begun.seconds, quantized.quantizer
    extent = Extent.of(rows)
    n_rows = extent.n_rows
    settings = decided(settings, extent, rows.training.weight, target)
    sizes = sample_sizes(n_rows, extent)
    order = replace(settings.order, n_parcels=min(count_parcels(n_rows), sizes[0]))
    probed = replace(settings, order=order)
    probes = Probes(
        tuple(
            probe(sample_of(rows, size), quantizer, target, continued, probed, size / n_rows)
            for size in sizes
        )
    )
    needs = [process_need(begun.n_bytes)]
    needs += training_needs(settings, extent, target, at_most=False)
    if rows.training.table.memory is PROCESS_MEMORY:
        needs += file_needs(settings, extent, target, probes.layout)
    return described(
        extent,
        quantizer,
        settings,
        memory=(*needs, *statistic_needs(settings, extent, target)),
        seconds_before=seconds + probes.expected(lambda own: own.seconds_before, n_rows),
        seconds_per_tree=probes.expected(lambda own: own.seconds_per_tree, n_rows),
    )


def described(
    extent: Extent,
    quantizer: Quantizer,
    settings: Settings,
    *,
    memory: tuple[Need, ...],
    seconds_before: float,
    seconds_per_tree: float,
    n_workers: int = 0,
    driver_memory: tuple[Need, ...] = (),
    bytes_per_tree: int = 0,
) -> Plan:
    """The record. The ``settings`` are those that were decided for all rows."""
    loop, bin_counts = settings.training.loop, quantizer.bin_counts
    categorical = np.flatnonzero(quantizer.categorical)
    n_models = settings.ensemble.n_models
    seconds = n_models * loop.iterations * seconds_per_tree
    if loop.time_limit is not None:
        seconds = min(seconds, loop.time_limit + seconds_per_tree)
    return Plan(
        n_rows=extent.n_rows,
        n_watched=extent.n_watched,
        n_numeric=extent.n_columns - extent.n_categorical,
        n_categorical=extent.n_categorical,
        n_bins=int(np.delete(bin_counts, categorical).sum()),
        boosting_type=settings.order.boosting_type,
        n_models=n_models,
        n_trees=loop.iterations,
        may_stop_early=loop.early_stopping_rounds is not None or loop.time_limit is not None,
        n_workers=n_workers,
        memory=memory,
        driver_memory=driver_memory,
        bytes_per_tree=bytes_per_tree,
        seconds_before=seconds_before,
        seconds_per_tree=seconds_per_tree,
        seconds=seconds_before + seconds,
    )
