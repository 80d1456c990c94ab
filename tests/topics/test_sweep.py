"""Sweeps over the number of topics: same bits, the rule for a suggestion, tables and plots."""

import sys
import types
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from quire.datasets import make_lda_corpus
from quire.feature_extraction.text import CountVectorizer
from quire.topics import Sweep, coherence, exclusivity, sweep, topic_diversity


@dataclass
class Likelihood:
    per_document: np.ndarray
    n_tokens: np.ndarray

    @property
    def per_token(self):
        return self.per_document.sum() / self.n_tokens.sum()


def shares(counts, phi, alpha):
    """Return theta by twenty steps of expectation and maximisation."""
    theta = np.full((len(counts), len(phi)), 1 / len(phi))
    for _ in range(20):
        theta = theta * (counts / (theta @ phi) @ phi.T) + alpha
        theta /= theta.sum(axis=1, keepdims=True)
    return theta


@pytest.fixture
def completion(monkeypatch):
    """Let each half of a document be predicted by the other, in the place of the real estimator."""

    def held_out_likelihood(phi, X, *, alpha, random_state):
        assert isinstance(random_state, int)
        whole = X.toarray()
        half = np.random.default_rng(random_state).binomial(whole, 0.5)
        logs = [np.log(shares(part, phi, alpha) @ phi) for part in (half, whole - half)]
        found = ((whole - half) * logs[0] + half * logs[1]).sum(axis=1)
        return Likelihood(found, whole.sum(axis=1))

    module = types.ModuleType("quire.topics._held_out")
    module.held_out_likelihood = held_out_likelihood
    monkeypatch.setitem(sys.modules, "quire.topics._held_out", module)


CORPUS = make_lda_corpus(300, n_topics=4, n_words=60, mean_length=60, random_state=1)
MODEL = LatentDirichletAllocation(max_iter=10)


def test_scores_are_those_of_the_models(completion):
    metrics = ("held_out", "npmi", "umass", "c_v", "diversity", "exclusivity")
    result = sweep(CORPUS.X, [4, 2], metric=metrics, estimator=MODEL, keep_models=True)
    assert isinstance(result, Sweep)
    assert result.n_topics.tolist() == [2, 4]
    assert list(result.models) == [2, 4]
    assert result.document_likelihoods.shape == (2, 30)
    for place, model in enumerate(result.models.values()):
        assert model.components_.shape == (result.n_topics[place], 60)
        assert result.scores["diversity"][place] == topic_diversity(model)
        assert result.scores["exclusivity"][place] == exclusivity(model).mean()
    likelihoods = result.document_likelihoods.sum(axis=1) / result.document_lengths.sum()
    np.testing.assert_allclose(result.scores["held_out"], likelihoods)
    assert np.all(result.seconds > 0)


def test_the_planted_number_is_found(completion):
    result = sweep(CORPUS.X, [1, 2, 4, 8], estimator=MODEL, validation_size=60)
    assert result.suggested == 4
    table = result.table
    assert table.columns == [
        "n_topics",
        "held_out",
        "held_out_error",
        "gain",
        "gain_error",
        "npmi",
        "diversity",
        "seconds",
    ]
    assert table["gain"][0] is None
    np.testing.assert_allclose(table["gain"].to_numpy()[1:], np.diff(table["held_out"]))
    assert table["gain"][2] > 2 * table["gain_error"][2]  # from 2 to 4
    assert table["gain_error"][2] < table["held_out_error"][2]


def test_same_bits_with_any_number_of_jobs(completion):
    one, three = (
        sweep(CORPUS.X, [2, 5], estimator=MODEL, n_jobs=n_jobs, random_state=7)
        for n_jobs in (None, 3)
    )
    np.testing.assert_array_equal(one.document_likelihoods, three.document_likelihoods)
    assert one.table.drop("seconds").equals(three.table.drop("seconds"))
    other = sweep(CORPUS.X, [2, 5], estimator=MODEL, random_state=8)
    assert not one.table.drop("seconds").equals(other.table.drop("seconds"))


def test_documents_that_are_held_out_are_not_learned_from():
    seen = []

    def validation(model, X):
        seen.append((model.n_rows_, X.shape[0]))
        return -model.n_components

    class Recorder(LatentDirichletAllocation):
        def fit(self, X, y=None):
            self.n_rows_ = X.shape[0]
            return super().fit(X)

    result = sweep(CORPUS.X, [2], metric=validation, estimator=Recorder(max_iter=1))
    assert seen == [(270, 30)]
    assert result.scores["validation"].tolist() == [-2]
    assert result.suggested == result.best == 2
    assert result.models == {}


