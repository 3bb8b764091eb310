"""A zoo of bundles: sound ones, and bad ones of every kind, made of a sound one, each with the check that finds it.

A liar re-seals what he changes: entries, chain, record, list of runs, and the list of the bundle. So a bad bundle is
bad in one way alone.
"""

from __future__ import annotations

import copy
import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from evidence.forger import chained

from harness.digest import document_digest, encode_document, sha256
from harness.evidence.record import spell_record, summarise_journal
from harness.store.journal import Event

BLOCK, END = 512, bytes(1024)
NOBODY = "f" * 64


def header(path: str, size: int, **other: Any) -> bytes:
    """Spell a header as the page on bundles has it, with other fields where a test wants them."""
    told = {"mode": "0000644", "uid": "0000000", "mtime": "0" * 11, "type": "0", "link": "", **other}
    text = (
        path.encode().ljust(100, b"\0") + f"{told['mode']}\0{told['uid']}\x000000000\0{size:011o}\0".encode()
        + f"{told['mtime']}\0        {told['type']}".encode() + str(told["link"]).encode().ljust(100, b"\0")
        + b"ustar\x0000" + bytes(64) + b"0000000\0" * 2 + bytes(167)
    )  # fmt: skip
    total = told.get("checksum", sum(text))
    return text[:148] + f"{total:06o}\0 ".encode() + text[156:]


def packed(path: str, data: bytes, **other: Any) -> bytes:
    """Give a member of an archive: header, bytes, padding."""
    return header(path, len(data), **other) + data + bytes(-len(data) % BLOCK)


@dataclass
class Laid:
    """A bundle laid open: its members by path, its list, and what a liar changes of them."""

    run: str
    members: dict[str, bytes]
    omitted: list[dict[str, Any]]
    listed: Callable[[dict[str, Any]], object] = field(default=lambda _: None)

    @classmethod
    def of(cls, data: bytes) -> Laid:
        """Open a sound bundle."""
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            held = {one.name: cast(io.BufferedReader, archive.extractfile(one)).read() for one in archive}
        body = json.loads(held.pop("bundle.json"))
        return cls(body["run"], held, body["omitted"])

    def copy(self) -> Laid:
        return copy.deepcopy(self)

    @property
    def body(self) -> dict[str, Any]:
        """The list of the bundle as its members are."""
        members = [
            {"path": path, "size": len(self.members[path]), "sha256": sha256(self.members[path])}
            for path in sorted(self.members)
        ]
        return {"type": "bundle/1", "run": self.run, "members": members, "omitted": self.omitted}

    def pack(self, body: dict[str, Any] | None = None, spelled: bytes | None = None, end: bytes = END) -> bytes:
        """Give the bytes of the bundle; with another list if one is given, or other bytes of it."""
        text = spelled if spelled is not None else encode_document(body or self.body) + b"\n"
        rest = b"".join(packed(path, self.members[path]) for path in sorted(self.members))
        return packed("bundle.json", text) + rest + end

    # The run in it, for a liar.

    @property
    def log(self) -> str:
        return f"runs/{self.run}/journal.jsonl"

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.members[self.log].splitlines()]

    def entry(self, step: str) -> tuple[str, dict[str, Any]]:
        """Give the path and the body of a step's entry."""
        event = next(one for one in self.events if one.get("step") == step and "key" in one)
        path = f"keys/{event['key'][:2]}/{event['key']}.json"
        return path, json.loads(self.members[path])

    def put(self, data: bytes) -> str:
        """Add a blob."""
        digest = sha256(data)
        self.members[f"blobs/sha256/{digest[:2]}/{digest}"] = data
        return digest

    def drop(self, digest: str) -> None:
        del self.members[f"blobs/sha256/{digest[:2]}/{digest}"]

    def put_entry(self, step: str, body: dict[str, Any], *, sealed: bool = True) -> list[dict[str, Any]]:
        """Put another entry in the place of a step's, and give the events that name it."""
        path, _ = self.entry(step)
        del self.members[path]
        body = {**body, "key": document_digest(body["preimage"])} if sealed else body
        data = encode_document(body) + b"\n"
        key = body["key"]
        self.members[f"keys/{key[:2]}/{key}.json"] = data
        events = self.events
        for event in events:
            if event.get("step") == step and "key" in event:
                event |= {"key": key, "entry": sha256(data)}
        return events

    def seal(
        self, events: list[dict[str, Any]], heads: list[dict[str, Any]] | None = None, *, record: bool = True
    ) -> Laid:
        """Write a journal, and make its record and the list of runs follow."""
        if events[-1]["event"] == "run.finished":
            events[-1]["events"] = len(events)
        lines, head = chained(events)
        self.members[self.log] = b"".join(lines)
        place = f"runs/{self.run}/record.json"
        if record and place in self.members:
            self.members[place] = spell_record(summarise_journal(cast("list[Event]", events), head))
        listed = [json.loads(line) for line in self.members["heads.jsonl"].splitlines()] if heads is None else heads
        for line in listed:
            if line["run"] == self.run:
                line["journal"] = sha256(lines[0]) if line["event"] == "run.started" else head
                if "record" in line and place in self.members:
                    line["record"] = sha256(self.members[place])
        self.members["heads.jsonl"] = b"".join(chained(listed)[0])
        return self

    def heads(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.members["heads.jsonl"].splitlines()]


