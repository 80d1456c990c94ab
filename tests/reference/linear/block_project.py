"""A block made orthogonal to a basis, as two products."""


def block_project(Q, n_used, Z):
    """Return what is left of Z, and the coefficients of what was taken."""
    H = Q[:, :n_used].T @ Z
    return Z - Q[:, :n_used] @ H, H
