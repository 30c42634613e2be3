"""Pictures of models, in the manner of scikit-learn's displays (docs/explain.md).

Each has ``from_estimator`` and ``plot(ax=...)``, some ``from_predictions`` or
``from_explanation``. Where scikit-learn has a display of its own, that one is used.
"""

from __future__ import annotations

from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
)

from ocelotboost.display.beeswarm import BeeswarmDisplay
from ocelotboost.display.categories import CategoryStatisticsDisplay
from ocelotboost.display.coverage import QuantileCoverageDisplay
from ocelotboost.display.dependence import DependenceDisplay, PartialDependenceDisplay
from ocelotboost.display.fold_curves import FoldCurvesDisplay
from ocelotboost.display.gains import GainsDisplay, LiftDisplay
from ocelotboost.display.importances import ImportancesDisplay
from ocelotboost.display.learning_curve import LearningCurveDisplay
from ocelotboost.display.tuning import TuningDisplay
from ocelotboost.display.waterfall import WaterfallDisplay

__all__ = [
    "BeeswarmDisplay",
    "CalibrationDisplay",
    "CategoryStatisticsDisplay",
    "ConfusionMatrixDisplay",
    "DependenceDisplay",
    "FoldCurvesDisplay",
    "GainsDisplay",
    "ImportancesDisplay",
    "LearningCurveDisplay",
    "LiftDisplay",
    "PartialDependenceDisplay",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "QuantileCoverageDisplay",
    "RocCurveDisplay",
    "TuningDisplay",
    "WaterfallDisplay",
]
