"""Mutation audit: every leaf of every document of a run is changed, as is and re-sealed, and what finds it is counted.

`make mutation-audit` changes each leaf once and writes the table into docs/audit.md; a long test changes some, drawn by
the commit. *As is* means that nothing follows the change. *Re-sealed* means that a liar who owns the store lets every
digest, chain and list follow, as `forger.py` does. What is not found then is held against a signature and an anchor
that were made before.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from evidence.bundle_zoo import Laid
from evidence.forger import Forger, chained, write
from support import finished_project
from support_ground import PLACE
from support_inside import inside

from harness.digest import canonical_json, encode_document, seal_document, sha256, walk_values
from harness.errors import HarnessError
from harness.evidence.anchor import anchor_line, audit_anchors, read_anchors
from harness.evidence.attest import Envelope, Statement, read_envelope, sign_statement, state_lock
from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.evidence.bundle import unpack_bundle
from harness.evidence.keys import read_key, read_trust
from harness.manifest.load import load_manifest
from harness.run.recording.auditing import audit_author, audit_files, audit_run
from harness.store.store import Store
from harness.verbs.handing import compare_envelope, read_run_evidence

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "audit.md"
BEGIN, END = "<!-- written by `make mutation-audit` -->\n", "<!-- end of what `make mutation-audit` writes -->\n"
DIGEST = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
DOCUMENTS = ("lock", "kept lock", "expectation", "entry", "journal", "record", "list of runs", "bundle", "envelope")
NAMES = {"lock": "lock, in the project", "kept lock": "lock, as the run keeps it"}
SMALL = "manifests/small.yaml"


@dataclass(frozen=True)
class Leaf:
    """One leaf of one document: where it is, and the document with another value there."""

    document: str
    place: str  # which document of its kind
    pointer: str
    changed: Any

    @property
    def kind(self) -> str:
        """The pointer without the names and numbers of what there are several of."""
        text = re.sub(r"/(?:[0-9]+|[0-9a-f]{12,64})(?=/|$)", "/…", self.pointer)
        return re.sub(r"^(/(?:outputs|files|code|steps|inputs|packages|run/\w+|preimage/\w+))/.+", r"\1/…", text)


@dataclass
class Found:
    """What became of the leaves of one kind of document."""

    leaves: int = 0
    as_is: int = 0  # found, with nothing following
    sealed: int = 0  # found, with everything following
    missed: list[Leaf] = field(default_factory=list)  # as is, and not found
    signed: list[Leaf] = field(default_factory=list)  # re-sealed: found by a signature or an anchor alone
    nothing: list[Leaf] = field(default_factory=list)  # re-sealed: found by nothing
    undone: int = 0  # re-sealed: what seals puts the same value there again

    def __add__(self, more: Found) -> Found:
        """Add up what two shares of the leaves came to."""
        return Found(**{name: value + getattr(more, name) for name, value in vars(self).items()})


def other(value: Any, pointer: str, among: list[str]) -> Any:
    """Return another value that could stand there: a digest of something else, a time a little later, a next number."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "x"
    text = str(value)
    if DIGEST.fullmatch(text):
        return next(one for one in among if one != text) if among else text[:-1] + ("0" if text[-1] != "0" else "1")
    if re.fullmatch("[0-9a-f ]{12,25}", text):
        return ("0" if text[0] != "0" else "1") + text[1:]
    if TIME.fullmatch(text):
        return text[:-2] + ("1Z" if text[-2] != "1" else "2Z")
    return str(int(text) + 1) if re.fullmatch("[0-9]{1,15}", text) else f"{text}1"


