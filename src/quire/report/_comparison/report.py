"""A report on a comparison of models: its data, its page, and both in one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone

from quire._shared.how_many import how_many
from quire._shared.page.excerpts import EvidenceTerm
from quire._shared.page.html import NOTHING, Html, html
from quire._shared.page.numbers import to_plain
from quire._shared.page.page import Page, saved
from quire._shared.page.shell import asset, controls
from quire.io import Corpus
from quire.model_selection import Comparison
from quire.report._comparison.calibration import (
    Calibrated,
    Calibration,
    calibrated_best,
    calibrations_of,
)
from quire.report._comparison.checks import Found, checks_section, found_by_checks, other_notes
from quire.report._comparison.classes import (
    ClassScores,
    Confusion,
    Costs,
    class_scores,
    classes_section,
    confusion_of,
    costs_of,
    ordered_error,
)
from quire.report._comparison.corpus import CorpusSummary, corpus_section, summarise_corpus
from quire.report._comparison.cost import cost_section
from quire.report._comparison.documents import Documents, documents_of
from quire.report._comparison.evidence import (
    evidence_note,
    evidence_section,
    sample_of,
    strongest_terms,
)
from quire.report._comparison.labels import (
    SetOutcomes,
    Together,
    label_scores,
    labels_section,
    set_outcomes_of,
    together_of,
)
from quire.report._comparison.leaderboard import LeaderboardRow, leaderboard, leaderboard_section
from quire.report._comparison.mistakes import (
    HELD_OUT,
    Mistake,
    count_mistakes,
    mistakes_of,
    mistakes_section,
)
from quire.report._comparison.numbers import Regression, numbers_section, regression_of
from quire.report._comparison.outcomes import Outcomes, names_of_classes, outcomes_of
from quire.report._comparison.probabilities import (
    Curve,
    probabilities_section,
    roc_and_recall,
    with_probabilities,
)
from quire.report._comparison.short import short_section
from quire.report._comparison.slices import Slices, slices_of, slices_section
from quire.report._comparison.table import is_of_table, rows_of, summarise_columns
from quire.report._comparison.thresholds import (
    Thresholds,
    threshold_scripts,
    thresholds_of,
    thresholds_of_labels,
    thresholds_section,
)
from quire.report._comparison.training import (
    Learning,
    Path,
    PenaltyErrors,
    automatic_learning_curve,
    automatic_path,
    learning_of,
    path_scripts,
    paths_of,
    penalty_errors_of,
    training_section,
)
from quire.report._page.provenance import installed_versions, now, with_data
from quire.report._page.settings import chosen_table
from quire.report._page.whole_page import whole_page
from quire.report._try_it.section import (
    TryIt,
    try_it_of,
    try_it_scripts,
    try_it_section,
    try_it_styles,
)

__all__ = ["Report", "ReportData", "render", "report", "summarise"]

_SECTIONS = (
    short_section,
    corpus_section,
    checks_section,
    leaderboard_section,
    classes_section,
    labels_section,
    numbers_section,
    slices_section,
    probabilities_section,
    thresholds_section,
    training_section,
    evidence_section,
    lambda data: try_it_section(data.try_it),
    mistakes_section,
    cost_section,
)
_STYLES = ["matrix.css", "slices.css", "evidence.css", "thresholds.css"]
_SCRIPTS = ["matrix.js", "picker.js"]
_NOUNS = {"multilabel": "label", "ordered": "ordered class"}


@dataclass(frozen=True)
class ReportData:
    """All that a report says, section by section; ``None`` or empty where there is nothing."""

    title: str
    created: str
    task: str
    metric: str
    metrics: list[str]
    n_folds: int
    seconds: float
    interrupted: bool
    notes: list[str]
    best: str
    corpus: CorpusSummary
    checks: list[Found]
    leaderboard: list[LeaderboardRow]
    positive: str | None
    confusion: Confusion | None
    class_scores: list[ClassScores]
    together: Together | None
    ordered_mae: float | None
    costs: Costs | None
    roc: list[Curve]
    precision_recall: list[Curve]
    curves_model: str | None
    calibration: list[Calibration]
    calibrated: Calibrated | None
    thresholds: Thresholds | None
    regression: Regression | None
    slices: Slices | None
    learning: Learning | None
    paths: list[Path]
    penalty_errors: PenaltyErrors | None
    evidence: dict[str, list[EvidenceTerm]]
    evidence_note: str
    try_it: TryIt | None
    mistakes: list[Mistake]
    mistakes_total: int
    mistakes_note: str
    chosen: dict[str, list[dict[str, Any]]]
    settings: dict[str, Any]
    versions: dict[str, str]


class Report(Page[ReportData]):
    """A report, from :func:`report`.

    In a notebook it shows itself; :meth:`save` writes it to a file.

    Attributes
    ----------
    data : ReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    def _says(self) -> str:
        models = how_many(len(self.data.leaderboard), "model")
        return f"{models}, best {self.data.best!r}"


