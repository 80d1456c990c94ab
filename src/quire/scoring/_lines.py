"""A few lines of text from a file, predicted and written without polars.

To import polars takes as long as all else that the answer for a line takes. What is read here, is
read as :mod:`quire.io` reads it, and what is written, as polars writes it; what is not plain (other
encodings, marks of compression, numbers that need an exponent) is left to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from quire._shared.decisions import label_columns
from quire._shared.fitted import FromFile
from quire.kinds import Predicts, kind_of, steps_of

__all__ = ["predict_lines"]

_MOST_BYTES = 2**16
_MARKS = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf")  # of compression, of encodings
_TEXT = "text"  # what the column of lines is called
_SMALLEST = 1e-4  # below it, numbers are written in several ways


def predict_lines(
    model: Any, path: str, *, form: str = "csv", probabilities: bool = True
) -> bytes | None:
    r"""Predict a small file with one text a line, and return what the command line writes of it.

    Parameters
    ----------
    model : object
        From :func:`load_model`.
    path : str
        The file.
    form : {"csv", "ndjson"}, default="csv"
        What to write: a table with names, or a JSON object for each line.
    probabilities : bool, default=True
        Whether to add the probability of every class, where the model has them.

    Returns
    -------
    bytes or None
        As polars writes what :func:`quire.prediction.predict_batches` gives. ``None`` if that is
        not certain: if the file is large, compressed or no UTF-8, or if the model was not scored
        from its file.

    Examples
    --------
    >>> import quire, tempfile
    >>> from pathlib import Path
    >>> from quire.naive_bayes import MultinomialNB
    >>> from quire.scoring import load_model, predict_lines
    >>> folder = Path(tempfile.mkdtemp())
    >>> model = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"])
    >>> path = quire.save(model.to_pipeline(), folder / "model.quire")
    >>> _ = (folder / "new.txt").write_text("a good, good film\n")
    >>> found = predict_lines(load_model(path)[0], str(folder / "new.txt"))
    >>> for line in found.decode().splitlines():
    ...     print(line)
    text,predicted,probability,p(neg),p(pos)
    "a good, good film",pos,0.7...,0.2...,0.7...
    """
    if not isinstance(model, FromFile) or kind_of(model).outputs is not None:
        return None
    texts = _lines_of(path) if kind_of(model).predicts == Predicts.LABEL else None
    if texts is None:
        return None
    steps, answering = steps_of(model)
    rows: Any = texts
    for step in steps:
        rows = step.transform(rows)
    added = label_columns(answering, rows, probabilities=probabilities)
    columns = {_TEXT: texts, **{name: _values(column) for name, column in added.items()}}
    if any(column is None for column in columns.values()) or not all(map(_is_bare, columns)):
        return None
    if form == "ndjson":
        listed = zip(*columns.values(), strict=True)
        return b"".join(_object(zip(columns, row, strict=True)) for row in listed)
    lines = [",".join(columns)]
    lines += [",".join(map(_field, row)) for row in zip(*columns.values(), strict=True)]
    return "".join(f"{line}\n" for line in lines).encode()


def _lines_of(path: str) -> list[str] | None:
    """Return the lines of a small, plain file."""
    file = Path(path)
    if "://" in path or path.startswith(("~", "-")) or not file.is_file():
        return None
    try:
        with file.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError:
        return None
    if not data or len(data) > _MOST_BYTES or data.startswith(_MARKS) or b"\0" in data:
        return None
    try:
        texts = [line.removesuffix("\r") for line in data.decode("utf-8").split("\n")]
    except UnicodeDecodeError:
        return None
    if data.endswith(b"\n"):
        texts.pop()
    return None if any("\r" in text for text in texts) else texts


def _values(column: Any) -> list[Any] | None:
    """Return what is written of a column, if everybody writes it so."""
    if column.dtype == np.float64:
        numbers: list[Any] = column.tolist()
        plain = all(number == 0 or _SMALLEST <= abs(number) < 1 / _SMALLEST for number in numbers)
        return numbers if plain else None
    values: list[Any] = column.tolist()
    are_bare = all(type(one) is int or (type(one) is str and _is_bare(one)) for one in values)
    return values if are_bare else None


def _is_bare(text: str) -> bool:
    """Return whether a name or a label stands in CSV and in JSON as it is."""
    return text.isprintable() and text != "" and not set(text) & set(',"\\')


def _field(value: Any) -> str:
    """Return what stands in CSV."""
    if not isinstance(value, str):
        return repr(value)
    return '"' + value.replace('"', '""') + '"' if not value or set(value) & set(',"') else value


def _object(fields: Iterable[tuple[str, Any]]) -> bytes:
    """Return a JSON object and a line break."""
    inner = ",".join(f'"{name}":{json.dumps(value, ensure_ascii=False)}' for name, value in fields)
    return f"{{{inner}}}\n".encode()
