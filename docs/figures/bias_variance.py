"""Draws docs/_static/bias_variance.svg and writes its numbers beside it.

Ridge over its penalty on a simulated problem whose truth is known, and a tree against a forest:

    python docs/figures/bias_variance.py
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.figure import Figure
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from quire.linear_model import Ridge
from quire.model_selection import BiasVariance, ComplexityCurve, bias_variance, complexity_curve

STATIC = Path(__file__).parents[1] / "_static"
STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "quire",  # the same numbers give the same file
}
COLOURS = {"bias² + noise": "#0072b2", "variance": "#d55e00"}
HATCHES = {"bias² + noise": "", "variance": "///"}


def ridge() -> ComplexityCurve:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=100) / 10

    def draw(rng: np.random.Generator, n: int = 320) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, 100))
        return X, X @ weights + rng.normal(size=n)

    X, y = draw(rng, n=400)
    known = {"resampling": draw, "y_true": X @ weights, "noise": 1.0}
    return complexity_curve(
        Ridge(),
        X,
        y,
        param="alpha",
        values=np.logspace(-1, 4, 16),
        decompose={**known, "n_resamples": 100, "unbiased": True},
        random_state=0,
    )


def trees() -> list[BiasVariance]:
    X, y = make_friedman1(500, noise=1.0, random_state=0)
    models = DecisionTreeRegressor(), RandomForestRegressor(30)
    return [bias_variance(model, X, y, n_resamples=20, random_state=0) for model in models]


def draw_all(curve: ComplexityCurve, results: list[BiasVariance], file: Path) -> None:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 4.2), layout="constrained", facecolor="white")
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        curve.plot(left, of="parts")
        left.set_xlabel("Penalty (alpha of Ridge)")
        left.set_ylim(-0.1, 2.4)
        left.legend(loc="upper left", ncols=3)
        below = np.zeros(len(results))
        for name, colour in COLOURS.items():
            means = np.array([result.parts()[name].mean() for result in results])
            places = range(len(results))
            right.bar(
                places,
                means,
                bottom=below,
                label=name,
                color=colour,
                hatch=HATCHES[name],
                edgecolor="white",
                width=0.6,
            )
            below += means
        right.set_xticks(range(len(results)), ["tree", "forest"])
        right.set_ylabel("Squared error")
        right.legend(loc="best")
        figure.savefig(file, metadata={"Date": None})


def numbers(curve: ComplexityCurve, results: list[BiasVariance]) -> pl.DataFrame:
    columns = ("noise", "bias", "variance", "chance", "loss")
    models = [
        (f"Ridge({value:.4g})", one)
        for value, one in zip(curve.values, curve.decompositions, strict=True)
    ]
    models += [(result.model, result) for result in results]
    return pl.DataFrame(
        {
            "model": [name for name, _ in models],
            **{
                column: pl.Series([getattr(one, column) for _, one in models], dtype=pl.Float64)
                for column in columns
            },
        }
    ).with_columns(pl.col(columns).round(4))


def main() -> None:
    curve, results = ridge(), trees()
    print(curve)
    draw_all(curve, results, STATIC / "bias_variance.svg")
    numbers(curve, results).write_csv(STATIC / "bias_variance.csv")


if __name__ == "__main__":
    main()
