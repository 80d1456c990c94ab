"""Data with a known truth: points from a mixture, and words of topics."""

from parts import new_figure

from quire._shared.plot import line_style
from quire.datasets import make_gaussian_mixture, make_lda_corpus


def picture():
    sample = make_gaussian_mixture(300, random_state=2)
    corpus = make_lda_corpus(30, n_topics=4, n_words=40, mean_length=60, random_state=0)
    figure, axes = new_figure(2, width=8.0, height=3.2)
    for number in range(3):
        style = line_style(number)
        mine = sample.X[sample.y == number]
        look = {"color": style["color"], "marker": style["marker"], "alpha": 0.7}
        axes[0].scatter(*mine.T, s=14, linewidths=0, **look)
    axes[0].set(title="make_gaussian_mixture", xlabel="$x_1$", ylabel="$x_2$")
    shown = axes[1].imshow(corpus.phi, aspect="auto", cmap="cividis")
    axes[1].set(title="make_lda_corpus", xlabel="word", ylabel="topic")
    axes[1].set_yticks(range(4))
    figure.colorbar(shown, ax=axes[1], label="probability")
    return figure
