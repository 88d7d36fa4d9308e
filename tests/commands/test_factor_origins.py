"""Factors that were made from other judgments, or with other options, than the scores that they standardize."""

from __future__ import annotations

import hashlib
import re
import warnings
from pathlib import Path

import pytest

import stdeval
from stdeval import InputWarning, ScoreTable, fit_factors, standardize


@pytest.fixture(scope="module")
def cranfield(shared: Path) -> tuple[Path, list[Path]]:
    names = ("idf-sum", "lsi-20", "jaccard")
    return shared / "cranfield" / "qrels.txt", [shared / "cranfield" / "runs" / f"{n}.run.gz" for n in names]


@pytest.fixture
def made(run, cranfield, tmp_path: Path):
    """Factors made with some options, of the judgments given or of the collection's."""

    def factors(*options: object, qrels: Path | None = None) -> Path:
        path = tmp_path / f"factors{len(list(tmp_path.iterdir()))}.csv"
        done = run("factors", "-m", "map", "-o", path, *options, qrels or cranfield[0], *cranfield[1])
        assert done.status == 0
        return path

    return factors


def warned(done) -> list[str]:
    return [line for line in done.stderr.splitlines() if "were made" in line or "was made" in line]


STANDARDIZING = [
    "standardize -m map",
    "compare -m map",
    "meta power -m map",
    "meta rank -m map --scheme n --scheme z",
]


@pytest.mark.parametrize("form", [[], ["--empirical"]])
def test_other_judgments_are_one_warning_with_a_count(run, cranfield, made, write, form):
    qrels, runs = cranfield
    lines = qrels.read_text().splitlines()
    changed = [f"{line.rsplit(maxsplit=1)[0]} 0" if line.split()[0] in ("1", "2") else line for line in lines]
    factors = made(*form, qrels=write("changed.qrels", changed))
    for command in STANDARDIZING:
        assert warned(run(*command.split(), "-F", factors, qrels, *runs)) == [
            "stdeval: warning: factors of 2 of 225 topics were made from other judgments"
        ]


def test_reference_scores_without_origins_are_known_by_their_numbers_of_relevant_documents(run, write, sample):
    """As scores of level 2 that were stored without --signature, among other measures."""
    qrels, *runs = sample
    at_2, at_1 = (
        write(
            f"{n}.csv",
            run("eval", "-q", "-n", "-f", "csv", "-l", n, "-m", "map", "-m", "num_rel", *sample[:13]).stdout,
        )
        for n in (2, 1)
    )
    told = "num_rel of the reference scores is not the number of relevant documents of 50 of 50 topics (e.g. '301')"
    assert told in run("standardize", "-m", "map", "-F", at_2, qrels, runs[-1]).stderr
    assert "num_rel" not in run("standardize", "-m", "map", "-F", at_2, "-l", 2, qrels, runs[-1]).stderr
    assert "num_rel" not in run("standardize", "-m", "map", "-F", at_1, qrels, runs[-1]).stderr
    gate = ["check", "--min", "Nmap=0.001", "-F", at_2, qrels, runs[-1]]
    done = run(*gate)
    assert (done.status, done.stdout) == (2, "")
    assert f"{told}: other judgments, or another level; expected factors of the same judgments" in done.stderr
    done = run(*gate, "--allow-other-judgments")
    assert (done.status, told in done.stderr) == (0, True)


def test_factors_without_origins_are_known_by_their_numbers_of_relevant_documents(run, write, sample):
    """As factors of level 2, from an older version or a spreadsheet. One mean of num_rel is no whole number."""
    qrels, *runs = sample
    rows = [
        ["topic,n,map.mean,map.sd,num_rel.mean,num_rel.sd"],
        *(
            [f"{row['topic']},{row['n']},{row['map.mean']},{row['map.sd']},{row['num_rel.mean']},0"]
            for row in run("factors", "-l", 2, "-m", "map", "-m", "num_rel", *sample[:13]).rows
        ),
    ]
    lines = [line.replace(",6.0,0", ",6.5,0") for (line,) in rows]
    told = "num_rel of the factors is not the number of relevant documents of 46 of 50 topics (e.g. '302')"
    for given, is_told in ((lines, True), ([line.rsplit(",", 2)[0] for line in lines], False)):
        factors = write("f.csv", given)
        done = run("standardize", "-m", "map", "-F", factors, qrels, runs[-1])
        assert (told in done.stderr) is is_told
        assert "num_rel" not in run("standardize", "-m", "map", "-l", 2, "-F", factors, qrels, runs[-1]).stderr
        gate = run("check", "--min", "Nmap=0.001", "-F", factors, qrels, runs[-1])
        assert (gate.status, told in gate.stderr) == (2 if is_told else 0, is_told)


