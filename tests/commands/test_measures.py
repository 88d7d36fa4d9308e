"""`stdeval measures`, and the papers' measures in the commands that compute scores."""

from __future__ import annotations

import pytest

from stdeval.measures.catalogue import FAMILIES, PUBLISHED

QRELS = ["1 0 d1 1", "1 0 d2 0", "1 0 d3 2", "1 0 d5 1", "1 0 d6 1", "2 0 d1 1"]
RUN = [f"1 Q0 d{i} {i} {6 - i} tag" for i in range(1, 6)]


@pytest.fixture
def small(write):
    return write("qrels", QRELS), write("r.run", RUN)


def test_all_measures_are_listed(run):
    rows = run("measures", "-f", "csv").rows
    assert [row["measure"] for row in rows] == [family.form for family in FAMILIES]
    assert all(row["range"] and row["definition"] and row["source"] for row in rows)
    text = run("measures").stdout.splitlines()
    assert text[0].split("\t") == list(rows[0])
    assert len(text) == 1 + len(FAMILIES)
    assert all(len(line.split("\t")) == 5 for line in text)


def test_some_measures_are_listed_by_any_name(run):
    rows = run("measures", "-f", "csv", "nDCG@10", "rbp_p=0.8", "RBP(p=0.5)", "AP").rows
    assert [row["measure"] for row in rows] == ["map", "ndcg_cut_K", "rbp_p=P[_cut_K]"]
    assert rows[2]["also"] == "RBP(p=P)[@K]"
    assert len(run("measures", "-f", "csv", "webber").rows) == 10  # rbp twice
    table = run("measures", "-f", "table", "AP").stdout.splitlines()
    assert table[1].split()[:4] == ["map", "AP", "MAP", "0..1"]


def test_an_unknown_measure_is_refused(run):
    done = run("measures", "njkdcg_5")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == "stdeval: no measure 'njkdcg_5', did you mean njkdcg_cut.5?\n"


def test_text_of_the_papers_measures(run, small):
    qrels, path = small
    measures = ["-m", "SP", "-m", "nDCG(dis=jk)@3", "-m", "rbp_resid.p=0.5", "-m", "unj.5"]
    # sp 1 + 2/3 + 3/5; njkdcg (1 + 2/log2 3) / (2 + 1 + 1/log2 3); residual 0.5 0.5^3 + 0.5^5; 1 of 5 unjudged
    expected = [("sp", 2.2667), ("njkdcg_cut_3", 0.6229), ("rbp_resid_p=0.5", 0.0938), ("unj_5", 0.2)]
    lines = "".join(f"{name:<22}\tall\t{value:6.4f}\n" for name, value in expected)
    assert run("eval", *measures, qrels, path).stdout == lines


def test_a_lacking_topic_counts_as_one_with_nothing_retrieved(run, small):
    qrels, path = small
    done = run("eval", "-c", "-q", "-f", "csv", "-m", "sp", "-m", "rbp_p=0.5", "-m", "rbp_resid_p=0.5", qrels, path)
    by_topic = {row["topic"]: row for row in done.rows}
    assert [float(by_topic["2"][name]) for name in ("sp", "rbp_p=0.5", "rbp_resid_p=0.5")] == [0, 0, 1]
    assert float(by_topic["all"]["rbp_resid_p=0.5"]) == (0.09375 + 1) / 2


def test_binary_gains(run, small):
    qrels, path = small
    # Binary at 1: (1, 0, 1, -, 1), 1 + 1/log2(4) + 1/log2(6); at 2: the third document alone
    assert float(
        run("eval", "-q", "-f", "csv", "--binary", "-m", "dcg", qrels, path).rows[0]["dcg"]
    ) == pytest.approx(1 + 0.5 + 0.3868528, abs=1e-6)
    rows = run("eval", "-q", "-f", "csv", "--binary", "-l", "2", "-m", "dcg", "-m", "ndcg", qrels, path).rows
    assert (float(rows[0]["dcg"]), float(rows[0]["ndcg"])) == (0.5, 0.5)


