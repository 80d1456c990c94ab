"""Reading components: loadings, the share of each variable, the scree plot and the biplot."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from quire._shared.plot import line_style, middle, new_axes, spread_labels, whole_numbers
from quire._shared.term_weights import TermWeight
from quire._shared.typing import Floats

__all__ = ["ComponentReading"]


class ComponentReading:
    """What can be read from fitted components; for classes with scikit-learn's attributes."""

    components_: Floats
    explained_variance_: Floats
    explained_variance_ratio_: Floats

    @property
    def loadings_(self) -> Floats:
        """Directions times standard deviations, of shape (n_features, n_components)."""
        check_is_fitted(self)
        loadings: Floats = self.components_.T * np.sqrt(self.explained_variance_)
        return loadings

    def contributions(self) -> Floats:
        """Return the share of every variable in every component; the shares of each add up to 1.

        Returns
        -------
        ndarray of shape (n_features, n_components)
            Squares of the components.
        """
        check_is_fitted(self)
        shares: Floats = self.components_.T**2
        return shares

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Any = None
    ) -> dict[int, list[TermWeight]]:
        """Return the variables that each component is made of, with their weights.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each component.
        feature_names : sequence of str, default=None
            Names; ``None`` means those of the training data, or x0, x1 and so on.

        Returns
        -------
        dict from component to list of TermWeight
            The heaviest first, be it above or below zero. The square of a weight is the share of
            the variable in the component.

        Raises
        ------
        ValueError
            If the names do not fit.
        """
        check_is_fitted(self)
        names = self._names(feature_names)
        order = np.argsort(-np.abs(self.components_), axis=1, kind="stable")[:, : max(n_terms, 0)]
        return {
            k: [TermWeight(names[j], float(self.components_[k, j])) for j in variables]
            for k, variables in enumerate(order)
        }

    def plot_scree(self, ax: Any = None) -> Any:
        """Draw the variances in falling order, with the shares that broken sticks would have.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; ``None`` makes a figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        check_is_fitted(self)
        ax = new_axes(ax)
        numbers = np.arange(1, len(self.explained_variance_ratio_) + 1)
        sticks = broken_sticks(min(self._sizes()))[: len(numbers)]
        ax.plot(numbers, self.explained_variance_ratio_, label="components", **line_style(0))
        ax.plot(numbers, sticks, label="broken stick", **line_style(1))
        ax.set_xlabel("component")
        whole_numbers(ax.xaxis)
        ax.set_ylabel("share of variance")
        ax.legend()
        return ax

    def plot_biplot(
        self,
        X: Any,
        *,
        components: tuple[int, int] = (0, 1),
        labels: Any = None,
        feature_names: Any = None,
        n_variables: int = 12,
        ax: Any = None,
    ) -> Any:
        """Draw samples as points and the strongest variables as arrows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        components : tuple of two int, default=(0, 1)
            Which components are the axes.
        labels : array-like of shape (n_samples,), default=None
            Colours the points.
        feature_names : sequence of str, default=None
            Names of the variables; ``None`` means those of the training data, or x0, x1 and so on.
        n_variables : int, default=12
            How many arrows.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; ``None`` makes a figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            If the model has no such components, or labels or names do not fit.
        """
        check_is_fitted(self)
        pair = list(components)
        if len(pair) != 2 or not all(0 <= c < len(self.components_) for c in pair):
            raise ValueError(
                f"components is {components}; expected two numbers from 0 to "
                f"{len(self.components_) - 1}. Fit more with n_components."
            )
        names = self._names(feature_names)
        points = np.asarray(self.transform(X))[:, pair]  # type: ignore[attr-defined]
        groups = np.zeros(len(points)) if labels is None else np.asarray(labels)
        if len(groups) != len(points):
            raise ValueError(f"labels has {len(groups)} entries; X has {len(points)} samples.")
        ax = new_axes(ax)
        for number, group in enumerate(np.unique(groups)):
            style = {**line_style(number), "linestyle": "", "alpha": 0.5}
            inside = groups == group
            ax.plot(points[inside, 0], points[inside, 1], label=str(group), **style)
        if labels is not None:
            ax.legend()
        arrows = self.loadings_[:, pair]
        lengths = np.linalg.norm(arrows, axis=1)
        scale = 0.9 * np.abs(points).max() / max(lengths.max(), np.finfo(float).tiny)
        names_drawn = []
        for j in np.argsort(-lengths, kind="stable")[:n_variables]:
            x, y = scale * arrows[j]
            ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": middle()})
            tip = {"ha": "left" if x >= 0 else "right", "va": "bottom" if y >= 0 else "top"}
            away = (3 if x >= 0 else -3, 2 if y >= 0 else -2)
            names_drawn.append(
                ax.annotate(names[j], (x, y), away, textcoords="offset points", **tip)
            )
        ax.set_xlabel(self._axis_label(pair[0]))
        ax.set_ylabel(self._axis_label(pair[1]))
        ax.margins(0.12)
        spread_labels(ax, names_drawn)
        return ax

    def _axis_label(self, component: int) -> str:
        share = self.explained_variance_ratio_[component]
        return f"component {component + 1} ({share:.1%} of variance)"

    def _sizes(self) -> tuple[int, int]:
        n_features = self.components_.shape[1]
        n_samples = getattr(self, "n_samples_", None)
        return int(n_features if n_samples is None else n_samples), int(n_features)

    def _names(self, feature_names: Any) -> list[str]:
        n_features = self.components_.shape[1]
        if feature_names is None:
            feature_names = getattr(self, "feature_names_in_", None)
        if feature_names is None:
            return [f"x{j}" for j in range(n_features)]
        if len(feature_names) != n_features:
            raise ValueError(
                f"feature_names has {len(feature_names)} names; this model was fitted on "
                f"{n_features} features."
            )
        return [str(name) for name in feature_names]


def broken_sticks(n: int) -> Floats:
    """Return the expected lengths of the pieces of a stick broken at random, by falling length.

    Parameters
    ----------
    n : int
        Number of pieces.
    """
    sticks: Floats = np.cumsum(1.0 / np.arange(n, 0, -1))[::-1] / n
    return sticks
