"""The line of a tape that an answer of a run came from, found again by the request that the step made.

Rows of answers name no line. So the request is made again by the provider's own functions, from the parameters of the
step and the prompt that it was given, and looked up as the gateway looks it up. What is found counts only if its answer
reads as the row says. No provider is asked, and nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import MissingError
from harness.manifest.load import parse_manifest
from harness.manifest.schema import Manifest
from harness.models.gateway.limits import find_recorded
from harness.models.gateway.settings import ServedModel
from harness.models.tape.index import line_number, segment_path, segment_sizes
from harness.models.tape.line import Taped, request_digest
from harness.models.tape.tape import Tape
from harness.models.wire import WireFormat, replace_surrogates
from harness.parts import import_part
from harness.rowtypes import Prompt
from harness.run.locking.models import gateway_models
from harness.store.journal import Preimage
from harness.store.store import Store

PROVIDERS = "harness.models.providers"
PINNED = "tape"  # the parameter of a step with the digest of the tape that the lock pins


@dataclass(frozen=True)
class TapedAnswer:
    """The line of a tape that an answer came from, and whether the tape is the one that the lock pins."""

    folder: str  # of the tape, below the project's root
    segment: str  # the file in it
    line: int  # in that file, counted from 1
    own: str  # the line's digest
    request: str  # the digest of the request, by which the tape is searched
    repeat: int
    at: str
    server: str  # empty if the line names none
    model: str  # that answered, as the answer says; empty if it does not
    pinned: bool | None  # whether the tape is the one that the lock pins; None: it pins none


def find_taped_answer(
    store: Store, root: Path | None, manifest: str, asked: Preimage, response: Mapping[str, Any]
) -> TapedAnswer | None:
    """Return the line that an answer of a step came from; None if the step asked no model elsewhere.

    `manifest` is the digest of the run's manifest, `asked` is what the step's key was made of, `root` is the project.
    Raises MissingError, which says why, if no line can be told: the tape is not here or lacks it, or none was kept.
    """
    models = gateway_models(_manifest(store, manifest), root or Path())
    params = asked["params"]
    told = models.get(str(params.get("served") or params.get("id")))
    if told is None or told["provider"] != _provider(asked):
        return None
    if response.get("error") is not None:
        raise MissingError("the request was not answered, and a tape keeps answers only")
    if told["mode"] == "live":
        raise MissingError("the model was asked live, and nothing was recorded")
    if root is None:
        raise MissingError("tapes are in a project's folder, and a store alone is looked at")
    served = ServedModel.model_validate(told)
    assert served.tape  # as every mode but `live` has
    folder = served.tape.relative_to(root).as_posix()
    if not served.tape.is_dir():
        raise MissingError(f"the tape {folder} is not in this project")
    wire: WireFormat = _wire(served.provider)(params, _images(store, asked))
    body, more = wire.body(_prompt(store, asked, response)), served.part_of_call(wire.path)
    repeat = int(response["sample"])
    with Tape.open(served.tape) as tape:
        taped = find_recorded(served, body, more, lambda digest: tape.find(digest, repeat))
        if taped is None:
            raise MissingError(f"the tape {folder} does not hold this request")
        if not _reads_as(wire, taped, response):
            raise MissingError(f"the tape {folder} holds another answer to this request than the run has")
        digest = request_digest(taped.provider, taped.body, taped.more)
        entry = tape.locate(digest, repeat)
        assert entry  # it was found just now
        pin = params.get(PINNED)
        return TapedAnswer(
            folder,
            segment_path(Path(), entry.segment).name,
            line_number(served.tape, entry),
            entry.line.own,
            digest,
            repeat,
            taped.at,
            taped.server,
            taped.responder.get("model", ""),
            None if pin is None else _tape_digest(served.tape, tuple(segment_sizes(served.tape))) == pin,
        )


@lru_cache(maxsize=16)
def _manifest(store: Store, digest: str) -> Manifest:
    return parse_manifest(store.blobs.read(digest), "the run's manifest")[0]


@lru_cache(maxsize=16)
def _tape_digest(folder: Path, sizes: tuple[int, ...]) -> str:
    """Return the digest of a tape, once for each state of it: a tape only grows."""
    with Tape.open(folder) as tape:
        return tape.digest()


def _provider(asked: Preimage) -> str:
    return str(asked["kind"]).partition(":")[0].rpartition(".")[2]


def _wire(provider: str) -> Any:
    """Return the function by which a provider's step makes its requests."""
    try:
        return import_part(f"{PROVIDERS}.{provider}:wire_format")
    except (ImportError, AttributeError) as bad:
        raise MissingError(f"the provider {provider} does not say how it asks (`wire_format`)") from bad


def _input(asked: Preimage, name: str) -> list[str]:
    found = asked["inputs"].get(name, [])
    return [found] if isinstance(found, str) else list(found)


def _prompt(store: Store, asked: Preimage, response: Mapping[str, Any]) -> Prompt:
    """Return the prompt that an answer was given to, from what the step was given."""
    for digest in _input(asked, "prompts"):
        for row in rows.read(store.blobs.deliver(digest), Prompt):
            if (row["item"], row["template"]) == (response["item"], response["template"]):
                return row
    raise MissingError("the step was given no prompt for this answer")


def _images(store: Store, asked: Preimage) -> Path | None:
    digests = _input(asked, "media")
    return store.blobs.deliver(digests[0]) if digests else None


def _reads_as(wire: WireFormat, taped: Taped, response: Mapping[str, Any]) -> bool:
    """Whether a recorded answer is the one that a row holds, read as the step reads it."""
    try:
        return bool(replace_surrogates(wire.read(json.loads(taped.response)).text) == response["text"])
    except (AttributeError, LookupError, TypeError, ValueError):
        return False  # the step made an error of it, as the row does not