def test_stored_scores_of_another_level_than_the_factors_are_refused_by_a_gate(run, write, sample):
    """Neither names its judgments, but both have num_rel."""
    typed = ["eval", "-q", "-n", "-f", "csv", "-m", "map", "-m", "num_rel"]
    factors = write("f.csv", run(*typed, "-l", 2, *sample[:13]).stdout)
    for level, status in ((1, 2), (2, 0)):
        scores = write("s.csv", run(*typed, "-l", level, sample[0], sample[-1]).stdout)
        done = run("check", "-F", factors, "--min", "Nmap=0.01", "--scores", scores)
        told = "other judgments, or another level; expected factors of the same judgments and options as the runs"
        assert (done.status, told in done.stderr) == (status, status == 2)


def test_missing_reference_scores_are_told(run, write, sample):
    qrels, *runs = sample
    lines = run("factors", "--empirical", "-m", "map", *sample[:13]).stdout.splitlines()
    told = "reference scores: 9 of 600 pairs of run and topic have no score (e.g. 'ref12' on topic '342'): left out"
    for kept, is_told in ((lines[:-9], True), (lines, False)):
        factors = write("f.csv", kept)
        assert (told in run("standardize", "-F", factors, qrels, runs[-1]).stderr) is is_told
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            stdeval.read_factors(factors)
        assert any(told in str(each.message) for each in caught) is is_told


@pytest.mark.parametrize("form", [[], ["--empirical"]])
def test_other_options_are_one_warning(run, cranfield, made, form):
    qrels, runs = cranfield
    at_2 = made(*form, "-l", 2, "-c")
    assert warned(run("standardize", "-F", at_2, qrels, *runs)) == [
        "stdeval: warning: factors of 225 of 225 topics were made with -l 2, "
        "the runs are evaluated with the default options"
    ]
    assert warned(run("standardize", "-F", made(*form), "-M", 9, "-J", "-c", qrels, *runs)) == [
        "stdeval: warning: factors of 225 of 225 topics were made with the default options, "
        "the runs are evaluated with -M 9 -J"
    ]
    assert warned(run("standardize", "-F", at_2, "-l", 2, qrels, *runs)) == []


def test_the_same_judgments_and_c_are_no_warning(run, cranfield, made, tmp_path):
    qrels, runs = cranfield
    scores = tmp_path / "scores.csv"
    for options in ([], ["-c"], ["--empirical"]):
        factors = made(*options)
        for command in STANDARDIZING:
            assert warned(run(*command.split(), "-F", factors, qrels, *runs)) == []
    run("eval", "-q", "-n", "-f", "csv", "-m", "map", "-o", scores, "-l", 2, qrels, *runs)
    # scores do not say how they were made
    assert warned(run("standardize", "-F", made(), "--scores", scores)) == []


def without(path: Path, write, *, empty: bool) -> Path:
    """The factors without what their columns `judgments` and `options` say, or without these columns."""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    kept = [
        [*row[:2], *(row[2:4] if i == 0 else ["", ""] if empty else []), *row[4:]] for i, row in enumerate(rows)
    ]
    kept[0] = rows[0] if empty else [*rows[0][:2], *rows[0][4:]]
    return write(f"without-{empty}.csv", [",".join(row) for row in kept])


def test_files_that_do_not_say_it_are_read_as_before(run, cranfield, made, write, tmp_path):
    qrels, runs = cranfield
    at_2 = made("-l", 2)
    zscores = tmp_path / "z.txt"
    assert "cannot hold the number of reference runs and the judgments and options" in (
        run("convert", at_2, "--to", "zscores", "--digits", 17, "-o", zscores).stderr
    )
    expected = run("standardize", "-F", at_2, "-m", "map", qrels, *runs).raw
    for path in (zscores, without(at_2, write, empty=True), without(at_2, write, empty=False)):
        done = run("standardize", "-F", path, "-m", "map", qrels, *runs)
        assert (done.raw, warned(done)) == (expected, [])


