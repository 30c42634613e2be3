"""All sections of a report, in the order in which they are read."""

from __future__ import annotations

import numpy as np

from ocelotboost.model.training_summary import TrainingSummary, summarize
from ocelotboost.report.classes import classes_section
from ocelotboost.report.data import data_section, drifts, overlap
from ocelotboost.report.document import Document, name
from ocelotboost.report.explained import explain, explained_section, shared_data
from ocelotboost.report.figures import count
from ocelotboost.report.leakage import leakage_section, suspect
from ocelotboost.report.learning import learning_section
from ocelotboost.report.numbers import numbers_section
from ocelotboost.report.repeat import repeat_section
from ocelotboost.report.subgroups import subgroups_section
from ocelotboost.report.subject import CategoricalColumn, Rows, Subject
from ocelotboost.report.trees import trees_section
from ocelotboost.report.verdict import judge, verdict_section
from ocelotboost.table.derived import given_columns


def assemble(subject: Subject) -> Document:
    """The whole report."""
    verdict = judge(subject)
    explained = explain(subject)
    summary = _summary(subject)
    found, equal = drifts(subject, summary), overlap(subject, summary)
    suspicion = suspect(subject, explained.shares, equal)
    of_target = numbers_section if subject.task == "numbers" else classes_section
    sections = (
        verdict_section(subject, verdict, len(suspicion.suspects)),
        of_target(subject),
        explained_section(subject, explained),
        subgroups_section(subject, explained.order),
        leakage_section(suspicion),
        data_section(subject, summary, found, equal),
        learning_section(subject.model),
        trees_section(subject),
        repeat_section(subject),
    )
    return Document(
        name(subject.title or _title(subject)),
        f"{subject.estimator} with {count(subject.model.forest.n_trees, 'tree')}, judged by "
        f"{count(subject.n_rows, 'row')}",
        sections,
        shared_data(subject, explained),
    )


def _title(subject: Subject) -> str:
    return "How good is the classifier?" if subject.labels else "How good is the regressor?"


def _summary(subject: Subject) -> TrainingSummary | None:
    """Of the training rows that were given, else what the model remembers."""
    if subject.training is None:
        return subject.model.training
    return summarize(
        given_columns(subject.training.table), _known(subject.training), subject.training.n_rows
    )


def _known(rows: Rows) -> dict[int, np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    return {
        column.position: column.hashes
        for column in rows.columns
        if isinstance(column, CategoricalColumn)
    }
