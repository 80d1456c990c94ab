"""The worked example of naive Bayes: what each word adds to the log-odds of the test document."""

from parts import new_figure, signed_bars

from quire.datasets import load_chinese_documents
from quire.inspection import explain
from quire.naive_bayes import MultinomialNB


def picture():
    example = load_chinese_documents()
    model = MultinomialNB().fit_text(example.texts, example.labels).to_pipeline()
    found = explain(model, example.test_text)
    figure, ax = new_figure(height=2.6)
    sign = 1 if str(found.target) == "c" else -1
    terms = sorted(found.terms, key=lambda term: -sign * term.contribution)
    names = ["before anything is read", *(f"{term.term} (× {term.value:g})" for term in terms)]
    values = [sign * found.offset, *(sign * term.contribution for term in terms)]
    signed_bars(ax, [*names, "together"], [*values, sum(values)], ("not China", "China"))
    ax.set_title(f"“{example.test_text}”")
    return figure
