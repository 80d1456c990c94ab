"""The first sections of a report: in short, the data, the leaderboard, time and memory."""

from __future__ import annotations

from quire.report import _charts
from quire.report._charts import Chart
from quire.report._data import CorpusSummary, LeaderboardRow, ReportData
from quire.report._html import (
    count,
    duration,
    esc,
    figure,
    megabytes,
    metric_name,
    number,
    score,
    section,
    sorted_cell,
    sorting_head,
    table,
)
from quire.report._page_parts import facts, warning_box

__all__ = ["cost", "data", "in_short", "leaderboard"]

_CLEAR = 0.05
_MOST_CLASSES = 30


def in_short(report: ReportData, charts: list[Chart]) -> str:
    """Return the result in a few sentences, and what to be careful about."""
    best = report.leaderboard[0]
    between = ""
    if best.low is not None:
        between = f", 95% interval {score(best.low)} to {score(best.high)}"
    metric = esc(metric_name(report.metric))
    lead = (
        f'<p class="lead"><strong>{esc(report.best)}</strong> is best: {metric} '
        f"{score(best.mean)}{between}, over {report.n_folds} folds.</p>"
    )
    close = [
        row.title
        for row in report.leaderboard[1:]
        if row.p_value is not None and row.p_value >= _CLEAR
    ]
    also = ""
    if close:
        also = f"<p>Not clearly worse (p ≥ {_CLEAR}): {esc(', '.join(close))}.</p>"
    shown = [
        ("Documents", count(report.corpus.n_documents)),
        ("Classes", count(len(report.corpus.class_counts))),
        ("Models", count(len(report.leaderboard))),
        ("Total time", duration(report.seconds)),
    ]
    if not report.corpus.class_counts:
        del shown[1]
    careful = warning_box(_warnings(report))
    return section("short", "In short", lead, also, facts(shown), careful, _notes(report))


def _warnings(report: ReportData) -> list[str]:
    corpus, found = report.corpus, []
    if report.interrupted:
        found.append("The comparison was interrupted; only finished folds are counted.")
    if corpus.leaked:
        share = corpus.leaked / corpus.n_documents
        found.append(
            f"Likely leakage: {count(corpus.leaked)} held-out documents ({share:.1%}) are also in "
            "the training rows of their fold. Scores may be too high; remove duplicates or use "
            "groups."
        )
    if corpus.conflicting_groups:
        found.append(
            f"{count(corpus.conflicting_groups)} texts have more than one label "
            f"({count(corpus.conflicting_documents)} documents); no model gets them all right."
        )
    if corpus.empty or corpus.missing:
        found.append(
            f"{count(corpus.empty)} documents are empty and {count(corpus.missing)} are missing; "
            "they are predicted from the class sizes alone."
        )
    failed = [row.title for row in report.leaderboard if row.error is not None]
    if failed:
        found.append(f"Not finished: {', '.join(failed)}. The leaderboard says why.")
    return found


def _notes(report: ReportData) -> str:
    items = "".join(f'<li dir="auto">{esc(note)}</li>' for note in report.notes)
    return f"<h3>What was decided</h3><ul>{items}</ul>" if items else ""


def data(report: ReportData, charts: list[Chart]) -> str:
    """Return the section about the documents."""
    corpus = report.corpus
    shown = facts(
        [
            ("Documents", count(corpus.n_documents)),
            ("Words, median", number(corpus.words_median)),
            ("Words, mean", number(corpus.words_mean)),
            ("Words, most", count(corpus.words_max)),
            ("Empty", count(corpus.empty)),
            ("Missing", count(corpus.missing)),
            ("Exact duplicates", count(corpus.exact_duplicates)),
            ("Near duplicates", count(corpus.near_duplicates)),
        ]
    )
    words = _charts.histogram_chart(
        "chart-words", "Lengths", _lengths(corpus), corpus.words, "Words in a document"
    )
    balance = _balance(report)
    charts.extend([words, balance])
    figures = f'<div class="pair">{figure(words)}{figure(balance)}</div>'
    return section(
        "data", "The data", shown, figures, _duplicates(corpus, bool(corpus.class_counts))
    )


def _lengths(corpus: CorpusSummary) -> str:
    longer = (
        f" {count(corpus.words.above)} longer ones are not drawn." if corpus.words.above else ""
    )
    return f"Half of the documents have up to {number(corpus.words_median)} words.{longer}"