def test_convert_keeps_the_columns(run, made):
    for path in (made("-l", 2, "-c"), made("--empirical", "-J")):
        target = "scores" if "run," in path.read_text()[:4] else "factors"
        assert run("convert", path, "--to", target).stdout == path.read_text()


def test_joined_scores_keep_an_origin_that_is_the_same(run, cranfield, tmp_path):
    qrels, runs = cranfield
    first, second, other = (tmp_path / f"{name}.csv" for name in ("first", "second", "other"))
    for path, some, options in ((first, runs[:2], []), (second, runs[1:], []), (other, runs[1:], ["-l", 2])):
        assert run("factors", "--empirical", "-m", "map", *options, "-o", path, qrels, *some).status == 0
    tag = second.read_text().splitlines()[1].split(",")[0]
    for path in (second, other):
        path.write_text(
            "\n".join(line for line in path.read_text().splitlines() if not line.startswith(tag)) + "\n"
        )
    assert "judgments" in run("factors", "--scores", first, "--scores", second).rows[0]
    done = run("factors", "--scores", first, "--scores", other)
    assert (done.status, done.raw) == (2, b"")
    assert f"{other}: topic '1' has other judgments or options than in the files before" in done.stderr
    unnamed = tmp_path / "unnamed.csv"
    unnamed.write_text(re.sub("(?m)^([^,]*,[^,]*),[^,]*,[^,]*,", r"\1,", second.read_text()))
    assert "judgments" not in run("factors", "--scores", first, "--scores", unnamed).rows[0]


def test_a_damaged_column_is_refused_with_its_line(run, write):
    head = "topic,n,judgments,options,map.mean,map.sd"
    spreadsheet = write("f.csv", [head, "1,9,9ba14b94,,0.5,0.1", "2,9,1.23E+45,,0.5,0.1"])
    done = run("convert", spreadsheet, "--to", "factors")
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.endswith("f.csv:3: judgments '1.23E+45', expected 8 hexadecimal digits or nothing\n")
    rows = ["run,topic,judgments,options,map", "a,1,9ba14b94,,0.5", "b,1,9ba14b95,,0.5"]
    done = run("factors", "--scores", write("s.csv", rows))
    assert (done.status, done.raw) == (2, b"")
    assert "s.csv:3: topic '1' with other judgments or options" in done.stderr


def test_the_gate_refuses_factors_that_do_not_belong_to_the_judgments(run, cranfield, made):
    qrels, runs = cranfield
    factors = made("--empirical", "-l", 2)
    typed = ["check", "-F", factors, "--min", "Emap=.0001", qrels, runs[0]]
    done = run(*typed)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert f"{factors}: factors of 225 of 225 topics were made with -l 2" in done.stderr
    assert "--allow-other-judgments" in done.stderr
    allowed = run(*typed, "--allow-other-judgments")
    assert (allowed.status, allowed.stdout[:4], len(warned(allowed))) == (0, "PASS", 1)
    assert run("check", "-F", made("--empirical"), "--min", "Emap=.0001", qrels, runs[0]).status == 0


def test_the_gate_refuses_a_baseline_that_does_not_belong_to_the_judgments(run, cranfield, tmp_path):
    qrels, runs = cranfield
    stored = tmp_path / "baseline.csv"
    run("factors", "--empirical", "-m", "map", "-l", 2, "-o", stored, qrels, *runs[:2])
    second = stored.read_text().splitlines()[-1].split(",")[0]
    lines = stored.read_text().splitlines(keepends=True)
    stored.write_text("".join(line for line in lines if line.split(",")[0] != second))
    typed = ["check", "--baseline", stored, "--max-drop", "map=50%", qrels, runs[2]]
    done = run(*typed)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert f"{stored}: scores of 225 of 225 topics were made with -l 2" in done.stderr
    allowed = run(*typed, "--allow-other-judgments")
    assert (allowed.stdout[:4], len(warned(allowed))) == ("PASS", 1)
    assert run(*typed, "-l", 2).stdout.startswith(("PASS", "FAIL"))


