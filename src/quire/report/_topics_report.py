"""A report on topics: one HTML file to read them, and the numbers in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.report._page import Page, kept
from quire.report._topics_data import TopicReportData
from quire.report._topics_render import render_topics
from quire.report._topics_summarise import summarise_topics

__all__ = ["TopicReport", "topic_report"]


@dataclass(frozen=True, eq=False, repr=False)
class TopicReport(Page):
    """A report on topics, from :func:`topic_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : TopicReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    data: TopicReportData
    html: str

    def _says(self) -> str:
        return f"{len(self.data.topics)} topics, {self.data.n_documents:,} documents"


def topic_report(
    model: Any,
    texts: Any = None,
    *,
    counts: Any = None,
    theta: Any = None,
    by: Any = None,
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
    by : str, array-like or Prevalence, default=None
        A column of words, numbers or dates: the shares of topics by it; or what
        :func:`quire.topics.prevalence` returned.
    data : DataFrame, default=None
        The table of the column.
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
    found = summarise_topics(
        model,
        texts,
        counts=counts,
        theta=theta,
        by=by,
        data=data,
        names=names,
        coherence=coherence,
        title=title,
        n_terms=n_terms,
        n_documents=n_documents,
        settings=settings,
    )
    return kept(TopicReport(found, render_topics(found)), path)
