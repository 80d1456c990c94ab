"""What the checks of the texts found: what is there, why it matters, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire._shared.page.html import NOTHING, html
from quire._shared.page.sections import Section, section
from quire._shared.page.tables import table
from quire.model_selection import Comparison

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["Found", "checks_section", "found_by_checks", "other_notes"]


@dataclass(frozen=True)
class Found:
    """One finding."""

    code: str
    severity: str
    what: str
    why: str
    advice: str


def found_by_checks(comparison: Comparison) -> list[Found]:
    """Return what was found, the gravest first; nothing where nothing was looked for.

    Parameters
    ----------
    comparison : Comparison
        What is reported.
    """
    findings = comparison.checks or ()
    return [Found(one.code, one.severity, one.what, one.why, one.advice) for one in findings]


def other_notes(comparison: Comparison) -> list[str]:
    """Return the notes of a comparison without those of its checks, which have their own section.

    Parameters
    ----------
    comparison : Comparison
        What is reported.
    """
    found = {f"{one.code}: {one.what}" for one in comparison.checks or ()}
    return [str(note) for note in comparison.notes if note not in found]


def checks_section(report: ReportData) -> Section:
    """Return a row for each finding."""
    if not report.checks:
        return section("checks", "Checks", NOTHING)
    rows = [
        [f"{one.code} {one.severity}", one.what, f"{one.why} {one.advice}"] for one in report.checks
    ]
    lead = html("<p>{}</p>", "Found by the quick checks; quire check has more of them.")
    heads = ["Check", "What is there", "Why it matters, and what to do"]
    return section("checks", "Checks", lead, table(heads, rows, "What the checks found"))
