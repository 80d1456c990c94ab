"""Pictures of trees: well-formed, in words, safe, and complete to the depth that is drawn."""

from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_iris

from quire._shared.text_width import text_width
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor, tree_picture

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture):
    return [element.text for element in ElementTree.fromstring(picture.svg).iter(f"{SVG}text")]


def test_questions_answers_and_counts():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, names[y])
    picture = tree_picture(tree)
    found = texts(picture)
    assert picture.title == "A tree with 3 leaves, grown on 150 samples"
    assert sum(text.endswith("?") for text in found) == 2
    assert found.count("yes") == found.count("no") == 2
    assert {"50 samples", "150 samples", *names} <= set(found)
    assert sum(text.startswith("petal") for text in found) == 2
    assert "http" not in picture.svg.replace("http://www.w3.org/2000/svg", "")


def test_words_of_texts_and_markup_in_names():
    documents = ["goal & win", "goal goal", "<b> rain", "rain sun"]
    vectorizer = TfidfVectorizer(token_pattern=r"\S+")
    X = vectorizer.fit_transform(documents)
    tree = DecisionTreeClassifier(random_state=1).fit(X, ["<sport>", "<sport>", "sky", "sky"])
    picture = tree_picture(tree, feature_names=vectorizer.get_feature_names_out(), terms=True)
    found = texts(picture)
    assert any(text.startswith("weight of '") for text in found)
    assert "<sport>" in found
    assert "<sport>" not in picture.svg


def test_only_the_top_of_a_deep_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    tree = DecisionTreeRegressor(random_state=0).fit(X, y)
    picture = tree_picture(tree, max_depth=2)
    boxes = len(list(ElementTree.fromstring(picture.svg).iter(f"{SVG}rect")))
    assert boxes == 2 * 7
    hidden = [int(text.split()[0]) for text in texts(picture) if "more below" in text]
    assert 1 <= len(hidden) <= 4
    assert sum(hidden) == tree.tree_.n_leaves - 1 - 3  # all questions but those that are drawn
    assert texts(tree_picture(tree, max_depth=0))[0].startswith("column ")


def test_files(tmp_path):
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    picture = tree_picture(tree)
    assert picture.save(tmp_path / "tree.svg").read_text() == picture.svg
    assert picture.save(tmp_path / "tree.html").read_text().startswith("<!doctype html>")


def test_wrong_use():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="2 names"):
        tree_picture(tree, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="2 outputs"):
        tree_picture(DecisionTreeRegressor().fit([[0.0], [1.0]], [[0, 1], [1, 1]]))


COUNTS = ["a b", "a a", "b b c", "c a a a", "b", "a a a b"] * 3


def test_counts_are_asked_for_as_counts():
    vectorizer = CountVectorizer(token_pattern=r"\S+")
    X = vectorizer.fit_transform(COUNTS)
    many = np.asarray(X[:, vectorizer.vocabulary_["a"]].todense()).ravel() >= 2
    tree = DecisionTreeClassifier(random_state=0).fit(X, many)
    names = vectorizer.get_feature_names_out()
    assert "contains 'a' at least 2 times?" in tree_picture(
        tree, feature_names=names, terms=True
    ).svg.replace("&#x27;", "'")
    assert "a at least 2?" in texts(tree_picture(tree, feature_names=names, counts=True))
    assert "a more than 1.5?" in texts(tree_picture(tree, feature_names=names))
    once = DecisionTreeClassifier(random_state=0).fit(X > 0, ["b" in text for text in COUNTS])
    assert "contains 'b' at least once?" in tree_picture(
        once, feature_names=names, terms=True
    ).words.replace("&#x27;", "'")


@pytest.mark.parametrize("letters", ["W" * 60, "ill " * 20, "三" * 40, "ab cd " * 30])
def test_what_is_written_stays_inside_of_its_box(letters):
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [letters, "b"])
    picture = tree_picture(tree, feature_names=[letters])
    drawing = ElementTree.fromstring(picture.svg)
    n_lines = 0
    for group in drawing.iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        if box is None or "box" not in box.get("class", ""):
            continue
        for line in group.iter(f"{SVG}text"):
            n_lines += 1
            bold = line.get("font-weight") == "600"
            wide = text_width(line.text, 12.0, bold=bold)
            assert float(line.get("x")) + wide <= float(box.get("width"))
            assert float(line.get("y")) < float(box.get("height"))
    assert n_lines >= 6


def test_boxes_stand_apart_and_inside_of_the_picture():
    X, y = load_iris(return_X_y=True)
    drawing = ElementTree.fromstring(tree_picture(DecisionTreeClassifier().fit(X, y)).svg)
    left, top, width, height = map(float, drawing.get("viewBox").split())
    boxes = []
    for group in drawing.iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        if box is None or "box" not in box.get("class", ""):
            continue
        x, y0 = map(float, group.get("transform")[10:-1].split())
        boxes.append((x, y0, x + float(box.get("width")), y0 + float(box.get("height"))))
    assert all(
        x >= left and b >= top and c <= left + width and d <= top + height for x, b, c, d in boxes
    )
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = (
                one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
            )
            assert apart


def test_colours_go_to_the_largest_classes():
    y = [k for k in range(12) for _ in range(12 - k if k else 1)]
    tree = DecisionTreeClassifier().fit(np.arange(len(y))[:, None], y)
    found = texts(tree_picture(tree, max_depth=1))
    assert found[-1] == "4 other classes"
    assert found[-9:-1] == [str(k) for k in range(1, 9)]


def test_a_page_has_the_tree_in_words():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["<a>", "b"])
    page = tree_picture(tree).to_html()
    assert "no: <b>&lt;a&gt;</b> (1 sample: &lt;a&gt; 100%)" in page
    assert "prefers-color-scheme: dark" in page
