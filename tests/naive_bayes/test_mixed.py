"""MixedNB: the sum of the likelihoods of its columns, missing values, evidence, growth."""

import pickle

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from tests.helpers.mixed_nb import ReferenceMixedNB

from quire import naive_bayes
from quire._shared.evidence import GivesEvidence
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.naive_bayes import MixedNB

WORDS = "apple banana cherry damson elder fig grape hazel".split()
KINDS = {
    "colour": "categorical",
    "flag": "categorical",
    "height": "continuous",
    "width": "continuous",
    "note": "text",
    "title": "text",
    "clicks": "counts",
    "views": "counts",
    "shop": "presence",
}


def rows_of(n=120, seed=0, share=0.2):
    """Rows as dicts, in which a share of what may be missing is missing."""
    rng = np.random.default_rng(seed)
    y = [["no", "yes", "zen"][k] for k in rng.integers(0, 3, n)]
    rows = []
    for label in y:
        shift = "nyz".index(label[0])
        row = {
            "colour": str(rng.choice(["red", "green", "blue", "grey"])),
            "flag": bool(rng.random() < 0.3 + 0.2 * shift),
            "height": float(rng.normal(shift, 2)),
            "width": float(rng.normal(1e6 + shift, 1)),
            "note": " ".join(rng.choice(WORDS[shift : shift + 5], rng.integers(0, 6))),
            "title": " ".join(rng.choice(WORDS, 2)),
        }
        row = {key: None if rng.random() < share else value for key, value in row.items()}
        row |= {"clicks": int(rng.poisson(2 + shift)), "views": int(rng.poisson(3))}
        rows.append(row | {"shop": int(rng.random() < 0.5)})
    return rows, y, rng.uniform(0.1, 2, n)


def frame_of(rows):
    return pl.DataFrame(rows, infer_schema_length=None)


def columns_by_kind():
    return {
        kind: [column for column, this in KINDS.items() if this == kind]
        for kind in dict.fromkeys(KINDS.values())
    }


def reference_scores(model, reference, rows):
    return np.array([[reference.log_likelihood(row, k) for k in model.classes_] for row in rows])


@pytest.mark.parametrize("weighted", [False, True])
def test_equal_to_gaussian_nb(weighted):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4)) * [1, 10, 1e-3, 5] + [0, 1e5, 2, -3]
    X = (X - X.mean(axis=0)) / X.std(axis=0) + [0, 1e4, 2, -3]  # one scale, as GaussianNB needs it
    y = rng.integers(0, 3, 300)
    weights = rng.uniform(0, 2, 300) if weighted else None
    ours = MixedNB().fit(X, y, weights)
    theirs = GaussianNB().fit(X, y, weights)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.parts_[0].var_, theirs.var_, rtol=1e-12)
    np.testing.assert_allclose(ours.parts_[0].epsilon_, theirs.epsilon_, rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.25])
def test_equal_to_models_of_one_kind_and_to_their_sum(alpha, weighted):
    rng = np.random.default_rng(2)
    n = 400
    y = rng.integers(0, 4, n)
    weights = rng.uniform(0, 2, n) if weighted else None
    categories = rng.integers(0, 6, (n, 3))
    numbers = rng.normal(size=(n, 2)) + y[:, None]
    numbers /= numbers.std(axis=0)  # one scale: GaussianNB smooths by the largest variance
    counts = rng.poisson(1 + y[:, None], (n, 5))
    flags = rng.integers(0, 2, (n, 3))
    X = np.hstack([categories, numbers, counts, flags])
    places = {"categorical": [0, 1, 2], "continuous": [3, 4], "counts": slice(5, 10)}
    single = {
        "categorical": CategoricalNB(alpha=alpha).fit(categories, y, weights),
        "continuous": GaussianNB().fit(numbers, y, weights),
        "counts": MultinomialNB(alpha=alpha).fit(counts, y, weights),
        "presence": BernoulliNB(alpha=alpha).fit(flags, y, weights),
    }
    data = {"categorical": categories, "continuous": numbers, "counts": counts, "presence": flags}
    places["presence"] = [-3, -2, -1]
    joint = 0
    for kind, model in single.items():
        ours = MixedNB({kind: places[kind]}, alpha=alpha).fit(X, y, weights)
        theirs = model.predict_joint_log_proba(data[kind])
        np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs, rtol=1e-10)
        joint = joint + theirs
    mixed = MixedNB(places, alpha=alpha).fit(X, y, weights)
    expected = joint - 3 * mixed.class_log_prior_
    np.testing.assert_allclose(mixed.predict_joint_log_proba(X), expected, rtol=1e-10)
    np.testing.assert_array_equal(mixed.predict(X), mixed.classes_[expected.argmax(axis=1)])
    np.testing.assert_allclose(
        mixed.log_likelihood(X) + mixed.class_log_prior_, expected, rtol=1e-10
    )


