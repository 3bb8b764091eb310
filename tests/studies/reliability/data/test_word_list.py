"""Lists of words and counts, and the ids of items: what both say of their lines and numbers."""

import pytest

from harness.errors import InputError
from harness.studies.reliability.data.ids import ids
from harness.studies.reliability.data.word_list import counts, lines


@pytest.fixture
def given(tmp_path):
    def write(data):
        (tmp_path / "words").write_bytes(data)
        return tmp_path / "words"

    return write


def test_a_line_is_a_word_and_its_count_and_the_first_may_name_them(given):
    data = b"\xef\xbb\xbfword,count\r\na\t1\r\n \r\nNew York,22\nwashington, d.c.\t3\na\t4"
    found = list(counts(given(data)))
    assert found == [("a", 1), ("New York", 22), ("washington\t d.c.", 3), ("a", 4)]


@pytest.mark.parametrize("bad", [b"b", b"b,", b"b,-1", b"b,1.5", "b,\u0663".encode(), b"b," + b"9" * 19])
def test_any_other_line_is_named_by_its_number_in_the_file(given, bad):
    with pytest.raises(InputError) as refused:
        list(counts(given(b"a,1\n\n\n" + bad + b"\n")))
    assert refused.value.where == "words, line 4"


def test_what_is_not_utf_8_is_said_of_the_list_that_is_not(given):
    with pytest.raises(InputError) as refused:
        list(lines(given(b"\xff\n"), "dictionary"))
    assert refused.value.where == "dictionary, after line 0"


@pytest.mark.parametrize("count", [0, 1, 100_000, 100_001])
def test_ids_are_distinct_and_in_the_order_of_their_numbers(count):
    found = ids("x", count)
    assert len(set(found)) == count and found == sorted(found)
    assert found[:1] == (["x-00000"] if count <= 100_000 else ["x-000000"])[:count]
