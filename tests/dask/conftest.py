"""Clusters for the tests. Each of them is made once, when it is first needed."""

from __future__ import annotations

import pytest
from distributed import Client, LocalCluster

from ocelotboost.order import parcels

#: So that tables of hundreds of rows have many parcels.
PARCEL_ROWS = 50


@pytest.fixture(autouse=True)
def _small_parcels(monkeypatch):
    monkeypatch.setattr(parcels, "PARCEL_ROWS", PARCEL_ROWS)


@pytest.fixture(scope="session")
def client():
    """Two workers, each in a process of its own."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def threads():
    """Three workers in this process."""
    with (
        LocalCluster(
            n_workers=3, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
