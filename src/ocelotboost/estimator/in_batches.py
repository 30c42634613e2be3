"""Predictions for tables that are read in batches of rows, and predictions as a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.model.trained import TrainedModel
from ocelotboost.table.from_frame import as_frame
from ocelotboost.table.roles import match_columns
from ocelotboost.table.sources import Source, as_source, is_source, no_column, pyarrow_module
from ocelotboost.table.values import Header

#: A row group of predictions has at least this many rows, except for the last.
_GROUP_ROWS = 1 << 18

#: What can be written, and what columns are called where a row has several numbers.
PREDICTIONS = {
    "predict": "prediction",
    "predict_proba": "probability",
    "predict_log_proba": "log_probability",
    "predict_raw": "raw",
}


def batches_for(model: TrainedModel, source: Source, estimator_name: str) -> Iterator[Any]:
    """The columns of the model, in batches of rows. A source may have other columns, which are
    not read."""
    columns = columns_for(model, source, estimator_name)
    n_batches = 0
    for frame in source.batches(columns):
        yield frame.to_native()
        n_batches += 1
    if n_batches == 0:
        raise InputError("X has no rows: a minimum of 1 is required.")


def columns_for(model: TrainedModel, source: Source, estimator_name: str) -> tuple[str, ...]:
    """Those of the model by name, where it has names; else all columns of the source."""
    names = model.feature_names
    if names is None or not set(names) <= set(source.names):
        header = Header(source.names, len(source.names))
        match_columns(header, names, model.n_features, estimator_name)
        return source.names
    return names


def write_predictions(
    predict: Callable[[Any], NDArray[Any]],
    model: TrainedModel,
    X: Any,
    path: str | PathLike[str],
    method: str,
    keep: Sequence[str],
    estimator_name: str,
) -> int:
    """Write what ``predict`` says of each row of X, and the columns ``keep`` of X, to a Parquet
    file, and return the number of rows. The file is there when it is complete, or not at all."""
    arrow, parquet = (pyarrow_module(n, "Parquet files") for n in ("pyarrow", "pyarrow.parquet"))
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    writer, n_rows = None, 0
    try:
        for columns in _in_groups(_predicted(predict, model, X, method, keep, estimator_name)):
            table = arrow.table(columns)
            if writer is None:
                writer = parquet.ParquetWriter(part, table.schema)
            writer.write_table(table.cast(writer.schema))
            n_rows += len(table)
        if writer is not None:
            writer.close()
            os.replace(part, target)
    finally:
        if writer is not None:
            writer.close()
        part.unlink(missing_ok=True)
    return n_rows


def _predicted(
    predict: Callable[[Any], NDArray[Any]],
    model: TrainedModel,
    X: Any,
    method: str,
    keep: Sequence[str],
    estimator_name: str,
) -> Iterator[dict[str, Any]]:
    """The columns of the file, a batch of rows at a time."""
    if not is_source(X):
        frame = as_frame(X, "X") if keep else None
        yield {**_kept(frame, keep), **prediction_columns(predict(X), method, model)}
        return
    source = as_source(X)
    columns = columns_for(model, source, estimator_name)
    source.find(keep)
    for frame in source.batches(list(dict.fromkeys([*columns, *keep]))):
        values = predict(frame.select(columns).to_native())
        yield {**_kept(frame, keep), **prediction_columns(values, method, model)}


def _kept(frame: Any, keep: Sequence[str]) -> dict[str, Any]:
    if not keep:
        return {}
    if frame is None:
        raise ParameterError(f"keep={list(keep)} names columns, but those of X have no names.")
    for name in keep:
        if name not in frame.columns:
            raise no_column(name, frame.columns, "X")
    return {name: frame[name].to_arrow() for name in keep}


def prediction_columns(values: NDArray[Any], method: str, model: TrainedModel) -> dict[str, Any]:
    """One column called "prediction", or one per class, called after it."""
    if values.ndim == 1:
        return {"prediction": values}
    assert model.classes is not None  # several numbers per row are about classes
    names = [f"{PREDICTIONS[method]}_{label}" for label in model.classes.tolist()]
    return {name: np.ascontiguousarray(values[:, i]) for i, name in enumerate(names)}


def _in_groups(batches: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Batches put together until they are worth a row group."""
    gathered: list[dict[str, Any]] = []
    n_rows = 0
    for batch in batches:
        gathered.append(batch)
        n_rows += len(next(iter(batch.values())))
        if n_rows >= _GROUP_ROWS:
            yield _joined(gathered)
            gathered, n_rows = [], 0
    if gathered:
        yield _joined(gathered)


def _joined(batches: list[dict[str, Any]]) -> dict[str, Any]:
    arrow = pyarrow_module("pyarrow", "Parquet files")
    joined = {}
    for name in batches[0]:
        arrays = [_as_arrow(batch[name], arrow) for batch in batches]
        chunks = [c for array in arrays for c in getattr(array, "chunks", [array])]
        joined[name] = arrow.chunked_array(chunks, type=chunks[0].type if chunks else None)
    return joined


def _as_arrow(values: Any, arrow: Any) -> Any:
    return arrow.array(values) if isinstance(values, np.ndarray) else values