def test_permission_without_factors_is_refused(run, cranfield):
    qrels, runs = cranfield
    done = run("check", "--allow-other-judgments", "--min", "map=.0001", qrels, runs[0])
    assert (done.status, done.raw) == (2, b"")
    assert "--allow-other-judgments has no effect without" in done.stderr


def test_references_of_other_judgments_are_one_warning(run, cranfield, made):
    qrels, runs = cranfield
    options = ["--trials", 9, "--references", 2]
    done = run("meta", "references", "-F", made("--empirical", "-l", 2), *options, qrels, *runs)
    assert len(warned(done)) == 1


def test_systems_of_other_options_are_one_warning_in_every_role(run, cranfield, made):
    """Of meta references, whether their scores are stored or runs are given."""
    default, at_2 = made("--empirical"), made("--empirical", "-l", 2)
    size = ["--references", 2, "--trials", 9, "-m", "map"]
    for given in (["--scores", default], [cranfield[0], *cranfield[1]]):
        for role in ("--evaluate", "--collection"):
            (told,) = warned(run("meta", "references", *size, role, at_2, *given))
            assert "-l 2" in told
            assert str(at_2) in told
            assert warned(run("meta", "references", *size, role, default, *given)) == []
        assert len(warned(run("meta", "references", "--other", at_2, "-m", "map", *given))) == 1


def test_pools_of_depth_are_not_compared(run, cranfield, made):
    qrels, runs = cranfield
    factors = made("-m", "sp_cut_5")
    options = ["-m", "AP", "--pool-depth", 5, "--eval-depth", 5, "--form", "standardized"]
    assert warned(run("meta", "depth", "-F", factors, *options, qrels, *runs)) == []
    assert len(warned(run("meta", "depth", "-F", factors, *options, "-l", 2, qrels, *runs))) == 1


