"""Topics related to several columns at once, with interactions and splines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from quire._shared.topic_models import checked_number
from quire.topics._composition import CORRECTIONS, LeastSquares, Moments
from quire.topics._effects_result import TopicEffects
from quire.topics._formula import read_formula, terms_of_formula
from quire.topics._posterior import ThetaSamples

__all__ = ["topic_effects"]

_COVARIANCES = ("HC2", "classical")


def topic_effects(
    topics: Any,
    formula: str | Sequence[str],
    *,
    data: Any,
    covariance: str = "HC2",
    correction: str = "holm",
    lengths: Any = None,
    n_samples: int = 25,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> TopicEffects:
    r"""Relate the shares of topics to several columns of metadata at once.

    Parameters
    ----------
    topics : fitted model, or array-like of shape (n_samples, n_documents, n_topics) or
            (n_documents, n_topics)
        As for :func:`prevalence`: a model that kept samples (``keep_samples=True``), or the
        samples. From others samples are drawn. ``theta[None]`` takes theta for exact, and the
        regression is ordinary least squares.
    formula : str or sequence of str
        The columns. ``"party + year"``, or ``["party", "year"]``, adds their effects;
        ``"party * year"`` lets that of one depend on the other (``a + b + a:b``). ``s(year, df=4)``
        or ``ns(...)`` is a natural cubic spline, ``bs(year, df=5)`` a cubic B-spline; numbers are
        lines otherwise, words and truth values groups, dates years. ``factor(grade)`` takes numbers
        for groups. Names with blanks stand in backquotes.
    data : DataFrame or mapping
        The table, with a row for each document of the model. Documents where a column is missing
        are left out, and so are those without a word that the model knows.
    covariance : {"HC2", "classical"}, default="HC2"
        "HC2" allows every document its own variance, "classical" takes them for equal, as R's lm
        and stm do.
    correction : {"holm", "bh", "none"}, default="holm"
        How p-values are corrected for the number of topics and comparisons of a table: Holm, or
        Benjamini and Hochberg.
    lengths : array-like of shape (n_documents,) or matrix of counts, default=None
        The tokens of each document, where samples have to be drawn from a matrix.
    n_samples : int, default=25
        How many samples to draw, where none were kept.
    confidence : float, default=0.95
        The probability of the intervals.
    random_state : int, RandomState instance or None, default=0
        The seed of the samples that are drawn. The same one gives the same bits.

    Returns
    -------
    TopicEffects
        Coefficients, comparisons of groups and of low and high numbers, and marginal curves.

    Raises
    ------
    ValueError
        If the formula cannot be read, a column is not there, or columns say the same.

    See Also
    --------
    prevalence : One column, with the share of every topic for each of its values.

    Notes
    -----
    The method of composition of R's ``stm::estimateEffect``: for each sample of theta from its
    posterior, m = 1, ..., M, the shares of topic k are regressed on the columns,

    .. math:: \theta^{(m)}_{dk} = x_d^\top \beta^{(m)}_k + \varepsilon_{dk},

    and coefficients vary within a sample, with covariance W, and between samples, with covariance
    B. Instead of drawing them, their moments are added up: the estimate is the mean over the
    samples, its covariance :math:`T = W + (1 + 1/M) B` (Rubin's rule), and intervals are those of
    Student's t with the degrees of freedom of Barnard and Rubin. With one sample they are those of
    least squares.

    Shares are averages over documents, and effects are differences of shares: 0.05 is five of a
    hundred words of a document. A marginal effect sets a column to a value for all documents,
    leaves the others as they are, and takes the mean.

    References
    ----------
    M. Roberts, B. Stewart and D. Tingley, "stm: An R Package for Structural Topic Models", Journal
    of Statistical Software 2019. A. Treier and S. Jackman, "Democracy as a latent variable",
    American Journal of Political Science 2008. J. Barnard and D. Rubin, "Small-sample degrees of
    freedom with multiple imputation", Biometrika 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import topic_effects
    >>> rng = np.random.default_rng(0)
    >>> party, year = np.repeat(["left", "right"], 100), np.tile(np.arange(2000, 2010), 20)
    >>> share = 0.2 + 0.3 * (party == "left") + 0.02 * (year - 2000)
    >>> theta = np.stack([rng.dirichlet([5 * s, 5 - 5 * s]) for s in share])
    >>> data = {"party": party, "year": year}
    >>> effects = topic_effects(theta, "party + year", data=data, lengths=np.full(200, 100))
    >>> print(effects)
    effects on 2 topics of party + year, 200 documents, 95 % intervals
    <BLANKLINE>
    topic  difference           estimate   lower   upper  p corrected
        0  party: right - left    -0.281  -0.338  -0.224       <0.001
        1  party: right - left     0.281   0.224   0.338       <0.001
        0  year: 2008 - 2001       0.107   0.040   0.174        0.004
        1  year: 2008 - 2001      -0.107  -0.174  -0.040        0.004
    """
    if covariance not in _COVARIANCES:
        raise ValueError(
            f"covariance is {covariance!r}; expected one of {', '.join(_COVARIANCES)}."
        )
    if correction not in CORRECTIONS:
        raise ValueError(f"correction is {correction!r}; expected one of {', '.join(CORRECTIONS)}.")
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; expected a number between 0 and 1.")
    read = read_formula(formula)
    n_samples = checked_number(n_samples, "n_samples")
    seed = int(check_random_state(random_state).randint(2**31))
    samples = ThetaSamples(topics, lengths, n_samples, seed)
    terms = terms_of_formula(read, data, samples.n_documents, samples.has_words)
    n, p = terms.matrix.shape
    if n <= p:
        raise ValueError(
            f"the formula {read} has {p} coefficients and {n} documents; expected more documents."
        )
    # One thread: the products are narrow, and their bits must not depend on the machine's cores.
    with threadpool_limits(1, user_api="blas"):
        design = LeastSquares(terms.matrix, covariance)
        if design.rank < p:
            raise ValueError(
                f"the columns of {read} say the same: of {p} coefficients {design.rank} can be "
                f"told apart. Leave out {_surplus(terms.matrix, terms.names)}, or what it repeats."
            )
        fits = [design.estimate(theta) for theta in samples.rows(terms.rows)]
    n_words = int(samples.has_words.sum())
    return TopicEffects(
        formula=str(read),
        n_documents=n,
        n_missing=n_words - n,
        n_empty=samples.n_documents - n_words,
        n_topics=samples.n_topics,
        confidence=confidence,
        correction=correction,
        terms=terms,
        moments=Moments.of(fits, design.degrees()),
    )


def _surplus(D: Any, names: list[str]) -> str:
    """Return the name of the first column that is a sum of those before it."""
    scaled = D / np.maximum(np.sqrt((D**2).sum(axis=0)), 1e-300)
    diagonal = np.abs(np.diag(np.linalg.qr(scaled, mode="r")))
    return names[int(np.argmax(diagonal < 1e-9))] if (diagonal < 1e-9).any() else names[-1]
