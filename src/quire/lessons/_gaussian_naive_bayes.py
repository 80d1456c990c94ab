"""The lesson on Gaussian naive Bayes: a bell for each class and column."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.datasets import load_icu
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import class_legend, grid, plane
from quire.lessons._reading import Measurements, numbers_table, read_numbers, sentences
from quire.lessons._two_classes import TwoClasses, most_probable
from quire.lessons._wording import listed, plain, share, signed
from quire.naive_bayes import GaussianNB

__all__ = ["gaussian_naive_bayes"]

_SETTINGS = [
    Setting("prior", "what P(k) is in proportion to", ("documents", "uniform"), "documents"),
    Setting("smoothing", "share of the largest variance added to all", (1e-9, 0.3, 3.0), 1e-9),
]
_ROWS = 80


def gaussian_naive_bayes(
    file: Any = None, *, columns: list[str] | None = None, label: str | None = None
) -> Lesson:
    """Gaussian naive Bayes: measurements have a bell in each class, and densities multiply.

    The steps find the mean and the variance of each column in each class, draw the bells, read the
    measurements of a new row one by one, and colour the plane by the class.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers or more, and a column of classes.
    columns : list of str, default=None
        Two columns of it; the first two of numbers.
    label : str, default=None
        The column of the classes; guessed if clear.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import gaussian_naive_bayes
    >>> [step.title for step in gaussian_naive_bayes().start.steps][1:3]
    ['Find the means', 'Find the variances']
    """
    if file is None:
        found = _example()
        about = [
            f"{_ROWS} made-up patients of an intensive care unit: how often their heart beats and "
            "how often they breathe in a minute, and whether their risk was high."
        ]
    else:
        found = read_numbers(file, columns, label, has_classes=True)
        about = [f"{len(found.X):,} rows of {found.source}.", *sentences(found.notes)]
    x = _new_row(found)
    usual, drowned = _fitted(found)
    about += drowned
    pair = most_probable(usual, [x])

    def run(prior: str, smoothing: float) -> tuple[list[Step], dict[str, Any]]:
        model, _ = _fitted(found, priors=prior, var_smoothing=smoothing)
        walk = _Walk(TwoClasses(model, [x], pair), found, x, prior, smoothing)
        posterior = model.predict_proba([x])[0]
        right = float((model.predict(found.X) == np.array(found.labels)).mean())
        result = {
            "Class of the star": str(model.classes_[int(posterior.argmax())]),
            "Posterior": share(float(posterior.max())),
            "Right on the data": share(right),
        }
        return walk.steps(), result

    return Lesson(
        name="gaussian-naive-bayes",
        title="Naive Bayes on measurements",
        idea=[
            "Measurements cannot be counted like words, but they can be described: in each class "
            "a column has a mean, and a variance around it. Take the column to be normal in each "
            "class, a bell; then the height of the bell at a value says how well the value fits.",
            "The columns are taken as independent given the class, which is what is naive: the "
            "heights of all columns multiply, together with how frequent the class is. The class "
            "with the largest product wins.",
        ],
        formulas=[
            r"p(x_j \mid k) = \frac{1}{\sqrt{2 \pi \sigma_{kj}^2}} "
            r"\exp \left( -\frac{(x_j - \mu_{kj})^2}{2 \sigma_{kj}^2} \right)",
            r"\log P(k \mid x) = \log P(k) + \sum_j \log p(x_j \mid k) + \text{const}",
        ],
        symbols=[
            (r"\mu_{kj}", "the mean of column j in class k"),
            (r"\sigma_{kj}^2", "its variance there, and what smoothing adds"),
            ("x_j", "the value of column j in the new row"),
            ("P(k)", "the prior of class k"),
        ],
        about_data=list(about),
        data=numbers_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.naive_bayes import GaussianNB\n"
            "model = GaussianNB().fit(X, y)\n"
            "model.theta_, model.var_, model.predict_proba([x])"
        ),
        given={"X": found.X, "y": np.array(found.labels), "x": x},
        guide=["Naive Bayes"],
    )


def _fitted(found: Measurements, **settings: Any) -> tuple[GaussianNB, list[str]]:
    """Return a model, and what it has to say of columns that smoothing drowns."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = GaussianNB(**settings).fit(found.X, found.labels)
    return model, [f"GaussianNB warns: {one.message}" for one in said]


