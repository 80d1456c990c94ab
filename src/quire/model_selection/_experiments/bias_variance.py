"""Why a model errs: too stiff (bias), too nervous (variance), or nothing to be done (noise)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, line_style, middle, new_axes
from quire._shared.sklearn import Interval, validate_parameter_constraints
from quire._shared.typing import Floats
from quire.kinds import last_step
from quire.model_selection._experiments.decompose import Decomposed, Options, decompose
from quire.model_selection._experiments.parameter import EstimatorBiasVariance, estimate_often

__all__ = ["BiasVariance", "bias_variance", "result_of"]


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance:
    """The expected loss of a model in parts that add up, from :func:`bias_variance`.

    ``print(result)`` shows a table and :meth:`plot` draws it. `loss`, `bias`, `variance`,
    `net_variance`, `noise` and `chance` are means over the test documents; the arrays by document
    have the same names with ``_by_document``.

    Attributes
    ----------
    model : str
        The kind of model.
    loss_name : str
        "squared error", "share of errors" or "Brier score".
    rows : ndarray of shape (n_documents,)
        The rows of X that were tested on. With cross-validation these are all, in the order of the
        folds.
    main_prediction : ndarray of shape (n_documents,) or (n_documents, n_outputs)
        The mean of the predictions, or the class that was predicted most often.
    loss_by_document : ndarray of shape (n_documents,)
        The loss, mean over the resamples.
    bias_by_document : ndarray of shape (n_documents,)
        The loss of the main prediction: **squared** bias for squared error, 0 or 1 for 0/1 loss.
        It contains the noise where `noise` is ``None``.
    variance_by_document : ndarray of shape (n_documents,)
        How much predictions differ from the main prediction: their variance, or how often they
        are another class.
    net_variance_by_document : ndarray of shape (n_documents,)
        What the variance adds to the loss. The same for squared error. For 0/1 loss it is below
        zero where the main prediction is wrong: there, to differ from it may be right.
    noise_by_document : ndarray of shape (n_documents,) or None
        What the noise of the targets adds to the loss; ``None`` if it is not known.
    chance_by_document : ndarray of shape (n_documents,)
        What is left because these targets are one draw. It is zero in expectation, and there only
        if ``y_true`` was given for squared error.
    resampling : str
        How training documents were drawn.
    n_resamples : int
        How often.
    n_training : int
        How many documents were drawn each time; the mean if that varies.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import Ridge
    >>> from quire.model_selection import bias_variance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> result = bias_variance(Ridge(), X, y, random_state=0)
    >>> f"{result.bias:.4f} + {result.variance:.4f} = {result.loss:.4f}"
    '1.3484 + 0.0334 = 1.3818'
    """

    model: str
    loss_name: str
    rows: NDArray[np.int64]
    main_prediction: NDArray[Any]
    loss_by_document: Floats
    bias_by_document: Floats
    variance_by_document: Floats
    net_variance_by_document: Floats
    noise_by_document: Floats | None
    chance_by_document: Floats
    resampling: str
    n_resamples: int
    n_training: int

    @property
    def loss(self) -> float:
        """The expected loss: the mean over resamples and test documents."""
        return float(self.loss_by_document.mean())

    @property
    def bias(self) -> float:
        """The mean bias; squared bias for squared error."""
        return float(self.bias_by_document.mean())

    @property
    def variance(self) -> float:
        """The mean variance."""
        return float(self.variance_by_document.mean())

    @property
    def net_variance(self) -> float:
        """What the variance adds to the expected loss."""
        return float(self.net_variance_by_document.mean())

    @property
    def noise(self) -> float | None:
        """What the noise adds to the expected loss; ``None`` if it is not known."""
        return None if self.noise_by_document is None else float(self.noise_by_document.mean())

    @property
    def chance(self) -> float:
        """What this draw of the targets adds to the expected loss."""
        return float(self.chance_by_document.mean())

    def parts(self) -> dict[str, Floats]:
        """Return the parts by document, which add up to `loss_by_document`.

        Returns
        -------
        dict of str to ndarray of shape (n_documents,)
            Squared error and Brier score have "noise" and "bias²" (or "bias² + noise"),
            "variance" and, with ``y_true``, "chance". 0/1 loss has "noise" (if known), "bias",
            "unbiased variance" and "biased variance", which is never above zero.
        """
        parts: dict[str, Floats] = {}
        if self.noise_by_document is not None:
            parts["noise"] = self.noise_by_document
        if self.loss_name == "share of errors":
            wrong = self.bias_by_document > 0
            parts["bias"] = self.bias_by_document
            parts["unbiased variance"] = np.where(wrong, 0.0, self.net_variance_by_document)
            parts["biased variance"] = np.where(wrong, self.net_variance_by_document, 0.0)
            return parts
        name = "bias² + noise" if self.noise_by_document is None else "bias²"
        parts[name] = self.bias_by_document
        parts["variance"] = self.variance_by_document
        if self.chance_by_document.any():
            parts["chance"] = self.chance_by_document
        return parts

    def table(self) -> pl.DataFrame:
        """Return the mean of every part, and of the loss in the last row.

        Returns
        -------
        polars.DataFrame
            The columns ``part``, ``mean``, ``share`` (of the loss) and ``standard_error`` (of the
            mean over documents, with the samples as they are).
        """
        columns = {**self.parts(), self.loss_name: self.loss_by_document}
        means = np.array([part.mean() for part in columns.values()])
        n = len(self.rows)
        errors = [part.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan for part in columns.values()]
        shares = means / self.loss if self.loss else np.full(len(means), np.nan)
        return pl.DataFrame(
            {
                "part": list(columns),
                "mean": means,
                "share": shares,
                "standard_error": np.array(errors),
            }
        )

    def to_frame(self) -> pl.DataFrame:
        """Return the parts of every document.

        Returns
        -------
        polars.DataFrame
            A row for each test document, with the columns ``row`` (in X), ``main_prediction``,
            ``loss``, ``bias``, ``variance``, ``net_variance``, ``noise`` and ``chance``. The main
            prediction is a list where there are several outputs.
        """
        noise = self.noise_by_document
        return pl.DataFrame(
            {
                "row": self.rows,
                "main_prediction": self.main_prediction.tolist(),
                "loss": self.loss_by_document,
                "bias": self.bias_by_document,
                "variance": self.variance_by_document,
                "net_variance": self.net_variance_by_document,
                "noise": pl.Series(
                    [None] * len(self.rows) if noise is None else noise, dtype=pl.Float64
                ),
                "chance": self.chance_by_document,
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the parts as bars, each from where the one before it ends, and their sum.

        Needs matplotlib: ``pip install 'quire[plot]'``.

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
        names = [*self.parts(), self.loss_name]
        means = [float(part.mean()) for part in self.parts().values()]
        ends = np.cumsum(means)
        for place, (mean, end) in enumerate(zip(means, ends, strict=True)):
            colour = line_style(0 if mean >= 0 else 2)["color"]
            ax.barh(place, mean, left=end - mean, color=colour)
            ax.annotate(f" {number(mean, self.loss)}", (max(end, end - mean), place), va="center")
        ax.barh(len(means), self.loss, color=middle())
        ax.annotate(f" {number(self.loss)}", (self.loss, len(means)), va="center")
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.margins(x=0.15)
        ax.set_xlabel(f"{self.loss_name[:1].upper()}{self.loss_name[1:]} of {self.model}")
        grid(ax, axis="x")
        return ax

    def _title(self) -> str:
        kind = {"bootstrap": "bootstrap samples", "subsample": "subsamples"}
        samples = kind.get(self.resampling, "training samples")
        return (
            f"{self.loss_name} of {self.model} on {len(self.rows):,} documents, "
            f"{self.n_resamples:,} {samples} of {self.n_training:,}"
        )

    def _cells(self) -> list[list[str]]:
        rows = [["part", "mean", "share"]]
        for name, mean, share in self.table().select("part", "mean", "share").iter_rows():
            shown = "" if np.isnan(share) else f"{share:.1%}"
            rows.append([name, number(mean, self.loss), shown])
        return rows

    def __str__(self) -> str:
        return "\n".join([self._title(), "", *aligned(self._cells(), left=1)])

    def __repr__(self) -> str:
        return (
            f"BiasVariance(model={self.model!r}, loss={self.loss:.4g}, bias={self.bias:.4g}, "
            f"variance={self.variance:.4g}, n_documents={len(self.rows)}, "
            f"n_resamples={self.n_resamples})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells())


@overload
def bias_variance(
    estimator: Callable[[Any], Any],
    X: Any,
    y: Callable[[np.random.Generator], Any],
    *,
    n_resamples: int | None = ...,
    random_state: Any = ...,
    verbose: bool = ...,
) -> EstimatorBiasVariance: ...


@overload
def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    loss: str = ...,
    n_resamples: int | None = ...,
    resampling: Any = ...,
    sample_size: float | int | None = ...,
    test_size: float | int | None = ...,
    cv: Any = ...,
    groups: Any = ...,
    y_true: Any = ...,
    noise: Any = ...,
    unbiased: bool = ...,
    random_state: Any = ...,
    n_jobs: int | None = ...,
    verbose: bool = ...,
) -> BiasVariance: ...


@overload
def bias_variance(
    estimator: Callable[[Any], Any],
    *,
    truth: Any,
    sampler: Callable[[np.random.Generator], Any],
    n_resamples: int | None = ...,
    random_state: Any = ...,
    verbose: bool = ...,
) -> EstimatorBiasVariance: ...


def bias_variance(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    loss: str = "auto",
    n_resamples: int | None = None,
    resampling: Any = "bootstrap",
    sample_size: float | int | None = None,
    test_size: float | int | None = None,
    cv: Any = None,
    groups: Any = None,
    y_true: Any = None,
    noise: Any = None,
    unbiased: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    truth: Any = None,
    sampler: Any = None,
) -> BiasVariance | EstimatorBiasVariance:
    r"""Divide the expected loss of a model into bias, variance and noise, by resampling.

    The model is fitted to many samples of training documents and predicts the same test documents
    each time. What its mean prediction misses is bias, how much predictions differ is variance. The
    parts add up to the mean loss on the test documents: exactly, for each of them.

    With `truth` and `sampler` it is the other meaning of the word, that of an estimator of a
    parameter: a function is asked about many samples, and its squared error about the truth is
    divided into squared bias and variance.

    Parameters
    ----------
    estimator : estimator or callable
        A classifier or regressor, or a pipeline that ends with one. It is cloned for every sample.
        With a `sampler`: a function that takes a sample and returns a number or a vector.
    X : array-like, sparse matrix, DataFrame or sequence of shape (n_samples, ...)
        What the estimator takes, such as features, or texts for a pipeline with a vectorizer.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets or classes.
    loss : {"auto", "squared", "zero-one"}, default="auto"
        The loss. "auto" is the squared error for regressors and the 0/1 loss, whose mean is the
        share of errors, for classifiers. "squared" for a classifier is the Brier score of its
        probabilities, summed over the classes. "squared_error" and "zero_one" mean the same.
    n_resamples : int, default=None
        How many training samples to draw, in each fold if there are folds; ``None`` means 50, and
        1,000 with a `sampler`.
    resampling : {"bootstrap", "subsample"} or callable, default="bootstrap"
        How to draw them from the documents that are not tested on: with replacement, or without.
        Both draw within each class for classifiers, so that no sample lacks one. A function gets a
        ``numpy.random.Generator`` and returns a fresh training set ``X, y``; then all of `X` and
        `y` are test documents. That is the textbook's definition, for when one can simulate.
    sample_size : float or int, default=None
        The share or number of documents in a sample (of groups, if these are given). ``None`` is as
        many as there are for "bootstrap" and half of them for "subsample".
    test_size : float or int, default=None
        The share or number of documents to test on; ``None`` is a quarter.
    cv : int, splitter or iterable of (train, test), default=None
        Folds, instead of `test_size`: every fold is tested on, with samples of the others.
    groups : array-like of shape (n_samples,), default=None
        Documents of a group, such as those of an author, are drawn and tested on together.
    y_true : array-like, default=None
        What is expected of `y` at each document, where it is known: the regression function; for
        0/1 loss the best possible class; for the Brier score the probabilities of the classes, in
        sorted order.
    noise : float, array-like of shape (n_samples,) or "repeats", default=None
        The variance of `y` about what is expected, where it is known. "repeats" estimates it, the
        same for all, from documents that are in `X` more than once, such as texts that several
        people have coded. Not for 0/1 loss.
    unbiased : bool, default=False
        For squared loss: whether to divide the variance by ``n_resamples - 1`` and take what that
        adds from the bias, which few samples overstate. The sum is the same; a small squared bias
        may come out below zero.
    random_state : int, RandomState instance or None, default=None
        Seed of the test documents (folds of a number `cv` are not shuffled with ``None``), of the
        samples, and of models whose own ``random_state`` is ``None``. The same seed gives the same
        bits whatever `n_jobs` is.
    n_jobs : int, default=None
        Number of samples to work on at a time, each in a thread. ``None`` means one, in which the
        kernels of quire use all cores.
    verbose : bool, default=False
        Show a progress bar with the time that is left.
    truth : float or array-like of shape (n_parameters,), default=None
        The parameter that the function estimates; with a `sampler` only.
    sampler : callable, default=None
        Gets a ``numpy.random.Generator`` and returns a sample for the function. Then there are no
        `X`, `y` and further settings but `n_resamples`, `random_state` and `verbose`.
        ``bias_variance(function, truth, sampler)`` is short for it.

    Returns
    -------
    BiasVariance or EstimatorBiasVariance
        The parts, as means and for each test document, with a table and a plot; with a `sampler`
        those of the estimator of a parameter.

    Raises
    ------
    ValueError
        If an argument does not fit, there are too few documents, or a class has only one.
    TypeError
        If the function given as `resampling` does not return two things.

    See Also
    --------
    complexity_curve : The same for many values of a parameter.
    learning_curve : Scores by the number of training documents.

    Notes
    -----
    **Squared error.** With predictions :math:`f_r` from :math:`R` samples and their mean
    :math:`\bar f`,

    .. math:: \tfrac1R \sum_r (y - f_r)^2
        = (y - \bar f)^2 + \tfrac1R \sum_r (f_r - \bar f)^2.

    The first term holds bias and noise, and data alone cannot part them where each document has one
    target. So by default they are reported together, as "bias² + noise". Given `noise`, it is
    subtracted from the first term, which leaves an unbiased estimate of the squared bias that may
    be below zero for single documents. Given `y_true`, bias is measured against it, and noise is
    :math:`(y - y_{true})^2` or as given. What remains is called "chance": a product of noise and
    bias with expectation zero.

    **0/1 loss**, after Domingos. The main prediction is the class predicted most often (of several
    the first in sorted order), the bias 1 where it is not the best class, the variance :math:`V`
    the share of predictions that differ from it. Where the main prediction is right, variance adds
    :math:`V` to the loss. Where it is wrong, variance subtracts: :math:`V` with two classes, and
    with more :math:`V` times the share of differing predictions that are right. Without `y_true`
    the observed class counts as the best one, so that noise is part of the bias.

    **What resampling can tell.** "bootstrap" and "subsample" draw from one data set. Its own noise
    is in every sample, so that a model that follows noise does so in its main prediction too: part
    of the variance over fresh data sets is counted as bias. A bootstrap sample also holds only
    about 63 % of the distinct documents. Compare models by these numbers; for those of the textbook
    give a function that draws fresh data. What depends on a ``random_state`` that is fixed in the
    model is not part of the variance.

    Memory is that of a few predictions, not of `n_resamples` of them.

    References
    ----------
    S. Geman, E. Bienenstock and R. Doursat, "Neural networks and the bias/variance dilemma", Neural
    Computation 4, 1992.
    P. Domingos, "A unified bias-variance decomposition and its applications", ICML 2000.

    Examples
    --------
    A straight line and a high polynomial through points of a sine. Fresh training sets can be
    drawn, and the truth is known:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from quire.linear_model import LinearRegression
    >>> from quire.model_selection import bias_variance
    >>> x = np.linspace(0.05, 0.95, 50)[:, None]
    >>> truth = np.sin(2 * np.pi * x[:, 0])
    >>> y = truth + 0.3 * np.random.default_rng(0).normal(size=50)
    >>> def draw(rng):
    ...     x = rng.uniform(0, 1, size=(30, 1))
    ...     return x, np.sin(2 * np.pi * x[:, 0]) + 0.3 * rng.normal(size=30)
    >>> for degree in (1, 5):
    ...     model = make_pipeline(PolynomialFeatures(degree), LinearRegression())
    ...     result = bias_variance(
    ...         model, x, y, resampling=draw, y_true=truth, noise=0.09, random_state=0
    ...     )
    ...     print(f"{degree}: bias² {result.bias:.3f}, variance {result.variance:.3f}")
    1: bias² 0.154, variance 0.014
    5: bias² 0.000, variance 0.019

    The variance of five numbers, divided by five: it falls short by a fifth of the true variance.

    >>> result = bias_variance(
    ...     np.var, truth=4.0, sampler=lambda rng: rng.normal(0, 2, size=5), random_state=0
    ... )
    >>> print(result)
    squared error of var over 1,000 samples
    <BLANKLINE>
    truth   mean     bias   bias²  variance  bias² + variance
        4  3.258  -0.7422  0.5509     5.838             6.389
    """
    if callable(y) and truth is None and sampler is None:
        truth, sampler, X, y = X, y, None, None
    if sampler is not None or truth is not None:
        if sampler is None or truth is None or X is not None or y is not None:
            raise TypeError(
                "bias_variance takes X and y for a model, or truth and sampler for an estimator of "
                "a parameter; give both of a pair and none of the other."
            )
        validate_parameter_constraints(
            {"n_resamples": [Interval(Integral, 2, None, closed="left"), None]},
            {"n_resamples": n_resamples},
            caller_name="bias_variance",
        )
        n_samples = 1000 if n_resamples is None else int(n_resamples)
        source = check_random_state(random_state)
        return estimate_often(estimator, truth, sampler, n_samples, source, verbose)
    if X is None and y is None:
        raise TypeError(
            "bias_variance needs X and y for a model, or truth and sampler for an estimator of a "
            "parameter."
        )
    options = Options(
        loss=loss,
        n_resamples=50 if n_resamples is None else n_resamples,
        resampling=resampling,
        sample_size=sample_size,
        test_size=test_size,
        cv=cv,
        groups=groups,
        y_true=y_true,
        noise=noise,
        unbiased=unbiased,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    (decomposed,) = decompose(estimator, X, y, options)
    return result_of(decomposed, estimator, options)


def result_of(decomposed: Decomposed, estimator: Any, options: Options) -> BiasVariance:
    """Return the result that users see.

    Parameters
    ----------
    decomposed : Decomposed
        The numbers.
    estimator : estimator
        What they are of.
    options : Options
        How they came about.
    """
    model = last_step(estimator)
    parts = decomposed.parts
    return BiasVariance(
        model=type(model).__name__,
        loss_name=decomposed.loss,
        rows=decomposed.rows,
        main_prediction=parts.main,
        loss_by_document=parts.loss,
        bias_by_document=parts.bias,
        variance_by_document=parts.variance,
        net_variance_by_document=parts.net_variance,
        noise_by_document=parts.noise,
        chance_by_document=parts.chance,
        resampling="drawn afresh" if callable(options.resampling) else options.resampling,
        n_resamples=options.n_resamples,
        n_training=decomposed.n_training,
    )
