"""The lesson on nearest neighbours: neighbours, votes and errors are those of the estimator."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.lessons import nearest_neighbors
from quire.neighbors import KNeighborsClassifier, choose_k

NAME = "nearest_neighbors"


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 9])
def test_the_numbers_are_those_of_the_estimator(k, weights):
    given = lesson(NAME).given
    model = KNeighborsClassifier(k, weights=weights).fit(given["X"], given["y"])
    distances, rows = model.kneighbors([given["x"]])
    values = {"k": k, "weights": weights}
    last = numbers(NAME, f"Neighbour {k}", **values)
    assert last["neighbor"] == rows[0, -1]
    assert last["distance"] == pytest.approx(distances[0, -1])
    assert sum(last["votes"]) == k
    vote = numbers(NAME, "Vote", **values)
    np.testing.assert_allclose(vote["probabilities"], model.predict_proba([given["x"]])[0])
    assert vote["class"] == model.predict([given["x"]])[0]
    errors = numbers(NAME, "Which k", **values)
    choice = choose_k(given["X"], given["y"], ks=errors["ks"], weights=weights)
    np.testing.assert_allclose(errors["errors"], choice.errors)
    assert errors["best_k"] == choice.best_k


def test_one_neighbour_makes_no_error_on_its_own_data():
    assert numbers(NAME, "Ask", k=1)["errors_on_the_data"] == 0
    assert numbers(NAME, "Ask", k=15)["errors_on_the_data"] > 0


def test_a_file_with_few_rows():
    frame = pl.DataFrame({"a": [0.0, 1, 5, 6], "b": [0.0, 1, 5, 7], "label": ["x", "x", "y", "y"]})
    made = nearest_neighbors(frame)
    assert made.settings[0].values == (1, 3)
    assert made.start.values["k"] == 3
    with pytest.raises(ValueError, match="label"):
        nearest_neighbors(frame.drop("label"))
