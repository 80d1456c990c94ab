"""Arrays of a model file: what their types, shapes and bytes may be.

An array is its type, its shape and its raw values. What compiled code takes for granted of values
of a type holds for these too: truth values are 0 or 1, and characters are in Unicode.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.exceptions import ModelFileError
from quire.persistence._nodes import shown

__all__ = ["LARGEST_ITEM", "checked_size", "checked_values", "plain_dtype"]

LARGEST_ITEM = 1 << 20  # bytes of one value of a type that stands by itself


def plain_dtype(text: Any) -> np.dtype[Any]:
    """Return the type with this name, which must not be one of Python objects.

    Parameters
    ----------
    text : str
        Such as ``"<f8"``.

    Returns
    -------
    dtype
        The type.
    """
    dtype = np.dtype(text) if isinstance(text, str) and "," not in text else np.dtype(object)
    if dtype.hasobject or dtype.names is not None or dtype.subdtype is not None:
        raise ModelFileError(f"{shown(text)} is not the type of a plain array")
    return dtype


def checked_size(shape: tuple[int, ...], dtype: np.dtype[Any], limit: int) -> int:
    """Return how many bytes an array would have.

    Parameters
    ----------
    shape : tuple of int
        From a file; none negative.
    dtype : dtype
        Its type.
    limit : int
        What the whole model may take.

    Returns
    -------
    int
        Number of bytes.
    """
    if dtype.hasobject:
        raise ModelFileError("an array of Python objects could hold code")
    # NumPy makes room for a character where a type has none. And an array without values may be
    # long in its other axes, which must not be a reason to make long arrays.
    size = max(1, 4 if dtype.kind == "U" else 1, dtype.itemsize)
    if math.prod(n for n in shape if n) * size > limit:
        raise ModelFileError(f"an array of shape {shown(list(shape))} does not fit into memory")
    return math.prod(shape) * size


def checked_values(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array whose bytes are values of its type.

    Parameters
    ----------
    array : ndarray
        Made of the bytes of a file.

    Returns
    -------
    ndarray
        The same.
    """
    dtype = array.dtype
    if dtype.names is not None:
        for name in dtype.names:
            checked_values(array[name])
    elif dtype.kind in "bU" and array.size and dtype.itemsize:
        is_text = dtype.kind == "U"
        values = np.ascontiguousarray(array.T if array.flags.f_contiguous else array).reshape(-1)
        numbers = values.view(np.dtype("u4").newbyteorder(dtype.byteorder) if is_text else "u1")
        if numbers.max() > (sys.maxunicode if is_text else 1):
            what = "text beyond Unicode" if is_text else "truth values that are neither 0 nor 1"
            raise ModelFileError(f"an array has {what}")
    return array
