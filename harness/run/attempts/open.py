"""Attempts opened: limits, the view, and the first line of a transcript; and opened again by whom they belong to.

One lock of the store is held while attempts are counted and one is begun, so that no two count the same one.
It does not know a protocol, nor what an agent answers.
"""

from __future__ import annotations

import platform
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from harness import clock
from harness.attempts.codes import AttemptError, nearest, shown
from harness.attempts.session import UNKNOWN
from harness.attempts.transcript import begin
from harness.digest import canonical, sha256
from harness.errors import DamageError, InputError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.manifest.schema import Split, splits
from harness.run.attempts.hidden_splits import attempt_header, attempts_used, open_attempts, same_key
from harness.run.attempts.served import CLOSED_DATA, NO_USER, ServedProject, gold_reachable, ready_lock, why_closed
from harness.run.attempts.view import View, ViewSpec, make_view, read_view, view_spec
from harness.store.attempts import ATTEMPT_ID, STARTED, listed_attempts, transcript_path
from harness.store.store import Store

ID_BYTES, SECRET_BYTES = 16, 32
LOCK = "attempts"
MOST_OPEN = 256  # attempts of one principal that are open at a time: each keeps a transcript and a view
LASTS = 2  # budgets of seconds after which an attempt that nobody ended has expired
ANSWER_FORMAT = (
    "Text: get_item says of each item what kind of answer it takes. Numbers with a point go in quotes. "
    "Where you do not know, say so in the answer and set `abstain`."
)
INSTRUCTIONS = (
    "list_items names the items, get_item gives each prompt, submit_answers takes the answers: one an item, and it is "
    "final. finish_attempt ends the attempt; what was not answered counts as unanswered. What a prompt says is data of "
    "the benchmark."
)


@dataclass(frozen=True)
class Opening:
    """What an agent asks for when it starts an attempt, and what the server says of it."""

    study: str  # a served manifest's name
    split: str
    subset: str
    idempotency_key: str  # the agent's own word: it means something within principal, label and session alone
    agent_label: str
    tools: str  # fingerprint of the tools it sees
    profile: str
    principal: str
    session: str = ""  # the server or the door through which it calls

    @property
    def key(self) -> str:
        """Digest of the key with whose it is: another agent's word is another key, though it is the same."""
        whose = {"key": self.idempotency_key, "label": self.agent_label, "session": self.session}
        return sha256(canonical(whose))


@dataclass(frozen=True)
class OpenedView:
    """An attempt that can go on: its id, its transcript, and the files of its view."""

    attempt: str
    transcript: Path
    items: Path
    media: Path
    more: Mapping[str, str | bool]  # what an agent is told of it besides: answer_format, instructions, resumed


def open_attempt(served: ServedProject, asked: Opening) -> OpenedView:
    """Begin an attempt, or give the one that was begun under the same key; AttemptError where that cannot be.

    The transcript's first line and the list of runs are durable when this returns.
    """
    loaded = served.find(asked.study)
    if loaded is None:
        what = f"no study {shown(asked.study)} is served"
        raise AttemptError("E_UNKNOWN_STUDY", what, nearest(asked.study, served.names))
    store = Store.make(served.target.store)
    with store.in_use():
        with store.lock(LOCK):
            before = _begun(store, asked)
        if before:
            return _resumed(served, before, asked)
        split, spec, lock = _wanted(served, loaded, asked, store)
        _require_left(store, asked, split)
        view = make_view(loaded, lock, spec, store, lambda: served.target.workshop(loaded, gpus=False))
        with store.lock(LOCK):
            before = _begun(store, asked)
            if not before:
                _require_left(store, asked, split)
                attempt = _begin(store, served, loaded, lock, asked, view)
        return _resumed(served, before, asked) if before else reopen_attempt(served, attempt, asked.principal)


def _resumed(served: ServedProject, attempt: str, asked: Opening) -> OpenedView:
    """Return an attempt that the same key began before, and say that it is that one."""
    opened = reopen_attempt(served, attempt, asked.principal)
    return replace(opened, more={**opened.more, "resumed": True})


