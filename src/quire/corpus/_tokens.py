"""A corpus as tokens in their places: what all corpus work is done on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire import _core
from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire._shared.sparse import csr_from_arrays
from quire._shared.threads import effective_threads
from quire.corpus._patterns import PatternSets, Vocabulary, pattern_sets, patterns_of
from quire.feature_extraction.text import TokenPlaces, token_places
from quire.io import Corpus, read_corpus

__all__ = ["Tokens"]

_WIDE = 255


class Tokens(ShownInNotebooks):
    r"""The tokens of a corpus, each with its type and its place in the text.

    A token is a word as it stands in a text; its *form* is how it is written, and its *type* what
    it counts as: the form in lower case, or its stem. Functions of :mod:`quire.corpus` take tokens,
    or anything that tokens can be made of.

    Parameters
    ----------
    data : Tokens, Corpus, path, data frame, or sequence of str
        Texts. Paths and frames are read by :func:`quire.read_corpus`.
    text : str or sequence of str, default=None
        The columns with the texts, of paths and frames.
    tokens : str, default="words"
        Kinds of tokens by name, as in :class:`CountVectorizer`; ``"words"`` are words by the rules
        of Unicode, which keep apostrophes, vowel signs and numbers together.
    token_pattern : str, default=None
        A regular expression in the place of `tokens`.
    lowercase : bool, default=True
        Whether types are in lower case.
    stemmer : str or callable, default=None
        A language, such as ``"english"``: types are stems. Or a function from a word to its stem.
    n_jobs : int, default=None
        Threads; ``None`` means all that may be used.
    **options
        For :func:`quire.read_corpus`.

    Attributes
    ----------
    types : list of str
        What tokens count as, in order.
    texts : polars.Series
        The texts.
    frame : polars.DataFrame
        The columns of the source; without any for a list of texts.
    n_tokens : int
        How many tokens there are.

    Notes
    -----
    Five bytes for each token and the vocabulary are held beside the texts. Texts are looked at
    once; what is selected, removed or joined is taken from the index.

    Examples
    --------
    >>> from quire.corpus import Tokens
    >>> tokens = Tokens(["The cat saw the dog.", "New York, New York"])
    >>> tokens
    <Tokens of 2 documents: 9 tokens of 6 types>
    >>> tokens[0]
    ['the', 'cat', 'saw', 'the', 'dog']
    >>> tokens.compound("new york")[1]
    ['new_york', 'new_york']
    >>> tokens.remove(["the", "s*"])[0]
    ['cat', 'dog']
    """

    def __init__(
        self,
        data: Any,
        *,
        text: str | Sequence[str] | None = None,
        tokens: str = "words",
        token_pattern: str | None = None,
        lowercase: bool = True,
        stemmer: Any = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> None:
        self.texts, self.frame = _texts_and_frame(data, text, options)
        by_name = {"tokens": tokens} if token_pattern is None else {"token_pattern": token_pattern}
        self._places = token_places(self.texts, n_jobs=n_jobs, **by_name)
        self._forms = self._places.form_strings()
        self._n_jobs = n_jobs
        words = [form.lower() for form in self._forms] if lowercase else list(self._forms)
        if stemmer is not None:
            words = _stemmed(words, stemmer)
        self.types, self._type_of_form = _numbered(words)

    def _with(self, places: TokenPlaces, **changed: Any) -> Tokens:
        """Return tokens of the same texts with other places, forms or types."""
        other = object.__new__(type(self))
        for name, value in vars(self).items():
            if name not in ("_vocabulary", "_form_lengths"):
                setattr(other, name, value)
        other._places = places
        for name, value in changed.items():
            setattr(other, name, value)
        other._drop_unused_types()
        return other

    def _drop_unused_types(self) -> None:
        occurs = np.bincount(self._places.forms, minlength=len(self._forms)) > 0
        numbers = np.unique(self._type_of_form[occurs])
        places = np.full(len(self.types), -1, dtype=np.int32)
        places[numbers] = np.arange(len(numbers), dtype=np.int32)
        self.types = [self.types[number] for number in numbers.tolist()]
        self._type_of_form = np.where(occurs, places[self._type_of_form], -1).astype(np.int32)

    def __len__(self) -> int:
        return len(self._places.bounds) - 1

    def __getitem__(self, document: int) -> list[str]:
        types = self._type_of_form[self._places.forms[self._slice(document)]]
        return [self.types[number] for number in types.tolist()]

    def __iter__(self) -> Iterator[list[str]]:
        return (self[document] for document in range(len(self)))

    def __repr__(self) -> str:
        documents = "1 document" if len(self) == 1 else f"{len(self):,} documents"
        return f"<Tokens of {documents}: {self.n_tokens:,} tokens of {len(self.types):,} types>"

    def _notebook_cells(self) -> list[list[str]]:
        sizes = {"documents": len(self), "tokens": self.n_tokens, "types": len(self.types)}
        return named_cells({**sizes, "bytes": self.nbytes})

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return len(self._places.forms)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each document has."""
        return np.diff(self._places.bounds)

    @property
    def nbytes(self) -> int:
        """Bytes of the index, without the texts."""
        return self._places.nbytes

    def _slice(self, document: int) -> slice:
        n = len(self)
        if not -n <= document < n:
            raise IndexError(f"There is no document {document}; there are {n:,}.")
        document %= n
        return slice(int(self._places.bounds[document]), int(self._places.bounds[document + 1]))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.types, self._forms, self._type_of_form)

    @cached_property
    def _form_lengths(self) -> NDArray[np.int64]:
        lengths = np.diff(self._places.word_offsets)
        more = [len(form.encode("utf-8", "surrogatepass")) for form in self._forms[len(lengths) :]]
        return np.concatenate([lengths, np.array(more, dtype=np.int64)])

    def spans(self, document: int) -> NDArray[np.int64]:
        """Return where the tokens of a document begin and end, in bytes of its text as UTF-8.

        Parameters
        ----------
        document : int
            Which, from 0.

        Returns
        -------
        ndarray of shape (n_tokens, 2)
            Begin and end of each token.
        """
        chosen = self._slice(document)
        lengths = self._form_lengths[self._places.forms[chosen]]
        gaps = self._places.gaps[chosen].astype(np.int64)
        wide = self._places.wide_tokens
        first, last = np.searchsorted(wide, [chosen.start, chosen.stop])
        gaps[wide[first:last] - chosen.start] = self._places.wide_gaps[first:last]
        ends = np.cumsum(gaps + lengths)
        return np.stack([ends - lengths, ends], axis=1)

    # What is found in it

    def matches(
        self, patterns: Any, *, case: bool = False, longest: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return where patterns match.

        Parameters
        ----------
        patterns : str or list of str
            Words or phrases; see :mod:`quire.corpus`.
        case : bool, default=False
            Whether capitals must be as they are in the patterns.
        longest : bool, default=False
            Whether only the longest match from a token on counts, and none that overlaps it.

        Returns
        -------
        tokens : ndarray of int64
            The first token of each match, counted over all documents.
        patterns : ndarray of int32
            The pattern of each match.
        """
        sets = self._sets(patterns, case=case)
        return self._matches(sets, longest=longest)

    def _sets(self, patterns: Any, *, case: bool) -> PatternSets:
        return pattern_sets(self._vocabulary, patterns_of(patterns), case=case)

    def _matches(
        self, sets: PatternSets, *, longest: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        found: tuple[Any, Any] = _core.corpus.token_matches(
            self._places.forms,
            self._places.bounds,
            sets.form_bounds,
            sets.form_sets,
            sets.pattern_bounds,
            sets.pattern_sets,
            longest,
            effective_threads(self._n_jobs),
        )
        return found

    def document_of(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the document of tokens that are counted over all documents."""
        found = np.searchsorted(self._places.bounds, tokens, side="right") - 1
        return found.astype(np.int64, copy=False)

    # Other tokens of the same texts

    def select(self, patterns: Any, *, case: bool = False) -> Tokens:
        """Return the tokens that match, with their places.

        Parameters
        ----------
        patterns : str or list of str
            Words or phrases.
        case : bool, default=False
            Whether capitals must be as they are in the patterns.
        """
        return self._kept(self._covered(patterns, case=case))

    def remove(self, patterns: Any, *, case: bool = False) -> Tokens:
        """Return the tokens that do not match, with their places.

        Parameters
        ----------
        patterns : str or list of str
            Words or phrases, such as a list of stop words.
        case : bool, default=False
            Whether capitals must be as they are in the patterns.
        """
        return self._kept(~self._covered(patterns, case=case))

    def _covered(self, patterns: Any, *, case: bool) -> NDArray[np.bool_]:
        """Return which tokens are part of a match."""
        sets = self._sets(patterns, case=case)
        tokens, numbers = self._matches(sets, longest=False)
        edges = np.zeros(self.n_tokens + 1, dtype=np.int64)
        np.add.at(edges, tokens, 1)
        np.add.at(edges, tokens + sets.n_words[numbers], -1)
        covered: NDArray[np.bool_] = np.cumsum(edges[:-1]) > 0
        return covered

    def _kept(self, kept: NDArray[np.bool_]) -> Tokens:
        starts, ends = self._all_spans()
        return self._with(self._as_places(self._places.forms[kept], starts[kept], ends[kept], kept))

    def _all_spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return begin and end of every token in its document."""
        gaps = self._places.gaps.astype(np.int64)
        gaps[self._places.wide_tokens] = self._places.wide_gaps
        lengths = self._form_lengths[self._places.forms]
        ends = np.cumsum(gaps + lengths)
        before = np.concatenate([[0], ends])[self._places.bounds[:-1]]
        ends -= np.repeat(before, self.lengths)
        return ends - lengths, ends

    def _as_places(
        self,
        forms: NDArray[np.int32],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        kept: NDArray[np.bool_],
    ) -> TokenPlaces:
        """Return places of tokens that were kept, from where they begin and end."""
        totals = np.concatenate([[0], np.cumsum(kept)])
        bounds = totals[self._places.bounds].astype(np.int64)
        before = np.concatenate([[0], ends[:-1]])[: len(ends)]
        firsts = bounds[:-1][np.diff(bounds) > 0]
        before[firsts] = 0
        gaps = starts - before
        wide = np.flatnonzero(gaps >= _WIDE)
        places = self._places
        return TokenPlaces(
            places.words,
            places.word_offsets,
            np.ascontiguousarray(forms, dtype=np.int32),
            np.minimum(gaps, _WIDE).astype(np.uint8),
            wide.astype(np.int64),
            gaps[wide].astype(np.int64),
            bounds,
        )

    def compound(self, patterns: Any, *, joiner: str = "_", case: bool = False) -> Tokens:
        """Return tokens in which phrases are one token each.

        Of phrases that overlap the longest that begins first is joined.

        Parameters
        ----------
        patterns : str or list of str
            Phrases.
        joiner : str, default="_"
            What stands between their words in the type.
        case : bool, default=False
            Whether capitals must be as they are in the patterns.
        """
        sets = self._sets(patterns, case=case)
        first, numbers = self._matches(sets, longest=True)
        n_words = sets.n_words[numbers]
        first, n_words = first[n_words > 1], n_words[n_words > 1]
        starts, ends = self._all_spans()
        forms = self._places.forms.copy()
        kept = np.ones(self.n_tokens, dtype=bool)
        names: dict[tuple[str, str], int] = {}
        for token, n, document in zip(
            first.tolist(), n_words.tolist(), self.document_of(first).tolist(), strict=True
        ):
            last = token + n - 1
            written = self._written(document, int(starts[token]), int(ends[last]))
            parts = self._type_of_form[self._places.forms[token : last + 1]].tolist()
            joined = joiner.join(self.types[part] for part in parts)
            number = names.setdefault((written, joined), len(names))
            forms[token] = len(self._forms) + number
            ends[token] = ends[last]
            kept[token + 1 : last + 1] = False
        types = [self.types[number] if number >= 0 else "" for number in self._type_of_form]
        types += [joined for _, joined in names]
        known, type_of_form = _numbered(types)
        return self._with(
            self._as_places(forms[kept], starts[kept], ends[kept], kept),
            _forms=[*self._forms, *(written for written, _ in names)],
            types=known,
            _type_of_form=type_of_form,
        )

    def _written(self, document: int, begin: int, end: int) -> str:
        text: str = self.texts[document]
        return text.encode("utf-8", "surrogatepass")[begin:end].decode("utf-8", "surrogatepass")

    def sample(self, n: int, *, random_state: int = 0) -> Tokens:
        """Return some of the documents, drawn without replacement, in their order.

        Parameters
        ----------
        n : int
            How many; all if there are no more.
        random_state : int, default=0
            The seed.
        """
        rng = np.random.default_rng(random_state)
        rows = np.sort(rng.choice(len(self), size=min(n, len(self)), replace=False))
        return self.documents(rows)

    def documents(self, rows: Any) -> Tokens:
        """Return some of the documents, in the order in which they are named.

        Parameters
        ----------
        rows : sequence of int, or of bool for each document
            Which.
        """
        chosen = np.asarray(rows)
        numbers = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        lengths = self.lengths[numbers]
        bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shift = np.repeat(self._places.bounds[:-1][numbers] - bounds[:-1], lengths)
        tokens = np.arange(bounds[-1]) + shift
        gaps = self._places.gaps[tokens]
        wide = np.flatnonzero(gaps == _WIDE)
        old = np.searchsorted(self._places.wide_tokens, tokens[wide])
        places = TokenPlaces(
            self._places.words,
            self._places.word_offsets,
            self._places.forms[tokens],
            gaps,
            wide.astype(np.int64),
            self._places.wide_gaps[old],
            bounds,
        )
        return self._with(
            places,
            texts=self.texts[numbers],
            frame=self.frame[numbers] if self.frame.width else self.frame,
        )

    # Counts

    def to_matrix(self, *, n_jobs: int | None = None) -> Any:
        """Return how often each type occurs in each document; columns are `types`.

        Parameters
        ----------
        n_jobs : int, default=None
            Threads; ``None`` means those of the tokens.

        Returns
        -------
        csr_array of int32 of shape (n_documents, n_types)
            The counts.
        """
        data, indices, indptr = _core.corpus.token_counts(
            self._places.forms,
            self._places.bounds,
            self._type_of_form,
            len(self.types),
            effective_threads(self._n_jobs if n_jobs is None else n_jobs),
        )
        return csr_from_arrays(data, indices, indptr, len(self.types))

    def group_counts(
        self, groups: NDArray[np.int32], n_groups: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how often each type occurs in groups of documents, and in how many documents.

        Parameters
        ----------
        groups : ndarray of int32 of shape (n_documents,)
            The group of each document; -1 for none.
        n_groups : int
            How many groups.

        Returns
        -------
        tokens, documents : ndarray of int64 of shape (n_groups, n_types)
            The counts.
        """
        counted: tuple[Any, Any] = _core.corpus.token_group_counts(
            self._places.forms,
            self._places.bounds,
            self._type_of_form,
            len(self.types),
            np.ascontiguousarray(groups, dtype=np.int32),
            n_groups,
            effective_threads(self._n_jobs),
        )
        return counted


def _texts_and_frame(
    data: Any, text: str | Sequence[str] | None, options: dict[str, Any]
) -> tuple[pl.Series, pl.DataFrame]:
    if isinstance(data, list | tuple | pl.Series):
        if text is not None or options:
            names = sorted({"text": text, **options})
            raise TypeError(f"{', '.join(names)}: options of files and frames, and data is a list.")
        column = data if isinstance(data, pl.Series) else pl.Series("text", data, dtype=pl.String)
        return column.fill_null(""), pl.DataFrame()
    corpus = data
    if not isinstance(data, Corpus):
        corpus = read_corpus(data, text=text, **{"missing": "empty", **options})
    return corpus.texts, corpus.frame


def _numbered(words: Iterable[str]) -> tuple[list[str], NDArray[np.int32]]:
    """Return distinct words in order, and the number of each word among them."""
    listed = list(words)
    types = sorted(set(listed))
    places = {word: number for number, word in enumerate(types)}
    return types, np.array([places[word] for word in listed], dtype=np.int32)


def _stemmed(words: list[str], stemmer: Any) -> list[str]:
    from quire.feature_extraction.text import stems_of

    return stems_of(words, stemmer)
