"""`quire.io.read_batches`: the same texts, types that stay the same, and bounded memory."""

import gzip
import io
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import polars as pl
import pytest

from quire.io import read_batches, read_corpus
from quire.io._tables import _slices


@pytest.mark.parametrize("batch_size", [1, 7, 100, 101])
@pytest.mark.parametrize("format", ["csv", "ndjson", "parquet"])
def test_batches_are_the_corpus(
    tmp_path: Path, format: str, batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.io._sources.BLOCK_SIZE", 64)
    monkeypatch.setattr("quire.io._encoding._SAMPLE_SIZE", 64)
    monkeypatch.setattr("quire.io._tables._TARGET_BYTES", 300)
    frame = pl.DataFrame(
        {"text": [f'row "{i}",\né' for i in range(100)], "label": [i % 3 for i in range(100)]}
    )
    path = tmp_path / f"x.{format}"
    getattr(frame, f"write_{format}")(path)
    batches = list(read_batches(path, batch_size=batch_size))
    whole = read_corpus(path)
    assert whole.frame.equals(frame)
    sizes = [len(batch) for batch in batches]
    assert sizes[:-1] == [batch_size] * (len(sizes) - 1)
    assert pl.concat([batch.frame for batch in batches]).equals(frame)
    assert pl.concat([batch.texts for batch in batches]).equals(frame["text"])
    assert all(batch.label_column == "label" for batch in batches)


def test_parquet_slices_cover_the_table(tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": [str(i) for i in range(50)]})
    frame.write_parquet(tmp_path / "x.parquet", row_group_size=7)
    parts = list(_slices(tmp_path / "x.parquet", 4, 50))
    assert parts[0].height == 4
    assert pl.concat(parts).equals(frame)


def test_parquet_without_rows(tmp_path: Path) -> None:
    pl.DataFrame({"text": []}, schema={"text": pl.String}).write_parquet(tmp_path / "x.parquet")
    for read in (read_corpus, lambda path: next(read_batches(path))):
        with pytest.raises(ValueError, match="it has the columns 'text' but no rows"):
            read(tmp_path / "x.parquet")


def test_csv_types_are_those_of_the_first_batch() -> None:
    data = "text,n,score\na,1,2\nb,2,2.5\nc,x,3\n"
    batches = read_batches(io.StringIO(data), format="csv", batch_size=2)
    first = next(batches)
    assert first.frame.dtypes == [pl.String, pl.Int64, pl.Float64]
    with pytest.raises(
        ValueError,
        match=r"column 'n' is read as Int64, and row 2 \(from 0\) holds 'x'\. Pass "
        r"schema_overrides={'n': polars.String}",
    ):
        next(batches)
    texts = read_batches(
        io.StringIO(data), format="csv", batch_size=1, schema_overrides={"n": pl.String}
    )
    assert next(texts).frame.schema["n"] == pl.String


def test_ndjson_columns_are_those_of_the_first_batch() -> None:
    rows = [
        {"text": "a", "n": 1.5, "gone": 1, "empty": None, "nested": {"x": 1}},
        {"text": "b", "n": 2, "new": 3, "empty": None, "nested": {"y": 1}},
        {"text": "c", "n": "x", "empty": "e"},
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows)
    with pytest.MonkeyPatch.context() as patch:  # one line a block, so types differ by block
        patch.setattr("quire.io._sources.BLOCK_SIZE", 16)
        patch.setattr("quire.io._encoding._SAMPLE_SIZE", 16)
        batches = read_batches(io.StringIO(data), format="ndjson", batch_size=1)
        assert next(batches).frame.columns == ["text", "n", "gone", "empty", "nested"]
        second = next(batches)
        assert second.frame.drop("nested").rows() == [("b", 2.0, None, None)]
        assert second.frame.schema["empty"] == pl.String
        assert second.notes[-1].endswith("the first batch does not have are left out: 'new'")
        with pytest.raises(ValueError, match=r"'n' is Float64 in the first batch and String in"):
            next(batches)


def test_missing_rows_are_counted_over_all_batches() -> None:
    data = "text,n\na,1\nb,2\nc,3\n,4\n"
    batches = read_batches(io.StringIO(data), format="csv", batch_size=2)
    next(batches)
    with pytest.raises(ValueError, match=r"row 3 \(from 0\)"):
        next(batches)
    options = {"format": "csv", "batch_size": 3, "missing": "drop"}
    sizes = [len(batch) for batch in read_batches(io.StringIO(data), **options)]
    assert sizes == [3]


def test_batch_size_is_positive() -> None:
    with pytest.raises(ValueError, match="batch_size must be at least 1; got 0"):
        read_batches(pl.DataFrame({"text": ["a"]}), batch_size=0)


def test_file_is_closed_when_reading_stops(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text\na\nb\n")
    batches = read_batches(path, batch_size=1)
    assert next(batches).texts.to_list() == ["a"]
    batches.close()
    assert list(batches) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
@pytest.mark.parametrize("format", ["csv.gz", "ndjson.gz", "mbox.gz"])
def test_memory_is_bounded(tmp_path: Path, format: str) -> None:
    """Three times the data takes no more memory: 32 and 96 MB of text, compressed to nothing."""
    word = "a fine, quiet film about the sea " * 32  # 1 KiB
    records = {
        "csv.gz": ("text,n\n", f'"{word}",1\n'),
        "ndjson.gz": ("", json.dumps({"text": word}) + "\n"),
        "mbox.gz": ("", f"From a@b.c today\nSubject: x\n\n{word * 16}\n\n"),
    }
    header, record = records[format]
    n_records = 64 if format == "mbox.gz" else 1024  # per megabyte
    script = textwrap.dedent(
        """
        import resource, sys
        from quire.io import read_batches
        n = sum(len(batch) for batch in read_batches(sys.argv[1], batch_size=1000))
        print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        """
    )
    found = []
    for n_mega in (32, 96):
        path = tmp_path / f"{n_mega}.{format}"
        with gzip.open(path, "wt", compresslevel=1) as file:
            file.write(header)
            for _ in range(n_mega):
                file.write(record * n_records)
        command = [sys.executable, "-c", script, str(path)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        n_rows, peak = map(int, output.split())
        assert n_rows == n_mega * n_records
        found.append(peak)
    unit = 1 if sys.platform == "darwin" else 1024
    assert (found[1] - found[0]) * unit < 40e6, found
