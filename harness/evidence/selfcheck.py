"""Self-checks of a run: its output `checks`, by contract one JSON document with `verdict: pass | fail`.

It runs no check: it reads what the run has written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError

OUTPUT = "checks"
PASS, FAIL = "pass", "fail"
MOST = 1 << 26  # bytes of such a document


def self_check(outputs: Mapping[str, Mapping[str, Any]], deliver: Callable[[str], Path]) -> str:
    """Return the verdict in a run's output `checks`, `pass` or `fail`; "" where the run has no such output.

    Refuses a document that is not JSON, is larger than MOST bytes or has another verdict.
    """
    if OUTPUT not in outputs:
        return ""
    path = deliver(outputs[OUTPUT]["sha256"])
    try:
        body = json.loads(path.read_bytes()) if path.stat().st_size <= MOST else None
    except (ValueError, RecursionError):
        body = None
    verdict = body.get("verdict") if isinstance(body, dict) else None
    if verdict not in (PASS, FAIL):
        raise InputError(
            "the output `checks` is no document with `verdict: pass` or `verdict: fail`",
            where=str(path), next="a study writes its self-checks so, or gives that output another name",
        )  # fmt: skip
    return str(verdict)
