"""Reports on nearest documents: their numbers, and the page that shows them."""

import json
import re

import pytest

from quire.neighbors import TextSearch, choose_k
from quire.report import neighbors_report, render_neighbors, summarise_neighbors

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
