"""Comparing models on the same folds, from texts or a table to a ranking and the best model."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from numbers import Integral
from pathlib import Path
from time import perf_counter
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut
from threadpoolctl import threadpool_limits

from quire._shared.convergence import UnfinishedFits
from quire._shared.label_folds import label_folds
from quire._shared.label_sets import indicator_of
from quire._shared.progress import progress
from quire._shared.threads import effective_threads
from quire.feature_extraction.text import CountVectorizer
from quire.io import Corpus, read_corpus
from quire.model_selection._compare.average import most_common_average
from quire.model_selection._compare.budget import Budget
from quire.model_selection._compare.class_weights import with_class_weight
from quire.model_selection._compare.corpus_checks import checked_corpus, notes_of
from quire.model_selection._compare.deciding import with_decisions
from quire.model_selection._compare.features import Features, features_of
from quire.model_selection._compare.folds import Folds, Outcome, run_folds
from quire.model_selection._compare.models import (
    AVERAGE,
    RAW,
    VIEW_SETTING,
    Candidate,
    candidates_of,
    settings_of,
)
from quire.model_selection._compare.result import Comparison, Trial
from quire.model_selection._compare.set_models import with_aim
from quire.model_selection._compare.table_models import missing_values_in_words
from quire.model_selection._compare.task import Target, target_of
from quire.model_selection._compare.views import WORDS
from quire.model_selection._folds import folds_of, train_and_test
from quire.model_selection._scores.catalogue import metrics_of
from quire.model_selection._scores.costs import with_costs

__all__ = ["compare"]

_MOST_KEPT_SHARES = 20_000_000  # probabilities of documents and labels that a trial keeps
_FEW = 20  # documents: with fewer, words that are in one of them count, too


def compare(
    data: Any,
    y: Any = None,
    models: Any = "default",
    *,
    task: str = "auto",
    label_separator: str | None = None,
    metric: str | None = None,
    costs: Any = None,
    class_weight: Any = None,
    calibrate: str | None = None,
    threshold: str | float | None = None,
    cv: Any = 5,
    split: Any = None,
    groups: Any = None,
    text: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    ngram_range: tuple[int, int] = (1, 1),
    min_df: float | None = None,
    max_df: float = 1.0,
    max_features: int | None = None,
    vectorizer: CountVectorizer | None = None,
    features: str | Sequence[str] = "auto",
    tune: bool = True,
    refit: bool | str = True,
    minutes: float | None = None,
    memory: float | None = None,
    checks: bool = True,
    silence: Sequence[str] | str = (),
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    tokens: str | None = None,
    stemmer: Any = None,
    negation: Any = None,
    stop_words: str | Sequence[str] | None = None,
    analyzer: str = "word",
    tell: Callable[[str], None] | None = None,
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
        Names, also those three among others (see :func:`model_names`), estimators, pairs of a name
        and an estimator, or a mapping.
        A pipeline is given the documents themselves, a single estimator tf-idf weights, with
        1 + log tf, or counts if it is naive Bayes; of a table without texts, columns as it wants
        them. Estimators are used as they are. "linear" is the linear model of the task:
        "logistic", "ordered-logit" or "ridge".
    task : {"auto", "binary", "multiclass", "multilabel", "ordered", "continuous"}, default="auto"
        What is predicted. Words are classes, numbers with fractions are continuous. Whole numbers
        are classes if they behave like codes (few values that come again, gaps beside common
        values, a column called "code" or "topic") and continuous otherwise: :func:`guess_task`.
        Ordered categories, and whole numbers in a column called "rating" or the like, are ordered.
        Lists of labels, a matrix of 0 and 1, and texts such as ``rain|wind``, whose parts are in
        other values, too, are several labels for a document.
    label_separator : str, default=None
        What stands between several labels in texts; "|" if ``None``.
    metric : str, default=None
        What to rank by: any of :func:`metric_names`, which are those of scikit-learn and a few
        more, such as "f1_macro", "roc_auc", "average_precision", "neg_log_loss",
        "quadratic_kappa" or "neg_mean_absolute_error". Larger is better, errors have a minus sign.
        Accuracy for classes, F1 of all decisions together for several labels, the mean absolute
        error for ordered classes and R squared for numbers if ``None``; the mean cost if there are
        `costs`.
    costs : mapping or array-like of shape (n_classes, n_classes), default=None
        What it costs to predict a class where another is true: a mapping from pairs of a true and
        a predicted class to a number (what it does not name costs 1 if it is wrong), or a matrix
        with a row for each true class, in the order of the classes. Its mean is a score,
        "neg_mean_cost".
    class_weight : {"balanced", "choose"} or mapping, default=None
        How much documents of each class count, for models that have this parameter: "balanced"
        gives all classes the same weight together, a mapping has a weight for each class (1 if it
        is not named), and "choose" tries both with and without balance inside each fold. Models
        that cannot weigh classes take part as they are, and are noted.
    calibrate : {"sigmoid", "isotonic", "temperature"}, default=None
        How to make the scores of each model into probabilities that can be taken at their word
        (:class:`~quire.calibration.CalibratedClassifier`), once its settings are chosen. It takes
        five more fits of the model in each fold.
    threshold : str or float, default=None
        Of two classes, the score that each model chooses its threshold for inside the fold, such as
        "f1", "balanced_accuracy" or "neg_mean_cost" (:class:`ThresholdClassifier`). It takes five
        more fits, too. A number is the threshold itself: the probability from which on the second
        class is predicted, or the score of models without probabilities; it takes none.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, shuffled: stratified by class, and never dividing a group.
        Where every class has fewer documents than that, each document is held out by itself.
    split : array-like of shape (n_documents,), or str, default=None
        For each document, or in the column of this name, "train" or "test": models learn from the
        first, with settings and features chosen inside them, and are scored once on the second. In
        the place of `cv`.
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
        How to count, instead of the four parameters above and `tokens` and those after it.
    features : "auto", or names, default="auto"
        How texts are cut into terms, chosen inside each fold for each kind of model: "words" (those
        of the four parameters above), "tokens" (words of any length and punctuation), "tokens-2"
        and "tokens-3" (also up to two or three in a row), "characters" (three to five in a row,
        inside words). "auto" tries all that make sense for the size of the corpus, or "words" alone
        if one of these parameters or `vectorizer` is given.
    tune : bool, default=True
        Whether to choose settings (smoothing, penalty) from small grids inside each fold; otherwise
        the first of each grid is used.
    refit : bool or "always", default=True
        Whether to fit the best model on all documents, with the settings that most folds have
        chosen; "always" also if Ctrl-C has ended the folds, until it is pressed again.
    checks : bool, default=True
        Whether to look for what would make scores untrue first: the quick checks of
        :func:`quire.checks.check_texts`. Errors and warnings become notes.
    silence : sequence of str, or str, default=()
        Codes that are not looked for, such as ``["QT001"]``.
    minutes : float, default=None
        About how long it may take. Models run on the first fold, the most promising first; then
        those go on, from the best down, for which there is time. The last fit is counted in.
    memory : float, default=None
        Bytes that counts of terms may take; half of what the machine has if ``None``.
    random_state : int, default=0
        How to shuffle.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar with the time that is left.
    tokens, stemmer, negation, stop_words, analyzer
        As for :class:`~quire.feature_extraction.text.CountVectorizer`.
    tell : callable, default=None
        Called with each note on what was decided before the work begins, such as which task was
        guessed; all of them are in `notes` of the comparison.

    Returns
    -------
    Comparison
        Scores of every model on every fold, the ranking with intervals and tests, and the best
        model. Ctrl-C returns the folds that were finished, or the models that were in the first.

    Raises
    ------
    ValueError
        If labels and documents do not fit each other or the task, all texts are empty, or every
        model fails.

    Notes
    -----
    The interval of a mean and the p-value against the best model correct for the overlap of
    training sets (Nadeau and Bengio). An interval does not leave the scale of its score. A p-value
    of the best of many models is optimistic, as is its mean.

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
    grouped_by = groups if isinstance(groups, str) else None
    parted_by = split if isinstance(split, str) else None
    documents, labels, groups, split, name = _parts(data, y, groups, split)
    if isinstance(data, Corpus) and data.feature_columns and columns is None:
        wanted, columns = data.text_columns or None, data.feature_columns
        # What holds rows together or parts them is not learned from.
        columns = tuple(name for name in columns if name not in (grouped_by, parted_by))
    target = with_costs(target_of(labels, task, name, label_separator), costs)
    metrics = metrics_of(target.task, metric, target.costs)
    is_own = (ngram_range, min_df, max_df, max_features, vectorizer, tokens, analyzer) != (
        (1, 1), None, 1.0, None, None, None, "word",
    ) or stop_words is not None  # fmt: skip
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
            stop_words=stop_words,
            analyzer=analyzer,
            dtype=np.float64,
        )
    with nullcontext() if n_jobs is None else threadpool_limits(effective_threads(n_jobs)):
        found_features = features_of(
            documents,
            vectorizer=vectorizer,
            text=wanted,
            columns=columns,
            views=features,
            is_own=is_own,
            memory=memory,
            codes=None if target.classes is None or target.is_of_sets else target.codes,
        )
        if len(found_features) != len(target.y):
            raise ValueError(
                f"There are {len(found_features):,} documents and {len(target.y):,} labels; give "
                "one label for each document."
            )
        try:
            candidates, notes = candidates_of(models, target, found_features)
        except ValueError as error:
            if task != "auto" or not target.notes or "task" not in str(error):
                raise
            raise ValueError(f"{error} The task was guessed ({target.notes[0]}).") from error
        if target.is_of_sets:
            candidates = with_aim(candidates, metrics[0])
        candidates, about = with_class_weight(candidates, class_weight, target)
        notes += about
        candidates = with_decisions(candidates, calibrate, threshold, target)
        if found_features.is_table:
            notes += missing_values_in_words(found_features.data, candidates)
        unit = "rows" if found_features.is_table else "documents"
        if split is not None:
            cv = [train_and_test(split, len(target.y))]
        folds, about = _folds(cv, target, groups, random_state, unit)
        notes += about
        found = checked_corpus(found_features, target, folds, silence) if checks else None
        notes += notes_of(found)
        notes = [*said, *target.notes, *found_features.notes, *notes]
        if tell is not None:
            for note in notes:
                tell(note)
        unfinished = UnfinishedFits()
        shown = progress("Comparing", len(folds) * len(candidates), shown=verbose)
        with unfinished.counted(), shown as advance:
            outcomes, n_finished, interrupted = run_folds(
                found_features,
                target,
                candidates,
                folds,
                metrics,
                random_state,
                tune,
                advance,
                Budget(minutes, len(folds), start, _growth(folds) if refit else 0.0),
                unfinished,
            )
        if interrupted and n_finished == 0:
            raise KeyboardInterrupt
        if all(outcome.error is not None for outcome in outcomes):
            first = outcomes[0]
            raise ValueError(f"Every model failed; {first.candidate.name}: {first.error}")
        folds = folds[:n_finished]
        trials = _ranked(_trials(outcomes, found_features, target, folds, metrics), metrics)
        model = None
        is_kept = refit == "always" if interrupted else bool(refit)
        if is_kept and trials and trials[0].error is None:
            best = next(one for one in candidates if one.name == trials[0].name)
            stoppable = suppress(KeyboardInterrupt) if interrupted else nullcontext()
            with stoppable, unfinished.counted(), unfinished.of(best.name):
                model = _refitted(best, trials[0], found_features, target)
        about_fits = unfinished.note()
        if about_fits is not None:
            notes.append(about_fits)
            if tell is not None:
                tell(about_fits)
    return Comparison(
        task=target.task,
        metric=metrics[0],
        metrics=metrics,
        classes=target.classes,
        y=target.y,
        folds=folds,
        trials=tuple(trials),
        settings=_settings(found_features, len(folds), random_state, tune)
        | _said(class_weight=class_weight, calibrate=calibrate, threshold=threshold),
        seconds=perf_counter() - start,
        interrupted=interrupted,
        notes=tuple(notes),
        model=model,
        counted=found_features.kept_counts(_view_of(trials)),
        costs=target.costs,
        checks=found,
    )


def _parts(data: Any, y: Any, groups: Any, split: Any) -> tuple[Any, Any, Any, Any, str | None]:
    """Return documents, labels, groups, the split, and the name of the labels' column."""
    if isinstance(data, Corpus):
        groups, split = (
            _column(data.frame, one) if isinstance(one, str) else one for one in (groups, split)
        )
        name = y if isinstance(y, str) else data.label_column
        labels = data.labels if y is None else _column(data.frame, y) if isinstance(y, str) else y
        if labels is None:
            raise ValueError("The corpus has no labels; say which column has them.")
        documents = data.frame if data.feature_columns else data.texts
        return documents, labels, groups, split, name
    dropped = [one for one in (groups, split, y) if isinstance(one, str)]
    name = y if isinstance(y, str) else None
    groups, split, y = (
        _column(data, one) if isinstance(one, str) else one for one in (groups, split, y)
    )
    if y is None:
        raise TypeError("y is missing: give the labels, or the name of their column.")
    if dropped:
        import polars as pl

        data = (data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)).drop(dropped)
    return data, y, groups, split, name


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
    groups = None if groups is None else np.asarray(groups)
    if isinstance(cv, Integral):
        n_folds = int(cv)
        if n_folds < 2:
            raise ValueError(f"cv={n_folds}: at least two folds are needed.")
        if target.is_of_sets:
            return _folds_of_sets(n_folds, target, groups, seed, unit)
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
    if target.is_of_sets:
        return folds_of(cv, np.zeros(n), groups, seed, classifier=False), notes
    with catch_warnings():
        filterwarnings("ignore", "The least populated class", UserWarning)  # the note says it
        return folds_of(cv, target.codes, groups, seed, classifier=not is_continuous), notes


