"""The paper's algorithms in its own words: read it next to the paper.

    Algorithm 1   ordered boosting, n models M_i                        ordered_boosting
    Algorithm 2   building a tree, supporting models M_{r,j}, all j     Algorithm2
    BuildTree     the same with M'_{r,j} = M_{r,2^j}, appendix B        BuildTree
    Algorithm 3   CatBoost, the loop around either, appendix B          catboost

Loops over rows, float64, tiny data. Positions σ_r(i) count from 1 as in the paper, rows i from 0.
What the paper leaves open is decided so:

    random(1, s)            is an argument: r
    avg over no rows        is 0
    argmin of cos(Δ, G)     is argmax: both are averages of gradients, and should point the same way
                            (of splits that tie, the first)
    M_0 of Algorithm 1      is the model that learnt from no rows
    GetLeaf                 looks the rows' answers to all candidate splits up, for every σ_r
    j of BuildTree          begins at 0: the second row's gradient is taken at M_{r,2^0}
    ⌊log₂(σ_r(i) - 1)⌋      for σ_r(i) = 1: no model precedes the row, and it has no component in G
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tests.boost.in_order import first_of_the_best, total

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

#: ∂L(y, s)/∂s, elementwise
Loss = Callable[[Floats, Floats], Floats]


def squared_error(y: Floats, s: Floats) -> Floats:
    """Of (y - s)², without the multiplier 2 (the paper's footnote)."""
    return s - y


def logistic(y: Floats, s: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-s)) - y


# ---- section 3.2: ordered target statistics ---------------------------------------------------


def ordered_statistic(
    category: Ints, y: Floats, sigma: Ints, *, a: float, p: float, window: int | None = None
) -> Floats:
    """x̂_k with D_k = {x_j: σ(j) < σ(k)}, or the last ``window`` of these: (n,)."""
    statistic = np.empty(len(y))
    for k in range(len(y)):
        history = sigma < sigma[k]
        if window is not None:
            history &= sigma >= sigma[k] - window
        same = history & (category == category[k])
        statistic[k] = (total(y[same]) + a * p) / (same.sum() + a)
    return statistic


# ---- Algorithm 1: ordered boosting ------------------------------------------------------------

#: Examples x (rows, features) -> predictions (rows,)
Model = Callable[[Floats], Floats]
#: Examples and their residuals -> a model
LearnModel = Callable[[Floats, Floats], Model]


def ordered_boosting(
    x: Floats, y: Floats, sigma: Ints, learn_model: Sequence[LearnModel]
) -> list[Model]:
    """M_0 … M_n after len(learn_model) steps, each with a LearnModel of its own."""
    n = len(y)
    M: list[Model] = [lambda x: np.zeros(len(x))] * (n + 1)
    for learn in learn_model:
        r = np.empty(n)
        for i in range(n):
            r[i] = y[i] - M[sigma[i] - 1](x[i : i + 1])[0]
        for i in range(n + 1):
            delta_M = learn(x[sigma <= i], r[sigma <= i])
            M[i] = _sum_of(M[i], delta_M)
    return M


def _sum_of(first: Model, second: Model) -> Model:
    return lambda x: first(x) + second(x)


def leaf_averages(
    get_leaf: Callable[[Floats], Ints], n_leaves: int, *, empty: float = 0.0
) -> LearnModel:
    """A tree of given structure, by least squares. A leaf without examples predicts ``empty``;
    if that is NaN, residuals taken there are NaN too, and later steps leave these out."""

    def learn(x: Floats, r: Floats) -> Model:
        leaf, known = get_leaf(x), ~np.isnan(r)
        b = np.array([avg(r, known & (leaf == k), empty=empty) for k in range(n_leaves)])
        return lambda x: b[get_leaf(x)]

    return learn


# ---- sections 5 and appendix B: what both ways to build a tree need ---------------------------


@dataclass(frozen=True)
class Examples:
    """Examples, their orderings, and everything that can be asked about them.

    y        float64 (n,)
    sigma    int (s + 1, n): σ_r(i), from 1 to n
    answers  bool (n_splits, s + 1, n): is row i, with its target statistics by σ_r, above the
             threshold of candidate split c?
    """

    y: Floats
    sigma: Ints
    answers: Bools

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def s(self) -> int:
        return len(self.sigma) - 1

    @property
    def n_splits(self) -> int:
        return len(self.answers)


def get_leaf(examples: Examples, T: Sequence[int], r: int) -> Ints:
    """leaf_r(i) of every row: its answers as binary digits, (n,)."""
    leaf = np.zeros(examples.n, dtype=np.intp)
    for c in T:
        leaf = 2 * leaf + examples.answers[c, r]
    return leaf


