"""How large a tree should be: training and held-out error as it is pruned."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.number_tables import aligned
from quire._shared.plot import line_style, new_axes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import Interval, safe_indexing, validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats
from quire.model_selection._curves.weakest_link import PrunedTrees
from quire.model_selection._folds import folds_of
from quire.model_selection._trees import Before, before_tree, tree_for

__all__ = ["PruningCurve", "pruning_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class PruningCurve:
    """Errors of a tree as it is pruned, from :func:`pruning_curve`.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves; lower is better.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        What a leaf costs (``ccp_alpha``), rising: the trees get smaller.
    n_leaves : ndarray of shape (n_alphas,)
        The leaves of the tree that is grown on all samples and pruned so.
    train_errors, test_errors : ndarray of shape (n_alphas, n_folds)
        The error on the samples that a fold's tree was grown on, and on those it was not.
    loss : str
        What the error is: the share of errors, or the squared error.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import PruningCurve
    >>> curve = PruningCurve(
    ...     alphas=np.array([0.0, 0.01, 0.2]),
    ...     n_leaves=np.array([30, 6, 1]),
    ...     train_errors=np.array([[0.0, 0.0], [0.1, 0.14], [0.5, 0.5]]),
    ...     test_errors=np.array([[0.3, 0.2], [0.2, 0.24], [0.5, 0.54]]),
    ...     loss="share of errors",
    ... )
    >>> print(curve)
    share of errors by the cost of a leaf, mean ± standard error over 2 folds
    <BLANKLINE>
    alpha  leaves       training       held out
        0      30  0.000 ± 0.000  0.250 ± 0.050
     0.01       6  0.120 ± 0.020  0.220 ± 0.020  best, within one standard error
      0.2       1  0.500 ± 0.000  0.520 ± 0.020
    >>> curve.one_standard_error()
    (0.01, 6, 0.22)
    """

    alphas: Floats
    n_leaves: NDArray[np.int64]
    train_errors: Floats
    test_errors: Floats
    loss: str

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.test_errors.shape[1])

    def mean(self, of: str = "test") -> Floats:
        """Return the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training error.

        Returns
        -------
        ndarray of shape (n_alphas,)
            Means.
        """
        means: Floats = self._errors(of).mean(axis=1)
        return means

    def standard_error(self, of: str = "test") -> Floats:
        """Return the standard error of the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training error.

        Returns
        -------
        ndarray of shape (n_alphas,)
            Standard errors; NaN if there is one fold only.
        """
        if self.n_folds < 2:
            return np.full(len(self.alphas), np.nan)
        errors: Floats = self._errors(of).std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        return errors

    def best(self) -> tuple[float, int, float]:
        """Return the cost with the lowest held-out error.

        Returns
        -------
        alpha : float
            The cost; of equally good ones that of the smallest tree.
        n_leaves : int
            The leaves of its tree.
        error : float
            The mean of its held-out errors.
        """
        return self._at(self._best())

    def one_standard_error(self) -> tuple[float, int, float]:
        """Return the smallest tree whose error is within one standard error of the best.

        Returns
        -------
        alpha : float
            The cost, for ``ccp_alpha``; the best one if there is one fold only.
        n_leaves : int
            The leaves of its tree.
        error : float
            The mean of its held-out errors.
        """
        return self._at(self._within())

    def to_frame(self) -> pl.DataFrame:
        """Return the errors as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each cost and fold, with the columns ``alpha``, ``n_leaves``, ``fold`` (from
            0), ``train`` and ``test``.
        """
        place, fold = (axis.ravel() for axis in np.indices(self.test_errors.shape))
        return pl.DataFrame(
            {
                "alpha": self.alphas[place],
                "n_leaves": self.n_leaves[place],
                "fold": fold,
                "train": self.train_errors.ravel(),
                "test": self.test_errors.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw training and held-out error against the number of leaves.

        Bands reach one standard error to either side; upright lines stand at the best tree and at
        that of :meth:`one_standard_error`. Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        every = max(1, len(self.alphas) // 12)
        for number, (of, label) in enumerate((("train", "training"), ("test", "held out"))):
            style = line_style(number)
            mean, error = self.mean(of), self.standard_error(of)
            ax.plot(self.n_leaves, mean, label=label, markersize=5, markevery=every, **style)
            if self.n_folds > 1:
                low, high = mean - error, mean + error
                ax.fill_between(self.n_leaves, low, high, color=style["color"], alpha=0.2, lw=0)
        ax.axvline(self.best()[1], color="0.3", linestyle="--", lw=1, label="best")
        if self.n_folds > 1:
            chosen = self.one_standard_error()[1]
            ax.axvline(chosen, color="0.3", linestyle=":", lw=1.5, label="within one std. error")
        if self.n_leaves.max() >= 20:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlabel("Number of leaves")
        what = self.loss[:1].upper() + self.loss[1:]
        ax.set_ylabel(f"{what}, mean of {self.n_folds} folds" if self.n_folds > 1 else what)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        rows = [["alpha", "leaves", "training", "held out"]]
        for number, alpha in enumerate(self.alphas):
            cells = [
                _cell(self.mean(of)[number], self.standard_error(of)[number])
                for of in ("train", "test")
            ]
            rows.append([f"{alpha:.3g}", f"{self.n_leaves[number]:,}", *cells])
        lines = aligned(rows)
        best, within = self._best(), self._within()
        lines[best + 1] += "  best"
        if self.n_folds > 1:
            lines[within + 1] += ", " if within == best else "  "
            lines[within + 1] += "within one standard error"
        spread = f", mean ± standard error over {self.n_folds} folds" if self.n_folds > 1 else ""
        return "\n".join([f"{self.loss} by the cost of a leaf{spread}", "", *lines])

    def __repr__(self) -> str:
        return (
            f"PruningCurve(n_alphas={len(self.alphas)}, leaves={self.n_leaves[-1]} to "
            f"{self.n_leaves[0]}, n_folds={self.n_folds}, loss={self.loss!r})"
        )

    def _errors(self, of: str) -> Floats:
        if of not in ("test", "train"):
            raise ValueError(f"of is {of!r}; expected 'test' or 'train'.")
        return self.test_errors if of == "test" else self.train_errors

    def _best(self) -> int:
        means = self.mean()
        return int(len(means) - 1 - np.argmin(means[::-1]))

    def _within(self) -> int:
        best = self._best()
        error = self.standard_error()[best]
        if not np.isfinite(error):
            return best
        near = np.flatnonzero(self.mean() <= self.mean()[best] + error)
        return int(near[-1])

    def _at(self, number: int) -> tuple[float, int, float]:
        mean = float(self.mean()[number])
        return float(self.alphas[number]), int(self.n_leaves[number]), mean


def _cell(mean: float, error: float) -> str:
    digits = "3f" if mean == 0 or 1e-3 <= abs(mean) < 1e5 else "2e"
    return f"{mean:.{digits}}" if np.isnan(error) else f"{mean:.{digits}} ± {error:.{digits}}"


_CONSTRAINTS: dict[str, list[Any]] = {
    "cv": ["cv_object"],
    "n_alphas": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}


def pruning_curve(
    X: Any,
    y: Any,
    *,
    tree: Any = None,
    vectorizer: Any = None,
    cv: Any = 5,
    groups: Any = None,
    n_alphas: int = 40,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PruningCurve:
    """Measure the error of a tree on training and held-out samples as it is pruned.

    Parameters
    ----------
    X : array-like, sparse matrix, or sequence of texts, of shape (n_samples, ...)
        The samples: numbers, texts, or what the pipeline takes.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    tree : estimator, default=None
        A tree, ours or scikit-learn's, for its other parameters, or a pipeline that ends with one;
        its ``ccp_alpha`` is not used. ``None`` means one that is grown to the end, a classifier
        unless `y` has fractions.
    vectorizer : transformer, default=None
        Turns texts into a matrix, where `tree` is no pipeline; ``None`` means
        :class:`~quire.feature_extraction.text.CountVectorizer` for texts.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, stratified for classifiers.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    n_alphas : int, default=40
        The most costs to look at. If the tree has more steps, those are taken whose numbers of
        leaves are spread evenly on a logarithmic scale; the whole tree and the root are among them.
    random_state : int, RandomState instance or None, default=None
        How to shuffle the samples before they are divided into folds, where `cv` is a number;
        ``None`` leaves them in order.
    n_jobs : int, default=None
        Number of folds to work on at a time, each in a thread; ``None`` means one.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    PruningCurve
        Errors by cost and fold, with the best cost, that of one standard error, a table and a plot.

    Raises
    ------
    TypeError
        If `tree` is not a tree, nor a pipeline that ends with one.
    ValueError
        If an argument does not fit.

    See Also
    --------
    risk_curve : The risk by any other parameter.
    tree_instability : How much trees change with the data.

    Notes
    -----
    A tree is grown once on all samples and once in each fold; every pruned form follows from these.
    Costs are those of the tree on all samples: between two steps of it, the geometric mean of their
    costs, as Breiman and others advise, so that a fold's tree is judged in the middle of the range
    in which the whole one does not change. Training errors never fall with the cost.

    A vectorizer, or the steps of a pipeline, are fitted in each fold to its training samples alone.
    The costs and numbers of leaves come from all samples; no error does.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984,
    chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import pruning_curve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 5))
    >>> y = (X[:, 0] > 0.5) ^ (rng.random(300) < 0.1)  # one question, and noise
    >>> curve = pruning_curve(X, y, n_alphas=5)
    >>> alpha, n_leaves, error = curve.one_standard_error()
    >>> n_leaves
    2

    Texts are counted in each fold, by the words of its training documents:

    >>> from quire.datasets import make_text_classification
    >>> data = make_text_classification(120, n_classes=2, separation=5.0, random_state=0)
    >>> curve = pruning_curve(data.texts, data.y, cv=3, n_alphas=5)
    >>> bool(curve.best()[2] < 0.5)
    True
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {
            "cv": cv,
            "n_alphas": n_alphas,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "verbose": verbose,
        },
        caller_name="pruning_curve",
    )
    before, tree = before_tree(tree, vectorizer, X, "pruning_curve")
    model = tree_for(tree, y, "pruning_curve").set_params(ccp_alpha=0.0)
    X, y, groups = indexable(X, y, groups)
    y = np.asarray(y)
    splits = folds_of(cv, y, groups, random_state, classifier=is_classifier(model))
    whole = PrunedTrees.of(clone(model).fit(before.whole(X, y), y).tree_)
    chosen = _spread(whole.n_leaves, n_alphas)
    alphas = _between(whole.alphas)[chosen]

    with progress("Folds", len(splits), shown=verbose) as advance:
        folds = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(before, model, X, y, split, alphas, advance) for split in splits
        )
    errors = np.array(folds)  # (folds, 2, alphas)
    return PruningCurve(
        alphas=alphas,
        n_leaves=whole.n_leaves[chosen],
        train_errors=errors[:, 0].T,
        test_errors=errors[:, 1].T,
        loss="share of errors" if is_classifier(model) else "squared error",
    )


