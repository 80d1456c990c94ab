"""Coefficients of a lasso as the penalty is taken away: the most useful terms enter first."""

from parts import new_figure
from sklearn.datasets import load_diabetes

from quire.linear_model import Lasso
from quire.model_selection import regularization_path


def picture():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    path = regularization_path(Lasso(tol=1e-8), X, y, n_penalties=40)
    figure, ax = new_figure(height=3.4)
    path.plot(ax, n_terms=7)
    return figure
