"""Scores that their measure cannot have, and rounded scores beside exact ones, are told of before they decide."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stdeval import InputWarning, read_factors, read_scores

EXACT = [1 / 6, 1 / 3, 1 / 7, 2 / 7, 0.5]


@pytest.fixture
def files(write):
    """The same scores, exact and as trec_eval prints them, of two runs."""
    head = "run,topic,recip_rank"
    exact = write("exact.csv", [head, *(f"a,{t},{score!r}" for t, score in enumerate(EXACT))])
    printed = write("printed.csv", [head, *(f"b,{t},{score:.4f}" for t, score in enumerate(EXACT))])
    return exact, printed


TOLD = "recip_rank scores of 1 of 2 runs (e.g. 'b') seem to be rounded to 4 decimals, and those of others do not"


def test_rounded_scores_beside_exact_ones_are_one_warning(run, files):
    done = run("compare", *(part for path in files for part in ("--scores", path)))
    assert done.stderr.count(TOLD) == 1
    assert run("compare", "--scores", files[0], "--scores", files[0]).status == 2
    assert TOLD not in run("eval", "--scores", files[0]).stderr + run("eval", "--scores", files[1]).stderr


def test_a_rounded_baseline_is_one_warning(run, files):
    done = run("check", "--baseline", files[1], "--max-drop", "recip_rank=0.1", "--scores", files[0])
    assert (done.status, done.stderr.count(TOLD)) == (0, 1)
    typed = ["check", "--baseline", files[1], "--max-drop", "recip_rank=0.1", "--scores", files[0], "--round", 4]
    assert "seem to be rounded" not in run(*typed).stderr


def test_rounded_reference_scores_are_one_warning_unless_all_are_rounded(run, files, write):
    printed = files[1].read_text()
    references = write("two.csv", [printed.strip(), *printed.replace("b,", "c,").splitlines()[1:]])
    typed = ["standardize", "--scheme", "e", "-F", references, "--scores", files[0]]
    assert "2 of 3 runs (e.g. 'b') seem to be rounded to 4 decimals" in run(*typed).stderr
    assert "rounded" not in run(*typed, "--round", 4).stderr


def test_rounded_scores_of_a_measure_with_few_values_are_one_warning(run, write):
    exact = [1 / 3, 2 / 3, 2 / 3, 1.0]
    new = write("new.csv", ["run,topic,P_3", *(f"a,{t},{score!r}" for t, score in enumerate(exact))])
    old = write("old.csv", ["run,topic,P_3", *(f"b,{t},{score:.4f}" for t, score in enumerate(exact))])
    rows = ["b,0,1.0", "b,1,0.3333", "b,2,0.0", "b,3,0.6667", "c,0,0.0", "c,1,0.0", "c,2,0.6667", "c,3,0.0"]
    others = write("others.csv", ["run,topic,P_3", *rows])
    told = "(e.g. 'b') seem to be rounded to 4 decimals"
    done = run("check", "--baseline", old, "--not-worse", "P_3", "--scores", new)
    assert f"P_3 scores of 1 of 2 runs {told}" in done.stderr
    done = run("standardize", "--scheme", "e", "-F", others, "--scores", new)
    assert f"P_3 scores of 2 of 3 runs {told}" in done.stderr


@pytest.mark.parametrize("measure", ["P_3", "P_5", "P_10", "set_P", "judged"])
def test_scores_of_single_precision_by_a_measure_of_few_values_are_told(run, write, measure: str):
    """12 of 33 ties became wins, and the gate failed."""
    k = {"P_5": 5, "P_10": 10}.get(measure, 3)
    scores = [(t % (k + 1)) / k for t in range(40)]
    rows = [f"old,{t},{float(np.float32(x))!r}\nnew,{t},{x!r}" for t, x in enumerate(scores)]
    done = run("compare", "--scores", write("s.csv", [f"run,topic,{measure}", *rows]))
    assert "1 of 2 runs (e.g. 'old') seem to be rounded to 32-bit floats, or to 14 digits or fewer" in done.stderr


@pytest.mark.parametrize("digits", [10, 12, 14])
def test_scores_of_more_digits_beside_exact_ones_are_told(run, write, digits: int):
    """Ties are decided at 12 digits: an unchanged run was significantly worse than its rounded scores."""
    scores = np.random.default_rng(5).random(50).tolist()
    rounded = [f"base,{t},{x:.{digits}g}" for t, x in enumerate(scores)]
    base = write("base.csv", ["run,topic,map", *rounded])
    new = write("new.csv", ["run,topic,map", *(f"new,{t},{x!r}" for t, x in enumerate(scores))])
    told = "map scores of 1 of 2 runs (e.g. 'base') seem to be rounded to 32-bit floats, or to 14 digits or fewer"
    assert run("check", "--baseline", base, "--not-worse", "map", "--scores", new).stderr.count(told) == 1


@pytest.mark.parametrize("number", [lambda score: float(np.float32(score)), lambda score: f"{score:.7g}"])
def test_scores_of_single_precision_beside_exact_ones_are_one_warning(run, files, write, number):
    exact = files[0]
    single = write("single.csv", ["run,topic,recip_rank", *(f"b,{t},{number(x)}" for t, x in enumerate(EXACT))])
    told = (
        "recip_rank scores of 1 of 2 runs (e.g. 'b') seem to be rounded to 32-bit floats, or to 14 digits or fewer"
    )
    assert run("compare", "--scores", exact, "--scores", single).stderr.count(told) == 1
    done = run("check", "--baseline", single, "--max-drop", "recip_rank=0.1", "--scores", exact)
    assert (done.status, done.stderr.count(told)) == (0, 1)
    alone = run("eval", "--scores", single).stderr
    are_floats = number(0.1) != "0.1"
    assert (
        "all scores by recip_rank seem to be rounded to 32-bit floats: equal differences" in alone
    ) is are_floats
    assert "those of others" not in alone


@pytest.mark.parametrize("measure", ["recip_rank_cut_2", "RR@2", "recip_rank", "nDCG@1", "DCG@1", "ERR@1"])
def test_exact_scores_of_first_ranks_are_short_by_nature(run, write, measure: str):
    """Some runs have a relevant document on the third rank, but none of most."""
    rows = [f"{name},{t},{(t + i) % 3 / 2}" for i, name in enumerate("abc") for t in range(40)]
    rows += [f"d,{t},{1 / 3 if t == 7 and measure == 'recip_rank' else 0.5!r}" for t in range(40)]
    done = run("compare", "--scores", write("s.csv", [f"run,topic,{measure}", *rows]))
    assert (done.status, "rounded" in done.stderr) == (0, False)


def test_sums_of_powers_of_2_are_32_bit_floats_by_nature(run, write):
    rows = [f"a,{t},{(t * 977 % 1024) / 2**20!r}" for t in range(1, 30)]
    assert "rounded" not in run("eval", "--scores", write("s.csv", ["run,topic,rbp_p=0.5", *rows])).stderr
    long = [f"b,{t},{t / 31 + 2.0**-50!r}" for t in range(1, 30)]
    shallow = [f"c,{t},{(t * 977 % 1024) / 2**10!r}" for t in range(1, 30)]
    for some in (rows, shallow):
        both = write("both.csv", ["run,topic,rbp_p=0.5", *some, *long])
        assert "rounded" not in run("compare", "--scores", both).stderr


@pytest.mark.parametrize("measure", ["map", "bpref", "recall_100", "Nmap"])
def test_16_bit_floats_are_told(run, write, measure: str):
    exact = np.random.default_rng(5).random(40)
    rows = {
        "a": exact,
        "b": exact.astype(np.float16).astype(float),
        "c": exact[::-1].astype(np.float16).astype(float),
    }
    lines = {name: [f"{name},{t},{x!r}" for t, x in enumerate(own.tolist())] for name, own in rows.items()}
    header = f"run,topic,{measure}"
    beside = run("compare", "--scores", write("s.csv", [header, *lines["a"], *lines["b"]])).stderr
    assert "1 of 2 runs (e.g. 'b') seem to be rounded to 32-bit floats, or to 14 digits or fewer" in beside
    alone = run("compare", "--scores", write("t.csv", [header, *lines["b"], *lines["c"]])).stderr
    assert f"all scores by {measure} seem to be rounded to 32-bit floats" in alone


def test_scores_rounded_in_two_ways_are_one_warning(run, files, write):
    rows = [f"c,{topic},{float(np.float32(score))}" for topic, score in enumerate(EXACT)]
    single = write("single.csv", ["run,topic,recip_rank", *rows])
    told = "1 of 2 runs (e.g. 'b') seem to be rounded to 4 decimals, and those of others do not"
    assert run("compare", "--scores", files[1], "--scores", single).stderr.count(told) == 1


@pytest.mark.parametrize(("first", "second"), [(4, 5), (4, 6), (5, 6), (4, 4), (5, 5)])
def test_scores_of_more_decimals_than_others_are_told(run, write, first: int, second: int):
    """As by trec_eval, and by a program that prints five decimals."""
    exact = np.random.default_rng(3).random(30)
    rows = [f"{run},{t},{score:.{k}f}" for run, k in (("a", first), ("b", second)) for t, score in enumerate(exact)]
    done = run("compare", "--scores", write("s.csv", ["run,topic,map", *rows]))
    told = f"'a') seem to be rounded to {first} decimals, and those of others to more: equal scores may count as"
    assert (told in done.stderr) == (first != second)


def test_scores_that_one_program_rounds_and_another_cuts_off_are_told(run, write):
    exact = np.random.default_rng(3).random(30)
    cut = np.floor(exact * 10_000) / 10_000
    n = int(sum(exact.round(4) != cut.round(4)))
    for other, is_told in ((cut, True), (exact, False), (cut + 0.001 * (np.arange(30) == 7), False)):
        rows = [f"{name},{t},{x:.4f}" for name, own in (("a", exact), ("b", other)) for t, x in enumerate(own)]
        done = run("compare", "--scores", write("s.csv", ["run,topic,map", *rows]))
        told = f"the map scores of 'a' and 'b' differ by 0.0001 on {n} topics, and never by more: are they the same"
        assert (told in done.stderr) == is_told


def test_scores_of_few_decimals_are_one_warning(run, write):
    """As a spreadsheet saves them whose cells show two decimals."""
    few = [
        f"{run},{n},{n * place % 53 / 53:.2f},{n / 10 % 1:.1f},{n * place % 51 / 51:.2f}"
        for n in range(1, 50)
        for place, run in enumerate("ab", 9)
    ]
    scores = write("s.csv", ["run,topic,map,P_10,Nndcg", *few])
    told = "all scores by map, Nndcg have at most 2 decimals: were they rounded?"
    assert f"stdeval: warning: {told}" in run("compare", "--scores", scores).stderr
    assert "map, Nndcg have at most" in run("check", "--min", "map=0.1", "--scores", scores).stderr
    assert "at most" not in run("eval", "-m", "P_10", "--scores", scores).stderr


LONG = ["sp", "njkdcg_cut_20", "G", "bpref", "recall_30", "set_F", "Rprec", "iprec_at_recall_0.10", "recip_rank"]
"""Measures with long scores by nature."""


@pytest.mark.parametrize(("decimals", "told"), [(2, [*LONG, "P_200"]), (3, LONG), (17, [])])
def test_scores_of_few_decimals_are_told_by_measures_that_have_more(run, sample, write, decimals, told):
    names = [word for name in (*LONG, "P_200") for word in ("-m", name)]
    header, *exact = run("eval", "-q", "-n", "-f", "csv", *names, *sample[:12]).stdout.splitlines()
    cells = [line.split(",") for line in exact]
    rows = [",".join([*row[:2], *(repr(round(float(score), decimals)) for score in row[2:])]) for row in cells]
    stored = write("s.csv", [header, *rows])
    words = f"have at most {decimals} decimals: were they rounded?"
    found = [name for name in header.split(",")[2:] if words in run("eval", "-m", name, "--scores", stored).stderr]
    assert sorted(found) == sorted(told)


@pytest.mark.parametrize("scheme", ["z", "n", "u"])
def test_standardized_scores_of_few_decimals_are_told_by_any_measure(run, sample, write, scheme: str):
    typed = ["-q", "-n", "-f", "csv", "-m", "bpref", "-m", "P_10", "-m", "sp", "--scheme", scheme, *sample[:14]]
    header, *exact = run("standardize", *typed).stdout.splitlines()
    names = header.split(",")[2:]
    for decimals, is_told in ((2, True), (17, False)):
        cells = [line.split(",") for line in exact]
        rows = [
            ",".join([*row[:2], *(repr(round(float(x), decimals)) if x else "" for x in row[2:])]) for row in cells
        ]
        told = run("eval", "--scores", write("s.csv", [header, *rows])).stderr
        assert (f"all scores by {', '.join(names)} have at most 2 decimals" in told) == is_told


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_scores_of_few_significant_digits_are_told(run, sample, write, digits: int):
    """Small scores have more decimals then."""
    header, *exact = run("eval", "-q", "-n", "-f", "csv", "-m", "map", *sample[:3]).stdout.splitlines()
    rows = [f"{head},{float(score):.{digits}g}" for head, _, score in (row.rpartition(",") for row in exact)]
    told = f"all scores by map have at most {digits} significant digits: were they rounded?"
    assert (told in run("compare", "--scores", write("s.csv", [header, *rows])).stderr) == (digits < 4)


@pytest.mark.parametrize("relevant", [2, 5, 10, 20])
def test_fractions_of_as_many_relevant_documents_for_each_topic_are_short_by_nature(run, write, relevant: int):
    scores = {(name, t): (7 * t + i) % (relevant + 1) / relevant for i, name in enumerate("abc") for t in range(90)}
    rows = [f"{name},{t},{score!r}" for (name, t), score in scores.items()]
    assert "rounded" not in run("eval", "--scores", write("s.csv", ["run,topic,recall_10", *rows])).stderr


def test_a_stored_baseline_of_one_decimal_is_told_beside_exact_scores(run, write):
    exact = (np.random.default_rng(1).random(50) / 3 + 0.05).tolist()
    rows = ["run,topic,map", *(f"b,{topic},{score:.1f}" for topic, score in enumerate(exact))]
    before, scores = write("b.csv", rows), write("s.csv", [rows[0], *(f"a,{t},{x}" for t, x in enumerate(exact))])
    done = run("check", "--baseline", before, "--max-drop", "map=2%", "--scores", scores)
    assert "'b') seem to be rounded to 1 decimal, and those of others do not" in done.stderr


def test_percentages_are_one_warning_and_fail_the_gate(run, write):
    scores = write("s.csv", ["run,topic,map", "a,1,38.5", "a,2,0.2", "b,1,0.1", "b,2,-0.3"])
    told = "2 scores outside 0 to 1 (e.g. 38.5, map of 'a')"
    assert f"stdeval: warning: {told}\n" in run("eval", "--scores", scores).stderr
    done = run("check", "--scores", scores, "--min", "map=0.1")
    assert (done.status, done.stderr) == (2, f"stdeval: {scores}: {told}, expected scores of the measure\n")


def test_a_score_just_above_1_is_told_with_the_digits_that_show_it(run, write):
    scores = write("s.csv", "run,topic,map\na,1,1.0000001\n")
    assert "1 score outside 0 to 1 (e.g. 1.0000001, map of 'a')" in run("eval", "--scores", scores).stderr


def test_other_scores_may_be_outside(run, write):
    scores = write("s.csv", ["run,topic,Zmap,dcg", "a,1,-1.5,7.5", "a,2,2.5,3"])
    assert "outside" not in run("eval", "--scores", scores).stderr


def test_a_tab_in_a_name_is_refused_in_text(run, write):
    scores = write("s.csv", ["run,topic,map", "a\tb,1,0.5", "a\tb,2,0.4", "c,1,0.4", "c,2,0.1"])
    done = run("compare", "--scores", scores)
    assert (done.status, done.raw) == (2, b"")
    assert "a tab in the name 'a\\tb', which text cannot hold" in done.stderr


def test_a_mean_of_u_outside_its_range_is_refused(run, files):
    done = run("standardize", "--scheme", "u", "--ab", "15,50", "--scores", files[0])
    assert (done.status, done.raw) == (2, b"")
    assert "--ab 15,50: expected a mean B from 0 to 1" in done.stderr


def test_columns_without_a_score_are_one_warning(run, write):
    rows = [f"{run_},{t},0.{t + place}{t * place},,nan" for place, run_ in enumerate("abc") for t in range(1, 5)]
    path = write("s.csv", ["run,topic,map,P_10,ndcg", *rows])
    told = "stdeval: warning: no run has a score by P_10, ndcg: the columns are left out\n"
    assert run("compare", "--scores", path).stderr == told
    assert run("compare", "--scores", path, "-m", "map").stderr == ""
    joined = run("topics", "--scores", f"x={path}", "--scores", f"y={path}").stderr
    assert joined.startswith("stdeval: warning: no run has a score by x:P_10, x:ndcg, y:P_10, y:ndcg: the columns")
    other = write("o.csv", ["run,topic,P_10", *(f"{name},{topic},0.{topic}" for name in "def" for topic in "1234")])
    assert "no run has a score by ndcg: the column is" in run("topics", "--scores", path, "--scores", other).stderr


def test_columns_of_summaries_with_numbers_for_topics_are_left_out(run, write):
    """pytrec_eval writes such numbers: a num_q of 1, and the logarithm of map as gm_map."""
    path = write("s.csv", ["run,topic,map,num_q,gm_map", "a,1,0.25,1,-1.3863", "a,2,0.5,1,-0.6931"])
    done = run("eval", "--scores", path)
    assert done.stdout.split() == ["map", "all", "0.3750"]
    assert done.stderr == (
        "stdeval: warning: num_q, gm_map have no score per topic, only a summary: the columns are left out\n"
    )
    only = run("eval", "--scores", write("q.csv", ["run,topic,num_q", "a,1,1"]))
    assert "q.csv: no measure has a score per topic; expected a measure that has, such as map" in only.stderr


@pytest.mark.parametrize("decimals", [2, 3, 4, 6, 7, 8, 10])
def test_a_run_rounded_to_any_decimals_beside_itself_is_one_warning(run, files, write, decimals: int):
    rows = [f"b,{topic},{score:.{decimals}f}" for topic, score in enumerate(EXACT)]
    rounded = write("rounded.csv", ["run,topic,recip_rank", *rows])
    told = "scores of 1 of 2 runs (e.g. 'b') seem to be rounded to"
    assert run("compare", "--scores", files[0], "--scores", rounded).stderr.count(told) == 1
    done = run("check", "--baseline", rounded, "--max-drop", "recip_rank=0.1", "--scores", files[0])
    assert done.stderr.count(told) == 1


def test_a_run_with_short_scores_by_nature_is_not_told_of(run, write):
    scores = {"a": EXACT, "b": [0.5, 0.25, 0.2, 0.1, 1.0], "c": [1.0, 0.125, 1 / 3, 0.05, 0.04]}
    rows = [f"{name},{topic},{score!r}" for name, own in scores.items() for topic, score in enumerate(own)]
    assert "rounded" not in run("compare", "--scores", write("s.csv", ["run,topic,recip_rank", *rows])).stderr


def test_a_rounded_run_among_exact_ones_is_told_of(run, write):
    """None of the others has its scores, but 40 different ones would not all have two decimals by nature."""
    scores = np.random.default_rng(1).random((5, 40))
    scores[2] = np.linspace(0.11, 0.89, 40).round(2)
    rows = [f"s{i},{topic},{score!r}" for i, own in enumerate(scores.tolist()) for topic, score in enumerate(own)]
    told = "1 of 5 runs (e.g. 's2') seem to be rounded to 2 decimals"
    assert told in run("compare", "--scores", write("s.csv", ["run,topic,map", *rows])).stderr


@pytest.mark.parametrize("measure", ["judged_64", "judged_64_rel=2", "judged", "set_P"])
def test_shares_of_the_documents_of_a_run_are_short_by_nature(run, write, measure: str):
    """A run of 64 documents or more has multiples of 1/64, one of 7 documents has multiples of 1/7."""
    scores = {"long": [k / 64 for k in range(1, 40)], "short": [k % 7 / 7 for k in range(1, 40)]}
    rows = [f"{name},{topic},{score!r}" for name, own in scores.items() for topic, score in enumerate(own)]
    done = run("eval", "--scores", write("s.csv", [f"run,topic,{measure}", *rows]))
    assert (done.status, "rounded" in done.stderr) == (0, False)


def test_one_value_of_four_decimals_tells_of_rounded_references(run, write):
    """By P_3 there are only 0.3333 and 0.6667; a run of 1/3 was above references that all scored 0.3333."""
    for third, is_told in (("0.3333", True), (repr(1 / 3), False)):
        rows = [f"{name},{topic},{third if topic else 1}" for name in "abc" for topic in range(4)]
        done = run("factors", "--scores", write("s.csv", ["run,topic,P_3", *rows]))
        assert ("the P_3 scores seem to be rounded to 4 decimals" in done.stderr) is is_told


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 7, 9, 10, 16])
@pytest.mark.parametrize(
    ("measure", "scores"), [("P_3", [1 / 3, 2 / 3, 1]), ("recip_rank", [1 / 3, 1 / 7, 1 / 2, 1])]
)
def test_scores_of_few_values_tell_of_any_rounding(run, write, decimals: int, measure: str, scores: list[float]):
    """The other run has a long score on one topic only, another one than the rounded run."""
    other = [1.0] * (len(scores) - 1) + [1 / 3]
    rows = [
        *(f"a,{topic},{round(score, decimals)!r}" for topic, score in enumerate(scores)),
        *(f"b,{topic},{score!r}" for topic, score in enumerate(other)),
    ]
    done = run("compare", "--scores", write("s.csv", [f"run,topic,{measure}", *rows]))
    told = f"the {measure} scores of 1 of 2 runs (e.g. 'a') seem to be rounded to"
    assert (told in done.stderr) is (decimals < 16)


@pytest.mark.parametrize("scheme", ["e", "m"])
def test_rounding_rounds_reference_scores_too(run, write, scheme: str):
    """A run that was printed with four decimals gets the scores of the original from the references it is among."""
    exact = {f"r{k}": [1 / (k + topic) for topic in range(1, 9)] for k in range(1, 7)}
    lines = [f"{name},{t},{x!r}" for name, row in exact.items() for t, x in enumerate(row)]
    references = write("references.csv", ["run,topic,recip_rank", *lines])
    short = [f"r3,{t},{x:.4f}" for t, x in enumerate(exact["r3"])]
    printed = write("printed.csv", ["run,topic,recip_rank", *short])
    original = write("original.csv", ["run,topic,recip_rank", *(line for line in lines if line.startswith("r3,"))])
    typed = ["standardize", "--scheme", scheme, "-n", "-q", "-f", "csv", "-F", references]
    column = f"{scheme.upper()}recip_rank"

    def scores(*more) -> list[float]:
        return [float(row[column]) for row in run(*typed, *more).rows]

    truth = scores("--scores", original)
    assert scores("--scores", printed) != pytest.approx(truth, abs=1e-9)
    rounded = scores("--round", 4, "--scores", printed)
    assert rounded == scores("--round", 4, "--scores", original)
    assert rounded == pytest.approx(truth)


def test_the_advice_beside_rounded_scores_ends_the_warning(run, write):
    exact = {f"r{k}": [1 / (k + topic) for topic in range(1, 9)] for k in range(1, 7)}
    lines = [f"{name},{t},{x!r}" for name, row in exact.items() for t, x in enumerate(row)]
    references = write("references.csv", ["run,topic,recip_rank", *lines])
    printed = write("printed.csv", ["run,topic,recip_rank", *(f"a,{t},{x:.4f}" for t, x in enumerate(exact["r3"]))])
    typed = ["standardize", "--scheme", "e", "-F", references, "--scores", printed]
    assert "or --round N, which also rounds the reference scores\n" in run(*typed).stderr
    assert "rounded" not in run(*typed, "--round", 4).stderr


def test_the_gate_tells_of_rounded_reference_scores(run, tmp_path):
    """A share of reference scores that are at most a score depends on whether both are rounded."""
    sample = Path(__file__).parents[2] / "sample_data"
    runs = sorted((sample / "references").glob("*.run.gz"))
    exact, rounded = tmp_path / "exact.csv", tmp_path / "rounded.csv"
    run("factors", "--empirical", "-m", "map", "-o", exact, sample / "qrels.gz", *runs[:12])
    header, *rows = exact.read_text().splitlines()
    cells = [row.rsplit(",", 1) for row in rows]
    rounded.write_text("\n".join([header, *(f"{before},{float(score):.4f}" for before, score in cells), ""]))
    for references, told in ((rounded, 1), (exact, 0)):
        done = run("check", "-F", references, "--min", "Emap=.0001", sample / "qrels.gz", sample / "new-a.run.gz")
        assert done.stderr.count("seem to be rounded to 4 decimals") == told


def test_few_references_on_some_topics_are_told(run, tmp_path):
    rows = [f"{topic},{40 if topic > 310 else 2},0.3,0.1" for topic in range(301, 351)]
    factors = tmp_path / "factors.csv"
    factors.write_text("\n".join(["topic,n,map.mean,map.sd", *rows, ""]))
    sample = Path(__file__).parents[2] / "sample_data"
    done = run("standardize", "-F", factors, "-m", "map", sample / "qrels.gz", sample / "new-a.run.gz")
    assert "10 of 50 topics have fewer than 10 reference runs (fewest: 2)" in done.stderr


def test_factors_of_rounded_scores_are_told(run, scores_file):
    exact = scores_file(n_systems=4, n_topics=12)
    head, *rows = exact.read_text().splitlines()
    cells = [line.rsplit(",", 1) for line in rows]
    rounded = exact.with_name("rounded.csv")
    rounded.write_text("\n".join([head, *(f"{start},{float(score):.4f}" for start, score in cells)]) + "\n")
    told = "the map scores seem to be rounded to 4 decimals: "
    for options in ([], ["--empirical"]):
        done = run("factors", *options, "--scores", rounded)
        assert done.status == 0
        assert done.stderr.count(told) == 1
        assert "expected full precision, or --round 4 with the factors" in done.stderr
        assert "rounded" not in run("factors", *options, "--scores", exact).stderr
    # Where only some of them are rounded, another warning says so.
    mixed = exact.with_name("mixed.csv")
    halves = rounded.read_text().splitlines()[:25] + rows[24:]
    mixed.write_text("\n".join(halves) + "\n")
    done = run("factors", "--scores", mixed)
    assert told not in done.stderr
    assert "2 of 4 runs (e.g. 's0') seem to be rounded to 4 decimals" in done.stderr


def test_reference_scores_in_percent_are_told_as_other_scores_are(run, write):
    references = ["run,topic,map", *(f"r{i},{t},{i * 7 + t}" for i in range(1, 11) for t in (1, 2, 3))]
    factors = write("percent.csv", references)
    scores = write("s.csv", ["run,topic,map", "a,1,0.5", "a,2,0.4", "a,3,0.2"])
    done = run("standardize", "-F", factors, "--scores", scores)
    assert "30 scores outside 0 to 1 (e.g. 8, map of 'r1'" in done.stderr
    done = run("check", "-F", factors, "--scores", scores, "--min", "Nmap=.0001")
    assert (done.status, done.raw) == (2, b"")
    assert "outside 0 to 1" in done.stderr


def test_scores_that_are_all_zero_are_one_warning_and_a_caveat(run, write):
    """Those of a run of another collection; a measure of which lower is better, and z scores, tell nothing."""
    rows = [
        f"{name},{topic},{score * topic / 8},{score / 2},1"
        for name, score in (("a", 0), ("b", 1))
        for topic in range(1, 9)
    ]
    scores = write("zeros.csv", ["run,topic,map,P_5,unj_10", *rows])
    told = "every score of 'a' is 0: was it scored with the judgments of another collection?"
    assert run("compare", "--scores", scores).stderr.count(told) == 1
    assert told in run("compare", "--scores", scores, "-m", "map").stderr
    assert "every score" not in run("eval", "--scores", write("u.csv", ["run,topic,unj_10", "a,1,0"])).stderr
    other = write("other.csv", ["run,topic,map,P_5", "a,1,0,0.2", "a,2,0,0"])
    assert "every score" not in run("eval", "--scores", other, "-m", "map").stderr
    z_scores = write("z.csv", ["run,topic,Zmap", *(f"{name},{topic},0" for name in "ab" for topic in range(8))])
    assert "every score" not in run("eval", "--scores", z_scores).stderr
    both = write("both.csv", ["run,topic,map", *(f"{name},{topic},0" for name in "ab" for topic in range(8))])
    assert (
        "every score of 2 of 2 runs (e.g. 'a') is 0: were they scored with the"
        in run("eval", "--scores", both).stderr
    )
    page = run("report", "--scores", scores, "-m", "map", "--scheme", "raw").stdout
    caveats = page.partition("Caveats")[2].partition("</section>")[0]
    assert "Every score of &#39;a&#39; is 0" in caveats


OTHER_LEVELS = "num_rel differs between runs on 2 of 3 topics (e.g. '1'): other judgments, or another level"


def test_runs_with_different_numbers_of_relevant_documents_are_told(run, write):
    rows = ["a,1,0.5,3", "a,2,0.5,2", "a,3,0.5,1", "b,1,0.4,2", "b,2,0.6,1", "b,3,0.1,1"]
    scores = write("both.csv", ["run,topic,map,num_rel", *rows])
    for command in ("eval -m map", "compare -m map", "topics -m map"):
        assert OTHER_LEVELS in run(*command.split(), "--scores", scores).stderr
    refused = run("check", "--scores", scores, "--baseline", "a", "--max-drop", "map=0.2")
    assert (refused.status, refused.raw) == (2, b"")
    assert refused.stderr == f"stdeval: {scores}: {OTHER_LEVELS}; expected the same judgments for all scores\n"
    with pytest.warns(InputWarning, match="num_rel differs"):
        read_scores(scores)
    one = write("one.csv", ["run,topic,map,num_rel", *rows[:3], "b,1,0.4,3"])
    assert "num_rel" not in run("compare", "-m", "map", "--scores", one).stderr


def test_outputs_of_trec_eval_with_different_levels_are_told(run, sample, tmp_path):
    for i, path in enumerate(sample[1:3]):
        run("eval", "-q", "-l", i + 1, "-o", tmp_path / f"{i}.txt", sample[0], path)
    done = run("convert", "--to", "scores", "-o", tmp_path / "both.csv", tmp_path / "0.txt", tmp_path / "1.txt")
    assert "num_rel differs between runs on 50 of 50 topics" in done.stderr
    assert "num_rel differs" in run("compare", "-m", "map", "--scores", tmp_path / "both.csv").stderr


@pytest.mark.parametrize("command", ["eval", "compare", "check --min latency=1", "standardize", "topics", "report"])
def test_scores_whose_squares_are_no_numbers_are_refused_in_one_line(run, write, command: str):
    scores = write("huge.csv", ["run,topic,latency", "a,1,1e308", "a,2,1e308", "b,1,2", "b,2,3"])
    done = run(*command.split(), "--scores", scores)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == f"stdeval: {scores}: score 1e+308, expected at most 1e+150\n"


@pytest.mark.parametrize(
    ("measure", "scores", "is_told"),
    [
        ("Nmap", [0.2, 60.1], True),
        ("Emap", [0.2, 60.1], True),
        ("Mnum_rel_ret", [0.2, 1.1], True),
        ("Umap", [45.1, 60.1, 0.4], True),
        ("Umap", [0.5, 0.6, 1.4], False),
        ("Zmap", [-1.0, 60.1], False),
    ],
)
def test_standardized_scores_outside_their_scale_are_told_and_fail_the_gate(run, write, measure, scores, is_told):
    rows = [f"a,{t},{score}" for t, score in enumerate(scores)]
    path = write("s.csv", [f"run,topic,{measure}", *rows])
    told = " outside 0 to 1 (e.g. "
    assert (told in run("eval", "--scores", path).stderr) == is_told
    done = run("check", "--scores", path, "--min", f"{measure}=0.1")
    assert (told in done.stderr, done.status) == (is_told, 2 if is_told else done.status)


def test_equal_references_of_a_file_of_factors_are_told(run, write):
    """A gate on N that no run can fail: all score like the references."""
    rows = [f"{t},12,0,0" if t < 3 else f"{t},12,0.3,0.1" for t in range(6)]
    factors = write("f.csv", ["topic,n,map.mean,map.sd", *rows])
    runs = write("s.csv", ["run,topic,map", *(f"a,{t},{0 if t < 3 else 0.3}" for t in range(6))])
    told = "the reference scores are all equal for 3 of 6 topics (e.g. '0') by map: kept with sd 0"
    assert told in run("standardize", "-F", factors, "--scores", runs).stderr
    assert told in run("check", "-F", factors, "--min", "Nmap=0.5", "--scores", runs).stderr
    some = write("t.csv", ["run,topic,map", "a,4,0.3", "a,5,0.2"])
    assert "all equal" not in run("standardize", "-F", factors, "--scores", some).stderr


@pytest.mark.parametrize(
    ("measure", "scores", "told"),
    [
        ("P_10", [0.3, 0.2412, 0.0367], "2 of 3 scores by P_10 are not multiples of 1/10 (e.g. 0.2412 of 'a')"),
        ("success_5", [0.3, 1, 0.6], "2 of 3 scores by success_5 are not 0 or 1 (e.g. 0.3 of 'a')"),
        ("recip_rank", [0.41, 1, 0.29], "2 of 3 scores by recip_rank are not 0 or 1/rank (e.g. 0.41 of 'a')"),
        ("P_30", [0.3333, 0.1667, 0.03], None),
        ("P_30", [0.333333343267440796, 0.1667, 1], None),
        ("recip_rank", [0.3333, 0, 1, 0.01, 0.001, 0.0833, 1 / 7], None),
        ("map", [0.3, 0.2412, 0.0367], None),
    ],
)
def test_scores_under_the_name_of_another_measure_are_told(run, write, measure: str, scores, told: str | None):
    path = write("s.csv", [f"run,topic,{measure}", *(f"a,{t},{score!r}" for t, score in enumerate(scores))])
    printed = run("eval", "--scores", path).stderr
    assert ("are they by another measure, or means?" in printed) == (told is not None)
    assert (told or "") in printed


def test_scores_of_another_measure_are_told_of_one_run_of_many(run, write):
    """Pasted by hand for one of twelve runs: of all scores they are few."""
    head = "run,topic,P_10"
    rows = [f"r{n},{topic},0.{(n + topic) % 10}" for n in range(11) for topic in range(20)]
    pasted = [f"new,{topic},0.{topic + 10}1" for topic in range(20)]
    done = run("compare", "--scores", write("s.csv", [head, *rows, *pasted]))
    assert "20 of 20 scores by P_10 are not multiples of 1/10 (e.g. 0.101 of 'new')" in done.stderr


@pytest.mark.parametrize("name", ["P@10", "Precision@10", "x:P_10"])
def test_scores_of_another_measure_are_told_by_its_other_names(run, write, name: str):
    rows = [f"a,{topic},0.{topic}1" for topic in range(10, 20)]
    assert (
        "are not multiples of 1/10" in run("eval", "--scores", write("s.csv", [f"run,topic,{name}", *rows])).stderr
    )


def test_python_tells_of_reference_scores_as_of_other_scores(write):
    rows = [
        f"r{n},{topic},0.{n}{topic * 37 % 100:02}7,0.{(n * topic) % 9 + 1}"
        for n in range(1, 8)
        for topic in range(10, 20)
    ]
    bad = [f"bad,{topic},0,0.{topic % 9 + 1}" for topic in range(10, 20)]
    path = write("s.csv", ["run,topic,map,P_10", *rows, *bad])
    with pytest.warns(InputWarning, match="P_10 and map of 'bad' contradict each other on 10 topics"):
        read_factors(path)


def test_columns_of_one_run_that_were_pasted_in_two_orders_are_told(run, write):
    topics = [str(topic) for topic in range(1, 101)]
    scores = np.random.default_rng(1).random(100).tolist()
    by_text = dict(zip(sorted(topics), scores, strict=True))
    rows = [f"a,{topic},{scores[n]!r},{by_text[topic]!r}" for n, topic in enumerate(topics)]
    done = run("eval", "--scores", write("s.csv", ["run,topic,map,Rprec", *rows]))
    assert "map and Rprec of 'a' agree if one of them is put into another order of the topics" in done.stderr


@pytest.mark.parametrize("measure", ["Zmap", "map", "x:Zmap"])
def test_the_number_that_trec_eval_prints_without_factors_is_no_score(run, write, measure: str):
    path = write("z.csv", [f"run,topic,{measure}", "a,1,0.5", "a,2,-1000000", "b,1,0.25", "b,2,-1000000.0"])
    told = f"2 scores of -1000000 (e.g. {measure} of 'a'), which trec_eval -Z prints where factors are missing"
    assert (
        told
        in run("meta", "rank", "-m", measure, "-m", measure, "--scores", path).stderr
        + run("eval", "--scores", path).stderr
    )
    done = run("check", "--min", f"{measure}=0.1", "--scores", path)
    assert (done.status, told in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["eval", "compare", "standardize", "meta rank -m P_10"])
def test_a_column_that_is_not_asked_for_shows_that_names_were_exchanged(run, write, command: str):
    rows = [
        f"r{n},{topic},0.{(n * topic) % 9 + 1},0.{(n * topic * 37) % 997:03}"
        for n in (1, 2, 4)
        for topic in range(10, 30)
    ]
    path = write("s.csv", ["run,topic,map,P_10", *rows])
    assert "scores by P_10 are not multiples of 1/10" in run(*command.split(), "-m", "map", "--scores", path).stderr


@pytest.mark.parametrize(("measure", "is_told"), [("dcg_cut_10", True), ("jkdcg", True), ("utility", False)])
def test_missing_scores_that_are_written_as_negative_ones_are_told(run, write, measure: str, is_told: bool):
    lines = [
        f"{system},{topic},{topic * k % 11 + 0.5}" for topic in range(1, 12) for system, k in (("a", 3), ("b", 5))
    ]
    scores = write("s.csv", [f"run,topic,{measure}", *lines, "a,12,-1", "b,12,2.5"])
    told = f"1 score below 0 (e.g. -1, {measure} of 'a')"
    assert (told in run("compare", "--scores", scores).stderr) == is_told


def test_a_cutoff_of_thousands_of_digits_is_a_measure_like_others(run, write):
    name = f"P_1{'0' * 5000}"
    done = run("eval", "--scores", write("s.csv", [f"run,topic,{name}", "a,1,0.5", "a,2,0.25"]))
    assert (done.status, done.stdout) == (0, f"{name}\tall\t0.3750\n")


def test_a_stored_run_without_judged_documents_does_not_pass(run, write):
    """Its standardized scores are far above 0."""
    rows = [
        f"{name},{t},{score},{judged},0.{t}" for name, score, judged in (("a", 0, 0), ("b", 0.5, 1)) for t in (1, 2)
    ]
    scores = write("s.csv", ["run,topic,map,judged_10,Nmap", *rows])
    told = "none of the first documents of 'a' is judged (judged_10 is 0)"
    done = run("check", "--min", "Nmap=0.01", "--scores", scores)
    assert (done.status, told in done.stderr) == (2, True)
    assert f"{told}: are the qrels those of another collection?" in run("eval", "--scores", scores).stderr
    assert "every score of 'a' is 0" in run("eval", "-m", "Nmap", "--scores", scores).stderr
