"""Export of a tape to readable JSON Lines, which `importing` reads back into a tape of the same digest.

A line's `response` is there to be read; where its bytes are not its canonical form, `exact` holds them. What is no
JSON object, or larger than 8 MiB, stands in `exact` alone. It never changes the tape, and never knows a study's own
format.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from harness.digest import canonical
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors
from harness.models.tape.line import Taped, reject_nan
from harness.models.tape.reader import Tape

READABLE = 8 << 20  # the largest answer, in bytes, that is written both readably and exactly


def export_lines(folder: Path, file: Path) -> int:
    """Write a tape's exchanges to a new file of JSON Lines, in the order of recording; returns their count.

    A file that exists is refused; one that could not be written in full is removed.
    """
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
    """Encode an answer readably, and also exactly where its bytes could not be restored from that."""
    exact: dict[str, Any] = {"exact": _text(response)}
    if len(response) > READABLE:
        return exact
    try:
        value = json.loads(response, parse_constant=reject_nan)
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
