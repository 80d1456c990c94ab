"""How much a piece of JSON becomes as a table, told before it becomes one.

A table has a cell for every key in every row, so that a file whose objects all have other keys
becomes as large as its square; and values nested hundreds deep are types of which each operation
takes time by the cube of it.
"""

from quire import _core
from quire.exceptions import CorpusError

__all__ = ["DEEPEST", "check_shape", "is_too_sparse", "table_too_sparse"]

DEEPEST = 64  # objects and arrays inside each other
_FREE_CELLS = 2**25  # that a table may have in any case: half a gigabyte of texts
_FREE_NESTED = 2**23  # where objects hold objects: their cells take more
_CELLS_OF_A_BYTE = 2


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
    depth, n_objects, n_keys = _core.text.json_shape(data)
    if depth > DEEPEST:
        raise CorpusError(
            f"{name}: objects and arrays are nested more than {DEEPEST} deep. Write the parts that "
            "matter as columns of their own."
        )
    is_nested = depth > 1 + data.lstrip().startswith(b"[")
    most = max(_FREE_NESTED if is_nested else _FREE_CELLS, _CELLS_OF_A_BYTE * len(data))
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
