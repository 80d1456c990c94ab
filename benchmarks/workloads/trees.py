"""Trees and forests against scikit-learn: sparse posts, and dense rows in two sizes.

Trees are compared by their accuracy on rows they have not seen: a single tree has the same splits
but for ties, a forest draws other columns. Prediction is measured apart, on fitted forests.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn.ensemble
import sklearn.tree
from sklearn.datasets import make_classification

import quire.ensemble
import quire.tree
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import newsgroups_train
from quire.feature_extraction.text import TfidfVectorizer

SIZES = {"11k": (11_000, 100, 100), "1m": (1_000_000, 20, 4)}  # rows, columns, trees


@lru_cache(maxsize=2)
def _posts(path: Path) -> tuple[Any, Any, Any, Any]:
    table = pl.read_parquet(path)
    train, test = (table.filter(pl.col("split") == part) for part in ("train", "test"))
    vectorizer = TfidfVectorizer(min_df=2, dtype=np.float32)
    X = vectorizer.fit_transform(train["text"].to_list())
    Q = vectorizer.transform(test["text"].to_list())
    return X, train["label"].to_numpy(), Q, test["label"].to_numpy()


def posts(context: Context) -> Data:
    """Training and test posts; `value` is (X, y, Q, labels of Q)."""
    path = context.path("newsgroups20.parquet")
    if path is None or context.quick:
        data = newsgroups_train(context)
        X, y = data.value
        seen = np.arange(X.shape[0]) % 5 < 3  # classes may lie side by side
        value = X[seen], y[seen], X[~seen], y[~seen]
        return Data(f"three fifths and the rest of {data.description}", value)
    X, y, Q, labels = _posts(path)
    text = f"tf-idf {X.shape[0]:,} and {Q.shape[0]:,} x {X.shape[1]:,} of 20 newsgroups"
    return Data(text, (X, y, Q, labels))


@lru_cache(maxsize=1)
def _numbers(rows: int, columns: int) -> tuple[Any, Any]:
    X, y = make_classification(
        rows,
        columns,
        n_informative=min(15, columns // 2),
        n_redundant=0,
        n_classes=3,
        flip_y=0.1,
        random_state=0,
    )
    return X.astype(np.float32), y


def numbers(size: str, context: Context) -> Data:
    """Draw three classes around several centres; `value` is (X, y, Q, labels of Q)."""
    rows, columns, _ = SIZES[size]
    rows = 2_000 if context.quick else rows
    X, y = _numbers(rows + rows // 5, columns)
    text = f"{rows:,} and {rows // 5:,} x {columns} numbers in 3 classes, float32"
    return Data(text, (X[:rows], y[:rows], X[rows:], y[rows:]))


@lru_cache(maxsize=1)
def _with_many(rows: int, many: int) -> tuple[Any, Any, Any, Any]:
    X, y = _numbers(rows + many, 100)
    return X[:rows].copy(), y[:rows], X[rows:], y[rows:]


def many_numbers(context: Context) -> Data:
    """Draw rows as in "11k", and many more of the same kind to answer for."""
    rows, many = (2_000, 4_000) if context.quick else (SIZES["11k"][0], 200_000)
    text = f"forests of {rows:,} x 100 numbers in 3 classes; {many:,} rows, float32"
    return Data(text, _with_many(rows, many))


def grow(make: Any, data: Any, n_jobs: int) -> Any:
    """Fit; the result is the model, and the rows to judge it by outside of the clock."""
    X, y, Q, labels = data
    return make(n_jobs).fit(X, y), Q[:2000], labels[:2000]


def tree(module: Any, n_jobs: int) -> Any:
    """Return a tree; it has no threads."""
    return module.DecisionTreeClassifier(random_state=0)


def forest(module: Any, n_trees: int, n_jobs: int) -> Any:
    """Return a random forest."""
    return module.RandomForestClassifier(n_trees, random_state=0, n_jobs=n_jobs)


@lru_cache(maxsize=4)
def _fitted(module: Any, key: int) -> Any:
    X, y = _LAST[key]
    return forest(module, 100, 2).fit(X, y)


_LAST: dict[int, tuple[Any, Any]] = {}


def with_forests(builder: Callable[[Context], Data], context: Context) -> Data:
    """Build the data, and fit a forest of each side outside of the clock."""
    data = builder(context)
    X, y, Q, labels = data.value
    _LAST[id(X)] = X, y
    models = {module: _fitted(module, id(X)) for module in (quire.ensemble, sklearn.ensemble)}
    return Data(data.description, (models, Q, labels), items=Q.shape[0])


def answer(module: Any, data: Any, n_jobs: int) -> Any:
    """Predict; the accuracy is found again outside of the clock."""
    models, Q, labels = data
    model = models[module].set_params(n_jobs=n_jobs)
    model.predict(Q)
    return model, Q, labels


def as_accurate(results: Mapping[str, Any]) -> Quality:
    """Compare accuracies, and say how large the models are as pickles."""
    models = [model for model, _, _ in results.values()]
    first, *others = [float(np.mean(m.predict(Q) == labels)) for m, Q, labels in results.values()]
    differ = max(abs(first - other) for other in others)
    sizes = [len(pickle.dumps(model)) / 1e6 for model in models[:2]]
    summary = (
        f"accuracy {first:.3f}, {differ:.3f} from the others; "
        f"pickles of {sizes[0]:.1f} and {sizes[1]:.1f} MB"
    )
    figures = {"accuracy": first, "difference": differ, "megabytes": sizes[0]}
    return Quality(differ < 0.03, summary, figures | {"megabytes_of_peer": sizes[1]})


def _sides(run: Any, **modules: Any) -> dict[str, Side]:
    return {name.replace("_", "-"): Side(partial(run, module)) for name, module in modules.items()}


_trees = {name: partial(tree, m) for name, m in (("q", quire.tree), ("s", sklearn.tree))}
register(
    Comparison(
        name="trees.sparse-tree",
        title="DecisionTreeClassifier().fit(X, y), sparse",
        data=posts,
        sides=_sides(grow, quire=_trees["q"], scikit_learn=_trees["s"]),
        check=as_accurate,
        mark=8.0,
    )
)


def _forests(n_trees: int) -> dict[str, Side]:
    ours, theirs = (partial(forest, m, n_trees) for m in (quire.ensemble, sklearn.ensemble))
    return _sides(grow, quire=ours, scikit_learn=theirs)


register(
    Comparison(
        name="trees.sparse-forest",
        title="RandomForestClassifier(100).fit(X, y), sparse",
        data=posts,
        sides=_forests(100),
        check=as_accurate,
        mark=8.0,
    )
)
register(
    Comparison(
        name="trees.sparse-predict",
        title="RandomForestClassifier(100).predict(Q), sparse",
        data=partial(with_forests, posts),
        sides=_sides(answer, quire=quire.ensemble, scikit_learn=sklearn.ensemble),
        check=as_accurate,
        mark=3.0,
        memory=False,
    )
)
register(
    Comparison(
        name="trees.dense-predict",
        title="RandomForestClassifier(100).predict(Q), dense",
        data=partial(with_forests, many_numbers),
        sides=_sides(answer, quire=quire.ensemble, scikit_learn=sklearn.ensemble),
        check=as_accurate,
        mark=3.0,
        memory=False,
    )
)
for _size, (_, _, _n_trees) in SIZES.items():
    register(
        Comparison(
            name=f"trees.dense-forest-{_size}",
            title=f"RandomForestClassifier({_n_trees}).fit(X, y), dense",
            data=partial(numbers, _size),
            sides=_forests(_n_trees),
            check=as_accurate,
            mark=3.0,
        )
    )
