"""Published answers become rows of the provider `imported`, from either layout, and a folder of them is not trusted."""

import json
import os
from pathlib import Path

import pytest
from support_inside import inner_data, inside

from harness import rows
from harness.errors import InputError
from harness.models.providers import imported
from harness.models.providers.imported import read_imported_rows
from harness.studies.curie.data import response_files, responses_import
from harness.studies.curie.data.responses_import import LEFT_OUT, normalise
from harness.verbs import importing

HFE, PDB = "extract_hamiltonian_0_shot", "reconstruct_protein_amino_acid_sequence_0_shot"
SAID = {"record_id": "r", "response_text": "H = 0", "prompt_text": "P"}


@pytest.fixture
def folder(tmp_path):
    """Lay files down, each an object or its bytes, under the path of its layout."""

    def write(files):
        for path, value in files.items():
            place = tmp_path / "root" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return tmp_path / "root"

    return write


def outputs(model="m", record="r", state="success", domain="hfe", prompt=HFE):
    return f"inference_outputs/{domain}/{prompt}/{model}/{state}/{record}.json"


def inference(run, model="m", record="r", state="success"):
    return f"inference/hfe/{HFE}/{model}/run_{run}/{state}/{record}.json"


def test_an_answer_becomes_a_row_of_its_item_model_and_sample(folder):
    found, counts = normalise(folder({outputs("gpt-4o", "1010.1819"): SAID}), {})
    assert found == [
        {"item": "hfe-1010.1819", "template": 1, "model": "gpt-4o", "sample": 0, "text": "H = 0"}
    ]  # fmt: skip
    assert counts == {"gpt-4o": {
        "instances": 1, "prompts": 1, "errors": 0, "blank": 0, "skipped": 0, "first_skipped": [], "runs": {"hfe": []},
    }}  # fmt: skip


def test_runs_become_samples_in_their_order_whatever_their_numbers(folder):
    files = {inference(run): {**SAID, "response_text": f"run {run}"} for run in (1, 2, 10)}
    found, counts = normalise(folder(files), {})
    assert [(row["sample"], row["text"]) for row in found] == [(0, "run 1"), (1, "run 2"), (2, "run 10")]
    assert counts["m"]["runs"] == {"hfe": [1, 2, 10]}


@pytest.mark.parametrize("layout", ["inference_outputs", "inference"])
def test_the_folder_of_a_layout_may_be_named_itself(folder, layout):
    root = folder({outputs(): SAID, inference(0): SAID})
    assert len(normalise(root / layout, {})[0]) == 1


def test_one_prompt_answered_in_both_layouts_is_refused(folder):
    with pytest.raises(InputError, match="both layouts"):
        normalise(folder({outputs(): SAID, inference(0): SAID}), {})


def test_a_failure_becomes_a_row_with_its_message(folder):
    [row], counts = normalise(folder({outputs(state="failure"): {"exception_message": "429"}}), {})
    assert (row["text"], row["error"], row["finish"]) == ("", "429", "error")
    assert counts["m"]["errors"] == 1


def test_a_failure_beside_an_answer_keeps_both(folder):
    [row], _ = normalise(folder({outputs(): SAID, outputs(state="failure"): {"exception_message": "late"}}), {})
    assert (row["text"], row["error"]) == ("H = 0", "late")


def test_a_failure_without_words_is_an_error_all_the_same(folder):
    [row], _ = normalise(folder({outputs(state="failure"): {"exception_message": " "}}), {})
    assert row["error"] == "a failure without a message"


def test_a_failure_of_command_r_may_have_its_message_as_a_response(folder):
    told = {"response_text": "too long"}
    failed = {outputs(name, state="failure"): told for name in ("command-r-plus", "other")}
    found, counts = normalise(folder(failed), {})
    assert [row["error"] for row in found] == [
        "too long", "not to be read: the file of a response has no text `exception_message`"
    ]  # fmt: skip
    assert [counts[name]["skipped"] for name in ("command-r-plus", "other")] == [0, 1]


