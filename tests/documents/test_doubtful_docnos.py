"""Docnos that are not judged, but would be if they were written as the judgments write them."""

from __future__ import annotations

import gzip
import html
import json
import unicodedata
from urllib.parse import quote

import numpy as np
import pytest

from stdeval import InputWarning, evaluate, read_qrels, read_run
from stdeval.documents.docno_forms import plain_form
from stdeval.documents.doubtful_docnos import JudgedDocnos, about_twins, doubts_of_same_documents
from stdeval.trec.doubtful_runs import sampled
from stdeval.trec.lines import excerpt_of_docno

DOCNOS = [f"{n:05d}" for n in (17, 18, 219, 4000, 50000)]
CHANGES = {
    "leading zeros": (lambda docno: docno.lstrip("0"), "'17' is judged as '00017'"),
    "a decimal": (lambda docno: f"{docno}.0", "'00017.0' is judged as '00017'"),
}


def told(docnos: list[str], judged: list[str]) -> str | None:
    found = JudgedDocnos({"301": dict.fromkeys(judged, 1)}).doubts({"301": docnos})
    return found[0].example if found else None


@pytest.mark.parametrize("change", CHANGES)
def test_numbers_that_programs_change(change: str):
    changed, example = CHANGES[change]
    assert told([changed(docno) for docno in DOCNOS], DOCNOS) == f"topic '301': {example}"
    assert told(DOCNOS, DOCNOS) is None


@pytest.mark.parametrize("separator", [",", ".", "'", "_"])
def test_separators_of_thousands(separator: str):
    judged = ["1234", "999", "12345", "1234567"]
    docnos = [f"{int(docno):,}".replace(",", separator) for docno in judged]
    assert told(docnos, judged) == f"topic '301': '1{separator}234' is judged as '1234'"
    assert told(["12,34", "1,2345", "12,345,67"], judged) is None


@pytest.mark.parametrize("form", ["'{}", '"{}"', "{}\xc2\xa0", "{}.xml", "{}.TXT", "doc{}", "d-{}", "{}.0"])
def test_what_programs_write_around_docnos(form: str):
    other = [form.format(docno) for docno in DOCNOS]
    assert told(other, DOCNOS) == f"topic '301': '{excerpt_of_docno(other[0])}' is judged as '00017'"
    assert told([f"X{n}Y" for n in range(99)], DOCNOS) is None


def test_documents_of_all_topics_count():
    qrels = {topic: dict.fromkeys(DOCNOS, 1) for topic in ("1", "2", "3")}
    judged = JudgedDocnos(qrels)
    assert judged.doubts({topic: ["17", "00018"] for topic in ("1", "2")}) == ()
    (doubt,) = judged.doubts({topic: ["00018", "17"] for topic in qrels})
    assert doubt.example == "topic '1': '17' is judged as '00017'"


@pytest.mark.parametrize("passage", ["#0", ".s1", "_p12", "%%3", "-004", " 7"])
def test_passages_of_judged_documents(passage: str):
    judged = [f"FT911-{n}" for n in range(5)]
    assert (
        told([f"{docno}{passage}" for docno in judged], judged)
        == f"topic '301': 'FT911-0{passage}' is judged as 'FT911-0'"
    )
    assert told([f"FT912-{n}{passage}" for n in range(5)], judged) is None
    assert told([f"FT911-{n}" for n in range(5, 50)], judged) is None


@pytest.mark.parametrize("judged", [["17", "18", "190", "1400"], ["FT911-1", "LA010189-0018", "FBIS3-10082"]])
@pytest.mark.parametrize(
    "form", ["{}_title", "{}:en", "docs/{}", "cord-{}", "data/v2/{}.txt", "{}#a", "{}abs", "{}e0", "2020-{}"]
)
def test_words_and_numbers_around_docnos(form: str, judged: list[str]):
    assert told([form.format(docno) for docno in judged], judged) is not None


def test_words_on_both_sides_of_numbers():
    assert told(["doc_17_v2", "doc_18_v2", "doc_190_v2"], ["17", "18", "190"]) is not None


def test_documents_in_different_forms_are_a_coincidence():
    judged = [f"D{n}" for n in range(9)]
    assert told(["D1_a", "D2_b", "c-D3", "d-D4"], judged) is None
    assert told(["D1_a", "D2_b", "c-D3", "D5_a", "D6_a"], judged) is not None