def test_binary_needs_runs(run, write):
    scores = write("scores.csv", ["run,topic,map", "a,1,0.5"])
    done = run("eval", "--binary", "--scores", scores)
    assert done.status == 2
    assert "--binary and --precision need QRELS RUN" in done.stderr


def test_factors_are_those_of_webber(run, small, write):
    qrels, path = small
    other = write("s.run", ["1 Q0 d3 1 5 other", "1 Q0 d6 2 4 other", "2 Q0 d1 1 1 other"])
    factors = run("factors", "-c", qrels, path, other)
    assert factors.status == 0
    assert {name.removesuffix(".mean") for name in factors.rows[0] if name.endswith(".mean")} == set(
        PUBLISHED.values()
    )
    written = write("factors.csv", factors.raw)
    done = run("standardize", "-F", written, "--scheme", "z", "-q", "-f", "csv", "-c", qrels, path)
    assert list(done.rows[0]) == [
        "run",
        "topic",
        *(f"Z{name.removesuffix('.mean')}" for name in factors.rows[0] if name.endswith(".mean")),
    ]
    for row in done.rows:
        assert float(row["Zsp"]) == pytest.approx(float(row["Zmap"]), abs=1e-9)
        assert float(row["Zjkdcg"]) == pytest.approx(float(row["Znjkdcg"]), abs=1e-9)
        assert float(row["Zdcg"]) == pytest.approx(float(row["Zndcg"]), abs=1e-9)


def test_factors_convert_to_the_published_form_and_back(run, small, write, tmp_path):
    qrels, path = small
    other = write("s.run", ["1 Q0 d3 1 5 other", "1 Q0 d6 2 4 other"])
    factors = write("factors.csv", run("factors", qrels, path, other).raw)
    means, sds = tmp_path / "means.csv", tmp_path / "sds.csv"
    assert run("convert", factors, "--to", "published", "-o", means, "-o", sds).status == 0
    assert set(means.read_text().splitlines()[0].split(",")) == {"topic", *PUBLISHED}
    back = run("convert", means, sds, "--to", "factors").rows
    original = run("convert", factors, "--to", "factors").rows
    for row in original:
        del row["judgments"], row["options"]
        row["n"] = ""
    assert back == original


@pytest.mark.parametrize("name", ["RBP(p=1)", "sp_cut.0", "RBP(resid=2)@10", "RBP(x=1)", "unj_0"])
def test_bad_parameters_end_in_one_line(run, small, name: str):
    done = run("eval", "-m", name, *small)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "expected" in done.stderr or "takes" in done.stderr


def test_text_of_measures_that_other_programs_have(run, small):
    qrels, path = small
    measures = [
        "-m",
        "RR(rel=2)@2",
        "-m",
        "RR(rel=2)@3",
        "-m",
        "Judged@5",
        "-m",
        "ERR@3",
        "-m",
        "nDCG(dcg='exp-log2')@3",
    ]
    # err 1/16 + 15/16 * 3/16 / 3; ndcg_exp (1 + 3/2) / (3 + 1/log2 3 + 1/2)
    expected = [
        ("judged_5", 0.8),
        ("recip_rank_cut_2_rel=2", 0.0),
        ("recip_rank_cut_3_rel=2", 0.3333),
        ("err_3", 0.1211),
        ("ndcg_exp_cut_3", 0.6052),
    ]
    lines = "".join(f"{name:<22}\tall\t{value:6.4f}\n" for name, value in expected)
    assert run("eval", *measures, qrels, path).stdout == lines


