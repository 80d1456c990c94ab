"""Generative against discriminative models: learning curves on the same documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import make_pipeline

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import dressed, grid, line_style, new_axes, themed, whole_numbers
from quire._shared.typing import Ints
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression
from quire.model_selection import LearningCurve, learning_curve
from quire.naive_bayes import BernoulliNB, MixedNB, MultinomialNB
from quire.pictures._samples import given_or_example

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GenerativeDiscriminative", "generative_and_discriminative"]


def _example() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return words that are there or not, of which some go together."""
    rng = np.random.default_rng(0)
    n, n_together, n_alone = 4000, 10, 60
    y = rng.integers(0, 2, size=n)
    together = rng.normal(size=(n, 1)) + rng.normal(size=(n, n_together))
    together = together / np.sqrt(2) + 0.3 * y[:, None]
    alone = rng.normal(size=(n, n_alone)) + np.outer(y, 0.4 * rng.choice([-1, 1], size=n_alone))
    return (np.hstack([together, alone]) > 1).astype(np.int64), np.array(["no", "yes"])[y]


@dataclass(frozen=True, eq=False)
class GenerativeDiscriminative(ShownInNotebooks):
    """Learning curves of models on the same folds and training sets.

    Attributes
    ----------
    curves : dict of str to LearningCurve
        The curves by the names of their models, the generative one first.
    """

    curves: dict[str, LearningCurve] = field(repr=False)

    @property
    def sizes(self) -> Ints:
        """The numbers of training documents."""
        return next(iter(self.curves.values())).sizes

    @property
    def crossing(self) -> int | None:
        """The size from which the second model stays ahead of the first; None if it never does."""
        first, second = (curve.mean() for curve in list(self.curves.values())[:2])
        ahead = np.asarray(second) > np.asarray(first)
        behind = np.flatnonzero(~ahead)
        start = 0 if len(behind) == 0 else int(behind[-1]) + 1
        return int(self.sizes[start]) if start < len(ahead) else None

    def to_frame(self) -> pl.DataFrame:
        """Return the means over the folds.

        Returns
        -------
        polars.DataFrame
            A row for each model and size, with the columns ``model``, ``size``, ``train``, ``test``
            and ``standard_error``.
        """
        import polars as pl

        return pl.DataFrame(
            {
                "model": np.repeat(list(self.curves), len(self.sizes)),
                "size": np.tile(self.sizes, len(self.curves)),
                "train": np.concatenate([c.mean("train") for c in self.curves.values()]),
                "test": np.concatenate([c.mean() for c in self.curves.values()]),
                "standard_error": np.concatenate(
                    [c.standard_error() for c in self.curves.values()]
                ),
            }
        )

    def plot(self, ax: Any = None, *, theme: str = "light") -> Any:
        """Draw held-out scores over the number of training documents.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if not given.
        theme : {"light", "dark"}, default="light"
            Colours for a light or a dark background.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; bands reach one standard error to either side.
        """
        with themed(theme):
            ax = new_axes(ax)
            for number, (name, curve) in enumerate(self.curves.items()):
                style = line_style(number)
                mean, error = curve.mean(), curve.standard_error()
                ax.plot(self.sizes, mean, label=name, markersize=5, **style)
                ax.fill_between(
                    self.sizes,
                    mean - error,
                    mean + error,
                    color=style["color"],
                    alpha=0.2,
                    linewidth=0,
                )
            ax.set_xscale("log")
            ax.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes])
            ax.minorticks_off()
            if len(self.sizes) > 9:
                whole_numbers(ax.xaxis)
            scoring = next(iter(self.curves.values())).scoring
            ax.set(xlabel="training documents", ylabel=f"{scoring} on documents held out")
            grid(ax)
            ax.legend(loc="lower right")
            return dressed(ax)

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{curve}" for name, curve in self.curves.items())


def generative_and_discriminative(
    X: Any = None,
    y: Any = None,
    *,
    models: Mapping[str, Any] | None = None,
    sizes: Any = None,
    cv: Any = 5,
    random_state: int = 0,
) -> GenerativeDiscriminative:
    r"""Measure naive Bayes and logistic regression with more and more of the same documents.

    Both give :math:`P(y \mid x)` with as many parameters. Naive Bayes is generative: it estimates
    :math:`P(x \mid y)` and :math:`P(y)`, each by counting or averaging, and needs few documents for
    that. Logistic regression is discriminative: it estimates :math:`P(y \mid x)` itself, assumes
    less, and ends higher where columns are not independent given the class.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of str, default=None
        Numbers, counts or texts; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes.
    models : mapping of str to estimator, default=None
        The generative model, then the discriminative one, by their names. If not given:
        ``MixedNB`` (normal densities) for numbers, ``BernoulliNB`` for zeros and ones,
        ``MultinomialNB`` for counts and texts, each beside ``LogisticRegression(C=10)``.
    sizes : iterable of int, float or "all", default=None
        How many training documents, as in :func:`~quire.model_selection.learning_curve`; seven
        sizes, each twice the one before, if not given.
    cv : int, splitter or iterable of (train, test), default=5
        Folds.
    random_state : int, default=0
        Seed of folds and of the order of training documents, which are the same for all models.

    Returns
    -------
    GenerativeDiscriminative
        The curves, with a table and a plot.

    Raises
    ------
    ValueError
        If there are not two models or more.

    References
    ----------
    A. Ng and M. Jordan, "On discriminative vs. generative classifiers: a comparison of logistic
    regression and naive Bayes", NIPS, 2001.

    Examples
    --------
    >>> from quire.pictures import generative_and_discriminative
    >>> found = generative_and_discriminative(sizes=[50, 3000])
    >>> first, second = (curve.mean() for curve in found.curves.values())
    >>> first[0] > second[0], first[1] < second[1]  # ahead with 50, behind with 3,000
    (np.True_, np.True_)
    >>> found.crossing
    3000
    """
    X, y = given_or_example(X, y, _example)
    chosen = _models(X) if models is None else dict(models)
    if len(chosen) < 2:
        raise ValueError(f"models has {len(chosen)}; expected two or more to compare.")
    shares = [2.0**-k for k in range(6, -1, -1)] if sizes is None else list(sizes)
    return GenerativeDiscriminative(
        {
            name: learning_curve(model, X, y, sizes=shares, cv=cv, random_state=random_state)
            for name, model in chosen.items()
        }
    )


def _models(X: Any) -> dict[str, Any]:
    discriminative = LogisticRegression(C=10, max_iter=1000)
    if not sparse.issparse(X) and len(X) and isinstance(next(iter(X)), str):
        return {
            "naive Bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
            "logistic regression": make_pipeline(TfidfVectorizer(), discriminative),
        }
    return {"naive Bayes": _naive_bayes(X), "logistic regression": discriminative}


def _naive_bayes(X: Any) -> Any:
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if not sparse.issparse(X) and values.dtype.kind not in "iub":
        return MixedNB()  # normal densities; GaussianNB would drown columns of small numbers
    return BernoulliNB() if np.isin(values, (0, 1)).all() else MultinomialNB()
