"""From the data of a report on topics to one HTML file that needs nothing else."""

from __future__ import annotations

from quire.report._charts import Chart
from quire.report._html import (
    boxed_table,
    count,
    esc,
    figure,
    number,
    score,
    section,
    sorted_cell,
    sorting_head,
    table,
)
from quire.report._page_parts import facts, repeat_section, time_fact, warning_box
from quire.report._render import asset, script_with_data, whole_page
from quire.report._topics_charts import (
    clearest_chart,
    correlation_chart,
    quality_chart,
    selected_chart,
    topic_label,
    trace_chart,
)
from quire.report._topics_data import TopicReportData
from quire.report._topics_explorer import chooser, explorer, explorer_data

__all__ = ["render_topics"]

_FAR_APART = 1.1  # of R-hat
_LOW_DIVERSITY = 0.5


def render_topics(data: TopicReportData) -> str:
    """Return a report on topics as HTML.

    Parameters
    ----------
    data : TopicReportData
        From :func:`summarise_topics`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    charts: list[Chart] = []
    sections = [
        ("short", "In short", _in_short(data)),
        ("explore", "Topics and their words", explorer(data)),
        ("table", "All topics", _table(data)),
        ("prevalence", "Prevalence", _prevalence(data, charts)),
        ("quality", "Quality", _quality(data, charts)),
        ("together", "Topics together", _together(data, charts)),
        ("convergence", "Convergence", _convergence(data, charts)),
        ("repeat", "To repeat it", repeat_section(data.settings, data.versions)),
    ]
    about = f"{len(data.topics)} topics of {count(data.n_documents)} documents. {data.created}."
    scripts = script_with_data("topics.js", "topic-data", explorer_data(data))
    style = asset("controls.css") + asset("topics.css")
    return whole_page(data.title, esc(about), sections, charts, style=style, scripts=scripts)


def _in_short(data: TopicReportData) -> str:
    largest = max(data.topics, key=lambda topic: topic.share)
    lead = (
        f'<p class="lead"><strong>{len(data.topics)} topics</strong> in '
        f"{count(data.n_documents)} documents. The largest, topic "
        f"{largest.topic} ({esc(largest.name or ' '.join(largest.words[:5]))}), has "
        f"{largest.share:.1%} of all words.</p>"
    )
    shown = [
        ("Documents", count(data.n_documents)),
        ("Distinct words", count(data.n_words)),
        ("Words in all", count(int(data.n_tokens)) if data.n_tokens else "–"),
        ("Method", data.method),
        ("Iterations", count(data.n_iterations)),
        ("Diversity", score(data.diversity)),
    ]
    if data.mean_coherence is not None:
        shown.insert(5, (f"Coherence ({data.measure})", score(data.mean_coherence)))
    shown += time_fact(data.settings)
    return section("short", "In short", lead, facts(shown), warning_box(_warnings(data)))


def _warnings(data: TopicReportData) -> list[str]:
    found = []
    if data.interrupted:
        found.append("The fit was interrupted; the topics are what was learned so far.")
    elif data.converged is False and data.traces:
        found.append("The log-likelihood was still growing when the sweeps ran out; use more.")
    if data.r_hat is not None and data.r_hat > _FAR_APART:
        found.append(
            f"The chains do not agree (R-hat {data.r_hat:.2f}): other seeds give other topics."
        )
    if data.diversity < _LOW_DIVERSITY:
        found.append(
            f"Topics share their top words (diversity {data.diversity:.2f}): use fewer topics, or "
            "leave out words that are in many documents."
        )
    if data.n_empty:
        found.append(f"{count(data.n_empty)} documents are empty; their shares are the prior's.")
    return [*found, *data.notes]


def _table(data: TopicReportData) -> str:
    has_names = any(topic.name for topic in data.topics)
    head = sorting_head("Topic", is_number=False)
    head += "".join(map(sorting_head, ("Share", "Main in", "Coherence", "Exclusivity")))
    head += '<th scope="col">Words</th>'
    rows = []
    for one in sorted(data.topics, key=lambda topic: -topic.share):
        cells = sorted_cell(one.share, f"{one.share:.1%}")
        cells += sorted_cell(one.documents, count(one.documents))
        cells += sorted_cell(one.coherence) + sorted_cell(one.exclusivity)
        name = topic_label(data, one.topic) if has_names else str(one.topic)
        rows.append(
            f'<tr><th scope="row" data-value="{one.topic}"><a href="#explore" '
            f'data-pick="{one.topic}">{esc(name)}</a></th>{cells}'
            f'<td dir="auto">{esc(" ".join(one.words))}</td></tr>'
        )
    note = (
        '<p class="note">Numbers are those of the model, from 0. Share: of all words. Main in: '
        "documents of which it is the largest topic. Words: the most relevant at λ = 0.6.</p>"
    )
    body = boxed_table(head, rows, "All topics", kind="sortable topics")
    return section("table", "All topics", body, note)


def _prevalence(data: TopicReportData, charts: list[Chart]) -> str:
    found = data.prevalence
    if found is None:
        return ""
    largest = max(data.topics, key=lambda topic: topic.share).topic
    own = [selected_chart(data, found, largest), clearest_chart(data, found)]
    charts.extend(own)
    missing = f"{count(found.n_missing)} documents without it are left out. "
    more = f"The largest groups are shown; {found.left_out} more are left out. "
    intro = (
        f"<p>Shares of topics by <strong>{esc(found.by)}</strong>, in "
        f"{count(found.n_documents)} documents. {missing if found.n_missing else ''}"
        f"{more if found.left_out else ''}Intervals are for one topic at a time: of a hundred "
        "topics, five will seem to differ where nothing does.</p>"
    )
    rows = [
        [topic_label(data, topic, 3), name, *(f"{value:+.3f}" for value in values)]
        for topic, name, *values in found.contrasts
    ]
    heads = ["Topic", "Difference", "Estimate", "Low", "High"]
    clearest = "<h3>The clearest differences</h3>" + table(heads, rows, "Differences of shares")
    return section(
        "prevalence",
        "Prevalence",
        intro,
        chooser(data, "prevalence"),
        figure(own[0]),
        figure(own[1]),
        clearest,
    )


def _quality(data: TopicReportData, charts: list[Chart]) -> str:
    chart = quality_chart(data)
    if chart is None:
        return ""
    charts.append(chart)
    intro = (
        f"<p>Coherence ({esc(data.measure)}) tells whether the top words of a topic occur "
        "together, exclusivity whether they are its own. Diversity, "
        f"{score(data.diversity)} here, is the share of different words among the top words of "
        "all topics.</p>"
    )
    return section("quality", "Quality", intro, figure(chart))


def _together(data: TopicReportData, charts: list[Chart]) -> str:
    if not data.pairs:
        return ""
    parts = []
    chart = correlation_chart(data)
    if chart is not None:
        charts.append(chart)
        parts.append(figure(chart))
    rows = [
        [
            topic_label(data, pair.one, 4),
            topic_label(data, pair.other, 4),
            f"{pair.correlation:+.2f}",
        ]
        for pair in data.pairs
    ]
    heads = ["Topic", "Topic", "Correlation"]
    pairs = "<h3>The strongest pairs</h3>" + table(heads, rows, "The strongest pairs of topics")
    return section("together", "Topics together", *parts, pairs)


def _convergence(data: TopicReportData, charts: list[Chart]) -> str:
    if not data.traces:
        return ""
    caption = "The sampler has settled where the line is flat."
    if data.r_hat is not None:
        caption += f" R-hat of the chains is {number(data.r_hat)}; near 1 they agree."
    chart = trace_chart(data.traces, caption)
    charts.append(chart)
    return section("convergence", "Convergence", figure(chart))
