"""The page of the estimators' methods and attributes, from their docstrings.

`python -m tools.estimator_page` writes it, `--check` compares it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator.documentation import Member, fitted_attributes, methods
from tools.compare import write_or_check
from tools.markers import linked

PAGE = Path("docs/estimators.md")

INTRODUCTION = """\
# Estimators

`OcelotClassifier` and `OcelotRegressor` follow scikit-learn: parameters go to the constructor
([parameters.md](parameters.md)), data to `fit`, and what `fit` found is in attributes whose names
end in an underscore. `score`, `get_params` and `set_fit_request` are scikit-learn's own.

`make docs` writes this page from the docstrings.
"""

FIT = """
## Rows to watch

`fit` watches the rows of `eval_set`: `(X, y)` or `(X, y, weight)`, a list of such, or a dict of
such whose keys name them in `history_`. The first of them decides when to stop, by the first
`eval_metric`, or else by the loss. The names are `eval_0`, `eval_1`, … where none are given, and
`validation` for rows that `validation_fraction` holds out.

In a scikit-learn `Pipeline` these rows have to go through the steps before the estimator, and their
target must not. So they can be given as `X_val` and `y_val`, too:

```python
import numpy as np
import sklearn
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from ocelotboost import OcelotRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
y = X[:, 0] + rng.normal(size=600)

with sklearn.config_context(enable_metadata_routing=True):
    model = OcelotRegressor(iterations=50, early_stopping_rounds=10)
    model.set_fit_request(X_val=True, y_val=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("model", model)], transform_input=["X_val"])
    pipeline.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])

assert pipeline[-1].best_score_ == min(pipeline[-1].history_["validation"]["RMSE"])
```

## Callbacks

A callback is an object with `before_iteration(info)`, `after_iteration(info)`, or both. Training
stops when one of them returns True. `info` has
"""

CALLBACK_EXAMPLE = """
```python
class Patience:
    def after_iteration(self, info):
        return info.history["learn"]["RMSE"][-1] < 0.95 or info.seconds > 60


model = OcelotRegressor(iterations=200).fit(X, y, callbacks=Patience())
assert model.history_["learn"]["RMSE"][-1] < 0.95
```

## Ctrl-C

An interrupt ends training after the last whole iteration. The estimator is then fitted with the
trees so far, and `KeyboardInterrupt` goes on, so that a search or a cross-validation ends. With
`interrupt="keep"` `fit` returns instead, with a warning. Before the first tree nothing is kept.
With a `snapshot` the same `fit` goes on later, as it does after a crash
([snapshots.md](snapshots.md)).
"""


def page() -> str:
    """The text of the page."""
    return (
        "\n".join(
            [
                INTRODUCTION,
                "## Methods\n",
                *_table("method", _merged(methods), "{0.name}{0.form}"),
                "\n## Fitted attributes\n",
                *_table("attribute", _merged(fitted_attributes), "{0.name}"),
                FIT,
                *_info(),
                CALLBACK_EXAMPLE,
            ]
        ).rstrip("\n")
        + "\n"
    )


def _merged(members_of: Callable[[type], list[Member]]) -> list[tuple[Member, str]]:
    """Members of both estimators, and of whom they are."""
    of_classifier, of_regressor = members_of(OcelotClassifier), members_of(OcelotRegressor)
    merged = []
    for member in of_classifier:
        other = next((m for m in of_regressor if m.name == member.name), None)
        if other == member:
            merged.append((member, ""))
        else:
            merged.append((member, "classifier: "))
            merged += [] if other is None else [(other, "regressor: ")]
    return merged


def _table(head: str, members: list[tuple[Member, str]], form: str) -> list[str]:
    rows = [f"| `{form.format(m)}` | {whose}{_markdown(m.text)} |" for m, whose in members]
    return [f"| {head} | meaning |", "|---|---|", *rows]


def _info() -> list[str]:
    """The fields of a callback's ``info``, from the list in its docstring."""
    lines = (IterationInfo.__doc__ or "").splitlines()
    described = dict(line.strip().split(maxsplit=1) for line in lines if "  " in line.strip())
    rows = [f"| `{f.name}` | {described[f.name]} |" for f in dataclasses.fields(IterationInfo)]
    return ["| field | meaning |", "|---|---|", *rows]


def _markdown(text: str) -> str:
    return linked(text.replace("``", "`").replace("|", "\\|"))


if __name__ == "__main__":
    write_or_check("tools.estimator_page", __doc__, PAGE, page, remedy="make docs")
