"""Attempts for tests: a small view, a transcript over it, a desk, and a backend that holds them in one process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from harness.attempts.calls import CallFacts, OpenedAttempt
from harness.attempts.codes import AttemptError
from harness.attempts.desk import Desk, take_over_desk
from harness.attempts.session import UNKNOWN
from harness.attempts.shapes import CatalogueRow, ScoringRow, TextScoreRow
from harness.attempts.transcript import begin_transcript, item_id, item_key
from harness.clock import Clock, time_after, unique_stamp
from harness.digest import canonical_json, sha256

FACTS = CallFacts("2026-07-28", "test/1")
SECRET = "5e" * 32
ZERO = "0" * 64
FAR = "2999-01-01T00:00:00.000Z"
CONTROL_WORD = "heron"


class SetClock(Clock):
    """A clock that a test moves."""

    def __init__(self, time: str = "2026-05-01T10:00:00.000Z") -> None:
        self.time = time

    def now(self) -> str:
        return self.time

    def pass_by(self, seconds: int) -> None:
        self.time = time_after(self.time, seconds)


def row(number: int, **more: object) -> dict[str, object]:
    """Give a row of a view: by default a sum to be done."""
    text = str(more.pop("text", f"What is {number} + {number}?"))
    shown = {} if "messages" in more else {"text": text}
    return {
        "key": item_key(f"sum-{number}", 0), "task": "addition", **shown, "media": [], "answer_kind": "text",
        "prompt_sha256": sha256(text.encode()), "size": len(text.encode()), **more,
    }  # fmt: skip


def control() -> dict[str, object]:
    """Give the row of a control item."""
    return row(0, key=item_key("control", 0), task="addition", text="Which word has record 7? `unknown` is fine.")


def make_view(folder: Path, rows: list[dict[str, object]], media: bytes = b"") -> str:
    """Write a view into a folder, as the store holds it; gives the digest of its items."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"type": "view/1", "study": "sums", "split": "dev", "items": len(rows)}, *rows, control()]
    data = b"".join(canonical_json(line) + b"\n" for line in lines)
    (folder / "items.jsonl").write_bytes(data)
    (folder / "media.bin").write_bytes(media)
    return sha256(data)


def control_id(store: Path, attempt: str) -> str:
    """Give the id of an attempt's control item, which only who keeps the store can tell from the others."""
    with (store / "runs" / attempt / "transcript.jsonl").open("rb") as lines:
        first = json.loads(lines.readline())
    return item_id(bytes.fromhex(first["secret"]), first["canary"]["key"])


def fields(view: str, items: int, **more: object) -> Any:
    """Give the fields of an attempt's start."""
    return {
        "attempt": unique_stamp(16), "principal": "local:0", "profile": "answer", "manifest": ZERO, "name": "sums-demo",
        "study": "sums", "lock": ZERO, "split": "dev", "subset": "", "hidden": False, "gold_reachable": True,
        "label": "tester", "budget": {"calls": 1000, "seconds": 3600}, "items": items, "view": view, "media": ZERO,
        "canary": {"key": str(control()["key"]), "sha256": sha256(CONTROL_WORD.encode())}, "tools": ZERO,
        "versions": {"harness": "0"}, "secret": SECRET, "idempotency": ZERO, "expires": FAR, **more,
    }  # fmt: skip


class AttemptFolder:
    """An attempt in a folder: its view, its transcript, and whatever a test asks of it."""

    def __init__(self, folder: Path, count: int = 5, rows: list[dict[str, object]] | None = None, **more: object):
        self.folder = folder
        self.rows = [row(number) for number in range(1, count + 1)] if rows is None else rows
        media = more.pop("media_bytes", b"")
        assert isinstance(media, bytes)
        view = make_view(folder / "view", self.rows, media)
        started = fields(view, len(self.rows), **more)
        self.name = str(started["attempt"])
        self.path = folder / f"{self.name}.jsonl"
        self.first = begin_transcript(self.path, started)

    def opened(self) -> OpenedAttempt:
        """Open its files as a supervisor hands them over."""
        view = self.folder / "view"
        return OpenedAttempt(
            self.name,
            os.open(self.path, os.O_RDWR | os.O_APPEND),
            os.open(view / "items.jsonl", os.O_RDONLY),
            os.open(view / "media.bin", os.O_RDONLY),
            {"answer_format": "text", "instructions": "answer"},
        )

    def desk(self, clock: Clock | None = None) -> Desk:
        """Sit down at a desk over it."""
        return take_over_desk(self.opened(), clock)

    def id(self, number: int) -> str:
        """Give the agent's id of the item of a number; 0 is the control item."""
        return item_id(bytes.fromhex(SECRET), item_key(f"sum-{number}" if number else "control", 0))

    def args(self, **more: object) -> dict[str, object]:
        """Give the arguments of a call about it."""
        return {"attempt_id": self.name, **more}

    def answers(self, *pairs: tuple[int, object], **more: object) -> dict[str, object]:
        """Give the arguments of a submission: pairs of an item's number and its answer."""
        return self.args(answers=[{"item_id": self.id(number), "answer": answer, **more} for number, answer in pairs])


class FolderBackend:
    """A backend over attempts in folders, which counts what it is asked."""

    def __init__(self, *attempts: AttemptFolder) -> None:
        self.attempts = {each.name: each for each in attempts}
        self.asked: list[str] = []
        self.status: ScoringRow = {"status": "scoring"}

    def catalogue(self) -> CatalogueRow:
        self.asked.append("catalogue")
        return {"studies": []}

    def open(self, request, tools) -> OpenedAttempt:
        self.asked.append("open")
        if request["study"] != "sums-demo":
            raise AttemptError("E_UNKNOWN_STUDY", "no such study is served")
        return next(iter(self.attempts.values())).opened()

    def reopen(self, attempt_id) -> OpenedAttempt:
        self.asked.append("reopen")
        if attempt_id not in self.attempts:
            raise AttemptError("E_UNKNOWN_ATTEMPT", UNKNOWN)
        return self.attempts[attempt_id].opened()

    def finish(self, attempt_id, *, wait=True) -> ScoringRow:
        self.asked.append("finish")
        return {**self.status}

    def score_text(self, request) -> TextScoreRow:
        self.asked.append("score_text")
        return {"metric": request["metric"], "value": 1.0, "scorer_sha256": ZERO}
