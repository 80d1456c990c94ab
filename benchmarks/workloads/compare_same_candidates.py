"""`quire.model_selection.compare` against a program that tries the same candidates.

The program is what one writes who knows beforehand all that `compare` tries on a corpus without
options, and writes it well: texts are counted once for each kind of token, n-grams of fewer words
are cut from those of more, features are made once for all models that share them, the kind of
features is chosen by one quick model, every penalty is tried on the same documents that are held
out once more, and the best are averaged. Each model has the fastest solver that scikit-learn has
for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC
from sklearn.utils.parallel import Parallel, delayed

from benchmarks.comparison import Comparison, Side
from benchmarks.registry import register
from benchmarks.workloads.compare import as_accurate, corpus, ours

_ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01)
_TOKENS = r"\w+|[^\w\s]"
# What is counted, and the views that are cut from it: words in a row at most, documents at least.
_COUNTED: dict[str, dict[str, Any]] = {
    "words": {"min_df": 2},
    "tokens": {"token_pattern": _TOKENS},
    "n-grams": {"token_pattern": _TOKENS, "ngram_range": (1, 3), "min_df": 2},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 5), "min_df": 2},
}
_VIEWS = {
    "words": ("words", None, 2),
    "tokens": ("tokens", None, 1),
    "tokens-2": ("n-grams", 2, 2),
    "tokens-3": ("n-grams", 3, 2),
    "characters": ("characters", None, 2),
}
_MOST_CHARACTERS = 30_000_000  # of texts of which n-grams of characters are tried
_FEW_CLASSES = 6


@dataclass
class Fold:
    """The documents of a fold, and the counts of all."""

    counts: dict[str, tuple[Any, Any]]
    y: Any
    train: Any
    test: Any

    def features(self, view: str, weight: str) -> tuple[Any, Any]:
        """Return training and held-out documents, of terms that are in enough of the first."""
        counted, n_words, least = _VIEWS[view]
        X, sizes = self.counts[counted]
        learned, judged = X[self.train], X[self.test]
        is_kept = np.bincount(learned.indices, minlength=X.shape[1]) >= least
        if n_words is not None:
            is_kept &= sizes <= n_words
        places = np.flatnonzero(is_kept)
        learned, judged = learned[:, places], judged[:, places]
        if weight == "tf-idf":
            weights = TfidfTransformer(sublinear_tf=True).fit(learned)
            return weights.transform(learned), weights.transform(judged)
        if weight == "relevance":
            return self._relevance(learned, judged)
        return learned, judged

    def _relevance(self, learned: Any, judged: Any) -> tuple[Any, Any]:
        """Multiply tf-idf by relevance frequency (Lan and others 2009), and divide by norms."""
        y = self.y[self.train]
        weights = TfidfTransformer(sublinear_tf=True, norm=None).fit(learned)
        df = np.bincount(learned.indices, minlength=learned.shape[1])
        factor = np.ones(learned.shape[1])
        for label in np.unique(y):
            own = np.bincount(learned[y == label].indices, minlength=learned.shape[1])
            factor = np.maximum(factor, np.log2(2 + (own + 0.5) / (df - own + 0.5)))
        scale = sparse.diags_array(factor)
        weighted = (sparse.csr_array(weights.transform(one) @ scale) for one in (learned, judged))
        found = tuple(_normalised(one) for one in weighted)
        return found[0], found[1]


@dataclass
class Tried:
    """A model with its settings chosen: how good it was inside, and decisions."""

    name: str
    inside: float
    inner: Any
    held_out: Any


def _normalised(X: Any) -> Any:
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1.0 / np.where(norms > 0, norms, 1.0)) @ X)


class NBWeightedLogistic(LogisticRegression):
    """What one writes by hand for logistic regression of presence times log-count ratios."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NBWeightedLogistic:
        """Weigh the columns, one class against the rest for each, and fit."""
        self.classes_ = np.unique(y)
        self.parts_ = []
        shown = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        X = (X > 0).astype(np.float64)
        for label in shown:
            own = y == label
            p, q = (1.0 + np.asarray(X[rows].sum(axis=0)).ravel() for rows in (own, ~own))
            ratios = sparse.diags_array(np.log(p / p.sum()) - np.log(q / q.sum()))
            part = LogisticRegression(C=self.C, solver="liblinear", max_iter=1000)
            self.parts_.append((ratios, part.fit(X @ ratios, own)))
        return self

    def decision_function(self, X: Any) -> Any:
        """Return a score for each class, or for the second of two."""
        X = (X > 0).astype(np.float64)
        scores = [part.decision_function(X @ ratios) for ratios, part in self.parts_]
        return scores[0] if len(scores) == 1 else np.column_stack(scores)


