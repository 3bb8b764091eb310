"""The exchange between a run and whatever executes its steps: documents of bytes, out and back.

A request names a step and the preimage of its key; an answer names the outputs by digest, what the step used, and what
it observed. A message is such a document on one line, and behind it the blobs that travel with it, each held against
its digest when it is read. Nothing here knows of threads, hosts, locks or journals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from harness.digest import encode_document, parse_document, sha256
from harness.errors import DamageError, HarnessError, InputError, Interrupted, MissingError, StepError
from harness.run.executing.execute import StepEnded, StepKilled
from harness.steps import Step, step_key
from harness.store.blobs import is_digest
from harness.store.events import Preimage
from harness.store.store import Output

ASKED, MADE, FAILED = "step-request/1", "step-answer/1", "step-failed/1"
LACKING, REFUSED = "step-lacking/1", "worker-refused/1"
QUESTION, PROOF = "worker-question/1", "worker-proof/1"
STOP, STOPPED = "run-stop/1", "run-stopped/1"
_FLAGS = ("calls", "derive", "imported", "infers", "sees_gold", "threaded", "trial")
_ERRORS: Mapping[str, type[HarnessError]] = {
    one.__name__: one for one in (DamageError, InputError, Interrupted, MissingError, StepEnded, StepError, StepKilled)
}
MOST_NOTE = 8000  # characters of a log that travel with an error


@dataclass(frozen=True)
class StepAnswer:
    """What came of a step: its outputs by digest and size, what it used, and what it observed of the machine."""

    outputs: Mapping[str, Output]
    usage: Mapping[str, int]
    facts: Mapping[str, Any] = field(default_factory=dict)
    worker: str = ""  # the worker of a cluster that executed it; empty for this process


class Placement(Protocol):
    """Interface of a placement, which has the steps of a run executed elsewhere than in its own pool."""

    jobs: int  # how many steps it is asked for at once, if the user says nothing

    def spoken(self) -> Mapping[str, Any]:
        """Return what a record says of it."""
        ...

    def begin(self, note: Callable[[str, Mapping[str, Any]], None]) -> None:
        """Pass the events of its workers on, those that have happened and those to come, with their fields."""
        ...

    def end(self) -> None:
        """Pass on no more events."""
        ...

    def takes(self, step: Step) -> bool:
        """Whether it may execute a step."""
        ...

    def perform(self, request: bytes) -> bytes:
        """Have the step of a request executed, put its outputs into the run's store, and answer."""
        ...


def encode_request(step: Step, parts: Preimage) -> bytes:
    """Return the document that asks for a step: its name, stage and flags, and the preimage of its key."""
    flags = {name: value for name in _FLAGS if (value := getattr(step, name))}
    return encode_document(
        {"type": ASKED, "step": {"name": step.name, "stage": step.stage, **flags}, "parts": dict(parts)}
    )


def read_request(asked: Mapping[str, Any]) -> tuple[Step, Preimage]:
    """Return the step of a request, without the sources of its inputs, and the preimage of its key."""
    said, parts = asked["step"], asked["parts"]
    outputs = tuple(parts["outputs"])
    step = Step(said["name"], parts["kind"], said["stage"], parts["params"], {}, outputs, parts["batch"])
    flags = {name: said[name] for name in _FLAGS if name in said}
    return (Step(**{**vars(step), **flags}) if flags else step), parts


def input_digests(parts: Preimage) -> list[str]:
    """List the blobs that a step reads, by the preimage of its key, each once."""
    found = (one if isinstance(one, list) else [one] for one in parts["inputs"].values())
    return list(dict.fromkeys(digest for group in found for digest in group))


def encode_answer(parts: Preimage, answer: StepAnswer) -> bytes:
    """Return the document that answers a request: the key that was asked for, outputs, usage and facts."""
    return encode_document(answer_fields(parts, answer))


