"""The body of score steps whose rule sees more than an answer: its prompt, judgements of it, trials of its code.

An answer that is an error, and one that no judge's reply could be read of, have no score but the one that a study's
paper gave them, and are counted either way. It must never know a rule, nor who answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from harness import rows
from harness.errors import InputError
from harness.kit.judged import JUDGE_ERROR, Key, key, missing
from harness.rowtypes import Found, Gold, Item, Judgement, Missing, Prompt, Response, Score, Trial

ERROR, SCORED, MISSING = "error", "scored", "missing"
UNSCORED = (ERROR, JUDGE_ERROR)  # what never reaches a rule
STATES = (SCORED, *UNSCORED, MISSING)  # of a score; the last: the rule itself had no value to give
UNASKED = "unasked"  # the parameter that says that a judge may have had nothing to ask about an answer
INSTEAD = "instead"  # the parameter that says what a paper gave to what has no score, by state


@dataclass(frozen=True)
class Seen:
    """One answer with everything that a scoring rule may see."""

    item: Item
    gold: Gold
    response: Response
    prompt: Prompt | None  # where the scorer asks for prompts
    judgements: Sequence[Judgement]  # where it names judges: those that could be read
    trials: Mapping[str, Trial]  # where it names trials: how this answer's code ended, by the trial's name


Rule = Callable[[Seen], Found | Missing]  # missing for JUDGE_ERROR: of several replies about an answer it lacks one


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, scorer: str, rule: Rule) -> None:
    """Write one score for each response, by a rule that is only shown answers, and judgements that could be read.

    An answer that is an error, or whose judgements could not be read, has a missing value, or its paper's. InputError
    where an item, a gold or every judgement of an answer is lacking (the last but where `unasked` allows it).
    """
    write_each(params, inputs, out, {scorer: rule})


def write_each(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, rules: Mapping[str, Rule]) -> None:
    """Write one score of each scorer for each response, as `write` does of one: scorer by scorer, in their order."""
    tables = (_scores(params, inputs, scorer, rule) for scorer, rule in rules.items())
    rows.write(out / "scores", (row for table in tables for row in table))


def state(score: Score) -> str:
    """Give the state of a score: `scored`, `missing` (the rule had no value), `error` or `judge_error`.

    No rule saw the answer in the last two, which hold even where a paper puts a value in the score's place.
    """
    for name in UNSCORED:
        if name in score["detail"]:
            return name
    return MISSING if isinstance(score["value"], Mapping) else SCORED


def states(scores: Iterable[Score]) -> dict[str, int]:
    """Count scores by state, all four states named, so that each metric stands beside what it leaves out."""
    found = Counter(map(state, scores))
    return {name: found[name] for name in STATES}


def _scores(params: Mapping[str, Any], inputs: Mapping[str, Path], scorer: str, rule: Rule) -> Iterator[Score]:
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}
    golds = {row["id"]: row for row in rows.read(inputs["gold"], Gold)}
    asked = {(row["item"], row["template"]): row for row in _table(inputs, "prompts", Prompt)}
    said: dict[Key, list[Judgement]] = {}
    for judgement in _table(inputs, "judgements", Judgement):
        said.setdefault(key(judgement), []).append(judgement)
    tried: dict[Key, dict[str, Trial]] = {}
    for one in _table(inputs, "trials", Trial):
        tried.setdefault(key(one), {})[one["trial"]] = one
    for row in rows.read(inputs["responses"], Response):
        if row["item"] not in items or row["item"] not in golds:
            raise InputError(f"a response to item {row['item']}, which has no item or no gold", where="responses")
        if row.get("error") is not None:
            yield _without(params, row, scorer, ERROR, str(row["error"]))
            continue
        judgements = said.get(key(row), [])
        if "judgements" in inputs and not judgements and not params.get(UNASKED):
            raise InputError(f"no judge was asked about item {row['item']}", where="judgements")
        read = [one for one in judgements if not missing(one["parsed"])]
        if judgements and not read:
            yield _without(params, row, scorer, JUDGE_ERROR, judgements[-1].get("error", "no reply could be read"))
            continue
        prompt = asked.get((row["item"], row["template"]))
        found = rule(Seen(items[row["item"]], golds[row["item"]], row, prompt, read, tried.get(key(row), {})))
        if missing(found) and cast(Missing, found)["missing"] == JUDGE_ERROR:
            yield _without(params, row, scorer, JUDGE_ERROR, "a reply of several is lacking")
            continue
        yield _found(row, scorer, found, len(judgements) - len(read))


def _table(inputs: Mapping[str, Path], name: str, kind: type[Any]) -> Iterator[Any]:
    """Give the rows of an input that a scorer may do without."""
    return rows.read(inputs[name], kind) if name in inputs else iter(())


def _without(params: Mapping[str, Any], row: Response, scorer: str, kind: str, why: str) -> Score:
    """Give the score of what has none: missing, or what the paper gave it; what it is stays beside it."""
    reason = why if kind == ERROR else JUDGE_ERROR
    given = params.get(INSTEAD, {}).get(kind)
    value: int | float | Missing = {"missing": reason} if given is None else _number(given)
    return _score(row, scorer, value, {kind: why})


def _found(row: Response, scorer: str, found: Found | Missing, unread: int) -> Score:
    own = {"finish": row.get("finish"), **({"unread": unread} if unread else {})}
    if missing(found):
        return _score(row, scorer, cast(Missing, found), own)
    given = cast(Found, found)
    score = _score(row, scorer, given["value"], {**given.get("detail", {}), **own})
    if "outcome" in given:
        score["outcome"] = given["outcome"]
    return score


def _score(row: Response, scorer: str, value: int | float | str | Missing, detail: Mapping[str, Any]) -> Score:
    item, template, model, sample = key(row)
    return {
        "item": item,
        "template": template,
        "model": model,
        "sample": sample,
        "scorer": scorer,
        "value": value,
        "detail": detail,
    }


def _number(given: int | str) -> int | float:
    """Read a number of a step's parameters, which hold no floats."""
    return given if isinstance(given, int) else float(given)