def test_a_record_with_no_file_of_a_model_is_an_empty_answer_without_error(folder):
    found, counts = normalise(folder({outputs("a", "r1"): SAID, outputs("b", "r2"): SAID}), {})
    assert [(row["model"], row["item"], row["text"], "error" in row) for row in found] == [
        ("a", "hfe-r1", "H = 0", False), ("a", "hfe-r2", "", False),
        ("b", "hfe-r1", "", False), ("b", "hfe-r2", "H = 0", False),
    ]  # fmt: skip
    assert (counts["a"]["blank"], counts["a"]["prompts"]) == (1, 2)


@pytest.mark.parametrize("above", ["", "data/"])
def test_a_record_that_only_its_ground_truth_knows_is_an_empty_answer_too(folder, above):
    found, _ = normalise(folder({outputs(): SAID, f"{above}hfe/ground_truth/s.json": {}}), {})
    assert [(row["item"], row["text"]) for row in found] == [("hfe-r", "H = 0"), ("hfe-s", "")]


def test_a_run_is_not_filled_up(folder):
    found, _ = normalise(folder({inference(0, record="r1"): SAID, inference(1, record="r2"): SAID}), {})
    assert [(row["item"], row["sample"]) for row in found] == [("hfe-r1", 0), ("hfe-r2", 1)]


def test_every_success_of_a_path_is_replaced_to_find_the_failure(folder):
    files = {outputs("success-1"): SAID, outputs("failure-1", state="failure"): {"exception_message": "so it is"}}
    found, _ = normalise(folder(files), {})
    assert {row["model"]: row["error"] for row in found} == {"success-1": "so it is", "failure-1": "so it is"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"record_id": "r"}, "no text `response_text`"),
        ({"response_text": None}, "no text `response_text`"),
        ([], "no object"),
        (b"", ""),
        (b"[" * 100_000, ""),
        (b'{"response_text": ' + b"1" * 10_000 + b"}", ""),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"response_text": "\\ud800"}', "not Unicode"),
    ],
)
def test_a_file_that_the_notebooks_skip_is_an_error_and_counted(folder, data, why):
    [row], counts = normalise(folder({outputs(): data}), {})
    assert row["error"].startswith("not to be read: ") and why in row["error"]
    assert (counts["m"]["skipped"], counts["m"]["first_skipped"]) == (1, [outputs()])


def test_a_protein_needs_its_prompt(folder):
    said = {"response_text": ">x\nMK"}
    files = {
        outputs(record="a", domain="pdb", prompt=PDB): said,
        outputs(record="b", domain="pdb", prompt=PDB): {**said, "prompt_text": "ATOM"},
    }
    first, second = normalise(folder(files), {})[0]
    assert "prompt_text" in first["error"]
    assert (second["item"], second["text"], "error" in second) == ("pdb-b", ">x\nMK", False)


def test_a_folder_above_that_is_called_pdb_changes_nothing(folder, tmp_path):
    root = folder({outputs(): {"response_text": "H"}})
    moved = root.rename(tmp_path / "pdb-success")
    [row], _ = normalise(moved, {})
    assert (row["text"], "error" in row) == ("H", False)


def test_what_is_no_answer_to_a_task_is_left_out_and_counted(folder):
    files = {
        outputs(): SAID, outputs(prompt="mat_paper_to_property_2_shot", domain="mpve"): SAID,
        outputs(prompt=HFE, domain="hfd"): SAID, outputs().replace("success", "other"): SAID,
        outputs().replace(".json", ".txt"): b"", "inference_outputs/notes.md": b"", "inference_outputs/.DS_Store": b"",
        "inference_outputs/hfe/p/m/success/deep/er/x.json": b"", inference("x").replace("run_x", "runs"): SAID,
    }  # fmt: skip
    found, counts = normalise(folder(files), {})
    assert [row["item"] for row in found] == ["hfe-r"]
    assert (counts[LEFT_OUT]["files"], len(counts[LEFT_OUT]["first"])) == (8, 5)