def answer_fields(parts: Preimage, answer: StepAnswer) -> dict[str, Any]:
    """Return the fields of the document that answers a request."""
    return {
        "type": MADE,
        "key": step_key(parts),
        "outputs": {name: {"sha256": out.sha256, "size": out.size} for name, out in answer.outputs.items()},
        "usage": dict(answer.usage),
        "facts": dict(answer.facts),
        **({"worker": answer.worker} if answer.worker else {}),
    }


def read_answer(data: bytes, parts: Preimage) -> StepAnswer:
    """Parse the document that answers a request; raise DamageError if it does not answer this one."""
    try:
        said = parse_document(data, MADE, "the answer to a step")
        outputs = {name: Output(str(out["sha256"]), int(out["size"])) for name, out in said["outputs"].items()}
        fits = said["key"] == step_key(parts) and sorted(outputs) == sorted(parts["outputs"])
        if not fits or not all(is_digest(out.sha256) and out.size >= 0 for out in outputs.values()):
            raise ValueError("it answers another step")
        usage = {str(name): int(value) for name, value in said["usage"].items()}
        return StepAnswer(outputs, usage, dict(said["facts"]), str(said.get("worker", "")))
    except (InputError, ValueError, LookupError, TypeError, AttributeError) as bad:
        raise DamageError(
            f"what executed a step gave no answer that can be read: {bad}",
            where=str(parts.get("kind")),
            next="run again; give every worker the same version of the harness as this one",
        ) from bad


def failure_fields(error: HarnessError) -> dict[str, Any]:
    """Return the fields of the document that says how a step failed, with the end of its log."""
    known = type(error).__name__ in _ERRORS
    kind = type(error).__name__ if known else next(n for n, one in _ERRORS.items() if isinstance(error, one))
    notes = "\n".join(getattr(error, "__notes__", ()))[-MOST_NOTE:]
    fields = {"kind": kind, "what": error.what, "where": error.where, "next": error.next, "note": notes}
    return {"type": FAILED, **fields, "ended": getattr(error, "ended", "")}


def read_failure(said: Mapping[str, Any]) -> HarnessError:
    """Return the error that a step failed with elsewhere, of the class that it had there."""
    error = _ERRORS.get(str(said["kind"]), StepError)(str(said["what"]), where=str(said["where"]), next=said["next"])
    if isinstance(error, StepEnded):
        error.ended = str(said["ended"])
    if said["note"]:
        error.add_note(str(said["note"]))
    return error


def pack_message(fields: Mapping[str, Any], blobs: Iterable[bytes] = ()) -> bytes:
    """Return a message: a document on one line, and behind it blobs, whose digests and sizes it lists."""
    carried = list(blobs)
    listed = [{"sha256": sha256(data), "size": len(data)} for data in carried]
    return b"".join((encode_document({**fields, "blobs": listed}), b"\n", *carried))


def unpack_message(message: bytes, kinds: Sequence[str]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the document of a message and its blobs by digest; raise DamageError for one that is not whole."""
    line, _, rest = message.partition(b"\n")
    try:
        kind = str(json.loads(line)["type"])
        if kind not in kinds:
            raise ValueError(f"it is of type {kind[:40]!r}")
        said, blobs, at = parse_document(line, kind, "a message"), dict[str, bytes](), 0
        for one in said["blobs"]:
            data = rest[at : at + one["size"]]
            at += len(data)
            if sha256(data) != one["sha256"]:
                raise ValueError(f"blob {str(one['sha256'])[:12]} did not arrive as it was sent")
            blobs[one["sha256"]] = data
        if at != len(rest):
            raise ValueError(f"{len(rest) - at} bytes belong to no blob")
    except (InputError, ValueError, LookupError, TypeError) as bad:
        raise DamageError(
            f"a message between a run and a worker cannot be read: {bad}",
            next="run again; give every worker the same version of the harness as this one",
        ) from bad
    return said, blobs