def _example() -> Measurements:
    frame = load_icu().select("heart_rate", "respiratory_rate", "risk").drop_nulls().head(_ROWS)
    X = frame.select("heart_rate", "respiratory_rate").to_numpy().astype(float)
    labels = [str(one) for one in frame["risk"]]
    return Measurements(X, ["heart rate", "breaths"], labels, [], "")


def _new_row(found: Measurements) -> Floats:
    """Return a row between the means of the two largest classes."""
    names, counts = np.unique(found.labels, return_counts=True)
    largest = names[np.argsort(-counts, kind="stable")[:2]]
    means = [found.X[np.array(found.labels) == name].mean(axis=0) for name in largest]
    row = np.array([float(f"{v:.3g}") for v in 0.35 * means[0] + 0.65 * means[1]])
    return row


@dataclass(frozen=True)
class _Walk:
    """The steps of one fitted model."""

    two: TwoClasses
    found: Measurements
    x: Floats
    prior: str
    smoothing: float

    def steps(self) -> list[Step]:
        """Return the steps."""
        return [
            self._rows(),
            self._means(),
            self._variances(),
            *[self._bells(j) for j in range(2)],
            *self._read(),
            self.two.posterior_step("Prior times the heights of the bells"),
            self._everywhere(),
        ]

    @property
    def _model(self) -> Any:
        return self.two.model

    @property
    def _codes(self) -> Any:
        return np.searchsorted(self._model.classes_, self.found.labels)

    def _colours(self) -> list[int]:
        """Return the colour of each class: the two that are compared have the first ones."""
        order = [*self.two.pair, *range(len(self._model.classes_))]
        ranked = list(dict.fromkeys(order))
        return [ranked.index(k) for k in range(len(ranked))]

    def _rows(self) -> Step:
        why = {
            "documents": "The prior of a class is its share of the rows",
            "uniform": "Before anything is measured, all classes are equally probable",
        }[self.prior]
        counted = {"Rows": self._model.class_count_}
        return self.two.prior_step(self._model.class_prior_, why, counted, "Count the rows")

    def _points(self, picture: Picture) -> None:
        colours = self._colours()
        marks = [colours[code] for code in self._codes]
        picture.points(self.found.X, marks, shapes=marks, opacity=0.8)

    def _legend(self) -> Html:
        colours = self._colours()
        names = sorted(range(len(colours)), key=colours.__getitem__)
        return class_legend([self._model.classes_[k] for k in names])

    def _star(self, picture: Picture) -> None:
        picture.text(self.x[0], self.x[1], "★", size=22, shift=(0, 3))

    def _state(self, values: Floats, what: str) -> Html:
        """Return a number for each class and column."""
        rows = [
            [name, *[plain(float(v)) for v in row]]
            for name, row in zip(self.two.names, self.two.of(values), strict=True)
        ]
        return table([what, *self.found.names], rows, what)

    def _means(self) -> Step:
        means = self._model.theta_
        picture = plane(
            "Rows and the mean of each class", self.found.X, self.found.names, same_scale=False
        )
        self._points(picture)
        colours = self._colours()
        picture.points(means, colours, size=9, shapes=colours, outlined=True)
        parts = [
            f"{plain(float(mean[0]))} and {plain(float(mean[1]))} in {name}"
            for name, mean in zip(self.two.names, self.two.of(means), strict=True)
        ]
        return Step(
            "Find the means",
            f"The means of {listed(self.found.names)} are {listed(parts)}.",
            join([picture.svg(), self._legend()]),
            self._state(means, "Mean"),
            {"means": means},
        )

    def _variances(self) -> Step:
        picture = plane(
            "Rows, means and deviations", self.found.X, self.found.names, same_scale=False
        )
        self._points(picture)
        for k, colour in enumerate(self._colours()):
            covariance = np.diag(self._model.var_[k])
            for deviations in (1, 2):
                picture.ellipse(
                    self._model.theta_[k], covariance, colour, deviations=deviations, fill=0.05
                )
        added = float(self._model.epsilon_)
        said = "" if self.smoothing < 1e-6 else f" Smoothing adds {plain(added)} to each."
        return Step(
            "Find the variances",
            f"The ellipses lie one and two deviations from the means. Their axes are never tilted: "
            f"within a class the columns are taken as independent.{said}",
            join([picture.svg(), self._legend()]),
            self._state(self._model.var_, "Variance"),
            {"variances": self._model.var_, "added": added},
        )

    def _log_heights(self, values: Any, j: int) -> Floats:
        """Return the logarithms of the bells of a column at some values, for the two classes."""
        mean = self.two.of(self._model.theta_)[:, [j]]
        variance = self.two.of(self._model.var_)[:, [j]]
        square = (np.asarray(values, dtype=float) - mean) ** 2 / (2 * variance)
        logs: Floats = -square - np.log(2 * np.pi * variance) / 2
        return logs

    def _bells(self, j: int) -> Step:
        name = self.found.names[j]
        low, high = span([*self.found.X[:, j], self.x[j]], 0.15)
        places = np.linspace(low, high, 80)
        bells = np.exp(self._log_heights(places, j))
        logs = self._log_heights([self.x[j]], j)[:, 0]
        at = np.exp(logs)
        picture = Picture(
            f"The bells of {name}",
            (low, high),
            (0, max(float(bells.max()), float(at.max()), 1e-12) * 1.1),
            x_title=name,
            y_title="density",
        )
        for k, bell in enumerate(bells):
            picture.line(np.column_stack([places, bell]), k, width=2.5, dashes=("", "7 3")[k])
        picture.segments([(self.x[j], 0)], [(self.x[j], picture.y[1])], "ink", dashes="3 3")
        picture.points(np.column_stack([np.full(2, self.x[j]), at]), [0, 1], size=6, outlined=True)
        parts = [f"{plain(float(h))} for {one}" for h, one in zip(at, self.two.names, strict=True)]
        rows = [[one, plain(float(h))] for one, h in zip(self.two.names, at, strict=True)]
        return Step(
            f"The bells of {name}",
            f"The new row, the star, has {name} {plain(float(self.x[j]))}. The heights of the "
            f"bells there are {listed(parts)}; the logarithm of their ratio is "
            f"{signed(float(logs[0] - logs[1]))}.",
            join([picture.svg(), self.two.legend()]),
            table(["Class", f"Height at {plain(float(self.x[j]))}"], rows, "Heights of the bells"),
            {"heights": at},
        )

    def _read(self) -> list[Step]:
        prior = np.log(self.two.of(self._model.class_prior_))
        names, parts = ["before any value"], [float(prior[0] - prior[1])]
        for j, name in enumerate(self.found.names):
            logs = self._log_heights([self.x[j]], j)[:, 0]
            names.append(f"{name} {plain(float(self.x[j]))}")
            parts.append(float(logs[0] - logs[1]))
        return self.two.running(names, parts)

    def _everywhere(self) -> Step:
        picture = plane(
            "The class at every place", self.found.X, self.found.names, same_scale=False
        )
        xs, ys, rows = grid(picture)
        colours = np.array(self._colours())
        regions = colours[np.searchsorted(self._model.classes_, self._model.predict(rows))]
        picture.regions(xs, ys, regions.reshape(len(ys), len(xs)))
        self._points(picture)
        self._star(picture)
        right = float((self._model.predict(self.found.X) == np.array(self.found.labels)).mean())
        counts = np.bincount(regions, minlength=len(colours)) / len(regions)
        rows_of = [
            [str(name), share(float(counts[colours[k]]))]
            for k, name in enumerate(self._model.classes_)
        ]
        return Step(
            "Ask at every place",
            f"The same sum at every place of the plane. The border is a curve of second degree. "
            f"{share(right)} of the rows lie on their own side.",
            join([picture.svg(), self._legend()]),
            table(["Class", "Share of the plane"], rows_of, "Share of the plane"),
            {"accuracy": right},
        )
