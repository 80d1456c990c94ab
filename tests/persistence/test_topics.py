"""Topic models saved and loaded: equal bits, and only what a model needs."""

import pickle

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.forged_files import rebuilt, state_of

import quire
from quire.datasets import make_lda_corpus
from quire.decomposition import LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer
from quire.persistence import ModelFileError, read_info
from quire.topics import prevalence, top_words

CORPUS = make_lda_corpus(80, n_topics=3, n_words=60, mean_length=30, random_state=2)
TEXTS = ["cat dog 🐈", "dog cat naïve", "tax vote law", "law tax", ""] * 8


def fitted(data=CORPUS.X, **options):
    return LatentDirichletAllocation(3, random_state=0, max_iter=30, **options).fit(data)


def again(model, folder, **options):
    return quire.load(quire.save(model, folder / "topics.quire", **options))


def assert_same(model, loaded, data):
    assert loaded.get_params().keys() == model.get_params().keys()
    np.testing.assert_array_equal(loaded.transform(data), model.transform(data))
    for name in ("components_", "phi_", "theta_", "alpha_", "beta_", "log_likelihood_trace_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    assert loaded.n_iter_ == model.n_iter_
    assert loaded.perplexity(data) == model.perplexity(data)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seed_words": {0: [1, 2], 2: {5: 10.0}}},
        {"doc_topic_prior": 0.1, "n_samples": 0},
        {"doc_topic_prior": "symmetric", "topic_word_prior": "symmetric", "n_chains": 2},
        {"learning_method": "batch"},
        {"learning_method": "online"},
    ],
    ids=str,
)
@pytest.mark.parametrize("compact", [True, False])
def test_models_of_counts(options, compact, tmp_path):
    model = fitted(**options)
    assert_same(model, again(model, tmp_path, compact=compact), CORPUS.X)


@pytest.mark.parametrize("method", ["gibbs", "batch", "online"])
def test_models_of_texts_keep_their_vectorizer(method, tmp_path):
    model = fitted(TEXTS, learning_method=method, vectorizer=CountVectorizer(min_df=2))
    loaded = again(model, tmp_path)
    assert_same(model, loaded, TEXTS)
    assert loaded.vocabulary_terms_.tolist() == model.vocabulary_terms_.tolist()
    assert top_words(loaded, n_words=2) == top_words(model, n_words=2)
    assert read_info(tmp_path / "topics.quire").model.endswith("LatentDirichletAllocation")


def test_a_pipeline_with_topics(tmp_path):
    model = make_pipeline(CountVectorizer(), LatentDirichletAllocation(2, random_state=0))
    model.fit(TEXTS)
    loaded = again(model, tmp_path)
    np.testing.assert_array_equal(loaded.transform(TEXTS), model.transform(TEXTS))


def test_kept_samples_are_saved(tmp_path):
    model = fitted(keep_samples=True)
    loaded = again(model, tmp_path)
    np.testing.assert_array_equal(loaded.theta_samples_, model.theta_samples_)
    group = np.arange(80) % 2
    assert str(prevalence(loaded, group)) == str(prevalence(model, group))


def test_assignments_are_saved_on_demand(tmp_path):
    model = fitted()
    assert not hasattr(again(model, tmp_path), "topic_assignments_")
    whole = again(model, tmp_path, compact=False)
    np.testing.assert_array_equal(whole.topic_assignments_, model.topic_assignments_)
    assert hasattr(model, "topic_assignments_")


def test_the_state_of_the_sampler_stays_here(tmp_path):
    model = fitted(warm_start=True, progress=lambda step: None)
    loaded = again(model, tmp_path)
    assert_same(model, loaded, CORPUS.X)
    assert loaded.progress is False
    with pytest.raises(ValueError, match="nothing to resume"):
        loaded.resume()
    loaded.fit(CORPUS.X)  # begins anew
    assert loaded.n_iter_ == model.n_iter_
    model.progress = False
    kept = pickle.loads(pickle.dumps(model)).fit(CORPUS.X)
    assert kept.n_iter_ == model.fit(CORPUS.X).n_iter_ > loaded.n_iter_


def test_files_do_not_grow_with_tokens(tmp_path):
    def size(scale):
        model = fitted(CORPUS.X * scale)
        return quire.save(model, tmp_path / "m.quire").stat().st_size

    assert size(60) < 2 * size(1)


@pytest.mark.parametrize(
    "forge",
    [
        {"components_": np.ones((3, 2))},
        {"components_": np.ones(3)},
        {"alpha_": np.ones(2), "doc_topic_prior_": np.ones(2)},
        {"n_features_in_": 7},
        {"vectorizer_": CountVectorizer().fit(["one two three four five six seven eight"])},
    ],
    ids=lambda forge: next(iter(forge)),
)
def test_topics_that_do_not_fit_their_words_are_refused(forge, tmp_path):
    path = quire.save(fitted(TEXTS), tmp_path / "forged.quire")

    def change(parts):
        state_of(parts.tree).update({name: parts.node(value) for name, value in forge.items()})

    path.write_bytes(rebuilt(path, change))
    with pytest.raises(
        ModelFileError, match=r"LatentDirichletAllocation(\.[a-z_]+ is|: vectorizer_)"
    ):
        quire.load(path)
