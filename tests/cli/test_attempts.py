"""An attempt made by hand on the command line: the same calls, the same answers, the same errors as an agent's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import error_of, harness, unlocked_project
from support_inside import inner_data, inside
from support_scored import STUDY, open_project, played, sum_of

from harness import verbs
from harness.errors import InputError
from harness.store.attempts import read_transcript

pytestmark = pytest.mark.together
MANIFEST = f"manifests/{STUDY}.yaml"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return open_project(tmp_path_factory.mktemp("line") / "project").folder


def started(project: Path, *more: str) -> str:
    return str(inner_data("attempts", "start", MANIFEST, "dev", *more, cwd=project)["attempt_id"])


def called(project: Path, tool: str, args: dict[str, Any]) -> dict[str, Any]:
    with verbs.AttemptDoor(verbs.Project.at(project)) as door:
        return door.call(tool, args)


def submitted(project: Path, attempt: str, answers: dict[str, object]) -> list[dict[str, str]]:
    file = project / "answers.jsonl"
    file.write_text("".join(json.dumps({"item_id": name, "answer": text}) + "\n" for name, text in answers.items()))
    receipts: list[dict[str, str]] = inner_data("attempts", "submit", attempt, file, cwd=project)["receipts"]
    return receipts


def test_a_whole_attempt_is_made_scored_and_verified_on_the_command_line(project: Path) -> None:
    attempt = started(project, "--label", "by-hand", "--key", "1")
    assert started(project, "--label", "by-hand", "--key", "1") == attempt
    page = inner_data("attempts", "items", attempt, "--limit", "50", "--status", "all", cwd=project)
    names = [one["item_id"] for one in page["items"]]
    read = [inner_data("attempts", "item", attempt[:-3], name, cwd=project)["items"][0] for name in names]
    prompts = {one["item_id"]: one["prompt"] for one in read}
    receipts = submitted(project, attempt, {name: sum_of(prompt) for name, prompt in prompts.items()})
    assert {one["status"] for one in receipts} == {"recorded"}
    assert "open" in inside("attempts", "ls", cwd=project, check=0).stdout
    told = inner_data("attempts", "finish", attempt, cwd=project)
    assert (told["status"], told["n_answered"], told["n_missing"]) == ("scored", len(names), 0)
    assert {one["value"] for name, one in told["scores"].items() if name.endswith("outcome")} == {1.0}
    assert "gold_reachable" in inside("attempts", "show", attempt, cwd=project, check=0).stdout
    heads = ["--head", told["transcript_head"]]
    assert inner_data("attempts", "verify", attempt, *heads, cwd=project)["verdict"] == "agreed"
    assert inside("attempts", "verify", attempt, "--head", "0" * 64, cwd=project, check=1)
    assert inside("audit", attempt, "--level", "hashes", cwd=project, check=1).stdout.count("never confirmed") == 1


def test_the_command_line_and_python_give_the_same(project: Path) -> None:
    one, two = started(project, "--key", "a"), started(project, "--key", "b")
    for attempt in (one, two):
        items = inner_data("attempts", "items", attempt, cwd=project)
        again = called(project, "list_items", {"attempt_id": attempt, "limit": 10, "preview": True})
        assert items.pop("calls_left") == again.pop("calls_left") + 1
        assert items == again
        name = items["items"][0]["item_id"]
        item = inner_data("attempts", "item", attempt, name, cwd=project)
        assert item == called(project, "get_item", {"attempt_id": attempt, "item_ids": [name]})


def test_a_call_is_written_down_with_who_made_it(project: Path) -> None:
    attempt = started(project, "--key", "who")
    inside("attempts", "items", attempt, cwd=project, check=0)
    calls = [event for event in read_transcript(verbs.Project.at(project).open(), attempt).events if "tool" in event]
    assert [(call["tool"], call["protocol"], call["client"]) for call in calls] == [
        ("list_items", "command line", "harness")
    ]


@pytest.mark.long
def test_an_attempt_can_be_given_up_and_scored_later(project: Path) -> None:
    attempt = started(project, "--key", "left")
    assert " closed" in inside("attempts", "abandon", attempt, cwd=project, check=0).stdout
    assert inside("attempts", "abandon", attempt, cwd=project, check=2)
    told = inner_data("attempts", "finish", attempt, "--again", cwd=project)
    assert told["attempt"]["status"] == "scored" and told["attempt"]["answered"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "20260101T000000Z-00"], "no attempt is called"),
        (["show", "../../heads"], "no attempt is called"),
        (["start", MANIFEST, "test"], "no split"),
        (["start", MANIFEST, "dev", "--subset", "all"], "no subset"),
        (["items", "ATTEMPT", "--status", "wrong"], "status"),
        (["items", "ATTEMPT", "--cursor", "AAAA"], "cursor"),
        (["item", "ATTEMPT", "0000"], "item"),
        (["submit", "ATTEMPT", "none.jsonl"], "read"),
    ],
)
def test_an_error_says_what_to_do(project: Path, words: list[str], said: str) -> None:
    attempt = started(project, "--key", "errors")
    done = harness(
        "attempts", *[attempt if word == "ATTEMPT" else word for word in words], "--json", cwd=project, check=2
    )
    error = error_of(done)
    assert said in error["what"] and error["next"]


def test_a_project_that_serves_nothing_says_so(tmp_path: Path) -> None:
    unlocked_project(tmp_path)
    with pytest.raises(InputError, match="lets agents attempt"):
        verbs.list_studies(verbs.Project.at(tmp_path))


def test_many_answers_are_submitted_in_parts(project: Path) -> None:
    attempt = started(project, "--key", "many")
    item = called(project, "get_item", {"attempt_id": attempt})["items"][0]["item_id"]
    file = project / "many.jsonl"
    file.write_text(f'{{"item_id": "{item}", "answer": "1"}}\n' * 45)
    receipts = inner_data("attempts", "submit", attempt, file, cwd=project)["receipts"]
    assert [one["status"] for one in receipts] == ["recorded", *["duplicate"] * 44]
    assert (
        len({one["record"] for one in receipts}) == 1
    )  # the one that holds the answer, whichever call the receipt is of
    calls = [event for event in read_transcript(verbs.Project.at(project).open(), attempt).events if "tool" in event]
    assert [len(call["args"]["answers"]) for call in calls if call["tool"] == "submit_answers"] == [20, 20, 5]
    file.write_text(f'{{"item_id": "{item}", "answer": "1"}}\n' * 20 + '{"item_id": 5, "answer": "1"}\n')
    done = harness("attempts", "submit", attempt, file, "--json", cwd=project, check=2)
    assert "20 of 21 answers were submitted" in error_of(done)["what"]


def test_an_attempt_whose_transcript_is_gone_is_listed(project: Path) -> None:
    attempt = started(project, "--key", "gone")
    (project / ".harness" / "runs" / attempt / "transcript.jsonl").unlink()
    listed = inner_data("attempts", "ls", "--most", "0", cwd=project)["attempts"]
    assert [one["status"] for one in listed if one["attempt"] == attempt] == ["gone"]
    assert attempt in inside("attempts", "ls", cwd=project, check=0).stdout


def test_nothing_of_a_refused_answer_is_scored(project: Path) -> None:
    attempt = started(project, "--key", "refused")
    name = inner_data("attempts", "items", attempt, cwd=project)["items"][0]["item_id"]
    file = project / "half.jsonl"
    file.write_text(json.dumps({"item_id": name, "answer": 1.5}) + "\n")
    done = inside("attempts", "submit", attempt, file, cwd=project, check=1)
    assert "rejected" in done.stdout
    file.write_text("{\n")
    assert "JSON line" in inside("attempts", "submit", attempt, file, cwd=project, check=2).stderr


@pytest.mark.long
def test_older_attempts_are_told_of(project: Path) -> None:
    for label in ("an older one", "the last"):
        played(verbs.Project.at(project), label)
    text = inside("attempts", "ls", STUDY, "--most", "1", cwd=project, check=0).stdout
    assert "scored" in text and "older ones" in text
    assert inside("attempts", "ls", "nothing", cwd=project, check=0).stdout.strip() == "no attempts"
