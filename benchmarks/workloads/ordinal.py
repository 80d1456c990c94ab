"""Ordered outcomes: `quire.linear_model.OrdinalRegression`.

No peer fits ordered models with penalties on sparse matrices of this size: on IMDB our class runs
beside itself with one thread, and with SciPy's L-BFGS on the same loss. statsmodels is the peer on
a small dense problem without a penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_train
from quire.linear_model import OrdinalRegression

ROWS, COLUMNS, CLASSES = 5_000, 10, 5


def film_ratings(context: Context) -> Data:
    """IMDB; `value` is (X, ratings)."""
    data = imdb_train(context)
    X, _, ratings = data.value
    return Data(f"{data.description}, {len(np.unique(ratings))} ratings", (X, ratings))


def measurements(context: Context) -> Data:
    """Draw normal columns, a latent score with logistic noise, and cut it into classes."""
    rng = np.random.default_rng(0)
    n = 1_000 if context.quick else ROWS
    X = rng.normal(size=(n, COLUMNS))
    latent = X @ rng.normal(size=COLUMNS) + rng.logistic(size=n)
    y = np.digitize(latent, np.quantile(latent, np.linspace(0, 1, CLASSES + 1)[1:-1]))
    return Data(f"{n:,} x {COLUMNS} normal numbers, {CLASSES} classes", (X, y))


def fit(**parameters: Any) -> Callable[[Any, int], Any]:
    """Return a run that fits our class; its result is (model, data)."""

    def run(data: Any, n_jobs: int) -> tuple[OrdinalRegression, Any]:
        return OrdinalRegression(**{"n_jobs": n_jobs, **parameters}).fit(*data), data

    return run


def fit_statsmodels(data: Any, n_jobs: int) -> tuple[Any, Any]:
    """Fit OrderedModel with BFGS; the result is (fitted model, data)."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    X, y = data
    return OrderedModel(y, X, distr="logit").fit(method="bfgs", maxiter=1000, disp=False), data


def objective(model: OrdinalRegression, X: Any, y: Any) -> float:
    """Return what the model minimises, at its parameters."""
    codes = np.searchsorted(model.classes_, y)
    loss = -model.predict_log_proba(X)[np.arange(len(y)), codes].sum()
    if np.isinf(model.C):
        return float(loss)
    w = model.coef_
    penalty = (1 - model.l1_ratio) / 2 * (w @ w) + model.l1_ratio * np.abs(w).sum()
    return float(model.C * loss + penalty)


def least_objective(results: Mapping[str, Any]) -> Quality:
    """Let our objective be above the lowest by a ten-thousandth of it, not more."""
    values = {name: objective(model, *data) for name, (model, data) in results.items()}
    ours, lowest = next(iter(values.values())), min(values.values())
    summary = ", ".join(f"{name} {value:,.2f}" for name, value in values.items())
    return Quality(ours <= lowest * (1 + 1e-4), f"objective: {summary}", dict(values))


def same_likelihood(results: Mapping[str, Any]) -> Quality:
    """Compare log-likelihoods with those of statsmodels."""
    (ours, data), (peer, _) = results.values()
    values = {"quire": -objective(ours, *data), "statsmodels": float(peer.llf)}
    passed = values["quire"] >= values["statsmodels"] - 1e-6 * abs(values["statsmodels"])
    summary = ", ".join(f"{name} {value:,.6f}" for name, value in values.items())
    return Quality(passed, f"log-likelihood: {summary}", dict(values))


register(
    Comparison(
        name="ordinal.imdb-l2",
        title='OrdinalRegression().fit; L-BFGS: solver="lbfgs"',
        data=film_ratings,
        sides={
            "quire": Side(fit()),
            "one thread": Side(fit(n_jobs=1)),
            "L-BFGS": Side(fit(solver="lbfgs", tol=1e-3, max_iter=2000), repeats=1),
        },
        check=least_objective,
    )
)
VARIANTS: dict[str, dict[str, Any]] = {
    "l2-probit": {"link": "probit"},
    "l1": {"l1_ratio": 1.0},
    "elastic-net": {"l1_ratio": 0.5},
}
for name, parameters in VARIANTS.items():
    given = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    register(
        Comparison(
            name=f"ordinal.imdb-{name}",
            title=f"OrdinalRegression({given}).fit",
            data=film_ratings,
            sides={
                "quire": Side(fit(**parameters)),
                "one thread": Side(fit(**parameters, n_jobs=1)),
            },
            check=least_objective,
        )
    )
register(
    Comparison(
        name="ordinal.dense-unpenalised",
        title="OrdinalRegression(C=inf).fit; statsmodels: OrderedModel.fit(method='bfgs')",
        data=measurements,
        sides={
            "quire": Side(fit(C=np.inf, tol=1e-6)),
            "statsmodels": Side(fit_statsmodels, requires="statsmodels"),
        },
        check=same_likelihood,
        mark=10,
    )
)
