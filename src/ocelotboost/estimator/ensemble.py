"""Models whose average is the model.

Each is trained as if it were alone, and holds other rows out. Where there are several recipes, one
model of each begins, and all of them hold the same rows out: those that are clearly worse than the
best are dropped, and the recipes that are left take turns.

    rows held out     first fifth          second    third
    race              Ordered, depth 6
                      Plain, depth 8       Plain     Plain        Ordered was clearly worse
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ocelotboost.estimator.crossing import crosses_of
from ocelotboost.estimator.progress import print_text
from ocelotboost.estimator.rows import Division, Rows
from ocelotboost.estimator.settings import Recipe, Settings
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import Trained, train
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.rows_in_order import order
from ocelotboost.order.target import TargetDefinition, TotalsOfRows
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized, QuantizeSettings, quantize
from ocelotboost.quantize.quantizer import Quantizer

#: A recipe whose loss on the held-out rows is higher by more than this share is dropped.
_TOLERANCE = 0.02


@dataclass(frozen=True)
class Member:
    """One of the models, and how it was trained."""

    recipe: Recipe
    trained: Trained


@dataclass(frozen=True)
class Ensemble:
    """The models, that of the best recipe first.

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
    """All of them, or as many as there was time for; ``first`` are the rows of the first."""
    trainer = _Trainer(division, quantized, target, continued, callbacks, settings)
    recipes, n_models = settings.ensemble.recipes, settings.ensemble.n_models
    members = [trainer.member(0, first, recipes[0])]
    members += [trainer.member(0, first, recipe) for recipe in recipes[1:] if trainer.goes_on]
    members = _winners(members, target.loss.name)
    choices = _choices_of_race(members, settings, trainer.has_crosses)
    trainer.tell(_in_words(choices))
    recipes = tuple(own.recipe for own in members)
    for number in range(len(members), n_models):
        if trainer.goes_on:
            rows, recipe = division.rows(number), recipes[number % len(recipes)]
            members.append(trainer.member(number, rows, recipe))
    members = members[:n_models]
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

    def tell(self, text: str) -> None:
        """Print it, where the user asked for progress."""
        if text and self._settings.training.verbose:
            print_text(text)

    def member(self, number: int, rows: Rows, recipe: Recipe) -> Member:
        """A model of these rows; ``number`` says what is random about it."""
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
            self._listeners,
            settings.training,
        )
        self.interruption = trained.boosted.interruption
        return Member(recipe, trained)

    def _quantizer_for(self, recipe: Recipe) -> Quantizer:
        quantizer = self._quantized.quantizer
        if recipe.crossed or not self.has_crosses:
            return quantizer
        return quantizer.blind_to(self._crosses)


def _winners(members: list[Member], loss: str) -> list[Member]:
    """Those that are not clearly worse than the best on the rows that all of them held out."""
    if len(members) == 1:
        return members
    losses = [_loss(own.trained, loss) for own in members]
    best = min(losses)
    ranked = sorted(zip(losses, members, strict=True), key=lambda pair: pair[0])
    return [own for value, own in ranked if value <= best + _TOLERANCE * abs(best)]


def _loss(trained: Trained, loss: str) -> float:
    """On the held-out rows, where the model stopped; infinite where it has no best tree."""
    boosted = trained.boosted
    if boosted.watched is None or boosted.best_iteration is None:
        return math.inf
    found = boosted.history[boosted.watched[0]][loss][boosted.best_iteration]
    return math.inf if math.isnan(found) else found


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


def _choices_of_race(
    members: Sequence[Member], settings: Settings, has_crosses: bool
) -> dict[str, Choice]:
    """What it decided, and by how much the others were worse."""
    candidates = settings.ensemble.recipes
    if len(candidates) == 1:
        return {}
    kept = list(dict.fromkeys(own.recipe for own in members))
    dropped = [recipe for recipe in candidates if recipe not in kept]
    why = "models of both are about as good on held-out rows, and take turns"
    if dropped:
        others = " and ".join(f"{own.boosting_type} of depth {own.depth}" for own in dropped)
        why = f"better on held-out rows than {others}"
    found = dict[str, Choice]()
    if has_crosses and not any(recipe.crossed for recipe in kept):
        found["crosses"] = Choice([], "models without them were better on held-out rows")
    for name in ("boosting_type", "depth"):
        values = [getattr(recipe, name) for recipe in kept]
        if getattr(settings.left_open, name) in (None, "auto"):
            found[name] = Choice(values[0] if len(set(values)) == 1 else values, why)
    return found
