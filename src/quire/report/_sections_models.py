"""Later sections of a report: errors by class, curves, evidence, mistakes and settings."""

from __future__ import annotations

from quire.report import _charts, _charts_more
from quire.report._charts import Chart
from quire.report._data import EvidenceTerm, Mistake, Piece, ReportData
from quire.report._html import bar_item, count, esc, figure, number, score, section, table
from quire.report._page_parts import repeat_section, setting

__all__ = ["curves", "errors", "evidence", "mistakes", "numbers", "repeat", "training"]

_MOST_ROWS = 200
_MOST_CARDS = 12


def errors(report: ReportData, charts: list[Chart]) -> str:
    """Return the confusion matrix and the scores of the classes."""
    found = report.confusion
    if found is None:
        return ""
    caption = "Rows are true classes, columns predicted ones; darker is a larger share of the row."
    if found.n_classes > len(found.labels):
        caption += f" The {len(found.labels)} most confused of {found.n_classes} classes are shown."
    chart = _charts_more.confusion_chart(found, caption)
    charts.append(chart)
    pairs = [[a, b, times, f"{share:.1%}"] for a, b, times, share in found.pairs]
    frequent = ""
    if pairs:
        heads = ["True", "Predicted", "Documents", "Share of the true class"]
        frequent = "<h3>Most frequent errors</h3>" + table(heads, pairs, "Most frequent errors")
    off = ""
    if report.ordered_mae is not None:
        off = (
            f"<p>Predictions are {number(report.ordered_mae)} steps from the truth on average.</p>"
        )
    intro = f"<p>{esc(report.best)}, on documents while they were held out.</p>"
    return section(
        "errors", "Errors by class", intro, off, figure(chart), _class_table(report), frequent
    )


def _class_table(report: ReportData) -> str:
    rows = [
        [one.label, score(one.precision), score(one.recall), score(one.f1), one.support]
        for one in report.class_scores
    ]
    note = ""
    if len(rows) > _MOST_ROWS:
        note = f"<p>The first {_MOST_ROWS} of {len(rows) - 1:,} classes, and the mean.</p>"
        rows = [*rows[:_MOST_ROWS], rows[-1]]
    heads = ["Class", "Precision", "Recall", "F1", "Documents"]
    return f"<h3>Scores by class</h3>{note}" + table(heads, rows, "Scores by class", kind="last")


def curves(report: ReportData, charts: list[Chart]) -> str:
    """Return ROC and precision-recall curves, and calibration."""
    if not report.roc and not report.calibration:
        if report.confusion is None:
            return ""
        return section("curves", "Probabilities", "<p>No model gave probabilities.</p>")
    what = f"the probability of {report.positive}"
    if not report.positive:
        what = (
            f"the probability of one class against the rest, {report.curves_model}: the mean of "
            "all classes, and the hardest ones"
        )
    roc = _charts.curve_chart(
        "chart-roc",
        "ROC",
        f"By {what}. In brackets the area under the curve; 0.5 is chance.",
        report.roc,
        ("False positive rate", "True positive rate"),
        True,
    )
    recall = _charts.curve_chart(
        "chart-pr",
        "Precision and recall",
        f"By {what}. In brackets the average precision.",
        report.precision_recall,
        ("Recall", "Precision"),
        False,
    )
    parts = []
    if report.roc:
        charts.extend([roc, recall])
        parts.append(f'<div class="pair">{figure(roc)}{figure(recall)}</div>')
    return section("curves", "Probabilities", *parts, _calibration(report, charts))


def _calibration(report: ReportData, charts: list[Chart]) -> str:
    if not report.calibration:
        return ""
    of = f"of {report.positive}" if report.positive else "of the predicted class"
    chart = _charts.calibration_chart(
        report.calibration,
        f"The probability {of} against how often it was so. On the dotted line probabilities can "
        "be taken at their word; larger points stand for more documents.",
    )
    charts.append(chart)
    rows = [[one.model, score(one.ece), score(one.brier)] for one in report.calibration]
    heads = ["Model", "Expected calibration error", "Brier score"]
    return figure(chart) + table(heads, rows, "Calibration of the models; smaller is better")


def numbers(report: ReportData, charts: list[Chart]) -> str:
    """Return predicted against true numbers, and residuals."""
    found = report.regression
    if found is None:
        return ""
    rows = [
        ["Mean absolute error", found.mae],
        ["Root mean squared error", found.rmse],
        ["R²", found.r2],
        ["Mean of predicted less true", found.bias],
    ]
    against = _charts_more.regression_chart(
        found, f"{report.best}, on held-out documents; perfect predictions are on the dotted line."
    )
    residuals = _charts.histogram_chart(
        "chart-residuals",
        "Residuals",
        "True less predicted.",
        found.residuals,
        "True less predicted",
    )
    charts.extend([against, residuals])
    figures = f'<div class="pair">{figure(against)}{figure(residuals)}</div>'
    return section("numbers", "Errors", table(["Measure", "Value"], rows, "Errors"), figures)


