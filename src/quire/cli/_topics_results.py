"""What ``quire topics`` found: as data, in files and on the screen."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire._shared.how_many import how_many
from quire.cli._provenance import this_command, where_from
from quire.cli._show import as_text, new_table, percent, working
from quire.cli._tables import dates_if_dates, write_columns

if TYPE_CHECKING:
    from rich.table import Table

    from quire.io import Corpus
    from quire.report import TopicReportData

__all__ = ["judged", "save_topics", "show_parts", "write_files"]

_CONTRASTS = 8
_DOCUMENTS, _FEW, _MANY = 5, 2, 100  # documents of a topic in a report; fewer of many topics


def judged(
    estimator: Any,
    corpus: Corpus,
    *,
    by: Any,
    time: Any = None,
    kind: str = "auto",
    every: str | None = None,
    names: dict[int, str],
    measure: str,
    top: int,
    with_documents: bool,
    origin: dict[str, Any],
    seconds: float,
) -> tuple[dict[str, Any], TopicReportData]:
    """Return what the command shows, and the data of the report.

    Parameters
    ----------
    estimator : LatentDirichletAllocation
        Fitted to the texts of the corpus.
    corpus : Corpus
        Documents.
    by : polars.Series, str or None
        A column to relate topics to, or a formula of columns of the corpus.
    time : polars.Series or None
        A column of dates or years.
    kind, every : str
        As for :func:`quire.topics.prevalence` and :func:`quire.topics.topics_over_time`.
    names : dict
        Names of topics.
    measure : str
        Of coherence, or "none".
    top : int
        Words for each topic.
    with_documents : bool
        Whether the report is wanted, which shows documents.
    origin : dict
        What identifies the data.
    seconds : float
        What the fit took.
    """
    from quire.report import summarise_topics
    from quire.topics import prevalence, topic_effects, topics_over_time

    found_by: Any = None
    if isinstance(by, str):
        found_by = topic_effects(estimator, by, data=_with_dates(corpus.frame))
    elif by is not None:
        found_by = prevalence(
            estimator, by, kind=kind, every=every if time is None or _is_date(by) else None
        )
    over_time = None
    if time is not None:
        over_time = topics_over_time(estimator, time, texts=corpus.texts, every=_span(every, time))
    source = Path(corpus.source).name
    n_documents = _DOCUMENTS if estimator.n_components <= _MANY else _FEW
    data = summarise_topics(
        estimator,
        corpus.texts,
        by=found_by,
        time=over_time,
        names=names,
        coherence=None if measure == "none" else measure,
        title=f"Topics of {source}" if source else None,
        n_terms=max(30, top),
        n_words=top,
        n_documents=n_documents if with_documents else 0,
        settings={"command": this_command(), "data": origin, "seconds": seconds},
    )
    trace = estimator.log_likelihood_trace_
    listed = [
        {
            "topic": one.topic,
            "name": one.name,
            "share": one.share,
            "documents": one.documents,
            "coherence": one.coherence,
            "exclusivity": one.exclusivity,
            "words": one.words,
        }
        for one in sorted(data.topics, key=lambda topic: -topic.share)
    ]
    column = None
    if isinstance(by, str):
        column = {"column": found_by.formula, "contrasts": found_by.contrasts().to_dicts()}
    elif found_by is not None:
        column = {"column": found_by.by, "contrasts": found_by.clearest().to_dicts()}
    trends = None
    if over_time is not None:
        trends = {
            "column": over_time.by,
            "unit": over_time.unit,
            "periods": [str(period) for period in over_time.periods],
            "trends": over_time.trends.sort("p", maintain_order=True).to_dicts(),
            "shares": over_time.table.with_columns(period=_as_words("period")).to_dicts(),
        }
    found = {
        "documents": len(corpus),
        "empty": data.n_empty,
        "terms": data.n_words,
        "words": int(data.n_tokens),
        "method": estimator.learning_method,
        "iterations": data.n_iterations,
        "interrupted": data.interrupted,
        "converged": data.converged,
        "r_hat": data.r_hat,
        "seconds": seconds,
        "log_likelihood": float(trace["log_likelihood"][-1]) if len(trace) else None,
        "coherence": {"measure": data.measure, "mean": data.mean_coherence},
        "diversity": data.diversity,
        "notes": data.notes,
        "topics": listed,
        "by": column,
        "time": trends,
        "settings": _settings(estimator),
    }
    return found, data


def _as_words(name: str) -> Any:
    import polars as pl

    return pl.col(name).cast(pl.String)


def _is_date(column: Any) -> bool:
    return bool(column.dtype.is_temporal())


def _span(every: str | None, time: Any) -> Any:
    """Return the length of a period: of numbers a number."""
    return every if every is None or _is_date(time) else every.rstrip("y")


def _with_dates(frame: Any) -> Any:
    """Return a table whose words that are dates are dates."""
    return frame.with_columns(dates_if_dates(column) for column in frame.get_columns())


def _settings(estimator: Any) -> dict[str, Any]:
    vectorizer = estimator.vectorizer_
    return {
        "topics": estimator.n_components,
        "alpha": estimator.doc_topic_prior,
        "beta": estimator.topic_word_prior,
        "iterations": estimator.max_iter,
        "chains": estimator.n_chains,
        "seed": estimator.random_state,
        "seed_words": {str(k): words for k, words in (estimator.seed_words or {}).items()},
        "min_df": vectorizer.min_df,
        "max_df": vectorizer.max_df,
        "ngrams": list(vectorizer.ngram_range),
        "stop_words": len(vectorizer.stop_words or ()),
    }


def write_files(
    estimator: Any,
    corpus: Corpus,
    found: dict[str, Any],
    data: TopicReportData,
    origin: dict[str, Any],
    *,
    report: str | None,
    model: str | None,
    shares: str | None,
    escape: bool = False,
) -> list[str]:
    """Write what was asked for; return the paths."""
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import TopicReport, render_topics

            TopicReport(data, render_topics(data)).save(report)
    if model is not None:
        with working(f"Saving {model}"):
            save_topics(estimator, corpus, found, origin, model)
    if shares is not None:
        with working(f"Writing {shares}"):
            import numpy as np

            from quire._shared.tables import topic_columns

            counts = estimator.vectorizer_.transform(corpus.texts)
            has_words = np.asarray(counts.sum(axis=1)).ravel() > 0
            added = topic_columns(estimator.theta_, has_words=has_words)
            write_columns(corpus, added, shares, escape=escape)
    return [path for path in (report, model, shares) if path is not None]


def save_topics(
    estimator: Any, corpus: Corpus, found: dict[str, Any], origin: dict[str, Any], path: str
) -> None:
    """Save a topic model with what its card says."""
    import quire

    saved = copy.copy(estimator)
    saved.theta_samples_ = None  # only the intervals needed them
    quire.save(
        saved,
        path,
        settings=found["settings"],
        metadata={
            "title": how_many(len(found["topics"]), "topic"),
            "task": "topics",
            "documents": len(corpus),
            "source": Path(corpus.source).name,
            "text": list(corpus.text_columns),
            "names": {str(one["topic"]): one["name"] for one in found["topics"] if one["name"]},
            "shares": {str(one["topic"]): round(one["share"], 6) for one in found["topics"]},
            "coherence": found["coherence"],
            "diversity": found["diversity"],
            "log_likelihood": found["log_likelihood"],
            "provenance": where_from(origin, estimator.random_state),
        },
    )


def show_parts(found: dict[str, Any], counted: str) -> list[Any]:
    """Return what to print: a title, the topics, differences, and the numbers of the model.

    Parameters
    ----------
    found : dict
        From :func:`judged`.
    counted : str
        Which words were counted.
    """
    parts = [*_by_column(found), *_over_time(found)]
    return [_title(found), counted, _topics(found), *parts, _verdict(found)]


def _title(found: dict[str, Any]) -> str:
    unit = "sweep" if found["method"] == "gibbs" else "pass"
    ended = ""
    if found["interrupted"]:
        ended = " (stopped early)"
    elif found["method"] == "gibbs":
        ended = " (settled)" if found["converged"] else " (still growing)"
    return (
        f"{how_many(found['documents'], 'document')}, {how_many(found['terms'], 'term')}, "
        f"{how_many(len(found['topics']), 'topic')}, {how_many(found['iterations'], unit)}{ended}"
    )


def _verdict(found: dict[str, Any]) -> str:
    said = [f"diversity {found['diversity']:.2f}"]
    if found["coherence"]["mean"] is not None:
        said.insert(0, f"mean {found['coherence']['measure']} {found['coherence']['mean']:.3f}")
    if found["log_likelihood"] is not None:
        said.append(f"log-likelihood per word {found['log_likelihood']:.3f}")
    if found["r_hat"] is not None:
        said.append(f"R-hat of the chains {found['r_hat']:.2f}")
    from quire._shared.page.sections import without_terms

    notes = [*without_terms(found["empty"], "topic"), *found["notes"]]
    return "\n".join([", ".join(said), *notes])


def _by_column(found: dict[str, Any]) -> list[Any]:
    if found["by"] is None:
        return []
    table = new_table()
    for head in ("topic", "difference", "estimate", "95% interval", "p corrected"):
        right = head != "difference"
        table.add_column(head, justify="right" if right else "left", no_wrap=right)
    for one in found["by"]["contrasts"][:_CONTRASTS]:
        numbers = f"{one['lower']:+.3f} to {one['upper']:+.3f}"
        what = one["difference"]
        if "column" in one:
            what = f"{one['column']}: {what}"
        cells = [str(one["topic"]), what, f"{one['estimate']:+.3f}", numbers, _p(one)]
        table.add_row(*map(as_text, cells))
    return [f"The clearest differences by {found['by']['column']}", table]


def _over_time(found: dict[str, Any]) -> list[Any]:
    if found["time"] is None:
        return []
    shares: dict[int, list[float]] = {}
    for one in found["time"]["shares"]:
        shares.setdefault(one["topic"], []).append(one["share"])
    periods = found["time"]["periods"]
    table = new_table()
    for head in ("topic", periods[0], periods[-1], f"trend per {found['time']['unit']}"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("p corrected", justify="right", no_wrap=True)
    for one in found["time"]["trends"][:_CONTRASTS]:
        own = shares[one["topic"]]
        trend = f"{one['estimate']:+.4f}"
        cells = [str(one["topic"]), percent(own[0]), percent(own[-1]), trend, _p(one)]
        table.add_row(*map(as_text, cells))
    return [f"The clearest trends over {found['time']['column']}", table]


def _p(one: dict[str, Any]) -> str:
    p = one["p_corrected"]
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _topics(found: dict[str, Any]) -> Table:
    """Return the topics, the largest first."""
    measure = found["coherence"]["measure"]
    table = new_table()
    table.add_column("topic", justify="right", no_wrap=True)
    if any(topic["name"] for topic in found["topics"]):
        table.add_column("name", overflow="fold")
    table.add_column("share", justify="right", no_wrap=True)
    if measure:
        table.add_column(measure, justify="right", no_wrap=True)
    table.add_column("words", overflow="fold")
    for topic in found["topics"]:
        cells = [str(topic["topic"])]
        if len(table.columns) == 4 + bool(measure):
            cells.append(topic["name"])
        cells.append(percent(topic["share"]))
        if measure:
            value = topic["coherence"]
            cells.append("" if value is None else f"{value:.3f}")
        # Words are data: Text keeps square brackets in them from being read as markup.
        table.add_row(*map(as_text, cells), as_text(" ".join(topic["words"])))
    return table
