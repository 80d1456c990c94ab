"""Probabilities of naive Bayes before and after calibration, and a threshold for F1."""

from parts import new_figure

from quire.calibration import CalibratedClassifier
from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression
from quire.model_selection import ThresholdClassifier
from quire.naive_bayes import MultinomialNB


def picture():
    data = make_text_classification(2000, n_classes=2, separation=4.0, random_state=2)
    keep = [k for k in range(2000) if data.y[k] == 0 or k % 3 == 0]
    texts = [data.texts[k] for k in keep]
    labels = ["ham" if data.y[k] == 0 else "spam" for k in keep]
    counts = CountVectorizer(min_df=2).fit_transform(texts)
    weights = TfidfVectorizer(min_df=2).fit_transform(texts)
    figure, (left, right) = new_figure(2, height=3.4)
    CalibratedClassifier(MultinomialNB(), method="isotonic").fit(counts, labels).plot_reliability(
        left
    )
    left.set_title("naive Bayes, calibrated")
    ThresholdClassifier(LogisticRegression()).fit(weights, labels).plot(right)
    right.set_title("logistic regression, F1")
    return figure
