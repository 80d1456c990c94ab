"""A file that became a corpus: texts, labels, and the columns beside them."""

import tempfile
from pathlib import Path

from parts import new_figure

from quire._shared.plot import faint, ink
from quire.io import read_corpus

ROWS = """review,class,stars
"A warm, funny film",good,5
Dull and far too long,bad,1
"Wooden, but short",bad,2
Moving to the very end,good,4
"""


def picture():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reviews.csv"
        path.write_text(ROWS, encoding="utf-8")
        corpus = read_corpus(path, text="review", label="class")
    figure, ax = new_figure(height=1.9)
    ax.axis("off")
    stars = map(str, corpus.frame["stars"])
    cells = list(zip(corpus.texts, corpus.labels, stars, strict=True))
    table = ax.table(
        cellText=cells,
        colLabels=["texts", "labels", "stars"],
        colWidths=[0.6, 0.2, 0.2],
        cellLoc="left",
        colLoc="left",
        loc="center",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(10)
    table.scale(1, 1.5)
    for (row, _), cell in table.get_celld().items():
        cell.set(facecolor="none", edgecolor=faint())
        cell.set_text_props(color=ink(), fontweight="bold" if row == 0 else "normal")
    return figure
