"""JSON: one object a line (NDJSON), an array of objects, and plain lines of text."""

import json
import re
from collections.abc import Iterator

import polars as pl

from quire.exceptions import CorpusError
from quire.io._json_shape import check_shape
from quire.io._limits import Limits, too_long
from quire.io._options import DataType, Notes, Options
from quire.io._types import FAILURES

_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def ndjson_frames(blocks: Iterator[bytes], options: Options, name: str) -> Iterator[pl.DataFrame]:
    """Yield frames from blocks of UTF-8 with one JSON object a line; blank lines are skipped."""
    for lines, number in _whole_lines(blocks, options.limits, name):
        if not lines.isspace():
            yield _parse_lines(lines, number, options, name)


def json_frames(
    blocks: Iterator[bytes], options: Options, name: str, notes: Notes
) -> Iterator[pl.DataFrame]:
    """Yield one frame from an array of objects, or as `ndjson_frames` does from objects.

    An array is read whole: its end has to be seen before it is known to be valid.
    """
    first = next(blocks, b"")
    if first.lstrip().startswith(b"{"):
        notes.add("it holds objects and no array, so it is read as NDJSON, one object a line")
        yield from ndjson_frames(_chain(first, blocks), options, name)
        return
    data = b"".join(_chain(first, blocks))
    if not data or data.isspace():
        return
    check_shape(data, name)
    try:
        _refuse_half_pairs(data)
        if not data.lstrip().startswith(b"["):
            raise ValueError
        frame = pl.read_json(data, infer_schema_length=None)
    except (*FAILURES, ValueError, RecursionError) as error:
        raise CorpusError(_array_problem(data, name, error)) from None
    present = {column: dtype for column, dtype in options.overrides.items() if column in frame}
    if any(frame.schema[column] != dtype for column, dtype in present.items()):
        frame = pl.read_json(data, infer_schema_length=None, schema_overrides=present)
    if frame.width:
        yield frame


def line_frames(blocks: Iterator[bytes], options: Options, name: str) -> Iterator[pl.DataFrame]:
    """Yield frames with one text a line, in the column ``text``; a blank line is an empty text."""
    for lines, _ in _whole_lines(blocks, options.limits, name):
        texts = [line.removesuffix("\r") for line in lines.decode("utf-8").split("\n")]
        if lines.endswith(b"\n"):
            texts.pop()
        yield pl.DataFrame({"text": texts}, schema={"text": pl.String})


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _whole_lines(blocks: Iterator[bytes], limits: Limits, name: str) -> Iterator[tuple[bytes, int]]:
    """Cut blocks at line breaks; yield each piece with the number of its first line."""
    parts: list[bytes] = []
    number, size = 1, 0
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        size = size + len(block) if not cut else max(size + block.find(b"\n"), len(block) - cut)
        if size > limits.record:
            where = f"{name}, line {number:,}"
            raise CorpusError(too_long(where, "this line, or one soon after it,", limits))
        if cut:
            size = len(block) - cut
        parts.append(block[:cut] if cut else block)
        if cut:
            lines = b"".join(parts)
            yield lines, number
            number += lines.count(b"\n")
            parts = [block[cut:]] if cut < len(block) else []
    if parts:
        yield b"".join(parts), number


def _parse_lines(lines: bytes, number: int, options: Options, name: str) -> pl.DataFrame:
    overrides: dict[str, DataType] = {
        column: dtype
        for column, dtype in options.overrides.items()
        if json.dumps(column, ensure_ascii=False).encode("utf-8") in lines
    }
    check_shape(lines, f"{name}, from line {number:,} on")
    try:
        _refuse_half_pairs(lines)
        return pl.read_ndjson(lines, infer_schema_length=None, schema_overrides=overrides)
    except (*FAILURES, ValueError, RecursionError) as error:
        problem = _line_problem(lines, number, name)
        if problem is None:
            problem = f"{name}, from line {number:,} on: {error}"
        raise CorpusError(problem) from None


def _refuse_half_pairs(data: bytes) -> None:
    r"""Raise ValueError for an escape such as ``\ud800`` alone, which polars would read as NUL."""
    if not _HALF.search(data) or not _HALF.search(_PAIR.sub(b"", data)):
        return
    for line in data.split(b"\n") if data.lstrip().startswith(b"{") else [data]:
        if _HALF.search(line):
            json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8")


def _line_problem(lines: bytes, number: int, name: str) -> str | None:
    """Find the first line that is not one valid JSON object, and say what is wrong with it."""
    for number, line in enumerate(lines.split(b"\n"), number):  # noqa: B020
        if not line or line.isspace():
            continue
        try:
            value = json.loads(line, parse_constant=_refuse_constant)
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = ascii(error.object[error.start])
            return f"{name}, line {number:,}: {half} is half of a surrogate pair, not a character."
        except json.JSONDecodeError as error:
            what = f"{error.msg} at column {error.colno}"
        except RecursionError:
            what = "objects and arrays are nested too deep"
        except ValueError as error:
            what = str(error)
        else:
            if isinstance(value, dict):
                continue
            what = f"the line holds a JSON {_kind(value)}"
        return (
            f"{name}, line {number:,}: expected one JSON object a line; {what}. For a file with "
            "one array of objects pass format='json'."
        )
    return None


def _array_problem(data: bytes, name: str, cause: Exception) -> str:
    """Say where JSON data is not an array of objects."""
    try:
        value = json.loads(data, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        return f"{name}: {half} is half of a surrogate pair, not a character."
    except json.JSONDecodeError as error:
        return f"{name}, line {error.lineno:,}, column {error.colno}: {error.msg}."
    except RecursionError:
        return f"{name}: objects and arrays are nested too deep."
    except ValueError as error:
        return f"{name}: {error}."
    if not isinstance(value, list):
        found = f"a {_kind(value)}"
    else:
        others = [i for i, item in enumerate(value) if not isinstance(item, dict)]
        if not others:
            return f"{name}: {cause}"
        found = f"an array whose item {others[0]} (from 0) is a {_kind(value[others[0]])}"
    return f"{name}: expected an array of objects, [{{...}}, ...]; it holds {found}."


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")


def _kind(value: object) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(value), "number")
