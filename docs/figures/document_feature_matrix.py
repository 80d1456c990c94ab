"""Texts, and the matrix of their counts."""

from parts import new_figure, shaded_table

from quire.feature_extraction.text import CountVectorizer


def picture():
    texts = ["The cat sat on the mat.", "The dog sat.", "Cat and dog, dog and cat!"]
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts).toarray()
    figure, ax = new_figure(height=1.9)
    shaded_table(ax, counts, texts, vectorizer.get_feature_names_out())
    return figure