def test_text_is_a_vectorizer_and_a_multinomial_for_each_column():
    rows, y, weights = rows_of(share=0)
    X = frame_of(rows)
    model = MixedNB({"text": ["note", "title"]}).fit(X, y, weights)
    expected = 0
    for column in ("note", "title"):
        counts = CountVectorizer().fit_transform(X[column])
        part = MultinomialNB(class_prior=[1, 1, 1]).fit(counts, y, weights)
        expected = expected + part.predict_joint_log_proba(counts)
    np.testing.assert_allclose(model.log_likelihood(X), expected, rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.1, 0.0])
def test_missing_values_against_the_reference(alpha, weighted):
    rows, y, weights = rows_of()
    weights = weights if weighted else None
    model = MixedNB(columns_by_kind(), alpha=alpha).fit(frame_of(rows), y, weights)
    reference = ReferenceMixedNB(KINDS, alpha).fit(rows, y, weights)
    new, _, _ = rows_of(40, seed=9, share=0.4)
    new[0]["colour"] = "violet"  # never seen
    new[1]["note"] = "quince"
    schema = frame_of(rows).schema
    np.testing.assert_allclose(
        model.log_likelihood(pl.DataFrame(new, schema=schema)),
        reference_scores(model, reference, new),
        rtol=1e-9,
        atol=1e-9,
    )


def test_a_row_with_nothing_in_it_gets_the_prior():
    kinds = {"categorical": ["colour"], "continuous": ["height"], "text": ["note"]}
    rows, y, _ = rows_of()
    model = MixedNB(kinds).fit(frame_of(rows), y)
    empty = pl.DataFrame({"colour": [None], "height": [float("nan")], "note": [None]})
    np.testing.assert_allclose(model.predict_log_proba(empty), [model.class_log_prior_])
    np.testing.assert_array_equal(model.log_likelihood(empty), np.zeros((1, 3)))
    assert len(model.evidence(empty)[0].terms) == 0


def test_a_class_or_a_column_without_values():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [np.nan, np.nan]])
    model = MixedNB().fit(X, ["a", "a", "b", "b"])
    part = model.parts_[0]
    np.testing.assert_allclose(part.theta_[1, 0], 1.5)  # what is known of all classes together
    np.testing.assert_allclose(part.var_[1, 0], 0.25 + part.epsilon_)
    np.testing.assert_allclose(model.predict_proba([[1.7, 3.0]]), [[0.5, 0.5]])
    model = MixedNB({"categorical": [0]}, alpha=0).fit(
        np.array([["x"], ["y"], [None]], dtype=object), ["a", "a", "b"]
    )
    np.testing.assert_allclose(np.exp(model.parts_[0].feature_log_prob_[0][1]), [0.5, 0.5])


