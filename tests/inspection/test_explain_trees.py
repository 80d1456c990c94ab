"""Trees and forests explained: changes along the paths that add up to the prediction."""

import json

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Perceptron
from sklearn.pipeline import make_pipeline

import quire
from quire import ensemble, tree
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.inspection import AdditiveDecisions, TreeEvidence, explain, top_evidence

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
TEXTS = [
    "a late goal in the match",
    "the goal of the season",
    "no goal in this match",
    "rain over the north",
    "sun and rain 🌧",
    "rain and wind tomorrow",
    "a new album and a tour",
    "the band plays the album",
    "songs of the tour",
]
LABELS = ["sport"] * 3 + ["weather"] * 3 + ["music"] * 3

CLASSIFIERS = {
    "tree": tree.DecisionTreeClassifier(random_state=0),
    "entropy": tree.DecisionTreeClassifier(criterion="entropy", random_state=0),
    "best first": tree.DecisionTreeClassifier(max_leaf_nodes=7, random_state=0),
    "pruned": tree.DecisionTreeClassifier(ccp_alpha=0.01, random_state=0),
    "weights": tree.DecisionTreeClassifier(class_weight={0: 0.1, 1: 3.7, 2: 1e-3}, random_state=0),
    "extra tree": tree.ExtraTreeClassifier(random_state=0),
    "forest": ensemble.RandomForestClassifier(15, random_state=0),
    "shallow": ensemble.RandomForestClassifier(15, min_samples_leaf=9, random_state=0),
    "best first forest": ensemble.RandomForestClassifier(9, max_leaf_nodes=6, random_state=0),
    "votes": ensemble.RandomForestClassifier(15, max_depth=2, voting="hard", random_state=0),
    "extra trees": ensemble.ExtraTreesClassifier(15, max_depth=4, random_state=0),
    "bagging": ensemble.BaggingClassifier(n_estimators=8, random_state=0),
    "columns": ensemble.BaggingClassifier(n_estimators=8, max_features=0.5, random_state=0),
    "twice": ensemble.BaggingClassifier(n_estimators=5, bootstrap_features=True, random_state=0),
    "sklearn tree": sklearn.tree.DecisionTreeClassifier(max_depth=3, random_state=0),
    "sklearn forest": sklearn.ensemble.RandomForestClassifier(8, random_state=0),
    "sklearn bagging": sklearn.ensemble.BaggingClassifier(n_estimators=5, random_state=0),
}
REGRESSORS = {
    "tree": tree.DecisionTreeRegressor(max_depth=6, random_state=0),
    "poisson": tree.DecisionTreeRegressor(criterion="poisson", max_depth=5, random_state=0),
    "absolute": tree.DecisionTreeRegressor(criterion="absolute_error", max_depth=4),
    "forest": ensemble.RandomForestRegressor(12, random_state=0),
    "extra trees": ensemble.ExtraTreesRegressor(12, random_state=0),
    "bagging": ensemble.BaggingRegressor(n_estimators=6, max_features=4, random_state=0),
    "sklearn forest": sklearn.ensemble.RandomForestRegressor(6, random_state=0),
}


def by_hand(nodes, row, k):
    """The changes along one path of scikit-learn's tree, one column after another."""
    value = nodes.value.reshape(nodes.node_count, -1)[:, k]
    changes, at = np.zeros(nodes.n_features), 0
    while nodes.children_left[at] >= 0:
        column = nodes.feature[at]
        left = np.float32(row[column]) <= nodes.threshold[at]
        child = nodes.children_left[at] if left else nodes.children_right[at]
        changes[column] += value[child] - value[at]
        at = child
    return value[0], changes


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_shares_are_sums(name, form):
    X, y = form(IRIS[0]), IRIS[1]
    model = CLASSIFIERS[name].fit(X, y)
    shares = model.predict_proba(X)
    evidence = TreeEvidence(model, X)
    assert isinstance(evidence, AdditiveDecisions)
    for row in range(0, 150, 11):
        for k in range(3):
            parts = evidence.parts(row, target=k)
            assert abs(parts.offset + parts.contributions.sum() - shares[row, k]) < 1e-12
            assert parts.score == pytest.approx(shares[row, k], abs=1e-12)
            assert np.all(np.diff(parts.columns) > 0)
        best = evidence.parts(row)
        assert best.target == shares[row].argmax()
        assert best.against is None


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers_are_sums(name, form):
    X, y = form(DIABETES[0]), DIABETES[1]
    model = REGRESSORS[name].fit(X, y)
    predicted = model.predict(X)
    evidence = TreeEvidence(model, X)
    for row in range(0, 442, 37):
        parts = evidence.parts(row)
        total = parts.offset + parts.contributions.sum()
        assert total == pytest.approx(predicted[row], rel=1e-12)
        assert (parts.target, parts.against) == (None, None)


