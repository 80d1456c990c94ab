"""The lesson on k-means: assign the points, move the centres, until nothing moves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import legend
from quire._shared.page.tables import table
from quire.cluster import KMeans, KMeansStep
from quire.datasets import make_gaussian_mixture
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import grid, plane
from quire.lessons._reading import Measurements, numbers_table, read_numbers, scaled, sentences
from quire.lessons._wording import plain

__all__ = ["k_means"]

_NUMBERS = (2, 3, 4, 5)
_START = Setting("start", "which points are the first centres", ("a", "b", "c"), "a")
_SEEDS = {"a": 7, "b": 1, "c": 2}
_MOST = 8  # iterations that are shown


def k_means(file: Any = None, *, columns: list[str] | None = None) -> Lesson:
    """k-means: points go to the nearest centre, centres to the middle of their points.

    The steps are those of :class:`quire.cluster.KMeans` with ``keep_steps=True``: each iteration
    assigns all points and then moves the centres. Another start can end in another place.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers or more.
    columns : list of str, default=None
        Two columns of it; the first two of numbers. They are scaled to the same deviation.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import k_means
    >>> lesson = k_means()
    >>> [step.title for step in lesson.start.steps][:3]
    ['Choose centres', 'Assign (1)', 'Move (1)']
    """
    found = _example() if file is None else scaled(read_numbers(file, columns))

    n_places = len(np.unique(found.X, axis=0))
    numbers = tuple(k for k in _NUMBERS if k <= max(2, n_places))
    settings = [Setting("k", "the number of clusters", numbers, min(3, numbers[-1])), _START]

    def run(k: int, start: str) -> tuple[list[Step], dict[str, Any]]:
        model = KMeans(k, init="random", n_init=1, random_state=_SEEDS[start], keep_steps=True).fit(
            found.X
        )
        result = {
            "Iterations": model.n_iter_,
            "Inertia": plain(float(model.inertia_)),
            "Sizes": ", ".join(map(str, np.bincount(model.labels_, minlength=k))),
        }
        return _steps(model, found), result

    about = (
        ["Sixty points that were drawn around three places. k-means does not know the places."]
        if file is None
        else [f"{len(found.X):,} rows of {found.source}.", *sentences(found.notes)]
    )
    return Lesson(
        name="k-means",
        title="k-means",
        idea=[
            "A cluster is a centre and the points that are nearer to it than to any other. If the "
            "centres were known, each point would know its cluster; if the clusters were known, "
            "each centre would be the mean of its points. k-means begins with centres chosen at "
            "random and does both in turn, until no point changes its cluster.",
            "Both halves can only make the sum of squared distances smaller, so it comes to an "
            "end. The end is not always the best one: that depends on the start, which is why "
            "KMeans tries several.",
        ],
        formulas=[
            r"c_d = \arg \min_k \lVert x_d - m_k \rVert^2",
            r"m_k = \frac{1}{N_k} \sum_{d : c_d = k} x_d",
            r"J = \sum_d \lVert x_d - m_{c_d} \rVert^2",
        ],
        symbols=[
            ("x_d", "a point"),
            ("m_k", "the centre of cluster k"),
            ("c_d", "the cluster of point d"),
            ("N_k", "the number of points of cluster k"),
            ("J", "the inertia: what both halves make smaller"),
        ],
        about_data=list(about),
        data=numbers_table(found),
        settings=settings,
        runs=runs_over(settings, run),
        code=(
            "from quire.cluster import KMeans\n"
            "model = KMeans(3, n_init=10, random_state=0, keep_steps=True).fit(X)\n"
            "model.labels_, model.cluster_centers_, model.steps_"
        ),
        given={"X": found.X},
        guide=["Clusters: k-means"],
    )


def _example() -> Measurements:
    sample = make_gaussian_mixture(
        60,
        means=np.array([[0, 0], [4.5, 0.5], [2, 4]]),
        n_components=3,
        covariances=np.array([[[1, 0], [0, 1]], [[1, 0.3], [0.3, 0.7]], [[1.4, 0], [0, 0.5]]]),
        random_state=5,
    )
    return Measurements(sample.X.round(2), ["x", "y"], [], [], "")


def _steps(model: Any, found: Measurements) -> list[Step]:
    """Return the start, and two steps for each iteration: points are assigned, centres move."""
    kept: list[KMeansStep] = model.steps_
    if len(kept) > 2 and np.array_equal(kept[-1].centers, kept[-2].centers):
        kept = kept[:-1]  # the last iteration only finds that nothing moves
    k = len(kept[0].centers)
    steps = [
        Step(
            "Choose centres",
            f"{k} of the points are the first centres. No point has a cluster yet.",
            _picture(found, kept[0], None, is_assigned=False),
            _centres(found, kept[0], None),
            {"centers": kept[0].centers},
        )
    ]
    for number, (now, after) in enumerate(pairwise(kept), start=1):
        if number > _MOST:
            break
        changed = "" if number == 1 else _changed(kept[number - 2], now)
        steps.append(
            Step(
                f"Assign ({number})",
                f"Each point goes to its nearest centre; the borders lie halfway between them. The "
                f"inertia is {plain(now.inertia)}.{changed}",
                _picture(found, now, None, has_regions=True),
                _centres(found, now, now),
                {"centers": now.centers, "labels": now.labels, "inertia": now.inertia},
            )
        )
        far = float(np.linalg.norm(after.centers - now.centers, axis=1).max())
        steps.append(
            Step(
                f"Move ({number})",
                f"Each centre goes to the mean of its points. The farthest move is {plain(far)}.",
                _picture(found, now, after),
                _centres(found, after, now),
                {"centers": after.centers, "labels": now.labels, "moved": far},
            )
        )
    last = model.steps_[-1]
    said = "no point changes its cluster any more, so nothing moves"
    if len(kept) - 1 > _MOST:
        said = f"{len(kept) - 1 - _MOST} more iterations later nothing moves"
    steps.append(
        Step(
            "The end",
            f"After {model.n_iter_} iterations {said}. The inertia is {plain(last.inertia)}.",
            _picture(found, last, None, has_regions=True),
            _centres(found, last, last),
            {"centers": last.centers, "labels": last.labels, "inertia": last.inertia},
        )
    )
    return steps


def _changed(before: KMeansStep, now: KMeansStep) -> str:
    n = int((before.labels != now.labels).sum())
    return f" {n} {'point changes' if n == 1 else 'points change'} cluster."


def _picture(
    found: Measurements,
    now: KMeansStep,
    after: KMeansStep | None,
    *,
    is_assigned: bool = True,
    has_regions: bool = False,
) -> Html:
    picture = plane("Points and centres of clusters", found.X, found.names)
    k = len(now.centers)
    if has_regions:
        xs, ys, rows = grid(picture)
        near = ((rows[:, None, :] - now.centers[None]) ** 2).sum(axis=2).argmin(axis=1)
        picture.regions(xs, ys, near.reshape(len(ys), len(xs)), opacity=0.1)
    labels = now.labels.tolist()
    if is_assigned:
        picture.points(found.X, labels, shapes=labels)
    else:
        picture.points(found.X, "soft")
    if after is None:
        picture.points(now.centers, list(range(k)), size=8, shapes=list(range(k)), outlined=True)
    else:
        picture.points(now.centers, list(range(k)), size=6, shapes=list(range(k)), opacity=0.5)
        for begin, end in zip(now.centers, after.centers, strict=True):
            picture.arrow(begin, end)
        picture.points(after.centers, list(range(k)), size=8, shapes=list(range(k)), outlined=True)
    marks = legend([(j, f"cluster {j + 1}") for j in range(k)], shapes=True)
    return join([picture.svg(), marks])


def _centres(found: Measurements, step: KMeansStep, assigned: KMeansStep | None) -> Html:
    k = len(step.centers)
    sizes = [None] * k
    if assigned is not None:
        sizes = np.bincount(assigned.labels, minlength=k).tolist()
    rows = [[f"{j + 1}", sizes[j], *map(plain, step.centers[j].tolist())] for j in range(k)]
    return table(["Cluster", "Points", *found.names], rows, "Centres and sizes of clusters")
