r"""Terms and weights in as few bytes as an exact bound allows.

A weight is a whole number of steps, so that it is off by at most half a step. The rarer the term,
the wider its step: with :math:`E_j` how much of term j a document has on average, steps in
proportion to :math:`1 / E_j` make the shortest numbers for the same error of a document. What a
page makes of a text is off by at most the sum of half steps times values of that very text, and the
page adds these up.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.feature_extraction.text import Cutting
from quire.report._try_it.characters import character_tables
from quire.report._try_it.parts import Block, NoParts, Parts
from quire.report._try_it.vocabulary import (
    Agreement,
    Kept,
    LeftOut,
    Vocabulary,
    left_out,
    mean_values,
    spread_of,
)

__all__ = ["Packed", "packed"]

_ERRORS = (1e-6, 1e-5, 1e-4, 1e-3, 4e-3)  # of an average document, in spreads of the scores
_COARSE = 1.0  # where terms are left out as well, which matters more
_FEWEST = 500  # terms; what has room for fewer is no model any more
_ANALYZERS = {"word": 0, "char": 1, "char_wb": 2}
_LONGEST_SHARED = 255  # bytes that a term can have from the one before it
_PROBED = 20_000  # terms whose size tells about that of the others
_TRIES = 3
_SIZING, _SMALLEST = 6, 9  # levels of compression; the second takes ten times as long
_LEAST_BYTES = 1.5, 0.5  # of a term, and of each of its weights


@dataclass(frozen=True)
class Packed:
    """A model as text for a page.

    Attributes
    ----------
    payload : str
        Compressed bytes in letters (base64).
    n_terms, n_kept : int
        How many terms the model has, and the page.
    agreement : Agreement or None
        How the page does without the others; ``None`` if there are none.
    """

    payload: str
    n_terms: int
    n_kept: int
    agreement: Agreement | None


def packed(parts: Parts, sample: Sequence[str], limit: int) -> Packed:
    """Return a model as a text of at most so many letters.

    Parameters
    ----------
    parts : Parts
        The model.
    sample : sequence of str
        The documents that its parts were tried on.
    limit : int
        Letters.

    Raises
    ------
    NoParts
        If too little of the model would be left.
    """
    room = limit // 4 * 3
    vocabulary = Vocabulary(parts)
    spread = spread_of(parts)
    n = len(vocabulary)
    if n * _LEAST_BYTES[0] + n * len(parts.offset) * _LEAST_BYTES[1] < room:
        everything = vocabulary.kept(np.arange(n))
        for error in _ERRORS:
            data = _bytes_of(parts, vocabulary, everything, error * spread, None)
            if len(data) <= 1.03 * room:
                data = zlib.compress(zlib.decompress(data), _SMALLEST)
            if len(data) <= room:
                return Packed(base64.b64encode(data).decode("ascii"), n, n, None)
    if any(block.bm25 for block in parts.blocks):
        raise NoParts("its terms are too many for one page, and lengths of documents need them all")
    order = np.argsort(-vocabulary.importance, kind="stable")
    none = [LeftOut(0 * parts.offset, 0 * parts.offset, 0.0, {}) for _ in parts.blocks]

    def size_of(n_kept: int) -> int:
        kept = vocabulary.kept(np.sort(order[:n_kept]))
        return len(_bytes_of(parts, vocabulary, kept, _COARSE * spread, none)) + 2000

    n_kept = _most(size_of, n, room)
    if n_kept < _FEWEST:
        raise NoParts("its terms are too many for one page")
    kept = vocabulary.kept(np.sort(order[:n_kept]))
    lost, agreement = left_out(parts, kept, sample)
    data = _bytes_of(parts, vocabulary, kept, _COARSE * spread, lost)
    data = zlib.compress(zlib.decompress(data), _SMALLEST)
    return Packed(base64.b64encode(data).decode("ascii"), n, n_kept, agreement)


def _most(size_of: Callable[[int], int], n: int, room: int) -> int:
    """Return about how many terms fit; 0 if that is hardly any."""
    tried = min(n, _PROBED)
    size = size_of(tried)
    best = tried if size <= room else 0
    for _ in range(_TRIES):
        guess = min(n, int(tried * 0.97 * room / size))
        if guess <= best or (best and size > 0.93 * room):
            break
        tried, size = guess, size_of(guess)
        if size <= room:
            best = tried
    return best


class _Bytes:
    """Pieces one behind the other."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0

    def add(self, piece: bytes) -> list[int]:
        """Add a piece; return where it is and how long."""
        self.pieces.append(piece)
        self.size += len(piece)
        return [self.size - len(piece), len(piece)]


