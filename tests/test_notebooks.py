"""Results show themselves in notebooks: all kinds of them, as tables, with nothing that runs."""

import importlib
import inspect
import io
import re
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from tests.test_public_api import public_modules

import quire
from quire._shared.number_tables import html_table
from quire.alignment import WordVectors, compare_maps
from quire.calibration import CalibratedClassifier
from quire.cluster import cluster_agreement, cluster_documents
from quire.datasets import make_text_classification
from quire.decomposition import LatentDirichletAllocation, map_documents
from quire.discriminant_analysis import scatter_matrices
from quire.distributions import Dirichlet
from quire.feature_extraction.text import CountedDocuments, CountVectorizer
from quire.inspection import model_card, permutation_importance
from quire.linear_model import LogisticRegression
from quire.model_selection import (
    audit_labels,
    compare,
    evaluate,
    regularization_path,
    tree_instability,
    update,
)
from quire.multiclass import linear_discriminants
from quire.multilabel import label_sets
from quire.naive_bayes import MultinomialNB
from quire.neighbors import TextSearch, choose_k
from quire.optimize import LogisticLoss, check_gradient, gradient_descent
from quire.persistence import read_info
from quire.pictures import distance_contrast
from quire.scoring import load_scorer
from quire.topics import held_out_likelihood

# Not results that somebody looks at by themselves.
PARTS = {
    "a state of a method, which pictures and lessons draw": {
        "DescentStep", "GibbsStep", "KMeansStep", "MapStep", "MixtureStep", "PCAStep", "SmoStep",
        "SplitStep", "Point",
    },
    "what decisions are made of, as arrays; `explain` shows it": {
        "AdditiveDecisions", "Evidence", "GivesEvidence", "NeighborEvidence", "NumberEvidence",
        "OrderedEvidence", "PairEvidence", "SupportEvidence", "TreeEvidence",
    },
    "one entry of a list that a result shows": {
        "AxisCard", "ClusterCard", "Context", "Score", "Span", "Spread", "TermEvidence",
        "TermScore", "TermWeight", "TopicCard", "TreesCard", "UsedTerm", "Word",
    },
    "how something is to be done": {
        "Blueprint", "Candidate", "Cutting", "Inside", "Kind", "Limits", "OutputColumn", "Outputs",
        "Predicts", "Saving", "Takes",
    },
    "a loss or a penalty": {
        "Datafit", "ElasticNetPenalty", "LogisticLoss", "MultinomialLoss", "OrdinalLoss", "Penalty",
        "Rows", "SquaredLoss",
    },
    "the data of a report, which shows itself": {
        "AlignmentReportData", "ClusterReportData", "MapReportData", "NeighborsReportData",
        "ReportData", "TopicReportData",
    },
}  # fmt: skip


def results():
    found = {}
    for name in public_modules():
        for key, value in vars(importlib.import_module(name)).items():
            if (
                inspect.isclass(value)
                and not key.startswith("_")
                and value.__module__.startswith("quire")
                and not issubclass(value, BaseEstimator | BaseException)
            ):
                found[key] = value
    return found


def test_every_result_shows_itself():
    parts = set().union(*PARTS.values())
    shown = {
        name
        for name, kind in results().items()
        if hasattr(kind, "_repr_html_") or hasattr(kind, "_repr_svg_")
    }
    assert set(results()) - shown - parts == set()
    assert parts & shown == set()


BAD = "<script>alert('x')</script>"


def texts():
    data = make_text_classification(60, n_classes=2, separation=5.0, random_state=0)
    return [f"{BAD} {text}" for text in data.texts], np.array([BAD, "b"])[data.y]


def saved_model():
    documents, y = texts()
    file = io.BytesIO()
    quire.save(MultinomialNB().fit_text(documents, y).to_pipeline(), file)
    file.seek(0)
    return file


def word_vectors(seed):
    return np.random.default_rng(seed).normal(size=(60, 4))


def comparison_of_maps():
    words = [f"<b>{number}</b>" for number in range(60)]
    source = WordVectors(words, word_vectors(0))
    pairs = [(word, word) for word in words]
    return compare_maps(source, source, pairs[:40], test_pairs=pairs[40:], methods=["orthogonal"])


def small_path():
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    return regularization_path(LogisticRegression(), X, y, feature_names=[BAD, "b", "c"])


