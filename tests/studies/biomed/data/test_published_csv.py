"""The reader of published questions: old and new columns, and whatever is wrong with a file."""

import time

import pytest
from support_biomed_data import COLUMNS, question, written
from support_pace import soon

from harness.errors import InputError
from harness.studies.biomed.data.published_csv import read_set
from harness.studies.biomed.terms import MODES, PAPER, STRICT


@pytest.fixture
def asked(tmp_path):
    """Read questions that are given as rows."""

    def read(*table, mode=STRICT, drop=False, **how):
        return read_set(written(tmp_path / "set.csv", table, **how), mode, drop=drop)

    return read


def ids(found):
    return [one.id for one in found.questions]


def test_a_question_keeps_its_words_and_labels(asked):
    [one] = asked(question("Q5.1", question="Is it? ", answer="No.\nNot yet.")).questions
    assert (one.id, one.template, one.question, one.answer) == ("Q5.1", "Q5", "Is it? ", "No.\nNot yet.")
    assert (one.biological, one.reasoning, one.source) == (("Drug Meta",), ("Select", "Join"), "")


def test_columns_have_their_earlier_names(asked):
    old = {"bio_category": "Bio_Category", "reasoning_category": "SQL_Category", "template_uuid": "template uuid"}
    row = {old.get(name, name): cell for name, cell in question("Q5.1").items()}
    [one] = asked({**row, "source": "D_1, D_2"}).questions
    assert (one.template, one.biological, one.reasoning) == ("Q5", ("Drug Meta",), ("Select", "Join"))
    assert one.source == "D_1, D_2"


def test_a_column_under_two_names_is_refused(asked):
    with pytest.raises(InputError, match="`bio_category` and `Bio_Category` are one column"):
        asked(question("Q5.1", Bio_Category="Tissue"))


@pytest.mark.parametrize("name", ["uuid", "question", "answer", "bio_category", "reasoning_category"])
def test_a_file_without_a_column_is_refused_by_its_name(asked, name):
    with pytest.raises(InputError, match=f"`{name}` is missing"):
        asked({column: cell for column, cell in question("Q5.1").items() if column != name})


def test_a_column_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "set.csv"
    path.write_text(",".join((*COLUMNS, "answer")) + "\n" + ",".join("abcdefg") + "\n")
    with pytest.raises(InputError, match="`answer` stands twice"):
        read_set(path, STRICT)


def test_without_a_template_column_each_question_is_its_own(asked):
    row = {name: cell for name, cell in question("Q35").items() if name != "template_uuid"}
    [one] = asked(row).questions
    assert one.template == "Q35"


@pytest.mark.parametrize(("template", "said"), [("Q5", True), ("Q2", False), ("T05", True), ("Q13", None)])
def test_yes_or_no_is_known_of_templates_of_the_catalogue(asked, template, said):
    assert asked(question("x.1", template)).questions[0].yes_no is said


@pytest.mark.parametrize("how", [{"encoding": "utf-8-sig"}, {"end": "\r\n"}])
def test_a_byte_order_mark_or_crlf_changes_nothing(asked, how):
    assert ids(asked(question("Q5.1"), question("Q5.2"), **how)) == ["Q5.1", "Q5.2"]


def test_a_line_break_in_a_cell_is_part_of_it_in_either_form(asked):
    found = asked(question("Q5.1", answer="one\r\ntwo"), question("Q5.2"), end="\r\n")
    assert (found.questions[0].answer, found.rows) == ("one\r\ntwo", 2)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_in_another_encoding_is_refused(asked, encoding):
    with pytest.raises(InputError, match="not UTF-8") as bad:
        asked(question("Q5.1", answer="Löffel"), encoding=encoding)
    assert bad.value.where.startswith("set, ")


