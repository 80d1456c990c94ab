"""A family of kernels includes base, sparse and itself, and nothing of its neighbours."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for folder in (ROOT / "cpp", ROOT / "bindings")
    for path in sorted(folder.glob("*/*"))
    if path.suffix in (".cpp", ".hpp", ".inc")
]
ALLOWED = {"base": {"base"}, "sparse": {"base", "sparse"}}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_includes(path):
    text = path.read_text(encoding="utf-8")
    included = re.findall(r'^#include "(?:bindings/)?(\w+)/', text, re.MULTILINE)
    own = path.parent.name
    allowed = ALLOWED.get(own, {"base", "sparse", own})
    if path.is_relative_to(ROOT / "bindings"):
        allowed = allowed | {"sparse"}  # the caster of sparse matrices
    assert set(included) <= allowed
