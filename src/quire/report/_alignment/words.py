"""Words and what was found for them: those asked for, right ones and wrong ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, paragraph, section, titled
from quire._shared.page.tables import boxed_table, column_head, table
from quire.alignment import Translation

if TYPE_CHECKING:
    from quire.report._alignment.report import AlignmentReportData

__all__ = [
    "TranslatedWord",
    "asked_section",
    "examples_section",
    "missing_section",
    "right_and_wrong",
    "some_of",
    "translated",
]

_CANDIDATES = 5  # words that are shown for each
_NAMED = 40  # missing words that are named


@dataclass(frozen=True)
class TranslatedWord:
    """A word, the words found for it with their scores, and the right ones if they are known.

    `rank` is the place of the first right one; ``None`` if none was found.
    """

    word: str
    found: list[tuple[str, float]]
    right: list[str]
    rank: int | None


def right_and_wrong(
    translations: Iterable[Translation],
) -> tuple[list[Translation], list[Translation]]:
    """Return words whose partner came first, the clearest first, and the others, the best first."""
    translations = list(translations)
    right = [one for one in translations if one.rank == 1]
    wrong = [one for one in translations if one.rank != 1]
    right.sort(key=lambda one: -_margin(one))
    wrong.sort(key=lambda one: (one.rank is None, one.rank or 0))
    return right, wrong


def _margin(one: Translation) -> float:
    scores = [score for _, score in one.candidates[:2]]
    return scores[0] - scores[1] if len(scores) == 2 else 0.0


def some_of(translations: list[Translation], n: int) -> list[Translation]:
    """Take some from the first to the last, so that clear cases and close ones are seen."""
    n = min(n, len(translations))
    places = np.unique(np.linspace(0, len(translations) - 1, n).round().astype(int))
    return [translations[place] for place in places]


def translated(translations: Iterable[Translation]) -> list[TranslatedWord]:
    """Return words with the first of what was found for them."""
    return [
        TranslatedWord(one.word, one.candidates[:_CANDIDATES], one.right, one.rank)
        for one in translations
    ]


def asked_section(report: AlignmentReportData) -> Section:
    """Return the words that were asked for."""
    name, title = "words", "Words asked for"
    if not report.words:
        return section(name, title)
    return section(name, title, _table(report.words, title))


def examples_section(report: AlignmentReportData) -> Section:
    """Return held-out words that found their partner first, and words that did not."""
    parts = []
    most = report.ks[-1]
    if report.right:
        listed = _table(report.right, "Words that found their partner first", most)
        parts.append(titled(f"Right ({count(report.n_right)})", listed))
    if report.wrong:
        listed = _table(report.wrong, "Words that did not find their partner first", most)
        parts.append(titled(f"Wrong ({count(report.n_judged - report.n_right)})", listed))
    scale = "CSLS" if report.best[1] == "csls" else "cosines"
    intro = paragraph(f"Held-out words. Scores are {scale} of the best map.")
    return section("examples", "Examples", intro, *parts)


def _table(words: list[TranslatedWord], caption: str, most: int = 0) -> Html:
    has_answers = any(one.right for one in words)
    heads = ["Word", "Found, with scores", *(["Right", "Place"] if has_answers else [])]
    rows = []
    for one in words:
        candidates = [_candidate(word, score, one.right) for word, score in one.found]
        cells = [html("<td>{}</td>", join(candidates, html(", ")))]
        if has_answers:
            place = f"> {most}" if one.rank is None else str(one.rank)
            right = ", ".join(one.right)
            cells.append(html('<td dir="auto">{}</td><td>{}</td>', right, place))
        rows.append(html('<tr><th scope="row" dir="auto">{}</th>{}</tr>', one.word, join(cells)))
    return boxed_table(map(column_head, heads), rows, caption, kind="example")


def _candidate(word: str, score: float, right: list[str]) -> Html:
    shown = html('<mark class="for2">{}</mark>', word)
    if word not in right:
        shown = html("<span>{}</span>", word)
    return html('<bdi>{}</bdi> <span class="n">{:.2f}</span>', shown, score)


def missing_section(report: AlignmentReportData) -> Section:
    """Return words of pairs that have no vector."""
    name, title = "missing", "Missing words"
    rows = [
        [side, len(words), ", ".join(words[:_NAMED]) + (" …" if len(words) > _NAMED else "")]
        for side, words in (("Source", report.missing_source), ("Target", report.missing_target))
        if words
    ]
    if not rows:
        return section(name, title)
    intro = paragraph("Words of pairs that have no vector; their pairs were left out.")
    missing = table(["Vectors", "Words", "Which"], rows, "Words without a vector")
    return section(name, title, intro, missing)
