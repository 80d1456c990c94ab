"""What is in the file of a model: a manifest, plain data and raw arrays."""

import tempfile
import zipfile
from pathlib import Path

from parts import new_figure
from sklearn.pipeline import make_pipeline

import quire
from quire._shared.plot import grid, line_style
from quire.feature_extraction.text import TfidfVectorizer
from quire.linear_model import LogisticRegression


def picture():
    texts = ["a good film", "a bad film", "good plot, good cast", "no plot and a bad end"]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    model.fit(texts, ["good", "bad", "good", "bad"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.quire"
        quire.save(model, file)
        with zipfile.ZipFile(file) as archive:
            members = [(part.filename, part.file_size) for part in archive.infolist()]
    figure, ax = new_figure(height=0.32 * len(members) + 1.0)
    names, sizes = zip(*members, strict=True)
    ax.barh(range(len(names)), sizes, color=line_style(0)["color"], height=0.7)
    for place, size in enumerate(sizes):
        ax.annotate(f" {size:,}", (size, place), va="center")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.set_xlabel("bytes of each part of the file")
    grid(ax, axis="x")
    return figure