def avg(values: Floats, chosen: Bools, a: Floats | None = None, *, empty: float = 0.0) -> float:
    """Average of the chosen values, each ``a`` times."""
    a = np.ones(len(values)) if a is None else a
    weight = total(a[chosen])
    return float(total(a[chosen] * values[chosen]) / weight) if weight != 0 else empty


def cos(delta: Floats, G: Floats, a: Floats) -> float:
    """Cosine of the angle between two vectors, each component counted ``a`` times."""
    lengths = np.sqrt(total(a * delta**2) * total(a * G**2))
    return float(total(a * delta * G) / lengths) if lengths > 0 else 0.0


@dataclass(frozen=True)
class Details:
    """Section 5, "Other important details".

    a          float64 (n,): weights of the Bayesian bootstrap for this tree; None: all are 1
    discarded  how many rows at the beginning of σ_r are left out of cos(Δ, G)
    """

    a: Floats | None = None
    discarded: int = 0


class TreeBuilder(Protocol):
    """Algorithm 2 or BuildTree."""

    def start(self, examples: Examples) -> Floats:
        """The supporting models before the first tree. M[0] is NaN, for M_0 does not support;
        so are predictions that no line of the algorithm maintains."""
        ...

    def gradients(self, M: Floats, examples: Examples, L: Loss, r: int) -> Floats:
        """G (n,)."""
        ...

    def leaf_values(
        self, M: Floats, examples: Examples, L: Loss, r: int, leaf: Ints, a: Floats | None
    ) -> Floats:
        """Δ (n,) for rows in these leaves."""
        ...

    def boosted(self, M: Floats, T: list[int], examples: Examples, L: Loss, alpha: float) -> Floats:
        """The supporting models with one more tree."""
        ...


def top_down(
    build: TreeBuilder,
    M: Floats,
    examples: Examples,
    L: Loss,
    r: int,
    depth: int,
    details: Details,
) -> list[int]:
    """T, the chosen splits: "foreach step of top-down procedure"."""
    a = np.ones(examples.n) if details.a is None else details.a
    kept = examples.sigma[r] > details.discarded
    G = build.gradients(M, examples, L, r)
    T: list[int] = []
    for _ in range(depth):
        loss = []
        for c in range(examples.n_splits):
            leaf = get_leaf(examples, [*T, c], r)
            delta = build.leaf_values(M, examples, L, r, leaf, a)
            loss.append(cos(delta[kept], G[kept], a[kept]))
        T = [*T, first_of_the_best(np.array(loss))]
    return T


# ---- Algorithm 2: building a tree in CatBoost -------------------------------------------------


@dataclass(frozen=True)
class Algorithm2:
    """Mode is Plain, M (s + 1, n), or Ordered, M (s + 1, n + 1, n): M[r, j, i] = M_{r,j}(i)."""

    mode: str

    def start(self, examples: Examples) -> Floats:
        n, s, sigma = examples.n, examples.s, examples.sigma
        if self.mode == "Plain":
            M = np.zeros((s + 1, n))
        else:
            M = np.zeros((s + 1, n + 1, n))
            for r in range(1, s + 1):
                for j in range(n + 1):
                    M[r, j, sigma[r] - 1 > j] = np.nan
        M[0] = np.nan
        return M

    def gradients(self, M: Floats, examples: Examples, L: Loss, r: int) -> Floats:
        """G (n,)."""
        grad, sigma = L(examples.y, M), examples.sigma
        if self.mode == "Plain":
            return np.array([grad[r, i] for i in range(examples.n)])
        return np.array([grad[r, sigma[r, i] - 1, i] for i in range(examples.n)])

    def leaf_values(
        self, M: Floats, examples: Examples, L: Loss, r: int, leaf: Ints, a: Floats | None
    ) -> Floats:
        """Δ (n,)."""
        grad, sigma = L(examples.y, M), examples.sigma
        delta = np.empty(examples.n)
        for i in range(examples.n):
            if self.mode == "Plain":
                delta[i] = avg(grad[r], leaf == leaf[i], a)
            else:
                before = sigma[r] < sigma[r, i]
                delta[i] = avg(grad[r, sigma[r, i] - 1], before & (leaf == leaf[i]), a)
        return delta

    def boosted(self, M: Floats, T: list[int], examples: Examples, L: Loss, alpha: float) -> Floats:
        grad, sigma, n = L(examples.y, M), examples.sigma, examples.n
        M = M.copy()
        for r in range(1, examples.s + 1):
            leaf = get_leaf(examples, T, r)
            for i in range(n):
                if self.mode == "Plain":
                    M[r, i] -= alpha * avg(grad[r], leaf == leaf[i])
                else:
                    for j in range(sigma[r, i] - 1, n + 1):
                        seen = sigma[r] <= j
                        M[r, j, i] -= alpha * avg(grad[r, j], seen & (leaf == leaf[i]))
        return M


