"""Pictures of trees: well-formed, in words, safe, and complete to the depth that is drawn."""

from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_iris

from quire.feature_extraction.text import TfidfVectorizer
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
    assert "petal" in found[2] + found[0]
    assert "http" not in picture.svg.replace("http://www.w3.org/2000/svg", "")


def test_words_of_texts_and_markup_in_names():
    documents = ["goal & win", "goal goal", "<b> rain", "rain sun"]
    vectorizer = TfidfVectorizer(token_pattern=r"\S+")
    X = vectorizer.fit_transform(documents)
    tree = DecisionTreeClassifier(random_state=1).fit(X, ["<sport>", "<sport>", "sky", "sky"])
    picture = tree_picture(tree, feature_names=vectorizer.get_feature_names_out(), terms=True)
    found = texts(picture)
    assert any(text.startswith("contains '") for text in found)
    assert "<sport>" in found
    assert "<sport>" not in picture.svg


def test_only_the_top_of_a_deep_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    tree = DecisionTreeRegressor(random_state=0).fit(X, y)
    picture = tree_picture(tree, max_depth=2)
    boxes = len(list(ElementTree.fromstring(picture.svg).iter(f"{SVG}rect")))
    assert boxes == 2 * 7
    assert 1 <= sum("more below" in text for text in texts(picture)) <= 4
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
