"""Models compared on the same folds: means and intervals."""

from parts import new_figure

from quire.datasets import make_text_classification
from quire.model_selection import compare


def picture():
    data = make_text_classification(600, n_classes=3, separation=5.0, random_state=1)
    models = ["majority", "multinomial-nb", "complement-nb", "bernoulli-nb", "least-squares"]
    comparison = compare(
        data.texts, data.y, models=[*models, "logistic", "linear-svm", "nearest-neighbors"]
    )
    figure, ax = new_figure(height=3.0)
    comparison.plot(ax)
    return figure
