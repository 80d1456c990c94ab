"""Whatever a caller passes as documents, as batches that the kernels can read.

Lists of ``str`` and Arrow columns are read where they lie. Everything else (generators, files,
bytes) is turned into lists of ``str`` a batch at a time, so that a generator over a large corpus is
never held whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from quire import _core
from quire._shared.sparse import is_sparse
from quire._shared.texts import is_missing, missing_document, python_objects
from quire._shared.validation import check_sparse_arrays

__all__ = ["document_batches"]

_BATCH = 4096

Decode = Callable[[Any], Any]


def document_batches(documents: Any, decode: Decode, *, decode_all: bool) -> Iterator[Any]:
    """Yield the documents as ``_core.text.Documents``.

    Parameters
    ----------
    documents : iterable
        Documents that passed :func:`quire._shared.texts.check_documents`.
    decode : callable
        Turns what is not a ``str`` into one (bytes, paths, open files).
    decode_all : bool
        Call ``decode`` on every document, also on ``str`` (these are paths or files).

    Yields
    ------
    _core.text.Documents
        All documents at once where they are in memory already, otherwise batches of a few thousand.

    Raises
    ------
    ValueError
        If a document is missing; the message names the row.
    TypeError
        If a document is neither ``str`` nor bytes.
    """
    if not decode_all:
        if _has_arrow(documents):
            arrow = _from_arrow(documents)
            if arrow is not None:
                yield arrow
                return
        documents = python_objects(documents)
        if isinstance(documents, list):
            yield _from_list(documents, 0, decode)
            return
    documents = python_objects(documents)
    row = 0
    for batch in _batched(documents):
        if decode_all:
            batch = [_as_text(document, row + i, decode) for i, document in enumerate(batch)]
        yield _from_list(batch, row, decode)
        row += len(batch)


def _batched(documents: Iterable[Any]) -> Iterator[list[Any]]:
    if is_sparse(documents):
        check_sparse_arrays(documents)  # to go over its rows, scipy reads it
    iterator = iter(documents)
    while batch := list(itertools.islice(iterator, _BATCH)):
        yield batch


def _has_arrow(documents: Any) -> bool:
    return hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__")


def _from_arrow(documents: Any) -> Any:
    """Read an Arrow column in place; ``None`` if it does not hold strings."""
    try:
        views = _core.text.Documents.from_arrow(documents)
    except (TypeError, ImportError, NotImplementedError, UnicodeEncodeError):
        return None  # not strings (categories, objects, bytes) or not UTF-8: through Python
    except Exception as error:
        if type(error).__module__.split(".")[0] == "pyarrow":
            return None  # pandas objects that Arrow has no type for
        raise
    if views.bad_row >= 0:
        raise missing_document(None, views.bad_row)
    return views


def _from_list(documents: list[Any], first_row: int, decode: Decode) -> Any:
    views = _core.text.Documents.from_list(documents)
    if views.bad_row >= 0:
        documents = [
            document if isinstance(document, str) else _as_text(document, first_row + i, decode)
            for i, document in enumerate(documents)
        ]
        views = _core.text.Documents.from_list(documents)
    return views


def _as_text(document: Any, row: int, decode: Decode) -> str:
    if is_missing(document):
        raise missing_document(document, row)
    text = decode(document)
    if not isinstance(text, str):
        raise TypeError(
            f"Document {row} (counted from 0) is of type {type(document).__name__}; expected str "
            "or bytes. Lists of tokens need a custom analyzer, such as analyzer=lambda doc: doc."
        )
    return text
