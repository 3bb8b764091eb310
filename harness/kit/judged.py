"""The bodies of judging steps: answers become a judge's prompts, and its replies become judgements.

A study defines how a case is worded and how a reply is read, in its own files. A round consists of a prompt step, the
provider's `respond`, and a reading step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NotRequired

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Answer, Gold, Item, Judgement, Missing, Prompt, Response

JUDGE_ERROR = "judge_error"  # the reply could not be read after the last round, or there is none; never scored
Key = tuple[str, int, str, int]  # identifies an answer


class JudgePrompt(Prompt):
    """A judge's prompt about one answer, with the key of that answer."""

    model: str
    sample: int
    question: NotRequired[int]  # its number from 0, if there are several about one answer
    repeat: NotRequired[int]  # in a later round: the repeat whose reply is asked for again


@dataclass(frozen=True)
class JudgedCase:
    """An answer that a judge grades; in a later round, with the judge's earlier reply that could not be parsed."""

    item: Item
    gold: Gold
    response: Response
    round: int
    unread: Judgement | None = None


@dataclass(frozen=True)
class Questions:
    """Several prompts to a judge about one answer, each asked and answered separately; may be empty."""

    texts: tuple[str, ...]


Worded = str | Sequence[Mapping[str, Any]] | Questions  # one prompt as a text or as messages, or several
Word = Callable[[JudgedCase], Worded]  # in a later round it words only the question that is asked again
Read = Callable[[Item, Gold, str], Any]  # parses a reply; {"missing": reason} if it cannot be read
ReadRow = Callable[[Item, Gold, Response], Any]  # the same for a reply's whole row, with log-probabilities
Rule = Callable[[JudgedCase], Any]  # returns a rule judge's judgement of an answer


def key(row: Answer | JudgePrompt) -> Key:
    """Return the key of the answer that a row is about."""
    return row["item"], row["template"], row["model"], row["sample"]


def missing(parsed: Any) -> bool:
    """Whether a parsed reply, or a rule's result, is a missing-value object."""
    return isinstance(parsed, Mapping) and parsed.keys() == Missing.__annotations__.keys()


def ask(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, word: Word) -> None:
    """Write a judge's prompts: in the first round about every answer, later about each reply that could not be parsed.

    An answer that is an error is not judged. If there is nothing to ask, there are no prompts and no judge is asked.
    """
    cases = _again(inputs, params["round"]) if "unread" in inputs else _cases(inputs)
    rows.write(out / "prompts", (row for case in cases for row in _questions(case, word(case))))


def read(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, reads: Read) -> None:
    """Parse a judge's replies by a rule that sees only the text; write judgements, and replies to ask about again."""
    read_rows(params, inputs, out, lambda item, gold, reply: reads(item, gold, reply["text"]))


def read_rows(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, reads: ReadRow) -> None:
    """Parse a judge's replies; write judgements, and separately the replies that the next round asks about again.

    A reply that is an error is settled without a value, and the next run asks for it again. In the last round, all
    unread replies are settled as `judge_error`.
    """
    golds, items = _by_id(inputs)
    settled: list[Judgement] = []
    unread: list[Judgement] = []
    for asked, repeat, reply in _replies(params, inputs):
        row = _judgement(params, asked, repeat, reply["text"])
        if "question" in asked:
            row["question"] = asked["question"]
        if "error" in reply:
            row["error"], row["parsed"] = reply["error"], {"missing": JUDGE_ERROR}
        else:
            row["parsed"] = reads(items[asked["item"]], golds[asked["item"]], reply)
        (unread if missing(row["parsed"]) and "error" not in row else settled).append(row)
    if params["last"]:
        settled += [{**row, "parsed": {"missing": JUDGE_ERROR}} for row in unread]
        unread = []
    rows.write(out / "judgements", _in_order(settled))
    rows.write(out / "unread", unread)


