"""Learning curve and penalty: scores against documents, weights against the penalty.

They are given, or drawn of the report's own accord. The latter takes fits of its own, so that they
are made of a sample of the documents, and the path of the terms that are most frequent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from quire._shared.page.charts import Chart, base, names, quantity, series
from quire._shared.page.html import Html, html
from quire._shared.page.sections import Section, section
from quire._shared.typing import AnyArray
from quire.kinds import kind_of
from quire.model_selection import (
    Comparison,
    Expected,
    LearningCurve,
    Trial,
    learning_curve,
    regularization_path,
)
from quire.report._comparison.table import is_of_table

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "Learning",
    "Path",
    "automatic_learning_curve",
    "automatic_path",
    "learning_of",
    "paths_of",
    "training_section",
]

_TIMES = (2, 5)  # the documents that there are
_MOST_OUTPUTS = 4
_MOST_TERMS = 8
_LEARNING_NAMES = (
    ("train_sizes", "sizes", "n_documents"),
    ("train_scores", "training_scores"),
    ("test_scores", "held_out_scores", "validation_scores"),
)
_MOST_FOR_CURVE = 20_000  # documents
_SIZES = (0.1, 0.25, 0.5, 0.75, 1.0)  # parts of the training documents
_LEAST_OF_CLASS = 2  # documents of each class in the smallest part, about
_MOST_FOR_PATH = 4_000
_MOST_TERMS_FOR_PATH = 1_000
_N_PENALTIES = 9
_SCORE = {"continuous": "r2"}


@dataclass(frozen=True)
class Learning:
    """Scores by the number of training documents; means over folds and their spread.

    The outlook is what more documents should give, where the curve can be drawn further.
    """

    sizes: list[int]
    train: list[float]
    held_out: list[float]
    train_spread: list[float]
    held_out_spread: list[float]
    outlook: list[Expected] = field(default_factory=list)


@dataclass(frozen=True)
class Path:
    """The strongest coefficients of one output by the strength of the penalty."""

    output: str | None
    label: str
    penalties: list[float]
    terms: list[str]
    coefs: list[list[float]]


def learning_of(curve: Any) -> Learning | None:
    """Return a learning curve from an object, a mapping or scikit-learn's tuple.

    Parameters
    ----------
    curve : object, mapping, tuple or None
        Numbers of training documents, training scores and held-out scores, the latter of shape
        (n_sizes, n_folds) or (n_sizes,): attributes or keys ``train_sizes``, ``train_scores`` and
        ``test_scores``, or the tuple that ``sklearn.model_selection.learning_curve`` returns.
    """
    if curve is None:
        return None
    sizes, train, test = (np.asarray(part, dtype=np.float64) for part in _learning_parts(curve))
    train, test = (part.reshape(len(part), -1) for part in (train, test))
    if not len(sizes) == len(train) == len(test):
        raise ValueError(
            f"learning_curve has {len(sizes)} sizes, {len(train)} rows of training scores and "
            f"{len(test)} rows of held-out scores; expected as many of each."
        )
    return Learning(
        sizes=[int(size) for size in sizes],
        train=train.mean(axis=1).tolist(),
        held_out=test.mean(axis=1).tolist(),
        train_spread=train.std(axis=1).tolist(),
        held_out_spread=test.std(axis=1).tolist(),
        outlook=_outlook(curve),
    )


def _outlook(curve: Any) -> list[Expected]:
    """Return what twice and five times the documents should give, if that can be told."""
    if not isinstance(curve, LearningCurve):
        return []
    most = int(curve.sizes[-1])
    try:
        return [curve.expected(times * most) for times in _TIMES]
    except ValueError:  # too few sizes or folds, or scores that are no numbers
        return []


def _learning_parts(curve: Any) -> list[Any]:
    if isinstance(curve, tuple) and not hasattr(curve, "_fields"):
        return list(curve[:3])
    parts = []
    for known_names in _LEARNING_NAMES:
        for name in known_names:
            if isinstance(curve, Mapping) and name in curve:
                parts.append(curve[name])
                break
            if not isinstance(curve, Mapping) and hasattr(curve, name):
                parts.append(getattr(curve, name))
                break
        else:
            raise TypeError(
                f"learning_curve is {type(curve).__name__} without {known_names[0]!r}; expected "
                "what sklearn.model_selection.learning_curve returns, or train_sizes, train_scores "
                "and test_scores as attributes or keys."
            )
    return parts


def paths_of(path: Any, label_names: dict[str, str]) -> list[Path]:
    """Return the strongest terms of a regularisation path, for each of a few outputs."""
    if path is None:
        return []
    missing = [name for name in ("penalties", "coefs", "terms") if not hasattr(path, name)]
    if missing:
        raise TypeError(
            f"regularization_path is {type(path).__name__} without {missing[0]!r}; expected what "
            "quire.model_selection.regularization_path returns."
        )
    coefs = np.asarray(path.coefs, dtype=np.float64)
    paths = []
    for number, output in enumerate(path.outputs[:_MOST_OUTPUTS]):
        sizes = np.abs(coefs[:, number]).max(axis=0)
        order = np.argsort(-sizes, kind="stable")[:_MOST_TERMS]
        order = order[sizes[order] > 0]
        name = None if output is None else label_names.get(str(output), str(output))
        paths.append(
            Path(
                output=name,
                label=str(path.label),
                penalties=np.asarray(path.penalties, dtype=np.float64).tolist(),
                terms=[str(path.terms[j]) for j in order],
                coefs=coefs[:, number, order].T.tolist(),
            )
        )
    return paths


def automatic_learning_curve(comparison: Comparison, texts: pl.Series | pl.DataFrame) -> Any:
    """Return the learning curve of the best model, or ``None`` where there is none.

    Parameters
    ----------
    comparison : Comparison
        Of which the best model is taken.
    texts : polars.Series or polars.DataFrame
        The documents, or the rows of a table without texts.
    """
    if not _takes_texts(comparison) and not is_of_table(comparison.settings):
        return None
    if comparison.task == "multilabel":
        return None
    rows = _sample(comparison, _MOST_FOR_CURVE)
    y = comparison.y[rows]
    if comparison.classes is not None and np.unique(y, return_counts=True)[1].min() < 6:
        return None  # too few documents of a class for three folds of several sizes
    least = _LEAST_OF_CLASS * (1 if comparison.classes is None else len(comparison.classes))
    sizes = [size for size in _SIZES if size * len(rows) * 2 / 3 >= least]
    if len(sizes) < 2:
        return None
    try:
        return learning_curve(
            comparison.best.estimator,
            _documents(comparison, texts)[rows],
            y,
            sizes=sizes,
            cv=3,
            scoring=_SCORE.get(comparison.task, "accuracy"),
            random_state=0,
        )
    except ValueError:  # the smallest part has no term that is frequent enough
        return None


def automatic_path(comparison: Comparison, texts: pl.Series | pl.DataFrame) -> Any:
    """Return the path of the best model that has a penalty, or ``None`` if none has.

    Parameters
    ----------
    comparison : Comparison
        Of which that model is taken.
    texts : polars.Series
        The documents.
    """
    trial = None if comparison.task == "multilabel" else _penalised(comparison)
    if trial is None or not _takes_texts(comparison):
        return None
    rows = _sample(comparison, _MOST_FOR_PATH)
    pipeline = clone(trial.estimator)
    if "features__max_features" not in pipeline.get_params():
        return None  # counts that are weighted by class
    pipeline.set_params(features__max_features=_MOST_TERMS_FOR_PATH)
    documents = _documents(comparison, texts)[rows]
    y = comparison.y[rows]
    try:
        return regularization_path(pipeline, documents, y, n_penalties=_N_PENALTIES)
    except ValueError:  # a fold has no term that is frequent enough
        return None


def _documents(comparison: Comparison, texts: pl.Series | pl.DataFrame) -> Any:
    """Return documents whose terms the comparison has counted, or else the texts to be cut up."""
    return texts if comparison.counted is None else comparison.counted


def _takes_texts(comparison: Comparison) -> bool:
    settings = comparison.settings
    return not settings.get("categories") and not settings.get("numbers")


def _penalised(comparison: Comparison) -> Trial | None:
    """Return the best model of ours that is linear with a penalty to vary."""
    for trial in comparison:
        if trial.error is not None or not isinstance(trial.estimator, Pipeline):
            continue
        if "features" not in trial.estimator.named_steps:
            continue
        if kind_of(trial.estimator).penalty:
            return trial
    return None


def _sample(comparison: Comparison, most: int) -> AnyArray:
    """Return rows in order, all of them or an even sample of each class."""
    n = len(comparison.y)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(0)
    if comparison.classes is None:
        return np.sort(rng.permutation(n)[:most])
    samples = []
    for label in comparison.classes:
        rows = np.flatnonzero(comparison.y == label)
        wanted = max(min(len(rows), 20), round(most * len(rows) / n))
        samples.append(rng.permutation(rows)[:wanted])
    return np.sort(np.concatenate(samples))


def training_section(report: ReportData) -> Section:
    """Return the learning curve and the regularisation path, where they were given."""
    charts: list[Chart | Html] = []
    if report.learning is not None:
        charts.append(
            _learning_chart(
                report.learning,
                "Score",
                "Means over folds; the bands are one standard deviation. If the held-out line "
                "still climbs, more documents will help.",
            )
        )
    if report.learning is not None and report.learning.outlook:
        charts.append(_outlook_of(report.learning))
    caption = "The strongest terms. A strong penalty, on the right, keeps weights small."
    charts += [_path_chart(path, place, caption) for place, path in enumerate(report.paths)]
    return section("training", "Learning curve and penalty", *charts)


def _outlook_of(learning: Learning) -> Html:
    """Say in a sentence for each what more documents should give."""
    sentences = [
        f"With {one.documents:,} training documents about {one.score:.3f}, most likely "
        f"{one.low:.3f} to {one.high:.3f}."
        for one in learning.outlook
    ]
    return html(
        "<p>{}</p>",
        "If the held-out line goes on as it began, by an inverse power law: " + " ".join(sentences),
    )


def _learning_chart(learning: Learning, metric: str, caption: str) -> Chart:
    """Return training and held-out scores by the number of documents, with their spread."""
    parts = {
        "Training": (learning.train, learning.train_spread),
        "Held out": (learning.held_out, learning.held_out_spread),
    }
    values = [
        {"part": part, "size": size, "score": mean, "low": mean - spread, "high": mean + spread}
        for part, (means, spreads) in parts.items()
        for size, mean, spread in zip(learning.sizes, means, spreads, strict=True)
    ]
    spec = base(values, f"Learning curve. {caption}", 300)
    by_part = series("part", list(parts))
    limits = {"zero": False}
    x = quantity("size", "Training documents", axis={"format": ",d", "tickCount": 6})
    spec["encoding"] = {"x": x, "color": by_part["color"]}
    spec["layer"] = [
        {
            "mark": {"type": "area", "opacity": 0.18, "aria": False},
            "encoding": {"y": quantity("low", metric, scale=limits), "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "point": True},
            "encoding": {
                "y": quantity("score", metric, scale=limits),
                "strokeDash": by_part["strokeDash"],
                "tooltip": [
                    names("part") | {"title": "Part"},
                    quantity("size", "Documents", format=",d"),
                    quantity("score", metric, format=".4~g"),
                ],
            },
        },
    ]
    rows = [
        [size, train, held]
        for size, train, held in zip(learning.sizes, learning.train, learning.held_out, strict=True)
    ]
    heads = ["Training documents", "Training score", "Held-out score"]
    return Chart("chart-learning", "Learning curve", caption, spec, heads, rows)


def _path_chart(path: Path, number: int, caption: str) -> Chart:
    """Return the strongest coefficients against the penalty, on a logarithmic axis."""
    title = "Regularisation path" + (f": {path.output}" if path.output else "")
    values = [
        {"term": term, "penalty": penalty, "coef": coef}
        for term, coefs in zip(path.terms, path.coefs, strict=True)
        for penalty, coef in zip(path.penalties, coefs, strict=True)
    ]
    spec = base(values, f"{title}. {caption}", 300)
    spec["mark"] = {"type": "line", "strokeWidth": 2}
    spec["encoding"] = {
        "x": quantity("penalty", f"Penalty ({path.label})", scale={"type": "log", "nice": False})
        | {"axis": {"tickCount": 5, "format": "~g"}},
        "y": quantity("coef", "Coefficient"),
        **series("term", path.terms),
        "tooltip": [
            names("term") | {"title": "Term"},
            quantity("penalty", "Penalty", format=".3~g"),
            quantity("coef", "Coefficient", format=".3~g"),
        ],
    }
    rows = [
        [penalty, *[coefs[k] for coefs in path.coefs]] for k, penalty in enumerate(path.penalties)
    ]
    return Chart(f"chart-path-{number}", title, caption, spec, ["Penalty", *path.terms], rows)