def test_the_number_of_relevant_documents_retrieved_is_not_that_of_all(run, small):
    qrels, path = small
    done = run(
        "eval", "-q", "-f", "csv", "-n", "-m", "NumRet", "-m", "NumRet(rel=1)", "-m", "NumRet(rel=2)", qrels, path
    )
    assert [*done.rows[0].values()][2:] == ["5", "3", "1"]


def test_the_number_of_relevant_documents_at_a_level_of_all_topics(run, small):
    done = run("eval", "-c", "-m", "NumRel(rel=2)", *small)
    assert done.stdout == f"{'num_rel_rel=2':<22}\tall\t1\n"


def test_a_judgment_above_the_highest_grade_ends_in_one_line(run, small, tmp_path, write):
    qrels, path = small
    other = write("s.run", ["1 Q0 d3 1 5 other"])
    for command in ("eval", "factors", "standardize", "topics", "meta depth"):
        typed = [*command.split(), "-c", "-m", "err", "--max-grade", "1", qrels, path, other]
        done = run(*typed, "-o", tmp_path / "out")
        assert (done.status, done.raw) == (2, b"")
        found = "topic '1', docno 'd3': judgment 2, expected at most 1, the --max-grade of err"
        assert done.stderr == f"stdeval: {qrels}:3: {found}\n"
    assert not (tmp_path / "out").exists()


def test_a_judgment_that_a_measure_cannot_use_is_named_with_its_line(run, small, write):
    """From standard input the judgments cannot be read again, so the line is not known."""
    lines = ["", *(f"{topic} 0 d{i} 1" for topic in "12" for i in range(9)), "2 0 \u00fc 200000"]
    qrels = write("other", lines)
    found = "topic '2', docno '\u00fc': judgment 200000, expected at most 100000 for ndcg, or --binary"
    assert run("eval", "-m", "ndcg", qrels, small[1]).stderr == f"stdeval: {qrels}:20: {found}\n"
    text = "\n".join(lines).encode()
    assert run("eval", "-m", "ndcg", "-", small[1], stdin=text).stderr == f"stdeval: <stdin>: {found}\n"
    qrels = write("other", [*lines, *(f"{topic} 0 \u00fc 1" for topic in "134")])
    more = [write(f"{i}.run", [f"{topic} Q0 \u00fc 1 5 t{i}" for topic in "1234"]) for i in range(3)]
    found = "judgment 200000, expected at most 100000 for G, or --binary"
    assert run("meta", "depth", "-m", "G", "-j", 2, qrels, *more).stderr.endswith(
        f"{qrels}:20: topic '2', docno '\u00fc': {found}\n"
    )


def test_options_without_effect_are_accepted(run, small, write):
    expected = run("eval", "-m", "map", *small)
    assert run("eval", "-m", "map", "--max-grade", "3", "--binary", "--dask-timeout", 5, *small).raw == expected.raw
    scores = write("scores.csv", ["run,topic,map", "a,1,0.5"])
    done = run("eval", "--max-grade", "3", "--label", "file", "--scores", scores)
    assert done.raw == run("eval", "--scores", scores).raw


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["-m", "nDCG(rel=2)@10"], "ndcg_cut_10_rel=2: gains are the judgments, whatever the level is"),
        (["-m", "DCG(dis=jk, rel=2)"], "jkdcg_rel=2: gains are the judgments, whatever the level is"),
        (["--binary", "-m", "ndcg_1=1,2=3"], "ndcg_1=1,2=3: --binary makes all judgments 0 or 1"),
    ],
)
def test_a_level_or_gains_without_effect_are_refused(run, sample, typed, told):
    done = run("eval", *typed, *sample[:2])
    assert (done.status, done.raw) == (2, b"")
    assert told in done.stderr
    assert run("eval", "--binary", "-m", "nDCG(rel=2)@10", *sample[:2]).raw == run(
        *("eval", "--binary", "-l", 2, "-m", "nDCG@10", *sample[:2])
    ).raw.replace(b"ndcg_cut_10      ", b"ndcg_cut_10_rel=2")
