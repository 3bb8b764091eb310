"""The public copy: the archive's layout file by file, and files that could not be fetched are counted."""

import pytest
from support_curie_records import foldered, published, read_out

from harness.errors import InputError
from harness.studies.curie.data import making
from harness.studies.curie.data.public_copy import make


@pytest.fixture
def made(tmp_path):
    """Make a task from a fetched folder."""

    def make_rows(task, files, absent=(), **params):
        said, inputs = foldered(tmp_path, "copy", files, absent)
        out = tmp_path / "out"
        out.mkdir()
        make({"task": task, **said, **params}, inputs, out)
        return read_out(out)

    return make_rows


def test_a_copy_gives_what_the_archive_gives(made):
    found = made("pdb", published("any/folder/"))
    assert [row["id"] for row in found["items"]] == ["pdb-1AAA", "pdb-2BBB"]
    assert found["counts"][0]["pdb"]["source"] == "public copy"


def test_a_record_whose_ground_truth_could_not_be_fetched_is_absent(made):
    files = published()
    lost = "data/pdb/ground_truth/1AAA.json"
    del files[lost]
    found = made("pdb", files, (lost,))
    assert [row["id"] for row in found["items"]] == ["pdb-2BBB"]
    assert found["counts"][0]["pdb"]["absent"] == 63


def test_a_copy_of_which_nothing_could_be_fetched_has_no_items(made):
    found = made("pdb", {}, tuple(published()))
    assert (found["items"], found["counts"][0]["pdb"]["absent"]) == ([], 64)


def test_records_without_labels_are_counted(made):
    files = {path: data for path, data in published().items() if "difficulty" not in path}
    found = made("pdb", files)
    assert found["counts"][0]["pdb"]["unlabelled"] == 2
    assert {(row["meta"]["level"], row["difficulty"]) for row in found["items"]} == {("", None)}


def test_a_name_that_is_no_record_is_refused(made):
    with pytest.raises(InputError, match="no name of a record"):
        made("pdb", {**published(), "data/pdb/inputs/a+++b.json": b"{}"})


def test_a_file_that_is_too_large_is_refused(made, monkeypatch):
    monkeypatch.setattr(making, "LARGEST", 20)
    with pytest.raises(InputError, match="more than 20 bytes"):
        made("pdb", published())


def test_labels_that_stand_twice_are_refused(made):
    with pytest.raises(InputError, match="labels stand here twice"):
        made("pdb", {**published(), "difficulty_levels.json": b"{}"})
