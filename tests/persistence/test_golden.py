"""Model files of earlier formats are still read, and the models in them answer as they did."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import quire
from quire.persistence import _container, read_info

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.quire"))

_spec = importlib.util.spec_from_file_location("make_golden", GOLDEN / "make_golden.py")
make_golden = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_golden)


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request):
    return request.param


# The file stays as it is while scikit-learn moves on: that it says so is not the matter here.
pytestmark = pytest.mark.filterwarnings("ignore::quire.persistence.ModelVersionWarning")


def assert_close(found, expected):
    if np.asarray(expected).dtype.kind in "fiu":
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    else:
        assert found == expected


def test_there_is_one_of_every_format():
    assert [path.stem for path in FILES] == [f"model-v{i + 1}" for i in range(_container.FORMAT)]
    assert all(path.stat().st_size < 50_000 for path in FILES)


def test_models_answer_as_they_did(path):
    models = quire.load(path)["models"]
    kept = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert models.keys() == kept["answers"].keys()
    assert len(models) >= 27
    for name, expected in kept["answers"].items():
        kind = "matrix" if name[:6] in ("matrix", "target") else "texts"
        found = make_golden.answers(models[name], kept["questions"][kind])
        assert found.keys() == expected.keys()
        for method in expected:
            assert_close(found[method], expected[method])


def test_parameters_that_are_newer_than_the_file_have_their_defaults(path):
    for model in quire.load(path)["models"].values():
        estimators = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
        for estimator in estimators:
            assert repr(estimator)
            if hasattr(estimator, "class_log_prior_") and type(estimator).__module__[:5] == "quire":
                assert estimator.prior_alpha == 0.0


def test_values_are_as_they_were(path):
    values = quire.load(path)["values"]
    assert values["array"] is values["same"]
    assert values["fortran"].flags.f_contiguous
    np.testing.assert_array_equal(values["integers"], np.arange(300))
    assert values["strings"] == [f"wört{i}" for i in range(80)]
    assert values["numbers"] == list(range(80))
    assert values["objects"].tolist() == ["a", None, 2.5]
    assert values["structured"]["b"].tolist() == [2.5]
    assert np.isnat(values["dates"]).tolist() == [False, True]
    assert values["masked"].tolist() == [1.0, None]
    assert values["sparse"].toarray().tolist() == np.eye(5).tolist()
    assert values["generator"].random() == np.random.default_rng(3).random()
    legacy = np.random.RandomState(np.random.PCG64(3))
    assert values["legacy"].normal() == legacy.normal()
    expected = (None, True, 2**100, float("inf"), 1 + 2j, b"\xff", slice(1, 2), {1: {2}})
    assert values["plain"] == expected
    assert values["types"] == (float, np.float32, np.dtype("<f4"), frozenset("a"), range(3))


def test_the_manifest_is_read(path):
    info = read_info(path)
    assert info.scores == {"accuracy": 0.5}
    assert "quire.naive_bayes.MixedNB" in info.parts
