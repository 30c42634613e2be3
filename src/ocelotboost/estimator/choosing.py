"""What the user left open, chosen by rules from what is known of the data before training.

A fit that is told nothing trains several models. Each holds other rows out, which say how many
trees are enough; then its leaves are filled from all rows, and the predictions of all models are
averaged. Where it is not known which recipe suits the data, the first models race: they hold the
same rows out, and the recipe that is clearly worse is dropped (estimator/ensemble.py). The rules
and the measurements behind them are in docs/quality.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ocelotboost.estimator.rows import FEWEST_TO_HOLD_OUT
from ocelotboost.estimator.settings import EnsembleSettings, LeftOpen, Recipe, Settings
from ocelotboost.estimator.target import Target
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.mode import MOST_ORDERED_CLASSES, MOST_ORDERED_ROWS, is_ordered
from ocelotboost.table.columns import Table

Choices = dict[str, Choice]

#: Trees of a fit that nothing stops.
FIXED_TREES = 1000

#: The most rows of which a fifth is held out; beyond, as many rows as that are.
_SHARE, _MOST_HELD_OUT = 0.2, 20_000

#: Of the first loss: trees that improve it by less than this share are not worth their time.
_LEAST_IMPROVEMENT = 1e-5

SHALLOW, DEEP = 6, 8

#: Of tables of numbers alone, those with more rows are better off with Plain.
_MOST_ORDERED_NUMBERS = 5_000

#: From here on, trees are deep where nothing else decides; tables of numbers alone need fewer rows.
_MANY_ROWS_WITH_CATEGORIES, _MANY_ROWS = 50_000, 10_000


@dataclass(frozen=True)
class Preset:
    """What ``quality`` stands for.

    rate      the learning rate
    trees     the most of a model
    patience  trees without improvement
    models    (most rows, how many models), ascending
    races     whether recipes race
    """

    rate: float
    trees: int
    patience: int
    models: tuple[tuple[float, int], ...]
    races: bool

    def models_for(self, n_rows: int) -> int:
        return next(count for most, count in self.models if n_rows <= most)


_MANY = float("inf")
PRESETS = {
    "fast": Preset(0.15, 1000, 30, ((_MANY, 1),), races=False),
    "default": Preset(0.1, 2000, 50, ((100_000, 3), (_MANY, 1)), True),
    "best": Preset(0.05, 4000, 100, ((100_000, 12), (_MANY, 8)), races=True),
}


@dataclass(frozen=True)
class Facts:
    """What is known before training.

    n_rows         all of them, those that will be held out included
    n_categorical  columns that hold categories
    n_classes      1 for a number
    watches        the user gave rows to watch
    continues      training goes on from another model
    """

    n_rows: int
    n_categorical: int
    n_classes: int
    watches: bool
    continues: bool


def facts_of(
    table: Table, target: Target, watched: Sequence[object], continued: TrainedModel | None
) -> Facts:
    return Facts(
        n_rows=table.n_rows,
        n_categorical=len(table.categories),
        n_classes=target.n_classes,
        watches=bool(watched),
        continues=continued is not None,
    )


def choose(settings: Settings, facts: Facts) -> tuple[Settings, Choices]:
    """The settings with all that was left open, and what was chosen and why."""
    given, preset = settings.left_open, PRESETS[settings.left_open.quality]
    by_itself = given.iterations is None and not facts.continues
    share, choices = _held_out(given, facts, by_itself)
    stops = by_itself and (facts.watches or share is not None)
    n_models = given.n_models or 1
    if given.n_models is None and by_itself and share is not None:
        n_models = preset.models_for(facts.n_rows)
        why = f"quality={given.quality!r} and {facts.n_rows:,} rows"
        choices["n_models"] = Choice(n_models, why)
    races = by_itself and share is not None and n_models > 1 and preset.races
    settings = _with_trees(settings, given, preset, facts, stops, share, choices)
    recipes = _recipes(given, facts, races, choices)
    chosen = EnsembleSettings(n_models, recipes)
    split = replace(settings.split, validation_fraction=share, n_models=n_models)
    return replace(settings.with_recipe(recipes[0]), ensemble=chosen, split=split), choices


def _held_out(given: LeftOpen, facts: Facts, by_itself: bool) -> tuple[float | None, Choices]:
    """The share of the rows that say how many trees are enough."""
    share = given.validation_fraction
    if share != "auto":
        return share, {}
    if not by_itself or facts.watches or facts.n_rows < FEWEST_TO_HOLD_OUT:
        return None, {}
    share = min(_SHARE, _MOST_HELD_OUT / facts.n_rows)
    why = "they say how many trees are enough; then all rows fill the leaves"
    return share, {"validation_fraction": Choice(round(share, 4), why)}


def _with_trees(
    settings: Settings,
    given: LeftOpen,
    preset: Preset,
    facts: Facts,
    stops: bool,
    share: float | None,
    choices: Choices,
) -> Settings:
    """How many trees there are at most, how much each of them adds, and when it is enough."""
    loop = settings.training.loop
    iterations, rate, patience = given.iterations, loop.learning_rate, loop.early_stopping_rounds
    if iterations is None:
        iterations = preset.trees if stops else FIXED_TREES
        if facts.n_rows < FEWEST_TO_HOLD_OUT and not stops:
            why = f"{facts.n_rows:,} rows are too few to hold some out"
            choices["iterations"] = Choice(iterations, why)
    if stops and rate is None:
        rate = preset.rate
        choices["learning_rate"] = Choice(rate, f"quality={given.quality!r}")
    if patience is None and (stops or share is not None):
        patience = preset.patience
    loop = replace(
        loop,
        iterations=iterations,
        learning_rate=rate,
        early_stopping_rounds=patience,
        least_improvement=_LEAST_IMPROVEMENT if stops else 0.0,
    )
    replays = share is not None and given.refit in ("auto", "replay")
    return replace(settings, training=replace(settings.training, loop=loop, replay=replays))


def _recipes(given: LeftOpen, facts: Facts, races: bool, choices: Choices) -> tuple[Recipe, ...]:
    """How models may be trained: one recipe, or several that race."""
    candidates = recipes_to_race(facts) if races else (_usual(given, facts),)
    recipes = tuple(
        dict.fromkeys(
            Recipe(
                candidate.boosting_type if given.boosting_type == "auto" else given.boosting_type,
                candidate.depth if given.depth is None else given.depth,
            )
            for candidate in candidates
        )
    )
    if given.boosting_type == "auto":
        choices["boosting_type"] = Choice(recipes[0].boosting_type, _WHY_MODE)
    if given.depth is None:
        choices["depth"] = Choice(recipes[0].depth, _WHY_DEPTH)
    return recipes


_WHY_MODE = "Ordered is for classes and up to 40,000 rows, up to 5,000 without categories"
_WHY_DEPTH = f"{SHALLOW}, or {DEEP} for many rows where iterations is open"


def _usual(given: LeftOpen, facts: Facts) -> Recipe:
    """Without a race. A given number of trees is for trees of the usual depth."""
    few = facts.n_categorical > 0 or facts.n_rows <= _MOST_ORDERED_NUMBERS
    ordered = few and not facts.continues and is_ordered("auto", facts.n_rows, facts.n_classes)
    many = _MANY_ROWS_WITH_CATEGORIES if facts.n_categorical else _MANY_ROWS
    shallow = facts.n_rows < many or given.iterations is not None
    return Recipe("Ordered" if ordered else "Plain", SHALLOW if shallow else DEEP)


def recipes_to_race(facts: Facts) -> tuple[Recipe, ...]:
    """Recipes of which it depends on the table which is better. Ordered boosting of shallow trees
    overfits least, Plain boosting of deep trees finds most."""
    if facts.n_rows <= MOST_ORDERED_ROWS and facts.n_classes <= MOST_ORDERED_CLASSES:
        return Recipe("Ordered", SHALLOW), Recipe("Plain", DEEP)
    return Recipe("Plain", SHALLOW), Recipe("Plain", DEEP)