def test_links_are_not_followed(folder, tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "r2.json").write_text(json.dumps(SAID))
    root = folder({outputs(): SAID})
    place = root / Path(outputs()).parent
    (place / "r3.json").symlink_to(tmp_path / "away" / "r2.json")
    (root / "inference_outputs" / "hfe" / HFE / "linked").symlink_to(tmp_path / "away")
    (root / "inference").symlink_to(tmp_path / "away")
    os.mkfifo(place / "r4.json")
    found, counts = normalise(root, {})
    assert [row["item"] for row in found] == ["hfe-r"]
    assert counts[LEFT_OUT]["files"] == 3


@pytest.mark.parametrize("name", ["a+++b", "a$$b", "a b", "a\nb", "é", "x" * 130])
def test_an_odd_name_is_refused_and_shown_in_ascii(folder, name):
    with pytest.raises(InputError, match="no name") as bad:
        normalise(folder({outputs(name): SAID}), {})
    assert bad.value.where.isascii() and bad.value.where.isprintable()


def test_a_file_that_is_too_large_is_no_answer(folder, monkeypatch):
    monkeypatch.setattr(response_files, "LARGEST", 10)
    [row], _ = normalise(folder({outputs(): SAID}), {})
    assert "more than 10 bytes" in row["error"]


def test_too_many_files_are_refused(folder, monkeypatch):
    monkeypatch.setattr(response_files, "MOST_ENTRIES", 6)
    root = folder({outputs(record=f"r{number}"): SAID for number in range(3)})
    with pytest.raises(InputError, match="more than 6 files"):
        normalise(root, {})


def test_models_and_records_that_multiply_to_too_many_answers_are_refused(folder, monkeypatch):
    monkeypatch.setattr(response_files, "MOST_ENTRIES", 20)
    root = folder({outputs(f"m{number}", f"r{number}"): SAID for number in range(5)})
    with pytest.raises(InputError, match="more than 20 answers"):
        normalise(root, {})


def test_answers_that_are_too_long_together_are_refused(folder, monkeypatch):
    monkeypatch.setattr(responses_import, "MOST_TEXT", 8)
    with pytest.raises(InputError, match="too long together"):
        normalise(folder({outputs(record="a"): SAID, outputs(record="b"): SAID}), {})


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"x.json": b""}, "no folder of answers"),
        ({"inference_outputs/notes.md": b""}, "no answers to the tasks"),
        ({outputs(prompt="mine"): SAID}, "no answers to the tasks"),
    ],
)
def test_a_folder_without_answers_is_refused(folder, files, what):
    with pytest.raises(InputError, match=what):
        normalise(folder(files), {})


def test_columns_are_refused(folder):
    with pytest.raises(InputError, match="no columns"):
        normalise(folder({outputs(): SAID}), {"text": "answer"})


def test_the_provider_imported_joins_the_rows_with_their_prompts(folder, tmp_path):
    found, _ = normalise(folder({inference(1): SAID, inference(2, state="failure"): {"exception_message": "429"}}), {})
    rows.write(tmp_path / "rows", found)
    assert [row for _, row in read_imported_rows(tmp_path / "rows")] == found
    rows.write(tmp_path / "prompts", [{"item": "hfe-r", "template": 1, "text": "P"}])
    inputs = {"imported": tmp_path / "rows", "prompts": tmp_path / "prompts"}
    imported.respond({"model": "mine", "of": "m", "seeds": [0, 1]}, inputs, tmp_path)
    answers = list(rows.read(tmp_path / "responses"))
    assert [(row["model"], row["sample"], row["text"], row.get("error")) for row in answers] == [
        ("mine", 0, "H = 0", None), ("mine", 1, "", "429"),
    ]  # fmt: skip


def test_import_brings_a_folder_of_answers_into_the_store(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "importers", lambda: {"curie-responses": normalise})
    words = ("import", "curie-responses", folder({outputs("gpt-4o"): SAID}), "--store", tmp_path / "store")
    brought = inner_data(*words, cwd=tmp_path)
    assert (brought["rows"], brought["models"]) == (1, {"gpt-4o": 1})
    kept = tmp_path / "store" / "blobs" / "sha256" / brought["sha256"][:2] / brought["sha256"]
    assert [row["text"] for _, row in read_imported_rows(kept)] == ["H = 0"]
    assert "gpt-4o 1 instances, 1 prompts" in inside(*words, cwd=tmp_path, check=0).stdout
