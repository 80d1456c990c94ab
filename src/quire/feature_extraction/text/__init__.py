"""From documents to a sparse matrix: counts, tf-idf weights, hashing.

The classes have scikit-learn's names, parameters, attributes and results; most documents never
become Python tokens, because the work is done by compiled kernels on the text where it lies.
Settings that the kernels do not know (a custom tokenizer, say) go through Python with equal
results; ``engine_`` says which of the two a vectorizer uses, and why.
"""

from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    strip_accents_ascii,
    strip_accents_unicode,
    strip_tags,
)

from quire.feature_extraction.text._class_counts import (
    ClassCounts,
    count_by_class,
    merge_class_counts,
)
from quire.feature_extraction.text._count import CountVectorizer
from quire.feature_extraction.text._counted import CountedDocuments
from quire.feature_extraction.text._hashing import HashingVectorizer
from quire.feature_extraction.text._stop_words import stop_words
from quire.feature_extraction.text._tfidf_of_texts import least_documents, tfidf_of_texts
from quire.feature_extraction.text._tfidf_transformer import TfidfTransformer
from quire.feature_extraction.text._tfidf_vectorizer import TfidfVectorizer

__all__ = [
    "ENGLISH_STOP_WORDS",
    "ClassCounts",
    "CountVectorizer",
    "CountedDocuments",
    "HashingVectorizer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "count_by_class",
    "least_documents",
    "merge_class_counts",
    "stop_words",
    "strip_accents_ascii",
    "strip_accents_unicode",
    "strip_tags",
    "tfidf_of_texts",
]
