"""What the README shows is what happens: transcripts, the Python example, and the manual's examples too."""

from __future__ import annotations

import csv
import doctest
import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest
import yaml

from stdeval.commands import cli
from tests.conftest import Command, Covid

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(path.stem for path in (ROOT / "man" / "man1").glob("*.1"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


TRANSCRIPTS = blocks("console")
STORE = "stdeval eval -q -f csv --signature"
"""The command that stores a baseline, as a transcript has it."""
INSTALL, TEST = blocks("sh")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with this checkout's stdeval, whatever else is installed."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "stdeval"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stdeval "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: Path) -> Path:
    """A copy of sample_data to work in."""
    folder = shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return folder


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command line as a reader of the documentation would."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def replayed(transcript: str) -> str:
    """The transcript of the same commands, now."""
    commands = [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{shell(command).stdout}" for command in commands)


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.partition("\n")[0])
def test_transcript(transcript: str):
    assert replayed(transcript) == transcript


def run_lines(tag: str, ranks: list[int]) -> str:
    """A run that has the one relevant document of each topic at these ranks."""
    return "".join(
        f"{topic} Q0 {'rel' if rank == place else f'd{place}'} {place} {100 - place} {tag}\n"
        for topic, rank in enumerate(ranks, 1)
        for place in range(1, 6)
    )


def github_steps() -> list[dict[str, Any]]:
    """The steps of the job of the GitHub workflow."""
    ((_, job),) = yaml.safe_load(blocks("yaml")[0])["jobs"].items()
    steps: list[dict[str, Any]] = job["steps"]
    return steps


def gitlab_job() -> dict[str, Any]:
    ((_, job),) = yaml.safe_load(blocks("yaml")[1]).items()
    found: dict[str, Any] = job
    return found


def ci_scripts() -> dict[str, list[str]]:
    """What a GitHub workflow and a GitLab job give to their shells, as these services do: one script per shell."""
    # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax (shell: bash -e by default)
    github = [f"set -e\n{step['run']}" for step in github_steps() if "run" in step]
    return {"GitHub": github, "GitLab": ["\n".join(["set -eo pipefail", *gitlab_job()["script"]])]}


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("service", ["GitHub", "GitLab"])
@pytest.mark.parametrize(("ranks", "status"), [([1, 1, 2, 2, 2], 0), ([5, 1, 2, 2, 2], 1)])
def test_example_of_continuous_integration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, service: str, ranks: list[int], status: int
):
    """The job fails if a condition fails; in either case the report is there, and the summary of GitHub."""
    monkeypatch.chdir(tmp_path)
    # stdeval is on the path already; this pip only says what it would install
    Path("bin").mkdir()
    Path("bin/pip").write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> pip.log\n')
    Path("bin/pip").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    Path("qrels.txt").write_text("".join(f"{topic} 0 rel 1\n" for topic in range(1, 6)))
    Path("old.run").write_text(run_lines("bm25", [1, 1, 2, 2, 2]))
    Path("new.run").write_text(run_lines("bm25", ranks))
    assert shell(f"{STORE} -m map -m ndcg_cut_10 -o baseline.csv qrels.txt old.run").returncode == 0
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    for script in ci_scripts()[service]:
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, encoding="utf-8", check=False, stdin=subprocess.DEVNULL
        )
    assert (done.returncode, done.stderr) == (status, "")
    assert Path("pip.log").read_text() == "install ./stdeval\n"
    suite = ElementTree.parse("stdeval.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", str(2 * status))
    printed = summary.read_text() if service == "GitHub" else done.stdout
    assert f"\n{2 * status} of 2 conditions failed\n" in printed
    if service == "GitHub":
        assert printed.endswith("|options:default|scheme:raw|qrels:da103d3f|topics:5`\n")
        assert printed.startswith("# Before\n\n| result | run | condition | figures | topics |\n| --- |")


def test_reports_of_continuous_integration_are_kept_whatever_the_outcome():
    assert [(step["if"], step["with"]["path"]) for step in github_steps() if "if" in step] == [
        ("always()", "stdeval.xml")
    ]
    artifacts = gitlab_job()["artifacts"]
    assert (artifacts["when"], artifacts["reports"]) == ("always", {"junit": "stdeval.xml"})


def test_own_run_by_real_factors(sample: Path, shared: Path):
    """Without documents that were judged earlier, and cut at 1000, a run has the scores of the real one."""
    (commands,) = (block for block in blocks("bash") if "residual.run" in block)
    assert commands.replace("trec-covid/", "") in (sample / "trec-covid" / "README.md").read_text(encoding="utf-8")
    folder = shared / "trec-covid-r5"
    earlier = shutil.copy(shared / "trec-covid-r4" / "qrels.txt", "qrels.covid-round4-cumulative.txt")
    shutil.copy(folder / "qrels.txt", "qrels.covid-round5.txt")
    name = "covidex.r5.2s.lr"
    with gzip.open(folder / "runs" / f"{name}.run.gz", "rt", encoding="utf-8") as file:
        real = file.readlines()
    judged = [line.split() for line in Path(earlier).read_text(encoding="utf-8").splitlines()]
    known = [f"{topic} Q0 {docno} 0 1000000 {name}\n" for topic, _, docno, _ in judged]
    tail = [f"1 Q0 unjudged-{number} 0 -{number + 1000000} {name}\n" for number in range(1100)]
    Path("my.run").write_text("".join(known + real + tail), encoding="utf-8")
    wanted = shell(commands.splitlines()[1].replace("residual.run", f"{folder}/runs/{name}.run.gz")).stdout
    assert shell(commands).stdout == wanted
    assert wanted.startswith("Nmap ")
    kept = [line.split()[0] for line in Path("residual.run").read_text(encoding="utf-8").splitlines()]
    assert kept.count("1") == 1000
    assert len(kept) == len(real) + 900


