"""Which labels are wrong: every document judged by a model that has not seen it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline, make_pipeline

from quire._shared.label_sets import are_sets
from quire._shared.labels import class_codes
from quire._shared.progress import progress
from quire._shared.texts import is_missing, is_texts, python_objects
from quire._shared.typing import AnyArray, Floats, Ints
from quire._shared.validation import check_array
from quire.feature_extraction.text import CountedDocuments, CountVectorizer, TfidfVectorizer
from quire.io import Corpus, read_corpus
from quire.linear_model import LeastSquaresClassifier, LogisticRegression
from quire.model_selection._audit.hat_matrix import can_leave_out, leave_out_of_linear
from quire.model_selection._audit.left_out import LeftOut
from quire.model_selection._audit.naive_bayes import SMOOTHING, leave_out_of_counts
from quire.model_selection._audit.out_of_fold import leave_out_folds
from quire.model_selection._audit.result import LabelAudit
from quire.model_selection._folds import folds_of, rows_of
from quire.naive_bayes import MultinomialNB

__all__ = ["audit_labels"]

_MODELS = ("naive-bayes", "logistic", "least-squares")
_METHODS = ("auto", "leave-one-out", "folds")


def audit_labels(
    data: Any,
    y: Any = None,
    *,
    model: Any = "naive-bayes",
    method: str = "auto",
    text: str | Sequence[str] | None = None,
    cv: Any = 5,
    groups: Any = None,
    n_words: int = 5,
    n_explained: int = 100,
    feature_names: Sequence[str] | None = None,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> LabelAudit:
    """Rank documents by how strongly a model that has not seen them speaks against their label.

    Parameters
    ----------
    data : iterable of str, Corpus, DataFrame, path, CountedDocuments or matrix
        The documents. A file is read by :func:`quire.io.read_corpus`.
    y : array-like of shape (n_documents,), or str, default=None
        Labels, or the name of their column. Documents without one are left out.
    model : {"naive-bayes", "logistic", "least-squares"} or classifier, default="naive-bayes"
        What judges. The first three get tf-idf weights with 1 + log tf; the smoothing of naive
        Bayes is chosen so that most labels are found again. A pipeline gets the documents
        themselves, another classifier tf-idf weights, or the matrix if `data` is one.
    method : {"auto", "leave-one-out", "folds"}, default="auto"
        How documents are left out. One by one: exactly for :class:`~quire.naive_bayes.
        MultinomialNB` and :class:`~quire.linear_model.LeastSquaresClassifier` with a penalty, and
        by one Newton step for :class:`~quire.linear_model.LogisticRegression` of two classes; the
        linear models for up to 4,000 documents. By folds: any classifier. "auto" leaves out one by
        one where that is known.
    text : str or sequence of str, default=None
        Columns of a table that are texts.
    cv : int, splitter or iterable of (train, test), default=5
        The folds, where these are used; every document must be held out.
    groups : array-like of shape (n_documents,), or str, default=None
        Documents that are held out together; only by folds.
    n_words : int, default=5
        Words to give for a document.
    n_explained : int, default=100
        For how many documents words are given, from the first.
    feature_names : sequence of str, default=None
        Names of the columns of a matrix.
    random_state : int or None, default=0
        How documents are shuffled into folds.
    n_jobs : int, default=None
        Threads of the vectorizer that is chosen here; ``None`` means as many as may be used.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    LabelAudit
        Documents from the most doubtful label down.

    Raises
    ------
    ValueError
        If labels are measurements or there is one class only, or an argument does not fit.
    TypeError
        If the model is no classifier, or documents cannot be left out of it one by one and
        `method` asks for that.

    Notes
    -----
    What a vectorizer learns, terms and document frequencies, is learned from all documents when
    they are left out one by one; by folds it is learned in each. A class of one document is left
    out: nothing is known of it without that document.

    On 20 newsgroups with 5 % of the labels changed at random, 90 % of the first 5 % by naive Bayes
    are changed ones, and 87 % of those by logistic regression with five folds. What is ranked first
    is not always wrong: a document of two subjects, or of none, speaks against any label.

    Examples
    --------
    >>> from quire.model_selection import audit_labels
    >>> texts = ["good plot, good cast", "fine good film", "a fine cast", "good fine plot"]
    >>> texts += ["bad plot", "dull bad film", "bad dull cast", "a dull bad plot"]
    >>> y = ["pos", "pos", "pos", "neg", "neg", "neg", "neg", "neg"]
    >>> audit = audit_labels(texts, y)
    >>> first = audit[0]
    >>> first.row, first.label, first.suggested, [word for word, _ in first.words]
    (3, 'neg', 'pos', ['good', 'fine'])
    """
    if method not in _METHODS:
        raise ValueError(f"method is {method!r}; expected one of {', '.join(_METHODS)}.")
    if n_words < 0 or n_explained < 0:
        raise ValueError("n_words and n_explained are numbers of words and documents, from 0.")
    documents, labels, groups, notes = _documents(data, y, text, groups)
    known = np.flatnonzero(_has_label(labels))
    n_given = len(labels)
    if len(known) < n_given:
        notes.append(f"left out, since they have no label: {n_given - len(known):,} of {n_given:,}")
    labels = labels[known]
    if labels.dtype.kind == "O":  # gaps are gone: numbers are numbers again
        labels = np.asarray(labels.tolist())
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        raise ValueError("The labels are numbers with fractions; an audit needs classes.")
    classes, places = class_codes(labels)
    codes: Ints = places.astype(np.int64)
    if len(classes) < 2:
        raise ValueError("An audit needs labels of at least two classes.")
    if len(known) < n_given:
        documents = rows_of(documents, known)
        groups = None if groups is None else np.asarray(groups)[known]
    estimator, name = _model_of(model, documents, n_jobs)
    found = _left_out(
        estimator,
        documents,
        codes,
        len(classes),
        method=method if groups is None or method != "auto" else "folds",
        given_alpha=model != "naive-bayes" if isinstance(model, str) else True,
        cv=cv,
        groups=groups,
        n_words=n_words,
        feature_names=feature_names,
        random_state=random_state,
        verbose=verbose,
    )
    return _ranked(found, codes, classes, known, n_explained, name, notes)


def _documents(data: Any, y: Any, text: Any, groups: Any) -> tuple[Any, AnyArray, Any, list[str]]:
    """Return documents, labels, groups and notes."""
    notes: list[str] = []
    wanted = [text] if isinstance(text, str) else text
    is_path = isinstance(data, os.PathLike) or (isinstance(data, str) and Path(data).exists())
    if is_path or (hasattr(data, "columns") and not isinstance(data, Corpus)):
        table = data if is_path or isinstance(data, pl.DataFrame) else pl.DataFrame(data)
        data = read_corpus(table, text=wanted, label=y if isinstance(y, str) else None)
        y = None if isinstance(y, str) else y
    if isinstance(data, Corpus):
        if not data.text_columns:
            raise ValueError("There are no texts to audit: name their column with text=.")
        notes += data.notes
        y = data.labels if y is None else data.frame[y] if isinstance(y, str) else y
        groups = data.frame[groups] if isinstance(groups, str) else groups
        data = data.texts
    if y is None:
        raise TypeError("y is missing: give the labels, or the name of their column.")
    if isinstance(data, str):
        raise TypeError("data is one string; give a list of documents.")
    if are_sets(y):
        raise ValueError(
            "Documents have several labels each, and an audit is of one. Give a label of each, "
            "such as whether it has one of them."
        )
    labels = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(list(python_objects(y)))
    if labels.ndim != 1:
        raise ValueError("y must be one column of labels.")
    if sparse.issparse(data) or not (isinstance(data, CountedDocuments) or is_texts(data)):
        data = check_array(data, accept_sparse="csr")
    elif not isinstance(data, CountedDocuments | pl.Series):
        data = pl.Series("text", list(python_objects(data)), dtype=pl.String, strict=False)
    if isinstance(data, pl.Series):
        data = data.fill_null("")
    n = data.shape[0] if hasattr(data, "shape") else len(data)
    if n != len(labels):
        raise ValueError(f"There are {n:,} documents and {len(labels):,} labels.")
    return data, labels, groups, notes


def _has_label(labels: AnyArray) -> AnyArray:
    if labels.dtype.kind == "f":
        return ~np.isnan(labels)
    if labels.dtype.kind != "O":
        return np.ones(len(labels), dtype=bool)
    return np.array([not is_missing(label) for label in labels], dtype=bool)


def _model_of(model: Any, documents: Any, n_jobs: int | None) -> tuple[Any, str]:
    """Return an estimator that takes the documents as they are, and its name."""
    if isinstance(model, str):
        if model not in _MODELS:
            raise ValueError(f"model is {model!r}; expected one of {', '.join(_MODELS)}.")
        made: Any = {
            "naive-bayes": MultinomialNB(alpha=0.1),
            "logistic": LogisticRegression(C=10.0),
            "least-squares": LeastSquaresClassifier(alpha=1.0),
        }[model]
        name = {
            "naive-bayes": "naive Bayes",
            "logistic": "logistic regression",
            "least-squares": "least squares",
        }[model]
    else:
        made = model
        last = model.steps[-1][1] if isinstance(model, Pipeline) else model
        if not is_classifier(last):
            raise TypeError(f"{type(last).__name__} is no classifier.")
        name = type(last).__name__
    is_matrix = not isinstance(documents, CountedDocuments | pl.Series)
    if is_matrix or isinstance(made, Pipeline):
        return made, name
    n = len(documents)
    weights = TfidfVectorizer(sublinear_tf=True, min_df=1 if n < 20 else 2, n_jobs=n_jobs)
    return make_pipeline(weights, made), name


def _left_out(
    estimator: Any,
    documents: Any,
    codes: Ints,
    n_classes: int,
    *,
    method: str,
    given_alpha: bool,
    cv: Any,
    groups: Any,
    n_words: int,
    feature_names: Any,
    random_state: int | None,
    verbose: bool,
) -> LeftOut:
    """Leave documents out in the way that is asked for, or that is known."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    reason = None
    if method == "folds":
        reason = "folds were asked for"
    elif type(last) is MultinomialNB:
        is_plain = last.class_prior is None and last.binarize is None and not last.prior_alpha
        reason = None if is_plain and np.ndim(last.alpha) == 0 else "it has a prior of its own"
    else:
        reason = can_leave_out(last, len(codes), n_classes)
    if reason is None:
        X, names = _features(estimator, documents, codes, feature_names)
        if type(last) is MultinomialNB:
            alphas = (float(last.alpha),) if given_alpha else SMOOTHING
            prior = bool(last.fit_prior)
            if X.nnz and X.data.min() < 0:
                raise ValueError("Naive Bayes needs counts or weights that are not negative.")
            return leave_out_of_counts(
                X, codes, n_classes, alphas, names, n_words, fit_prior=prior
            )[0]
        return leave_out_of_linear(clone(last), X, codes, n_classes, names, n_words)
    if method == "leave-one-out":
        raise TypeError(
            f"Documents cannot be left out of {type(last).__name__} one by one: {reason}. Use "
            "method='folds'."
        )
    folds = folds_of(cv, codes, groups, random_state, classifier=True)
    held_out = np.concatenate([np.arange(len(codes))[test] for _, test in folds])
    if len(np.unique(held_out)) < len(codes):
        raise ValueError(
            "cv leaves documents that are never held out; give folds that hold out all."
        )
    if isinstance(documents, pl.Series):
        documents = _counted(documents, estimator)
    with progress("Auditing", len(folds), shown=verbose) as advance:
        return leave_out_folds(
            estimator,
            documents,
            _document_of(documents),
            codes,
            n_classes,
            folds,
            n_words,
            advance,
        )


