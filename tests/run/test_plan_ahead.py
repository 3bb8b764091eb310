"""`plan` says what a run would execute and why, changes nothing, and says of what is unknown that it is unknown."""

from __future__ import annotations

import json
import math
import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import REPOSITORY, tree
from support_draws import drawn
from support_edits import DATA, MANIFEST, Edit, edits, finished_ground, require_foreseen, try_edit
from support_inside import inner_data, inside

from harness.errors import InputError
from harness.manifest.load import load_manifest
from harness.run.executing.forecast import PRICED, AskingForecast, add_forecasts
from harness.run.plan_ahead import (
    LONGEST,
    SHORTEST,
    AskedFamily,
    Measure,
    estimate_time,
    format_seconds,
    model_pace,
    propose_shard,
)
from harness.run.planning.plan import check_manifest
from harness.steps import Plan, Ref, Step

pytestmark = pytest.mark.together

CHEAP = [one for one in edits() if one.ground == "quiz" and "samples" not in one.new and "shard" not in one.old]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return finished_ground("quiz", tmp_path / "quiz")


def planned(project: Path, *more: str) -> dict[str, Any]:
    """Plan the project's manifest, and require that this changed none of its files."""
    before = tree(project)
    [said] = inner_data("plan", MANIFEST, *more, cwd=project)["plans"]
    assert tree(project) == before, "a plan changed a file"
    return dict(said)


def reasons(said: dict[str, Any], action: str) -> set[tuple[str, str]]:
    return {
        (one["kind"], one["text"]) for each in said["groups"] if each["action"] == action for one in each["reasons"]
    }


def test_what_ran_is_reused_and_nothing_else_is_said(project: Path) -> None:
    said = planned(project)
    assert said["steps"] == {"rerun": 0, "rescored": 0, "remade": 0, "reused": 17} and said["groups"] == []
    assert [(one["model"], one["reused"]) for one in said["items"]] == [("half", 6), ("right", 6)]
    assert said["time"]["text"] == "nothing to do" and said["money"]["dollars"] == "0" and said["lock"] == []
    [run] = [path.name for path in (project / ".harness" / "runs").iterdir()]
    assert said["compared_with"] == run and "none needed" in said["shard"]["text"]


@pytest.mark.long
@pytest.mark.parametrize("edit", drawn(CHEAP, 1, 2), ids=str)
def test_a_run_executes_what_the_plan_of_an_edit_says(edit: Edit, tmp_path: Path) -> None:
    require_foreseen(try_edit(edit, tmp_path))


EDITS = [
    ("seeds: [0]", "seeds: [1]", "rerun", ("sampling", "seeds/0 0 → 1")),
    ("max_tokens: 8", "max_tokens: 9", "rerun", ("sampling", "generation/max_tokens 8 → 9")),
    ("Question: {q", "Q: {q", "rerun", ("prompt wording", 'wordings/0/text "Question: {question}" → "Q: {question}"')),
    ("coin-oracle", "echo", "rerun", ("model", 'behaviour "coin-oracle" → "echo"')),
    ("datasets:", "  new: {provider: baseline, behaviour: echo}\ndatasets:", "rerun", ("new", "new")),
    ("[exact]", "[exact, match]", "rescored", ("new", "capitals/scores/match/half")),
    ("shard: 3", "shard: 2", "rerun", ("shards", "size 3 → 2")),
]


@pytest.mark.parametrize(("old", "new", "action", "reason"), EDITS, ids=[one[1] for one in EDITS])
def test_each_edit_has_its_reason_before_the_manifest_is_locked_again(
    project: Path, old: str, new: str, action: str, reason: tuple[str, str]
) -> None:
    Edit("quiz", MANIFEST, old, new).apply(project)
    said = planned(project)
    assert said["lock"] and reason in reasons(said, action)
    assert said["time"]["seconds"] is None or said["time"]["seconds"] > 0
    told = inside("plan", MANIFEST, cwd=project, check=0).stdout
    assert ": ".join(filter(None, reason)) in told and "the lock no longer fits" in told


