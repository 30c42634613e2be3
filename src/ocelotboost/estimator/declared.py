"""The parameters that classifier and regressor share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.choices import (
    BodyGradients,
    BoostingType,
    BootstrapType,
    BorderType,
    Interrupt,
    LeafEstimationMethod,
    NanMode,
    Quality,
    Refit,
    ScoreFunction,
    TargetStatistic,
)
from ocelotboost.estimator.date_parts import is_date_parts
from ocelotboost.estimator.hints import hint, parameter_aliases
from ocelotboost.estimator.memory_size import is_size
from ocelotboost.estimator.metrics import is_metrics
from ocelotboost.estimator.parameters import (
    Choices,
    Range,
    Rule,
    auto,
    either,
    flag,
    is_columns,
    nothing,
    number,
    numbers,
    one_of,
    parameter,
    whole,
)
from ocelotboost.estimator.target import TargetSettings
from ocelotboost.loss.base import LossLike
from ocelotboost.metric.base import MetricLike
from ocelotboost.table.date_parts import DATE_PARTS, USUAL_PARTS

Self = TypeVar("Self", bound="DeclaredParameters")

#: Statistics are cut into 16 bins that reach from prior to prior: beyond it, all fall into one.
_LARGEST_PRIOR = 1e9

_metric_rule = Rule("a metric name such as 'AUC', a metric object, or a list of such", is_metrics)


@dataclass(eq=False, repr=False, kw_only=True)
class DeclaredParameters(BaseEstimator):  # type: ignore[misc]
    """As scikit-learn wants them: one attribute each, set by the constructor and nowhere else."""

    quality: Quality = parameter(
        "default",
        one_of(Quality),
        "How much time to spend on what is left open: 'fast' trains one model, 'default' up to "
        "four, 'best' up to fifteen with a smaller learning rate (docs/quality.md).",
    )
    iterations: int | None = parameter(
        None,
        either(nothing(), whole(1)),
        "The most trees of a model. None: as many as held-out rows ask for; then all rows fill "
        "the leaves.",
        aliases=(
            "n_estimators",
            "num_boost_round",
            "num_trees",
            "num_iterations",
            "num_rounds",
            "max_iter",
            "n_iter",
        ),
    )
    learning_rate: float | None = parameter(
        None,
        either(nothing(), number(0, open_low=True)),
        "Share of each tree that is added. None: by quality, or where iterations is given, from "
        "rows, iterations and loss.",
        aliases=("eta", "shrinkage_rate", "shrinkage", "lr"),
        search=Range(0.02, 0.3, log=True, needs="iterations"),
    )
    depth: int | None = parameter(
        None,
        either(nothing(), whole(1, 16)),
        "Questions of a tree; it has 2^depth leaves. None: 6, or where iterations is open, also 8 "
        "from 10,000 rows on.",
        aliases=("max_depth", "num_leaves", "max_leaves", "max_leaf_nodes"),
        search=Range(4, 10, whole=True),
    )
    l2_leaf_reg: float = parameter(
        3.0,
        number(0),
        "Pulls leaf values towards zero, like this many rows with a gradient of zero.",
        aliases=("reg_lambda", "lambda_l2", "lambda", "l2_regularization"),
        search=Range(0.5, 30, log=True),
    )
    loss_function: str | LossLike | None = parameter(
        None,
        Rule("a loss name such as 'Quantile:alpha=0.9', a loss object, or None", lambda v: True),
        "What training makes small. None: RMSE; Logloss for two classes, MultiClass for more.",
        aliases=("loss", "objective", "application", "criterion"),
    )
    boosting_type: BoostingType = parameter(
        "auto",
        one_of(BoostingType),
        "'Ordered': gradients that no row's own target has entered, better on small data. 'Plain': "
        "the classic scheme, faster. 'auto': where iterations is open, a model of each, up to "
        "40,000 rows; else Ordered for 2 to 100 classes and 100 to 40,000 rows, 5,000 without "
        "categories. Plain with init_model.",
        aliases=("boosting", "booster", "boost"),
        search=Choices(("Plain", "Ordered"), needs="ordered"),
    )
    segment_growth: float = parameter(
        2.0,
        number(1.1),
        "For Ordered: supporting models learn from bodies of rows that grow by this factor.",
        aliases=("fold_len_multiplier",),
    )
    first_body: int | float | None = parameter(
        None,
        either(nothing(), whole(1), number(0, 1, open_low=True, open_high=True)),
        "For Ordered: rows of the first body, or their share of all rows; the paper's is 1. None: "
        "a 64th of the rows, an eighth of more than 50,000.",
    )
    body_gradients: BodyGradients = parameter(
        "own",
        one_of(BodyGradients),
        "For Ordered: where the gradients of a body of rows are taken. 'segment': at the model "
        "that learned from the body, as in the paper. 'own': each row's at a model that has not "
        "seen it.",
    )
    independent_orderings: bool = parameter(
        False,
        flag(),
        "For Ordered: boosting has orderings of its own, not those of the target statistics. For "
        "experiments; it lets targets leak.",
    )
    cat_features: Any = parameter(
        None,
        Rule(
            "names or positions of columns (a list, an Index, ..., no generator), or None",
            is_columns,
        ),
        "Columns that hold categories. Text, categories and booleans of data frames are "
        "categorical without being listed.",
        aliases=(
            "cat_feature",
            "categorical_feature",
            "categorical_features",
            "enable_categorical",
        ),
    )
    date_parts: Any = parameter(
        "auto",
        Rule(
            f"'auto', None, or parts of dates: a name or a list of {', '.join(DATE_PARTS)}",
            is_date_parts,
        ),
        "Parts of a date that become numbers besides its elapsed time. 'auto': "
        f"{', '.join(USUAL_PARTS)}. None: no parts. Parts that do not vary are left out "
        "(docs/dates.md).",
    )
    crosses: int | str = parameter(
        "auto",
        either(auto(), whole(0, 100)),
        "Sums, differences, products and ratios of two number columns that become columns, too; "
        "short trainings find the most useful ones. 'auto': 8, or 16 from 10,000 rows on, where "
        "iterations is left open; none for quality='fast', below 500 rows and on a cluster.",
        aliases=("cross_features",),
    )
    number_views: bool | str = parameter(
        "auto",
        either(auto(), flag()),
        "Categories whose texts are numbers or dates, such as '17' or '2024-02-29', become columns "
        "of numbers, too, so that trees can ask whether they are above some border "
        "(docs/quality.md). 'auto': where iterations is left open, but not on a cluster.",
    )
    value_views: bool | str = parameter(
        "auto",
        either(auto(), flag()),
        "Categories that explain most of a numeric target are asked for single values, besides "
        "their statistics (docs/quality.md). 'auto': where iterations is left open, but not on a "
        "cluster.",
    )
    target_statistic: TargetStatistic = parameter(
        "ordered",
        one_of(TargetStatistic),
        "What a category's target statistic is made of: 'ordered' rows before a row, all rows "
        "('greedy') or all others ('leave_one_out'), which both leak, or a 'holdout' half.",
    )
    priors: Sequence[float] | NDArray[Any] = parameter(
        (0.0, 0.5, 1.0),
        numbers(-_LARGEST_PRIOR, _LARGEST_PRIOR),
        "Priors of target statistics, one column each; of a mean target 0.5 is the mean.",
        aliases=("simple_ctr", "combinations_ctr"),
    )
    prior_weight: float = parameter(
        1.0,
        number(0, _LARGEST_PRIOR, open_low=True),
        "Each prior counts like this many rows.",
        aliases=("cat_smooth", "cat_l2"),
        search=Range(0.3, 10, log=True, needs="categories"),
    )
    statistic_window: int | None = parameter(
        None,
        either(nothing(), whole(1)),
        "For 'ordered': use only this many rows before each row. None: all of them.",
    )
    max_combination: int = parameter(
        4,
        whole(1, 16),
        "The most categorical features that are combined; 1: no combinations.",
        aliases=("max_ctr_complexity",),
        search=Range(1, 4, whole=True, needs="categories"),
    )
    combine_numbers: bool = parameter(
        False,
        flag(),
        "The tree's questions about numbers and single categories may be part of a combination.",
    )
    one_hot_max_size: int | None = parameter(
        None,
        either(nothing(), whole(0, 255)),
        "Features with at most this many distinct values are one-hot encoded. None: 10 where "
        "iterations is open, else 2.",
        aliases=("max_cat_to_onehot",),
        search=Range(2, 32, log=True, whole=True, needs="categories"),
    )
    permutation_count: int = parameter(
        3, whole(1), "s: orderings that choose trees, in addition to the one that fills leaves."
    )
    supporting_rate: float = parameter(
        0.5,
        number(0, 1, open_low=True),
        "For Plain with categories: the share of the learning rate at which the supporting models "
        "learn, which choose the trees. 1: as in the paper.",
    )
    has_time: bool | int | str = parameter(
        False,
        either(flag(), whole(0), Rule("the name of a column", lambda v: isinstance(v, str))),
        "True: the rows come in the order of time; a column: by its numbers. No random orderings, "
        "and no row learns from later ones.",
    )
    model_size_reg: float = parameter(
        0.5,
        number(0),
        "Makes a combination that no tree uses yet, and that has many values, less attractive.",
    )
    cache_memory: int | str = parameter(
        "1GB",
        Rule("a number of bytes or a text such as '512MB'", is_size),
        "Memory for target statistics that are kept from tree to tree.",
        aliases=("used_ram_limit",),
        runtime=True,
    )
    memory_limit: int | str | None = parameter(
        None,
        either(nothing(), Rule("a number of bytes or a text such as '4GB'", is_size)),
        "Training takes no more memory than this, or ends with an error before the first tree "
        "that says how much it would need. What can be in files is there. None: as much as it "
        "needs.",
        runtime=True,
    )
    cache_dir: str | PathLike[str] | None = parameter(
        None,
        either(nothing(), Rule("a path", lambda v: isinstance(v, str | PathLike) and str(v) != "")),
        "Where tables that are read in batches, and what memory_limit leaves no room for, are "
        "kept during training, in files that are removed afterwards. None: TMPDIR, else /var/tmp, "
        "else the system's temporary directory.",
        runtime=True,
    )
    border_count: int = parameter(
        254,
        whole(1, 254),
        "The most borders a column is cut at.",
        aliases=("max_bin", "max_bins"),
    )
    border_type: BorderType = parameter(
        "GreedyLogSum",
        one_of(BorderType),
        "How the borders of a column are chosen.",
        aliases=("feature_border_type",),
    )
    nan_mode: NanMode = parameter(
        "Min",
        one_of(NanMode),
        "Missing values are below all numbers, above them, or an error.",
    )
    random_strength: float = parameter(
        1.0,
        number(0),
        "Noise on the scores of splits; it fades as training goes on.",
        search=Range(0, 3),
    )
    bootstrap_type: BootstrapType = parameter(
        "auto",
        one_of(BootstrapType),
        "Which rows choose a tree's structure. 'auto': what subsample or bagging_temperature is "
        "for, if one of them is given; else MVS, Bayesian for several classes of up to 10,000 "
        "rows, and all rows when there are fewer than 100.",
        aliases=("sampling_method", "data_sample_strategy"),
    )
    bagging_temperature: float | None = parameter(
        None,
        either(nothing(), number(0)),
        "For Bayesian: row weights are (-ln U)^temperature. None: 1.",
        search=Range(0, 2, usual=1, needs="temperature"),
    )
    subsample: float | None = parameter(
        None,
        either(nothing(), number(0, 1, open_low=True)),
        "For Bernoulli and MVS: share of the rows taken. None: 0.8.",
        aliases=("bagging_fraction", "max_samples"),
        search=Range(0.4, 1, usual=0.8, needs="share"),
    )
    rsm: float | None = parameter(
        None,
        either(nothing(), number(0, 1, open_low=True)),
        "Share of the columns each tree may use. None: 0.7 in models with crosses where iterations "
        "is open and there are 10 columns or more, else 1.",
        aliases=(
            "colsample_bytree",
            "colsample_bylevel",
            "colsample_bynode",
            "feature_fraction",
            "max_features",
        ),
        search=Range(0.4, 1),
    )
    min_data_in_leaf: float = parameter(
        1.0,
        number(0),
        "A leaf that weighs less earns no score and stays at zero (a weight of k is k rows).",
        aliases=(
            "min_child_samples",
            "min_samples_leaf",
            "min_child_weight",
            "min_data",
            "min_sum_hessian_in_leaf",
        ),
        search=Range(1, 64, log=True),
    )
    leaf_estimation_method: LeafEstimationMethod | None = parameter(
        None,
        either(nothing(), one_of(LeafEstimationMethod)),
        "How leaf values are found. None: what suits the loss.",
    )
    leaf_estimation_iterations: int | None = parameter(
        None, either(nothing(), whole(1)), "Steps of it. None: what suits the loss."
    )
    score_function: ScoreFunction = parameter(
        "Cosine", one_of(ScoreFunction), "What makes a split a good one."
    )
    eval_metric: str | MetricLike | Sequence[str | MetricLike] | None = parameter(
        None,
        either(nothing(), _metric_rule),
        "Computed in addition to the loss. The first of several decides when to stop, on the "
        "first eval set. None: the loss.",
        aliases=("metric", "metrics", "custom_metric", "scoring"),
    )
    early_stopping_rounds: int | None = parameter(
        None,
        either(nothing(), whole(1)),
        "Stop when the eval metric has not improved for this many trees. None: 50 with held-out "
        "rows, else never. Where iterations is open, it grows from 20 to 50 with the number of "
        "trees (from 12 to 30 and from 40 to 100 with quality 'fast' and 'best').",
        aliases=(
            "early_stopping",
            "early_stopping_round",
            "od_type",
            "od_wait",
            "n_iter_no_change",
        ),
    )
    use_best_model: bool = parameter(
        True,
        flag(),
        "Keep the trees up to the best value of the curve that is watched. False: keep all; "
        "best_iteration_ tells which was best.",
    )
    validation_fraction: float | Literal["auto"] | None = parameter(
        "auto",
        either(
            nothing(),
            auto(),
            number(0, 1, open_low=True, open_high=True),
        ),
        "Hold out this share of the rows for early stopping: the same share of every class, or "
        "with has_time the last rows. 'auto': a fifth, at most 20,000 rows, where iterations is "
        "open and there are no eval sets. None: no rows.",
    )
    refit: Refit | None = parameter(
        "auto",
        either(nothing(), one_of(Refit)),
        "What becomes of held-out rows. 'auto' and 'replay': once the number of trees is known, "
        "the leaves are filled again from all rows. None: they stay out of the model.",
    )
    n_models: int | None = parameter(
        None,
        either(nothing(), whole(1, 1000)),
        "Models whose average is the model. They differ in what is random, and each holds other "
        "rows out. None: by quality and the number of rows; 1 where iterations is given.",
        aliases=("n_ensembles", "num_parallel_tree"),
    )
    time_limit: float | None = parameter(
        None,
        either(nothing(), number(0, open_low=True)),
        "Seconds after which no tree is begun.",
        runtime=True,
    )
    interrupt: Interrupt = parameter(
        "raise",
        one_of(Interrupt),
        "Ctrl-C ends training, and the estimator is fitted with the trees so far. 'raise': then "
        "KeyboardInterrupt goes on, so that a search or a cross-validation ends. 'keep': fit "
        "returns as if those were all trees, with a warning.",
        runtime=True,
    )
    random_state: int | np.random.RandomState | np.random.Generator | None = parameter(
        0,
        either(
            nothing(),
            whole(0),
            Rule(
                "a numpy RandomState or Generator",
                lambda v: isinstance(v, np.random.RandomState | np.random.Generator),
            ),
        ),
        "Same data and same number: same model, for any n_jobs. None: different each time.",
        aliases=("random_seed", "seed"),
    )
    n_jobs: int | None = parameter(
        None,
        either(nothing(), Rule("a whole number; -1 is all cores", whole(-(1 << 30)).holds)),
        "Threads, at most one per core. None: OCELOT_NUM_THREADS (which may be more than the "
        "cores), else OMP_NUM_THREADS, else all cores.",
        aliases=("thread_count", "num_threads", "n_threads", "nthread"),
        runtime=True,
    )
    verbose: bool | int = parameter(
        False,
        either(flag(), whole(0)),
        "True: a progress bar with the metric and the remaining time; about 20 lines where the "
        "output is no terminal, as in a log file or a notebook. A number n: one line every n "
        "trees; from 2 on, the plan of the training before the first tree. What was chosen where "
        "iterations is left open comes first.",
        aliases=("verbosity", "verbose_eval", "silent", "logging_level", "metric_period"),
        runtime=True,
    )

    def set_params(self: Self, **parameters: Any) -> Self:
        """Change parameters, as the constructor would set them."""
        aliases = parameter_aliases(type(self))
        for name in parameters:
            if name not in aliases:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}{hint(name, aliases)}"
                )
        changed: Self = super().set_params(**parameters)
        return changed

    def _target_settings(self) -> TargetSettings:
        """What classifier and regressor know about their targets."""
        raise NotImplementedError
