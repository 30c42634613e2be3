"""The ways of measuring a case. All timing goes through `alternate`."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.case import Case
from benchmarks.data import Data, scaled_rows
from benchmarks.memory import peak_megabytes_in_new_process
from benchmarks.peers import Library, Predictor, Settings

Job = Callable[[], Any]
CALLS = 300  # of one-row prediction in each repetition
PAUSE = 0.05  # seconds in which the threads of the library before go to sleep


@dataclass(frozen=True)
class Entrant:
    """A library with the settings and the rows it runs with in one case."""

    label: str
    library: Library
    settings: Settings
    share: float  # of the rows

    def rows(self, data: Data) -> Data:
        """Its part of the data: the first rows."""
        return data.take(slice(scaled_rows(len(data), self.share)))


@dataclass(frozen=True)
class Measurement:
    """What one entrant reached: values by column, and every repetition behind them."""

    label: str
    values: dict[str, float]
    repetitions: dict[str, list[float]]


@dataclass(frozen=True)
class Way:
    """A way of measuring. The goals are about the first column; smaller is better."""

    columns: tuple[str, ...]
    run: Callable[[Case, list[Entrant], int, float], list[Measurement]]


def entrants(case: Case, libraries: Mapping[str, Library]) -> list[Entrant]:
    """Every library in every variant of the case."""
    return [
        Entrant(
            variant.label(name),
            library,
            replace(case.settings, threads=variant.threads),
            variant.share,
        )
        for name, library in libraries.items()
        for variant in case.variants
    ]


def seconds(job: Job) -> float:
    """Wall time of one call; what it returns is freed after the clock has stopped."""
    start = time.perf_counter()
    result = job()
    stop = time.perf_counter()
    del result
    return stop - start


def seconds_per_call(job: Job) -> float:
    """Median wall time of many calls in a row."""
    return statistics.median(seconds(job) for _ in range(CALLS))


def alternate(
    jobs: Mapping[Any, Job], repeat: int, clock: Callable[[Job], float] = seconds
) -> dict[Any, list[float]]:
    """Time all jobs in turn, `repeat` times, each round starting with another one.

    So whatever else the machine does affects every library alike.
    """
    times: dict[Any, list[float]] = {key: [] for key in jobs}
    keys = list(jobs)
    for repetition in range(repeat):
        first = repetition % len(keys) if keys else 0
        for key in keys[first:] + keys[:first]:
            gc.collect()
            time.sleep(PAUSE)
            times[key].append(clock(jobs[key]))
    return times


def per_tree(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """Fits with few and with many trees: the difference is the trees, preparation cancels out."""
    data = case.make_data(scale)
    many = case.scaled_trees(scale)
    few = max(1, many // 5)
    _warm_up(chosen, data)
    jobs = {
        (entrant.label, trees): _fit_job(entrant, data, trees)
        for entrant in chosen
        for trees in (few, many)
    }
    times = alternate(jobs, repeat)
    measurements = []
    for entrant in chosen:
        short, long = times[entrant.label, few], times[entrant.label, many]
        values = {"total s": min(long)}
        if min(long) > min(short):  # else noise hides the trees: no value rather than a wrong one
            values["ms/tree"] = 1e3 * (min(long) - min(short)) / (many - few)
        repetitions = {f"s, {few} trees": short, f"s, {many} trees": long}
        measurements.append(Measurement(entrant.label, values, repetitions))
    return measurements


def whole_fit(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """One fit from NumPy to the model; preparation counts."""
    data = case.make_data(scale)
    trees = case.scaled_trees(scale)
    _warm_up(chosen, data)
    jobs = {entrant.label: _fit_job(entrant, data, trees) for entrant in chosen}
    return _best("total s", 1.0, alternate(jobs, repeat))


def preparation(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """From NumPy to the library's quantized data set."""
    data = case.make_data(scale)
    _warm_up(chosen, data)
    jobs = {entrant.label: _prepare_job(entrant, data) for entrant in chosen}
    return _best("ms", 1e3, alternate(jobs, repeat))


