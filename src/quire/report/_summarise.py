"""From a comparison to all the numbers of a report, without any HTML."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from quire.io import Corpus
from quire.model_selection import Comparison, Trial
from quire.report import _classes, _curves, _numbers
from quire.report._corpus import summarise_corpus
from quire.report._data import EvidenceTerm, ReportData, to_plain
from quire.report._documents import as_column
from quire.report._explain import strongest_terms
from quire.report._leaderboard import leaderboard
from quire.report._mistakes import count_mistakes, mistakes
from quire.report._outcomes import Outcomes, names_of_classes, outcomes_of
from quire.report._provenance import installed_versions, now

__all__ = ["summarise"]

_HELD_OUT = (
    "Wrong while held out; the highlighted words are those of the model that was fitted on all "
    "documents."
)
_IMPORTANCE = (
    "Terms of the model that was fitted on all documents, by importance: the share of the decrease "
    "of impurity that questions about a term brought, over all trees. It says that a term matters, "
    "not for which class."
)


def summarise(
    comparison: Comparison,
    texts: Any,
    *,
    model: Any = None,
    title: str | None = None,
    label_names: Any = None,
    learning_curve: Any = None,
    regularization_path: Any = None,
    top_terms: int = 15,
    n_mistakes: int = 10,
    n_examples: int = 5,
) -> ReportData:
    """Return all that a report says, as plain data.

    Parameters
    ----------
    comparison, texts, model, title, label_names, learning_curve, regularization_path, top_terms, \
n_mistakes, n_examples
        As for :func:`report`.

    Returns
    -------
    ReportData
        Numbers, strings and lists of them.
    """
    best = comparison.best
    for name, count in (
        ("top_terms", top_terms),
        ("n_mistakes", n_mistakes),
        ("n_examples", n_examples),
    ):
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError(f"{name} is {count!r}; expected a whole number, 0 or more.")
    labels = names_of_classes(comparison, label_names)
    if isinstance(texts, Corpus):
        texts = texts.texts
    column = as_column(texts, len(comparison.y), comparison.settings.get("texts"))
    outcomes = outcomes_of(comparison, best, labels)
    if model is None:
        model = getattr(comparison, "model", None)
    elif isinstance(model, str):
        model = _fit_best(comparison, texts, model)
    evidence = {} if model is None else strongest_terms(model, top_terms)
    settings = to_plain(comparison.settings)
    shown = _by_label(comparison, labels, evidence)
    return ReportData(
        title=title or "Comparison of models",
        created=now(),
        task=comparison.task,
        metric=comparison.metric,
        metrics=list(comparison.metrics),
        n_folds=len(comparison.folds),
        seconds=float(comparison.seconds),
        interrupted=comparison.interrupted,
        notes=[str(note) for note in comparison.notes],
        best=best.title,
        corpus=summarise_corpus(column, outcomes, comparison.folds, n_examples),
        leaderboard=leaderboard(comparison),
        positive=labels[1] if len(labels) == 2 else None,
        **_classification(comparison, outcomes),
        regression=None if labels else _numbers.regression(outcomes),
        learning=_numbers.learning(learning_curve),
        paths=_numbers.paths(regularization_path, _names_by_class(comparison, labels)),
        evidence=shown,
        evidence_note=_evidence_note(model, evidence),
        mistakes=mistakes(comparison, best, outcomes, texts, column, model, n_mistakes),
        mistakes_total=count_mistakes(outcomes),
        mistakes_note="" if model is None else _HELD_OUT,
        chosen=_chosen(comparison),
        settings=settings,
        versions=_versions(settings.pop("versions", None)),
    )


def _classification(comparison: Comparison, outcomes: Outcomes) -> dict[str, Any]:
    """Return the parts that only classes have; all of them empty where numbers are predicted."""
    if not outcomes.labels:
        return {
            "confusion": None,
            "class_scores": [],
            "ordered_mae": None,
            "roc": [],
            "precision_recall": [],
            "curves_model": None,
            "calibration": [],
        }
    trials = _curves.with_probabilities(comparison)
    roc, recall = _curves.roc_and_recall(comparison, trials, outcomes.codes, outcomes.labels)
    ordered = comparison.task == "ordered"
    return {
        "confusion": _classes.confusion(outcomes),
        "class_scores": _classes.class_scores(outcomes),
        "ordered_mae": _classes.ordered_error(outcomes) if ordered else None,
        "roc": roc,
        "precision_recall": recall,
        "curves_model": trials[0].title if trials else None,
        "calibration": _curves.calibrations(comparison, trials, outcomes.codes),
    }


def _fit_best(comparison: Comparison, texts: Any, model: str) -> Any:
    if model != "best":
        raise ValueError(f"model is {model!r}; expected a fitted model, 'best' or None.")
    return clone(comparison.best.estimator).fit(texts, comparison.y)


def _names_by_class(comparison: Comparison, labels: list[str]) -> dict[str, str]:
    if comparison.classes is None:
        return {}
    return dict(zip([str(label) for label in comparison.classes.tolist()], labels, strict=True))


def _by_label(
    comparison: Comparison, labels: list[str], evidence: dict[Any, list[EvidenceTerm]]
) -> dict[str, list[EvidenceTerm]]:
    names = _names_by_class(comparison, labels)
    return {names.get(str(label), str(label)): terms for label, terms in evidence.items()}


def _evidence_note(model: Any, evidence: dict[Any, list[EvidenceTerm]]) -> str:
    if model is None:
        return "The comparison kept no fitted model, and none was given: pass model='best'."
    if not evidence:
        return "This model does not say which terms speak for a class."
    if list(evidence) == ["importance"]:
        return _IMPORTANCE
    return "Terms of the model that was fitted on all documents, by the weight of one occurrence."


def _chosen(comparison: Comparison) -> dict[str, list[dict[str, Any]]]:
    return {trial.title: _settings(trial) for trial in comparison.trials if trial.error is None}


def _settings(trial: Trial) -> list[dict[str, Any]]:
    return [to_plain(chosen) for chosen in trial.settings]


def _versions(known: Any) -> dict[str, str]:
    """Return the versions that the comparison wrote down, or else those that are installed."""
    if isinstance(known, dict):
        return {str(name): str(version) for name, version in known.items()}
    return installed_versions()
