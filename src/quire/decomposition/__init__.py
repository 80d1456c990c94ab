"""Topics of documents, with scikit-learn's API."""

__all__: list[str] = []
