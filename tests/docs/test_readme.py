"""What the README and the recipes show is what happens."""

from __future__ import annotations

import doctest
import gzip
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.transcripts import README, RECIPES, blocks, replayed, shell

TRANSCRIPTS = blocks("console", README, RECIPES)
PYTHON = blocks("python", README, RECIPES)
INSTALL, TEST = blocks("sh", README)


def test_it_is_short_and_without_warnings():
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 200
    assert "stdeval: warning" not in text


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.partition("\n")[0])
def test_transcript(transcript: str):
    assert replayed(transcript) == transcript


def test_own_run_by_real_factors(sample: Path, shared: Path):
    """Without documents that were judged earlier, and cut at 1000, a run has the scores of the real one."""
    (commands,) = (block for block in blocks("bash", RECIPES) if "residual.run" in block)
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
    assert wanted.startswith("NP_5 ")
    kept = [line.split()[0] for line in Path("residual.run").read_text(encoding="utf-8").splitlines()]
    assert kept.count("1") == 1000
    assert len(kept) == len(real) + 900


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_example(number: int):
    example = doctest.DocTestParser().get_doctest(PYTHON[number], {}, "README.md", "README.md", None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_setting_up_is_two_lines_and_shows_what_the_transcripts_show():
    assert INSTALL.count("\n") == TEST.count("\n") == 1
    shown = INSTALL.rstrip("\n").rpartition(" && .venv/bin/")[2].replace("sample_data/", "")
    assert any(f"$ {shown}\n" in transcript for transcript in TRANSCRIPTS)


def test_ci_runs_the_test_command_of_the_readme():
    assert f"\n{TEST}" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [README, RECIPES], ids=["README", "recipes"])
def test_links_lead_somewhere(page: Path):
    # Where an installed package is tested, its folder is not beside the README.
    absent = () if (ROOT / "stdeval").exists() else ("stdeval/",)
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith(("https://", *absent)) or (page.parent / target).exists(), target
