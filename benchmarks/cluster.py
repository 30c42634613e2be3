"""Shards and a Dask cluster compared with one process, and with the peers on the same cluster:
`python -m benchmarks.cluster`; `--help` tells how to run a part of it.

The cluster is two worker processes of one thread each. One process has two threads. All take turns;
the best of the repetitions counts.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import Data, generate, scaled_rows
from benchmarks.options import command, make_parser
from benchmarks.peers import load
from benchmarks.peers.library import LEAST_HESSIAN, Settings
from benchmarks.report import Table, environment, number
from benchmarks.store import keep

#: The work of all: depth 6, 254 borders, one Newton step per tree, no sampling.
WORK = Settings("Logloss")
N_WORKERS = 2
N_PARTITIONS = 8

Fit = Callable[[int], Any]  # of a number of trees
Values = dict[str, dict[str, float]]  # by entrant: seconds, milliseconds and megabytes per tree


@dataclass(frozen=True)
class Case:
    """Entrants on one table; ratios are to the first of them.

    few, many  trees of the two fits whose difference is the time per tree
    goals      by entrant: the ratio of totals that is wanted
    """

    title: str
    make_data: Callable[[float], Data]
    entrants: tuple[str, ...]
    goals: Mapping[str, float]
    few: int = 10
    many: int = 100


def _numbers(scale: float) -> Data:
    return generate("Logloss", scaled_rows(1_000_000, scale), 28)


def _with_categories(scale: float) -> Data:
    """Ten of the columns are categories of 10 to 5,000 values, which the target depends on."""
    data = _numbers(scale)
    frame = pd.DataFrame(data.features, columns=[f"x{i}" for i in range(28)])
    random = np.random.default_rng(5)
    effect = np.zeros(len(data))
    names = []
    for i, n_values in enumerate(np.geomspace(10, 5_000, 10).astype(int)):
        codes = random.integers(0, n_values, size=len(data))
        effect += random.normal(size=n_values)[codes] / 3
        names.append(f"c{i}")
        frame[names[-1]] = pd.Categorical.from_codes(codes, [f"v{v}" for v in range(n_values)])
    flipped = random.random(len(data)) < 1 / (1 + np.exp(-effect))
    target = np.where(random.random(len(data)) < 0.5, flipped, data.target).astype(np.int32)
    return Data(frame.drop(columns=[f"x{i}" for i in range(18, 28)]), target, None, tuple(names))


CASES = {
    "shards_1m_28": Case(
        "1,000,000 × 28, shards in one process",
        _numbers,
        ("one shard", "four shards"),
        {"four shards": 1.15},
    ),
    "cluster_1m_28": Case(
        "1,000,000 × 28, Plain",
        _numbers,
        ("one process", "cluster", "xgboost.dask", "lightgbm.dask"),
        {"cluster": 1.4},
    ),
    "cluster_1m_28_ordered": Case(
        "1,000,000 × 28, Ordered",
        _numbers,
        ("one process, Ordered", "cluster, Ordered"),
        {"cluster, Ordered": 1.6},
    ),
    "cluster_1m_18_10": Case(
        "1,000,000 × 18 numbers and 10 categories, two combined",
        _with_categories,
        ("one process", "cluster"),
        {},
        5,
        30,
    ),
}


# ---- who is measured -------------------------------------------------------------------------


def _ours(kind: Any, categories: tuple[str, ...], mode: str, trees: int, **more: Any) -> Any:
    return kind(
        iterations=trees,
        learning_rate=WORK.learning_rate,
        depth=WORK.depth,
        l2_leaf_reg=WORK.l2_leaf_reg,
        border_count=WORK.border_count,
        random_strength=0,
        bootstrap_type="No",
        leaf_estimation_iterations=WORK.leaf_estimation_iterations,
        boosting_type=mode,
        max_combination=2,
        random_state=0,
        cat_features=list(categories) or None,
        **more,
    )


def _one_process(data: Data, mode: str, trees: int) -> Any:
    from ocelotboost import OcelotClassifier

    model = _ours(OcelotClassifier, data.categorical, mode, trees, n_jobs=WORK.threads)
    return model.fit(data.features, data.target)


def _four_shards(data: Data, trees: int) -> Any:
    from ocelotboost.boost import shards

    whole = shards.cut
    shards.cut = lambda parcels: np.linspace(0, parcels.n_parcels, 5).astype(int).tolist()
    try:
        return _one_process(data, "Plain", trees)
    finally:
        shards.cut = whole


def _on_cluster(client: Any, X: Any, y: Any, data: Data, mode: str, trees: int) -> Any:
    from ocelotboost.dask import DaskOcelotClassifier

    return _ours(DaskOcelotClassifier, data.categorical, mode, trees, client=client).fit(X, y)


def _xgboost(client: Any, X: Any, y: Any, trees: int) -> Any:
    from xgboost import dask as xgboost_dask

    parameters = {
        "objective": "binary:logistic",
        "learning_rate": WORK.learning_rate,
        "tree_method": "hist",
        "grow_policy": "depthwise",
        "max_depth": WORK.depth,
        "min_child_weight": LEAST_HESSIAN,
        "reg_lambda": WORK.l2_leaf_reg,
        "max_bin": WORK.border_count + 1,
        "verbosity": 0,
    }
    matrix = xgboost_dask.DaskQuantileDMatrix(client, X, y, max_bin=WORK.border_count + 1)
    return xgboost_dask.train(client, parameters, matrix, num_boost_round=trees)


def _lightgbm(client: Any, X: Any, y: Any, trees: int) -> Any:
    from lightgbm import DaskLGBMClassifier

    return DaskLGBMClassifier(
        client=client,
        n_estimators=trees,
        learning_rate=WORK.learning_rate,
        num_leaves=2**WORK.depth,
        max_depth=WORK.depth,
        min_child_samples=1,
        min_child_weight=LEAST_HESSIAN,
        reg_lambda=WORK.l2_leaf_reg,
        max_bin=WORK.border_count + 1,
        verbosity=-1,
    ).fit(X, y)


@contextmanager
def _cluster(data: Data) -> Iterator[tuple[Any, Any, Any]]:
    """A client, and the data as collections that the workers hold."""
    import dask.array
    import dask.dataframe
    from distributed import Client, LocalCluster, wait

    with (
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        rows = -(-len(data) // N_PARTITIONS)
        if isinstance(data.features, pd.DataFrame):
            X = dask.dataframe.from_pandas(data.features, npartitions=N_PARTITIONS)
        else:
            X = dask.array.from_array(data.features, chunks=(rows, -1))
        X, y = client.persist([X, dask.array.from_array(data.target, chunks=rows)])
        wait([X, y])
        yield client, X, y


def _fits(case: Case, data: Data, cluster: tuple[Any, Any, Any] | None) -> dict[str, Fit]:
    everyone: dict[str, Fit] = {
        "one shard": partial(_one_process, data, "Plain"),
        "four shards": partial(_four_shards, data),
        "one process": partial(_one_process, data, "Plain"),
        "one process, Ordered": partial(_one_process, data, "Ordered"),
    }
    if cluster is not None:
        everyone["cluster"] = partial(_on_cluster, *cluster, data, "Plain")
        everyone["cluster, Ordered"] = partial(_on_cluster, *cluster, data, "Ordered")
        everyone["xgboost.dask"] = partial(_xgboost, *cluster)
        everyone["lightgbm.dask"] = partial(_lightgbm, *cluster)
    return {name: everyone[name] for name in case.entrants}


# ---- measuring -------------------------------------------------------------------------------


def measure(case: Case, repeat: int, scale: float) -> Values:
    """The best of some repetitions, all entrants taking turns."""
    data = case.make_data(scale)
    if any("cluster" in name for name in case.entrants):
        with _cluster(data) as cluster:
            return _take_turns(case, _fits(case, data, cluster), repeat)
    return _take_turns(case, _fits(case, data, None), repeat)


def _take_turns(case: Case, fits: Mapping[str, Fit], repeat: int) -> Values:
    for fit in fits.values():  # starts threads, and imports in the workers
        fit(2)
    found: dict[str, dict[int, float]] = {name: {} for name in fits}
    exchanged: dict[str, dict[int, int]] = {name: {} for name in fits}
    for _ in range(repeat):
        for trees in (case.few, case.many):
            for name, fit in fits.items():
                begun = time.perf_counter()
                model = fit(trees)
                seconds = time.perf_counter() - begun
                found[name][trees] = min(found[name].get(trees, np.inf), seconds)
                exchanged[name][trees] = getattr(model, "bytes_exchanged_", 0)
    return {
        name: {
            "total s": own[case.many],
            "ms/tree": 1000 * _difference(case, own),
            "MB/tree": _difference(case, exchanged[name]) / 1e6,
        }
        for name, own in found.items()
    }


def _difference(case: Case, values: Mapping[int, float]) -> float:
    """Per tree."""
    return (values[case.many] - values[case.few]) / (case.many - case.few)


def case_table(case: Case, values: Values) -> Table:
    first = values[case.entrants[0]]
    rows = [
        [
            name,
            number(own["ms/tree"]),
            number(own["ms/tree"] / first["ms/tree"]),
            number(own["total s"]),
            number(own["total s"] / first["total s"]),
            f"≤ {case.goals[name]:g}" if name in case.goals else "",
            number(own["MB/tree"]) if own["MB/tree"] else "",
        ]
        for name, own in values.items()
    ]
    header = ("", "ms/tree", "ratio", f"total s, {case.many} trees", "ratio", "goal", "MB/tree")
    return Table(case.title, header, rows)


def main() -> None:
    parser = make_parser("benchmarks.cluster", __doc__, "--case", CASES)
    parser.add_argument("--repeat", type=int, default=3, help="repetitions; the best counts")
    options: Namespace = parser.parse_args()
    libraries = load(["ocelot", "xgboost", "lightgbm"], required=True)
    for name in options.case or CASES:
        case = CASES[name]
        values = measure(case, options.repeat, options.scale)
        case_table(case, values).show()
        if options.json is not None:
            facts = environment(command(parser, options), libraries.values())
            keep(options.json, facts, {name: values})


if __name__ == "__main__":
    main()