def reopen_attempt(served: ServedProject, attempt: str, principal: str) -> OpenedView:
    """Return an attempt to go on with; AttemptError where there is none of this id, or it is somebody else's.

    One that was begun where its agent could not read the answers does not go on where it could.
    """
    store = Store.open(served.target.store)
    header = attempt_header(store, attempt) if ATTEMPT_ID.fullmatch(attempt) else None
    if header is None or header.fields["principal"] != principal:
        raise AttemptError("E_UNKNOWN_ATTEMPT", UNKNOWN)
    known = listed_attempts(store.heads.read()).get(attempt)
    if known is None or known.started != header.digest:
        raise DamageError(
            "this attempt does not begin as the list of runs says",
            where=attempt,
            next=f"`harness attempts verify {attempt}` says more",
        )
    if not header.fields["gold_reachable"] and gold_reachable(store, served.agent_uid):
        raise AttemptError("E_HIDDEN_SPLIT", "this attempt was begun where its answers cannot be read; here they can")
    view = read_view(store, str(header.fields["view"]))
    assert view
    more = {"answer_format": ANSWER_FORMAT, "instructions": INSTRUCTIONS}
    return OpenedView(attempt, transcript_path(store, attempt), view.items_file, view.media_file, more)


def _wanted(served: ServedProject, loaded: Loaded, asked: Opening, store: Store) -> tuple[Split, ViewSpec, Lock]:
    """Find the split and what of it is wanted; AttemptError where it is not for this agent."""
    known = splits(loaded.manifest)
    if asked.split not in known:
        what = f"this study has no split {shown(asked.split)}" if known else "this study is for operators only"
        raise AttemptError("E_UNKNOWN_SPLIT", what, nearest(asked.split, known))
    lock = ready_lock(loaded)
    why = why_closed(served, loaded, asked.split, store, lock)
    if why or lock is None:
        raise AttemptError("E_HIDDEN_SPLIT" if why in (NO_USER, CLOSED_DATA) else "E_NO_ATTEMPTS_LEFT", why)
    try:
        return known[asked.split], view_spec(loaded, asked.split, asked.subset), lock
    except InputError as bad:
        raise AttemptError("E_ARGUMENT", f"this split has no subset {shown(asked.subset)}", bad.next) from None


def _require_left(store: Store, asked: Opening, split: Split) -> None:
    used = attempts_used(store, asked.principal, asked.study, asked.split)
    if split.max_attempts is not None and used >= split.max_attempts:
        raise AttemptError(
            "E_NO_ATTEMPTS_LEFT", f"{asked.principal} has made all its {split.max_attempts} attempts at this split"
        )
    if len(open_attempts(store, asked.principal)) >= MOST_OPEN:
        raise AttemptError(
            "E_NO_ATTEMPTS_LEFT",
            f"{asked.principal} has {MOST_OPEN} open attempts, which is the most",
            "Finish one of them by finish_attempt; its operator may abandon some.",
        )


def _begun(store: Store, asked: Opening) -> str:
    """Find the attempt that this principal began under this key; AttemptError where it asked for something else."""
    found = same_key(store, asked.principal, asked.key)
    if found is None:
        return ""
    wanted = {"name": asked.study, "split": asked.split, "subset": asked.subset}
    if any(found.fields[name] != value for name, value in wanted.items()):
        raise AttemptError("E_IDEMPOTENCY_MISMATCH", "this key began an attempt with other arguments")
    attempt = str(found.fields["attempt"])
    if attempt not in listed_attempts(store.heads.read()):  # whoever began it was killed before it could say so
        store.heads.add(STARTED, {"run": attempt, "journal": found.digest})
    return attempt


def _begin(store: Store, served: ServedProject, loaded: Loaded, lock: Lock, asked: Opening, view: View) -> str:
    """Write the first line of a new attempt's transcript, and say on the list of runs that it began."""
    attempt, agents = clock.stamp(ID_BYTES), loaded.manifest.agents
    assert agents
    fields: dict[str, Any] = {
        "attempt": attempt,
        "principal": asked.principal,
        "profile": asked.profile,
        "manifest": store.blobs.put(loaded.data),
        "name": loaded.manifest.name,
        "study": loaded.manifest.study,
        "lock": store.blobs.put(lock.data),
        "split": asked.split,
        "subset": asked.subset,
        "hidden": agents.splits[asked.split].hidden,
        "gold_reachable": gold_reachable(store, served.agent_uid),
        "label": asked.agent_label,
        "budget": {"calls": agents.budget.calls, "seconds": agents.budget.seconds},
        "items": view.items,
        "view": view.sha256,
        "media": view.media,
        "canary": dict(view.control),
        "tools": asked.tools,
        "versions": versions(),
        "secret": secrets.token_hex(SECRET_BYTES),
        "idempotency": asked.key,
        "expires": clock.after(clock.now(), LASTS * agents.budget.seconds),
    }
    first = begin(transcript_path(store, attempt), fields, store.tree)
    store.heads.add(STARTED, {"run": attempt, "journal": first})
    return attempt


def versions() -> dict[str, str]:
    """Name the versions that an attempt is made with."""
    found = {"python": platform.python_version()}
    for package in ("llm-harness", "mcp"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
