"""Each page says for programs, too, where its numbers come from, and what they are."""

import json
import re

import numpy as np
import polars as pl
import pytest

from quire._shared.digests import rows_digest
from quire._shared.provenance import checked_provenance
from quire.alignment import WordVectors, compare_maps
from quire.cluster import cluster_documents
from quire.decomposition import LatentDirichletAllocation, map_documents
from quire.io import read_corpus
from quire.model_selection import compare
from quire.neighbors import TextSearch
from quire.report import (
    alignment_report,
    cluster_report,
    map_report,
    neighbors_report,
    report,
    topic_report,
)
from quire.report._page.numbers_for_programs import packed

TEXTS = ["a good film", "a fine plot", "a bad film", "no plot at all"] * 5
LABELS = ["pos", "pos", "neg", "neg"] * 5


def block(page, name):
    found = re.findall(f'<script type="application/json" id="{name}">(.*?)</script>', page.html)
    assert len(found) == 1
    return json.loads(found[0])


def topics():
    model = LatentDirichletAllocation(2, random_state=7, max_iter=20).fit(TEXTS)
    return topic_report(model, TEXTS)


def alignment():
    X = np.random.default_rng(0).normal(size=(40, 5))
    source = WordVectors([f"s{i}" for i in range(40)], X)
    target = WordVectors([f"t{i}" for i in range(40)], -X)
    return alignment_report(compare_maps(source, target, [(f"s{i}", f"t{i}") for i in range(40)]))


PAGES = {
    "comparison": lambda: report(
        compare(TEXTS, LABELS, models=["multinomial-nb"], cv=2, random_state=7), TEXTS
    ),
    "topics": topics,
    "clusters": lambda: cluster_report(cluster_documents(TEXTS, 2), TEXTS, labels=LABELS),
    "map": lambda: map_report(map_documents(TEXTS), TEXTS, colours={"label": LABELS}),
    "neighbors": lambda: neighbors_report(TextSearch().fit(TEXTS), "film"),
    "alignment": alignment,
}


@pytest.mark.parametrize("kind", PAGES)
def test_pages_carry_provenance_and_numbers(kind):
    page = PAGES[kind]()
    said = checked_provenance(block(page, "provenance"))
    assert said["kind"] == kind
    assert said["command"] is None
    assert len(said["rows"]["sha256"]) == 64
    assert said["rows"]["n"] == (40 if kind == "alignment" else 20)
    assert {"python", "quire", "numpy", "scipy", "scikit-learn", "polars"} <= said[
        "versions"
    ].keys()
    assert said["rows"]["sha256"] in page.html.partition('id="repeat"')[2]
    numbers = page.to_dict()
    expected = {n: v for n, v in numbers.items() if n not in ("settings", "versions", "created")}
    assert block(page, "report-data") == packed(expected)
    if kind in ("comparison", "topics"):
        assert said["seed"] == 7


def test_rows_are_those_of_the_data():
    page = PAGES["comparison"]()
    assert block(page, "provenance")["rows"] == rows_digest(texts=TEXTS, labels=LABELS)


def test_files_stand_in_pages_made_in_python(tmp_path):
    pl.DataFrame({"text": TEXTS, "label": LABELS}).write_csv(tmp_path / "films.csv")
    corpus = read_corpus(tmp_path / "films.csv")
    page = report(compare(corpus, models=["multinomial-nb"], cv=2), corpus)
    said = block(page, "provenance")
    assert said["inputs"] == [{"role": "file", **corpus.origin.to_dict()}]
    assert said["rows"] == rows_digest(texts=TEXTS, labels=LABELS)
    assert said["inputs"][0]["sha256"] in page.html.partition('id="repeat"')[2]


def test_long_lists_and_texts_are_digests():
    assert packed([[0.1] * 1000, "x" * 200]) == [[0.1] * 1000, "x" * 200]
    one, other = packed([0.1] * 1001), packed([0.1] * 1000 + [np.nextafter(0.1, 1)])
    assert one["items"] == other["items"] == 1001
    assert one["sha256"] != other["sha256"]
    assert packed("é" * 201)["characters"] == 201


def test_excerpts_of_documents_are_digests():
    pieces = [{"text": "a word", "weight": 0.5}]
    one, other = packed({"pieces": pieces}), packed({"pieces": [*pieces, *pieces]})
    assert one["pieces"]["items"] == 1
    assert one["pieces"]["sha256"] != other["pieces"]["sha256"]
    assert packed({"pieces": [], "words": pieces}) == {"pieces": [], "words": pieces}
