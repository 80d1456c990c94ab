"""Applications of the lecture notes that need several parts of quire at once."""

import numpy as np
import pytest

from quire.datasets import load_languages, load_spam
from quire.decomposition import PCA, choose_components
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import OrdinalRegression
from quire.naive_bayes import MultinomialNB
from quire.neighbors import TextSearch


def test_a_spam_filter_learns_from_sixty_letters():
    mails = load_spam()
    model = MultinomialNB().fit_text(mails.texts[:60], mails.labels[:60])
    found = model.to_pipeline().predict(mails.texts[60:])
    assert np.mean(found == mails.labels[60:].to_numpy()) >= 0.9
    assert {"free", "click"} <= {term.term for term in model.top_terms(6)["spam"]}


def test_letters_tell_the_language_where_words_do_not():
    sentences = load_languages()
    scores = []
    for vectorizer in (CountVectorizer(analyzer="char_wb", ngram_range=(1, 3)), CountVectorizer()):
        model = MultinomialNB(alpha=0.1).fit_text(
            sentences.texts[:150], sentences.labels[:150], vectorizer=vectorizer
        )
        found = model.to_pipeline().predict(sentences.texts[150:])
        scores.append(np.mean(found == sentences.labels[150:].to_numpy()))
    by_letters, by_words = scores
    assert by_letters > 0.95 > by_words


def test_vertical_search_looks_among_pages_on_its_topic():
    pages = [
        "fever and cough need rest and water",
        "a sprained ankle needs ice and rest",
        "the striker scored with a sore ankle",
        "the team won after overtime",
    ]
    topics = ["health", "health", "sport", "sport"]
    model = MultinomialNB().fit_text(pages, topics)
    new = ["ice and rest for the ankle", "the team and the striker with the ankle scored"]
    p = model.to_pipeline().predict_proba(new)[:, list(model.classes_).index("health")]
    assert p[0] > 0.8 > 0.2 > p[1]
    everything = TextSearch(n_neighbors=5).fit(new).search("ankle")
    vertical = TextSearch(n_neighbors=5).fit([new[0]]).search("ankle")
    assert len(everything) == 2
    assert [match.text for match in vertical] == [new[0]]


@pytest.mark.parametrize("seed", range(3))
def test_a_latent_score_is_found_with_and_without_ratings(seed):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=150)
    X = truth[:, None] * np.linspace(0.4, 1.0, 8) + 0.6 * rng.normal(size=(150, 8))
    assert choose_components(X, "broken_stick") == 1
    score = PCA(1).fit_transform(X)[:, 0]
    assert abs(np.corrcoef(score, truth)[0, 1]) > 0.9
    ratings = np.digitize(truth + 0.3 * rng.logistic(size=150), [-1.0, 0.0, 1.0])
    latent = OrdinalRegression().fit(X[:100], ratings[:100]).latent(X[100:])
    assert np.corrcoef(latent, truth[100:])[0, 1] > 0.85
