"""LLMSim as the published notebook computes it (curie 2.5): one question of a judge a gold item, and what is counted.

Its defects are kept: index 0 never matches, several gold items may match one prediction, an empty list gives NaN. It
must never know who judges, nor who answered. One bound is OURS: a list of predictions that takes about 1,000,000
characters to show is unreadable, since it would be shown once a gold item.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.rowtypes import Found
from harness.studies.curie.reading.ground_truth import parsed_dft, parsed_mpv, preprocess
from harness.studies.curie.reading.loose_json import LONGEST, LONGEST_ANSWER, Unreadable, dumps, loads
from harness.studies.curie.reading.predictions import predictions_dft, predictions_mpv, up_to_last_object
from harness.studies.curie.scoring.found import GOLD_INVALID, VALID, finding, plain, unusable, without
from harness.studies.curie.tasks import PAPER, TASKS

GOLD_PLACE, LIST_PLACE = "{{json_ground_truth}}", "{{json_extracted_list}}"  # of a judge's template
JUDGED = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")  # tasks
INDEX = "json_extracted_index"  # the field by which the judge is shown, and names, a prediction
COUNTS = ("num_match", "num_ground_truth", "num_model_response")
METRICS = (*COUNTS, "precision", "recall", "f1")
GROUND_TRUTH, RESPONSE = "ground_truth", "model_response"  # what a model may have to repair
REPAIRS = (GROUND_TRUTH, RESPONSE)  # in the order in which they are asked for
_REPAIR = {  # OURS: the notebook's own wordings are not known
    GROUND_TRUTH: "Extract ground truth: reply with the JSON list that this text holds, and nothing else.",
    RESPONSE: "Extract model_response: reply with the JSON list that this text holds, and nothing else.",
}
NO_REPAIRS: Mapping[str, str] = {}


def repairs(task: str, truth: str, response: str, *, prepared: bool = False) -> dict[str, str]:
    """Give what a model must be asked before an answer to DFT-S or DFT-P can be scored: prompts, by what they repair.

    Nothing of what can be read, or is too long to be asked about, and never anything for MPV. `truth` is a ground-truth
    file's text (`prepared`: as `preprocess` gives it).
    """
    if not _is_dft(task):
        return {}
    try:
        text = _reference(task, truth, prepared=prepared)
    except Unreadable:
        return {}
    given = {GROUND_TRUTH: (parsed_dft, text), RESPONSE: (predictions_dft, response)}
    return {
        what: f"{_REPAIR[what]}\n{written}".encode("utf-8", "replace").decode("utf-8")
        for what, (read, written) in given.items()
        if len(written) <= LONGEST_ANSWER and not _readable(read, written)
    }


def _readable(read: Callable[[str], Any], text: str) -> bool:
    try:
        read(text)
    except Unreadable:
        return False
    return True


def questions(
    task: str,
    truth: str,
    response: str,
    template: str,
    repaired: Mapping[str, str] = NO_REPAIRS,
    *,
    prepared: bool = False,
) -> list[str]:
    """Give the prompts that a judge is asked about an answer, one a gold item, in the order of the gold.

    `truth` is a ground-truth file's text (`prepared`: as `preprocess` gives it), `template` the judge's wording with
    both places in it, `repaired` what a model replied to `repairs`. Nothing is asked about what cannot be read.
    InputError for a template without its places.
    """
    check_template(template)
    try:
        gold = gold_items(task, truth, repaired, prepared=prepared)
        shown = numbered(predictions(task, response, repaired)) if gold else ""
    except Unreadable:
        return []
    return [filled(template, dumps(item, 2), shown) for item in gold]


def check_template(template: str) -> None:
    """Raise InputError for a judge's template that lacks one of its places."""
    if lacking := [place for place in (GOLD_PLACE, LIST_PLACE) if place not in template]:
        raise InputError(f"the judge's template has no {lacking[0]}", where="template", next="give the whole template")


def filled(template: str, gold: str, shown: str) -> str:
    """Put a gold item and the list of predictions into a judge's template, whose outer white space is dropped.

    The list comes last, so that no place that an answer wrote into it is filled.
    """
    return template.strip().replace(GOLD_PLACE, gold).replace(LIST_PLACE, shown)


