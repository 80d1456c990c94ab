"""What is scored from a model file answers with the bits of the estimator."""

import io
import warnings

import numpy as np
import pytest
from sklearn.pipeline import FeatureUnion, make_pipeline
from tests.helpers.saved_models import bits

import quire
from quire.calibration import CalibratedClassifier
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.ensemble import AveragedClassifier, RandomForestClassifier
from quire.exceptions import ModelFileError, UnscorableModelError
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import (
    BM25Transformer,
    BM25Vectorizer,
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
    words_and_characters,
)
from quire.inspection import explain, top_evidence
from quire.linear_model import (
    LeastSquaresClassifier,
    LogisticRegression,
    LogisticRegressionCV,
    NBLogistic,
    Ridge,
)
from quire.model_selection import ThresholdClassifier
from quire.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from quire.scoring import load_model, load_scorer
from quire.svm import NBSVM, LinearSVC

TEXTS = [
    "A good plot, a very good cast; not boring at all!",
    "fine film and a good story",
    "the cast was great, the story fine",
    "never dull: great fun for everyone",
    "what a lovely, lovely, good film",
    "bad plot and a dull cast",
    "not good, not fine: boring",
    "the worst film; bad, bad story",
    "no story and a boring, dull plot",
    "awful cast. I was bored",
    "it was a film about a café in Zürich",
    "a plot, a cast, a story; nothing else",
    "films are films, and stories stories",
    "the café had a story of its own",
    "a story about boredom, neither good nor bad",
]
THREE = np.array(["pos"] * 5 + ["neg"] * 5 + ["so so"] * 5)
TWO = np.where(THREE == "pos", "pos", "neg")
ASKED = [
    *TEXTS[::4],
    "",
    "   \t\n",
    "zebra quartz",
    "GOOD Good gOOd, İstanbul ﬁne ﬂat CAFÉ cafe\u0301 good_film don't",
    "\ud800 good \udfff film \ud83d",
    "good\x00bad\u202efilm\u2028story \U0001f600 a\u0300\u0301\u0302 क्षि 文字 plot",
    "not good. never a bad film, no story; not \u2019t",
    "good " * 300,
]
WHY = [TEXTS[0], TEXTS[8], *ASKED[4:5], *ASKED[7:10]]
VECTORIZERS = {
    "counts": CountVectorizer(),
    "tfidf": TfidfVectorizer(),
    "bm25": BM25Vectorizer(),
    "hashes": HashingVectorizer(n_features=256, alternate_sign=False),
    "signed hashes": HashingVectorizer(n_features=64, norm=None),
    "words and characters": words_and_characters(),
    "pairs of words": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, norm="l1"),
    "stems": TfidfVectorizer(stemmer="english", ngram_range=(1, 2)),
    "kinds of tokens": CountVectorizer(tokens="words+punctuation+emoji"),
    "negation": TfidfVectorizer(negation="english", stop_words="english"),
    "characters": CountVectorizer(analyzer="char", ngram_range=(2, 3), binary=True),
    "accents": TfidfVectorizer(strip_accents="unicode", lowercase=False, dtype=np.float32),
    "ascii": CountVectorizer(strip_accents="ascii", stop_words=["the", "a"], dtype=np.int32),
    "pattern": CountVectorizer(token_pattern=r"[a-z]+|[^\w\s]", min_df=2),
    "given words": TfidfVectorizer(vocabulary=["good", "bad", "good film"], ngram_range=(1, 2)),
    "weights behind": make_pipeline(CountVectorizer(), TfidfTransformer()),
    "bm25 behind": make_pipeline(CountVectorizer(), BM25Transformer(norm=None)),
    "selected": make_pipeline(CountVectorizer(), SelectTerms(k=20)),
    "a union": FeatureUnion(
        [("w", CountVectorizer()), ("c", TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)))],
        verbose_feature_names_out=False,
    ),
}
MODELS = {
    "multinomial": MultinomialNB(),
    "presence": MultinomialNB(binarize=0.0, alpha=0.3),
    "unsmoothed": MultinomialNB(alpha=0.0),
    "complement": ComplementNB(),
    "complement, normed": ComplementNB(norm=True),
    "bernoulli": BernoulliNB(),
    "bernoulli, unsmoothed": BernoulliNB(alpha=0.0),
    "logistic": LogisticRegression(),
    "logistic, some zero": LogisticRegression(l1_ratio=1.0, C=3.0, solver="saga"),
    "logistic by folds": LogisticRegressionCV(
        Cs=2, cv=2, l1_ratios=(0.0,), scoring="accuracy", use_legacy_attributes=False
    ),
    "least squares": LeastSquaresClassifier(alpha=1.0),
    "machine": LinearSVC(random_state=0),
    "weighted logistic": NBLogistic(),
    "weighted machine": NBSVM(binarize=None, beta=0.5),
    "discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5),
    "calibrated": CalibratedClassifier(LinearSVC(random_state=0), cv=2),
    "calibrated counts": CalibratedClassifier(MultinomialNB(), method="temperature", cv=2),
    "isotonic": CalibratedClassifier(MultinomialNB(), method="isotonic", cv=2),
}
CASES = [
    *((name, "multinomial", THREE) for name in VECTORIZERS if name != "signed hashes"),
    *((name, "logistic", TWO) for name in VECTORIZERS),
    *(("tfidf", name, TWO) for name in MODELS),
    *(("words and characters", name, THREE) for name in MODELS),
]


