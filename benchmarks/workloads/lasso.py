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

N_PENALTIES, EPS, TOL = 100, 1e-3, 1e-4


def ratings(context: Context) -> Data:
    """Reviews by columns, centred ratings, means of the columns and penalties, as one dict."""
    data = imdb_train(context)
    X, _, stars = data.value
    X, y = X.tocsc(), stars - stars.mean()
    means = np.asarray(X.mean(axis=0)).ravel()
    largest = np.abs(X.T @ y - means * y.sum()).max() / len(y)
    grid = np.geomspace(largest, largest * EPS, N_PENALTIES)
    return Data(data.description, {"X": X, "y": y, "means": means, "alphas": grid})


def path(l1_ratio: float, n_penalties: int) -> dict[str, Side]:
    """Fit the first penalties of the grid, with an intercept."""

    def options(data: dict[str, Any]) -> dict[str, Any]:
        return {
            "l1_ratio": l1_ratio,
            "alphas": data["alphas"][:n_penalties] / l1_ratio,
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

    return {
        "quire": Side(ours),
        "scikit-learn": Side(scikit_learn, repeats=1),
        "celer": Side(peer, repeats=1, requires="celer"),
    }


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
            alphas = data["alphas"][5:65:3]
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


for title, l1_ratio, n_penalties in (
    ("lasso path, 60 penalties", 1.0, 60),
    ("lasso path, 100 penalties", 1.0, N_PENALTIES),
    ("elastic net path, l1_ratio=0.5, 60 penalties", 0.5, 60),
):
    register(
        Comparison(
            name=f"lasso.path-{n_penalties}" if l1_ratio == 1 else "lasso.path-elastic-net",
            title=title,
            data=ratings,
            sides=path(l1_ratio, n_penalties),
            check=same_objectives,
            mark=3,
        )
    )
register(
    Comparison(
        name="lasso.cv",
        title="LassoCV, 20 penalties, 3 folds",
        data=ratings,
        sides=cross_validation(),
        check=same_choice,
        mark=3,
    )
)