@pytest.mark.parametrize("name", ["tree", "best first", "weights", "forest", "shallow"])
def test_each_part_is_the_change_at_its_column(name):
    X, y = IRIS
    model = CLASSIFIERS[name].fit(X, y)
    trees = getattr(model, "estimators_", [model])
    evidence = TreeEvidence(model, X)
    for row in (0, 70, 106, 133):
        for k in range(3):
            roots, changes = zip(*[by_hand(t.tree_, X[row], k) for t in trees], strict=True)
            parts = evidence.parts(row, target=k)
            assert parts.offset == pytest.approx(np.mean(roots), abs=1e-12)
            found = np.zeros(4)
            found[parts.columns] = parts.contributions
            np.testing.assert_allclose(found, np.mean(changes, axis=0), atol=1e-12)


def test_several_outputs():
    X, y = DIABETES
    model = ensemble.RandomForestRegressor(5, random_state=0).fit(X, np.column_stack([y, -y]))
    for output in (0, 1):
        explanation = explain(model, X[:1], target=output)[0]
        assert explanation.score == pytest.approx(model.predict(X[:1])[0, output])
        assert explanation.headline == f"predicted for output {output}"
    with pytest.raises(ValueError, match="0 to 1 as the target"):
        explain(model, X[:1], target=2)
    both = np.column_stack([IRIS[1], IRIS[1] > 0])
    with pytest.raises(TypeError, match="Fit a model for one output"):
        TreeEvidence(tree.DecisionTreeClassifier().fit(IRIS[0], both), IRIS[0])


def test_missing_values_take_their_side():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    for model in (tree.DecisionTreeClassifier(max_depth=5), ensemble.RandomForestClassifier(9)):
        shares = model.fit(X, y).predict_proba(X)
        found = [one.score for one in explain(model, X, target=1)]
        np.testing.assert_allclose(found, shares[:, 1], atol=1e-12)


def test_two_classes_are_compared_if_asked():
    model = CLASSIFIERS["forest"].fit(*IRIS)
    shares = model.predict_proba(IRIS[0][[133]])[0]
    explanation = explain(model, IRIS[0][[133]], target=2, against=1)[0]
    assert explanation.score == pytest.approx(shares[2] - shares[1], abs=1e-12)
    assert explanation.headline == "2 rather than 1"
    first, second = np.argsort(-shares)[:2].tolist()
    other = explain(model, IRIS[0][[133]], against=first)[0]
    assert other.target == second  # the best of the others
    with pytest.raises(ValueError, match="'rose' is not a class"):
        explain(model, IRIS[0][[133]], target="rose")


def test_one_class_and_one_leaf():
    model = tree.DecisionTreeClassifier().fit(IRIS[0], np.zeros(150))
    parts = TreeEvidence(model, IRIS[0]).parts(3)
    assert (parts.score, parts.offset, len(parts.columns)) == (1.0, 1.0, 0)


def test_words_of_texts():
    model = make_pipeline(
        CountVectorizer(), ensemble.RandomForestClassifier(50, random_state=0)
    ).fit(TEXTS, LABELS)
    text = "RAIN and a goal, then more rain"
    explanation = explain(model, text)
    share = model.predict_proba([text])[0].max()
    assert explanation.prediction == explanation.target == "weather"
    assert explanation.score == pytest.approx(share, abs=1e-12)
    assert explanation.headline == "share of weather"
    strongest = explanation.terms[0]
    assert (strongest.term, strongest.value) == ("rain", 2.0)
    assert strongest.contribution > 0
    rain = [span for span in explanation.spans if span.term == "rain"]
    assert [text[span.start : span.end].lower() for span in rain] == ["rain", "rain"]
    assert sum(span.contribution for span in rain) == pytest.approx(strongest.contribution)
    absent = [term for term in explanation.terms if term.value == 0]
    assert absent
    shown = explanation.table(n_terms=100)
    assert f"{absent[0].term} (absent)" in shown
    assert "not in the text contribute by being absent" in shown
    assert "rain x 2" in shown
    json.dumps(explanation.to_dict())
    assert "share of weather" in explanation.to_html()
    assert "against weather" in explanation.to_html()


