"""Lists of topics and of docnos, in every form; what is no list is refused."""

from __future__ import annotations

import bz2

import pytest

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.trec.id_lists import read_topic_ids, unlisted_docnos

# The forms of the ad hoc tracks, the web tracks and TREC-COVID, of MS MARCO, and a plain list.
TOPIC_FILES = {
    "adhoc": "<top>\n<num> Number: 301\n<title> International Organized Crime\n</top>\n<top>\n<num> Number: 302 \n",
    "web": '<topic number="301" type="faceted">\n<query>a 7</query>\n</topic>\n<topic  type="x" number=\'302\'>\n',
    "closed": "<top><num>301</num><title>a</title></top><top><num>302</num></top>",
    "tsv": "301\thow is the weather\n302\twhat\n",
    "indented": " 301 \n\t302 x\n",
    "list": "301\r\n\r\n302\r\n301\r\n",
    "NTCIR": "<queries>\n <query>\n  <qid>301</qid>\n </query>\n <query><QID> 302 </QID></query>\n</queries>\n",
    "BEIR": "query-id\tcorpus-id\tscore\n301\td1\t1\n301\td2\t1\n302\td1\t1\n",
    "header": "_id\ttext\n301\tid\n302\tx\n",
    "JSON": '\n{"_id": "301", "text": "<num>, x"}\n\n{"text": "a", "qid": 302}\n',
}


@pytest.mark.parametrize("form", TOPIC_FILES)
def test_topics(write, form: str):
    assert read_topic_ids(Input(write("topics", TOPIC_FILES[form]))) == ("301", "302")


def test_blanks_that_are_not_ascii_are_parts_of_names_and_comments_do_not_count(write):
    assert read_topic_ids(Input(write("topics", "30\u00a01 x\n"))) == ("30\u00a01",)
    text = '<topic number="1"></topic>\n<!-- <topic number="2">\n</topic> -->\n<topic number="3"></topic>\n'
    assert read_topic_ids(Input(write("topics", text))) == ("1", "3")


def test_no_topics(write):
    for text in ("\n \n", "<topics></topics>"):
        with pytest.raises(InputError, match="topics: no topics, expected"):
            read_topic_ids(Input(write("topics", text)))


ODD_LISTS = ["<DOC>\n<DOCNO> d1", '[{"_id": "1"}]', '{"1": "x"}', '{"_id": "1"', '{"id": 1.5}', '{"_id": "a b"}']
ODD_LISTS += ['{"id": ""}', '{"_id": "\\ud800"}', '{"_id": "a\\u0000"}', '{"id": true}', '{"id":' * 100_000]
ODD_LISTS += ['{"id": %s}' % ("9" * 5000)]
ODD_LISTS += ["1 Q0 d1 1 2 t", "id,text\nd1,x", '"1","how"', "a\0b", "\ufefff\0f\0"]


@pytest.mark.parametrize("text", ODD_LISTS, ids=lambda text: text[:20])
def test_what_is_no_list_is_refused_with_its_line(write, text: str):
    source = Input(write("list", f"\n{text}\n"))
    for read in (read_topic_ids, lambda source: unlisted_docnos(source, [])):
        with pytest.raises(InputError, match=r"list:2: |list: no topics") as raised:
            read(source)
        assert len(str(raised.value)) < 300
    later = Input(write("later", '{"id": 1}\n{"id": 2\n'))
    with pytest.raises(InputError, match=r"later:2: no JSON object"):
        read_topic_ids(later)


def test_qrels_and_tables_are_no_lists_of_docnos(write):
    """Topics may be read from qrels, as they are from any table that begins with them."""
    path = write("qrels", "7 0 a 1\n8 4.5 b -1\n")
    assert read_topic_ids(Input(path)) == ("7", "8")
    for table in (path, write("qrels", "query-id\tcorpus-id\n1\ta\n2\tb\n")):
        with pytest.raises(InputError, match=r"qrels:1: a line of qrels, expected a docno"):
            unlisted_docnos(Input(table), [])
    with pytest.raises(InputError, match=r"t.csv:1: '1,how'"):
        read_topic_ids(Input(write("t.csv", "1,how\n2,what\n")))
    assert unlisted_docnos(Input(write("d", "http://a.b/1,2\n")), [b"http://a.b/1,2"]) == set()


@pytest.mark.parametrize(
    "content",
    [
        *(b"a\ncaf\xe9\n\nb", b"a\tfirst text, c\r\n caf\xe9\nb c\n", b"\xef\xbb\xbfa\nb\ncaf\xe9"),
        *(b"docid\na\nb\ncaf\xe9\n", b"corpus-id text\na 1\nb 1\ncaf\xe9"),
    ],
)
def test_docnos_are_the_first_words(write, content: bytes):
    docnos = [b"a", b"b", b"c", b"c", b"caf\xe9", b"caf\xc3\xa9"]
    assert unlisted_docnos(Input(write("docnos", content)), docnos) == {"c", "caf\xc3\xa9"}


def test_docnos_in_json(write):
    content = b'{"_id":"a","text":"b"}\n{"docid":7}\n{"id":"caf\\u00e9"}\n'
    docnos = [b"a", b"b", b"7", b"caf\xc3\xa9", b"caf\xe9"]
    assert unlisted_docnos(Input(write("docnos", content)), docnos) == {"b", "caf\xe9"}


def test_a_compressed_list_of_many_chunks(write):
    packed = bz2.compress(b"".join(b"doc%09d\n" % number for number in range(100_000)))
    assert unlisted_docnos(Input(write("d.bz2", packed)), [b"doc000099999", b"doc000100000"]) == {"doc000100000"}
