"""The lesson on the Dirichlet distribution: proportions, drawn, and learned from counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.page.html import Html, html, join
from quire._shared.page.picture import Picture, bars, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.distributions import Dirichlet
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import grid
from quire.lessons._wording import listed, plain

__all__ = ["dirichlet"]

_NAMES = ("sport", "law", "art")
_TOKENS = ("art", "sport", "art", "art", "law", "art", "art", "sport", "art", "art")
_SEEN = (1, 2, 3, 5, 10)
_MEANS = {"even": (1 / 3, 1 / 3, 1 / 3), "uneven": (0.5, 0.3, 0.2)}
_SETTINGS = [
    Setting("concentration", "the sum of all alpha", (0.9, 3, 9, 30), 9),
    Setting("mean", "how alpha is divided", ("even", "uneven"), "uneven"),
]
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_DRAWS = 200
_MEAN: tuple[int | str, str] = ("ink", "mean")


def dirichlet() -> Lesson:
    """Dirichlet distribution: proportions that are random, and what counts say about them.

    The steps show the density over the triangle, draws from it, and the posterior after one token
    and after more. All numbers are those of :class:`quire.distributions.Dirichlet`.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import dirichlet
    >>> lesson = dirichlet()
    >>> lesson.start.steps[0].numbers["alpha"]
    array([4.5, 2.7, 1.8])
    """

    def run(concentration: float, mean: str) -> tuple[list[Step], dict[str, Any]]:
        prior = Dirichlet(concentration * np.array(_MEANS[mean]))
        after = prior.posterior(_counts(len(_TOKENS)))
        result = {
            "Deviation of a share": plain(float(np.sqrt(prior.var()[0]))),
            f"Mean share of {_NAMES[2]} before": plain(float(prior.mean()[2])),
            "after ten tokens": plain(float(after.mean()[2])),
        }
        return _steps(prior), result

    return Lesson(
        name="dirichlet",
        title="The Dirichlet distribution",
        idea=[
            "Which share of a document is about sport, which about law, which about art? The "
            "shares are not negative and sum to one, so that a document is a point of a triangle: "
            "a corner is a document about one thing only. The Dirichlet distribution says how "
            "probable each point is. It is to proportions what the beta distribution is to one "
            "probability.",
            "Its parameters alpha act like counts that were seen beforehand. Divided by their sum "
            "they are the mean; the larger the sum, the closer are draws to it. Below one each, "
            "draws go to the corners and edges. Counts that are really seen are simply added.",
        ],
        formulas=[
            r"f(x; \alpha) = \frac{1}{B(\alpha)} \prod_d x_d^{\alpha_d - 1}, \quad "
            r"B(\alpha) = \frac{\prod_d \Gamma(\alpha_d)}{\Gamma(\sum_d \alpha_d)}",
            r"E(x_d) = \frac{\alpha_d}{\alpha_0}, \quad "
            r"\Var(x_d) = \frac{E(x_d) (1 - E(x_d))}{\alpha_0 + 1}, \quad "
            r"\alpha_0 = \sum_d \alpha_d",
            r"\text{after counts} \; n: \quad \alpha_d + n_d",
        ],
        symbols=[
            ("x_d", "the share of category d"),
            (r"\alpha_d", "its parameter, above zero"),
            (r"\alpha_0", "the concentration: the sum of all parameters"),
            ("n_d", "how often category d was seen"),
        ],
        about_data=[
            "Ten tokens of a made-up document, each with its topic. The shares of the topics in "
            "the document are not known; they are what is to be learned."
        ],
        data=html("<p>{}</p>", " ".join(_TOKENS)),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.distributions import Dirichlet\n"
            "prior = Dirichlet([4.5, 2.7, 1.8])\n"
            "prior.rvs(10, random_state=0), prior.posterior(counts).mean()"
        ),
        given={"counts": _counts(len(_TOKENS))},
        guide=["The Dirichlet distribution"],
    )


def _counts(n: int) -> Any:
    """Return how often each category is among the first tokens."""
    return np.array([_TOKENS[:n].count(name) for name in _NAMES])


def _steps(prior: Dirichlet) -> list[Step]:
    alpha = [plain(float(a)) for a in prior.alpha]
    draws = prior.rvs(_DRAWS, random_state=0)
    few = draws[:8]
    below = "Each alpha is below one: the corners are dense, and so are the edges."
    above = "No alpha is below one: the density is largest inside, or on a side."
    kind = below if (prior.alpha < 1).all() else above if (prior.alpha >= 1).all() else ""
    means = [f"{plain(float(m))} {n}" for m, n in zip(prior.mean(), _NAMES, strict=True)]
    steps = [
        Step(
            "The density",
            f"alpha = ({', '.join(alpha)}). The stronger the colour of a place, the more "
            f"probable are its shares. {kind}",
            join([_triangle(prior), _meaning()]),
            _state(prior),
            _numbers(prior),
        ),
        Step(
            "Mean and variance",
            f"The mean is alpha divided by its sum, {plain(prior.concentration)}: "
            f"{listed(means)}. The deviation of the share of {_NAMES[0]} is "
            f"{plain(float(np.sqrt(prior.var()[0])))}.",
            join([_triangle(prior, mean=True), _meaning(_MEAN)]),
            _state(prior),
            _numbers(prior),
        ),
        Step(
            "Eight draws",
            "Each draw is a document: its shares sum to one. "
            f"The first has {listed(_shares(few[0]))}.",
            bars(
                "Shares of eight draws",
                [f"document {k + 1}" for k in range(len(few))],
                few.T,
                [[f"{v:.0%}" for v in column] for column in few.T],
                limits=(0, 1),
            )
            + legend(list(enumerate(_NAMES))),
            _means_table(few),
            {"draws": few},
        ),
        Step(
            f"{_DRAWS} draws",
            f"The same as points of the triangle, {_DRAWS} of them. Their mean is "
            f"{listed(_shares(draws.mean(axis=0)))}, near the mean of the distribution.",
            join([_triangle(prior, points=draws), _meaning((1, "draws"))]),
            _means_table(draws),
            {"mean_of_draws": draws.mean(axis=0)},
        ),
    ]
    for n in _SEEN:
        counts = _counts(n)
        after = prior.posterior(counts)
        seen = listed([f"{c} {name}" for c, name in zip(counts, _NAMES, strict=True) if c])
        token = "token" if n == 1 else "tokens"
        steps.append(
            Step(
                f"After {n} {token}",
                f"{n} {token}: {seen}. The counts are added to alpha, and the mean share of "
                f"{_NAMES[2]} is ({plain(float(prior.alpha[2]))} + {counts[2]}) / "
                f"({plain(prior.concentration)} + {n}) = {plain(float(after.mean()[2]))}.",
                join([_triangle(after, mean=True), _meaning(_MEAN)]),
                _state(after, counts),
                {**_numbers(after), "counts": counts},
            )
        )
    return steps


def _numbers(found: Dirichlet) -> dict[str, Any]:
    return {"alpha": found.alpha, "mean": found.mean(), "variance": found.var()}


def _shares(values: Any) -> list[str]:
    return [f"{float(v):.0%} {name}" for v, name in zip(values, _NAMES, strict=True)]


def _meaning(*more: tuple[int | str, str]) -> Html:
    return legend([(0, "probable"), *more])


def _state(found: Dirichlet, counts: Any = None) -> Html:
    heads = ["Category", *([] if counts is None else ["Seen"]), "alpha", "Mean", "Deviation"]
    rows = []
    for d, name in enumerate(_NAMES):
        row: list[Any] = [name, *([] if counts is None else [int(counts[d])])]
        deviation = float(np.sqrt(found.var()[d]))
        rows.append(
            [*row, plain(float(found.alpha[d])), plain(float(found.mean()[d])), plain(deviation)]
        )
    return table(heads, rows, "Parameters, means and deviations")


def _means_table(draws: Floats) -> Html:
    rows = [
        [name, plain(float(column.mean())), plain(float(column.std(ddof=1)))]
        for name, column in zip(_NAMES, draws.T, strict=True)
    ]
    return table(["Category", "Mean of draws", "Deviation"], rows, "Draws")


def _triangle(found: Dirichlet, *, mean: bool = False, points: Floats | None = None) -> Html:
    """Return the density over the triangle, strongest where it is largest."""
    picture = Picture(
        "Density over the triangle of shares",
        (-0.16, 1.16),
        (-0.12, 1.0),
        height=340,
        axes=False,
        same_scale=True,
    )
    xs, ys, places = grid(picture, 84, 72)
    shares = _at(places)
    inside = (shares > 1e-3).all(axis=1)
    density = np.zeros(len(places))
    if inside.any():
        density[inside] = found.pdf(shares[inside])
    largest = float(np.quantile(density[inside], 0.99))
    levels = np.where(inside, np.clip(density / largest, 0, 1), 0)
    picture.shades(xs, ys, levels.reshape(len(ys), len(xs)), 0)
    picture.line(_CORNERS, "soft", width=1.5, closed=True)
    shifts = ((-4, 16), (4, 16), (0, -12))
    for corner, name, shift in zip(_CORNERS, _NAMES, shifts, strict=True):
        picture.text(corner[0], corner[1], f"all {name}", shift=shift, bold=True)
    if points is not None:
        picture.points(points @ _CORNERS, 1, size=2.4, opacity=0.85)
    if mean:
        picture.points([found.mean() @ _CORNERS], "ink", size=5)
    return picture.svg()


def _at(places: Floats) -> Floats:
    """Return the shares at places of the plane; outside of the triangle some are negative."""
    system = np.vstack([_CORNERS.T, np.ones(3)])
    known = np.vstack([places.T, np.ones(len(places))])
    shares = np.linalg.solve(system, known).T
    whole: Floats = shares / shares.sum(axis=1, keepdims=True)
    return whole
