"""The forms of an explanation: text, terminal, HTML."""

import io
import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quire.feature_extraction.text import CountVectorizer
from quire.inspection import explain
from quire.inspection._as_html import _STYLE
from quire.linear_model import LogisticRegression
from quire.naive_bayes import MultinomialNB

TEXTS = ["good plot good cast", "fine film", "bad plot", "dull film bad cast"]
LABELS = ["pos", "pos", "neg", "neg"]


@pytest.fixture(scope="module")
def model():
    return make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, LABELS)


class Reader(HTMLParser):
    """Collects tags and text, and holds tags to be closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader


def test_lines(model):
    explanation = explain(model, "Good, good film, bad story", n_terms=2)
    lines = str(explanation).splitlines()
    assert lines[0] == f"{explanation.score:+10.4f}  pos rather than neg (probability 0.75)"
    assert lines[1] == "   +0.0000  before anything is read"
    assert lines[2] == "   +2.1972  good x 2"
    assert lines[3] == "   -1.0986  bad"
    assert lines[4] == "   +0.0000  1 other term"
    assert lines[5] == "1 of 5 words is not known to the model."
    assert len(explanation.terms) == 3
    assert len(explanation.table(0).splitlines()) == 4
    assert "Explanation: +1.0986" in repr(explanation)


def test_an_empty_text_is_decided_by_the_prior():
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS[1:], LABELS[1:])
    explanation = explain(model, "")
    assert explanation.target == "neg"
    assert explanation.score == explanation.offset == pytest.approx(np.log(2))
    assert "The text is empty: prior or intercept alone decide." in str(explanation)
    assert "The model knows no term of the text" in str(explain(model, "unheard of"))
    assert read(explanation.to_html()).seen


def test_terms_that_speak_by_being_absent():
    texts, labels = TEXTS * 3, LABELS * 3
    dense = make_pipeline(CountVectorizer(), _Dense(), StandardScaler(), LogisticRegression())
    explanation = explain(dense.fit(texts, labels), "good film")
    assert len(explanation.terms) == 7
    assert len(explanation.spans) == 2
    assert "5 terms that are not in the text contribute by being absent." in str(explanation)
    total = explanation.offset + sum(term.contribution for term in explanation.terms)
    sign = 1 if explanation.target == "pos" else -1
    assert abs(total - sign * dense.decision_function(["good film"])[0]) < 1e-10


class _Dense(StandardScaler):
    """Keeps columns, and stores their zeros."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X.toarray()


def test_html_is_escaped(model):
    text = "<script>alert('good')</script> & \"bad\" film \x1b[31m"
    reader = read(explain(model, text).to_html())
    assert "script" not in {tag for tag, _ in reader.seen}
    shown = "".join(reader.text)
    assert text.replace("\x1b", "␛") in shown
    named = make_pipeline(CountVectorizer(token_pattern=r"\S+"), MultinomialNB())
    named.fit(["<b>bold</b> word", "plain word"], ["<i>", "&"])
    reader = read(explain(named, "<b>bold</b>")._repr_html_())
    assert not {"b", "i"} & {tag for tag, _ in reader.seen}
    assert "<i> rather than &" in "".join(reader.text)


def test_html_marks_words_with_their_numbers(model):
    explanation = explain(model, "good bad film")
    html = explanation.to_html()
    marks = [attrs for tag, attrs in read(html).seen if tag == "mark" and "title" in attrs]
    assert len(marks) == 2  # film says nothing
    classes = {attrs["title"]: attrs.get("class") for attrs in marks}
    assert classes == {"+1.099": None, "-1.099": "qe-against"}
    assert f"for {explanation.target}" in html
    assert f"for {explanation.against}" in html
    assert all(re.fullmatch(r"--qe-a:0\.\d\d", attrs["style"]) for attrs in marks)
    assert "prefers-color-scheme:dark" in html
    assert "http" not in html
    tags = [tag for tag, _ in read(html).seen]
    assert {"table", "caption", "th"} <= set(tags)
    assert 'scope="row"' in html


