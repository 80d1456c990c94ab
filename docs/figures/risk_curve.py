"""Draws docs/_static/risk_curve.svg and writes its numbers beside it.

Polynomials of degree 15 through noisy values of a sine, under ridge penalties from nearly none to
far too much:

    python docs/figures/risk_curve.py
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from quire.linear_model import Ridge
from quire.model_selection import RegularizationPath, RiskCurve, regularization_path, risk_curve

STATIC = Path(__file__).parents[1] / "_static"
STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "quire",  # the same numbers give the same file
}


def experiment() -> tuple[RiskCurve, RegularizationPath]:
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 1, size=(30, 1))
    y = np.sin(2 * np.pi * x[:, 0]) + 0.3 * rng.normal(size=30)
    model = make_pipeline(PolynomialFeatures(15, include_bias=False), StandardScaler(), Ridge())
    penalties = np.logspace(-8, 4, 49)
    curve = risk_curve(model, x, y, param_range=penalties, cv=10)
    return curve, regularization_path(model, x, y, penalties=penalties)


def draw(curve: RiskCurve, path: RegularizationPath, file: Path) -> None:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 7.2), layout="constrained", facecolor="white")
        upper, lower = figure.subplots(2, sharex=True)
        curve.plot(upper)
        upper.set_ylim(0, 1.2)
        upper.set_xlabel("")
        path.plot(lower, n_terms=5)
        lower.set_yscale("symlog", linthresh=1)
        lower.set_xlabel("Penalty (alpha of Ridge)")
        figure.savefig(file, metadata={"Date": None})


def numbers(curve: RiskCurve) -> pl.DataFrame:
    columns: dict[str, np.ndarray] = {"alpha": curve.values}
    for of in ("train", "test"):
        columns[f"{of}_mean"] = curve.mean(of).round(4)
        columns[f"{of}_standard_error"] = curve.standard_error(of).round(4)
    return pl.DataFrame(columns)


def main() -> None:
    curve, path = experiment()
    print(curve)
    draw(curve, path, STATIC / "risk_curve.svg")
    numbers(curve).write_csv(STATIC / "risk_curve.csv")


if __name__ == "__main__":
    main()
