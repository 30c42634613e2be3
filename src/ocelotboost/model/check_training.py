"""What a report trusts about what is remembered of training is checked here."""

from __future__ import annotations

import numpy as np

from ocelotboost.model.check_categories import check_array, require
from ocelotboost.model.training_summary import SUMMARY_ARRAYS, TrainingSummary


def check_training(summary: TrainingSummary, n_features: int) -> None:
    """Raise ModelFileError unless offsets, edges, shares and hashes fit together."""
    for array in SUMMARY_ARRAYS:
        check_array(f"training.{array.name}", getattr(summary, array.name), array.dtypes, 1)
    require(len(summary.size) == 1, "training.size is not one number")
    n_edges = len(summary.edges)
    for name, expected in (
        ("missing", n_features),
        ("range_shares", n_edges + n_features),
        ("category_shares", len(summary.categories)),
    ):
        found = len(getattr(summary, name))
        require(found == expected, f"training.{name} has length {found}, not {expected}")
    for name, n_values in (
        ("edge_offsets", n_edges),
        ("category_offsets", len(summary.categories)),
        ("known_offsets", len(summary.known)),
    ):
        offsets = getattr(summary, name).astype(np.int64)
        fits = len(offsets) == n_features + 1 and offsets[0] == 0 and offsets[-1] == n_values
        require(bool(fits) and bool((np.diff(offsets) >= 0).all()), f"training.{name} is no cut")
    for name in ("missing", "range_shares", "category_shares"):
        shares = getattr(summary, name)
        require(bool(((shares >= 0) & (shares <= 1)).all()), f"training.{name} has no shares")
    require(bool(np.isfinite(summary.edges).all()), "training.edges has a value that is not finite")
    require(
        all(bool((np.diff(summary.edges_of(own)) > 0).all()) for own in range(n_features)),
        "training.edges do not ascend",
    )
    most = min(summary.n_rows, 1 << 40)
    require(len(summary.row_hashes) <= most, "training.row_hashes has more rows than training")
