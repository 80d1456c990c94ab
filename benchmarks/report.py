"""Results in words: the table on the terminal, and the JSON and Markdown files.

The Markdown table is aligned, so the same text serves on the terminal and in a file. A results file
holds one family. A new measurement of the same workload, data and threads takes the place of the
older one and leaves the rest as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.records import (
    ComparisonRecord,
    FailedRecord,
    Json,
    Measured,
    Record,
    ScalingRecord,
    record_from_json,
)

__all__ = ["Run", "keep", "markdown", "read_json", "seconds", "write_json"]

FORMAT = 1
Column: TypeAlias = tuple[str, str]  # heading and alignment


@dataclass(frozen=True)
class Run:
    """Records that were measured in the same environment."""

    environment: Json
    records: list[Record]


def read_json(path: Path) -> list[Run]:
    """Read a results file."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    if plain.get("format") != FORMAT:
        raise ValueError(
            f"{path.name} has format {plain.get('format')!r}; expected {FORMAT}. Delete it and "
            "measure again."
        )
    return [
        Run(run["environment"], [record_from_json(record) for record in run["records"]])
        for run in plain["runs"]
    ]


def write_json(path: Path, runs: Sequence[Run]) -> None:
    """Write a results file, under a temporary name until it is complete."""
    plain = {
        "format": FORMAT,
        "runs": [
            {
                "environment": run.environment,
                "records": [record.to_json() for record in run.records],
            }
            for run in runs
        ],
    }
    _write(path, json.dumps(plain, indent=1) + "\n")


def keep(folder: Path, family: str, run: Run) -> Path:
    """Merge a run into the family's results (JSON and Markdown); return the Markdown file."""
    path = folder / f"{family}.json"
    older = read_json(path) if path.exists() else []
    runs = _merged(older, run)
    write_json(path, runs)
    page = path.with_suffix(".md")
    _write(page, f"# Benchmarks: {family}\n\n" + "\n".join(map(markdown, runs)))
    return page


def markdown(run: Run) -> str:
    """Write environment, table of ratios, what was measured, and scaling as Markdown."""
    compared = [record for record in run.records if isinstance(record, ComparisonRecord)]
    scaled = [record for record in run.records if isinstance(record, ScalingRecord)]
    failed = [record for record in run.records if isinstance(record, FailedRecord)]
    parts = [_environment(run.environment)]
    if compared:
        parts += [_ratios(compared), _legend(), _details(compared)]
    parts += [_scaling(record) for record in scaled]
    parts += [
        f"- **{record.workload}** {'skipped' if record.skipped else 'FAILED'}: {record.reason}\n"
        for record in failed
    ]
    return "\n".join(parts)


def seconds(value: float) -> str:
    """Write a time with three digits and the unit that fits.

    >>> seconds(4.9), seconds(0.1823), seconds(12.3e-6)
    ('4.90 s', '182 ms', '12.3 µs')
    """
    scale, unit = _unit(value)
    return f"{_digits(value * scale)} {unit}"


def _unit(value: float) -> tuple[float, str]:
    if value >= 1:
        return 1, "s"
    return (1e3, "ms") if value >= 1e-3 else (1e6, "µs")


def _digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _timing(side: Measured) -> str:
    """Median and range."""
    scale, _ = _unit(side.median)
    low, high = (_digits(scale * bound) for bound in (min(side.seconds), max(side.seconds)))
    return f"{seconds(side.median)} ({low}-{high})"


def _environment(environment: Json) -> str:
    facts: list[tuple[str, Any]] = [
        ("Processor", f"{environment['cpu']}, {environment['cores']} cores allowed"),
        ("Memory", f"{environment['memory_gb']} GB"),
        ("SIMD level", environment["simd"]),
        ("System", f"{environment['system']}, {environment['python']}"),
        ("BLAS", ", ".join(environment["blas"]) or "none loaded"),
        ("Versions", ", ".join(f"{k} {v}" for k, v in environment["packages"].items())),
    ]
    return "".join(f"- {name}: {value}\n" for name, value in facts)


def _ratios(records: Iterable[ComparisonRecord]) -> str:
    columns = [
        ("workload", "<"),
        ("threads", ">"),
        ("quire", ">"),
        ("peer", "<"),
        ("peer's time", ">"),
        ("ratio", ">"),
        ("mark", "<"),
        ("peak MB", ">"),
        ("peer's", ">"),
        ("share", ">"),
        ("mark", "<"),
        ("quality", "<"),
    ]
    records = list(records)
    rows = [_ratio_row(record, peer) for record in records for peer in record.peers]
    if any(record.sides[record.subject].fresh for record in records):
        columns[7:7] = [("fresh", ">"), ("peer's", ">"), ("ratio", ">"), ("mark", "<")]
        pairs = [(record, peer) for record in records for peer in record.peers]
        for row, (record, peer) in zip(rows, pairs, strict=True):
            row[7:7] = _fresh_cells(record, peer)
    return _table(columns, rows)


