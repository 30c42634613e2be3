# Runs as a script, as a notebook (Jupyter, VS Code) and in `make site`.
# ruff: noqa: B018, E402

# %% [markdown]
# # From a file to a report
#
# A table as one finds it: a CSV file with texts, numbers, gaps and an id. The question is which
# orders of a shop come back. We read the file, train, judge the model by rows that it has not seen,
# ask it why, and write a page for others.
#
# ## The file
#
# It is made here, so that the notebook needs no network. Customers have habits, brands run small or
# large depending on the kind of article, and much is chance.

# %%
import numpy as np
import pandas as pd

rng = np.random.default_rng(7)
n, customers, brands = 6000, 1500, 60
customer = (customers * rng.random(n) ** 2).astype(int)
brand, kind = rng.integers(brands, size=n), rng.integers(8, size=n)
kinds = ["shoes", "shirts", "trousers", "coats", "bags", "watches", "phones", "books"]
price = np.exp(rng.normal(3.6, 0.7, n)).round(2)

habit, fit = rng.normal(size=customers), rng.normal(size=(brands, len(kinds)))
score = 1.5 * habit[customer] + 1.2 * fit[brand, kind] + 0.5 * np.log(price / 40) - 0.8
orders = pd.DataFrame(
    {
        "customer": [f"C{number:05}" for number in customer],
        "brand": [f"label {number}" for number in brand],
        "kind": np.array(kinds)[kind],
        "device": rng.choice(["phone", "laptop", "tablet"], size=n, p=[0.6, 0.3, 0.1]),
        "price": np.where(rng.random(n) < 0.1, np.nan, price),
        "hour": rng.integers(24, size=n),
        "returned": rng.random(n) < 1 / (1 + np.exp(-score)),
    }
)
orders.loc[rng.random(n) < 0.05, ["brand", "device"]] = None
orders.to_csv("orders.csv", index=False)

# %%
table = pd.read_csv("orders.csv")
table.head()

# %% [markdown]
# ## A look at the columns
#
# Texts are categorical features as they are. Missing values may stay. Nothing has to be encoded,
# scaled or filled in.

# %%
summary = pd.DataFrame(
    {
        "type": table.dtypes.astype(str),
        "values": table.nunique(),
        "missing": table.isna().mean().map("{:.0%}".format),
    }
)
summary

# %% [markdown]
# ## Rows to learn from, and rows to judge by

# %%
from sklearn.model_selection import train_test_split

X, y = table.drop(columns="returned"), table["returned"].map({True: "back", False: "kept"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
print(f"{len(X_train):,} orders to learn from, {len(X_test):,} to judge by")
print(f"{(y_train == 'back').mean():.0%} of them came back")

# %% [markdown]
# ## Train
#
# No parameter is given: held-out rows choose the number of trees, their depth and the mode.

# %%
from ocelotboost import OcelotClassifier

model = OcelotClassifier().fit(X_train, y_train)
for name, choice in model.choices_.items():
    print(f"{name} = {choice.value}: {choice.reason}")

# %% [markdown]
# ## How good is it?
#
# Compared with the share of each class, which is the best guess without any column:

# %%
from sklearn.metrics import log_loss, roc_auc_score

probability = model.predict_proba(X_test)[:, list(model.classes_).index("back")]
share = np.full(len(y_test), (y_train == "back").mean())
for name, guess in (("shares of the classes", share), ("the model", probability)):
    loss, area = log_loss(y_test == "back", guess), roc_auc_score(y_test == "back", guess)
    print(f"{name:22} log loss {loss:.3f}   AUC {area:.3f}")

# %% [markdown]
# ## Which columns matter?
#
# How much worse the loss of the test rows is without what each column adds, with two standard
# errors:

# %%
# Importances of all columns, by the loss of test rows
from ocelotboost.display import ImportancesDisplay

ImportancesDisplay.from_estimator(model, X_test, y_test, kind="loss_change")

# %% [markdown]
# The customer comes first: some people return most of what they order. That is a column of more
# than a thousand values. Ordered statistics can use it without a leak.
#
# ## Why this order?
#
# The order with the highest probability, taken apart:

# %%
# What moved the prediction of one order
from ocelotboost.display import WaterfallDisplay

likeliest = int(np.argmax(probability))
WaterfallDisplay.from_estimator(model, X_test, row=likeliest)

# %% [markdown]
# What would have to be different for the other answer?

# %%
print(model.counterfactuals(X_test[likeliest : likeliest + 1], X_train))

# %% [markdown]
# ## A page for others
#
# The report has all of that and more: intervals, a threshold to move, subgroups where the model is
# weak, and what looks like leakage. It is one file that needs no network.

# %%
report = model.report("report.html", X_test, y_test, X_train=X_train, y_train=y_train)
report

# %% [markdown]
# ## Keep it

# %%
from ocelotboost import load_model

model.save_model("returns.ocelot")
again = load_model("returns.ocelot")
assert np.array_equal(again.predict_proba(X_test), model.predict_proba(X_test))