def test_titles_that_begin_with_others_are_those_of_other_documents():
    years = [f"{year}_Tour_de_France" for year in range(1990, 1996)]
    stages = [f"{year}_stages" for year in years]
    assert told(stages, [*years, "1989_Tour_de_France_stages"]) is None
    assert told(stages, years) is not None


def test_case_and_the_normal_form_of_unicode():
    words = [f"Caf\u00e9-{n}" for n in range(4)]
    as_read = [word.encode().decode("latin-1") for word in words]
    apart = [unicodedata.normalize("NFD", word).encode().decode("latin-1") for word in words]
    assert told(apart, as_read) is not None
    assert told([docno.upper() for docno in ("ft-a", "ft-b", "ft-c")], ["ft-a", "ft-b", "ft-c"]) is not None
    assert plain_form("\xff\xe9") == "\xff\xe9"


def test_a_few_documents_are_a_coincidence_and_unjudged_ones_are_usual():
    assert told(["17", "18", *DOCNOS[2:]], DOCNOS) is None
    assert told([f"X{n}" for n in range(99)], DOCNOS) is None


def test_each_topic_without_a_judged_document_is_looked_at(tmp_path, run):
    """Docnos of two of forty topics have other zeros; both are outside the sample of ten topics."""
    sample = sampled(dict.fromkeys(map(str, range(1, 41))))
    changed = [topic for topic in map(str, range(1, 41)) if topic not in sample][:2]
    qrels = [f"{topic} 0 {topic}{d} 1\n" for topic in range(1, 41) for d in range(5)]
    lines = [
        f"{topic} Q0 {'00' if str(topic) in changed else ''}{topic}{d} {d} {9 - d} new\n"
        for topic in range(1, 41)
        for d in range(5)
    ]
    (tmp_path / "qrels").write_text("".join(qrels))
    (tmp_path / "new.run").write_text("".join(lines))
    told = f"'new' has docnos in another form than the qrels (topic '{changed[0]}': '00{changed[0]}0' is judged as"
    for jobs in (1, 2, 3):
        assert told in run("eval", "-m", "map", "-j", jobs, tmp_path / "qrels", tmp_path / "new.run").stderr


@pytest.mark.parametrize(
    ("form", "change"),
    [
        ("FBIS3-{:05d}", lambda docno: docno.replace("-", "_")),
        ("hep-th/99{:05d}", lambda docno: docno.replace("/", "%2F")),
        ("hep-th/99{:05d}", lambda docno: docno.replace("/", "_")),
        ("LA-{:05d}", lambda docno: f"LA-{int(docno[3:])}"),
        ("1705.{:04d}0", lambda docno: str(float(docno))),
        ("http://www.a.org/{}", lambda docno: docno.replace("http://www.", "https://")),
        ("<dbpedia:Caf\xc3\xa9_{}>", lambda docno: docno.replace("\xc3\xa9", "%C3%A9")),
        ("<dbpedia:Caf\xc3\xa9_{}>", lambda docno: docno.replace("\xc3\xa9", "\xe9")),
        ("<dbpedia:Caf\xc3\xa9_{}>", lambda docno: docno.replace("\xc3\xa9", "\xc3\x83\xc2\xa9")),
        ("<dbpedia:Caf\xc3\xa9_{}>", lambda docno: docno.replace("\xc3\xa9", "?")),
        ("<dbpedia:Caf\xc3\xa9_{}>", lambda docno: docno.replace("\xc3\xa9", "&eacute;")),
    ],
)
def test_some_docnos_whose_separators_or_zeros_programs_change(form: str, change):
    """Most docnos are judged as they are, and so no topic is without a judged document."""
    judged = [form.format(n) for n in range(1, 40)]
    assert change(judged[0]) != judged[0]
    docnos = [change(docno) if n % 4 == 0 else docno for n, docno in enumerate(judged)]
    changed, usual = excerpt_of_docno(docnos[0]), excerpt_of_docno(judged[0])
    assert told(docnos, judged) == f"topic '301': '{changed}' is judged as '{usual}'"
    assert told(judged, judged) is None


def test_words_of_other_scripts_are_other_documents():
    judged = [f"\u6771\u4eac_{n}".encode().decode("latin-1") for n in range(9)]
    assert told([docno.replace("\xe6\x9d\xb1", "\xe5\x8c\x97") for docno in judged], judged) is None


