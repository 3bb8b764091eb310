"""The exchange between a run and whatever executes its steps: documents of bytes, out and back.

A request names a step and the preimage of its key; an answer names the outputs by digest, what the step used, and what
it observed. A message is such a document on one line, and behind it the blobs that travel with it, each held against
its digest when it is read. Nothing here knows of threads, hosts, locks or journals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NotRequired, Protocol, TypedDict, cast

from harness.digest import encode_document, parse_document, sha256
from harness.errors import DamageError, HarnessError, InputError, Interrupted, MissingError, StepError
from harness.run.executing.execute import StepEnded, StepKilled
from harness.steps import Step, step_key
from harness.store.blobs import is_digest
from harness.store.journal import Preimage
from harness.store.store import Output

ASKED: Final = "step-request/1"
MADE: Final = "step-answer/1"
FAILED: Final = "step-failed/1"
LACKING: Final = "step-lacking/1"
REFUSED: Final = "worker-refused/1"
QUESTION: Final = "worker-question/1"
PROOF: Final = "worker-proof/1"
STOP: Final = "run-stop/1"
STOPPED: Final = "run-stopped/1"
_FLAGS = ("calls", "derive", "imported", "infers", "sees_gold", "threaded", "trial")
_ERRORS: Mapping[str, type[HarnessError]] = {
    one.__name__: one for one in (DamageError, InputError, Interrupted, MissingError, StepEnded, StepError, StepKilled)
}
MOST_NOTE = 8000  # characters of a log that travel with an error


class RequestedStep(TypedDict):
    """The step of a request: its name, its stage, and those of its flags that are set."""

    name: str
    stage: str
    calls: NotRequired[bool]
    derive: NotRequired[bool]
    imported: NotRequired[bool]
    infers: NotRequired[bool]
    sees_gold: NotRequired[bool]
    threaded: NotRequired[bool]
    trial: NotRequired[bool]


class StepRequest(TypedDict):
    """The document by which a run asks for a step: the step, and the preimage of its key."""

    type: Literal["step-request/1"]
    step: RequestedStep
    parts: Preimage


class WorkerSetting(TypedDict):
    """What a worker opens as its run did: engine, isolation, image, resources, numerics, and the shared store."""

    type: Literal["worker-setting/1"]
    engine: str
    isolation: str
    image: str
    resources: Mapping[str, Any]  # fields of `Resources`
    ceiling: int
    numerics: str
    store: str  # its path, or empty if inputs are sent
    mark: str  # a file of that store, by which a worker knows it


class SentRequest(StepRequest):
    """A request as it travels to a worker: with the setting to execute it in, and the token of its run."""

    setting: WorkerSetting
    run: str


class WorkerQuestion(TypedDict):
    """The document by which a run asks a worker which environment, device and numerics it has."""

    type: Literal["worker-question/1"]
    setting: WorkerSetting


class RunStop(TypedDict):
    """The document by which a run tells a worker to end the run's steps."""

    type: Literal["run-stop/1"]
    run: str


class FromWorker(TypedDict):
    """The fields that a worker adds to each document it sends: its address, and the log of a step."""

    address: NotRequired[str]  # of the worker, as its scheduler knows it
    log: NotRequired[str]  # of the step


class OutputFacts(TypedDict):
    """An output of a step: the digest and the size of its bytes."""

    sha256: str
    size: int


class StepMade(FromWorker):
    """The document that answers a request: the step's outputs by digest, what it used, and facts of the machine."""

    type: Literal["step-answer/1"]
    key: str
    outputs: Mapping[str, OutputFacts]
    usage: Mapping[str, int]
    facts: Mapping[str, Any]  # what the machine says of itself
    worker: NotRequired[str]


class StepFailed(FromWorker):
    """The document that says how a step failed: the class of its error, its texts, and the end of its log."""

    type: Literal["step-failed/1"]
    kind: str
    what: str
    where: str
    next: str
    note: str
    ended: str


class StepLacking(FromWorker):
    """The document in which a worker names the inputs of a step that it lacks."""

    type: Literal["step-lacking/1"]
    digests: list[str]


class WorkerRefused(FromWorker):
    """The document in which a worker says why it takes no step."""

    type: Literal["worker-refused/1"]
    why: str
    next: str


class WorkerProof(FromWorker):
    """The document in which a worker says what it is: its environment, device, numerics, image and isolation."""

    type: Literal["worker-proof/1"]
    environment: str
    device: str
    numerics: Mapping[str, str]
    image: str
    isolation: str
    facts: Mapping[str, Any]  # what the machine says of itself


class RunStopped(FromWorker):
    """The document in which a worker confirms that a run's steps are ended."""

    type: Literal["run-stopped/1"]


ToWorker = SentRequest | WorkerQuestion | RunStop
StepReply = StepMade | StepFailed | StepLacking | WorkerRefused
ProofReply = WorkerProof | WorkerRefused | StepFailed
WorkerReply = StepReply | WorkerProof | RunStopped


@dataclass(frozen=True)
class StepAnswer:
    """The result of a step: its outputs by digest and size, the resources it used, and facts of the machine."""

    outputs: Mapping[str, Output]
    usage: Mapping[str, int]
    facts: Mapping[str, Any] = field(default_factory=dict)
    worker: str = ""  # the worker of a cluster that executed it; empty for this process


