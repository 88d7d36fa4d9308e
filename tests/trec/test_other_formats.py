"""Qrels and runs in the forms of BEIR, MS MARCO, ColBERT and ranx are read as the same file in TREC's form is."""

from __future__ import annotations

import gzip
import json
import re
import warnings
from pathlib import Path

import pytest
import pytrec_eval

import stdeval.files
from stdeval import InputError, Run, evaluate, read_qrels, read_run

QRELS = {"1": {"a": 1, "12": 0}, "x\u00e9": {"\u6587": 2}}
RUN = {"1": {"12": -1.0, "a": -2.0, "b": -3.0}, "x\u00e9": {"\u6587": -1.0}}


def columns(of: dict[str, dict[str, float]], form: str, header: str = "") -> str:
    rows = [(t, r, d, n) for t, docs in of.items() for r, (d, n) in enumerate(docs.items(), 1)]
    return header + "".join(form.format(t=t, r=r, d=d, n=n) for t, r, d, n in rows)


def documents(of: dict[str, dict[str, float]], topic: str, docno: str, number: str) -> str:
    """JSON lines with these keys."""
    rows = [{topic: t, "more": {}, docno: d, number: n} for t, docs in of.items() for d, n in docs.items()]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


BOTH = {
    "object": json.dumps,
    "UTF-8": lambda of: json.dumps(of, ensure_ascii=False),
    "over lines": lambda of: json.dumps(of, indent=1),
    "empty topic": lambda of: json.dumps({"0": {}} | of),
    "decimals": lambda of: json.dumps({t: {d: float(n) for d, n in docs.items()} for t, docs in of.items()}),
    "documents": lambda of: documents(of, "qid", "docid", "score"),
    "other keys": lambda of: documents(of, "query-id", "corpus_id", "relevance"),
    "whole numbers as names": lambda of: documents(of, "topic", "docno", "score").replace('"12"', "12"),
}
OF_QRELS = {
    "three columns": lambda of: columns(of, "{t} {d} {n}\n"),
    "BEIR": lambda of: columns(of, "{t}\t{d}\t{n}\n", "query-id\tcorpus-id\tscore\n"),
    "BEIR, 1.0": lambda of: columns(of, "{t}\t{d}\t{n}.0\n", "query-id\tcorpus-id\tscore\n"),
}
OF_RUNS = {
    "MS MARCO": lambda of: columns(of, "{t}\t{d}\t{r}\n"),
    "ColBERT": lambda of: columns(of, "{t}\t{d}\t{r}\t{n}\n"),
    "blanks": lambda of: columns(of, " {t}  {d} {r}\t{n}\r\n", "\n \n"),
}


@pytest.mark.parametrize("form", BOTH | OF_QRELS)
def test_qrels(run, write, form: str):
    text = (BOTH | OF_QRELS)[form](QRELS)
    path, plain = write("q.json", text), write("q", columns(QRELS, "{t} 0 {d} {n}\n"))
    assert read_qrels(path) == read_qrels(plain)
    assert read_qrels(write("q.gz", gzip.compress(text.encode()))) == read_qrels(plain)
    assert run("convert", "--to", "qrels", "-", stdin=text.encode()).stdout == plain.read_text()
    pooled = [
        run("pool", "-d", 1, qrels, write("r", columns(RUN, "{t} Q0 {d} {r} {n} t\n"))) for qrels in (path, plain)
    ]
    assert pooled[0] == pooled[1]
    assert pooled[0].stdout == "1 0 12 0\nx\u00e9 0 \u6587 2\n"


@pytest.mark.parametrize("form", BOTH | OF_RUNS)
def test_runs(run, write, form: str, monkeypatch: pytest.MonkeyPatch):
    text = (BOTH | OF_RUNS)[form](RUN)
    path, plain = write("r.json", text), write("r", columns(RUN, "{t} Q0 {d} {r} {n} r.json\n"))
    assert read_run(path) == read_run(plain)
    assert read_run(write("r.json.gz", gzip.compress(text.encode()))) == read_run(plain)
    assert run("convert", path, "-o", path.with_name("made.run")).status == 0
    assert path.with_name("made.run").read_text() == plain.read_text()
    assert run("validate", path).status == 1
    monkeypatch.setattr(stdeval.files, "CHUNK", 3)
    assert read_run(path) == read_run(plain)


