"""Bundles: the evidence of one run as a file that can be handed over, with deterministic bytes, and their reader.

A bundle is a plain ustar archive of regular files. Its first member, `bundle.json`, lists the others with size and
digest, and names each blob that was left out, with the reason. The others lie as in a store: the list of runs, the run,
the logs of the runs that executed its cached steps, entries, and blobs (docs/bundle.md is the format). A reader
builds each header anew and compares it, so there is one spelling of a bundle, and no link, device, other owner
or second name can be in it. Nothing of a bundle is executed here.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

from harness.digest import encode_document, parse_document, sha256, sha256_stream
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.evidence.record import FINISHED
from harness.evidence.trail import ExecutionIndex, closure_files
from harness.files import open_plain, translating_os_errors
from harness.store.attempts import FILE as ATTEMPT_FILE
from harness.store.blobs import is_digest
from harness.store.journal import Chain, Event
from harness.store.store import FORMAT, Entry, Store, follow_journal, list_runs, require_listed
from harness.store.sweep import RUN_ID, find_digests
from harness.store.tree import MOST_ENTRY, MOST_LOG, MOST_RECORD, is_hollow

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

TYPE, FIRST = "bundle/1", "bundle.json"
SUFFIX = ".tar"
BLOCK = 512  # bytes of a header, and what files are padded to
MOST_SIZE = (8 << 30) - 1  # bytes of a file, by the width of its field
MOST_LIST = 1 << 28  # bytes of `bundle.json`
MOST_MEMBERS = 1_000_000
END = bytes(2 * BLOCK)
_SHARDED = r"(?P<shelf>[0-9a-f]{2})/(?P<digest>[0-9a-f]{64})"
_RUN = RUN_ID.pattern
_PATHS = re.compile(
    rf"format|heads\.jsonl|runs/(?:{_RUN})/(?:journal\.jsonl|record\.json|transcript\.jsonl)"
    rf"|(?P<kind>blobs/sha256|keys)/{_SHARDED}(?P<json>\.json)?"
)
_BOUNDS = (
    (re.compile(r"format"), len(FORMAT)),
    (re.compile(r"keys/.*"), MOST_ENTRY),
    (re.compile(r".*record\.json"), MOST_RECORD),
    (re.compile(r".*\.jsonl"), MOST_LOG),
)


class Member(NamedTuple):
    """A file of a bundle: its place as in a store, its size and the SHA-256 of its bytes."""

    path: str
    size: int
    sha256: str


class Omitted(NamedTuple):
    """A blob that was left out of a bundle: its digest, its size, and why."""

    sha256: str
    size: int
    why: str


@dataclass(frozen=True)
class Bundle:
    """What a bundle says it holds: the run, its files in the order of their paths, and the blobs that were left out."""

    run: str
    members: tuple[Member, ...]
    omitted: tuple[Omitted, ...]

    @property
    def document(self) -> bytes:
        """The bytes of `bundle.json`, which lists everything in the bundle."""
        body = {
            "type": TYPE,
            "run": self.run,
            "members": [one._asdict() for one in self.members],
            "omitted": [one._asdict() for one in self.omitted],
        }
        return encode_document(body) + b"\n"

    @property
    def size(self) -> int:
        """Number of bytes of the whole bundle file."""
        sizes = [len(self.document), *(one.size for one in self.members)]
        return sum(BLOCK + _padded(size) for size in sizes) + len(END)

    @cached_property
    def runs(self) -> frozenset[str]:
        """The ids of the runs whose logs are in the bundle."""
        return frozenset(one.path.split("/")[1] for one in self.members if one.path.startswith("runs/"))

    @property
    def reasons(self) -> dict[str, str]:
        """The reason why each left-out blob is not in the bundle, by the blob's digest."""
        return {one.sha256: one.why for one in self.omitted}

    def strangers(self, store: Store) -> list[str]:
        """List files and left-out blobs that the bundle's run does not name; `store` is the bundle, unpacked.

        Logs of runs that executed no cached step of the run are among them.
        """
        chain = follow_journal(store, require_listed(store, self.run))
        events = [event for event in chain.events if event["event"] in FINISHED]
        entries = [entry for event in events if (entry := _sound_entry(store, event))]
        named = find_digests([dict(event) for event in chain.events])
        for entry in entries:
            named |= {out.sha256 for out in entry.outputs.values()} | find_digests(dict(entry.preimage))
            with contextlib.suppress(HarnessError):
                named |= set(closure_files(store.blobs.read(entry.preimage["code"]), "closure").values())
        with contextlib.suppress(HarnessError):
            named |= find_digests(parse_document(store.blobs.read(str(chain.events[0]["lock"])), "lock/1", "lock"))
        runs = {self.run, *_executors(store, chain)}
        keys = {f"keys/{str(one['key'])[:2]}/{one['key']}.json" for one in events}
        found = [one.path for one in self.members if not _is_named(one, runs, keys, named)]
        return found + [f"left out: {one.sha256}" for one in self.omitted if one.sha256 not in named]

    def holds(self, run: str) -> bool:
        """Whether the log of a run is in the bundle."""
        return run in self.runs


