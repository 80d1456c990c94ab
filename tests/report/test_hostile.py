"""Whatever strings the data of a report holds, they are text on its page and in its scripts."""

import dataclasses
import json
import re

import pytest
from tests.helpers.pages import Page
from tests.helpers.reports import KINDS

HOSTILE = "</script><script>alert(\"x\")</script><!-- & 'y' {0} <b "
SAID = {"kind", "layout", "places", "scheme"}  # fields that choose what is drawn, or are not text
# Names that quire gives in what says which data a page was made from.
DIGESTS = {"data", "inputs", "role", "name", "rows", "n", "texts", "labels", "columns", "sha256"}


def hostile(value):
    """Return data with every string in it made hostile."""
    if isinstance(value, str):
        return HOSTILE + value
    if dataclasses.is_dataclass(value):
        own = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        changed = {name: one if name in SAID else hostile(one) for name, one in own.items()}
        return type(value)(**changed)
    if isinstance(value, dict):
        names = {"class", "command", "seconds", *DIGESTS}
        return {key if key in names else hostile(key): hostile(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(hostile, value))
    return value


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_string_of_the_data_stays_text(make):
    data, show = make()
    plain, page = Page(show(data)), Page(show(hostile(data)))
    assert page.problems == plain.problems == []
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    for (_, before), (_, after) in zip(plain.tags, page.tags, strict=True):
        assert list(before) == list(after) or set(before) ^ set(after) == {"class"}
    said = [text for _, text in page.scripts]
    assert 'alert("x")' not in "".join(said)
    assert not any(re.match(r'\s*[\[{]".*</?script', text, re.DOTALL) for text in said)
    data_of_scripts = [text for text in said if re.match(r'\{["}]', text)]
    assert data_of_scripts
    for text in data_of_scripts:
        json.loads(text)
    text = "".join(page.text)
    assert text.count('<script>alert("x")</script>') >= 10
    assert "&lt;" not in text  # nothing is escaped twice


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_all_reports_have_one_frame(make):
    data, show = make()
    page = Page(show(data))
    policy = next(a["content"] for _, a in page.tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none'")
    sections = [a["id"] for tag, a in page.tags if tag == "section"]
    links = [a["href"] for tag, a in page.tags if tag == "a" and a.get("class") != "skip"]
    assert [f"#{name}" for name in sections] == links[: len(sections)]
    assert sections[-1] == "repeat"
    assert all(link.startswith("#") for link in page.references)
    assert [tag for tag, _ in page.tags].count("h1") == 1