def report(
    comparison: Comparison,
    texts: Any,
    *,
    model: Any = None,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    label_names: Any = None,
    learning_curve: Any = None,
    regularization_path: Any = None,
    top_terms: int = 15,
    n_mistakes: int = 30,
    n_examples: int = 5,
    slices: Any = True,
    try_it: bool = True,
) -> Report:
    """Make one HTML file of all that a comparison found; it opens without a network.

    Needs vl-convert-python, which holds the libraries that draw the charts:
    ``pip install 'quire[report]'``.

    Parameters
    ----------
    comparison : Comparison
        The models, compared.
    texts : sequence of str, Series, Corpus or DataFrame
        The documents that were compared, in the same order. Of a table, all columns of strings are
        shown as the text; of a table without texts its rows are, in words.
    model : object, default=None
        A fitted model: it says which terms speak for a class and which words led to a mistake.
        ``None`` takes the best one that the comparison fitted on all documents, if it kept it;
        ``"best"`` fits it here. Without a model these words are not shown.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    label_names : list of str or dict, default=None
        What to call the classes: names in the order of ``comparison.classes``, or by class.
    learning_curve : object, default=None
        What :func:`quire.model_selection.learning_curve` or scikit-learn's returns, or an object or
        dict with ``train_sizes``, ``train_scores`` and ``test_scores``. ``"auto"`` makes that of
        the best model, from a sample of the documents if there are many.
    regularization_path : RegularizationPath, default=None
        What :func:`quire.model_selection.regularization_path` returns. ``"auto"`` makes that of the
        best model with a penalty, from a sample of the documents and the most frequent terms.
    top_terms : int, default=15
        Terms shown for each class.
    n_mistakes : int, default=30
        Mistakes shown, the most confident first; those after the tenth when they are asked for.
    n_examples : int, default=5
        Repeated documents shown.
    slices : bool, list of str, mapping or DataFrame, default=True
        By what documents are parted, to show where the best model errs: names of columns of
        `texts`, or columns of their own, with a value for each document. ``True`` takes all columns
        that can be parted by; length and language of the texts are always looked at, unless it is
        ``False``. See :func:`quire.model_selection.error_slices`.
    try_it : bool, default=True
        Put a model that is a sum over the terms of a text into the page, so that readers can try it
        on texts of their own. The page then holds the vocabulary of the model.

    Returns
    -------
    Report
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed.
    ValueError
        If there are other documents than were compared, or no model was finished.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise : The numbers without the page.
    """
    if isinstance(learning_curve, str) or isinstance(regularization_path, str):
        series = _to_learn_from(comparison, texts)
        if learning_curve == "auto":
            learning_curve = automatic_learning_curve(comparison, series)
        if regularization_path == "auto":
            regularization_path = automatic_path(comparison, series)
    data = summarise(
        comparison,
        texts,
        model=model,
        title=title,
        label_names=label_names,
        learning_curve=learning_curve,
        regularization_path=regularization_path,
        top_terms=top_terms,
        n_mistakes=n_mistakes,
        n_examples=n_examples,
        slices=slices,
        try_it=try_it,
    )
    return saved(Report(data, render(data)), path)


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
    n_mistakes: int = 30,
    n_examples: int = 5,
    slices: Any = True,
    try_it: bool = True,
) -> ReportData:
    """Return all that a report says, as plain data.

    Parameters
    ----------
    comparison, texts, model, title, label_names, learning_curve, regularization_path, top_terms, \
n_mistakes, n_examples, slices, try_it
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
    documents = documents_of(texts, len(comparison.y), comparison.settings)
    of_table = is_of_table(comparison.settings)
    columns = summarise_columns(documents.given) if of_table else None
    of_sets = comparison.task == "multilabel"
    outcomes = (set_outcomes_of if of_sets else outcomes_of)(comparison, best, labels)
    if model is None:
        model = getattr(comparison, "model", None)
    elif isinstance(model, str):
        model = _fit_best(comparison, documents.given, model)
    evidence, n_counted = _evidence(comparison, documents, model, top_terms, of_table=of_table)
    settings = to_plain(
        with_data(
            comparison.settings,
            texts=None if of_table else documents.column,
            labels=comparison.y,
            columns=documents.given.to_dict() if of_table else None,
            origin=texts.origin if isinstance(texts, Corpus) else None,
        )
    )
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
        notes=other_notes(comparison),
        best=best.title,
        corpus=summarise_corpus(documents.column, outcomes, comparison.folds, n_examples, columns),
        checks=found_by_checks(comparison),
        leaderboard=leaderboard(comparison),
        positive=labels[1] if len(labels) == 2 and not of_sets else None,
        **_classification(comparison, outcomes, documents, model),
        regression=None if labels else regression_of(outcomes),
        slices=slices_of(comparison, texts, slices),
        learning=learning_of(learning_curve),
        paths=paths_of(regularization_path, _names_by_class(comparison, labels)),
        penalty_errors=penalty_errors_of(regularization_path),
        evidence=shown,
        evidence_note=evidence_note(
            model,
            evidence,
            of_table=of_table,
            n_counted=n_counted,
            n_documents=len(comparison.y),
        ),
        mistakes=mistakes_of(comparison, best, outcomes, documents, model, n_mistakes),
        try_it=_tried(comparison, model, documents.column, outcomes, labels) if try_it else None,
        mistakes_total=count_mistakes(outcomes),
        mistakes_note="" if model is None else HELD_OUT,
        chosen=_settings_by_fold(comparison),
        settings=settings,
        versions=_versions(settings.pop("versions", None)),
    )


def _evidence(
    comparison: Comparison, documents: Documents, model: Any, n_terms: int, *, of_table: bool
) -> tuple[dict[Any, list[EvidenceTerm]], int]:
    """Return the strongest terms of each class, and in how many documents they were counted."""
    if model is None:
        return {}, 0
    if of_table:
        return strongest_terms(model, n_terms), 0
    given, y, n = sample_of(documents.given, comparison.y)
    if n == len(comparison.y) and comparison.counted is not None:
        given = comparison.counted  # its terms are known
    try:
        return strongest_terms(model, n_terms, given, y), n
    except ValueError:  # a missing text, or a model of other classes
        return strongest_terms(model, n_terms), 0


def _tried(
    comparison: Comparison, model: Any, column: pl.Series, outcomes: Outcomes, labels: list[str]
) -> TryIt | None:
    """Return the model for the page; ``None`` without one."""
    if model is None:
        return None
    title = comparison.best.title
    if is_of_table(comparison.settings):
        return TryIt(title, "it predicts from columns of a table")
    groups: list[tuple[str, Any]] = []
    if isinstance(outcomes, SetOutcomes):
        by_label = outcomes.true.tocsc()
        for k, name in enumerate(labels):
            groups.append((name, by_label.indices[by_label.indptr[k] : by_label.indptr[k + 1]]))
    elif labels:
        groups = [(name, np.flatnonzero(outcomes.codes == k)) for k, name in enumerate(labels)]
    else:
        order = np.argsort(outcomes.numbers[outcomes.labelled], kind="stable")
        rows = np.flatnonzero(outcomes.labelled)[order]
        names = ("low", "middle", "high")
        groups = list(zip(names, np.array_split(rows, len(names)), strict=True))
    return try_it_of(model, title, column, groups, _names_by_class(comparison, labels))


def _to_learn_from(comparison: Comparison, texts: Any) -> pl.Series | pl.DataFrame:
    """Return what a pipeline of the comparison is fitted to."""
    if is_of_table(comparison.settings):
        return rows_of(texts, comparison.settings)
    if isinstance(texts, Corpus):
        texts = texts.texts
    series = texts if isinstance(texts, pl.Series) else pl.Series("text", list(texts))
    return series.fill_null("")


def _classification(
    comparison: Comparison, outcomes: Outcomes, documents: Documents, model: Any
) -> dict[str, Any]:
    """Return the parts that only classes have; all of them empty where numbers are predicted."""
    nothing: dict[str, Any] = {
        "confusion": None,
        "class_scores": [],
        "together": None,
        "ordered_mae": None,
        "costs": None,
        "roc": [],
        "precision_recall": [],
        "curves_model": None,
        "calibration": [],
        "calibrated": None,
        "thresholds": None,
    }
    if not outcomes.labels:
        return nothing
    if isinstance(outcomes, SetOutcomes):
        scores = label_scores(comparison, outcomes.labels)
        return nothing | {
            "class_scores": scores,
            "together": together_of(outcomes),
            "thresholds": thresholds_of_labels(
                comparison, comparison.best, outcomes.true, outcomes.labels
            ),
        }
    trials = with_probabilities(comparison)
    roc, recall = roc_and_recall(comparison, trials, outcomes.codes, outcomes.labels)
    calibration = calibrations_of(comparison, trials, outcomes.codes)
    ordered = comparison.task == "ordered"
    return {
        "confusion": confusion_of(comparison, comparison.best, outcomes, documents, model),
        "class_scores": class_scores(comparison, outcomes),
        "together": None,
        "ordered_mae": ordered_error(outcomes) if ordered else None,
        "costs": costs_of(comparison, outcomes),
        "roc": roc,
        "precision_recall": recall,
        "curves_model": trials[0].title if trials else None,
        "calibration": calibration,
        "calibrated": calibrated_best(
            comparison, comparison.best, outcomes.codes, calibration, model
        ),
        "thresholds": thresholds_of(
            comparison, comparison.best, outcomes.codes, outcomes.labels, model
        ),
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


def _settings_by_fold(comparison: Comparison) -> dict[str, list[dict[str, Any]]]:
    return {
        trial.title: [to_plain(settings) for settings in trial.settings]
        for trial in comparison.trials
        if trial.error is None
    }


def _versions(known: Any) -> dict[str, str]:
    """Return the versions that are installed, and those that the comparison wrote down."""
    versions = installed_versions()
    if isinstance(known, dict):
        versions |= {str(name): str(version) for name, version in known.items()}
    return versions


def render(data: ReportData) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    data : ReportData
        From :func:`summarise`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    n_classes = len(data.corpus.class_counts)
    target = how_many(n_classes, _NOUNS.get(data.task, "class")) if n_classes else "numbers"
    divided = "one split" if data.n_folds == 1 else how_many(data.n_folds, "fold")
    about = f"{how_many(len(data.leaderboard), 'model')}, {target}, {divided}"
    sections = [make(data) for make in _SECTIONS]
    package = "quire.report._comparison"
    return str(
        whole_page(
            data,
            about,
            sections,
            styles=[
                controls(),
                *(asset(package, name) for name in _STYLES),
                *(try_it_styles() if data.try_it is not None else ()),
            ],
            scripts=[
                *(_script(asset(package, name)) for name in _SCRIPTS),
                *threshold_scripts(data),
                *path_scripts(data),
                *try_it_scripts(data.try_it),
            ],
            more_settings=_fold_settings(data),
        )
    )


def _script(script: Html) -> Html:
    return html("<script>\n{}\n</script>\n", script)


def _fold_settings(data: ReportData) -> Html:
    """Return what was chosen on each fold."""
    chosen = chosen_table(data.chosen)
    if not chosen:
        return NOTHING
    return html(
        "<details><summary>Settings chosen on each fold</summary>{}</details>",
        chosen,
    )
