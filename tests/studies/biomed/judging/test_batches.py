"""Grading in batches: what is sent, what the cache keeps, and a batch that never gives a reply."""

from __future__ import annotations

from typing import Any

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.biomed.judging.batches import GradingRow, cache_key, content, requests, require_completed, settle

ROWS = [GradingRow("a", "prompt of a"), GradingRow("b", "prompt of b"), GradingRow("c", "prompt of c")]


def said(id: str, text: Any) -> dict[str, Any]:
    return {"custom_id": id, "response": {"body": {"choices": [{"message": {"content": text}}]}}}


def test_only_what_no_cache_holds_is_sent_and_the_system_prompt_never() -> None:
    cache = {cache_key("g", "be strict", "prompt of b"): "2.0"}
    sent = requests(ROWS, cache, "g", "be strict")
    assert [one["custom_id"] for one in sent] == ["a", "c"]
    assert sent[0]["body"]["messages"] == [{"role": "user", "content": "prompt of a"}]
    assert len(requests(ROWS, cache, "g")) == 3, "another system prompt is another key"


def test_readable_replies_are_cached_and_the_others_asked_again() -> None:
    cache: dict[str, str] = {}
    found = settle(ROWS, [said("a", "2.5"), said("b", "no grade"), said("x", "3")], cache, "g")
    assert found.final == [2.5 / 3, None, None]
    assert [one["custom_id"] for one in requests(ROWS, cache, "g")] == ["b", "c"]
    assert found.printed == [
        "Invalid response for b: no grade", "Custom ID x not found in batch queries.",
        "No BioScore found for UUID b", "No BioScore found for UUID c",
    ]  # fmt: skip


def test_a_cached_reply_that_cannot_be_read_gives_no_score() -> None:
    found = settle(ROWS[:1], [], {cache_key("g", "", "prompt of a"): "garbage"}, "g")
    assert (found.final, found.printed) == ([None], ["Invalid cached response for UUID a"])


@pytest.mark.parametrize("status", ["failed", "expired", "cancelled", "in_progress", "x" * 5_000_000])
def test_a_batch_without_replies_ends_with_an_error_and_never_waits(status: str) -> None:
    with pytest.raises(InputError, match="not completed"):
        require_completed(status)


@each_of(
    "reply",
    [{}, {"response": None}, {"response": {"body": {"choices": []}}}, said("a", None), said("a", 3), {"response": [1]},
     {"custom_id": "a", "response": None, "error": {"code": "rate_limit"}}],
)  # fmt: skip
def test_a_reply_of_another_shape_holds_no_text(reply: dict[str, Any]) -> None:
    assert content(reply) == ""
