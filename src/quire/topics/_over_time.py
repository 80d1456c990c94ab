"""Topics over time: their shares by period, trends, and the words of a period."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from quire._shared.topic_models import (
    checked_number,
    phi_of,
    relevance_scores,
    terms_of,
    theta_of,
    top_columns,
)
from quire._shared.typing import Floats, Ints
from quire.topics._covariate import period_of, values_of
from quire.topics._over_time_result import TopicsOverTime
from quire.topics._prevalence import prevalence

__all__ = ["topics_over_time"]

_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%d.%m.%Y", "%Y/%m/%d")
_MOST = 40  # periods
_SPANS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_ENTRIES = 50_000  # of counts that are spread over topics at a time
_READ = 0.5  # share of words that must be dates


def topics_over_time(
    topics: Any,
    time: Any,
    *,
    data: Any = None,
    every: Any = None,
    counts: Any = None,
    texts: Any = None,
    n_words: int = 8,
    lengths: Any = None,
    n_samples: int = 25,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> TopicsOverTime:
    """Estimate the share of each topic in periods of time, with intervals, trends and words.

    Parameters
    ----------
    topics : fitted model, or samples or shares of topics
        As for :func:`prevalence`.
    time : str or array-like of shape (n_documents,)
        Dates, words that are dates (``2024-05-31``, ``31.05.2024``, ``2024-05``), or numbers such
        as years; or the name of a column of `data`. Documents without one are left out, and those
        without a word that the model knows.
    data : DataFrame or mapping, default=None
        The table of the column.
    every : str or number, default=None
        The length of a period: "1w", "1mo", "1q", "1y" of dates, 5 of years. ``None`` takes the
        shortest of which there are 40 at most.
    counts : matrix of shape (n_documents, n_words), default=None
        The counts that the model was fitted to, for the words of periods.
    texts : sequence of str, default=None
        Or the texts, which the model's vectorizer counts.
    n_words : int, default=8
        How many words of a topic in a period.
    lengths, n_samples, confidence, random_state
        As for :func:`prevalence`.

    Returns
    -------
    TopicsOverTime
        Shares by period, a linear trend for each topic, and words if there are counts or texts.

    Raises
    ------
    ValueError
        If values are no time, or there is one period only.

    Notes
    -----
    Shares are means over the documents of a period, with intervals by the method of composition
    (:func:`prevalence`); trends are slopes of a line through the shares of all documents, with
    Holm's correction of their p-values. The words of a topic in a period have expected counts
    there, sums of n(d, w) p(z | w, d), and are ordered by relevance 0.6 against the corpus. The
    model took no notice of time: topics are the same throughout, and what differs is what documents
    use of them.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.decomposition import LatentDirichletAllocation
    >>> from quire.topics import topics_over_time
    >>> texts = ["cat dog cat", "dog cat paw"] * 15 + ["tax vote law", "law tax vote"] * 15
    >>> model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
    >>> years = np.repeat([2021, 2022, 2023, 2024], 15)
    >>> found = topics_over_time(model, years, texts=texts, n_words=2)
    >>> found.periods
    [2021, 2022, 2023, 2024]
    >>> found.table.columns
    ['topic', 'period', 'share', 'lower', 'upper', 'n_documents']
    """
    n_words = checked_number(n_words, "n_words")
    options: dict[str, Any] = {"lengths": lengths, "n_samples": n_samples}
    options |= {"confidence": confidence, "random_state": random_state}
    n_documents = _n_documents(topics)
    column = read_time(values_of(time, data, n_documents, unnamed="time"))
    periods = _periods(column, every)
    if periods.drop_nulls().n_unique() < 2:
        raise ValueError(
            f"{column.name} has one period; expected two or more. Take a shorter every=."
        )
    shares = prevalence(topics, periods, kind="categorical", **options)
    trend = prevalence(topics, column, kind="linear", **options)
    X = _counts(topics, counts, texts)
    words = None
    if X is not None:
        words = _words(topics, X, periods, shares.table["value"].unique().sort(), n_words)
    return TopicsOverTime(
        by=column.name,
        table=shares.table.rename({"value": "period"}),
        trends=trend.contrasts.drop("difference", "positive"),
        unit="year" if _are_years(column) else "unit",
        words=words,
        n_documents=shares.n_documents,
        n_missing=shares.n_missing,
        n_empty=shares.n_empty,
        confidence=confidence,
    )


def read_time(column: pl.Series) -> pl.Series:
    """Return dates or numbers as they are, and words as the dates that they are.

    Parameters
    ----------
    column : Series
        A value for each document.

    Raises
    ------
    ValueError
        If most words are no dates.
    """
    if column.dtype.is_numeric() or column.dtype in (pl.Date, pl.Datetime):
        return column
    if column.dtype in (pl.Enum, pl.String):
        words = column.cast(pl.String).str.strip_chars()
        numbers = words.cast(pl.Int64, strict=False)
        best = numbers if numbers.null_count() == words.null_count() else None
        if best is None:
            month = words.str.replace(r"^(\d{4}-\d{2})$", "${1}-01")
            read = [month.str.to_datetime(form, strict=False, time_unit="us") for form in _FORMATS]
            best = min(read, key=lambda one: one.null_count())
        known = len(words) - words.null_count()
        if known - (best.null_count() - words.null_count()) > _READ * known:
            return best.alias(column.name)
        example = words.drop_nulls()
        shown = f"such as {example[0]!r}" if len(example) else "of which there are none"
        raise ValueError(
            f"{column.name} has words, {shown}, that are no dates; expected dates such as "
            "2024-05-31, or numbers such as years."
        )
    raise ValueError(f"{column.name} has the type {column.dtype}; expected dates or numbers.")


def _are_years(column: pl.Series) -> bool:
    """Return whether a line over time goes by years: of dates, or of whole numbers like 2026."""
    if column.dtype.is_temporal():
        return True
    known = column.drop_nulls().cast(pl.Float64)
    return bool((known == known.floor()).all() and known.is_between(1000, 2200).all())


def _periods(column: pl.Series, every: Any) -> pl.Series:
    """Return the first day, or the first number, of the period of each document."""
    if column.dtype.is_temporal():
        dates = column.cast(pl.Datetime("us"))
        if dates.null_count() == len(dates):
            raise ValueError(f"{column.name} has no value; expected dates or numbers.")
        span = every or period_of(dates.drop_nulls())
        try:
            return dates.dt.truncate(span).cast(pl.Date).alias(column.name)
        except (TypeError, pl.exceptions.PolarsError) as error:
            raise ValueError(
                f"every is {every!r}; expected a period such as '1w', '1mo', '1q' or '1y'."
            ) from error
    numbers = column.cast(pl.Float64)
    known = numbers.drop_nulls()
    if not len(known):
        raise ValueError(f"{column.name} has no value; expected dates or numbers.")
    low, high = float(known.min()), float(known.max())  # type: ignore[arg-type]
    if every is None:
        if bool((known == known.floor()).all()):
            every = next((n for n in _SPANS if (high - low) / n < _MOST), (high - low) / _MOST)
        else:
            every = (high - low) / 20 or 1.0
    try:
        size = float(every)
    except (TypeError, ValueError):
        size = 0.0
    if not size > 0:
        raise ValueError(f"every is {every!r}; expected a number above 0 for periods of numbers.")
    first = (numbers / size).floor() * size
    is_whole = size == int(size)
    return (first.cast(pl.Int64) if is_whole else first).alias(column.name)


def _n_documents(topics: Any) -> int:
    kept = getattr(topics, "theta_samples_", None)
    if kept is None and not hasattr(topics, "fit") and np.ndim(topics) == 3:
        kept = topics
    if kept is not None:
        return int(np.shape(kept)[1])
    return len(theta_of(topics))


def _counts(topics: Any, counts: Any, texts: Any) -> Any:
    if counts is not None:
        return sparse.csr_array(counts)
    vectorizer = getattr(topics, "vectorizer_", None)
    if texts is None or vectorizer is None:
        return None
    return sparse.csr_array(vectorizer.transform(texts))


def _words(
    topics: Any, X: Any, periods: pl.Series, values: pl.Series, n_words: int
) -> pl.DataFrame | None:
    """Return the words of each topic in each period."""
    if not hasattr(topics, "theta_"):
        return None
    phi, theta = phi_of(topics), theta_of(topics)
    if X.shape != (len(theta), phi.shape[1]):
        raise ValueError(
            f"counts have shape {X.shape}; expected ({len(theta)}, {phi.shape[1]}), a row for each "
            "document of the model and a column for each word."
        )
    names = terms_of(topics, None, phi.shape[1])
    overall = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    found: dict[str, list[Any]] = {"topic": [], "period": [], "words": []}
    for value in values.to_list():
        rows = np.flatnonzero((periods == value).fill_null(False).to_numpy())
        expected = _expected(X[rows], theta[rows], phi)
        sums = expected.sum(axis=1, keepdims=True)
        shares = np.divide(expected, sums, out=np.zeros_like(expected), where=sums > 0)
        both = np.vstack([shares, overall / overall.sum()])
        weights = np.append(np.zeros(len(phi)), 1.0)  # the frequency in the corpus alone
        scores = relevance_scores(both, weights)[:-1]
        for k, columns in enumerate(top_columns(scores, n_words)):
            own = [c for c in columns.tolist() if np.isfinite(scores[k, c]) and expected[k, c] >= 1]
            found["topic"].append(k)
            found["period"].append(value)
            found["words"].append([str(c if names is None else names[c]) for c in own])
    schema: dict[str, Any] = {"topic": pl.Int64, "period": values.dtype}
    schema["words"] = pl.List(pl.String)
    return pl.DataFrame(found, schema=schema).sort("topic", "period")


def _expected(X: Any, theta: Floats, phi: Floats) -> Floats:
    """Return how often each topic has each word in some documents: sums of n p(z | w, d)."""
    rows: Ints = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    by_word = np.ascontiguousarray(phi.T)
    parts = np.empty(X.nnz)
    for start in range(0, X.nnz, _ENTRIES):
        part = slice(start, start + _ENTRIES)
        sums = np.einsum("nk,nk->n", theta[rows[part]], by_word[X.indices[part]])
        parts[part] = np.divide(X.data[part], sums, out=np.zeros_like(sums), where=sums > 0)
    weights = sparse.csr_array((parts, X.indices, X.indptr), X.shape)
    return np.asarray((weights.T @ theta).T * phi)
