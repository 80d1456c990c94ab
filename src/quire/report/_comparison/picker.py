"""A list to choose from, which leaves only what is of the chosen class; a script shows it."""

from __future__ import annotations

from collections.abc import Sequence

from quire._shared.page.html import Html, html, join

__all__ = ["picker"]


def picker(name: str, label: str, values: Sequence[str], among: str) -> Html:
    """Return a list of values; one that is chosen hides what is not of it.

    Parameters
    ----------
    name : str
        The id of the list.
    label : str
        What the values are.
    values : sequence of str
        Each once.
    among : str
        A CSS selector of what is hidden or shown. Such an element has the value in ``data-is``, and
        a further one in ``data-or``.
    """
    options = join(
        html('<option value="{}">{}</option>', place, one) for place, one in enumerate(values)
    )
    return html(
        '<div class="controls js"><label>{label} <select class="pick" id="{name}" '
        'data-among="{among}"><option value="">All</option>{options}</select></label></div>',
        label=label,
        name=name,
        among=among,
        options=options,
    )
