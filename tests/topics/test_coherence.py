"""Coherence: counts of windows against a loop, values worked by hand, words that never occur."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from quire.feature_extraction.text import CountVectorizer
from quire.topics import Coherence, coherence
from quire.topics._occurrences import count_matrix, count_windows

# Five documents: a in 3, b in 3, c in 2; a and b together in 2, a and c in 0, b and c in 1.
DOCUMENTS = [["a", "b"], ["b", "a", "x"], ["a"], ["c", "b"], ["c", "x"]]
TOPIC = [["a", "b", "c"]]
P = {"a": 3 / 5, "b": 3 / 5, "c": 2 / 5, "ab": 2 / 5, "ac": 0.0, "bc": 1 / 5}
EPSILON = 1e-12


class Model:
    """What a fitted model of quire has."""

    def __init__(self, phi, terms=None, vectorizer=None):
        self.phi_ = np.asarray(phi)
        self.vocabulary_terms_ = terms
        self.vectorizer_ = vectorizer


def windows_by_loop(documents, size):
    found = []
    for tokens in documents:
        n = len(tokens) if size is None else min(size, len(tokens))
        found += [tokens[i : i + n] for i in range(len(tokens) - n + 1)]
    return found


def holds(window, phrase):
    words = phrase.split(" ")
    return any(window[i : i + len(words)] == words for i in range(len(window)))


@given(
    documents=st.lists(st.lists(st.sampled_from(list("abcdxyz")), max_size=12), max_size=8),
    size=st.one_of(st.none(), st.integers(1, 6)),
)
def test_windows_equal_a_loop(documents, size):
    words = ["a", "b", "c", "d", "a b", "q"]
    topics = [np.array([0, 1, 2]), np.array([3, 0, 4, 5])]
    found = count_windows(documents, lambda tokens: tokens, words, topics, size)
    windows = windows_by_loop(documents, size)
    assert found.total == len(windows)
    assert found.single.tolist() == [sum(holds(w, word) for w in windows) for word in words]
    for topic, pairs in zip(topics, found.pairs, strict=True):
        for i, one in enumerate(topic):
            for j, other in enumerate(topic):
                together = sum(holds(w, words[one]) and holds(w, words[other]) for w in windows)
                assert pairs[i, j] == together


def test_batches_do_not_change_counts(monkeypatch):
    rng = np.random.default_rng(0)
    documents = [[f"w{i}" for i in rng.integers(0, 9, size)] for size in rng.integers(0, 40, 60)]
    words, topics = [f"w{i}" for i in range(5)], [np.arange(5)]
    whole = count_windows(documents, list, words, topics, 7)
    monkeypatch.setattr("quire.topics._occurrences._TOKENS", 50)
    parts = count_windows(documents, list, words, topics, 7)
    assert parts.total == whole.total
    np.testing.assert_array_equal(parts.single, whole.single)
    np.testing.assert_array_equal(parts.pairs[0], whole.pairs[0])


def test_counts_that_are_stored_in_parts_or_as_zero():
    X = sparse.csr_array(
        (np.array([1, 1, 0, 2.0]), np.array([0, 0, 1, 1]), np.array([0, 2, 3, 4])), (3, 2)
    )
    found = count_matrix(X, np.array([0, 1, -1]), [np.array([0, 1, 2])])
    assert found.single.tolist() == [1, 1, 0]
    assert found.pairs[0].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert found.total == 3


def test_umass_by_hand():
    wanted = [
        math.log((P["ab"] + EPSILON) / P["a"]),
        math.log((P["ac"] + EPSILON) / P["a"]),
        math.log((P["bc"] + EPSILON) / P["b"]),
    ]
    result = coherence(TOPIC, DOCUMENTS, measure="umass")
    np.testing.assert_allclose(result.per_topic, [np.mean(wanted)], rtol=1e-12)
    one_document = coherence(TOPIC, DOCUMENTS, measure="umass", epsilon=1 / 5)
    wanted = [math.log(3 / 3), math.log(1 / 3), math.log(2 / 3)]  # Mimno's D(a, b) + 1 over D(a)
    np.testing.assert_allclose(one_document.mean, np.mean(wanted))


def npmi(joint, one, other, epsilon=EPSILON):
    return math.log((joint + epsilon) / (one * other)) / -math.log(joint + epsilon)


def test_npmi_and_uci_by_hand():
    pairs = [("ab", "a", "b"), ("ac", "a", "c"), ("bc", "b", "c")]
    wanted = np.mean([npmi(P[joint], P[one], P[other]) for joint, one, other in pairs])
    assert coherence(TOPIC, DOCUMENTS, window="document").mean == pytest.approx(wanted, rel=1e-12)
    exact = np.mean([npmi(P["ab"], 0.6, 0.6), -1.0, npmi(P["bc"], 0.6, 0.4)])
    result = coherence(TOPIC, DOCUMENTS, window="document", epsilon=0)
    assert result.mean == pytest.approx(exact, rel=1e-9)
    wanted = np.mean([math.log((P[j] + EPSILON) / (P[a] * P[b])) for j, a, b in pairs])
    assert coherence(TOPIC, DOCUMENTS, measure="c_uci").mean == pytest.approx(wanted, rel=1e-12)


def test_c_v_by_hand():
    M = np.array(
        [
            [npmi(0.6, 0.6, 0.6), npmi(0.4, 0.6, 0.6), npmi(0, 0.6, 0.4)],
            [npmi(0.4, 0.6, 0.6), npmi(0.6, 0.6, 0.6), npmi(0.2, 0.6, 0.4)],
            [npmi(0, 0.6, 0.4), npmi(0.2, 0.6, 0.4), npmi(0.4, 0.4, 0.4)],
        ]
    )
    whole = M.sum(axis=0)
    cosines = [row @ whole / np.linalg.norm(row) / np.linalg.norm(whole) for row in M]
    result = coherence(TOPIC, DOCUMENTS, measure="c_v")
    assert result.mean == pytest.approx(np.mean(cosines), rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [  # gensim 4.4.0, topics without a word that is twice in a window
        ("c_npmi", [0.27680268, -0.22115651]),
        ("c_uci", [0.60819766, -12.08038410]),
        ("c_v", [0.81756995, 0.45659513]),
        ("u_mass", [-0.76072470, -13.44930646]),
    ],
)
def test_values_of_gensim(measure, wanted):
    documents = [
        "human interface computer".split(),
        "survey user computer system response time".split(),
        "eps user interface system".split(),
        "system human eps".split(),
        "user response time".split(),
        "trees".split(),
        "graph trees".split(),
        "graph minors trees".split(),
        "graph minors survey".split(),
    ]
    topics = [["human", "computer", "system", "interface"], ["graph", "minors", "trees", "eps"]]
    result = coherence(topics, documents, measure=measure)
    np.testing.assert_allclose(result.per_topic, wanted, atol=1e-7)


def test_windows_slide_over_texts():
    texts = ["Apples grow slowly. Pears too!", "pears and apples"]
    narrow = coherence([["apples", "pears"]], texts, window=2, epsilon=0)
    assert narrow.n_windows == 4 + 2
    assert narrow.mean == -1.0
    wider = coherence([["apples", "pears"]], texts, window=4, epsilon=0)
    assert wider.mean == pytest.approx(0)  # pears are in all 3 windows, apples in 2 of them
    default = coherence([["apples", "pears"]], texts)
    assert default.n_windows == 2


@pytest.mark.parametrize("form", [list, tuple, np.array, pl.Series, lambda x: np.array(x, object)])
@pytest.mark.parametrize("window", ["document", 3])
def test_forms_of_texts(form, window):
    texts = ["a1 b1 c1 d1", "b1 a1", "", "c1 🦊 d1"]
    wanted = coherence([["a1", "b1", "c1"]], [text.split() for text in texts], window=window)
    assert coherence([["a1", "b1", "c1"]], form(texts), window=window).mean == wanted.mean


def test_counts_texts_and_models_agree():
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 30, 12)) for _ in range(80)]
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    phi = rng.dirichlet(np.full(30, 0.1), 4)
    words = [[names[i] for i in np.argsort(-row)[:5]] for row in phi]
    wanted = coherence(words, texts, window="document", n_words=5).per_topic
    for topics, corpus, vocabulary in [
        (phi, X, None),
        (phi, X.toarray(), None),
        (phi, X.toarray().tolist(), None),
        (phi, X, vectorizer),
        (phi, texts, names),
        (phi, texts, vectorizer.vocabulary_),
        (words, X, names),
        (words, X.tocsc(), vectorizer),
        (Model(phi, names), texts, None),
        (Model(phi, None, vectorizer), X, None),
        (Model(phi, names), X[:, ::-1], names[::-1]),
        (words, pl.DataFrame(X.toarray(), schema=names.tolist()), None),
    ]:
        found = coherence(topics, corpus, window="document", n_words=5, vocabulary=vocabulary)
        np.testing.assert_allclose(found.per_topic, wanted, rtol=1e-12)
    model = LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(X)
    assert coherence(model, X).per_topic.shape == (3,)


def test_the_vectorizer_of_the_model_cuts_texts():
    texts = ["state of the union", "union of state", "the state"]
    vectorizer = CountVectorizer(stop_words="english", ngram_range=(1, 2)).fit(texts)
    phi = np.full((1, len(vectorizer.vocabulary_)), 1.0)
    for window in (2, "document"):
        result = coherence(Model(phi, None, vectorizer), texts, window=window)
        assert not result.missing[0]
        assert set(result.words[0]) == {"state", "union", "state union", "union state"}
    letters = CountVectorizer(analyzer="char").fit(texts)
    phi = np.full((1, len(letters.vocabulary_)), 1.0)
    with pytest.raises(ValueError, match="analyzer='char'"):
        coherence(Model(phi, None, letters), texts)


def test_words_that_never_occur():
    known = coherence([["a", "b", "c"]], DOCUMENTS)
    with_absent = coherence([["a", "never", "b", "c", "nowhere"]], DOCUMENTS)
    np.testing.assert_array_equal(with_absent.per_topic, known.per_topic)
    assert with_absent.missing == [["never", "nowhere"]]
    assert "missing" in str(with_absent)
    with pytest.warns(UserWarning, match="1 of 2 topics have fewer than two words"):
        result = coherence([["a", "b", "c"], ["a", "never"]], DOCUMENTS)
    assert np.isnan(result.per_topic).tolist() == [False, True]
    assert result.mean == known.mean
    for measure in ("npmi", "umass", "c_v", "c_uci"):
        with pytest.raises(ValueError, match="no topic has two words that occur"):
            coherence([["A", "never"]], DOCUMENTS, measure=measure)


@pytest.mark.parametrize("measure", ["npmi", "umass", "c_v", "c_uci"])
def test_words_in_every_document(measure):
    result = coherence([["a", "b"]], [["a", "b"], ["b", "a"]], measure=measure)
    wanted = 1.0 if measure in ("npmi", "c_v") else 0.0
    assert result.mean == pytest.approx(wanted, abs=1e-9)


def test_result():
    result = coherence([["a", "b"], ["b", "c"]], DOCUMENTS, epsilon=0)
    assert isinstance(result, Coherence)
    assert repr(result).startswith("Coherence(measure='npmi', n_topics=2, mean=")
    assert result.table["words"].to_list() == [["a", "b"], ["b", "c"]]
    assert result.table["npmi"].to_list() == result.per_topic.tolist()
    assert result._repr_html_().count("<tr>") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "npmi2"}, "measure is 'npmi2'; expected one of"),
        ({"n_words": 1}, "n_words is 1; expected a whole number from 2"),
        ({"window": 0}, "window is 0"),
        ({"window": "line"}, "window is 'line'"),
        ({"epsilon": 0, "measure": "umass"}, "umass takes a number above 0"),
        ({"epsilon": -1}, "npmi takes a number from 0 up"),
        ({"topics": [["a", "a"]]}, "topic 0 is .* two or more different words"),
        ({"topics": [["a"]]}, "topic 0 is"),
        ({"topics": [[1.0, -1.0]]}, r"phi\[0, 1\] is -1.0"),
        ({"topics": [[1.0, 1.0]]}, "words of the topics are not known"),
        ({"corpus": []}, "no documents"),
        ({"corpus": [["a"], None]}, "Row 1"),
        ({"corpus": ["a b", None]}, "Row 1"),
        ({"corpus": np.ones((3, 3))}, "corpus has 3 columns"),
        ({"corpus": -np.ones((2, 3)), "vocabulary": list("abc")}, "the value -1.0"),
        ({"corpus": np.ones((0, 3))}, r"shape \(0, 3\)"),
        ({"corpus": np.ones((2, 3)), "vocabulary": ["a"]}, "1 words for 3 columns"),
        ({"corpus": "one text"}, "string object received"),
    ],
)
def test_bad_arguments(arguments, message):
    arguments = {"topics": TOPIC, "corpus": DOCUMENTS, **arguments}
    with pytest.raises(ValueError, match=message):
        coherence(arguments.pop("topics"), arguments.pop("corpus"), **arguments)


def test_bad_types():
    with pytest.raises(TypeError, match="has neither phi_"):
        coherence(LatentDirichletAllocation(), DOCUMENTS)
    with pytest.raises(TypeError, match="one string"):
        coherence("a b", DOCUMENTS)
    with pytest.raises(TypeError, match="topic 1 is one string"):
        coherence([["a", "b"], "c d"], DOCUMENTS)
    with pytest.raises(TypeError, match="document 0 is a int"):
        coherence(TOPIC, [1, 2])
    with pytest.raises(TypeError, match="Name the column of texts"):
        coherence(TOPIC, pl.DataFrame({"text": ["a b"]}))
