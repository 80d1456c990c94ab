"""Features of a comparison: texts counted once, and all that is learned learned in each fold.

A fold's vocabulary is the terms of its training documents within the limits of document frequency;
inverse document frequencies, categories, means and scales are those of the training documents, too.
What a model is given is therefore equal to what its pipeline, fitted on the training documents,
would give it, without the texts being read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock, RLock
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from quire._shared.column_kinds import kinds_of_columns
from quire._shared.tables import cleaned_columns
from quire._shared.typing import AnyArray
from quire.feature_extraction.table import TableEncoder
from quire.feature_extraction.text import (
    CountedDocuments,
    CountVectorizer,
    RelevanceTransformer,
    TfidfTransformer,
    TfidfVectorizer,
)
from quire.model_selection._compare.views import VIEWS, WORDS, views_of

__all__ = ["TABLE_KINDS", "Features", "FoldFeatures", "features_of", "weight_and_view"]


_SMALL = 1 << 20  # counts other than 0
_MOST_KEPT = 1 << 23  # a hundred megabytes
_MOST_HELD = 1_500_000_000  # bytes of matrices that a fold keeps for models that may ask again

# Of texts, models are given "counts" or "tfidf", of words or, with a slash and its name, of another
# view: "tfidf/tokens-2". Of a table without texts, one of the forms that `TableEncoder` makes; and
# documents or rows themselves as "raw".
TABLE_KINDS = ("scaled", "plain", "table")


@dataclass(frozen=True)
class Features:
    """Documents, ready to be divided.

    Attributes
    ----------
    data : polars.Series or polars.DataFrame
        The texts, or the table.
    vectorizer : CountVectorizer
        How texts become counts.
    texts : dict from str to CountedDocuments
        Texts by column; one column called "" where only texts were given; none of a table without
        texts.
    categories, numbers : list of str
        Other columns.
    notes : tuple of str
        What was decided about columns.
    views : tuple of str
        The ways of cutting texts into terms that take part (see `quire.model_selection._compare
        .views`).
    codes : ndarray of shape (n_documents,) or None
        The class of each document, for weights that know the classes.
    """

    data: pl.Series | pl.DataFrame
    vectorizer: CountVectorizer
    texts: dict[str, CountedDocuments]
    categories: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    views: tuple[str, ...] = (WORDS,)
    codes: AnyArray | None = None
    _cut: dict[str, dict[str, CountedDocuments]] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def is_mixed(self) -> bool:
        """Whether there is more than one column of texts."""
        return isinstance(self.data, pl.DataFrame)

    @property
    def is_table(self) -> bool:
        """Whether there are numbers and categories alone."""
        return not self.texts

    @property
    def is_small(self) -> bool:
        """Whether operations on all documents are a matter of milliseconds."""
        if isinstance(self.data, pl.DataFrame) and self.is_table:
            return self.data.height * self.data.width < _SMALL
        return sum(int(counted.counts.nnz) for counted in self.texts.values()) < _SMALL

    def counted(self, view: str = WORDS) -> dict[str, CountedDocuments]:
        """Return the texts of each column, counted in a view; each is counted once.

        Parameters
        ----------
        view : str
            Its name.
        """
        if view == WORDS:
            return self.texts
        with self._lock:
            if view not in self._cut:
                family = VIEWS[view].family
                longest = [name for name in self.views if VIEWS[name].family == family][-1:]
                for name in dict.fromkeys([*longest, view]):
                    self._cut.setdefault(name, self._count(name))
            return self._cut[view]

    def _count(self, view: str) -> dict[str, CountedDocuments]:
        vectorizer = VIEWS[view].vectorizer(self.vectorizer)
        for name, counted in self._cut.items():  # n-grams of fewer words come from those of more
            if VIEWS[name].family == VIEWS[view].family:
                most = vectorizer.ngram_range[1]
                return {column: text.shorter(most) for column, text in counted.items()}
        least = int(vectorizer.min_df)
        return {
            column: CountedDocuments(text.texts, vectorizer, least_df=least)
            for column, text in self.texts.items()
        }

    def kept_counts(self, view: str = WORDS) -> CountedDocuments | None:
        """Return the counted texts to keep with the result: texts alone, and not too many.

        Parameters
        ----------
        view : str
            The view of the best model.
        """
        if self.is_mixed:
            return None
        counted = self.counted(view)[""]
        return None if counted.counts.nnz > _MOST_KEPT else counted

    def divide(self, train: AnyArray, test: AnyArray) -> FoldFeatures:
        """Return the features of a fold.

        Parameters
        ----------
        train, test : ndarray of int
            Rows to learn from, and rows held out.
        """
        return FoldFeatures(self, train, test)

    def transformer(self, kind: str) -> Any:
        """Return what makes the same features in a pipeline, not fitted.

        Parameters
        ----------
        kind : {"counts", "tfidf", "relevance", "scaled", "plain", "table"}
            Which; the last three of a table without texts. The first three may name a view, and the
            third is for texts without other columns.
        """
        if self.is_table:
            return TableEncoder(kind)
        weight, view = weight_and_view(kind)
        parameters = VIEWS[view].vectorizer(self.vectorizer).get_params()
        text: Any = CountVectorizer(**parameters)
        if weight == "tfidf":
            text = TfidfVectorizer(**{**parameters, "dtype": np.float64}, sublinear_tf=True)
        if not self.is_mixed:
            if weight == "relevance":
                return make_pipeline(text, RelevanceTransformer())
            return text
        parts: list[tuple[str, Any, Any]] = [
            (name, clone(text), name) for name in self.texts if name
        ]
        if self.categories:
            parts.append(("categories", clone(_ENCODER), self.categories))
        if self.numbers:
            parts.append(("numbers", clone(_SCALER), self.numbers))
        return ColumnTransformer(parts, sparse_threshold=1.0)

    def fit(self, pipeline: Any, y: Any, kind: str) -> Any:
        """Fit a pipeline to all documents, whose texts are not read again.

        Parameters
        ----------
        pipeline : Pipeline
            What :meth:`transformer` returned, and a model. It is fitted itself.
        y : ndarray
            Labels.
        kind : str
            What the transformer was asked for.

        Returns
        -------
        Pipeline
            The same one.
        """
        if self.is_table:
            return pipeline.fit(self.data, y)
        counted_texts = self.counted(weight_and_view(kind)[1])
        if not self.is_mixed:
            return pipeline.fit(counted_texts[""], y)
        columns, model = pipeline.steps[0][1], pipeline.steps[-1][1]
        parts = columns.transformers  # the texts first, in their order
        texts = list(counted_texts.values())
        counted = [
            (name, _CountedColumn(part, text), column)
            for (name, part, column), text in zip(parts, texts, strict=False)
        ]
        columns.transformers = [*counted, *parts[len(texts) :]]
        model.fit(columns.fit_transform(self.data), y)
        columns.transformers = parts
        columns.transformers_ = [
            (name, part.vectorizer if isinstance(part, _CountedColumn) else part, column)
            for name, part, column in columns.transformers_
        ]
        return pipeline


class _CountedColumn(TransformerMixin, BaseEstimator):
    """A vectorizer for a column of texts that are counted already, during one fit."""

    def __init__(self, vectorizer: Any, counted: CountedDocuments) -> None:
        self.vectorizer = vectorizer
        self.counted = counted

    def __sklearn_clone__(self) -> _CountedColumn:
        return _CountedColumn(clone(self.vectorizer), self.counted)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit the vectorizer to the counts, whatever is given."""
        return self.vectorizer.fit_transform(self.counted)

    def fit(self, X: Any, y: Any = None) -> _CountedColumn:
        """Fit the vectorizer to the counts, whatever is given."""
        self.vectorizer.fit(self.counted)
        return self

    def transform(self, X: Any) -> Any:
        """Count the terms of texts."""
        return self.vectorizer.transform(X)