def taus_of(references: str) -> list[float]:
    """The numbers by nDCG@10, on both collections, in the row of the table on references that begins so."""
    (row,) = (line for line in README.splitlines() if line.startswith(f"| {references}"))
    cells = [cell.strip() for cell in row.split("|")[2:-1]]
    return [float(number) for cell in cells[::2] for number in re.findall(r"\d\.\d+", cell)]


def tau_by(run: Command, scores: Path, names: Collection[str], part: Path) -> float:
    """Kendall's tau of the rankings by all runs of the scores, and by those of these names."""
    lines = scores.read_text(encoding="utf-8").splitlines(keepends=True)
    part.write_text("".join(line for line in lines if line.partition(",")[0] in {"run", *names}), encoding="utf-8")
    options = ("-m", "nDCG@10", "-f", "csv", "--scores", scores, "--other", part)
    (row,) = run("meta", "references", *options).rows
    assert row["other_references"] == str(len(names))
    return round(float(row["tau_b"]), 3)


def test_table_on_references_of_one_team_and_of_the_best(run: Command, covid: Covid, tmp_path: Path):
    with (covid.qrels.parent / "official.tsv").open(newline="", encoding="utf-8") as file:
        team_of = {row["run"]: row["team"] for row in csv.DictReader(file, delimiter="\t")}
    teams = [[run for run in team_of if team_of[run] == team] for team in set(team_of.values())]
    taus = [tau_by(run, covid.scores, team, tmp_path / "team.csv") for team in teams if len(team) == 8]
    assert taus_of("8 of one team") == [min(taus), max(taus)]
    assert sum(tau < taus_of("5 at random")[0] for tau in taus) == 5
    assert len(taus) == 6
    best = run("eval", "-f", "csv", "--best", 10, "-m", "nDCG@10", "--scores", covid.scores).rows
    tau = tau_by(run, covid.scores, {row["run"] for row in best}, tmp_path / "best.csv")
    assert taus_of("the 10 best")[0] == tau


# five of the 48 runs of Cranfield are changed copies of others, or nearly empty: see the README of the collection
COPIES = {"bm25-depth10", "bm25-missing-topics", "tfidf-rounded2", "tfidf-shuffled-lines", "boolean-and"}
LIST_BUT_TWO = [
    "bm25-lucene-k1.2-b75",
    "ql-dirichlet-mu1000",
    "ql-jm-lambda0.7",
    "dfr-pl2-c1",
    "rm3-dirichlet",
    "dense-minilm",
    "bm25-rerank50-minilm",
    "rrf-bm25-minilm",
]
WEAK = ["bm25-title-only", "bm25-short-query"]
PARAMETERS = ["bm25-lucene-k0.9-b40", "bm25-robertson-k2.0-b90"]
SETTINGS = [
    *PARAMETERS,
    "bm25-lucene-k1.2-b75",
    "bm25-atire-k1.2-b75-porter",
    "bm25plus-k1.5-b75",
    "bm25l-k1.5-b75",
]


def test_table_on_references_that_one_can_make(run: Command, shared: Path, tmp_path: Path):
    folder, scores, part = shared / "cranfield", tmp_path / "cranfield.csv", tmp_path / "part.csv"
    runs = [path for path in sorted((folder / "runs").iterdir()) if path.name.removesuffix(".run.gz") not in COPIES]
    made = run("eval", "-q", "-n", "-f", "csv", "-m", "nDCG@10", "-o", scores, folder / "qrels.txt", *runs)
    assert (made.status, len(runs)) == (0, 43)
    assert taus_of("the ten of the list") == [tau_by(run, scores, LIST_BUT_TWO + WEAK, part)]
    assert taus_of("the list, with other") == [tau_by(run, scores, LIST_BUT_TWO + PARAMETERS, part)]
    assert taus_of("7 parameter settings") == [tau_by(run, scores, [*SETTINGS, "bm25-lucene-b0"], part)]


def test_table_on_references_at_random(run: Command, covid: Covid):
    sizes = [word for size in (2, 10, 40) for word in ("--references", size)]
    options = ("-m", "nDCG@10", *sizes, "--trials", 200, "-f", "csv", "--scores", covid.scores)
    for row in run("meta", "references", *options).rows:
        # the README has 1000 samples
        drawn = [float(row["median"]), float(row["p5"])]
        assert taus_of(f"{row['size']} at random")[:2] == pytest.approx(drawn, abs=0.01), row["size"]
        assert taus_of("none: ranking by raw")[0] == round(float(row["tau_raw"]), 3)


