"""A judge's rounds, step by step: what is asked, which replies are asked about again, and unreadable replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from toys.verdict import judging

from harness import rows
from harness.errors import InputError
from harness.kit import judged

ABOUT = {"item": "a", "template": 1, "model": "m", "sample": 0}
UNREAD = {"missing": judged.JUDGE_ERROR}


def answer(item: str, text: str, **more: Any) -> dict[str, Any]:
    return {**ABOUT, "item": item, "text": text, "finish": "stop", **more}


class Rounds:
    """The files of a judge's steps in a folder, and its steps over them."""

    def __init__(self, folder: Path, responses: Sequence[Mapping[str, Any]]) -> None:
        self.folder = folder
        ids = sorted({row["item"] for row in responses})
        self.put("items", [{"id": id, "task": "t", "input": {}, "difficulty": 0, "meta": {}} for id in ids])
        self.put("gold", [{"id": id, "gold": {"target": "8"}} for id in ids])
        self.put("responses", responses)
        self.put("templates", [{"id": 1, "text": "{mark}\n{answer}"}, {"id": 2, "text": "{mark}\n{answer}\n{reply}"}])

    def put(self, name: str, table: Sequence[Mapping[str, Any]]) -> None:
        rows.write(self.folder / name, table)

    def table(self, name: str) -> list[dict[str, Any]]:
        return list(rows.read(self.folder / name))

    def ask(self, number: int = 0) -> list[dict[str, Any]]:
        names = ("items", "gold", "responses", "templates", *(("unread",) if number else ()))
        judging.prompts({"judge": "j", "round": number}, {name: self.folder / name for name in names}, self.folder)
        return self.table("prompts")

    def read(self, replies: Sequence[str | None], number: int = 0, repeats: int = 1, *, last: bool = False) -> Any:
        """Read replies, of which none stands for an error; gives what is settled, and what is not."""
        times = 1 if number else repeats
        asked = [row for row in self.table("prompts") for _ in range(times)]
        said = [
            answer(row["item"], text or "", model="judge", **({} if text is not None else {"error": "HTTP 503"}))
            for row, text in zip(asked, replies, strict=True)
        ]
        self.put("replies", said)
        params = {"judge": "j", "round": number, "repeats": times, "last": last}
        names = ("items", "gold", "prompts", "replies")
        judging.read(params, {name: self.folder / name for name in names}, self.folder)
        return self.table("judgements"), self.table("unread")


