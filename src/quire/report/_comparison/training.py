"""Learning curve and penalty: scores against documents, weights against the penalty.

They are given, or drawn of the report's own accord. The latter takes fits of its own, so that they
are made of a sample of the documents, and the path of the terms that are most frequent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline

from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity, series
from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import number
from quire._shared.page.sections import Section, section
from quire._shared.page.shell import asset, script_with_data
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
    "PenaltyErrors",
    "automatic_learning_curve",
    "automatic_path",
    "learning_of",
    "path_scripts",
    "paths_of",
    "penalty_errors_of",
    "training_section",
]

_TIMES = (2, 5)  # the documents that there are
_MOST_OUTPUTS = 60
_FEWEST = 6  # documents of a class that can be parted into folds
_LABEL_GAP = 0.062  # of the height of a chart, between names
_LABEL_ROOM, _AXIS_ROOM = 120, 44  # pixels: charts above each other have one axis
_MEASURES = {"zero_one": "share of errors", "squared_error": "squared error"}
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
    """The strongest coefficients of one output by the strength of the penalty, strong to weak."""

    output: str | None
    label: str
    penalties: list[float]
    terms: list[str]
    coefs: list[list[float]]
    chosen: float | None = None
    model: str = ""


@dataclass(frozen=True)
class PenaltyErrors:
    """Errors of held-out documents by the strength of the penalty."""

    measure: str
    penalties: list[float]
    means: list[float]
    standard_errors: list[float]


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
    given = getattr(path, "given", None)
    is_inside = given is not None and min(path.penalties) <= given <= max(path.penalties)
    chosen = given if is_inside else None
    paths = []
    for place, output in enumerate(path.outputs[:_MOST_OUTPUTS]):
        sizes = np.abs(coefs[:, place]).max(axis=0)
        order = np.argsort(-sizes, kind="stable")[:_MOST_TERMS]
        order = order[sizes[order] > 0]
        name = None if output is None else label_names.get(str(output), str(output))
        paths.append(
            Path(
                output=name,
                label=str(path.label),
                penalties=np.asarray(path.penalties, dtype=np.float64).tolist(),
                terms=[str(path.terms[j]) for j in order],
                coefs=coefs[:, place, order].T.tolist(),
                chosen=chosen,
                model=str(getattr(path, "model", "")),
            )
        )
    return paths


def penalty_errors_of(path: Any) -> PenaltyErrors | None:
    """Return the held-out errors of a regularisation path, if it has them.

    Parameters
    ----------
    path : RegularizationPath or None
        Which.
    """
    held_out = getattr(path, "held_out", None)
    if held_out is None:
        return None
    n_folds = held_out.shape[1]
    errors = held_out.std(axis=1, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else 0 * held_out[:, 0]
    return PenaltyErrors(
        _MEASURES.get(path.held_out_loss, path.held_out_loss),
        np.asarray(path.penalties, dtype=np.float64).tolist(),
        held_out.mean(axis=1).tolist(),
        errors.tolist(),
    )


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
    pipeline.set_params(features__max_features=_MOST_TERMS_FOR_PATH)
    documents = _documents(comparison, texts)[rows]
    y = comparison.y[rows]
    try:
        path = regularization_path(
            pipeline, documents, y, n_penalties=_N_PENALTIES, cv=_folds_of_path(comparison, rows)
        )
        return replace(path, model=trial.title)
    except ValueError:  # a fold has no term that is frequent enough
        return None


def _folds_of_path(comparison: Comparison, rows: AnyArray) -> Any:
    """Return folds for the error at each penalty; none where classes are too small for them."""
    if comparison.codes is not None and np.bincount(comparison.codes[rows]).min() < _FEWEST:
        return None
    return KFold(3, shuffle=True, random_state=0)


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
        if "features__max_features" not in trial.estimator.get_params():
            continue  # other steps, or terms that are weighted by class before they have a weight
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
    charts += _path_parts(report)
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


def _path_parts(report: ReportData) -> list[Html | Chart]:
    """Return one chart of weights with a list of classes, and held-out errors below it."""
    if not report.paths:
        return []
    first = report.paths[0]
    of = f" of {first.model}" if first.model else ""
    caption = (
        f"The {len(first.terms)} strongest terms{of}. A strong penalty, on the left, keeps weights "
        "small."
    )
    if first.chosen is not None:
        caption += " The dotted line is the penalty that the comparison has chosen."
    parts: list[Html | Chart] = []
    if len(report.paths) > 1:
        options = join(
            html('<option value="{}">{}</option>', k, path.output or "")
            for k, path in enumerate(report.paths)
        )
        parts.append(
            html(
                '<div class="controls"><span class="control js"><label for="path-class">Weights of'
                '</label> <select id="path-class">{}</select></span></div>',
                options,
            )
        )
    parts.append(_path_chart(report.paths, caption))
    if report.penalty_errors is not None:
        parts.append(_errors_chart(report.penalty_errors, first))
    return parts


def path_scripts(report: ReportData) -> list[Html]:
    """Return the script that shows the weights of the class that is chosen, if there are several.

    Parameters
    ----------
    report : ReportData
        With the paths.
    """
    if len(report.paths) < 2:
        return []
    data = {
        "penalties": report.paths[0].penalties,
        "classes": [
            {
                "name": path.output or "",
                "terms": path.terms,
                "coefs": [[float(f"{coef:.5g}") for coef in coefs] for coefs in path.coefs],
                "labels": _label_heights(path),
            }
            for path in report.paths
        ],
    }
    script = asset("quire.report._comparison", "paths.js")
    return [script_with_data(script, "path-data", data)]


def _label_heights(path: Path) -> list[float]:
    """Return how high the name of each line stands at its end: near it, and apart from others."""
    ends = [coefs[-1] for coefs in path.coefs]
    all_of_them = [coef for coefs in path.coefs for coef in coefs]
    if not ends:
        return []
    gap = _LABEL_GAP * ((max(all_of_them) - min(all_of_them)) or 1.0)
    order = sorted(range(len(ends)), key=lambda k: ends[k])
    # Lines that are too near share the room that they need, around the middle of their ends.
    groups: list[list[int]] = []
    for k in order:
        groups.append([k])
        while (
            len(groups) > 1 and _first(groups[-1], ends, gap) < _last(groups[-2], ends, gap) + gap
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    heights = [0.0] * len(ends)
    for group in groups:
        start = _first(group, ends, gap)
        for place, k in enumerate(group):
            heights[k] = float(f"{start + place * gap:.5g}")
    return heights


def _first(group: list[int], ends: list[float], gap: float) -> float:
    return sum(ends[k] for k in group) / len(group) - gap * (len(group) - 1) / 2


def _last(group: list[int], ends: list[float], gap: float) -> float:
    return _first(group, ends, gap) + gap * (len(group) - 1)


def _penalty_axis(label: str) -> Spec:
    axis = {"tickCount": 5, "format": "~g", "grid": False, "labelSeparation": 10}
    scale = {"type": "log", "nice": False, "reverse": True}
    return quantity("penalty", f"Penalty ({label}), strong to weak", scale=scale, axis=axis)


def _room_for_names() -> Spec:
    """Return something that is not seen but has room: charts above each other end at one place."""
    ends = {"x": {"value": {"expr": "width"}}, "x2": {"value": {"expr": f"width + {_LABEL_ROOM}"}}}
    mark = {"type": "rect", "opacity": 0, "clip": False, "aria": False, "tooltip": None}
    heights = {"y": {"value": 0}, "y2": {"value": 1}}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": ends | heights}


def _chosen_line(path: Path) -> list[Spec]:
    """Return a dotted line at the penalty that was chosen, if it is on the path."""
    if path.chosen is None:
        return []
    mark = {"type": "rule", "color": "var(--soft)", "strokeDash": [2, 3], "aria": False}
    data = {"values": [{"penalty": path.chosen}]}
    return [{"data": data, "mark": mark, "encoding": {"x": quantity("penalty", "")}}]


def _path_chart(paths: list[Path], caption: str) -> Chart:
    """Return the strongest coefficients against the penalty, each line named at its end."""
    path = paths[0]
    title = "Regularisation path" + (f": {path.output}" if path.output else "")
    lines = [
        {"line": f"{place}", "term": term, "penalty": penalty, "coef": coef}
        for place, (term, coefs) in enumerate(zip(path.terms, path.coefs, strict=True))
        for penalty, coef in zip(path.penalties, coefs, strict=True)
    ]
    ends = [
        {"line": f"{place}", "term": term, "penalty": path.penalties[-1], "height": height}
        for place, (term, height) in enumerate(zip(path.terms, _label_heights(path), strict=True))
    ]
    spec = base([], f"{title}. {caption}", 300)
    spec["data"] = {"name": "lines", "values": lines}
    by_line = series("line", [f"{place}" for place in range(_MOST_TERMS)])
    for encoding in by_line.values():
        encoding["legend"] = None
    x = _penalty_axis(path.label)
    extent = {"minExtent": _AXIS_ROOM, "maxExtent": _AXIS_ROOM, "tickCount": 6}
    spec["layer"] = [
        _room_for_names(),
        *_chosen_line(path),
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": x,
                "y": quantity("coef", "Coefficient", axis=extent),
                **by_line,
                "tooltip": [
                    names("term") | {"title": "Term"},
                    quantity("penalty", "Penalty", format=".3~g"),
                    quantity("coef", "Coefficient", format=".3~g"),
                ],
            },
        },
        {
            "data": {"name": "ends", "values": ends},
            "mark": {
                "type": "text", "align": "left", "baseline": "middle", "dx": 6, "fontSize": 12,
                "limit": _LABEL_ROOM - 8, "clip": False, "aria": False,
            },
            "encoding": {
                "x": x,
                "y": quantity("height", "Coefficient", axis=extent),
                "text": {"field": "term", "type": "nominal"},
                "color": by_line["color"],
            },
        },
    ]  # fmt: skip
    rows: list[list[Any]] = [
        [*([one.output] if len(paths) > 1 else []), term, *map(number, coefs)]
        for one in paths
        for term, coefs in zip(one.terms, one.coefs, strict=True)
    ]
    heads = ["Class", "Term"] if len(paths) > 1 else ["Term"]
    heads += [f"{penalty:.3g}" for penalty in path.penalties]
    return Chart("chart-path", title, caption, spec, heads, rows)


def _errors_chart(errors: PenaltyErrors, path: Path) -> Chart:
    """Return the error of held-out documents over the same penalties as the weights."""
    what = errors.measure.capitalize()
    caption = "Mean over folds of the same documents as the weights above, with one standard error."
    values = [
        {"penalty": penalty, "error": mean, "low": mean - spread, "high": mean + spread}
        for penalty, mean, spread in zip(
            errors.penalties, errors.means, errors.standard_errors, strict=True
        )
    ]
    title = "Held-out error by penalty"
    spec = base(values, f"{title}. {caption}", 140)
    x = _penalty_axis(path.label)
    extent = {"minExtent": _AXIS_ROOM, "maxExtent": _AXIS_ROOM, "tickCount": 4}
    scale = {"zero": False}
    spec["layer"] = [
        _room_for_names(),
        *_chosen_line(path),
        {
            "mark": {"type": "rule", "color": COLOURS[0], "aria": False},
            "encoding": {
                "x": x,
                "y": quantity("low", what, scale=scale, axis=extent),
                "y2": {"field": "high"},
            },
        },
        {
            "mark": {"type": "line", "point": True, "color": COLOURS[0], "strokeWidth": 2},
            "encoding": {
                "x": x,
                "y": quantity("error", what, scale=scale, axis=extent),
                "tooltip": [
                    quantity("penalty", "Penalty", format=".3~g"),
                    quantity("error", what, format=".4~g"),
                ],
            },
        },
    ]
    rows = [[f"{v['penalty']:.3g}", v["error"], v["high"] - v["error"]] for v in values]
    heads = ["Penalty", what, "Standard error"]
    return Chart("chart-penalty-error", title, caption, spec, heads, rows)
