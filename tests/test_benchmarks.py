"""The benchmark harness, on tiny workloads of fake sides. Nothing here asserts on a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

# benchmarks is a folder of the checkout, not part of the package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import checks, registry, report, scaling, versions
from benchmarks.data import imdb, newsgroups
from benchmarks.measure import time_alternated
from benchmarks.memory import peak_during
from benchmarks.records import (
    ComparisonRecord,
    FailedRecord,
    Measured,
    Point,
    Quality,
    ScalingRecord,
)
from benchmarks.registry import Context
from benchmarks.run import main
from benchmarks.scaling import fitted_exponent

FAKE_FAMILY = '''
"""A family of fake workloads."""

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Data, register
from benchmarks.scaling import Scaling


def numbers(context):
    return Data("ten numbers", list(range(10)), items=10)


def equal(results):
    first, *others = results.values()
    passed = all(first == other for other in others)
    return Quality(passed, "equal" if passed else "not equal")


def breaks(data, n_jobs):
    raise RuntimeError("on purpose")


def add(name, *, own=lambda data, n_jobs: sum(data), **options):
    sides = {
        "quire": Side(own),
        "peer": Side(lambda data, n_jobs: sum(data), repeats=1),
        "absent": Side(breaks, requires="a_package_that_is_not_there"),
    }
    register(
        Comparison(
            name=name, title="sum", data=numbers, sides=sides, check=equal, mark=2, **options
        )
    )


add("fake.good", memory_mark=0.5)
add("fake.item", per_item="number", threads=1, memory=False)
add("fake.wrong", own=lambda data, n_jobs: -1)
add("fake.raises", own=breaks)
register(
    Comparison(
        name="fake.skipped",
        title="needs a package",
        data=numbers,
        sides={"quire": Side(breaks, requires="a_package_that_is_not_there"), "peer": Side(breaks)},
        check=equal,
    )
)
register(
    Scaling(
        name="fake.scaling",
        title="sum",
        description="numbers",
        sizes=(0.1, 0.2),
        quick_sizes=(0.01, 0.02),
        data=lambda sizes: ((size, range(int(1e6 * size))) for size in sizes),
        run=lambda numbers, n_jobs: sum(numbers),
    )
)
'''


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Put a fake family on the path; give the options that choose it and write to tmp_path."""
    module = "fake_benchmark_family"
    (tmp_path / f"{module}.py").write_text(FAKE_FAMILY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_known", {})
    monkeypatch.setattr(scaling, "_SHORTEST", 0.01)  # seconds of repeats at each size
    yield ["--workloads", module, "--results", str(tmp_path / "results"), "--repeats", "3"]
    sys.modules.pop(module, None)


def comparison(quire: list[float], peer: list[float], **options: Any) -> ComparisonRecord:
    given: dict[str, Any] = {
        "workload": "fake.record",
        "title": "sum",
        "data": "ten numbers",
        "threads": 2,
        "sides": {"quire": Measured(quire, 10.0), "peer": Measured(peer, 40.0)},
        "quality": Quality(True, "equal", {"nnz": 3}),
        "mark": 4.0,
    }
    return ComparisonRecord(**{**given, **options})


ENVIRONMENT = {
    "cpu": "a processor",
    "cores": 2,
    "memory_gb": 8,
    "simd": "portable",
    "system": "Linux x86_64",
    "python": "CPython 3.11",
    "blas": [],
    "packages": {"quire": "0.1.0"},
}


def test_sides_take_turns_and_each_has_its_repeats() -> None:
    order: list[str] = []
    calls = {name: lambda name=name: order.append(name) or len(order) for name in "AB"}
    seconds, results = time_alternated(calls, {"A": 3, "B": 2})
    assert order == ["A", "B", "A", "B", "A"]
    assert {name: len(values) for name, values in seconds.items()} == {"A": 3, "B": 2}
    assert results == {"A": 5, "B": 4}


def test_ratio_is_of_medians_and_the_mark_decides() -> None:
    record = comparison([1.0, 2.0, 9.0], [8.0, 10.0])
    assert record.ratio("peer") == 4.5
    assert record.verdict("peer") == "pass"
    assert comparison([3.0], [9.0]).verdict("peer") == "miss"
    assert comparison([3.0], [9.0], mark=None).verdict("peer") == ""
    assert comparison([1.0], [9.0], partial=True).verdict("peer") == "small data"
    assert comparison([1.0], [9.0], quality=Quality(False, "no")).verdict("peer") == "FAILED"


def test_memory_share_and_its_mark() -> None:
    assert comparison([1.0], [1.0]).memory_ratio("peer") == 0.25
    assert comparison([1.0], [1.0], memory_mark=0.5).memory_verdict("peer") == "pass"
    assert comparison([1.0], [1.0], memory_mark=0.2).memory_verdict("peer") == "miss"
    assert comparison([1.0], [1.0]).memory_verdict("peer") == ""


def test_the_mark_is_about_the_fastest_peer() -> None:
    sides = {"quire": Measured([1.0]), "slow": Measured([9.0]), "fast": Measured([3.0])}
    record = ComparisonRecord("f.x", "t", "d", 1, sides, Quality(True, "equal"), mark=4)
    assert record.best_peer == "fast"
    assert (record.verdict("slow"), record.verdict("fast")) == ("", "miss")


def test_json_round_trip(tmp_path: Path) -> None:
    records = [
        comparison([1.0, 2.0], [8.0], memory_mark=0.5, notes=["a note"]),
        ScalingRecord("f.s", "t", "d", 2, [Point(1.0, [0.5, 0.6], 3.0)], 1.02, 1.1),
        FailedRecord("f.f", "t", "RuntimeError"),
    ]
    run = report.Run(ENVIRONMENT, records)
    report.write_json(tmp_path / "run.json", [run])
    assert report.read_json(tmp_path / "run.json") == [run]
    (tmp_path / "run.json").write_text('{"format": 0}')
    with pytest.raises(ValueError, match="has format 0; expected 1"):
        report.read_json(tmp_path / "run.json")


def test_table_names_time_ratio_mark_memory_and_quality() -> None:
    text = report.markdown(report.Run(ENVIRONMENT, [comparison([1.0], [8.0], memory_mark=0.5)]))
    (row,) = (line for line in text.splitlines() if line.startswith("| fake.record"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        *["fake.record", "2", "1.00 s (1.00-1.00)", "peer", "8.00 s (8.00-8.00)"],
        *["8.00x", "4x, pass", "10.0", "40.0", "0.25", "0.5, pass", "equal"],
    ]
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(line) for line in table}) == 1


