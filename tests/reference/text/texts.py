"""The twins of the text kernels in plain Python: the features of documents, and their counts.

Each is written as its definition reads. ``str.lower``, ``re`` and ``unicodedata`` of the running
interpreter are the truth about characters, as they are for scikit-learn.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tests.reference.text.negation import negation_marks
from tests.reference.text.tokens import TokenAutomaton


@dataclass(frozen=True)
class AnalyzerOptions:
    """The arguments of ``_core.text.AnalyzerOptions``, in order."""

    kind: str = "word"  # word, char, char_wb
    lowercase: bool = True
    accents: str | None = None  # unicode, ascii
    shortest_word: int = 2
    min_n: int = 1
    max_n: int = 1
    automaton: TokenAutomaton | None = None
    negations: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Csr:
    """A sparse matrix with sorted columns; as lists, so that a failed comparison can be read."""

    data: list[float]
    indices: list[int]
    indptr: list[int]


@dataclass(frozen=True)
class Terms:
    """Terms in string order, with document and term frequencies."""

    names: list[str]
    document_frequency: list[int]
    term_frequency: list[int]


def normalize(text: str, lowercase: bool, accents: str | None) -> str:
    """Lower case first, then accents: decompose (NFKD), drop marks or all that is not ASCII."""
    if lowercase:
        text = text.lower()
    if accents is None or text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    if accents == "ascii":
        return "".join(c for c in decomposed if ord(c) < 128)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def word_spans(text: str, shortest_word: int) -> list[tuple[int, int]]:
    """Where longest runs of word characters are, if they have enough of them."""
    return [run.span() for run in re.finditer(r"\w+", text) if len(run[0]) >= shortest_word]


def word_ngrams(words: Sequence[str], min_n: int, max_n: int) -> list[str]:
    """All n words in a row, joined by blanks, n from min_n to max_n."""
    return [
        " ".join(words[i : i + n])
        for n in range(min_n, max_n + 1)
        for i in range(len(words) - n + 1)
    ]


def char_ngrams(text: str, min_n: int, max_n: int) -> list[str]:
    """All n characters in a row; two or more white spaces are one blank."""
    text = re.sub(r"\s\s+", " ", text)
    return [text[i : i + n] for n in range(min_n, max_n + 1) for i in range(len(text) - n + 1)]


def char_wb_ngrams(text: str, min_n: int, max_n: int) -> list[str]:
    """The same within each word between its two blanks; a word that is shorter counts once."""
    grams = []
    for word in text.split():
        padded = f" {word} "
        for n in range(min_n, max_n + 1):
            grams += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if n >= len(padded):
                break
    return grams


def features(text: str, options: AnalyzerOptions, stop_words: Iterable[str] = ()) -> list[str]:
    """The features of one document, in any order."""
    text = normalize(text, options.lowercase, options.accents)
    if options.kind == "char":
        return char_ngrams(text, options.min_n, options.max_n)
    if options.kind == "char_wb":
        return char_wb_ngrams(text, options.min_n, options.max_n)
    stop = set(stop_words)
    if options.automaton is None:
        spans = word_spans(text, options.shortest_word)
    else:
        spans = options.automaton.spans(text)
    if options.negations is None:
        tokens = [text[start:end] for start, end in spans]
    else:
        tokens = negation_marks(text, spans, options.negations)
    words = [word for word in tokens if word not in stop]
    return word_ngrams(words, options.min_n, options.max_n)


def rows_to_csr(rows: Iterable[Mapping[int, float]], *, binary: bool = False) -> Csr:
    """The matrix whose row i holds rows[i][column] in ``column``."""
    out = Csr([], [], [0])
    for row in rows:
        for column in sorted(row):
            out.indices.append(column)
            out.data.append(1 if binary else row[column])
        out.indptr.append(len(out.indices))
    return out


def text_counter(
    documents: Sequence[str],
    options: AnalyzerOptions,
    stop_words: Iterable[str] = (),
    *,
    binary: bool = False,
) -> tuple[Terms, Csr]:
    """Count whatever features the documents have."""
    counts = [Counter(features(document, options, stop_words)) for document in documents]
    total: Counter[str] = Counter()
    containing: Counter[str] = Counter()
    for count in counts:
        total.update(count)
        containing.update(count.keys())
    names = sorted(total)
    column = {name: i for i, name in enumerate(names)}
    rows = [{column[name]: n for name, n in count.items()} for count in counts]
    terms = Terms(names, [containing[name] for name in names], [total[name] for name in names])
    return terms, rows_to_csr(rows, binary=binary)


def text_lookup(
    documents: Sequence[str],
    options: AnalyzerOptions,
    stop_words: Iterable[str],
    vocabulary: Mapping[str, int],
    *,
    binary: bool = False,
) -> Csr:
    """Count the features that have a column in the vocabulary."""
    counts = [Counter(features(document, options, stop_words)) for document in documents]
    rows = [{vocabulary[f]: n for f, n in count.items() if f in vocabulary} for count in counts]
    return rows_to_csr(rows, binary=binary)


def term_strings(
    words: bytes,
    word_offsets: Sequence[int],
    width: int,
    grams: Sequence[int],
    chosen: Sequence[int],
) -> list[str]:
    """The words of each chosen term, joined by blanks; the numbers of its words end with -1."""
    names = [words[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(word_offsets)]
    if width == 1:
        return [names[term] for term in chosen]
    rows = [grams[term * width : (term + 1) * width] for term in chosen]
    return [" ".join(names[word] for word in row if word >= 0) for row in rows]


def murmur3_32(data: bytes, seed: int = 0) -> int:
    """MurmurHash3, the 32-bit version for x86, as a signed number (Appleby, 2011)."""
    mask = 0xFFFFFFFF

    def rotate(x: int, by: int) -> int:
        return (x << by | x >> (32 - by)) & mask

    def scramble(k: int) -> int:
        return rotate(k * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    h = seed
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h ^= scramble(int.from_bytes(data[i : i + 4], "little"))
        h = (rotate(h, 13) * 5 + 0xE6546B64) & mask
    h ^= scramble(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - 2**32 if h >= 2**31 else h


def hash_documents(
    documents: Sequence[str],
    options: AnalyzerOptions,
    stop_words: Iterable[str],
    n_features: int,
    alternate_sign: bool,
) -> Csr | int:
    """Column |h| mod n_features, sign of h; the document's number if one has no UTF-8 form."""
    rows = []
    for number, document in enumerate(documents):
        row: Counter[int] = Counter()
        for feature in features(document, options, stop_words):
            try:
                h = murmur3_32(feature.encode())
            except UnicodeEncodeError:
                return number
            # |-2**31| does not fit 32 bits; scikit-learn takes this in its place
            size = 2**31 - 1 - (n_features - 1) if h == -(2**31) else abs(h)
            row[size % n_features] += -1 if alternate_sign and h < 0 else 1
        rows.append(row)
    return rows_to_csr(rows)


def csr_document_frequency(indices: NDArray[np.integer], n_cols: int) -> NDArray[np.int64]:
    """In how many rows each column has an entry."""
    return np.bincount(indices, minlength=n_cols).astype(np.int64)


def csr_tfidf(
    X: NDArray[np.floating], idf: NDArray[np.floating] | None, norm: str | None
) -> NDArray[np.floating]:
    """X_di idf_i, each row divided by its norm; on a dense array, rows of zeros stay."""
    W = X if idf is None else X * idf
    if norm is None:
        return W
    size = np.abs(W).sum(axis=1) if norm == "l1" else np.sqrt((W * W).sum(axis=1))
    return W / np.where(size == 0, 1, size)[:, None]
