"""The models that `compare` knows by name. A new family joins by a line in the table below.

Those for tables without texts stand in :mod:`.table_models`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import pairwise
from typing import Any

from sklearn.base import clone, is_regressor
from sklearn.pipeline import Pipeline

from quire.kinds import kind_of, last_step
from quire.model_selection._compare.features import TABLE_KINDS, Features, weight_and_view
from quire.model_selection._compare.paths import (
    logistic_path,
    neighbors_path,
    ridge_path,
    smoothing_path,
)
from quire.model_selection._compare.set_models import around_each_label, set_maker
from quire.model_selection._compare.task import Target
from quire.model_selection._compare.views import WORDS

__all__ = [
    "AVERAGE",
    "RAW",
    "VIEW_SETTING",
    "Candidate",
    "candidates_of",
    "model_names",
    "register_model",
    "settings_of",
]

_CLASSES = ("binary", "multiclass", "ordered")
_SETS = ("multilabel",)
AVERAGE = "average"  # of the best few, made of the others
RAW = "raw"
VIEW_SETTING = "features"  # the name of the view among the settings of a model


@dataclass(frozen=True)
class Candidate:
    """A model that can take part.

    Attributes
    ----------
    name, title : str
        What it is called, short and in words.
    make : callable
        Returns the model, not fitted.
    tasks : tuple of str
        What it can predict.
    kind : str
        The features it is given: "counts", "tfidf", or "raw" for documents themselves. Of a table
        without texts: a form of :class:`~quire.feature_extraction.table.TableEncoder`, "scaled",
        "plain" or "table".
    grid : dict from str to tuple
        Settings to choose from; the first of each is what is used where nothing is chosen.
    is_default : bool
        Whether it is among the models that ``models="default"`` means.
    text_only : bool
        Whether it makes no sense with other columns beside texts.
    path : callable or None
        A faster way to fit a model for each value of a grid with one setting: given the model, the
        values, features and labels, it yields them (see `quire.model_selection._compare.paths`).
    max_documents, max_classes : int or None
        With more documents, or more classes, "default" and "all" leave it out. By name it takes
        part all the same.
    max_labels, max_sets : int or None
        The same of several labels for a document: labels, and different sets of them.
    reads_codes : bool
        Whether classes may be given to it as numbers, their places in order, so that labels are
        read once for all models and folds. Not so for a model whose parameters name classes.
    around : callable or None
        What is put around the model once its settings are chosen: calibration, a threshold.
    views : tuple of str
        Ways of cutting texts into terms (see `quire.model_selection._compare.views`), of which the
        best is chosen inside each fold; those that do not take part in a comparison are passed
        over. None: the features of the comparison, whatever they are.
    judge : callable or None
        Returns a quick model by which views are compared; the model itself if ``None``. Candidates
        with the same judge and views share the choice.
    joins_average : bool
        Whether the average of the best may contain it: its scores add up over terms.
    """

    name: str
    title: str
    make: Callable[[], Any]
    tasks: tuple[str, ...]
    kind: str = "tfidf"
    grid: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    is_default: bool = True
    text_only: bool = False
    path: Callable[[Any, Sequence[Any], Any, Any], Iterable[Any]] | None = None
    max_documents: int | None = None
    max_classes: int | None = None
    max_labels: int | None = None
    max_sets: int | None = None
    reads_codes: bool = False
    around: Callable[[Any], Any] | None = None
    views: tuple[str, ...] = ()
    judge: Callable[[], Any] | None = None
    joins_average: bool = False

    def in_view(self, view: str) -> Candidate:
        """Return the same model on the terms of a view.

        Parameters
        ----------
        view : str
            Its name.
        """
        weight, _ = weight_and_view(self.kind)
        return self if self.kind == RAW else replace(self, kind=f"{weight}/{view}", views=())

    def finished(self, model: Any) -> Any:
        """Return a model with its settings and with what is put around it, not fitted."""
        return model if self.around is None else self.around(model)

    def pipeline(self, features: Features, settings: Mapping[str, Any]) -> Any:
        """Return the whole of features and model, not fitted.

        Parameters
        ----------
        features : Features
            Those of the comparison.
        settings : mapping
            Parameters of the model.
        """
        own = {name: value for name, value in settings.items() if name != VIEW_SETTING}
        one = self.in_view(settings[VIEW_SETTING]) if VIEW_SETTING in settings else self
        model = one.finished(one.make().set_params(**own))
        if one.kind == RAW:
            return model
        return Pipeline([("features", features.transformer(one.kind)), ("model", model)])


def _class(path: str, **parameters: Any) -> Callable[[], Any]:
    module, name = path.rsplit(".", 1)

    def make() -> Any:
        return getattr(import_module(module), name)(**parameters)

    return make


_ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01)
_CS = (1.0, 10.0, 100.0)

_COUNT_VIEWS = ("words", "tokens-2")
_TFIDF_VIEWS = ("words", "tokens", "tokens-2")
_FEW_CLASSES = 6  # so many times a model of two classes takes as long as the others together
_NB_VIEWS = ("tokens-2", "tokens-3")
_RELEVANCE_VIEWS = ("tokens", "tokens-2", "tokens-3")
_JUDGE_OF_COUNTS = _class("quire.naive_bayes.MultinomialNB", alpha=0.1)
_JUDGE_OF_TFIDF = _class("quire.svm.LinearSVC", random_state=0)

_LINEAR = {"ordered": "ordered-logit", "continuous": "ridge"}  # and "logistic" for classes
_KNOWN: dict[str, Candidate] = {}
_OF_TABLES: dict[str, Candidate] = {}  # for tables without texts
_OF_SETS: dict[str, Candidate] = {}  # for several labels of a document
_SETS_OF_TABLES: dict[str, Candidate] = {}


def register_model(candidate: Candidate) -> None:
    """Add a model to those that `compare` knows by name, or replace one.

    Parameters
    ----------
    candidate : Candidate
        The model and how it is to be tried: on texts, or on tables without texts if its `kind` is
        "scaled", "plain" or "table".
    """
    is_of_table = candidate.kind in TABLE_KINDS
    known = _OF_TABLES if is_of_table else _KNOWN
    if candidate.tasks == _SETS:
        known = _SETS_OF_TABLES if is_of_table else _OF_SETS
    known[candidate.name] = candidate


def _known_for(task: str | None, *, table: bool) -> dict[str, Candidate]:
    if task == "multilabel":
        return _SETS_OF_TABLES if table else _OF_SETS
    return _OF_TABLES if table else _KNOWN


for _candidate in (
    Candidate(
        "majority",
        "Most frequent class",
        _class("sklearn.dummy.DummyClassifier", strategy="prior"),
        _CLASSES,
        "counts",
    ),
    Candidate(
        "multinomial-nb",
        "Multinomial naive Bayes",
        _class("quire.naive_bayes.MultinomialNB"),
        _CLASSES,
        "counts",
        {"alpha": _ALPHAS},
        text_only=True,
        path=smoothing_path,
        views=_COUNT_VIEWS,
        judge=_JUDGE_OF_COUNTS,
        joins_average=True,
    ),
    Candidate(
        "complement-nb",
        "Complement naive Bayes",
        _class("quire.naive_bayes.ComplementNB"),
        _CLASSES,
        "counts",
        {"alpha": _ALPHAS},
        text_only=True,
        path=smoothing_path,
        views=_COUNT_VIEWS,
        judge=_JUDGE_OF_COUNTS,
        joins_average=True,
    ),
    Candidate(
        "bernoulli-nb",
        "Bernoulli naive Bayes",
        _class("quire.naive_bayes.BernoulliNB"),
        _CLASSES,
        "counts",
        {"alpha": _ALPHAS},
        text_only=True,
        path=smoothing_path,
        views=_COUNT_VIEWS,
        judge=_JUDGE_OF_COUNTS,
        joins_average=True,
    ),
    Candidate(
        "logistic",
        "Logistic regression",
        _class("quire.linear_model.LogisticRegression"),
        ("binary", "multiclass"),
        grid={"C": _CS},
        path=logistic_path,
        views=_TFIDF_VIEWS,
        judge=_JUDGE_OF_TFIDF,
        joins_average=True,
    ),
    Candidate(
        "logistic-unordered",
        "Logistic regression, order ignored",
        _class("quire.linear_model.LogisticRegression"),
        ("ordered",),
        grid={"C": (1.0, 10.0)},
    ),
    Candidate(
        "logistic-l1",
        "Logistic regression, L1 penalty",
        _class("quire.linear_model.LogisticRegression", l1_ratio=1.0, solver="auto"),
        ("binary", "multiclass"),
        grid={"C": (1.0, 10.0)},
        is_default=False,
        path=logistic_path,
    ),
    Candidate(
        "least-squares",
        "Least squares classifier, ridge penalty",
        _class("quire.linear_model.LeastSquaresClassifier", tol=1e-3),
        ("binary", "multiclass"),
        grid={"alpha": (0.5, 1.0, 0.2)},
        path=ridge_path,
        views=_TFIDF_VIEWS,
        judge=_JUDGE_OF_TFIDF,
        joins_average=True,
    ),
    Candidate(
        "discriminant",
        "Linear discriminant analysis, shrunk",
        _class(
            "quire.discriminant_analysis.LinearDiscriminantAnalysis", solver="lsqr", shrinkage=0.5
        ),
        ("binary", "multiclass"),
        is_default=False,
    ),
    Candidate(
        "linear-svm",
        "Linear support vector machine",
        _class("quire.svm.LinearSVC", random_state=0),
        ("binary", "multiclass"),
        grid={"C": (1.0, 0.3, 3.0)},
        views=_TFIDF_VIEWS,
        judge=_JUDGE_OF_TFIDF,
        joins_average=True,
    ),
    Candidate(
        "nb-logistic",
        "Logistic regression, weighted by naive Bayes",
        _class("quire.linear_model.NBLogistic"),
        ("binary", "multiclass"),
        "counts",
        {"C": (1.0,)},
        max_classes=_FEW_CLASSES,
        views=_NB_VIEWS,
        joins_average=True,
    ),
    Candidate(
        "nb-svm",
        "Linear support vector machine, weighted by naive Bayes",
        _class("quire.svm.NBSVM", random_state=0),
        ("binary", "multiclass"),
        "counts",
        {"C": (0.01, 0.1, 1.0)},
        is_default=False,
        views=_NB_VIEWS,
        joins_average=True,
    ),
    Candidate(
        "relevance-svm",
        "Linear support vector machine, terms weighted by class",
        _class("quire.svm.LinearSVC", random_state=0),
        ("binary", "multiclass"),
        "relevance",
        {"C": (1.0, 0.3)},
        text_only=True,
        views=_RELEVANCE_VIEWS,
        judge=_JUDGE_OF_TFIDF,
        joins_average=True,
    ),
    Candidate(
        "relevance-logistic",
        "Logistic regression, terms weighted by class",
        _class("quire.linear_model.LogisticRegression"),
        ("binary", "multiclass"),
        "relevance",
        {"C": (10.0, 100.0)},
        is_default=False,
        text_only=True,
        path=logistic_path,
        views=_RELEVANCE_VIEWS,
        judge=_JUDGE_OF_TFIDF,
        joins_average=True,
    ),
    Candidate(
        "character-svm",
        "Linear support vector machine of characters, weighted by class",
        _class("quire.svm.LinearSVC", random_state=0),
        ("binary", "multiclass"),
        "relevance",
        {"C": (1.0, 0.3)},
        text_only=True,
        views=("characters",),
        joins_average=True,
    ),
    Candidate(
        "kernel-svm",
        "Support vector machine, Gaussian kernel",
        _class("quire.svm.SVC"),
        ("binary", "multiclass"),
        grid={"C": (10.0, 1.0)},
        is_default=False,
        max_documents=10_000,  # kernel values grow with the square of their number
    ),
    Candidate(
        "nearest-neighbors",
        "Nearest neighbours, cosine distance",
        _class("quire.neighbors.KNeighborsClassifier", metric="cosine", weights="distance"),
        ("binary", "multiclass"),
        grid={"n_neighbors": (5, 15, 45)},
        is_default=False,
        path=neighbors_path,
    ),
    Candidate(
        "tree",
        "Decision tree",
        _class("quire.tree.DecisionTreeClassifier", random_state=0),
        _CLASSES,
        grid={"ccp_alpha": (0.0, 3e-4, 1e-3), "min_samples_leaf": (1, 5)},
        is_default=False,
    ),
    Candidate(
        "random-forest",
        "Random forest",
        _class("quire.ensemble.RandomForestClassifier", random_state=0),
        _CLASSES,
        grid={"min_samples_leaf": (1, 3)},
        is_default=False,
    ),
    Candidate(
        "extra-trees",
        "Extremely randomised trees",
        _class("quire.ensemble.ExtraTreesClassifier", random_state=0),
        _CLASSES,
        grid={"min_samples_leaf": (1, 3)},
        is_default=False,
    ),
    Candidate(
        "ordered-logit",
        "Ordered logit",
        _class("quire.linear_model.OrdinalRegression"),
        ("ordered",),
        grid={"C": (1.0, 10.0)},
    ),
    Candidate(
        "ordered-probit",
        "Ordered probit",
        _class("quire.linear_model.OrdinalRegression", link="probit"),
        ("ordered",),
        grid={"C": (1.0, 10.0)},
        is_default=False,
    ),
    Candidate(
        "mean",
        "Mean",
        _class("sklearn.dummy.DummyRegressor"),
        ("continuous",),
        "counts",
    ),
    Candidate(
        "ridge",
        "Ridge regression",
        _class("quire.linear_model.Ridge"),
        ("continuous",),
        grid={"alpha": (1.0, 0.1, 10.0)},
    ),
    Candidate(
        "lasso",
        "Lasso",
        _class("quire.linear_model.Lasso"),
        ("continuous",),
        grid={"alpha": (1e-3, 3e-4, 1e-4)},
    ),
    Candidate(
        "elastic-net",
        "Elastic net",
        _class("quire.linear_model.ElasticNet", l1_ratio=0.5),
        ("continuous",),
        grid={"alpha": (1e-3, 3e-4, 1e-4)},
        is_default=False,
    ),
    Candidate(
        "tree-regression",
        "Regression tree",
        _class("quire.tree.DecisionTreeRegressor", random_state=0),
        ("continuous",),
        grid={"min_samples_leaf": (5, 1, 20), "max_depth": (None, 8)},
        is_default=False,
    ),
    Candidate(
        "random-forest-regression",
        "Random forest",
        _class("quire.ensemble.RandomForestRegressor", max_features=0.1, random_state=0),
        ("continuous",),
        grid={"min_samples_leaf": (1, 5)},
        is_default=False,
    ),
    Candidate(
        "extra-trees-regression",
        "Extremely randomised trees",
        _class("quire.ensemble.ExtraTreesRegressor", max_features=0.1, random_state=0),
        ("continuous",),
        grid={"min_samples_leaf": (1, 5)},
        is_default=False,
    ),
):
    register_model(replace(_candidate, reads_codes=True))
register_model(
    Candidate(
        AVERAGE,
        "Average of the best",
        _class("quire.ensemble.AveragedClassifier", estimators=()),
        ("binary", "multiclass"),
        AVERAGE,
    )
)


_JUDGE_OF_SET_COUNTS = set_maker("quire.naive_bayes.MultinomialNB", alpha=0.1)
_JUDGE_OF_SET_TFIDF = set_maker("quire.svm.LinearSVC", random_state=0)
_COUNT_FOLDS = 5  # for thresholds: scores of counts depend on how many documents there are
_MOST_SETS = 300  # of labels, each of which is a class of a label powerset

for _candidate in (
    Candidate(
        "majority",
        "Most frequent labels",
        set_maker(
            "sklearn.dummy.DummyClassifier",
            parameters={"min_documents": 0},
            strategy="prior",
        ),
        _SETS,
        "counts",
    ),
    Candidate(
        "multinomial-nb",
        "Multinomial naive Bayes for each label",
        set_maker("quire.naive_bayes.MultinomialNB", parameters={"cv": _COUNT_FOLDS}),
        _SETS,
        "counts",
        {"estimator__alpha": (0.1, 1.0, 0.01)},
        text_only=True,
        views=_COUNT_VIEWS,
        judge=_JUDGE_OF_SET_COUNTS,
    ),
    Candidate(
        "complement-nb",
        "Complement naive Bayes for each label",
        set_maker("quire.naive_bayes.ComplementNB", parameters={"cv": _COUNT_FOLDS}),
        _SETS,
        "counts",
        {"estimator__alpha": (0.1, 1.0, 0.01)},
        text_only=True,
        views=_COUNT_VIEWS,
        judge=_JUDGE_OF_SET_COUNTS,
    ),
    Candidate(
        "logistic",
        "Logistic regression for each label",
        set_maker("quire.linear_model.LogisticRegression"),
        _SETS,
        grid={"estimator__C": (10.0, 1.0)},
        views=_TFIDF_VIEWS,
        judge=_JUDGE_OF_SET_TFIDF,
        max_labels=100,
    ),
    Candidate(
        "linear-svm",
        "Linear support vector machine for each label",
        set_maker("quire.svm.LinearSVC", random_state=0),
        _SETS,
        grid={"estimator__C": (1.0, 0.3)},
        views=_TFIDF_VIEWS,
        judge=_JUDGE_OF_SET_TFIDF,
    ),
    Candidate(
        "nb-svm",
        "Linear support vector machine for each label, weighted by naive Bayes",
        set_maker("quire.svm.NBSVM", random_state=0),
        _SETS,
        "counts",
        {"estimator__C": (0.01, 0.1, 1.0)},
        is_default=False,
        views=_NB_VIEWS,
    ),
    Candidate(
        "nb-logistic",
        "Logistic regression for each label, weighted by naive Bayes",
        set_maker("quire.linear_model.NBLogistic"),
        _SETS,
        "counts",
        {"estimator__C": (1.0,)},
        is_default=False,
        views=_NB_VIEWS,
    ),
    Candidate(
        "label-powerset",
        "Label powerset, linear support vector machine",
        set_maker("quire.svm.LinearSVC", "LabelPowerset", random_state=0),
        _SETS,
        grid={"estimator__C": (1.0, 0.3)},
        views=_TFIDF_VIEWS,
        judge=_JUDGE_OF_SET_TFIDF,
        max_sets=_MOST_SETS,
    ),
    Candidate(
        "majority",
        "Most frequent labels",
        set_maker(
            "sklearn.dummy.DummyClassifier",
            parameters={"min_documents": 0},
            strategy="prior",
        ),
        _SETS,
        "plain",
    ),
    Candidate(
        "logistic",
        "Logistic regression for each label",
        set_maker("quire.linear_model.LogisticRegression"),
        _SETS,
        "scaled",
        {"estimator__C": (1.0, 0.1, 10.0)},
    ),
    Candidate(
        "random-forest",
        "Random forest for each label",
        set_maker("quire.ensemble.RandomForestClassifier", random_state=0),
        _SETS,
        "plain",
        {"estimator__min_samples_leaf": (1, 3)},
        max_documents=20_000,
    ),
    Candidate(
        "label-powerset",
        "Label powerset, logistic regression",
        set_maker("quire.linear_model.LogisticRegression", "LabelPowerset"),
        _SETS,
        "scaled",
        {"estimator__C": (1.0, 0.1, 10.0)},
        max_sets=_MOST_SETS,
    ),
):
    register_model(replace(_candidate, reads_codes=True))


def model_names(task: str | None = None, *, table: bool = False) -> list[str]:
    """Return the names of the models that `compare` knows.

    Parameters
    ----------
    task : {"binary", "multiclass", "multilabel", "ordered", "continuous"}, default=None
        Only those that can do it.
    table : bool, default=False
        Those for tables without texts.

    Examples
    --------
    >>> from quire.model_selection import model_names
    >>> model_names("ordered")[-2:]
    ['ordered-logit', 'ordered-probit']
    >>> model_names("binary", table=True)[:3]
    ['majority', 'mixed-nb', 'logistic']
    """
    known = _known_for(task, table=table)
    return [name for name, one in known.items() if task is None or task in one.tasks]


def candidates_of(
    models: Any, target: Target, features: Features
) -> tuple[list[Candidate], list[str]]:
    """Return the models to compare, and notes on those left out.

    Parameters
    ----------
    models : "default", "all", "linear", or names and estimators
        A name, a list of names, estimators and pairs of both, or a mapping from names to
        estimators.
    target : Target
        Labels, read.
    features : Features
        What there is to learn from.
    """
    task = target.task
    notes: list[str] = []
    entries: Iterable[Any] = [models] if isinstance(models, str) else models
    if isinstance(models, Mapping):
        entries = models.items()
    elif hasattr(models, "fit"):
        entries = [models]
    chosen: list[Candidate] = []
    in_sets: list[Candidate] = []
    for entry in entries:
        if isinstance(entry, str) and entry in ("default", "all"):
            in_sets = [*in_sets, *_set_of(entry, target, features, notes)]
        else:
            is_linear = isinstance(entry, str) and entry == "linear"
            name = _LINEAR.get(task, "logistic") if is_linear else entry
            chosen.append(_candidate_of(name, task, features))
    of_sets = {one.name: one for one in in_sets}
    chosen = [*of_sets.values(), *(one for one in chosen if of_sets.get(one.name) is not one)]
    chosen.sort(key=lambda one: one.kind == AVERAGE)  # it is made of the others
    if not chosen:
        raise ValueError("models is empty: name at least one.")
    names = [one.name for one in chosen]
    if len(set(names)) < len(names):
        raise ValueError(f"models have the same name: {names}. Give pairs of a name and a model.")
    return chosen, notes


def _set_of(name: str, target: Target, features: Features, notes: list[str]) -> list[Candidate]:
    """Return the models that "default" or "all" stand for; note those that are left out."""
    known = _known_for(target.task, table=features.is_table)
    able = [one for one in known.values() if target.task in one.tasks]
    chosen = [one for one in able if one.is_default or name == "all"]
    chosen = [one for one in chosen if _has_views(one, features)]
    if sum(one.joins_average for one in chosen) < 2 or features.views == (WORDS,):
        chosen = [one for one in chosen if one.kind != AVERAGE]
    if features.is_mixed:
        left_out = [one.name for one in chosen if one.text_only]
        chosen = [one for one in chosen if not one.text_only]
        if left_out:
            notes.append(f"left out, since they take texts alone: {', '.join(left_out)}")
    too_many = [one for one in chosen if (one.max_documents or len(features)) < len(features)]
    if too_many:
        chosen = [one for one in chosen if one not in too_many]
        limits = ", ".join(f"{one.name} (more than {one.max_documents:,})" for one in too_many)
        what = "rows" if features.is_table else "documents"
        notes.append(f"left out, since there are too many {what} for them: {limits}")
    if target.is_of_sets:
        chosen, about = _for_so_many_labels(chosen, target)
        notes += about
    return chosen


def _for_so_many_labels(
    chosen: list[Candidate], target: Target
) -> tuple[list[Candidate], list[str]]:
    """Leave out what has too many labels, or sets of them, to learn."""
    n_labels = len(target.y.classes)
    n_sets = len({one.tobytes() for one in _rows_of_indices(target.codes)})
    kept, notes = [], []
    for one in chosen:
        if one.max_labels is not None and n_labels > one.max_labels:
            notes.append(f"{one.name} left out: {n_labels:,} labels, more than {one.max_labels:,}")
        elif one.max_sets is not None and n_sets > one.max_sets:
            notes.append(
                f"{one.name} left out: {n_sets:,} different sets of labels, more than "
                f"{one.max_sets:,}"
            )
        else:
            kept.append(one)
    return kept, notes


def _rows_of_indices(Y: Any) -> Iterator[Any]:
    return (Y.indices[a:b] for a, b in pairwise(Y.indptr.tolist()))


def _has_views(candidate: Candidate, features: Features) -> bool:
    if candidate.max_classes is not None and features.codes is not None:
        if int(features.codes.max()) >= candidate.max_classes:
            return False
    return not candidate.views or bool(set(candidate.views) & set(features.views))


def _candidate_of(entry: Any, task: str, features: Features) -> Candidate:
    there_are = model_names(task, table=features.is_table)
    if isinstance(entry, str):
        models = _known_for(task, table=features.is_table)
        if entry not in models:
            import difflib

            close = difflib.get_close_matches(entry, models, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            if entry in _known_for(task, table=not features.is_table):
                takes = "texts, and there are none" if features.is_table else "tables without texts"
                raise ValueError(
                    f"The model {entry!r} takes {takes}. There are: {', '.join(there_are)}."
                )
            of = " for several labels" if task == "multilabel" else ""
            raise ValueError(
                f"There is no model called {entry!r}{of}.{hint} There are: {', '.join(there_are)}."
            )
        known = models[entry]
        if task not in known.tasks:  # a family may have a model for numbers under a second name
            known = models.get(f"{entry}-regression", known)
        if task not in known.tasks:
            raise ValueError(
                f"The model {entry!r} cannot do the task {task!r}; these can: "
                f"{', '.join(there_are)}."
            )
        if known.text_only and features.is_mixed:
            raise ValueError(f"The model {entry!r} takes texts alone, and there are more columns.")
        return known
    name, model = entry if isinstance(entry, tuple) else (_name_of(entry), entry)
    if not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise TypeError(
            f"models contains {model!r}; expected a name ({', '.join(there_are)}) or an "
            "estimator with fit and predict."
        )
    if is_regressor(model) != (task == "continuous"):
        raise ValueError(f"The model {name!r} does not fit the task {task!r}.")
    title = type(last_step(model)).__name__
    if task == "multilabel" and not isinstance(model, Pipeline):
        return Candidate(
            str(name),
            title,
            lambda: around_each_label(clone(model)),
            _SETS,
            _table_kind_of(model) if features.is_table else _kind_of(model),
        )
    kind = _table_kind_of(model) if features.is_table else _kind_of(model)
    return Candidate(str(name), title, lambda: clone(model), (task,), kind)


def _name_of(model: Any) -> str:
    return type(last_step(model)).__name__


def _kind_of(model: Any) -> str:
    """Return the features for an estimator: documents for a pipeline, counts for naive Bayes."""
    return "raw" if isinstance(model, Pipeline) else kind_of(model).features


def _table_kind_of(model: Any) -> str:
    """Return the columns for an estimator: the table for naive Bayes over it, plain for trees."""
    if isinstance(model, Pipeline):
        return "raw"
    kind = kind_of(model)
    if kind.reads == "table":
        return "table"
    return "plain" if kind.evidence == "trees" else "scaled"


def settings_of(candidate: Candidate) -> list[dict[str, Any]]:
    """Return all combinations of the settings of a model, the usual one first."""
    combinations: list[dict[str, Any]] = [{}]
    for name, values in candidate.grid.items():
        combinations = [{**one, name: value} for one in combinations for value in values]
    return combinations
