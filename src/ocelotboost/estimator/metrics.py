"""From ``eval_metric`` to the metrics that training records."""

from __future__ import annotations

from typing import Any

from ocelotboost.errors import ParameterError
from ocelotboost.loss.base import CustomLoss, Loss
from ocelotboost.metric.base import MetricLike, Response, check_metric
from ocelotboost.metric.registry import check_metric_fits, metric_from_name


def is_metrics(value: Any) -> bool:
    """A name or an object, or some of them; whether there are such metrics is seen later."""
    return value is not None and not (isinstance(value, list | tuple) and len(value) == 0)


def metrics_from(eval_metric: Any, loss: Loss) -> list[MetricLike]:
    """The metrics other than the loss, as they were given: the first decides about stopping."""
    if eval_metric is None:
        return []
    given = eval_metric if isinstance(eval_metric, list | tuple) else [eval_metric]
    metrics = [_metric(one, loss) for one in given]
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"eval_metric has {name!r} twice, and history_ has one list per name; give it once."
            )
    return metrics


def _metric(given: Any, loss: Loss) -> MetricLike:
    if isinstance(given, str):
        check_metric_fits(given, loss.name)
        metric: MetricLike = metric_from_name(given, _rows_first_link(loss))
    else:
        metric = check_metric(given)
    users_own = isinstance(loss, CustomLoss) or not isinstance(given, str)
    if metric.name == loss.name and users_own:
        raise ParameterError(
            f"eval_metric and loss_function are both called {loss.name!r}, and history_ has one "
            "list per name; give one of them another name."
        )
    return metric


def _rows_first_link(loss: Loss) -> Response:
    if loss.n_outputs == 1:
        return loss.link
    return lambda raw: loss.link(raw.T).T
