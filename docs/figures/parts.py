"""What several figures are made of: bars to both sides, and tables with shades."""

from matplotlib import pyplot

from quire._shared.plot import grid, hatch, ink, line_style, middle, paper


def new_figure(n_columns=1, width=7.0, height=3.2, n_rows=1, **settings):
    """Return a figure with axes beside each other."""
    return pyplot.subplots(
        n_rows, n_columns, figsize=(width, height), layout="constrained", **settings
    )


def signed_bars(ax, names, values, sides):
    """Draw values as bars from zero, the first on top; `sides` says what left and right mean."""
    for place, value in enumerate(values):
        number = int(value < 0)
        colour = line_style(number)["color"]
        ax.barh(place, value, color=colour, hatch=hatch(number), edgecolor=paper(), height=0.7)
        text = f" {value:+.2f} "
        ax.annotate(text, (value, place), ha="left" if value >= 0 else "right", va="center")
    ax.axvline(0, color=ink(), linewidth=1)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.margins(x=0.2)
    ax.set_xlabel(f"{sides[0]}  ←          →  {sides[1]}")
    grid(ax, axis="x")


def shaded_table(ax, table, rows, columns, form="{:g}"):
    """Draw a table of numbers, the larger the darker (on dark the lighter)."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("shades", [paper(), line_style(0)["color"]])
    ax.imshow(table, cmap=shades, aspect="auto", vmin=0, vmax=1.5 * table.max())
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            colour = ink() if value else middle()
            ax.annotate(form.format(value), (j, i), ha="center", va="center", color=colour)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
