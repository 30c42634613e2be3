"""The comparison of tuned models."""

from __future__ import annotations

import dataclasses

import numpy as np
from benchmarks.data import generate
from benchmarks.peers import Defaults
from benchmarks.tuning import OURS, THEIRS, Outcome, first_judges, tables

from ocelotboost import OcelotClassifier, tune


def outcome(library, seed=0, **more):
    values = {"default_loss": 0.5, "loss": 0.4, "seconds": 9.0, "cpu_seconds": 10.0, **more}
    return Outcome("adult", seed, library, **values)


def test_losses_and_times_are_compared_where_both_libraries_have_them():
    ours, theirs = outcome(OURS), outcome(THEIRS, loss=0.5, cpu_seconds=40.0)
    (table,) = tables([ours, theirs, outcome(OURS, seed=1)])
    row, together, goal = table.rows
    assert row[:6] == ["adult, log loss", "0.5000", "0.4000", "0.5000", "0.5000", "0.8000"]
    assert (together[5], together[-1], goal[-1]) == ("0.8000", "0.250", "≤ 0.2")
    assert tables([ours]) == []


def test_seeds_of_a_table_are_rows_of_their_own():
    found = [outcome(library, seed) for library in (OURS, THEIRS) for seed in (0, 1)]
    (table,) = tables(found)
    assert [row[0] for row in table.rows[:2]] == ["adult, log loss", "adult, log loss, seed 1"]


def test_catboost_is_judged_by_the_rows_that_judge_our_trials_first():
    data = generate("Logloss", 300, 3)
    held = first_judges(data, Defaults("Logloss", seed=3))
    seen = []
    plain = {"iterations": 3, "boosting_type": "Plain"}
    base = OcelotClassifier(**plain, random_state=3, eval_metric=Counts(seen))
    tune(data.features, data.target, estimator=base, trials=1)
    np.testing.assert_array_equal(seen[1], data.target[held])


@dataclasses.dataclass
class Counts:
    """A metric that remembers the targets it was asked about: training rows, then held-out rows."""

    seen: list
    name = "Counts"
    higher_is_better = False

    def __deepcopy__(self, memo):
        return self

    def value(self, target, raw, weight):
        self.seen.append(target.copy())
        return 0.0
