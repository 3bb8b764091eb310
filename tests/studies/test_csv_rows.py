"""CSV of any origin: rows by column, hostile files refused in bounded memory, and no cell in any message."""

import tracemalloc

import pytest

from harness.errors import InputError
from harness.kit.csv_rows import LONGEST, read

SECRET = "the-answer"


def rows(path, text, **how):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read(path, lambda number: f"row {number}", "mend it", **how))


def test_rows_stand_under_their_columns_and_keep_their_numbers(tmp_path):
    text = '\ufeff\r\na,b\r\n1,"x, ""y""\nz"\r\n\r\n , \r\n3\r\n'
    assert rows(tmp_path / "t", text) == [(1, {"a": "1", "b": 'x, "y"\nz'}), (4, {"a": "3"})]
    assert rows(tmp_path / "t", "") == [] == rows(tmp_path / "t", "a,b\n")


@pytest.mark.parametrize(("header", "said"), [("a,c", "`b` is missing"), ("a,b,b", "`b` stands twice"), ("", "`a`")])
def test_a_column_that_is_needed_must_be_there_once(tmp_path, header, said):
    with pytest.raises(InputError, match=said) as refused:
        rows(tmp_path / "t", f"{header}\n{SECRET},2\n", columns=("a", "b"))
    assert refused.value.where == "row 0" and SECRET not in str(refused.value)


HOSTILE = {
    "not UTF-8": b"\xff\xfe",
    "an open quote": b'"' + SECRET.encode(),
    "a quote inside": b'"x"' + SECRET.encode() + b"\n",
    "a cell too long": b'"' + SECRET.encode() * 20_000 + b'"\n',
    "more cells than columns": b"1,2," + SECRET.encode() + b"\n",
    "a row of many long lines": b'"' + b'","'.join([b"x\n" * 50_000] * 40) + b'"\n',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_row_is_refused_by_its_number_and_never_quoted(tmp_path, name):
    with pytest.raises(InputError) as refused:
        rows(tmp_path / "t", b"a,b\n1,2\n" + HOSTILE[name])
    assert refused.value.where in ("row 2", "row 1")  # a file that is not UTF-8 is read in blocks
    assert SECRET not in str(refused.value) and refused.value.__cause__ is None


def test_a_file_that_is_one_endless_line_costs_the_memory_of_one_row(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b"a,b\n" + b"x" * 40 * LONGEST)
    tracemalloc.start()
    with pytest.raises(InputError, match="far too long"):
        list(read(path, str, "mend it"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * LONGEST