def test_empty_documents_and_lists():
    model = make_pipeline(TfidfVectorizer(), tree.DecisionTreeClassifier(random_state=0))
    model.fit(TEXTS, LABELS)
    found = explain(model, ["", "no word of it", *TEXTS])
    shares = model.predict_proba(["", "no word of it", *TEXTS])
    assert [one.score for one in found] == pytest.approx(shares.max(axis=1).tolist())
    assert [one.prediction for one in found][2:] == LABELS


def test_values_of_tables_are_measurements():
    model = CLASSIFIERS["tree"].fit(*load_iris(return_X_y=True, as_frame=True))
    frame = load_iris(as_frame=True).data.iloc[[60]]
    shown = str(explain(model, frame)[0])
    assert "petal width (cm) = " in shown
    assert " x " not in shown


def test_saved_forests_are_explained_alike(tmp_path):
    model = make_pipeline(
        TfidfVectorizer(), ensemble.RandomForestClassifier(10, random_state=0)
    ).fit(TEXTS, LABELS)
    quire.save(model, tmp_path / "forest.quire")
    loaded = quire.load(tmp_path / "forest.quire")
    assert str(explain(loaded, "wind and rain")) == str(explain(model, "wind and rain"))
    assert top_evidence(loaded) == top_evidence(model)


def test_bagging_of_other_models():
    model = ensemble.BaggingClassifier(Perceptron(), n_estimators=2).fit(*IRIS)
    with pytest.raises(TypeError, match="BaggingClassifier of Perceptron cannot be explained"):
        explain(model, IRIS[0][:1])
    with pytest.raises(TypeError, match="Perceptron"):
        top_evidence(model)


@pytest.mark.parametrize("name", ["tree", "forest", "columns", "twice", "sklearn forest"])
def test_top_evidence_is_importance(name):
    model = CLASSIFIERS[name].fit(*IRIS)
    found = top_evidence(model, 3)
    assert list(found) == ["importance"]
    weights = [term.weight for term in found["importance"]]
    assert weights == sorted(weights, reverse=True)
    assert found["importance"][0].term in (2, 3)  # petals
    assert sum(term.weight for term in top_evidence(model, 4)["importance"]) == pytest.approx(1.0)


def test_top_evidence_has_words():
    model = make_pipeline(CountVectorizer(), ensemble.ExtraTreesClassifier(30, random_state=0)).fit(
        TEXTS, LABELS
    )
    terms = {term.term for term in top_evidence(model, 4)["importance"]}
    assert terms & {"rain", "goal", "album", "tour", "match"}
    stump = tree.DecisionTreeClassifier().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert top_evidence(stump) == {"importance": []}


@pytest.mark.skipif(
    "categorical_features" not in tree.DecisionTreeClassifier().get_params(),
    reason="trees do not take categories",
)
def test_categories_are_named():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colours, x = rng.choice(["red", "blue", "green"], 200), rng.normal(size=200)
    frame = pd.DataFrame({"colour": colours, "x": x})
    y = np.where(colours == "red", x > -1, x > 1)
    for kind in (tree.DecisionTreeClassifier, ensemble.RandomForestClassifier):
        model = kind(categorical_features=["colour"], random_state=0).fit(frame, y)
        found = explain(model, frame.iloc[:20], target=True)
        shares = model.predict_proba(frame.iloc[:20])[:, 1]
        np.testing.assert_allclose([one.score for one in found], shares, atol=1e-12)
        shown = "".join(map(str, found))
        assert "colour: red\n" in shown
        assert "colour =" not in shown
    unknown = frame.iloc[:1].assign(colour="pink")
    assert "colour: " not in str(explain(model, unknown)[0])