def _fold(
    before: Before,
    model: Any,
    X: Any,
    y: NDArray[Any],
    split: tuple[AnyArray, AnyArray],
    alphas: Floats,
    advance: Advance,
) -> list[Floats]:
    """Return training and held-out error for every cost."""
    train, test = split
    X_train, X_test = (safe_indexing(X, rows) for rows in split)
    X_train, X_test, _ = before.divide(X_train, y[train], X_test)
    fitted = clone(model).fit(X_train, y[train])
    pruned = PrunedTrees.of(fitted.tree_)
    value = fitted.tree_.value
    if is_classifier(model):
        answer = fitted.classes_[value[:, 0].argmax(axis=1)]
    else:
        answer = value[:, 0, 0]
    errors = []
    for rows, here in ((train, X_train), (test, X_test)):
        truth = y[rows]
        errors.append(
            np.array(
                [
                    _error(answer[nodes], truth, is_classifier(model))
                    for nodes in pruned.answers(fitted.apply(here), alphas)
                ]
            )
        )
    advance(1.0)
    return errors


def _error(predicted: NDArray[Any], truth: NDArray[Any], classes: bool) -> float:
    if classes:
        return float(np.mean(predicted != truth))
    return float(np.mean((predicted - truth.astype(np.float64)) ** 2))


def _between(alphas: Floats) -> Floats:
    """Return the geometric means of neighbouring costs; behind the last step, twice its cost."""
    means: Floats = np.sqrt(alphas * np.append(alphas[1:], 4.0 * alphas[-1]))
    return means


def _spread(n_leaves: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Choose at most n of the sizes, evenly on a logarithmic scale, both ends among them."""
    if len(n_leaves) <= n:
        return np.arange(len(n_leaves))
    sizes = np.log(n_leaves)
    wanted = np.linspace(sizes[0], sizes[-1], n) if n > 1 else sizes[-1:]
    nearest = np.abs(sizes[:, None] - wanted[None, :]).argmin(axis=0)
    return np.unique(nearest)
