"""`new` reads workbooks, mixed files, several files, folders and data sets of the hub, and locks what it writes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.handmade_xlsx import number, write_xlsx
from studies.questions.data.test_sources import PNG
from support_hub import COMMIT, HubDataset, hub_at_loopback

from harness.errors import InputError
from harness.manifest.load import load_manifest
from harness.run.scores.table import RunTables
from harness.run.service import RunTarget, run_manifest
from harness.store.store import Store
from harness.verbs.project import Project
from harness.verbs.requests import NewRequest
from harness.verbs.starting import NewResult, new

CAPITALS = "question,answer\nCapital of France?,Paris\nCapital of Italy?,Rome\n"


def made(folder: Path, source: str, **more: Any) -> tuple[NewResult, Any]:
    """Write a manifest `mine` for a source; gives the result, and what the manifest means."""
    done = new(Project.at(folder), NewRequest(name="mine", source=source, models=["oracle=baseline/oracle"], **more))
    return done, load_manifest(folder / done.manifest).manifest.intent()


def refused(folder: Path, source: str, **more: Any) -> InputError:
    """Give the error by which a source is refused, before anything is written."""
    with pytest.raises(InputError) as error:
        made(folder, source, **more)
    assert error.value.next and not (folder / "manifests" / "mine.yaml").exists()
    return error.value


def test_a_workbook_is_read_as_a_csv_file_is(tmp_path: Path) -> None:
    rows = [["question", "answer"], ["What is 6 x 7?", number("42")], ["What is 1 + 1?", number("2")]]
    write_xlsx(tmp_path / "sums.xlsx", {"Sums": rows, "Other": rows})
    assert "'Sums', 'Other'" in refused(tmp_path, "sums.xlsx").next
    done, meant = made(tmp_path, "sums.xlsx", part="Sums")
    assert done.rows == 2 and meant["datasets"]["mine"]["part"] == "Sums"
    assert meant["settings"]["score"] == ["number", "exact"]
    assert "--part Sums" in (tmp_path / done.manifest).read_text().splitlines()[0]


def test_a_mixed_file_gets_scorers_for_rows_with_options_and_for_others(tmp_path: Path) -> None:
    text = "question,answer,a,b,c\nCapital of France?,B,Rome,Paris,Oslo\nWhat is 6 x 7?,42,,,\n"
    (tmp_path / "mixed.csv").write_text(text)
    done, meant = made(tmp_path, "mixed.csv")
    score = {"with_options": [{"choice": {"from": "options", "by": "letter"}}], "without_options": ["number", "exact"]}
    assert done.rows == 2 and meant["datasets"]["mine"]["score"] == score
    assert "settings" not in meant and "if there are options" in meant["prompts"]["text"]


def test_a_column_that_names_scorers_is_taken_for_that(tmp_path: Path) -> None:
    text = "question,answer,a,b,scorer\nCapital of France?,B,Rome,Paris,choice\n6 x 7?,42,,,number|exact\n"
    (tmp_path / "mixed.csv").write_text(text)
    done, meant = made(tmp_path, "mixed.csv")
    assert meant["datasets"]["mine"]["fields"]["scorer"] == "scorer"
    assert meant["settings"]["score"] == ["exact", "number", {"choice": {"from": "options", "by": "letter"}}]
    assert any(line.startswith("scorer: 'scorer'") for line in done.guesses)


def test_a_column_of_that_name_with_anything_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mixed.csv").write_text("question,answer,metric\nHow long?,3,metre\nHow heavy?,4,kilogram\n")
    _, meant = made(tmp_path, "mixed.csv")
    assert "scorer" not in meant["datasets"]["mine"]["fields"]


def test_a_pattern_names_several_files(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("b", "a"):
        (tmp_path / "data" / f"{name}.csv").write_text(CAPITALS.replace("Paris", name))
    done, meant = made(tmp_path, "data/*.csv")
    assert (done.rows, done.file, done.copied) == (4, "data/*.csv", False)
    assert meant["datasets"]["mine"]["file"] == "data/*.csv"
    (tmp_path / done.manifest).unlink()
    assert "no file is called" in refused(tmp_path, "data/*.tsv").what


def test_a_folder_outside_the_project_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text("First?")
    error = refused(tmp_path / "project", "../texts")
    assert "not in the project" in error.what and "copy their folder" in error.next


def test_a_folder_of_texts_has_an_item_for_each(tmp_path: Path) -> None:
    texts = tmp_path / "data" / "reviews"
    for name, text in (
        ("good/1.txt", "Lovely."),
        ("good/2.txt", "Fine."),
        ("bad/1.txt", "Awful."),
        ("bad/2.txt", "No."),
    ):
        (texts / name).parent.mkdir(parents=True, exist_ok=True)
        (texts / name).write_text(text)
    done, meant = made(tmp_path, "data/reviews")
    mine = meant["datasets"]["mine"]
    assert (done.rows, mine["file"]) == (4, "data/reviews/")
    assert (mine["fields"]["input"], mine["fields"]["target"]) == ("text", "folder")
    assert meant["settings"]["score"] == ["match", "exact"] and "bad, good" in meant["prompts"]["text"]


@pytest.mark.long
def test_a_folder_of_images_asks_what_they_show(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for name in ("cat_1", "dog_1"):
        (tmp_path / "pictures" / f"{name}.png").write_bytes(PNG)
    done, meant = made(tmp_path, "pictures/")
    fields = meant["datasets"]["mine"]["fields"]
    assert (done.rows, fields["image"], fields["target"]) == (2, "image", "label")
    assert "What does the picture show?" in meant["prompts"]["text"]
    place = RunTarget(tmp_path / ".harness")
    ran = run_manifest(load_manifest(tmp_path / done.manifest), place, lambda *_: None)
    tables = RunTables.of(Store.open(place.store), ran.record.run)
    assert all(len(row["attachments"]) == 1 for row in tables.rows("prompts", dict))
    assert [row["value"] for row in tables.rows("scores", dict)] == [1] * 4


def test_a_data_set_of_the_hub_needs_its_revision_which_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_at_loopback() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        files = {"test.csv": CAPITALS.encode(), "train.csv": CAPITALS.encode()}
        hub.datasets["me/capitals"] = HubDataset({COMMIT: files}, {"main": COMMIT})
        assert f"hf:me/capitals@{COMMIT}" in refused(tmp_path, "hf:me/capitals").next
        assert "default/test, default/train" in refused(tmp_path, f"hf:me/capitals@{COMMIT}").next
        assert "no data set of the hub" in refused(tmp_path, "hf:capitals").what
        done, meant = made(tmp_path, f"hf:me/capitals@{COMMIT}", part="test")
    assert done.rows == 2 and meant["datasets"]["mine"]["part"] == "test"


def test_ten_thousand_columns_are_refused_in_a_line_and_at_once(tmp_path: Path) -> None:
    names = ["question", "answer", *(f"column {at}" for at in range(10_000))]
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{','.join('x' for _ in names)}\n")
    began = time.monotonic()
    error = refused(tmp_path, "wide.csv")
    assert "more than 2,000 columns" in error.what and len(str(error)) < 500
    assert time.monotonic() - began < 30
