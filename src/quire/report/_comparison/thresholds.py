"""From which probability on to say yes: what every threshold would do, for the reader to choose.

Of the best model for two classes, or of each label of several. A threshold lies in a gap between
two probabilities that occur, as the shortest decimal there, so that what is said of it holds for
the number as it is written. There may be as many gaps as documents; those that are kept lie at
about equal distances along the ROC curve. Those that any costs of mistakes could make the best are
among them all (the corners of its hull), and so are those with the best F1: these marks are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.page.charts import Chart, Spec, base, names, quantity, series
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count, number, score
from quire._shared.page.sections import Section, paragraph, section, titled
from quire._shared.page.shell import asset, script_with_data
from quire._shared.page.tables import table
from quire._shared.shares import Score, f1_score, wilson
from quire._shared.typing import Bools, Floats, Ints
from quire.kinds import last_step
from quire.model_selection import Comparison, ThresholdClassifier, Trial, model_names
from quire.report._comparison.outcomes import finished_rows

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "Question",
    "Thresholds",
    "threshold_scripts",
    "thresholds_of",
    "thresholds_of_labels",
    "thresholds_section",
]

_STEPS = 160  # beside the marks
_STEPS_OF_LABELS = 40
_MOST_LABELS = 30
_ROWS = 10  # of the table
_OUTSIDE = 0.02  # of 0 and 1: where most thresholds lie so near to an end, the axis is stretched
_REACH = 16.0  # log-odds where a stretched axis ends
_TICKS = (1e-6, 1e-4, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1 - 1e-4, 1 - 1e-6)
_TABLE_STEPS = 40  # of the table below the chart
_NAMES = {"usual": "usual", "chosen": "chosen", "f1": "best F1", "cost": "least cost"}
_PACKAGE = "quire.report._comparison"


@dataclass(frozen=True)
class Question:
    """One class or label against the rest, and what each threshold would do.

    Attributes
    ----------
    name : str
        The class that is flagged from the threshold on.
    rest : str
        The other class; empty for a label.
    thresholds : list of float
        From low to high.
    right, wrong : list of int
        Documents of the class, and others, that are flagged from each threshold on.
    documents, others : int
        Documents of the class, and all others.
    usual : int
        The place of the threshold that the model has by itself.
    chosen : int or None
        The place of the one that was chosen with the model, if there is one.
    """

    name: str
    rest: str
    thresholds: list[float]
    right: list[int]
    wrong: list[int]
    documents: int
    others: int
    usual: int
    chosen: int | None


@dataclass(frozen=True)
class Thresholds:
    """What the best model would do with other thresholds, on documents while they were held out.

    Attributes
    ----------
    model, title : str
        Its short name, and its name in words.
    are_probabilities : bool
        Whether thresholds are of probabilities; of scores otherwise.
    n_possible : int
        How many thresholds make a difference; of the first question.
    questions : list of Question
        One for two classes, about the second of them; one for each of several labels.
    miss, false_alarm : float
        What the two mistakes cost to begin with, more than being right does.
    fixed : float
        What all documents cost if all are right.
    """

    model: str
    title: str
    are_probabilities: bool
    n_possible: int
    questions: list[Question]
    miss: float
    false_alarm: float
    fixed: float


def thresholds_of(
    comparison: Comparison, trial: Trial, codes: Ints, labels: list[str], model: Any = None
) -> Thresholds | None:
    """Return what thresholds would do, or ``None`` if there are not two classes to tell apart.

    Parameters
    ----------
    comparison : Comparison
        With the folds, and what mistakes cost.
    trial : Trial
        The best model.
    codes : ndarray of shape (n_documents,)
        Number of the class of each document; -1 where it is not known.
    labels : list of str
        Names of the classes.
    model : object, default=None
        The model that was fitted to everything; if it has a threshold of its own, that is marked.
    """
    if len(labels) != 2:
        return None
    scores = trial.decisions
    if trial.probabilities is not None:
        scores = np.asarray(trial.probabilities, dtype=np.float64)[:, 1]
    if scores is None:
        return None
    use = finished_rows(comparison, trial) & (codes >= 0) & np.isfinite(scores)
    scores, is_so = scores[use], codes[use] == 1
    if is_so.all() or not is_so.any():
        return None
    are_probabilities = trial.probabilities is not None
    question, n_possible = _question(
        (labels[1], labels[0]),
        scores,
        is_so,
        0.5 if are_probabilities else 0.0,
        _chosen_threshold(model, trial, are_probabilities=are_probabilities),
        _STEPS,
    )
    miss = false_alarm = 1.0
    fixed = 0.0
    if comparison.costs is not None:
        costs = comparison.costs
        miss, false_alarm = float(costs[1, 0] - costs[1, 1]), float(costs[0, 1] - costs[0, 0])
        fixed = float(costs[1, 1] * is_so.sum() + costs[0, 0] * (~is_so).sum())
    return Thresholds(
        trial.name, trial.title, are_probabilities, n_possible, [question], miss, false_alarm, fixed
    )


def thresholds_of_labels(
    comparison: Comparison, trial: Trial, true: Any, labels: list[str]
) -> Thresholds | None:
    """Return the same for each of several labels, the most frequent ones.

    Parameters
    ----------
    comparison : Comparison
        With the folds.
    trial : Trial
        The best model.
    true : csr_array of shape (n_documents, n_labels)
        1 where a document has a label.
    labels : list of str
        Their names.
    """
    if trial.probabilities is None:
        return None
    P = np.asarray(trial.probabilities, dtype=np.float64)
    use = np.flatnonzero(finished_rows(comparison, trial) & np.isfinite(P).all(axis=1))
    Y = true[use].tocsc()
    sizes = np.diff(Y.indptr)
    questions, possible = [], []
    for k in np.argsort(-sizes, kind="stable")[:_MOST_LABELS].tolist():
        if not 0 < sizes[k] < len(use):
            continue
        is_so = np.zeros(len(use), dtype=bool)
        is_so[Y.indices[Y.indptr[k] : Y.indptr[k + 1]]] = True
        question, n_possible = _question(
            (labels[k], ""), P[use, k], is_so, 0.5, None, _STEPS_OF_LABELS
        )
        questions.append(question)
        possible.append(n_possible)
    if not questions:
        return None
    return Thresholds(trial.name, trial.title, True, possible[0], questions, 1.0, 1.0, 0.0)


def _chosen_threshold(model: Any, trial: Trial, *, are_probabilities: bool) -> float | None:
    """Return the threshold that a model has of its own, on the scale of what is known of it."""
    own = None if model is None else last_step(model)
    if not isinstance(own, ThresholdClassifier) or own.pos_label_ != own.classes_.tolist()[1]:
        return None
    if not are_probabilities or own.default_threshold_ == 0.5:
        return own.best_threshold_
    return float(1 / (1 + np.exp(-own.best_threshold_)))


def _question(
    names: tuple[str, str],
    scores: Floats,
    is_so: Bools,
    usual: float,
    chosen: float | None,
    n_steps: int,
) -> tuple[Question, int]:
    """Return what thresholds do, those that are kept, and how many there were."""
    values, group = np.unique(scores, return_inverse=True)
    right = _flagged(np.bincount(group, is_so, len(values)))
    wrong = _flagged(np.bincount(group, ~is_so, len(values)))
    marks = {int(np.searchsorted(values, usual, side="left")): usual}
    if chosen is not None:
        marks[int(np.searchsorted(values, chosen, side="left"))] = chosen
    kept = _kept(right, wrong, n_steps)
    kept = np.union1d(kept, np.array(list(marks), dtype=np.intp))
    thresholds = [marks[k] if k in marks else _threshold(values, k) for k in kept.tolist()]
    place = {k: number for number, k in enumerate(kept.tolist())}
    at_usual = place[int(np.searchsorted(values, usual, side="left"))]
    at_chosen = None
    if chosen is not None:
        at_chosen = place[int(np.searchsorted(values, chosen, side="left"))]
    return (
        Question(
            names[0],
            names[1],
            thresholds,
            right[kept].tolist(),
            wrong[kept].tolist(),
            int(right[0]),
            int(wrong[0]),
            at_usual,
            at_chosen,
        ),
        len(right),
    )


def _flagged(counts: NDArray[Any]) -> Ints:
    """Return how many documents have each value or more, and last that none has more than all."""
    return np.append(np.cumsum(counts[::-1])[::-1], 0).astype(np.int64)


def _kept(right: Ints, wrong: Ints, n_steps: int) -> Ints:
    """Return places of thresholds: evenly along the ROC curve, its hull, and the best F1."""
    n_so, n_other = int(right[0]), int(wrong[0])
    way = np.abs(np.diff(right / n_so)) + np.abs(np.diff(wrong / n_other))
    length = np.append(0.0, np.cumsum(way))
    even = np.searchsorted(length, np.linspace(0, length[-1], n_steps))
    best = int(_f1(right, wrong, n_so).argmax())
    best_of_rest = int(_f1(n_other - wrong, n_so - right, n_other).argmax())
    places = np.concatenate([even, _hull(right, wrong), [0, len(right) - 1, best, best_of_rest]])
    return np.unique(np.minimum(places, len(right) - 1)).astype(np.intp)


def _f1(right: Ints, wrong: Ints, n_so: int) -> Floats:
    scores: Floats = 2 * right / (right + wrong + n_so)
    return scores


def _hull(right: Ints, wrong: Ints) -> Ints:
    """Return the corners of the hull above a ROC curve: what costs above 0 can make the best."""
    kept: list[int] = []
    x, y = wrong.tolist(), right.tolist()
    for k in range(len(x) - 1, -1, -1):  # from nothing flagged to everything
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (x[b] - x[a]) * (y[k] - y[a]) < (y[b] - y[a]) * (x[k] - x[a]):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept[::-1])


def _threshold(values: Floats, k: int) -> float:
    """Return the shortest decimal that parts the values below place `k` from those above."""
    if k == len(values):
        low = float(values[-1])
        high = float(np.nextafter(low, np.inf)) + max(abs(low), 1e-12) * 0.01
        return _shortest(np.nextafter(low, np.inf), high)
    high = float(values[k])
    if k == 0:
        return _shortest(high - max(abs(high), 1e-12) * 0.01, high)
    return _shortest(float(np.nextafter(values[k - 1], np.inf)), high)


def _shortest(low: float, high: float) -> float:
    """Return the number with the fewest digits between two, both of them included."""
    middle = low + (high - low) / 2
    for digits in range(1, 18):
        found = float(f"{middle:.{digits}g}")
        if low <= found <= high:
            return found
    return high


def thresholds_section(report: ReportData) -> Section:
    """Return the slider, what the chosen threshold would do, curves and a table."""
    found = report.thresholds
    name, title = "threshold", "Threshold"
    if found is None:
        return section(name, title)
    first = found.questions[0]
    documents = first.documents + first.others
    what = "a probability" if found.are_probabilities else "a score"
    usual = _written(first.thresholds[first.usual])
    if first.rest:
        intro = (
            f"{found.title} says {first.name} from {what} of {usual} on, and {first.rest} below. "
            f"Another threshold finds more of {first.name} with more false alarms, or the other "
            "way round. "
        )
        if first.chosen is not None:
            own = _written(first.thresholds[first.chosen])
            intro = (
                f"{found.title} says {first.name} from {what} of {own} on, a threshold that was "
                "chosen for it. The scores in the other sections are of thresholds that were "
                "chosen inside each fold. "
            )
    else:
        intro = (
            f"From which probability on a label is given, for each label by itself; a model's own "
            f"thresholds, which {found.title} has learned, are not at {usual}. "
        )
    intro += (
        f"Counts are of {count(documents)} documents while they were held out, at "
        f"{count(len(first.thresholds))} of {count(found.n_possible)} thresholds that make a "
        "difference; the best F1 and the least cost are those of all. Small numbers are 95% "
        "intervals."
    )
    parts: list[Html | Chart] = [paragraph(intro), _panel(found), _chart(found)]
    if first.rest:
        parts.append(_ten(found))
    else:
        parts.append(_of_labels(found))
    return section(name, title, *parts)


def threshold_scripts(report: ReportData) -> list[Html]:
    """Return the script of the panel with its counts, if there is one."""
    found = report.thresholds
    if found is None:
        return []
    data = {
        "questions": [
            {
                "name": one.name,
                "rest": one.rest,
                "thresholds": one.thresholds,
                "right": one.right,
                "wrong": one.wrong,
                "documents": one.documents,
                "others": one.others,
                "usual": one.usual,
                "chosen": one.chosen,
            }
            for one in found.questions
        ],
        "probabilities": found.are_probabilities,
        "stretched": _is_stretched(found),
        "reach": _REACH,
        "miss": found.miss,
        "alarm": found.false_alarm,
        "fixed": found.fixed,
        "names": _NAMES,
        "commands": _commands(found),
    }
    script = asset(_PACKAGE, "thresholds.js")
    return [script_with_data(script, "threshold-data", data)]


def _commands(found: Thresholds) -> list[tuple[str, str]]:
    """Return the commands that take a threshold, cut in two where it stands."""
    if not found.questions[0].rest:
        return []
    commands = [("quire predict model.quire new.csv", "")]
    if found.model in model_names():
        commands.append((f"quire fit FILE --model {found.model}", " -o model.quire"))
    return commands


def _written(threshold: float) -> str:
    """Return a threshold with all of its digits, as JavaScript writes it, too."""
    return f"{threshold:.15g}"


def _panel(found: Thresholds) -> Html:
    first = found.questions[0]
    options = []
    for one in found.questions:
        options.append(one.name)
        if one.rest:
            options.append(one.rest)
    choices = join(
        html('<option value="{}">{}</option>', k, name) for k, name in enumerate(options)
    )
    buttons = join(
        html(
            '<button type="button" data-threshold="{}">{} <span></span></button>',
            name,
            words.capitalize() if name != "f1" else "Best F1",
        )
        for name, words in _NAMES.items()
    )
    at = first.usual if first.chosen is None else first.chosen
    commands = NOTHING
    if _commands(found):
        option = _option(first.thresholds[at])
        lines = "\n".join(f"{before}{option}{after}" for before, after in _commands(found))
        commands = html(
            '<p class="note">On the command line<span id="threshold-turned" hidden>'
            ' ({rest} from <span id="threshold-turned-own"></span> on is {name} from '
            '<span id="threshold-turned-other"></span> on, which is what the option says)</span>:'
            '</p><pre id="threshold-command">{lines}</pre>',
            rest=first.rest,
            name=first.name,
            lines=lines,
        )
    return html(
        '<div class="thresholds"><div class="controls">'
        '<span class="control js"><label for="threshold-question">Find</label> '
        '<select id="threshold-question">{choices}</select></span>'
        '<span class="control js wide"><label for="threshold-place">Threshold</label> '
        '<input type="range" id="threshold-place" min="0" max="{last}" step="1" value="{at}"> '
        '<output for="threshold-place" id="threshold-now">{now}</output></span>'
        '<span class="control js"><label for="threshold-miss">A miss costs</label> '
        '<input type="number" id="threshold-miss" min="0" step="any" value="{miss:g}"></span>'
        '<span class="control js"><label for="threshold-alarm">A false alarm costs</label> '
        '<input type="number" id="threshold-alarm" min="0" step="any" value="{alarm:g}"></span>'
        '<span class="control js" role="group" aria-label="Go to">{buttons}</span></div>'
        '<h3>Find <span data-flagged dir="auto">{name}</span> from <span id="threshold-from">{now}'
        "</span> on</h3>{facts}{commands}</div>",
        name=first.name,
        choices=choices,
        last=len(first.thresholds) - 1,
        at=at,
        now=_written(first.thresholds[at]),
        miss=found.miss,
        alarm=found.false_alarm,
        buttons=buttons,
        facts=_facts(found, first, at),
        commands=commands,
    )


def _option(threshold: float) -> str:
    value = _written(threshold)
    return f" --threshold{'=' if value.startswith('-') else ' '}{value}"


def _facts(found: Thresholds, question: Question, at: int) -> Html:
    """Return the boxes with what one threshold does; the script writes those of others."""
    one = _at(found, question, at)
    per = 1000 / (question.documents + question.others)
    shown = [
        ("precision", "Precision", *_share(one.precision)),
        ("recall", "Recall", *_share(one.recall)),
        ("f1", "F1", *_share(one.f1)),
        (
            "flagged",
            "Flagged",
            number(one.flagged.value * 1000),
            f"of 1,000 ({number(1000 * one.flagged.low)} to {number(1000 * one.flagged.high)})",
        ),
        ("wrong", "False alarms", number(one.wrong * per), f"of 1,000 ({count(one.wrong)} in all)"),
        ("missed", "Missed", number(one.missed * per), f"of 1,000 ({count(one.missed)} in all)"),
        (
            "cost",
            "Cost of 1,000",
            number(1000 * one.cost),
            f"a miss {number(found.miss)}, a false alarm {number(found.false_alarm)}",
        ),
    ]
    boxes = join(
        html(
            '<div><dt>{}</dt><dd><span id="threshold-{}">{}</span><small>{}</small></dd></div>',
            words,
            name,
            value,
            interval,
        )
        for name, words, value, interval in shown
    )
    return html('<dl class="facts">{}</dl>', boxes)


def _share(found: Score) -> tuple[str, str]:
    if not np.isfinite(found.value):
        return "–", "nothing is flagged"
    return score(found.value), f"{score(found.low)} to {score(found.high)}"


@dataclass(frozen=True)
class _Done:
    """What one threshold does."""

    precision: Score
    recall: Score
    f1: Score
    flagged: Score
    wrong: int
    missed: int
    cost: float


def _at(found: Thresholds, question: Question, k: int) -> _Done:
    right, wrong = question.right[k], question.wrong[k]
    n, missed = question.documents + question.others, question.documents - question.right[k]
    return _Done(
        wilson(right, right + wrong),
        wilson(right, question.documents),
        f1_score(right, wrong + missed),
        wilson(right + wrong, n),
        wrong,
        missed,
        (found.fixed + found.miss * missed + found.false_alarm * wrong) / n,
    )


def _marks(found: Thresholds, question: Question) -> dict[str, int]:
    """Return the places of thresholds with a name; of equally good ones, that nearest the usual."""
    done = [_at(found, question, k) for k in range(len(question.thresholds))]
    marks = {"usual": question.usual}
    if question.chosen is not None:
        marks["chosen"] = question.chosen
    marks["f1"] = _best([one.f1.value for one in done], question.usual)
    marks["cost"] = _best([-one.cost for one in done], question.usual)
    return marks


def _best(worth: list[float], usual: int) -> int:
    good = np.flatnonzero(np.array(worth) >= max(worth) - 1e-12)
    return int(good[np.abs(good - usual).argmin()])


def _chart(found: Thresholds) -> Chart:
    """Return precision, recall and volume over the threshold; a table of all steps below."""
    question = found.questions[0]
    what = "probability" if found.are_probabilities else "score"
    caption = (
        "Precision, recall and the share of all documents that is flagged, by the threshold; the "
        "full line is the one that is chosen. A click chooses, too."
    )
    lines = ["Precision", "Recall", "Flagged"]
    values: list[Spec] = []
    rows: list[list[Any]] = []
    step = max(1, len(question.thresholds) // _TABLE_STEPS)
    for k, threshold in enumerate(question.thresholds):
        one = _at(found, question, k)
        shares = (one.precision.value, one.recall.value, one.flagged.value)
        x = _place_of(found, threshold)
        values += [
            {"line": line, "share": share, "threshold": threshold, "x": x}
            for line, share in zip(lines, shares, strict=True)
            if np.isfinite(share)
        ]
        if k % step == 0:
            known = (float(share) if np.isfinite(share) else None for share in shares)
            rows.append([_written(threshold), *known])
    spec = base([], f"Thresholds. {caption}", 300)
    spec["data"] = {"name": "steps", "values": values}
    axis: Spec = {"tickCount": 6, "grid": False}
    scale: Spec = {"zero": False, "nice": False}
    if _is_stretched(found):
        axis = {
            "values": [float(np.log(p) - np.log1p(-p)) for p in _TICKS],
            "labelExpr": "format(1 / (1 + exp(-datum.value)), '~r')",
            "labelOverlap": "greedy",
            "grid": False,
        }
    elif found.are_probabilities:
        scale = {"domain": [0, 1]}
    across = quantity("x", f"Threshold ({what})", scale=scale, axis=axis)
    ends = {"domain": [0, 1]}
    marks: list[Spec] = []
    by_name: dict[int, list[str]] = {}
    for name, k in _marks(found, question).items():
        by_name.setdefault(k, []).append(_NAMES[name])
    for k, words in by_name.items():
        marks.append({"x": _place_of(found, question.thresholds[k]), "name": ", ".join(words)})
    at = question.usual if question.chosen is None else question.chosen
    now = [{"x": _place_of(found, question.thresholds[at])}]
    spec["layer"] = [
        {
            "mark": {"type": "line", "strokeWidth": 2, "clip": True, "interpolate": "step-before"},
            "encoding": {
                "x": across,
                "y": quantity("share", "Share", scale=ends, axis={"tickCount": 5}),
                **series("line", lines),
                "tooltip": [
                    names("line") | {"title": "Line"},
                    quantity("threshold", "Threshold", format=".4~g"),
                    quantity("share", "Share", format=".3f"),
                ],
            },
        },
        {
            "data": {"name": "marks", "values": marks},
            "mark": {"type": "rule", "color": "var(--soft)", "strokeDash": [2, 3], "aria": False},
            "encoding": {"x": quantity("x", "")},
        },
        {
            "data": {"name": "marks"},
            "mark": {
                "type": "text", "angle": -90, "align": "left", "baseline": "bottom", "dx": 4,
                "dy": -2, "fontSize": 11, "color": "var(--soft)", "aria": False,
            },
            "encoding": {
                "x": quantity("x", ""),
                "y": {"value": {"expr": "height"}},
                "text": {"field": "name", "type": "nominal"},
            },
        },
        {
            "data": {"name": "now", "values": now},
            "mark": {"type": "rule", "color": "var(--ink)", "strokeWidth": 2, "aria": False},
            "encoding": {"x": quantity("x", "")},
        },
    ]  # fmt: skip
    title = f"Thresholds for {question.name}"
    heads = ["Threshold", *lines]
    return Chart("chart-threshold", title, caption, spec, heads, rows)


def _is_stretched(found: Thresholds) -> bool:
    """Say whether most thresholds lie so near to 0 or 1 that the axis has to be stretched there."""
    if not found.are_probabilities:
        return False
    all_of_them = np.array(found.questions[0].thresholds)
    inside = (all_of_them > _OUTSIDE) & (all_of_them < 1 - _OUTSIDE)
    return bool(inside.mean() < 0.5)


def _place_of(found: Thresholds, threshold: float) -> float:
    """Return the place of a threshold on the axis: log-odds where that is stretched."""
    if not _is_stretched(found):
        return threshold
    if not 0 < threshold < 1:
        return -_REACH if threshold <= 0 else _REACH
    return float(np.clip(np.log(threshold) - np.log1p(-threshold), -_REACH, _REACH))


def _ten(found: Thresholds) -> Html:
    """Return a table of ten thresholds, those with a name among them."""
    question = found.questions[0]
    marks = _marks(found, question)
    kept = set(marks.values())
    n = len(question.thresholds)
    for k in np.linspace(0, n - 1, _ROWS).round().astype(int).tolist():
        if len(kept) < min(_ROWS, n):
            kept.add(k)
    rows = []
    for k in sorted(kept):
        one = _at(found, question, k)
        named = ", ".join(_NAMES[name] for name, place in marks.items() if place == k)
        shown = [
            " ".join((value, f"({ends})"))
            for value, ends in map(_share, (one.precision, one.recall))
        ]
        rows.append(
            [
                _written(question.thresholds[k]),
                named,
                *shown,
                score(one.f1.value),
                number(1000 * one.flagged.value),
                count(one.wrong),
                count(one.missed),
                number(1000 * one.cost),
            ]
        )
    heads = [
        "Threshold", "Which", "Precision", "Recall", "F1", "Flagged of 1,000", "False alarms",
        "Missed", "Cost of 1,000",
    ]  # fmt: skip
    title = f"Ten thresholds for {question.name}"
    return html('<div class="still">{}</div>', titled(title, table(heads, rows, title)))


def _of_labels(found: Thresholds) -> Html:
    """Return a table of labels: F1 at the usual threshold, and where it is best."""
    rows = []
    for question in found.questions:
        best = _marks(found, question)["f1"]
        rows.append(
            [
                question.name,
                question.documents,
                score(_at(found, question, question.usual).f1.value),
                score(_at(found, question, best).f1.value),
                _written(question.thresholds[best]),
            ]
        )
    usual = _written(found.questions[0].thresholds[found.questions[0].usual])
    heads = ["Label", "Documents", f"F1 at {usual}", "Best F1", "Threshold"]
    return titled("The best F1 of each label", table(heads, rows, "The best F1 of each label"))
