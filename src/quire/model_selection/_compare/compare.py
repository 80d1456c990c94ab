"""Comparing models on the same folds, from texts or a table to a ranking and the best model."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from numbers import Integral
from pathlib import Path
from time import perf_counter
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut
from threadpoolctl import threadpool_limits

from quire._shared.progress import progress
from quire._shared.threads import effective_threads
from quire.feature_extraction.text import CountVectorizer
from quire.io import Corpus, read_corpus
from quire.model_selection._compare.features import Features, features_of
from quire.model_selection._compare.folds import Folds, Outcome, run_folds
from quire.model_selection._compare.models import Candidate, candidates_of, settings_of
from quire.model_selection._compare.result import Comparison, Trial
from quire.model_selection._compare.table_models import missing_values_in_words
from quire.model_selection._compare.task import Target, metrics_of, target_of
from quire.model_selection._folds import folds_of

__all__ = ["compare"]

_FEW = 20  # documents: with fewer, words that are in one of them count, too


def compare(
    data: Any,
    y: Any = None,
    models: Any = "default",
    *,
    task: str = "auto",
    metric: str | None = None,
    cv: Any = 5,
    groups: Any = None,
    text: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    ngram_range: tuple[int, int] = (1, 1),
    min_df: float | None = None,
    max_df: float = 1.0,
    max_features: int | None = None,
    vectorizer: CountVectorizer | None = None,
    tune: bool = True,
    refit: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    tokens: str | None = None,
    stemmer: Any = None,
    negation: Any = None,
) -> Comparison:
    """Fit models on the same folds and rank them by their scores on held-out documents.

    The task is found from the labels. Texts are cut into terms once; the vocabulary, its limits,
    inverse document frequencies and everything else that is learned is learned from the training
    documents of each fold, and settings are chosen inside them.

    Parameters
    ----------
    data : iterable of str, Corpus, DataFrame or path
        Texts, or a table of polars or pandas with columns of texts, categories and numbers. There
        need not be any texts. A file is read by :func:`quire.io.read_corpus`.
    y : array-like of shape (n_documents,), or str, default=None
        Labels or numbers to predict; the name of their column in a table. A corpus brings its own.
    models : "default", "all", "linear", or names and estimators, default="default"
        Names (see :func:`model_names`), estimators, pairs of a name and an estimator, or a mapping.
        A pipeline is given the documents themselves, a single estimator tf-idf weights, with
        1 + log tf, or counts if it is naive Bayes; of a table without texts, columns as it wants
        them. Estimators are used as they are. "linear" is the linear model of the task:
        "logistic", "ordered-logit" or "ridge".
    task : {"auto", "binary", "multiclass", "ordered", "continuous"}, default="auto"
        What is predicted. Words are classes; numbers with fractions, or more than 20 different
        ones, are continuous; ordered categories, and whole numbers in a column called "rating" or
        the like, are ordered.
    metric : str, default=None
        What to rank by: "accuracy", "balanced_accuracy", "f1_macro", "roc_auc" (two classes),
        "neg_log_loss"; "neg_mean_absolute_error", "quadratic_kappa" for ordered labels; "r2",
        "neg_root_mean_squared_error", "neg_mean_absolute_error" for numbers. The first of each
        kind if ``None``.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, shuffled: stratified by class, and never dividing a group.
        Where every class has fewer documents than that, each document is held out by itself.
    groups : array-like of shape (n_documents,), or str, default=None
        Documents of one group (an author, a case) are held out together.
    text : str or sequence of str, default=None
        Columns of a table that are texts; found if ``None``.
    columns : str or sequence of str, default=None
        Columns of a table to learn from beside `text`, or without any texts. All that are of use
        if ``None``; of a corpus, those that it was read with.
    ngram_range, min_df, max_df, max_features
        As for :class:`~quire.feature_extraction.text.CountVectorizer`; limits hold in each fold. A
        `min_df` of ``None`` is 2, or 1 where there are fewer than 20 documents.
    vectorizer : CountVectorizer, default=None
        How to count, instead of the four parameters above and the last three.
    tune : bool, default=True
        Whether to choose settings (smoothing, penalty) from small grids inside each fold; otherwise
        the first of each grid is used.
    refit : bool, default=True
        Whether to fit the best model on all documents, with the settings that most folds have
        chosen.
    random_state : int, default=0
        How to shuffle.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar with the time that is left.
    tokens, stemmer, negation
        As for :class:`~quire.feature_extraction.text.CountVectorizer`.

    Returns
    -------
    Comparison
        Scores of every model on every fold, the ranking with intervals and tests, and the best
        model. Ctrl-C returns the folds that were finished.

    Raises
    ------
    ValueError
        If labels and documents do not fit each other or the task, all texts are empty, or every
        model fails.

    Notes
    -----
    The interval of a mean and the p-value against the best model correct for the overlap of
    training sets (Nadeau and Bengio). A p-value of the best of many models is optimistic, as is its
    mean.

    A class with fewer documents than there are folds is noted: in some folds it is not learned, or
    not held out. Where all training documents of a fold are of one class, that is what every model
    predicts.

    Models of a small corpus run side by side, each on one thread. Their times are then those of one
    thread beside others, and their memory is that of the whole process.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import compare
    >>> data = make_text_classification(300, n_classes=3, separation=5.0, random_state=1)
    >>> comparison = compare(data.texts, data.y)
    >>> comparison.task, comparison.metric
    ('multiclass', 'accuracy')
    >>> comparison.best.scores["accuracy"].shape
    (5,)
    """
    start = perf_counter()
    wanted = [text] if isinstance(text, str) else text
    columns = [columns] if isinstance(columns, str) else columns
    said: tuple[str, ...] = ()
    if isinstance(data, os.PathLike) or (isinstance(data, str) and Path(data).exists()):
        label = y if isinstance(y, str) else None
        data = read_corpus(data, text=wanted, label=label, columns=columns)
        y, wanted, columns, said = None if label else y, None, None, data.notes
    grouped_by = groups
    documents, labels, groups, name = _parts(data, y, groups)
    if isinstance(data, Corpus) and data.feature_columns and columns is None:
        wanted, columns = data.text_columns or None, data.feature_columns
        if isinstance(grouped_by, str):  # what holds rows together is not learned from
            columns = tuple(name for name in columns if name != grouped_by)
    target = target_of(labels, task, name)
    metrics = metrics_of(target.task, metric)
    if vectorizer is None:
        few = len(target.y) < _FEW
        vectorizer = CountVectorizer(
            ngram_range=ngram_range,
            min_df=(1 if few else 2) if min_df is None else min_df,
            max_df=max_df,
            max_features=max_features,
            tokens=tokens,
            stemmer=stemmer,
            negation=negation,
            dtype=np.float64,
        )
    with nullcontext() if n_jobs is None else threadpool_limits(effective_threads(n_jobs)):
        features = features_of(documents, vectorizer=vectorizer, text=wanted, columns=columns)
        if len(features) != len(target.y):
            raise ValueError(
                f"There are {len(features):,} documents and {len(target.y):,} labels; give one "
                "label for each document."
            )
        candidates, notes = candidates_of(models, target.task, features)
        if features.is_table:
            notes += missing_values_in_words(features.data, candidates)
        unit = "rows" if features.is_table else "documents"
        folds, about = _folds(cv, target, groups, random_state, unit)
        notes += about
        with progress("Comparing", len(folds) * len(candidates), shown=verbose) as advance:
            outcomes, n_finished, interrupted = run_folds(
                features, target, candidates, folds, metrics, random_state, tune, advance
            )
        if interrupted and n_finished == 0:
            raise KeyboardInterrupt
        if all(outcome.error is not None for outcome in outcomes):
            first = outcomes[0]
            raise ValueError(f"Every model failed; {first.candidate.name}: {first.error}")
        folds = folds[:n_finished]
        trials = _ranked([_trial(o, features, target, folds, metrics) for o in outcomes], metrics)
        model = None
        if refit and not interrupted and trials and trials[0].error is None:
            best = next(one for one in candidates if one.name == trials[0].name)
            model = _refitted(best, trials[0], features, target)
    return Comparison(
        task=target.task,
        metric=metrics[0],
        metrics=metrics,
        classes=target.classes,
        y=target.y,
        folds=folds,
        trials=tuple(trials),
        settings=_settings(features, len(folds), random_state, tune),
        seconds=perf_counter() - start,
        interrupted=interrupted,
        notes=(*said, *target.notes, *features.notes, *notes),
        model=model,
        counted=features.kept_counts(),
    )


def _parts(data: Any, y: Any, groups: Any) -> tuple[Any, Any, Any, str | None]:
    """Return documents, labels, groups and the name of the labels' column."""
    if isinstance(data, Corpus):
        if isinstance(groups, str):
            groups = _column(data.frame, groups)
        name = y if isinstance(y, str) else data.label_column
        labels = data.labels if y is None else _column(data.frame, y) if isinstance(y, str) else y
        if labels is None:
            raise ValueError("The corpus has no labels; say which column has them.")
        return data.frame if data.feature_columns else data.texts, labels, groups, name
    dropped = []
    if isinstance(groups, str):
        dropped.append(groups)
        groups = _column(data, groups)
    name = None
    if isinstance(y, str):
        name = y
        dropped.append(y)
        y = _column(data, y)
    if y is None:
        raise TypeError("y is missing: give the labels, or the name of their column.")
    if dropped:
        import polars as pl

        data = (data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)).drop(dropped)
    return data, y, groups, name


