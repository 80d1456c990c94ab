"""scikit-learn's checks of input, for matrices that may be damaged.

scipy and scikit-learn trust the arrays of a sparse matrix: to convert one whose columns or row
pointers lie outside, or to take some of its rows, reads and writes beyond its memory. So it is
looked at first, here. Our kernels look at what they are given by themselves: where nobody else
reads the matrix, and a look would cost more than a trifle of the call, it is left to them. Arrays
that are right but lie as no other code expects them are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from quire._shared.sparse import is_sparse

__all__ = [
    "check_X_y",
    "check_array",
    "check_sparse_arrays",
    "indexable",
    "looked_at",
    "looks_first",
    "validate_data",
]

_PARTS = ("data", "indices", "indptr", "offsets", "row", "col")


def validate_data(
    estimator: Any,
    /,
    X: Any = "no_validation",
    *args: Any,
    for_kernels: bool = False,
    **options: Any,
) -> Any:
    """Do as `sklearn.utils.validation.validate_data`, after a look at a sparse matrix.

    With `for_kernels`, rows that need no conversion are left to our kernels, which must be the only
    ones that read them.
    """
    from sklearn.utils import validation

    X = _looked_at(X, options, for_kernels)
    return validation.validate_data(estimator, X, *args, **options)


def check_array(array: Any, *args: Any, for_kernels: bool = False, **options: Any) -> Any:
    """Do as `sklearn.utils.check_array`, after a look at a sparse matrix (see `validate_data`)."""
    from sklearn.utils import validation

    given = {"accept_sparse": args[0], **options} if args else options
    array = _looked_at(array, given, for_kernels)
    return validation.check_array(array, *args, **options)


def check_X_y(X: Any, y: Any, *args: Any, **options: Any) -> Any:
    """Do as `sklearn.utils.check_X_y`, after a look at a sparse matrix."""
    from sklearn.utils import validation

    X = _looked_at(X, {"accept_sparse": args[0], **options} if args else options)
    return validation.check_X_y(X, y, *args, **options)


def indexable(*given: Any) -> Any:
    """Do as `sklearn.utils.indexable`, after a look at sparse matrices: rows will be taken."""
    from sklearn import utils

    return utils.indexable(*(looked_at(X) for X in given))


def looks_first(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of scikit-learn's that takes X, with a look at a sparse matrix before it.

    For what a class inherits: it checks X, and converts it, by itself.
    """

    @wraps(method)
    def looking(self: Any, X: Any = None, *args: Any, **options: Any) -> Any:
        return method(self, looked_at(X), *args, **options)

    return looking


def looked_at(X: Any) -> Any:
    """Return X for code that reads it before, or without, one of these checks.

    Parameters
    ----------
    X : any
        Only sparse matrices are looked at.
    """
    return _looked_at(X, {})


def _looked_at(X: Any, options: dict[str, Any], for_kernels: bool = False) -> Any:
    """Return X, or a sparse matrix whose arrays lie as scipy makes them, without room behind.

    Room beyond the entries is allowed; but to take columns, scipy copies what happens to be there
    as well, to where there is no room. Arrays of two index types, with gaps, unaligned or in
    foreign byte order are right, too, but compiled code of scipy and scikit-learn refuses them, in
    words about its own types.
    """
    if not is_sparse(X) or options.get("skip_check_array", False):
        return X
    is_usual = X.format not in ("csr", "csc") or _lies_as_usual(X)
    if not (for_kernels and is_usual and _needs_no_conversion(X, options)):
        check_sparse_arrays(X)
    if not is_usual:
        return _laid_out_anew(X)
    if X.format in ("csr", "csc", "bsr") and X.indptr.size and X.indptr[-1] < X.indices.size:
        X = X.copy()
        X.prune()
    return X


