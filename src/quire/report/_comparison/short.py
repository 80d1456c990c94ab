"""In short: the best model, those that are not clearly worse, and what to be careful about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count, duration, metric_name, number, score
from quire._shared.page.sections import Section, facts, paragraph, section, titled, warning_box
from quire.report._comparison.calibration import calibration_warnings
from quire.report._comparison.leaderboard import BASELINES
from quire.report._comparison.slices import worse_in_words

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["short_section"]

_CLEAR = 0.05
_NAMED = 4  # models that are named; more are counted
_RIGHT = {"accuracy": "of documents right", "subset_accuracy": "of documents wholly right"}
_WRONG = {
    "neg_mean_absolute_error": "wrong by {} on average",
    "neg_median_absolute_error": "wrong by {} or less for half of the documents",
    "neg_root_mean_squared_error": "a root mean squared error of {}",
}


def short_section(report: ReportData) -> Section:
    """Return the result in a few sentences, and what to be careful about."""
    shown = [
        ("Rows" if report.corpus.columns else "Documents", count(report.corpus.n_documents)),
        ("Labels" if report.together else "Classes", count(len(report.corpus.class_counts))),
        ("Models", count(len(report.leaderboard))),
        ("Total time", duration(report.seconds)),
    ]
    if not report.corpus.class_counts:
        del shown[1]
    careful = warning_box(_warnings(report))
    return section(
        "short", "In short", _lead(report), _others(report), facts(shown), careful, _notes(report)
    )


def _lead(report: ReportData) -> Html:
    """Return the best model and its score with its interval, as a sentence."""
    best = report.leaderboard[0]
    where = "on documents that were kept out"
    if report.n_folds > 1:
        where = f"over {how_many(report.n_folds, 'fold')}"
    is_only = sum(row.error is None for row in report.leaderboard) == 1
    does = f"{'reaches' if is_only else 'is best:'} {_said(report, best.mean)}"
    between = ""
    if best.low is not None and best.high is not None:
        low, high = sorted((_size(report, best.low), _size(report, best.high)))
        between = f" (95% interval {low} to {high})"
    is_mean = report.n_folds > 1 and not does.endswith("on average")
    return html(
        '<p class="lead"><strong>{best}</strong> {does}{mean} {where}{between}.</p>',
        best=report.best,
        does=does,
        mean=" on average" if is_mean else "",
        where=where,
        between=between,
    )


def _size(report: ReportData, value: float | None) -> str:
    """Return a score as it is said: errors without their sign."""
    if value is None:
        return "–"
    if report.metric in _RIGHT:
        return f"{value:.1%}"
    return number(-value) if report.metric in _WRONG else score(value)


def _said(report: ReportData, value: float | None) -> str:
    size = _size(report, value)
    if report.metric in _RIGHT:
        words = _RIGHT[report.metric]
        return f"{size} {words.replace('documents', 'rows') if report.corpus.columns else words}"
    if report.metric in _WRONG:
        return _WRONG[report.metric].format(size)
    return f"{metric_name(report.metric)} {size}"


def _others(report: ReportData) -> Html:
    """Return which models are not clearly worse, and how far a simple one gets."""
    done = [row for row in report.leaderboard[1:] if row.error is None]
    close = [row.title for row in done if row.p_value is not None and row.p_value >= _CLEAR]
    if not done:
        return NOTHING
    known = [row for row in done if row.p_value is not None]
    said = []
    if close:
        verb = "is" if len(close) == 1 else "are"
        said.append(f"{_listed(close)} {verb} not clearly worse (p ≥ {_CLEAR}).")
        if len(close) < len(known):
            said.append("The others are.")
    elif known:
        said.append(f"All others are clearly worse (p < {_CLEAR}).")
    for row in done:
        if row.name in BASELINES and row.mean is not None:
            said.append(f"To compare with: {row.title} {_said(report, row.mean)}.")
    return paragraph(" ".join(said))


def _listed(names: Sequence[str]) -> str:
    """Return names in a sentence; of many the first ones and how many more."""
    shown = list(names[:_NAMED])
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown)} more")
    if len(shown) < 2:
        return shown[0]
    return f"{'; '.join(shown[:-1])} and {shown[-1]}"


def _warnings(report: ReportData) -> list[str]:
    corpus, warnings = report.corpus, []
    what, texts = ("row", "row") if corpus.columns else ("document", "text")
    if report.interrupted:
        warnings.append("The comparison was interrupted; only finished folds are counted.")
    if corpus.leaked:
        share = corpus.leaked / corpus.n_documents
        are = "is" if corpus.leaked == 1 else "are"
        warnings.append(
            f"Likely leakage: {how_many(corpus.leaked, f'held-out {what}')} ({share:.1%}) {are} "
            "also in the training rows of their fold. Scores may be too high; remove duplicates or "
            "use groups."
        )
    if corpus.conflicting_groups:
        n = corpus.conflicting_groups
        warnings.append(
            f"{how_many(n, texts)} {'has' if n == 1 else 'have'} "
            f"{'different labels' if corpus.has_sets else 'more than one label'} "
            f"({how_many(corpus.conflicting_documents, what)}); no model gets them all right."
        )
    if corpus.empty or corpus.missing:
        warnings.append(_without_words(corpus.empty, corpus.missing))
    warnings += worse_in_words(report.slices)
    warnings += calibration_warnings(report)
    failed = [row.title for row in report.leaderboard if row.error is not None]
    if failed:
        warnings.append(f"Not finished: {', '.join(failed)}. The leaderboard says why.")
    return warnings


def _without_words(empty: int, missing: int) -> str:
    parts = [
        f"{how_many(n, 'document')} {'is' if n == 1 else 'are'} {what}"
        for n, what in ((empty, "empty"), (missing, "missing"))
        if n
    ]
    they = "it is" if empty + missing == 1 else "they are"
    return f"{' and '.join(parts)}; {they} predicted from the class sizes alone."


def _notes(report: ReportData) -> Html:
    items = [html('<li dir="auto">{}</li>', note) for note in report.notes]
    if not items:
        return NOTHING
    return titled("What was decided", html("<ul>{}</ul>", join(items)))
