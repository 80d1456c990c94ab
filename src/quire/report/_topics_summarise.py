"""From a topic model and its documents to the data of a report on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from quire._shared.typing import Floats
from quire.report._data import to_plain
from quire.report._documents import as_column
from quire.report._provenance import changed_parameters, installed_versions, now
from quire.report._topics_columns import correlated, shares_by_column, traces
from quire.report._topics_data import TopicReportData, TopicSummary
from quire.report._topics_documents import topic_documents
from quire.report._topics_words import chosen_terms, most_relevant, topic_sizes
from quire.topics import Coherence, coherence, exclusivity, topic_diversity, topic_map
from quire.topics._inputs import checked_number, phi_of, terms_of, theta_of

__all__ = ["summarise_topics"]


_WORDS = 10  # of a topic in tables
_RELEVANCE = 0.6
_MAP_WORK = 5e8  # comparisons of words for the map
_METHODS = {"gibbs": "Gibbs sampling", "batch": "variational Bayes", "online": "online VB"}


def summarise_topics(
    model: Any,
    texts: Any = None,
    *,
    counts: Any = None,
    theta: Any = None,
    by: Any = None,
    data: Any = None,
    names: Mapping[int, str] | None = None,
    coherence: Any = "npmi",
    title: str | None = None,
    n_terms: int = 30,
    n_documents: int = 5,
    settings: Mapping[str, Any] | None = None,
) -> TopicReportData:
    """Say all that a report on topics says, as plain data.

    Parameters
    ----------
    model, texts, counts, theta, by, data, names, coherence, title, n_terms, n_documents, settings
        As for :func:`topic_report`.

    Returns
    -------
    TopicReportData
        Numbers, strings and lists of them.

    Examples
    --------
    >>> from quire.decomposition import LatentDirichletAllocation
    >>> from quire.report import summarise_topics
    >>> texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 5
    >>> model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
    >>> found = summarise_topics(model, texts)
    >>> found.n_documents, found.n_words, found.diversity
    (20, 5, 0.5)
    """
    phi = phi_of(model)
    shares, is_own, notes = _shares(model, texts, counts, theta)
    column = None if texts is None else as_column(texts, len(shares))
    sizes = topic_sizes(model, phi)
    words = [str(word) for word in _terms(model, phi)]
    n_terms = checked_number(n_terms, "n_terms")
    judged = _coherence(model, texts if counts is None else counts, words, coherence, notes)
    matrix, pairs = correlated(shares)
    return TopicReportData(
        title=title or "Topics",
        created=now(),
        n_documents=len(shares),
        n_empty=0 if column is None else int((column.fill_null("").str.strip_chars() == "").sum()),
        n_words=phi.shape[1],
        n_tokens=float(round(sizes.sum())) if hasattr(model, "components_") else 0.0,
        n_terms=n_terms,
        method=_METHODS.get(str(getattr(model, "learning_method", "")), type(model).__name__),
        n_iterations=int(getattr(model, "n_iter_", 0)),
        converged=getattr(model, "converged_", None),
        interrupted=bool(getattr(model, "_interrupted", False)),
        r_hat=_finite(getattr(model, "r_hat_", None)),
        measure=None if judged is None else judged.measure,
        mean_coherence=None if judged is None else judged.mean,
        diversity=topic_diversity(phi),
        **_topics(phi, shares, sizes, words, judged, dict(names or {}), n_terms),
        documents=[]
        if column is None
        else topic_documents(
            phi, shares, column, words, getattr(model, "vectorizer_", None), n_documents
        ),
        traces=traces(model),
        correlations=matrix,
        pairs=pairs,
        prevalence=shares_by_column(
            model if is_own else shares, by, data, _lengths(model, texts, counts)
        ),
        notes=notes,
        settings=_settings(model, settings),
        versions=installed_versions(),
    )


def _shares(model: Any, texts: Any, counts: Any, theta: Any) -> tuple[Floats, bool, list[str]]:
    """Return theta: given, or of the model's own documents, or of those given here.

    Then whether it is the model's own, and what to say about it.
    """
    if theta is not None:
        return theta_of(theta), False, []
    documents = counts if counts is not None else texts
    n_given = None if documents is None else _length(documents)
    keeps = hasattr(type(model), "theta_") or "theta_" in vars(model)  # not computed to look
    if keeps:
        own = theta_of(model)
        if n_given is None or len(own) == n_given:
            return own, True, []
    elif documents is None:
        raise ValueError(
            f"{type(model).__name__} does not keep the shares of its documents; pass counts= or "
            "theta=model.transform(X)."
        )
    note = "Shares are those of documents that the model was not fitted on."
    notes = [note] if keeps else []
    return theta_of(model.transform(documents)), False, notes


def _lengths(model: Any, texts: Any, counts: Any) -> Callable[[], Any]:
    """Return what tells the words of each document, if anything does: it may take some time."""

    def lengths() -> Any:
        known = counts
        vectorizer = getattr(model, "vectorizer_", None)
        if known is None and texts is not None and vectorizer is not None:
            known = vectorizer.transform(texts)
        return None if known is None else np.asarray(known.sum(axis=1)).ravel()

    return lengths


def _length(documents: Any) -> int:
    if isinstance(documents, str | bytes):
        raise TypeError("texts is one string; expected a list of them, or a column of a table.")
    shape = getattr(documents, "shape", None)
    return int(shape[0]) if shape else len(documents)


def _terms(model: Any, phi: Floats) -> Any:
    found = terms_of(model, None, phi.shape[1])
    return [f"column {number}" for number in range(phi.shape[1])] if found is None else found


def _coherence(
    model: Any, corpus: Any, words: list[str], wanted: Any, notes: list[str]
) -> Coherence | None:
    if wanted is None or isinstance(wanted, Coherence):
        return wanted
    if corpus is None:
        return None
    measure = str(wanted)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # topics without a value show a dash
            return coherence(model, corpus, measure=measure, vocabulary=words)
    except ValueError as error:
        if str(error).startswith("measure is"):
            raise
        notes.append(f"Coherence is not known: {error}")
        return None


def _topics(
    phi: Floats,
    theta: Floats,
    sizes: Floats,
    words: list[str],
    judged: Coherence | None,
    names: dict[int, str],
    n_terms: int,
) -> dict[str, Any]:
    terms, numbers, frequencies = chosen_terms(phi, sizes, words, n_terms)
    points = topic_map(phi, n_words=max(500, int(_MAP_WORK / len(phi) ** 2)))
    own = exclusivity(phi)
    main = np.bincount(theta.argmax(axis=1), minlength=len(phi))
    topics = [
        TopicSummary(
            topic=k,
            name=names.get(k, ""),
            share=float(sizes[k] / sizes.sum()),
            documents=int(main[k]),
            coherence=None if judged is None else _finite(judged.per_topic[k]),
            exclusivity=float(own[k]),
            words=most_relevant(terms, numbers[k], frequencies[k], _RELEVANCE, _WORDS),
            x=float(points[k, 0]),
            y=float(points[k, 1]),
            terms=numbers[k],
            frequencies=frequencies[k],
        )
        for k in range(len(phi))
    ]
    return {"topics": topics, "terms": terms}


def _finite(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _settings(model: Any, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what was given, and the parameters of model and vectorizer that are not defaults."""
    found: dict[str, Any] = dict(given or {})
    found["model"] = changed_parameters(model)
    vectorizer = getattr(model, "vectorizer_", None)
    if vectorizer is not None:
        found["vectorizer"] = changed_parameters(vectorizer)
    plain: dict[str, Any] = to_plain(found)
    return plain
