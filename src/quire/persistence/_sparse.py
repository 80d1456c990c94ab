"""Sparse matrices of a model file: what their parts have to be before SciPy is given them."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.exceptions import ModelFileError
from quire.persistence._account import Account
from quire.persistence._nodes import checked_shape, shown

__all__ = ["memory_of_sparse", "sparse_from_parts"]

_KINDS = frozenset(
    f"{form}_{end}"
    for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
    for end in ("array", "matrix")
)
_PARTS = {
    "bsr": {"data", "indices", "indptr"},
    "coo": {"data", "coords"},
    "csc": {"data", "indices", "indptr"},
    "csr": {"data", "indices", "indptr"},
    "dia": {"data", "offsets"},
    "dok": {"value"},
    "lil": {"value"},
}
# Bytes in CPython: a list of columns and one of values for a row; an entry in each form.
_LIL_ROW, _LIL_ENTRY, _DOK_ENTRY = 160, 96, 320


def memory_of_sparse(form: str, n_rows: int, n_entries: int) -> int:
    """Return how many bytes a matrix takes that is made of another one in the file.

    Parameters
    ----------
    form : {"lil", "dok"}
        The format.
    n_rows, n_entries : int
        Its size.

    Returns
    -------
    int
        An upper bound, with what is made on the way.
    """
    return n_rows * _LIL_ROW + n_entries * _LIL_ENTRY if form == "lil" else n_entries * _DOK_ENTRY


def sparse_from_parts(kind: Any, shape: Any, parts: dict[str, Any], account: Account) -> Any:
    """Return the sparse matrix of these parts.

    Parameters
    ----------
    kind : str
        Such as ``"csr_array"``.
    shape : list of int
        Its shape.
    parts : dict
        Its arrays by their names, or the matrix that it is made of.
    account : Account
        Where what SciPy takes is counted.

    Returns
    -------
    sparse array or matrix
        Of the types that the parts have.
    """
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ModelFileError(f"{shown(kind)} is not a kind of sparse matrix")
    form, _, end = kind.partition("_")
    whole = checked_shape(shape)
    if parts.keys() != _PARTS[form]:
        raise ModelFileError(f"a {kind} has the parts {shown(sorted(parts))}")
    if len(whole) != 2 and (end == "matrix" or not 0 < len(whole) <= _axes(form)):
        raise _wrong(kind)
    if form in ("lil", "dok"):
        return _of_another(kind, form, whole, parts["value"], account)
    data = parts["data"]
    if type(data) is not np.ndarray or data.dtype.kind not in "biufc":
        raise _wrong(kind)
    from scipy import sparse

    make = getattr(sparse, kind)
    if form == "coo":
        coords = parts["coords"]
        if not isinstance(coords, tuple) or not _are_coordinates(coords, data, whole):
            raise _wrong(kind)
        account.take(sum(part.nbytes for part in coords))
        return make((data, coords), shape=whole)
    if form == "dia":
        if not _are_diagonals(parts["offsets"], data, whole):
            raise _wrong(kind)
        return make((data, parts["offsets"]), shape=whole)
    indices, indptr = parts["indices"], parts["indptr"]
    if not _are_compressed(form, indices, indptr, data, whole):
        raise _wrong(kind)
    account.take(indices.nbytes + indptr.nbytes)
    made = make((data, indices, indptr), shape=whole)
    made.indices, made.indptr = indices, indptr  # 64 bits stay 64 bits
    return made


def _wrong(kind: str) -> ModelFileError:
    return ModelFileError(f"the parts of a {kind} do not fit together")


def _axes(form: str) -> int:
    """Return how many axes an array of this format may have."""
    return {"coo": 64, "csr": 2, "dok": 2}.get(form, 0)


def _is_whole(array: Any) -> bool:
    return type(array) is np.ndarray and array.ndim == 1 and array.dtype in ("i4", "i8")


def _are_compressed(
    form: str, indices: Any, indptr: Any, data: Any, shape: tuple[int, ...]
) -> bool:
    """Say whether compressed rows stay within their arrays and their columns."""
    n_major, n_minor = shape if len(shape) == 2 else (1, shape[0])
    if form == "csc":
        n_major, n_minor = n_minor, n_major
    if form == "bsr":
        if data.ndim != 3 or 0 in data.shape[1:]:
            return False
        if n_major % data.shape[1] or n_minor % data.shape[2]:
            return False
        n_major, n_minor = n_major // data.shape[1], n_minor // data.shape[2]
    elif data.ndim != 1:
        return False
    return (
        _is_whole(indices)
        and _is_whole(indptr)
        and len(indices) == len(data)
        and len(indptr) == n_major + 1
        and indptr[0] == 0
        and indptr[-1] <= len(indices)
        and bool((indptr[1:] >= indptr[:-1]).all())
        and (not len(indices) or 0 <= indices.min() <= indices.max() < n_minor)
    )


def _are_coordinates(coords: tuple[Any, ...], data: Any, shape: tuple[int, ...]) -> bool:
    return (
        data.ndim == 1
        and len(coords) == len(shape)
        and all(
            _is_whole(part)
            and len(part) == len(data)
            and (not len(part) or 0 <= part.min() <= part.max() < n)
            for part, n in zip(coords, shape, strict=True)
        )
    )


def _are_diagonals(offsets: Any, data: Any, shape: tuple[int, ...]) -> bool:
    return (
        _is_whole(offsets)
        and data.ndim == 2
        and len(offsets) == len(data)
        and len(np.unique(offsets)) == len(offsets)
        and (not len(offsets) or -shape[0] <= offsets.min() <= offsets.max() <= shape[1])
    )


def _of_another(kind: str, form: str, shape: tuple[int, ...], other: Any, account: Account) -> Any:
    from scipy import sparse

    known = ("csr_array", "csr_matrix") if len(shape) == 2 else ("coo_array",)
    if type(other) not in [getattr(sparse, name) for name in known] or other.shape != shape:
        raise _wrong(kind)
    account.take(memory_of_sparse(form, shape[0], other.nnz))
    return getattr(sparse, kind)(other)
