"""A fitted model on documents with known labels."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.decisions import decisions, predicted_labels
from quire._shared.label_sets import (
    LabelSets,
    are_sets,
    joined_labels,
    label_sets,
    predicted_sets,
    separator_of,
)
from quire._shared.reliability import calibration_bins, calibration_error, claims_of
from quire._shared.shares import Score, wilson
from quire._shared.texts import MISSING_MARKS, is_missing
from quire._shared.typing import Floats
from quire.io import Corpus, read_batches
from quire.kinds import Predicts, classes_of, kind_of, last_step, rows_for, steps_of, takes_of
from quire.model_selection._evaluate.by_class import class_scores_of, label_scores_of
from quire.model_selection._evaluate.intervals import bootstrap, mean_of_shares
from quire.model_selection._evaluate.measures import (
    natural_measures,
    natural_name,
    not_certain,
)
from quire.model_selection._evaluate.result import Evaluation
from quire.model_selection._scores.asking import label_ranking_of, ranking_of
from quire.model_selection._scores.catalogue import (
    metric_of,
    needs_probabilities,
    needs_ranking,
    scale_of,
    trials_behind,
)
from quire.model_selection._scores.costs import cost_matrix
from quire.model_selection._scores.held_out import HeldOut
from quire.persistence import load_with_info

__all__ = ["documents_and_labels", "evaluate"]

_WHOLE = (1 << 32) - 1  # rows of a part that is everything: as many as polars can have
_SHOWN = 5
_OF_LABELS = (
    "f1_micro",
    "f1_macro",
    "f1_samples",
    "accuracy",
    "neg_hamming_loss",
    "label_ranking_average_precision",
)
_NUMBERS = ("neg_root_mean_squared_error", "neg_mean_absolute_error", "r2")


def evaluate(
    model: Any,
    data: Any,
    y: Any = None,
    *,
    text: str | Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    costs: Any = None,
    label_separator: str | None = None,
    level: float = 0.95,
    n_bins: int = 10,
    random_state: int = 0,
    **options: Any,
) -> Evaluation:
    """Score a fitted model on documents, or rows of a table, whose labels are known.

    Parameters
    ----------
    model : estimator or path
        Fitted, or a ``.quire`` file: a classifier, an ordinal or any other regression.
    data : path, Corpus, DataFrame, sequence of str or matrix
        Documents that the model was not fitted to; a file is read by :mod:`quire.io`. A model of a
        table finds its columns by name.
    y : array-like of shape (n_documents,), or str, default=None
        Labels or numbers, or the name of their column. A corpus brings its own; of a table the
        column is guessed by its name, or is the one that the model file names.
    text : str or sequence of str, default=None
        Columns of a table that are texts; as in training, if that is known, or guessed.
    metric : str or sequence of str, default=None
        Scores beside the usual ones, from :func:`metric_names`. Errors are shown as they are,
        without a minus sign: "neg_mean_cost" is "mean_cost" here.
    costs : mapping or array-like of shape (n_classes, n_classes), default=None
        What mistakes cost, as for :func:`compare`; their mean is a score.
    label_separator : str, default=None
        What stands between several labels in texts, for a model of those; as in training if
        ``None``.
    level : float, default=0.95
        How often intervals should cover the score on new documents of the same kind.
    n_bins : int, default=10
        Bins of the calibration, of as equal a number of documents as equal probabilities allow.
    random_state : int, default=0
        How to draw documents for intervals.
    **options
        How to read a file, as for :func:`quire.io.read_corpus`: ``encoding``, ``format`` and so on.

    Returns
    -------
    Evaluation
        Scores with intervals, scores of each class, the confusion matrix and the calibration.

    Raises
    ------
    ValueError
        If there are no labels, or not one for each document, or the model cannot take the data.
    TypeError
        If the model predicts neither labels nor numbers.

    Notes
    -----
    Documents without a label are left out and counted. A label that the model does not know cannot
    be predicted: its documents count as wrong, and are left out of costs and of scores that need
    probabilities or a ranking.

    Shares have Wilson's interval, means of shares one that is put together from those, all other
    scores the percentiles of a bootstrap: none of them leaves the scale of its score. A score at an
    end of its scale, which every draw repeats, has the interval of a share of 1 or 0; of an area
    under a curve, among the documents of the smaller class. The calibration error has no interval,
    since draws of the same documents are worse calibrated than they are.

    Intervals say how far the score of this model may be off because the documents are few. They do
    not say how much another model of the same kind would differ, fitted to other documents;
    :func:`compare` does.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import compare, evaluate
    >>> data = make_text_classification(400, n_classes=3, separation=5.0, random_state=1)
    >>> model = compare(data.texts[:300], data.y[:300], "multinomial-nb").model
    >>> found = evaluate(model, data.texts[300:], data.y[300:])
    >>> found.n_documents, list(found.scores)[:3]
    (100, ['accuracy', 'balanced_accuracy', 'f1_macro'])
    >>> value, low, high = found.scores["accuracy"]
    >>> f"{value:.3f}, {low:.3f} to {high:.3f}"
    '0.710, 0.615 to 0.790'
    """
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: expected a share between 0 and 1, such as 0.95.")
    metadata: dict[str, Any] = {}
    if isinstance(model, str | os.PathLike):
        model, info = load_with_info(model)
        metadata = info.metadata or {}
    predicts = kind_of(model).predicts
    if predicts not in (
        Predicts.LABEL,
        Predicts.LABELS,
        Predicts.ORDERED_LABEL,
        Predicts.NUMBER,
    ):
        raise TypeError(
            f"{type(last_step(model)).__name__} predicts neither labels nor numbers, so there is "
            "nothing to compare labels with."
        )
    values: list[Any] = []
    if predicts is Predicts.LABELS:
        separator = label_separator or separator_of(last_step(model))
        rows, sets, n_missing, said = _documents_and_sets(
            model, data, y, text, metadata, options, separator
        )
    else:
        if label_separator is not None:
            raise ValueError(
                f"label_separator={label_separator!r} is for models of several labels, and this "
                "one predicts one for each document; leave it out."
            )
        rows, values, n_missing, said = documents_and_labels(
            model, data, y, text, metadata, options
        )
    notes = list(said)
    steps, answering = steps_of(model)
    for step in steps:
        rows = step.transform(rows)
    title = str(metadata.get("title") or type(answering).__name__)
    unit = "rows" if takes_of(model).what in ("table", "matrix") else "documents"
    asked = [metric] if isinstance(metric, str) else [*(metric or ())]
    common: dict[str, Any] = {
        "model": title,
        "level": level,
        "n_missing": n_missing,
        "unit": unit,
    }
    if predicts is Predicts.LABELS:
        if costs is not None:
            raise ValueError("costs are for one class of each document, and the model has labels.")
        names = [metric_of(name, "multilabel").name for name in asked]
        return _of_sets(answering, rows, sets, names, random_state, notes, common)
    if predicts is Predicts.NUMBER:
        if costs is not None:
            raise ValueError("costs are for classes, and the model predicts numbers.")
        names = [metric_of(name, "continuous").name for name in asked]
        return _of_numbers(answering, rows, values, names, random_state, notes, common)
    task = "ordered" if predicts is Predicts.ORDERED_LABEL else "classes"
    known = np.asarray(classes_of(answering))
    kind = "ordered" if task == "ordered" else "binary" if len(known) == 2 else "multiclass"
    names = [metric_of(name, kind).name for name in asked]
    matrix = None if costs is None else cost_matrix(costs, known)
    if matrix is None and "neg_mean_cost" in names:
        raise ValueError("The mean cost needs costs: say what mistakes cost with costs=.")
    if matrix is not None:
        names = list(dict.fromkeys(["neg_mean_cost", *names]))
    options = {"task": task, "n_bins": n_bins, "seed": random_state, "costs": matrix}
    return _of_classes(answering, rows, values, names, notes, common, **options)


def documents_and_labels(
    model: Any, data: Any, y: Any, text: Any, metadata: dict[str, Any], options: dict[str, Any]
) -> tuple[Any, list[Any], int, tuple[str, ...]]:
    """Return what the model takes of the documents with a label, and the labels.

    Then how many have none, and what was guessed. A mark of missing labels, such as NA, is none
    unless the model has a class of that name.
    """
    rows, labels, said = _read(model, data, y, text, metadata, options)
    values = labels.to_list() if hasattr(labels, "to_list") else np.asarray(labels).tolist()
    classes = classes_of(model)
    names = set() if classes is None else {str(label) for label in classes.tolist()}
    return _with_known(rows, [None if _is_no_label(one, names) else one for one in values], said)


def _documents_and_sets(
    model: Any,
    data: Any,
    y: Any,
    text: Any,
    metadata: dict[str, Any],
    options: dict[str, Any],
    separator: str,
) -> tuple[Any, LabelSets, int, tuple[str, ...]]:
    """Do the same for several labels of each document."""
    rows, labels, said = _read(model, data, y, text, metadata, options)
    rows, sets, n_missing, said = _with_known(rows, _sets(labels, separator), said)
    return rows, label_sets(sets, separator=separator), n_missing, said


def _with_known(
    rows: Any, values: list[Any], said: tuple[str, ...]
) -> tuple[Any, list[Any], int, tuple[str, ...]]:
    """Return the rows whose values are not None, these values, and how many are left out."""
    is_known = np.array([value is not None for value in values], dtype=bool)
    n_missing = int((~is_known).sum())
    if not is_known.any():
        raise ValueError("No document has a label, so there is nothing to compare with.")
    if n_missing:
        said = (*said, f"left out, since they have no label: {n_missing:,} of {len(values):,}")
        rows = _kept(rows, is_known)
        values = [value for value in values if value is not None]
    return rows, values, n_missing, said


def _read(
    model: Any, data: Any, y: Any, text: Any, metadata: dict[str, Any], options: dict[str, Any]
) -> tuple[Any, Any, tuple[str, ...]]:
    """Return what the model takes, the labels, and what was guessed."""
    is_path = isinstance(data, str | os.PathLike)
    if is_path or hasattr(data, "columns"):
        takes = takes_of(model)
        if takes.what == "matrix" and not is_path:
            return _with_labels(data, y)
        label = y if isinstance(y, str) else None
        parts = read_batches(
            data,
            batch_size=_WHOLE,
            text=text,
            label=label,
            default_label=metadata.get("label"),
            default_text=metadata.get("text") or None,
            default_columns=takes.columns if takes.what == "table" else None,
            **options,
        )
        data = next(parts)
        y = None if label is not None else y
    if isinstance(data, Corpus):
        if isinstance(y, str):
            if y not in data.frame.columns:
                raise ValueError(
                    f"There is no column {y!r}; there are: {', '.join(data.frame.columns)}."
                )
            y = data.frame[y]
        labels = data.labels if y is None else y
        if labels is None:
            raise ValueError(
                f"{data.source or 'The corpus'} has no column that is clearly the label. Name it "
                f"with label=; there are: {', '.join(data.frame.columns)}."
            )
        _check_lengths(len(data), len(labels))
        return rows_for(model, data), labels, data.notes
    return _with_labels(data, y)


def _is_no_label(value: Any, classes: set[str]) -> bool:
    """Return whether a label is missing, or a mark that says so and is no class."""
    if isinstance(value, str):
        return value not in classes and value.strip().lower() in MISSING_MARKS
    return is_missing(value)


def _with_labels(data: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    if y is None:
        raise TypeError("y is missing: give the labels, or the name of their column.")
    n = data.shape[0] if hasattr(data, "shape") else len(data)
    _check_lengths(n, len(y))
    return data, y, ()


def _check_lengths(n: int, n_labels: int) -> None:
    if n != n_labels:
        raise ValueError(
            f"There are {n:,} documents and {n_labels:,} labels; give one label for each document."
        )


def _kept(rows: Any, is_known: NDArray[np.bool_]) -> Any:
    if isinstance(rows, pl.Series | pl.DataFrame):
        return rows.filter(pl.Series(is_known))
    if hasattr(rows, "iloc"):
        return rows.loc[is_known]
    if hasattr(rows, "shape"):
        return rows[is_known]
    return [row for row, known in zip(rows, is_known, strict=True) if known]


def _sets(labels: Any, separator: str) -> list[Any]:
    """Return the labels of each document as a list; ``None`` where they are missing.

    An empty text is the empty set; a question mark says that labels are missing.
    """
    if are_sets(labels) and not hasattr(labels, "to_list"):
        return [list(one) for one in label_sets(labels)]
    if getattr(labels, "dtype", None) == pl.String:  # what is empty in a file is read as null
        labels = labels.fill_null("")
    values = labels.to_list() if hasattr(labels, "to_list") else list(labels)
    if any(isinstance(one, str) for one in values):
        return [
            None
            if one is None or one.strip() == "?"
            else [part.strip() for part in one.split(separator) if part.strip()]
            for one in values
        ]
    return [None if is_missing(one) else one if _is_list(one) else [one] for one in values]


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _of_sets(
    model: Any,
    rows: Any,
    sets: LabelSets,
    asked: list[str],
    seed: int,
    notes: list[str],
    common: dict[str, Any],
) -> Evaluation:
    """Return scores of several labels; those that the model does not know count as missed."""
    known, level = np.asarray(classes_of(model)), common["level"]
    codes, unseen = sets.among(known)
    if unseen:
        shown = ", ".join(f"{label!r} ({n:,})" for label, n in list(unseen.items())[:_SHOWN])
        more = f" and {len(unseen) - _SHOWN:,} more" if len(unseen) > _SHOWN else ""
        notes.append(f"labels that the model does not know count as missed: {shown}{more}")
    n_without = int((np.diff(sets.indicator.indptr) == 0).sum())
    if n_without:
        notes.append(f"{n_without:,} of {len(sets):,} documents have no label, and count as such")
    predicted = label_sets(predicted_sets(model, rows)).indicator
    ranking = label_ranking_of(model, rows)
    classes = (*known.tolist(), *unseen)
    with_unseen = sparse.csr_array(sparse.hstack([codes, sets.columns_of(unseen)], format="csr"))
    padded = sparse.csr_array(
        sparse.hstack(
            [predicted, sparse.csr_array((len(sets), len(unseen)), dtype=np.int8)], format="csr"
        )
    )
    names = list(dict.fromkeys([*_OF_LABELS, *asked]))
    plain = [name for name in names if not needs_ranking([name])]
    scores = _drawn(plain, HeldOut(with_unseen, padded), level, seed)
    if ranking is not None:
        ranked = [name for name in names if needs_ranking([name])]
        scores |= _drawn(ranked, HeldOut(codes, predicted, None, ranking), level, seed)
    return Evaluation(
        task="labels",
        n_documents=len(sets),
        scores=scores,
        classes=classes,
        class_scores=label_scores_of(with_unseen, padded, classes, level),
        predicted=np.array(joined_labels(predicted, known, separator_of(model)), dtype=object),
        unseen=unseen,
        notes=tuple(notes),
        **common,
    )


def _of_numbers(
    model: Any,
    rows: Any,
    values: list[Any],
    asked: list[str],
    seed: int,
    notes: list[str],
    common: dict[str, Any],
) -> Evaluation:
    try:
        truth = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        bad = next(value for value in values if not isinstance(value, int | float))
        raise ValueError(
            f"The model predicts numbers, but a label is {bad!r}. Choose another column."
        ) from None
    predicted = np.asarray(model.predict(rows), dtype=np.float64).ravel()
    measures = natural_measures(dict.fromkeys([*_NUMBERS, *asked]), HeldOut(truth, predicted))
    scores = bootstrap(len(truth), measures, common["level"], seed)
    return Evaluation(
        task="numbers",
        n_documents=len(truth),
        scores=scores,
        predicted=predicted,
        notes=tuple(notes),
        **common,
    )


def _of_classes(
    model: Any,
    rows: Any,
    values: list[Any],
    asked: list[str],
    notes: list[str],
    common: dict[str, Any],
    *,
    task: str,
    n_bins: int,
    seed: int,
    costs: Floats | None,
) -> Evaluation:
    known = np.asarray(classes_of(model))
    codes, unseen = _codes(values, known.tolist())
    if unseen:
        shown = ", ".join(f"{label!r} ({n:,})" for label, n in list(unseen.items())[:_SHOWN])
        more = f" and {len(unseen) - _SHOWN:,} more" if len(unseen) > _SHOWN else ""
        notes.append(f"labels that the model does not know count as wrong: {shown}{more}")
    P: Floats | None = None
    if hasattr(model, "predict_proba"):
        predicted, P = decisions(model, rows)
    else:
        place = {label: k for k, label in enumerate(known.tolist())}
        guesses = predicted_labels(model, rows).tolist()
        predicted = np.array([place[label] for label in guesses], dtype=np.intp)
    classes = (*known.tolist(), *unseen)
    n, level = len(classes), common["level"]
    confusion = np.bincount(codes * n + predicted, minlength=n * n).reshape(n, n)
    class_scores = class_scores_of(codes, predicted, classes, level)
    scores = {
        "accuracy": wilson(int(np.trace(confusion)), len(codes), level),
        "balanced_accuracy": mean_of_shares([one.recall for one in class_scores]),
        "f1_macro": mean_of_shares([one.f1 for one in class_scores]),
    }
    names = [] if task != "ordered" or unseen else ["neg_mean_absolute_error", "quadratic_kappa"]
    seen_only = []
    if P is not None:
        seen_only += ["neg_log_loss", "neg_brier_score"]
    ranks = len(known) == 2 and (P is not None or hasattr(model, "decision_function"))
    if ranks:
        seen_only += ["roc_auc", "average_precision"]
    for name in asked:
        if name == "neg_mean_cost" or needs_probabilities([name]) or needs_ranking([name]):
            seen_only.append(name)
        else:
            names.append(name)
    names = [name for name in dict.fromkeys(names) if name not in scores]
    scores |= _drawn(names, HeldOut(codes, predicted), level, seed)
    if "mae" in scores:  # of places among ordered classes
        scores = {"rank_error" if name == "mae" else name: one for name, one in scores.items()}
    is_seen = codes < len(known)
    bins = []
    if is_seen.any():
        P = None if P is None else np.asarray(P, dtype=np.float64)[is_seen]
        ranking = ranking_of(model, rows, known) if needs_ranking(seen_only) else None
        ranking = None if ranking is None else ranking[is_seen]
        held = HeldOut(codes[is_seen], predicted[is_seen], P, ranking, costs)
        scores |= _drawn(list(dict.fromkeys(seen_only)), held, level, seed)
        if P is not None:
            claims = claims_of(held.codes, P)
            bins = calibration_bins(*claims, n_bins)
            error = calibration_error(*claims, n_bins)
            scores["calibration_error"] = Score(error, np.nan, np.nan)
    return Evaluation(
        task=task,
        n_documents=len(codes),
        scores=scores,
        classes=classes,
        class_scores=class_scores,
        confusion=confusion,
        calibration=bins,
        predicted=known[predicted],
        unseen=unseen,
        notes=tuple(notes),
        **common,
    )


def _drawn(names: list[str], held: HeldOut, level: float, seed: int) -> dict[str, Score]:
    """Return scores with intervals from draws, or as of a share at an end of their scale."""
    names = [name for name in names if name != "neg_calibration_error"]
    scores = bootstrap(held.n_documents, natural_measures(names, held), level, seed)
    for name in names:
        least, most = scale_of(name, held.costs, held.n_classes)
        scale = (-most, -least) if name.startswith("neg_") else (least, most)
        trials, _ = trials_behind(name, held.codes)
        found = natural_name(name)
        scores[found] = not_certain(scores[found], scale, trials, level)
    return scores


def _codes(values: list[Any], known: list[Any]) -> tuple[NDArray[Any], dict[Any, int]]:
    """Return the place of each label, those that are not known after the others, and these."""
    place = {label: k for k, label in enumerate(known)}
    by_text = {str(label): k for k, label in enumerate(known)}  # 1 in a file may be "1" in another
    found = [place.get(value, by_text.get(str(value), -1)) for value in values]
    counts = Counter(value for value, k in zip(values, found, strict=True) if k < 0)
    unseen = {label: counts[label] for label in sorted(counts, key=str)}
    place_of = {label: len(known) + k for k, label in enumerate(unseen)}
    codes = [place_of[value] if k < 0 else k for value, k in zip(values, found, strict=True)]
    return np.array(codes, dtype=np.intp), unseen