def make(*options: str) -> tuple[int, list[str]]:
    """The exit status of make in the current folder, and the commands that it ran."""
    done = subprocess.run(["make", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("stdeval ")]


def later(path: str) -> None:
    """Give a file a time later than that of all others, as a change of it does."""
    times = [each.stat().st_mtime for each in Path().rglob("*")]
    os.utime(path, times=(max(times) + 2, max(times) + 2))


def sample_of_references(sample: Path, tmp_path: Path) -> Path:
    """A folder with the judgments, the new runs and a few of the reference runs of the sample, and the Makefile."""
    folder = tmp_path / "project"
    (folder / "references").mkdir(parents=True)
    for path in [*sample.glob("references/ref0*.run.gz"), sample / "qrels.gz", *sample.glob("new-*.run.gz")]:
        shutil.copy(path, folder / path.relative_to(sample))
    (makefile,) = blocks("make")
    (folder / "Makefile").write_text(makefile)
    return folder


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_makefile(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It makes what is missing and what depends on a change, and nothing else; a failed check is not forgotten."""
    monkeypatch.chdir(sample_of_references(sample, tmp_path))
    status, commands = make("-j", "2")
    assert (status, sorted(command.split()[1] for command in commands)) == (
        0,
        ["check", "check", "eval", "factors", "standardize", "standardize"],
    )
    command = "standardize -F made/factors.csv -m map -m P.10 --raw -f table qrels.gz new-*.run.gz"
    scored = shell(f"stdeval {command} 2>&-")
    assert Path("leaderboard.txt").read_text() == scored.stdout
    assert make() == (0, [])
    later("new-b.run.gz")
    status, commands = make()
    assert (status, sorted(command.split()[1] for command in commands)) == (0, ["check", "eval", "standardize"])
    assert all("new-a" not in command for command in commands if "--scores" not in command)
    later("references/ref01.run.gz")
    assert len(make()[1]) == 6
    bad = Path("new-c.run.gz")
    shutil.copy(next(Path("references").glob("ref01*")), bad)
    for _ in range(2):
        status, commands = make("-k")
        assert status == 2
        assert [command for command in commands if " check " in command and "new-c" in command]
    assert (Path("checked/new-c.xml").exists(), Path("checked/new-c.ok").exists()) == (True, False)


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_example(number: int):
    example = doctest.DocTestParser().get_doctest(blocks("python")[number], {}, "README.md", "README.md", None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("page", PAGES)
def test_examples_of_the_manual_run(page: str):
    text = (ROOT / "man" / "man1" / f"{page}.1").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (.+)$", text, flags=re.MULTILINE)
    for command in commands:
        result = shell(command.replace(r"\-", "-").replace(r"\e", "\\"))
        assert result.returncode == 0, f"{command}\n{result.stdout}"


def names(group: click.Group, before: str) -> list[str]:
    """The commands of a group and of the groups in it, as they are called."""
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = names(command, f"{before} {name}") if isinstance(command, click.Group) else []
        found += [f"{before} {name}", *inner]
    return found


@pytest.mark.parametrize("name", names(cli, "stdeval"))
def test_every_command_is_shown(name: str):
    assert any(f"{name} " in transcript for transcript in TRANSCRIPTS), f"no transcript shows {name}"
    if name.count(" ") == 1:
        assert f"\n### {name}\n" in README


def test_no_section_of_a_command_that_is_no_more():
    assert set(re.findall(r"^### (stdeval .+)$", README, flags=re.MULTILINE)) <= set(names(cli, "stdeval"))


def test_setting_up_is_two_lines_and_shows_what_the_transcripts_show():
    assert INSTALL.count("\n") == TEST.count("\n") == 1
    shown = INSTALL.rstrip("\n").rpartition(" && .venv/bin/")[2].replace("sample_data/", "")
    assert any(f"$ {shown}\n" in transcript for transcript in TRANSCRIPTS)


def test_ci_runs_the_test_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    quoted = re.search(r"sed -n '(.*)' README.md", script)
    assert quoted
    found = subprocess.run(["sed", "-n", quoted[1], ROOT / "README.md"], capture_output=True, text=True, check=True)
    assert found.stdout == TEST


@pytest.mark.usefixtures("sample")
def test_completion_of_the_shell():
    command = 'COMP_WORDS="stdeval st" COMP_CWORD=1 _STDEVAL_COMPLETE=bash_complete stdeval'
    assert shell(command).stdout == "plain,standardize\n"
    lines = dict(re.findall(r"^\| (bash|zsh|fish) \| `(.*?)` \|", README, flags=re.MULTILINE))
    registers = {"bash": "complete -o nosort -F", "zsh": "compdef", "fish": "complete --no-files"}
    assert lines.keys() == registers.keys()
    for name, line in lines.items():
        printed = re.sub(r"^eval|\\\| source$", {"fish": "| cat"}.get(name, "echo"), line)
        assert registers[name] in shell(printed).stdout


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
