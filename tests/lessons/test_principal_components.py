"""The lesson on principal components: directions and variances are those of the estimator."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.decomposition import PCA
from quire.lessons import principal_components

NAME = "principal_components"


def data(columns, scaled):
    X = lesson(NAME).given["X"][:, : 2 if columns == "two" else None]
    return X / X.std(axis=0) if scaled == "yes" else X


@pytest.mark.parametrize("scaled", ["no", "yes"])
def test_the_numbers_of_two_columns(scaled):
    X = data("two", scaled)
    model = PCA().fit(X)
    first = numbers(NAME, "The first", scaled=scaled)
    np.testing.assert_allclose(np.abs(first["component"]), np.abs(model.components_[0]))
    assert first["variance"] == pytest.approx(model.explained_variance_[0])
    values, _ = np.linalg.eigh(np.cov(X.T))
    assert first["variance"] == pytest.approx(values[-1])
    assert first["remaining"] == pytest.approx(values[0])
    assert numbers(NAME, "Keep", scaled=scaled)["lost"] == pytest.approx(values[0])
    tried = [numbers(NAME, f"Try {angle}°", scaled=scaled) for angle in (0, 30, 90, 135)]
    assert all(one["variance"] <= first["variance"] + 1e-9 for one in tried)
    assert tried[0]["variance"] == pytest.approx(X[:, 0].var(ddof=1))


@pytest.mark.parametrize("scaled", ["no", "yes"])
def test_the_numbers_of_all_columns(scaled):
    X = data("all", scaled)
    model = PCA().fit(X)
    values = {"columns": "all", "scaled": scaled}
    for j in range(4):
        found = numbers(NAME, f"Component {j + 1}", **values)
        assert found["variance"] == pytest.approx(model.explained_variance_[j])
        assert found["remaining"] == pytest.approx(
            model.explained_variance_[j + 1 :].sum(), abs=1e-9
        )
    last = numbers(NAME, "Rows", **values)
    np.testing.assert_allclose(np.abs(last["places"]), np.abs(model.transform(X)[:, :2]), atol=1e-9)


def test_the_unit_of_a_column_decides_unless_it_is_scaled():
    raw = numbers(NAME, "Component 1", columns="all", scaled="no")["component"]
    assert int(np.argmax(np.abs(raw))) == 3
    scaled = numbers(NAME, "Component 1", columns="all", scaled="yes")["component"]
    assert np.abs(scaled).max() < 0.8


def test_a_file_with_a_column_that_is_constant():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=30), "b": rng.normal(size=30), "c": [1.5] * 30})
    made = principal_components(frame, columns=["a", "b", "c"])
    assert made.given["X"].shape == (30, 3)
    assert "nan" not in made.to_json()
