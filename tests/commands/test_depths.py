"""A warning of runs of different depths, where a measure without a cutoff favours the longer one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from stdeval import InputWarning, Options, evaluate, read_scores


@pytest.fixture
def qrels(write) -> Path:
    return write("qrels", [f"{topic} 0 {topic}-d{d} 1" for topic in range(1, 6) for d in (1, topic + 10)])


@pytest.fixture
def runs(write) -> list[Path]:
    """Runs of 10, 20 and 19 documents for each topic."""

    def lines(tag: str, depth: int) -> list[str]:
        return [f"{t} Q0 {t}-d{d} {d} {99 - d} {tag}" for t in range(1, 6) for d in range(1, depth + 1)]

    return [write(f"{tag}.run", lines(tag, depth)) for tag, depth in {"a": 10, "b": 20, "c": 19}.items()]


TOLD = (
    "stdeval: warning: 'a' has 10 documents per topic on average, and 'b' 20: by map the longer run may only seem "
    "better (-M 10 cuts the longer ones)\n"
)


@pytest.mark.parametrize(
    "command", ["compare", "check --max-topic-drop map=.4 --baseline a", "check --min map=.01 --min P_5=.01"]
)
def test_a_run_half_as_deep_is_warned_of(run, qrels, runs, command: str):
    done = run(*command.split(), "-m", "map", "-m", "P_5", qrels, *runs[:2]) if command == "compare" else None
    done = done or run(*command.split(), qrels, *runs[:2])
    assert done.stderr.startswith(TOLD)
    assert done.stderr.count("documents") == TOLD.count("documents")


def test_a_baseline_that_is_not_among_the_runs_counts(run, qrels, runs):
    told = TOLD.replace("'b'", "'b.run'")
    assert run("check", "--max-drop", "map=.4", "--baseline", runs[1], qrels, runs[0]).stderr == told


def test_a_report_has_it_among_its_caveats(run, qrels, runs, tmp_path):
    pytest.importorskip("jinja2")
    done = run("report", "--scheme", "raw", "-m", "map", "-o", tmp_path / "r.html", qrels, *runs[:2])
    assert TOLD in done.stderr
    assert "has 10 documents per topic on average" in (tmp_path / "r.html").read_text()


def test_pictures_warn_too(run, qrels, runs, tmp_path):
    pytest.importorskip("matplotlib")
    for kind in ("forest", "compare", "means", "heatmap"):
        done = run("plot", kind, "-m", "map", "-o", tmp_path / f"{kind}.png", qrels, *runs[:2])
        assert TOLD in done.stderr, kind


@pytest.mark.parametrize("command", ["eval --best 1", "factors --best 2", "meta reliability"])
def test_left_out_unjudged_documents_are_told_wherever_runs_are_compared(run, qrels, runs, command: str):
    told = "stdeval: warning: -J leaves out the unjudged documents: a run with many of them may only seem good\n"
    assert run(*command.split(), "-J", "-m", "P_5", qrels, *runs).stderr.count(told) == 1


@pytest.mark.parametrize("measure", ["rbp_p=0.5", "nrbp"])
def test_few_documents_remain_where_unjudged_ones_are_left_out(run, qrels, runs, write, measure: str):
    """Of 50 documents, perhaps five: by RBP, too, the longer run then has more."""
    short, long = (
        write(tag, [f"{t} Q0 {t}-d{d} {d} {999 - d} {tag}" for t in range(1, 6) for d in range(1, depth + 1)])
        for tag, depth in (("s", 50), ("l", 100))
    )
    told = "'s' has 50 documents per topic on average, and 'l' 100"
    assert told in run("compare", "-J", "-m", measure, qrels, short, long).stderr
    # 2^-50 of the weight cannot decide, but 2^-10 can.
    assert told not in run("compare", "-m", "rbp_p=0.5", qrels, short, long).stderr
    assert "'a' has 10 documents" in run("compare", "-m", "rbp_p=0.5", qrels, *runs[:2]).stderr


@pytest.mark.parametrize("command", ["topics", "meta reliability"])
def test_statistics_of_topics_and_runs_warn_too(run, qrels, runs, command: str):
    assert TOLD in run(*command.split(), "-m", "map", qrels, *runs[:2]).stderr
    assert "documents per topic" not in run(*command.split(), "-m", "P_5", qrels, *runs[:2]).stderr


@pytest.mark.parametrize(
    "options", ["-M 10 -m map", "-m P_5 -m map_cut_10 -m num_ret -m ndcg_cut_5", "-M 12 -m map"]
)
def test_measures_with_a_cutoff_and_equal_depths_are_fine(run, qrels, runs, options: str):
    assert "documents per topic" not in run("compare", *options.split(), qrels, *runs[:2]).stderr


def test_a_cutoff_beyond_the_end_of_a_run_counts(run, qrels, runs):
    done = run("compare", "-m", "P_10", "-m", "P_13", "-m", "recall_500", qrels, *runs[:2])
    assert "'b' 20: by P_13, recall_500 the longer run may only seem better" in done.stderr


def test_one_deep_topic_does_not_make_a_deep_run(run, qrels, runs, write):
    lines = [line for line in runs[0].read_text().splitlines() if not line.startswith("1 ")]
    deep = [f"1 Q0 1-d{d} {d} {99 - d} a" for d in range(1, 21)]
    mixed = write("mixed.run", deep + [line for line in lines if int(line.split()[3]) <= 5])
    assert "'a' has 8 documents per topic on average, and 'b' 20: " in run("compare", qrels, mixed, runs[1]).stderr


def test_slightly_different_depths_are_fine(run, qrels, runs):
    assert "documents" not in run("compare", "-m", "map", qrels, *runs[1:]).stderr


@pytest.mark.parametrize(
    "command", ["compare -m {}", "check --max-drop {}=.9 --baseline a", "eval --sort {} -m {}"]
)
@pytest.mark.parametrize(("measure", "favours"), [("map", "longer"), ("P_5", "longer"), ("set_P", "shorter")])
def test_runs_of_a_few_documents_have_different_depths_too(
    run, qrels, write, command: str, measure: str, favours: str
):
    """As those of generators do, which are given only the first documents."""
    paths = [
        write(
            f"{tag}.run",
            [f"{t} Q0 {t}-d{d} {d} {99 - d} {tag}" for t in range(1, 6) for d in range(1, depth + 1)],
        )
        for tag, depth in {"a": 1, "b": 3}.items()
    ]
    told = "'a' has 1 document per topic on average, and 'b' 3: by {} the {} run may only seem better (-M 1 cuts"
    assert told.format(measure, favours) in run(*command.format(measure, measure).split(), qrels, *paths).stderr


def test_an_evaluation_compares_nothing(run, qrels, runs):
    assert run("eval", "-m", "map", qrels, *runs).stderr == ""


def test_runs_that_are_placed_on_one_scale_are_warned_of_once(run, qrels, runs):
    for options in ("", "--sort Nmap", "-q -n -f csv"):
        assert run("standardize", *options.split(), "-m", "map", qrels, *runs[:2]).stderr.count(TOLD) == 1


def test_of_many_runs_the_usual_depth_is_told(run, qrels, write):
    def of(tag: str, depth: int) -> Path:
        lines = [f"{t} Q0 {t}-d{d} {d} {99 - d} {tag}" for t in range(1, 6) for d in range(1, depth + 1)]
        return write(f"{tag}.run", lines)

    usual = [of("b", 20), of("c", 19), of("d", 21)]
    done = run("compare", "-m", "map", qrels, of("a", 2), *usual, of("e", 80))
    usually = "(the median of 5 runs is 20, 1 at most half of it, 1 at least twice)"
    assert f"'a' has 2 documents per topic on average, and 'e' 80 {usually}: by map the longer runs" in done.stderr
    assert "may only seem better (-M 19 cuts the longer ones to the depth of most)" in done.stderr
    done = run("compare", "-m", "map", qrels, of("a", 2), *usual)
    told = "by map the longer runs may only seem better (leave out the shorter ones; -M 2 cuts the longer ones)"
    assert f"(the median of 4 runs is 19, 1 at most half of it): {told}" in done.stderr


@pytest.mark.parametrize("command", ["eval", "standardize --scheme z"])
@pytest.mark.parametrize("options", ["--sort map", "-f markdown", "-f latex", "-f csv --sort map"])
def test_sorting_and_bold_means_compare(run, qrels, runs, command: str, options: str):
    done = run(*command.split(), *options.split(), "-m", "map", "-m", "P_5", qrels, *runs[:2])
    assert TOLD in done.stderr.replace("Zmap", "map")


@pytest.mark.parametrize("measure", ["gm_map", "gm_bpref"])
@pytest.mark.parametrize("options", ["--sort {}", "-f markdown"])
def test_geometric_means_over_all_topics_compare_too(run, qrels, runs, measure: str, options: str):
    done = run("eval", *options.format(measure).split(), "-m", measure, qrels, *runs[:2])
    assert TOLD.replace("map", measure) in done.stderr


def test_stored_scores_have_depths_if_the_documents_are_counted(run, qrels, runs, tmp_path):
    stored = tmp_path / "stored.csv"
    run("eval", "-q", "-f", "csv", "--signature", "-o", stored, "-m", "map", "-m", "num_ret", qrels, runs[1])
    assert run("check", "--max-drop", "map=.4", "--baseline", stored, qrels, runs[0]).stderr == TOLD
    other = tmp_path / "other.csv"
    run("eval", "-q", "-f", "csv", "-o", other, "-m", "map", "-m", "num_ret", qrels, runs[0])
    assert TOLD in run("compare", "-m", "map", "--scores", stored, "--scores", other).stderr


def test_stored_scores_without_the_number_of_documents_have_no_depths(run, qrels, runs, tmp_path):
    stored = tmp_path / "stored.csv"
    run("eval", "-q", "-f", "csv", "-o", stored, "-m", "map", qrels, *runs[:2])
    assert "documents per topic" not in run("compare", "-m", "map", "--scores", stored).stderr


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("RBP(p=0.95)", "by rbp_p=0.95 the longer run may"),
        ("num_rel_ret", "by num_rel_ret the longer run may"),
        ("set_F", "by set_F the longer or the shorter run may"),
        ("unj_20", "by unj_20 the shorter run may"),
    ],
)
def test_each_measure_has_its_own_depth_and_direction(run, qrels, runs, measure: str, told: str):
    assert told in run("compare", "-m", measure, qrels, *runs[:2]).stderr


def test_both_directions_are_told_at_once(run, qrels, runs):
    done = run("compare", "-m", "map", "-m", "set_F", qrels, *runs[:2])
    assert (
        "by map the longer run may only seem better, and by set_F the longer or the shorter run may only seem"
        in done.stderr
    )


def test_without_the_unjudged_documents_a_cutoff_looks_further_down(run, qrels, runs, tmp_path):
    typed = ("-m", "P_5", qrels, *runs[:2])
    done = run("compare", "-J", *typed)
    assert "by P_5 the longer run may only seem better" in done.stderr
    assert "-J leaves out the unjudged documents: a run with many of them may only seem good" in done.stderr
    assert "documents" not in run("compare", *typed).stderr
    assert "leaves out the unjudged" in run("check", "-J", "--min", "P_5=.0001", *typed[2:]).stderr
    assert "leaves out the unjudged" in run("eval", "-J", "--sort", "P_5", *typed).stderr
    assert "leaves out the unjudged" not in run("eval", "-J", *typed).stderr


def test_stored_depths_are_those_of_all_documents(run, qrels, runs, write, tmp_path):
    """With -J the documents that are stored are the judged ones, and with -c there are none for missing topics."""

    def stored(name: str, *options: object) -> Path:
        path = tmp_path / name
        assert run("eval", "-q", "-f", "csv", "--signature", "-m", "num_ret", "-o", path, *options).status == 0
        return path

    typed = ("-m", "map", qrels, *runs[:2])
    assert TOLD in run("compare", "-m", "x:map", "--scores", f"x={stored('x.csv', *typed)}").stderr.replace(
        "x:", ""
    )
    assert "per topic" not in run("compare", "-m", "map", "--scores", stored("j.csv", "-J", *typed)).stderr
    few = write("few.run", [line for line in runs[2].read_text().splitlines() if line.startswith("1 ")])
    complete = stored("c.csv", "-c", "-m", "map", qrels, few, runs[1])
    assert "per topic" not in run("compare", "-m", "map", "--scores", complete).stderr


def test_references_of_different_depths_are_told(run, qrels, runs):
    for options in ([], ["--empirical"]):
        assert TOLD.rstrip() in run("factors", *options, "-m", "map", qrels, *runs[:2]).stderr.splitlines()
    assert "documents per topic" not in run("factors", "-m", "P_5", qrels, *runs[:2]).stderr


@pytest.mark.parametrize("options", [[], ["--empirical"]])
@pytest.mark.parametrize("command", ["standardize -m map", "compare --scheme n -m map", "check --min Nmap=.0001"])
def test_runs_deeper_than_the_references_are_told_if_num_ret_is_known(
    run, qrels, runs, write, tmp_path, options: list[str], command: str
):
    """The factors are of runs of ten documents, one of which is copied under another tag."""

    def copied(path: Path, tag: str) -> Path:
        return write(f"{tag}.run", [f"{line.rsplit(None, 1)[0]} {tag}" for line in path.read_text().splitlines()])

    factors = tmp_path / "f.csv"
    run("factors", "-m", "map", "-m", "num_ret", *options, "-o", factors, qrels, runs[0], copied(runs[0], "d"))
    given = [*command.split(), *(["-m", "num_ret"] if "-m map" in command else []), "-F", factors, qrels]
    assert "documents per topic" not in run(*given, runs[0], tmp_path / "d.run").stderr
    told = "'references (mean)' has 10 documents per topic on average, and '"
    deep = run(*given, runs[1], copied(runs[1], "e"))
    assert deep.stderr.count(told) == 1


def test_a_baseline_with_the_tag_of_the_run_is_named(run, write, tmp_path: Path):
    def lines(depth: int) -> list[str]:
        return [f"{topic} Q0 d{d} {d} {99 - d} a" for topic in "12" for d in range(depth)]

    qrels = write("qrels", [f"{topic} 0 d{d} {d % 2}" for topic in "12" for d in range(20)])
    old, new, stored = write("old.run", lines(10)), write("new.run", lines(20)), tmp_path / "old.csv"
    told = "has 10 documents per topic on average, and 'a' 20: "
    typed = ["check", "--max-drop", "map=0.5", "--baseline"]
    assert f"'old.run' {told}" in run(*typed, old, qrels, new).stderr
    run("eval", "-q", "-f", "csv", "-m", "map", "-m", "num_ret", "-o", stored, qrels, old)
    assert f"'a (baseline)' {told}" in run(*typed, stored, qrels, new).stderr


BEYOND = "documents per topic on average: recall_40, ndcg_cut_100 look at fewer documents than their names say\n"


@pytest.mark.parametrize(
    "command",
    ["compare -m recall_40 -m ndcg_cut_100 -m P_39", "check --max-drop recall_40=.4 --max-drop ndcg_cut_100=.1"],
)
def test_cutoffs_beyond_the_end_of_all_runs_are_warned_of(run, qrels, runs, command: str):
    baseline = ["--baseline", runs[2]] if command.startswith("check") else []
    done = run(*command.split(), *baseline, qrels, runs[1], *([] if baseline else [runs[2]]))
    assert f"stdeval: warning: no run has more than 20 {BEYOND}" in done.stderr


def test_a_cutoff_beyond_the_end_of_one_run_is_warned_of(run, qrels, runs):
    done = run("check", "--min", "recall_20=.0001", "--min", "P_19=.0001", qrels, runs[0])
    told = "the run has 10 documents per topic on average: recall_20 looks at fewer documents than its name says"
    assert done.stderr == f"stdeval: warning: {told}\n"


def test_a_cutoff_beyond_a_few_documents_is_warned_of(run, qrels, write):
    path = write("e.run", [f"{t} Q0 {t}-d{d} {d} {99 - d} e" for t in range(1, 6) for d in range(1, 6)])
    told = "the run has 5 documents per topic on average: P_10 looks at fewer documents than its name says"
    assert run("check", "--min", "P_10=0.01", qrels, path).stderr == f"stdeval: warning: {told}\n"


@pytest.mark.parametrize("command", ["eval -m P_10", "check --min P_10=0.01", "eval -m P.5,10"])
def test_a_cutoff_beyond_the_depth_of_the_evaluation_is_told(run, qrels, runs, command: str):
    told = "-M 8: P_10 looks at fewer documents than its name says"
    assert told in run(*command.split(), "-M", 8, qrels, runs[1]).stderr
    assert "-M" not in run(*command.split(), "-M", 10, qrels, runs[1]).stderr


def test_evaluate_tells_of_a_cutoff_beyond_the_depth():
    with pytest.warns(InputWarning, match="-M 8: P_10 looks at fewer documents than its name says"):
        evaluate({"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0}}, ["P@10", "P"], Options(depth=8))


def test_cutoffs_that_are_not_named_may_be_beyond_the_depth(run, qrels, runs):
    assert "-M" not in run("eval", "-M", 100, "-m", "official", "-m", "P", qrels, runs[1]).stderr


def test_cutoffs_beyond_less_than_twice_the_documents_are_fine(run, qrels, runs):
    assert "documents" not in run("compare", "-m", "recall_39", "-m", "P_30", qrels, *runs[1:]).stderr


def test_cutoffs_of_all_official_measures_say_nothing_in_eval(run, qrels, runs):
    assert "documents per topic" not in run("eval", "-m", "official", qrels, *runs).stderr


def test_best_runs_are_chosen_with_a_warning_of_depths(run, qrels, runs):
    """The shallow run may be left out for its depth alone."""
    done = run("eval", "--best", 1, "-m", "map", qrels, *runs[:2])
    assert done.stderr.splitlines()[0] == TOLD.rstrip()
    assert "--best 1 by mean map" in done.stderr


def test_a_count_that_grows_with_depth_is_warned_of(run, qrels, runs):
    done = run("compare", "-m", "num_nonrel_judged_ret", qrels, *runs[:2])
    assert "by num_nonrel_judged_ret the shorter run may only seem better" in done.stderr


def test_references_with_other_shares_of_judged_documents_are_warned_of(run, write, tmp_path):
    qrels = write("qrels", [f"{topic} 0 d{d} {d % 2}" for topic in range(1, 6) for d in range(1, 11)])

    def ranking(tag: str, n_judged: int) -> Path:
        docnos = [f"d{d}" if d <= n_judged else f"new{d}" for d in range(1, 11)]
        return write(tag, [f"{t} Q0 {d} {r} {99 - r} {tag}" for t in range(1, 6) for r, d in enumerate(docnos)])

    factors = tmp_path / "factors.csv"
    references = [ranking(f"ref{n}", n) for n in (9, 10)]
    run("factors", "-m", "map", "-m", "judged_10", "-o", factors, qrels, *references)
    told = "of the first 10 documents, 50.0% of 'low' are judged, and 95.0% of 'references (mean)'"
    assert told in run("standardize", "-m", "map", "-F", factors, qrels, ranking("low", 5)).stderr
    assert "are judged" not in run("standardize", "-m", "map", "-F", factors, qrels, ranking("high", 9)).stderr
    # with -J the numbers of documents and of judged ones are not those of the runs
    run("factors", "-J", "-m", "map", "-m", "num_ret", "-o", factors, qrels, *references)
    done = run("standardize", "-J", "-m", "map", "-F", factors, qrels, ranking("low", 5))
    assert "documents per topic" not in done.stderr
    told = "with -J, factors do not tell how many documents the references have: if the runs have more or fewer,"
    assert f"{told} their scores by map are too high or too low" in done.stderr
    assert told not in run("standardize", "-m", "map", "-F", factors, qrels, ranking("low", 5)).stderr


def test_documents_with_negative_judgments_are_not_judged_in_warnings(run, write, tmp_path):
    """They count as without a judgment by unj, -J, pool and --residuals, though not by judged."""
    judged = [f"{topic} 0 d{d} {d % 2}" for topic in range(1, 6) for d in range(1, 11)]
    negative = write(
        "negative", [*judged, *(f"{topic} 0 new{d} -1" for topic in range(1, 6) for d in range(1, 11))]
    )

    def ranking(tag: str, n_judged: int) -> Path:
        docnos = [f"d{d}" if d <= n_judged else f"new{d}" for d in range(1, 11)]
        return write(tag, [f"{t} Q0 {d} {r} {99 - r} {tag}" for t in range(1, 6) for r, d in enumerate(docnos)])

    runs = ranking("high", 9), ranking("low", 5)
    told = "of the first 10 documents, 50.0% of 'low' are judged, and 90.0% of 'high'"
    for qrels in (write("removed", judged), negative):
        assert told in run("compare", "-m", "map", qrels, *runs).stderr
    stored = tmp_path / "stored.csv"
    for measure, is_told in (("unj_10", True), ("judged_10", False)):
        run("eval", "-q", "-n", "-f", "csv", "-m", "map", "-m", measure, "-o", stored, negative, *runs)
        assert (told in run("compare", "-m", "map", "--scores", stored).stderr) == is_told


@pytest.mark.parametrize("measures", [("unj_10", "num_ret"), ("unj_10", "judged_10"), ("judged_10",)])
def test_short_runs_have_stored_shares_of_their_own_documents(run, write, tmp_path, measures: tuple[str, ...]):
    """By unj_10, three unjudged documents are three of ten."""
    qrels = write("qrels", [f"{topic} 0 d{d} {d % 2}" for topic in range(1, 6) for d in range(1, 21)])
    docnos = {"good": [f"d{d}" for d in range(1, 5)], "new": ["d1", "x2", "x3", "x4"]}
    runs = [
        write(tag, [f"{t} Q0 {d} {r} {99 - r} {tag}" for t in range(1, 6) for r, d in enumerate(own)])
        for tag, own in docnos.items()
    ]
    stored = tmp_path / "stored.csv"
    options = [word for measure in ("map", *measures) for word in ("-m", measure)]
    run("eval", "-q", "-n", "-f", "csv", *options, "-o", stored, qrels, *runs)
    told = "25.0% of 'new' are judged, and 100.0% of 'good'"
    assert told in run("compare", "-m", "map", "--scores", stored).stderr
    assert told in run("compare", "-m", "map", qrels, *runs).stderr


def test_a_short_run_beside_factors_is_told_in_which_direction_its_scores_are_wrong(run, qrels, runs, tmp_path):
    factors = tmp_path / "factors.csv"
    measures = ["-m", "map", "-m", "set_P", "-m", "utility", "-m", "rbp_resid"]
    assert run("factors", *measures, "-o", factors, qrels, *runs[1:]).status == 0
    done = run("standardize", "-F", factors, qrels, runs[0])
    told = (
        "its scores by map are too low, and its scores by set_P, rbp_resid_p=0.8 are too high, and its scores by "
        "utility are too low or too high (factors"
    )
    assert told in done.stderr


@pytest.mark.parametrize("command", ["eval -m map", "eval -f table -m map", "check --min map=0.001"])
@pytest.mark.parametrize(("n_topics", "is_told"), [(10, True), (0, True), (20, False)])
def test_hardly_judged_documents_are_told_of_a_single_run(run, write, command: str, n_topics: int, is_told: bool):
    """One of ten documents is judged on some of 20 topics: the qrels may be those of another round."""
    qrels = write("qrels", [f"{topic} 0 {d} {int(d == 1)}" for topic in range(1, 21) for d in range(1, 21)])
    first = {topic: 1 if topic <= n_topics else 99 for topic in range(1, 21)}
    docnos = {topic: [first[topic], *range(100, 109), 2] for topic in range(1, 21)}
    lines = [f"{topic} Q0 {d} {r} {99 - r} a" for topic in docnos for r, d in enumerate(docnos[topic])]
    done = run(*command.split(), qrels, write("a.run", lines))
    told = "at most 5.0% of the first 10 documents of 'a' are judged: unjudged documents count as not relevant"
    none = "none of the first documents of 'a' is judged"
    assert ((told if n_topics else none) in done.stderr) is is_told
    # As with stored scores, a gate does not pass on nothing.
    assert done.status == (2 if command.startswith("check") and n_topics == 0 else 0)


def test_a_bad_run_is_checked_with_judgments_of_relevant_documents_only(run, write):
    """Its only relevant document of each topic is below the first ten, none of which is judged."""
    qrels = write("qrels", [f"{topic} 0 d{topic} 1" for topic in range(1, 6)])
    lines = [
        f"{t} Q0 {f'd{t}' if r == 12 else f'x{t}{r}'} {r} {99 - r} a" for t in range(1, 6) for r in range(1, 15)
    ]
    done = run("check", "--min", "map=0.05", qrels, write("a.run", lines))
    assert (done.status, done.stdout.startswith("PASS")) == (0, True)


def test_any_spelling_of_the_number_of_documents_tells_depths(run, qrels, runs, tmp_path):
    scores = tmp_path / "scores.csv"
    run("eval", "-q", "-f", "csv", "--signature", "-m", "map", "-m", "num_ret", "-o", scores, qrels, *runs[:2])
    scores.write_text(scores.read_text().replace("num_ret", "NumRet", 1))
    assert TOLD in run("compare", "-m", "map", "--scores", scores).stderr


@pytest.mark.parametrize("label", ["tag", "file"])
def test_references_with_the_same_tag_are_told_apart(run, qrels, runs, write, label: str):
    """Anserini's tag is the same for all runs: of three, the last one read had stood for all."""
    same = [
        write(path.name, [f"{line.rsplit(None, 1)[0]} same" for line in path.read_text().splitlines()])
        for path in runs
    ]
    told = run("factors", "-m", "map", "--label", label, qrels, *same).stderr
    assert "'a.run' has 10 documents per topic on average, and 'b.run' 20 (the median of 3 runs is 19)" in told


