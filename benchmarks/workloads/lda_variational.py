"""Topics by variational Bayes: quire against scikit-learn, which takes the same steps.

Both sides start from the same random numbers and do the same iterations, so that they are compared
at equal results: the perplexity of the training documents and the topics themselves. In batch
learning scikit-learn runs with as many processes as quire has threads; its random numbers then
depend on that, and only perplexities can be compared. In online learning it has one, since it is
slower with more: they are sent all topics for every batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import sklearn.decomposition
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.comparison import Comparison, Side
from benchmarks.data import newsgroups
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.decomposition._lda_variational import VariationalLDA


def counts(context: Context) -> Data:
    """20 newsgroups as counts of words that are neither rare nor common."""
    corpus = newsgroups(context)
    X = _counted(tuple(corpus.value.texts))
    described = f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / 1e6:.1f} M entries, of "
    return Data(described + corpus.description, X, items=X.shape[0])


@lru_cache(maxsize=1)
def _counted(texts: tuple[str, ...]) -> Any:
    vectorizer = CountVectorizer(min_df=5, max_df=0.5, stop_words="english", dtype=np.float64)
    return vectorizer.fit_transform(texts)


def fit(model: Any, method: str, n_components: int, max_iter: int) -> Any:
    """Return what the clock sees: a fit by one class."""
    alone = method == "online" and model is not VariationalLDA

    def run(X: Any, n_jobs: int) -> Any:
        return model(
            n_components,
            learning_method=method,
            max_iter=max_iter,
            random_state=0,
            n_jobs=1 if alone else n_jobs,
        ).fit(X)

    return run


def same_perplexity(results: Mapping[str, Any]) -> Quality:
    """Words are not less probable by more than a hundredth; with one job topics are the same."""
    ours, theirs = results.values()
    apart = float(np.log(ours.bound_) / np.log(theirs.bound_) - 1)
    figures = {f"{name}: perplexity": float(model.bound_) for name, model in results.items()}
    summary = ", ".join(f"{name} {value:,.2f}" for name, value in figures.items())
    if theirs.n_jobs != 1:
        return Quality(apart < 0.01, summary, figures)
    difference = float(np.abs(ours.components_ / theirs.components_ - 1).max())
    figures["largest difference of components"] = difference
    summary += f"; components differ by {difference:.1e} of their size"
    return Quality(abs(apart) < 1e-6 and difference < 1e-6, summary, figures)


for method, n_components, max_iter in (
    ("batch", 20, 5),
    ("online", 20, 2),
    ("batch", 100, 2),
    ("online", 100, 1),
):
    register(
        Comparison(
            name=f"lda-variational.{method}-{n_components}",
            title=f"{n_components} topics, {method}, {max_iter} passes",
            data=counts,
            sides={
                "quire": Side(fit(VariationalLDA, method, n_components, max_iter)),
                "scikit-learn": Side(
                    fit(
                        sklearn.decomposition.LatentDirichletAllocation,
                        method,
                        n_components,
                        max_iter,
                    ),
                    repeats=1,
                ),
            },
            check=same_perplexity,
            mark=5,
        )
    )
