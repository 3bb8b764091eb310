"""`harness import`: a person's own copy of data, put where manifests find it."""

import json

import pytest
from support_inside import inner_data, inside

from harness.digest import sha256


def test_data_is_kept_by_its_digest(tmp_path):
    (tmp_path / "cities.csv").write_bytes(b"city\nArden\n")
    brought = inner_data("import", "data", "cities.csv", "--store", tmp_path / "store", cwd=tmp_path)
    digest = sha256(b"city\nArden\n")
    assert brought == {"kind": "data", "sha256": digest, "bytes": 11}
    assert (tmp_path / "store/blobs/sha256" / digest[:2] / digest).read_bytes() == b"city\nArden\n"


def test_the_published_dataset_is_counted_and_not_shown(tmp_path):
    row = {"benchmark": "addition", "instance_id": "1", "template": 1, "prompt": "secret", "target": "10",
           "difficulty": 5, "left": "3", "b": "7"}  # fmt: skip
    (tmp_path / "copy.jsonl").write_text(json.dumps(row) + "\n")
    words = ("import", "reliabilitybench", tmp_path / "copy.jsonl", "--store", tmp_path / "store")
    lacking = inside(*words, cwd=tmp_path)
    assert (lacking.returncode, "column `a`" in lacking.stderr) == (2, True)
    done = inside(*words, "--columns", '{"a": "left"}', cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "addition 1 instances, 1 prompts" in done.stdout
    assert "secret" not in done.stdout + done.stderr + lacking.stderr
    strange = inside(*words, "--columns", '{"left": "a"}', cwd=tmp_path)
    assert (strange.returncode, "--columns names `left`" in strange.stderr) == (2, True)


def test_a_table_without_names_of_columns_is_not_read_out(tmp_path):
    (tmp_path / "copy.csv").write_text("science,1,1,secret prompt,secret answer,C\n" * 2)
    done = inside("import", "reliabilitybench", tmp_path / "copy.csv", "--store", tmp_path / "store", cwd=tmp_path)
    assert (done.returncode, "the first line must name the columns" in done.stderr) == (2, True)
    assert "secret" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("import", "alchemy", "x"), "nothing is imported as 'alchemy'"),
        (("import", "data", "nothing-here"), "no such file"),
        (("import", "reliabilitybench", "copy", "--columns", "["), "not a JSON object"),
    ],
)
def test_what_cannot_be_imported_is_told_and_no_store_is_made_for_it(tmp_path, words, what):
    (tmp_path / "copy").write_text("{}\n")
    done = inside(*words, "--store", tmp_path / "store", cwd=tmp_path)
    assert done.returncode == 2
    assert what in done.stderr
    assert not (tmp_path / "store").exists()
