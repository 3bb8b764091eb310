"""LLMSim in strict mode (OURS: L1 to L6): gold and predictions as lists, the judge's pairs, a one-to-one matching.

A list of more than 5,000 predictions is unreadable, since no judge could be shown it. Does not see who judges or which
model answered.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.rowtypes import Found
from harness.studies.curie.reading import dft_items
from harness.studies.curie.reading.ground_truth import IDS
from harness.studies.curie.reading.loose_json import LONGEST_FILE, loads
from harness.studies.curie.reading.strict_json import Unreadable, read_list
from harness.studies.curie.scoring.found import GOLD_INVALID, VALID, finding, missing, unusable, without
from harness.studies.curie.scoring.llmsim import COUNTS, INDEX, JUDGED, METRICS, check_template, filled
from harness.studies.curie.scoring.matching import matching
from harness.studies.curie.tasks import STRICT

INDICES = "json_extracted_indices"  # the field with all predictions that a gold item may match, in the judge's replies
MOST_PREDICTIONS = 5_000
VALUES = ("low_value", "high_value")
ORDER = "index"  # field of a property; not shown
# Parts of the names of MPV-specific properties (L6).
SPECIFIC = (
    "optical gap",
    "Tauc gap",
    "Eg",
    "bandgap",
    "band gap",
    "gap energy",
    "energy gap",
    "refractive_index",
    "refractive index",
    "refractive indices",
    "index of refraction",
    "n-value",
    "n value",
)
_SPECIFIC = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, SPECIFIC))})s?(?![A-Za-z0-9])", re.IGNORECASE | re.ASCII
)
_DIGITS = re.compile("[0-9]+")
Pair = tuple[int, int]  # positions of a gold item and of a prediction
Shown = Callable[[Mapping[str, Any]], Mapping[str, Any]]  # prepares an item for the judge (L7)


class GoldItems(NamedTuple):
    """The gold items of a record that count, and how many were set aside."""

    items: list[dict[str, Any]]
    set_aside: int


def gold_items(task: str, truth: str) -> GoldItems:
    """Return the gold items that count in a file: statements of a program (D1, D2), properties with a value (L5).

    MPV-specific keeps the properties that L6 names; the others do not count as set aside. Raises Unreadable if the file
    is not what the task needs, and InputError for a task that LLMSim does not score.
    """
    if task in ("dft-s", "dft-p"):
        items = (dft_items.structures if task == "dft-s" else dft_items.parameters)(truth)
        return GoldItems(items, sum(dft_items.set_aside(truth).values()))
    if task not in JUDGED:
        raise InputError(f"{task!r} is not scored by LLMSim", where="task", next=f"use one of: {', '.join(JUDGED)}")
    found = loads(truth, LONGEST_FILE)
    if not isinstance(found, list):
        raise Unreadable("the ground truth is no list")
    wanted = [item for item in found if task != "mpv-specific" or (isinstance(item, dict) and is_specific(item))]
    kept = [item for item in wanted if isinstance(item, dict) and has_value(item)]
    ordered = sorted(kept, key=_order)
    shown = [{key: one for key, one in item.items() if key not in (*IDS, ORDER)} for item in ordered]
    return GoldItems(shown, len(wanted) - len(kept))


def _order(item: Mapping[str, Any]) -> tuple[bool, float]:
    place = item.get(ORDER)
    if isinstance(place, int | float) and math.isfinite(place):
        return False, place
    return True, 0  # after the others, in the order given


def has_value(item: Mapping[str, Any]) -> bool:
    """Whether a property has a low or a high value that is not blank (L5)."""
    return any(item.get(name) is not None and str(item[name]).strip() for name in VALUES)


def is_specific(item: Mapping[str, Any]) -> bool:
    """Whether a property's name states band gap or refractive index in one of the forms of L6."""
    return bool(_SPECIFIC.search(str(item.get("property_name", ""))))


def prediction_items(text: str) -> list[Any]:
    """Return the predictions of an answer (L3): one object is a list of one, and empty objects are dropped.

    Elements that are not objects are kept: they count, and match nothing. Raises Unreadable if the answer has no list.
    """
    found = [each for each in read_list(text) if each != {}]
    if len(found) > MOST_PREDICTIONS:
        raise Unreadable(f"more than {MOST_PREDICTIONS:,} predictions")
    return found


def read_predictions(text: str) -> tuple[list[Any], str]:
    """Return the predictions of an answer and its outcome; without a list there are none and it is not valid."""
    try:
        return prediction_items(text), VALID
    except Unreadable:
        return [], unusable(text)


