"""Two columns of a file as points of the plane: what is chosen, left out, refused, escaped."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.pages import Page

from quire import lessons
from quire.lessons._points import card_points, read_points

HOSTILE = '<script>alert("x")</script> </script><!-- & </template> 😀'


def frame(**more):
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=60), "b": rng.normal(size=60), "label": ["x", "y", "z"] * 20}
    return pl.DataFrame({**columns, **more})


def test_the_first_two_columns_of_numbers_are_used():
    found = read_points(frame(), None, None, most=20)
    assert found.names == ("a", "b")
    assert found.X.shape == (20, 2)
    assert found.X_rest.shape == (40, 2)
    assert set(found.y) == {"x", "y", "z"}
    assert any("20 of 60" in note for note in found.notes)


def test_few_classes_and_rows_with_all_numbers():
    some = frame().with_columns(a=pl.when(pl.col("label") == "z").then(None).otherwise(pl.col("a")))
    found = read_points(some, ["a", "b"], "label", n_classes=1 + 1)
    assert found.classes == ["x", "y"]
    assert any("20 rows" in note for note in found.notes)
    two = read_points(frame(), ["a", "b"], "label", n_classes=2)
    assert len(two.classes) == 2
    assert any("of 3 classes" in note for note in two.notes)


def test_standardised_columns():
    found = card_points(50).standardised()
    np.testing.assert_allclose(found.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.X.std(axis=0), 1)
    assert abs(found.X_rest.mean()) < 0.5


@pytest.mark.parametrize(
    ("columns", "label", "message"),
    [
        (None, None, "label="),
        (["a"], "kind", "needs 2"),
        (["a", "word"], "kind", "not a column of numbers"),
        (None, "same", "needs two"),
    ],
)
def test_what_a_lesson_can_not_use(columns, label, message):
    given = frame(word=["p", "q", "r"] * 20, kind=["m", "n"] * 30, same=["one"] * 60).drop("label")
    with pytest.raises(ValueError, match=message):
        read_points(given, columns, label)


@pytest.mark.parametrize(
    "name",
    [
        "decision_tree",
        "fisher_discriminant",
        "logistic_regression",
        "random_forest",
        "support_vector_machine",
    ],
)
def test_names_of_columns_and_classes_are_escaped(name):
    given = frame().rename({"a": f"a{HOSTILE}"})
    given = given.with_columns(label=pl.Series([f"x{HOSTILE}", "y"] * 30))
    page = Page(getattr(lessons, name)(given, label="label").html)
    assert page.problems == []
    assert [tag for tag, _ in page.tags].count("script") == 4
    assert '<script>alert("x")</script>' in "".join(page.text)


def test_names_of_columns_are_escaped_without_classes():
    page = Page(lessons.ridge_and_lasso(frame(**{f"c{HOSTILE}": range(60)})).html)
    assert page.problems == []
    assert [tag for tag, _ in page.tags].count("script") == 4
    assert '<script>alert("x")</script>' in "".join(page.text)