def test_html_of_many(model):
    found = explain(model, ["good"] * 25)
    html = found._repr_html_()
    assert html.count("<table>") == 20
    assert "and 5 more" in html
    assert found.to_html(n_terms=0).count("<table>") == 25
    assert str(found[:2]).count("pos rather than neg") == 2
    assert repr(found) == "<Explanations of 25 documents>"


def rendered(thing, **options):
    console = Console(file=io.StringIO(), **options)
    console.print(thing)
    return console.file.getvalue()


def test_terminal(model):
    explanation = explain(model, "A good film\x1b[2J with [bold]bad[/bold] scenes")
    coloured = rendered(explanation, force_terminal=True, color_system="truecolor", width=80)
    assert ";48;2;" in coloured
    assert "\x1b[2J" not in coloured
    plain = rendered(explanation, color_system=None, width=80)
    assert "\x1b" not in plain
    assert "[bold]bad[/bold]" in plain
    assert re.search(r"[+-]\d\.\d{4}  good", plain)
    narrow = rendered(explanation.to_rich(width=24), color_system=None, width=200)
    assert max(map(len, narrow.splitlines())) <= 24
    both = rendered(explain(model, ["good", "bad"]), color_system=None, width=80)
    assert "pos rather than neg" in both
    assert "neg rather than pos" in both


def test_endless_evidence_is_shown():
    model = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0)).fit(TEXTS, LABELS)
    explanation = explain(model, "good film")
    assert explanation.score == np.inf
    assert "+inf" in str(explanation)
    assert read(explanation.to_html()).seen
    assert "+inf" in rendered(explanation, color_system=None, width=80)
    both = explain(model, "good bad")
    assert np.isfinite(both.score)
    assert read(both.to_html()).seen


def test_an_excerpt_is_where_the_words_are(model):
    text = "one two three " * 200 + "a good plot and a good cast " + "four five " * 300
    explanation = explain(model, text)
    shown = re.sub(r"<[^>]*>", "", explanation.to_html(max_chars=60).split("</style>")[1])
    first = shown.strip().splitlines()[1]
    assert "a good plot and a good cast" in first
    assert first.startswith("… ")
    assert first.endswith(" …")
    assert len(first) <= 66
    assert set(first.split()) <= set(text.split()) | {"…"}
    whole = rendered(explanation.to_rich(max_chars=10**6), color_system=None, width=80)
    assert whole.count("four five") > 200
    part = rendered(explanation.to_rich(max_chars=40), color_system=None, width=80)
    assert part.count("four five") < 3
    unknown = rendered(explain(model, "x " * 99).to_rich(max_chars=9), color_system=None)
    assert "x x" in unknown


def luminance(colour):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def from_hex(digits):
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    return np.frombuffer(bytes.fromhex(digits), dtype=np.uint8) / 255


def test_marked_words_can_be_read_in_light_and_dark():
    schemes = str(_STYLE).split("@media")
    assert len(schemes) == 2
    for scheme in schemes:
        ink, back = (
            from_hex(re.search(rf"--qe-{name}:#(\w+)", scheme)[1]) for name in ("ink", "back")
        )
        for hue in ("for", "against"):
            numbers = re.search(rf"--qe-{hue}:([\d,]+)", scheme)[1].split(",")
            mixed = 0.5 * np.array([int(c) / 255 for c in numbers]) + 0.5 * back
            light, dark = sorted([luminance(ink), luminance(mixed)], reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_pickled(model):
    explanation = explain(model, "good bad film")
    again = pickle.loads(pickle.dumps(explanation))
    assert again.to_dict() == explanation.to_dict()
    assert str(again) == str(explanation)


def test_blanks_of_character_ngrams_are_seen():
    model = make_pipeline(CountVectorizer(analyzer="char_wb", ngram_range=(2, 2)), MultinomialNB())
    shown = str(explain(model.fit(TEXTS, LABELS), "bad"))
    assert "␣b" in shown
    assert "d␣" in shown
    blank = make_pipeline(CountVectorizer(analyzer="char", ngram_range=(1, 2)), MultinomialNB())
    assert "␣ x 2" in str(explain(blank.fit(TEXTS, LABELS), "a b c"))