def test_a_file_without_rows_is_refused(tmp_path):
    path = tmp_path / "set.csv"
    for text in ("", "\ufeff", ",".join(COLUMNS), "\n\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="no rows"):
            read_set(path, STRICT)


def test_an_open_quote_is_refused_by_its_row(tmp_path):
    path = written(tmp_path / "set.csv", [question("Q5.1")])
    path.write_text(path.read_text() + '"Q5.2,never closed\n')
    with pytest.raises(InputError, match="no well-formed CSV") as bad:
        read_set(path, STRICT)
    assert bad.value.where == "set, row 2"


def refused_cell(path, size):
    """Give the row at which a file with one cell of so many characters is refused, and the CPU seconds it took."""
    rows = written(path, [question("Q5.1"), question("Q5.2", answer="@")]).read_bytes()
    head, tail = rows.split(b"@")
    with open(path, "wb") as file:
        file.write(head + b'"')
        for _ in range(size // 1_000_000):
            file.write(b"x" * 1_000_000)
        file.write(b'"' + tail)
    begun = time.process_time()
    with pytest.raises(InputError, match="too long") as bad:
        read_set(path, STRICT)
    return bad.value.where, time.process_time() - begun


def test_a_cell_of_a_million_letters_is_refused_by_its_row(tmp_path):
    assert refused_cell(tmp_path / "set.csv", 1_000_000)[0] == "set, row 2"


@pytest.mark.long
def test_a_cell_of_100_mb_is_refused_by_its_row_and_soon(tmp_path):
    where, seconds = refused_cell(tmp_path / "set.csv", 100_000_000)
    assert where == "set, row 2"
    assert soon(seconds, 1)


@pytest.mark.parametrize("mode", MODES)
def test_a_uuid_that_stands_twice_is_refused_by_row_and_column(asked, mode):
    with pytest.raises(InputError, match="earlier row") as bad:
        asked(question("Q5.1"), question("Q5.2"), question("Q5.1"), mode=mode)
    assert bad.value.where == "set, row 3, column `uuid`"


@pytest.mark.parametrize("name", [" Q5.1", "Q5.1\t", "Q" * 201])
def test_a_uuid_with_blanks_or_without_end_is_refused(asked, name):
    with pytest.raises(InputError, match="no uuid has"):
        asked(question(name))


@pytest.mark.parametrize("name", ["uuid", "template_uuid", "question", "answer"])
def test_strict_mode_refuses_an_empty_cell_by_row_and_column(asked, name):
    with pytest.raises(InputError, match="a cell is empty") as bad:
        asked(question("Q5.1"), {**question("Q5.2"), name: " "})
    assert bad.value.where == f"set, row 2, column `{name}`"


def test_a_message_names_the_column_as_the_file_calls_it(asked):
    row = {("template uuid" if name == "template_uuid" else name): cell for name, cell in question("Q5.1").items()}
    with pytest.raises(InputError) as bad:
        asked({**row, "template uuid": ""})
    assert bad.value.where == "set, row 1, column `template uuid`"


def test_strict_mode_drops_and_counts_such_rows_where_it_is_told_so(asked):
    found = asked(question("Q5.1"), question("Q5.2", answer=""), question("", answer=""), drop=True)
    assert (ids(found), found.counts()["dropped"]) == (["Q5.1"], {"answer": 1, "uuid": 1})


@pytest.mark.parametrize("name", COLUMNS)
def test_paper_mode_drops_and_counts_a_row_that_lacks_a_cell(asked, name):
    found = asked(question("Q5.1"), {**question("Q5.2"), name: ""}, mode=PAPER)
    assert (ids(found), found.counts()["dropped"], found.counts()["rows"]) == (["Q5.1"], {name: 1}, 2)


@pytest.mark.parametrize("word", ["None", "NA", "nan", "null", "N/A"])
def test_paper_mode_takes_words_that_pandas_drops_for_nothing(asked, word):
    table = [question("Q5.1"), question("Q5.2", answer=word)]
    assert ids(asked(*table, mode=PAPER)) == ["Q5.1"]
    assert ids(asked(*table)) == ["Q5.1", "Q5.2"]


def test_a_short_row_lacks_its_last_cells(tmp_path):
    path = written(tmp_path / "set.csv", [question("Q5.1")])
    path.write_text(path.read_text() + "Q5.2,Q5,What?\n")
    assert read_set(path, PAPER).dropped == {"answer": 1}


def test_a_file_whose_rows_are_all_dropped_is_refused(asked):
    with pytest.raises(InputError, match="no row holds a question"):
        asked(question("Q5.1", answer=""), mode=PAPER)


def test_paper_mode_keeps_the_empty_label_of_a_trailing_separator(asked):
    found = asked(question("Q5.1", bio_category="Tissue; Drug Meta;"), mode=PAPER)
    assert found.questions[0].biological == ("Tissue", "Drug Meta", "")
    assert found.counts()["empty_labels"] == 1


def test_strict_mode_drops_the_empty_label_and_counts_it(asked):
    found = asked(question("Q5.1", bio_category="Tissue;; Drug Meta;"))
    assert found.questions[0].biological == ("Tissue", "Drug Meta")
    assert found.counts()["empty_labels"] == 2


def test_strict_mode_takes_a_label_once(asked):
    table = [question("Q5.1", bio_category="Tissue; Tissue")]
    assert asked(*table).questions[0].biological == ("Tissue",)
    assert asked(*table, mode=PAPER).questions[0].biological == ("Tissue", "Tissue")


def test_strict_mode_keeps_and_counts_a_question_without_labels(asked):
    found = asked(question("Q5.1", bio_category=" ", reasoning_category=";"))
    assert (found.questions[0].biological, found.counts()["unlabelled"]) == ((), 2)


def test_labels_that_the_paper_has_not_are_counted(asked):
    found = asked(question("Q5.1", bio_category="Drug Forms; Tissue", reasoning_category="Similarity Search"))
    assert found.counts()["other_labels"] == {"biological": 1, "reasoning": 1}


def test_no_message_quotes_a_cell(asked):
    with pytest.raises(InputError) as bad:
        asked(question("Q5.1", question="SECRET"), question("Q5.1", question="SECRET"))
    assert "SECRET" not in str(bad.value)
