"""Documents left out of judgments and runs: as if they were in neither, before anything else is done."""

from __future__ import annotations

import hashlib

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from stdeval import InputError, Options, evaluate

TOPICS = ["1", "2", "é"]
DOCNOS = ["1", "é", "a", "b", "c", "d"]
MEASURES = ["map", "ndcg_cut_2", "P_3", "bpref", "num_ret", "num_rel", "num_q"]
judgments = st.dictionaries(st.sampled_from(DOCNOS), st.integers(-1, 2), min_size=1)
scores = st.dictionaries(st.sampled_from(DOCNOS), st.sampled_from([1.0, 2.0, 3.0]), min_size=1)
pairs = st.dictionaries(st.sampled_from(TOPICS), st.sets(st.sampled_from([*DOCNOS, "z"])))


@given(
    st.dictionaries(st.sampled_from(TOPICS), judgments, min_size=1),
    st.dictionaries(st.sampled_from(TOPICS), scores, min_size=1),
    pairs,
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
def test_scores_are_those_of_pytrec_eval_on_filtered_dicts(qrels, run, exclude, exclude_self: bool):
    def filtered(by_topic):
        left = {
            topic: {
                docno: number
                for docno, number in numbers.items()
                if docno not in exclude.get(topic, ()) and not (exclude_self and docno == topic)
            }
            for topic, numbers in by_topic.items()
        }
        return {topic: numbers for topic, numbers in left.items() if numbers}

    left, retrieved = filtered(qrels), filtered(run)
    # pytrec_eval overruns its memory if all judgments are negative, see stdeval.measures.catalogue
    judged = {t: numbers if max(numbers.values()) >= 0 else {**numbers, " ": 0} for t, numbers in left.items()}
    found = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg_cut.2", "P.3", "bpref", "num_ret", "num_rel"})
    expected = found.evaluate({topic: docs for topic, docs in retrieved.items() if topic in left})
    options = Options(exclude=exclude, exclude_self=exclude_self)
    if not expected:
        with pytest.raises(InputError, match=r"excluded|in common"):
            evaluate(qrels, run, MEASURES, options)
        return
    table = evaluate(qrels, run, MEASURES, options)
    assert set(table.topics) == expected.keys()
    for place, topic in enumerate(table.topics):
        for measure in table.measures:
            assert table.measure(measure)[0, place] == expected[topic][measure]
    # with -c, the topics that have judgments left
    complete = evaluate(qrels, run, MEASURES, options._replace(complete=True))
    assert set(complete.topics) == left.keys()
    assert table.origin.judgments == {topic: evaluate(qrels, qrels).origin.judgments[topic] for topic in left}


def test_options_name_what_is_left_out_by_its_digest():
    exclude = {"2": ["b", "a", "a"], "10": {"文": 1}, "3": []}
    digest = hashlib.sha256("10\0文\n2\0a\n2\0b\n".encode()).hexdigest()[:8]
    assert Options(level=2, exclude=exclude, depth=5).typed == f"-l 2 --exclude {digest} -M 5"
    assert Options(exclude_self=True).typed == "--exclude-self"
    assert Options(exclude={"3": []}).typed == ""


@pytest.mark.parametrize("exclude", [["1"], {"1": "ab"}, {1: ["a"]}, {"1": [7]}, {"1": ["a\nb"]}, {"1\0": ["a"]}])
def test_what_is_not_topic_to_docnos_is_refused(exclude):
    with pytest.raises(InputError, match=r"exclude: expected topic to docnos, such as \{'1': \['doc7'\]\}"):
        evaluate({"1": {"a": 1, "b": 1}}, {"1": {"a": 1.0}}, "map", Options(exclude=exclude))