def prediction(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """All rows of the data at once."""
    jobs = _predict_jobs(case, chosen, scale, rows=None)
    return _best("ms", 1e3, alternate(jobs, repeat))


def explanation(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """SHAP values of all rows of the data."""
    return _explained(case, chosen, repeat, scale, interactions=False)


def interactions(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """SHAP interactions of all rows of the data."""
    return _explained(case, chosen, repeat, scale, interactions=True)


def one_row(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """One row per call."""
    jobs = _predict_jobs(case, chosen, scale, rows=1)
    return _best("µs per call", 1e6, alternate(jobs, repeat, clock=seconds_per_call))


def memory(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """A process of its own for each library; once, because memory hardly varies."""
    peaks = {
        entrant.label: [peak_megabytes_in_new_process(case.name, entrant.library.name, scale)]
        for entrant in chosen
    }
    return _best("MB", 1.0, peaks)


def model_file(case: Case, chosen: list[Entrant], repeat: int, scale: float) -> list[Measurement]:
    """The size of a model in its library's own format; once, because it does not vary."""
    sizes: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder:
        for entrant in chosen:
            path = Path(folder) / f"model_{entrant.label}"
            entrant.library.save(_trained(entrant.library, case, scale), path)
            sizes[entrant.label] = [path.stat().st_size]
    return _best("KB", 1e-3, sizes)


WAYS = {
    "per_tree": Way(("ms/tree", "total s"), per_tree),
    "whole_fit": Way(("total s",), whole_fit),
    "preparation": Way(("ms",), preparation),
    "prediction": Way(("ms",), prediction),
    "explanation": Way(("s",), explanation),
    "interactions": Way(("s",), interactions),
    "one_row": Way(("µs per call",), one_row),
    "memory": Way(("MB",), memory),
    "model_file": Way(("KB",), model_file),
}


def _best(column: str, unit: float, times: Mapping[str, list[float]]) -> list[Measurement]:
    return [
        Measurement(label, {column: unit * min(all_times)}, {column: [unit * t for t in all_times]})
        for label, all_times in times.items()
    ]


def _warm_up(chosen: list[Entrant], data: Data) -> None:
    for entrant in chosen:
        entrant.library.warm_up(entrant.rows(data), entrant.settings)


def _fit_job(entrant: Entrant, data: Data, trees: int) -> Job:
    rows = entrant.rows(data)
    return lambda: entrant.library.fit(rows, entrant.settings, trees)


def _prepare_job(entrant: Entrant, data: Data) -> Job:
    rows = entrant.rows(data)
    return lambda: entrant.library.prepare(rows, entrant.settings)


def _predict_jobs(
    case: Case, chosen: list[Entrant], scale: float, rows: int | None
) -> dict[str, Job]:
    data = case.make_data(scale)
    jobs: dict[str, Job] = {}
    for entrant in chosen:
        features = entrant.rows(data).take(slice(rows)).features
        model = _trained(entrant.library, case, scale)
        predict = entrant.library.predictor(model, entrant.settings)
        predict(features)
        jobs[entrant.label] = _predict_job(predict, features)
    return jobs


def _explained(
    case: Case, chosen: list[Entrant], repeat: int, scale: float, *, interactions: bool
) -> list[Measurement]:
    """A few rows first, so that what a library prepares once is prepared."""
    features = case.make_data(scale).features
    jobs: dict[str, Job] = {}
    for entrant in chosen:
        model = _trained(entrant.library, case, scale)
        explain = entrant.library.explainer(model, entrant.settings, interactions=interactions)
        explain(features[:10])
        jobs[entrant.label] = _predict_job(explain, features)
    return _best("s", 1.0, alternate(jobs, repeat))


def _predict_job(predict: Predictor, features: Any) -> Job:
    return lambda: predict(features)


def _trained(library: Library, case: Case, scale: float) -> Any:
    """The model of a case that does not time training."""
    make_training = case.make_training or case.make_data
    return _fitted(library, make_training, case.settings, case.scaled_trees(scale), scale)


@cache
def _fitted(
    library: Library,
    make_training: Callable[[float], Data],
    settings: Settings,
    trees: int,
    scale: float,
) -> Any:
    return library.fit(make_training(scale), settings, trees)
