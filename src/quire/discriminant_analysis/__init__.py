"""Fisher's discriminant and its relatives: classes by their means and one common covariance."""

__all__: list[str] = []
