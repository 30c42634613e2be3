"""The pages of the site, in their order."""

from __future__ import annotations

from dataclasses import dataclass

#: The first page.
HOME = "docs/README.md"


@dataclass(frozen=True)
class Chapter:
    """A title in the sidebar and the pages below it, as paths from the project's root."""

    title: str
    pages: tuple[str, ...]


CHAPTERS = (
    Chapter(
        "Start",
        (
            "docs/quick_start.md",
            "docs/ordered_boosting.md",
            "docs/benchmarks.md",
        ),
    ),
    Chapter(
        "Notebooks",
        (
            "examples/notebooks/file_to_report.py",
            "examples/notebooks/time_ordered.py",
            "examples/notebooks/many_ids.py",
        ),
    ),
    Chapter(
        "How to",
        (
            "docs/how_to/categories.md",
            "docs/how_to/time.md",
            "docs/how_to/imbalance.md",
            "docs/how_to/early_stopping.md",
            "docs/how_to/tuning.md",
            "docs/how_to/explaining.md",
            "docs/how_to/deploying.md",
            "docs/how_to/larger_than_memory.md",
        ),
    ),
    Chapter(
        "Guide: the journey of the data",
        (
            "docs/guide/table.md",
            "docs/guide/quantize.md",
            "docs/guide/order.md",
            "docs/guide/boost.md",
            "docs/guide/grow.md",
            "docs/guide/leaves.md",
            "docs/guide/model.md",
        ),
    ),
    Chapter(
        "Coming from",
        (
            "docs/coming_from/catboost.md",
            "docs/coming_from/lightgbm.md",
            "docs/coming_from/xgboost.md",
        ),
    ),
    Chapter(
        "Reference",
        (
            "docs/parameters.md",
            "docs/estimators.md",
            "reference/estimators.md",
            "reference/records.md",
            "reference/displays.md",
            "reference/cluster.md",
            "docs/command_line.md",
            "docs/losses_and_metrics.md",
            "docs/errors.md",
            "docs/model_format.md",
        ),
    ),
    Chapter(
        "Topics",
        (
            "docs/quality.md",
            "docs/categories.md",
            "docs/dates.md",
            "docs/weights.md",
            "docs/cross_validation.md",
            "docs/tuning.md",
            "docs/ordered.md",
            "docs/prediction_shift.md",
            "docs/explain.md",
            "docs/report.md",
            "docs/scale.md",
            "docs/snapshots.md",
        ),
    ),
    Chapter(
        "The project",
        (
            "CONTRIBUTING.md",
            "ARCHITECTURE.md",
            "benchmarks/README.md",
            "experiments/README.md",
            "CHANGELOG.md",
        ),
    ),
)


def listed() -> list[str]:
    """All pages, the first one included."""
    return [HOME, *(page for chapter in CHAPTERS for page in chapter.pages)]
