"""Texts that came to harm on the way: characters, markup, nothing at all, far too much."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from quire._shared.typing import Ints
from quire.checks._findings import Finding
from quire.checks._material import Material, listed, of_documents, percent

__all__ = ["damaged_characters", "empty_texts", "extreme_lengths", "markup"]

_REPLACED = "\ufffd"
# UTF-8 that was read as cp1252 or latin-1: the lead byte of two (capital A or C with a mark) or of
# three, followed by what continuation bytes are there.
_CONTINUED = (
    "\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178"
)
_DOUBLE = f"[\u00c2-\u00df][{_CONTINUED}]|[\u00e0-\u00ef][{_CONTINUED}]{{2}}"
_CONTROLS = "[\u0080-\u0084\u0086-\u009f]"  # no text has them; U+0085 is a line break
_ENTITY = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|nbsp|apos|[a-zA-Z]{2,8}(?:acute|grave|uml|circ|cedil|tilde|dash|quo|slash|ring|lig));"  # noqa: E501
_TAG = r"</?(?:br|p|div|span|a|b|i|em|strong|li|ul|ol|td|tr|table|h[1-6]|img|font)\b[^<>]{0,500}>"
_LEAST_SHARE = 0.001  # of texts with markup
_LONG, _TIMES = 100_000, 100  # characters; times the median


def damaged_characters(material: Material) -> Iterator[Finding]:
    """QT014: U+FFFD, UTF-8 read as another encoding, control characters."""
    rows = material.accented
    if not len(rows):
        return
    texts = material.texts.gather(rows)
    replaced = texts.str.contains(_REPLACED, literal=True).to_numpy()
    controls = texts.str.contains(_CONTROLS).to_numpy()
    double = np.zeros(len(rows), dtype=bool)
    suspects = np.flatnonzero(texts.str.contains(_DOUBLE).to_numpy())
    examples: dict[str, str] = {}
    if len(suspects):
        # All that looks like it in a text is read back: in one that is sound, some of it fails.
        found = texts.gather(suspects).str.extract_all(rf"(?:\w*?(?:{_DOUBLE})+)+\w*").to_list()
        for place, words in zip(suspects.tolist(), found, strict=True):
            mended = [(word, _read_back(word)) for word in words]
            double[place] = bool(mended) and all(better is not None for _, better in mended)
            if double[place] and len(examples) < 3:
                examples[mended[0][0]] = str(mended[0][1])
    damaged = rows[replaced | controls | double]
    if not len(damaged):
        return
    kinds = []
    if double.any():
        shown = listed((f"{bad} for {good}" for bad, good in examples.items()), quoted=False)
        kinds.append(f"UTF-8 that was read as another encoding in {int(double.sum()):,} ({shown})")
    if replaced.any():
        kinds.append(f"the mark of a character that was lost (U+FFFD) in {int(replaced.sum()):,}")
    if controls.any():
        kinds.append(f"control characters (U+0080 to U+009F) in {int(controls.sum()):,}")
    share = len(damaged) / len(material)
    yield Finding(
        "QT014",
        f"{of_documents(len(damaged))}, {percent(share)} of all: {'; '.join(kinds)}.",
        "warning" if share >= _LEAST_SHARE or len(material) < 1000 else "note",
        damaged,
        terms=tuple(examples),
        details={
            "read in another encoding": int(double.sum()),
            "lost characters": int(replaced.sum()),
            "control characters": int(controls.sum()),
        },
    )


def _read_back(word: str) -> str | None:
    """Return what a word was before it was read in the wrong encoding, if that can be."""
    for encoding in ("cp1252", "latin-1"):
        try:
            better = word.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        return better if better != word else None
    return None


def markup(material: Material) -> Iterator[Finding]:
    """QT015: entities and tags of HTML."""
    entities = _containing(material.texts, _ENTITY)
    tags = _containing(material.texts, _TAG)
    rows = np.union1d(entities, tags)
    if len(rows) < max(1, _LEAST_SHARE * len(material)):
        return
    examples = []
    for found, pattern in ((entities, _ENTITY), (tags, _TAG)):
        pieces = material.texts.gather(found[:1000]).str.extract(f"({pattern})")
        counted = pieces.value_counts(name="count_").sort(
            ["count_", pieces.name], descending=[True, False]
        )
        examples += [str(piece) for piece in counted[pieces.name].head(3)]
    yield Finding(
        "QT015",
        f"{of_documents(len(rows))}, {percent(len(rows) / len(material))} of all, have HTML in "
        f"them: {listed(examples)}.",
        "note",
        rows,
        terms=tuple(examples),
        details={"entities": len(entities), "tags": len(tags)},
    )


def _containing(texts: pl.Series, pattern: str) -> Ints:
    return np.flatnonzero(texts.str.contains(pattern).to_numpy())


def empty_texts(material: Material) -> Iterator[Finding]:
    """QT016: texts without anything to read."""
    rows = np.flatnonzero(material.is_empty)
    if not len(rows):
        return
    share = len(rows) / len(material)
    yield Finding(
        "QT016",
        f"{of_documents(len(rows))}, {percent(share)} of all, "
        f"{'is' if len(rows) == 1 else 'are'} empty.",
        "error" if share >= 0.05 else "warning",
        rows,
    )


def extreme_lengths(material: Material) -> Iterator[Finding]:
    """QT017: texts that are very much longer than the others."""
    lengths = material.texts.str.len_chars().to_numpy()
    full = lengths[lengths > 0]
    if not len(full):
        return
    median = float(np.median(full))
    rows = np.flatnonzero(lengths > max(_LONG, _TIMES * median))
    if not len(rows) or len(rows) > 0.05 * len(material):
        return
    longest = int(lengths.argmax())
    yield Finding(
        "QT017",
        f"{of_documents(len(rows))} of more than {max(_LONG, int(_TIMES * median)):,} characters; "
        f"half of all have at most {median:,.0f}. The longest is row {longest:,} with "
        f"{int(lengths.max()):,}.",
        "note",
        rows,
        details={"median": median, "longest": int(lengths.max())},
    )