def collect_bundle(store: Store, run: str, left_out: Mapping[str, str]) -> Bundle:
    """Return what a bundle of a run holds, without the blobs that `left_out` names with their reasons.

    Raises DamageError for a blob, an entry or a log that is missing or damaged, so that no bundle begins as damaged.
    """
    known = list_runs(store)
    chain = follow_journal(store, require_listed(store, run, known))
    entries = [_entry(store, event) for event in chain.events if event["event"] in FINISHED]
    blobs = _blobs(store, chain, entries)
    members = [_document(store, "format", len(FORMAT)), _document(store, "heads.jsonl", MOST_LOG)]
    for one in sorted({run, *_executors(store, chain)}):
        for name, most in (("journal.jsonl", MOST_LOG), ("record.json", MOST_RECORD), (ATTEMPT_FILE, MOST_LOG)):
            if store.tree.is_file(f"runs/{one}/{name}"):
                members.append(_document(store, f"runs/{one}/{name}", most))
    members += [_document(store, f"keys/{one.key[:2]}/{one.key}.json", MOST_ENTRY) for one in entries]
    found = {digest: store.blobs.size(digest) for digest in sorted(blobs)}
    members += [Member(_shelf(digest), size, digest) for digest, size in found.items() if digest not in left_out]
    for member in members:
        if member.size > MOST_SIZE:
            raise InputError(
                f"a file of {member.size:,} bytes is too large for a bundle",
                where=member.path,
                next=f"its format ends at {MOST_SIZE:,} bytes; hand over the store instead",
            )
    members = sorted(set(members), key=lambda one: one.path.encode())
    omitted = [Omitted(digest, size, left_out[digest]) for digest, size in found.items() if digest in left_out]
    return Bundle(run, tuple(members), tuple(omitted))


def _is_named(one: Member, runs: Collection[str], keys: Collection[str], named: Collection[str]) -> bool:
    kind, _, rest = one.path.partition("/")
    if kind == "runs":
        return rest.partition("/")[0] in runs
    return one.path in keys if kind == "keys" else one.sha256 in named if kind == "blobs" else True


def _sound_entry(store: Store, event: Event) -> Entry | None:
    try:
        return store.entries.get(str(event["key"]))
    except HarnessError:
        return None


def _entry(store: Store, event: Event) -> Entry:
    entry = store.entries.get(str(event["key"]))
    if entry is None:
        raise DamageError(
            f"the entry of step {event['step']} is missing",
            where=str(store.entries.path(str(event["key"]))),
            next="run the manifest again, then export that run",
        )
    return entry


def _executors(store: Store, chain: Chain[Event]) -> Iterator[str]:
    """Yield the runs that executed the steps which this run took from the store."""
    executed = ExecutionIndex(store)
    for event in chain.events:
        if event["event"] == "step.cached" and (run := executed.run_of(event["key"], event["entry"])):
            yield run


def _blobs(store: Store, chain: Chain[Event], entries: Iterable[Entry]) -> set[str]:
    """Return the blobs that a run names: those it needs, and of any other digest those that the store has."""
    started = chain.events[0]
    environments = {str(started["environment"]), str(started.get("sandbox", started)["environment"])}
    needed = {str(started["manifest"]), str(started["lock"]), *environments}
    named = find_digests([dict(event) for event in chain.events])
    closures: set[str] = set()
    for entry in entries:
        needed |= {out.sha256 for out in entry.outputs.values()} | find_digests(dict(entry.preimage["inputs"]))
        needed |= {entry.preimage["code"], entry.preimage["environment"]}
        closures.add(entry.preimage["code"])
    for code in sorted(closures):
        needed |= set(closure_files(store.blobs.read(code), code).values())
    lock = parse_document(store.blobs.read(str(started["lock"])), "lock/1", "lock")
    named |= find_digests(lock)
    return needed | {digest for digest in named - needed if store.tree.is_file(store.blobs.path(digest))}


