"""Runs of different depths; what the commands say of them is tested with the commands."""

from __future__ import annotations

import pytest

from stdeval.documents.retrieved import Retrieved
from stdeval.doubtful_scores.depths import REFERENCES, about_cutoffs, about_depths


def test_documents_beyond_the_last_cutoff_change_no_advice():
    """Of five runs, one has two documents, and all others have more than the ten that count."""
    depths = dict(zip("abcde", (2, 150, 150, 1000, 1000), strict=True))
    (told,) = about_depths(
        ["ndcg_cut_10"], {name: Retrieved(depth, 1) for name, depth in depths.items()}, judged_only=False
    )
    assert "(the median of 5 runs is 10 or more, 1 at most half of it)" in told
    assert told.endswith("(leave out the shorter ones; -M 2 cuts the longer ones)")


def test_a_cutoff_is_told_of_a_measure_that_gives_most_weight_to_the_first_rank():
    (told,) = about_cutoffs(["recip_rank_cut_100", "recip_rank"], {"a": Retrieved(10)})
    assert told.endswith("average: recip_rank_cut_100 looks at fewer documents than its name says")


def test_references_are_no_run_of_the_median():
    runs = {"a": Retrieved(10), "b": Retrieved(90), "c": Retrieved(100)}
    (told,) = about_depths(["map"], runs, {REFERENCES: Retrieved(70)}, judged_only=False)
    assert "(the median of 3 runs is 90, 1 at most half of it)" in told


@pytest.mark.parametrize(
    ("depth", "told"),
    [
        (10, "the run has 10 documents per topic on average: rbp_p=0.99 gives most of its weight to ranks beyond"),
        (35, ""),
    ],
)
def test_weights_that_are_mostly_beyond_the_runs_are_told(depth: int, told: str):
    """By rank-biased precision with p = 0.99, half of the weight is beyond rank 69."""
    measures = ["rbp_p=0.8", "rbp_p=0.99", "rbp_p=0.99_cut_10"]
    assert "".join(about_cutoffs(measures, {"a": Retrieved(depth)})) == told


def test_many_documents_of_one_topic_do_not_hide_the_few_of_others():
    """40 documents for half of the topics are 21 on average, but only 6 of the first ten."""
    runs = {"few": Retrieved(21, depths=((2, 25), (40, 25))), "all": Retrieved(40, depths=((40, 50),))}
    told = "'few' has 6.0 of the first 10 documents per topic on average, and 'all' 10.0: by P_10"
    (message,) = about_depths(["P_10", "P_2"], runs, judged_only=False)
    assert message == f"{told} the longer run may only seem better"
    assert list(about_depths(["P_2", "recip_rank_cut_2"], runs, judged_only=False)) == []
    assert not any("of the first" in each for each in about_depths(["P_30"], runs, judged_only=False))


@pytest.mark.parametrize(
    "command", ["compare", "check --not-worse P_10 --baseline", "report -o r.html", "eval --sort P_10"]
)
@pytest.mark.parametrize("are_stored", [False, True])
def test_real_runs_with_few_documents_for_most_topics_are_told(
    run, shared, tmp_path, monkeypatch, command, are_stored
):
    """uab.base has fewer than ten documents for 29 of 50 topics, and up to 50 for others."""
    monkeypatch.chdir(tmp_path)
    folder = shared / "trec-covid-r5"
    runs = [folder / "runs" / f"{name}.run.gz" for name in ("uab.base", "BioInfo-run5")]
    qrels, files = folder / "qrels.txt", [*runs]
    if are_stored:
        for name, own in (("a.csv", runs[0]), ("b.csv", runs[1])):
            run("eval", "-q", "-f", "csv", "--signature", "-m", "P_10", "-m", "num_ret", "-o", name, qrels, own)
        files = ["a.csv", "b.csv"]
    beside = [files.pop()] if "--baseline" in command else ["-m", "P_10"]
    given = [word for file in files for word in ("--scores", file)] if are_stored else [qrels, *files]
    done = run(*command.split(), *beside, *given)
    assert "'uab.base' has 7.9 of the first 10 documents per topic on average, and 'BioInfo-run5" in done.stderr