def _logistic(C: float, n_classes: int) -> Any:
    solver = "liblinear" if n_classes == 2 else "newton-cg"
    return LogisticRegression(C=C, solver=solver, max_iter=1000)


Models = dict[str, tuple[Callable[[float], Any], tuple[float, ...]]]


def _models(weight: str, n_classes: int) -> Models:
    svm: Models = {"linear-svm": (lambda C: LinearSVC(C=C), (1.0, 0.3, 3.0))}
    if weight == "counts":
        return {
            "multinomial-nb": (lambda alpha: MultinomialNB(alpha=alpha), _ALPHAS),
            "complement-nb": (lambda alpha: ComplementNB(alpha=alpha), _ALPHAS),
            "bernoulli-nb": (lambda alpha: BernoulliNB(alpha=alpha), _ALPHAS),
        }
    if weight == "presence":
        return {"nb-logistic": (lambda C: NBWeightedLogistic(C=C), (1.0,))}
    if weight == "relevance":
        return {"relevance-svm": (svm["linear-svm"][0], (1.0, 0.3))}
    return {
        **svm,
        "logistic": (lambda C: _logistic(C, n_classes), (1.0, 10.0, 100.0)),
        "least-squares": (lambda alpha: RidgeClassifier(alpha=alpha), (0.5, 1.0, 0.2)),
    }


# Features that models share: how terms are weighted, the views among which is chosen, and the quick
# model that chooses.
_GROUPS: dict[str, tuple[str, tuple[str, ...], Callable[[], Any]]] = {
    "relevance": ("relevance", ("tokens", "tokens-2", "tokens-3"), LinearSVC),
    "tf-idf": ("tf-idf", ("words", "tokens", "tokens-2"), LinearSVC),
    "presence": ("presence", ("tokens-2", "tokens-3"), NBWeightedLogistic),
    "characters": ("relevance", ("characters",), LinearSVC),
    "counts": ("counts", ("words", "tokens-2"), lambda: MultinomialNB(alpha=0.1)),
}


def program(value: Any, n_jobs: int) -> dict[str, float]:
    """Run the program; return the mean accuracy of each model."""
    path, split = value
    table = pl.read_parquet(path)
    texts, y = table["text"].to_list(), table["label"].to_numpy()
    if split is None:
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(texts, y))
    else:
        is_test = table[split].to_numpy() == "test"
        folds = [(np.flatnonzero(~is_test), np.flatnonzero(is_test))]
    n_classes = len(np.unique(y))
    groups = list(_GROUPS)
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        groups.remove("characters")
    if n_classes > _FEW_CLASSES:
        groups.remove("presence")
    # The most work first, so that both processes end together.
    needed = dict.fromkeys(_VIEWS[view][0] for name in groups for view in _GROUPS[name][1])
    order = sorted(needed, key=["n-grams", "characters", "tokens", "words"].index)
    found = Parallel(n_jobs=n_jobs)(delayed(_count)(texts, name) for name in order)
    counts = dict(zip(order, found, strict=True))
    jobs = [(Fold(counts, y, *fold), name) for fold in folds for name in groups]
    tried = Parallel(n_jobs=n_jobs)(delayed(_try)(*job, n_classes) for job in jobs)
    scores: dict[str, list[float]] = {}
    for k, (train, test) in enumerate(folds):
        members = [one for part in tried[k * len(groups) : (k + 1) * len(groups)] for one in part]
        classes, codes = np.unique(y, return_inverse=True)
        inner = codes[train][_inside(y[train])[1]]
        members.append(_average(members, inner))
        for one in members:
            right = one.held_out.argmax(axis=1) == codes[test]
            scores.setdefault(one.name, []).append(float(right.mean()))
        most = np.bincount(codes[train], minlength=len(classes)).argmax()
        scores.setdefault("majority", []).append(float((codes[test] == most).mean()))
    return {name: float(np.mean(values)) for name, values in scores.items()}


