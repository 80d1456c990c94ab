"""The page of the docs about scikit-learn's own tests: written from the tables and from runs.

``python -m tests.helpers.sklearn_table`` runs all files and writes the page; with names of
families, such as ``linear svm``, it runs theirs only and keeps the other rows; with ``checks`` it
runs none, and writes what needs no run.
"""

import re
import sys
import tempfile
from pathlib import Path

import sklearn
from tests.helpers.sklearn_exceptions import SUITES, Suite, suites_of
from tests.helpers.sklearn_suite import Counts, run_scikit_learns_tests

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn-tests.md"
HEAD = """# scikit-learn's own tests

quire's classes of scikit-learn's names are drop-in replacements. scikit-learn's own tests say what
that means: its files of tests, from version {version}, are run with our classes imported in place
of its, in every build. A test that fails stands below with its reason, and is expected to fail: if
it passes one day, the build says so.

*Passed*: with our classes. *Excepted*: in the second table. *Skipped*: by scikit-learn itself, or
expected by it to fail (mostly libraries of arrays that are not installed). *Not ours*: tests of
classes and functions that quire does not have; they are left out.

| family | file | passed | excepted | skipped | not ours |
| --- | --- | ---: | ---: | ---: | ---: |
"""
MIDDLE = """
## Exceptions

| family | test | reason |
| --- | --- | --- |
"""
CHECKS = """
## Checks of estimators

scikit-learn's `check_estimator` passes for every estimator that quire exports, and with the
settings that scikit-learn checks its own classes with, but for the checks below. Classes of
scikit-learn that have the same name fail them, too; a test holds that. `LassoCV` and `ElasticNetCV`
are checked with a small `tol`, and `LogisticRegressionCV` with up to 100 iterations and not with 5:
that weights are repeated rows shows where a solver has come to its end. With the default `tol`,
scikit-learn's `LassoCV` fails that check with dense rows, and quire's with either.

| class | check | reason |
| --- | --- | --- |
"""


def row_of(suite: Suite, counts: Counts) -> str:
    """Return the row of a file in the first table."""
    rest = f"{counts.excepted} | {counts.skipped} | {counts.theirs} |"
    return f"{_start(suite)} {counts.passed:,} | {rest}"


def exceptions() -> str:
    """Return the rows of the second table."""
    rows = []
    for suite in SUITES:
        for pattern, reason in suite.exceptions.items():
            name = pattern.replace("\\", "").replace(".*", "…").replace("|", ",")
            rows.append(f"| {suite.family} | `{suite.file}::{name}` | {reason} |")
    return "\n".join(rows) + "\n"


def checks() -> str:
    """Return the rows of the third table."""
    from tests.test_estimators import failures

    rows = {}
    for model, check, reason in failures():
        rows.setdefault((type(model).__name__, reason), {})[f"`{check}`"] = None
    return "".join(
        f"| `{name}` | {', '.join(names)} | {reason} |\n" for (name, reason), names in rows.items()
    )


def total(rows: list[str]) -> str:
    """Return the row of sums."""
    numbers = [[int(n.replace(",", "")) for n in row.split("|")[3:7]] for row in rows]
    sums = [sum(column) for column in zip(*numbers, strict=True)]
    return "| **all** | | " + " | ".join(f"{n:,}" for n in sums) + " |"


def check_suite(suite: Suite, folder: Path) -> None:
    """Run a file, and compare it with its row of the page.

    Parameters
    ----------
    suite : Suite
        The file.
    folder : Path
        Where to work.
    """
    counts = run_scikit_learns_tests(suite, folder)
    page = PAGE.read_text(encoding="utf-8")
    if f"from version {sklearn.__version__}, are" in page:  # other versions have other tests
        row = row_of(suite, counts)
        kept = next(line for line in page.splitlines() if line.startswith(_start(suite)))
        assert _sums(row) == _sums(kept), f"python -m tests.helpers.sklearn_table {suite.family}"


def check_page() -> None:
    """Compare what does not need a run: the exceptions, one row for each file, and the sums."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [next(line for line in lines if line.startswith(_start(suite))) for suite in SUITES]
    assert total(rows) in lines
    found = re.search(r"from version ([0-9.]+), are", PAGE.read_text(encoding="utf-8"))
    assert found is not None
    assert lines == page_of(rows, found[1]).splitlines(), (
        "python -m tests.helpers.sklearn_table checks"
    )


def page_of(rows: list[str], version: str) -> str:
    """Return the page with these rows in its first table."""
    head = HEAD.format(version=version)
    return head + "\n".join([*rows, total(rows)]) + "\n" + MIDDLE + exceptions() + CHECKS + checks()


def write(families: list[str]) -> None:
    """Run the files of these families and write the page."""
    old = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    rows = []
    for suite in SUITES:
        row = next((line for line in old if line.startswith(_start(suite))), None)
        if row is None or suite.family in families:
            with tempfile.TemporaryDirectory() as folder:
                row = row_of(suite, run_scikit_learns_tests(suite, Path(folder)))
            print(row, flush=True)
        rows.append(row)
    PAGE.write_text(page_of(rows, sklearn.__version__), encoding="utf-8")


def _sums(row: str) -> list[int]:
    """Return what a row says; what is skipped goes by the libraries that are installed."""
    passed, excepted, skipped, theirs = (int(n.replace(",", "")) for n in row.split("|")[3:7])
    return [passed + skipped, excepted, theirs]


def _start(suite: Suite) -> str:
    return f"| {suite.family} | `{suite.package}.{suite.file.removesuffix('.py')}` |"


if __name__ == "__main__":
    names = sys.argv[1:] or sorted({suite.family for suite in SUITES})
    if names == ["checks"]:
        names = []
    if unknown := [name for name in names if not suites_of(name)]:
        raise SystemExit(f"no such family: {', '.join(unknown)}")
    write(names)
