"""The walk from a file to predictions: every file is opened once, every product made once."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

import quire
from quire.cli.predict import predict
from quire.feature_extraction.text import CountVectorizer
from quire.io import read_corpus
from quire.linear_model import LogisticRegression
from quire.naive_bayes import MultinomialNB
from quire.prediction import predict_batches, predict_table

OBSERVED = """
import json, os, sys
from quire import _core
opened, products = [], []

def hook(event, arguments):
    if event == "open":
        opened.append(str(arguments[0]))

def counted(name):
    kernel = getattr(_core.sparse, name)
    def call(*arguments, **options):
        products.append(name)
        return kernel(*arguments, **options)
    setattr(_core.sparse, name, call)

for name in ("csr_matmul", "csr_argmax", "csr_vector"):
    if hasattr(_core.sparse, name):
        counted(name)
sys.addaudithook(hook)
from quire.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    code = end.code
watched = [os.path.basename(path) for path in opened]
print(json.dumps({"code": code, "opened": watched, "products": products}))
"""


@pytest.mark.parametrize("classifier", [MultinomialNB(), LogisticRegression()], ids=["nb", "lr"])
def test_predict_opens_each_file_once_and_makes_each_product_once(tmp_path, classifier):
    texts = [f"good film {i}" if i % 2 else f"bad film {i}" for i in range(90)]
    table = pl.DataFrame({"id": range(90), "text": texts})
    table.write_csv(tmp_path / "corpus.csv")
    model = make_pipeline(CountVectorizer(), classifier).fit(texts, [i % 2 for i in range(90)])
    quire.save(model, tmp_path / "model.quire", metadata={"text": ["text"]})
    paths = [tmp_path / "model.quire", tmp_path / "corpus.csv", "-o", tmp_path / "out.csv"]
    command = [sys.executable, "-c", OBSERVED, "predict", *map(str, paths), "--batch", "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["code"] == 0
    assert seen["opened"].count("model.quire") == 1
    assert seen["opened"].count("corpus.csv") == 1
    assert len(seen["products"]) == 3  # one for each batch of 30
    out = pl.read_csv(tmp_path / "out.csv")
    assert out["id"].to_list() == list(range(90))
    assert out["predicted"].to_list() == model.predict(texts).tolist()
    np.testing.assert_array_equal(out["p(1)"], model.predict_proba(texts)[:, 1])


def test_errors_come_after_the_parts_before_them(tmp_path):
    rows = [f"{i},good" for i in range(50)]
    (tmp_path / "corpus.csv").write_text("id,text\n" + "\n".join([*rows, "50,bad,more\n"]))
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good", "bad"], [1, 0])
    parts = predict_batches(model, tmp_path / "corpus.csv", batch_size=20, text="text")
    with pytest.raises(ValueError, match="line 52: 3 fields"):
        list(parts)


def test_a_walk_can_be_left_early(tmp_path):
    pl.DataFrame({"text": ["good", "bad"] * 50}).write_csv(tmp_path / "corpus.csv")
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good", "bad"], [1, 0])
    parts = predict_batches(model, tmp_path / "corpus.csv", batch_size=10, label=False)
    first = next(parts)
    parts.close()
    whole = predict_table(model, read_corpus(tmp_path / "corpus.csv", label=False))
    assert first.equals(whole.head(10))


def test_the_columns_of_the_fit_are_taken_where_the_file_has_them(tmp_path):
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good", "bad"], [1, 0])
    table = pl.DataFrame({"text": ["good"], "note": ["bad"]})
    options = {"default_text": ["note"], "label": False}
    assert next(predict_batches(model, table, **options))["predicted"].to_list() == [0]
    options = {"default_text": ["note", "absent"], "label": False}
    assert next(predict_batches(model, table, **options))["predicted"].to_list() == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
def test_ctrl_c_leaves_the_old_output_and_no_thread(tmp_path):
    pl.DataFrame({"text": ["good", "bad"] * 200_000}).write_csv(tmp_path / "corpus.csv")
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good", "bad"], [1, 0])
    quire.save(model, tmp_path / "model.quire")
    (tmp_path / "out.csv").write_text("old")
    paths = [tmp_path / "model.quire", tmp_path / "corpus.csv", "-o", tmp_path / "out.csv"]
    command = [sys.executable, "-m", "quire", "predict", *map(str, paths), "--batch", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        while not any(path.stat().st_size for path in tmp_path.glob("out.csv.tmp-*")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=600)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert (tmp_path / "out.csv").read_text() == "old"
    assert not list(tmp_path.glob("out.csv.tmp-*"))


def test_a_large_output_is_let_go_of_and_whole(tmp_path, monkeypatch):
    # The module, which the command of the same name hides in its package.
    monkeypatch.setattr(sys.modules["quire.cli.predict"], "_KEPT_IN_MEMORY", 0)
    pl.DataFrame({"text": ["good", "bad"] * 500}).write_csv(tmp_path / "corpus.csv")
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good", "bad"], [1, 0])
    quire.save(model, tmp_path / "model.quire")
    options = {"output": str(tmp_path / "out.csv"), "batch": 100}
    predict(str(tmp_path / "model.quire"), str(tmp_path / "corpus.csv"), **options)
    assert pl.read_csv(tmp_path / "out.csv")["predicted"].to_list() == [1, 0] * 500
