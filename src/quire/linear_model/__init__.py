"""Linear models: least squares, ridge, lasso, logistic regression, ordered outcomes."""

__all__: list[str] = []
