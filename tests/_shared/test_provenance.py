"""Provenance from a file is what it may be, or is refused."""

import json

import pytest

from quire._shared.provenance import check_plain, checked_provenance, provenance

DIGEST = "0" * 64
ROWS = {"n": 2, "texts": DIGEST, "labels": None, "columns": {"year": DIGEST}, "sha256": DIGEST}
GOOD = {
    "format": 1,
    "command": "quire compare a.csv",
    "inputs": [{"role": "file", "name": "a.csv", "sha256": DIGEST}],
    "rows": ROWS,
    "seed": 0,
    "settings": {"folds": 5},
    "versions": {"quire": "0.2.0"},
    "working": {"threads": 2},
}


def test_what_is_made_is_sound():
    made = provenance(command="quire fit a.csv", inputs=GOOD["inputs"], rows=ROWS, seed=3)
    assert checked_provenance(json.loads(json.dumps(made)))["seed"] == 3
    assert checked_provenance(provenance())["command"] is None
    assert set(provenance()["working"]) == {"threads", "instructions"}


def nested(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"format": True},
        {"format": "1"},
        {"format": 10**400},
        {"command": ["quire"]},
        {"command": "x" * 100_000},
        {"inputs": [{"role": "file", "name": "a.csv", "sha256": "0"}]},
        {"inputs": [{"role": "file", "name": "a.csv"}]},
        {"inputs": GOOD["inputs"] * 101},
        {"inputs": "a.csv"},
        {"rows": {**ROWS, "n": -1}},
        {"rows": {**ROWS, "n": 1.5}},
        {"rows": {**ROWS, "columns": {"year": 1}}},
        {"rows": {**ROWS, "more": 1}},
        {"seed": "0"},
        {"settings": [1]},
        {"settings": {"deep": nested(40)}},
        {"settings": {"many": [0] * 300_000}},
        {"settings": {"x" * 100_000: 0}},
        {"versions": {"quire": 1}},
        {"working": None},
        {"kind": "x" * 50},
        {"other": 1},
    ],
)
def test_what_is_not_sound_is_refused(change):
    with pytest.raises(ValueError, match=r"provenance|it (is|has)"):
        checked_provenance({**GOOD, **change})


@pytest.mark.parametrize("value", [None, [], "text", {}, 1])
def test_other_things_are_no_provenance(value):
    with pytest.raises(ValueError, match="provenance"):
        checked_provenance(value)


def test_depth_is_counted_without_recursion():
    with pytest.raises(ValueError, match="deep"):
        check_plain(nested(100_000))
