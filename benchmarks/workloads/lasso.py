"""Lasso and elastic net: paths of penalties and cross-validation on reviews and their ratings.

All sides solve the same problems to the same duality gap; the objectives of all penalties are
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.linear_model

import quire.linear_model
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_train

N_PENALTIES, TOL = 100, 1e-4


def ratings(context: Context) -> Data:
    """Reviews by columns, centred ratings, means of the columns and the largest penalty."""
    data = imdb_train(context)
    X, _, stars = data.value
    X, y = X.tocsc(), stars - stars.mean()
    means = np.asarray(X.mean(axis=0)).ravel()
    largest = np.abs(X.T @ y - means * y.sum()).max() / len(y)
    return Data(data.description, {"X": X, "y": y, "means": means, "largest": largest})


def penalties(data: dict[str, Any], eps: float, n: int) -> Any:
    """Return penalties from the one that leaves no coefficient down to a fraction of it."""
    return np.geomspace(data["largest"], data["largest"] * eps, n)


def path(l1_ratio: float, eps: float, *peers: str) -> dict[str, Side]:
    """Fit a hundred penalties, with an intercept."""

    def options(data: dict[str, Any]) -> dict[str, Any]:
        return {
            "l1_ratio": l1_ratio,
            "alphas": penalties(data, eps, N_PENALTIES) / l1_ratio,
            "X_offset": data["means"],
            "X_scale": np.ones_like(data["means"]),
            "tol": TOL,
        }

    def ours(data: dict[str, Any], n_jobs: int) -> Any:
        found = quire.linear_model.enet_path(data["X"], data["y"], n_jobs=n_jobs, **options(data))
        return data, l1_ratio, found

    def scikit_learn(data: dict[str, Any], n_jobs: int) -> Any:
        found = sklearn.linear_model.enet_path(data["X"], data["y"], **options(data))
        return data, l1_ratio, found

    def peer(data: dict[str, Any], n_jobs: int) -> Any:
        from celer import celer_path

        return data, l1_ratio, celer_path(data["X"], data["y"], "lasso", **options(data))

    def one_thread(data: dict[str, Any], n_jobs: int) -> Any:
        return ours(data, 1)

    known = {
        "one thread": Side(one_thread),
        "scikit-learn": Side(scikit_learn, repeats=1),
        "celer": Side(peer, repeats=1, requires="celer"),
    }
    return {"quire": Side(ours), **{name: known[name] for name in peers}}


def same_objectives(results: Mapping[str, Any]) -> Quality:
    """Compare the objectives of every penalty: equal up to the duality gap asked for."""
    values = {name: _objectives(*result) for name, result in results.items()}
    data = next(iter(results.values()))[0]
    allowed = TOL * float(data["y"] @ data["y"]) / len(data["y"])
    every = np.array(list(values.values()))
    spread = float((every.max(axis=0) - every.min(axis=0)).max())
    figures = {"largest difference": spread, "gap allowed": allowed}
    figures |= {f"sum of {name}": float(v.sum()) for name, v in values.items()}
    text = f"objectives differ by at most {spread:.2g}; the gap allowed is {allowed:.2g}"
    return Quality(spread <= 1.01 * allowed, text, figures)


def _objectives(data: dict[str, Any], l1_ratio: float, found: Any) -> Any:
    alphas, coefs = found[0], found[1]
    residuals = data["y"][:, None] - data["X"] @ coefs + data["means"] @ coefs
    ridge = 0.5 * (1 - l1_ratio) * (coefs**2).sum(axis=0)
    penalty = alphas * (l1_ratio * np.abs(coefs).sum(axis=0) + ridge)
    return 0.5 * (residuals**2).mean(axis=0) + penalty


def cross_validation() -> dict[str, Side]:
    """Choose among 20 penalties by three folds."""

    def run(model: Any) -> Callable[[dict[str, Any], int], Any]:
        def fit(data: dict[str, Any], n_jobs: int) -> Any:
            alphas = penalties(data, 1e-2, 20)
            return model(alphas=alphas, cv=3, tol=TOL, n_jobs=n_jobs).fit(data["X"], data["y"])

        return fit

    return {
        "quire": Side(run(quire.linear_model.LassoCV)),
        "scikit-learn": Side(run(sklearn.linear_model.LassoCV), repeats=1),
    }


def same_choice(results: Mapping[str, Any]) -> Quality:
    """Compare the errors of all folds, and the penalty chosen."""
    first, *others = results.values()
    apart = max(float(np.abs(m.mse_path_ / first.mse_path_ - 1).max()) for m in others)
    same = all(m.alpha_ == first.alpha_ for m in others)
    text = f"errors of folds differ by {apart:.2g} of their size; same penalty: {same}"
    return Quality(same and apart < 1e-2, text, {"largest difference": apart})


for name, title, l1_ratio, eps, peers, mark in (
    ("path", "lasso, 100 penalties down to 1/100", 1.0, 1e-2, ("celer", "scikit-learn"), 3),
    ("path-deep", "lasso, 100 penalties down to 1/1000", 1.0, 1e-3, ("one thread",), None),
    ("path-elastic-net", "the first with l1_ratio=0.5", 0.5, 1e-2, ("scikit-learn",), 3),
):
    register(
        Comparison(
            name=f"lasso.{name}",
            title=title,
            data=ratings,
            sides=path(l1_ratio, eps, *peers),
            check=same_objectives,
            mark=mark,
            memory=False,
        )
    )
register(
    Comparison(
        name="lasso.cv",
        title="LassoCV, 20 penalties down to 1/100, 3 folds",
        data=ratings,
        sides=cross_validation(),
        check=same_choice,
        mark=3,
        memory=False,
    )
)
