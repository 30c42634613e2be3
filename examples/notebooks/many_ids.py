# Runs as a script, as a notebook (Jupyter, VS Code) and in `make site`.
# ruff: noqa: E402

# %% [markdown]
# # Ids with thousands of values
#
# Users, products, cookies: columns whose values are names, most of them rare. They often know more
# than all other columns. They are also the surest way to fool oneself, because the mean target of
# an id with one row *is* the target of that row.
#
# ## Ratings
#
# 8,000 ratings by 2,500 users of 800 films: each user has a level, each film has a quality, each
# genre suits some ages. There is also an id that means nothing.

# %%
import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
n, users, films = 8000, 2500, 800
user = (users * rng.random(n) ** 1.5).astype(int)
film = (films * rng.random(n) ** 2).astype(int)
genre = rng.integers(6, size=films)
age = rng.integers(15, 80, size=users)
suits = rng.normal(0, 0.5, size=(6, 7))

score = 0.9 * rng.normal(size=users)[user] + 0.8 * rng.normal(size=films)[film]
score += suits[genre[film], age[user] // 12] + rng.normal(0, 0.8, size=n)
liked = score > 0.3

ratings = pd.DataFrame(
    {
        "user": [f"u{number}" for number in user],
        "film": [f"f{number}" for number in film],
        "genre": np.array(["crime", "comedy", "drama", "horror", "family", "sport"])[genre[film]],
        "age": age[user],
        "session": [f"s{number}" for number in rng.integers(4000, size=n)],
    }
)
ratings.nunique()

# %% [markdown]
# ## Encoding by hand: the leak
#
# The usual recipe replaces each id by the mean target of its rows, before training. The rows of the
# test set are encoded by the means of the training rows:

# %%
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from ocelotboost import OcelotClassifier

X, X_new, y, y_new = train_test_split(ratings, liked, test_size=0.25, random_state=0)


def encoded(rows: pd.DataFrame) -> pd.DataFrame:
    """Ids as mean targets of the training rows; those that are new get the overall mean."""
    columns = {}
    for column in ("user", "film", "genre", "session"):
        means = pd.Series(y, index=X.index).groupby(X[column]).mean()
        columns[column] = rows[column].map(means).fillna(y.mean())
    return pd.DataFrame({**columns, "age": rows["age"]})


by_hand = OcelotClassifier(iterations=200, boosting_type="Plain").fit(encoded(X), y)
for name, rows, target in (("training", X, y), ("new", X_new, y_new)):
    loss = log_loss(target, by_hand.predict_proba(encoded(rows))[:, 1])
    print(f"{name:8} rows: log loss {loss:.3f}")
hand_loss = log_loss(y_new, by_hand.predict_proba(encoded(X_new))[:, 1])

# %% [markdown]
# The training loss is a mirage. For comparison, a guess without any column has a log loss of about
# 0.68.
#
# ## The ids as they are
#
# Here every row sees only rows before it, in a random order. The same table, no encoding:

# %%
model = OcelotClassifier(iterations=200, boosting_type="Plain").fit(X, y)
ordered_loss = log_loss(y_new, model.predict_proba(X_new)[:, 1])
print(f"new rows: log loss {ordered_loss:.3f}")
assert ordered_loss < hand_loss

# %% [markdown]
# The four kinds of history that a statistic can have, everything else being the same:

# %%
kinds = {
    "greedy": "all rows, itself too",
    "leave_one_out": "all rows but itself",
    "holdout": "a half that trains no tree",
    "ordered": "the rows before it",
}
for kind, history in kinds.items():
    one = OcelotClassifier(iterations=200, boosting_type="Plain").set_params(target_statistic=kind)
    one.fit(X, y)
    loss = log_loss(y_new, one.predict_proba(X_new)[:, 1])
    print(f"{kind:14} {loss:.3f}   {history}")

# %% [markdown]
# ## The defaults
#
# 200 trees were a lucky guess. Without `iterations` nothing has to be guessed: held-out rows choose
# the number of trees and the mode, and models are averaged.

# %%
best = OcelotClassifier().fit(X, y)
best_loss = log_loss(y_new, best.predict_proba(X_new)[:, 1])
print(f"new rows: log loss {best_loss:.3f}, {best.boosting_type_} mode, {best.n_models_} models")

# %%
# What the model makes of the columns: the session is noise, and it knows
from ocelotboost.display import ImportancesDisplay

ImportancesDisplay.from_estimator(best, X_new, y_new, kind="loss_change")

# %% [markdown]
# ## What it knows of an id
#
# Count and mean target of each user among the training rows, and the statistic of the model. Rare
# users stay near the prior:

# %%
known = best.category_statistics(X, y, "user")
columns = {"user": known.values, "rows": known.counts, "mean": known.means}
frame = pd.DataFrame({**columns, "statistic": known.statistic}).round(2)
pd.concat([frame[:3], frame[-3:]])

# %% [markdown]
# ## New ids
#
# A user that training has never seen gets the prior, and all other columns still count:

# %%
stranger = X_new[:1].assign(user="somebody new")
print(best.predict_proba(X_new[:1])[:, 1].round(3), best.predict_proba(stranger)[:, 1].round(3))

# %% [markdown]
# ## What to remember
#
# - Give ids as they are. Encoding them before training leaks.
# - A training loss far below that of new rows is the sign of a leak.
# - For ids with few rows each, try a larger `prior_weight`; for pairs that matter, leave
#   `max_combination` as it is.
# - `model.report(...)` has a section on suspects of leakage, which finds such columns.
