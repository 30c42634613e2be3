"""From the name a user writes to the metric."""

from __future__ import annotations

from dataclasses import dataclass

from ocelotboost.errors import ParameterError
from ocelotboost.loss.links import Link
from ocelotboost.loss.names import fill_parameters, meant_by, parse_name, unknown_name
from ocelotboost.loss.registry import LOSSES, link_of
from ocelotboost.metric.auc import AUC
from ocelotboost.metric.base import Metric, Response
from ocelotboost.metric.classification import F1, Accuracy, Brier, Precision, Recall
from ocelotboost.metric.of_loss import LossMetric
from ocelotboost.metric.regression import MAPE, R2

#: The metrics that are no losses.
METRICS_ALONE: dict[str, type[Metric]] = {
    metric.__name__: metric for metric in (R2, MAPE, AUC, Accuracy, F1, Precision, Recall, Brier)
}


@dataclass(frozen=True)
class KnownMetric:
    """What is known of a metric by its name alone.

    understands       links of the losses whose models it can judge
    higher_is_better  whether a larger value is a better one
    other_names       what other libraries call it
    """

    understands: frozenset[Link]
    higher_is_better: bool
    other_names: tuple[str, ...]


METRICS: dict[str, KnownMetric] = {
    **{
        name: KnownMetric(frozenset(loss.judges), LossMetric.higher_is_better, loss.other_names)
        for name, loss in LOSSES.items()
    },
    **{
        name: KnownMetric(metric.understands, metric.higher_is_better, metric.other_names)
        for name, metric in METRICS_ALONE.items()
    },
}
OTHER_NAMES = {name: metric.other_names for name, metric in METRICS.items()}


def metric_from_name(text: str, link: Response) -> Metric:
    """The metric called ``text``; ``link`` maps the model's raw scores to the response.

    >>> import numpy as np
    >>> metric = metric_from_name("Quantile:alpha=0.9", link=lambda raw: raw)
    >>> target = np.array([1, 2, 3], dtype=np.float32)
    >>> round(metric.value(target, np.array([0.0, 2.0, 4.0]), None), 3)
    0.333
    """
    name, given = _parsed(text)
    if name in LOSSES:
        return LossMetric(text, link, LOSSES[name].of(given))
    fill_parameters(name, given, ())
    return METRICS_ALONE[name](text, link)


def check_metric_fits(text: str, loss: str) -> None:
    """Refuse a metric that would misread the raw scores of a model trained with ``loss``.

    Poisson takes a raw score for a log mean, say, which the raw score of RMSE is not. Users' own
    losses are trusted.
    """
    name, _ = _parsed(text)
    link = link_of(loss)
    if link is None or link in METRICS[name].understands:
        return
    fitting = [known for known, metric in METRICS.items() if link in metric.understands]
    raise ParameterError(
        f"The metric {text!r} does not fit the loss {loss!r}, whose raw score is a "
        f"{link.raw_score}; metrics that fit: {', '.join(fitting)}."
    )


def _parsed(text: str) -> tuple[str, dict[str, float]]:
    """Name and parameters of a metric that there is."""
    meant = meant_by(text, OTHER_NAMES) if isinstance(text, str) else None
    if meant is not None:
        raise unknown_name("metric", text, METRICS, meant)
    name, given = parse_name(text)
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return name, given
