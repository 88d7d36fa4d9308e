"""The recipes that come with the sample data: workflows of continuous integration, and a Makefile."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.conftest import SAMPLE
from tests.docs.transcripts import RECIPES, blocks, literal_blocks, pages, shell

STORE = "stdeval eval -q -f csv --signature"
"""The command that stores a baseline, as the recipes have it."""
GITHUB, GITLAB, MAKEFILE = (
    (SAMPLE / "recipes" / name).read_text(encoding="utf-8") for name in ("github.yml", "gitlab.yml", "Makefile")
)


def test_the_recipes_and_the_manual_show_the_workflows():
    assert blocks("yaml", RECIPES) == [GITHUB.partition("old.run\n")[2]]
    assert f"#   {STORE} -m map" in GITHUB
    (block,) = [block for block in literal_blocks(pages()["stdeval-check.1"]) if "junit:" in block]
    assert block in GITLAB


def run_lines(tag: str, ranks: list[int]) -> str:
    """A run that has the one relevant document of each topic at these ranks."""
    return "".join(
        f"{topic} Q0 {topic}-{'rel' if rank == place else f'd{place}'} {place} {100 - place} {tag}\n"
        for topic, rank in enumerate(ranks, 1)
        for place in range(1, 11)
    )


(GITHUB_JOB,), (GITLAB_JOB,) = yaml.safe_load(GITHUB)["jobs"].values(), yaml.safe_load(GITLAB).values()

# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax (shell: bash -e by default)
SCRIPTS = {
    "GitHub": [f"set -e\n{step['run']}" for step in GITHUB_JOB["steps"] if "run" in step],
    "GitLab": ["\n".join(["set -eo pipefail", *GITLAB_JOB["script"]])],
}
"""What the jobs give to their shells, as these services do: one script per shell."""


@pytest.fixture
def ci(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample: Path) -> Path:
    """An empty checkout in which continuous integration runs, with the judgments and a baseline."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    monkeypatch.chdir(folder)
    # stdeval is on the path already; this pip only says what it would install
    Path("bin").mkdir()
    Path("bin/pip").write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> pip.log\n')
    Path("bin/pip").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    Path("qrels.txt").write_text("".join(f"{topic} 0 {topic}-rel 1\n" for topic in range(1, 6)))
    Path("old.run").write_text(run_lines("bm25", [1, 1, 2, 2, 2]))
    assert shell(f"{STORE} -m map -m ndcg_cut_10 -o baseline.csv qrels.txt old=old.run").returncode == 0
    Path("summary.md").write_text("# Before\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    return folder


def run_script(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, encoding="utf-8", check=False, stdin=subprocess.DEVNULL
    )


@pytest.mark.usefixtures("ci")
@pytest.mark.parametrize("service", ["GitHub", "GitLab"])
@pytest.mark.parametrize(("ranks", "status"), [([1, 1, 2, 2, 2], 0), ([5, 1, 2, 2, 2], 1)])
def test_example_of_continuous_integration(service: str, ranks: list[int], status: int):
    """The job fails if a condition fails; in either case the report is there, and the summary of GitHub."""
    Path("new.run").write_text(run_lines("bm25", ranks))
    script = next(script for script in SCRIPTS[service] if "stdeval check" in script)
    for before in SCRIPTS[service]:
        if before == script:
            break
        assert run_script(before).returncode == 0
    done = run_script(script)
    assert (done.returncode, done.stderr) == (status, "")
    assert Path("pip.log").read_text() == f"install ./stdeval{'[report]' if service == 'GitHub' else ''}\n"
    suite = ElementTree.parse("stdeval.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", str(2 * status))
    assert f"\n{2 * status} of 2 conditions failed\n" in done.stdout
    if service == "GitHub":
        assert done.stdout.endswith("|options:default|scheme:raw|qrels:3453ef66|topics:5`\n\n")
        assert done.stdout.startswith("| result | run | condition | figures | topics |\n| --- |")
        assert Path("summary.md").read_text() == f"# Before\n\n{done.stdout}"


@pytest.mark.usefixtures("ci")
def test_messages_and_the_page_of_github():
    Path("new.run").write_text(run_lines("bm25", [1, 1, 2, 2]))
    check, report = (
        next(each for each in SCRIPTS["GitHub"] if f"stdeval {name}" in each) for name in ("check", "report")
    )
    done = run_script(check)
    assert done.returncode == 2
    assert "\nstdeval: new.run: no documents for 1 of 5 judged topics" in done.stdout
    assert Path("summary.md").read_text() == f"# Before\n\n{done.stdout}"
    assert run_script(report).returncode == 0
    page = Path("report.html").read_text(encoding="utf-8")
    # the two runs have the same tag
    assert (">old<" in page, ">new<" in page) == (True, True)


def test_reports_of_continuous_integration_are_kept_whatever_the_outcome():
    always = [step for step in GITHUB_JOB["steps"] if step.get("if") == "always()"]
    assert [step["run"].count("stdeval report") for step in always if "run" in step] == [1]
    assert [step["with"]["path"].split() for step in always if "with" in step] == [["stdeval.xml", "report.html"]]
    artifacts = GITLAB_JOB["artifacts"]
    assert (artifacts["when"], artifacts["reports"]) == ("always", {"junit": "stdeval.xml"})


def make(*options: str, error: str = "") -> tuple[int, list[str]]:
    """The exit status of make in the current folder, and the commands that it ran; stderr has the error."""
    done = subprocess.run(["make", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert error in done.stderr
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("stdeval ")]


def later(path: str) -> None:
    """Give a file a time later than that of all others, as a change of it does."""
    times = [each.stat().st_mtime for each in Path().rglob("*")]
    os.utime(path, times=(max(times) + 2, max(times) + 2))


@pytest.fixture
def project(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with judgments, new runs, a few of the reference runs, the Makefile, and new-b as the baseline."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    folder = tmp_path / "project"
    (folder / "references").mkdir(parents=True)
    for path in [*sample.glob("references/ref0*.run.gz"), sample / "qrels.gz", *sample.glob("new-*.run.gz")]:
        shutil.copy(path, folder / path.relative_to(sample))
    (folder / "Makefile").write_text(MAKEFILE)
    monkeypatch.chdir(folder)
    stored = f"{STORE} -m map -m P.10 -o baseline.csv qrels.gz new-b.run.gz"
    assert make("baseline", "RUN=new-b.run.gz") == (0, [stored])
    return folder


def names(commands: list[str]) -> list[str]:
    return sorted(command.split()[1] for command in commands)


@pytest.mark.usefixtures("project")
def test_makefile():
    """It makes what is missing and what depends on a change, and nothing else; a failed check is not forgotten."""
    status, commands = make("-j", "2")
    every = ["check", "check", "eval", "factors", "standardize", "standardize"]
    assert (status, names(commands)) == (0, every)
    command = "standardize -F made/factors.csv -m map -m P.10 --raw -f table qrels.gz new-*.run.gz"
    assert Path("leaderboard.txt").read_text() == shell(f"stdeval {command} 2>&-").stdout
    assert make() == (0, [])
    later("new-b.run.gz")
    status, commands = make()
    assert (status, names(commands)) == (0, ["check", "eval", "standardize"])
    assert all("new-a" not in command for command in commands if "--scores" not in command)
    later("references/ref01.run.gz")
    assert len(make()[1]) == 6
    shutil.copy(next(Path("references").glob("ref01*")), "new-c.run.gz")
    for _ in range(2):
        status, commands = make("-k")
        assert status == 2
        assert [command for command in commands if " check " in command and "new-c" in command]
    assert (Path("checked/new-c.xml").exists(), Path("checked/new-c.ok").exists()) == (True, False)


@pytest.mark.usefixtures("project")
def test_makefile_makes_everything_again_after_a_change_of_its_settings():
    makefile = Path("other.mk")
    makefile.write_text(MAKEFILE)
    assert make("-f", "other.mk")[0] == 0
    makefile.write_text(MAKEFILE.replace("Nmap=0.4", "Nmap=0.99"))
    later("other.mk")
    for _ in range(2):
        status, commands = make("-k", "-f", "other.mk")
        assert (status, names(commands).count("check")) == (2, 2)
        assert not list(Path("checked").glob("*.ok"))


@pytest.mark.usefixtures("project")
def test_makefile_names_runs_by_file_and_checks_the_others_if_one_is_empty_and_fails_if_all_are_gone():
    shutil.copy("new-b.run.gz", "new-same-tag.run.gz")
    assert make()[0] == 0
    leaderboard = Path("leaderboard.txt")
    shown = [line.split()[0] for line in leaderboard.read_text().splitlines()[1:]]
    assert shown == ["new-a", "new-b", "new-same-tag"]
    leaderboard.unlink()
    Path("new-empty.run.gz").write_bytes(gzip.compress(b""))
    shutil.rmtree("checked")
    assert make("-k", error="Error 2")[0] == 2
    assert not leaderboard.exists()
    assert sorted(path.stem for path in Path("checked").glob("*.ok")) == shown
    leaderboard.touch()
    for run in Path().glob("new-*.run.gz"):
        run.rename(run.with_suffix(""))
    assert make(error="no runs: expected files such as new-a.run.gz")[0] == 2


@pytest.mark.usefixtures("project")
def test_makefile_checks_against_a_stored_baseline():
    """It is stored on demand only; a new one repeats the checks alone, and one of other judgments stops them."""
    assert make("baseline", error="expected RUN=FILE")[0] == 2
    assert make()[0] == 0
    assert make("baseline", "RUN=new-a.run.gz")[0] == 0
    later("baseline.csv")
    status, commands = make("-k")
    assert (status, names(commands)) == (2, ["check", "check"])
    assert (Path("checked/new-a.ok").exists(), Path("checked/new-b.ok").exists()) == (True, False)
    judgments = gzip.decompress(Path("qrels.gz").read_bytes()).splitlines()
    Path("qrels.gz").write_bytes(gzip.compress(b"\n".join(judgments[1:]) + b"\n"))
    later("qrels.gz")
    assert make("-k", error="other judgments")[0] == 2
    assert not list(Path("checked").glob("*.ok"))
    Path("baseline.csv").unlink()
    assert make(error="no baseline.csv: store it by 'make baseline RUN=FILE'")[0] == 2