def saved(model):
    file = io.BytesIO()
    quire.save(model, file)
    return file.getvalue()


def both(model):
    """Return a model as loaded whole, and as scored from its file."""
    content = saved(model)
    return quire.load(io.BytesIO(content)), load_scorer(io.BytesIO(content))


def fitted(vectorizer, model, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(vectorizer, model).fit(TEXTS, y)


def said(explanation):
    """Return all of an explanation, numbers as bits."""
    parts = explanation.parts
    return (
        bits(np.asarray(explanation.prediction)),
        explanation.target,
        explanation.against,
        explanation.headline,
        explanation.score.hex(),
        float(explanation.offset).hex(),
        explanation.probabilities and {k: p.hex() for k, p in explanation.probabilities.items()},
        [str(name) for name in explanation.names],
        [bits(part) for part in (parts.columns, parts.values, parts.contributions)],
        [(s.start, s.end, s.term, float(s.contribution).hex()) for s in explanation.spans],
        [
            (w.start, w.end, float(w.score).hex(), w.is_known)
            for passage in explanation.passages
            for w in passage.words
        ],
        explanation.notes,
        str(explanation),
    )


def check_equal(model, texts=ASKED, asked_why=WHY):
    whole, scorer = both(model)
    takes = (
        [t for t in texts if not has_surrogates(t)] if refuses_surrogates(whole, scorer) else texts
    )
    with np.errstate(all="ignore"):
        for part in (takes, takes[:1]):
            assert bits(scorer.predict(part)) == bits(whole.predict(part))
            for name in ("predict_proba", "decision_function"):
                if hasattr(whole, name):
                    assert bits(getattr(scorer, name)(part)) == bits(getattr(whole, name)(part))
        assert bits(scorer.classes_) == bits(whole.classes_)
        for text in asked_why:
            if text in takes:
                assert said(scorer.explain(text)) == said(explain(whole, text))
        assert str(top_evidence(scorer.model, 5)) == str(top_evidence(whole, 5))


def has_surrogates(text):
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def refuses_surrogates(whole, scorer):
    """Say whether texts are hashed with all that is in them; surrogates cannot be."""
    said = []
    for model in (whole, scorer):
        try:
            model.predict(["\ud800"])
            said.append("")
        except UnicodeEncodeError as error:
            said.append(str(error))
    assert said[0] == said[1]
    return bool(said[0])


@pytest.mark.parametrize(
    ("vectorizer", "model", "y"),
    CASES,
    ids=[f"{vectorizer}-{model}-{len(set(y))}" for vectorizer, model, y in CASES],
)
def test_answers_have_the_bits_of_the_estimator(vectorizer, model, y):
    check_equal(fitted(VECTORIZERS[vectorizer], MODELS[model], y))


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_an_average_of_models_over_several_vectorizers(y):
    average = AveragedClassifier(
        [
            ("words", make_pipeline(TfidfVectorizer(), LogisticRegression())),
            ("pairs", make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB())),
            (
                "letters",
                make_pipeline(
                    TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
                    LinearSVC(random_state=0),
                ),
            ),
            ("both", make_pipeline(words_and_characters(), NBLogistic())),
        ],
        weights=[0.5, 0.1, 1.0, 0.7],
    ).fit(TEXTS, y)
    check_equal(average)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_equal(CalibratedClassifier(average, cv=2).fit(TEXTS, y))


@pytest.mark.parametrize("model", [LogisticRegression(), MultinomialNB(), LinearSVC()])
@pytest.mark.parametrize("pos_label", ["pos", "neg"])
def test_thresholds_of_two_classes(model, pos_label):
    pipeline = make_pipeline(CountVectorizer(), model)
    check_equal(ThresholdClassifier(pipeline, pos_label=pos_label, cv=2).fit(TEXTS, TWO))


@pytest.mark.parametrize("model", [MultinomialNB(), ComplementNB(), BernoulliNB(alpha=0.1)])
def test_models_that_were_fitted_to_texts(model):
    model = model.fit_text(TEXTS, THREE)
    check_equal(model.to_pipeline())
    scorer = load_scorer(io.BytesIO(saved(model)))  # alone, with a vectorizer of its own
    assert bits(scorer.predict_proba(ASKED)) == bits(model.to_pipeline().predict_proba(ASKED))
    assert said(scorer.explain(ASKED[0])) == said(explain(model, ASKED[0]))


