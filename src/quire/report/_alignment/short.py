"""In short: the best map, its precision, and what to be careful about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire._shared.how_many import how_many
from quire._shared.page.html import html
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, facts, section, warning_box
from quire.report._alignment.precision import method_name

if TYPE_CHECKING:
    from quire.report._alignment.report import AlignmentReportData

__all__ = ["short_section"]


def short_section(report: AlignmentReportData) -> Section:
    """Return the result in a sentence and in numbers, and what to be careful about."""
    best = next(one for one in report.scores if one.is_best)
    lead = html(
        '<p class="lead">The best map is <strong>{method}</strong> with retrieval by '
        "<strong>{best.retrieval}</strong>: of {judged} "
        "{report.n_right:,} find their partner first ({share:.0%}).</p>",
        method=method_name(best.method),
        best=best,
        report=report,
        judged=how_many(report.n_judged, "held-out word"),
        share=report.n_right / report.n_judged,
    )
    shown = [
        ("Words of the source", count(report.n_source)),
        ("Words of the target", count(report.n_target)),
        ("Dimensions", "×".join(dict.fromkeys(map(str, report.dimensions)))),
        ("Pairs learned from", count(report.n_train)),
        ("Pairs held out", count(report.n_test)),
        *[
            (f"Precision at {k}", f"{value:.1%}")
            for k, value in zip(report.ks, best.precision, strict=True)
        ],
    ]
    if report.dictionary_size > report.n_train:
        shown.append(("Pairs after refining", count(report.dictionary_size)))
    notes = list(report.notes)
    lost = len(report.missing_source) + len(report.missing_target)
    if lost:
        notes.append(
            f"{how_many(lost, 'word')} of pairs without a vector; their pairs were left out."
        )
    return section("short", "In short", lead, facts(shown), warning_box(notes))