def _counted(documents: pl.Series, estimator: Any) -> Any:
    """Return the texts, counted once if the pipeline begins with a vectorizer of ours."""
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else None
    if not isinstance(first, CountVectorizer | TfidfVectorizer) or first.vocabulary is not None:
        return documents.to_list()
    settings = first.get_params()
    counting = {name: settings[name] for name in CountVectorizer().get_params()}
    return CountedDocuments(documents, CountVectorizer(**{**counting, "dtype": np.float64}))


def _document_of(documents: Any) -> Any:
    """Return what gives one document, as an explanation takes it."""
    if isinstance(documents, list | CountedDocuments):
        texts = documents if isinstance(documents, list) else documents.texts
        return lambda row: texts[row]
    return lambda row: documents[[row]]


def _features(estimator: Any, documents: Any, codes: Ints, names: Any) -> tuple[Any, Any]:
    """Return the matrix that the last step of a pipeline gets, and the names of its columns."""
    if not isinstance(estimator, Pipeline) or len(estimator.steps) == 1:
        return sparse.csr_array(documents), names
    before = clone(estimator[:-1])
    X = before.fit_transform(documents, codes)
    try:
        names = before.get_feature_names_out()
    except (AttributeError, ValueError):  # columns without names, such as hashed ones
        names = None
    return sparse.csr_array(X), names