@pytest.mark.parametrize("labels", [np.arange(15) % 3, np.arange(15) % 2 == 0])
def test_labels_that_are_no_texts(labels):
    check_equal(fitted(TfidfVectorizer(), LogisticRegression(), labels))


def test_columns_of_other_libraries_are_read():
    polars = pytest.importorskip("polars")
    whole, scorer = both(fitted(TfidfVectorizer(), LogisticRegression(), THREE))
    expected = bits(whole.predict_proba(TEXTS))
    assert bits(scorer.predict_proba(polars.Series(TEXTS))) == expected
    assert bits(scorer.predict_proba(iter(TEXTS))) == expected
    assert bits(scorer.predict_proba([text.encode() for text in TEXTS])) == expected


def test_several_texts_and_two_named_classes_are_explained():
    whole, scorer = both(fitted(TfidfVectorizer(), LogisticRegression(), THREE))
    for a, b in zip(
        scorer.explain(TEXTS, n_terms=3), explain(whole, TEXTS, n_terms=3), strict=True
    ):
        assert said(a) == said(b)
    for options in ({"target": "neg"}, {"against": "so so"}, {"target": "pos", "against": "neg"}):
        assert said(scorer.explain(TEXTS[0], **options)) == said(
            explain(whole, TEXTS[0], **options)
        )
    with pytest.raises(ValueError, match="not a class"):
        scorer.explain(TEXTS[0], target="nobody")


def test_wrong_input_is_refused():
    scorer = both(fitted(CountVectorizer(), MultinomialNB(), TWO))[1]
    with pytest.raises(ValueError, match="string object received"):
        scorer.predict("one text")
    with pytest.raises(ValueError, match=r"Row 1 .* is missing"):
        scorer.predict(["a text", None])
    with pytest.raises(AttributeError, match="decision_function"):
        scorer.decision_function(["a text"])


def unscorable():
    texts = make_pipeline
    yield "trees", texts(CountVectorizer(), RandomForestClassifier(2, random_state=0))
    yield "a regression", texts(CountVectorizer(), Ridge())
    yield "a function", texts(CountVectorizer(tokenizer=str.split), MultinomialNB())
    yield (
        "words that look back",
        texts(CountVectorizer(token_pattern=r"(?<=\s)\w+"), MultinomialNB()),
    )
    yield "texts in files", texts(CountVectorizer(input="file"), MultinomialNB())
    yield "narrow numbers", texts(CountVectorizer(dtype=np.int8), MultinomialNB())
    yield (
        "stems that are hashed",
        texts(HashingVectorizer(stemmer="english", alternate_sign=False), MultinomialNB()),
    )
    yield (
        "weighted parts",
        texts(
            FeatureUnion([("a", CountVectorizer())], transformer_weights={"a": 2.0}),
            MultinomialNB(),
        ),
    )
    yield "sparse weights", texts(CountVectorizer(), LinearSVC(random_state=0))


@pytest.mark.parametrize(("name", "model"), list(unscorable()), ids=lambda one: str(one)[:20])
def test_other_models_are_left_to_the_estimators(name, model, tmp_path):
    texts = [io.StringIO(text) for text in TEXTS] if name == "texts in files" else TEXTS
    y = np.arange(15.0) if name == "a regression" else TWO
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(texts, y)
    if name == "sparse weights":
        model[-1].sparsify()
    path = quire.save(model, tmp_path / "model.quire")
    with pytest.raises(UnscorableModelError):
        load_scorer(path)
    loaded, info = load_model(path)
    assert type(loaded) is type(model)
    assert info == quire.persistence.read_info(path)


@pytest.mark.parametrize("model", [make_pipeline(CountVectorizer(), MultinomialNB())])
def test_models_that_are_not_fitted_are_left_to_the_estimators(model):
    with pytest.raises(UnscorableModelError):
        load_scorer(io.BytesIO(saved(model)))


@pytest.mark.parametrize("value", [CountVectorizer().fit(TEXTS), [1, 2], {"a": 1}, None])
def test_what_is_no_model_of_texts_is_refused(value):
    with pytest.raises(UnscorableModelError):
        load_scorer(io.BytesIO(saved(value)))


def test_what_a_file_says_of_itself_is_the_same():
    content = saved(fitted(TfidfVectorizer(), LogisticRegression(), THREE))
    scorer = load_scorer(io.BytesIO(content))
    assert scorer.info == quire.persistence.read_info(io.BytesIO(content))
    assert repr(scorer) == "<Scorer of sklearn.pipeline.Pipeline: 3 classes>"


def test_damaged_files_are_refused(tmp_path):
    content = bytearray(saved(fitted(TfidfVectorizer(), LogisticRegression(), THREE)))
    content[len(content) // 2] ^= 0xFF
    for damaged in (bytes(content), bytes(content[:500]), b"", b"no model"):
        with pytest.raises(ModelFileError):
            load_scorer(io.BytesIO(damaged))