@pytest.mark.parametrize("command", ["factors -m map", "meta depth -m map --pool-depth 5 --eval-depth 5"])
def test_runs_with_the_same_tag_that_lack_topics_are_counted_apart(run, qrels, runs, write, command: str):
    lines = [line.rsplit(None, 1)[0] for line in runs[0].read_text().splitlines()]
    same = [write(f"{t}.run", [f"{line} same" for line in lines if int(line.split()[0]) > t]) for t in (3, 2, 1, 0)]
    told = run(*command.split(), "-c", qrels, *same).stderr
    assert "3 of 4 runs have topics without documents (most: '3.run' has no documents for 3 of 5" in told


@pytest.mark.parametrize("command", ["pool -d 15", "meta depth -m map --pool-depth 15 --eval-depth 5"])
def test_short_runs_with_the_same_tag_are_named_by_their_files(run, qrels, runs, write, command: str):
    same = [
        write(path.name, [f"{line.rsplit(None, 1)[0]} same" for line in path.read_text().splitlines()])
        for path in runs
    ]
    told = run(*command.split(), qrels, *same).stderr
    assert "'a.run' has fewer than 15 documents for 5 of 5 topics" in told


@pytest.mark.parametrize("options", [[], ["-J"]])
def test_pooling_depths_of_runs_with_unjudged_documents_are_told(run, write, options: list[str]):
    qrels = write("qrels", [f"{topic} 0 d{d} {d % 2}" for topic in range(1, 6) for d in range(1, 11)])

    def ranking(tag: str, deep: str) -> Path:
        """The last five of ten documents are named otherwise."""
        ranks = [(t, r) for t in range(1, 6) for r in range(1, 11)]
        return write(tag, [f"{t} Q0 {deep if r > 5 else 'd'}{r} {r} {99 - r} {tag}" for t, r in ranks])

    runs = [ranking("high", "d"), ranking("low", "new"), ranking("other", "d")]
    told = run("meta", "depth", *options, "-m", "map", "--pool-depth", 5, "--eval-depth", 5, qrels, *runs).stderr
    assert ("of the first 10 documents, 50.0% of 'low' are judged, and 100.0% of " in told) == (not options)
    assert ("-J leaves out the unjudged documents: a run with many of them may only seem good" in told) == bool(
        options
    )