def training(report: ReportData, charts: list[Chart]) -> str:
    """Return the learning curve and the regularisation path, where they were given."""
    parts = []
    if report.learning is not None:
        chart = _charts_more.learning_chart(
            report.learning,
            "Score",
            "Means over folds; the bands are one standard deviation. If the held-out line still "
            "climbs, more documents will help.",
        )
        charts.append(chart)
        parts.append(figure(chart))
    for place, path in enumerate(report.paths):
        chart = _charts_more.path_chart(
            path, place, "The strongest terms. A strong penalty, on the right, keeps weights small."
        )
        charts.append(chart)
        parts.append(figure(chart))
    return section("training", "Learning curve and penalty", *parts)


def evidence(report: ReportData, charts: list[Chart]) -> str:
    """Return the terms that speak most for each class."""
    note = f"<p>{esc(report.evidence_note)}</p>"
    groups = [_group(label, terms) for label, terms in report.evidence.items() if terms]
    shown, more = "".join(groups[:_MOST_CARDS]), "".join(groups[_MOST_CARDS:])
    cards = f'<div class="cards">{shown}</div>' if shown else ""
    if more:
        cards += (
            f"<details><summary>{len(groups) - _MOST_CARDS} more classes</summary>"
            f'<div class="cards">{more}</div></details>'
        )
    return section("evidence", "Evidence", note, cards)


def _group(label: str, terms: list[EvidenceTerm]) -> str:
    most = max((abs(term.weight) for term in terms), default=1.0) or 1.0
    items = "".join(
        bar_item(term.term, abs(term.weight) / most, number(term.weight)) for term in terms
    )
    return f'<div class="card"><h3 dir="auto">{esc(label)}</h3><ol class="terms">{items}</ol></div>'


def mistakes(report: ReportData, charts: list[Chart]) -> str:
    """Return the most confident mistakes, with the words that led to them."""
    classes = report.confusion is not None
    sure = any(one.confidence is not None for one in report.mistakes)
    title = ("Most confident mistakes" if sure else "Mistakes") if classes else "Largest errors"
    if not report.mistakes:
        if classes and not report.mistakes_total:
            return section("mistakes", title, "<p>No held-out document was predicted wrongly.</p>")
        return ""
    total = ""
    if classes:
        total = f"{count(report.mistakes_total)} held-out documents were predicted wrongly. "
        if not sure:
            total += f"{report.best} gives no probabilities, so that these are the first ones. "
    marked = any(piece.weight for one in report.mistakes for piece in one.pieces)
    key = ""
    sides = ("the prediction", "the truth") if classes else ("a larger number", "a smaller one")
    if marked:
        key = (
            f'<p class="key"><mark class="for3">solid underline</mark> speaks for {sides[0]}, '
            f'<mark class="against3">dotted underline</mark> for {sides[1]}.</p>'
        )
    note = report.mistakes_note if marked else ""
    intro = f"<p>{esc(total)}{esc(note)}</p>" if total or note else ""
    items = "".join(f"<li>{_mistake(one, sides)}</li>" for one in report.mistakes)
    return section("mistakes", title, intro, key, f'<ol class="mistakes">{items}</ol>')


def _mistake(one: Mistake, sides: tuple[str, str]) -> str:
    sure = "" if one.confidence is None else f' <span class="n">{one.confidence:.1%} sure</span>'
    head = (
        f'<p class="verdict">Predicted <strong dir="auto">{esc(one.predicted)}</strong>{sure}, is '
        f'<strong dir="auto">{esc(one.truth)}</strong> <span class="soft">row {count(one.row)}'
        "</span></p>"
    )
    text = (
        "".join(_piece(piece, sides) for piece in one.pieces) or '<em class="soft">empty text</em>'
    )
    more = f' <span class="soft">… and {count(one.cut)} more characters</span>' if one.cut else ""
    words = ", ".join(f"{esc(term.term)} {term.weight:+.2f}" for term in one.terms)
    why = f'<p class="why" dir="auto">{words}</p>' if words else ""
    return f'{head}<blockquote dir="auto">{text}{more}</blockquote>{why}'


def _piece(piece: Piece, sides: tuple[str, str]) -> str:
    size = abs(piece.weight)
    if size < 0.1:
        return esc(piece.text)
    step = 1 if size < 0.33 else 2 if size < 0.66 else 3
    side, says = ("for", sides[0]) if piece.weight > 0 else ("against", sides[1])
    return f'<mark class="{side}{step}" title="speaks for {says}">{esc(piece.text)}</mark>'


def repeat(report: ReportData, charts: list[Chart]) -> str:
    """Return the settings, versions and what was chosen: all that is needed to repeat it."""
    chosen = [
        [title, fold, setting(one)]
        for title, folds in report.chosen.items()
        for fold, one in enumerate(folds, start=1)
        if one
    ]
    folds = ""
    if chosen:
        heads = ["Model", "Fold", "Chosen"]
        inside = table(heads, chosen, "Settings that were chosen on each fold")
        folds = f"<details><summary>Settings chosen on each fold</summary>{inside}</details>"
    return repeat_section(report.settings, report.versions, folds)