def asked(task: str, truth: str, response: str, shown: Shown | None = None) -> list[tuple[str, str]]:
    """Return what a judge is shown about an answer: each gold item that counts, in order, with the list (L1).

    Both are JSON; the items of the list are numbered from 0, one per line. Empty if either side is empty or cannot be
    read. `shown` changes every item before it is written, and nothing else (L7).
    """
    found, _ = read_predictions(response)
    try:
        gold = gold_items(task, truth).items
    except Unreadable:
        return []
    if not found:
        return []
    change = shown or (lambda item: item)
    lines = (_line(place, change(item) if isinstance(item, dict) else item) for place, item in enumerate(found))
    listed = "[\n" + ",\n".join(lines) + "\n]"
    return [(_written(change(item), 2), listed) for item in gold]


def questions(task: str, truth: str, response: str, template: str, shown: Shown | None = None) -> list[str]:
    """Return the prompts about an answer for a judge: the template with each result of `asked` inserted.

    Raises InputError for a template without its placeholders.
    """
    check_template(template)
    return [filled(template, gold, listed) for gold, listed in asked(task, truth, response, shown)]


def _line(place: int, item: Any) -> str:
    if isinstance(item, Mapping):
        return _written({INDEX: place, **{key: one for key, one in item.items() if key != INDEX}})
    return _written({INDEX: place, "text": item})


def _written(value: Any, indent: int | None = None) -> str:
    """Write JSON for a judge; half a surrogate pair, which no request can hold, becomes a question mark."""
    return json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


def score(task: str, truth: str, response: str, replies: Sequence[str | None]) -> Found:
    """Score an answer by a judge's replies to the prompts of `asked`, in that order; None is a reply that never came.

    Without a gold item there is no value (L4). Raises InputError for fewer replies than questions.
    """
    try:
        gold = gold_items(task, truth)
    except Unreadable as bad:
        return without(STRICT, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    found, outcome = read_predictions(response)
    expected = len(gold.items) if found else 0
    if len(replies) < expected:
        raise InputError(
            f"{len(replies)} replies to {expected} questions", where="judge_outputs", next="give one a gold item"
        )
    read = [admissible(reply, found) for reply in replies[:expected]]
    pairs = [(place, other) for place, others in enumerate(read) for other in others or ()]
    return found_pairs(
        len(gold.items), len(found), pairs, outcome, set_aside=gold.set_aside, judge_errors=read.count(None)
    )


def admissible(reply: str | None, found: Sequence[Any]) -> list[int] | None:
    """Return the predictions that a judge's reply names, sorted (L1); None if it has no readable object (L2)."""
    try:
        said = [each for each in read_list(reply or "") if isinstance(each, dict)]
    except Unreadable:
        return None
    if not said:
        return None
    named = (_place(one) for each in said for key in (INDICES, INDEX) for one in _listed(each.get(key)))
    return sorted({one for one in named if 0 <= one < len(found) and isinstance(found[one], dict)})


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _place(value: Any) -> int:
    """Read an index, an integer or ASCII digits; any other value is -1, which is no prediction's index."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        digits = value.lstrip("0") or "0"
        return int(digits) if len(digits) < 10 else -1
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def found_pairs(
    gold: int, predictions: int, pairs: Iterable[Pair], outcome: str = VALID, mode: str = STRICT, **more: Any
) -> Found:
    """Return the finding for admissible pairs (positions of gold items and of predictions) from any source.

    Its detail lists them as `admissible`, the pairs of a maximum matching as `pairs`, and adds `more`. Without a gold
    item there is no value (L4).
    """
    pairs = sorted(set(pairs))
    more["admissible"] = [list(pair) for pair in pairs]
    if not gold:
        nothing = missing("no gold item counts")
        return finding(mode, nothing, GOLD_INVALID, dict.fromkeys(METRICS, nothing), **more)
    matched = matching(pairs)
    metrics = shares(len(matched), gold, predictions)
    return finding(mode, metrics["f1"], outcome, metrics, pairs=[list(pair) for pair in matched], **more)


def score_pairs(gold: int, predictions: int, pairs: Iterable[Pair]) -> dict[str, int | float]:
    """Return the metrics of a maximum one-to-one matching of admissible pairs; `gold` must not be 0."""
    return shares(len(matching(pairs)), gold, predictions)


def shares(matched: int, gold: int, predictions: int) -> dict[str, int | float]:
    """Return the metrics for a number of matches; without predictions they are 0. `gold` must not be 0."""
    precision, recall = matched / predictions if predictions else 0.0, matched / gold
    f1 = 2 * matched / (gold + predictions)
    counts = dict(zip(COUNTS, (matched, gold, predictions), strict=True))
    return {**counts, "precision": precision, "recall": recall, "f1": f1}
