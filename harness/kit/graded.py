"""The body of score steps whose rule sees more than an answer: its prompt, judgements of it, trials of its code.

An answer that is an error, and one for which no judge's reply could be read, have no score except the value that a
study's paper assigns. Both are counted in either case.
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
UNSCORED = (ERROR, JUDGE_ERROR)  # states in which no rule is called
STATES = (SCORED, *UNSCORED, MISSING)  # of a score; the last one means that the rule itself returned no value
UNASKED = "unasked"  # the parameter that allows answers without any judgement
INSTEAD = "instead"  # the parameter with a paper's values for answers without a score, by state


@dataclass(frozen=True)
class Seen:
    """One answer with its item, gold, prompt, judgements and code trials: everything that a scoring rule may see."""

    item: Item
    gold: Gold
    response: Response
    prompt: Prompt | None  # if the scorer reads prompts
    judgements: Sequence[Judgement]  # if the scorer names judges: those that could be read
    trials: Mapping[str, Trial]  # if the scorer names trials: how this answer's code ended, by trial


Rule = Callable[[Seen], Found | Missing]  # missing for JUDGE_ERROR: one of several replies about an answer is lacking


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, scorer: str, rule: Rule) -> None:
    """Write one score for each response by a scoring rule, which is shown only answers and judgements that can be read.

    An answer that is an error, or whose judgements could not be read, gets a missing value or its paper's value. Raises
    InputError if an item, a gold or every judgement of an answer is lacking; `unasked` allows answers without
    judgements.
    """
    write_each(params, inputs, out, {scorer: rule})


def write_each(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, rules: Mapping[str, Rule]) -> None:
    """Write one score for each response and scorer, as `write` does for one scorer."""
    tables = (_scores(params, inputs, scorer, rule) for scorer, rule in rules.items())
    rows.write(out / "scores", (row for table in tables for row in table))


def state(score: Score) -> str:
    """Return the state of a score: `scored`, `missing` (the rule had no value), `error` or `judge_error`.

    In the last two states no rule saw the answer, even if the score has a value that a paper assigns.
    """
    for name in UNSCORED:
        if name in score["detail"]:
            return name
    return MISSING if isinstance(score["value"], Mapping) else SCORED


def states(scores: Iterable[Score]) -> dict[str, int]:
    """Count scores by their state, all four states present: `scored`, `missing`, `error` and `judge_error`."""
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
    """Return the rows of an optional input; none if the scorer does not have it."""
    return rows.read(inputs[name], kind) if name in inputs else iter(())


def _without(params: Mapping[str, Any], row: Response, scorer: str, kind: str, why: str) -> Score:
    """Return the score of an answer without one: missing, or the paper's value; the reason is in the detail."""
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
    """Convert a number from a step's parameters, which hold no floats."""
    return given if isinstance(given, int) else float(given)
