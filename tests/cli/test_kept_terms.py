"""``quire inspect`` shows the words that the report of a saved model shows."""

import json

from tests.helpers.comparisons import corpus

from quire.inspection import top_evidence
from quire.io import read_corpus
from quire.persistence import load


def test_saved_models_keep_the_terms_of_their_documents(run, tmp_path):
    texts, labels = corpus(300, 3)
    rows = [f'"{text}",{label}' for text, label in zip(texts, labels, strict=True)]
    path, model = tmp_path / "news.csv", tmp_path / "m.quire"
    path.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    options = ["--model", "multinomial-nb", "-o", str(model)]
    code, _, err = run("fit", str(path), *options)
    assert code == 0, err
    found = json.loads(run("inspect", str(model), "--json")[1])
    corpus_read = read_corpus(path)
    expected = top_evidence(load(model), 10, corpus_read.texts, corpus_read.labels.to_list())
    assert found["top_evidence"].keys() == expected.keys()
    for label, terms in expected.items():
        assert [t["term"] for t in found["top_evidence"][label]] == [t.term for t in terms]
        assert [t["documents"] for t in found["top_evidence"][label]] == [
            t.documents for t in terms
        ]
    assert "terms" not in found["metadata"]
    shown = run("inspect", str(model))[1]
    assert all(str(terms[0].term) in shown for terms in expected.values())
    more = json.loads(run("inspect", str(model), "--top", "1000", "--json")[1])  # more than kept
    assert all(len(terms) > 30 for terms in more["top_evidence"].values())
