"""A box in a page that classifies what a reader types, as the model of the report does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl

from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count, number
from quire._shared.page.sections import Section, note, paragraph, section
from quire._shared.page.shell import asset, script_with_data
from quire.report._try_it.packing import packed
from quire.report._try_it.parts import NoParts, parts_of
from quire.report._try_it.vocabulary import Agreement

__all__ = ["Example", "TryIt", "try_it_of", "try_it_scripts", "try_it_section", "try_it_styles"]

_LETTERS = 1_000_000  # that the model may take of a page, which is to stay below 3 MB
_SAMPLE = 2_000  # documents on which parts are tried and terms are weighed
_LONGEST = 50_000  # characters of them
_MOST_EXAMPLES = 12
_EXAMPLE = 1_200  # characters
_PACKAGE = "quire.report._try_it"


@dataclass(frozen=True)
class Example:
    """A document to begin with.

    Attributes
    ----------
    label : str
        Its class, or its number.
    text : str
        Its beginning.
    is_cut : bool
        Whether there is more of it.
    """

    label: str
    text: str
    is_cut: bool


@dataclass(frozen=True)
class TryIt:
    """The model of a report as its page has it.

    Attributes
    ----------
    model : str
        What it is called.
    reason : str or None
        Why there is none; ``None`` if there is one.
    payload : str
        The model, compressed, in letters.
    names : list of str
        Classes or labels, in the order of the model.
    n_terms, n_kept : int
        How many terms the model has, and the page.
    agreement : Agreement or None
        How the page does without the others.
    examples : list of Example
        Documents to begin with.
    """

    model: str
    reason: str | None = None
    payload: str = ""
    names: list[str] = field(default_factory=list)
    n_terms: int = 0
    n_kept: int = 0
    agreement: Agreement | None = None
    examples: list[Example] = field(default_factory=list)


def try_it_of(
    model: Any,
    title: str,
    column: pl.Series,
    groups: Sequence[tuple[str, Any]],
    names: dict[str, str],
) -> TryIt:
    """Return a fitted model for a page.

    Parameters
    ----------
    model : object
        A pipeline from texts.
    title : str
        What it is called.
    column : Series of str
        The documents.
    groups : sequence of (str, array of int)
        Labels, and rows of documents of each, for the examples.
    names : dict from str to str
        What classes are called, by themselves.
    """
    step = max(1, len(column) // _SAMPLE)
    sample = [(text or "")[:_LONGEST] for text in column.gather_every(step).to_list()]
    try:
        parts = parts_of(model, sample)
        made = packed(parts, sample, _LETTERS)
    except NoParts as reason:
        return TryIt(title, str(reason))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # A model of somebody's own; a report does not fail because of it.
        return TryIt(title, f"it could not be taken apart ({type(error).__name__})")
    classes = getattr(model, "classes_", [])
    listed = [names.get(str(one), str(one)) for one in np.asarray(classes).tolist()]
    examples = [_example(label, column, rows) for label, rows in groups[:_MOST_EXAMPLES]]
    return TryIt(
        title,
        None,
        made.payload,
        listed,
        made.n_terms,
        made.n_kept,
        made.agreement,
        [one for one in examples if one is not None],
    )


def _example(label: str, column: pl.Series, rows: Any) -> Example | None:
    """Return the document of middle length among those that are short enough, or a beginning."""
    rows = np.asarray(rows)[:_SAMPLE]
    texts = [
        (len(text), place, text) for place, row in enumerate(rows) if (text := column[int(row)])
    ]
    if not texts:
        return None
    texts.sort()
    short = [one for one in texts if one[0] <= _EXAMPLE] or texts[:1]
    text = short[len(short) // 2][2]
    return Example(label, text[:_EXAMPLE], len(text) > _EXAMPLE)


def try_it_section(data: TryIt | None) -> Section:
    """Return the box, or why there is none."""
    title = "Try it"
    if data is None:
        return section("try-it", title)
    if data.reason is not None:
        why = f"There is no box here to try {data.model} on a text: {data.reason}."
        return section("try-it", title, paragraph(why))
    about = (
        f"{data.model}, fitted to all documents, decides on what you write here, as you write it. "
        "It is in this page: nothing is sent anywhere. Click a word to leave it out."
    )
    return section("try-it", title, paragraph(about), _box(data), note(_holds(data)))


def _holds(data: TryIt) -> str:
    """Say what is in the page of the model."""
    size = f"{len(data.payload) / 1e6:.2g} MB" if len(data.payload) > 1e5 else "less than 0.1 MB"
    if data.agreement is None:
        return f"The page holds {count(data.n_terms)} of the model's terms, all of them ({size})."
    agreement = data.agreement
    asked = count(agreement.documents)
    always = agreement.same == agreement.documents
    same = "always" if always else f"{count(agreement.same)} times"
    return (
        f"The page holds the {count(data.n_kept)} of {count(data.n_terms)} terms that move scores "
        f"most ({size}). On {asked} documents that the model has learned from, the page decided as "
        f"the model {same}, and in 95 of 100 no score was off by more than "
        f"{number(agreement.error)}."
    )


def _box(data: TryIt) -> Html:
    buttons = join(
        html('<button type="button" data-example="{}">{}</button>', place, one.label)
        for place, one in enumerate(data.examples)
    )
    examples = NOTHING
    if data.examples:
        examples = html(
            '<div class="controls"><span class="soft" id="try-examples">'
            "Examples that the model has learned from:</span>"
            '<div class="examples" role="group" aria-labelledby="try-examples">{}</div></div>',
            buttons,
        )
    return html(_BOX, examples=examples)


_BOX = """<noscript><p class="warn">This needs JavaScript.</p></noscript>
<div class="try" hidden>
{examples}
<label for="try-text">Text</label>
<textarea id="try-text" rows="5" dir="auto" spellcheck="false" autocomplete="off"></textarea>
<p class="hidden" role="status" aria-live="polite" id="try-said"></p>
<p class="warn" id="try-problem" hidden></p>
<div id="try-result" hidden>
<p class="lead" id="try-verdict"></p>
<p class="soft" id="try-bound"></p>
<div id="try-classes"></div>
<p class="key" id="try-key"></p>
<div id="try-words" class="words" role="group" aria-label="Words of the text" dir="auto"></div>
<p id="try-unknown" class="soft"></p>
<p id="try-flip"></p>
<p class="controls"><span class="control" id="try-asked-control"><label for="try-asked">Reasons for
</label> <select id="try-asked"></select></span>
<button type="button" id="try-all" hidden>Take all words again</button></p>
<div class="box" tabindex="0" role="region" aria-label="What adds up to the score">
<table><caption class="hidden">What adds up to the score</caption>
<thead><tr><th scope="col">Term</th><th scope="col" class="n">Times</th>
<th scope="col" class="n">Adds</th></tr></thead>
<tbody id="try-terms"></tbody></table></div>
</div>
</div>"""


def try_it_styles() -> list[Html]:
    """Return the style of the box."""
    return [asset(_PACKAGE, "try_it.css")]


def try_it_scripts(data: TryIt | None) -> list[Html]:
    """Return the model and the scripts that ask it; none where there is no box."""
    if data is None or data.reason is not None:
        return []
    value = {
        "payload": data.payload,
        "names": data.names,
        "error": None if data.agreement is None else data.agreement.error,
        "examples": [asdict(one) for one in data.examples],
    }
    classify = html("<script>\n{}\n</script>\n", asset(_PACKAGE, "classify.js"))
    return [classify, script_with_data(asset(_PACKAGE, "try_it.js"), "try-data", value)]
