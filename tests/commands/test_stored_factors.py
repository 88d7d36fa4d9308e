"""Stored scores with a signature: standardized by which factors, and of how many topics of the judgments."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from stdeval import (
    Condition,
    InputError,
    InputWarning,
    check,
    evaluate,
    read_factors,
    read_qrels,
    read_run,
    read_scores,
    standardize,
    write_scores,
)

RUNS = ("ref01", "ref02", "ref03")


@pytest.fixture(scope="module")
def sample() -> Path:
    return Path(__file__).resolve().parent.parent.parent / "sample_data"


@pytest.fixture
def stored(run, sample, tmp_path):
    """A file of standardized scores with a signature, of one run or of several."""

    def standardized(*options: object, tags=RUNS[:1], measures=("map",)) -> Path:
        path = tmp_path / f"scores{len(list(tmp_path.iterdir()))}.csv"
        runs = [sample / "references" / f"{tag}.run.gz" for tag in tags]
        named = [word for measure in measures for word in ("-m", measure)]
        typed = ["standardize", *named, "-q", "-f", "csv", "--signature", "-o", path, *options]
        assert run(*typed, sample / "qrels.gz", *runs).status == 0
        return path

    return standardized


@pytest.fixture
def weak(run, sample, tmp_path) -> Path:
    path = tmp_path / "weak.csv"
    runs = [sample / "references" / f"ref{i:02d}.run.gz" for i in range(1, 13)]
    assert run("factors", "-m", "map", "-m", "P_10", "-o", path, sample / "qrels.gz", *runs).status == 0
    return path


REFUSED = "scores standardized with other factors or parameters than in the files before, expected the same"


@pytest.mark.parametrize("command", ["eval", "compare", "report", "check --min Nmap=.0001"])
def test_scores_by_other_factors_are_refused(run, sample, stored, weak, command):
    strong, other = stored("-F", sample / "factors.csv"), stored("-F", weak, tags=RUNS[1:2])
    done = run(*command.split(), "--scores", strong, "--scores", other)
    assert (done.status, done.stdout, done.stderr) == (2, "", f"stdeval: {other}: {REFUSED}\n")


def test_scores_by_the_same_factors_keep_them_in_the_signature(run, sample, stored):
    first, second = (stored("-F", sample / "factors.csv", tags=[tag]) for tag in RUNS[:2])
    done = run("eval", "--signature", "--scores", first, "--scores", second)
    assert (done.status, done.stderr) == (0, "")
    signed = first.read_text().splitlines()[1].rpartition(",")[2]
    assert done.stdout.rstrip().endswith(signed)
    assert "|scheme:N|" in signed
    assert re.search(r"\|factors:\w{8}\|references:40$", signed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--scheme", "u"], ["--scheme", "u", "--ab", "0.5,0.5"]),
        (["--scheme", "u"], ["--scheme", "u", "--no-censor"]),
        (["--round", "2"], []),
        (["--leave-out", "run"], []),
    ],
)
def test_other_parameters_are_refused(run, sample, stored, one, other):
    """Without -F the runs are their own reference runs; the two files hold different runs."""
    factors = [] if "--leave-out" in one else ["-F", sample / "factors.csv"]
    files = [
        stored(*factors, *options, tags=tags)
        for options, tags in ((one, ["ref01", "ref02", "ref03"]), (other, ["ref04", "ref05", "ref06"]))
    ]
    done = run("eval", "--scores", files[0], "--scores", files[1])
    assert (done.status, done.stdout) == (2, "")
    assert REFUSED in done.stderr


def test_factors_of_other_measures_cannot_be_told_apart(run, sample, stored):
    one = stored("-F", sample / "factors.csv")
    two = stored("-F", sample / "factors.csv", tags=RUNS[1:2], measures=("map", "P_10"))
    given = ["--scores", one, "--scores", two]
    whether = "the same factors standardized these scores and those of the files before"
    told = f"{two}: the signatures cannot tell whether {whether}"
    done = run("eval", "-m", "Nmap", "--signature", *given)
    assert done.stderr.splitlines()[0] == f"stdeval: warning: {told}"
    assert "|factors:unknown|references:unknown" in done.stdout
    gate = run("check", "--min", "Nmap=.0001", *given)
    assert (gate.status, gate.stdout, gate.stderr[: len(told) + 9]) == (2, "", f"stdeval: {told}")


def test_different_schemes_and_raw_scores_are_joined(run, sample, stored, weak):
    files = [stored("-F", weak), stored("-F", sample / "factors.csv", "--scheme", "z", tags=RUNS[1:2])]
    assert run("eval", "--scores", files[0], "--scores", files[1]).status == 0


def test_a_baseline_by_other_factors_is_refused(run, sample, stored, weak):
    strong, other = stored("-F", sample / "factors.csv"), stored("-F", weak, tags=RUNS[1:2])
    typed = ["check", "--max-drop", "Nmap=0.5", "--baseline", other, "--scores", strong]
    done = run(*typed)
    assert (done.status, done.stdout) == (2, "")
    assert (
        f"stdeval: {other}: scores were standardized with other factors or parameters than the runs; expected a "
        "baseline of the same judgments, options and factors as the runs, or --allow-other-judgments\n"
    ) == done.stderr
    assert run(*typed, "--allow-other-judgments").status in (0, 1)


def test_a_run_without_some_topics_has_the_factors_of_the_others(run, sample, write, tmp_path):
    """The runs of a Makefile are standardized one by one, and joined."""
    topics = {f"{topic}" for topic in range(301, 346)}
    files = []
    for tag, kept in (("one", topics), ("two", {*topics, "350"})):
        path, made = tmp_path / f"{tag}.csv", write(f"{tag}.run", [f"{topic} Q0 x 1 1 {tag}" for topic in kept])
        typed = ["standardize", "-F", sample / "factors.csv", "-m", "map", "-q", "-f", "csv", "--signature"]
        assert run(*typed, "-o", path, sample / "qrels.gz", made).status == 0
        files.append(path)
    signed = {line.rpartition(",")[2] for path in files for line in path.read_text().splitlines()[1:]}
    assert len(signed) == 1
    done = run("eval", "--scores", files[0], "--scores", files[1])
    assert (done.status, "cannot tell" in done.stderr) == (0, False)


def test_scores_of_only_some_topics_do_not_pass_the_gate(run, sample, write, tmp_path):
    partial, path = (
        write("part.run", [f"{topic} Q0 x 1 1 part" for topic in range(301, 322)]),
        tmp_path / "part.csv",
    )
    typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", path]
    assert run(*typed, sample / "qrels.gz", partial).status == 0
    told = "scores of 21 of the 50 topics of the judgments"
    gate = run("check", "--min", "map=.0001", "--scores", path)
    assert (gate.status, gate.stdout) == (2, "")
    assert gate.stderr.startswith(f"stdeval: {path}: {told}, expected scores of all of them\n")
    done = run("eval", "--signature", "--scores", path)
    assert done.stderr.splitlines() == [
        f"stdeval: warning: {told}: the others are left out",
        "stdeval: warning: every score of 'part' is 0: was it scored with the judgments of another collection?",
    ]
    assert done.stdout.rstrip().endswith("|topics:50|scored:21")
    assert run(*typed, "-c", sample / "qrels.gz", partial).status == 0
    done = run("check", "--min", "map=.0001", "--scores", path)
    assert (done.status, "mean 0.0000 on 50 topics" in done.stdout) == (1, True)


def test_factors_of_other_judgments_of_more_topics_are_noticed(run, sample, write, tmp_path):
    """The digest of all judgments cannot tell it, since the scores have fewer topics; that of each topic can."""
    lines = [f"{topic} 0 x 0" for topic in range(301, 311)]
    path = tmp_path / "scores.csv"
    made = write("a.run", [f"{topic} Q0 x 1 1 a" for topic in range(301, 311)])
    typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", path]
    assert run(*typed, write("ten.qrels", lines), made).status == 0
    gate = run("check", "-F", sample / "factors.csv", "--min", "Nmap=.0001", "--scores", path)
    assert (gate.status, gate.stdout) == (2, "")
    assert "factors of 10 of 10 topics were made from other judgments" in gate.stderr


def test_convert_and_factors_keep_the_origin(run, sample, stored):
    path = stored("-F", sample / "factors.csv", "-n", tags=RUNS[:2])
    assert run("convert", path, "--to", "scores").stdout == path.read_text()
    raw = ["eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-o", path.with_name("raw.csv")]
    assert run(*raw, sample / "qrels.gz", *sorted((sample / "references").glob("*.gz"))[:2]).status == 0
    rows = run("factors", "--scores", path.with_name("raw.csv")).rows
    assert {len(row["judgments"]) for row in rows} == {8}


def test_reference_scores_of_other_judgments_are_not_joined(run, sample, write, tmp_path):
    references, scores = tmp_path / "references.csv", tmp_path / "scores.csv"
    first, made = write("q", ["301 0 x 1"]), [write(f"{tag}.run", [f"301 Q0 x 1 1 {tag}"]) for tag in "abc"]
    assert run("factors", "--empirical", "-m", "map", "-o", references, first, *made[:2]).status == 0
    typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", scores]
    assert run(*typed, write("other", ["301 0 x 2"]), made[2]).status == 0
    done = run("eval", "--scores", references, "--scores", scores)
    assert (done.status, done.stdout) == (2, "")
    assert f"{scores}: topic '301' has other judgments or options than in the files before" in done.stderr


def test_scores_that_are_standardized_already(run, sample, stored):
    path = stored("-F", sample / "factors.csv", tags=RUNS)
    done = run("standardize", "-m", "Nmap", "--scores", path)
    assert (done.status, done.stdout) == (2, "")
    assert "Nmap is standardized already" in done.stderr
    for experiment in ("power", "within --scheme raw --topics 20 --trials 3", "split --trials 3 -a am"):
        done = run("meta", *experiment.split(), "-m", "Nmap", "-f", "csv", "--scores", path)
        assert {row["scheme"] for row in done.rows} == {"N"}, done.stderr
        assert run("meta", *experiment.split(), "-m", "Nmap", "--scores", path).status == 0
    rows = run("meta", "reliability", "-m", "Nmap", "-f", "csv", "--scores", path).rows
    assert {row["scheme"] for row in rows} == {"N"}
    values = {
        quantity: [row["value"] for row in rows if row["quantity"] == quantity] for quantity in ("erho2", "phi")
    }
    assert all(values["erho2"])
    assert not any(values["phi"])


def test_collections_of_other_options_are_told(run, sample, tmp_path):
    files = [tmp_path / "first.csv", tmp_path / "second.csv"]
    runs = [sample / "references" / f"{tag}.run.gz" for tag in RUNS]
    for path, options in zip(files, ([], ["-M", 5]), strict=True):
        typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", path, *options]
        assert run(*typed, sample / "qrels.gz", *runs).status == 0
    done = run("meta", "collections", "--trials", 2, *files)
    assert f"{files[0]} was made with the default options, {files[1]} with -M 5: expected the same" in done.stderr


@pytest.mark.parametrize(
    "command", ["compare -f markdown", "report", "factors", "check --min map=.0001", "meta power"]
)
def test_joined_files_that_do_not_all_name_their_judgments_and_options(run, sample, tmp_path, command):
    files = {}
    for i, (tag, options) in enumerate({RUNS[0]: ["-l", "2"], RUNS[1]: ["--signature"], RUNS[2]: []}.items()):
        files[i] = tmp_path / f"{tag}.csv"
        runs = [sample / "references" / f"{tag}.run.gz"]
        typed = ["eval", "-q", "-n", "-f", "csv", "-m", "map", *options, "-o", files[i], sample / "qrels.gz", *runs]
        assert "num_rel" not in run(*typed).stderr
    told = "do not name their judgments and options: it is not known whether those of all joined files are the same"
    one, all_of_them, unnamed = (
        run(*command.split(), *(word for i in which for word in ("--scores", files[i])))
        for which in ((0, 1), (0, 1, 2), (0, 2))
    )
    stored = "(--signature stores them)\n"
    assert f"stdeval: warning: the scores of {files[0]} {told} {stored}" in one.stderr
    for several in (all_of_them, unnamed):
        assert f"stdeval: warning: the scores of {files[0]} and of 1 more file {told} {stored}" in several.stderr
    if command == "report":
        assert "Caveats: None" not in one.stdout
        assert told in one.stdout


def test_factors_that_name_the_judgments_of_some_topics_only_are_told(run, sample, tmp_path):
    factors = tmp_path / "factors.csv"
    qrels, runs = sample / "qrels.gz", sorted((sample / "references").glob("*.gz"))
    assert run("factors", "-m", "map", "-o", factors, qrels, *runs[:12]).status == 0
    head, *rows = factors.read_text().splitlines()
    blank = [",".join([*row.split(",")[:2], "", "", *row.split(",")[4:]]) for row in rows[:5]]
    factors.write_text("\n".join([head, *blank, *rows[5:], ""]))
    told = "the factors do not name their judgments and options: it is not known whether those of the runs are"
    for command in ("standardize -m map", "check --min Nmap=0.1"):
        assert told in run(*command.split(), "-F", factors, qrels, *runs[:2]).stderr


def test_stored_scores_that_do_not_name_their_factors_are_one_warning(run, write):
    """A program may have written the judgments and options, and not how the scores were standardized."""
    rows = ["1,0000000a,,0.5", "2,0000000a,,0.25"]
    a, b = (
        write(f"{name}.csv", ["run,topic,judgments,options,Nmap", *(f"{name},{row}" for row in rows)])
        for name in "ab"
    )
    what = "do not name their factors: it is not known whether those of"
    assert what in run("compare", "--scores", a, "--scores", b).stderr
    assert what in run("check", "--max-drop", "Nmap=0.1", "--scores", a, "--baseline", b).stderr
    raw = [path.read_text().replace("Nmap", "map") for path in (a, b)]
    c, d = (write(f"raw{i}.csv", text.splitlines()) for i, text in enumerate(raw))
    assert what not in run("compare", "--scores", c, "--scores", d).stderr


@pytest.mark.parametrize("level", [1, 2])
def test_a_baseline_with_other_numbers_of_relevant_documents_is_refused(run, write, tmp_path, level: int):
    """Stored scores may name no judgments, and have the number of relevant documents."""
    qrels = write("qrels", [f"{topic} 0 d{d} {d}" for topic in range(1, 6) for d in range(4)])
    path = write("a", [f"{topic} Q0 d{d} {d} {9 - d} a" for topic in range(1, 5) for d in range(4)])
    stored, measures = tmp_path / "stored.csv", ["-m", "num_rel", "-m", "num_ret", "-m", "map"]
    run("eval", "-q", "-c", "-f", "csv", *measures, "-o", stored, qrels, path)
    typed = ["check", "--max-drop", "map=0.5", "--baseline", stored, "-c", "-l", level, qrels, path]
    done = run(*typed)
    found = (
        "num_rel is not the number of relevant documents of 5 of 5 topics (e.g. '1'): other judgments, or another"
    )
    if level == 1:
        assert (done.status, "num_rel is not" in done.stderr) == (0, False)
    else:
        assert (done.status, done.raw) == (2, b"")
        assert f"stdeval: {stored}: {found}" in done.stderr
        assert found in run(*typed, "--allow-other-judgments").stderr
        # the number of a missing topic is that of the level, too
        run("eval", "-q", "-c", "-l", 2, "-f", "csv", "-m", "num_rel", "-m", "map", "-o", stored, qrels, path)
        assert "num_rel is not" not in run(*typed).stderr


def test_references_with_other_numbers_of_relevant_documents_are_one_warning(run, write, tmp_path):
    """Neither file names its judgments; both have the number of relevant documents."""
    qrels = write("qrels", [f"{topic} 0 d{d} {d}" for topic in range(1, 6) for d in range(4)])
    runs = [
        write(tag, [f"{t} Q0 d{(d + t * by) % 4} {d} {9 - d} {tag}" for t in range(1, 6) for d in range(4)])
        for tag, by in (("a", 1), ("b", 2), ("c", 3))
    ]
    references = {level: tmp_path / f"references{level}.csv" for level in (1, 2)}
    measures = ["-m", "map", "-m", "num_rel"]
    for level, path in references.items():
        run("eval", "-q", "-f", "csv", "-l", level, *measures, "-o", path, qrels, *runs[:2])
    scores = tmp_path / "scores.csv"
    run("eval", "-q", "-f", "csv", *measures, "-o", scores, qrels, runs[2])
    told = "the references have 2.0 relevant documents per topic on average, and 'c' 3.0 (num_rel): other judgments"
    for command in ("standardize -m map", "check --min Nmap=0.01"):
        assert told in run(*command.split(), "-F", references[2], "--scores", scores).stderr
        assert "num_rel" not in run(*command.split(), "-F", references[1], "--scores", scores).stderr


def without_column(path: Path, name: str) -> Path:
    """Write a copy of a CSV file without a column, as a program that drops empty columns does."""
    rows = list(csv.reader(path.read_text().splitlines()))
    place = rows[0].index(name)
    copy = path.with_suffix(".dropped.csv")
    copy.write_text("".join(",".join([*row[:place], *row[place + 1 :]]) + "\n" for row in rows))
    return copy


@pytest.fixture
def by_level(run, sample, tmp_path) -> dict[str, Path]:
    """Scores of two runs, each at both levels."""
    paths = {}
    for tag, level in ((tag, level) for tag in RUNS[:2] for level in "12"):
        paths[f"{tag}{level}"] = path = tmp_path / f"{tag}-{level}.csv"
        typed = ["eval", "-q", "-f", "csv", "--signature", "-l", level, "-m", "map", "-o", path]
        assert run(*typed, sample / "qrels.gz", sample / "references" / f"{tag}.run.gz").status == 0
    return paths


def test_options_that_only_the_signature_names_count(run, sample, by_level, tmp_path):
    one, other = RUNS[:2]
    baseline = without_column(by_level[f"{one}1"], "options")
    new = [sample / "qrels.gz", sample / "references" / f"{other}.run.gz"]
    typed = ["check", "--max-drop", "map=0.1", "--baseline", baseline]
    refused = run(*typed, "-l", 2, *new)
    told = "were made with the default options, the runs are evaluated with -l 2"
    assert (refused.status, told in refused.stderr) == (2, True)
    assert run(*typed, *new).status == 0
    joined = run("compare", "--scores", baseline, "--scores", by_level[f"{other}2"])
    assert (joined.status, "other judgments or options" in joined.stderr) == (2, True)
    factors = tmp_path / "factors.csv"
    both = [without_column(by_level[f"{tag}2"], "options") for tag in (one, other)]
    assert run("factors", "--scores", both[0], "--scores", both[1], "-o", factors).status == 0
    assert {row["options"] for row in csv.DictReader(factors.read_text().splitlines())} == {"-l 2"}


def test_unpaired_scores_that_do_not_name_their_factors_are_told(run, sample, stored):
    factors = sample / "factors.csv"
    signed = [stored("-F", factors, tags=[tag]) for tag in RUNS[:2]]
    plain = [without_column(path, "signature") for path in signed]
    told = (
        f"the scores of {plain[0]} do not name their factors: it is not known whether all were standardized in the "
    )
    assert told in run("compare", "--unpaired", "--scores", plain[0], "--scores", signed[1]).stderr
    assert told in run("compare", "--unpaired", "--scores", plain[0], "--scores", plain[1]).stderr
    assert "name their factors" not in run("compare", "--unpaired", "--scores", signed[0]).stderr


@pytest.mark.parametrize("level", [1, 2])
def test_unknown_options_stay_unknown(run, sample, by_level, tmp_path, level: int):
    """Also in factors that are made from such scores: an empty field would mean the default options."""
    scores = [without_column(without_column(by_level[f"{tag}{level}"], "options"), "signature") for tag in RUNS[:2]]
    factors, again = tmp_path / "factors.csv", tmp_path / "again.csv"
    given = [word for path in scores for word in ("--scores", path)]
    assert run("factors", *given, "-o", factors).status == 0
    assert {row["options"] for row in csv.DictReader(factors.read_text().splitlines())} == {"unknown"}
    run("convert", *scores, "--to", "scores", "-o", again)
    assert {row["options"] for row in csv.DictReader(again.read_text().splitlines())} == {"unknown"}
    new = [sample / "qrels.gz", sample / "references" / f"{RUNS[2]}.run.gz"]
    told = "the factors do not name their options: it is not known whether those of the runs are the same"
    for typed in (["standardize"], ["check", "--min", "Nmap=.0001"]):
        assert told in run(*typed, "-F", factors, *new).stderr
    told = "the scores of the baseline do not name their options"
    assert told in run("check", "--max-drop", "map=0.9", "--baseline", again.with_name(scores[0].name), *new).stderr


@pytest.mark.parametrize("name", ["", "deep="])
@pytest.mark.parametrize("command", ["compare", "topics", "standardize", "meta power"])
def test_topics_that_count_as_0_in_stored_scores_are_told(run, write, command: str, name: str):
    """num_ret tells which topics have no documents; they were stored with -c."""
    rows = [f"{tag},{t},{10 * (tag != 'a' or t > 4)},0.{t}{i}" for i, tag in enumerate("abc") for t in range(1, 13)]
    rows = [row[: row.rindex(",")] + ",0" if ",0,0." in row else row for row in rows]
    scores = write("scores.csv", ["run,topic,num_ret,map", *rows])
    told = "1 of 3 runs has topics without documents (most: 'a' has no documents for 4 of 12 judged topics); they"
    assert told in run(*command.split(), "--scores", f"{name}{scores}", "-m", "map").stderr


@pytest.mark.parametrize("command", ["check --min Nmap=.1", "eval", "compare", "report --scheme raw -m Nmap"])
def test_few_references_of_stored_scores_are_told(run, sample, tmp_path, command: str):
    """The signature names their number."""
    path, runs = tmp_path / "s.csv", sorted((sample / "references").glob("*.gz"))
    for n, is_told in ((2, True), (10, False)):
        typed = ["standardize", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-o", path]
        assert run(*typed, sample / "qrels.gz", *runs[:n]).status == 0
        extra = ["-o", tmp_path / "page.html"] if command.startswith("report") else []
        done = run(*command.split(), *extra, "--scores", path)
        assert (f"{n} reference runs: rankings by standardized scores are reliable from" in done.stderr) == is_told


def _weakest(run, sample: Path) -> list[Path]:
    """The ten reference runs with the lowest map."""
    references = sorted((sample / "references").glob("*.gz"))
    rows = run("eval", "-f", "csv", "-m", "map", sample / "qrels.gz", *references).rows
    means = {row["run"]: float(row["map"]) for row in rows}
    return sorted(references, key=lambda path: means[path.name.split(".")[0]])[:10]


STORED_READERS = [
    ["eval", "-f", "markdown", "--sort", "{}"],
    ["compare"],
    ["check", "--min", "{}=-9"],
    ["topics"],
    ["report", "--scheme", "raw", "-o", "r.html"],
    ["meta", "power", "--scheme", "raw"],
    ["plot", "means", "--scheme", "raw", "-o", "m.svg"],
]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            "--scheme z",
            "of the scores by Zmap are below -3.09 or above 3.09: the references are unlike the systems",
        ),
        ("--scheme n", "are below 0.001 or above 0.999, where large differences are lost"),
        ("--scheme u", "are censored to 0 or 1, where large differences are lost: the references are unlike the"),
        (
            "--scheme u --no-censor",
            "of the scores by Umap are at most 0 or at least 1: the references are unlike the",
        ),
    ],
)
def test_scores_far_from_those_of_the_references_are_told_of(
    run, sample, tmp_path, monkeypatch, options: str, told: str
):
    """Too small standard deviations look alike, such as variances."""
    monkeypatch.chdir(tmp_path)
    files = [sample / "qrels.gz", *(sample / f"references/ref{n}.run.gz" for n in (32, 23))]
    run("factors", "-m", "map", "-o", "weak.csv", sample / "qrels.gz", *_weakest(run, sample))
    by_weak = ["-F", "weak.csv", "-m", "map", *options.split()]
    stored = run("standardize", *by_weak, "-q", "-n", "-f", "csv", "-o", "s.csv", *files)
    assert told in stored.stderr
    name = f"{options.split()[1].upper()}map"
    assert told in run("compare", "--scores", "s.csv").stderr
    gate = ["check", "-F", "weak.csv", "--min", f"{name}=0.1", *options.split()[2:]]
    assert told in run(*gate, *files).stderr
    assert told not in run("standardize", "-F", sample / "factors.csv", *by_weak[2:], *files).stderr


@pytest.mark.parametrize("command", STORED_READERS)
def test_every_command_tells_of_stored_scores_at_the_ends_of_their_scale(
    run, sample, tmp_path, monkeypatch, command: list[str]
):
    monkeypatch.chdir(tmp_path)
    weak = run("factors", "-m", "map", "-o", "weak.csv", sample / "qrels.gz", *_weakest(run, sample))
    runs = [sample / "new-a.run.gz", *(sample / f"references/ref{n}.run.gz" for n in (32, 23))]
    made = ["standardize", "-F", "weak.csv", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-o", "n.csv"]
    assert (weak.status, run(*made, sample / "qrels.gz", *runs).status) == (0, 0)
    done = run(*(part.format("Nmap") for part in command), "--scores", "n.csv")
    assert done.stderr.count("% of the scores by Nmap are below 0.001 or above 0.999") == 1
    if command[0] == "report":
        assert "of the scores by Nmap are below 0.001" in (tmp_path / "r.html").read_text()
    with pytest.warns(InputWarning, match="of the scores by Nmap are below 0.001 or above 0.999"):
        read_scores("n.csv")


@pytest.mark.parametrize("command", STORED_READERS)
def test_every_command_tells_of_groups_that_were_left_out_and_of_the_references_that_were_left(
    run, sample, tmp_path, monkeypatch, command: list[str]
):
    """Of eight runs, six are of one group, and were standardized by two."""
    monkeypatch.chdir(tmp_path)
    names = [f"ref{n:02}" for n in range(1, 9)]
    Path("groups.csv").write_text(
        "".join(["run,group\n", *(f"{n},{'big' if n < 'ref07' else n}\n" for n in names)])
    )
    runs = [sample / f"references/{name}.run.gz" for name in names]
    made = ["standardize", "--leave-out", "group", "--groups", "groups.csv", "-q", "-n", "-f", "csv", "--signature"]
    assert run(*made, "-m", "map", "-o", "n.csv", sample / "qrels.gz", *runs).status == 0
    assert "|references:2-7" in Path("n.csv").read_text()
    done = run(*(part.format("Nmap") for part in command), "--scores", "n.csv")
    assert done.stderr.count("the scores were standardized with --leave-out group: each group has other") == 1
    assert done.stderr.count("some topics or runs have fewer than 10 reference runs (fewest: 2)") == 0
    assert done.stderr.count("7 reference runs: rankings by standardized scores are reliable from about 10 on") == 1


def test_the_signature_counts_the_reference_runs_that_are_left(run, sample):
    runs = [sample / f"references/ref0{n}.run.gz" for n in range(1, 6)]
    done = run(
        "standardize", "-f", "table", "--signature", "-m", "map", "--leave-out", "run", sample / "qrels.gz", *runs
    )
    assert done.stdout.endswith("|references:4\n")


def _signed(write, measure: str, scheme: str, references: str, scores: list[float]) -> Path:
    """Two runs with the same standardized scores, and a signature."""
    facts = f"measures:map|options:unknown|scheme:{scheme}|qrels:unknown|topics:{len(scores)}|factors:0a1b2c3d"
    signature = f'"stdeval:0.1.0|{facts}|references:{references}"'
    rows = [f"{name},{topic},{score},{signature}" for name in "ab" for topic, score in enumerate(scores)]
    return write("s.csv", [f"run,topic,{measure},signature", *rows])


def test_a_scale_of_u_on_which_all_scores_are_the_same_is_told_of_stored_scores(run, write):
    scores = [0.5 + 0.001 * topic for topic in range(24)]
    stderr = run("compare", "--scores", _signed(write, "Umap", "U(0.01,0.5)", "40", scores)).stderr
    assert "A 0.01 and B 0.5: scores by U change by only 0.01 per standard deviation" in stderr
    stderr = run("compare", "--scores", _signed(write, "Umap", "U(0.15,0.5)", "40", scores)).stderr
    assert "per standard deviation" not in stderr


def test_one_topic_that_decides_a_mean_is_told_of_stored_scores(run, write):
    scores = [0.45, *[0.4] * 23, 5.0]
    stderr = run("eval", "--scores", _signed(write, "Umap", "U(0.1,0.4,uncensored)", "40", scores)).stderr
    assert "Umap of 'a' on topic '24' is 5.00, 99% of the sum of its absolute differences from 0.4" in stderr


@pytest.mark.parametrize("scheme", ["E", "M"])
def test_stored_scores_by_e_and_m_at_the_ends_are_told(run, write, scheme: str):
    scores = [*[1.0] * 6, *(0.31 + topic / 57 for topic in range(18))]
    stderr = run("topics", "--scores", _signed(write, f"{scheme}map", scheme, "40", scores)).stderr
    assert f"25% of the scores by {scheme}map are 0 or 1, where large differences are lost" in stderr


def test_uneven_references_are_told_of_stored_scores(run, write):
    told = "some topics or runs have at most half as many reference runs as others (14, up to 40)"
    scores = [0.31 + topic / 57 for topic in range(24)]
    for references, is_told in (("14-40", True), ("30-40", False), ("40", False)):
        stderr = run("compare", "--scores", _signed(write, "Nmap", "N", references, scores)).stderr
        assert (told in stderr) == is_told


@pytest.mark.parametrize("measures", [["map"], ["map", "rbp_resid_p=0.8"], ["map", "unj_5"]])
def test_topics_that_c_counts_as_0_are_told_beside_any_measure(run, write, measures: list[str]):
    """The worst score by rbp_resid and unj is 1."""
    qrels = write("qrels", [f"{topic} 0 a{rank} {rank % 2}" for topic in range(1, 9) for rank in range(4)])
    lines = [
        [f"{topic} Q0 a{rank} {rank} {9 - rank} {name}" for topic in range(1, n) for rank in range(4)]
        for name, n in (("a", 9), ("b", 6))
    ]
    runs = [write(f"{i}.run", each) for i, each in enumerate(lines)]
    made = ["eval", "-c", "-q", "-n", "-f", "csv", "--signature", *(f"-m{measure}" for measure in measures)]
    stored = write("s.csv", run(*made, qrels, *runs).stdout)
    told = "the scores were computed with -c, and the files do not tell which topics have no documents"
    for command in (["compare"], ["topics"], ["check", "--baseline", "a", "--max-drop", "map=0.3"]):
        assert f"{told}: all scores are 0 for 3 of 8 topics by some run" in run(*command, "--scores", stored).stderr
    standardized = ["standardize", "-c", "-q", "-n", "-f", "csv", "--signature", "-m", "map"]
    stored = write("n.csv", run(*standardized, qrels, *runs).stdout)
    assert f"{told}: these count as 0" in run("compare", "--scores", stored).stderr


def test_stored_scores_by_factors_of_other_judgments_are_told_and_refused_by_the_gate(run, sample, write):
    """As `check -F` refuses such factors."""
    changed = run("pool", "-d", 5, sample / "qrels.gz", *sorted((sample / "references").glob("*.gz"))[:9]).stdout
    made = ["standardize", "-F", sample / "factors.csv", "-m", "map", "-q", "-n", "-f", "csv", "--signature"]
    stored = write("n.csv", run(*made, write("shallow.qrels", changed), sample / "new-a.run.gz").stdout)
    told = "the scores were standardized with factors from other judgments or options than theirs"
    assert "|scheme:N|factors-from:other|" in stored.read_text()
    for command in (["eval"], ["topics"], ["report", "--scheme", "raw", "-o", stored.with_name("r.html")]):
        assert told in run(*command, "--scores", stored).stderr
    done = run("check", "--scores", stored, "--min", "Nmap=0.001")
    assert (done.status, done.stdout, told in done.stderr) == (2, "", True)
    with pytest.warns(InputWarning, match=told):
        table = read_scores(stored)
    with pytest.raises(InputError, match=told):
        check(table, Condition("min", "Nmap", 0.001))
    same = run(*made, sample / "qrels.gz", sample / "new-a.run.gz").stdout
    assert "factors-from" not in same


def test_stored_scores_by_factors_that_name_no_judgments_are_told(run, sample, write, tmp_path):
    """The command that standardized them told; whoever reads the file later has only the file."""
    runs = sorted((sample / "references").glob("*.gz"))[:13]
    unsigned = run("eval", "-q", "-n", "-f", "csv", "-m", "map", sample / "qrels.gz", *runs).stdout
    factors = write("f.csv", run("factors", "--scores", write("s.csv", unsigned)).stdout)
    made = ["-m", "map", "-q", "-n", "-f", "csv", "--signature", sample / "qrels.gz", sample / "new-a.run.gz"]
    stored = write("n.csv", run("standardize", "-F", factors, *made).stdout)
    assert "|scheme:N|factors-from:unknown|" in stored.read_text()
    told = "the scores were standardized with factors, and it was not known whether both have the same"
    for command in (["eval"], ["topics"], ["check", "--min", "Nmap=0.001"]):
        assert told in run(*command, "--scores", stored).stderr
    with pytest.warns(InputWarning, match=told):
        read_scores(stored)
    table = evaluate(read_qrels(sample / "qrels.gz"), read_run(sample / "new-a.run.gz"), ["map"])
    with pytest.warns(InputWarning, match="it is not known whether those of the runs are the same"):
        write_scores(standardize(table, read_factors(factors)), tmp_path / "p.csv")
    assert "|factors-from:unknown|" in (tmp_path / "p.csv").read_text()


def test_scores_of_other_topics_by_the_same_factors_are_not_refused(run, write, sample):
    """Their digests differ, because each is over the topics of its scores."""
    qrels, runs = sample / "qrels.gz", sorted((sample / "references").glob("*.gz"))
    factors = write("f.csv", run("factors", "-m", "map", qrels, *runs[:13]).stdout)
    halves = []
    for name, is_low in (("low", True), ("high", False)):
        typed = [
            "standardize",
            "-F",
            factors,
            "-m",
            "map",
            "-q",
            "-n",
            "-f",
            "csv",
            "--signature",
            "--label",
            "file",
        ]
        stored = run(*typed, qrels, runs[14 + is_low]).stdout
        lines = stored.splitlines()
        kept = [line for line in lines[1:] if (int(line.split(",")[1]) <= 325) is is_low]
        halves.append(write(f"{name}.csv", [lines[0], *kept]))
    done = run("compare", "--unpaired", "--scores", halves[0], "--scores", halves[1])
    assert (done.status, "other factors or parameters" in done.stderr) == (0, False)