def score(
    task: str,
    truth: str,
    response: str,
    replies: Sequence[str | None],
    repaired: Mapping[str, str] = NO_REPAIRS,
    *,
    prepared: bool = False,
) -> Found:
    """Score an answer by a judge's replies to its `questions`, in their order; None is a reply that never came.

    Where the notebook raises, every metric is missing. InputError for fewer replies than gold items.
    """
    try:
        gold = gold_items(task, truth, repaired, prepared=prepared)
    except Unreadable as bad:
        return without(PAPER, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    try:
        found = predictions(task, response, repaired)
        if gold:
            numbered(found)
    except Unreadable as bad:
        return without(PAPER, METRICS, unusable(response), f"the answer: {bad}")
    if len(replies) < len(gold):
        raise InputError(
            f"{len(replies)} replies to {len(gold)} questions", where="judge_outputs", next="give one a gold item"
        )
    try:
        count = sum(matches(reply, len(found)) for reply, _ in zip(replies, gold, strict=False))
    except Unreadable as bad:
        return without(PAPER, METRICS, VALID, f"a judge's reply: {bad}")
    metrics = measured(count, len(gold), len(found))
    return finding(PAPER, metrics["f1"], VALID if response.strip() else unusable(response), metrics)


def gold_items(
    task: str, truth: str, repaired: Mapping[str, str] = NO_REPAIRS, *, prepared: bool = False
) -> Sequence[Any]:
    """Give the gold items that the notebook asks about; Unreadable where it raises."""
    text = _reference(task, truth, prepared=prepared)
    return parsed_dft(text, repaired.get(GROUND_TRUTH)) if _is_dft(task) else parsed_mpv(text)


def predictions(task: str, response: str, repaired: Mapping[str, str] = NO_REPAIRS) -> Sequence[Any] | dict[str, Any]:
    """Give what the notebook takes for the list of predictions, which has a length; Unreadable where it raises."""
    found = predictions_dft(response, repaired.get(RESPONSE)) if _is_dft(task) else predictions_mpv(response)
    if not isinstance(found, list | dict | str):
        raise Unreadable("no list")
    return found


def numbered(found: Sequence[Any] | dict[str, Any]) -> str:
    """Give the list as a judge is shown it, each prediction with its index, which replaces a field of that name.

    Unreadable where an element is no object, and for a list longer than a judge is shown.
    """
    for place, each in enumerate(found):
        if not isinstance(each, dict):
            raise Unreadable("a prediction is no object")
        each[INDEX] = place
    return dumps(found, 2, LONGEST)


def matches(reply: str | None, count: int) -> bool:
    """Whether a judge's reply names one of so many predictions, the first of which the notebook never accepts.

    Unreadable where the notebook raises, and for a reply that never came.
    """
    if reply is None:
        raise Unreadable("it never came")
    said = _said(reply)
    if isinstance(said, list):
        said = said[0] if said else {}
    if not isinstance(said, dict):
        raise Unreadable("it is no object")
    try:
        index = str(said.get(INDEX))
        return index.isdigit() and 0 < int(index) < count
    except ValueError:  # a digit like ², or thousands of them
        raise Unreadable("its index is no number") from None


def _said(reply: str) -> Any:
    try:
        return loads(reply)
    except Unreadable:
        pass
    try:
        shorter = up_to_last_object(reply)
    except Unreadable:
        return []
    return loads(shorter)


def measured(matched: int, gold: int, found: int) -> dict[str, int | float | str]:
    """Give the notebook's metrics of three counts; a share of nothing is `nan`."""
    precision, recall = (min(matched / of, 1.0) if of else math.nan for of in (found, gold))
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    shares = {"precision": plain(precision), "recall": plain(recall), "f1": plain(f1)}
    return {**dict(zip(COUNTS, (matched, gold, found), strict=True)), **shares}


def _is_dft(task: str) -> bool:
    if task not in JUDGED:
        raise InputError(f"{task!r} is not scored by LLMSim", where="task", next=f"use one of: {', '.join(JUDGED)}")
    return TASKS[task].domain == TASKS["dft-s"].domain


def _reference(task: str, truth: str, *, prepared: bool) -> str:
    return truth if prepared else preprocess(truth, TASKS[task].domain, TASKS[task].prompt)
