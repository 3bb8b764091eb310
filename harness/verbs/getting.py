"""The verb `get`: one output of a run, whose bytes are hashed by the very descriptor from which they go out."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from harness import arrays
from harness.digest import CHUNK, sha256_stream
from harness.errors import InputError
from harness.evidence.record import read_record
from harness.files import translating_os_errors
from harness.run.recorded_runs import manifest_name
from harness.store.store import Store
from harness.verbs.project import PathText, Project, Request, Result
from harness.verbs.review import RUN

SHOWN = 8  # names of outputs in a message


class GetRequest(Request):
    """Request of `get`: which output of which run, and the file it is written to, if any."""

    run: str = Field(description=RUN)
    output: str = Field(description="The name of an output.")
    to: PathText | None = Field(default=None, description="Write to this file.")


class GetResult(Result):
    """Result of `get`: an output whose bytes were checked, and the file that holds them."""

    run: str
    output: str
    sha256: str
    size: int
    file: str
    limit: int = Field(default=0, description="Items of each dataset that the run was limited to; 0: it was not.")
    array: str = Field(default="", description="Of an array, its type and shape; of several, those of each by name.")


def get(project: Project, asked: GetRequest) -> GetResult:
    """Get one output of a run, its bytes checked: the path of its blob or, with `to`, of a copy of it."""
    store, run = project.run(asked.run)
    record = read_record(store, run)
    outputs = record.outputs
    if asked.output not in outputs:
        raise _no_output(store, run, asked.output, sorted(outputs))
    made = outputs[asked.output]
    if asked.to:
        _copy(store, made, project.path(asked.to), str(asked.to))
        said = _array(project.path(asked.to))
    else:
        with store.blobs.open(made["sha256"], made["size"]) as blob:  # what is described is what was hashed
            said = _array(Path(f"/proc/self/fd/{blob.fileno()}"))
    found: dict[str, Any] = {"array": said} if said else {}
    found |= {"limit": limit} if (limit := int(record.body.get("limit", 0))) else {}
    file = str(asked.to or store.blobs.path(made["sha256"]))
    return GetResult(run=run, output=asked.output, sha256=made["sha256"], size=made["size"], file=file, **found)


def stream_output(project: Project, asked: GetRequest, made: GetResult) -> Iterator[bytes]:
    """Read an output in pieces from the descriptor by which it was hashed; an error where it changed meanwhile."""
    store, _ = project.run(asked.run)
    with store.blobs.open(made.sha256, made.size) as blob:
        while piece := blob.read(CHUNK):
            yield piece
        blob.seek(0)
        with open(blob.fileno(), "rb", buffering=0, closefd=False) as whole:
            again, _ = sha256_stream(whole)
    if again != made.sha256:
        raise store.blobs.damage(made.sha256, "changed")


def _copy(store: Store, made: Mapping[str, Any], to: Path, asked: str) -> None:
    """Copy a blob to a file, hashed as it is copied: no other bytes get that name, and a link there is replaced."""
    with translating_os_errors(asked):
        if to.is_dir() or not to.parent.is_dir() or (to.exists() and not to.is_file()):
            raise InputError("this file cannot be written", where=asked, next="name a file in a folder that is there")
        if to.parent.resolve().is_relative_to(store.root.resolve()):
            raise InputError("this file lies in the store", where=asked, next="name a file elsewhere")
        temp = to.with_name(f".{to.name[:200]}.{secrets.token_hex(4)}.tmp")
        try:
            store.blobs.copy_to(made["sha256"], temp, size=made["size"])
            temp.rename(to)
        finally:
            temp.unlink(missing_ok=True)


def _array(path: Path) -> str:
    """Describe an output that is an array, since its bytes mean nothing to a person; None for any other."""
    if not arrays.file_format(path):
        return ""
    try:
        said = [f"{name} {head.text()}".strip() for name, head in arrays.headers(path).items()]
    except InputError as bad:
        return bad.what  # its bytes are what they are, and can be had
    return ", ".join(said[:SHOWN]) + (f" and {len(said) - SHOWN} more" if len(said) > SHOWN else "")


def _no_output(store: Store, run: str, output: str, has: Sequence[str]) -> InputError:
    of = f" of {name}" if (name := manifest_name(store, run)) else ""
    more = f" and {len(has) - SHOWN} more" if len(has) > SHOWN else ""
    return InputError(
        f"run {run}{of} has no output {output!r}", next=f"it has: {', '.join(has[:SHOWN]) or 'none'}{more}"
    )