def _growth(folds: Folds) -> float:
    """Return how many times as many documents there are as the training documents of a fold."""
    train, test = folds[0]
    return (len(train) + len(test)) / max(1, len(train))


def _folds_of_sets(
    n_folds: int, target: Target, groups: Any, seed: int, unit: str
) -> tuple[Folds, list[str]]:
    """Return folds with each label as often as the others, the rarest first."""
    n = len(target.y)
    if n < n_folds:
        raise ValueError(f"{n:,} {unit} cannot make {n_folds} folds; use cv={max(2, n)}.")
    if groups is not None and len(groups) != n:
        raise ValueError(f"There are {n:,} {unit} and {len(groups):,} groups; give one for each.")
    fold_of = label_folds(target.codes, n_folds, random_state=seed, groups=groups)
    if len(np.unique(fold_of)) < n_folds:
        raise ValueError(f"The groups cannot be divided into {n_folds} folds; use fewer with cv=.")
    folds: Folds = [
        (np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(n_folds)
    ]
    sizes = target.y.sizes
    if sizes.min() < n_folds:
        return folds, [_small_classes(target, sizes, n_folds, unit)]
    return folds, []


def _small_classes(target: Target, sizes: NDArray[Any], n_folds: int, unit: str) -> str:
    """Say which classes have fewer documents than there are folds."""
    assert target.classes is not None
    labels = target.classes.tolist()
    small = [(int(sizes[k]), labels[k]) for k in np.argsort(sizes) if sizes[k] < n_folds]
    shown = ", ".join(f"{label!r} ({size})" for size, label in small[:5])
    more = f" and {len(small) - 5:,} more" if len(small) > 5 else ""
    noun = "class" if len(small) == 1 else "classes"
    if target.is_of_sets:
        noun = "label" if len(small) == 1 else "labels"
    return (
        f"{len(small):,} {noun} with fewer {unit} than the {n_folds} folds, not learned or not "
        f"held out in some of them: {shown}{more}"
    )


def _trials(
    outcomes: list[Outcome],
    features: Features,
    target: Target,
    folds: Folds,
    metrics: tuple[str, ...],
) -> list[Trial]:
    found = [
        _trial(outcome, features, target, folds, metrics)
        for outcome in outcomes
        if outcome.candidate.kind != AVERAGE
    ]
    by_name = {trial.name: trial for trial in found}
    for outcome in outcomes:
        if outcome.candidate.kind == AVERAGE:
            weights = most_common_average(outcome.averages) if outcome.averages else {}
            members = [(name, by_name[name].estimator) for name in weights]
            average = outcome.candidate.make().set_params(
                estimators=members, weights=list(weights.values())
            )
            found.append(_trial(outcome, features, target, folds, metrics, average))
    return found


def _trial(
    outcome: Outcome,
    features: Features,
    target: Target,
    folds: Folds,
    metrics: tuple[str, ...],
    estimator: Any = None,
) -> Trial:
    candidate, n = outcome.candidate, len(folds)
    is_done = outcome.error is None
    predicted: Any = np.full(len(target.y), np.nan)
    if target.is_of_sets:
        return _trial_of_sets(outcome, features, target, folds, metrics)
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
    decisions = None
    if is_done and n and all(one is not None for one in outcome.decisions[:n]):
        decisions = np.full(len(target.y), np.nan)
        for number, (_, test) in enumerate(folds):
            decisions[test] = outcome.decisions[number]
    settings = tuple(outcome.settings[:n])
    if estimator is None:
        chosen = _most_common(settings) or settings_of(candidate)[0]
        estimator = candidate.pipeline(features, chosen)
    return Trial(
        name=candidate.name,
        title=candidate.title,
        estimator=estimator,
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
        ranking=outcome.rankings[0] if is_done and n == 1 and outcome.rankings else None,
        decisions=decisions,
    )


def _trial_of_sets(
    outcome: Outcome,
    features: Features,
    target: Target,
    folds: Folds,
    metrics: tuple[str, ...],
) -> Trial:
    """Return a model of several labels; probabilities only where they are not too many."""
    candidate, n = outcome.candidate, len(folds)
    is_done = outcome.error is None
    predicted = sparse.csr_array(target.codes.shape, dtype=np.int8)
    for (_, test), found in zip(folds, outcome.predicted if is_done else [], strict=False):
        predicted += _put(found, test, target.codes.shape)
    probabilities = None
    is_known = is_done and n > 0 and all(P is not None for P in outcome.probabilities[:n])
    if is_known and np.prod(target.codes.shape) <= _MOST_KEPT_SHARES:
        probabilities = np.full(target.codes.shape, np.nan)
        for (_, test), P in zip(folds, outcome.probabilities, strict=False):
            probabilities[test] = P
    settings = tuple(outcome.settings[:n])
    chosen = _most_common(settings) or settings_of(candidate)[0]
    return Trial(
        name=candidate.name,
        title=candidate.title,
        estimator=candidate.pipeline(features, chosen),
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
        ranking=outcome.rankings[0] if is_done and n == 1 and outcome.rankings else None,
    )


def _put(found: Any, rows: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Return predictions of some documents in the place of these rows."""
    entries = found.tocoo()
    return indicator_of(rows[entries.row], entries.col, shape)


def _nan(n: int) -> NDArray[np.float64]:
    return np.full(n, np.nan)


def _most_common(settings: tuple[dict[str, Any], ...]) -> dict[str, Any] | None:
    if not settings:
        return None
    counts = Counter(tuple(sorted(one.items())) for one in settings)
    return dict(counts.most_common(1)[0][0])


def _view_of(trials: list[Trial]) -> str:
    """Return the features of the best model; the usual ones if it has no choice or several."""
    view = (_most_common(trials[0].settings) or {}).get(VIEW_SETTING, WORDS) if trials else WORDS
    return str(view)


def _ranked(trials: list[Trial], metrics: tuple[str, ...]) -> list[Trial]:
    def key(trial: Trial) -> tuple[bool, float]:
        scores = trial.scores[metrics[0]]
        mean = float(scores.mean()) if len(scores) else float("nan")
        return np.isnan(mean), -mean if np.isfinite(mean) else 0.0

    return sorted(trials, key=key)


def _refitted(candidate: Candidate, trial: Trial, features: Features, target: Target) -> Any:
    """Return the pipeline, with the settings that most folds chose, fitted on all documents."""
    pipeline = clone(trial.estimator)
    if candidate.kind in (RAW, AVERAGE):
        return pipeline.fit(features.data, target.y)
    model = pipeline.steps[-1][1]
    if target.task == "ordered" and "categories" in model.get_params():
        assert target.classes is not None
        model.set_params(categories=target.classes.tolist())
    view = (_most_common(trial.settings) or {}).get(VIEW_SETTING)
    kind = candidate.kind if view is None else candidate.in_view(view).kind
    return features.fit(pipeline, target.y, kind)


def _said(**options: Any) -> dict[str, Any]:
    """Return the options that were given, for the settings; classes as texts, as JSON has them."""
    return {
        name: {str(key): float(one) for key, one in value.items()}
        if isinstance(value, Mapping)
        else value
        for name, value in options.items()
        if value is not None
    }


def _in_short(value: Any) -> Any:
    """Return a parameter of a vectorizer as it is shown; of a list of words their number."""
    if isinstance(value, list | set | frozenset):
        return f"{len(value):,} words"
    return value if isinstance(value, int | float | str | tuple | None) else str(value)


def _settings(features: Features, n_folds: int, seed: int, tune: bool) -> dict[str, Any]:
    import sklearn

    from quire import __version__

    defaults = CountVectorizer().get_params()
    counting = {
        name: _in_short(value)
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
