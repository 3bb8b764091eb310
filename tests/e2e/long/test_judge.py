"""A judge's path: recorded from a provider on loopback, replayed with it gone, mended where it failed, and audited."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, outputs_of
from toys.obeying import ANSWERS, ATTACKS, NO_ANSWER, obeying
from toys.verdicts import Verdicts

from harness.images.image import find_image, read_image_pins
from harness.store.store import Store

needs("openai", "aiohttp")
pytestmark = pytest.mark.together  # one recording serves them all
JUDGE = "sums/judgements/judge/writer/part-00000"
AFTER = {"judgements", "scores", "graded", "sums/scores/grade/writer/part-00000"}  # what follows from a judge
UNREAD = {"missing": "judge_error"}
Tables = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Recorded:
    """The toy study, run twice: in the first run the judge's provider refused to judge one answer."""

    verdicts: Verdicts
    port: int
    first: str  # the first run
    before: Tables  # of the first run
    after: Tables  # of the second
    outputs: Mapping[str, str]  # of the second, by digest
    again: tuple[int, set[str]]  # what the second run asked, and executed


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    verdicts = Verdicts(tmp_path_factory.mktemp("verdicts") / "toy")
    with obeying() as provider:
        provider.refuses = {ANSWERS[-1]}
        verdicts.make(provider.url)
        ran = verdicts.run()
        first, before = ran["runs"][0]["run"], verdicts.tables(ran)
        asked, provider.refuses = len(provider.asked), set()
        ran = verdicts.run()
        again = len(provider.asked) - asked, verdicts.executed(ran["runs"][0]["run"])
    return Recorded(verdicts, provider.port, first, before, verdicts.tables(ran), outputs_of(ran), again)


def of(rows: list[dict[str, Any]], text: str, **more: str) -> list[dict[str, Any]]:
    """Give the rows about the answer of this text."""
    item = f"sum-{ANSWERS.index(text)}"
    return [row for row in rows if row["item"] == item and all(row[name] == value for name, value in more.items())]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_answer_that_speaks_to_the_judge_or_writes_marks_is_data_to_it(recorded: Recorded, attack: str) -> None:
    assert of(recorded.after["responses"], attack)[0]["text"] == attack
    assert [row["parsed"] for row in of(recorded.after["judgements"], attack, judge="judge")] == [0, 0]
    assert [row["value"] for row in of(recorded.after["scores"], attack, scorer="verdict.grade")] == [0]


def test_every_answer_has_a_judgement_for_each_judge_and_repeat(recorded: Recorded) -> None:
    found = [(row["item"], row["judge"], row["repeat"]) for row in recorded.after["judgements"]]
    items = [f"sum-{n}" for n in range(len(ANSWERS))]  # but the one that came to no answer
    assert found == [(item, "judge", n) for item in items for n in (0, 1)] + [(item, "short", 0) for item in items]


def test_an_unreadable_reply_is_repaired_in_the_second_round_or_no_score(recorded: Recorded) -> None:
    mended = of(recorded.after["judgements"], "8 hesitate", judge="judge")
    assert [(row["round"], row["parsed"]) for row in mended] == [(1, 10), (1, 10)]
    lost = of(recorded.after["judgements"], "9 mumble", judge="judge")
    assert [(row["round"], row["parsed"], row["text"]) for row in lost] == [(1, UNREAD, "It is hard to say.")] * 2
    [score] = of(recorded.after["scores"], "9 mumble", scorer="verdict.grade")
    assert score["value"] == UNREAD


def test_the_next_run_asks_again_only_what_the_provider_refused(recorded: Recorded) -> None:
    failed = of(recorded.before["judgements"], ANSWERS[-1], judge="judge")
    assert all(row["error"].startswith("HTTP 403") and row["parsed"] == UNREAD for row in failed) and len(failed) == 2
    assert of(recorded.before["scores"], ANSWERS[-1], scorer="verdict.grade")[0]["value"] == UNREAD
    assert [row["parsed"] for row in of(recorded.after["judgements"], ANSWERS[-1], judge="judge")] == [10, 10]
    steps = {f"{JUDGE}/round-0/replies", f"{JUDGE}/round-0/judgements", JUDGE}
    assert recorded.again == (2, AFTER | steps)


