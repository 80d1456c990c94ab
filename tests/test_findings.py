"""The page about findings names tests that exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = [
    line
    for line in (ROOT / "docs" / "findings.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| what", "| ---"))
]


def functions_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_finding_names_tests_that_exist() -> None:
    assert len(ROWS) > 40
    for row in ROWS:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)
        assert named, row
        assert row.count("::") == len(named), row
        for file, test in named:
            assert test in functions_in(file), f"{file}::{test}"
