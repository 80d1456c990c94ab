"""The lesson on k-means: its steps are those of the estimator."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.cluster import KMeans
from quire.lessons import k_means


@pytest.mark.parametrize("k", [2, 5])
def test_the_numbers_are_those_of_the_estimator(k):
    X = lesson("k_means").given["X"]
    model = KMeans(k, init="random", n_init=1, random_state=7, keep_steps=True).fit(X)
    first, last = numbers("k_means", "Assign (1)", k=k), numbers("k_means", "The end", k=k)
    np.testing.assert_allclose(first["centers"], model.steps_[0].centers)
    np.testing.assert_allclose(last["centers"], model.cluster_centers_)
    assert last["labels"] == model.labels_.tolist()
    assert last["inertia"] == pytest.approx(model.inertia_)


def test_each_half_makes_the_inertia_smaller_and_centres_are_means():
    X = lesson("k_means").given["X"]
    for run in lesson("k_means").runs:
        inertias = [s.numbers["inertia"] for s in run.steps if "inertia" in s.numbers]
        assert (np.diff(inertias) <= 1e-9).all()
        for step in run.steps:
            if step.title.startswith("Move"):
                labels, centers = step.numbers["labels"], step.numbers["centers"]
                for j, center in enumerate(centers):
                    np.testing.assert_allclose(center, X[labels == j].mean(axis=0))


def test_starts_end_in_different_places():
    ends = {run.result["Inertia"] for run in lesson("k_means").runs if run.values["k"] == 4}
    assert len(ends) > 1


def test_a_file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"name": ["a", "b"] * 150, "size": rng.normal(size=300), "cost": 1e6 * rng.normal(size=300)}
    )
    frame.write_csv(tmp_path / "x.csv")
    made = k_means(tmp_path / "x.csv", columns=["size", "cost"])
    X = made.given["X"]
    assert X.shape == (120, 2)
    np.testing.assert_allclose(X.std(axis=0), 1)
    assert "120 of 300 rows" in made.html
    with pytest.raises(ValueError, match="takes 2"):
        k_means(
            pl.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 3], "c": [1.0, 2, 4]}),
            columns=list("abc"),
        )
    with pytest.raises(ValueError, match="needs 2"):
        k_means(pl.DataFrame({"a": [1.0, 2.0, 3.5], "b": ["x", "y", "x"]}))