def _document(store: Store, path: str, most: int) -> Member:
    data = store.tree.read_file(path, most)
    return Member(path, len(data), sha256(data))


def _shelf(digest: str) -> str:
    return f"blobs/sha256/{digest[:2]}/{digest}"


def write_bundle(store: Store, bundle: Bundle, to: BinaryIO) -> None:
    """Write a bundle of a store's files; raises DamageError if a file's bytes are not those that were collected."""
    _write(to, FIRST, BytesIO(bundle.document), len(bundle.document))
    for member in bundle.members:
        place = store.root / member.path
        with translating_os_errors(place), store.tree.open_file(member.path) as file:
            if _write(to, member.path, file, member.size) != (member.sha256, member.size):
                raise DamageError(
                    "this file is not what it was when the bundle was begun, or is damaged",
                    where=str(place),
                    next="`harness fsck` lists all damage; then export again",
                )
    to.write(END)


def _write(to: BinaryIO, path: str, source: IO[bytes], size: int) -> tuple[str, int]:
    """Write a file's header, bytes and padding, and return digest and size of the bytes."""
    to.write(_header(path, size))
    found = sha256_stream(_Copying(source, size, to))
    to.write(bytes(_padded(size) - size))
    return found


class _Copying(RawIOBase):
    """A stream of the next bytes of a source, each piece of which is also written to a target."""

    def __init__(self, source: Any, size: int, to: IO[bytes]) -> None:
        self._source, self._left, self._to = source, size, to

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)[: self._left]
        count: int = self._source.readinto(view)
        self._to.write(view[:count])
        self._left -= count
        return count


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _header(path: str, size: int) -> bytes:
    """Return the one header that a file of this path and size has: a regular file without owner, of 1970, mode 0644."""
    fields = (
        path.encode().ljust(100, b"\0"),
        b"0000644\0" + b"0000000\0" * 2,
        f"{size:011o}\0".encode() + b"0" * 11 + b"\0",
        b" " * 8,  # the checksum, which is computed as if it were blank
        b"0" + bytes(100),
        b"ustar\00000",
        bytes(64) + b"0000000\0" * 2,
        bytes(155 + 12),
    )
    blank = b"".join(fields)
    return blank[:148] + f"{sum(blank):06o}\0 ".encode() + blank[156:]


def unpack_bundle(path: Path, folder: Path) -> Bundle:
    """Read a bundle, and lay its files out as a store in an empty folder; each byte of the bundle is accounted for.

    Raises DamageError, which names the place, for anything that `write_bundle` does not write, and MissingError if the
    disk has no room for it.
    """
    with translating_os_errors(path), open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if is_hollow(file.fileno(), size):
            raise _broken("it is almost only holes", path)
        bundle = _read_list(file, path)
        if bundle.size != size:
            raise _broken(f"it has {size:,} bytes, and its files need {bundle.size:,}", path)
        free = shutil.disk_usage(folder).free
        if free < size:
            raise MissingError(
                f"there is no room to unpack this bundle: {size:,} bytes are needed, and {free:,} are free",
                where=str(folder),
                next="free some, or name another folder with TMPDIR",
            )
        for member in bundle.members:
            _unpack(file, member, folder, path)
        if file.read(len(END)) != END:
            raise _broken("it does not end as an archive does", path)
        if (folder / "format").read_bytes() != FORMAT.encode():
            raise _broken("its `format` is not the line of this version", path)
        return bundle


