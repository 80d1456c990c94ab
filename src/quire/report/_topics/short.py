"""In short: how many topics, the largest, and what to be careful about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire._shared.how_many import how_many
from quire._shared.page.html import html
from quire._shared.page.numbers import count, score
from quire._shared.page.sections import (
    Section,
    facts,
    section,
    time_fact,
    warning_box,
    without_terms,
)
from quire.report._topics.topics import topics_by_size

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["short_section"]

_FAR_APART = 1.1  # of R-hat
_LOW_DIVERSITY = 0.5


def short_section(report: TopicReportData) -> Section:
    """Return the result in a sentence and in numbers, and what to be careful about."""
    largest = topics_by_size(report)[0]
    lead = html(
        '<p class="lead"><strong>{n_topics}</strong> in {n_documents}. '
        "The largest, topic {largest.topic} ({words}), has {largest.share:.1%} of all words.</p>",
        n_topics=how_many(len(report.topics), "topic"),
        n_documents=how_many(report.n_documents, "document"),
        largest=largest,
        words=largest.name or " ".join(largest.words[:5]),
    )
    shown = [
        ("Documents", count(report.n_documents)),
        ("Distinct words", count(report.n_words)),
        ("Words in all", count(int(report.n_tokens)) if report.n_tokens else "–"),
        ("Method", report.method),
        ("Iterations", count(report.n_iterations)),
        ("Diversity", score(report.diversity)),
    ]
    if report.mean_coherence is not None:
        shown.insert(5, (f"Coherence ({report.measure})", score(report.mean_coherence)))
    shown += time_fact(report.settings)
    return section("short", "In short", lead, facts(shown), warning_box(_warnings(report)))


def _warnings(report: TopicReportData) -> list[str]:
    warnings = []
    if report.interrupted:
        warnings.append("The fit was interrupted; the topics are what was learned so far.")
    elif report.converged is False and report.traces:
        warnings.append("The log-likelihood was still growing when the sweeps ran out; use more.")
    if report.r_hat is not None and report.r_hat > _FAR_APART:
        warnings.append(
            f"The chains do not agree (R-hat {report.r_hat:.2f}): other seeds give other topics."
        )
    if report.diversity < _LOW_DIVERSITY:
        warnings.append(
            f"Topics share their top words (diversity {report.diversity:.2f}): use fewer topics, "
            "or leave out words that are in many documents."
        )
    warnings += without_terms(report.n_empty, "topic")
    return [*warnings, *report.notes]
