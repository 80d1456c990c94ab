"""Reports on maps between word vectors: their numbers, and the page that shows them."""

import re

import numpy as np
import pytest
from tests.helpers.vector_maps import maps

from quire.alignment import compare_maps
from quire.alignment._compare_maps import translate_words
from quire.report import alignment_report, render_alignment, summarise_alignment


@pytest.fixture(scope="module")
def comparison():
    source, target, pairs = maps()
    return compare_maps(source, target, [*pairs, ("no<ne", "t&1")])


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