def settle(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Merge a judge's rounds: one judgement per answer, question and repeat, from the round that could be parsed."""
    rows.write(out / "judgements", _in_order(rows.read(inputs["rounds"], Judgement)))


def rule(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, says: Rule) -> None:
    """Write one judgement for each answer that is not an error, by the deterministic rule `says`."""

    def judged(case: JudgedCase) -> Judgement:
        parsed = says(case)
        return {
            **_judgement(params, case.response, 0, ""),
            "parsed": {"missing": JUDGE_ERROR} if missing(parsed) else parsed,
        }

    rows.write(out / "judgements", map(judged, _cases(inputs)))


def _cases(inputs: Mapping[str, Path]) -> Iterator[JudgedCase]:
    golds, items = _by_id(inputs)
    for row in rows.read(inputs["responses"], Response):
        if row["item"] not in items:
            raise InputError(f"a response to item {row['item']}, which is not in items", where="responses")
        if row.get("error") is None:
            yield JudgedCase(items[row["item"]], golds[row["item"]], row, 0)


def _again(inputs: Mapping[str, Path], round_: int) -> Iterator[JudgedCase]:
    cases = {key(case.response): case for case in _cases(inputs)}
    for row in rows.read(inputs["unread"], Judgement):
        case = cases[key(row)]
        yield JudgedCase(case.item, case.gold, case.response, round_, row)


def _by_id(inputs: Mapping[str, Path]) -> tuple[dict[str, Gold], dict[str, Item]]:
    golds = {row["id"]: row for row in rows.read(inputs["gold"], Gold)}
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}
    if lacking := sorted(items.keys() - golds.keys()):
        raise InputError(f"item {lacking[0]} has no gold", where="gold", next="give the gold of all items")
    return golds, items


def _questions(case: JudgedCase, worded: Worded) -> Iterator[JudgePrompt]:
    if not isinstance(worded, Questions):
        yield _question(case, worded, None)
        return
    if case.unread:
        raise InputError("a later round words one question, not several", where="judge", next="give a text")
    for number, text in enumerate(worded.texts):
        yield _question(case, text, number)


def _question(case: JudgedCase, worded: str | Sequence[Mapping[str, Any]], number: int | None) -> JudgePrompt:
    item, template, model, sample = key(case.response)
    row: JudgePrompt = {"item": item, "template": template, "model": model, "sample": sample}
    if isinstance(worded, str):
        row["text"] = worded
    else:
        row["messages"] = list(worded)
    if case.unread:
        row["repeat"] = case.unread["repeat"]
        number = case.unread.get("question")
    if number is not None:
        row["question"] = number
    return row


def _replies(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> Iterator[tuple[JudgePrompt, int, Response]]:
    """Yield each reply with its prompt and repeat; a provider answers in the order of the prompts and repeats."""
    asked = (
        (row, repeat)
        for row in rows.read(inputs["prompts"], JudgePrompt)
        for repeat in ([row["repeat"]] if "repeat" in row else range(params["repeats"]))
    )
    replies = rows.read(inputs["replies"], Response)
    for question, reply in zip_longest(asked, replies):
        if question is None or reply is None:
            raise InputError("there are more or fewer replies than were asked for", where="replies")
        row, repeat = question
        if (row["item"], row["template"]) != (reply["item"], reply["template"]):
            raise InputError(f"a reply about item {reply['item']} stands where one about {row['item']} was asked for")
        yield row, repeat, reply


def _judgement(params: Mapping[str, Any], about: Answer | JudgePrompt, repeat: int, text: str) -> Judgement:
    item, template, model, sample = key(about)
    return {
        "item": item,
        "template": template,
        "model": model,
        "sample": sample,
        "judge": params["judge"],
        "repeat": repeat,
        "round": params.get("round", 0),
        "text": text,
        "parsed": None,
    }


def _in_order(found: Iterable[Judgement]) -> list[Judgement]:
    """Sort judgements by the answers that they are about, independent of the round that settled them."""
    return sorted(found, key=lambda row: (*key(row), row["judge"], row["repeat"], row.get("question", 0)))