def _column(data: Any, name: str) -> Any:
    if not hasattr(data, "columns"):
        raise TypeError(f"{name!r} names a column, but the data has none: it is no table.")
    if name not in list(data.columns):
        raise ValueError(
            f"There is no column {name!r}; there are: {', '.join(map(str, data.columns))}."
        )
    return data[name]


def _folds(cv: Any, target: Target, groups: Any, seed: int, unit: str) -> tuple[Folds, list[str]]:
    """Return the folds, and what has to be said about them."""
    n, is_continuous = len(target.y), target.task == "continuous"
    notes: list[str] = []
    if isinstance(cv, Integral):
        n_folds = int(cv)
        if n_folds < 2:
            raise ValueError(f"cv={n_folds}: at least two folds are needed.")
        sizes = np.array([n]) if is_continuous else np.bincount(target.codes)
        if sizes.max() < n_folds and not is_continuous and groups is None:
            notes.append(
                f"{n_folds} folds are more than the {unit} of any class: each of the {n} {unit} is "
                "held out by itself"
            )
            return folds_of(LeaveOneOut(), target.codes, None, seed, classifier=True), notes
        if n < n_folds:
            raise ValueError(f"{n:,} {unit} cannot make {n_folds} folds; use cv={max(2, n)}.")
        if sizes.min() < n_folds:
            notes.append(_small_classes(target, sizes, n_folds, unit))
    groups = None if groups is None else np.asarray(groups)
    with catch_warnings():
        filterwarnings("ignore", "The least populated class", UserWarning)  # the note says it
        return folds_of(cv, target.codes, groups, seed, classifier=not is_continuous), notes