def _ranked(
    found: LeftOut,
    codes: Ints,
    classes: Any,
    known: Ints,
    n_explained: int,
    name: str,
    notes: list[str],
) -> LabelAudit:
    """Return the audit: documents in the order of what speaks against their label."""
    n = len(codes)
    own = found.scores[np.arange(n), codes]
    others = found.scores.copy()
    others[np.arange(n), codes] = -np.inf
    suggested = others.argmax(axis=1)
    judged = np.isfinite(own)
    if not judged.all():
        notes = [
            *notes,
            f"not judged, since nothing is known of their class without them: "
            f"{int((~judged).sum()):,}",
        ]
    against: Floats = others[np.arange(n), suggested] - np.where(judged, own, 0.0)
    rows = np.flatnonzero(judged)
    rows = rows[np.argsort(-against[rows], kind="stable")]
    suspected = _suspected(found, codes, suggested, against)
    first = rows[:n_explained]
    words = found.words(first, suggested[first], codes[first])
    P = found.probabilities
    return LabelAudit(
        rows=known[rows],
        classes=classes,
        labels=codes[rows],
        suggestions=suggested[rows],
        against=against[rows],
        probabilities=None if P is None else P[rows, codes[rows]],
        suspected=suspected[rows],
        words=tuple(None if one is None else tuple(one) for one in words),
        model=name,
        how=found.how,
        notes=tuple(dict.fromkeys(notes)),
    )


def _suspected(found: LeftOut, codes: Ints, suggested: Ints, against: Floats) -> AnyArray:
    """Mark labels that are probably wrong, by the thresholds of confident learning."""
    P = found.probabilities
    if P is None:
        return np.asarray(against > 0)
    n_classes = P.shape[1]
    sizes = np.bincount(codes, minlength=n_classes)
    own = P[np.arange(len(codes)), codes]
    usual = np.bincount(codes, weights=own, minlength=n_classes) / np.maximum(sizes, 1)
    other = P[np.arange(len(codes)), suggested]
    return np.asarray((against > 0) & (other >= usual[suggested]))