def test_results_replace_the_same_measurement_and_keep_the_rest(tmp_path: Path) -> None:
    def kept() -> list[tuple[str, int, float]]:
        runs = report.read_json(tmp_path / "fake.json")
        compared = [r for run in runs for r in run.records if isinstance(r, ComparisonRecord)]
        return [(run.data, run.threads, run.ratio("peer")) for run in compared]

    first = comparison([1.0], [2.0])
    other_data = comparison([1.0], [3.0], data="more")
    report.keep(tmp_path, "fake", report.Run(ENVIRONMENT, [first, other_data]))
    report.keep(tmp_path, "fake", report.Run(ENVIRONMENT, [comparison([1.0], [5.0])]))
    assert sorted(kept()) == [("more", 2, 3.0), ("ten numbers", 2, 5.0)]
    elsewhere = {**ENVIRONMENT, "cpu": "another processor"}
    page = report.keep(tmp_path, "fake", report.Run(elsewhere, [comparison([1.0], [7.0])]))
    assert sorted(kept()) == [("more", 2, 3.0), ("ten numbers", 2, 7.0)]
    assert "another processor" in page.read_text()


def test_seconds_choose_their_unit() -> None:
    written = [report.seconds(value) for value in (62.0, 4.9, 0.1823, 1.5e-3, 12.3e-6)]
    assert written == ["62.0 s", "4.90 s", "182 ms", "1.50 ms", "12.3 µs"]


def test_exponent_of_a_power_law() -> None:
    points = [Point(size, [0.01 * size**1.25]) for size in (1.0, 4.0, 16.0, 64.0)]
    assert fitted_exponent(points) == pytest.approx(1.25)


def test_peak_memory_sees_what_the_call_allocates() -> None:
    peak = peak_during(lambda: np.ones(4_000_000).sum())
    if peak.megabytes is not None:
        assert 30 < peak.megabytes < 100  # 32 MB of ones


def matrices(**changes: Any) -> dict[str, Any]:
    first = sparse.csr_matrix(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    other = first.copy()
    for name, value in changes.items():
        setattr(other, name, np.asarray(value, dtype=getattr(other, name).dtype))
    return {"quire": first, "peer": other}


def test_same_matrix() -> None:
    assert checks.same_matrix(matrices()).summary == "equal: 2 x 3, nnz 3"
    assert checks.same_matrix(matrices(data=[1.0, 2.0 * (1 + 1e-13), 3.0])).passed
    assert "values differ" in checks.same_matrix(matrices(data=[1.0, 2.1, 3.0])).summary
    assert "indices" in checks.same_matrix(matrices(indices=[0, 1, 1])).summary
    assert "indptr" in checks.same_matrix(matrices(indptr=[0, 1, 3])).summary
    narrow = {**matrices(), "peer": sparse.csr_matrix((2, 2))}
    assert "shape" in checks.same_matrix(narrow).summary
    integers = {**matrices(), "peer": matrices()["quire"].astype(np.int64)}
    assert "dtype" in checks.same_matrix(integers).summary


def test_same_vectorizer_compares_every_term() -> None:
    class Fitted:
        def __init__(self, terms: str) -> None:
            self.vocabulary_ = {term: i for i, term in enumerate(terms)}

    pair = matrices()
    equal = {name: (Fitted("abc"), matrix) for name, matrix in pair.items()}
    assert checks.same_vectorizer(equal).passed
    other = {**equal, "peer": (Fitted("abd"), pair["peer"])}
    assert "vocabulary differs" in checks.same_vectorizer(other).summary


def test_same_arrays() -> None:
    ones = np.array([1.0, np.nan])
    assert checks.same_arrays({"quire": ones, "peer": ones}).passed
    assert not checks.same_arrays({"quire": ones, "peer": np.array([1.1, np.nan])}).passed
    assert not checks.same_arrays({"quire": ones, "peer": np.array([1.0, 1.0])}).passed
    assert not checks.same_arrays({"quire": ones, "peer": np.ones(3)}).passed


def test_whole_run(family: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    chosen = ["fake.good", "fake.item", "fake.sk*", "fake.scaling"]
    assert main([*chosen, "--threads", "2", "--json", str(file), *family]) == 0
    printed = capsys.readouterr().out
    assert "a_package_that_is_not_there is not installed" in printed
    assert "**fake.skipped** skipped" in printed

    (run,) = report.read_json(file)
    good, item, skipped, scaling = run.records
    assert isinstance(good, ComparisonRecord)
    assert {name: len(side.seconds) for name, side in good.sides.items()} == {"quire": 3, "peer": 1}
    assert (good.threads, good.data, good.partial) == (2, "ten numbers", False)
    assert isinstance(item, ComparisonRecord)
    assert (item.threads, item.per) == (1, "number")
    assert item.sides["quire"].peak_mb is None
    assert isinstance(skipped, FailedRecord)
    assert skipped.skipped
    assert isinstance(scaling, ScalingRecord)
    assert len(scaling.points) == 2

    (kept,) = report.read_json(tmp_path / "results" / "fake.json")
    assert [record.workload for record in kept.records] == [
        "fake.good",
        "fake.item",
        "fake.scaling",
    ]
    text = (tmp_path / "results" / "fake.md").read_text()
    assert "fake.good" in text
    assert str(tmp_path) not in text + json.dumps([record.to_json() for record in kept.records])


@pytest.mark.parametrize("name", ["fake.wrong", "fake.raises"])
def test_a_failing_workload_fails_the_run_and_is_not_kept(
    name: str, family: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "fake.item", "--no-memory", *family]) == 1
    assert "FAILED" in capsys.readouterr().out
    (kept,) = report.read_json(tmp_path / "results" / "fake.json")
    assert [record.workload for record in kept.records] == ["fake.item"]


def test_small_data_is_kept_apart(family: list[str], tmp_path: Path) -> None:
    assert main(["fake.item", "--quick", "--no-memory", *family]) == 0
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["small"]


def test_choosing(family: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", *family]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    with pytest.raises(SystemExit) as stopped:
        main(["no-such-workload", *family])
    assert stopped.value.code == 2
    assert "No workload matches 'no-such-workload'" in capsys.readouterr().err


def test_every_family_loads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["text", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "text.count" in names
    assert all(name.startswith("text.") for name in names)


def test_data_folder(family: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fake.good", "--data", str(tmp_path / "missing"), *family])
    assert "does not exist" in capsys.readouterr().err


def test_generated_corpora_stand_in_for_missing_files() -> None:
    context = Context(threads=1, repeats=1, limit=30)
    reviews = imdb(context)
    assert reviews.items == len(reviews.value.texts) == 30
    assert reviews.description.startswith("generated Zipf text, 30 of 50,000 documents")
    posts = newsgroups(context)
    assert len(posts.value.labels) == 30
    assert posts.description.startswith("generated")


def test_real_corpora_are_taken_at_even_distances(tmp_path: Path) -> None:
    table = pl.DataFrame({"text": [f"text {i}" for i in range(10)], "label": ["a"] * 5 + ["b"] * 5})
    table.write_parquet(tmp_path / "imdb.parquet")
    context = Context(threads=1, repeats=1, folder=str(tmp_path))
    assert imdb(context).value.texts == table["text"].to_list()
    assert imdb(context, subset=4).value.labels == ["a", "a", "b", "b"]
    assert imdb(context, subset=4).description.startswith("IMDB reviews, 4 of 10 documents")


def test_versions_take_turns_and_a_slower_one_is_named(
    family: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*family[:2], "--repeats", "3"]
    root = str(versions.HERE)
    assert versions.main([root, *options, "--limit", "1e9"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "fake.good" in lines
    assert "RuntimeError: on purpose" in lines["fake.raises"]
    assert "fake.scaling" not in lines
    assert lines["slower:"] == "slower: none"
    assert versions.main([root, "fake.good", *options, "--limit", "0"]) == 1
    assert capsys.readouterr().out.endswith("slower: fake.good\n")