def _count(texts: list[str], name: str) -> tuple[Any, Any]:
    vectorizer = CountVectorizer(**_COUNTED[name], dtype=np.float64)
    X = vectorizer.fit_transform(texts)
    if name != "n-grams":
        return X, None
    return X, np.array([1 + term.count(" ") for term in vectorizer.get_feature_names_out()])


def _inside(y: Any) -> tuple[Any, Any]:
    """Return the places of documents to learn from and of those held out once more."""
    splits = StratifiedShuffleSplit(1, test_size=0.2, random_state=0).split(y, y)
    learn, judge = next(splits)
    return learn, judge


def _try(fold: Fold, group: str, n_classes: int) -> list[Tried]:
    """Choose the view and the settings of the models of a group; fit them, and decide."""
    weight, views, make_judge = _GROUPS[group]
    learn, judge = _inside(fold.y[fold.train])
    inside = Fold(fold.counts, fold.y, fold.train[learn], fold.train[judge])
    y, z = fold.y[inside.train], fold.y[inside.test]
    kept: Any = (-1.0, views[0], None, None)
    for view in views:
        made = inside.features(view, weight)
        if len(views) == 1:
            kept = (0.0, view, made, None)
            break
        model = make_judge().fit(made[0], y)
        score = float((_decisions(model, made[1]).argmax(axis=1) == _codes(fold.y, z)).mean())
        kept = max(kept, (score, view, made, model), key=lambda one: one[0])
    _, view, (X, Z), begun = kept
    own, held_out = fold.features(view, weight)
    found = []
    for name, (make, values) in _models(weight, n_classes).items():
        best: Any = (-1.0, values[0], None)
        for value in values:
            model = make(value)
            is_begun = repr(model) == repr(begun)
            decisions = _decisions(begun if is_begun else model.fit(X, y), Z)
            score = float((decisions.argmax(axis=1) == _codes(fold.y, z)).mean())
            best = max(best, (score, value, decisions), key=lambda one: one[0])
        model = make(best[1]).fit(own, fold.y[fold.train])
        name = "character-svm" if group == "characters" else name
        found.append(Tried(name, best[0], best[2], _decisions(model, held_out)))
    return found


def _codes(y: Any, some: Any) -> Any:
    return np.searchsorted(np.unique(y), some)


def _decisions(model: Any, X: Any) -> Any:
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
    else:
        joint = model.predict_joint_log_proba(X)
        scores = joint if joint.shape[1] > 2 else joint[:, 1] - joint[:, 0]
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    return scores - scores.mean(axis=1, keepdims=True)


def _average(members: list[Tried], codes: Any) -> Tried:
    """Add the scores of up to four of the best six, as long as that is no worse inside."""
    ranked = sorted(members, key=lambda one: -one.inside)[:6]
    chosen, total = ranked[:1], ranked[0].inner / ranked[0].inner.std()
    best = float((total.argmax(axis=1) == codes).mean())
    for one in ranked[1:]:
        more = total + one.inner / one.inner.std()
        score = float((more.argmax(axis=1) == codes).mean())
        if len(chosen) < 4 and (score >= best or len(chosen) == 1):
            chosen, total, best = [*chosen, one], more, score
    held_out = sum(one.held_out / one.inner.std() for one in chosen)
    return Tried("average", best, total, held_out)


for _name, _file, _rows, _classes, _has_split in (
    ("sms", "sms_spam.parquet", 5_574, 2, False),
    ("congress", "uscongress.parquet", 4_449, 20, False),
    ("newsgroups", "newsgroups20.parquet", 18_846, 20, True),
    ("imdb", "imdb.parquet", 50_000, 2, True),
):
    register(
        Comparison(
            name=f"compare.same-candidates-{_name}",
            title="file to ranking, against a program that tries the same candidates",
            data=corpus(_file, _rows, _classes, has_split=_has_split),
            sides={"quire": Side(ours, repeats=3), "scikit-learn": Side(program, repeats=1)},
            check=as_accurate,
            mark=15 if _name == "imdb" else None,
            memory=False,
        )
    )
