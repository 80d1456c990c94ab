"""What holds for every picture: it needs nothing, is light or dark, and can be read."""

import inspect

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.text import Text

import quire.pictures as pictures
from quire._shared.plot import ink, paper, themed

FUNCTIONS = sorted(name for name in pictures.__all__ if name.islower())
QUICK = {  # the same pictures, of smaller experiments
    "bernoulli_and_multinomial": {"sizes": [5, 50], "cv": 2},
    "bias_and_variance": {"highest": 3, "n_resamples": 4},
    "distance_contrast": {"dimensions": [1, 10], "n_points": 50, "n_queries": 10},
    "generative_and_discriminative": {"sizes": [50, 200], "cv": 2},
    "polynomial_sweep": {"penalties": [1e-6, 1e-3, 1.0], "cv": 3},
}


def draw(name, **settings):
    """Return the axes of a picture, in a list."""
    function = getattr(pictures, name)
    if "theme" in inspect.signature(function).parameters:
        drawn = function(**QUICK.get(name, {}), **settings)
    else:
        drawn = function(**QUICK[name]).plot(**settings)
    return list(np.ravel(np.asarray(drawn, dtype=object)))


def takes_samples(name):
    return {"X", "y"} <= set(inspect.signature(getattr(pictures, name)).parameters)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_pictures_need_nothing_and_can_be_read(name, theme):
    axes = draw(name, theme=theme)
    figure = axes[0].figure
    figure.canvas.draw()
    with themed(theme):
        page, text = paper(), ink()
    assert to_hex(figure.get_facecolor()) == page
    for ax in axes:
        assert to_hex(ax.get_facecolor()) == page
        assert to_hex(ax.xaxis.label.get_color()) == text
        assert ax.collections or ax.lines or ax.patches
        for axis in (ax.xaxis, ax.yaxis):
            assert axis.get_offset_text().get_text() == ""
    written = [found for found in figure.findobj(Text) if found.get_text().strip()]
    assert min(found.get_fontsize() for found in written) >= 9
    assert len(matplotlib.rcParams["axes.prop_cycle"]) == 10  # nothing stays set


def test_examples_are_the_same_every_time():
    for name in ("penalty_contours", "least_squares_and_outliers", "beta_curves"):
        first, second = (
            [line.get_xydata() for ax in draw(name) for line in ax.lines] for _ in range(2)
        )
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_themes(name):
    with pytest.raises(ValueError, match="expected 'light' or 'dark'"):
        draw(name, theme="sepia")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_axes_may_be_given(name):
    function = getattr(pictures, name)
    takes = inspect.signature(function).parameters
    shown = (
        takes if "theme" in takes else inspect.signature(function(**QUICK[name]).plot).parameters
    )
    if "ax" in shown:
        _, mine = pyplot.subplots()
        assert draw(name, ax=mine) == [mine]
        return
    made = draw(name)
    figure = pyplot.figure()
    given = [
        figure.add_subplot(1, len(made), k + 1, projection="3d" if ax.name == "3d" else None)
        for k, ax in enumerate(made)
    ]
    assert draw(name, axes=given) == given
    with pytest.raises(ValueError, match="this picture has"):
        draw(name, axes=given[:-1] if len(given) > 1 else given * 2)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if takes_samples(name)])
def test_data_come_in_pairs(name):
    with pytest.raises(ValueError, match="y is not: give both"):
        draw_with(name, X=np.zeros((4, 2)))
    with pytest.raises(ValueError, match="X is not: give both"):
        draw_with(name, y=np.zeros(4))
    if name != "generative_and_discriminative":
        with pytest.raises(ValueError, match="shape"):
            draw_with(name, X=np.zeros((4, 3)), y=[0, 1, 0, 1])
        with pytest.raises(ValueError, match="finite"):
            draw_with(name, X=np.full((4, 2), np.nan), y=[0, 1, 0, 1])
        with pytest.raises(ValueError, match="y has shape"):
            draw_with(name, X=np.zeros((4, 2)), y=[0, 1])


def draw_with(name, **data):
    return getattr(pictures, name)(**data)