def test_edited_rows_are_planned_as_soon_as_they_are_locked_and_name_their_file(project: Path) -> None:
    Edit("quiz", DATA, "of France?", "of  France?").apply(project)
    before = tree(project)
    told = json.loads(inside("plan", MANIFEST, "--json", cwd=project, check=2).stderr)["error"]
    assert "is not made yet" in told["what"] and f"`harness lock {MANIFEST}`" in told["next"]
    assert tree(project) == before
    inside("lock", MANIFEST, cwd=project, check=0)
    said = planned(project)
    assert {kind for kind, _ in reasons(said, "rerun")} == {"data"} and ("data", DATA) in reasons(said, "rerun")
    assert {one["model"]: (one["rerun"], one["reused"]) for one in said["items"]} == {"half": (3, 3), "right": (3, 3)}


def test_a_result_that_is_lost_is_made_again_and_said_to_be_lost(project: Path) -> None:
    [run] = (project / ".harness" / "runs").iterdir()
    events = [json.loads(line) for line in (run / "journal.jsonl").read_bytes().splitlines()]
    [lost] = [one for one in events if one.get("step") == "capitals/responses/half/part-00001"]
    (project / ".harness" / "keys" / lost["key"][:2] / f"{lost['key']}.json").unlink()
    said = planned(project)
    assert said["steps"] == {"rerun": 1, "rescored": 1, "remade": 3, "reused": 12}
    for action in ("rerun", "rescored", "remade"):
        assert {kind for kind, _ in reasons(said, action)} == {"lost or damaged"}
    assert [one["sure"] for one in said["groups"]] == [True, False, False, False, False]


def test_without_a_store_everything_is_new_and_no_number_is_made_up(project: Path) -> None:
    shutil.rmtree(project / ".harness")
    said = planned(project)
    assert said["steps"]["reused"] == 0 and {kind for kind, _ in reasons(said, "rerun")} == {"new"}
    assert said["time"]["seconds"] is None and said["time"]["unknown"] == 17 and said["compared_with"] == ""
    assert all(one["seconds"] is None for one in said["groups"]) and said["shard"]["proposed"] is None
    assert not (project / ".harness").exists()


PAID = """\
  free: {provider: openai, model: a, tape: record}
  dear: {provider: openai, model: b, tape: record, prices: {input: 2, output: 10}}
"""


def test_a_cost_that_is_not_known_is_said_to_be_unknown(project: Path) -> None:
    Edit("quiz", MANIFEST, "datasets:", f"{PAID}datasets:").apply(project)
    said = planned(project)
    money, asking = said["money"], {one["model"]: one for one in said["asking"]}
    assert money["dollars"] is None and money["unknown"] == ["free"]
    assert "unknown (free: unknown: the manifest states no `prices`), and at most" in money["text"]
    assert asking["free"]["dollars"] is None and Decimal(asking["dear"]["dollars"]) > 0
    unbounded = (project / MANIFEST).read_text().replace("generation: {max_tokens: 8}\n", "")
    (project / MANIFEST).write_text(unbounded)
    said = planned(project)
    assert said["output_tokens"] is None and not said["money"]["bounded"] and "at least" in said["money"]["text"]


def test_a_study_without_shards_takes_none(tmp_path: Path) -> None:
    for name in ("manifests", "lockfiles"):
        (tmp_path / name).mkdir()
    demo = (REPOSITORY / "manifests" / "demo" / "brain.yaml").read_text()
    (tmp_path / MANIFEST).write_text(demo)
    check_manifest(load_manifest(tmp_path / MANIFEST))
    (tmp_path / MANIFEST).write_text(f"{demo}\nshard: 5\n")
    with pytest.raises(InputError, match="study brain cuts nothing into shards"):
        check_manifest(load_manifest(tmp_path / MANIFEST))