def test_scores_files_that_say_where_they_come_from_are_compared_too(run, made):
    factors, at_2 = made(), made("--empirical", "-l", 2)
    message = "factors of 225 of 225 topics were made with the default options, the runs are evaluated with -l 2"
    assert warned(run("standardize", "-F", factors, "--scores", at_2)) == [f"stdeval: warning: {message}"]
    checked = ["check", "-F", factors, "--scores", at_2, "--min", "Nmap=0.01"]
    refused = run(*checked)
    assert (refused.status, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert run(*checked, "--allow-other-judgments").stdout.startswith(("PASS", "FAIL"))


def test_an_option_that_changes_no_score_by_the_measures_is_not_compared(run, write, tmp_path):
    """The grade concerns err only: factors of err and map with another grade are those of map."""
    qrels = write("q", [f"{topic} 0 d{i} {(topic + i) % 3}" for topic in range(1, 6) for i in range(6)])
    runs = [
        write(
            f"{tag}.run",
            [f"{topic} Q0 d{i} 0 {(i * step + topic) % 7} {tag}" for topic in range(1, 6) for i in range(6)],
        )
        for tag, step in (("a", 1), ("b", 2), ("c", 3))
    ]
    factors, graded = tmp_path / "factors.csv", tmp_path / "graded.csv"
    made = ("factors", "-m", "err", "-m", "map", "--max-grade", 2, "-o", factors, qrels, *runs)
    assert run(*made).status == 0
    assert run("factors", "-m", "ndcg", "-l", 2, "-o", graded, qrels, *runs).status == 0
    assert warned(run("standardize", "-F", factors, "-m", "map", qrels, *runs)) == []
    assert run("check", "-F", factors, "--min", "Nmap=.0001", qrels, *runs).status == 0
    both = warned(run("standardize", "-F", factors, "-m", "map", "-m", "err", qrels, *runs))
    assert both == [
        "stdeval: warning: factors of 5 of 5 topics were made with --max-grade 2, the runs are evaluated with the "
        "default options"
    ]
    assert warned(run("standardize", "-F", graded, "-m", "ndcg", qrels, *runs)) == []
    assert warned(run("standardize", "-F", graded, "-m", "ndcg", "--binary", qrels, *runs)) == [
        "stdeval: warning: factors of 5 of 5 topics were made with -l 2, the runs are evaluated with --binary"
    ]


def test_judgments_are_compared_as_read_before_l_and_binary(run, write, tmp_path):
    qrels = write("q", [f"{topic} 0 d{i} {(topic + i) % 4 - 1}" for topic in range(1, 4) for i in range(6)])
    runs = [
        write(f"{tag}.run", [f"{topic} Q0 d{i} 0 {sign * i} {tag}" for topic in range(1, 4) for i in range(6)])
        for tag, sign in (("a", 1), ("b", -1))
    ]
    made = {}
    for options in ((), ("-l", 2), ("-l", 2, "--binary"), ("-M", 3, "-J", "-c")):
        rows = run("factors", "--empirical", "-m", "map", "-m", "ndcg", *options, qrels, *runs).rows
        made[options] = {row["topic"]: row["judgments"] for row in rows}
        assert {row["options"] for row in rows} == {" ".join(map(str, options))}
    lines = {t: b"".join(b"d%d\0%d\n" % (i, (t + i) % 4 - 1) for i in range(6)) for t in range(1, 4)}
    expected = {str(t): hashlib.sha256(text).hexdigest()[:8] for t, text in lines.items()}
    assert list(made.values()) == [expected] * 4


def test_two_files_that_are_no_published_pair_are_refused(run):
    covid = Path(__file__).resolve().parent.parent.parent / "sample_data"
    two = covid / "trec-covid" / "round5.csv", covid / "trec-covid" / "round4.csv"
    done = run("standardize", "-F", two[0], "-F", two[1], covid / "qrels.gz", covid / "new-a.run.gz")
    assert (done.status, done.stdout) == (2, "")
    expected = "expected one such file, or two of the published form, means and standard deviations"
    assert done.stderr == f"stdeval: {two[0]}: factors and another file, {expected}\n"


def test_scores_that_do_not_say_it_are_warned_of_wherever_the_factors_do(run, sample, tmp_path):
    data, scores = sample[0].parent, tmp_path / "scores.csv"
    qrels, factors, runs = sample[0], data / "factors.csv", [data / "new-a.run.gz", data / "new-b.run.gz"]
    told = "the scores do not name their judgments and options: it is not known whether those of the factors are"
    commands = ["standardize -m map", "compare -m map", "check --min Nmap=0.4"]
    for signed, number in ((["--signature"], 0), ([], 1)):
        run("eval", "-q", "-f", "csv", "-m", "map", *signed, "-o", scores, qrels, *runs)
        for command in commands:
            done = run(*command.split(), "-F", factors, "--scores", scores)
            assert (done.status, done.stderr.count(told)) == (0, number), command


def test_topics_of_factors_that_scores_lack_are_told_if_neither_name_their_judgments(run, write):
    """Scores of another collection seem to fit if its topics are numbered likewise."""
    factors = write("f.csv", ["topic,n,map.mean,map.sd", *(f"{topic},9,0.5,0.1" for topic in range(1, 6))])
    rows = [f"{name},{topic},{(1 + (name == 'a')) / topic / 2}" for name in "ab" for topic in range(1, 6)]
    for command in ("standardize", "compare", "meta power", "check --min Nmap=0.1"):
        fewer = write("fewer.csv", ["run,topic,map", *(row for row in rows if row.split(",")[1] in "13")])
        done = run(*command.split(), "-F", factors, "--scores", fewer)
        found = "3 of 5 topics of the factors (e.g. '2') are not in the scores"
        told = (
            f"stdeval: warning: {found}, and neither of them names its judgments: are both of the same collection?"
        )
        assert told in done.stderr.splitlines(), command
        all_topics = write("all.csv", ["run,topic,map", *rows])
        assert "same collection" not in run(*command.split(), "-F", factors, "--scores", all_topics).stderr


@pytest.mark.filterwarnings("ignore:2 reference runs")
def test_python_tells_of_topics_of_factors_that_scores_lack():
    table = ScoreTable(("a",), ("1",), ("map",), [[[0.5]]])
    reference = ScoreTable(("a", "b"), ("1", "2"), ("map",), [[[0.5], [0.1]], [[0.25], [0.2]]])
    with pytest.warns(InputWarning, match=r"^1 of 2 topics of the factors \(e.g. '2'\) is not in the scores, and "):
        standardize(table, fit_factors(reference))
    standardize(reference, fit_factors(reference))