def test_a_topic_that_comes_back_is_completed(write):
    lines = [f"{topic}\td{rank}\t{rank}" for rank in range(1, 4) for topic in "12"]
    assert read_run(write("r", lines)).documents == {t: {f"d{n}": float(-n) for n in range(1, 4)} for t in "12"}


# what is wrong, and where: the first in qrels, the second in a run
BAD = {
    b'{"1": {"a": 1, "a": 1}}': "JSON with 'a' twice in an object",
    b'{"1": {"a": 1}, "1": {"b": 1}}': "JSON with '1' twice in an object",
    b'{"qid": 1, "qid": 2, "docid": "a", "score": 1}': "1: JSON with 'qid' twice",
    b'{"1": {"a": NaN}}': "JSON with nan for topic '1', docno 'a'",
    b'{"1": {"a": -Infinity}}': "JSON with -inf for",
    b'{"1": {"a": true}}': "JSON with True for",
    b'{"1": {"a": "1"}}': "JSON with '1' for",
    b'{"1": {"a": %s}}' % (b"9" * 4000): "JSON with 9999",
    b'{"1": {"a": %s}}' % (b"9" * 5000): "JSON that cannot be read (a number of thousands of digits)",
    b'{"1":' * 100_000: "JSON that cannot be read (deep nesting)",
    b"[" * 100_000: "1: a list of JSON",
    b'{"1": {"\\ud800": 1}}': r"JSON with the topic or docno '\ud800'",
    b'{"1": {"\\udc80": 1}}': r"JSON with the topic or docno '\udc80'",
    b'{"a b": {"a": 1}}': "JSON with the topic or docno 'a b'",
    b'{"1": {"a\\n": 1}}': r"JSON with the topic or docno 'a\n'",
    b'{"1": {"a\\u0000": 1}}': r"JSON with the topic or docno 'a\x00'",
    b'{"1": {"a\0": 1}}': "1: JSON that cannot be read (Invalid control character",
    b'{"1": {"a": 1': "1: JSON that cannot be read (Expecting",
    b'\n{"1":\n{"a': "3: JSON that cannot be read (Unterminated string",
    b'{"1": {"a": 1}}\n{"2": {"a": 1}}\n': "2: JSON that cannot be read (Extra data)",
    b'\n{"1":\n{"\xe9": 1}}': "3: JSON that is not UTF-8",
    b'{"1": {}, "2": [1]}': "JSON with [1] for '2'",
    b"{}": "no ",
    b'{"1": {}}': "no ",
    b'{"qid": 1.5, "docid": "a", "score": 1}': "1: JSON with the topic or docno 1.5",
    b'{"qid": 1, "docid": true, "score": 1}': "1: JSON with the topic or docno True",
    b'{"qid": 1, "topic": 1, "docid": "a", "score": 1}': "1: JSON with the keys qid, topic, docid, score",
    b'{"task_id": 1, "contexts": []}': "1: JSON with the keys task_id, contexts",
    b'{"qid": 1, "docid": "a", "score": 1}\n\n{"qid": "1", "docid": "a", "score": 2}': "3: document 'a' app",
    b'{"qid": 1, "docid": "a", "score": 1}\n1 Q0 a 1 2 t\n': "2: 6 columns, expected {",
    b'{"qid": 1, "docid": "a", "score": 1}\n[1]\n': "2: a list of JSON",
    b"1 a\n": "1: 2 columns, expected",
    b"1 a 1 2 t\n": "1: 5 columns, expected",
    b"1 a 0.5\n": ("1: judgment '0.5'", "1: rank '0.5', expected a whole number in lines of: topic docno rank"),
    b"1 a 1\n\n1 b\0 2\n": "3: a NUL byte",
    b"1 a 1\n1 Q0 b 2 3 t\n": "2: 6 columns, expected 3",
    b'1 a 1\n{"qid": 1, "docid": "b", "score": 1}': "2: JSON, expected 3",
    b'1 Q0 a 1 3 t\n{"qid": 1, "docid": "b", "score": 1}': ("1: 6 columns", "2: JSON, expected 6"),
    b"query-id\tcorpus-id\tscore\n": ("no judgments", "1: the header of BEIR, expected * (these are qrels)"),
    b"1 0 a 1\n1 1 a 1": (
        "2: document 'a' of topic '1' appears with the iterations 0 and 1: qrels of sub",
        "1: 4 col",
    ),
    b"1 a 1\n1 a 2": "2: document 'a' appears twice",
}
BAD_RUNS = {
    b"1 a 1\n1 b 1\n": "2: rank 1 appears twice in topic '1', expected each rank once (are these qrels?)",
    b"1 a 1\n2 b 1\n1 c 1\n": "3: rank 1 appears twice in topic '1'",
    b"1 a %s\n" % (b"9" * 5000): "1: rank '999",
    b"1 a 0.5 1\n": "1: rank '0.5', expected a whole number in lines of: topic docno rank score",
    b"1 a 1 nan\n": "1: score 'nan'",
    b"1 0 a 1\n": "1: 4 columns, expected 6: topic Q0 docno rank score tag (this looks like qrels)",
}


