"""Models whose average is the model.

Each is trained as if it were alone. Where there are several recipes, they take turns, and a model
of each begins. One that is clearly worse than the first is dropped, as early as that can be seen,
and the first recipe takes its place. Each model holds other rows out:

    rows held out     first fifth       second               third
                      Plain, depth 8    Ordered, depth 6
                                        Plain, depth 8       Plain, depth 8   Ordered was dropped

Or models of all recipes hold the same rows out, which then say how much each recipe counts
(estimator/blending.py):

    rows held out     first fifth       second               third
                      Plain, depth 8    Plain, depth 8       Plain, depth 8   55 %
                      Ordered, depth 6  Ordered, depth 6     Ordered, depth 6 45 %

Two models train at the same time where nobody looks on (estimator/side_by_side.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any

from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator.blending import (
    Member,
    blended_shares,
    equal_shares,
    shares_in_words,
)
from ocelotboost.estimator.crossing import crosses_of
from ocelotboost.estimator.rival import Contender, Rival
from ocelotboost.estimator.rows import Division, Rows
from ocelotboost.estimator.screen import Screen
from ocelotboost.estimator.settings import LeftOpen, Recipe, Settings
from ocelotboost.estimator.side_by_side import Lanes, count_lanes
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import Trained, train
from ocelotboost.kernels.turns import taking_turns
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.rows_in_order import SharedByModels, combinations_of, order
from ocelotboost.order.target import TotalsOfRows
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized, QuantizeSettings, quantize
from ocelotboost.quantize.quantizer import Quantizer

#: What a race decides.
RACED = ("boosting_type", "depth")


@dataclass(frozen=True)
class Ensemble:
    """The models.

    shares        how much each of them counts
    interruption  the Ctrl-C that ended training, or None
    choices       what the race decided
    """

    models: list[Trained]
    shares: list[float]
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
    n_lanes = count_lanes(settings, division.everything.table, target.loss, len(callbacks))
    listeners = [_Listener(callback) for callback in callbacks]
    trainer = _Trainer(division, quantized, target, continued, listeners, settings)
    race = _Race(trainer, division, first, target, settings)
    lanes = Lanes(n_lanes, trainer.stop)
    jobs = [partial(race.model, number) for number in range(settings.ensemble.n_models)]
    members = [member for member in lanes.run(jobs) if member is not None]
    shares, choices = equal_shares(members), race.choices
    if settings.ensemble.blends:
        shares = blended_shares(members, division, target.loss)
        choices |= _blend_told(members, shares, settings)
        trainer.tell(_in_words(choices))
    return Ensemble(
        [own.trained for own, share in zip(members, shares, strict=True) if share > 0],
        [share for share in shares if share > 0],
        trainer.interruption,
        choices,
    )


def _blend_told(
    members: Sequence[Member], shares: Sequence[float], settings: Settings
) -> dict[str, Choice]:
    """What the recipes count, told with the mode and the depth of those that do."""
    counting = [own.recipe for own, share in zip(members, shares, strict=True) if share > 0]
    why = f"by held-out rows: {shares_in_words(members, shares)}"
    return _values_of(list(dict.fromkeys(counting)), settings.left_open, why)


def _values_of(recipes: Sequence[Recipe], given: LeftOpen, why: str) -> dict[str, Choice]:
    """The mode and the depth of recipes, where they were left open."""
    found = dict[str, Choice]()
    for name in RACED:
        values = list(dict.fromkeys(getattr(recipe, name) for recipe in recipes))
        if getattr(given, name) in (None, "auto"):
            found[name] = Choice(values[0] if len(values) == 1 else values, why)
    return found


class _Race:
    """Which recipe each model is trained by."""

    def __init__(
        self, trainer: _Trainer, division: Division, first: Rows, target: Target, settings: Settings
    ) -> None:
        self._trainer = trainer
        self._division = division
        self._first = first
        self._loss = target.loss
        self._settings = settings
        candidates = settings.ensemble.recipes[: settings.ensemble.n_models]
        self._candidates = candidates
        self._n_per_fold = len(candidates) if settings.ensemble.blends else 1
        #: The recipe of the model that each candidate began; None: there was no time to say.
        self._kept = [Future[Recipe | None]() for _ in candidates]
        self._leader = Contender(first, target.loss) if len(candidates) > 1 else None
        self._leader_ended = Future[None]()

    def model(self, number: int) -> Member | None:
        """One of the models, in the order of their numbers; None: there is no time for it."""
        if number == 0:
            return self._begun_by_first()
        if number < len(self._candidates):
            return self._begun_by_rival(number)
        recipes = self._recipes
        member = self._of(number, recipes[number % len(recipes)])
        # Too few trees spoil the average.
        return None if self._trainer.time_is_over else member

    def _fold(self, number: int) -> int:
        """Which rows a model holds out."""
        return number // self._n_per_fold

    def _begun_by_first(self) -> Member:
        try:
            recipe = self._candidates[0]
            self._kept[0].set_result(recipe)
            heard = [] if self._leader is None else [self._leader]
            return Member(self._trainer.train(0, self._first, recipe, heard), recipe, 0)
        finally:
            self._leader_ended.set_result(None)

    def _begun_by_rival(self, number: int) -> Member | None:
        """A model by another recipe, or by the first where that is clearly better."""
        recipe: Recipe | None = None
        try:
            if not self._trainer.goes_on or self._leader is None:
                return None
            recipe = self._candidates[number]
            fold = self._fold(number)
            rows = self._division.rows(fold)
            rival = Rival(self._leader, rows, self._loss)
            member = Member(self._trainer.train(number, rows, recipe, [rival]), recipe, fold)
            if rival.is_near:  # so far: who is not will never be
                with taking_turns(False):
                    self._leader_ended.result()
            if not rival.is_near:
                recipe = self._candidates[0] if self._trainer.goes_on else None
        finally:
            self._kept[number].set_result(recipe)
        if number + 1 == len(self._candidates):
            self._trainer.tell(_in_words(self.choices))
        return member if rival.is_near else self._of(number, self._candidates[0])

    def _of(self, number: int, recipe: Recipe) -> Member | None:
        if not self._trainer.goes_on:
            return None
        fold = self._fold(number)
        trained = self._trainer.train(number, self._division.rows(fold), recipe, [])
        return Member(trained, recipe, fold)

    @property
    def _recipes(self) -> list[Recipe]:
        """Those that take turns, as soon as that is known."""
        with taking_turns(False):
            kept = [own.result() for own in self._kept]
        return [recipe for recipe in kept if recipe is not None]

    @property
    def choices(self) -> dict[str, Choice]:
        """What was decided, and why."""
        if len(self._settings.ensemble.recipes) == 1:
            return {}
        kept = list(dict.fromkeys(self._recipes))
        tried = zip(self._candidates, self._kept, strict=True)
        dropped = [own for own, place in tried if place.result() not in (own, None)]
        every = "both" if len(kept) == 2 else "all recipes"
        why = f"models of {every} are about as good on held-out rows, and take turns"
        if dropped:
            others = " and ".join(own.words for own in dropped)
            why = f"clearly better on held-out rows than {others}"
        elif len(kept) < len(self._settings.ensemble.recipes):
            why = "training ended before another recipe was judged"
        return _values_of(kept, self._settings.left_open, why)


class _Trainer:
    """Trains models until something ends all of them.

    interruption  the Ctrl-C that did, or None
    """

    def __init__(
        self,
        division: Division,
        quantized: Quantized,
        target: Target,
        continued: TrainedModel | None,
        listeners: list[_Listener],
        settings: Settings,
    ) -> None:
        self._quantized = quantized
        self._target = target
        self._continued = continued
        self._settings = settings
        self._listeners = listeners
        self._clock = _Clock(settings.training.loop.time_limit)
        self._crosses = crosses_of(division.everything.table)
        self._shared = _shared(division, quantized, target, settings)
        self._screen = Screen(settings.training.verbose)
        self._n_trained = 0
        self._counting = Lock()
        self._stopped = False
        self.interruption: KeyboardInterrupt | None = None

    @property
    def goes_on(self) -> bool:
        stopped = self._stopped or any(listener.stopped for listener in self._listeners)
        return not stopped and self.interruption is None and not self._clock.over

    @property
    def time_is_over(self) -> bool:
        return self._clock.over

    def stop(self, interruption: KeyboardInterrupt | None) -> None:
        """All models end after their present tree: by Ctrl-C, or because of an error."""
        self._stopped = True
        self.interruption = self.interruption or interruption

    def after_iteration(self, info: IterationInfo) -> bool:
        """A callback of all models."""
        return self._stopped

    def tell(self, text: str) -> None:
        """Show it, where the user asked for progress."""
        self._screen.tell(text)

    def train(self, number: int, rows: Rows, recipe: Recipe, callbacks: list[Any]) -> Trained:
        """A model of these rows; ``number`` says what is random about it."""
        n_before, ensemble, title = self._counted(), self._settings.ensemble, ""
        if ensemble.n_models > 1:
            n_trainings = max(ensemble.n_models, len(ensemble.recipes), n_before + 1)
            which = f"model {n_before + 1} of at least {n_trainings}"
            title = f"{which}: {recipe.words}"
        settings = self._settings.with_recipe(recipe).of_model(number)
        if number > 0:
            settings = settings.of_training(n_before, self._clock.left)
        quantized = self._quantized
        if ensemble.n_models > 1:
            categories = _categories_of(rows, settings.quantize)
            quantized = Quantized(self._quantizer_for(recipe), categories)
        target = self._target
        ordered = order(rows.training, quantized, target, settings.order, self._shared)
        heard = [*self._listeners, *callbacks, self]
        trained = train(
            rows,
            quantized,
            ordered,
            target,
            self._continued,
            heard,
            replace(settings.training, verbose=False),  # the screen shows it
            partial(self._screen.boost, title),
        )
        self.interruption = self.interruption or trained.boosted.interruption
        return trained

    def _counted(self) -> int:
        """How many trainings have begun before this one."""
        with self._counting:
            self._n_trained += 1
            return self._n_trained - 1

    def _quantizer_for(self, recipe: Recipe) -> Quantizer:
        quantizer, crosses = self._quantized.quantizer, self._crosses
        if recipe.crossed or crosses.start == crosses.stop:
            return quantizer
        return quantizer.blind_to(crosses)


def _shared(
    division: Division, quantized: Quantized, target: Target, settings: Settings
) -> SharedByModels | None:
    """From all rows, because each model holds some of them out: a category may have a single value
    in those of one model, and two in those of another. None: the rows of the only model decide."""
    categories, rows = quantized.categories, division.everything
    if settings.ensemble.n_models == 1 or not categories.features:
        return None
    return SharedByModels(
        target.define_statistics(rows.target, rows.weight, TotalsOfRows(categories)),
        combinations_of(categories, quantized.quantizer, settings.order),
    )


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
