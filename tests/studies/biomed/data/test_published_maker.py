"""The maker of published questions: the whole file, a sample or a part of a split, with its prompts."""

import pytest
from support_biomed_data import question, read_rows, written

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.biomed.data import prompts
from harness.studies.biomed.data.prompts import SYSTEM
from harness.studies.biomed.data.published import make

TABLE = [question(f"{name}.{number}", name) for name, size in (("Q5", 6), ("Q2", 4)) for number in range(1, size + 1)]


@pytest.fixture
def made(tmp_path):
    """Make the questions of TABLE, and give their ids and counts."""

    def make_rows(**params):
        make(params, {"set": written(tmp_path / "set.csv", TABLE)}, tmp_path)
        items, [counts] = read_rows(tmp_path, "items", "counts")
        return [row["id"] for row in items], counts["biomed"]

    return make_rows


def test_without_more_words_the_file_is_taken_whole_and_in_its_order(made):
    ids, counts = made()
    assert ids == [row["uuid"] for row in TABLE]
    assert (counts["source"], counts["rows"], counts["kept"]) == ("published", 10, 10)


def test_rows_draws_the_published_sample(made):
    ids, counts = made(rows=2)
    assert [name.partition(".")[0] for name in ids] == ["Q2", "Q2", "Q5", "Q5"]
    assert (counts["rows"], counts["kept"]) == (10, 4)


def test_the_test_part_is_the_sample_and_train_the_rest(made):
    test, counts = made(split="disjoint", rows=2)
    train, _ = made(split="disjoint", rows=2, part="train")
    assert test == made(rows=2)[0]
    assert sorted((*test, *train)) == sorted(row["uuid"] for row in TABLE)
    assert (counts["part"], counts["split"], counts["overlap"]) == ("test", "disjoint", 0)


def test_the_official_train_part_overlaps_and_the_counts_say_so(made):
    train, counts = made(split="official", rows=4, part="train")
    assert (train, counts["overlap"], counts["in_neither"]) == (["Q2.3", "Q2.4"], 2, 2)


def test_a_part_without_a_question_is_refused(made):
    with pytest.raises(InputError, match="the part train holds no question"):
        made(split="disjoint", part="train")


def test_a_part_of_no_split_is_refused(made):
    with pytest.raises(InputError, match="a part of what"):
        made(part="test")


def test_our_own_system_prompt_is_asked_and_named(made, tmp_path):
    _, counts = made()
    [[first, *_]] = read_rows(tmp_path, "rendered")
    assert first["messages"][0]["content"] == SYSTEM
    assert counts["system_prompt"] == "ours, system-1"
    assert not (tmp_path / "grading_prompt").exists()


def test_the_published_prompts_are_asked_where_they_come_along(tmp_path, monkeypatch):
    config, texts = tmp_path / "config.yaml", {"system_prompt": "Persona.", "bioscore_grading_prompt": "{question}"}
    config.write_text("a: 'Persona. '\nb: '{question}'\n")
    monkeypatch.setattr(prompts, "CONFIG_SHA256", sha256(config.read_bytes()))
    monkeypatch.setattr(prompts, "PROMPT_SHA256", {name: sha256(text.encode()) for name, text in texts.items()})
    make({"turns": "joined"}, {"set": written(tmp_path / "set.csv", TABLE), "config": config}, tmp_path)
    [first, *_], [grading], [counts] = read_rows(tmp_path, "rendered", "grading_prompt", "counts")
    assert first["text"] == "Persona.What is Q5.1?"
    assert str(grading) == "{question}"
    assert counts["biomed"]["system_prompt"] == "published"