@pytest.mark.parametrize(
    ("content", "words", "is_run"),
    [
        *((content, words if isinstance(words, str) else words[0], False) for content, words in BAD.items()),
        *((content, words if isinstance(words, str) else words[-1], True) for content, words in BAD.items()),
        *((content, words, True) for content, words in BAD_RUNS.items()),
    ],
)
def test_refused_in_one_line(run, write, content: bytes, words: str, is_run: bool):
    path, good = write("bad", content), write("good", "1 Q0 a 1 3 t\n" if not is_run else "1 0 a 1\n")
    done = run("eval", *((good, path) if is_run else (path, good)))
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert len(done.stderr) < len(str(path)) + 220
    expected = re.escape(f"stdeval: {path}:{words if words[0].isdigit() else ' ' + words}").replace(r"\*", ".*")
    assert re.match(expected, done.stderr), done.stderr


def test_only_lines_of_json_may_be_long(write, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stdeval.files, "CHUNK", 10)
    monkeypatch.setattr(stdeval.files, "LONGEST_LINE", 20)
    run = {"1": {f"d{n}": float(n) for n in range(50)}}
    assert read_run(write("r", json.dumps(run))).documents == run
    with pytest.raises(InputError, match="longer than"):
        read_run(write("r", f"1 Q0 {'d' * 50} 1 1 t"))


def test_names_are_those_of_files(run, write):
    paths = [write(f"{folder}.json", json.dumps(RUN)) for folder in "ab"]
    twin = paths[0].with_suffix("")
    twin.mkdir()
    (twin / "b.json").write_bytes(gzip.compress(paths[1].read_bytes()))
    done = run("eval", "-f", "csv", "-m", "map", write("q.json", json.dumps(QRELS)), *paths, twin / "b.json")
    assert [row["run"] for row in done.rows] == ["a.json", str(paths[1]), str(twin / "b.json")]


@pytest.mark.parametrize("form", BOTH | OF_RUNS)
def test_several_processes_print_what_one_does(run, write, form: str):
    many = {f"t{t}": {f"d{n}": float(-n) for n in range(1, 60)} for t in range(40)}
    qrels, path = write("q", json.dumps({t: {"d3": 1} for t in many})), write("r", (BOTH | OF_RUNS)[form](many))
    one, two = (run("eval", "-q", "-m", "map", "-j", jobs, qrels, path) for jobs in (1, 2))
    assert one == two
    assert one.stdout.splitlines()[-1].split() == ["map", "all", "0.3333"]


def test_numbers_of_pytrec_eval(shared: Path):
    """It takes the same JSON, as dicts."""
    folder = shared / "cases" / "json-run-hint"
    qrels, run = (json.loads((folder / name).read_text()) for name in ("qrels.json", "run.json"))
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    for name in ("run.json", "run.jsonl"):
        table = evaluate(read_qrels(folder / "qrels.json"), read_run(folder / name), "AP")
        assert table.values.ravel().tolist() == [expected[topic]["map"] for topic in table.topics]


def test_empty_topics_are_missing_in_python():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = evaluate({"1": {"a": 1}, "2": {"a": 1}, "3": {}}, [Run("t", {"1": {"a": 1.0}, "2": {}})], "AP")
    assert (table.topics, table.values.tolist()) == (("1",), [[[1.0]]])