def forecast(dollars: str | None) -> AskingForecast:
    return AskingForecast(
        "models", "m", 1, 0, 10, "", 5, "live", None if dollars is None else Decimal(dollars), 0, PRICED
    )


@pytest.mark.parametrize(
    ("parts", "whole"),
    [(("1", "2"), "3"), (("1", None), None), ((None, "1"), None), (("0", None), None), ((None, None), None)],
)
def test_a_cost_that_is_unknown_in_part_is_unknown_in_all(parts: tuple[str | None, ...], whole: str | None) -> None:
    found = add_forecasts(map(forecast, parts))
    assert found.dollars == (None if whole is None else Decimal(whole))
    assert found.money.startswith("unknown") == (whole is None)


@given(
    before=st.floats(0, 30),
    per=st.floats(0.001, 400),
    sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=6),
    answers=st.lists(st.integers(1, 5000), min_size=1, max_size=8),
)
def test_a_proposed_shard_takes_one_to_five_minutes_by_its_measures(
    before: float, per: float, sizes: list[int], answers: list[int]
) -> None:
    pace = model_pace([Measure("r", round(1000 * (before + per * size)), size) for size in sizes])
    assert pace
    found = propose_shard([AskedFamily("d/responses/m", "m", pace, tuple(answers))], "m.yaml")
    assert "run r" in found.text
    longest = max(map(pace.seconds, answers))
    if found.shard is None:
        short = len(answers) == 1 or pace.seconds(sum(answers)) <= SHORTEST
        assert longest <= LONGEST and (longest >= SHORTEST or short)
    else:
        assert found.proposed_seconds
        limits = found.proposed_seconds <= LONGEST or found.shard == 1
        assert limits and (found.proposed_seconds >= SHORTEST or found.shard >= min(sum(answers), 100_000))


def test_without_a_measure_no_shard_is_proposed_and_it_is_said_how_to_get_one() -> None:
    found = propose_shard([AskedFamily("d/responses/m", "m", None, (5, 5))], "manifests/a.yaml")
    assert found.shard is None and found.seconds is None
    assert "no run in this store measured m" in found.text and "harness run --limit 5 manifests/a.yaml" in found.text


def test_measures_of_two_sizes_tell_the_start_from_the_answers() -> None:
    pace = model_pace([Measure("r", 12_000, 10), Measure("r", 30_000, 100)])
    assert pace and math.isclose(pace.per_answer, 0.2) and math.isclose(pace.before, 10)
    whole = model_pace([Measure("r", 12_000, 10), Measure("r", 14_000, 12)])
    assert whole and whole.before == 0 and math.isclose(whole.per_answer, 26 / 22)
    assert model_pace([]) is None and model_pace([Measure("r", 5, 0)]) is None


def test_time_is_the_longest_chain_or_all_of_it_shared_and_never_that_of_what_nobody_measured() -> None:
    steps = (
        Step("a", "k", "rows", {}, {}, ("o",)),
        Step("b", "k", "rows", {}, {"i": Ref("a", "o")}, ("o",)),
        Step("c", "k", "rows", {}, {}, ("o",)),
    )
    plan = Plan(steps, {})
    assert estimate_time(plan, {"a": 2.0, "b": 3.0, "c": 1.0}, 2).elapsed == 5.0
    assert estimate_time(plan, {"a": 1.0, "c": 5.0}, 1).elapsed == 6.0
    some = estimate_time(plan, {"a": 1.0, "b": None}, 1)
    assert (some.measured, some.unknown) == (1, 1) and "1 step that no run measured" in some.text
    none = estimate_time(plan, {"b": None}, 1)
    assert re.match("unknown", none.text)
    assert [format_seconds(one) for one in (0.4, 12, 210, 7560, 345_600)] == [
        "0.4 s", "12 s", "3.5 min", "2.1 h", "4.0 days",
    ]  # fmt: skip