def leaves(kind: str, place: str, body: Any, among: list[str]) -> Iterator[Leaf]:
    """Yield a document once for each of its leaves, with another value there."""
    for pointer, item in list(walk_values(body)):
        if not pointer or isinstance(item, dict | list):
            continue
        copy = json.loads(json.dumps(body))
        parent, parts = copy, [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        for part in parts[:-1]:
            parent = parent[int(part)] if isinstance(parent, list) else parent[part]
        last: Any = int(parts[-1]) if isinstance(parent, list) else parts[-1]
        parent[last] = other(item, pointer, among)
        yield Leaf(kind, place, pointer, copy)


class Subject:
    """A run with all its documents, a bundle of it, and what was signed and published of it before anybody lied."""

    def __init__(self, folder: Path, like: Path | None = None) -> None:
        self.project, self.folder = folder / "project", folder
        if like:
            shutil.copytree(like, self.project, symlinks=True)
        else:
            self._make()
        self.trusted = read_trust(self.project / "trust.toml")
        self.store = Store(self.project / ".harness")
        self.anchors = read_anchors(self.project / "anchors")
        self.envelope = read_envelope(self.project / "made.json")
        self.run = self.store.run_ids()[0]
        it = Forger(self.store)
        mine = [self.store.journal(self.run), self.store.record(self.run), self.store.heads.path]
        mine += [self.store.entries.path(one["key"]) for one in it.events if "key" in one]
        mine += [self.store.blobs.path(it.started["lock"])]
        mine += [self.pinned / "small.lock.json", self.pinned / "small.expect.json"]
        self.kept = {path: path.read_bytes() for path in mine}
        self.rows: dict[str, str] = {}  # of the bundle: what finds another file in the place of one
        self.key = read_key(self.project / "key", b"")
        self.laid = Laid.of((self.project / "run.tar").read_bytes())

    def _make(self) -> None:
        finished_project(self.project, 7, ("oracle",), "process")
        for words in (
            ("lock", "--accept", "last"),
            ("keys", "new", "--plain", "key"),
            ("export", "last", "-o", "run.tar"),
            ("attest", "last", "--key", "key", "-o", "made.json"),
            ("attest", "--lock", SMALL, "--key", "key"),
            ("attest", "--expect", SMALL, "--key", "key"),
        ):
            inside(*words, cwd=self.project, check=0)
        rows = f'party = "A"\npublic = """\n{(self.project / "key.pub").read_text()}"""\nroles = ["author", "runner"]\n'
        (self.project / "trust.toml").write_text(f"[[key]]\n{rows}from = 2020-01-01\nuntil = 2099-01-01\n")
        (self.project / "anchors").write_text(anchor_line(Store(self.project / ".harness")))

    def again(self) -> None:
        """Put everything back as it was; blobs and entries that a liar added stay, and nothing names them."""
        for name, data in self.kept.items():
            if not name.is_file() or name.read_bytes() != data:
                write(name, data)

    @property
    def pinned(self) -> Path:
        return self.project / "lockfiles" / "manifests"

    def leaves(self) -> Iterator[Leaf]:
        """Yield every leaf of every document."""
        it = Forger(self.store)
        digests = sorted({one["sha256"] for entry in it.entries.values() for one in entry["outputs"].values()})
        for kind, name in (("lock", "small.lock.json"), ("expectation", "small.expect.json")):
            yield from leaves(kind, name, json.loads((self.pinned / name).read_bytes()), digests)
        yield from leaves("kept lock", it.started["lock"], it.document(it.started["lock"]), digests)
        for step, body in it.entries.items():
            yield from leaves("entry", step, body, digests)
        for number, event in enumerate(it.events):
            yield from leaves("journal", str(number), event, digests)
        yield from leaves("record", self.run, json.loads(self.store.record(self.run).read_bytes()), digests)
        for number, head in enumerate(it.heads):
            yield from leaves("list of runs", str(number), head, digests)
        yield from leaves("bundle", "bundle.json", self.laid.body, digests)
        envelope = json.loads((self.project / "made.json").read_bytes())
        yield from (one for one in leaves("envelope", "", envelope, digests) if one.pointer != "/payload")
        yield from leaves("envelope", "statement", json.loads(self.envelope.payload), digests)

    # What is found.

    def agrees(self) -> bool:
        """Whether an audit of the run finds nothing, at the level of bytes."""
        try:
            return (
                audit_run(Store(self.store.root), self.run, how=ReexecutionOptions(level="hashes")).verdict == "agreed"
            )
        except HarnessError:
            return False

    def is_outdated(self) -> bool:
        """Whether a signature, or an anchor, that was made before names other bytes than there are now."""
        report, store = Report(), Store(self.store.root)
        audit_anchors(store, self.anchors, report)
        try:
            flaw = self._compared(self.envelope, store)
        except HarnessError:
            return True
        return bool(flaw) or report.verdict != "agreed"

    def _compared(self, envelope: Envelope, store: Store) -> str:
        return compare_envelope("made", envelope, self.trusted, [read_run_evidence(store, self.run, "run")], ()).flaw

    def is_undone(self) -> bool:
        """Whether every document has the bytes again that it had."""
        return all(path.read_bytes() == data for path, data in self.kept.items())

    def fits_project(self) -> bool:
        """Whether the run fits the lock and the expectation in the project."""
        report = Report()
        try:
            audit_files(self.store, self.run, load_manifest(self.project / SMALL), report)
        except HarnessError:
            return False
        return report.verdict == "agreed"

    def is_signed(self, kind: str) -> bool:
        """Whether the author's statement about the lock or the expectation still fits it."""
        if kind == "expectation":
            report = Report()
            audit_author(self.project, "small", self.trusted, report)
            return report.verdict == "agreed"
        said = read_envelope(self.pinned / "small.lock.dsse.json")
        return not compare_envelope("lock", said, self.trusted, (), [state_lock(self.project, "small")]).flaw

    def unpacks(self, data: bytes) -> bool:
        """Whether a bundle is taken for sound, and the run in it agrees."""
        (self.folder / "one.tar").write_bytes(data)
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            try:
                bundle = unpack_bundle(self.folder / "one.tar", Path(place))
                how = ReexecutionOptions(level="hashes")
                return audit_run(Store.open(Path(place)), bundle.run, how=how, bundle=bundle).verdict == "agreed"
            except HarnessError:
                return False

    # What is changed.

    def put_as_is(self, leaf: Leaf) -> bool:
        """Change a leaf with nothing following, and return whether that is found."""
        spelled = encode_document(leaf.changed) + b"\n" if leaf.document not in ("bundle", "envelope") else b""
        it = Forger(self.store)
        match leaf.document:
            case "lock" | "expectation":
                write(self.pinned / leaf.place, spelled)
                return not self.fits_project()
            case "kept lock":
                write(self.store.blobs.path(leaf.place), spelled)
            case "entry":
                key = next(one["key"] for one in it.events if one.get("step") == leaf.place and "key" in one)
                write(self.store.entries.path(key), spelled)
            case "record":
                write(self.store.record(self.run), spelled)
            case "journal" | "list of runs":
                path = self.store.journal(self.run) if leaf.document == "journal" else self.store.heads.path
                lines = path.read_bytes().splitlines(keepends=True)
                lines[int(leaf.place)] = spelled
                write(path, b"".join(lines))
            case "bundle":
                return not self.unpacks(self.laid.pack(leaf.changed))
            case _:
                return bool(self._said_of(leaf, key=None))
        return not self.agrees()

    def put_sealed(self, leaf: Leaf) -> str:
        """Change a leaf with everything following, and return what finds that: `audit`, `signature` or nothing."""
        it = Forger(self.store)
        match leaf.document:
            case "lock" | "expectation":
                write(self.pinned / leaf.place, seal_document(leaf.changed))
                if self.is_undone():
                    return "undone"
                if not self.fits_project():
                    return "audit"
                return "" if self.is_signed(leaf.document) else "signature"
            case "kept lock":
                it.started["lock"] = it.store.blobs.put(seal_document(leaf.changed))
                it.seal()
            case "entry":
                it.entries[leaf.place] = leaf.changed
                it.seal()
            case "journal":
                it.events[int(leaf.place)] = leaf.changed
                it.entries.clear()  # which stay as they are
                it.seal()
            case "record":
                self._seal_record(it, leaf.changed)
            case "list of runs":
                it.heads[int(leaf.place)] = leaf.changed
                write(self.store.heads.path, b"".join(chained(it.heads)[0]))
            case "bundle":
                return self._put_bundle(leaf)
            case _:  # a statement is signed by the trusted party itself, the rest comes from a stranger
                key = self.key if leaf.place else Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
                said = self._said_of(leaf, key)
                same = (self.folder / "changed.json").read_bytes() == (self.project / "made.json").read_bytes()
                return "undone" if same else "audit" if said else ""
        if self.is_undone():
            return "undone"
        if not self.agrees():
            return "audit"
        return "signature" if self.is_outdated() else ""

    def _seal_record(self, it: Forger, body: dict[str, Any]) -> None:
        """Put another record, and let the list of runs name it."""
        data = encode_document(body) + b"\n"
        write(self.store.record(self.run), data)
        for line in it.heads:
            if "record" in line and line["run"] == self.run:
                line["record"] = sha256(data)
        write(self.store.heads.path, b"".join(chained(it.heads)[0]))

    def _put_bundle(self, leaf: Leaf) -> str:
        """Change what a row of the list is about, so that the row is true of it."""
        laid, parts = self.laid.copy(), leaf.pointer.split("/")
        if parts[1] == "members":
            path = self.laid.body["members"][int(parts[2])]["path"]
            if path not in self.rows:
                data = laid.members.pop(path) + b"\n"
                if path.startswith("blobs/"):
                    laid.put(data)
                else:
                    laid.members[path] = data
                self.rows[path] = "" if self.unpacks(laid.pack()) else "audit"
            return self.rows[path]
        if parts[1] == "omitted":
            laid.omitted = sorted(leaf.changed["omitted"], key=lambda one: cast(str, one["sha256"]))
            return "" if self.unpacks(laid.pack()) else "audit"
        return "" if self.unpacks(laid.pack(leaf.changed)) else "audit"

    def _said_of(self, leaf: Leaf, key: Ed25519PrivateKey | None) -> str:
        """Return why an envelope with this leaf does not count; with a key, it is signed anew."""
        path, envelope = self.folder / "changed.json", json.loads((self.project / "made.json").read_bytes())
        if not leaf.place:
            envelope = leaf.changed
            statement = self.envelope.statement
        else:
            said = leaf.changed
            envelope["payload"] = base64.b64encode(canonical_json(said)).decode()
            subjects = {one["name"]: one["digest"]["sha256"] for one in said["subject"]}
            statement = Statement(subjects, said["predicateType"], said["predicate"])
        path.write_bytes(sign_statement(statement, key) if key else json.dumps(envelope).encode())
        try:
            return self._compared(read_envelope(path), self.store)
        except HarnessError as bad:
            return bad.what


def examine(
    subject: Subject, chosen: Iterable[Leaf], tell: Callable[[str], object] = lambda _: None
) -> dict[str, Found]:
    """Change each leaf in both ways, and count what finds it."""
    counted = {kind: Found() for kind in DOCUMENTS}
    for number, leaf in enumerate(chosen):
        found = counted[leaf.document]
        found.leaves += 1
        if subject.put_as_is(leaf):
            found.as_is += 1
        else:
            found.missed.append(leaf)
        subject.again()
        by = subject.put_sealed(leaf)
        subject.again()
        found.sealed += by == "audit"
        found.undone += by == "undone"
        if by in ("signature", ""):
            (found.signed if by else found.nothing).append(leaf)
        if number % 200 == 199:
            tell(f"{number + 1} leaves, the last one of {leaf.document}")
    return counted


def table(counted: dict[str, Found]) -> str:
    """Spell the table, and the fields that need a signature or an anchor."""
    head = ["document", "leaves", "as is: named", "re-sealed: undone by that", "named"]
    head += ["by a signature or an anchor alone", "by nothing"]
    rows = [f"| {' | '.join(head)} |", "|---|---|---|---|---|---|---|"]
    sums: list[tuple[int, ...]] = [
        (o.leaves, o.as_is, o.undone, o.sealed, len(o.signed), len(o.nothing)) for o in counted.values()
    ]
    sums.append(tuple(map(sum, zip(*sums, strict=True))))
    for name, row in zip((*(NAMES.get(kind, kind) for kind in counted), "all"), sums, strict=True):
        rows.append(f"| {name} | {' | '.join(f'{number:,}' for number in row)} |")
    lines = ["\n".join(rows)]
    for title, which in (("Needs a signature or an anchor", "signed"), ("Nothing names it", "nothing")):
        said = []
        for kind, one in counted.items():
            kinds = Counter(leaf.kind for leaf in getattr(one, which))
            fields = ", ".join(f"`{name}`{f' ({many})' if many > 1 else ''}" for name, many in sorted(kinds.items()))
            said += [f"- {NAMES.get(kind, kind)}: {fields}"] if fields else []
        lines.append(f"{title}:\n\n" + "\n".join(said or ["- none"]))
    return "\n\n".join(lines) + "\n"


def _share(folder: Path, like: Path, first: int, step: int) -> dict[str, Found]:
    """Examine every so-manieth leaf, in a copy of the project."""
    subject = Subject(folder, like)
    chosen = list(subject.leaves())[first::step]
    counted = examine(subject, chosen, lambda line: print(f"share {first}: {line}", file=sys.stderr, flush=True))
    for one in counted.values():
        for leaves_of in (one.missed, one.signed, one.nothing):
            leaves_of[:] = [replace(leaf, changed=None) for leaf in leaves_of]
    return counted


def main() -> int:
    """Change every leaf, show the table, write it into the page with `--write`, and fail if one is not named as is."""
    parser = argparse.ArgumentParser(description="Change every leaf of every document of a run.")
    parser.add_argument("--write", action="store_true", help="write the table into docs/audit.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutation-audit-") as folder:
        os.environ.setdefault(PLACE, folder)  # where `support` keeps what it makes once
        made = Subject(Path(folder, "first")).project
        with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
            shares = [pool.submit(_share, Path(folder, str(one)), made, one, asked.jobs) for one in range(asked.jobs)]
            found = [one.result() for one in shares]
    counted = {kind: sum((one[kind] for one in found), Found()) for kind in DOCUMENTS}
    text = table(counted)
    print(text)
    missed = [leaf for one in counted.values() for leaf in one.missed]
    print(*(f"MISSED as is: {leaf.document} {leaf.place} {leaf.pointer}" for leaf in missed), sep="\n")
    if asked.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
