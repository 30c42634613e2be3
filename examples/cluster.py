"""Orders on a Dask cluster: `python -m examples.cluster`.

A cluster of two worker processes is started here; give the address of a scheduler to use another
one: `python -m examples.cluster --scheduler tcp://scheduler:8786`. The model is the one that a
single machine makes of the same rows, to the last bit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from ocelotboost import OcelotClassifier, load_model
from ocelotboost.cli.orders import generate_orders
from ocelotboost.dask import DaskOcelotClassifier


@contextmanager
def connected(scheduler: str | None) -> Iterator[Client]:
    """A client of the cluster at an address, or of one that lives as long as the client."""
    if scheduler is not None:
        with Client(scheduler) as client:
            yield client
        return
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m examples.cluster", description=__doc__)
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--scheduler", help="the address of a cluster; default: start one")
    options = parser.parse_args(arguments)
    columns, returned = generate_orders(options.rows)
    frame = pd.DataFrame(columns)
    settings = {"iterations": options.trees, "boosting_type": "Plain", "random_state": 0}
    with TemporaryDirectory() as folder, connected(options.scheduler) as client:
        # Workers read their own parts of the files. A worker that is lost is no loss: the others
        # read its parts again.
        frame.assign(returned=returned).to_parquet(Path(folder) / "orders.parquet", index=False)
        orders = dd.read_parquet(Path(folder) / "orders.parquet").repartition(npartitions=8)
        X, y = orders.drop(columns="returned"), orders["returned"]
        n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
        print(f"{options.rows:,} orders in {X.npartitions} partitions, {n_workers} workers")

        begun = time.perf_counter()
        model = DaskOcelotClassifier(client=client, **settings).fit(X, y)
        print(f"{model.n_iter_} trees on the cluster: {time.perf_counter() - begun:.1f} s")

        chances = model.predict_proba(X)[True]  # lazy: nothing is computed yet
        print(f"mean chance that an order is sent back: {chances.mean().compute():.3f}")

        model.save_model(Path(folder) / "returns.ocelot")
        saved = load_model(Path(folder) / "returns.ocelot")
        begun = time.perf_counter()
        alone = OcelotClassifier(**settings).fit(frame, returned)
        print(f"the same in this process: {time.perf_counter() - begun:.1f} s")
        some = frame.head(1000)
        same = np.array_equal(saved.predict_proba(some), alone.predict_proba(some))
        print("the two models are", "the same, to the last bit" if same else "different")


if __name__ == "__main__":
    main()