def test_an_interrupted_fit_ends_the_sweep():
    class Interrupted(LatentDirichletAllocation):
        def fit(self, X, y=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(CORPUS.X, [2, 3], metric="npmi", estimator=Interrupted(max_iter=1))


def test_an_interrupted_sweep_keeps_what_is_finished():
    class Interrupted(LatentDirichletAllocation):
        def fit(self, X, y=None):
            if self.n_components == 4:
                raise KeyboardInterrupt
            return super().fit(X, y)

    with pytest.warns(RuntimeWarning, match="2 of 4 models"):
        found = sweep(
            CORPUS.X, [2, 3, 4, 5], metric="npmi", estimator=Interrupted(max_iter=1), n_jobs=1
        )
    assert found.n_topics.tolist() == [2, 3]
    assert found.table["npmi"].len() == 2


def test_texts_and_dense_counts():
    metric = ("npmi", "diversity")
    options = {"metric": metric, "estimator": LatentDirichletAllocation(max_iter=2), "n_words": 5}
    vectorizer = CountVectorizer()
    texts = CORPUS.texts
    from_texts = sweep(texts, [3], vectorizer=vectorizer, **options)
    assert not hasattr(vectorizer, "vocabulary_")
    X = CountVectorizer().fit_transform(texts)
    for form in (X, sparse.csc_matrix(X), X.toarray(), X.toarray().tolist()):
        found = sweep(form, [3], **options).table.drop("seconds")
        assert found.equals(from_texts.table.drop("seconds"))
    assert sweep(pl.Series(texts), [3], **options).scores["npmi"].shape == (1,)


def test_coherence_is_that_of_the_training_documents():
    result = sweep(
        CORPUS.X, [3], metric="npmi", estimator=MODEL, keep_models=True, validation_size=1
    )
    whole = coherence(result.models[3], CORPUS.X).mean
    assert result.scores["npmi"][0] == pytest.approx(whole, abs=0.01)


def made(likelihoods, numbers=(5, 10, 20)):
    likelihoods = np.asarray(likelihoods, dtype=np.float64)
    lengths = np.full(likelihoods.shape[1], 10.0)
    return Sweep(
        n_topics=np.array(numbers),
        scores={"held_out": likelihoods.sum(axis=1) / lengths.sum()},
        document_likelihoods=likelihoods,
        document_lengths=lengths,
        seconds=np.ones(len(numbers)),
    )


def test_suggestion():
    base = np.array([-70.0, -60.0, -80.0, -65.0])
    wobble = np.array([0.5, -0.5, 0.5, -0.4])
    level = made([base, base + 10, base + 10 + wobble])
    assert (level.best, level.suggested) == (20, 10)
    clear = made([base, base + 10, base + 12 + wobble])
    assert (clear.best, clear.suggested) == (20, 20)
    falling = made([base, base - 1, base - 2])
    assert (falling.best, falling.suggested) == (5, 5)
    single = made(base[None, :1] + [[0], [1], [2]])  # one document: no standard error
    assert (single.best, single.suggested) == (20, 20)


def test_gain_by_hand():
    result = made([[-10.0, -20.0, -30.0], [-8.0, -20.0, -29.0]], numbers=(2, 4))
    gain, error = result.table.row(1)[3:5]
    assert gain == pytest.approx(3 / 30)
    assert error == pytest.approx(np.std([2, 0, 1], ddof=1) / np.sqrt(3) / 10)


def test_print_and_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    base = np.array([-70.0, -60.0, -80.0, -65.0])
    result = made([base, base + 10, base + 10.01])
    lines = str(result).splitlines()
    assert lines[0] == "3 numbers of topics, 4 validation documents"
    assert lines[-2].endswith("1.0")
    assert lines[-1].endswith("suggested, best")
    assert repr(result) == "Sweep(n_topics=[5, 10, 20], scores=['held_out'])"
    assert result._repr_html_().count("<tr>") == 4
    axes = result.plot()
    assert axes.get_xlabel() == "Number of topics"
    assert axes.get_legend().get_texts()[0].get_text() == "suggested: 20"
    both = Sweep(
        n_topics=np.array([2, 40]),
        scores={"npmi": np.array([0.1, 0.2]), "diversity": np.array([1.0, 0.8])},
        document_likelihoods=None,
        document_lengths=np.ones(3),
        seconds=np.ones(2),
    )
    above, below = both.plot()
    assert above.get_ylabel() == "Coherence (NPMI)"
    assert below.get_xscale() == "log"
    assert both.plot("diversity").get_ylabel() == "Topic diversity"
    assert both.plot(ax=axes) is axes
    assert both.best == 40
    with pytest.raises(ValueError, match="there are npmi, diversity"):
        both.plot("held_out")
    pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"K": []}, ValueError, "K is empty"),
        ({"K": [0]}, ValueError, "K is 0"),
        ({"K": [2.5]}, ValueError, "K is 2.5"),
        ({"K": 10}, TypeError, "expected numbers of topics"),
        ({"metric": "perplexity"}, ValueError, "metric has 'perplexity'"),
        ({"metric": ()}, ValueError, "metric is empty"),
        ({"validation_size": 0.0}, ValueError, "validation_size is 0.0"),
        ({"validation_size": 300}, ValueError, "from 1 to 299"),
        ({"estimator": CountVectorizer()}, TypeError, "expected a topic model"),
        ({"n_words": 1}, ValueError, "n_words is 1"),
        ({"X": np.ones((1, 3))}, ValueError, "two documents or more"),
    ],
)
def test_bad_arguments(arguments, error, message):
    arguments = {"X": CORPUS.X, "K": [2], "estimator": MODEL, "metric": "npmi", **arguments}
    with pytest.raises(error, match=message):
        sweep(arguments.pop("X"), **arguments)


def test_progress_bar(capsys):
    sweep(
        CORPUS.X, [2], metric="npmi", estimator=LatentDirichletAllocation(max_iter=1), progress=True
    )
    assert "Models" in capsys.readouterr().err


def test_with_the_models_and_the_likelihood_of_quire():
    pytest.importorskip("quire.topics._held_out")
    pytest.importorskip("quire.decomposition")
    result = sweep(CORPUS.X, [1, 4])
    assert result.table["gain"][1] > 2 * result.table["gain_error"][1]
