"""A table of one's own becomes an evaluation that agents take in two commands, and no target leaves for them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import harness, judging_here
from support_agents import server_words
from support_wire import WireClient, environment

from harness import verbs
from harness.errors import InputError

pytestmark = pytest.mark.together
SECRET = {
    "Which bird is on the coin?": "kookaburra",
    "Which ship sank first?": "wavertree",
    "Which river is red?": "taedong",
}
TINY = 'models: {tiny: {provider: transformers, source: "package:repro-harness/tiny-shaped"}}\n'
COLUMNS = ("question", "answer", "hint")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project of a table by `harness new`, in a folder that was none."""
    folder = tmp_path_factory.mktemp("mine")
    lines = [",".join(COLUMNS), *(f"{question},{answer},see {answer}" for question, answer in SECRET.items())]
    (folder / "mine.csv").write_text("\n".join(lines) + "\n")
    with judging_here():
        harness("new", "mine", "--from", "mine.csv", "--target", "answer", "--input", "question", "--agents",
                "-m", "oracle=baseline/oracle", cwd=folder, check=0)  # fmt: skip
    return folder


def taken(client: WireClient, right: bool) -> dict[str, Any]:
    """Take an attempt, right or wrong; gives what finish_attempt tells."""
    [study] = client.call("list_studies")["studies"]
    assert (study["study"], study["metrics"]) == ("mine", ["exact", "match"])
    [split] = study["splits"]
    assert split == {"split": "all", "n_items": len(SECRET) + 1, "hidden": False}
    begun = client.call(
        "start_attempt", study="mine", split="all", idempotency_key=f"{right}", agent_label=f"r-{right}".lower()
    )
    this = {"attempt_id": begun["attempt_id"]}
    items = client.call("get_item", **this)["items"]
    assert len(items) == begun["n_items"]
    said = {question: answer if right else "I do not know" for question, answer in SECRET.items()}
    given = [
        {
            "item_id": one["item_id"],
            "answer": next((said[asked] for asked in said if asked in one["prompt"]), "unknown"),
        }
        for one in items
    ]
    client.call("submit_answers", **this, answers=given)
    while (told := client.call("finish_attempt", **this))["status"] == "scoring":
        pass
    return {**told, **this}


def test_a_table_of_ones_own_is_taken_and_scored_and_keeps_its_targets(folder: Path) -> None:
    with WireClient([*server_words()], cwd=folder, env=environment()) as client:
        client.hello()
        wrong = taken(client, right=False)
        for view in (folder / ".harness" / "views").iterdir():
            shown = (view / "items.jsonl").read_text() + (view / "media.bin").read_text()
            assert not [answer for answer in SECRET.values() if answer in shown]
        seen = b"".join(client.seen)
        assert not [answer for answer in SECRET.values() if answer.encode() in seen]
        right = taken(client, right=True)
        assert client.end() == 0
    for told, value in ((wrong, 0.0), (right, 1.0)):
        scores = told["scores"]
        assert isinstance(scores, dict)
        assert {name: one["value"] for name, one in scores.items()} == {"mine/exact": value, "mine/match": value}
    project = verbs.Project.at(folder)
    for told in (wrong, right):
        request = verbs.VerifyTranscriptRequest(attempt=str(told["attempt_id"]))
        assert verbs.verify_transcript(project, request).verdict == "agreed"
        audited = json.loads(harness("audit", told["attempt_id"], "--budget", "900", "--json", cwd=folder).stdout)
        assert not [one for one in audited["checks"] if one["verdict"] == "fail"], audited
    shown = harness("attempts", "show", right["attempt_id"], cwd=folder, check=0).stdout
    assert re.search(r"mine/exact +1 +0\.43\d* to 1 +3 +0", shown)


def test_answers_of_two_agents_are_compared_item_by_item(folder: Path) -> None:
    attempts = [one.attempt for one in verbs.list_attempts(verbs.Project.at(folder)).attempts]
    found = verbs.diff(verbs.Project.at(folder), verbs.DiffRequest(left=attempts[0], right=attempts[1]))
    assert len(found.rows) == len(SECRET)
    assert {row.fields[0] for row in found.rows} == {"/text"} and {row.right for row in found.rows} == {"I do not know"}
    assert len(found.words) == len(SECRET)


def test_answers_that_no_agent_can_give_are_not_asked_for(folder: Path) -> None:
    """Log-likelihoods are of models that run here: an attempt could not be scored, and is refused before it begins."""
    needs("torch", "transformers")
    text = (folder / "manifests" / "mine.yaml").read_text().replace("name: mine", "name: likely")
    text = re.sub(r"(?m)^models: .*$|^models:\n(  .*\n)+", TINY, text)
    text = text.replace("score: [exact, match]", "score: [perplexity: {column: question}]")
    (folder / "manifests" / "likely.yaml").write_text(text)
    harness("lock", "manifests/likely.yaml", cwd=folder, check=0)
    with verbs.AttemptDoor(verbs.Project.at(folder), verbs.ServeRequest(manifests=["manifests/likely.yaml"])) as door:
        [study] = door.call("list_studies")["studies"]
        assert "scored" in study["splits"][0]["reason"] or "asks nothing" in study["splits"][0]["reason"]
        with pytest.raises(InputError) as refused:
            door.call("start_attempt", {"study": "likely", "split": "all", "idempotency_key": "x"})
    assert "scored" in str(refused.value) or "asks nothing" in str(refused.value)
