"""The lesson on mixtures of normal densities: EM, in one column and in two."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.datasets import make_gaussian_mixture
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import plane, thinned
from quire.lessons._reading import Measurements, numbers_table, read_numbers, sentences
from quire.lessons._wording import listed, plain, share
from quire.mixture import GaussianMixture, MixtureStep

__all__ = ["mixture"]

_SETTINGS = [
    Setting("columns", "of the data that are looked at", ("one", "two"), "one"),
    Setting("components", "how many bells", (2, 3), 2),
    Setting("start", "which points the bells start at", ("a", "b"), "a"),
]
_SEEDS = {"a": 1, "b": 10}
_BINS = 18


def mixture(file: Any = None, *, columns: list[str] | None = None) -> Lesson:
    """Mixtures by EM: points belong to bells in shares, and bells fit themselves to their shares.

    The steps are those of :class:`quire.mixture.GaussianMixture` with ``keep_steps=True``: in each
    iteration the E step finds responsibilities and the M step new weights, means and covariances.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers or more.
    columns : list of str, default=None
        Two columns of it; the first two of numbers.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import mixture
    >>> lesson = mixture()
    >>> [step.title for step in lesson.start.steps][:3]
    ['The start', 'Iteration 1', 'Iteration 2']
    """
    if file is None:
        found = _example()
        about = ["Eighty rows of two columns, drawn from two normal densities that overlap."]
    else:
        found = read_numbers(file, columns)
        about = [f"{len(found.X):,} rows of {found.source}.", *sentences(found.notes)]

    def run(columns: str, components: int, start: str) -> tuple[list[Step], dict[str, Any]]:
        X = found.X[:, :1] if columns == "one" else found.X
        model = GaussianMixture(
            components, **_begin(X, components, start), tol=1e-4, max_iter=200, keep_steps=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X)
        result = {
            "Iterations": model.n_iter_,
            "Mean log-likelihood": plain(float(model.steps_[-1].log_likelihood), 4),
            "BIC": plain(float(model.bic(X)), 4),
            "Weights": ", ".join(share(float(w)) for w in model.weights_),
        }
        return _steps(model, X, found.names), result

    return Lesson(
        name="mixture",
        title="Mixtures of normal densities by EM",
        idea=[
            "The data comes from several sources, each a normal density, and nobody wrote down "
            "which row came from which. If the sources were known, each row would belong to them "
            "in shares: the more probable the row is under a source, the larger the share. If the "
            "shares were known, each source would be the weighted mean and covariance of the rows.",
            "EM does both in turn. The E step finds the shares, called responsibilities; the M "
            "step fits weights, means and covariances to them. The likelihood never falls. It is "
            "k-means with shares instead of decisions, and like it can end in different places.",
        ],
        formulas=[
            r"p(x) = \sum_k \pi_k \, \mathcal{N}(x; \mu_k, \Sigma_k)",
            r"\text{E:} \quad r_{dk} = \frac{\pi_k \, \mathcal{N}(x_d; \mu_k, \Sigma_k)}"
            r"{\sum_j \pi_j \, \mathcal{N}(x_d; \mu_j, \Sigma_j)}",
            r"\text{M:} \quad N_k = \sum_d r_{dk}, \quad \pi_k = \frac{N_k}{N}, \quad "
            r"\mu_k = \frac{1}{N_k} \sum_d r_{dk} x_d, \quad "
            r"\Sigma_k = \frac{1}{N_k} \sum_d r_{dk} (x_d - \mu_k)(x_d - \mu_k)^\top",
        ],
        symbols=[
            (r"\pi_k", "the weight of component k"),
            (r"\mu_k, \Sigma_k", "its mean and its covariance"),
            ("r_{dk}", "the responsibility of component k for row d"),
            ("N_k", "the rows of component k, counted in shares"),
        ],
        about_data=list(about),
        data=numbers_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.mixture import GaussianMixture\n"
            "model = GaussianMixture(2, random_state=0, keep_steps=True).fit(X)\n"
            "model.predict_proba(X), model.bic(X), model.steps_"
        ),
        given={"X": found.X},
        guide=["Mixtures of normal densities"],
    )


def _example() -> Measurements:
    sample = make_gaussian_mixture(
        80,
        n_components=2,
        weights=[0.6, 0.4],
        means=np.array([[2.0, 55.0], [4.4, 80.0]]),
        covariances=np.array([[[0.16, 1.2], [1.2, 36.0]], [[0.25, 1.2], [1.2, 40.0]]]),
        random_state=8,
    )
    return Measurements(sample.X.round(2), ["length", "wait"], [], [], "")


def _begin(X: Floats, components: int, start: str) -> dict[str, Any]:
    """Return a start: equal weights, rows as means, and for each the covariance of all rows."""
    rows = np.random.default_rng(_SEEDS[start]).choice(len(X), components, replace=False)
    covariance = np.atleast_2d(np.cov(X.T))
    least = 1e-6 * max(float(np.trace(covariance)), 1e-12)
    precision = np.linalg.inv(covariance + least * np.eye(len(covariance)))
    return {
        "weights_init": np.full(components, 1 / components),
        "means_init": X[rows],
        "precisions_init": np.tile(precision, (components, 1, 1)),
    }


def _steps(model: Any, X: Floats, names: list[str]) -> list[Step]:
    kept: list[MixtureStep] = model.steps_
    steps = []
    before = None
    for number in thinned(len(kept), 12):
        step = kept[number]
        steps.append(
            Step(
                "The start" if number == 0 else f"Iteration {number}",
                _said(step, number, before, model, len(kept) - 1),
                _line(X, names[0], step) if X.shape[1] == 1 else _cloud(X, names, step),
                _state(step, names),
                {
                    "weights": step.weights,
                    "means": step.means,
                    "covariances": step.covariances,
                    "log_likelihood": step.log_likelihood,
                },
            )
        )
        before = step
    return steps


def _said(step: MixtureStep, number: int, before: MixtureStep | None, model: Any, last: int) -> str:
    likelihood = plain(step.log_likelihood, 5)
    unsure = int((step.responsibilities.max(axis=1) < 0.8).sum())
    rows = f"{unsure} {'row is' if unsure == 1 else 'rows are'} shared: no component has 80 %."
    if before is None:
        return (
            f"Each component starts at a row drawn at random, and is as wide as all of the data. "
            f"The mean log-likelihood of a row is {likelihood}. {rows}"
        )
    grown = step.log_likelihood - before.log_likelihood
    said = (
        f"The M step fits each component to its shares of the rows. The mean log-likelihood grows "
        f"by {plain(grown)} to {likelihood}. {rows}"
    )
    if number == last:
        said += " That is the end." if model.converged_ else " More iterations are allowed."
    return said


def _line(X: Floats, name: str, step: MixtureStep) -> Html:
    """Return the histogram of one column, the bells under it and their sum."""
    x = X[:, 0]
    low, high = span(x, 0.12)
    places = np.linspace(low, high, 64)
    bells = [
        weight * np.exp(-((places - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
        for weight, mean, variance in zip(
            step.weights, step.means[:, 0], step.covariances[:, 0, 0], strict=True
        )
    ]
    heights, edges = np.histogram(x, bins=_BINS, density=True)
    total = np.sum(bells, axis=0)
    top = max(float(total.max()), float(heights.max())) * 1.08
    picture = Picture(
        "Histogram of the column, the bells and their sum",
        (low, high),
        (-0.08 * top, top),
        x_title=name,
        y_title="density",
    )
    outline = np.repeat(edges, 2), np.concatenate([[0], np.repeat(heights, 2), [0]])
    picture.line(np.column_stack(outline), "line", width=1, fill=0.6, closed=True)
    for k, bell in enumerate(bells):
        picture.line(np.column_stack([places, bell]), k, width=2.5, dashes=("", "7 3", "2 3")[k])
    picture.line(np.column_stack([places, total]), "ink", width=1.4)
    _shared(picture, np.column_stack([x, np.full(len(x), -0.04 * top)]), step, 2.8)
    return join([picture.svg(), _meaning(step, ["the sum"])])


def _cloud(X: Floats, names: list[str], step: MixtureStep) -> Html:
    """Return the rows of two columns and the ellipses of the components."""
    picture = plane("Rows and components", X, names, same_scale=False)
    for k, (mean, covariance) in enumerate(zip(step.means, step.covariances, strict=True)):
        picture.ellipse(mean, covariance, k, deviations=2, width=1, fill=0.06)
        picture.ellipse(mean, covariance, k, width=2, dashes=("", "7 3", "2 3")[k])
    _shared(picture, X, step, 3.6)
    k = len(step.means)
    picture.points(step.means, list(range(k)), size=6, shapes=list(range(k)), outlined=True)
    return join([picture.svg(), _meaning(step, [])])


def _shared(picture: Picture, places: Floats, step: MixtureStep, size: float) -> None:
    """Draw rows in the colours of the components, each as strong as its share."""
    for k in range(len(step.means)):
        strength = np.round(step.responsibilities[:, k] * 5) / 5
        for level in np.unique(strength[strength > 0]):
            rows = strength == level
            picture.points(places[rows], k, size=size, opacity=float(round(level, 1)))


def _meaning(step: MixtureStep, more: list[str]) -> Html:
    items: list[tuple[int | str, str]] = [(k, f"component {k + 1}") for k in range(len(step.means))]
    return legend([*items, *[("ink", name) for name in more]])


def _state(step: MixtureStep, names: list[str]) -> Html:
    n_columns = step.means.shape[1]
    heads = ["", "Weight"]
    for name in names[:n_columns]:
        heads += [f"Mean {name}", f"± {name}"]
    rows: list[list[Any]] = []
    for k in range(len(step.means)):
        row: list[Any] = [f"{k + 1}", share(float(step.weights[k]))]
        for j in range(n_columns):
            deviation = float(np.sqrt(step.covariances[k, j, j]))
            row += [plain(float(step.means[k, j])), plain(deviation)]
        rows.append(row)
    return table(heads, rows, f"Components: {listed(['weight', 'mean', 'deviation'])}")
