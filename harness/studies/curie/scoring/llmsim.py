"""LLMSim as the published notebook computes it (curie 2.5): one question to a judge per gold item, and the counts.

Its defects are kept: index 0 never matches, several gold items may match one prediction, an empty list gives NaN. One
bound is OURS: a list of predictions that takes about 1,000,000 characters to show is unreadable, since it would be
shown once per gold item. Does not see who judges or which model answered.
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

GOLD_PLACE, LIST_PLACE = "{{json_ground_truth}}", "{{json_extracted_list}}"  # placeholders of a judge's template
JUDGED = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")  # tasks
INDEX = "json_extracted_index"  # the field with the index of a prediction, for the judge and in its replies
COUNTS = ("num_match", "num_ground_truth", "num_model_response")
METRICS = (*COUNTS, "precision", "recall", "f1")
GROUND_TRUTH, RESPONSE = "ground_truth", "model_response"  # what a model may have to repair
REPAIRS = (GROUND_TRUTH, RESPONSE)  # in the order of their prompts
_REPAIR = {  # OURS: the notebook's own wordings are not known
    GROUND_TRUTH: "Extract ground truth: reply with the JSON list that this text holds, and nothing else.",
    RESPONSE: "Extract model_response: reply with the JSON list that this text holds, and nothing else.",
}
NO_REPAIRS: Mapping[str, str] = {}


def repairs(task: str, truth: str, response: str, *, prepared: bool = False) -> dict[str, str]:
    """Return the prompts that a model must answer before an answer to DFT-S or DFT-P is scored, by what they repair.

    There is no prompt for a text that can be read or is too long, and never one for MPV. `truth` is the text of a
    ground-truth file, or with `prepared` the result of `preprocess`.
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
    """Return the prompts about an answer for a judge, one per gold item, in the order of the gold.

    `truth` is the text of a ground-truth file, or with `prepared` the result of `preprocess`. `template` is the judge's
    wording with both placeholders, and `repaired` holds a model's replies to `repairs`. There are no prompts if the
    gold or the answer cannot be read. Raises InputError for a template without its placeholders.
    """
    check_template(template)
    try:
        gold = gold_items(task, truth, repaired, prepared=prepared)
        shown = numbered(predictions(task, response, repaired)) if gold else ""
    except Unreadable:
        return []
    return [filled(template, dumps(item, 2), shown) for item in gold]


def check_template(template: str) -> None:
    """Raise InputError if a judge's template lacks one of its placeholders."""
    if lacking := [place for place in (GOLD_PLACE, LIST_PLACE) if place not in template]:
        raise InputError(f"the judge's template has no {lacking[0]}", where="template", next="give the whole template")


def filled(template: str, gold: str, shown: str) -> str:
    """Insert a gold item and the list of predictions into a judge's template, whose outer white space is removed.

    The list is inserted last, so a placeholder that an answer contains is not filled.
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

    If the notebook raises, every metric is missing. Raises InputError for fewer replies than gold items.
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
    """Return the gold items that the notebook asks about; raises Unreadable if the notebook raises."""
    text = _reference(task, truth, prepared=prepared)
    return parsed_dft(text, repaired.get(GROUND_TRUTH)) if _is_dft(task) else parsed_mpv(text)


def predictions(task: str, response: str, repaired: Mapping[str, str] = NO_REPAIRS) -> Sequence[Any] | dict[str, Any]:
    """Return what the notebook uses as the list of predictions, which has a length; raises Unreadable if it raises."""
    found = predictions_dft(response, repaired.get(RESPONSE)) if _is_dft(task) else predictions_mpv(response)
    if not isinstance(found, list | dict | str):
        raise Unreadable("no list")
    return found


def numbered(found: Sequence[Any] | dict[str, Any]) -> str:
    """Return the list as a judge is shown it, each prediction with its index, which replaces a field of that name.

    Raises Unreadable if an element is not an object, and if the list is longer than a judge is shown.
    """
    for place, each in enumerate(found):
        if not isinstance(each, dict):
            raise Unreadable("a prediction is no object")
        each[INDEX] = place
    return dumps(found, 2, LONGEST)


def matches(reply: str | None, count: int) -> bool:
    """Whether a judge's reply names one of `count` predictions other than the first, which the notebook never accepts.

    Raises Unreadable if the notebook raises, and for a reply that never came.
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
    except ValueError:  # a digit like ², or thousands of digits
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
    """Return the notebook's metrics of three counts; a share of nothing is `nan`."""
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
