"""Training on a Dask cluster: the same model, with the same bits, as on one machine.

    estimators   DaskOcelotClassifier, DaskOcelotRegressor: what users see
    fit          the journey of the data on a cluster, whose stages are
                     reading, some_rows, quantizing, training
    partitions   what is asked of the partitions of a collection, as Dask tasks
    cluster      workers that come and go
    rows         which worker holds which rows, and what happens when one is lost
    remote       shards in other processes: requests are written down and sent
    server       what answers them, in a worker
    moments      a training that goes on after workers were lost
    plan         how large a training is, and what it will take
    loopback     one worker in the driver, asked by the same messages as others

``docs/scale.md`` tells how to use it and what is promised.
"""

from __future__ import annotations

try:
    import dask.array  # noqa: F401
    import distributed  # noqa: F401
except ImportError as problem:  # pragma: no cover - depends on what is installed
    raise ImportError("ocelotboost.dask needs Dask: pip install 'ocelot-boost[dask]'.") from problem

from ocelotboost.dask.errors import ClusterError
from ocelotboost.dask.estimators import DaskOcelotClassifier, DaskOcelotRegressor

__all__ = ["DaskOcelotClassifier", "DaskOcelotRegressor", "ClusterError"]
