"""Draws docs/_static/vocabulary_curve.svg and writes its numbers beside it, from a labelled corpus.

Run it with the path of a file that has the columns text and label, such as 20 newsgroups:

    python docs/figures/vocabulary_curve.py newsgroups20.parquet
"""

import sys
from pathlib import Path

import matplotlib as mpl
import polars as pl
from matplotlib.figure import Figure

from quire.io import read_corpus
from quire.model_selection import VocabularyCurve, vocabulary_curve

STATIC = Path(__file__).parents[1] / "_static"
STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "quire",  # the same numbers give the same file
}


def draw(curve: VocabularyCurve, path: Path) -> None:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained", facecolor="white")
        ax = curve.plot(figure.add_subplot())
        ax.legend(loc="lower right")
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=150, metadata=metadata)


def numbers(curve: VocabularyCurve) -> pl.DataFrame:
    by = ["model", "size"]
    score = pl.col("test")
    return (
        curve.to_frame()
        .group_by(by, maintain_order=True)
        .agg(score.mean().round(4).alias("mean"), score.std().round(4).alias("std"))
    )


def main(source: str) -> None:
    corpus = read_corpus(source, text="text", label="label")
    curve = vocabulary_curve(corpus.texts, corpus.labels, random_state=0, verbose=True)
    print(curve)
    print("multinomial ahead from:", curve.crossing("multinomial", "bernoulli"))
    draw(curve, STATIC / "vocabulary_curve.svg")
    numbers(curve).write_csv(STATIC / "vocabulary_curve.csv")


if __name__ == "__main__":
    main(sys.argv[1])