def _small_classes(target: Target, sizes: NDArray[Any], n_folds: int, unit: str) -> str:
    """Say which classes have fewer documents than there are folds."""
    assert target.classes is not None
    labels = target.classes.tolist()
    small = [(int(sizes[k]), labels[k]) for k in np.argsort(sizes) if sizes[k] < n_folds]
    shown = ", ".join(f"{label!r} ({size})" for size, label in small[:5])
    more = f" and {len(small) - 5:,} more" if len(small) > 5 else ""
    noun = "class" if len(small) == 1 else "classes"
    return (
        f"{len(small):,} {noun} with fewer {unit} than the {n_folds} folds, not learned or not "
        f"held out in some of them: {shown}{more}"
    )


def _trial(
    outcome: Outcome, features: Features, target: Target, folds: Folds, metrics: tuple[str, ...]
) -> Trial:
    candidate, n = outcome.candidate, len(folds)
    is_done = outcome.error is None
    predicted: NDArray[Any] = np.full(len(target.y), np.nan)
    if target.classes is not None:
        predicted = np.full(len(target.y), -1, dtype=np.int32)
    probabilities = None
    if is_done and n and all(P is not None for P in outcome.probabilities[:n]):
        assert target.classes is not None
        probabilities = np.full((len(target.y), len(target.classes)), np.nan)
    for number, (_, test) in enumerate(folds if is_done else []):
        predicted[test] = outcome.predicted[number]
        if probabilities is not None:
            probabilities[test] = outcome.probabilities[number]
    settings = tuple(outcome.settings[:n])
    return Trial(
        name=candidate.name,
        title=candidate.title,
        estimator=candidate.pipeline(features, _most_common(settings) or settings_of(candidate)[0]),
        scores={
            name: np.array([fold[name] for fold in outcome.scores[:n]]) if is_done else _nan(n)
            for name in metrics
        },
        fit_seconds=np.array(outcome.fit_seconds[:n]),
        tune_seconds=np.array(outcome.tune_seconds[:n]),
        predict_seconds=np.array(outcome.predict_seconds[:n]),
        peak_mb=outcome.peak_mb,
        predicted=predicted,
        probabilities=probabilities,
        settings=settings,
        error=outcome.error,
        classes=target.classes,
    )


def _nan(n: int) -> NDArray[np.float64]:
    return np.full(n, np.nan)


def _most_common(settings: tuple[dict[str, Any], ...]) -> dict[str, Any] | None:
    if not settings:
        return None
    counts = Counter(tuple(sorted(one.items())) for one in settings)
    return dict(counts.most_common(1)[0][0])


def _ranked(trials: list[Trial], metrics: tuple[str, ...]) -> list[Trial]:
    def key(trial: Trial) -> tuple[bool, float]:
        scores = trial.scores[metrics[0]]
        mean = float(scores.mean()) if len(scores) else float("nan")
        return np.isnan(mean), -mean if np.isfinite(mean) else 0.0

    return sorted(trials, key=key)


def _refitted(candidate: Candidate, trial: Trial, features: Features, target: Target) -> Any:
    """Return the pipeline, with the settings that most folds chose, fitted on all documents."""
    pipeline = clone(trial.estimator)
    if candidate.kind == "raw":
        return pipeline.fit(features.data, target.y)
    model = pipeline.steps[-1][1]
    if target.task == "ordered" and "categories" in model.get_params():
        assert target.classes is not None
        model.set_params(categories=target.classes.tolist())
    return features.fit(pipeline, target.y)


def _settings(features: Features, n_folds: int, seed: int, tune: bool) -> dict[str, Any]:
    import sklearn

    from quire import __version__

    defaults = CountVectorizer().get_params()
    counting = {
        name: value if isinstance(value, (int, float, str, tuple, type(None))) else str(value)
        for name, value in features.vectorizer.get_params().items()
        if name != "dtype" and value != defaults[name]
    }
    return {
        "folds": n_folds,
        "random_state": seed,
        "tune": tune,
        **({} if features.is_table else {"vectorizer": counting}),
        "texts": [name for name in features.texts if name],
        "categories": features.categories,
        "numbers": features.numbers,
        "versions": {
            "quire": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }
