"""No test asserts how long something takes: on a busy machine it would fail."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {"perf_counter", "perf_counter_ns", "monotonic", "process_time", "thread_time", "timeit"}


def _reads_a_clock(tree: ast.AST, known: set[str]) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "time":
            if isinstance(node.value, ast.Name) and node.value.id == "time":
                return True
        name = getattr(node, "attr", getattr(node, "id", None))
        if name in CLOCKS or (isinstance(node, ast.Name) and name in known):
            return True
    return False


def asserted_times(source: str) -> list[int]:
    """Return the lines of assertions that compare what was read from a clock."""
    tree = ast.parse(source)
    known: set[str] = set()  # variables that hold times, and functions that return them
    for _ in range(3):  # a time may go through a few names
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                returned = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
                if any(part.value and _reads_a_clock(part.value, known) for part in returned):
                    known.add(node.name)
            elif isinstance(node, ast.Assign) and _reads_a_clock(node.value, known):
                known |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        and any(isinstance(part, ast.Compare) for part in ast.walk(node.test))
        and _reads_a_clock(node.test, known)
    ]


def test_no_test_asserts_a_time():
    met = {
        f"{path.relative_to(TESTS)}:{line}"
        for path in TESTS.rglob("*.py")
        for line in asserted_times(path.read_text(encoding="utf-8"))
    }
    assert met == set()


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        ("assert time.perf_counter() - start < 1", True),
        ("start = time.time()\ntook = time.time() - start\nassert 0 < took < 2.5", True),
        (
            "def timed(f):\n    return perf_counter()\nbest = min(timed(f))\nassert best < 1e-3",
            True,
        ),
        ("start = time.perf_counter()\nassert x < 3", False),
        ("assert table.columns == ['seconds']", False),
    ],
)
def test_what_asserts_a_time(source, is_one):
    assert bool(asserted_times(source)) is is_one