# ---- function BuildTree (appendix B), Mode = Ordered ------------------------------------------


def doubling(n: int) -> tuple[int, ...]:
    """2^0, 2^1, … below n."""
    return tuple(2**j for j in range(n.bit_length()) if 2**j < n)


@dataclass(frozen=True)
class BuildTree:
    """M (s + 1, n_bodies, n): M[r, j, i] = M'_{r,j}(i), learnt from the first bodies[j] rows.

    bodies   the paper's are 1, 2, 4 …; kept are predictions of rows up to bodies[j + 1]
    reading  of "the rows before i" in Δ(i): "all" as the paper writes it, or "body", those from
             which i's own model has learnt
    """

    bodies: tuple[int, ...]
    reading: str = "all"

    def model_of(self, position: int) -> int:
        """j = ⌊log₂(σ_r(i) - 1)⌋, -1 for rows that all models have learnt from."""
        return int(np.searchsorted(self.bodies, position)) - 1

    def start(self, examples: Examples) -> Floats:
        n, s, sigma = examples.n, examples.s, examples.sigma
        M = np.zeros((s + 1, len(self.bodies), n))
        for r in range(1, s + 1):
            for j in range(len(self.bodies) - 1):
                M[r, j, sigma[r] > self.bodies[j + 1]] = np.nan
        M[0] = np.nan
        return M

    def gradients(self, M: Floats, examples: Examples, L: Loss, r: int) -> Floats:
        """G (n,); 0 for rows that all models have learnt from."""
        grad, sigma = L(examples.y, M), examples.sigma
        G = np.zeros(examples.n)
        for i in range(examples.n):
            j = self.model_of(sigma[r, i])
            if j >= 0:
                G[i] = grad[r, j, i]
        return G

    def leaf_values(
        self, M: Floats, examples: Examples, L: Loss, r: int, leaf: Ints, a: Floats | None
    ) -> Floats:
        """Δ (n,); 0 for rows that all models have learnt from."""
        grad, sigma = L(examples.y, M), examples.sigma
        delta = np.zeros(examples.n)
        for i in range(examples.n):
            j = self.model_of(sigma[r, i])
            if j >= 0:
                if self.reading == "all":
                    before = sigma[r] < sigma[r, i]
                else:
                    before = sigma[r] <= self.bodies[j]
                delta[i] = avg(grad[r, j], before & (leaf == leaf[i]), a)
        return delta

    def boosted(self, M: Floats, T: list[int], examples: Examples, L: Loss, alpha: float) -> Floats:
        grad, sigma = L(examples.y, M), examples.sigma
        M = M.copy()
        for r in range(1, examples.s + 1):
            leaf = get_leaf(examples, T, r)
            for j in range(len(self.bodies)):
                seen = sigma[r] <= self.bodies[j]
                for i in np.flatnonzero(~np.isnan(M[r, j])):
                    M[r, j, i] -= alpha * avg(grad[r, j], seen & (leaf == leaf[i]))
        return M


# ---- Algorithm 3: CatBoost (appendix B) -------------------------------------------------------


@dataclass(frozen=True)
class Boosted:
    """What I trees came to.

    T    the structures
    b    their leaf values, (2^depth,) each, before the step size α
    M_0  the final model's predictions of the rows, float64 (n,)
    M    the supporting models before each tree, and after the last
    """

    T: list[list[int]]
    b: list[Floats]
    M_0: Floats
    M: list[Floats]


def catboost(
    examples: Examples,
    build: TreeBuilder,
    L: Loss,
    *,
    r: Sequence[int],
    alpha: float,
    depth: int,
    details: Sequence[Details] | None = None,
    T: Sequence[list[int]] | None = None,
) -> Boosted:
    """A tree for each r. Given structures T are used as they are."""
    M_0 = np.zeros(examples.n)
    M = build.start(examples)
    found = Boosted([], [], M_0, [M])
    for t in range(len(r)):
        if T is None:
            detail = Details() if details is None else details[t]
            T_t = top_down(build, M, examples, L, r[t], depth, detail)
        else:
            T_t = T[t]
        M = build.boosted(M, T_t, examples, L, alpha)
        leaf_0 = get_leaf(examples, T_t, 0)
        grad_0 = L(examples.y, M_0)
        b = np.array([-avg(grad_0, leaf_0 == j) for j in range(2 ** len(T_t))])
        M_0 = M_0 + alpha * b[leaf_0]
        found = Boosted([*found.T, T_t], [*found.b, b], M_0, [*found.M, M])
    return found