Make = Callable[[Laid], bytes]


@dataclass(frozen=True)
class Animal:
    """A bundle of the zoo: its name, the check that fails or is skipped, and how it is made of a sound one."""

    name: str
    check: str  # empty: sound
    make: Make
    verdict: str = "disagreed"


def _listed(**other: Any) -> Make:
    return lambda laid: laid.pack({**laid.body, **other})


def _member(change: Callable[[list[dict[str, Any]]], object]) -> Make:
    def make(laid: Laid) -> bytes:
        body = laid.body
        change(body["members"])
        return laid.pack(body)

    return make


def _headed(**other: Any) -> Make:
    """Give the second member another header."""

    def make(laid: Laid) -> bytes:
        data = laid.pack()
        path = sorted(laid.members)[0]
        told = {"path": path, "size": len(laid.members[path]), **other}
        place = data.index(header(path, len(laid.members[path])))
        return data[:place] + header(**told) + data[place + BLOCK :]

    return make


def _also(path: str, data: bytes = b"x\n") -> Make:
    def make(laid: Laid) -> bytes:
        laid.members[path] = data
        return laid.pack()

    return make


def _spelled(change: Callable[[bytes], bytes]) -> Make:
    return lambda laid: laid.pack(spelled=change(encode_document(laid.body) + b"\n"))


def _padded(laid: Laid) -> bytes:
    data = bytearray(laid.pack())
    path = next(path for path in sorted(laid.members) if len(laid.members[path]) % BLOCK)
    place = bytes(data).index(header(path, len(laid.members[path]))) + BLOCK + len(laid.members[path])
    data[place] = 1
    return bytes(data)


