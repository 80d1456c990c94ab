"""Writes the golden model file of the current format: run once for each format, then kept for ever.

The file holds one small model of every public estimator; the JSON beside it holds what they were
asked and what they answered. ``tests/persistence/test_golden.py`` shows that later versions
of quire still read the file and answer the same. Nothing but generated data is in it.

    python tests/persistence/golden/make_golden.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

import quire
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.feature_extraction.select import SelectTerms, mutual_info
from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from quire.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    OrdinalRegression,
    Ridge,
    RidgeCV,
)
from quire.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)

FOLDER = Path(__file__).parent
FORMAT = 1
WORDS = "film plot gut böse naïve 🎬 star cast scene slow bright dull".split()
LABELS = ["neg", "neutral", "pos"]


def make_models(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return fitted models and what to ask them."""
    X = rng.poisson(0.8, (60, 4))
    y = rng.choice(LABELS, 60)
    target = X @ rng.normal(size=4) + 0.1 * rng.normal(size=60)
    texts = [" ".join(rng.choice(WORDS, n)) for n in rng.integers(0, 8, 60)]
    logistic_cv = LogisticRegressionCV(
        Cs=2, cv=2, l1_ratios=(0.0,), scoring="accuracy", use_legacy_attributes=False
    )
    classifiers = [
        BernoulliNB(),
        CategoricalNB(min_categories=12),
        ComplementNB(),
        GaussianNB(),
        LeastSquaresClassifier(),
        LinearDiscriminantAnalysis(),
        LogisticRegression(),
        logistic_cv,
        MixedNB(),
        MultinomialNB(),
        OrdinalRegression(categories=LABELS),
        SelectTerms(mutual_info, k=2),
        TfidfTransformer(),
    ]
    regressors = [
        ElasticNet(alpha=0.1),
        ElasticNetCV(alphas=3, cv=2),
        Lasso(alpha=0.1),
        LassoCV(alphas=3, cv=2),
        LinearRegression(),
        Ridge(),
        RidgeCV(),
    ]
    vectorizers = [
        CountVectorizer(ngram_range=(1, 2), min_df=3),
        HashingVectorizer(n_features=16, dtype=np.float32),
        TfidfVectorizer(sublinear_tf=True),
        CountVectorizer(vocabulary={"plot": 1, "film": 0}),
    ]
    of_text = [
        make_pipeline(TfidfVectorizer(), MaxAbsScaler(), LogisticRegression(C=10.0)),
        make_pipeline(
            CountVectorizer(tokenizer=str.split, token_pattern=None),
            FunctionTransformer(np.log1p),
            SelectKBest(chi2, k=5),
            ComplementNB(),
        ),
        MultinomialNB().fit_text(texts, y).to_pipeline(),
    ]
    models = {f"matrix {m}": m.fit(X, y) for m in classifiers}
    models |= {f"target {m}": m.fit(X, target) for m in regressors}
    models |= {f"words {m}": m.fit(texts) for m in vectorizers}
    models |= {f"texts {i}": m.fit(texts, y) for i, m in enumerate(of_text)}
    return models, {"matrix": X[:6].tolist(), "texts": [*texts[:5], "", "🎬 unknown film"]}


def answers(model: Any, question: Any) -> dict[str, Any]:
    """Return all that a model says about a question, as what JSON can hold."""
    found = {}
    for name in ("predict", "predict_proba", "transform"):
        if hasattr(model, name):
            answer = getattr(model, name)(question)
            found[name] = (answer.toarray() if sparse.issparse(answer) else answer).tolist()
    return found


def make_values(rng: np.random.Generator) -> dict[str, Any]:
    """Return one value of every kind that the format knows."""
    array = rng.normal(size=200)
    return {
        "array": array,
        "same": array,
        "fortran": np.asfortranarray(rng.normal(size=(20, 10))),
        "integers": np.arange(300),
        "strings": [f"wört{i}" for i in range(80)],
        "numbers": list(range(80)),
        "objects": np.array(["a", None, 2.5], dtype=object),
        "structured": np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f8")]),
        "dates": np.array(["2024-02-29", "NaT"], dtype="M8[D]"),
        "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
        "sparse": sparse.csr_array(np.eye(5)),
        "generator": np.random.default_rng(3),
        "legacy": np.random.RandomState(np.random.PCG64(3)),
        "plain": (None, True, 2**100, float("inf"), 1 + 2j, b"\xff", slice(1, 2), {1: {2}}),
        "types": (float, np.float32, np.dtype("<f4"), frozenset("a"), range(3)),
    }


def main() -> None:
    """Write both files."""
    rng = np.random.default_rng(20)
    models, questions = make_models(rng)
    expected = {
        name: answers(model, questions["matrix" if name[:6] in ("matrix", "target") else "texts"])
        for name, model in models.items()
    }
    path = FOLDER / f"model-v{FORMAT}.quire"
    values = make_values(rng)
    quire.save({"models": models, "values": values}, path, scores={"accuracy": 0.5})
    content = json.dumps({"questions": questions, "answers": expected}, indent=None)
    path.with_suffix(".json").write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