class Placement(Protocol):
    """Interface for having the steps of a run executed elsewhere than in the run's own process."""

    jobs: int  # how many steps it is asked for at once, if the user says nothing

    def spoken(self) -> Mapping[str, Any]:
        """Return the description of the placement that the run's record keeps."""
        ...

    def begin(self, note: Callable[[str, Mapping[str, Any]], None]) -> None:
        """Start to pass the events of workers, past and future ones, to `note`, which writes the run's journal."""
        ...

    def end(self) -> None:
        """Stop passing events of workers to the journal."""
        ...

    def takes(self, step: Step) -> bool:
        """Whether a step may be executed by this placement; other steps stay in the run's process."""
        ...

    def perform(self, request: bytes) -> bytes:
        """Have the step of a request executed, put its outputs into the run's store, and return the answer's bytes."""
        ...


def encode_request(step: Step, parts: Preimage) -> bytes:
    """Encode the document that asks for a step: its name, stage and flags, and the preimage of its key."""
    flags = {name: value for name in _FLAGS if (value := getattr(step, name))}
    return encode_document(
        {"type": ASKED, "step": {"name": step.name, "stage": step.stage, **flags}, "parts": dict(parts)}
    )


def parse_request(data: bytes) -> StepRequest:
    """Parse the document that asks for a step; raise InputError if it is of another type."""
    return cast(StepRequest, parse_document(data, ASKED, "a request"))


def read_request(asked: StepRequest) -> tuple[Step, Preimage]:
    """Return the step of a request, without the sources of its inputs, and the preimage of its key."""
    said, parts = asked["step"], asked["parts"]
    outputs = tuple(parts["outputs"])
    step = Step(said["name"], parts["kind"], said["stage"], parts["params"], {}, outputs, parts["batch"])
    flags = {name: value for name, value in said.items() if name in _FLAGS}
    return (Step(**{**vars(step), **flags}) if flags else step), parts


def input_digests(parts: Preimage) -> list[str]:
    """List the blobs that a step reads, by the preimage of its key, each once."""
    found = (one if isinstance(one, list) else [one] for one in parts["inputs"].values())
    return list(dict.fromkeys(digest for group in found for digest in group))


def encode_answer(parts: Preimage, answer: StepAnswer) -> bytes:
    """Encode the document that answers a request: the key that was asked for, outputs, usage and facts."""
    return encode_document(answer_fields(parts, answer))


def answer_fields(parts: Preimage, answer: StepAnswer) -> StepMade:
    """Return the document that answers a request, as plain data."""
    made: StepMade = {
        "type": MADE,
        "key": step_key(parts),
        "outputs": {name: {"sha256": out.sha256, "size": out.size} for name, out in answer.outputs.items()},
        "usage": dict(answer.usage),
        "facts": dict(answer.facts),
    }
    if answer.worker:
        made["worker"] = answer.worker
    return made


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


def failure_fields(error: HarnessError) -> StepFailed:
    """Return the document that says how a step failed, as plain data, with the end of the step's log."""
    known = type(error).__name__ in _ERRORS
    kind = type(error).__name__ if known else next(n for n, one in _ERRORS.items() if isinstance(error, one))
    notes = "\n".join(getattr(error, "__notes__", ()))[-MOST_NOTE:]
    return {
        "type": FAILED,
        "kind": kind,
        "what": error.what,
        "where": error.where,
        "next": error.next,
        "note": notes,
        "ended": error.ended if isinstance(error, StepEnded) else "",
    }


def read_failure(said: StepFailed) -> HarnessError:
    """Return the exception for a step that failed elsewhere, of the class that it was raised with there."""
    error = _ERRORS.get(str(said["kind"]), StepError)(str(said["what"]), where=str(said["where"]), next=said["next"])
    if isinstance(error, StepEnded):
        error.ended = str(said["ended"])
    if said["note"]:
        error.add_note(str(said["note"]))
    return error


def pack_message(fields: Mapping[str, object], blobs: Iterable[bytes] = ()) -> bytes:
    """Encode a message: a document on one line, and behind it blobs, whose digests and sizes it lists."""
    carried = list(blobs)
    listed = [{"sha256": sha256(data), "size": len(data)} for data in carried]
    return b"".join((encode_document({**fields, "blobs": listed}), b"\n", *carried))


def unpack_order(message: bytes) -> tuple[ToWorker, dict[str, bytes]]:
    """Parse a message to a worker: its document, and its blobs by digest; DamageError for one that is not whole."""
    return _unpack(message, (ASKED, QUESTION, STOP))


def unpack_step_reply(message: bytes) -> tuple[StepReply, dict[str, bytes]]:
    """Parse a worker's reply to a request: the step's answer, its failure, or why it was not executed."""
    return _unpack(message, (MADE, LACKING, REFUSED, FAILED))


def unpack_proof(message: bytes) -> tuple[ProofReply, dict[str, bytes]]:
    """Parse a worker's reply to the question what it is: its proof, or why it takes no step."""
    return _unpack(message, (PROOF, REFUSED, FAILED))


def _unpack(message: bytes, kinds: Sequence[str]) -> tuple[Any, dict[str, bytes]]:
    """Return the document of a message, which is of one of these types, and its blobs by digest."""
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
