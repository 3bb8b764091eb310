"""A tape as JSON Lines that anybody can read, and that `tape_import` reads back into a tape of the same digest.

A line's `response` is there to be read; where its bytes are not its canonical form, `exact` holds them. What is no
JSON object stands in `exact` alone. It must never know a study's own format.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from harness.digest import canonical
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors
from harness.models.tape.line import Taped, no_number
from harness.models.tape.reader import Tape

READABLE = 8 << 20  # bytes of an answer that is spelled twice, to be read and exactly


def export_lines(folder: Path, file: Path) -> int:
    """Write a tape's exchanges in the order they were recorded in, and count them; a file is never replaced."""
    with Tape.open(folder) as tape, translating_os_errors(file):
        if file.is_dir() or file.exists():
            raise InputError("something lies there already", where=str(file), next="name a file that is not there yet")
        count, done = 0, False
        try:
            with open(file, "xb") as lines:
                for taped in tape.requests():
                    lines.write(_spelled(taped) + b"\n")
                    count += 1
            done = True
        finally:
            if not done:
                file.unlink(missing_ok=True)
    return count


def _spelled(taped: Taped) -> bytes:
    line: dict[str, Any] = {"request": taped.body, **_answer(taped.response), "repeat": taped.repeat}
    line |= {"provider": taped.provider, **taped.more, "status": taped.status, "at": taped.at}
    if taped.redacted:
        line["redacted"] = taped.redacted
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _answer(response: bytes) -> dict[str, Any]:
    """Spell an answer so that it can be read, and exactly where its bytes would be lost by that."""
    exact: dict[str, Any] = {"exact": _text(response)}
    if len(response) > READABLE:
        return exact
    try:
        value = json.loads(response, parse_constant=no_number)
        if not isinstance(value, dict):
            return exact
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # half a character cannot be written
    except (ValueError, RecursionError):
        return exact
    try:
        whole = canonical(value) == response
    except HarnessError:
        whole = False
    return {"response": value} if whole else {"response": value, **exact}


def _text(response: bytes) -> str | dict[str, str]:
    try:
        return response.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(response).decode()}
