"""Errors that an agent gets, and bounds of one call: stable codes, each with the next step.

No path, gold answer or stack trace can be in a text that an agent reads.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from harness.errors import InputError

LONGEST = 80  # characters of a value that an error may repeat


@dataclass(frozen=True)
class Advice:
    """What to do after an error of a call, and whether the same call may succeed later."""

    next: str
    retryable: bool = False


CODES: Mapping[str, Advice] = {
    "E_UNKNOWN_STUDY": Advice("Call list_studies and use one of the names it gives."),
    "E_UNKNOWN_SPLIT": Advice("Call list_studies and use a split of this study."),
    "E_HIDDEN_SPLIT": Advice("Call list_studies and use a split that is not hidden."),
    "E_NOT_LOCKED": Advice("Use another study; an operator makes this one ready with `harness lock`."),
    "E_NO_ATTEMPTS_LEFT": Advice("Use another split; list_studies says how many attempts each has left."),
    "E_IDEMPOTENCY_MISMATCH": Advice("Repeat the call exactly as it was, or give a new idempotency_key."),
    "E_UNKNOWN_ATTEMPT": Advice("Use the attempt_id that start_attempt gave, or call start_attempt."),
    "E_BUSY": Advice("End the other server that holds this attempt, then repeat the call.", retryable=True),
    "E_CURSOR": Advice("Call list_items without a cursor, then follow next_cursor with the same arguments."),
    "E_UNKNOWN_ITEM": Advice("Call list_items and use an item_id that it gives."),
    "E_PART": Advice("Call get_item with one item and a part from 1 to the `parts` that it gives."),
    "E_FINISHED": Advice("Call finish_attempt to read the outcome, or start_attempt for another attempt."),
    "E_EXPIRED": Advice("Call finish_attempt: what was answered in time counts."),
    "E_BUDGET": Advice("Call finish_attempt: what was answered so far counts."),
    "E_ALREADY_SUBMITTED": Advice("Go on with another item: answers are final."),
    "E_ENCODING": Advice("Send text of whole Unicode characters, without lone surrogates."),
    "E_TOO_LONG": Advice("Send a shorter text: an answer may have 65536 bytes in UTF-8."),
    "E_FORMAT": Advice("Send the answer as text, in quotes, as get_item's answer_kind and answer_schema say."),
    "E_ARGUMENT": Advice("Correct the argument as the tool's schema says, then repeat the call."),
    "E_UNKNOWN_TOOL": Advice("Call one of the tools that tools/list gives."),
    "E_METRIC_NOT_FOR_STUDY": Advice("Use a metric that list_studies gives for this study."),
    "E_UNKNOWN_MANIFEST": Advice("Call list_manifests and use a name that it gives."),
    "E_UNKNOWN_RUN": Advice("Use the run that start_run gave, or call start_run again with the same idempotency_key."),
    "E_OVERRIDE": Advice("Call list_manifests: it names what may be overridden."),
    "E_RUNS_FULL": Advice("Wait until a run of yours has ended, or cancel one: get_run says how it stands."),
    "E_NO_RUNS_LEFT": Advice("Use another manifest; list_manifests says how many runs each has left."),
    "E_SEALED": Advice("An operator reads this at a terminal."),
    "E_TOO_LARGE": Advice("Send a smaller message: fewer or shorter answers a call."),
    "E_MESSAGE": Advice("Send one JSON-RPC 2.0 message of valid JSON a line."),
    "E_INTERNAL": Advice("Repeat the call once; if it fails again, tell the operator.", retryable=True),
}


class ErrorReply(TypedDict):
    """An error as an agent reads it: code, message, next step, and whether the same call may succeed later."""

    code: str
    message: str
    next: str
    retryable: bool


class AttemptError(InputError):
    """Refusal of an agent's call: a stable code (`name`), one sentence, and the next step."""

    def __init__(self, code: str, message: str, next: str = "", *, retryable: bool | None = None) -> None:
        advice = CODES[code]
        super().__init__(message, next=next or advice.next)
        self.name = code
        self.retryable = advice.retryable if retryable is None else retryable

    def as_reply(self) -> ErrorReply:
        """Return the error as an agent reads it: code, message, next, retryable."""
        return {"code": self.name, "message": self.what, "next": self.next, "retryable": self.retryable}

    @property
    def text(self) -> str:
        """The error in one line, code, sentence and next step, for clients that show only text."""
        return f"{self.name}: {self.what.rstrip('.')}. Next: {self.next}"


def error_from_reply(data: Mapping[str, Any]) -> AttemptError:
    """Return the exception for the data of `as_reply`, as received over a pipe."""
    code = data.get("code")
    known = code if isinstance(code, str) and code in CODES else "E_INTERNAL"
    return AttemptError(known, str(data["message"]), str(data["next"]), retryable=data.get("retryable") is True)


def printable_text(value: object) -> str:
    """Return a caller's text for a message: printable ASCII, at most 80 characters."""
    text = value if isinstance(value, str) else type(value).__name__
    plain = text[:LONGEST].encode("unicode_escape").decode("ascii").replace("`", "'")
    return plain if len(text) <= LONGEST and len(plain) <= LONGEST else plain[: LONGEST - 3] + "..."


def suggest_name(name: object, known: Iterable[str]) -> str:
    """Suggest the known name that is most similar to a given one; empty if none is similar."""
    found = difflib.get_close_matches(str(name)[:LONGEST], list(known), 1, 0.6)
    return f"Did you mean `{found[0]}`?" if found else ""


ANSWER_BYTES = 64 * 1024  # most bytes of one answer in UTF-8
ANSWERS = 20  # most answers of one call
PAGE = 50  # most items of one page
PART_BYTES = 12 * 1024  # most bytes of one part of a prompt, in UTF-8
PART_ESCAPED = 15 * 1024  # most bytes of the same, escaped as JSON
READ_BYTES = 30 * 1024  # most bytes of the items of one read as JSON; one item is always given
REPLY_BYTES = 64 * 1024  # most bytes of a reply's data as JSON, without images
IMAGE_BYTES = 1 << 20  # most bytes of the images of one part
PREVIEW = 160  # characters of a prompt in a list
KEPT_BYTES = 1024  # bytes kept of rejected arguments or answers
LABEL = 80  # most characters of a client's description of itself