MAKERS = {
    "Corpus": lambda: quire.read_corpus(pl.DataFrame({"text": [BAD, "x"], "label": ["a", BAD]})),
    "Dataset": lambda: make_text_classification(20, n_classes=2, random_state=0),
    "Dirichlet": lambda: Dirichlet([1.0, 2.0, 3.0]),
    "DocumentClusters": lambda: cluster_documents(texts()[0], n_clusters=2),
    "ClusterAgreement": lambda: cluster_agreement([0, 1, 1], ["a", "b", "b"]),
    "DocumentMap": lambda: map_documents(texts()[0]),
    "ScatterMatrices": lambda: scatter_matrices(np.eye(4), [BAD, BAD, "b", "b"]),
    "CountedDocuments": lambda: CountedDocuments(texts()[0], CountVectorizer()),
    "LabelSets": lambda: label_sets([[BAD, "b"], ["b"]]),
    "Discriminants": lambda: linear_discriminants(
        LogisticRegression().fit(np.eye(4), [BAD, BAD, "b", "b"])),
    "ModelInfo": lambda: read_info(saved_model()),
    "Scorer": lambda: load_scorer(saved_model()),
    "DocumentEvidence": lambda: next(iter(quire.load(saved_model())[-1].evidence(
        quire.load(saved_model())[0].transform([BAD])))),
    "ModelCard": lambda: model_card(quire.load(saved_model())),
    "Comparison": lambda: compare(*texts(), models=["multinomial-nb", "majority"], cv=2),
    "Trial": lambda: compare(*texts(), models=["multinomial-nb"], cv=2).best,
    "Evaluation": lambda: evaluate(quire.load(saved_model()), *texts()),
    "LabelAudit": lambda: audit_labels(*texts()),
    "Update": lambda: update(quire.load(saved_model()), *texts()),
    "RegularizationPath": small_path,
    "TreeInstability": lambda: tree_instability(np.eye(20), np.arange(20) % 2, n_resamples=2,
                                                sizes=[1, 2]),
    "KChoice": lambda: choose_k(np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2),
    "TextMatches": lambda: TextSearch().fit(texts()[0]).search(texts()[0][0], 2),
    "OptimizeResult": lambda: gradient_descent(lambda x: x @ x, lambda x: 2 * x, [1.0]),
    "Trace": lambda: gradient_descent(lambda x: x @ x, lambda x: 2 * x, [1.0]).trace,
    "GradientCheck": lambda: check_gradient(LogisticLoss(np.eye(3), [0, 1, 0]), np.zeros(4)),
    "DistanceContrast": lambda: distance_contrast(dimensions=[1, 2], n_points=10, n_queries=2),
    "PermutationImportance": lambda: permutation_importance(
        LogisticRegression().fit(np.eye(4), [0, 0, 1, 1]), np.eye(4), [0, 0, 1, 1], n_repeats=2),
    "MapComparison": comparison_of_maps,
    "HeldOutLikelihood": lambda: held_out_likelihood(
        LatentDirichletAllocation(2, max_iter=2, random_state=0).fit(np.eye(4, dtype=int) * 5),
        np.eye(4, dtype=int) * 5),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_is_a_table_with_what_it_says(name):
    result = MAKERS[name]()
    page = result._repr_html_()
    assert "<script" not in page
    table = ElementTree.fromstring(re.search("<table.*?</table>", page, re.DOTALL).group())
    rows = list(table.iter("tr"))
    assert len(rows) > 1
    width = len(list(rows[0]))
    assert all(len(list(row)) == width for row in rows)
    assert max(len("".join(cell.itertext())) for row in rows for cell in row) <= 2_000
    caption = table.find("caption")
    assert caption is None or (caption.text and ":" + "func:" not in caption.text)


def test_long_tables_say_how_much_is_left_out():
    choice = choose_k(np.random.default_rng(0).normal(size=(90, 2)), np.arange(90) % 2)
    page = choice._repr_html_()
    n_rows = len(choice.to_frame())
    assert n_rows > 20
    assert f"… and {n_rows - 20} rows more" in page
    assert page.count("<tr>") == 1 + 20 + 1


def test_tables_escape_what_they_hold():
    corpus = MAKERS["Corpus"]()
    assert "&lt;script&gt;" in corpus._repr_html_()
    assert BAD not in html_table(BAD, [[BAD], [BAD]])


def test_models_show_scikit_learns_diagram():
    assert "<style>" in MultinomialNB()._repr_html_()
    assert "<style>" in CalibratedClassifier(MultinomialNB())._repr_html_()
