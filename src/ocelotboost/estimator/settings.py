"""From the estimator's parameters to the settings of every stage: the one place that reads them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from typing import Any

from ocelotboost.boost.parameters import BoostParameters
from ocelotboost.boost.sampling import check_sampling
from ocelotboost.boost.snapshot import SnapshotFile
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.continuing import mode_of_continuing
from ocelotboost.estimator.date_parts import parts_of
from ocelotboost.estimator.declared import DeclaredParameters
from ocelotboost.estimator.memory_size import size_in_bytes
from ocelotboost.estimator.parameters import check_parameters, model_parameters
from ocelotboost.estimator.reading import ReadSettings
from ocelotboost.estimator.rows import SplitSettings
from ocelotboost.estimator.seeds import Seeds, draw_seeds, of_model
from ocelotboost.estimator.snapshots import SnapshotSettings
from ocelotboost.estimator.target import TargetSettings
from ocelotboost.estimator.training import TrainingSettings
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.settings import OrderSettings, StatisticSettings
from ocelotboost.quantize.quantized import QuantizeSettings
from ocelotboost.threads import thread_count

#: Times the noise, in noisy recipes.
_NOISE = 3.0

#: Until ``choose`` has looked at the data.
_TREES, _DEPTH, _ONE_HOT, _RSM = 1000, 6, 2, 1.0


@dataclass(frozen=True)
class LeftOpen:
    """Parameters that may be left to the data, as the user gave them: None and 'auto' are open."""

    quality: str
    iterations: int | None
    depth: int | None
    boosting_type: str
    n_models: int | None
    validation_fraction: Any
    refit: str | None
    crosses: int | str
    number_views: bool | str
    value_views: bool | str
    one_hot_max_size: int | None
    rsm: float | None


@dataclass(frozen=True)
class Recipe:
    """How a model is trained, where models may differ.

    crossed  it asks about crosses of number columns, where there are some
    rsm      share of the columns that each tree may ask about
    noisy    scores have several times the noise, and rows have Bayesian weights where sampling is
             left open
    """

    boosting_type: str
    depth: int
    crossed: bool = True
    rsm: float = 1.0
    noisy: bool = False

    @property
    def words(self) -> str:
        return f"{self.boosting_type} of depth {self.depth}{' with noise' if self.noisy else ''}"


@dataclass(frozen=True)
class EnsembleSettings:
    """Models whose average is the model.

    recipes  in the order of their models; more than one: they race
    blends   held-out rows say how much each recipe counts
    """

    n_models: int
    recipes: tuple[Recipe, ...]
    blends: bool = False


@dataclass(frozen=True)
class Settings:
    """What each stage needs to know, and the parameters that the model remembers.

    crosses    how many crosses of number columns are derived
    left_open  what ``estimator/choosing.py`` decides; until then the settings have other values
    """

    read: ReadSettings
    target: TargetSettings
    split: SplitSettings
    quantize: QuantizeSettings
    order: OrderSettings
    training: TrainingSettings
    ensemble: EnsembleSettings
    crosses: int
    left_open: LeftOpen
    parameters: dict[str, Any]

    def with_recipe(self, recipe: Recipe) -> Settings:
        """For a model that is trained in this way."""
        order = replace(self.order, boosting_type=recipe.boosting_type)
        loop = replace(self.training.loop, depth=recipe.depth, rsm=recipe.rsm)
        if recipe.noisy:
            loop = replace(loop, random_strength=_NOISE * loop.random_strength)
            if loop.bootstrap_type == "auto" and loop.subsample is None:
                loop = replace(loop, bootstrap_type="Bayesian")
        return self._with(order, replace(self.training, loop=loop))

    def with_one_hot(self, most_values: int, value_views: tuple[int, ...]) -> Settings:
        """With these categories one-hot encoded: small ones, and some that have statistics, too."""
        quantize = replace(self.quantize, one_hot_max_size=most_values, value_views=value_views)
        statistics = replace(self.order.statistics, value_views=value_views)
        changed = replace(self, quantize=quantize)
        return changed._with(replace(self.order, statistics=statistics), self.training)

    def of_model(self, number: int) -> Settings:
        """For one of several models: what is random about it is drawn anew."""
        given = self.order
        order = replace(
            given,
            history_seed=of_model(given.history_seed, number),
            statistic_seed=of_model(given.statistic_seed, number),
            segment_seed=of_model(given.segment_seed, number),
        )
        return self._with(order, replace(self.training, seed=of_model(self.training.seed, number)))

    def of_training(self, number: int, seconds_left: float | None) -> Settings:
        """For one of several trainings: with a snapshot of its own, and the time that is left."""
        if number == 0:
            return self
        given = self.training
        training = replace(
            given,
            loop=replace(given.loop, time_limit=seconds_left, needs_trees=False),
            snapshot=None if given.snapshot is None else given.snapshot.of_training(number),
        )
        return replace(self, training=training)

    def with_threads(self, n_threads: int) -> Settings:
        """The same on another number of threads."""
        given = self.training
        changed = replace(
            self,
            read=replace(self.read, n_threads=n_threads),
            quantize=replace(self.quantize, n_threads=n_threads),
        )
        loop = replace(given.loop, n_threads=n_threads)
        order = replace(self.order, n_threads=n_threads)
        return changed._with(order, replace(given, loop=loop))

    def _with(self, order: OrderSettings, training: TrainingSettings) -> Settings:
        return replace(self, order=order, training=replace(training, order=order))


def settings_from(
    given: DeclaredParameters,
    cat_features: Any,
    continued: TrainedModel | None,
    snapshot: SnapshotFile | None = None,
) -> Settings:
    """The parameters, checked and made what the stages take. ``cat_features`` is that of ``fit``;
    ``continued`` is the model that training goes on from, ``snapshot`` where it is stored."""
    check_parameters(given)
    check_sampling(given.bootstrap_type, given.subsample, given.bagging_temperature)
    _check_statistics(given)
    seeds = draw_seeds(
        given.random_state if snapshot is None else snapshot.random_state(given.random_state)
    )
    n_threads = thread_count(given.n_jobs)
    order = _order_settings(given, seeds, continued is not None, n_threads)
    parameters = model_parameters(given)
    return Settings(
        read=ReadSettings(
            cat_features=given.cat_features if cat_features is None else cat_features,
            hash_key=seeds.hash_key if continued is None else continued.forest.hash_key,
            cache_dir=given.cache_dir,
            memory_limit=None if given.memory_limit is None else size_in_bytes(given.memory_limit),
            n_threads=n_threads,
            date_parts=parts_of(given.date_parts),
            number_views=given.iterations is None
            if given.number_views == "auto"
            else bool(given.number_views),
            derivation=None if continued is None else continued.forest.derivation,
        ),
        target=given._target_settings(),
        split=SplitSettings(
            validation_fraction=None,
            has_time=given.has_time,
            nan_mode=given.nan_mode,
            seed=seeds.validation,
            early_stopping_rounds=given.early_stopping_rounds,
            refit=None if given.refit == "auto" else given.refit,
            n_models=1,
        ),
        quantize=QuantizeSettings(
            border_count=int(given.border_count),
            border_type=given.border_type,
            nan_mode=given.nan_mode,
            one_hot_max_size=_ONE_HOT,
            value_views=(),
            seed=seeds.borders,
            n_threads=n_threads,
        ),
        order=order,
        training=TrainingSettings(
            loop=_boost_parameters(given, n_threads),
            order=order,
            eval_metric=given.eval_metric,
            keep_best=bool(given.use_best_model),
            replay=False,
            verbose=given.verbose,
            seed=seeds.trees,
            snapshot=None
            if snapshot is None
            else SnapshotSettings(snapshot, parameters, seeds.entropy),
        ),
        ensemble=EnsembleSettings(1, ()),
        crosses=0,
        left_open=_left_open(given),
        parameters=parameters,
    )


def _left_open(given: DeclaredParameters) -> LeftOpen:
    return LeftOpen(
        quality=given.quality,
        iterations=_or_none(int, given.iterations),
        depth=_or_none(int, given.depth),
        boosting_type=given.boosting_type,
        n_models=_or_none(int, given.n_models),
        validation_fraction=given.validation_fraction,
        refit=given.refit,
        crosses=given.crosses if given.crosses == "auto" else int(given.crosses),
        number_views=_or_auto(given.number_views),
        value_views=_or_auto(given.value_views),
        one_hot_max_size=_or_none(int, given.one_hot_max_size),
        rsm=_or_none(float, given.rsm),
    )


def _or_auto(flag: bool | str) -> bool | str:
    return "auto" if flag == "auto" else bool(flag)


def _or_none(kind: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else kind(value)


def settings_to_plan(given: DeclaredParameters, cat_features: Any) -> Settings:
    """The same for a plan: a generator as ``random_state`` does not move on."""
    untouched = copy(given)
    untouched.random_state = deepcopy(given.random_state)
    return settings_from(untouched, cat_features, None)


def _order_settings(
    given: DeclaredParameters, seeds: Seeds, continues: bool, n_threads: int
) -> OrderSettings:
    mode = given.boosting_type
    return OrderSettings(
        statistics=StatisticSettings(
            kind=given.target_statistic,
            priors=tuple(float(prior) for prior in given.priors),
            prior_weight=float(given.prior_weight),
            window=None if given.statistic_window is None else int(given.statistic_window),
            max_combination=int(given.max_combination),
            combine_numbers=bool(given.combine_numbers),
            cache_bytes=size_in_bytes(given.cache_memory),
            value_views=(),
        ),
        has_time=given.has_time,
        n_supporting=int(given.permutation_count),
        boosting_type=mode_of_continuing(mode) if continues else mode,
        segment_growth=float(given.segment_growth),
        first_body=given.first_body,
        parcel_seed=seeds.parcels,
        history_seed=seeds.history,
        statistic_seed=seeds.orderings,
        segment_seed=seeds.independent if given.independent_orderings else seeds.orderings,
        n_threads=n_threads,
    )


def _boost_parameters(given: DeclaredParameters, n_threads: int) -> BoostParameters:
    rate = given.learning_rate
    return BoostParameters(
        iterations=_TREES,
        learning_rate=None if rate is None else float(rate),
        depth=_DEPTH,
        random_strength=float(given.random_strength),
        rsm=_RSM,
        model_size_reg=float(given.model_size_reg),
        bootstrap_type=given.bootstrap_type,
        subsample=given.subsample,
        bagging_temperature=given.bagging_temperature,
        score_function=given.score_function,
        l2_leaf_reg=float(given.l2_leaf_reg),
        min_data_in_leaf=float(given.min_data_in_leaf),
        leaf_estimation_method=given.leaf_estimation_method,
        leaf_estimation_iterations=given.leaf_estimation_iterations,
        body_gradients=given.body_gradients,
        supporting_rate=float(given.supporting_rate),
        early_stopping_rounds=given.early_stopping_rounds,
        time_limit=given.time_limit,
        n_threads=n_threads,
    )


def _check_statistics(given: DeclaredParameters) -> None:
    """Refuse parameters of statistics that contradict each other."""
    kind = given.target_statistic
    if given.statistic_window is not None and kind != "ordered":
        raise ParameterError(
            f"statistic_window={given.statistic_window} is for target_statistic='ordered'; "
            f"a {kind!r} statistic has no order."
        )
    if kind == "holdout" and given.combine_numbers:
        raise ParameterError(
            "combine_numbers=True is not possible with target_statistic='holdout': use 'ordered'."
        )
