"""The data: lengths, balance, empty and repeated texts, leakage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.how_many import how_many
from quire._shared.page.charts import (
    COLOURS,
    Chart,
    Histogram,
    base,
    histogram,
    histogram_chart,
    names,
    quantity,
)
from quire._shared.page.html import NOTHING, Html
from quire._shared.page.numbers import count, number, score
from quire._shared.page.sections import Section, SideBySide, facts, paragraph, section, titled
from quire._shared.page.tables import table
from quire._shared.typing import Ints
from quire.report._comparison.labels import SetOutcomes
from quire.report._comparison.outcomes import Outcomes
from quire.report._comparison.table import ColumnSummary, columns_table

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["CorpusSummary", "DuplicateGroup", "corpus_section", "summarise_corpus"]

_BINS = 30
_EXAMPLE = 160  # characters
_CHUNK = 50_000  # documents that are copied at a time
_MOST_CLASSES = 30  # bars that can be told apart
_ROW = 26  # height of a bar


@dataclass(frozen=True)
class DuplicateGroup:
    """Documents with the same text, up to case and white space."""

    text: str
    count: int
    labels: list[str]


@dataclass(frozen=True)
class CorpusSummary:
    """The documents: how many, how long, of which classes, and what is wrong with them.

    `exact_duplicates` and `near_duplicates` count documents that repeat an earlier one; the second
    ignores case and white space, and includes the first. `leaked` counts held-out documents whose
    text is also in the training rows of their fold. `score_leaked` and `score_clean` are the
    accuracy (or mean absolute error) of the best model on those documents and on the others.
    `columns` are those of a table without texts, whose documents are its rows in words. `has_sets`
    says that a document may have several of the classes.
    """

    n_documents: int
    missing: int
    empty: int
    words: Histogram
    words_median: float
    words_mean: float
    words_max: int
    class_counts: list[tuple[str, int]]
    target: Histogram | None
    exact_duplicates: int
    near_duplicates: int
    conflicting_groups: int
    conflicting_documents: int
    leaked: int
    score_leaked: float | None
    score_clean: float | None
    examples: list[DuplicateGroup] = field(default_factory=list)
    columns: list[ColumnSummary] = field(default_factory=list)
    has_sets: bool = False


def summarise_corpus(
    column: pl.Series,
    outcomes: Outcomes,
    folds: Any,
    n_examples: int,
    columns: list[ColumnSummary] | None = None,
) -> CorpusSummary:
    """Return what there is to know about the documents before any model is looked at.

    Parameters
    ----------
    column : polars.Series
        The documents.
    outcomes : Outcomes
        Their labels, and what the best model made of them.
    folds : list of (ndarray, ndarray)
        Training and held-out rows.
    n_examples : int
        How many groups of repeated documents to show.
    columns : list of ColumnSummary, default=None
        Of a table without texts.
    """
    words = _word_counts(column)
    exact, near = _group_codes(column, exact=True), _group_codes(column, exact=False)
    conflicts = _conflicting(near, outcomes)
    leaked = _leaked(near, folds)
    known = outcomes.known
    return CorpusSummary(
        n_documents=len(column),
        missing=column.null_count(),
        empty=int((near < 0).sum()) - column.null_count(),
        words=_word_histogram(words),
        words_median=float(np.median(words)),
        words_mean=float(words.mean()),
        words_max=int(words.max()),
        class_counts=outcomes.class_counts(),
        target=None if outcomes.labels else histogram(outcomes.numbers),
        exact_duplicates=_repeats(exact),
        near_duplicates=_repeats(near),
        conflicting_groups=len(conflicts),
        conflicting_documents=int(np.isin(near, conflicts).sum()),
        leaked=int(leaked.sum()),
        score_leaked=outcomes.quality(leaked & known),
        score_clean=outcomes.quality(~leaked & known),
        examples=_examples(column, near, conflicts, outcomes, n_examples),
        columns=columns or [],
        has_sets=isinstance(outcomes, SetOutcomes),
    )


def _word_counts(column: pl.Series) -> NDArray[np.int64]:
    """Return the number of words, by white space, of each document; 0 where it is missing."""
    counts = column.str.count_matches(r"\S+").fill_null(0)
    return counts.to_numpy().astype(np.int64)


def _group_codes(column: pl.Series, *, exact: bool) -> NDArray[np.int64]:
    r"""Return a number for each document, the same for the same text; -1 for empty documents.

    Texts are compared by hashes of 64 bits: among a million documents, two different ones are taken
    for the same with a probability of :math:`3 \cdot 10^{-8}`.

    Numbers go from 0 in the order of the first appearance. If not `exact`, case and white space do
    not matter.
    """
    hashes = np.empty(len(column), dtype=np.uint64)
    empty = np.empty(len(column), dtype=bool)
    for start in range(0, len(column), _CHUNK):
        part = column.slice(start, _CHUNK).fill_null("")
        plain = part.str.replace_all(r"\s+", " ").str.strip_chars()
        text = part if exact else plain.str.to_lowercase()
        hashes[start : start + len(part)] = text.hash(seed=0).to_numpy()
        empty[start : start + len(part)] = (plain == "").to_numpy()
    codes = np.full(len(column), -1, dtype=np.int64)
    _, first, numbers = np.unique(hashes[~empty], return_index=True, return_inverse=True)
    codes[~empty] = np.argsort(np.argsort(first))[numbers]
    return codes


def _word_histogram(words: Ints) -> Histogram:
    """Bins of whole words from zero to the 99th percentile: a few long texts squeeze the rest."""
    top = max(int(np.percentile(words, 99)), 1)
    width = max(1, int(np.ceil((top + 1) / _BINS)))
    edges = np.arange(0, top + width + 1, width)
    counts, _ = np.histogram(words[words < edges[-1]], bins=edges)
    return Histogram(edges.astype(float).tolist(), counts.tolist(), int((words >= edges[-1]).sum()))


def _repeats(codes: Ints) -> int:
    """Count documents that repeat an earlier one."""
    full = codes[codes >= 0]
    return int(full.size - np.unique(full).size)


def _conflicting(codes: Ints, outcomes: Outcomes) -> Ints:
    """Return the numbers of the texts that have more than one label."""
    use = (codes >= 0) & outcomes.labelled
    values = (
        outcomes.codes if outcomes.labels else np.unique(outcomes.numbers, return_inverse=True)[1]
    )
    n_values = int(values.max(initial=0)) + 1
    pairs = np.unique(codes[use] * n_values + values[use])
    texts, counts = np.unique(pairs // n_values, return_counts=True)
    conflicting: Ints = texts[counts > 1]
    return conflicting


def _leaked(codes: Ints, folds: Any) -> NDArray[np.bool_]:
    """Mark held-out documents whose text is also among the training rows of their fold."""
    leaked = np.zeros(len(codes), dtype=bool)
    size = int(codes.max(initial=-1)) + 2
    for train, test in folds:
        seen = np.zeros(size, dtype=bool)
        seen[codes[train]] = True
        seen[-1] = False  # where -1 points: empty documents are no leak
        leaked[test] |= seen[codes[test]]
    return leaked


def _examples(
    column: pl.Series, codes: Ints, conflicts: Ints, outcomes: Outcomes, n_examples: int
) -> list[DuplicateGroup]:
    """Show texts with different labels first, then the most repeated ones."""
    texts, counts = np.unique(codes[codes >= 0], return_counts=True)
    texts, counts = texts[counts > 1], counts[counts > 1]
    order = np.lexsort((texts, -counts, ~np.isin(texts, conflicts)))[:n_examples]
    groups = []
    for place in order:
        rows = np.flatnonzero(codes == texts[place])
        text = " ".join(str(column[int(rows[0])]).split())
        cut = text if len(text) <= _EXAMPLE else text[: _EXAMPLE - 1] + "…"
        groups.append(DuplicateGroup(cut, int(counts[place]), outcomes.names_of(rows)))
    return groups


def corpus_section(report: ReportData) -> Section:
    """Return the section about the documents."""
    corpus = report.corpus
    if corpus.columns:
        return _table_section(corpus)
    shown = facts(
        [
            ("Documents", count(corpus.n_documents)),
            ("Words, median", number(corpus.words_median)),
            ("Words, mean", number(corpus.words_mean)),
            ("Words, most", count(corpus.words_max)),
            ("Empty", count(corpus.empty)),
            ("Missing", count(corpus.missing)),
            ("Exact duplicates", count(corpus.exact_duplicates)),
            ("Near duplicates", count(corpus.near_duplicates)),
        ]
    )
    words = histogram_chart(
        "chart-words", "Lengths", _lengths(corpus), corpus.words, "Words in a document"
    )
    return section(
        "data", "The data", shown, SideBySide([words, _balance(corpus)]), _duplicates(corpus)
    )


def _table_section(corpus: CorpusSummary) -> Section:
    """Return the section about a table without texts."""
    shown = facts(
        [
            ("Rows", count(corpus.n_documents)),
            ("Columns", count(len(corpus.columns))),
            ("Missing values", count(sum(one.missing for one in corpus.columns))),
            ("Repeated rows", count(corpus.near_duplicates)),
        ]
    )
    columns = titled("Columns", columns_table(corpus.columns))
    return section("data", "The data", shown, columns, _balance(corpus), _duplicates(corpus))


def _lengths(corpus: CorpusSummary) -> str:
    longer = (
        f" Not drawn: {how_many(corpus.words.above, 'longer one')}." if corpus.words.above else ""
    )
    return f"Half of the documents have up to {number(corpus.words_median)} words.{longer}"


def _balance(corpus: CorpusSummary) -> Chart:
    counts = corpus.class_counts
    if not counts:
        target = corpus.target
        assert target is not None  # numbers are predicted where there are no classes
        caption = "How often each number is there."
        return histogram_chart("chart-target", "Numbers to predict", caption, target, "Number")
    most = max(counts, key=lambda item: item[1])
    total = sum(number for _, number in counts) or 1
    what = "rows" if corpus.columns else "documents"
    caption = f"The largest class, {most[0]}, has {most[1] / total:.1%} of the {what}."
    if corpus.has_sets:
        total = corpus.n_documents
        caption = f"The most frequent label, {most[0]}, is on {most[1] / total:.1%} of the {what}."
    shown = counts
    if len(counts) > _MOST_CLASSES:
        shown = sorted(counts, key=lambda item: -item[1])[:_MOST_CLASSES]
        nouns = "labels" if corpus.has_sets else "classes"
        caption += f" The {_MOST_CLASSES} largest of {count(len(counts))} {nouns} are shown."
    return _balance_chart(shown, caption, total, "label" if corpus.has_sets else "class")


def _balance_chart(counts: list[tuple[str, int]], caption: str, total: int, noun: str) -> Chart:
    """Return a bar for each class, or each label."""
    values = [{"label": label, "count": count} for label, count in counts]
    spec = base(
        values, f"Documents by {noun}. {caption}", min(_ROW, 520 // len(counts)) * len(counts)
    )
    spec["mark"] = {"type": "bar", "color": COLOURS[0]}
    spec["encoding"] = {
        "y": names("label"),
        "x": quantity("count", "Documents", axis={"tickCount": 4, "format": ",d"}),
        "tooltip": [names("label") | {"title": noun.capitalize()}, quantity("count", "Documents")],
    }
    rows: list[list[Any]] = [[label, count, f"{count / total:.1%}"] for label, count in counts]
    heads = [noun.capitalize(), "Documents", "Share"]
    title = "Labels" if noun == "label" else "Classes"
    return Chart("chart-balance", title, caption, spec, heads, rows)


def _duplicates(corpus: CorpusSummary) -> Html:
    title, what = ("Repeated documents", "documents")
    if corpus.columns:
        title, what = "Repeated rows", "rows"
    if not corpus.near_duplicates:
        return titled(title, paragraph(f"No {what[:-1]} is there twice."))
    has_classes = bool(corpus.class_counts)
    quality = "accuracy" if has_classes else "mean absolute error"
    if corpus.has_sets:
        quality = f"share of {what} with all labels right"
    scores = examples = NOTHING
    repeats = paragraph(
        f"{how_many(corpus.near_duplicates, what[:-1])} "
        f"{'repeats' if corpus.near_duplicates == 1 else 'repeat'} an earlier one, up to case and "
        f"white space; {count(corpus.exact_duplicates)} of them to the letter. "
        f"{how_many(corpus.leaked, f'held-out {what[:-1]}')} with the like in the training rows."
    )
    if corpus.score_leaked is not None and corpus.score_clean is not None:
        scores = paragraph(
            f"The best model's {quality} is {score(corpus.score_leaked)} on {what} that are "
            f"also in the training rows and {score(corpus.score_clean)} on the others."
        )
    rows = [[group.text, group.count, ", ".join(group.labels)] for group in corpus.examples]
    first = ["Row", "Rows"] if corpus.columns else ["Text", "Documents"]
    heads = [*first, "Labels" if has_classes else "Numbers"]
    if rows:
        examples = table(heads, rows, "Examples of repeated documents", kind="texts")
    return titled(title, repeats, scores, examples)