ARCHIVES = (
    Animal("a byte behind the end", "bundle", lambda one: one.pack() + b"\0"),
    Animal("a block behind the end", "bundle", lambda one: one.pack() + bytes(BLOCK)),
    Animal("a second archive behind it", "bundle", lambda one: one.pack() * 2),
    Animal("cut by a block", "bundle", lambda one: one.pack()[:-BLOCK]),
    Animal("cut in the middle", "bundle", lambda one: one.pack()[: 20 * BLOCK + 7]),
    Animal("no end", "bundle", lambda one: one.pack(end=b"")),
    Animal("an end that is not zeros", "bundle", lambda one: one.pack(end=bytes(1023) + b"\1")),
    Animal("empty", "bundle", lambda _: b""),
    Animal("only an end", "bundle", lambda _: END),
    Animal("padding that says something", "bundle", _padded),
    Animal("a symbolic link", "bundle", _headed(type="2", link="/etc/passwd")),
    Animal("a hard link", "bundle", _headed(type="1", link="format")),
    Animal("a folder", "bundle", _headed(type="5")),
    Animal("a device", "bundle", _headed(type="3")),
    Animal("a pax header", "bundle", _headed(type="x")),
    Animal("a long name of GNU", "bundle", _headed(type="L")),
    Animal("a sparse file of GNU", "bundle", _headed(type="S")),
    Animal("a file that may be executed", "bundle", _headed(mode="0000755")),
    Animal("a file of somebody", "bundle", _headed(uid="0001750")),
    Animal("a file of today", "bundle", _headed(mtime="15260312245")),
    Animal("a wrong checksum", "bundle", _headed(checksum=1)),
    Animal("a name that leads out", "bundle", _headed(path="../escaped")),
    Animal("an absolute name", "bundle", _headed(path="/tmp/escaped")),
    Animal("a header with another size", "bundle", _headed(size=3)),
    Animal("a list with `..`", "bundle", _also("../escaped")),
    Animal("a list with a file of its own", "bundle", _also("trust.toml")),
    Animal("a list with names that differ in case", "bundle", _also("FORMAT")),
    Animal("a list with a run of an odd name", "bundle", _also("runs/..%2f/journal.jsonl")),
    Animal("a blob under another name", "bundle", _also(f"blobs/sha256/ff/{NOBODY}")),
    Animal("a blob on another shelf", "bundle", _also(f"blobs/sha256/00/{NOBODY}")),
    Animal("an entry on another shelf", "bundle", _also(f"keys/00/{NOBODY}.json")),
    Animal("a list in another order", "bundle", _member(list.reverse)),
    Animal("a list with a file twice", "bundle", _member(lambda rows: rows.insert(0, rows[0]))),
    Animal("a list that lacks a file", "bundle", _member(lambda rows: rows.pop(1))),
    Animal("a list with a file that is not there", "bundle", _member(lambda rows: rows.append(
        {"path": f"runs/20200101T000000Z-{'0' * 8}/record.json", "size": 0, "sha256": sha256(b"")}
    ))),
    Animal("a list with another digest", "bundle", _member(lambda rows: rows[-1].update(sha256=NOBODY))),
    Animal("a list with another size", "bundle", _member(lambda rows: rows[-1].update(size=rows[-1]["size"] + 1))),
    Animal("a list with a size below zero", "bundle", _member(lambda rows: rows[-1].update(size=-1))),
    Animal("a list with a size of a terabyte", "bundle", _member(lambda rows: rows[-1].update(size=1 << 40))),
    Animal("a list with a size that is a truth", "bundle", _member(lambda rows: rows[-1].update(size=True))),
    Animal("a list of an unknown version", "bundle", _listed(type="bundle/2")),
    Animal("a list with a field more", "bundle", _listed(trust="me")),
    Animal("a list of a run that is not there", "bundle", _listed(run="20200101T000000Z-00000000")),
    Animal("a list of a run of an odd name", "bundle", _listed(run="../..")),
    Animal("members that are no list", "bundle", _listed(members={})),
    Animal("a million files and one", "bundle", _listed(members=[0] * 1_000_001)),
    Animal("a store of another version", "bundle", _also("format", b"harness store 2\n")),
    Animal("what was left out, twice", "bundle", _listed(omitted=[{"sha256": NOBODY, "size": 1, "why": "so"}] * 2)),
    Animal("left out without a reason", "bundle", _listed(omitted=[{"sha256": NOBODY, "size": 1, "why": ""}])),
    Animal("left out without a size", "bundle", _listed(omitted=[{"sha256": NOBODY, "why": "so"}])),
    Animal("a list with a key twice", "bundle", _spelled(lambda text: b'{"run":"x",' + text[1:])),
    Animal("a list with blanks", "bundle", _spelled(lambda text: text.replace(b":", b": ", 1))),
    Animal("a list without its line's end", "bundle", _spelled(lambda text: text[:-1])),
    Animal("a list that is no JSON", "bundle", _spelled(lambda text: text[1:])),
    Animal("a list that is nested deeply", "bundle", _spelled(lambda _: b"[" * 100_000 + b"]" * 100_000)),
    Animal("a list with a fraction", "bundle", _spelled(lambda text: text.replace(b'"size":', b'"size":0.0,"s":', 1))),
)  # fmt: skip


def _lacks(path: str) -> Make:
    def make(laid: Laid) -> bytes:
        del laid.members[path]
        return laid.pack()

    return make


def _log(change: Callable[[list[dict[str, Any]]], object]) -> Make:
    """Change the lines of the journal, and seal nothing."""

    def make(laid: Laid) -> bytes:
        events = laid.events
        change(events)
        laid.members[laid.log] = b"".join(encode_document(one) + b"\n" for one in events)
        return laid.pack()

    return make


