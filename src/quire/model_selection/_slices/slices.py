"""Where a model errs: how good it is on parts of the documents, the worst ones first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.stats import false_discovery_control

from quire._shared.column_kinds import kinds_of_columns
from quire._shared.label_sets import LabelSets
from quire._shared.notebooks import ShownInNotebooks
from quire._shared.number_tables import aligned
from quire._shared.shares import Score
from quire._shared.texts import python_objects
from quire._shared.typing import Bools
from quire.checks import guess_languages
from quire.io import Corpus
from quire.model_selection._compare.result import Comparison, Trial
from quire.model_selection._slices.measures import (
    MeanError,
    Measure,
    MicroF1,
    ShareOfRight,
    sums_of,
)
from quire.model_selection._slices.parts import Parts, parts_of, parts_of_numbers

if TYPE_CHECKING:
    from quire._shared.typing import Ints

__all__ = ["ErrorSlice", "ErrorSlices", "error_slices"]

_LENGTH, _LANGUAGE = "length of the text", "language of the text"
_NOT_TOLD = "not told"
_CLEAR = 0.05
_SHOWN = 20  # slices that print shows
_WORDS = 3  # in the median: below it, texts are measured by their characters


@dataclass(frozen=True)
class ErrorSlice(ShownInNotebooks):
    """A part of the documents and how good a model is on it.

    Attributes
    ----------
    column : str
        What the documents were parted by.
    value : str
        Which part it is.
    documents : int
        How many it has.
    score : float
        On these documents.
    low, high : float
        The ends of its interval.
    rest : float
        The score on all other documents.
    difference : float
        The score less that of the rest.
    p_value : float
        Of equal scores here and on the rest.
    p_corrected : float
        The same after Benjamini and Hochberg: among parts with up to 0.05, one in twenty is to be
        expected that is no different.
    is_worse : bool
        Whether it is clearly worse: `p_corrected` is below 0.05.
    """

    column: str
    value: str
    documents: int
    score: float
    low: float
    high: float
    rest: float
    difference: float
    p_value: float
    p_corrected: float
    is_worse: bool


@dataclass(frozen=True)
class ErrorSlices(Sequence[ErrorSlice], ShownInNotebooks):
    """Parts of the documents, from :func:`error_slices`: those where a model is worst come first.

    Attributes
    ----------
    model : str
        Its title.
    measure : str
        What the score is: "accuracy", "mean absolute error" or "F1 of all labels".
    larger_is_better : bool
        Whether it is no error.
    score : Score
        On all documents.
    documents : int
        How many they are.
    slices : tuple of ErrorSlice
        Clearly worse ones first, then by how much worse they are.
    level : float
        How often intervals should cover the score.
    """

    model: str
    measure: str
    larger_is_better: bool
    score: Score
    documents: int
    slices: tuple[ErrorSlice, ...]
    level: float = 0.95

    def __len__(self) -> int:
        return len(self.slices)

    def __getitem__(self, place: Any) -> Any:
        return self.slices[place]

    def __iter__(self) -> Iterator[ErrorSlice]:
        return iter(self.slices)

    @property
    def worse(self) -> tuple[ErrorSlice, ...]:
        """Those that are clearly worse than the rest."""
        return tuple(one for one in self.slices if one.is_worse)

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each slice."""
        text = {"column": pl.String, "value": pl.String, "documents": pl.Int64, "is_worse": bool}
        names = ErrorSlice.__dataclass_fields__
        schema = {name: text.get(name, pl.Float64) for name in names}
        return pl.DataFrame([asdict(one) for one in self.slices], schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, ready for JSON."""
        return {
            "model": self.model,
            "measure": self.measure,
            "documents": self.documents,
            "score": self.score._asdict(),
            "slices": [
                {k: None if v != v else v for k, v in asdict(one).items()} for one in self.slices
            ],
        }

    def __str__(self) -> str:
        value, low, high = self.score
        lines = [
            f"{self.measure} of {self.model} on {self.documents:,} documents: "
            f"{value:.4g} ({low:.4g} to {high:.4g})"
        ]
        if not self.slices:
            return f"{lines[0]}; no part of them is large enough to be looked at"
        rows = [["slice", "documents", self.measure, f"{self.level:.0%} interval", "rest", "p"]]
        for one in self.slices[:_SHOWN]:
            rows.append(
                [
                    f"{'* ' if one.is_worse else '  '}{one.column}: {one.value}",
                    f"{one.documents:,}",
                    f"{one.score:.4g}",
                    f"{one.low:.4g} to {one.high:.4g}",
                    f"{one.rest:.4g}",
                    "<0.001" if one.p_corrected < 0.001 else f"{one.p_corrected:.3f}",
                ]
            )
        lines += aligned(rows, left=1)
        if len(self) > _SHOWN:
            lines.append(f"and {len(self) - _SHOWN} more")
        lines.append("* clearly worse than the rest (p corrected for all slices, below 0.05)")
        return "\n".join(lines)


def error_slices(
    comparison: Comparison,
    data: Any = None,
    *,
    columns: Any = None,
    model: str | None = None,
    n_bins: int = 5,
    min_documents: int = 20,
    max_values: int = 20,
    level: float = 0.95,
    n_jobs: int | None = None,
) -> ErrorSlices:
    """Part documents by length, language and other columns, and judge a model on each part.

    Predictions are those that were made while a document was held out. Categories are a part each
    if they have enough documents, numbers are put in bins of equal size, dates in periods.

    Parameters
    ----------
    comparison : Comparison
        The models.
    data : Corpus, DataFrame or sequence of str, default=None
        What was compared, in the same order: texts give length and language, a table the other
        columns. ``None`` takes the texts that the comparison kept.
    columns : list of str, mapping or DataFrame, default=None
        Names of columns of `data`, or columns of their own, with a value for each document. All of
        `data` that can be parted by, if ``None``: not its texts, its labels, names and keys.
    model : str, default=None
        The name of a model; the best one if ``None``.
    n_bins : int, default=5
        Bins of numbers and of lengths.
    min_documents : int, default=20
        Documents that a part, and the rest, must have.
    max_values : int, default=20
        Categories of a column, the most frequent; the others are one part.
    level : float, default=0.95
        How often intervals should cover the score.
    n_jobs : int, default=None
        Threads for the guess of languages; ``None`` means as many as may be used.

    Returns
    -------
    ErrorSlices
        The score is the share of documents that are right, the mean absolute error of numbers, or
        F1 of all decisions together where documents have several labels.

    Raises
    ------
    ValueError
        If a column is not there, or has another number of values than there are documents.

    Notes
    -----
    A p-value compares a part with all other documents; it is corrected for the number of parts by
    the procedure of Benjamini and Hochberg, which allows for parts that depend on each other
    positively. Documents are taken as independent: copies and documents of one author make
    p-values too small.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import compare, error_slices
    >>> data = make_text_classification(400, n_classes=2, separation=3.0, random_state=0)
    >>> comparison = compare(data.texts, data.y, ["multinomial-nb"])
    >>> source = ["web" if number % 4 else "print" for number in range(400)]
    >>> found = error_slices(comparison, columns={"source": source})
    >>> found.measure, [one.value for one in found if one.column == "source"]
    ('accuracy', ['print', 'web'])
    """
    for name, least, value in (
        ("n_bins", 2, n_bins),
        ("min_documents", 1, min_documents),
        ("max_values", 1, max_values),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"{name} is {value!r}; expected a whole number, {least} or more.")
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a share between 0 and 1.")
    trial = comparison.best if model is None else comparison[model]
    known, measure = _measure_of(comparison, trial)
    texts, table = _texts_and_table(comparison, data, columns)
    parts: list[Parts | None] = []
    if texts is not None:
        parts += [_by_length(texts, n_bins), _by_language(texts, n_jobs)]
    parts += [
        parts_of(column, n_bins, max_values, min_documents) for column in table.iter_columns()
    ]
    slices = []
    total = measure.terms.sum(axis=0)
    for one in parts:
        if one is not None:
            slices += _judged(one, known, measure, total, min_documents, level)
    return ErrorSlices(
        model=trial.title,
        measure=measure.name,
        larger_is_better=measure.larger_is_better,
        score=measure.score(total, level) if len(measure.terms) else Score(np.nan, np.nan, np.nan),
        documents=len(measure.terms),
        slices=_ranked(slices, measure.larger_is_better),
        level=level,
    )


def _measure_of(comparison: Comparison, trial: Trial) -> tuple[Bools, Measure]:
    """Return which documents were held out, and the measure of these."""
    known = np.zeros(len(comparison.y), dtype=bool)
    for (_, test), score in zip(comparison.folds, trial.scores[comparison.metric], strict=True):
        if np.isfinite(score):
            known[test] = True
    if isinstance(comparison.y, LabelSets):
        true, guessed = comparison.codes[known], trial.predicted[known]
        right, *sizes = (
            np.asarray(Y.astype(np.int64).sum(axis=1)).ravel()
            for Y in (true.multiply(guessed), true, guessed)
        )
        return known, MicroF1(right, sizes[0] + sizes[1])
    if comparison.classes is None:
        truth = np.asarray(comparison.y, dtype=np.float64)
        errors = np.abs(truth - trial.predicted)
        known &= np.isfinite(errors)
        return known, MeanError(errors[known])
    known &= (comparison.codes >= 0) & (trial.predicted >= 0)
    return known, ShareOfRight(comparison.codes[known] == trial.predicted[known])


def _texts_and_table(
    comparison: Comparison, data: Any, columns: Any
) -> tuple[pl.Series | None, pl.DataFrame]:
    """Return the texts and the columns to part by."""
    texts: Any = None
    table = pl.DataFrame()
    taken: set[str] = set()
    n = len(comparison.y)
    if isinstance(data, Corpus):
        texts = data.texts if data.text_columns else None
        table, taken = data.frame, {*data.text_columns, data.label_column or ""}
    elif hasattr(data, "columns") and hasattr(data, "dtypes"):
        table = data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)
        named = [name for name in comparison.settings.get("texts") or () if name in table.columns]
        named = named or kinds_of_columns(table).prose
        if named:
            joined = pl.concat_str(
                [pl.col(name) for name in named], separator=" ", ignore_nulls=True
            )
            texts = table.select(joined).to_series()
        taken = {*named}
        taken |= {name for name in table.columns if _is_target(table[name], comparison)}
    elif data is not None:
        texts = data
    elif comparison.counted is not None:
        texts = comparison.counted.texts
    if texts is not None:
        texts = _column("texts", _as_strings(texts), n)
    for name in table.columns[:1]:
        _column(name, table[name], n)
    return texts, _chosen(table, columns, taken, n)


def _chosen(table: pl.DataFrame, columns: Any, taken: set[str], n: int) -> pl.DataFrame:
    if columns is None:
        return table.drop(name for name in table.columns if name in taken)
    if isinstance(columns, Mapping) or hasattr(columns, "columns"):
        return pl.DataFrame([_column(str(name), columns[name], n) for name in columns])
    names = [columns] if isinstance(columns, str) else list(columns)
    for name in names:
        if name not in table.columns:
            known = ", ".join(table.columns) or "no table was given"
            raise ValueError(f"There is no column {name!r}; there are: {known}.")
    return table.select(names)


def _column(name: str, values: Any, n: int) -> pl.Series:
    if not isinstance(values, pl.Series):
        values = pl.Series(name, list(python_objects(values)), strict=False)
    if len(values) != n:
        raise ValueError(
            f"{name} has {len(values):,} values; the comparison has {n:,} documents. Give those "
            "that were compared, in the same order."
        )
    found: pl.Series = values.alias(name)
    return found


def _as_strings(texts: Any) -> pl.Series:
    """Return texts as a column without nulls; what is no string is an empty text."""
    if not isinstance(texts, pl.Series) or texts.dtype != pl.String:
        values = [one if isinstance(one, str) else "" for one in python_objects(texts)]
        try:
            texts = pl.Series(values, dtype=pl.String)
        except UnicodeEncodeError:  # lone surrogates, which UTF-8 does not know
            safe = [one.encode("utf-8", "replace").decode("utf-8") for one in values]
            texts = pl.Series(safe, dtype=pl.String)
    filled: pl.Series = texts.fill_null("")
    return filled


def _is_target(column: pl.Series, comparison: Comparison) -> bool:
    """Return whether a column has the labels themselves."""
    if isinstance(comparison.y, LabelSets) or len(column) != len(comparison.y):
        return False
    if column.dtype.is_nested():
        return False
    for part in (slice(100), slice(None)):  # most columns differ at once
        labels = [str(label) for label in np.asarray(comparison.y[part]).tolist()]
        if column[part].cast(pl.String).to_list() != labels:
            return False
    return True


def _by_length(texts: pl.Series, n_bins: int) -> Parts | None:
    words = texts.str.count_matches(r"\S+").to_numpy().astype(np.float64)
    letters = texts.str.len_chars().to_numpy().astype(np.float64)
    if np.median(words) < _WORDS <= np.median(letters) / 4:  # written without blanks
        return parts_of_numbers(_LENGTH, letters, n_bins, " characters")
    return parts_of_numbers(_LENGTH, words, n_bins, " words")


def _by_language(texts: pl.Series, n_jobs: int | None) -> Parts | None:
    languages = guess_languages(texts, n_jobs=n_jobs)
    names = sorted(languages.drop_nulls().unique().to_list())
    if len(names) < 2:
        return None
    places = {name: number for number, name in enumerate(names)}
    codes = languages.replace_strict(places, default=-1, return_dtype=pl.Int64).fill_null(-1)
    found: Ints = codes.to_numpy().copy()
    found[found < 0] = len(names)
    return Parts(_LANGUAGE, [*names, _NOT_TOLD], found)


def _judged(
    parts: Parts, known: Bools, measure: Measure, total: Any, least: int, level: float
) -> list[ErrorSlice]:
    """Return the parts that are large enough; their p-values are not corrected yet."""
    codes = parts.codes[known]
    sums = sums_of(measure.terms, codes, len(parts.names))
    found = []
    for name, one in zip(parts.names, sums, strict=True):
        rest = total - one
        if one[0] < least or rest[0] < least:
            continue
        score, others = measure.score(one, level), measure.score(rest, level)
        p = measure.p_value(one, rest)
        difference = score.value - others.value
        found.append(
            ErrorSlice(
                parts.column, name, int(one[0]), *score, others.value, difference, p, p, False
            )
        )
    # One language, and texts too short to tell: that is length once more.
    told = [one for one in found if one.value != _NOT_TOLD]
    return [] if parts.column == _LANGUAGE and len(told) < 2 else found


def _ranked(slices: list[ErrorSlice], larger_is_better: bool) -> tuple[ErrorSlice, ...]:
    """Correct p-values, and put the worst slices first."""
    if not slices:
        return ()
    p_values = np.array([1.0 if one.p_value != one.p_value else one.p_value for one in slices])
    corrected = false_discovery_control(np.clip(p_values, 0.0, 1.0)).tolist()
    sign = 1.0 if larger_is_better else -1.0
    finished = []
    for one, p in zip(slices, corrected, strict=True):
        is_worse = p < _CLEAR and sign * one.difference < 0
        finished.append(ErrorSlice(**(asdict(one) | {"p_corrected": p, "is_worse": is_worse})))
    return tuple(sorted(finished, key=lambda one: (not one.is_worse, sign * one.difference)))
