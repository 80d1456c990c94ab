"""The lesson on nearest neighbours: who is near, what they say, and how many to ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, bars
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.datasets import make_gaussian_mixture
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import class_legend, grid, plane
from quire.lessons._reading import Measurements, numbers_table, read_numbers, scaled, sentences
from quire.lessons._wording import fraction, listed, plain, share
from quire.neighbors import KNeighborsClassifier, choose_k

__all__ = ["nearest_neighbors"]

_NUMBERS = (1, 3, 5, 9, 15)
_WEIGHTS = Setting("weights", "what a vote counts", ("uniform", "distance"), "uniform")


def nearest_neighbors(
    file: Any = None, *, columns: list[str] | None = None, label: str | None = None
) -> Lesson:
    """Nearest neighbours: a new point gets the class that most of the k nearest points have.

    The steps look for the neighbours one by one, count their votes, colour the whole plane by the
    votes there, and measure by leave-one-out which k errs least.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers or more, and a column of classes.
    columns : list of str, default=None
        Two columns of it; the first two of numbers. They are scaled to the same deviation.
    label : str, default=None
        The column of the classes; guessed if clear.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import nearest_neighbors
    >>> nearest_neighbors().start.values
    {'k': 5, 'weights': 'uniform'}
    """
    if file is None:
        found = _example()
        about = ["Fifty points of two classes that overlap, and a new one, the star."]
    else:
        found = scaled(read_numbers(file, columns, label, has_classes=True))
        about = [f"{len(found.X):,} rows of {found.source}.", *sentences(found.notes)]
    query = _query(found)
    X, y = found.X, np.array(found.labels)
    settings = [_how_many(len(X)), _WEIGHTS]

    def run(k: int, weights: str) -> tuple[list[Step], dict[str, Any]]:
        model = KNeighborsClassifier(k, weights=weights).fit(X, y)
        choice = choose_k(X, y, ks=range(1, min(31, len(X))), weights=weights)
        error = float(choice.errors[list(choice.ks).index(k)])
        p = model.predict_proba([query])[0]
        result = {
            "Class of the star": str(model.predict([query])[0]),
            "Votes": listed(
                [f"{share(float(v))} {c}" for v, c in zip(p, model.classes_, strict=True) if v]
            ),
            "Leave-one-out error": share(error),
        }
        return _steps(model, found, query, choice, weights), result

    return Lesson(
        name="nearest-neighbors",
        title="Nearest neighbours",
        idea=[
            "Points that lie close together tend to be of the same class. So to classify a new "
            "point, look for the k points nearest to it among those whose class is known, and "
            "let them vote. Nothing is learned beforehand: the data is the model.",
            "With k = 1 every point of the data rules over its own surroundings, errors "
            "included. With a large k the vote is steadier, but points from far away take part. "
            "Leaving out one point at a time and asking the others shows which k errs least.",
        ],
        formulas=[
            r"\hat{y}(x) = \arg \max_c \sum_{d \in N_k(x)} w_d \, 1\{y_d = c\}",
            r"w_d = 1 \quad \text{or} \quad w_d = \frac{1}{\lVert x - x_d \rVert}",
        ],
        symbols=[
            ("N_k(x)", "the k points that are nearest to x"),
            ("y_d", "the class of point d"),
            ("w_d", "what its vote counts: one, or more if it is nearer"),
        ],
        about_data=list(about),
        data=numbers_table(found),
        settings=settings,
        runs=runs_over(settings, run),
        code=(
            "from quire.neighbors import KNeighborsClassifier, choose_k\n"
            "k = choose_k(X, y).best_k\n"
            "KNeighborsClassifier(k).fit(X, y).predict([x])"
        ),
        given={"X": X, "y": y, "x": query},
        guide=["Nearest neighbours"],
    )


def _how_many(n_rows: int) -> Setting:
    known = tuple(k for k in _NUMBERS if k < n_rows)
    return Setting("k", "how many neighbours are asked", known, known[min(2, len(known) - 1)])


def _example() -> Measurements:
    sample = make_gaussian_mixture(
        50,
        n_components=2,
        means=np.array([[0, 0], [2.2, 1.6]]),
        covariances=np.array([[[1.2, 0.2], [0.2, 1]], [[1, -0.3], [-0.3, 1.2]]]),
        random_state=3,
    )
    labels = [("circle", "square")[k] for k in sample.y]
    return Measurements(sample.X.round(2), ["x", "y"], labels, [], "")


def _query(found: Measurements) -> Floats:
    """Return a point between the means of the two largest classes."""
    names, counts = np.unique(found.labels, return_counts=True)
    largest = names[np.argsort(-counts, kind="stable")[:2]]
    means = [found.X[np.array(found.labels) == name].mean(axis=0) for name in largest]
    middle: Floats = (0.45 * means[0] + 0.55 * means[1]).round(2)
    return middle


def _steps(model: Any, found: Measurements, query: Floats, choice: Any, weights: str) -> list[Step]:
    distances, neighbours = (one[0] for one in model.kneighbors([query]))
    classes = [str(name) for name in model.classes_]
    codes = np.searchsorted(model.classes_, found.labels)
    k = len(neighbours)
    steps = [
        Step(
            "A new point",
            f"The star lies at ({plain(query[0])}, {plain(query[1])}). Which class is it? The "
            f"{len(found.X)} points around it know theirs.",
            _picture(found, codes, classes, query, [], 0.0),
            _votes(classes, np.bincount(codes, minlength=len(classes)), "Points"),
            {"query": query},
        )
    ]
    for n in range(1, k + 1):
        tally = np.bincount(codes[neighbours[:n]], minlength=len(classes))
        said = (
            f"The {_ordinal(n)} neighbour is point {neighbours[n - 1] + 1}, of class "
            f"{classes[codes[neighbours[n - 1]]]}, at a distance of {plain(distances[n - 1])}. "
            f"So far: {listed([f'{v} for {c}' for v, c in zip(tally, classes, strict=True)])}."
        )
        rows = [
            [f"point {neighbours[j] + 1}", classes[codes[neighbours[j]]], plain(distances[j])]
            for j in range(n)
        ]
        steps.append(
            Step(
                f"Neighbour {n}",
                said,
                _picture(found, codes, classes, query, neighbours[:n], float(distances[n - 1])),
                table(["Neighbour", "Class", "Distance"], rows, "The neighbours so far"),
                {
                    "neighbor": neighbours[n - 1],
                    "distance": distances[n - 1],
                    "votes": tally,
                },
            )
        )
    p = model.predict_proba([query])[0]
    best = str(model.predict([query])[0])
    how = (
        "Each vote counts the same"
        if weights == "uniform"
        else "A vote counts one over its distance"
    )
    shares = [fraction(float(v)) if weights == "uniform" else share(float(v)) for v in p]
    steps.append(
        Step(
            "Vote",
            f"{how}: {listed([f'{v} for {c}' for v, c in zip(shares, classes, strict=True)])}. The "
            f"class is {best}.",
            bars("Share of the votes", classes, [p], [shares], limits=(0, 1)),
            _votes(classes, shares, "Share"),
            {"probabilities": p, "class": best},
        )
    )
    steps.append(_everywhere(model, found, codes, classes, query))
    steps.append(_which_k(choice, k))
    return steps


def _picture(
    found: Measurements, codes: Any, classes: list[str], query: Floats, near: Any, radius: float
) -> Html:
    picture = plane("Points and the neighbours of the star", found.X, found.names)
    if radius:
        angles = np.linspace(0, 2 * np.pi, 61)
        circle = query + radius * np.column_stack([np.cos(angles), np.sin(angles)])
        picture.line(circle, "soft", width=1.5, dashes="4 3", closed=True)
        picture.segments(np.tile(query, (len(near), 1)), found.X[near], "ink")
    _draw(picture, found, codes)
    if len(near):
        marks = codes[near].tolist()
        picture.points(found.X[near], marks, size=5, shapes=marks, outlined=True)
    _star(picture, query)
    return join([picture.svg(), class_legend(classes)])


def _draw(picture: Picture, found: Measurements, codes: Any) -> None:
    picture.points(found.X, codes.tolist(), shapes=codes.tolist(), opacity=0.85)


def _star(picture: Picture, query: Floats) -> None:
    picture.text(query[0], query[1], "★", size=22, shift=(0, 3))


def _votes(classes: list[str], votes: Any, head: str) -> Html:
    rows = list(zip(classes, [v.item() if hasattr(v, "item") else v for v in votes], strict=True))
    return table(["Class", head], rows, head)


def _everywhere(
    model: Any, found: Measurements, codes: Any, classes: list[str], query: Floats
) -> Step:
    picture = plane("The class at every place", found.X, found.names)
    xs, ys, rows = grid(picture)
    regions = np.searchsorted(model.classes_, model.predict(rows))
    picture.regions(xs, ys, regions.reshape(len(ys), len(xs)))
    _draw(picture, found, codes)
    _star(picture, query)
    wrong = int((model.predict(found.X) != np.array(found.labels)).sum())
    shares = np.bincount(regions, minlength=len(classes)) / len(regions)
    return Step(
        "Ask at every place",
        f"The same vote at every place of the plane. {wrong} of the {len(found.X)} points lie on "
        "the side of another class. The border is rough for small k and smooth for large k.",
        join([picture.svg(), class_legend(classes)]),
        _votes(classes, [share(float(one)) for one in shares], "Share of the plane"),
        {"errors_on_the_data": wrong},
    )


def _which_k(choice: Any, k: int) -> Step:
    ks, errors = np.asarray(choice.ks), np.asarray(choice.errors, dtype=float)
    picture = Picture(
        "Leave-one-out error for each k",
        (0, float(ks.max()) + 1),
        (0, max(float(errors.max()) * 1.15, 0.05)),
        x_title="k",
        y_title="leave-one-out error",
    )
    picture.line(np.column_stack([ks, errors]), 0)
    picture.points(np.column_stack([ks, errors]), 0, size=3)
    here = int(np.flatnonzero(ks == k)[0])
    picture.points([(k, errors[here])], 1, size=6, outlined=True)
    picture.text(k, errors[here], f"k = {k}", shift=(0, -14), bold=True)
    shown = [j for j in range(len(ks)) if ks[j] in (*_NUMBERS, choice.best_k)]
    rows = [[f"{ks[j]}", share(float(errors[j]))] for j in shown]
    return Step(
        "Which k errs least?",
        f"Leave out each point and let its neighbours vote: with k = {k} the others are wrong "
        f"about {share(float(errors[here]))} of the points. The best k is {choice.best_k}.",
        picture.svg(),
        table(["k", "Error"], rows, "Leave-one-out error"),
        {"ks": ks, "errors": errors, "best_k": choice.best_k},
    )


def _ordinal(n: int) -> str:
    words = ["nearest", "second", "third", "fourth", "fifth"]
    return words[n - 1] if n <= len(words) else f"{n}th"
