"""The words that mark one class against the other, as keyness draws them."""

from parts import new_figure

from quire.corpus import keyness
from quire.datasets import load_spam


def picture():
    data = load_spam()
    figure, ax = new_figure(height=4.2)
    keyness(data.texts, by=data.labels, target="spam").plot(8, ax)
    return figure
