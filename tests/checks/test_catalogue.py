"""Codes are stable, known, listed in the guide, and can be silenced."""

import re
from pathlib import Path

import pytest

from quire.checks import CHECKS, check_texts

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "checking-texts.md"


def test_codes_are_numbered_and_complete():
    assert [check.code for check in CHECKS] == [f"QT{n:03d}" for n in range(1, len(CHECKS) + 1)]
    for check in CHECKS:
        assert check.severity in ("error", "warning", "note")
        assert check.why.endswith(".")
        assert check.advice.endswith(".")


def test_the_guide_lists_every_code_with_its_title():
    rows = re.findall(
        r"^\| (QT\d+) \| ([^|]+?) \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == [(check.code, check.title) for check in CHECKS]


def test_silenced_checks_are_not_run():
    texts, y = ["one", "one", "two"], ["a", "A", "b"]
    loud = check_texts(texts, y)
    assert {finding.code for finding in loud} >= {"QT001", "QT009"}
    for silence in (["QT001", "qt009"], "QT001, QT009"):
        quiet = check_texts(texts, y, silence=silence)
        assert not {finding.code for finding in quiet} & {"QT001", "QT009"}
        assert quiet.silenced == ("QT001", "QT009")
        assert not set(quiet.checked) & set(quiet.silenced)


@pytest.mark.parametrize("silence", ["QT999", ["QT001", "QT01"], "all"])
def test_unknown_codes_are_refused(silence):
    with pytest.raises(ValueError, match="There is no check"):
        check_texts(["one", "two"], silence=silence)
