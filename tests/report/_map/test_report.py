"""Maps of documents: the data of their pages, and the pages."""

import base64
import json
from datetime import date

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.kinds_of_texts import LABELS, ODD, TEXTS

from quire.decomposition import map_documents
from quire.feature_extraction.text import TfidfVectorizer
from quire.report import map_report, render_map, summarise_map
from quire.report._map.colours import map_colour
from quire.report._map.index import term_index


@pytest.fixture(scope="module")
def placed():
    return map_documents(ODD)


def test_the_data_of_a_map(placed):
    data = summarise_map(placed, ODD, colours={"kind": [*LABELS, None, None, None, None]})
    assert len(data.rows) == 121
    np.testing.assert_allclose(data.x, placed.points[data.rows, 0], rtol=1e-4)
    assert data.texts[:2] == TEXTS[:2]
    colour = data.colours[0]
    assert colour.groups == ["food", "law", "pets"]
    assert colour.sizes == [40, 40, 40]
    assert colour.codes[-1] == -1
    assert "3 documents have no term" in data.notes[0]
    few = summarise_map(placed, ODD, max_points=50)
    assert len(few.rows) == 50
    assert few.rows == sorted(set(few.rows))
    assert few.rows == summarise_map(placed, ODD, max_points=50).rows
    assert "50 of 121" in few.notes[0]
    with pytest.raises(ValueError, match="max_points"):
        summarise_map(placed, max_points=0)
    with pytest.raises(ValueError, match="'kind' has 3 values"):
        summarise_map(placed, colours={"kind": ["a", "b", "c"]})


def decoded(index):
    """Do what the script on the page does."""
    data, place, found = base64.b64decode(index.places), 0, {}
    for term, length in zip(index.terms, index.lengths, strict=True):
        rows, row, value, shift = [], 0, 0, 0
        for byte in data[place : place + length]:
            value |= (byte & 127) << shift
            if byte & 128:
                shift += 7
                continue
            row += value
            rows.append(row)
            value = shift = 0
        found[term] = rows
        place += length
    assert place == len(data)
    return found


def test_the_index_holds_every_document_of_a_term():
    X = sparse.random_array((40_000, 30), density=0.003, rng=np.random.default_rng(0), format="csr")
    X = sparse.csr_array(sparse.hstack([X, sparse.csr_array((40_000, 1))]))
    names = np.array([f"term{i}" for i in range(31)])
    found = decoded(term_index(X, names))
    assert len(found) == 30  # the last has no document
    columns = X.tocsc()
    for number in range(30):
        rows = np.sort(columns.indices[columns.indptr[number] : columns.indptr[number + 1]])
        assert found[f"term{number}"] == rows.tolist()
    short = term_index(X, names, most=1000)
    assert short.left_out == 30 - len(short.terms) > 0
    assert sum(map(len, decoded(short).values())) <= 1000


def test_colours_are_groups_numbers_or_dates():
    rows = np.arange(60)
    numbers = map_colour("size", [float(i) for i in range(59)] + [float("nan")], rows, 60)
    assert numbers.kind == "numbers"
    assert numbers.values[-1] is None
    assert 0 < numbers.low < numbers.high < 58
    few = map_colour("stars", [10, 2, 3] * 20, rows, 60)
    assert (few.kind, few.groups) == ("groups", ["2", "3", "10"])
    dates = map_colour("day", [date(1970, 1, 2)] * 60, rows, 60)
    assert (dates.kind, dates.values[0]) == ("dates", 1.0)
    truth = map_colour("spam", [True, False, None] * 20, rows, 60)
    assert truth.groups == ["false", "true"]
    many = map_colour("who", [f"author {i % 40}" for i in range(60)], rows, 60)
    assert len(many.groups) == 32
    assert many.groups[-1] == "9 others"
    assert sum(many.sizes) == 60
    arrays = map_colour("who", np.array(["a", "b"] * 30), rows[:4], 60)
    assert arrays.codes == [0, 1, 0, 1]


def test_the_page_of_a_map(placed, tmp_path):
    page = map_report(
        placed,
        ODD,
        colours={"<i>kind</i>": [*LABELS, None, None, None, "<u>"]},
        title="<b>Title</b>",
        path=tmp_path / "map.html",
    )
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == page.html
    for wrong in ("<b>Title", "<i>kind", "<u>", "alert(1)</script>"):
        assert wrong not in page.html
    assert "quireEmbed =" not in page.html  # no chart, no library that draws charts
    assert len(page.html) < 200_000
    json.dumps(page.to_dict(), allow_nan=False)
    without = render_map(summarise_map(placed))
    assert 'id="map-search"' not in without
    assert 'id="map-legend"' not in without


def test_an_axis_without_words_says_so():
    two = map_documents(["cat dog bird", "law tax vote"] * 5, vectorizer=TfidfVectorizer())
    assert "no words" in map_report(two).html
