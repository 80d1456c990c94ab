"""From documents to numbers: vectorizers in ``text``, the choice of terms in ``select``."""