def _lies_as_usual(X: Any) -> bool:
    """Return whether all code that takes rows or columns takes these; no numbers are read."""
    arrays = (X.data, X.indices, X.indptr)
    return X.indices.dtype == X.indptr.dtype in (np.int32, np.int64) and all(
        array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
        for array in arrays
    )


def _laid_out_anew(X: Any) -> Any:
    """Return a copy of a checked matrix of rows or columns: one index type, 32 bits if that do."""
    n_stored = int(X.indptr[-1])
    data, indices = (
        np.array(part[:n_stored], dtype=part.dtype.newbyteorder("="))
        for part in (X.data, X.indices)
    )
    indptr = np.array(X.indptr, dtype=X.indptr.dtype.newbyteorder("="))
    kind = np.int32 if max(n_stored, *X.shape) <= np.iinfo(np.int32).max else np.int64
    return type(X)((data, indices.astype(kind), indptr.astype(kind)), shape=X.shape)


def _needs_no_conversion(X: Any, options: dict[str, Any]) -> bool:
    formats = options.get("accept_sparse", False)
    # Rows are for our kernels; what is kept in another way is read by scipy at some time.
    if X.format != "csr" or "csr" not in ([formats] if isinstance(formats, str) else formats or ()):
        return False
    dtype = options.get("dtype", "numeric")
    types = dtype if isinstance(dtype, list | tuple) else [dtype]
    is_taken = any(kind is None or kind == "numeric" or X.dtype == kind for kind in types)
    return is_taken and not options.get("copy", False)


def check_sparse_arrays(X: Any) -> None:
    """Raise an error unless all that a sparse matrix stores lies within its shape and arrays.

    Parameters
    ----------
    X : sparse matrix or array
        Of any format; those of plain Python objects (lil, dok) need no look. Nothing is changed.

    Raises
    ------
    ValueError
        If a row or column is outside, if pointers fall, if arrays differ in length, or if some are
        masked: scipy counts what a mask leaves, and then reads all.
    """
    if any(isinstance(getattr(X, name, None), np.ma.MaskedArray) for name in _PARTS) or any(
        isinstance(numbers, np.ma.MaskedArray) for numbers in getattr(X, "coords", ())
    ):
        raise ValueError("a sparse matrix has a masked array inside; fill it, or compress it")
    n_rows, n_columns = X.shape if len(X.shape) == 2 else (1, *X.shape)
    if X.format in ("csr", "csc", "bsr"):
        if X.format == "bsr":
            height, width = np.asarray(X.data).shape[1:]
            n_rows, n_columns = n_rows // max(height, 1), n_columns // max(width, 1)
        major, minor = (n_columns, n_rows) if X.format == "csc" else (n_rows, n_columns)
        indptr, indices = np.asarray(X.indptr), np.asarray(X.indices)
        _whole_numbers(indptr, indices)
        if len(indptr) != major + 1 or indptr[0] != 0:
            raise ValueError(f"indptr must begin with 0 and have {major + 1} entries")
        if (indptr[1:] < indptr[:-1]).any():
            raise ValueError("indptr must not fall")
        n_stored = int(indptr[-1])
        if n_stored > min(len(indices), len(X.data)):
            raise ValueError("indptr must end at most at the number of stored values")
        _within(indices[:n_stored], minor)
    elif X.format == "coo":
        for numbers, size in zip(X.coords, X.shape, strict=True):
            _whole_numbers(np.asarray(numbers))
            if len(numbers) != len(X.data):
                raise ValueError("row, column and data must be of one length")
            _within(np.asarray(numbers), size)
    elif X.format == "dia" and len(X.offsets) != len(X.data):
        raise ValueError("offsets and data must be of one length")


def _whole_numbers(*arrays: Any) -> None:
    for array in arrays:
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError("rows and columns of a sparse matrix must be arrays of whole numbers")


def _within(numbers: Any, size: int) -> None:
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= size):
        raise ValueError(f"a sparse matrix has an entry outside [0, {size})")
