"""Keywords of other libraries are refused with a hint, and introspection sees none of that."""

from __future__ import annotations

import dataclasses
import inspect
from typing import get_args

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.errors import ParameterError
from ocelotboost.estimator import choices
from ocelotboost.estimator.hints import FIT_ALIASES, parameter_aliases
from ocelotboost.order.statistic import HISTORIES
from ocelotboost.quantize.borders import BORDER_RULES
from tests.data import regression

BOTH = pytest.mark.parametrize("kind", [OcelotClassifier, OcelotRegressor])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("n_estimators", "`iterations`"),
        ("max_depth", "`depth`"),
        ("reg_lambda", "`l2_leaf_reg`"),
        ("random_seed", "`random_state`"),
        ("class_weight", "`class_weights` or `auto_class_weights`"),
        ("thread_count", "`n_jobs`"),
        ("eta", "`learning_rate`"),
        ("objective", "`loss_function`"),
        ("colsample_bytree", "`rsm`"),
        ("lerning_rate", "`learning_rate`"),
        ("Depth", "`depth`"),
    ],
)
def test_a_keyword_of_another_library_gets_a_hint(typed, meant):
    with pytest.raises(TypeError, match=f"__init__.. got an unexpected .*{typed}.*mean {meant}"):
        OcelotClassifier(**{typed: 1})
    with pytest.raises(ParameterError, match=f"has no parameter '{typed}'; did you mean {meant}"):
        OcelotClassifier().set_params(**{typed: 1})


def test_a_keyword_like_no_other_gets_none():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'zebra'$"):
        OcelotRegressor(zebra=1)
    with pytest.raises(ValueError, match=r"OcelotRegressor has no parameter 'zebra'$"):
        OcelotRegressor().set_params(zebra=1)
    with pytest.raises(TypeError, match=r"OcelotRegressor.fit.. got an unexpected .* 'zebra'$"):
        OcelotRegressor().fit([[1.0]], [1.0], zebra=1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("early_stopping_rounds", r"constructor: `OcelotRegressor.early_stopping_rounds=....`"),
        ("verbose", r"constructor: `OcelotRegressor.verbose=....`"),
        ("eval_metric", r"constructor: `OcelotRegressor.eval_metric=....`"),
        ("num_boost_round", r"constructor: `OcelotRegressor.iterations=....`"),
        ("categorical_feature", "did you mean `cat_features`"),
        ("weight", "did you mean `sample_weight`"),
        ("evalset", "did you mean `eval_set`"),
        ("xgb_model", "did you mean `init_model`"),
    ],
)
def test_fit_tells_what_it_takes_and_what_the_constructor_takes(typed, meant):
    X, y = regression(20)
    with pytest.raises(TypeError, match=f"fit.. got an unexpected .* '{typed}'; .*{meant}"):
        OcelotRegressor().fit(X, y, **{typed: 1})


def test_a_search_over_a_parameter_of_another_library_gets_a_hint():
    X, y = regression(20)
    with pytest.raises(ParameterError, match="did you mean `iterations`"):
        GridSearchCV(OcelotRegressor(), {"n_estimators": [1]}, cv=2).fit(X, y)


@BOTH
def test_no_alias_is_a_parameter(kind):
    aliases = parameter_aliases(kind)
    for others in aliases.values():
        assert not {*others} & {*aliases}
    fit = {name for name in inspect.signature(kind.fit).parameters if name != "self"}
    assert {*FIT_ALIASES} <= fit
    assert not {alias for others in FIT_ALIASES.values() for alias in others} & fit


@BOTH
def test_the_signature_is_that_of_the_declarations(kind):
    declared = {f.name: f.default for f in dataclasses.fields(kind)}
    for signature in (inspect.signature(kind), inspect.signature(kind.__init__)):
        found = {n: p for n, p in signature.parameters.items() if n != "self"}
        assert {name: p.default for name, p in found.items()} == declared
        assert {p.kind for p in found.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert kind().get_params() == declared
    assert clone(kind(depth=3)).depth == 3
    assert list(inspect.signature(kind.fit).parameters)[:4] == ["self", "X", "y", "sample_weight"]


def test_a_subclass_with_a_parameter_of_its_own():
    class Named(OcelotRegressor):
        def __init__(self, *, label="x", iterations=10):
            super().__init__(iterations=iterations)
            self.label = label

    X, y = regression(50)
    model = clone(Named(label="mine", iterations=3)).fit(X, y)
    assert (model.label, model.n_iter_) == ("mine", 3)


def test_the_types_of_enumerations_are_what_there_is():
    assert get_args(choices.TargetStatistic) == tuple(HISTORIES)
    assert get_args(choices.BorderType) == tuple(BORDER_RULES)
