"""Grading in batches as published: requests for what no cache holds, and scores from the replies.

Rule: docs/biomed.md#paper-grading. A reply that can be read is cached by its prompt; the others are said, and asked
again by the next batch. No request is sent from here. It does not know a gold answer apart from the prompt that holds
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.biomed.judging.grade_text import paper_grade, score_of

PATH = "/v1/chat/completions"
MOST_TOKENS = 1024
COMPLETED = "completed"  # the one state of a batch whose replies are there
SHOWN = 200  # characters of an id or a state in a message


class GradingRow(NamedTuple):
    """A row that is to be graded: its id, and the prompt about it."""

    id: str
    prompt: str


@dataclass
class GradedBatch:
    """What came of a batch: scores by id, of each row in order, and the lines that the published code prints."""

    scores: dict[str, float] = field(default_factory=dict)
    final: list[float | None] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)


def cache_key(grader: str, system: str, prompt: str) -> str:
    """Return the key under which a grader's reply is cached: its name, its system prompt, and the prompt."""
    return f"{grader}_{system}_{prompt}"


def requests(
    rows: Sequence[GradingRow], cache: Mapping[str, str], grader: str, system: str = ""
) -> list[dict[str, Any]]:
    """Return the requests about rows whose prompt is not cached, in their order; none where all are.

    The system prompt is a part of the cache's key alone: it is not sent, as published.
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
    """Refuse a batch that has no replies by an InputError that says its state: failed, expired, cancelled, unfinished.

    The published code asks again for ever, or writes what is no text; here nothing waits.
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
    """Read the replies to a batch into scores of its rows, and add those that can be read to the cache.

    A row without a readable reply takes the cached one; without either it has no score.
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
    """Return the text in a batch's reply; empty where it holds none, such as one that says an error."""
    place: Any = reply
    for step in ("response", "body", "choices", 0, "message", "content"):
        if isinstance(step, int):
            place = place[step] if isinstance(place, list) and len(place) > step else None
        else:
            place = place.get(step) if isinstance(place, Mapping) else None
    return place if isinstance(place, str) else ""
