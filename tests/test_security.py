"""SECURITY.md says how every fuzz target was run."""

import re
from pathlib import Path

from fuzz.target import TARGETS

LINES = (Path(__file__).parents[1] / "SECURITY.md").read_text(encoding="utf-8").splitlines()


def test_the_table_has_a_line_for_every_target():
    named = [found[1] for line in LINES if (found := re.match(r"\| `([a-z-]+)` \|", line))]
    assert list(dict.fromkeys(named)) == list(TARGETS)  # of some there are several runs


def test_every_line_has_all_columns():
    head = next(line for line in LINES if line.startswith("| target |"))
    for line in LINES:
        if re.match(r"\| `[a-z-]+` \|", line):
            assert line.count("|") == head.count("|")
