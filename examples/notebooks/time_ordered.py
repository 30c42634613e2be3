# Runs as a script, as a notebook (Jupyter, VS Code) and in `make site`.
# ruff: noqa: E402

# %% [markdown]
# # Demand for bikes, in time
#
# Bikes rented per day at six stations, for two years: demand follows the weekday, the season and
# the weather, and it grows. The model will be used for days that have not happened yet. That
# decides how rows are split, what columns may be made of, and what "held out" means.
#
# ## The data
#
# Generated here, so that the notebook needs no network.

# %%
import numpy as np
import pandas as pd

rng = np.random.default_rng(11)
days = pd.date_range("2023-08-01", "2025-07-31", freq="D")
season = 10 - 6 * np.cos(2 * np.pi * (days.dayofyear - 20) / 365)
weather = pd.DataFrame({"day": days, "temperature": season + rng.normal(0, 4, len(days))})
weather["rain"] = rng.random(len(days)) < 0.2

stations = ["harbour", "station", "park", "campus", "market", "hospital"]
bikes = weather.merge(pd.DataFrame({"station": stations}), how="cross")
bikes["weekday"], bikes["month"] = bikes["day"].dt.day_name(), bikes["day"].dt.month

size = bikes["station"].map(dict(zip(stations, [300, 420, 180, 260, 340, 90], strict=True)))
weekend = bikes["day"].dt.dayofweek >= 5
rhythm = np.where(weekend == bikes["station"].isin(["park", "harbour"]), 1.2, 0.7)
growth = 1 + 1.2 * np.arange(len(bikes)) / len(bikes)
mean = size * rhythm * growth * (1 + bikes["temperature"] / 30) * np.where(bikes["rain"], 0.6, 1)
rented = rng.poisson(np.maximum(mean, 1)).astype(float)
bikes.assign(rented=rented).head()

# %% [markdown]
# ## Columns of the past
#
# At the time of a prediction the demand of last week is known. That of the same day is not: every
# lag has to be at least as long as the time ahead that we predict, here one week. `level` is the
# mean of the four weeks before that.

# %%
past = pd.Series(rented).groupby(bikes["station"])
bikes["a_week_ago"] = past.shift(7)
bikes["level"] = past.transform(lambda own: own.shift(7).rolling(28, min_periods=7).mean())

rows = bikes["level"].notna()  # the first weeks have no past
bikes, rented = bikes[rows].reset_index(drop=True), rented[rows]
X = bikes.drop(columns="day")

# %% [markdown]
# ## The wrong split, and the right one
#
# A random split puts the same day on both sides: its weather, and the level of demand. The last two
# months are what a user will meet.

# %%
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

from ocelotboost import OcelotRegressor

future = (bikes["day"] >= "2025-06-01").to_numpy()
known, known_rented = X[~future], rented[~future]

here, there, here_rented, there_rented = train_test_split(
    known, known_rented, test_size=0.1, random_state=0
)
shuffled = OcelotRegressor(quality="fast").fit(here, here_rented)
promised = mean_absolute_error(there_rented, shuffled.predict(there))
kept = mean_absolute_error(rented[future], shuffled.predict(X[future]))
print(f"mean absolute error: {promised:.1f} promised by random rows, {kept:.1f} in the future")
assert promised < kept

# %% [markdown]
# ## The order of time
#
# `has_time=True` says that rows come in the order of time. The rows that are held out to find the
# number of trees are then the last ones, and categories learn from earlier rows only. So the score
# of the held-out rows is a fair one.

# %%
model = OcelotRegressor(has_time=True, eval_metric="MAE").fit(known, known_rented)
error = mean_absolute_error(rented[future], model.predict(X[future]))
print(f"mean absolute error: {model.best_score_:.1f} promised by the last rows, ", end="")
print(f"{error:.1f} in the future")

# %% [markdown]
# ## A trend that goes on
#
# Trees cannot predict more than they have seen. So we let them predict how a day compares with the
# level of the weeks before, and multiply afterwards. A weight makes large stations count as much as
# they did.

# %%
level, future_level = known["level"], X["level"][future]
relative = OcelotRegressor(has_time=True)
relative.fit(known, known_rented / level, sample_weight=level / level.mean())
predicted = relative.predict(X[future]) * future_level
relative_error = mean_absolute_error(rented[future], predicted)
print(f"mean absolute error in the future: {error:.1f} before, {relative_error:.1f} now")
assert relative_error < error

# %%
# One station in the future: what was rented, and what was predicted
import matplotlib.pyplot as plt

market = (bikes["station"] == "market").to_numpy()[future]
shown = bikes["day"][future][market]
figure, axes = plt.subplots(figsize=(9, 3.2))
axes.plot(shown, rented[future][market], color="#8c8c8c", label="rented")
axes.plot(shown, predicted[market], color="#c44e00", label="predicted")
axes.set_ylabel("bikes per day, market")
axes.legend(frameon=False)
figure.autofmt_xdate()

# %% [markdown]
# ## Forward validation
#
# To compare models before the future has come, go forward several times. Each fold learns from all
# rows before the ones that it is judged by:

# %%
from sklearn.model_selection import TimeSeriesSplit

folds = TimeSeriesSplit(n_splits=4, test_size=30 * len(stations))
errors: dict[str, list[float]] = {"demand": [], "demand relative to the level": []}
for train, test in folds.split(known):
    candidate = OcelotRegressor(quality="fast", has_time=True)
    for name, unit in zip(errors, (level * 0 + 1, level), strict=True):
        unit_then = unit.iloc[train]
        weight = unit_then / unit_then.mean()
        candidate.fit(known.iloc[train], known_rented[train] / unit_then, sample_weight=weight)
        guess = candidate.predict(known.iloc[test]) * unit.iloc[test]
        errors[name].append(mean_absolute_error(known_rented[test], guess))
for name, values in errors.items():
    print(f"{name:30} {np.mean(values):.1f} ± {np.std(values) / 2:.1f}")

# %% [markdown]
# ## What to remember
#
# - Judge by later rows, never by random ones.
# - Every column must be known at the time of the prediction; lags at least as long as the time
#   ahead.
# - `has_time=True`, or the name of a column, keeps training from looking ahead.
# - Let trees predict a difference or a ratio where there is a trend.