def _read_list(file: IO[bytes], path: Path) -> Bundle:
    """Read the first member, and check all that it says."""
    header = file.read(BLOCK)
    try:
        size = int(header[124:135], 8) if len(header) == BLOCK else -1
    except ValueError:
        size = -1
    if not 0 <= size <= MOST_LIST or header != _header(FIRST, size):
        raise _broken(f"its first file is not `{FIRST}`", path)
    data = file.read(_padded(size))
    if len(data) != _padded(size) or any(data[size:]):
        raise _broken(f"`{FIRST}` is cut short", path)
    try:
        body = parse_document(data[:size], TYPE, f"{path}: {FIRST}")
    except InputError as bad:
        raise _broken(f"{FIRST}: {bad.what}", path) from bad
    flaw = next(_flaws(body), "")
    if flaw:
        raise _broken(f"{FIRST}: {flaw}", path)
    members = tuple(Member(**one) for one in body["members"])
    bundle = Bundle(body["run"], members, tuple(Omitted(**one) for one in body["omitted"]))
    if bundle.document != data[:size]:
        raise _broken(f"`{FIRST}` does not end its line", path)
    return bundle


def _flaws(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a list of files; only the first counts."""
    if body.keys() != {"type", "run", "members", "omitted"}:
        yield "it holds type, run, members and omitted"
        return
    run, members, omitted = body["run"], body["members"], body["omitted"]
    if not isinstance(run, str) or not RUN_ID.fullmatch(run):
        yield "its run is no run's id"
        return
    if not isinstance(members, list) or not isinstance(omitted, list) or len(members) + len(omitted) > MOST_MEMBERS:
        yield f"members and omitted are lists, of at most {MOST_MEMBERS:,} files"
        return
    paths: list[str] = []
    for number, one in enumerate(members):
        if flaw := _member_flaw(one):
            yield f"file {number}: {flaw}"
            return
        paths.append(one["path"])
    if paths != sorted(set(paths)):
        yield "its files do not stand in the order of their paths, each once"
    held = {one["sha256"] for one in members}
    digests: list[str] = []
    for number, one in enumerate(omitted):
        if not isinstance(one, dict) or one.keys() != set(Omitted._fields) or not _is_sized(one):
            yield f"omitted {number} is no digest, size and reason"
            return
        if not isinstance(one["why"], str) or not 0 < len(one["why"]) <= 1000 or one["sha256"] in held:
            yield f"omitted {number} has no reason, or is not omitted"
            return
        digests.append(one["sha256"])
    if digests != sorted(set(digests)):
        yield "what it left out does not stand in the order of the digests, each once"
    wanted = {"format", "heads.jsonl", f"runs/{run}/journal.jsonl"}
    if missing := sorted(wanted - set(paths)):
        yield f"it lacks {missing[0]}"


def _member_flaw(one: object) -> str:
    if not isinstance(one, dict) or one.keys() != set(Member._fields) or not _is_sized(one):
        return "it is no path, size and digest"
    path, size = one["path"], one["size"]
    found = _PATHS.fullmatch(path) if isinstance(path, str) else None
    if not found:
        return f"no file of a bundle is called {path!r:.100}"
    if found["kind"]:
        digest, blob = found["digest"], found["kind"] != "keys"
        if found["shelf"] != digest[:2] or bool(found["json"]) == blob or (blob and digest != one["sha256"]):
            return f"no file of a bundle is called {path!r:.100}"
    most = next((most for pattern, most in _BOUNDS if pattern.fullmatch(path)), MOST_SIZE)
    return "" if size <= most else f"{path} is larger than {most:,} bytes"


def _is_sized(one: Mapping[str, Any]) -> bool:
    size, digest = one.get("size"), one.get("sha256")
    return type(size) is int and 0 <= size <= MOST_SIZE and isinstance(digest, str) and is_digest(digest)


def _unpack(file: IO[bytes], member: Member, folder: Path, path: Path) -> None:
    if file.read(BLOCK) != _header(member.path, member.size):
        raise _broken(f"its archive does not hold {member.path} where its list has it", path)
    target = folder / member.path
    target.parent.mkdir(parents=True, exist_ok=True)
    with translating_os_errors(target), open(target, "xb") as out:
        digest, size = sha256_stream(_Copying(file, member.size, out))
    if size != member.size or any(file.read(_padded(size) - size)):
        raise _broken(f"{member.path} is cut short, or something stands behind it", path)
    if digest != member.sha256:
        raise _broken(f"{member.path} does not have the bytes that its list says", path)


def _broken(what: str, path: Path) -> HarnessError:
    return DamageError(
        f"this bundle is damaged or no bundle: {what}", where=str(path), next="ask for it again; nothing of it was used"
    )