def test_judged_docnos_that_differ_only_in_separators_are_other_documents():
    judged = [f"1{separator}{n}" for n in range(4) for separator in "-_"]
    assert told([docno.replace("-", "/") for docno in judged], judged) is None


OWN_NAMES = (
    "stdeval: warning: 'new' has documents with the names of their topics among the first ones (topic "
    "'q1'); if these are the queries themselves, leave them out of runs and qrels\n"
)


LENGTHS = ["FT911-32", "FBIS3-10082", "FR940104-0-00001", "LA010189-0001", "FR940202-1-00017", "LA123190-0134"]


@pytest.mark.parametrize(("length", "is_told"), [(10, True), (12, True), (13, False), (20, False)])
def test_docnos_of_several_lengths_that_were_cut_at_a_fixed_one(length: int, is_told: bool):
    """One document less than three was cut at 13 characters, as by chance."""
    example = told([docno[:length] for docno in LENGTHS], LENGTHS)
    assert (example is not None) == is_told
    whole = LENGTHS[1 if length == 10 else 2]
    assert not is_told or example == f"topic '301': '{whole[:length]}' is judged as '{whole}'"


@pytest.fixture
def numbered() -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Judgments of every fifth document, of which a run has two thirds."""
    qrels = {str(t): {f"D{n:04d}": n % 2 + 1 for n in range(t, 1400, 35)} for t in range(1, 13)}
    return qrels, {topic: [d for i, d in enumerate(judged) if i % 3] for topic, judged in qrels.items()}


@pytest.mark.parametrize(("step", "how"), [(1, "added to"), (-1, "taken from")])
def test_docnos_that_are_off_by_one_are_told(numbered, step: int, how: str):
    qrels, first = numbered
    shifted = {topic: [f"D{int(docno[1:]) - step:04d}" for docno in docnos] for topic, docnos in first.items()}
    found = JudgedDocnos(qrels).doubts(shifted)
    judged = f"0 of the first 20 documents are judged, and 200 if 1 is {how} their docnos"
    assert [(doubt.kind, doubt.example) for doubt in found] == [("off by one", f"10 topics: {judged}")]
    assert JudgedDocnos(qrels).doubts(first) == ()


def test_topics_without_judged_documents_do_not_make_docnos_off_by_one(numbered):
    """A reader gives the docnos of the sampled topics, and of all topics without a judged document."""
    qrels, first = numbered
    sample = sampled(first)
    missed = {topic: [f"D{int(d[1:]) - 1:04d}" for d in docnos] for topic, docnos in first.items()}
    assert JudgedDocnos(qrels).doubts({**missed, **sample}) == ()


@pytest.mark.parametrize("command", ["eval -m map", "validate --strict --qrels", "pool -d 10", "topics -m map"])
@pytest.mark.parametrize("collection", ["cranfield", "cisi"])
def test_a_real_run_that_counts_documents_from_0_is_told(tmp_path, run, shared, collection: str, command: str):
    folder = shared / collection
    rows = gzip.decompress((folder / "runs" / "lsi-100.run.gz").read_bytes()).decode().splitlines()
    path = tmp_path / "a.run"
    fields = [row.split() for row in rows]
    path.write_text("".join(f"{t} {q} {int(d) - 1} {rank} {s} {tag}\n" for t, q, d, rank, s, tag in fields))
    done = run(*command.split(), folder / "qrels.txt", path)
    assert "if 1 is added to their docnos" in done.stdout + done.stderr


@pytest.mark.parametrize(("name", "step"), [("dense-minilm", -1), ("rrf-four", 1), ("bm25-lucene-k1.2-b75", 1)])
def test_a_good_run_of_numbers_that_are_off_by_one_is_told(shared, name: str, step: int):
    qrels = read_qrels(shared / "cranfield/qrels.txt")
    whole = read_run(shared / f"cranfield/runs/{name}.run.gz").documents
    moved = {topic: {str(int(docno) + step): x for docno, x in scores.items()} for topic, scores in whole.items()}
    with pytest.warns(InputWarning, match="docnos that are probably off by one"):
        evaluate(qrels, {"new": moved}, "map")


@pytest.mark.parametrize("command", ["eval", "pool"])
def test_queries_that_are_retrieved_as_documents_are_told(tmp_path, run, command: str):
    """As in ArguAna and Quora, whose queries are documents of the collection."""
    topics = [f"q{n}" for n in range(1, 5)]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d{topic} {n}\n" for n, topic in enumerate(topics)))
    (tmp_path / "new.run").write_text("".join(f"{t} Q0 {t} 1 9 new\n{t} Q0 d{t} 2 8 new\n" for t in topics))
    (tmp_path / "without.run").write_text("".join(f"{topic} Q0 d{topic} 2 8 new\n" for topic in topics))
    (tmp_path / "all").write_text("".join(f"{t} 0 d{t} 1\n{t} 0 {t} 1\n" for t in topics))
    (tmp_path / "known").write_text("".join(f"{t} 0 d{t} 0\n{t} 0 {t} 1\n" for t in topics))
    depth = ("--pool-depth", 2) if command == "pool" else ("-m", "map")

    def errors(qrels: str, name: str) -> str:
        return run(command, *depth, tmp_path / qrels, tmp_path / name).stderr

    assert OWN_NAMES in errors("qrels", "new.run")
    assert OWN_NAMES in errors("all", "new.run")
    # topics that are called like the items to find
    assert "names of their topics" not in errors("qrels", "without.run") + errors("known", "new.run")


def test_topics_that_are_numbers_as_docnos_are_retrieve_one_of_their_own_name_by_chance():
    first = {str(topic): [str(docno) for docno in range(10 * topic, 10 * topic + 10)] for topic in range(1, 8)}
    first |= {"8": ["8", "9"], "9": ["9"], "10": ["10"]}
    assert JudgedDocnos({topic: {"9999": 1} for topic in first}).doubts(first) == ()


@pytest.mark.parametrize(
    ("grades", "is_unique", "n_elsewhere", "is_told"),
    [((0, 1), True, 10, True), ((0, 1), True, 9, False), ((0, 1), False, 10, False), ((1, 2), True, 10, False)],
    ids=["removed", "few", "judged for two topics", "known items"],
)
def test_judgments_that_were_removed_because_their_docno_occurs_twice(grades, is_unique, n_elsewhere, is_told):
    qrels = {str(t): {f"d{t}{i}": grades[i % 2] for i in range(5)} for t in range(1, 7)}
    qrels["6"] |= {} if is_unique else {"d10": 1}
    others = [(topic, f"d{6 - int(topic)}{i}") for topic in ("1", "2") for i in range(5)][:n_elsewhere]
    first = {topic: [f"d{topic}0", *(docno for of, docno in others if of == topic)] for topic in qrels}
    told = JudgedDocnos(qrels).doubts(first)
    assert [doubt.kind for doubt in told] == ["judged once"] * is_told
    assert all(doubt.example == "topic '1': 'd50' is judged for '5'" for doubt in told)


@pytest.mark.parametrize(("n_with_other", "is_told"), [(3, True), (2, False), (0, False)])
def test_judgments_may_have_been_removed_if_half_of_the_topics_have_some_that_are_not_relevant(
    n_with_other, is_told
):
    """The removed ones may have been the only ones of a topic that were not relevant."""
    qrels = {str(t): {f"d{t}{i}": int(i > 0 or t > n_with_other) for i in range(5)} for t in range(1, 7)}
    first = {topic: [f"d{6 - int(topic)}{i}" for i in range(5)] for topic in ("1", "2")}
    first |= {topic: [f"d{topic}1"] for topic in qrels if topic not in first}
    assert [doubt.kind for doubt in JudgedDocnos(qrels).doubts(first)] == ["judged once"] * is_told


def test_the_same_first_documents_of_several_topics(tmp_path, run):
    """A cache that returns the results of another query."""
    rows = {topic: [f"d{topic}{i}" for i in range(12)] for topic in range(1, 21)}
    rows |= {7: rows[4], 9: [*rows[4][:10], "x", "y"], 12: rows[11][::-1], 15: rows[14][:9], 16: rows[14][:9]}
    lines = [f"{topic} Q0 {docno} {i} {9 - i} new\n" for topic in rows for i, docno in enumerate(rows[topic])]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 {docnos[0]} 1\n" for topic, docnos in rows.items()))
    (tmp_path / "new.run").write_text("".join(lines))
    for jobs in (1, 2):
        done = run("eval", "-m", "map", "-j", jobs, tmp_path / "qrels", tmp_path / "new.run")
        assert done.stderr == (
            "stdeval: warning: 'new' has the same first documents for several topics (5 of 20 topics, such as '4' "
            "and '7'); expected documents that were retrieved for each of them\n"
        )


def test_topics_with_the_same_query_are_usual():
    assert doubts_of_same_documents({"1": 77, "2": 77, **{str(topic): topic for topic in range(3, 22)}}, "") == ()
    assert doubts_of_same_documents({"1": 77, "2": 77, **{str(topic): topic for topic in range(3, 21)}}, "") != ()


@pytest.mark.parametrize(
    ("n", "n_same", "is_told"), [(20, 11, True), (20, 10, False), (10, 6, True), (9, 9, False)]
)
def test_one_document_above_all_others_on_most_topics_is_told(n: int, n_same: int, is_told: bool):
    """As empty documents, whose similarity is no number and is sorted above all others."""
    first = {str(topic): topic for topic in range(1, n + 1)}
    leading = ["empty"] * n_same + [f"d{topic}" for topic in range(n - n_same)]
    (told,) = doubts_of_same_documents(first, leading) or (None,)
    assert (told is not None) == is_told
    assert not told or told.example == f"'empty' is the first of {n_same} of {n} topics"
    assert doubts_of_same_documents(first, [""] * n_same + leading[n_same:]) == ()


MESSAGE = (
    "'new' has docnos in another form than the qrels (topic '301': '17' is judged as '00017'); such documents "
    "count as not judged: write docnos as the qrels do"
)


def test_python_programs_are_told(tmp_path):
    path = tmp_path / "new.run"
    path.write_text("".join(f"301 Q0 {docno.lstrip('0')} {i} {9 - i} new\n" for i, docno in enumerate(DOCNOS)))
    qrels = {"301": dict.fromkeys(DOCNOS, 1)}
    for run in (read_run(path), {"new": {"301": {docno.lstrip("0"): 9.0 - i for i, docno in enumerate(DOCNOS)}}}):
        with pytest.warns(InputWarning) as warned:
            evaluate(qrels, run, "map")
        assert [str(warning.message) for warning in warned] == [MESSAGE]


def numbers(first: int, step: int, n: int = 40) -> list[str]:
    return [str(first + step * place) for place in range(n)]


@pytest.mark.parametrize(
    ("judged", "change"),
    [
        ([f"shop/item?id={n}&lang=en" for n in range(9)], lambda docno: docno.replace("&", "&amp;")),
        ([f"archive/{n % 3}/D{n}" for n in range(9)], lambda docno: docno.rpartition("/")[2]),
        ([f"wiki:{n}x" for n in range(9)], lambda docno: docno.partition(":")[2]),
        ([f"D{n}.txt" for n in range(9)], lambda docno: f"2004\\{docno}"),
        (numbers(4_000_000_000, 7), lambda docno: str(int(docno) - 2**32)),
        (numbers(-1_000_000_000, 7), lambda docno: str(int(docno) + 2**32)),
        (numbers(2**63 + 5, 7), lambda docno: str(int(docno) - 2**64)),
        ([f"{n:08x}-9abc-4def-8123-456789abcdef" for n in range(9)], lambda docno: docno.replace("-", "")),
        ([f"{n:08x}-9abc-4def-8123-456789abcdef" for n in range(9)], lambda docno: f"{{{docno.upper()}}}"),
        ([f"{n:08x}-9abc-4def-8123-456789abcdef" for n in range(9)], lambda docno: docno[:8]),
        (numbers(2**53 + 1, 7), lambda docno: str(int(float(docno)))),
        (numbers(20_000_001, 7), lambda docno: str(int(np.float32(docno)))),
    ],
    ids=[
        "&",
        "folder lost",
        "prefix lost",
        "folder added",
        "32 bits",
        "unsigned",
        "64 bits",
        "dashes",
        "braces",
        "cut",
        "float",
        "float32",
    ],
)
def test_docnos_that_programs_change_on_some_lines(judged: list[str], change):
    """Other docnos stay as they are, so that the run looks judged."""
    assert told(judged, judged) is None
    assert told([change(docno) for docno in judged], judged) is not None
    assert told(judged, [change(docno) for docno in judged]) is not None
    others = ["archive/2/X7", "X8.txt", *judged[::2]]
    changed = [change(docno) for docno in judged]
    if not any(docno in judged for docno in changed):
        assert told([*others, *changed], judged) is not None


TITLES = {
    "an apostrophe": "O'Hara's_{}_(film)",
    "quotes": '"{}"_Revisited',
    "an ampersand": "Salt_&_{}",
    "accents": "Caf\u00e9_{}",
    "a dash": "Paris\u2013{}",
    "punctuation": "Who_Is_{}?!",
}
WRITERS = {
    "HTML": html.escape,
    "HTML, twice": lambda title: html.escape(html.escape(title)),
    "JSON": lambda title: json.dumps(title)[1:-1],
    "an address": quote,
    "Python's bytes": lambda title: str(title.encode())[2:-1],
    "ASCII": lambda title: unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode(),
    "typography": lambda title: title.replace("'", "\u2019").replace('"', "\u201d"),
    "a keyboard": lambda title: title.replace("\u2013", "-"),
    "letters and digits": lambda title: "".join(c for c in title if c.isalnum() or c == "_"),
    "Latin-1 taken for UTF-8": lambda title: title.encode().decode("latin-1"),
}


def as_read(text: str) -> str:
    """A docno as the readers return it, with a character for each byte."""
    return text.encode().decode("latin-1")


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("title", TITLES)
def test_titles_as_docnos_that_programs_escape_or_simplify(title: str, writer: str):
    titles = [TITLES[title].format(word) for word in ("Zug", "Ulm", "Bonn", "Kiel", "Bern")]
    judged, changed = [*map(as_read, titles)], [as_read(WRITERS[writer](each)) for each in titles]
    assert told(judged, judged) is None
    if changed != judged:
        assert told(changed, judged) is not None
        assert told(judged, changed) is not None
        assert told([*judged[2:], *changed[:2]], judged) is None


@pytest.mark.parametrize("form", ["{:g}", "{:e}", "{:.18e}", "{:.2E}"])
def test_numbers_with_exponents(form: str):
    """As after a column has become one of floats."""
    judged = numbers(2_188_133, 70_001)
    changed = [form.format(float(docno)) for docno in judged]
    assert told(changed, judged) == f"topic '301': '{changed[0]}' is judged as '2188133'"
    assert told(judged, changed) is not None
    assert told(["2e6", "3E+06", "4e+7"], judged) == "topic '301': '2e6' is like no judged docno"


@pytest.mark.parametrize("prefix", ["cord_", "doc_"])
def test_docnos_whose_first_letters_were_stripped_are_told(run, write, shared, prefix: str):
    """Python's lstrip removes all of these letters, removeprefix would not."""
    folder = shared / "trec-covid-r5"
    rows = gzip.decompress((folder / "runs" / "covidex.r5.2s.run.gz").read_bytes()).decode().splitlines()
    fields = [row.split() for row in rows]
    lines = [f"{t} {q} {f'{prefix}{d}'.lstrip(prefix)} {rank} {s} {tag}" for t, q, d, rank, s, tag in fields]
    for command in ("eval -m map", "validate --qrels"):
        done = run(*command.split(), folder / "qrels.txt", write("stripped.run", lines))
        assert "is judged as" in done.stdout + done.stderr


