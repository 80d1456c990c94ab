"""``quire compare --by-slice``: where the best model errs."""

import json

import pytest
from tests.helpers.comparisons import corpus


@pytest.fixture
def path(tmp_path):
    texts, labels = corpus(300, 2)
    pairs = zip(texts, labels, strict=True)
    rows = [f'"{text}",{label},{k % 3}' for k, (text, label) in enumerate(pairs)]
    target = tmp_path / "news.csv"
    target.write_text("\n".join(["text,label,edition", *rows]), encoding="utf-8")
    return str(target)


def test_parts_are_shown_and_given_to_programs(run, path):
    options = ["--models", "multinomial-nb", "--folds", "2", "--label", "label", "--by-slice"]
    code, shown, err = run("compare", path, *options)
    assert code == 0, err
    assert "length of the text" in shown
    assert "edition: 2" in shown
    assert "Clearly worse on" in shown
    found = json.loads(run("compare", path, *options, "--json")[1])["by_slice"]
    assert found["measure"] == "accuracy"
    assert {one["value"] for one in found["slices"] if one["column"] == "edition"} == {
        "0",
        "1",
        "2",
    }
