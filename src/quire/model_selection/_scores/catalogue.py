"""All scores by name: what they need, their scale, and which fit a task.

Names are scikit-learn's, so that larger is better and errors have a minus sign. Those that are used
most are computed here; the others are scikit-learn's own scorers, asked about predictions that are
there already.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import get_scorer_names

from quire._shared.typing import Floats
from quire.model_selection._scores import (
    label_sets,
    labels,
    numbers,
    probabilities,
    rankings,
)
from quire.model_selection._scores.held_out import HeldOut, Measure, Metric
from quire.model_selection._scores.scikit_learn import scored_by

__all__ = [
    "held_out_scores",
    "measures_of",
    "metric_names",
    "metric_of",
    "metrics_of",
    "needs_probabilities",
    "needs_ranking",
    "scale_of",
    "scale_of_title",
    "trials_behind",
]

_CLASSES = ("binary", "multiclass", "ordered")
_NUMBERS = ("ordered", "continuous")  # places of ordered classes are numbers, too
_UNIT, _LOSS = (0.0, 1.0), (-np.inf, 0.0)
_NO_NEEDS: frozenset[str] = frozenset()
_SHARES, _RANKS = frozenset({"probabilities"}), frozenset({"ranking"})

_KNOWN: dict[str, Metric] = {}


def _add(*args: Any) -> None:
    metric = Metric(*args)
    _KNOWN[metric.name] = metric


# Ours: name, function, what is needed, scale, tasks, what is counted.
_add("accuracy", labels.accuracy, _NO_NEEDS, _UNIT, _CLASSES, "share")
_add("balanced_accuracy", labels.balanced_accuracy, _NO_NEEDS, _UNIT, _CLASSES, "classes")
for _kind in ("precision", "recall", "f1", "jaccard"):
    for _average in labels.AVERAGES:
        _add(
            _kind if _average == "binary" else f"{_kind}_{_average}",
            labels.class_score(_kind, _average),
            _NO_NEEDS,
            _UNIT,
            ("binary",) if _average == "binary" else _CLASSES,
            {
                "binary": "smaller",
                "macro": "classes",
                "micro": "documents" if _kind == "jaccard" else "share",
                "weighted": "documents",
            }[_average],
        )
_add("matthews_corrcoef", labels.matthews, _NO_NEEDS, (-1.0, 1.0), _CLASSES, "documents")
_add("cohen_kappa", labels.kappa, _NO_NEEDS, (-1.0, 1.0), _CLASSES, "documents")
_add("quadratic_kappa", labels.quadratic_kappa, _NO_NEEDS, (-1.0, 1.0), ("ordered",), "documents")
_add("neg_mean_cost", labels.mean_cost, _NO_NEEDS, (-np.inf, np.inf), _CLASSES, "documents")
_BOTH = _SHARES | _RANKS
_OVR = rankings.ranked_by_share(rankings.area)
_add("roc_auc", _OVR, _BOTH, _UNIT, _CLASSES, "smaller")
_add("roc_auc_ovr", _OVR, _BOTH, _UNIT, _CLASSES, "smaller")
_add(
    "roc_auc_ovr_weighted",
    rankings.ranked_by_share(rankings.area, weighted=True),
    _BOTH,
    _UNIT,
    _CLASSES,
    "smaller",
)
_add("average_precision", rankings.average_precision, _BOTH, _UNIT, _CLASSES, "smaller")
_add("neg_log_loss", probabilities.log_loss, _SHARES, _LOSS, _CLASSES)
_add("neg_brier_score", probabilities.brier_score, _SHARES, (-2.0, 0.0), _CLASSES, "documents")
_add(
    "neg_calibration_error",
    probabilities.expected_calibration_error,
    _SHARES,
    (-1.0, 0.0),
    _CLASSES,
    "documents",
)
_add("neg_mean_absolute_error", numbers.mean_absolute_error, _NO_NEEDS, _LOSS, _NUMBERS)
_add("neg_mean_squared_error", numbers.mean_squared_error, _NO_NEEDS, _LOSS, _NUMBERS)
_add("neg_root_mean_squared_error", numbers.root_mean_squared_error, _NO_NEEDS, _LOSS, _NUMBERS)
_add("r2", numbers.r2, _NO_NEEDS, (-np.inf, 1.0), _NUMBERS)

# scikit-learn's: what differs from labels in, and a number without bounds out.
_FOR_LABEL_SETS = ("f1_samples", "jaccard_samples", "precision_samples", "recall_samples")
_OF_NUMBERS = (
    "d2_absolute_error_score",
    "explained_variance",
    "neg_max_error",
    "neg_mean_absolute_percentage_error",
    "neg_mean_gamma_deviance",
    "neg_mean_poisson_deviance",
    "neg_mean_squared_log_error",
    "neg_median_absolute_error",
    "neg_root_mean_squared_log_error",
)
_OF_PLACES = ("explained_variance", "neg_max_error", "neg_median_absolute_error")
_OF_TWO = ("neg_negative_likelihood_ratio", "positive_likelihood_ratio")
_OF_SHARES = ("d2_brier_score", "d2_log_loss_score", "roc_auc_ovo", "roc_auc_ovo_weighted")
_OF_RANKS = ("top_k_accuracy",)
_SCALES = {
    "adjusted_mutual_info_score": (-np.inf, 1.0),
    "adjusted_rand_score": (-1.0, 1.0),
    "completeness_score": _UNIT,
    "d2_absolute_error_score": (-np.inf, 1.0),
    "d2_brier_score": (-np.inf, 1.0),
    "d2_log_loss_score": (-np.inf, 1.0),
    "explained_variance": (-np.inf, 1.0),
    "fowlkes_mallows_score": _UNIT,
    "homogeneity_score": _UNIT,
    "mutual_info_score": (0.0, np.inf),
    "normalized_mutual_info_score": _UNIT,
    "positive_likelihood_ratio": (0.0, np.inf),
    "rand_score": _UNIT,
    "roc_auc_ovo": _UNIT,
    "roc_auc_ovo_weighted": _UNIT,
    "top_k_accuracy": _UNIT,
    "v_measure_score": _UNIT,
}


def _theirs(name: str) -> Metric:
    is_number = name in _OF_NUMBERS
    needs = _NO_NEEDS
    if name in _OF_SHARES or name in _OF_RANKS:
        needs = _BOTH if name in _OF_RANKS else _SHARES
    tasks: tuple[str, ...] = ("binary",) if name in _OF_TWO else _CLASSES
    if is_number:
        tasks = _NUMBERS if name in _OF_PLACES else ("continuous",)
    usual = _LOSS if name.startswith("neg_") else (-np.inf, np.inf)
    scale = _SCALES.get(name, usual)
    trials = "share" if name == "top_k_accuracy" else ""
    return Metric(name, scored_by(name, numbers=is_number), needs, scale, tasks, trials)


for _name in get_scorer_names():
    if _name not in _KNOWN and _name not in _FOR_LABEL_SETS:
        _KNOWN[_name] = _theirs(_name)

# Of several labels for a document, under the names that they have for one.
_OF_SETS: dict[str, Metric] = {}


def _add_of_sets(*args: Any) -> None:
    metric = Metric(*args)
    _OF_SETS[metric.name] = metric


_SEVERAL = ("multilabel",)
for _kind in label_sets.KINDS:
    for _average in label_sets.AVERAGES:
        _score = label_sets.set_score(_kind, _average)
        _add_of_sets(f"{_kind}_{_average}", _score, _NO_NEEDS, _UNIT, _SEVERAL, "documents")
_add_of_sets("accuracy", label_sets.subset_accuracy, _NO_NEEDS, _UNIT, _SEVERAL, "share")
_add_of_sets(
    "neg_hamming_loss", label_sets.hamming_loss, _NO_NEEDS, (-1.0, 0.0), _SEVERAL, "documents"
)
_add_of_sets(
    "average_precision",
    label_sets.label_precision("macro"),
    _BOTH,
    _UNIT,
    _SEVERAL,
    "documents",
)
_add_of_sets(
    "average_precision_micro",
    label_sets.label_precision("micro"),
    _BOTH,
    _UNIT,
    _SEVERAL,
    "documents",
)
_add_of_sets(
    "label_ranking_average_precision",
    label_sets.label_ranking_average_precision,
    _BOTH,
    _UNIT,
    _SEVERAL,
    "documents",
)

_SHORT = {
    "ap": "average_precision",
    "auc": "roc_auc",
    "brier": "neg_brier_score",
    "cost": "neg_mean_cost",
    "costs": "neg_mean_cost",
    "ece": "neg_calibration_error",
    "hamming": "neg_hamming_loss",
    "kappa": "cohen_kappa",
    "lrap": "label_ranking_average_precision",
    "mae": "neg_mean_absolute_error",
    "mcc": "matthews_corrcoef",
    "mse": "neg_mean_squared_error",
    "pr_auc": "average_precision",
    "rmse": "neg_root_mean_squared_error",
}
_OF_TASK = {
    "binary": (
        "accuracy",
        "balanced_accuracy",
        "f1_macro",
        "roc_auc",
        "average_precision",
        "neg_log_loss",
        "neg_brier_score",
    ),
    "multiclass": (
        "accuracy",
        "balanced_accuracy",
        "f1_macro",
        "neg_log_loss",
        "neg_brier_score",
    ),
    # All decisions count alike: a label with two documents in a fold does not move it by itself.
    "multilabel": (
        "f1_micro",
        "f1_macro",
        "f1_samples",
        "accuracy",
        "neg_hamming_loss",
        "label_ranking_average_precision",
    ),
    "ordered": ("neg_mean_absolute_error", "accuracy", "quadratic_kappa", "neg_log_loss"),
    "continuous": ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"),
}


def metric_names(task: str | None = None) -> list[str]:
    """Return the names of the scores that models can be ranked by.

    Parameters
    ----------
    task : {"binary", "multiclass", "multilabel", "ordered", "continuous"}, default=None
        Only those that fit it.

    Returns
    -------
    list of str
        Those that are used most first, then the other ones of scikit-learn.

    Examples
    --------
    >>> from quire.model_selection import metric_names
    >>> metric_names("continuous")[:3]
    ['neg_mean_absolute_error', 'neg_mean_squared_error', 'neg_root_mean_squared_error']
    """
    if task is not None and task not in _OF_TASK:
        raise ValueError(f"task must be one of {', '.join(_OF_TASK)}; got {task!r}.")
    if task == "multilabel":
        return list(_OF_SETS)
    return [name for name, one in _KNOWN.items() if task is None or task in one.tasks]


def _known(task: str | None) -> dict[str, Metric]:
    return _OF_SETS if task == "multilabel" else _KNOWN


def _named(name: str) -> Metric:
    """Return a score of either kind; scales and needs are the same for a name that both have."""
    return _KNOWN[name] if name in _KNOWN else _OF_SETS[name]


def metric_of(name: Any, task: str | None = None) -> Metric:
    """Return a score by its name.

    Parameters
    ----------
    name : str
        As scikit-learn has it; "log_loss" means "neg_log_loss", and "mcc", "pr_auc", "rmse" and the
        like are known, too.
    task : str, default=None
        What it has to fit.

    Raises
    ------
    ValueError
        If there is no such score, or it does not fit.

    Examples
    --------
    >>> metric_of("pr_auc").name, metric_of("log_loss").name
    ('average_precision', 'neg_log_loss')
    """
    if not isinstance(name, str):
        raise TypeError(f"metric is {name!r}; expected the name of a score, such as 'f1_macro'.")
    known = _known(task)
    found = _SHORT.get(name, name if name in known else f"neg_{name}")
    if name in _FOR_LABEL_SETS and task != "multilabel":
        raise ValueError(
            f"The metric {name!r} is for several labels of one document; choose "
            f"{name.replace('samples', 'macro')!r} or {name.replace('samples', 'weighted')!r}."
        )
    if found not in known:
        fitting = metric_names(task)
        short = [one for one, whole in _SHORT.items() if whole in fitting]
        near = difflib.get_close_matches(name, [*fitting, *short], 5, 0.5)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        fit = f"For the task {task!r} there are" if task else "There are"
        raise ValueError(f"There is no metric called {name!r}.{hint} {fit}: {', '.join(fitting)}.")
    metric = known[found]
    if task is not None and task not in metric.tasks:
        raise ValueError(
            f"The metric {name!r} does not fit the task {task!r}; these do: "
            f"{', '.join(metric_names(task))}."
        )
    return metric


def metrics_of(task: str, metric: str | None, costs: Floats | None = None) -> tuple[str, ...]:
    """Return the names of the scores of a task, the ranking one first.

    Parameters
    ----------
    task : str
        The task.
    metric : str or None
        The ranking one, if it is not to be the usual one: the mean cost if there are `costs`.
    costs : ndarray of shape (n_classes, n_classes), default=None
        What mistakes cost.
    """
    usual = _OF_TASK[task]
    if costs is not None:
        usual = ("neg_mean_cost", *usual)
    if metric is None:
        return usual
    first = metric_of(metric, task).name
    if first == "neg_mean_cost" and costs is None:
        raise ValueError(f"The metric {metric!r} needs costs: say what mistakes cost with costs=.")
    return (first, *(name for name in usual if name != first))


def needs_probabilities(names: Iterable[str]) -> bool:
    """Return whether one of these scores needs probabilities, or can make use of them."""
    return any("probabilities" in _named(name).needs for name in names)


def needs_ranking(names: Iterable[str]) -> bool:
    """Return whether one of these scores needs numbers that rank documents."""
    return any("ranking" in _named(name).needs for name in names)


def scale_of(
    name: str, costs: Floats | None = None, n_classes: int | None = None
) -> tuple[float, float]:
    """Return the least and the largest value that a score can have.

    Parameters
    ----------
    name : str
        The score.
    costs : ndarray of shape (n_classes, n_classes), default=None
        What mistakes cost.
    n_classes : int, default=None
        Number of classes.

    Examples
    --------
    >>> scale_of("accuracy"), scale_of("neg_log_loss"), scale_of("r2")
    ((0.0, 1.0), (-inf, 0.0), (-inf, 1.0))
    >>> scale_of("neg_brier_score", n_classes=2)
    (-1.0, 0.0)
    """
    if name == "neg_mean_cost" and costs is not None:
        return -float(costs.max()), -float(costs.min())
    if name == "neg_brier_score" and n_classes == 2:
        return -1.0, 0.0
    return _named(name).scale


_TITLES = {
    "R²": "r2",
    "squared error": "mean squared error",
    "absolute error": "mean absolute error",
}


def scale_of_title(title: str) -> tuple[float, float]:
    """Return the scale of a score by what curves call it: in words, a loss without its sign.

    Examples
    --------
    >>> scale_of_title("f1 macro"), scale_of_title("log loss"), scale_of_title("negative accuracy")
    ((0.0, 1.0), (0.0, inf), (-1.0, 0.0))
    >>> scale_of_title("a score of one's own")
    (-inf, inf)
    """
    name = _TITLES.get(title, title).replace(" ", "_")
    if name == "share_of_errors":
        return _UNIT
    if name in _KNOWN:
        return _KNOWN[name].scale
    other = name.removeprefix("negative_") if name.startswith("negative_") else f"neg_{name}"
    if other not in _KNOWN:
        return -np.inf, np.inf
    least, most = _KNOWN[other].scale
    return 0.0 - most, 0.0 - least


def trials_behind(name: str, codes: NDArray[Any] | None) -> tuple[float, bool]:
    """Return how many independent trials a score is made of, and whether it is their share.

    A mean of shares of classes of :math:`n_k` documents varies as one of
    K^2 over the sum of 1 / n_k documents.

    Parameters
    ----------
    name : str
        The score.
    codes : ndarray of shape (n_documents,) or None
        The classes of the documents that it is computed on; ``None`` for numbers. Of several labels
        a matrix.

    Returns
    -------
    n : float
        0 if it is not known.
    is_share : bool
        Whether the score is the share of them that is right.
    """
    if sparse.issparse(codes):
        n = int(codes.shape[0])  # type: ignore[union-attr]
        return float(n), n > 0 and _OF_SETS[name].trials == "share"
    kind = _KNOWN[name].trials
    if codes is None or not kind or not len(codes):
        return 0.0, False
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    if kind == "smaller":
        return float(sizes.min()), False
    if kind == "classes":
        return float(len(sizes) ** 2 / (1 / sizes).sum()), False
    return float(len(codes)), kind == "share"


def held_out_scores(
    names: tuple[str, ...],
    codes: NDArray[Any],
    predicted: NDArray[Any],
    probabilities: Any = None,
    ranking: Any = None,
    costs: Floats | None = None,
) -> dict[str, float]:
    """Return the scores of predictions.

    Parameters
    ----------
    names : tuple of str
        Which.
    codes, predicted : ndarray of shape (n_documents,)
        True and predicted places among the classes, or numbers; of several labels matrices.
    probabilities : ndarray of shape (n_documents, n_classes) or None
        Predicted ones.
    ranking : ndarray of shape (n_documents,) or (n_documents, n_classes), or None
        What ranks documents by the second of two classes, or by each of more.
    costs : ndarray of shape (n_classes, n_classes), default=None
        What mistakes cost.
    """
    held = HeldOut(codes, predicted, probabilities, ranking, costs)
    once = np.ones(held.n_documents)
    return {name: measure(once) for name, measure in measures_of(names, held).items()}


def measures_of(names: Iterable[str], held: HeldOut) -> dict[str, Measure]:
    """Return scores as functions of how often every document counts.

    Parameters
    ----------
    names : iterable of str
        Which.
    held : HeldOut
        The predictions.
    """
    known = _OF_SETS if held.of_sets else _KNOWN
    return {name: known[name].of(held) for name in names}
