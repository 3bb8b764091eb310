"""The table of scores of a recorded run agrees with its stored rows; changed or missing ones are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import data_of, finished_project, harness, outputs_of, unlocked_project

from harness.errors import DamageError, InputError
from harness.run.attempts.score import agent_meaning, agent_scores, round_number
from harness.run.scores.table import ItemPlace, RunTables, require_showable, score_table
from harness.store.store import Store


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str, Path]:
    """Run some additions in fifteen wordings with two stand-ins."""
    folder = tmp_path_factory.mktemp("scored")
    finished_project(folder)
    run = data_of("runs", cwd=folder)["runs"][0]["run"]
    return Store.open(folder / ".harness"), run, folder


def test_shares_are_those_of_the_stored_rows(ran: tuple[Store, str, Path]) -> None:
    store, run, folder = ran
    rows = [json.loads(line) for line in harness("get", run, "scores", cwd=folder, check=0).stdout.splitlines()]
    for line in score_table(store, run).lines:
        own = [row["outcome"] for row in rows if row["model"] == line.model]
        label = {"": "c", "avoidant": "a", "incorrect": "i"}[line.metric]
        items = len({row["item"] for row in rows})
        assert line.n == len(own) == 15 * items and line.items == items > 3
        assert line.value == pytest.approx(own.count(label) / len(own), abs=1e-15)
        assert (line.dataset, line.scorer) == ("addition", "reliability.outcome")


def test_the_three_shares_of_a_model_add_up_to_one(ran: tuple[Store, str, Path]) -> None:
    lines = score_table(ran[0], ran[1]).lines
    for model in ("oracle", "noisy-oracle"):
        values = [line.value or 0 for line in lines if line.model == model]
        assert len(values) == 3 and sum(values) == pytest.approx(1)
    assert {line.value for line in lines if line.model == "oracle" and not line.metric} == {1}


def test_an_agent_is_told_six_digits_and_what_they_mean(ran: tuple[Store, str, Path]) -> None:
    table = score_table(ran[0], ran[1])
    one = [line for line in table.lines if line.model == "noisy-oracle"]
    told = agent_scores(type(table)(table.run, table.study, tuple(one), table.meanings))
    assert list(told) == [f"addition/reliability.outcome{end}" for end in ("", "/avoidant", "/incorrect")]
    for line in one:
        said = told[line.name]
        assert said["value"] == float(f"{line.value:.6g}") and (said["n"], said["errors"]) == (line.n, 0)
        assert said["unanswered"] == 0 and len(said["ci95"]) == 2 and "at_worst" not in said
    meaning = agent_meaning(table)
    assert meaning["reliability.outcome"]["direction"] == "higher" and len(meaning) == 3
    assert round_number(2 / 3) == 0.666667 and round_number(123456789.0) == 123457000.0


@pytest.mark.long
def test_the_document_of_a_table_is_json_and_names_each_line(ran: tuple[Store, str, Path]) -> None:
    said = json.loads(json.dumps(score_table(ran[0], ran[1]).document()))
    assert len(said["scores"]) == 6 and set(said["meanings"]) == {
        "reliability.outcome", "reliability.outcome/avoidant", "reliability.outcome/incorrect",
    }  # fmt: skip
    assert all({"model", "dataset", "scorer", "metric", "n", "errors"} <= set(line) for line in said["scores"])


def test_a_table_made_twice_is_the_same(ran: tuple[Store, str, Path]) -> None:
    assert score_table(ran[0], ran[1]) == score_table(ran[0], ran[1])


@pytest.mark.long
def test_a_run_of_no_scores_has_an_empty_table(tmp_path: Path) -> None:
    manifest = unlocked_project(tmp_path)
    text = manifest.read_text().split("models:")[0] + "datasets:\n  addition: "
    manifest.write_text(text + "{make: reliability.addition, seed: 7, count: 12}\n")
    harness("lock", manifest, cwd=tmp_path, check=0)
    run = data_of("run", manifest, cwd=tmp_path)["runs"][0]["run"]
    assert score_table(Store.open(tmp_path / ".harness"), run).lines == ()


def test_a_run_that_is_not_there_is_refused(ran: tuple[Store, str, Path]) -> None:
    with pytest.raises((DamageError, InputError)):
        score_table(ran[0], "20260101T000000Z-00000000")


@pytest.mark.long
def test_scores_that_were_changed_later_are_refused(ran: tuple[Store, str, Path]) -> None:
    store, _, folder = ran
    again = data_of("run", "manifests/small.yaml", "--limit", "3", cwd=folder)
    assert {line.items for line in score_table(store, again["runs"][0]["run"]).lines} == {3}
    blob = store.blobs.path(outputs_of(again)["scores"])
    blob.chmod(0o600)
    blob.write_bytes(blob.read_bytes().replace(b'"outcome":"c"', b'"outcome":"a"', 1))
    with pytest.raises(DamageError):
        score_table(Store.open(folder / ".harness"), again["runs"][0]["run"])


def test_rows_of_people_who_are_asked_nothing_have_a_place_too(
    ran: tuple[Store, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunTables, "made", lambda *_: iter([("people", {"id": "person-1", "group": "young"})]))
    tables = RunTables.of(ran[0], ran[1])
    require_showable(tables)
    assert tables.places == {"person-1": ItemPlace("people")}
