"""In short: the best model, those that are not clearly worse, and what to be careful about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count, duration, metric_name, score
from quire._shared.page.sections import Section, facts, paragraph, section, titled, warning_box
from quire.report._comparison.calibration import calibration_warnings
from quire.report._comparison.slices import worse_in_words

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["short_section"]

_CLEAR = 0.05


def short_section(report: ReportData) -> Section:
    """Return the result in a few sentences, and what to be careful about."""
    best = report.leaderboard[0]
    between = ""
    if best.low is not None:
        between = f", 95% interval {score(best.low)} to {score(best.high)}"
    lead = html(
        '<p class="lead"><strong>{best}</strong> is best: {metric} {mean}{between}, {where}.</p>',
        best=report.best,
        metric=metric_name(report.metric),
        mean=score(best.mean),
        between=between,
        where="on one split" if report.n_folds == 1 else f"over {report.n_folds} folds",
    )
    close = [
        row.title
        for row in report.leaderboard[1:]
        if row.p_value is not None and row.p_value >= _CLEAR
    ]
    also = NOTHING
    if close:
        also = paragraph(f"Not clearly worse (p ≥ {_CLEAR}): {', '.join(close)}.")
    shown = [
        ("Rows" if report.corpus.columns else "Documents", count(report.corpus.n_documents)),
        ("Labels" if report.together else "Classes", count(len(report.corpus.class_counts))),
        ("Models", count(len(report.leaderboard))),
        ("Total time", duration(report.seconds)),
    ]
    if not report.corpus.class_counts:
        del shown[1]
    careful = warning_box(_warnings(report))
    return section("short", "In short", lead, also, facts(shown), careful, _notes(report))


def _warnings(report: ReportData) -> list[str]:
    corpus, warnings = report.corpus, []
    what, texts = ("rows", "rows") if corpus.columns else ("documents", "texts")
    if report.interrupted:
        warnings.append("The comparison was interrupted; only finished folds are counted.")
    if corpus.leaked:
        share = corpus.leaked / corpus.n_documents
        warnings.append(
            f"Likely leakage: {count(corpus.leaked)} held-out {what} ({share:.1%}) are also in "
            "the training rows of their fold. Scores may be too high; remove duplicates or use "
            "groups."
        )
    if corpus.conflicting_groups:
        warnings.append(
            f"{count(corpus.conflicting_groups)} {texts} have "
            f"{'different labels' if corpus.has_sets else 'more than one label'} "
            f"({count(corpus.conflicting_documents)} {what}); no model gets them all right."
        )
    if corpus.empty or corpus.missing:
        warnings.append(
            f"{count(corpus.empty)} documents are empty and {count(corpus.missing)} are missing; "
            "they are predicted from the class sizes alone."
        )
    warnings += worse_in_words(report.slices)
    warnings += calibration_warnings(report)
    failed = [row.title for row in report.leaderboard if row.error is not None]
    if failed:
        warnings.append(f"Not finished: {', '.join(failed)}. The leaderboard says why.")
    return warnings


def _notes(report: ReportData) -> Html:
    items = [html('<li dir="auto">{}</li>', note) for note in report.notes]
    if not items:
        return NOTHING
    return titled("What was decided", html("<ul>{}</ul>", join(items)))