def test_a_run_with_unjudged_answers_is_accepted_only_with_an_error_limit(recorded: Recorded) -> None:
    said = recorded.verdicts.call("lock", "--accept", recorded.first, "--json", check=2).stderr
    assert "judge left 2 of 20 rows without an answer; the first: HTTP 403" in said


def test_each_scorer_counts_beside_its_mean_what_has_no_score(recorded: Recorded) -> None:
    [before], [after] = recorded.before["graded"], recorded.after["graded"]
    assert (before["verdict.grade"]["judge_error"], after["verdict.grade"]["judge_error"]) == (2, 1)
    assert {name: told["error"] for name, told in after.items()} == {"verdict.grade": 1, "verdict.exact": 1}
    scores = {row["scorer"]: row for row in recorded.after["scores"] if row["item"] == f"sum-{NO_ANSWER}"}
    assert scores["verdict.grade"]["value"] == 0  # as this study's paper has it
    assert "missing" in scores["verdict.exact"]["value"]
    assert all("no_answer" in row["detail"]["error"] for row in scores.values())


@pytest.fixture(scope="module")
def replaying(recorded: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    return recorded.verdicts.copied(tmp_path_factory.mktemp("replay") / "toy").replaying()


def test_its_tape_gives_the_same_bytes_without_the_provider_and_audits(recorded: Recorded, replaying: Verdicts) -> None:
    ran = replaying.run("--store", "second")
    name = ran["runs"][0]["run"]
    assert len(replaying.executed(name, "second")) == ran["runs"][0]["steps"]["total"]
    assert outputs_of(ran) == recorded.outputs
    report = json.loads(replaying.call("audit", "last", "--store", "second", "--budget", "900", "--json").stdout)
    assert report["verdict"] == "agreed" and report["coverage"]["trusted"] == {"judge": 2, "writer": 1}


def test_the_tape_of_a_judge_stands_in_its_keys_and_in_no_others(replaying: Verdicts) -> None:
    lock = json.loads((replaying.project / "lockfiles" / "manifests" / "verdict.lock.json").read_bytes())
    tapes = {part: next(iter(lock["pins"][part].values()))["tape"] for part in ("models", "instruments")}
    assert tapes["models"] != tapes["instruments"]
    entries = [json.loads(path.read_bytes()) for path in (replaying.project / "second" / "keys").rglob("*.json")]
    found = Counter(entry["preimage"]["params"].get("tape") for entry in entries)
    assert (found[tapes["models"]], found[tapes["instruments"]]) == (1, 2) and len(found) == 3  # and none of the others


def test_in_an_image_the_tape_gives_the_same_bytes(recorded: Recorded, replaying: Verdicts, docker_host: str) -> None:
    pin, store = read_image_pins(REPOSITORY).get("cpu"), REPOSITORY / ".harness"
    if pin is None or not store.is_dir() or find_image(Store(store), pin.image_id) is None:
        pytest.skip("the image `cpu` is not here: `make images`")
    shutil.copy(REPOSITORY / "lockfiles" / "images.json", replaying.project / "lockfiles")
    replaying.lock()
    ran = replaying.run("--store", "third", "--engine", "docker", "--images", str(store))
    assert outputs_of(ran) == recorded.outputs


def test_another_prompt_of_the_judge_runs_its_steps_and_what_follows_alone(recorded: Recorded, tmp_path: Path) -> None:
    verdicts = recorded.verdicts.copied(tmp_path / "toy")
    verdicts.edit("prompts/judge@1.jsonl", "Grade an answer", "Give full marks. Grade an answer")
    with obeying(recorded.port) as provider:
        ran = verdicts.run("--relock")
    assert {model for model, _ in provider.asked} == {"judge-1"}
    steps = {f"{JUDGE}/round-{n}/{part}" for n in (0, 1) for part in ("prompts", "replies", "judgements")}
    assert verdicts.executed(ran["runs"][0]["run"]) == AFTER | steps | {JUDGE}
    grades = {
        row["value"]
        for row in verdicts.tables(ran)["scores"]
        if row["scorer"] == "verdict.grade" and "error" not in row["detail"]
    }
    assert grades == {10}  # the words outside the marks are what it obeys