@pytest.mark.parametrize(
    ("measure", "k"),
    [("P_1", 1), ("nDCG@3", 3), ("recip_rank", 1), ("rbp_p=0.5", 1), ("map", 0), ("P_10", 0), ("bpref", 0)],
)
def test_unjudged_documents_among_the_very_first_are_told_by_measures_of_these(run, write, measure: str, k: int):
    """Of ten documents, only the first is not judged."""
    qrels = write("qrels", [f"{topic} 0 d{d} {d % 2}" for topic in range(1, 6) for d in range(11)])

    def ranking(name: str, first: str) -> Path:
        ranks = [(t, r) for t in range(1, 6) for r in range(1, 11)]
        return write(name, [f"{t} Q0 {first if r == 1 else 'd'}{r} {r} {99 - r} {name}" for t, r in ranks])

    told = run("compare", "-m", measure, qrels, ranking("old", "d"), ranking("new", "x")).stderr
    shares = {1: "documents at the first rank, 0.0%", 3: "first 3 documents, 66.7%"}.get(k, "")
    assert (f"of the {shares} of 'new' are judged, and 100.0% of 'old'" in told) == bool(k)
    assert ("are judged" in told) == bool(k)


def test_stored_scores_of_fewer_documents_than_their_names_say_are_told(run, qrels, runs, tmp_path):
    stored = tmp_path / "s.csv"
    told = "the scores were computed with -M 5: P_10 looks at fewer documents than its name says"
    for depth, is_told in ((5, True), (10, False)):
        typed = ["-M", depth, "-q", "-n", "-f", "csv", "--signature", "-m", "P_10", "-m", "P_5", "-o", stored]
        run("eval", *typed, qrels, *runs)
        for command in (["compare"], ["check", "--min", "P_10=0.01"]):
            assert (told in run(*command, "--scores", stored).stderr) == is_told
        with pytest.warns(InputWarning) if is_told else contextlib.nullcontext() as warned:
            read_scores(stored)
        assert any(told in str(each.message) for each in warned or ()) == is_told
