"""Topics related to metadata: how much of each topic there is, by a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.preprocessing import SplineTransformer
from sklearn.utils import check_random_state

from quire._shared.topic_models import checked_number
from quire._shared.typing import Floats
from quire.topics._composition import (
    Design,
    GroupMeans,
    LeastSquares,
    Pooled,
    compose,
    corrected,
)
from quire.topics._covariate import Covariate, grouped, read_covariate
from quire.topics._posterior import ThetaSamples
from quire.topics._prevalence_result import Prevalence

__all__ = ["prevalence"]


_KINDS = ("auto", "categorical", "linear", "smooth", "binned")
_POINTS = 40  # of a curve


def prevalence(
    topics: Any,
    by: Any,
    *,
    data: Any = None,
    kind: str = "auto",
    baseline: Any = None,
    n_bins: int = 8,
    every: str | None = None,
    lengths: Any = None,
    n_samples: int = 25,
    n_draws: int = 2000,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> Prevalence:
    """Estimate the share of each topic by a column of metadata, with intervals.

    Parameters
    ----------
    topics : fitted model, or array-like of shape (n_samples, n_documents, n_topics) or
            (n_documents, n_topics)
        A model that kept samples (``keep_samples=True``), or the samples. From a model that kept
        none, or a matrix theta, samples are drawn.
    by : str or array-like of shape (n_documents,)
        The column: words, numbers or dates; or its name in `data`. Documents where it is missing
        are left out, and so are those without a word that the model knows.
    data : DataFrame or mapping, default=None
        The table, of polars or pandas for example, with a row for each document of the model.
    kind : {"auto", "categorical", "linear", "smooth", "binned"}, default="auto"
        "categorical" estimates a share for each value. "linear" is a straight line, "smooth" a
        curve (a cubic spline), "binned" a share for each range of numbers or period of time. "auto"
        is categorical for words, linear for numbers and binned for dates.
    baseline : object, default=None
        The value that all others are compared with, if categorical. ``None`` compares each with all
        documents that have another one.
    n_bins : int, default=8
        The number of ranges, if numbers are binned; each has about as many documents.
    every : str, default=None
        The length of a period, if dates are binned: "1w", "1mo", "1q", "1y" and the like. ``None``
        chooses by the span.
    lengths : array-like of shape (n_documents,) or matrix of counts, default=None
        The tokens of each document, or the counts that the model was fitted on. Needed where
        samples have to be drawn, but for models of quire, which know it.
    n_samples : int, default=25
        How many samples to draw, where none were kept.
    n_draws : int, default=2000
        How many draws of coefficients, over all samples.
    confidence : float, default=0.95
        The probability of the intervals.
    random_state : int, RandomState instance or None, default=0
        The seed of all draws. The same one gives the same bits.

    Returns
    -------
    Prevalence
        Shares and their differences, as tables and as a plot.

    Raises
    ------
    ValueError
        If an argument does not fit, or there is no way to know how uncertain theta is.

    Notes
    -----
    The method of composition: for each sample of theta from its posterior the shares of a topic are
    regressed on the column, and coefficients are drawn from their distribution (Student's t, with a
    covariance that allows every document its own variance). Intervals are quantiles of all draws
    together. They cover what is uncertain about documents that are short, and about documents being
    few; a regression on theta itself covers the latter only. Samples that are drawn here take the
    topic of each token for known; those that the sampler kept do not, and are to be preferred.

    The model took no notice of the column: all documents have one prior. It draws documents
    together, and differences are too small by about a / (n + a) for n tokens in a document and a
    prior that adds up to a: a hundredth for documents of 100 tokens and a = 1.

    Intervals are for one topic and value at a time. Of 100 topics, five will seem to differ between
    groups that do not.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import prevalence
    >>> rng = np.random.default_rng(0)
    >>> party = np.repeat(["left", "right"], 100)
    >>> theta = np.where(
    ...     party[:, None] == "left", rng.dirichlet([3, 1], 200), rng.dirichlet([1, 1], 200)
    ... )
    >>> result = prevalence(theta, party, lengths=np.full(200, 80))
    >>> print(result)
    share of 2 topics by group, 200 documents, 95 % intervals
    <BLANKLINE>
    topic  difference    estimate   lower   upper
        0  left - right     0.279   0.208   0.345
        1  left - right    -0.279  -0.349  -0.207
    """
    if kind not in _KINDS:
        raise ValueError(f"kind is {kind!r}; expected one of {', '.join(_KINDS)}.")
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; expected a number between 0 and 1.")
    n_samples = checked_number(n_samples, "n_samples")
    n_draws = checked_number(n_draws, "n_draws")
    seed = int(check_random_state(random_state).randint(2**31))
    samples = ThetaSamples(topics, lengths, n_samples, seed)
    covariate = read_covariate(by, data, samples.n_documents)
    n_missing = samples.n_documents - len(covariate.rows)
    covariate = covariate.where(samples.has_words)
    if kind == "auto":
        kind = {"words": "categorical", "numbers": "linear", "dates": "binned"}[covariate.what]

    if kind in ("categorical", "binned"):
        n_bins = checked_number(n_bins, "n_bins", least=2)
        design, points, contrasts, values, names = _groups(covariate, kind, baseline, n_bins, every)
    else:
        design, points, contrasts, values, names = _curve(covariate, kind)
    pooled = compose(
        samples.rows(covariate.rows),
        design,
        np.vstack([points, contrasts]),
        n_draws=n_draws,
        confidence=confidence,
        rng=np.random.default_rng([seed, samples.n_samples]),
    )
    sizes = design.sizes.astype(np.int64) if isinstance(design, GroupMeans) else None
    return Prevalence(
        by=covariate.name,
        kind=kind,
        table=_table(pooled, values, sizes),
        contrasts=_contrasts(pooled, names),
        n_documents=len(covariate.rows),
        n_missing=n_missing,
        n_empty=samples.n_documents - n_missing - len(covariate.rows),
        confidence=confidence,
    )


Parts = tuple[Design, Floats, Floats, pl.Series, list[str]]


def _groups(
    covariate: Covariate, kind: str, baseline: Any, n_bins: int, every: str | None
) -> Parts:
    """Return the regression on groups, and what to report of it."""
    groups = grouped(covariate, bins=kind == "binned", n_bins=n_bins, every=every)
    if len(groups.labels) == len(groups.codes):
        raise ValueError(
            f"every group of {covariate.name} has one document, which does not tell how much "
            "documents differ. Take longer periods (every=), or a line (kind='linear')."
        )
    design = GroupMeans(groups.codes)
    labels, n = groups.labels, len(groups.labels)
    points = np.eye(n)
    if kind == "binned":
        return design, points, points[[-1]] - points[[0]], labels, ["last - first"]
    if baseline is not None:
        known = labels.to_list()
        if baseline not in known:
            shown = ", ".join(map(repr, known[:12]))
            raise ValueError(f"baseline is {baseline!r}; {covariate.name} has {shown}.")
        base = known.index(baseline)
        others = [number for number in range(n) if number != base]
        contrasts = points[others] - points[base]
        return design, points, contrasts, labels, [f"{known[i]} - {baseline}" for i in others]
    # Each group less the mean of all documents of the others.
    rest = np.tile(design.sizes, (n, 1)) * (1 - points)
    contrasts = points - rest / rest.sum(axis=1, keepdims=True)
    if n == 2:
        return design, points, contrasts[:1], labels, [f"{labels[0]} - {labels[1]}"]
    return design, points, contrasts, labels, [f"{label} - others" for label in labels]


def _curve(covariate: Covariate, kind: str) -> Parts:
    """Return the regression on a line or a spline, and what to report of it."""
    if covariate.what == "words":
        raise ValueError(
            f"{covariate.name} has words; expected numbers or dates for kind={kind!r}."
        )
    x = covariate.numbers()
    grid = np.linspace(x.min(), x.max(), _POINTS)
    values = covariate.values(grid)
    if kind == "linear":
        middle = x.mean()
        unit = "per year" if covariate.what == "dates" else "per unit"
        points = np.column_stack([np.ones(_POINTS), grid - middle])
        D = np.column_stack([np.ones(len(x)), x - middle])
        return LeastSquares(D), points, np.array([[0.0, 1.0]]), values, [f"slope {unit}"]
    knots = np.unique(np.quantile(x, np.linspace(0, 1, 5)))
    if len(np.unique(x)) < 5 or len(knots) < 3:
        raise ValueError(
            f"{covariate.name} has too few different values for a curve; use kind='linear' or "
            "'categorical'."
        )
    spline = SplineTransformer(knots=knots[:, None], degree=3).fit(x[:, None])
    points = spline.transform(grid[:, None])
    D = spline.transform(x[:, None])
    return LeastSquares(D), points, points[[-1]] - points[[0]], values, ["last - first"]


def _table(pooled: Pooled, values: pl.Series, sizes: NDArray[np.int64] | None) -> pl.DataFrame:
    n, n_topics = len(values), pooled.mean.shape[1]
    columns = {
        "topic": pl.Series(np.repeat(np.arange(n_topics), n)),
        "value": pl.concat([values.alias("value")] * n_topics),
        "share": pooled.mean[:n].T.ravel(),
        "lower": pooled.lower[:n].T.ravel(),
        "upper": pooled.upper[:n].T.ravel(),
    }
    if sizes is not None:
        columns["n_documents"] = np.tile(sizes, n_topics)
    return pl.DataFrame(columns)


def _contrasts(pooled: Pooled, names: list[str]) -> pl.DataFrame:
    n, n_topics = len(names), pooled.mean.shape[1]
    return pl.DataFrame(
        {
            "topic": np.repeat(np.arange(n_topics), n),
            "difference": names * n_topics,
            "estimate": pooled.mean[-n:].T.ravel(),
            "lower": pooled.lower[-n:].T.ravel(),
            "upper": pooled.upper[-n:].T.ravel(),
            "positive": pooled.positive[-n:].T.ravel(),
            "p": pooled.p[-n:].T.ravel(),
            "p_corrected": corrected(pooled.p[-n:], "holm").T.ravel(),
        }
    )
