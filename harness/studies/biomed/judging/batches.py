"""Grading in batches as published: requests for rows that are not cached, and scores from the replies.

Rule: docs/biomed.md#paper-grading. A readable reply is cached by its prompt. Other replies are reported, and the next
batch asks for them again. This module sends no request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.biomed.judging.grade_text import paper_grade, score_of

PATH = "/v1/chat/completions"
MOST_TOKENS = 1024
COMPLETED = "completed"  # the only status of a batch that has replies
SHOWN = 200  # characters of an id or a state in a message


class GradingRow(NamedTuple):
    """A row to grade: its id and the prompt about it."""

    id: str
    prompt: str


@dataclass
class GradedBatch:
    """The result of a batch: scores by id, each row's score in row order, and the lines the published code prints."""

    scores: dict[str, float] = field(default_factory=dict)
    final: list[float | None] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)


def cache_key(grader: str, system: str, prompt: str) -> str:
    """Return the key under which a grader's reply is cached: its name, its system prompt, and the prompt."""
    return f"{grader}_{system}_{prompt}"


def requests(
    rows: Sequence[GradingRow], cache: Mapping[str, str], grader: str, system: str = ""
) -> list[dict[str, Any]]:
    """Return the requests for the rows whose prompt is not cached, in row order.

    The system prompt is only part of the cache key; as published, it is not sent.
    """
    return [_request(row, grader) for row in rows if cache_key(grader, system, row.prompt) not in cache]


def _request(row: GradingRow, grader: str) -> dict[str, Any]:
    body = {
        "model": grader,
        "messages": [{"role": "user", "content": row.prompt}],
        "max_tokens": MOST_TOKENS,
        "temperature": 0,
    }
    return {"custom_id": row.id, "method": "POST", "url": PATH, "body": body}


def require_completed(status: str) -> None:
    """Raise InputError for a batch that is not completed; the message names its status, such as failed or expired.

    The published code asks again forever, or writes a value that is not a text. This function does not wait.
    """
    if status != COMPLETED:
        raise InputError(
            f"the batch is not completed: {status[:SHOWN]}",
            where="status",
            next="send the same requests as a new batch; replies that were cached are not asked for again",
        )


def settle(
    rows: Sequence[GradingRow],
    replies: Sequence[Mapping[str, Any]],
    cache: dict[str, str],
    grader: str,
    system: str = "",
) -> GradedBatch:
    """Turn the replies to a batch into scores of its rows, and add the readable replies to the cache.

    A row without a readable reply uses the cached reply; a row without either has no score.
    """
    found = GradedBatch()
    sent = {one["custom_id"]: one["body"]["messages"][0]["content"] for one in requests(rows, cache, grader, system)}
    for reply in replies:
        _take(reply, sent, found, cache, (grader, system))
    for row in rows:
        found.final.append(_final(row, found, cache.get(cache_key(grader, system, row.prompt))))
    return found


def _take(
    reply: Mapping[str, Any], sent: Mapping[str, str], found: GradedBatch, cache: dict[str, str], by: tuple[str, str]
) -> None:
    name, text = str(reply.get("custom_id")), content(reply)
    grade = paper_grade(text)
    if name not in sent:
        found.printed.append(f"Custom ID {name} not found in batch queries.")
    elif grade is None:
        found.printed.append(f"Invalid response for {name}: {text}")
    else:
        cache.setdefault(cache_key(*by, sent[name]), text)
        found.scores[name] = score_of(grade)


def _final(row: GradingRow, found: GradedBatch, cached: str | None) -> float | None:
    if row.id in found.scores:
        return found.scores[row.id]
    grade = None if cached is None else paper_grade(cached)
    if grade is not None:
        return score_of(grade)
    what = "No BioScore found for UUID" if cached is None else "Invalid cached response for UUID"
    found.printed.append(f"{what} {row.id}")
    return None


def content(reply: Mapping[str, Any]) -> str:
    """Return the text in a reply of a batch; empty if there is none, as in a reply that reports an error."""
    place: Any = reply
    for step in ("response", "body", "choices", 0, "message", "content"):
        if isinstance(step, int):
            place = place[step] if isinstance(place, list) and len(place) > step else None
        else:
            place = place.get(step) if isinstance(place, Mapping) else None
    return place if isinstance(place, str) else ""
