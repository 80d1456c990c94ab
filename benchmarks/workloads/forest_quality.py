"""Whether forests are as good as scikit-learn's: held-out and out-of-bag scores over several seeds.

Forests of both packages draw different columns at their nodes, so that they agree up to chance
alone. The check: means over the seeds differ by no more than three standard errors and 0.005. Times
are for information; each side runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_friedman1
from sklearn.model_selection import train_test_split

import quire.ensemble
from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.workloads.trees import posts
from quire.datasets import make_text_classification
from quire.feature_extraction.text import TfidfVectorizer

N_SEEDS = 5
SLACK = 0.005
REVIEWS = 5_000

Floats = NDArray[np.float64]


def reviews(context: Context) -> Data:
    """Half of some film reviews to learn from, and the other half; `value` is (X, y, Q, z)."""
    corpus = imdb(context, subset=2 * REVIEWS).value
    texts, labels, name = corpus.texts, corpus.labels, corpus.name
    if labels is None:  # generated text without classes
        found = make_text_classification(
            len(texts), mean_length=250.0, separation=3.0, random_state=0
        )
        texts, labels, name = found.texts, found.y, "generated classes"
    seen = np.arange(len(texts)) % 2 == 0  # classes lie side by side
    vectorizer = TfidfVectorizer(min_df=2, dtype=np.float32)
    X = vectorizer.fit_transform([texts[i] for i in np.flatnonzero(seen)])
    Q = vectorizer.transform([texts[i] for i in np.flatnonzero(~seen)])
    y = np.asarray(labels)
    text = f"tf-idf {X.shape[0]:,} and {Q.shape[0]:,} x {X.shape[1]:,} of {name}"
    return Data(text, (X, y[seen], Q, y[~seen]))


def digits(context: Context) -> Data:
    """Take the digits that come with scikit-learn; `value` is (X, y, Q, z)."""
    X, y = load_digits(return_X_y=True)
    X, Q, y, z = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    return Data(f"{len(X):,} and {len(Q):,} x 64 pixels of digits", (X, y, Q, z))


@lru_cache(maxsize=1)
def _curved(rows: int) -> tuple[Any, Any]:
    X, y = make_friedman1(2 * rows, 10, noise=1.0, random_state=0)
    return X.astype(np.float32), y


def curved(context: Context) -> Data:
    """Draw Friedman's first regression problem; `value` is (X, y, Q, z)."""
    rows = 500 if context.quick else 5_000
    X, y = _curved(rows)
    text = f"{rows:,} and {rows:,} x 10 numbers of Friedman's first problem"
    return Data(text, (X[:rows], y[:rows], X[rows:], y[rows:]))


def scores(make: Callable[..., Any], data: Any, n_jobs: int) -> Floats:
    """Return held-out and out-of-bag scores, a column for each seed."""
    X, y, Q, z = data
    found = np.empty((2, N_SEEDS))
    for seed in range(N_SEEDS):
        model = make(bootstrap=True, oob_score=True, random_state=seed, n_jobs=n_jobs).fit(X, y)
        found[:, seed] = model.score(Q, z), model.oob_score_
    return found


def within_noise(results: Mapping[str, Floats]) -> Quality:
    """Compare the means over the seeds of scikit-learn's forests and ours."""
    ours, theirs = results.values()
    said: list[str] = []
    figures: dict[str, float] = {}
    passed = True
    for name, a, b in zip(("held out", "out of bag"), ours, theirs, strict=True):
        allowed = SLACK + 3.0 * np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / N_SEEDS)
        gap = float(a.mean() - b.mean())
        passed &= bool(abs(gap) <= allowed)
        said.append(f"{name} {a.mean():.3f} and {b.mean():.3f} ({allowed:.3f} allowed)")
        key = name.replace(" ", "_")
        figures |= {key: float(a.mean()), f"{key}_of_peer": float(b.mean()), f"{key}_gap": gap}
    return Quality(passed, "; ".join(said), figures)


def _sides(name: str, n_trees: int) -> dict[str, Side]:
    packages = {"quire": quire.ensemble, "scikit-learn": sklearn.ensemble}
    return {
        side: Side(
            partial(scores, partial(getattr(package, name), n_estimators=n_trees)), repeats=1
        )
        for side, package in packages.items()
    }


_WORK: list[tuple[str, Callable[[Context], Data], str]] = [
    ("posts", posts, "RandomForestClassifier"),
    ("reviews", reviews, "RandomForestClassifier"),
    ("reviews-extra", reviews, "ExtraTreesClassifier"),
    ("digits", digits, "RandomForestClassifier"),
    ("digits-extra", digits, "ExtraTreesClassifier"),
    ("digits-bagging", digits, "BaggingClassifier"),
    ("numbers", curved, "RandomForestRegressor"),
    ("numbers-extra", curved, "ExtraTreesRegressor"),
]
for _name, _data, _kind in _WORK:
    register(
        Comparison(
            name=f"trees.quality-{_name}",
            title=f"{_kind}(100, oob_score=True).fit(X, y).score(Q, z), {N_SEEDS} seeds",
            data=_data,
            sides=_sides(_kind, 100),
            check=within_noise,
            memory=False,
        )
    )