def test_a_constant_column_without_smoothing_gives_no_nan():
    model = MixedNB(var_smoothing=0).fit([[1.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    np.testing.assert_array_equal(model.predict([[1.0], [2.5], [1.1]]), ["a", "b", "b"])
    assert not np.isnan(model.predict_proba([[1.0], [2.5]])).any()


def test_columns_without_variance_are_as_in_gaussian_nb():
    X, y = [[1.0, 4.0], [1.0, 5.0], [2.0, 4.0], [3.0, 7.0]], ["a", "a", "b", "b"]
    new = [[1.0, 4.5], [2.0, 4.5], [1.5, 9.0]]
    mixed = MixedNB(var_smoothing=0).fit(X, y)
    gaussian = naive_bayes.GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(
        mixed.predict_joint_log_proba(new), gaussian.predict_joint_log_proba(new), rtol=1e-12
    )


def test_unseen_categories():
    X = pl.DataFrame({"colour": ["red", "blue", "red"]})
    model = MixedNB(unseen="ignore").fit(X, [0, 1, 0])
    new = pl.DataFrame({"colour": ["green"]})
    np.testing.assert_allclose(model.predict_log_proba(new), [model.class_log_prior_])
    with pytest.raises(ValueError, match=r"'colour' holds the category 'green'.*2 categories"):
        MixedNB(unseen="error").fit(X, [0, 1, 0]).predict(new)


def test_declared_categories_count():
    values = ["low", "high", "low"]
    enum = pl.DataFrame({"level": pl.Series(values, dtype=pl.Enum(["low", "mid", "high"]))})
    model = MixedNB().fit(enum, [0, 1, 0])
    assert model.parts_[0].categories_ == [["high", "low", "mid"]]
    np.testing.assert_allclose(np.exp(model.parts_[0].feature_log_prob_[0][0]), [0.2, 0.6, 0.2])


def test_without_smoothing_the_prior_decides_what_no_class_can_produce():
    X = pl.DataFrame({"a": ["x", "y", "y"], "b": ["u", "v", "v"]})
    model = MixedNB(alpha=0).fit(X, [0, 1, 1])
    new = pl.DataFrame({"a": ["x"], "b": ["v"]})
    assert np.isneginf(model.predict_joint_log_proba(new)).all()
    np.testing.assert_allclose(model.predict_proba(new), [[1 / 3, 2 / 3]])
    np.testing.assert_allclose(model.evidence(new).log_odds(1, 0), np.log(2))


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_evidence_adds_up(alpha):
    rows, y, _ = rows_of(60)
    X = frame_of(rows)
    model = MixedNB(columns_by_kind(), alpha=alpha).fit(X[:30], y[:30])
    assert isinstance(model, GivesEvidence)
    joint = model.predict_joint_log_proba(X)
    evidence = model.evidence(X)
    assert sparse.issparse(evidence.contributions("no", "yes"))
    for a, left in enumerate(model.classes_):
        for b, right in enumerate(model.classes_):
            if a == b:
                continue
            both = np.isneginf(joint[:, a]) & np.isneginf(joint[:, b])
            prior = model.class_log_prior_[a] - model.class_log_prior_[b]
            with np.errstate(invalid="ignore"):
                expected = np.where(both, prior, joint[:, a] - joint[:, b])
            np.testing.assert_allclose(evidence.log_odds(left, right), expected, atol=1e-9)
            for row in (0, 7):
                found = evidence.document(row, left, right)
                assert found.log_odds == pytest.approx(expected[row], abs=1e-9)
    assert alpha > 0 or np.isneginf(joint).any()


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_evidence_of_words_that_are_present_or_absent(alpha):
    rows, y, _ = rows_of(40, share=0.3)
    X = frame_of(rows)
    kind = Pipeline([("words", CountVectorizer()), ("model", BernoulliNB(alpha=alpha))])
    model = MixedNB([("note", kind, "note")]).fit(X, y)
    present = X["note"].is_not_null().to_numpy()
    counts = CountVectorizer().fit_transform(X["note"].drop_nulls())
    theirs = BernoulliNB(alpha=alpha, class_prior=[1, 1, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = theirs.fit(counts, np.array(y)[present]).predict_joint_log_proba(counts)
    ours = model.log_likelihood(X)
    if alpha > 0:
        np.testing.assert_allclose(ours[present], scores, rtol=1e-10)
    np.testing.assert_array_equal(ours[~present], 0)
    assert not np.isnan(ours).any()
    joint = model.predict_joint_log_proba(X)
    both = np.isneginf(joint[:, 0]) & np.isneginf(joint[:, 1])
    prior = model.class_log_prior_[0] - model.class_log_prior_[1]
    with np.errstate(invalid="ignore"):
        expected = np.where(both, prior, joint[:, 0] - joint[:, 1])
    np.testing.assert_allclose(model.evidence(X).log_odds("no", "yes"), expected, atol=1e-9)


def test_evidence_has_names_for_everything():
    rows, y, _ = rows_of(30, share=0)
    model = MixedNB(columns_by_kind()).fit(frame_of(rows), y)
    new = frame_of([{**rows[0], "colour": "red", "flag": True, "note": "fig fig", "title": "",
                     "clicks": 2, "views": 0, "shop": 0}])  # fmt: skip
    found = {term.term: term.value for term in model.evidence(new)[0].terms}
    assert found == {
        "colour=red": 1, "flag=True": 1, "height": rows[0]["height"], "width": rows[0]["width"],
        "note: fig": 2, "clicks": 2, "shop": 0,
    }  # fmt: skip
    names = model.evidence(new).feature_names
    assert len(model.evidence(new, feature_names=names.tolist())) == 1
    with pytest.raises(ValueError, match="feature_names has 2 names"):
        model.evidence(new, feature_names=["a", "b"])
    terms = [term.term for term in model.top_terms(100)["no"]]
    assert "colour=red" in terms
    assert "height" not in terms


def splits(n, parts=4):
    return np.array_split(np.arange(n), parts)


GROWING = [
    ("kinds", "categorical", ["colour", "flag"]),
    ("measures", "continuous", ["height", "width"]),
    ("note", CountVectorizer(vocabulary=WORDS), "note"),
    ("title", HashingVectorizer(n_features=32, alternate_sign=False, norm=None), "title"),
    ("counts", "counts", ["clicks", "views"]),
    ("shop", "presence", "shop"),
]


def assert_same_predictions(left, right, X):
    np.testing.assert_array_equal(left.classes_, right.classes_)
    np.testing.assert_allclose(
        left.predict_joint_log_proba(X), right.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_partial_fit_on_batches_is_fit_on_all(weighted):
    rows, y, weights = rows_of()
    X, y = frame_of(rows).sort("colour"), np.array(y)  # batches differ in their categories
    whole = MixedNB(GROWING).fit(X, y, weights if weighted else None)
    model = MixedNB(GROWING)
    for part in splits(len(X)):
        model.partial_fit(X[part], y[part], np.unique(y), weights[part] if weighted else None)
    assert_same_predictions(model, whole, X)
    assert model.parts_[0].categories_ == whole.parts_[0].categories_


def test_partial_fit_does_not_learn_words():
    rows, y, _ = rows_of()
    for kind in ("text", CountVectorizer(), TfidfVectorizer(vocabulary=WORDS)):
        model = MixedNB([("note", kind, "note")])
        with pytest.raises(ValueError, match=r"partial_fit cannot learn the words .*HashingVec"):
            model.partial_fit(frame_of(rows), y, classes=np.unique(y))
        with pytest.raises(ValueError, match="partial_fit cannot learn the words"):
            model.fit(frame_of(rows), y).partial_fit(frame_of(rows), y)


def test_partial_fit_that_fails_leaves_the_model_as_it_was():
    X = pl.DataFrame({"colour": ["a", "b"], "height": [1.0, 2.0]})
    model = MixedNB().partial_fit(X, [0, 1], classes=[0, 1])
    before = model.predict_joint_log_proba(X)
    with pytest.raises(ValueError, match="infinity in column 'height'"):
        model.partial_fit(X.with_columns(height=pl.lit(np.inf)), [0, 1])
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.partial_fit(X, [0, 2])
    np.testing.assert_array_equal(model.class_count_, [1, 1])
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    np.testing.assert_array_equal(model.partial_fit(X, [0, 1]).class_count_, [2, 2])


def test_merge_of_parts_is_fit_on_all():
    rows, y, weights = rows_of()
    order = np.argsort(y, kind="stable")  # parts differ in their classes
    X, y, weights = frame_of(rows)[order], np.array(y)[order], weights[order]
    left = MixedNB(GROWING).fit(X[:50], y[:50], weights[:50])
    right = MixedNB(GROWING).fit(X[50:], y[50:], weights[50:])
    before = right.predict_joint_log_proba(X)
    assert left.merge(right) is left
    assert_same_predictions(left, MixedNB(GROWING).fit(X, y, weights), X)
    np.testing.assert_array_equal(right.predict_joint_log_proba(X), before)


def test_merge_refuses_what_does_not_fit():
    rows, y, _ = rows_of()
    X = frame_of(rows)
    model = MixedNB({"text": "note"}).fit(X, y)
    with pytest.raises(TypeError, match="got GaussianNB"):
        model.merge(GaussianNB())
    with pytest.raises(ValueError, match="different columns"):
        model.merge(MixedNB({"text": "title"}).fit(X, y))
    with pytest.raises(ValueError, match="different vocabularies of column 'note'"):
        model.merge(MixedNB({"text": "note"}).fit(X[:2], y[:2]))
    same = MixedNB({"text": "note"}).fit(X, y)
    np.testing.assert_allclose(model.merge(same).class_count_, 2 * same.class_count_)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_the_number_of_threads_does_not_matter(n_jobs):
    rng = np.random.default_rng(0)
    X = pl.DataFrame({"a": rng.normal(size=20_000), "b": rng.choice(["x", "y"], 20_000)})
    y = rng.integers(0, 3, 20_000)
    expected = MixedNB(n_jobs=1).fit(X, y).predict_joint_log_proba(X)
    found = MixedNB(n_jobs=n_jobs).fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_array_equal(found, expected)


def test_priors():
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    given = MixedNB(class_prior=[0.9, 0.1]).fit(X, y)
    np.testing.assert_allclose(np.exp(given.class_log_prior_), [0.9, 0.1])
    for settings in ({"class_prior": "uniform"}, {"fit_prior": False}):
        np.testing.assert_allclose(np.exp(MixedNB(**settings).fit(X, y)._log_prior()), [0.5, 0.5])
    documents = MixedNB(class_prior="documents", fit_prior=False).fit(X, y)
    np.testing.assert_allclose(np.exp(documents.class_log_prior_), [1 / 3, 2 / 3])
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        MixedNB(class_prior=[1.0]).fit(X, y)


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_with_scikit_learns_tools(library):
    rows, y, _ = rows_of()
    X = frame_of(rows) if library == "polars" else frame_of(rows).to_pandas()
    model = MixedNB([("note", MultinomialNB(), "note"), ("height", "continuous", ["height"])])
    note = Pipeline([("words", CountVectorizer()), ("bayes", MultinomialNB())])
    model.set_params(note=note, alpha=0.5)
    assert model.columns[0] == ("note", note, "note")
    grid = {"mixednb__note__bayes__alpha": [0.1, 1.0], "mixednb__var_smoothing": [1e-9, 1e-3]}
    search = GridSearchCV(make_pipeline(FunctionTransformer(), MixedNB(model.columns)), grid, cv=3)
    assert search.fit(X, y).best_score_ > 0.3
    assert len(cross_val_score(clone(model), X, y, cv=3)) == 3
    fitted = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
