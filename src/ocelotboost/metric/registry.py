"""From the name a user writes to the metric."""

from __future__ import annotations

from ocelotboost.errors import ParameterError
from ocelotboost.loss.names import fill_parameters, meant_by, parse_name, unknown_name
from ocelotboost.metric.auc import AUC
from ocelotboost.metric.base import LOG_MEAN, LOG_ODDS, LOGITS, NUMBER, Link, Metric
from ocelotboost.metric.classification import F1, Accuracy, Brier, Precision, Recall
from ocelotboost.metric.likelihood import (
    CrossEntropy,
    Gamma,
    Logloss,
    MultiClass,
    Poisson,
    Tweedie,
)
from ocelotboost.metric.regression import MAE, MAPE, R2, RMSE, Huber, Quantile

METRICS: dict[str, type[Metric]] = {
    metric.__name__: metric
    for metric in (
        RMSE, MAE, Quantile, Huber, MAPE, R2,
        Poisson, Tweedie, Gamma,
        Logloss, CrossEntropy, MultiClass,
        AUC, Accuracy, F1, Precision, Recall, Brier,
    )
}  # fmt: skip

_RAW_SCORE_OF_LOSS = {
    "RMSE": NUMBER,
    "MAE": NUMBER,
    "Quantile": NUMBER,
    "Huber": NUMBER,
    "Poisson": LOG_MEAN,
    "Tweedie": LOG_MEAN,
    "Gamma": LOG_MEAN,
    "Logloss": LOG_ODDS,
    "CrossEntropy": LOG_ODDS,
    "MultiClass": LOGITS,
}


def raw_score_of(loss: str) -> str | None:
    """What the raw predictions of a loss are; None for a user's own loss."""
    return _RAW_SCORE_OF_LOSS.get(loss.partition(":")[0])


def metric_from_name(text: str, link: Link) -> Metric:
    """The metric called ``text``; ``link`` maps the model's raw scores to the response.

    >>> import numpy as np
    >>> metric = metric_from_name("Quantile:alpha=0.9", link=lambda raw: raw)
    >>> target = np.array([1, 2, 3], dtype=np.float32)
    >>> round(metric.value(target, np.array([0.0, 2.0, 4.0]), None), 3)
    0.333
    """
    name, given = _parsed(text)
    metric = METRICS[name]
    return metric(text, link, **fill_parameters(name, given, metric.parameters))


def check_metric_fits(text: str, loss: str) -> None:
    """Refuse a metric that would misread the raw scores of a model trained with ``loss``.

    Poisson takes a raw score for a log mean, say, which the raw score of RMSE is not. Users' own
    losses are trusted.
    """
    name, _ = _parsed(text)
    understands = METRICS[name].understands
    raw_score = raw_score_of(loss)
    if raw_score is None or raw_score in understands:
        return
    fitting = [known for known, metric in METRICS.items() if raw_score in metric.understands]
    raise ParameterError(
        f"The metric {text!r} does not fit the loss {loss!r}, whose raw score is a {raw_score}; "
        f"metrics that fit: {', '.join(fitting)}."
    )


def _parsed(text: str) -> tuple[str, dict[str, float]]:
    """Name and parameters of a metric that there is."""
    if isinstance(text, str) and meant_by(text) is not None:
        raise unknown_name("metric", text, METRICS)
    name, given = parse_name(text)
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return name, given
