"""How much a piece of JSON becomes as a table, told before it becomes one.

A table has a cell for every key in every row, so that a file whose objects all have other keys
becomes as large as its square; and values nested hundreds deep are types of which each operation
takes time by the cube of it. Where keys and brackets stand is found with NumPy: no value is parsed.
"""

import numpy as np

from quire.exceptions import CorpusError

__all__ = ["DEEPEST", "check_shape", "is_too_sparse", "table_too_sparse"]

DEEPEST = 64  # objects and arrays inside each other
_FREE_CELLS = 2**25  # that a table may have in any case: half a gigabyte of texts
_FREE_NESTED = 2**23  # where objects hold objects: their cells take more
_CELLS_OF_A_BYTE = 2
_QUOTE, _BACKSLASH, _COLON = ord('"'), ord("\\"), ord(":")
_OPEN, _CLOSE, _ROUNDED = ord("{"), ord("}"), 0x20  # this bit makes "[" of "{"

_Positions = np.ndarray[tuple[int], np.dtype[np.intp]]
_Buffer = np.ndarray[tuple[int], np.dtype[np.uint8]]


def check_shape(data: bytes, name: str) -> None:
    """Refuse JSON whose values are nested too deep, or that has far more cells than bytes.

    Parameters
    ----------
    data : bytes
        An array of objects, or an object in each line.
    name : str
        Where it stands, for messages.

    Raises
    ------
    CorpusError
        If it should not become a table.
    """
    buffer = np.frombuffer(data, dtype=np.uint8)
    quotes = _unescaped(buffer, np.flatnonzero(buffer == _QUOTE))
    rounded = buffer | _ROUNDED
    opens = _outside(np.flatnonzero(rounded == _OPEN), quotes)
    depth = _depth(opens, _outside(np.flatnonzero(rounded == _CLOSE), quotes))
    if depth > DEEPEST:
        raise CorpusError(
            f"{name}: objects and arrays are nested more than {DEEPEST} deep. Write the parts that "
            "matter as columns of their own."
        )
    colons = _outside(np.flatnonzero(buffer == _COLON), quotes)
    n_objects = len(opens)
    is_nested = depth > 1 + data.lstrip().startswith(b"[")
    most = max(_FREE_NESTED if is_nested else _FREE_CELLS, _CELLS_OF_A_BYTE * len(data))
    if n_objects * len(colons) <= most:
        return
    n_keys = _count_keys(data, buffer, quotes, colons)
    if n_objects * n_keys > most:
        raise CorpusError(table_too_sparse(name, n_objects, n_keys))


def table_too_sparse(name: str, n_rows: int, n_columns: int) -> str:
    """Write the message for a table that is nearly empty and very large."""
    return (
        f"{name}: {n_rows:,} objects have {n_columns:,} different keys, and nearly all cells of "
        "such a table are empty. Write keys that differ from object to object as values."
    )


def is_too_sparse(n_cells: int, n_written: int) -> bool:
    """Return whether a table is far larger than what it was made of."""
    return n_cells > max(_FREE_CELLS, 25 * n_written)


def _unescaped(buffer: _Buffer, quotes: _Positions) -> _Positions:
    """Leave out quotes behind an odd number of backslashes."""
    behind = np.flatnonzero(buffer[np.maximum(quotes - 1, 0)] == _BACKSLASH)
    behind = behind[quotes[behind] > 0]
    if not len(behind):
        return quotes
    slashes = np.flatnonzero(buffer == _BACKSLASH)
    begins = np.flatnonzero(np.diff(slashes, prepend=-2) != 1)  # of a run of them
    run = np.searchsorted(slashes[begins], quotes[behind], side="right") - 1
    is_odd = (quotes[behind] - slashes[begins][run]) % 2 == 1
    is_quote = np.ones(len(quotes), dtype=bool)
    is_quote[behind[is_odd]] = False
    return quotes[is_quote]


def _outside(places: _Positions, quotes: _Positions) -> _Positions:
    """Leave out what stands in a string."""
    is_outside = np.searchsorted(quotes, places) % 2 == 0
    return np.compress(is_outside, places)


def _depth(opens: _Positions, closes: _Positions) -> int:
    closed_before = np.searchsorted(closes, opens)
    return int((np.arange(1, len(opens) + 1) - closed_before).max(initial=0))


def _count_keys(data: bytes, buffer: _Buffer, quotes: _Positions, colons: _Positions) -> int:
    """Count different keys: the strings that stand before the colons."""
    last = np.searchsorted(quotes, colons) - 1
    last = last[last > 0]
    ends, starts = quotes[last], quotes[last - 1] + 1
    lengths = ends - starts
    is_long = lengths > 16
    long = {data[i:j] for i, j in zip(starts[is_long], ends[is_long], strict=True)}
    starts, ends, lengths = starts[~is_long], ends[~is_long], lengths[~is_long]
    padded = np.concatenate([np.zeros(16, np.uint8), buffer, np.zeros(16, np.uint8)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 8)
    seen = np.zeros((len(starts), 3), dtype=np.uint64)  # the first 8 bytes, the last 8, the length
    mask = (np.uint64(1) << (8 * np.minimum(lengths, 7)).astype(np.uint64)) - np.uint64(1)
    mask[lengths >= 8] = np.uint64(2**64 - 1)
    seen[:, 0] = np.ascontiguousarray(windows[starts + 16]).view("<u8")[:, 0] & mask
    later = lengths > 8
    seen[later, 1] = np.ascontiguousarray(windows[ends[later] + 8]).view("<u8")[:, 0]
    seen[:, 2] = lengths
    order = np.lexsort(seen.T)
    changes = (np.diff(seen[order], axis=0) != 0).any(axis=1)
    return len(long) + bool(len(seen)) + int(changes.sum())
