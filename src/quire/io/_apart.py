"""Reading in a process apart: what makes a reader end its process, or grow, does no harm here.

Readers of formats like Excel are programs of others. They take memory by the numbers that a file
names, and end the process where there is not so much; no exception says so. The process apart has a
limit on its memory, and what it read comes back as Arrow.
"""

import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from quire.exceptions import CorpusError
from quire.io._limits import Limits

__all__ = ["can_read_apart", "frames_read_apart"]

_ROOM = 2**30  # bytes of memory that are allowed for any file, beside what its size allows
_SAID = 2000  # bytes at the end of what it says that are looked at
_SECONDS = 8  # of computing that are allowed for any file, beside what its size allows
_BYTES_A_SECOND = 20_000  # a hundred times slower than a sound workbook is read
_HEAD = 8  # bytes of the length of each part
_REFUSED = 3  # the exit code of a reader that says what is wrong
_CHILD = r"""
import io, json, os, sys
given = json.loads(sys.argv[1])
sys.path[:] = given["path"]
out = os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
import polars as pl
if given["format"] == "excel":
    import fastexcel
try:
    import resource
    with open("/proc/self/status") as status:
        held = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (held + given["room"], held + given["room"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    until = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2])) + given["seconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (until, until + 5))
except (ImportError, OSError, StopIteration, ValueError):
    pass
source = given["file"] if given["file"] is not None else io.BytesIO(sys.stdin.buffer.read())

def frames():
    if given["format"] == "excel":
        book, sheet = fastexcel.read_excel(source.getvalue()), given["sheet"]
        names = book.sheet_names
        yield pl.DataFrame({"sheet": names}, schema={"sheet": pl.String})
        if isinstance(sheet, int) and 0 <= sheet < len(names):
            sheet = names[sheet]
        if sheet in names:
            yield pl.read_excel(source, sheet_name=sheet, infer_schema_length=None,
                                raise_if_empty=False)
    elif given["rows"] is None:
        yield pl.read_parquet(source, glob=False) if given["file"] else pl.read_parquet(source)
    else:
        table = pl.scan_parquet(source, glob=False)
        n = table.select(pl.len()).collect().item()
        for start in range(0, max(n, 1), given["rows"]):
            yield table.slice(start, given["rows"]).collect()

try:
    for frame in frames():
        part = io.BytesIO()
        frame.write_ipc_stream(part)
        data = part.getbuffer()
        out.write(len(data).to_bytes(8, "little"))
        out.write(data)
    out.flush()
except BaseException as error:
    sys.stderr.write("\n\0" + str(error)[:500])
    sys.stderr.flush()
    os._exit(3)
"""


def can_read_apart() -> bool:
    """Return whether there is a Python to start; programs that carry theirs with them have none."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def frames_read_apart(
    source: Path | bytes,
    name: str,
    format: str,
    limits: Limits,
    *,
    sheet: str | int = 0,
    rows: int | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield what a file holds; another process reads it.

    Parameters
    ----------
    source : Path or bytes
        The file, or what is in it.
    name : str
        Its name, for messages.
    format : {"excel", "parquet"}
        What it is.
    limits : Limits
        How large the process may become: a gigabyte, and ``expansion`` times the file. The time
        that it may take goes by the size of the file as well.
    sheet : str or int, default=0
        Of an Excel file, by name or number. First the names of all sheets are yielded, and this one
        only if it is there.
    rows : int, default=None
        How many rows are read at a time of a Parquet file; all by default.

    Raises
    ------
    CorpusError
        If it cannot be read.
    """
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    given = {
        "path": [entry for entry in sys.path if isinstance(entry, str) and entry],
        "file": None if isinstance(source, bytes) else str(source.absolute()),
        "format": format,
        "sheet": sheet,
        "rows": rows,
        "room": _ROOM + limits.expansion * size,
        "seconds": _SECONDS + size // _BYTES_A_SECOND,
    }
    # -I: nothing that lies in the folder at work, such as a file json.py, is imported.
    command = [sys.executable, "-I", "-c", _CHILD, json.dumps(given)]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors) as process,
    ):
        try:
            yield from _frames(process, source)
            process.wait()
        except BaseException:
            process.kill()
            raise
        errors.seek(0)
        said = errors.read()[-_SAID:]
    if process.returncode:
        raise CorpusError(_what_is_wrong(name, format, process.returncode, said, given))


def _frames(process: "subprocess.Popen[bytes]", source: Path | bytes) -> Iterator[pl.DataFrame]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if isinstance(source, bytes):
            process.stdin.write(source)
        process.stdin.close()
    except BrokenPipeError:  # it has ended, and its status says why
        pass
    process.stdin = None
    while len(head := process.stdout.read(_HEAD)) == _HEAD:
        length = int.from_bytes(head, "little")
        data = process.stdout.read(length)
        if len(data) < length:
            return
        yield pl.read_ipc_stream(io.BytesIO(data))


def _what_is_wrong(name: str, format: str, status: int, said: bytes, given: dict[str, Any]) -> str:
    kind = "an Excel" if format == "excel" else "a Parquet"
    if status == _REFUSED:
        reason = said.rpartition(b"\0")[2].decode("utf-8", errors="replace")
        return f"{name}: not {kind} file, or a damaged one ({' '.join(reason.split())})"
    memory, seconds = f"{given['room'] / 1e9:,.1f} GB of memory", f"{given['seconds']:,} seconds"
    return (
        f"{name}: not {kind} file, or a damaged one (its reader failed; it may take {memory} and "
        f"{seconds}). If the file is sound, raise limits='expansion=1000', or save it as CSV."
    )
