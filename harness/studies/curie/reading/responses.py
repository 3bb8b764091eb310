"""The published layout of one model's response to one record: the contents of its two files.

The rules are the evaluation notebook's, oddities included (docs/curie.md#paper-responses). Does not score responses or
read the disk: files are given as texts by path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads

RESPONSE, PROMPT, EXCEPTION = "response_text", "prompt_text", "exception_message"
NEEDS_PROMPT = "pdb"  # part of a path: its answers may be programs, which are run on the content of the prompt
KEEPS_TEXT = "command-r-plus"  # part of a path: its failures may have the message in the response field


@dataclass(frozen=True, slots=True)
class PublishedResponse:
    """The content of the two files of a response; fields that are not stated are empty."""

    text: str = ""
    exception: str = ""
    prompt: str = ""


def failure_path(success_path: str) -> str:
    """Return the path of a response's failure file: every `success` in the path is replaced, in folder names, too."""
    return success_path.replace("success", "failure")


def read_response(success_path: str, files: Mapping[str, str]) -> PublishedResponse:
    """Read the response whose success file has this path, from files by path; it is empty if neither file exists.

    Raises Unreadable if an existing file lacks a required field; the notebook then skips the record. The prompt is
    returned if the path contains `pdb`. A failure of Command-R+ may have `response_text` instead of its message, which
    is then taken as the message (OURS: the notebook's use of it is not known).
    """
    text = prompt = exception = ""
    if success_path in files:
        found = _object(files[success_path])
        text = _field(found, RESPONSE)
        prompt = _field(found, PROMPT) if NEEDS_PROMPT in success_path else ""
    failed = failure_path(success_path)
    if failed in files:
        found = _object(files[failed])
        told = EXCEPTION in found or KEEPS_TEXT not in success_path
        exception = _field(found, EXCEPTION if told else RESPONSE)
    return PublishedResponse(text, exception, prompt)


def _object(text: str) -> Mapping[str, Any]:
    value = loads(text, LONGEST_FILE)
    if not isinstance(value, dict):
        raise Unreadable("the file of a response holds no object")
    return value


def _field(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise Unreadable(f"the file of a response has no text `{name}`")
    return value