MONTHS = ("Jan", "Feb", "Mar", "Apr")


def as_date(docno: str) -> str:
    """The date that a spreadsheet makes of two small numbers with a hyphen between."""
    month, day = map(int, docno.split("-"))
    return f"{day}-{MONTHS[month - 1]}" if day < 29 else docno


def test_docnos_that_a_spreadsheet_has_made_dates_are_told():
    judged = [f"{chapter}-{section}" for chapter in range(1, 5) for section in range(1, 60)]
    assert told([*map(as_date, judged)], judged) == "topic '301': '1-Jan' is like no judged docno"
    assert told([f"{chapter}-{section}" for chapter in range(5, 9) for section in range(1, 60)], judged) is None


@pytest.mark.parametrize(
    ("others", "is_told"),
    [
        (["a" * 7] * 2, False),
        ([f"x{n:05d}" for n in range(3)], True),
        ([f"x{n:06d}" for n in range(99)], False),
        ([f"x_{n:05d}" for n in range(3)], True),
    ],
)
def test_docnos_that_are_like_no_judged_one_are_told_if_they_are_many(others: list[str], is_told: bool):
    judged = [f"d{n:06d}" for n in range(1000)]
    docnos = [*others, *(f"e{n:06d}" for n in range(90 - len(others)))]
    example = told(docnos, judged)
    assert example == (f"topic '301': '{others[0]}' is like no judged docno" if is_told else None)