def test_an_answer_is_asked_about_by_what_names_it_and_an_error_is_not(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8", sample=2), answer("b", "", error="HTTP 400")])
    [asked] = rounds.ask()
    assert {name: asked[name] for name in ABOUT} == {**ABOUT, "sample": 2}
    assert asked["text"].count("\n8\n") == 1


def test_each_repeat_is_a_judgement_of_its_own(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8"), answer("b", "9")])
    rounds.ask()
    settled, unread = rounds.read(["GRADE: 1", "GRADE: 2", "GRADE: 3", "GRADE: 4"], repeats=2)
    assert [(row["item"], row["repeat"], row["parsed"]) for row in settled] == [
        ("a", 0, 1), ("a", 1, 2), ("b", 0, 3), ("b", 1, 4),
    ]  # fmt: skip
    assert unread == [] and settled[0]["judge"] == "j" and settled[0]["model"] == "m"


def test_an_unreadable_reply_is_asked_about_again_and_keeps_its_place(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8"), answer("b", "9")])
    rounds.ask()
    first, unread = rounds.read(["GRADE: 1", "seven", "GRADE: 3", "GRADE: 4"], repeats=2)
    assert [(row["item"], row["repeat"]) for row in unread] == [("a", 1)]
    [asked] = rounds.ask(1)
    assert asked["repeat"] == 1 and "\nseven\n" in asked["text"]
    second, unread = rounds.read(["GRADE: 7"], 1, last=True)
    (tmp_path / "rounds").mkdir()
    rounds.put("rounds/part-00000", first)
    rounds.put("rounds/part-00001", second)
    judged.settle({}, {"rounds": tmp_path / "rounds"}, tmp_path)
    whole = [(row["item"], row["repeat"], row["round"], row["parsed"]) for row in rounds.table("judgements")]
    assert whole == [("a", 0, 0, 1), ("a", 1, 1, 7), ("b", 0, 0, 3), ("b", 1, 0, 4)] and unread == []


def test_without_a_reply_to_mend_nobody_is_asked_and_nothing_is_judged(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8")])
    rounds.put("unread", [])
    assert rounds.ask(1) == []
    assert rounds.read([], 1, last=True) == ([], [])


def test_an_unreadable_last_reply_is_no_judgement_and_keeps_its_words(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8")])
    rounds.ask()
    [row], unread = rounds.read(["GRADE: eleven"], last=True)
    assert (row["parsed"], row["text"], unread) == (UNREAD, "GRADE: eleven", []) and "error" not in row


def test_a_reply_that_is_an_error_is_left_to_the_next_run_and_not_mended(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8")])
    rounds.ask()
    [row], unread = rounds.read([None])
    assert (row["error"], row["parsed"], unread) == ("HTTP 503", UNREAD, [])


@pytest.mark.parametrize("replies", [["b"], ["a", "a"], []])
def test_replies_that_are_not_those_asked_for_are_refused(tmp_path: Path, replies: list[str]) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8")])
    rounds.ask()
    rounds.put("replies", [answer(item, "GRADE: 1") for item in replies])
    with pytest.raises(InputError, match="repl"):
        judged.read(
            {"judge": "j", "round": 0, "repeats": 1, "last": True},
            {name: tmp_path / name for name in ("items", "gold", "prompts", "replies")}, tmp_path, judging.grade,
        )  # fmt: skip


def test_a_judge_that_is_a_rule_gives_rows_of_the_same_shape(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8"), answer("b", "", error="HTTP 400")])
    rounds.ask()
    [by_model], _ = rounds.read(["GRADE: 1"])
    names = ("items", "gold", "responses")
    judging.short({"judge": "short"}, {name: tmp_path / name for name in names}, tmp_path)
    [by_rule] = rounds.table("judgements")
    assert by_rule.keys() == by_model.keys() and (by_rule["judge"], by_rule["parsed"]) == ("short", True)


def test_several_questions_about_one_answer_are_asked_and_read_apart(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8"), answer("b", "9"), answer("c", "7")])
    given = {name: tmp_path / name for name in ("items", "gold", "responses")}
    worded = {"a": ("A?", "B?"), "b": (), "c": ("C?",)}
    word = lambda case: judged.Questions(worded[case.item["id"]])  # noqa: E731
    judged.ask({"judge": "j", "round": 0}, given, tmp_path, word)
    asked = rounds.table("prompts")
    assert [(row["item"], row["question"], row["text"]) for row in asked] == [
        ("a", 0, "A?"), ("a", 1, "B?"), ("c", 0, "C?"),
    ]  # fmt: skip
    settled, unread = rounds.read(["GRADE: 1", "what?", "GRADE: 3"])
    assert [(row["item"], row["question"], row["parsed"]) for row in settled] == [("a", 0, 1), ("c", 0, 3)]
    assert [(row["item"], row["question"]) for row in unread] == [("a", 1)]
    given["unread"] = tmp_path / "unread"
    judged.ask({"judge": "j", "round": 1}, given, tmp_path, lambda case: "Once more?")
    assert [(row["item"], row["question"], row["repeat"]) for row in rounds.table("prompts")] == [("a", 1, 0)]
    with pytest.raises(InputError, match="one question"):
        judged.ask({"judge": "j", "round": 1}, given, tmp_path, word)


def test_a_reply_may_be_read_by_its_whole_row(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, [answer("a", "8")])
    rounds.ask()
    rounds.put("replies", [answer("a", "ok", model="judge", logprobs=[{"token": "ok", "logprob": -0.5, "top": []}])])
    params = {"judge": "j", "round": 0, "repeats": 1, "last": True}
    inputs = {name: tmp_path / name for name in ("items", "gold", "prompts", "replies")}
    judged.read_rows(params, inputs, tmp_path, lambda item, gold, reply: reply["logprobs"][0]["token"])
    assert [row["parsed"] for row in rounds.table("judgements")] == ["ok"]
