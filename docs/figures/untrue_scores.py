"""What folds say of a model, and what it does on new documents: copies, and a label in the text."""

import numpy as np
from parts import new_figure
from sklearn.pipeline import make_pipeline

from quire._shared.plot import grid, hatch, line_style, paper
from quire.datasets import make_text_classification
from quire.feature_extraction.text import TfidfVectorizer
from quire.model_selection import compare
from quire.svm import LinearSVC

NAMES = ("spam", "order")


def corpora():
    """Yield corpora with what is the matter with each, and with new documents to judge it by."""
    data = make_text_classification(1600, n_classes=2, separation=3.5, random_state=3)
    texts, labels = np.array(data.texts, dtype=object), np.array(NAMES)[data.y]
    new = texts[800:], labels[800:]
    rng = np.random.default_rng(0)
    copies = rng.integers(400, size=400)
    copied = np.concatenate([texts[:400], texts[copies]])
    yield "sound", texts[:800], labels[:800], new
    yield "half are copies", copied, np.concatenate([labels[:400], labels[copies]]), new
    marked = [
        f"{label}: {text}" if rng.random() < 0.5 else text
        for text, label in zip(texts[:800], labels[:800], strict=True)
    ]
    yield "the label in half of the texts", np.array(marked, dtype=object), labels[:800], new


def picture():
    model = make_pipeline(TfidfVectorizer(), LinearSVC(random_state=0))
    figure, ax = new_figure(height=3.0)
    names = []
    for place, (name, texts, labels, (new, truth)) in enumerate(corpora()):
        found = compare(texts.tolist(), labels, [("svm", model)], checks=False)
        said = found.best.scores["accuracy"].mean()
        true = (found.model.predict(new.tolist()) == truth).mean()
        for number, (side, value) in enumerate((("held out in folds", said), ("new", true))):
            ax.barh(
                place + 0.38 * number,
                value,
                height=0.36,
                color=line_style(number)["color"],
                hatch=hatch(number),
                edgecolor=paper(),
                label=side if place == 0 else None,
            )
            ax.annotate(f" {value:.2f}", (value, place + 0.38 * number), va="center")
        names.append(name)
    ax.set_yticks([place + 0.19 for place in range(len(names))], names)
    ax.invert_yaxis()
    ax.set_xlim(0.5, 1.05)
    ax.set_xlabel("accuracy on documents that are")
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, -0.24), ncols=2)
    grid(ax, axis="x")
    return figure