def test_numbers_with_more_or_fewer_digits_than_all_judged_ones_are_told():
    judged = [str(n) for n in range(20, 1400)]
    assert told(["70001", "70002", "70003", *judged[:50]], judged) == "topic '301': '70001' is like no judged docno"
    assert told(["7", "8", "9", *judged[:50]], judged) == "topic '301': '7' is like no judged docno"
    assert told(["1401", "1402", "1403", *judged[:50]], judged) is None


@pytest.mark.parametrize("prefix", ["D", "d-", "doc", "doc_", "MED-", "PMC", "LISA", "docs/", "en:"])
def test_docnos_whose_prefix_is_missing_from_the_run_or_from_some_judgments(prefix: str):
    """As in a run joined of two lists, or in qrels joined of two batches."""
    numbered = [str(n) for n in range(480, 540)]
    prefixed = [f"{prefix}{n}" for n in numbered]
    half = [*numbered[::2], *prefixed[1::2]]
    assert told(half, prefixed) == f"topic '301': '480' is judged as '{prefix}480'"
    assert told(numbered, half) == f"topic '301': '481' is judged as '{prefix}481'"
    assert told(prefixed, half) is not None
    assert told(numbered[:30], numbered[30:] + prefixed[30:]) is None


@pytest.mark.parametrize(("strip", "is_told"), [(str.rstrip, True), (str.lstrip, True), (str.removesuffix, False)])
def test_judged_docnos_that_were_cut_are_told(run, write, shared, strip, is_told: bool):
    folder = shared / "trec-covid-r5"
    rows = [row.split() for row in (folder / "qrels.txt").read_text().splitlines()]
    qrels = write("cut.qrels", [f"{t} {i} {strip(d, 'json')} {j}" for t, i, d, j in rows])
    done = run("eval", "-m", "map", qrels, folder / "runs" / "covidex.r5.2s.run.gz")
    assert (" is judged as '" in done.stderr) == is_told


