"""Words and their vectors: looked up by word, read from and written to the usual files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire.alignment import _binary_files as binary
from quire.alignment import _cached_files as cache_files
from quire.alignment import _other_files as other
from quire.alignment._mapped_rows import MappedRows
from quire.alignment._raw_files import Progress, opened, refuse_device, sizes_of
from quire.alignment._text_files import read_text, write_text

__all__ = ["WordVectors"]

_FORMATS = ("text", "binary", "glove", "parquet", "npy")
_MARK = b"\xef\xbb\xbf"  # of byte order, before the first word
_ENDINGS = {".vec": "text", ".bin": "binary", ".parquet": "parquet", ".npy": "npy"}


class WordVectors(ShownInNotebooks):
    """A vocabulary and a vector for each word.

    Parameters
    ----------
    words : iterable of str
        The words, most frequent first, as files have them. Of a word that comes twice the first
        counts.
    vectors : array-like of shape (n_words, dimension)
        Their vectors: finite numbers, float32 or float64.

    Attributes
    ----------
    words : list of str
        The words.
    vectors : ndarray of shape (n_words, dimension)
        The vectors. Those of a mapped binary file stay in the file; indexing and ``numpy.asarray``
        read them.

    Examples
    --------
    >>> from quire.alignment import WordVectors
    >>> vectors = WordVectors(["king", "queen", "kin"], [[1.0, 0.0], [0.9, 0.4], [0.2, 1.0]])
    >>> len(vectors), vectors.dimension, "king" in vectors
    (3, 2, True)
    >>> vectors["queen"]
    array([0.9, 0.4])
    >>> vectors["kings"]
    Traceback (most recent call last):
    ...
    KeyError: "'kings' is not among the 3 words; close to it are 'king', 'kin'"
    """

    def __init__(self, words: Iterable[str], vectors: Any) -> None:
        listed = list(words)
        array: Any = vectors if isinstance(vectors, MappedRows) else np.asanyarray(vectors)
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
        if array.ndim != 2 or len(array) != len(listed):
            raise ValueError(
                f"vectors has the shape {array.shape}; expected one row for each of the "
                f"{len(listed)} words."
            )
        mapped = isinstance(array, np.memmap | MappedRows)
        if not mapped and not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            raise ValueError(f"The vector of {listed[row]!r} holds NaN or infinity. Leave it out.")
        first: dict[str, int] = {}
        for row, word in enumerate(listed):
            first.setdefault(word, row)
        if len(first) < len(listed):
            rows = np.fromiter(first.values(), dtype=np.int64, count=len(first))
            array = array.selected(rows) if isinstance(array, MappedRows) else array[rows]
            listed, first = list(first), {word: row for row, word in enumerate(first)}
        self._index = first
        self.words = listed
        self.vectors: Any = array

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        format: str = "auto",
        limit: int | None = None,
        mmap: bool = False,
        cache: bool = False,
        errors: str = "strict",
        progress: Progress | None = None,
    ) -> WordVectors:
        """Read a file.

        Parameters
        ----------
        path : path
            The file. Text and binary files may be packed by gzip.
        format : {"auto", "text", "binary", "glove", "parquet", "npy"}, default="auto"
            "text" is word2vec's and fastText's (.vec), "binary" word2vec's (.bin), "glove" text
            without a first line of sizes, "parquet" a table of ``word`` and ``vector``, "npy"
            NumPy's with the words beside it. "auto" goes by the ending, and takes anything else
            for text with or without sizes.
        limit : int, default=None
            Read only so many words, which are the most frequent in most files, and stop there.
        mmap : bool, default=False
            Leave the vectors on the disk until they are used; for "npy" and "binary", and for all
            others with `cache`.
        cache : bool, default=False
            Keep a copy beside the file, ``name.npy`` with ``name.words.txt`` and
            ``name.cache.json``, and read that from then on, until the file changes.
        errors : str, default="strict"
            What to do about words that are not UTF-8, as in ``bytes.decode``.
        progress : callable, default=None
            ``progress(n_read, n_words)`` is called now and then; n_words is None where the file
            does not say. An exception in it ends the reading.

        Returns
        -------
        WordVectors
            What the file holds.

        Raises
        ------
        ValueError
            If the file is not what it should be (the message has the number of the line), or a
            device, which may never end.
        OSError
            If the file cannot be read, or its copy not be written.
        """
        path = Path(path)
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; expected a positive number of words, or None.")
        kind = _format_of(path, format, reading=True)
        refuse_device(path)
        if kind == "npy":
            return cls(*other.read_npy(path, limit, mmap))
        if cache:
            return cls._load_cached(path, kind, limit, mmap, errors, progress)
        if mmap and kind == "binary":
            return cls(*binary.map_binary(path, limit, errors, progress))
        if mmap:
            raise ValueError(
                f"{path} cannot be memory-mapped: its numbers are not as memory has them. Give "
                "cache=True to keep a copy beside it that can, or save the vectors as .npy."
            )
        return cls(*_read(path, kind, limit, errors, progress))

    @classmethod
    def _load_cached(
        cls,
        path: Path,
        kind: str,
        limit: int | None,
        mmap: bool,
        errors: str,
        progress: Progress | None,
    ) -> WordVectors:
        """Read the copy of a file, which is made first if there is none that will do."""
        state = cache_files.state_of(path, kind, errors, limit)
        found = cache_files.cached(path, state, mmap)
        if found is None:
            words, vectors = _read(path, kind, limit, errors, progress)
            made = cls(words, vectors)
            cache_files.write_cache(path, state, made.words, made.vectors, len(words))
            if not mmap:
                return made
            found = cache_files.cached(path, state, mmap)
            if found is None:
                raise OSError(f"{path} was changed while it was read. Read it again.")
        return cls(*found)

    def save(self, path: str | PathLike[str], *, format: str = "auto") -> Path:
        """Write a file, whole or not at all.

        Parameters
        ----------
        path : path
            The file.
        format : {"auto", "text", "binary", "glove", "parquet", "npy"}, default="auto"
            As in :meth:`load`; "auto" goes by the ending. Text and binary files are packed if the
            name ends in ``.gz`` beyond that.

        Returns
        -------
        Path
            The path.
        """
        path = Path(path)
        kind = _format_of(path, format, reading=False)
        if kind == "npy":
            other.write_npy(path, self.words, self.vectors)
        elif kind == "binary":
            binary.write_binary(path, self.words, self.vectors)
        elif kind == "parquet":
            other.write_parquet(path, self.words, self.vectors)
        else:
            write_text(path, self.words, self.vectors, header=kind == "text")
        return path

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle or save: vectors that are mapped go along in full."""
        vectors = self.vectors
        if isinstance(vectors, np.memmap | MappedRows):
            vectors = np.array(vectors)
        return {**self.__dict__, "vectors": vectors}

    def _notebook_cells(self) -> list[list[str]]:
        first = ", ".join(self.words[:10])
        return named_cells({"words": len(self), "dimension": self.dimension, "the first": first})

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __getitem__(self, words: str | Sequence[str]) -> NDArray[Any]:
        """Return the vector of a word, or the rows of several."""
        if isinstance(words, str):
            return np.asarray(self.vectors[self.rows([words])[0]])
        return np.asarray(self.vectors[self.rows(words)])

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words, {self.dimension} dimensions)"

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows of words.

        Parameters
        ----------
        words : iterable of str
            The words.

        Returns
        -------
        ndarray of int64
            Their rows.

        Raises
        ------
        KeyError
            If a word is not there; the message names some that are close to it.
        """
        found = []
        for word in words:
            row = self._index.get(word)
            if row is None:
                raise KeyError(self._missing(word))
            found.append(row)
        return np.array(found, dtype=np.int64)

    def _missing(self, word: str) -> str:
        variants = (word.lower(), word.capitalize(), word.upper(), word.replace(" ", "_"))
        close = [v for v in dict.fromkeys(variants) if v in self._index]
        if not close:
            near = [w for w in self.words if abs(len(w) - len(word)) <= 2 and w[:1] == word[:1]]
            close = get_close_matches(word, near[:20_000], n=3)
        hint = f"; close to it are {', '.join(map(repr, close))}" if close else ""
        return f"{word!r} is not among the {len(self):,} words{hint}"


def _format_of(path: Path, format: str, *, reading: bool) -> str:
    if format not in ("auto", *_FORMATS):
        known = ", ".join(map(repr, ("auto", *_FORMATS)))
        raise ValueError(f"format is {format!r}; expected one of {known}.")
    packed = path.suffix.lower() == ".gz"
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    kind = _ENDINGS.get(ending) if format == "auto" else format
    if kind is None and reading:
        with opened(path) as file:
            kind = (
                "glove" if sizes_of(file.readline(1 << 20).removeprefix(_MARK)) is None else "text"
            )
    if kind is None:
        raise ValueError(
            f"{path.name} does not say its format; end it with {', '.join(_ENDINGS)}, or give "
            "format."
        )
    if packed and kind in ("parquet", "npy"):
        raise ValueError(f"{path.name}: {kind} files are not packed by gzip. Leave .gz away.")
    return kind


def _read(
    path: Path, kind: str, limit: int | None, errors: str, progress: Progress | None
) -> tuple[list[str], Any]:
    if kind == "binary":
        return binary.read_binary(path, limit, errors, progress)
    if kind == "parquet":
        words, vectors = other.read_parquet(path, limit)
        if progress is not None:
            progress(len(words), len(words))
        return words, vectors
    return read_text(path, limit, errors, False if kind == "glove" else None, progress)
