"""Reports on nearest documents and on maps: their numbers, and the pages that show them."""

import json
import re

import numpy as np
import pytest

from quire.alignment import WordVectors, compare_maps
from quire.alignment._compare_maps import translate_words
from quire.neighbors import TextSearch, choose_k
from quire.report import (
    alignment_report,
    neighbors_report,
    render_alignment,
    render_neighbors,
    summarise_alignment,
    summarise_neighbors,
)

TEXTS = [
    "<b>rain</b> in the north & sun",
    "rain tomorrow, rain today 🌧",
    "a good film <script>alert(1)</script>",
    "",
    "a bad film with a good plot",
    "long " + "filler " * 200 + "rain at the end",
]
LABELS = ["<i>wet</i>", "<i>wet</i>", "film", None, "film", "<i>wet</i>"]


@pytest.fixture(scope="module")
def search():
    return TextSearch(n_neighbors=4).fit(TEXTS, LABELS)


def maps(n=80, d=6, dimensions=6, noise=0.2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    turn = np.linalg.qr(rng.normal(size=(max(d, dimensions),) * 2))[0][:d, :dimensions]
    source = WordVectors([f"s<{i}>" for i in range(n)], X)
    target = WordVectors(
        [f"t&{i}" for i in range(n)], X @ turn + noise * rng.normal(size=(n, dimensions))
    )
    pairs = [(f"s<{i}>", f"t&{i}") for i in range(n - 10)]
    return source, target, pairs


@pytest.fixture(scope="module")
def comparison():
    source, target, pairs = maps()
    return compare_maps(source, target, [*pairs, ("no<ne", "t&1")])


def test_numbers_are_those_of_the_search(search):
    found = summarise_neighbors(search, ["rain and sun", "no such"], settings={"command": "x"})
    assert (found.n_documents, found.n_queries, found.n_neighbors) == (6, 2, 4)
    assert found.n_terms == search.n_features_in_
    expected = search.search("rain and sun")
    first, second = found.queries
    assert [one.row for one in first.neighbors] == [m.row for m in expected.matches]
    for one, match in zip(first.neighbors, expected.matches, strict=True):
        assert one.similarity == match.similarity
        assert sum(term.weight for term in one.terms) == pytest.approx(one.similarity)
    assert first.votes == [(str(label), n, share) for label, n, share in expected.votes]
    assert second.neighbors == []
    assert second.votes == []


def test_shared_terms_are_marked_and_texts_are_cut(search):
    (query,) = summarise_neighbors(search, "rain at night").queries
    long = next(one for one in query.neighbors if one.row == 5)
    shown = "".join(piece.text for piece in long.pieces)
    assert long.before > 0
    assert len(shown) <= 600
    assert long.before + len(shown) + long.after == len(TEXTS[5])
    marked = {piece.text for piece in long.pieces if piece.weight}
    assert marked <= {"rain", "at"}
    assert "at" in marked
    assert max(piece.weight for piece in long.pieces) == 1
    assert {piece.text for piece in query.pieces if piece.weight} == {"rain"}  # "at" is faint


def test_many_terms_are_added_up():
    texts = [" ".join(f"w{i}" for i in range(40)), "other words"]
    search = TextSearch().fit(texts)
    (query,) = summarise_neighbors(search, texts[0]).queries
    terms = query.neighbors[0].terms
    assert len(terms) == 12
    assert terms[-1].term == "(29 other terms)"
    assert sum(term.weight for term in terms) == pytest.approx(1)


def test_curve_is_that_of_choose_k(search):
    found = summarise_neighbors(search, "rain").curve
    known = [row for row, label in enumerate(LABELS) if label is not None]
    labels = [LABELS[row] for row in known]
    expected = choose_k(search.index_._fit_X[known], labels, metric="cosine")
    assert found.ks == expected.ks.tolist()
    assert found.errors == expected.errors.tolist()
    assert found.best_k == expected.best_k
    assert summarise_neighbors(search, "rain", curve=False).curve is None
    assert summarise_neighbors(TextSearch().fit(TEXTS), "rain").curve is None
    assert summarise_neighbors(TextSearch().fit(TEXTS, ["a"] * 6), "rain").curve is None


def test_queries_beyond_the_first_are_counted(search):
    found = summarise_neighbors(search, ["rain"] * 30, curve=False)
    assert (found.n_queries, len(found.queries)) == (30, 25)
    assert found.notes == ["Of 30 queries the first 25 are shown."]


def test_page_of_neighbours(search, tmp_path):
    path = tmp_path / "page.html"
    title = "Rain <b>here</b>"
    page = neighbors_report(search, "rain and a good film", title=title, path=path)
    text = path.read_text(encoding="utf-8")
    assert text == page.html
    assert "Rain &lt;b&gt;here&lt;/b&gt;" in text
    assert "<script>alert(1)" not in text
    assert "&lt;i&gt;wet&lt;/i&gt;" in text
    assert text.count('id="query-1"') == 1
    assert len(re.findall(r'<ul class="terms" aria-label="Shared terms of neighbour', text)) == 4
    assert "🌧" in text
    assert json.loads(page.to_json())["n_documents"] == 6
    assert "n_queries=1, n_documents=6" in repr(page)


def test_page_of_queries_without_neighbours_and_ties(search):
    text = neighbors_report(search, ["unknown", "rain"], curve=False).html
    assert "1 query shares no term with any document." in text
    assert "No document shares a term with it." in text
    tied = TextSearch(2).fit(["a1 b1", "a1 c1"], ["x", "y"])
    text = render_neighbors(summarise_neighbors(tied, "a1"))
    assert (
        '<strong dir="auto">x</strong> and <strong dir="auto">y</strong> have 1 of 2 votes '
        "each (50%)." in text
    )


def test_a_row_and_another_metric():
    search = TextSearch(2, metric="euclidean").fit(TEXTS)
    text = neighbors_report(search, search.search_row(1), n_neighbors=2).html
    assert "Row 1 of the corpus" in text
    assert ", distance 0." in text or ", distance 1." in text


def test_numbers_are_those_of_the_comparison(comparison):
    found = summarise_alignment(comparison, n_examples=5)
    best = comparison.best
    assert found.best == (best.method, best.retrieval)
    assert sum(score.is_best for score in found.scores) == 1
    assert found.ks == [1, 5, 10]
    assert found.n_right / found.n_judged == pytest.approx(best.precision[1])
    assert all(one.rank == 1 for one in found.right)
    assert all(one.rank != 1 for one in found.wrong)
    assert len(found.right) == 5
    assert found.missing_source == ["no<ne"]
    assert found.notes[0].startswith("Only 23 words were held out")


def test_picture_shows_pairs_nearer_after_the_map(comparison):
    found = summarise_alignment(comparison)
    assert len(found.points) == 10
    assert found.same_plane
    assert 0 < found.variance <= 1

    def length(when):
        return np.mean([np.subtract(getattr(one, when), one.target) ** 2 for one in found.points])

    assert length("after") < 0.3 * length("before")


def test_page_of_a_map(comparison, tmp_path):
    words = translate_words(comparison.best_model, ["s<75>"], 3, "csls", False)
    path = tmp_path / "map.html"
    page = alignment_report(comparison, words=words, path=path, title="<Map>", settings={"a": 1})
    text = path.read_text(encoding="utf-8")
    assert text == page.html
    assert "&lt;Map&gt;" in text
    assert "s&lt;75&gt;" in text
    assert text.count('<span class="badge">best</span>') == 1
    assert "no&lt;ne" in text
    assert len(re.findall("data-chart=", text)) == 3
    assert page.to_dict()["n_train"] == len(comparison.train_pairs)
    assert "8 maps" in repr(page)


def test_map_between_spaces_of_other_dimensions():
    source, target, pairs = maps(d=6, dimensions=4)
    found = compare_maps(source, target, pairs, methods=["least_squares"], retrievals=["csls"])
    data = summarise_alignment(found)
    assert not data.same_plane
    text = render_alignment(data)
    assert "6×4" in text
    assert "a plane of their own" in text


def test_a_map_without_errors_and_few_pairs():
    source, target, pairs = maps(noise=0.0)
    found = compare_maps(source, target, pairs[:9], methods=["orthogonal"])
    text = render_alignment(summarise_alignment(found))
    assert "Right (3)" in text
    assert "Wrong (" not in text
