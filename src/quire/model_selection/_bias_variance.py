"""Why a model errs: too stiff (bias), too nervous (variance), or nothing to be done (noise)."""

from __future__ import annotations

from typing import Any

from quire._shared.pipelines import last_step
from quire.model_selection._decompose import Decomposed, Options, decompose
from quire.model_selection._decomposition import BiasVariance

__all__ = ["bias_variance", "result_of"]


def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    loss: str = "auto",
    n_resamples: int = 50,
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
) -> BiasVariance:
    r"""Divide the expected loss of a model into bias, variance and noise, by resampling.

    The model is fitted to many samples of training documents and predicts the same test documents
    each time. What its mean prediction misses is bias, how much predictions differ is variance. The
    parts add up to the mean loss on the test documents: exactly, for each of them.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor, or a pipeline that ends with one. It is cloned for every sample.
    X : array-like, sparse matrix, DataFrame or sequence of shape (n_samples, ...)
        What the estimator takes, such as features, or texts for a pipeline with a vectorizer.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets or classes.
    loss : {"auto", "squared", "zero-one"}, default="auto"
        The loss. "auto" is the squared error for regressors and the 0/1 loss, whose mean is the
        share of errors, for classifiers. "squared" for a classifier is the Brier score of its
        probabilities, summed over the classes. "squared_error" and "zero_one" mean the same.
    n_resamples : int, default=50
        How many training samples to draw, in each fold if there are folds.
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

    Returns
    -------
    BiasVariance
        The parts, as means and for each test document, with a table and a plot.

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
    """
    options = Options(
        loss=loss,
        n_resamples=n_resamples,
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
