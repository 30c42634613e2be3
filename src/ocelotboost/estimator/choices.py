"""The values of parameters that are enumerations, as types that editors complete."""

from __future__ import annotations

from typing import Literal

BoostingType = Literal["auto", "Ordered", "Plain"]
BodyGradients = Literal["own", "segment"]
TargetStatistic = Literal["ordered", "greedy", "leave_one_out", "holdout"]
RegressionStatistic = Literal["both", "mean", "binarized"]
BorderType = Literal["GreedyLogSum", "Quantile", "Uniform"]
NanMode = Literal["Min", "Max", "Forbidden"]
BootstrapType = Literal["auto", "No", "Bayesian", "Bernoulli", "MVS"]
LeafEstimationMethod = Literal["Newton", "Gradient", "Exact"]
ScoreFunction = Literal["Cosine", "L2"]
Refit = Literal["auto", "replay"]
Quality = Literal["fast", "default", "best"]
Interrupt = Literal["raise", "keep"]
AutoClassWeights = Literal["Balanced", "SqrtBalanced"]
