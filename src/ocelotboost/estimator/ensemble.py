"""Models whose average is the model.

Each is trained as if it were alone, and holds other rows out. Where there are several recipes, they
take turns, and a model of each begins. One that is clearly worse than the first is dropped, as
early as that can be seen, and the first recipe takes its place.

    rows held out     first fifth       second               third
                      Plain, depth 8    Ordered, depth 6
                                        Plain, depth 8       Plain, depth 8   Ordered was dropped
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ocelotboost.boost.callback import History, IterationInfo
from ocelotboost.boost.evaluation import LossMetric
from ocelotboost.estimator.crossing import crosses_of
from ocelotboost.estimator.eval_sets import VALIDATION
from ocelotboost.estimator.progress import print_text
from ocelotboost.estimator.rows import Division, Rows
from ocelotboost.estimator.settings import Recipe, Settings
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import Trained, train
from ocelotboost.loss.base import Loss
from ocelotboost.loss.passes import pass_for
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.rows_in_order import order
from ocelotboost.order.target import TargetDefinition, TotalsOfRows
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized, QuantizeSettings, quantize
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.labelled import LabelledTable

#: A recipe whose loss on the held-out rows is higher by more than this share is dropped. Models
#: hold different rows out, so that chance adds something, over the root of how many these are.
_TOLERANCE, _CHANCE = 0.05, 2.0

#: A recipe is given up from this many trees on, where the rest of the way is longer than what it
#: would go in this many times as many trees at its recent pace. Pace only ever slackens.
_FEWEST_TREES, _TIMES_AS_MANY = 50, 2


@dataclass(frozen=True)
class Member:
    """One of the models, and how it was trained."""

    recipe: Recipe
    trained: Trained


@dataclass(frozen=True)
class Ensemble:
    """The models.

    interruption  the Ctrl-C that ended training, or None
    choices       what the race decided
    """

    models: list[Trained]
    interruption: KeyboardInterrupt | None
    choices: dict[str, Choice]


def quantize_for_all(division: Division, first: Rows, settings: Settings) -> Quantized:
    """One model has the borders of its own rows. Several share those of all rows, so that the
    average needs no more of them; borders know nothing of the target."""
    several = settings.ensemble.n_models > 1
    return quantize(division.everything if several else first.training, settings.quantize)


def train_models(
    division: Division,
    first: Rows,
    quantized: Quantized,
    target: Target,
    continued: TrainedModel | None,
    callbacks: list[Any],
    settings: Settings,
) -> Ensemble:
    """All of them, or as many as there was time for; ``first`` are the rows of the first, which is
    kept with as many trees as there was time for."""
    trainer = _Trainer(division, quantized, target, continued, callbacks, settings)
    recipes, n_models = settings.ensemble.recipes, settings.ensemble.n_models
    members = [trainer.member(0, first, recipes[0])]
    for recipe in recipes[1:n_models]:
        if trainer.goes_on:
            number = len(members)
            rows = division.rows(number)
            rival = _Rival(members[0].trained, first, rows, target.loss)
            other = trainer.member(number, rows, recipe, rival)
            members += [other] if rival.is_near(other.trained) else []
    choices = _choices_of_race(members, settings)
    trainer.tell(_in_words(choices))
    recipes = tuple(own.recipe for own in members)
    for number in range(len(members), n_models):
        if trainer.goes_on:
            rows, recipe = division.rows(number), recipes[number % len(recipes)]
            member = trainer.member(number, rows, recipe)
            members += [] if trainer.time_is_over else [member]  # too few trees spoil the average
    models = [own.trained for own in members]
    return Ensemble(models, trainer.interruption, choices)


class _Trainer:
    """Trains one model after the other, until something ends all of them.

    interruption  the Ctrl-C that did, or None
    """

    def __init__(
        self,
        division: Division,
        quantized: Quantized,
        target: Target,
        continued: TrainedModel | None,
        callbacks: list[Any],
        settings: Settings,
    ) -> None:
        self._quantized = quantized
        self._target = target
        self._continued = continued
        self._settings = settings
        self._listeners = [_Listener(callback) for callback in callbacks]
        self._clock = _Clock(settings.training.loop.time_limit)
        self._crosses = crosses_of(division.everything.table)
        self._definition = _definition(division, quantized, target, settings)
        self._n_trained = 0
        self.interruption: KeyboardInterrupt | None = None

    @property
    def has_crosses(self) -> bool:
        return bool(self._crosses.start < self._crosses.stop)

    @property
    def goes_on(self) -> bool:
        stopped = any(listener.stopped for listener in self._listeners)
        return not stopped and self.interruption is None and not self._clock.over

    @property
    def time_is_over(self) -> bool:
        return self._clock.over

    def tell(self, text: str) -> None:
        """Print it, where the user asked for progress."""
        if text and self._settings.training.verbose:
            print_text(text)

    def member(
        self, number: int, rows: Rows, recipe: Recipe, rival: _Rival | None = None
    ) -> Member:
        """A model of these rows; ``number`` says what is random about it. Training ends where a
        ``rival`` of the first will never be near it."""
        ensemble = self._settings.ensemble
        if ensemble.n_models > 1:
            n_trainings = max(ensemble.n_models, len(ensemble.recipes), self._n_trained + 1)
            which = f"model {self._n_trained + 1} of at least {n_trainings}"
            self.tell(f"{which}: {recipe.boosting_type}, depth {recipe.depth}")
        settings = self._settings.with_recipe(recipe).of_model(number)
        settings = settings.of_training(self._n_trained, self._clock.left)
        self._n_trained += 1
        quantized = self._quantized
        if settings.ensemble.n_models > 1:
            categories = _categories_of(rows, settings.quantize)
            quantized = Quantized(self._quantizer_for(recipe), categories)
        target, definition = self._target, self._definition
        ordered = order(rows.training, quantized, target, settings.order, definition)
        trained = train(
            rows,
            quantized,
            ordered,
            target,
            self._continued,
            self._listeners if rival is None else [*self._listeners, rival],
            settings.training,
        )
        self.interruption = trained.boosted.interruption
        return Member(recipe, trained)

    def _quantizer_for(self, recipe: Recipe) -> Quantizer:
        quantizer = self._quantized.quantizer
        if recipe.crossed or not self.has_crosses:
            return quantizer
        return quantizer.blind_to(self._crosses)


class _Rival:
    """Whether another model comes near the first, each on its own held-out rows.

    Some rows are harder than others. So losses are compared as shares of the loss before the first
    tree. A loss that may be negative has no such share, and then every model is near.
    """

    def __init__(self, first: Trained, first_rows: Rows, rows: Rows, loss: Loss) -> None:
        self._loss = loss.name
        self._before = _loss_before_training(rows, loss)
        share = self._lowest(first.boosted.history) / _loss_before_training(first_rows, loss)
        chance = _CHANCE / math.sqrt(_held_out(rows).n_rows)
        self._goal = (1 + _TOLERANCE + chance) * share

    def is_near(self, trained: Trained) -> bool:
        """Also where it cannot be said."""
        return not self._lowest(trained.boosted.history) / self._before > self._goal

    def after_iteration(self, info: IterationInfo) -> bool:
        """Whether it will never be near: a callback, which ends training."""
        n_trees = info.iteration + 1
        if n_trees < _FEWEST_TREES or n_trees % 10:
            return False
        now = self._lowest(info.history) / self._before
        then = self._lowest(info.history, n_trees // 2) / self._before
        pace = (then - now) / (n_trees / 2)
        return now - self._goal > pace * _TIMES_AS_MANY * n_trees

    def _lowest(self, history: History, n_trees: int | None = None) -> float:
        """Of the first trees' losses on held-out rows; nan unless it is positive."""
        curve = history.get(VALIDATION, {}).get(self._loss, [])
        lowest = min(curve[:n_trees], default=0.0)
        return lowest if lowest > 0 else math.nan


