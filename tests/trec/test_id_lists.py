"""Lists of topics and of docnos."""

from __future__ import annotations

import bz2

import pytest

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.trec.reading import read_topic_ids, unlisted_docnos

# The forms of the ad hoc tracks, the web tracks and TREC-COVID, of MS MARCO, and a plain list.
TOPIC_FILES = {
    "adhoc": "<top>\n<num> Number: 301\n<title> International Organized Crime\n</top>\n<top>\n<num> Number: 302 \n",
    "web": '<topic number="301" type="faceted">\n<query>a 7</query>\n</topic>\n<topic  type="x" number=\'302\'>\n',
    "closed": "<top><num>301</num><title>a</title></top><top><num>302</num></top>",
    "tsv": "301\thow is the weather\n302\twhat\n",
    "indented": " 301 \n\t302 x\n",
    "list": "301\r\n\r\n302\r\n301\r\n",
}


@pytest.mark.parametrize("form", TOPIC_FILES)
def test_topics(write, form: str):
    assert read_topic_ids(Input(write("topics", TOPIC_FILES[form]))) == ("301", "302")


def test_blanks_that_are_not_ascii_are_parts_of_names(write):
    assert read_topic_ids(Input(write("topics", "30\u00a01 x\n"))) == ("30\u00a01",)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_no_topics(write, content: str):
    with pytest.raises(InputError, match="topics: no topics, expected"):
        read_topic_ids(Input(write("topics", content)))


@pytest.mark.parametrize(
    "content", [b"a\ncaf\xe9\n\nb", b"a\tfirst text, c\r\n caf\xe9\nb c\n", b"\xef\xbb\xbfa\nb\ncaf\xe9"]
)
def test_docnos_are_the_first_words(write, content: bytes):
    docnos = [b"a", b"b", b"c", b"c", b"caf\xe9", b"caf\xc3\xa9"]
    assert unlisted_docnos(Input(write("docnos", content)), docnos) == {"c", "caf\xc3\xa9"}


def test_a_compressed_list_of_many_chunks(write):
    packed = bz2.compress(b"".join(b"doc%09d\n" % number for number in range(100_000)))
    assert unlisted_docnos(Input(write("d.bz2", packed)), [b"doc000099999", b"doc000100000"]) == {"doc000100000"}


def test_topics_in_comments_do_not_count(write):
    text = '<topic number="1"></topic>\n<!-- <topic number="2">\n</topic> -->\n<topic number="3"></topic>\n'
    assert read_topic_ids(Input(str(write("topics.xml", text.splitlines())))) == ("1", "3")
