"""Tables that carry their own types: Parquet, Excel, and data frames already in memory."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from quire._shared.parquet import DamagedParquetError, check_parquet
from quire.exceptions import CorpusError, MissingExtraError
from quire.io._apart import can_read_apart, frames_read_apart
from quire.io._limits import Limits
from quire.io._options import Notes, listing
from quire.io._streams import FREE_BYTES, Bytes, is_compressed, open_bytes, too_large
from quire.io._types import FAILURES

_PAST_LAST_COLUMN = re.compile(  # of a cell such as XFE1
    rb"""\br\s*=\s*["'](?:[A-Z]{4}|[YZ][A-Z]{2}|X[G-Z][A-Z]|XF[E-Z])""", re.IGNORECASE
)
_TARGET_BYTES = 1 << 26
_LEAST_BYTES = 8  # of a value in memory; texts have 16
_SHOWN = 300  # characters of what a reader says


def parquet_frames(
    source: Bytes, batch_size: int | None, name: str, limits: Limits
) -> Iterator[pl.DataFrame]:
    """Yield the whole table, or slices of about 64 MB but at least ``batch_size`` rows."""
    file: Path | bytes
    if not isinstance(source, Path) or not source.is_file() or is_compressed(source):
        with open_bytes(source, name, limits) as stream:
            file = stream.read()
        size = len(file)
    else:
        file, size = source, source.stat().st_size
    try:
        contents = check_parquet(file)
        held = max(contents.n_bytes, _LEAST_BYTES * max(contents.n_values, contents.n_rows))
        if held > max(FREE_BYTES, limits.expansion * size):
            raise CorpusError(too_large(name, limits))
        rows = None if isinstance(file, bytes) else batch_size
        if not contents.is_simple and can_read_apart():
            yield from frames_read_apart(file, name, "parquet", limits, rows=rows)
        elif isinstance(file, bytes):
            yield pl.read_parquet(io.BytesIO(file))
        elif rows is None:
            yield pl.read_parquet(file, glob=False)
        else:
            yield from _slices(file, rows, contents.n_rows)
    except (DamagedParquetError, *FAILURES) as error:
        reason = " ".join(str(error).split())[:_SHOWN]
        message = f"{name}: not a Parquet file, or a damaged one ({reason})"
        raise CorpusError(f"{message}. Write it anew, or save it as CSV.") from error


def excel_frames(
    source: Bytes, sheet: str | int | None, name: str, notes: Notes, limits: Limits
) -> Iterator[pl.DataFrame]:
    """Yield one sheet: by name, by position from 0, or the first."""
    try:
        import fastexcel  # noqa: F401  # another process reads with it
    except ImportError as error:
        raise MissingExtraError(
            "reading Excel files needs fastexcel: pip install quire[excel]"
        ) from error
    with open_bytes(source, name, limits) as stream:
        data = stream.read()
    if not data:
        return
    _check_archive(data, name, limits)
    wanted = 0 if sheet is None else sheet
    frames = _sheet_frames(data, name, wanted, limits)
    names = next(frames)["sheet"].to_list()
    if not names:
        raise CorpusError(f"{name}: it is an Excel file without a sheet.")
    chosen = names[0] if sheet is None else sheet
    if isinstance(chosen, int) and 0 <= chosen < len(names):
        chosen = names[chosen]
    if chosen not in names:
        raise CorpusError(f"{name}: there is no sheet {chosen!r}. The sheets are {listing(names)}.")
    if sheet is None and len(names) > 1:
        notes.add(f"read the first sheet, {chosen!r}, of {listing(names)}")
    yield from frames


def _sheet_frames(
    data: bytes, name: str, sheet: str | int, limits: Limits
) -> Iterator[pl.DataFrame]:
    """Yield the names of the sheets as a table, and the sheet."""
    if can_read_apart():
        yield from frames_read_apart(data, name, "excel", limits, sheet=sheet)
        return
    import fastexcel

    try:
        names: list[str] = fastexcel.read_excel(data).sheet_names
        yield pl.DataFrame({"sheet": names}, schema={"sheet": pl.String})
        chosen = names[sheet] if isinstance(sheet, int) else sheet
        yield pl.read_excel(
            io.BytesIO(data), sheet_name=chosen, infer_schema_length=None, raise_if_empty=False
        )
    except (fastexcel.FastExcelError, *FAILURES) as error:
        reason = " ".join(str(error).split())[:_SHOWN]
        raise CorpusError(f"{name}: not an Excel file, or a damaged one ({reason})") from error


def _check_archive(data: bytes, name: str, limits: Limits) -> None:
    """Refuse a workbook that unfolds into far more than it is; what it says of itself must hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            is_wide = size <= FREE_BYTES and any(
                _PAST_LAST_COLUMN.search(archive.read(member))
                for member in archive.infolist()
                if member.filename.lower().startswith("xl/worksheets/")
            )
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, struct.error):
        return  # an old workbook is no archive, and a damaged one is refused by its reader
    if size > max(FREE_BYTES, limits.expansion * len(data)):
        raise CorpusError(too_large(name, limits))
    if is_wide:
        raise CorpusError(
            f"{name}: not an Excel file, or a damaged one (a cell stands behind XFD, the last "
            "column of Excel). Save it anew, or as CSV."
        )


def is_frame(source: object) -> bool:
    """Whether ``source`` is a polars, pandas or Arrow table."""
    return isinstance(source, pl.DataFrame | pl.LazyFrame) or (
        hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns")
    )


def frame_of(source: Any) -> pl.DataFrame:
    """Give any data frame as a polars frame, sharing memory where that is possible.

    A pandas index is left out.
    """
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if type(source).__module__.partition(".")[0] != "pandas":
        return pl.DataFrame(source)
    if not source.columns.is_unique:
        repeated = sorted(map(str, source.columns[source.columns.duplicated()]))
        raise CorpusError(f"the pandas frame has columns of the same name: {listing(repeated)}")
    try:
        return pl.from_pandas(source)
    except ImportError as error:
        raise MissingExtraError(
            "reading a pandas frame needs pyarrow: pip install quire[pandas]"
        ) from error
    except (TypeError, ValueError) as error:  # pyarrow's errors are these
        raise TypeError(
            f"a column of the pandas frame holds values of different types ({error}). Convert it "
            "first, for example frame['text'] = frame['text'].astype('string')."
        ) from error


def _slices(path: Path, batch_size: int, n_rows: int) -> Iterator[pl.DataFrame]:
    table = pl.scan_parquet(path, glob=False)
    start, length = 0, batch_size
    if not n_rows:
        yield table.collect()
    while start < n_rows:
        part = table.slice(start, length).collect()
        if not part.height:
            raise DamagedParquetError("it has fewer rows than it is said to have")
        yield part
        start += length
        row_bytes = part.estimated_size() / part.height
        length = max(batch_size, int(_TARGET_BYTES / max(row_bytes, 1.0)))