def _balance(report: ReportData) -> Chart:
    counts = report.corpus.class_counts
    if not counts:
        target = report.corpus.target
        assert target is not None  # numbers are predicted where there are no classes
        caption = "How often each number is there."
        return _charts.histogram_chart(
            "chart-target", "Numbers to predict", caption, target, "Number"
        )
    most = max(counts, key=lambda item: item[1])
    total = sum(number for _, number in counts) or 1
    caption = f"The largest class, {most[0]}, has {most[1] / total:.1%} of the documents."
    shown = counts
    if len(counts) > _MOST_CLASSES:
        shown = sorted(counts, key=lambda item: -item[1])[:_MOST_CLASSES]
        caption += f" The {_MOST_CLASSES} largest of {count(len(counts))} classes are shown."
    return _charts.balance_chart(shown, caption)


def _duplicates(corpus: CorpusSummary, classes: bool) -> str:
    if not corpus.near_duplicates:
        return "<h3>Repeated documents</h3><p>No document is there twice.</p>"
    quality = "accuracy" if classes else "mean absolute error"
    text = (
        f"<p>{count(corpus.near_duplicates)} documents repeat an earlier one, up to case and white "
        f"space; {count(corpus.exact_duplicates)} of them to the letter. "
        f"{count(corpus.leaked)} held-out documents have their like in the training rows.</p>"
    )
    if corpus.score_leaked is not None and corpus.score_clean is not None:
        text += (
            f"<p>The best model's {quality} is {score(corpus.score_leaked)} on documents that are "
            f"also in the training rows and {score(corpus.score_clean)} on the others.</p>"
        )
    rows = [[group.text, group.count, ", ".join(group.labels)] for group in corpus.examples]
    heads = ["Text", "Documents", "Labels" if classes else "Numbers"]
    examples = table(heads, rows, "Examples of repeated documents", kind="texts") if rows else ""
    return f"<h3>Repeated documents</h3>{text}{examples}"


def leaderboard(report: ReportData, charts: list[Chart]) -> str:
    """Return the models, ranked."""
    metric = metric_name(report.metric)
    chart = _charts.scores_chart(
        report.leaderboard,
        metric,
        f"Mean {metric} over the folds and its 95% interval; models whose intervals overlap "
        "may still differ, since all saw the same folds: see the p-values.",
    )
    charts.append(chart)
    note = (
        '<p class="note">Larger is better for every score; errors are shown as negative numbers. '
        "p: the probability of so large a difference to the best model by chance, by the corrected "
        "resampled t-test of Nadeau and Bengio. Times are means for one fold.</p>"
    )
    return section("leaderboard", "Leaderboard", _board(report), note, figure(chart))


def _board(report: ReportData) -> str:
    others = [metric for metric in report.metrics if metric != report.metric]
    heads = [
        "Model",
        metric_name(report.metric),
        "95% interval",
        "p",
        *map(metric_name, others),
        "Tune",
        "Fit",
        "Predict",
        "Memory",
    ]
    head = "".join(sorting_head(name, is_number=k > 0) for k, name in enumerate(heads))
    body = "".join(_board_row(row, others) for row in report.leaderboard)
    return (
        '<div class="box" tabindex="0" role="region" aria-label="Leaderboard">'
        '<table class="sortable"><caption class="hidden">Models by score. The heads are buttons '
        f"that sort.</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _board_row(row: LeaderboardRow, others: list[str]) -> str:
    name = f'<th scope="row" dir="auto" data-value="{row.rank:06d}">{esc(row.title)}'
    if row.error is not None:
        reason = f'<td colspan="{len(others) + 7}">{esc(row.error)}</td>'
        return f'<tr class="failed">{name}</th>{reason}</tr>'
    badge = ' <span class="badge">best</span>' if row.rank == 1 else ""
    between = f"{score(row.low)} to {score(row.high)}" if row.low is not None else "–"
    cells = [
        (row.mean, score(row.mean)),
        (row.low, between),
        (row.p_value, "–" if row.p_value is None else _p(row.p_value)),
        *[(row.others.get(metric), score(row.others.get(metric))) for metric in others],
        (row.tune_seconds, duration(row.tune_seconds)),
        (row.fit_seconds, duration(row.fit_seconds)),
        (row.predict_seconds, duration(row.predict_seconds)),
        (row.peak_mb, megabytes(row.peak_mb)),
    ]
    inside = "".join(
        sorted_cell(None if value is None else float(value), esc(shown)) for value, shown in cells
    )
    return f"<tr>{name}{badge}</th>{inside}</tr>"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def cost(report: ReportData, charts: list[Chart]) -> str:
    """Return time and memory."""
    chart = _charts.time_chart(
        report.leaderboard,
        f"Means for one fold. The whole comparison took {duration(report.seconds)}.",
    )
    charts.append(chart)
    rows = [
        [row.title, megabytes(row.peak_mb)] for row in report.leaderboard if row.peak_mb is not None
    ]
    memory = (
        table(["Model", "Memory"], rows, "Most memory above what was there before") if rows else ""
    )
    title = "<h3>Memory</h3>" if memory else ""
    return section("cost", "Time and memory", figure(chart), title, memory)