def _sealed(change: Callable[[Laid, list[dict[str, Any]]], object]) -> Make:
    """Change the lines of the journal, and make everything follow."""

    def make(laid: Laid) -> bytes:
        events = laid.events
        change(laid, events)
        return laid.seal(events).pack()

    return make


def _of_heads(change: Callable[[list[dict[str, Any]]], object], *, chain: bool = True) -> Make:
    def make(laid: Laid) -> bytes:
        heads = laid.heads()
        change(heads)
        lines = chained(heads)[0] if chain else [encode_document(one) + b"\n" for one in heads]
        laid.members["heads.jsonl"] = b"".join(lines)
        return laid.pack()

    return make


def _torn(laid: Laid) -> bytes:
    laid.members[laid.log] += b'{"at":"20'
    return laid.pack()


def _last(events: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(one for one in reversed(events) if one["event"] == kind)


CHAINS = (
    Animal("a bundle without the list of runs", "bundle", _lacks("heads.jsonl")),
    Animal("a line of the journal that was edited", "chain", _log(lambda rows: rows[2].update(step="x"))),
    Animal("a line of the journal that is gone", "chain", _log(lambda rows: rows.pop(2))),
    Animal("two lines of the journal that changed places", "chain", _log(lambda rows: rows.insert(2, rows.pop(3)))),
    Animal("a line of the journal with a field more", "chain", _log(lambda rows: rows[2].update(more=1))),
    Animal("an event that no run writes", "chain", _log(lambda rows: rows[2].update(event="step.blessed"))),
    Animal("a first line that the list does not name", "chain", _of_heads(lambda rows: rows[0].update(journal=NOBODY))),
    Animal("a last line that the list does not name", "chain", _of_heads(
        lambda rows: _last(rows, "run.finished").update(journal=NOBODY)
    )),
    Animal("a list of runs with a line that was edited", "chain", _of_heads(
        lambda rows: rows[-1].update(journal=NOBODY), chain=False
    )),
    Animal("facts that are a text", "chain", _sealed(lambda _, rows: rows[0].update(facts="x"))),
    Animal("a sandbox that is nothing", "chain", _sealed(lambda _, rows: rows[0].update(sandbox={}))),
    Animal("a journal that is torn", "chain", _torn, "incomplete"),
)  # fmt: skip


def _ends_early(laid: Laid, events: list[dict[str, Any]]) -> None:
    events[-1]["status"] = "interrupted"


def _counts(laid: Laid) -> bytes:
    events = laid.events
    laid.seal(events)
    events[-1]["events"] += 1
    lines, head = chained(events)
    laid.members[laid.log] = b"".join(lines)
    laid.members[f"runs/{laid.run}/record.json"] = spell_record(summarise_journal(cast("list[Event]", events), head))
    heads = laid.heads()
    _last(heads, "run.finished").update(journal=head, record=sha256(laid.members[f"runs/{laid.run}/record.json"]))
    laid.members["heads.jsonl"] = b"".join(chained(heads)[0])
    return laid.pack()


def _record(change: Callable[[dict[str, Any]], object], *, named: bool = True, spelled: Any = None) -> Make:
    """Change the record; with `named`, the list of runs follows."""

    def make(laid: Laid) -> bytes:
        place = f"runs/{laid.run}/record.json"
        body = json.loads(laid.members[place])
        change(body)
        laid.members[place] = (spelled or (lambda one: encode_document(one) + b"\n"))(body)
        heads = laid.heads()
        if named:
            _last(heads, "run.finished")["record"] = sha256(laid.members[place])
        laid.members["heads.jsonl"] = b"".join(chained(heads)[0])
        return laid.pack()

    return make


def _without_record(laid: Laid) -> bytes:
    del laid.members[f"runs/{laid.run}/record.json"]
    return laid.pack()


RECORDS = (
    Animal("a journal that counts otherwise", "chain", _counts),
    Animal("a run that was interrupted", "chain", _sealed(_ends_early), "incomplete"),
    Animal("a record that says another status", "record", _record(lambda one: one.update(status="failed"))),
    Animal("a record with another output", "record", _record(
        lambda one: next(iter(one["outputs"].values())).update(sha256=NOBODY)
    )),
    Animal("a record with a field more", "record", _record(lambda one: one.update(blessed=True))),
    Animal("a record that counts other steps", "record", _record(lambda one: one["steps"].update(executed=99))),
    Animal("a record that the list does not name", "record", _record(lambda one: one.update(status="x"), named=False)),
    Animal("a record of another spelling", "record", _record(
        lambda _: None, spelled=lambda one: json.dumps(one).encode() + b"\n"
    )),
    Animal("no record", "record", _without_record),
)  # fmt: skip


def _step(laid: Laid, stage: str = "scores") -> str:
    return str(next(one["step"] for one in laid.events if one.get("stage") == stage and "key" in one))


def _entry(change: Callable[[dict[str, Any]], object], *, sealed: bool = True, stage: str = "scores") -> Make:
    """Change the entry of a step, and make journal, record and list follow; its key only if `sealed`."""

    def make(laid: Laid) -> bytes:
        step = _step(laid, stage)
        _, body = laid.entry(step)
        change(body)
        return laid.seal(laid.put_entry(step, body, sealed=sealed)).pack()

    return make


def _raw_entry(change: Callable[[bytes], bytes | None]) -> Make:
    """Change the bytes of an entry, and nothing that names it."""

    def make(laid: Laid) -> bytes:
        path, _ = laid.entry(_step(laid))
        data = change(laid.members.pop(path))
        if data is not None:
            laid.members[path] = data
        return laid.pack()

    return make


def _other_entry(laid: Laid) -> bytes:
    one, two = laid.entry(_step(laid))[0], laid.entry(_step(laid, "prompts"))[0]
    laid.members[one] = laid.members[two]
    return laid.pack()


ENTRIES = (
    Animal("an entry that is missing", "entry", _raw_entry(lambda _: None)),
    Animal("an entry with a digit changed", "entry", _raw_entry(lambda data: data.replace(b"outputs", b"outputz", 1))),
    Animal("an entry without its line's end", "entry", _raw_entry(lambda data: data[:-1])),
    Animal("an entry with a line more", "entry", _raw_entry(lambda data: data + b"\n")),
    Animal("an entry that is another's", "entry", _other_entry),
    Animal("an entry that is empty", "entry", _raw_entry(lambda _: b"")),
    Animal("a key of another preimage", "key", _entry(lambda one: one["preimage"].update(batch="x"), sealed=False)),
    Animal("an entry with a field more", "key", _entry(lambda one: one.update(blessed=True), sealed=False)),
    Animal("an entry of another type", "key", _entry(lambda one: one.update(type="entry/2"), sealed=False)),
    Animal("an entry with an output that is not declared", "key", _entry(
        lambda one: one["outputs"].update(more={"sha256": NOBODY, "size": 1}), sealed=False
    )),
    Animal("an entry with an output without size", "key", _entry(
        lambda one: next(iter(one["outputs"].values())).pop("size"), sealed=False
    )),
    Animal("an entry that lacks an output", "key", _entry(lambda one: one["outputs"].popitem(), sealed=False)),
    Animal("an output of another size", "blob", _entry(
        lambda one: next(iter(one["outputs"].values())).update(size=1), stage="prompts"
    )),
    Animal("an input that nobody has", "blob", _entry(
        lambda one: one["preimage"]["inputs"].update({next(iter(one["preimage"]["inputs"])): NOBODY})
    )),
    Animal("a closure that nobody has", "blob", _entry(lambda one: one["preimage"].update(code=NOBODY))),
    Animal("an environment that nobody has", "blob", _entry(lambda one: one["preimage"].update(environment=NOBODY))),
)  # fmt: skip


def _without_blob(which: Callable[[Laid], str]) -> Make:
    def make(laid: Laid) -> bytes:
        laid.drop(which(laid))
        return laid.pack()

    return make


def _left_out(which: Callable[[Laid], str]) -> Make:
    def make(laid: Laid) -> bytes:
        digest = which(laid)
        size = len(laid.members[f"blobs/sha256/{digest[:2]}/{digest}"])
        laid.drop(digest)
        laid.omitted = sorted([*laid.omitted, {"sha256": digest, "size": size, "why": "it is large"}], key=_digest)
        return laid.pack()

    return make


def _digest(one: dict[str, Any]) -> str:
    return str(one["sha256"])


def _output(laid: Laid) -> str:
    return str(next(iter(laid.entry(_step(laid))[1]["outputs"].values()))["sha256"])


def _code_file(laid: Laid) -> str:
    code = laid.entry(_step(laid))[1]["preimage"]["code"]
    files = json.loads(laid.members[f"blobs/sha256/{code[:2]}/{code}"])["files"]
    return str(files[max(files)])


BLOBS = (
    Animal("no lock", "blob", _without_blob(lambda one: one.events[0]["lock"])),
    Animal("no manifest", "blob", _without_blob(lambda one: one.events[0]["manifest"])),
    Animal("no environment", "blob", _without_blob(lambda one: one.events[0]["environment"])),
    Animal("no scores", "blob", _without_blob(_output)),
    Animal("no closure", "blob", _without_blob(lambda one: one.entry(_step(one))[1]["preimage"]["code"])),
    Animal("no file of the code", "blob", _without_blob(_code_file)),
    Animal("scores that were left out", "blob", _left_out(_output), "incomplete"),
)


def _output_line(change: Callable[[dict[str, Any]], object]) -> Make:
    return _sealed(lambda _, events: change(_last(events, "output")))


def _again(kind: str) -> Make:
    """Repeat a line of the journal behind itself."""

    def change(_: Laid, events: list[dict[str, Any]]) -> None:
        place = max(number for number, one in enumerate(events) if one["event"] == kind)
        events.insert(place, dict(events[place]))

    return _sealed(change)


def _behind(laid: Laid, events: list[dict[str, Any]]) -> None:
    at, step = events[-1]["at"], events[1].get("step", "x")
    events.append({"type": "event/1", "event": "step.log", "at": at, "step": step, "text": "late"})


def _foreign_run(laid: Laid) -> bytes:
    other = f"20200101T000000Z-{'0' * 8}"
    laid.members[f"runs/{other}/journal.jsonl"] = laid.members[laid.log]
    return laid.pack()


def _more_entry(laid: Laid) -> bytes:
    _, body = laid.entry(_step(laid))
    body["preimage"]["batch"] = "another"
    body["key"] = document_digest(body["preimage"])
    laid.members[f"keys/{body['key'][:2]}/{body['key']}.json"] = encode_document(body) + b"\n"
    return laid.pack()


def _more_blob(laid: Laid) -> bytes:
    laid.put(b"nobody asked for this")
    return laid.pack()


def _more_omitted(laid: Laid) -> bytes:
    laid.omitted = [*laid.omitted, {"sha256": NOBODY, "size": 1, "why": "it is large"}]
    return laid.pack()


def _cached(laid: Laid, events: list[dict[str, Any]]) -> None:
    """Say that a step came from the store, of which no run says that it executed it."""
    event = _last(events, "step.done")
    for name in ("usage", "facts", "worker"):
        event.pop(name, None)
    event["event"] = "step.cached"


OUTPUTS = (
    Animal("an output with another digest", "output", _output_line(lambda one: one.update(sha256=NOBODY))),
    Animal("an output with another size", "output", _output_line(lambda one: one.update(size=one["size"] + 1))),
    Animal("an output of another step", "output", _output_line(lambda one: one.update(step="nobody"))),
    Animal("an output of another name in its step", "output", _output_line(lambda one: one.update(output="nothing"))),
    Animal("an output whose digest is its key", "output", _output_line(lambda one: one.update(sha256="0" * 64))),
    Animal("a step that ends twice", "unaccounted", _again("step.done")),
    Animal("an output that is named twice", "unaccounted", _again("output")),
    Animal("a line behind the end", "unaccounted", _sealed(_behind)),
    Animal("a run that is not on the list", "unaccounted", _of_heads(lambda rows: [one.update(
        run="20200101T000000Z-00000000") for one in rows if one["event"] == "run.started"])),
    Animal("a log of a run that has no part in this one", "unaccounted", _foreign_run),
    Animal("an entry that no line names", "unaccounted", _more_entry),
    Animal("a blob that nothing names", "unaccounted", _more_blob),
    Animal("a blob left out that nothing names", "unaccounted", _more_omitted),
    Animal("a step from the store that nobody executed", "unaccounted", _sealed(_cached), "incomplete"),
)  # fmt: skip

BAD = (*ARCHIVES, *CHAINS, *RECORDS, *ENTRIES, *BLOBS, *OUTPUTS)
