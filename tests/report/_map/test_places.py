"""The names on a map: what they say, where they stand, and how they are reached."""

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.browser import LOOK, is_readable, look_inside, needs_browser

from quire.decomposition import DocumentMap, map_documents
from quire.report import map_report, summarise_map
from quire.report._map.places import places_of

RNG = np.random.default_rng(0)
ANIMALS, LAWS, FOOD = ("cat dog paw fur", "tax law vote court", "soup bread salt onion")
GROUPS = np.repeat([0, 1, 2], 60)
TEXTS = [" ".join(RNG.choice((ANIMALS, LAWS, FOOD)[k].split(), 6)) for k in GROUPS]
CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
POINTS = CENTRES[GROUPS] + RNG.normal(scale=0.5, size=(180, 2))


def test_places_are_named_by_their_own_words():
    # Counts by hand: every document has a common word and one of its group.
    X = sparse.csr_array(np.column_stack([np.ones(180), np.eye(3)[GROUPS]]))
    places, codes = places_of(POINTS, X, np.array(["the", "cat", "law", "soup"]), 0)
    largest = [place for place in places if place.level == 0]
    for group, word in enumerate(["cat", "law", "soup"]):
        own = {largest[code].words.split()[0] for code in codes[group == GROUPS]}
        assert own == {word}
    assert sum(place.documents for place in largest) == 180
    for place, code in zip(largest, range(len(largest)), strict=True):
        assert place.documents == (codes == code).sum()
        x, y = np.median(POINTS[codes == code], axis=0)
        assert (place.x, place.y) == pytest.approx((x, y), rel=1e-3, abs=1e-3)
    again, _ = places_of(POINTS, X, np.array(["the", "cat", "law", "soup"]), 0)
    assert again == places
    assert [place.level for place in places] == sorted(place.level for place in places)


def test_few_documents_have_no_places_and_texts_can_stay_at_home():
    few = map_documents(TEXTS[::20])
    assert summarise_map(few, TEXTS[::20]).regions == []
    data = summarise_map(map_documents(TEXTS), TEXTS, n_characters=0)
    assert (data.regions, data.colours) == ([], [])
    assert "onion" not in map_report(map_documents(TEXTS), TEXTS, n_characters=0, n_terms=0).html


@pytest.fixture(scope="module")
def report():
    hostile = "<img src=x onerror=alert(1)> "
    texts = [hostile + text for text in TEXTS]
    plain = map_documents(texts)
    placed = DocumentMap(plain.model, POINTS, "tsne")
    return map_report(placed, texts, title="By <b>neighbours</b>")


def test_a_map_by_neighbours_has_no_axes(report):
    assert report.data.axes == []
    assert "What the axes mean" not in report.html
    assert "of the variance" not in report.html
    assert "t-SNE" in report.html
    assert "<img src=x" not in report.html
    assert report.data.colours[-1].name == "place"


STEPS = (
    """
  const found = {{}};
  const canvas = inside.getElementById("map-canvas"), box = inside.getElementById("map-names");
  const names = () => {{ view.quireMap.draw(); return Number(canvas.dataset.names); }};
  const zoomed = () => {{ view.quireMap.draw(); return Number(canvas.dataset.zoom); }};
  found.start = names();
  const over = (list) => list.flatMap((a, i) => list.slice(i + 1).filter((b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
  found.over = over(view.quireMap.names);
  found.inside = view.quireMap.names.every((one) => one.left >= 0 && one.top >= 0 &&
    one.right <= canvas.clientWidth && one.bottom <= canvas.clientHeight);
  box.click(); found.off = names(); box.click(); found.on = names();
  for (let k = 0; k < 3; k++) inside.getElementById("map-in").click();
  found.near = names(); found.near_over = over(view.quireMap.names);
  inside.getElementById("map-all").click();
  const places = Array.from(inside.querySelectorAll("[data-place]"));
  found.listed = places.map((one) => one.textContent);
  places[0].click(); found.zoom = zoomed(); found.focus = inside.activeElement.id;
  found.field = inside.getElementById("map-search").labels.length;
"""
    + LOOK
)


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_names_stand_apart_and_lead_to_places(tmp_path, report, width, dark):
    found, console = look_inside(tmp_path, report.html, width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["unnamed"] == 0
    assert 2 <= found["start"] <= len(found["listed"])
    assert found["on"] == found["start"]
    assert (found["over"], found["near_over"], found["off"]) == (0, 0, 0)
    assert found["inside"]
    assert found["listed"] == [one.words for one in report.data.regions if one.level == 0]
    assert found["zoom"] > 2
    assert found["focus"] == "map-canvas"