class FoldFeatures:
    """The features of a fold, each kind made when it is first asked for, by any thread."""

    def __init__(self, features: Features, train: AnyArray, test: AnyArray) -> None:
        self.features = features
        self.train, self.test = train, test
        self._made: dict[str, tuple[Any, Any]] = {}
        self._divided: dict[str, list[tuple[Any, Any]]] = {}  # by view: counts of each column
        self._counting: dict[str, float] = {}  # seconds that this took
        self._remembered: dict[Any, Any] = {}
        self._choosing = RLock()
        self.seconds: dict[str, float] = {}  # that each kind would take alone
        self._inside: dict[Any, list[FoldFeatures]] = {}
        self._lock = Lock()  # models of a fold may run side by side

    def inside(self, key: Any, splits: Any) -> list[FoldFeatures]:
        """Return the training documents divided once more, the same ones to all who ask.

        Parameters
        ----------
        key : hashable
            Which division it is.
        splits : callable
            Returns pairs of places among the training documents; called for a new key.
        """
        with self._lock:
            if key not in self._inside:
                self._inside[key] = [
                    FoldFeatures(self.features, self.train[train], self.train[test])
                    for train, test in splits()
                ]
            return self._inside[key]

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made for a key before, or what is made now.

        Parameters
        ----------
        key : hashable
            What it is.
        make : callable
            Makes it.
        """
        with self._choosing:
            if key not in self._remembered:
                self._remembered[key] = make()
            return self._remembered[key]

    def of(self, kind: str) -> tuple[Any, Any]:
        """Return the training and the held-out documents.

        Parameters
        ----------
        kind : {"counts", "tfidf", "scaled", "plain", "table", "raw"}
            As what.
        """
        with self._lock:
            if kind not in self._made:
                start = perf_counter()
                spent = self._counting.get(weight_and_view(kind)[1], 0.0)
                found = self._make(kind)
                self.seconds[kind] = perf_counter() - start + spent
                self._made[kind] = found
                self._forget_some(kind)
                return found
            return self._made[kind]

    def _forget_some(self, newest: str) -> None:
        """Let go of the oldest matrices if there are too many; they are made anew if need be."""
        while _size_of([*self._made.values(), *self._divided.values()]) > _MOST_HELD:
            oldest = next((kind for kind in self._made if kind != newest), None)
            if oldest is not None:
                del self._made[oldest]
            elif self._divided:
                del self._divided[next(iter(self._divided))]
            else:
                return

    def _make(self, kind: str) -> tuple[Any, Any]:
        features = self.features
        if kind == "raw":
            return features.data[self.train], features.data[self.test]
        if features.is_table:
            encoder = features.transformer(kind).fit(features.data[self.train])
            return tuple(encoder.transform(features.data[rows]) for rows in (self.train, self.test))
        weight, view = weight_and_view(kind)
        if view not in self._divided:
            start = perf_counter()
            self._divided[view] = self._counts(view)
            self._counting[view] = perf_counter() - start
        texts = self._divided[view]
        if weight == "tfidf":
            texts = [_weighted(*pair) for pair in texts]
        if weight == "relevance":
            assert features.codes is not None
            y = features.codes[self.train]
            texts = [_relevant(*pair, y) for pair in texts]
        if not features.is_mixed:
            return texts[0]
        train, test = zip(*texts, *self._others(), strict=True)
        return sparse.hstack(train, format="csr"), sparse.hstack(test, format="csr")

    def _counts(self, view: str) -> list[tuple[Any, Any]]:
        divided = []
        for name, documents in self.features.counted(view).items():
            pair = documents.divide(self.train, self.test)
            if pair[0].shape[1] == 0:
                where = f" of column {name!r}" if name else ""
                raise ValueError(
                    f"No term{where} is left in the training documents of a fold: they are empty, "
                    "or min_df is too high for so few documents."
                )
            divided.append(pair)
        return divided

    def _others(self) -> list[tuple[Any, Any]]:
        table = self.features.data
        assert isinstance(table, pl.DataFrame)
        parts = []
        of_columns = ((_ENCODER, self.features.categories), (_SCALER, self.features.numbers))
        for encoder, names in of_columns:
            if names:
                columns = table.select(names)
                fitted = clone(encoder).fit(columns[self.train])
                sides = (columns[rows] for rows in (self.train, self.test))
                train, test = (sparse.csr_array(fitted.transform(side)) for side in sides)
                parts.append((train, test))
        return parts


def weight_and_view(kind: str) -> tuple[str, str]:
    """Return the two parts of the name of features: how terms are weighted, and what they are.

    Parameters
    ----------
    kind : str
        Such as "tfidf", which is of words, or "tfidf/tokens-2".
    """
    weight, _, view = kind.partition("/")
    return weight, view or WORDS


def _size_of(pairs: list[Any]) -> int:
    matrices = {id(part): part for pair in pairs for part in _flat(pair) if sparse.issparse(part)}
    return sum(X.data.nbytes + X.indices.nbytes for X in matrices.values())


def _flat(parts: Any) -> list[Any]:
    if isinstance(parts, list | tuple):
        return [part for inner in parts for part in _flat(inner)]
    return [parts]


def _weighted(train: Any, test: Any) -> tuple[Any, Any]:
    weights = TfidfTransformer(sublinear_tf=True).fit(train)
    return weights.transform(train), weights.transform(test)


def _relevant(train: Any, test: Any, y: AnyArray) -> tuple[Any, Any]:
    weights = RelevanceTransformer().fit(train, y)
    return weights.transform(train), weights.transform(test)


_ENCODER = OneHotEncoder(handle_unknown="ignore", min_frequency=2)
_SCALER = make_pipeline(
    SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
    StandardScaler(),
)


def features_of(
    data: Any,
    *,
    vectorizer: CountVectorizer,
    text: Sequence[str] | None,
    columns: Sequence[str] | None = None,
    views: str | Sequence[str] = WORDS,
    is_own: bool = False,
    memory: float | None = None,
    codes: AnyArray | None = None,
) -> Features:
    """Read texts or a table, and count the words of all texts.

    Parameters
    ----------
    data : iterable of str, or DataFrame
        The documents.
    vectorizer : CountVectorizer
        How to count; its limits hold in each fold.
    text : sequence of str or None
        The columns of a table that are texts; found if ``None``.
    columns : sequence of str, default=None
        Its other columns to learn from; found if ``None``. Without `text` there are no texts then.
    views, is_own, memory
        As for :func:`.views.views_of`.
    codes : ndarray of shape (n_documents,), default=None
        The class of each document.
    """
    found = _features_of(data, vectorizer=vectorizer, text=text, columns=columns)
    if found.is_table:
        return found
    series = [counted.texts for counted in found.texts.values()]
    names, notes = views_of(views, series, vectorizer, is_own=is_own, memory=memory)
    return replace(found, views=names, notes=(*found.notes, *notes), codes=codes)


def _features_of(
    data: Any,
    *,
    vectorizer: CountVectorizer,
    text: Sequence[str] | None,
    columns: Sequence[str] | None,
) -> Features:
    if not hasattr(data, "columns") and not hasattr(data, "column_names"):
        series = _text_series(data)
        return Features(series, vectorizer, {"": _counted(series, vectorizer, "")})
    table = data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)
    if columns is not None:
        _check_columns(table, columns)
        table = table.select([*(text or ()), *columns])
    texts, categories, numbers, left_out = _kinds_of_columns(table, text, columns)
    notes: tuple[str, ...] = ()
    if left_out:
        notes = ("left out: " + ", ".join(f"{name} ({why})" for name, why in left_out.items()),)
    if not texts:
        rows = table.select(name for name in table.columns if name in (*categories, *numbers))
        if rows.width == 0:
            raise ValueError(
                f"There is nothing to learn from among {', '.join(table.columns)}; name columns of "
                "texts, text='...', or of numbers and categories, columns=[...]."
            )
        return Features(rows, vectorizer, {}, categories, numbers, notes)
    table = cleaned_columns(table)
    if not categories and not numbers and len(texts) == 1:
        series = table[texts[0]]
        return Features(series, vectorizer, {"": _counted(series, vectorizer, texts[0])})
    table = table.select(texts + categories + numbers)
    counted = {name: _counted(table[name], vectorizer, name) for name in texts}
    return Features(table, vectorizer, counted, categories, numbers, notes)


def _text_series(data: Any) -> pl.Series:
    if isinstance(data, str):
        raise TypeError("texts is one string; give a list of documents.")
    series = data if isinstance(data, pl.Series) else pl.Series("text", _as_list(data))
    if series.dtype != pl.String:
        first = series.drop_nulls().head(1).to_list()
        raise TypeError(
            f"texts must be strings; got {series.dtype}, such as {first[0] if first else None!r}."
        )
    return series.fill_null("")


def _as_list(data: Any) -> Any:
    if hasattr(data, "to_list"):
        data = data.to_list()
    return [None if text is None or text != text else text for text in data]


def _check_columns(table: pl.DataFrame, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise ValueError(
            f"There is no column {missing[0]!r}; there are: {', '.join(table.columns)}."
        )


def _kinds_of_columns(
    table: pl.DataFrame, text: Sequence[str] | None, columns: Sequence[str] | None
) -> tuple[list[str], list[str], list[str], dict[str, str]]:
    """Return the columns of texts, categories and numbers, and why others are left out."""
    if text is None and columns is None:
        kinds = kinds_of_columns(table)
        texts = kinds.prose
        if not texts and not kinds.usable and kinds.names:
            texts = kinds.names  # short texts, and nothing else
        left_out = {name: why for name, why in kinds.left_out.items() if name not in texts}
        if not texts and not kinds.usable:
            return [name for name, dtype in table.schema.items() if dtype == pl.String], [], [], {}
        return texts, kinds.categories, kinds.numbers, left_out
    _check_columns(table, text or ())
    texts, categories, numbers = list(text or ()), [], []
    for name, dtype in table.schema.items():
        if name in texts or dtype.is_nested():
            continue
        if dtype.is_numeric():
            numbers.append(name)
        elif columns is not None or dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum):
            categories.append(name)
    return texts, categories, numbers, {}


def _counted(texts: pl.Series, vectorizer: CountVectorizer, name: str) -> CountedDocuments:
    if len(texts) == 0:
        raise ValueError("There are no documents.")
    if bool((texts.str.strip_chars() == "").all()):
        where = f" in column {name!r}" if name else ""
        raise ValueError(f"All {len(texts):,} texts{where} are empty.")
    return CountedDocuments(texts, vectorizer)
