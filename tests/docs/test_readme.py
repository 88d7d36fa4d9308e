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


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.partition("\n")[0])
def test_transcript(transcript: str):
    assert replayed(transcript) == transcript


def test_own_run_by_real_factors(sample: Path, shared: Path):
    """Without documents that were judged earlier, and cut at 1000, a run has the scores of the real one."""
    (command,) = (block for block in blocks("bash", RECIPES) if "--exclude" in block)
    readme = (sample / "trec-covid" / "README.md").read_text(encoding="utf-8")
    assert command.replace("trec-covid/", "") in readme
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
    excluding = "-M 1000 \\\n  --exclude qrels.covid-round4-cumulative.txt "
    wanted = shell(command.replace(excluding, "").replace("my.run", f"{folder}/runs/{name}.run.gz")).stdout
    assert wanted.startswith("NP_5 ")
    warning = re.search(r'One warning remains: "(.*)"', readme)
    assert shell(command).stdout == f"stdeval: warning: trec-covid/round5.csv: {warning[1]}\n{wanted}"
    kept = shell(re.sub(" standardize .* -M", " eval -m num_ret -M", command)).stdout
    assert kept.split() == ["num_ret", "all", str(len(real) + 900)]


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_example(number: int):
    example = doctest.DocTestParser().get_doctest(PYTHON[number], {}, "README.md", "README.md", None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_setting_up_is_two_lines_of_which_ci_runs_the_second():
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 200
    assert INSTALL.count("\n") == TEST.count("\n") == 1
    assert f"\n{TEST}" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [README, RECIPES], ids=["README", "recipes"])
def test_links_lead_somewhere(page: Path):
    # Where an installed package is tested, its folder is not beside the README.
    absent = () if (ROOT / "stdeval").exists() else ("stdeval/",)
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith(("https://", *absent)) or (page.parent / target).exists(), target
