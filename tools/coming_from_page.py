"""The tables of parameters in the pages for those who come from another library.

What a parameter is called elsewhere is declared with it (``aliases``); here is which library has
which name, and what to know about it. `python -m tools.coming_from_page` writes the tables,
`--check` compares them. The rest of the pages stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.estimator.hints import FIT_ALIASES, parameter_aliases
from tools.compare import write_or_check
from tools.markers import between

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Library:
    """Another library's parameters.

    names    those that there are here, perhaps under another name
    remarks  by the name here: what to know
    absent   those that there are not: what to do instead
    """

    title: str
    names: str
    remarks: Mapping[str, str]
    absent: Mapping[str, str]

    @property
    def page(self) -> Path:
        return Path("docs/coming_from") / f"{self.title.lower()}.md"


_NO_GPU = "trains on processors only"
_NO_CONSTRAINTS = "not yet"

CATBOOST = Library(
    "CatBoost",
    names="iterations n_estimators num_boost_round learning_rate eta depth max_depth l2_leaf_reg "
    "reg_lambda loss_function objective boosting_type fold_len_multiplier cat_features simple_ctr "
    "combinations_ctr max_ctr_complexity one_hot_max_size has_time model_size_reg used_ram_limit "
    "border_count max_bin feature_border_type nan_mode random_strength bootstrap_type "
    "sampling_method bagging_temperature subsample rsm colsample_bylevel min_data_in_leaf "
    "min_child_samples leaf_estimation_method leaf_estimation_iterations score_function "
    "eval_metric custom_metric early_stopping_rounds od_wait od_type use_best_model random_seed "
    "random_state thread_count verbose silent logging_level metric_period class_weights "
    "scale_pos_weight auto_class_weights snapshot_file",
    remarks={
        "iterations": "None, the default, finds the number; CatBoost's default is 1000",
        "boosting_type": "`'auto'` chooses; CatBoost on a processor is Plain unless asked",
        "border_count": "254 in both",
        "cache_memory": "of target statistics alone; `memory_limit` is for all of training",
        "priors": "numbers; the kinds of statistics are in `target_statistic`",
        "bootstrap_type": "no Poisson, which is for graphics cards",
        "class_weights": "`scale_pos_weight=w` is `class_weights={positive: w}`",
        "early_stopping_rounds": "there is one kind of detector",
        "verbose": "True, False, or every how many trees",
        "snapshot": "an argument of `fit`",
    },
    absent={
        "task_type, devices": _NO_GPU,
        "grow_policy": "trees are oblivious (`SymmetricTree`)",
        "monotone_constraints": _NO_CONSTRAINTS,
        "text_features, embedding_features": "make columns of them first",
        "ignored_features": "drop the columns",
        "train_dir, allow_writing_files": "nothing is written unless you name a file",
    },
)

LIGHTGBM = Library(
    "LightGBM",
    names="n_estimators num_iterations num_boost_round learning_rate shrinkage_rate num_leaves "
    "max_depth reg_lambda lambda_l2 objective application boosting boosting_type "
    "categorical_feature cat_smooth cat_l2 max_cat_to_onehot max_bin subsample bagging_fraction "
    "data_sample_strategy colsample_bytree feature_fraction min_child_samples min_data_in_leaf "
    "min_child_weight min_sum_hessian_in_leaf metric early_stopping_round early_stopping_rounds "
    "random_state seed n_jobs num_threads verbosity class_weight is_unbalance scale_pos_weight "
    "init_model",
    remarks={
        "iterations": "None, the default, finds the number; LightGBM's default is 100",
        "depth": "`num_leaves=63` is about `depth=6`, which has 64 leaves",
        "boosting_type": "Plain, Ordered or auto; there is no dart",
        "min_data_in_leaf": "a weight, in rows; 1 by default, 20 there",
        "bootstrap_type": "MVS, the default, is the relative of goss",
        "subsample": "for every tree: there is no `bagging_freq`",
        "prior_weight": "categories become target statistics, not sets of values",
        "class_weights": "by class, or `auto_class_weights='Balanced'`",
        "auto_class_weights": "`'Balanced'` is `is_unbalance=True`",
        "early_stopping_rounds": "in the constructor; no callback is needed",
        "border_count": "254 here, 255 there",
        "init_model": "an argument of `fit`, too",
    },
    absent={
        "lambda_l1, reg_alpha": "use `l2_leaf_reg`",
        "min_split_gain, min_gain_to_split": "a split needs a positive score; use `l2_leaf_reg`",
        "bagging_freq, subsample_freq": "every tree has a sample of its own",
        "max_cat_threshold, min_data_per_group": "statistics need no search over sets of values",
        "monotone_constraints, interaction_constraints": _NO_CONSTRAINTS,
        "linear_tree, extra_trees, dart": "not here",
        "device_type": _NO_GPU,
        "deterministic, force_row_wise": "the same bits always, for any number of threads",
        "use_missing, zero_as_missing": "missing values are missing, zeros are numbers",
    },
)

XGBOOST = Library(
    "XGBoost",
    names="n_estimators num_boost_round learning_rate eta max_depth max_leaves reg_lambda lambda "
    "objective booster enable_categorical max_cat_to_onehot max_bin subsample sampling_method "
    "colsample_bytree colsample_bylevel colsample_bynode min_child_weight eval_metric "
    "early_stopping_rounds num_parallel_tree random_state seed n_jobs nthread verbosity "
    "scale_pos_weight xgb_model",
    remarks={
        "iterations": "None, the default, finds the number; XGBoost's default is 100",
        "depth": "6 in both; all nodes of a level ask the same question here",
        "cat_features": "text columns are found; nothing has to be switched on or converted",
        "min_data_in_leaf": "a weight, in rows, and not a sum of second derivatives",
        "boosting_type": "Plain, Ordered or auto; there is no gblinear or dart",
        "rsm": "of columns for each tree",
        "l2_leaf_reg": "3 here, 1 there",
        "n_models": "models that are averaged, not trees that grow together",
        "class_weights": "`scale_pos_weight=w` is `class_weights={positive: w}`",
        "subsample": "of the rows that choose a tree; all rows fill its leaves",
        "init_model": "an argument of `fit`, too",
    },
    absent={
        "alpha, reg_alpha": "use `l2_leaf_reg`",
        "gamma, min_split_loss": "a split needs a positive score; use `l2_leaf_reg`",
        "tree_method, grow_policy": "histograms and oblivious trees, always",
        "max_delta_step": "steps that make a leaf's loss worse are halved",
        "monotone_constraints, interaction_constraints": _NO_CONSTRAINTS,
        "missing": "NaN, None and null are missing",
        "base_score": "the start value follows from the loss",
        "device": _NO_GPU,
    },
)

LIBRARIES = (CATBOOST, LIGHTGBM, XGBOOST)


def page(library: Library) -> str:
    """The text of a page that is there, with its table made again."""
    text = (_ROOT / library.page).read_text(encoding="utf-8")
    return between(text, "parameters", "make docs", _table(library), library.page)


def _table(library: Library) -> Iterator[str]:
    yield f"| {library.title} | here | to know |"
    yield "|---|---|---|"
    left = set(library.names.split())
    for here, aliases in _names_here().items():
        theirs = [name for name in library.names.split() if name in {here, *aliases}]
        left -= set(theirs)
        if theirs:
            yield f"| {_listed(theirs)} | `{here}` | {library.remarks.get(here, '')} |"
    assert not left, f"no parameter declares the aliases {sorted(left)} of {library.title}"
    for names, instead in library.absent.items():
        yield f"| {_listed(names.split(', '))} | – | {instead} |"


def _names_here() -> dict[str, set[str]]:
    """Parameters and arguments of ``fit``, in their order, and what they are called elsewhere."""
    found: dict[str, set[str]] = {}
    for aliases in (parameter_aliases(OcelotClassifier), parameter_aliases(OcelotRegressor)):
        for name, others in aliases.items():
            found.setdefault(name, set()).update(others)
    for name in ("init_model", "snapshot"):
        found[name] = set(FIT_ALIASES[name])
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    for each in LIBRARIES:
        make = partial(page, each)
        write_or_check("tools.coming_from_page", __doc__, each.page, make, remedy="make docs")
