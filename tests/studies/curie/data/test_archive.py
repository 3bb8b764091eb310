"""The official archive: one task is read where it lies, and everything that is not there is counted."""

import json

import pytest
from support_curie_records import BOX, PNG, foldered, published, read_out, zipped

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.curie.data.archive import make


@pytest.fixture
def made(tmp_path):
    """Make a task from an archive with these files."""

    def make_rows(task, files, **params):
        out = tmp_path / "out"
        out.mkdir()
        make({"task": task, **params}, {"archive": zipped(tmp_path / "data.zip", files)}, out)
        return read_out(out)

    return make_rows


def test_a_task_becomes_items_and_gold_and_lacks_nothing_that_is_there(made):
    found = made("pdb", published())
    assert [row["id"] for row in found["items"]] == ["pdb-1AAA", "pdb-2BBB"]
    assert found["items"][1]["input"] == {"text": "ATOM {{text}} ü"}
    assert found["items"][1]["meta"] == {"record": "2BBB", "level": "hard"}
    assert [row["gold"]["target"] for row in found["gold"]] == [">record\nGAVLKMM", ">record\nMK"]
    truth = json.dumps({"record_id": "2BBB", "sequence": "MK"})
    assert found["gold"][1]["gold"]["truth"] == truth, "as the file has it, not as it is parsed"


def test_what_is_absent_of_a_domain_is_counted_and_named(made):
    counts = made("pdb", published())["counts"][0]["pdb"]
    assert counts == {
        "kept": 2, "absent": 62, "expected": 64, "first_absent": ["3CCC"], "unlabelled": 0, "unusable": {},
        "source": "archive", "official": False,
    }  # fmt: skip


def test_a_domain_that_is_not_there_has_no_items_and_is_counted_absent(made):
    found = made("geo", published())
    assert (found["items"], found["gold"]) == ([], [])
    assert (found["counts"][0]["geo"]["kept"], found["counts"][0]["geo"]["absent"]) == (0, 19)


def test_a_map_goes_along_with_its_item(made):
    found = made("biogr", published())
    assert found["items"][0]["attachments"] == [{"sha256": sha256(PNG), "type": "image/png"}]
    assert [row["id"] for row in found["media"]] == [sha256(PNG)]
    assert json.loads(found["gold"][0]["gold"]["target"]) == BOX


def test_a_record_with_half_its_files_is_absent(made):
    files = published()
    del files["data/pdb/ground_truth/1AAA.json"]
    found = made("pdb", files)
    assert [row["id"] for row in found["items"]] == ["pdb-2BBB"]
    assert found["counts"][0]["pdb"]["first_absent"] == ["1AAA", "3CCC"]


def test_the_folder_above_and_what_a_file_manager_leaves_do_not_matter(made):
    files = {**published("CURIE/v1/"), "__MACOSX/CURIE/v1/pdb/inputs/._1AAA.json": b"\0", "CURIE/.DS_Store": b"\0"}
    assert len(made("pdb", files)["items"]) == 2


def test_two_copies_in_one_archive_are_refused(made):
    with pytest.raises(InputError, match="records of pdb lie in 2 folders"):
        made("pdb", {**published("a/"), **published("b/")})


def test_an_archive_of_something_else_is_refused(made):
    with pytest.raises(InputError, match="no record of the published layout"):
        made("pdb", {"readme.txt": b"x"})


@pytest.mark.parametrize(
    ("path", "data", "what"),
    [
        ("data/pdb/inputs/1AAA.json", b'{"record_id": "1AAA"}', "no text under `text`"),
        ("data/pdb/inputs/1AAA.json", b'{"text": "ATOM"}', "no text under `record_id`"),
        ("data/pdb/inputs/1AAA.json", b'{"record_id": "1AAA", "text": 7}', "no text under `text`"),
        ("data/pdb/inputs/1AAA.json", b'{"record_id": "1AAA", "text": "\\ud800"}', "lone surrogate"),
        ("data/pdb/inputs/1AAA.json", b"[]", "no JSON object"),
        ("data/pdb/inputs/1AAA.json", b"[" * 100_000, "not JSON"),
        ("data/pdb/inputs/1AAA.json", b'{"text": ' + b"1" * 100_000 + b"}", "not JSON"),
        ("data/pdb/inputs/1AAA.json", b"\xff\xfe", "not UTF-8"),
        ("data/pdb/ground_truth/1AAA.json", b"MKV", "the ground truth cannot be read"),
        ("data/pdb/ground_truth/1AAA.json", b"{" * 100_000, "the ground truth cannot be read"),
        ("data/pdb/ground_truth/1AAA.json", b'{"record_id": "1AAA"}', "no text `sequence`"),
        ("data/pdb/ground_truth/1AAA.json", b"\xff", "not UTF-8"),
    ],
)
def test_a_record_that_cannot_be_read_is_refused_by_its_path_or_counted(made, tmp_path, path, data, what):
    files = {**published(), path: data}
    with pytest.raises(InputError, match=what) as bad:
        made("pdb", files)
    assert bad.value.where == path
    (tmp_path / "out").rmdir()
    found = made("pdb", files, unusable="count")
    assert [row["id"] for row in found["items"]] == ["pdb-2BBB"]
    [(record, why)] = found["counts"][0]["pdb"]["unusable"].items()
    assert record == "1AAA" and what in why


def test_an_image_that_no_model_can_be_sent_is_refused_by_its_path(made):
    with pytest.raises(InputError, match="no image") as bad:
        made("biogr", {**published(), "data/biogr/inputs/map_1.png": b"GIF"})
    assert bad.value.where == "data/biogr/inputs/map_1.png"


@pytest.mark.parametrize("labels", [b'{"pdb": {"1AAA": "Trivial"}}', b'{"pdb": ["Easy"]}', b"[]"])
def test_labels_that_are_none_are_refused(made, labels):
    with pytest.raises(InputError) as bad:
        made("pdb", {**published(), "data/difficulty_levels.json": labels})
    assert bad.value.where.startswith("data/difficulty_levels.json")


def test_labels_are_read_under_the_older_name_of_a_domain(made):
    truth = json.dumps({"record_id": "1501.07779", "code_id": "toric"}).encode()
    files = {
        "qecc_65/inputs/1501.07779.json": b'{"record_id": "1501.07779", "text": "A paper."}',
        "qecc_65/ground_truth/1501.07779.json": truth,
        "difficulty_levels.json": b'{"qecc_85": {"1501.07779": "Hard"}}',
    }
    assert made("qecc", files)["items"][0]["meta"]["level"] == "hard"


def test_the_published_prompts_are_wanted_by_their_digest(made, tmp_path):
    said, given = foldered(tmp_path, "prompts", {"derivation_prompt.txt": b"Derive. {{text}}"})
    out = tmp_path / "o"
    out.mkdir()
    archive = zipped(tmp_path / "data.zip", published())
    with pytest.raises(InputError, match=r"fdae1b761ee0.* is wanted"):
        make({"task": "hfd", **said}, {"archive": archive, **given}, out)
