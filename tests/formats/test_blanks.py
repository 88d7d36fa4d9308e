"""Every reader splits at the blanks of ASCII, as C does: other blanks are parts of names."""

from __future__ import annotations

import pytest

from stdeval.files import Input
from stdeval.formats.readers import read_scores_or_factors
from stdeval.table import ScoreTable
from stdeval.trec.reading import read_qrels, read_run

OTHER_BLANKS = ["\xa0", "\u2028", "\u3000", "\x85", "\x1c", "\x1f"]
FORMS = {
    "scores": "run,topic,map\n{0},{1},.5\n",
    "output": "runid\tall\t{0}\nmap\t{1}\t.5\n",
    "blanks": "runid all {0}\nmap {1} .5\n",
    "factors": "topic,map.mean,map.sd\n{1},.5,.25\n",
    "zscores": "{1} map .5 .25\n",
}


@pytest.mark.parametrize("blank", OTHER_BLANKS)
@pytest.mark.parametrize("form", FORMS)
def test_other_blanks_are_parts_of_names(write, form: str, blank: str):
    run, topic = f"b{blank}m", f"{blank}1{blank}2{blank}"
    table = read_scores_or_factors(Input(write("f", FORMS[form].format(run, topic))))
    assert table.topics == (topic,)
    assert not isinstance(table, ScoreTable) or table.systems == (run,)


@pytest.mark.parametrize("blank", OTHER_BLANKS)
def test_judgments_and_runs_agree_with_them(write, blank: str):
    topic = f"{blank}1{blank}2{blank}"
    assert list(read_qrels(write("q", f"{topic} 0 d 1\n"))) == [topic]
    assert list(read_run(write("r", f"{topic} Q0 d 1 1 t\n")).documents) == [topic]
