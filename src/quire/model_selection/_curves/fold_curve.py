"""A measure by value and fold: what all curves share, and how sure their means are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import polars as pl
from scipy.stats import t as student

from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, line_style, middle, new_axes, whole_numbers
from quire._shared.typing import Floats, Ints
from quire.model_selection._fold_statistics import interval_inside, variance_of_mean
from quire.model_selection._scores.catalogue import scale_of_title

__all__ = ["FoldCurve", "number_axis", "score_cell", "simpler_side", "timed_scores"]

_LARGE = 1e5  # from here on numbers are shown with an exponent


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FoldCurve:
    r"""Training and held-out scores by the value of something that varies, for every fold.

    The curves of this package are of this class, or of one that adds what is its own.
    ``print(curve)`` shows a table and :meth:`plot` draws the curves.

    Attributes
    ----------
    values : ndarray of shape (n_values,) or tuple
        What varies; increasing if they are numbers.
    param : str
        What the values are of: the name of a parameter, "training documents" and the like.
    train_scores, test_scores : ndarray of shape (n_values, n_folds)
        The score on the documents a model was fitted to, and on those held out. ``None`` if
        training documents were not scored.
    scoring : str
        What the scores are.
    greater_is_better : bool
        ``False`` if the scores are losses.
    simpler : {"smaller", "larger"}
        Which values make the simpler model; of values that are no numbers, the first or the last.
    test_ratio : float
        Held-out documents for each training document.
    fit_times, score_times : ndarray of shape (n_values, n_folds) or None
        Seconds to fit, and to score the held-out documents, where they were measured.

    Notes
    -----
    The standard error of a mean over :math:`J` folds with standard deviation :math:`s` is
    :math:`s / \sqrt J`, everywhere. It is the yardstick of the rule of one standard error, which
    Breiman and others state with it and which rpart and glmnet compute with it: the rule chooses
    here what it chooses there. Training sets of the folds overlap, so that as a statement about
    new documents it is too small. :meth:`interval` makes such a statement, and corrects for the
    overlap.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984,
    section 3.4.

    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import FoldCurve
    >>> curve = FoldCurve(
    ...     values=np.array([0.1, 1.0, 10.0]),
    ...     param="alpha",
    ...     train_scores=np.array([[1.0, 1.2], [1.3, 1.5], [3.0, 3.4]]),
    ...     test_scores=np.array([[2.0, 2.8], [2.1, 2.9], [3.5, 4.1]]),
    ...     scoring="squared error",
    ...     greater_is_better=False,
    ...     simpler="larger",
    ...     test_ratio=1.0,
    ... )
    >>> print(curve)
    squared error by alpha, mean ± standard error over 2 folds
    <BLANKLINE>
    alpha  training       held out
      0.1     1.100  2.400 ± 0.400  best
        1     1.400  2.500 ± 0.400  within one standard error
       10     3.200  3.800 ± 0.300
    >>> curve.best()
    (0.1, 2.4)
    >>> curve.one_standard_error()
    (1.0, 2.5)
    """

    values: Any
    param: str
    test_scores: Floats
    train_scores: Floats | None = None
    scoring: str
    greater_is_better: bool = True
    simpler: str = "smaller"
    test_ratio: float
    fit_times: Floats | None = None
    score_times: Floats | None = None

    _column: ClassVar[str] = "value"  # of the values, in tables
    _is_choice: ClassVar[bool] = True  # whether one of the values is to be chosen

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.test_scores.shape[-1])

    def mean(self, of: str = "test") -> Floats:
        """Return the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training scores.

        Returns
        -------
        ndarray of shape (n_values,)
            Means.
        """
        means: Floats = self._scores(of).mean(axis=-1)
        return means

    def standard_error(self, of: str = "test") -> Floats:
        """Return the standard error of the mean over the folds, as the rule of one of them uses it.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training scores.

        Returns
        -------
        ndarray of shape (n_values,)
            Standard errors, not corrected for what the folds share; NaN if there is one fold only.
        """
        scores = self._scores(of)
        if self.n_folds < 2:
            return np.full(scores.shape[:-1], np.nan)
        with np.errstate(invalid="ignore"):  # a score that is not finite
            errors: Floats = scores.std(axis=-1, ddof=1) / np.sqrt(self.n_folds)
        return errors

    def interval(self, of: str = "test", level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of an interval for the expected score, by Student's distribution.

        Training documents of the folds overlap, so that scores are not independent. The correction
        of Nadeau and Bengio replaces ``1 / n_folds`` in the variance of the mean by ``1 / n_folds +
        test_ratio``. The interval stays inside the scale of a score that is known by its name.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training scores.
        level : float, default=0.95
            How often such intervals should hold the expected score.

        Returns
        -------
        low, high : ndarray of shape (n_values,)
            The ends; NaN if there is one fold only.
        """
        if not 0 < level < 1:
            raise ValueError(f"level is {level!r}; expected a number between 0 and 1.")
        mean = self.mean(of)
        if self.n_folds < 2:
            return np.full(mean.shape, np.nan), np.full(mean.shape, np.nan)
        with np.errstate(invalid="ignore"):
            variance = variance_of_mean(self._scores(of), self.test_ratio)
        t, scale = float(student.ppf((1 + level) / 2, self.n_folds - 1)), self._scale()
        ends = np.full((2, *mean.shape), np.nan)
        for place in np.ndindex(mean.shape):
            if np.isfinite(variance[place]):
                ends[:, *place] = interval_inside(
                    float(mean[place]), float(variance[place]), t, scale
                )
        return ends[0], ends[1]

    def _scale(self) -> tuple[float, float]:
        """Return the least and the largest value of scores; none for the values of something else.

        Scores that are there count for more than what a score of that name should be.
        """
        least, most = scale_of_title(self.scoring)
        scores = [one for one in (self.test_scores, self.train_scores) if one is not None]
        inside = not any(((one < least) | (one > most)).any() for one in scores)
        return (least, most) if inside else (-np.inf, np.inf)

    def best(self) -> tuple[Any, ...]:
        """Return the value with the best held-out score.

        Returns
        -------
        value : object
            The value; of equally good ones that of the simplest model.
        score : float
            The mean of its held-out scores.
        """
        return self._at(self._choices()[0])

    def one_standard_error(self) -> tuple[Any, ...]:
        """Return the simplest model whose score is within one standard error of the best.

        Returns
        -------
        value : object
            The value; the best one if there is one fold only.
        score : float
            The mean of its held-out scores.
        """
        return self._at(self._choices()[1])

    def table(self) -> pl.DataFrame:
        """Return the means over the folds.

        Returns
        -------
        polars.DataFrame
            A row for each value, with the columns ``value`` (or what this kind of curve calls it),
            ``train``, ``test``, ``standard_error``, ``low`` and ``high`` (the 95 % interval), all
            of the held-out score, and ``fit_seconds`` and ``score_seconds``, as far as there are
            any.
        """
        low, high = self.interval()
        columns = {
            "train": None if self.train_scores is None else self.mean("train"),
            "test": self.mean(),
            "standard_error": self.standard_error(),
            "low": low,
            "high": high,
            "fit_seconds": None if self.fit_times is None else self.fit_times.mean(axis=-1),
            "score_seconds": None if self.score_times is None else self.score_times.mean(axis=-1),
        }
        known = {name: means.ravel() for name, means in columns.items() if means is not None}
        return self._points().with_columns(**{k: pl.Series(v) for k, v in known.items()})

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each value and fold, with the columns ``value`` (or what this kind of curve
            calls it), ``fold`` (from 0), ``train``, ``test``, ``fit_seconds`` and
            ``score_seconds``, as far as there are any.
        """
        points = self._points()
        columns = {
            "fold": np.tile(np.arange(self.n_folds), points.height),
            "train": self.train_scores,
            "test": self.test_scores,
            "fit_seconds": self.fit_times,
            "score_seconds": self.score_times,
        }
        known = {name: scores.ravel() for name, scores in columns.items() if scores is not None}
        rows = points[np.repeat(np.arange(points.height), self.n_folds)]
        return rows.with_columns(**{name: pl.Series(column) for name, column in known.items()})

    def plot(self, ax: Any = None, *, level: float | None = None) -> Any:
        """Draw training and held-out scores against the values.

        Upright lines stand at the best value and at that of :meth:`one_standard_error`, where a
        value is to be chosen. Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        level : float, default=None
            Level of the interval that the bands show; ``None`` for one standard error to either
            side.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        at = self._places()
        every = max(1, len(at) // 12)
        for place, (label, mean, band) in enumerate(self._lines(level)):
            style = line_style(place)
            ax.plot(at, mean, label=label, markersize=5, markevery=every, **style)
            if self.n_folds > 1:
                ax.fill_between(at, *band, color=style["color"], alpha=0.2, lw=0)
        if self._is_choice:
            best, within = self._choices()
            ax.axvline(at[best], color=middle(), linestyle="--", lw=1, label="best")
            if self.n_folds > 1:
                label = "within one std. error"
                ax.axvline(at[within], color=middle(), linestyle=":", lw=1.5, label=label)
        what = self.scoring[:1].upper() + self.scoring[1:]
        ax.set_ylabel(f"{what}, mean of {self.n_folds} folds" if self.n_folds > 1 else what)
        ax.set_xlabel(self.param)
        self._set_axis(ax)
        grid(ax)
        ax.legend()
        return ax

    def __str__(self) -> str:
        lines = aligned(self._cells())
        if self._is_choice:
            best, within = self._choices()
            if within != best:
                lines[within + 1] += "  within one standard error"
            lines[best + 1] += "  best"
        return "\n".join([self._title(), "", *lines])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(param={self.param!r}, n_values={len(self.values)}, "
            f"n_folds={self.n_folds}, scoring={self.scoring!r})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells())

    # What a kind of curve may have its own way of

    def _title(self) -> str:
        spread = f", mean ± standard error over {self.n_folds} folds" if self.n_folds > 1 else ""
        return f"{self.scoring} by {self._subject()}{spread}"

    def _subject(self) -> str:
        """Return what the curve is by, in words."""
        return self.param

    def _heads(self) -> list[str]:
        """Return the heads of the columns that say which point a row is of."""
        return [self.param.rpartition("__")[2]]

    def _names(self) -> list[list[str]]:
        """Return the cells below these heads, by point."""
        return [[_shown(value)] for value in self.values]

    def _cells(self) -> list[list[str]]:
        """Return the cells of the table that is shown, the head first."""
        test, errors = self.mean(), self.standard_error()
        like = abs(test[self._choices()[0]])
        columns = [["held out", *map(score_cell, test, errors, [like] * len(test))]]
        if self.train_scores is not None:
            train = self.mean("train")
            columns.insert(0, ["training", *(score_cell(mean, np.nan, like) for mean in train)])
        points = [self._heads(), *self._names()]
        return [[*point, *cells] for point, *cells in zip(points, *columns, strict=True)]

    def _points(self) -> pl.DataFrame:
        """Return the columns that say which point a row is of, in the order of the means."""
        values = np.array(self.values) if self._is_numeric() else [str(v) for v in self.values]
        return pl.DataFrame({self._column: values})

    def _places(self) -> Any:
        """Return where the points are on the horizontal axis."""
        return self.values if self._is_numeric() else np.arange(len(self.values))

    def _set_axis(self, ax: Any) -> None:
        """Set scale and ticks of the horizontal axis."""
        if not self._is_numeric():
            ax.set_xticks(self._places(), [_shown(value) for value in self.values])
        elif min(self.values) > 0 and max(self.values) >= 10 * min(self.values):
            ax.set_xscale("log")
        elif all(float(value).is_integer() for value in self.values):
            whole_numbers(ax.xaxis)

    def _lines(self, level: float | None) -> Iterator[tuple[str, Floats, tuple[Floats, Floats]]]:
        """Yield the label of each line, its means and its band."""
        for of, label in (("train", "training"), ("test", "held out")):
            if of == "test" or self.train_scores is not None:
                yield label, self.mean(of), self._band(of, level)

    def _at(self, place: int) -> tuple[Any, ...]:
        value = self.values[place]
        plain = value.item() if isinstance(value, np.generic) else value
        return plain, float(self.mean()[place])

    # What follows from the scores

    def _scores(self, of: str) -> Floats:
        if of not in ("test", "train"):
            raise ValueError(f"of is {of!r}; expected 'test' or 'train'.")
        scores = self.test_scores if of == "test" else self.train_scores
        if scores is None:
            raise ValueError("this curve has no training scores.")
        return scores

    def _band(self, of: str, level: float | None) -> tuple[Floats, Floats]:
        if level is not None:
            return self.interval(of, level)
        mean, error = self.mean(of), self.standard_error(of)
        return mean - error, mean + error

    def _worth(self) -> Floats:
        """Return the mean held-out scores turned so that the largest is the best."""
        means = self.mean() if self.greater_is_better else -self.mean()
        return np.where(np.isnan(means), -np.inf, means)

    def _choices(self) -> tuple[int, int]:
        """Return the places of the best value and of the simplest within one standard error."""
        return self._choices_among(self._worth(), self.standard_error())

    def _choices_among(self, worth: Floats, errors: Floats) -> tuple[int, int]:
        order: Ints = np.arange(len(worth))
        if self.simpler == "larger":
            order = order[::-1]
        best = int(order[np.argmax(worth[order])])
        if not np.isfinite(errors[best]):
            return best, best
        near = worth[order] >= worth[best] - errors[best]
        return best, int(order[np.argmax(near)])

    def _is_numeric(self) -> bool:
        if isinstance(self.values, np.ndarray):
            return self.values.dtype.kind in "iuf"
        return all(
            isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values
        )


def _shown(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return f"{value:,}" if whole else str(value)


def score_cell(mean: float, error: float, like: float) -> str:
    """Return a mean and its standard error, with as many places as make sense beside another."""
    if np.isfinite(mean) and abs(mean) >= _LARGE:
        like = mean
    shown = number(mean, like)
    return shown if np.isnan(error) else f"{shown} ± {number(error, like)}"


def number_axis(ax: Any, numbers: Any) -> None:
    """Make the horizontal axis logarithmic, with whole numbers that can be read.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    numbers : array-like
        What is on it, increasing.
    """
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    ax.set_xscale("log")
    if numbers[-1] < 100 * numbers[0]:  # too few powers of ten to read sizes from
        ax.set_xticks(numbers)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def simpler_side(simpler: str, param: str) -> str:
    """Return which values of a parameter make the simpler model, as said or by its name."""
    if simpler != "auto":
        return simpler
    return "larger" if param.rpartition("__")[2] == "alpha" else "smaller"


def timed_scores(
    model: Any, X_train: Any, y_train: Any, X_test: Any, y_test: Any, scorer: Any
) -> tuple[float, float, float, float]:
    """Fit a model and return its training and held-out score, and the seconds of fit and score.

    Parameters
    ----------
    model : estimator
        It is fitted as it is.
    X_train, y_train, X_test, y_test : array-like
        What to learn from, and what is held out.
    scorer : callable
        As scikit-learn's.
    """
    begin = perf_counter()
    fitted = model.fit(X_train, y_train)
    fit = perf_counter() - begin
    begin = perf_counter()
    test = scorer(fitted, X_test, y_test)
    score = perf_counter() - begin
    return scorer(fitted, X_train, y_train), test, fit, score