@pytest.mark.parametrize("form", ["docs/{}", "doc_{}", "D{}", "PMC{}", "{}.txt"])
def test_documents_that_are_judged_twice_are_told(form: str):
    judged = {str(n): n % 2 for n in range(400, 450)}
    (message,) = about_twins({"301": judged | {form.format(docno): n for docno, n in judged.items()}})
    assert f"(e.g. topic '301': '400' and '{form.format(400)}'): each counts as two documents" in message
    others = {form.format(n): 1 for n in range(450, 500)}
    assert not [*about_twins({"301": judged | others})]


def test_long_docnos_are_shown_where_they_differ():
    judged = [f"https://www.example.org/docs/supersonic-flow/{n}/" for n in range(9)]
    assert told([docno.rstrip("/") for docno in judged], judged) == (
        "topic '301': '...nic-flow/0' is judged as '...nic-flow/0/'"
    )


def test_messages_show_docnos_as_text(run, write):
    qrels = write("qrels", [f"1 0 Zürich-{n:03d} 1" for n in range(9)])
    path = write("a.run", [f"1 Q0 Zürich-{n} {n} {9 - n} a" for n in range(9)])
    for command in ("eval -m map", "validate --qrels"):
        done = run(*command.split(), qrels, path)
        assert "'Zürich-0' is judged as 'Zürich-000'" in done.stdout + done.stderr


def test_large_numbers_that_a_spreadsheet_cut_beside_smaller_ones():
    small, large = numbers(10**14 + 7, 10**9 + 1), numbers(10**16 + 1, 77_777)
    cut = [f"{docno[:15]}00" for docno in large]
    assert told([*small, *cut], [*small, *large]) == f"topic '301': '{cut[0]}' is judged as '{large[0]}'"
    assert told([*small, *large], [*small, *cut]) == f"topic '301': '{large[0]}' is judged as '{cut[0]}'"
    assert told([*small, *large, *cut], [*small, *large]) is None


def test_documents_beside_judged_ones_are_other_documents():
    """As passages of a document with numbers in a row."""
    judged = numbers(2**53 + 1, 2)
    assert told(numbers(2**53, 1), judged) is None
    assert told([f"site-b/{n}.html" for n in range(9)], [f"site-a/{n}.html" for n in range(9)]) is None
    assert told(numbers(1_234_567, 1), [*numbers(12_345_670, 1), "17"]) is None
    assert told([f"-{n}" for n in range(3, 9)], [str(n) for n in range(30, 40)]) is None
