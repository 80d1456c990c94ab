"""Files that load refuses are refused by the scorer: it looks at the same things."""

import io
import pickle
import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.forged_files import content_of as written
from tests.helpers.forged_files import parts_of, random_forgery

import quire
from quire.calibration import CalibratedClassifier
from quire.ensemble import AveragedClassifier
from quire.exceptions import ModelFileError, UnscorableModelError
from quire.feature_extraction.text import BM25Vectorizer, CountVectorizer, words_and_characters
from quire.linear_model import LogisticRegression
from quire.naive_bayes import BernoulliNB, MultinomialNB
from quire.scoring import load_scorer
from quire.svm import LinearSVC

TEXTS = ["good film", "bad plot", "so so", "good cast", "bad film", "a plot"]
LABELS = ["pos", "neg", "so so"] * 2
MODELS = {
    "counts": MultinomialNB().fit_text(TEXTS, LABELS),
    "presence": make_pipeline(CountVectorizer(ngram_range=(1, 2)), BernoulliNB()),
    "union": make_pipeline(words_and_characters(), LogisticRegression()),
    "average": AveragedClassifier(
        [
            ("a", make_pipeline(BM25Vectorizer(), LinearSVC(random_state=0))),
            ("b", make_pipeline(CountVectorizer(), MultinomialNB())),
        ]
    ),
    "calibrated": CalibratedClassifier(make_pipeline(CountVectorizer(), MultinomialNB()), cv=2),
}


def content_of(name):
    model = MODELS[name]
    if name != "counts":
        model.fit(TEXTS, LABELS)
    quire.save(model, file := io.BytesIO())
    return file.getvalue()


def outcome(read, content):
    """Return the model, or what kind of error there is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(io.BytesIO(content))
        except (ModelFileError, UnscorableModelError) as error:
            return error


@pytest.mark.parametrize("name", MODELS)
def test_what_load_refuses_is_refused(name):
    rng = np.random.default_rng(7)
    content = content_of(name)
    refused = 0
    for _ in range(60):
        forged = random_forgery(content, rng)
        whole, scored = outcome(quire.load, forged), outcome(load_scorer, forged)
        if isinstance(whole, ModelFileError):
            refused += 1
            assert isinstance(scored, ModelFileError | UnscorableModelError)
            if isinstance(scored, ModelFileError):
                assert type(scored) is type(whole)
        elif not isinstance(scored, UnscorableModelError):
            assert not isinstance(scored, ModelFileError), scored
    assert refused > 20


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda state: state.update(predict=1), "predict is a method"),
        (lambda state: state.update(nothing_=1), "has no attribute nothing_"),
        (lambda state: state.update(n_jobs=10**9), "n_jobs is 1000000000"),
        (lambda state: state.update(alpha="many"), "alpha cannot be 'many'"),
        (lambda state: state.update(n_features_in_=10**6), "_feature_count is float64"),
        (lambda state: state.pop("classes_"), "has no classes_|labels"),
    ],
)
def test_attributes_are_compared_with_the_tables(change, match):
    parts = parts_of(content_of("counts"))
    change(parts.tree["state"])
    for read in (quire.load, load_scorer):
        with pytest.raises(ModelFileError, match=match):
            read(io.BytesIO(written(parts)))


def test_other_classes_than_the_manifest_says_are_refused():
    parts = parts_of(content_of("counts"))
    parts.tree["class"] = "quire.naive_bayes.ComplementNB"
    for read in (quire.load, load_scorer):
        with pytest.raises(ModelFileError):
            read(io.BytesIO(written(parts)))


def test_pickles_are_not_opened():
    with pytest.raises(ModelFileError, match="can run code and is never opened"):
        load_scorer(io.BytesIO(pickle.dumps({})))
