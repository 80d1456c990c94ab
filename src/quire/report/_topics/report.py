"""A report on topics: its data, its page, and both in one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.how_many import how_many
from quire._shared.page.numbers import finite, to_plain
from quire._shared.page.page import Page, saved
from quire._shared.page.shell import asset, controls, script_with_data
from quire._shared.topic_models import (
    checked_number,
    lengths_of,
    phi_of,
    terms_of,
    theta_of,
    topic_sizes,
)
from quire._shared.typing import Floats
from quire.kinds import Predicts, kind_of
from quire.report._page.documents import as_column
from quire.report._page.provenance import (
    changed_parameters,
    installed_versions,
    now,
    with_data,
)
from quire.report._page.whole_page import whole_page
from quire.report._topics.convergence import TopicTrace, convergence_section, traces_of
from quire.report._topics.documents import TopicDocument, topic_documents
from quire.report._topics.effects import EffectsByColumns, effects_by, effects_section
from quire.report._topics.explorer import explorer_data, explorer_section
from quire.report._topics.over_time import TopicsInTime, over_time_of, over_time_section
from quire.report._topics.prevalence import TopicsByColumn, prevalence_by, prevalence_section
from quire.report._topics.quality import quality_section
from quire.report._topics.short import short_section
from quire.report._topics.together import TopicsTogether, together_of, together_section
from quire.report._topics.topics import TopicSummary, topics_and_terms, topics_section
from quire.report._topics.words import TopicTerms
from quire.topics import (
    Coherence,
    TopicEffects,
    TopicsOverTime,
    coherence,
    topic_diversity,
    topics_over_time,
)

__all__ = ["TopicReport", "TopicReportData", "render_topics", "summarise_topics", "topic_report"]

_METHODS = {"gibbs": "Gibbs sampling", "batch": "variational Bayes", "online": "online VB"}
_SECTIONS = (
    short_section,
    explorer_section,
    topics_section,
    prevalence_section,
    effects_section,
    over_time_section,
    quality_section,
    together_section,
    convergence_section,
)


@dataclass(frozen=True)
class TopicReportData:
    """All that a report on topics says; ``None`` or empty where there is nothing."""

    title: str
    created: str
    n_documents: int
    n_empty: int
    n_words: int
    n_tokens: float
    n_terms: int
    method: str
    n_iterations: int
    converged: bool | None
    interrupted: bool
    r_hat: float | None
    measure: str | None
    mean_coherence: float | None
    diversity: float
    topics: list[TopicSummary]
    terms: TopicTerms
    documents: list[TopicDocument]
    traces: list[TopicTrace]
    together: TopicsTogether
    prevalence: TopicsByColumn | None
    effects: EffectsByColumns | None
    over_time: TopicsInTime | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]


class TopicReport(Page[TopicReportData]):
    """A report on topics, from :func:`topic_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : TopicReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    def _says(self) -> str:
        topics, documents = len(self.data.topics), self.data.n_documents
        return f"{how_many(topics, 'topic')}, {how_many(documents, 'document')}"


def topic_report(
    model: Any,
    texts: Any = None,
    *,
    counts: Any = None,
    theta: Any = None,
    by: Any = None,
    time: Any = None,
    data: Any = None,
    names: Mapping[int, str] | None = None,
    coherence: Any = "npmi",
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    n_terms: int = 30,
    n_documents: int = 5,
    settings: Mapping[str, Any] | None = None,
) -> TopicReport:
    """Make one HTML file of all that a topic model found; it opens without a network.

    It has a map of the topics, their words with a slider for relevance, their documents, their
    prevalence by a column, coherence, correlations and convergence. Needs vl-convert-python, which
    holds the libraries that draw the charts: ``pip install 'quire[report]'``.

    Parameters
    ----------
    model : LatentDirichletAllocation or another fitted topic model
        With ``components_``; of scikit-learn's, pass `counts` as well.
    texts : sequence of str, Series or DataFrame, default=None
        The documents of the model, in the same order; or others, which are then transformed.
        Without texts no documents are shown.
    counts : matrix of shape (n_documents, n_words), default=None
        Their counts, for a model that was fitted to counts: coherence is then counted by documents.
    theta : array-like of shape (n_documents, n_topics), default=None
        The shares of topics in the documents, if not those of the model.
    by : str, array-like, Prevalence or TopicEffects, default=None
        A column of words, numbers or dates: the shares of topics by it; or what
        :func:`quire.topics.prevalence` returned, or :func:`quire.topics.topic_effects` for several
        columns.
    time : str, array-like or TopicsOverTime, default=None
        A column of dates or years: the shares of topics over time; or what
        :func:`quire.topics.topics_over_time` returned.
    data : DataFrame, default=None
        The table of the columns.
    names : mapping from int to str, default=None
        What to call topics.
    coherence : {"npmi", "umass", "c_v", "c_uci"}, Coherence or None, default="npmi"
        The measure, or what :func:`quire.topics.coherence` returned; ``None`` leaves it out.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    n_terms : int, default=30
        Words that are shown of a topic at a time. All that the slider can bring up are in the file.
    n_documents : int, default=5
        Documents that are shown of a topic; 0 for none, as when texts must not leave the house.
    settings : mapping, default=None
        What else to write down, such as the command.

    Returns
    -------
    TopicReport
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed.
    ValueError
        If there are other documents than shares, or an argument does not fit.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise_topics : The numbers without the page.

    Examples
    --------
    >>> from quire.decomposition import LatentDirichletAllocation
    >>> from quire.report import topic_report
    >>> texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 5
    >>> model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
    >>> topic_report(model, texts, title="Pets and votes")
    <TopicReport 'Pets and votes': 2 topics, 20 documents, ... MB>
    """
    summary = summarise_topics(
        model,
        texts,
        counts=counts,
        theta=theta,
        by=by,
        time=time,
        data=data,
        names=names,
        coherence=coherence,
        title=title,
        n_terms=n_terms,
        n_documents=n_documents,
        settings=settings,
    )
    return saved(TopicReport(summary, render_topics(summary)), path)


def summarise_topics(
    model: Any,
    texts: Any = None,
    *,
    counts: Any = None,
    theta: Any = None,
    by: Any = None,
    time: Any = None,
    data: Any = None,
    names: Mapping[int, str] | None = None,
    coherence: Any = "npmi",
    title: str | None = None,
    n_terms: int = 30,
    n_documents: int = 5,
    n_words: int = 10,
    settings: Mapping[str, Any] | None = None,
) -> TopicReportData:
    """Say all that a report on topics says, as plain data.

    Parameters
    ----------
    model, texts, counts, theta, by, time, data, names, coherence, title, n_terms
        As for :func:`topic_report`.
    n_documents, settings
        As for :func:`topic_report`.
    n_words : int, default=10
        How many words of a topic stand in tables.

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
    >>> data = summarise_topics(model, texts)
    >>> data.n_documents, data.n_words, data.diversity
    (20, 5, 0.5)
    """
    phi = phi_of(model)
    shares, is_own, notes = _shares(model, texts, counts, theta)
    column = None if texts is None else as_column(texts, len(shares))
    sizes = topic_sizes(model, phi)
    words = [str(word) for word in _terms(model, phi)]
    n_terms = checked_number(n_terms, "n_terms")
    quality = _coherence(model, texts if counts is None else counts, words, coherence, notes)
    known = _lengths(model, None if column is None else column.fill_null(""), counts, is_own)
    has_words = np.ones(len(shares), dtype=bool) if known is None else known > 0
    topics, terms = topics_and_terms(
        phi,
        shares[has_words],
        sizes,
        words,
        quality,
        dict(names or {}),
        n_terms,
        checked_number(n_words, "n_words"),
    )
    return TopicReportData(
        title=title or "Topics",
        created=now(),
        n_documents=len(shares),
        n_empty=0 if known is None else int((known == 0).sum()),
        n_words=phi.shape[1],
        n_tokens=float(round(sizes.sum())) if hasattr(model, "components_") else 0.0,
        n_terms=n_terms,
        method=_METHODS.get(str(getattr(model, "learning_method", "")), type(model).__name__),
        n_iterations=int(getattr(model, "n_iter_", 0)),
        converged=getattr(model, "converged_", None),
        interrupted=bool(getattr(model, "_interrupted", False)),
        r_hat=finite(getattr(model, "r_hat_", None)),
        measure=None if quality is None else quality.measure,
        mean_coherence=None if quality is None else quality.mean,
        diversity=topic_diversity(phi),
        topics=topics,
        terms=terms,
        documents=[]
        if column is None
        else topic_documents(
            phi, shares, column, has_words, words, getattr(model, "vectorizer_", None), n_documents
        ),
        traces=traces_of(model),
        together=together_of(shares[has_words]),
        prevalence=None
        if isinstance(by, TopicEffects)
        else prevalence_by(model if is_own else shares, by, data, lambda: known),
        effects=effects_by(by) if isinstance(by, TopicEffects) else None,
        over_time=None
        if time is None
        else over_time_of(
            time
            if isinstance(time, TopicsOverTime)
            else topics_over_time(
                model if is_own else shares,
                time,
                data=data,
                counts=counts,
                texts=None if column is None else column.fill_null(""),
                lengths=None if is_own else known,
            )
        ),
        notes=notes,
        settings=_settings(model, with_data(settings, texts=column)),
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
    is_ours = kind_of(model).predicts is Predicts.TOPIC  # its theta_ is not computed to look
    keeps = is_ours or "theta_" in vars(model)
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


def _lengths(model: Any, texts: Any, counts: Any, is_own: bool) -> Any:
    """Return the words of each document that the model knows, if anything tells."""
    if is_own and lengths_of(model) is not None:
        return lengths_of(model)
    known = counts
    vectorizer = getattr(model, "vectorizer_", None)
    if known is None and texts is not None and vectorizer is not None:
        known = vectorizer.transform(texts)
    return None if known is None else np.asarray(known.sum(axis=1)).ravel()


def _length(documents: Any) -> int:
    if isinstance(documents, str | bytes):
        raise TypeError("texts is one string; expected a list of them, or a column of a table.")
    shape = getattr(documents, "shape", None)
    return int(shape[0]) if shape else len(documents)


def _terms(model: Any, phi: Floats) -> Any:
    terms = terms_of(model, None, phi.shape[1])
    return [f"column {number}" for number in range(phi.shape[1])] if terms is None else terms


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


def _settings(model: Any, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what was given, and the parameters of model and vectorizer that are not defaults."""
    settings: dict[str, Any] = dict(given or {})
    settings["model"] = changed_parameters(model)
    vectorizer = getattr(model, "vectorizer_", None)
    if vectorizer is not None:
        settings["vectorizer"] = changed_parameters(vectorizer)
    plain: dict[str, Any] = to_plain(settings)
    return plain


def render_topics(data: TopicReportData) -> str:
    """Return a report on topics as HTML.

    Parameters
    ----------
    data : TopicReportData
        From :func:`summarise_topics`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    script = asset("quire.report._topics", "topics.js")
    page = whole_page(
        data,
        f"{how_many(len(data.topics), 'topic')} of {how_many(data.n_documents, 'document')}",
        [make(data) for make in _SECTIONS],
        styles=[controls(), asset("quire.report._topics", "topics.css")],
        scripts=[script_with_data(script, "topic-data", explorer_data(data))],
    )
    return str(page)
