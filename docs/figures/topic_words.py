"""The words of topics, each with its probability."""

from parts import new_figure

from quire._shared.plot import grid, line_style
from quire.decomposition import LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer


def picture():
    pets = ["cat dog garden basket cat", "dog cat chased garden", "kitten cat puppy dog basket"]
    tax = ["tax law votes tax", "votes court law tax", "court law judge votes"]
    rain = ["rain wind snow rain", "wind storm rain cloud", "snow cloud storm wind"]
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform((pets + tax + rain) * 10)
    model = LatentDirichletAllocation(3, random_state=0, max_iter=200).fit(X)
    names = vectorizer.get_feature_names_out()
    figure, axes = new_figure(3, height=2.4, sharex=True)
    for topic, ax in enumerate(axes):
        words = model.phi_[topic].argsort()[::-1][:5]
        colour = line_style(topic)["color"]
        ax.barh(range(5), model.phi_[topic, words], color=colour, height=0.7)
        ax.set_yticks(range(5), names[words])
        ax.invert_yaxis()
        ax.set_title(f"topic {topic}")
        grid(ax, axis="x")
    axes[1].set_xlabel("probability of the word in the topic")
    return figure
