"""What the user left open, chosen by rules from what is known of the data before training.

A fit that is told nothing trains several models by different recipes. Each holds other rows out,
which say how many trees are enough; then its leaves are filled from all rows, and the predictions
of all models are averaged. A recipe that proves clearly worse is dropped (estimator/ensemble.py).
The rules and the measurements behind them are in docs/quality.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ocelotboost.estimator.crossing import possible_sources
from ocelotboost.estimator.rows import FEWEST_TO_HOLD_OUT
from ocelotboost.estimator.settings import EnsembleSettings, LeftOpen, Recipe, Settings
from ocelotboost.estimator.target import Target
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.mode import MOST_ORDERED_CLASSES, MOST_ORDERED_ROWS, is_ordered
from ocelotboost.order.value_views import ValueView, value_views
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import LabelledTable
from ocelotboost.table.number_views import viewed_columns

Choices = dict[str, Choice]

#: Trees of a fit that nothing stops.
FIXED_TREES = 1000

#: The most rows of which a fifth is held out; beyond, as many rows as that are.
_SHARE, _MOST_HELD_OUT = 0.2, 20_000

#: Of the first loss: trees that improve it by less than this share are not worth their time.
_LEAST_IMPROVEMENT = 1e-5

SHALLOW, DEEP = 6, 8

#: Of recipes: from how many rows on the deep one is deep, and from how many columns on each of its
#: trees asks about a share of them.
_FEWEST_FOR_DEEP = 10_000
_FEWEST_TO_DRAW, _SHARE_DRAWN = 10, 0.7

#: Categories of at most this many values are one-hot encoded, where nothing else is said, and with
#: a given number of trees.
_ONE_HOT, _ONE_HOT_OF_GIVEN_TREES = 10, 2

#: Crosses of number columns by the number of rows, and the columns that they are looked for in.
_CROSSES_BY_ROWS = ((10_000, 16), (500, 8), (0, 0))
_MOST_COLUMNS_TO_CROSS = 2_000

#: Of tables of numbers alone, those with more rows are better off with Plain.
_MOST_ORDERED_NUMBERS = 5_000

#: From here on, trees are deep where nothing else decides; tables of numbers alone need fewer rows.
_MANY_ROWS_WITH_CATEGORIES, _MANY_ROWS = 50_000, 10_000


@dataclass(frozen=True)
class Preset:
    """What ``quality`` stands for.

    rate      the learning rate
    trees     the most of a model
    patience  trees without improvement, at most
    models    (most rows, how many models), ascending
    races     whether recipes race
    crosses   whether number columns are crossed
    blends    whether there is a third recipe, and held-out rows say how much each of them counts
    """

    rate: float
    trees: int
    patience: int
    models: tuple[tuple[float, int], ...]
    races: bool
    crosses: bool
    blends: bool = False

    def models_for(self, n_rows: int) -> int:
        return next(count for most, count in self.models if n_rows <= most)


_MANY = float("inf")
PRESETS = {
    "fast": Preset(0.15, 1000, 30, ((_MANY, 1),), races=False, crosses=False),
    "default": Preset(0.12, 2000, 50, ((5_000, 4), (100_000, 2), (_MANY, 1)), True, True),
    "best": Preset(0.08, 4000, 100, ((100_000, 15), (_MANY, 6)), True, True, blends=True),
}


@dataclass(frozen=True)
class Facts:
    """What is known before training.

    n_rows         all of them, those that will be held out included
    n_columns      that the user gave
    n_categorical  columns that hold categories
    n_to_cross     columns of numbers that may be crossed
    n_classes      1 for a number
    watches        the user gave rows to watch
    continues      training goes on from another model
    viewed         names of the categories that are numbers or dates, too
    value_views    of categories that explain most of the target, with their names; none where they
                   are not wanted
    """

    n_rows: int
    n_columns: int
    n_categorical: int
    n_to_cross: int
    n_classes: int
    watches: bool
    continues: bool
    viewed: tuple[str, ...] = ()
    value_views: tuple[tuple[ValueView, str], ...] = ()


def facts_of(
    table: Table,
    target: Target,
    watched: Sequence[object],
    continued: TrainedModel | None,
    settings: Settings | None,
) -> Facts:
    """Without ``settings`` nothing follows from the values of the target."""
    views: tuple[ValueView, ...] = ()
    if settings is not None and target.n_classes == 1 and _wants_value_views(settings, continued):
        rows = LabelledTable(table, target.values, target.weight)
        views = value_views(rows, settings.quantize.n_threads)
    return Facts(
        n_rows=table.n_rows,
        n_columns=table.n_given,
        n_categorical=len(table.categories),
        n_to_cross=len(possible_sources(table)),
        n_classes=target.n_classes,
        watches=bool(watched),
        continues=continued is not None,
        viewed=tuple(map(table.column_name, sorted(viewed_columns(table.formulas)))),
        value_views=tuple((view, table.column_name(view.feature)) for view in views),
    )


def _wants_value_views(settings: Settings, continued: TrainedModel | None) -> bool:
    given = settings.left_open
    if given.value_views == "auto":
        return given.iterations is None and continued is None
    return bool(given.value_views)


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
    settings = _with_one_hot(settings, by_itself, facts, choices)
    recipes = _recipes(given, facts, races, choices)
    blends = races and preset.blends and len(set(recipes)) > 1
    if given.number_views == "auto" and facts.viewed and not facts.continues:
        why = "these categories are numbers or dates, whose order trees may ask about"
        choices["number_views"] = Choice(list(facts.viewed), why)
    first = settings.with_recipe(recipes[0])
    chosen = replace(
        first,
        training=replace(first.training, keeps_unseen=blends),
        ensemble=EnsembleSettings(n_models, recipes, blends),
        split=replace(settings.split, validation_fraction=share, n_models=n_models),
        crosses=_crosses(settings, facts, by_itself and preset.crosses),
    )
    return chosen, choices


def _with_one_hot(settings: Settings, by_itself: bool, facts: Facts, choices: Choices) -> Settings:
    size = settings.left_open.one_hot_max_size
    if size is None:
        size = _ONE_HOT if by_itself else _ONE_HOT_OF_GIVEN_TREES
        if by_itself and facts.n_categorical:
            why = "trees ask about the values of small categories, and about statistics of others"
            choices["one_hot_max_size"] = Choice(size, why)
    return with_value_views(settings.with_one_hot(size, ()), facts, choices)


def with_value_views(settings: Settings, facts: Facts, choices: Choices) -> Settings:
    """With those of these facts: categories that are not one-hot encoded already."""
    given, size = settings.left_open, settings.quantize.one_hot_max_size
    views = [own for own in facts.value_views if own[0].n_values > size]
    if given.value_views == "auto" and views:
        why = "these categories explain most of the target, and trees ask about their values, too"
        choices["value_views"] = Choice([name for _, name in views], why)
    return settings.with_one_hot(size, tuple(view.feature for view, _ in views))


def _crosses(settings: Settings, facts: Facts, wanted: bool) -> int:
    """How many. A ratio may be missing where nothing else is, which ``nan_mode`` may forbid."""
    count = settings.left_open.crosses
    if count != "auto":
        return int(count) if facts.n_to_cross > 1 and not facts.continues else 0
    possible = settings.quantize.nan_mode != "Forbidden"
    if not wanted or not possible or not 1 < facts.n_to_cross <= _MOST_COLUMNS_TO_CROSS:
        return 0
    return next(count for fewest, count in _CROSSES_BY_ROWS if facts.n_rows >= fewest)


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
    rate_grows = stops and rate is None
    if iterations is None:
        iterations = preset.trees if stops else FIXED_TREES
        if facts.n_rows < FEWEST_TO_HOLD_OUT and not stops:
            why = f"{facts.n_rows:,} rows are too few to hold some out"
            choices["iterations"] = Choice(iterations, why)
    if rate_grows:
        rate = preset.rate
        choices["learning_rate"] = Choice(rate, f"quality={given.quality!r}; it grows with trees")
    if patience is None and (stops or share is not None):
        patience = preset.patience
    loop = replace(
        loop,
        iterations=iterations,
        learning_rate=rate,
        rate_grows=rate_grows,
        early_stopping_rounds=patience,
        least_improvement=_LEAST_IMPROVEMENT if stops else 0.0,
        patience_grows=stops and loop.early_stopping_rounds is None,
    )
    replays = share is not None and given.refit in ("auto", "replay")
    return replace(settings, training=replace(settings.training, loop=loop, replay=replays))


def _recipes(given: LeftOpen, facts: Facts, races: bool, choices: Choices) -> tuple[Recipe, ...]:
    """How models may be trained: one recipe, or several that race."""
    if not races:
        candidates: tuple[Recipe, ...] = (_usual(given, facts),)
    elif PRESETS[given.quality].blends:
        candidates = recipes_to_blend(facts)
    else:
        candidates = recipes_to_race(facts)
    recipes = tuple(_as_given(recipe, given) for recipe in candidates)
    if given.boosting_type == "auto":
        choices["boosting_type"] = Choice(recipes[0].boosting_type, _WHY_MODE)
    if given.depth is None:
        choices["depth"] = Choice(recipes[0].depth, _WHY_DEPTH)
    if given.rsm is None and recipes[0].rsm < 1:
        why = f"each tree of the first recipe draws some of {facts.n_columns} columns"
        choices["rsm"] = Choice(recipes[0].rsm, why)
    return recipes


def _as_given(recipe: Recipe, given: LeftOpen) -> Recipe:
    """What the user has said is kept."""
    return replace(
        recipe,
        boosting_type=recipe.boosting_type
        if given.boosting_type == "auto"
        else given.boosting_type,
        depth=recipe.depth if given.depth is None else given.depth,
        rsm=recipe.rsm if given.rsm is None else given.rsm,
    )


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
    """Recipes that err in different ways. Plain boosting with crosses finds most, Ordered boosting
    of shallow trees overfits least."""
    share = _SHARE_DRAWN if facts.n_columns >= _FEWEST_TO_DRAW else 1.0
    few = facts.n_rows < _FEWEST_FOR_DEEP
    ordered = facts.n_rows <= MOST_ORDERED_ROWS and facts.n_classes <= MOST_ORDERED_CLASSES
    return (
        Recipe("Plain", SHALLOW if few else DEEP, rsm=share),
        Recipe("Ordered" if ordered else "Plain", SHALLOW, crossed=False),
    )


def recipes_to_blend(facts: Facts) -> tuple[Recipe, ...]:
    """Those, and a third: the first with more noise, which makes its trees differ more."""
    plain, ordered = recipes_to_race(facts)
    return plain, ordered, replace(plain, noisy=True)
