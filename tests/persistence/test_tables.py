"""Models of tables without texts in files: equal after loading, refused where they were forged."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.forged_files import rebuilt, state_of
from tests.helpers.tables import credit_cards

import quire
from quire.exceptions import ModelFileError
from quire.feature_extraction.table import TableEncoder
from quire.model_selection import compare

MODELS = [
    "mixed-nb",
    "logistic",
    "tree",
    "random-forest",
    "discriminant",
    "kernel-svm",
    "nearest-neighbors",
    "majority",
]


@pytest.fixture(scope="module")
def cards():
    return credit_cards(200)


@pytest.mark.parametrize("name", MODELS)
def test_models_predict_the_same_after_loading(name, cards, tmp_path):
    model = compare(cards, "decision", name, cv=2, tune=False).model
    loaded = quire.load(quire.save(model, tmp_path / "m.quire"))
    new = credit_cards(50, seed=3, missing=0.2)
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))


@pytest.mark.parametrize(
    "name", ["ridge", "lasso", "tree", "nearest-neighbors-regression", "random-forest", "mean"]
)
def test_regressions_predict_the_same_after_loading(name, cards, tmp_path):
    model = compare(cards.drop("decision"), "debt", name, cv=2, tune=False).model
    loaded = quire.load(quire.save(model, tmp_path / "m.quire"))
    new = credit_cards(50, seed=3, missing=0.2)
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))


@pytest.mark.parametrize("form", ["scaled", "plain", "table"])
def test_encoders_transform_the_same_after_loading(form, cards, tmp_path):
    model = TableEncoder(form).fit(cards)
    loaded = quire.load(quire.save(model, tmp_path / "m.quire"))
    made, again = model.transform(cards), loaded.transform(cards)
    assert isinstance(again, type(made))
    if form == "table":
        assert made.equals(again)
    else:
        np.testing.assert_array_equal(made, again)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("kinds_", ["number"]),
        ("kinds_", ["number", "code"]),
        ("categories_", [[], [1, 2]]),
        ("categories_", [[]]),
        ("has_other_", [0, 1]),
        ("median_", np.zeros(3)),
        ("scale_", np.zeros(2, dtype=np.float32)),
        ("n_features_in_", 3),
    ],
)
def test_a_state_that_does_not_fit_is_refused(attribute, value, tmp_path):
    model = TableEncoder().fit(pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    path = quire.save(model, tmp_path / "m.quire")
    path.write_bytes(
        rebuilt(path, lambda parts: state_of(parts.tree).update({attribute: parts.node(value)}))
    )
    with pytest.raises(ModelFileError, match=r"TableEncoder(\.[a-z_]+[ \[]|: )"):
        quire.load(path)