def _bytes_of(
    parts: Parts,
    vocabulary: Vocabulary,
    kept: Kept,
    error: float,
    lost: Sequence[LeftOut | None] | None,
) -> bytes:
    """Return a model as compressed bytes: a header as JSON, its length before it, and arrays."""
    out = _Bytes()
    cuts = [
        _cut(cutting, names, out)
        for cutting, names in zip(vocabulary.cuts, kept.names, strict=True)
    ]
    n_steps = sum(len(columns) for columns in kept.columns) or 1
    blocks = []
    for number, block in enumerate(parts.blocks):
        columns, places = kept.columns[number], kept.places[number]
        header = _block(block, columns, places, 2 * error / n_steps, out)
        header["cut"] = vocabulary.cut_of[number]
        missing = None if lost is None else lost[number]
        if missing is not None:
            header["missing"] = {
                "low": missing.low.tolist(),
                "high": missing.high.tolist(),
                "most": missing.most,
                "means": sorted(missing.means.items()),
            }
        blocks.append(header)
    accents = {cutting.strip_accents for cutting in vocabulary.cuts}
    header = {
        "answer": asdict(parts.answer),
        "offset": parts.offset.tolist(),
        "characters": {
            how or "": character_tables(
                lowercase=any(cutting.lowercase for cutting in vocabulary.cuts),
                accents=how,
                words=any(cutting.negations is not None for cutting in vocabulary.cuts),
            )
            for how in sorted(accents, key=str)
        },
        "cuts": cuts,
        "blocks": blocks,
    }
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    return zlib.compress(len(text).to_bytes(4, "little") + text + b"".join(out.pieces), _SIZING)


def _cut(cutting: Cutting, names: NDArray[Any], out: _Bytes) -> dict[str, Any]:
    shared, rest = _front_coded([name.encode("utf-8", "surrogatepass") for name in names.tolist()])
    header: dict[str, Any] = {
        "analyzer": _ANALYZERS[cutting.analyzer],
        "lower": cutting.lowercase,
        "accents": cutting.strip_accents or "",
        "stop": list(cutting.stop_words),
        "negations": None if cutting.negations is None else list(cutting.negations),
        "terms": len(names),
        "shared": out.add(shared),
        "rest": out.add(rest),
    }
    one = cutting.automaton
    if one is not None:
        header["automaton"] = {
            "starts": np.diff(one.starts, prepend=0).tolist(),
            "classes": one.classes.tolist(),
            "n": one.n_classes,
            "next": one.next.ravel().tolist(),
            "accepts": one.accepts.ravel().tolist(),
            "first": one.first.tolist(),
            "part": [one.skip, one.keep, one.drop],
        }
    return header


def _front_coded(terms: list[bytes]) -> tuple[bytes, bytes]:
    """Return how many bytes each term has from the one before it, and the others with ends."""
    shared, rest, before = bytearray(), [], b""
    for term in terms:
        same, most = 0, min(len(before), len(term), _LONGEST_SHARED)
        while same < most and before[same] == term[same]:
            same += 1
        shared.append(same)
        rest.append(term[same:])
        before = term
    return bytes(shared), b"".join(part + b"\xff" for part in rest)


def _block(
    block: Block, columns: NDArray[np.intp], places: NDArray[np.intp], error: float, out: _Bytes
) -> dict[str, Any]:
    """Return the header of a block; each term may be off by `error` in an average document."""
    mean = mean_values(block)[columns] if len(columns) else np.ones(0)
    weights = block.weights[columns]
    wanted = error / mean
    base = float(wanted.min(initial=np.inf))
    if not np.isfinite(base):
        base = 1.0
    exponents = np.floor(np.log2(wanted / base)).clip(0, 60).astype(np.int64)
    steps = np.ldexp(base, exponents)
    whole = np.rint(weights / steps[:, None])
    if np.abs(whole).max(initial=0.0) > 2**40:
        raise NoParts("its weights are too far apart")
    zigzag = np.where(whole < 0, -2 * whole - 1, 2 * whole).astype(np.uint64)
    header: dict[str, Any] = {
        "ngrams": list(block.cutting.ngram_range),
        "binary": block.binary,
        "log": block.log,
        "norm": block.norm,
        "bm25": block.bm25,
        "presence": block.presence,
        "single": block.is_single,
        "terms": len(columns),
        "places": out.add(_varints(np.diff(places, prepend=0))),
        "base": base,
        "steps": out.add(exponents.astype(np.uint8).tobytes()),
        "weights": out.add(b"".join(_varints(zigzag[:, r]) for r in range(weights.shape[1]))),
    }
    if block.norm:
        scale = block.scale[columns].astype("<f4")
        values, number, sizes = np.unique(scale, return_inverse=True, return_counts=True)
        order = np.argsort(-sizes, kind="stable")  # the most frequent have the shortest numbers
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        header["scales"] = out.add(values[order].tobytes())
        header["scale"] = out.add(_varints(rank[number]))
    return header


def _varints(numbers: NDArray[Any]) -> bytes:
    """Return whole numbers in bytes of seven bits, the last of each below 128."""
    left = numbers.astype(np.uint64)
    columns = []
    while True:
        more = left >= 128
        columns.append((left & np.uint64(127)).astype(np.uint8) | (more.astype(np.uint8) << 7))
        left = left >> np.uint64(7)
        if not more.any():
            break
    table = np.stack(columns, axis=1) if len(numbers) else np.empty((0, 1), dtype=np.uint8)
    used = np.ones(table.shape, dtype=bool)
    used[:, 1:] = table[:, :-1] >= 128
    for k in range(1, table.shape[1]):
        used[:, k] &= used[:, k - 1]
    return table[used].tobytes()
