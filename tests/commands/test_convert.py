"""`stdeval convert`: file formats are converted without loss, or refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores

SCORES = "run,topic,map,P_10\na,1,0.25,0.1\na,2,0.5,0.2\nb,1,0.75,0.1\nb,2,0.125,\n"
FACTORS = "topic,n,map.mean,map.sd\n1,2,0.3333333333333333,0.1\n2,2,0.5,1e-06\n"


def two(write, means: str, deviations: str) -> tuple[Path, Path]:
    return write("means.csv", means), write("sds.csv", deviations)


def test_scores_are_a_fixed_point(run, write):
    assert run("convert", "--to", "scores", write("s.csv", SCORES)).stdout == SCORES


def test_counts_are_whole_numbers_as_eval_writes_them(run, write):
    qrels = write("qrels", ["1 0 a 1", "1 0 b 1"])
    path = write("r.run", ["1 Q0 a 1 2 r", "1 Q0 x 2 1 r"])
    scores = run("eval", "-q", "-f", "csv", "-n", "-m", "num_ret", "-m", "map", qrels, path).stdout
    assert scores == "run,topic,num_ret,map\nr,1,2,0.5\n"
    assert run("convert", "--to", "scores", "-", stdin=scores.encode()).stdout == scores
    matrix = run("convert", "--to", "matrix", "-m", "num_ret", "-", stdin=scores.encode()).stdout
    assert matrix == "topic,r\n1,2\n"


def test_scores_and_means_of_counts_keep_their_decimals(run, write):
    scores = "run,topic,num_ret,map\na,1,7,1.0\na,2,7.5,0.0\n"
    assert run("convert", "--to", "scores", write("s.csv", scores)).stdout == scores


def test_scores_of_several_files_are_joined(run, write):
    first = write("a.csv", "run,topic,map\na,1,0.25\n")
    second = write("b.csv", "run,topic,P_10\nb,1,0.75\n")
    joined = run("convert", "--to", "scores", first, second)
    assert joined.stdout == "run,topic,map,P_10\na,1,0.25,\nb,1,,0.75\n"
    assert "b.csv: run 'b' is also in" in run("convert", "--to", "scores", second, second).stderr


def test_scores_with_a_quoted_header_are_joined(run, write):
    """R quotes the names of columns."""
    files = [write(f"{name}.csv", f'"run","topic","map"\n"{name}","1",0.5\n') for name in "ab"]
    assert run("convert", "--to", "scores", *files).stdout == "run,topic,map\na,1,0.5\nb,1,0.5\n"


def test_matrix_there_and_back(run, write):
    matrix = run("convert", "--to", "matrix", "-m", "AP", write("s.csv", SCORES))
    assert matrix.stdout == "topic,a,b\n1,0.25,0.75\n2,0.5,0.125\n"
    back = run("convert", "--to", "scores", "-m", "AP", write("m.csv", matrix.stdout))
    assert back.stdout == "run,topic,map\na,1,0.25\na,2,0.5\nb,1,0.75\nb,2,0.125\n"


@pytest.mark.parametrize("typed", ["P_10", "P.10", "P@10"])
def test_measure_of_a_matrix_in_any_form(run, write, typed: str):
    assert (
        run("convert", "--to", "matrix", "-m", typed, write("s.csv", SCORES)).stdout
        == "topic,a,b\n1,0.1,0.1\n2,0.2,\n"
    )
    back = run("convert", "--to", "scores", "-m", typed, write("m.csv", "a,b\n1,2\n"))
    assert back.stdout.startswith("run,topic,P_10\n")


def test_measure_from_elsewhere_keeps_its_name(run, write):
    back = run("convert", "--to", "scores", "-m", "my score", write("m.csv", "a,b\n1,2\n"))
    assert back.stdout == "run,topic,my score\na,1,1.0\nb,1,2.0\n"


def test_factors_are_a_fixed_point(run, write):
    assert run("convert", "--to", "factors", write("f.csv", FACTORS)).stdout == FACTORS


def test_zscores_have_the_decimals_asked_for(run, write):
    path = write("f.csv", FACTORS)
    done = run("convert", "--to", "zscores", path)
    assert done.stdout == "1\tmap\t0.3333\t0.1000\n2\tmap\t0.5000\t0.0000\n"
    exact = run("convert", "--to", "zscores", "--digits", "17", path)
    assert exact.stdout == "1\tmap\t0.3333333333333333\t0.1\n2\tmap\t0.5\t1e-06\n"
    assert "number of reference runs: not written" in exact.stderr


def test_published_pair_there_and_back(run, write, tmp_path: Path):
    means, sds = tmp_path / "means.csv", tmp_path / "sds.csv"
    assert run("convert", "--to", "published", "-o", means, "-o", sds, write("f.csv", FACTORS)).status == 0
    assert means.read_text() == "topic,AP\n1,0.3333333333333333\n2,0.5\n"
    assert sds.read_text() == "topic,AP\n1,0.1\n2,1e-06\n"
    assert run("convert", "--to", "factors", means, sds).stdout == FACTORS.replace(",2,", ",,")


def test_published_columns_get_our_names(run, write):
    # the eleven columns of the published files, and what they are called here
    columns = ["AP", "SP", "DCG", "nDCG", "VDCG", "nVDCG", "P@10", "RR", "RBP.8", "RBP.95", "RP"]
    names = [
        "map",
        "sp",
        "jkdcg",
        "njkdcg",
        "dcg",
        "ndcg",
        "P_10",
        "recip_rank",
        "rbp_p=0.8",
        "rbp_p=0.95",
        "Rprec",
    ]
    head, row = ",".join(["", *columns]), ",".join(["401", *["0.5"] * 11])
    done = run("convert", "--to", "factors", *two(write, f"{head}\n{row}\n", f"{head}\n{row}\n"))
    assert done.stdout.splitlines()[0].split(",") == [
        "topic",
        "n",
        *(f"{name}.{what}" for name in names for what in ("mean", "sd")),
    ]


def test_trec_eval_output_of_several_files(run, write):
    qrels = write("qrels", ["1 0 a 1", "2 0 b 1"])
    texts = []
    for name in "xy":
        path = write(f"{name}.run", [f"1 Q0 a 1 1 {name}", f"2 Q0 a 1 2 {name}", f"2 Q0 b 2 1 {name}"])
        text = run("eval", "-q", "-m", "official", "-m", "relstring", qrels, path).raw
        texts.append(write(f"{name}.txt", text))
    done = run("convert", "--to", "scores", *texts)
    assert [(row["run"], row["topic"], row["map"]) for row in done.rows] == [
        ("x", "1", "1.0"),
        ("x", "2", "0.5"),
        ("y", "1", "1.0"),
        ("y", "2", "0.5"),
    ]
    assert not {"relstring", "runid", "gm_map", "num_q"} & set(done.rows[0])


def test_trec_eval_output_without_runid_is_named_by_its_file(run, write):
    path = write("baseline.txt", "map                   \t1\t0.5000\nmap                   \tall\t0.5000\n")
    (row,) = run("convert", "--to", "scores", path).rows
    assert (Path(row["run"]).name.startswith("baseline"), row["map"]) == (True, "0.5")


def test_our_text_of_several_runs_comes_back(run, write):
    qrels = write("qrels", ["1 0 a 1"])
    paths = [write(f"{name}.run", [f"1 Q0 {name} 1 1 {name}"]) for name in "ab"]
    text = run("eval", "-q", "-m", "map", qrels, *paths).raw
    assert run("convert", "--to", "scores", "-", stdin=text).stdout == "run,topic,map\na,1,1.0\nb,1,0.0\n"


# trec_eval's own output, read back: means over topics are those of its last lines, to its four decimals
@pytest.mark.parametrize(
    "name",
    [
        "cranfield.bm25-depth10.q-n.txt",
        "cranfield.tfidf-rounded2.q-all_trec.txt",
        "trec-covid-r4.r4.fusion2.q-all_trec.txt",
    ],
)
def test_real_trec_eval_output(run, shared: Path, name: str):
    path = shared / "trec_eval-9.0.8" / name
    done = run("convert", "--to", "scores", path)
    assert done.stderr == ""
    lines = [line.split() for line in path.read_text().splitlines()]
    table = read_scores(_Text(done.stdout))
    assert len(table.topics) == len({topic for _, topic, _ in lines if topic != "all"})
    for measure, topic, value in lines:
        if topic == "all" and measure in table.measures and not measure.startswith("num_"):
            assert np.nanmean(table.measure(measure)) == pytest.approx(float(value), abs=1.01e-4)


class _Text(Input):
    """An input that holds a text."""

    def __init__(self, text: str) -> None:
        super().__init__("-")
        self._spooled = io.BytesIO(text.encode())


@pytest.mark.parametrize(
    ("name", "content", "target", "words"),
    [
        ("s.csv", SCORES, "factors", "'stdeval factors --scores' makes them"),
        ("s.csv", SCORES, "zscores", "expected factors"),
        ("s.csv", SCORES, "matrix", "a matrix has one measure, expected --measure with one of: map, P_10"),
        ("f.csv", FACTORS, "scores", "factors do not hold the scores of systems"),
        ("f.csv", FACTORS, "matrix", "factors do not hold the scores of systems"),
        ("m.csv", "a,b\n1,2\n", "scores", "m.csv:1: neither scores"),
        ("m.csv", "a b\n1 2\n", "scores", "m.csv:1: no factors or scores"),
        ("e.csv", "", "scores", "e.csv:1: no factors or scores"),
        ("f.csv", "topic,n,my map.mean,my map.sd\n1,2,.1,.1\n", "zscores", "'my map' has a blank"),
    ],
)
def test_refused(run, write, name: str, content: str, target: str, words: str):
    done = run("convert", "--to", target, write(name, content))
    assert (done.status, done.stdout) == (2, "")
    assert words in done.stderr
    assert (
        done.stderr.splitlines()[-1]
        .removeprefix("stdeval: ")
        .startswith((str(write(name, content)), "scores,", "factors,", "a matrix", "'my"))
    )


def test_published_holds_the_published_measures_only(run, write, tmp_path: Path):
    path = write("f.csv", FACTORS.replace("map", "bpref"))
    done = run("convert", "--to", "published", "-o", tmp_path / "m", "-o", tmp_path / "s", path)
    assert done.status == 2
    assert "'bpref' is not among the published metrics: AP, SP" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["f.csv"]


@pytest.mark.parametrize("outputs", [[], ["-o", "x"], ["-o", "x", "-o", "y", "-o", "z"]])
def test_published_is_two_files(run, write, outputs: list[str]):
    done = run("convert", "--to", "published", *outputs, write("f.csv", FACTORS))
    assert done.status == 2
    assert "expected -o MEANS -o DEVIATIONS" in done.stderr


@pytest.mark.parametrize(
    ("means", "deviations", "where"),
    [
        ("topic,AP\n1,.5\n", "topic,AP\n1,-.1\n", "sds.csv:2: AP '-.1', expected a number from 0"),
        ("topic,AP\n1,.5\n", "topic,RR\n1,.1\n", "sds.csv: topics or metrics, or their order, differ"),
        ("topic,AP\n1,.5\n", "topic,AP\n2,.1\n", "sds.csv: topics or metrics, or their order, differ"),
        ("topic,AP\n1,.5,.6\n", "topic,AP\n1,.1\n", "means.csv:2: 3 columns"),
        ("topic,AP\n1,.5\n1,.5\n", "topic,AP\n1,.1\n", "means.csv:3: topic '1' appears twice"),
        ("topic,AP\n1,x\n", "topic,AP\n1,.1\n", "means.csv:2: AP 'x'"),
    ],
)
def test_published_pair_with_a_fault(run, write, means: str, deviations: str, where: str):
    done = run("convert", "--to", "factors", *two(write, means, deviations))
    assert (done.status, done.stdout) == (2, "")
    assert where in done.stderr


@pytest.mark.parametrize("measure", ["ap", "ndcg"])
def test_urbano_matrices(run, shared: Path, tmp_path: Path, measure: str):
    path = shared / "urbano2019" / f"robust2004_{measure}.csv"
    scores = tmp_path / "scores.csv"
    assert run("convert", "--to", "scores", "-m", measure, "-o", scores, path).status == 0
    expected = np.genfromtxt(path, delimiter=",", skip_header=1)
    table = read_scores(Input(scores))
    assert table.values.shape == (110, 99, 1)
    order = [int(topic) - 1 for topic in table.topics]
    np.testing.assert_array_equal(table.values[:, :, 0], expected[order].T)
    if measure == "ap":
        # Webber, Moffat & Zobel 2008, Table 6: mean AP on the topics of 2003 and of 2004
        assert expected[:50].mean() == pytest.approx(0.327, abs=5e-4)
        rows = {topic: table.values[:, i, 0].mean() for i, topic in enumerate(table.topics)}
        assert np.mean([rows[str(i)] for i in range(1, 51)]) == pytest.approx(0.327, abs=5e-4)
        assert np.mean([rows[str(i)] for i in range(51, 100)]) == pytest.approx(0.293, abs=5e-4)


def test_urbano_standardized_by_itself(run, shared: Path, tmp_path: Path):
    """Urbano, Lima & Hanjalic 2019, section 2, describe the standardized scores of the 2004 topics."""
    scores = tmp_path / "scores.csv"
    run("convert", "--to", "scores", "-m", "AP", "-o", scores, shared / "urbano2019" / "robust2004_ap.csv")
    done = run(
        "standardize",
        "-q",
        "-f",
        "csv",
        "-n",
        *["--scheme", "n", "--scheme", "u", "--no-censor"],
        "--scores",
        scores,
    )
    by_topic: dict[int, list[tuple[float, float]]] = {}
    for row in done.rows:
        by_topic.setdefault(int(row["topic"]), []).append((float(row["Nmap"]), float(row["Umap"])))
    n, u = np.array([by_topic[topic] for topic in range(51, 100)]).transpose(2, 0, 1)
    assert n.shape == (49, 110)
    assert 0.45 <= n.mean(axis=1).min() <= n.mean(axis=1).max() <= 0.55
    # 0.14 to 0.31 as printed, that is with two decimals
    assert (n.std(axis=1, ddof=1).min().round(2), n.std(axis=1, ddof=1).max().round(2)) == (0.14, 0.31)
    np.testing.assert_allclose(u.mean(axis=1), 0.5, atol=1e-12)
    np.testing.assert_allclose(u.std(axis=1, ddof=1), 0.15, atol=1e-12)
    raw = np.genfromtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skip_header=1)[50:]
    np.testing.assert_allclose(n, stats.norm.cdf(stats.zscore(raw, axis=1, ddof=1)), atol=1e-12)


def test_the_right_file_of_a_pair_is_blamed(run, write):
    grid, scores = write("means.csv", "topic,AP\n1,.5\n"), write("s.csv", "run,topic,map\na,1,.5\n")
    for files in [(grid, scores), (scores, grid)]:
        done = run("convert", "--to", "factors", *files)
        assert (done.status, done.stderr) == (
            2,
            f"stdeval: {scores}: expected the other file of a published pair, beside {grid}\n",
        )


def test_a_matrix_without_a_header_is_refused(run, write):
    path = write("m.csv", ".1,.2\n.3,.4\n")
    done = run("convert", "--to", "scores", "-m", "map", path)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == f"stdeval: {path}:1: numbers ('.2') where names should be, expected a header\n"
    numbered = write("n.csv", "topic,1,2\n7,.3,.4\n")
    assert run("convert", "--to", "scores", "-m", "map", numbered).stdout == "run,topic,map\n1,7,0.3\n2,7,0.4\n"


@pytest.mark.parametrize("target", ["factors", "published"])
def test_a_refusal_names_the_file(run, write, target: str):
    path = write("s.csv", "run,topic,map\na,1,0.5\n")
    done = run("convert", path, "--to", target, *(["-o", "m.csv", "-o", "d.csv"] if target == "published" else []))
    assert (done.status, done.stdout) == (2, "")
    assert f"{path}: scores, expected factors for --to {target}" in done.stderr


@pytest.mark.parametrize(
    "header, measure",
    [
        ("ndcg_cut_10", "ndcg_cut_10"),
        ("nDCG@10", "ndcg_cut_10"),
        ("P.10", "P_10"),
        ("R@100", "recall_100"),
        ("RBP(p=0.8)", "rbp_p=0.8"),
        ("Rprec", "Rprec"),
        ("mine", "mine"),
        ("RBP.8", "rbp_p=0.8"),
        # the papers' names come first
        ("nDCG", "njkdcg"),
        ("nVDCG", "ndcg"),
    ],
)
def test_published_columns_have_any_name_of_a_measure(run, write, header: str, measure: str):
    pair = [write(name, f"topic,{header}\n1,{value}\n") for name, value in (("m.csv", 0.5), ("s.csv", 0.25))]
    done = run("convert", "--to", "factors", *pair)
    assert done.stdout == f"topic,n,{measure}.mean,{measure}.sd\n1,,0.5,0.25\n"


def test_published_columns_of_one_measure_are_refused(run, write):
    pair = [write(name, f"topic,AP,map\n1,{value},{value}\n") for name, value in (("m.csv", 0.5), ("s.csv", 0.25))]
    done = run("convert", "--to", "factors", *pair)
    assert (done.status, done.stdout) == (2, "")
    assert f"{pair[0]}: columns 'AP' and 'map' are both map, expected one of them" in done.stderr


@pytest.mark.parametrize(
    "header, is_told",
    [("AP,nDCG", True), ("nDCG", True), ("nDCG,nVDCG", False), ("DCG,VDCG", False), ("njkdcg,ndcg", False)],
)
def test_the_papers_ndcg_is_told_unless_the_file_has_the_other_too(run, write, header: str, is_told: bool):
    told = "nDCG of published files mean the forms with logarithms of base 2"
    zeros = ",".join("0" for _ in header.split(","))
    pair = [write(name, f"topic,{header}\n1,{zeros}\n") for name in ("m.csv", "s.csv")]
    assert (told in run("convert", "--to", "factors", *pair).stderr) == is_told
    flags = [part for path in pair for part in ("-F", path)]
    scores = write("scores.csv", "run,topic,map,njkdcg,jkdcg\na,1,0.5,0.5,0.5\nb,1,0.25,0.25,0.25\n")
    assert (told in run("standardize", "--scheme", "n", *flags, "--scores", scores).stderr) == is_told


def test_a_matrix_without_topics_is_told(run, write):
    """A data frame that was written without its index."""
    rows = [("topic", "x", "y"), ("10", ".1", ".2"), ("2", ".3", ".4")]
    with_topics, without = (write(f"{i}.csv", [",".join(row[i:]) for row in rows]) for i in range(2))
    done = run("convert", without, "--to", "scores", "-m", "map")
    assert f"{without}: no column of topics" in done.stderr
    assert [row["topic"] for row in done.rows] == ["1", "2", "1", "2"]
    assert run("convert", with_topics, "--to", "scores", "-m", "map").stderr == ""


def test_published_factors_without_topics_are_told(run, write):
    pair = two(write, "AP,RR\n.25,.5\n.5,.75\n", "AP,RR\n.1,.2\n.1,.3\n")
    assert f"{pair[0]}: no column of topics" in run("convert", "--to", "factors", *pair).stderr


@pytest.mark.parametrize("header", ["QueryID", "query-id", "Topic ID", "topic.id", "TopicNo", "qid", "q_id"])
def test_topics_have_many_headers(run, write, header: str):
    matrix = write("m.csv", f"{header},a,b\n301,.25,.5\n302,.5,.75\n")
    done = run("convert", "--to", "scores", "-m", "map", matrix)
    assert (done.stderr, done.stdout.splitlines()[1]) == ("", "a,301,0.25")
    pair = two(write, f"{header},AP\n301,.25\n302,.5\n", f"{header},AP\n301,.1\n302,.2\n")
    assert run("convert", "--to", "factors", *pair).rows[0]["topic"] == "301"


def test_names_under_another_header_are_refused(run, write):
    path = write("m.csv", "id,a\nmember-1,.5\nmember-2,.25\n")
    done = run("convert", "--to", "scores", "-m", "map", path)
    assert (done.status, f"{path}:2: id 'member-1', expected a finite decimal number" in done.stderr) == (2, True)


@pytest.fixture
def signed(run, write) -> Callable[..., str]:
    """Text of `eval -q --signature` for some runs, with options."""
    write("qrels", [f"{topic} 0 d{n} {n}" for topic in "123" for n in range(3)])

    def text(*names: str, options: str = "--signature") -> str:
        paths = [
            write(f"{name}.run", [f"{t} Q0 d{n} {n} {n * (-1) ** i} {name}" for t in "123" for n in range(3)])
            for i, name in enumerate(names)
        ]
        typed = ["eval", "-q", "-m", "runid", "-m", "map", *options.split()]
        return run(*typed, paths[0].parent / "qrels", *paths).stdout

    return text


def test_a_signature_in_text_becomes_a_column(run, write, signed):
    done = run("convert", "--to", "scores", write("s.txt", (signed("a", "b") + signed("c")).splitlines()))
    assert (done.status, done.stderr) == (0, "")
    signatures = {row["signature"] for row in done.rows}
    assert len(done.rows) == 9
    assert len(signatures) == 1
    assert "|options:default|scheme:raw|qrels:" in signatures.pop()
    again = run("eval", "--signature", "--scores", write("s.csv", done.stdout.splitlines())).stdout
    assert again.splitlines()[-1].endswith(signed("a").splitlines()[-1].partition("|options:")[2])


def test_a_signature_for_some_runs_only_is_left_out(run, write, signed):
    path = write("s.txt", (signed("a") + signed("b", "c", options="")).splitlines())
    done = run("convert", "--to", "scores", path)
    assert "signature" not in done.rows[0]
