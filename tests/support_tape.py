"""What the tests of the tape share: exchanges as the wire brings them, and small tapes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.models.tape import index as tape_segments
from harness.models.tape.tape import Recorder, Tape, request_digest

INDEX = "index.bin"


def body(text: str = "What is 12+34?", **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4-0613", "messages": [{"role": "user", "content": text}], "max_tokens": 16, **more}


def answer(text: str = "46") -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"id": "chatcmpl-1", "choices": [choice]}).encode()


def record(folder: Path, texts: Iterable[str], repeat: int = 0) -> Path:
    with Recorder(folder) as recorder:
        for text in texts:
            recorder.add("openai", body(text), repeat, 200, answer(text))
    return folder


def segmented(folder: Path, texts: Iterable[str], monkeypatch: Any, size: int = 700) -> Path:
    """Record with segments of a few hundred bytes, so that there are several."""
    with monkeypatch.context() as patch:
        patch.setattr("harness.models.tape.tape.SEGMENT", size)
        record(folder, texts)
    assert len(tape_segments.segment_sizes(folder)) > 1
    return folder


def answers(folder: Path, texts: Iterable[str], repeat: int = 0) -> list[bytes | None]:
    with Tape.open(folder) as tape:
        found = [tape.find(request_digest("openai", body(text)), repeat) for text in texts]
    return [one.response if one else None for one in found]


def copy(folder: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target