def _loss_before_training(rows: Rows, loss: Loss) -> float:
    """Of one prediction for all held-out rows; nan unless it is positive."""
    held = _held_out(rows)
    start = loss.start_value(held.target, held.weight)
    raw = np.repeat(start[:, np.newaxis], held.n_rows, axis=1)
    value = LossMetric(loss, pass_for(loss, 1)).at(held.target, held.weight, raw)
    return value if value > 0 else math.nan


def _held_out(rows: Rows) -> LabelledTable:
    return rows.watched[0].data


def _definition(
    division: Division, quantized: Quantized, target: Target, settings: Settings
) -> TargetDefinition | None:
    """Several models share what statistics average and how it is cut into bins, so that the average
    needs one table per combination. None: the rows of the only model decide."""
    if settings.ensemble.n_models == 1 or not quantized.categories.features:
        return None
    rows = division.everything
    return target.define_statistics(rows.target, rows.weight, TotalsOfRows(quantized.categories))


def _categories_of(rows: Rows, settings: QuantizeSettings) -> CategoricalData:
    table = rows.training.table
    return CategoricalData.of(table, tuple(sorted(table.categories)), settings.n_threads)


def _in_words(choices: Mapping[str, Choice]) -> str:
    """What the race decided, one line."""
    values = [f"{name} {_listed(own.value)}" for name, own in choices.items()]
    return f"{', '.join(values)}: {next(iter(choices.values())).reason}" if choices else ""


def _listed(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


class _Listener:
    """A user's callback; it remembers whether it asked to stop, which ends all models."""

    def __init__(self, callback: Any) -> None:
        self.stopped = False
        for name in ("before_iteration", "after_iteration"):
            if hasattr(callback, name):
                setattr(self, name, self._heard(getattr(callback, name)))

    def _heard(self, method: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def listen(info: Any) -> Any:
            answer = method(info)
            self.stopped = self.stopped or answer is True
            return answer

        return listen


class _Clock:
    """The time that is left to all models together."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.perf_counter() + seconds

    @property
    def left(self) -> float | None:
        return None if self._end is None else max(self._end - time.perf_counter(), 0.0)

    @property
    def over(self) -> bool:
        return self._end is not None and time.perf_counter() >= self._end


def _choices_of_race(members: Sequence[Member], settings: Settings) -> dict[str, Choice]:
    """What it decided, and by how much the others were worse."""
    candidates = settings.ensemble.recipes
    if len(candidates) == 1:
        return {}
    kept = list(dict.fromkeys(own.recipe for own in members))
    dropped = [recipe for recipe in candidates if recipe not in kept]
    why = "models of both are about as good on held-out rows, and take turns"
    if dropped:
        others = " and ".join(f"{own.boosting_type} of depth {own.depth}" for own in dropped)
        why = f"clearly better on held-out rows than {others}"
    found = dict[str, Choice]()
    for name in ("boosting_type", "depth"):
        values = [getattr(recipe, name) for recipe in kept]
        if getattr(settings.left_open, name) in (None, "auto"):
            found[name] = Choice(values[0] if len(set(values)) == 1 else values, why)
    return found