def _fresh_cells(record: ComparisonRecord, peer: str) -> list[str]:
    own, other = record.sides[record.subject].fresh, record.sides[peer].fresh
    if not own or not other:
        return [""] * 4
    mark = _optional(record.fresh_mark, lambda mark: f"{mark:g}x")
    return [
        _timing(Measured(own)),
        _timing(Measured(other)),
        _optional(record.fresh_ratio(peer), lambda ratio: f"{_digits(ratio)}x"),
        _joined(mark, record.fresh_verdict(peer)),
    ]


def _ratio_row(record: ComparisonRecord, peer: str) -> list[str]:
    own, other = record.sides[record.subject], record.sides[peer]
    speed_mark = _optional(record.mark, lambda mark: f"{mark:g}x")
    memory_mark = _optional(record.memory_mark, lambda mark: f"{mark:g}")
    return [
        record.workload,
        str(record.threads),
        _timing(own),
        peer,
        _timing(other),
        f"{_digits(record.ratio(peer))}x",
        _joined(speed_mark, record.verdict(peer)),
        _optional(own.peak_mb, _digits),
        _optional(other.peak_mb, _digits),
        _optional(record.memory_ratio(peer), lambda share: f"{share:.2f}"),
        _joined(memory_mark, record.memory_verdict(peer)),
        record.quality.summary,
    ]


def _legend() -> str:
    return (
        "Times are medians with the range of all runs; a ratio above 1 says that quire is faster.\n"
        "Fresh are single calls, each in a process that has not done the work before.\n"
        "Peak memory is what the call needs above its input, in a process of its own; a share\n"
        "below 1 says that quire needs less.\n"
    )


def _details(records: Iterable[ComparisonRecord]) -> str:
    """Say for each workload what was done, on which data, how often."""
    lines = []
    for record in records:
        runs = ", ".join(f"{len(side.seconds)} of {name}" for name, side in record.sides.items())
        per = "" if record.per == "run" else f" Times are per {record.per}."
        notes = "".join(f" Note: {note}." for note in record.notes)
        lines.append(
            f"- **{record.workload}**: {record.title}. {record.data}. Runs: {runs}.{per}{notes}\n"
        )
    return "".join(lines)


def _scaling(record: ScalingRecord) -> str:
    columns = [("MB of text", ">"), ("time", ">"), ("MB/s", ">"), ("peak MB", ">")]
    rows = [
        [
            _digits(point.megabytes),
            _timing(Measured(point.seconds)),
            _digits(point.speed),
            _optional(point.peak_mb, _digits),
        ]
        for point in record.points
    ]
    return (
        f"**{record.workload}**: {record.title} ({record.data}, {record.threads} threads). "
        f"Time grows as size to the power {record.exponent:.2f}; mark: at most {record.mark:g}, "
        f"{record.verdict}.\n\n{_table(columns, rows)}"
    )


def _optional(value: float | None, form: Callable[[float], str]) -> str:
    return "" if value is None else form(value)


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Write an aligned Markdown table."""
    widths = [
        max(3, len(heading), *(len(row[i]) for row in rows)) if rows else max(3, len(heading))
        for i, (heading, _) in enumerate(columns)
    ]
    aligned = [side for _, side in columns]

    def line(cells: Iterable[str]) -> str:
        padded = (f"{c:{a}{w}}" for c, a, w in zip(cells, aligned, widths, strict=True))
        return f"| {' | '.join(padded)} |\n"

    rule = (
        "-" * (w - 1) + ":" if a == ">" else "-" * w for a, w in zip(aligned, widths, strict=True)
    )
    return line(heading for heading, _ in columns) + line(rule) + "".join(map(line, rows))


def _merged(older: Sequence[Run], new: Run) -> list[Run]:
    """Put the new records in the place of older ones of the same workload, data and threads."""
    replaced = {_key(record) for record in new.records}
    runs = []
    for run in older:
        records = [record for record in run.records if _key(record) not in replaced]
        if run.environment == new.environment:
            new = Run(new.environment, _in_order([*records, *new.records]))
        elif records:
            runs.append(Run(run.environment, records))
    return [*runs, new]


def _in_order(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=_key)


def _key(record: Record) -> tuple[str, str, int]:
    return record.workload, record.data, record.threads


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
