"""Check the evidence bundle of a run with standard Python alone, as docs/bundle.md has the format.

Written from that page by somebody who had not read the harness, and shortened since, so that two readers check one
format. It knows nothing of steps and scores, holds no blob in memory, writes nothing to disk, and executes nothing of a
bundle.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

CHECKS = ("bundle", "chain", "record", "entry", "key", "blob", "output", "unaccounted", "attest")
UNCHECKED = "that steps give the same when they are made again; that the manifest means what was planned"
BLOCK, DOCUMENT, LOG, ENVELOPE = 512, 1 << 26, 1 << 28, 1 << 24  # bytes
VALUES = 1 << 24  # so many fit into memory
RUN = r"[0-9]{8}T[0-9]{6}Z-(?:[0-9a-f]{8}|[0-9a-f]{32}(?:\.(?:0|[1-9][0-9]*))?)"
PATHS = {  # with the most bytes of each
    r"format": 16,
    rf"heads\.jsonl|runs/{RUN}/(?:journal|transcript)\.jsonl": LOG,
    rf"runs/{RUN}/record\.json|keys/([0-9a-f]{{2}})/\1[0-9a-f]{{62}}\.json": DOCUMENT,
    r"blobs/sha256/([0-9a-f]{2})/\1[0-9a-f]{62}": (1 << 33) - 1,
}
LINES = {  # by type and event: the fields that a line has | those that it may have, texts if there is no type
    "head/1 run.started": "run journal",
    "head/1 run.finished": "run journal record",
    "head/1 attempt.started": "run journal",
    "head/1 attempt.closed": "run journal",
    "event/1 run.started": "at run manifest lock plan engine isolation image environment steps:int facts:dict"
    " | limit:int clock data:dict sandbox:dict placement:dict asked:dict",
    "event/1 step.done": "at step stage key entry usage:dict"
    " | sees_gold:bool imported:dict trial:bool facts:dict worker",
    "event/1 step.cached": "at step stage key entry | sees_gold:bool imported:dict trial:bool",
    "event/1 step.failed": "at step error | ended",
    "event/1 output": "at name sha256 size:int step output",
    "event/1 step.log": "at step text",
    "event/1 step.damaged": "at step detail",
    "event/1 trial.done": "at step trial outcome",
    "event/1 calls": "at models:dict",
    "event/1 worker.joined": "at worker isolation facts:dict",
    "event/1 worker.refused": "at worker why",
    "event/1 run.healed": "at steps:int blobs:int digests:list",
    "event/1 run.finished": "at status events:int",
}
RECORDED = {"run", "manifest", "lock", "plan", "engine", "isolation", "image", "environment", "facts"}
RECORDED |= {"limit", "data", "sandbox", "placement", "asked"}
KINDS = {"": str, "int": int, "list": list, "dict": dict, "bool": bool}
ENDS = ("step.done", "step.cached", "step.failed")
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493  # of ed25519, as D
D = -121665 * pow(121666, -1, P) % P
Object = dict[str, Any]
Point = tuple[int, int]


def _demand(true: object, reason: str) -> None:
    if not true:
        raise ValueError(reason)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _are_digests(*values: object) -> bool:
    return all(isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) for value in values)


def _blob(digest: str) -> str:
    return f"blobs/sha256/{digest[:2]}/{digest}"


def _check(value: Any, fields: str) -> None:
    """Refuse all but an object with exactly these fields, each of its type; those behind a bar may be missing."""
    needed, _, perhaps = ([one.partition(":")[::2] for one in part.split()] for part in fields.partition("|"))
    kinds = dict(needed + perhaps)
    good = isinstance(value, dict) and dict(needed).keys() <= value.keys() <= kinds.keys()
    good = good and all(type(value[name]) is KINDS[kinds[name]] for name in value)
    _demand(good, f"it has not exactly the fields {fields}")


def _read_json(data: bytes) -> Any:
    """Read JSON in which no object has a key twice, or one that is not ASCII, and all numbers are whole and small."""

    def join(pairs: list[tuple[str, Any]]) -> Object:
        found = dict(pairs)
        _demand(len(found) == len(pairs) and all(map(str.isascii, found)), "a key is odd, or twice there")
        return found

    def number(text: str) -> int:
        _demand(len(text) <= 17 and abs(int(text)) < 1 << 53, "a number is too large")
        return int(text)

    _demand(sum(map(data.count, (b",", b"[", b"{"))) <= VALUES, "it has too many values for this program")
    text = data.decode()
    return json.loads(text, object_pairs_hook=join, parse_int=number, parse_float=number, parse_constant=number)


def _write_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _read_document(data: bytes, kind: str, end: bytes = b"") -> Object:
    """Read canonical JSON of a type, any if it is empty: what is read gives the same bytes when it is written."""
    value = _read_json(data)
    good = isinstance(value, dict) and isinstance(value.get("type"), str) and kind in ("", value["type"])
    _demand(good and _write_json(value) + end == data, f"it is no canonical document of type {kind}")
    return dict(value)


def _open(path: str) -> BinaryIO:
    """Open a plain file, without following a link or waiting for a pipe."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    _demand(stat.S_ISREG(os.fstat(file.fileno()).st_mode), f"{path} is no plain file")
    return file


def _header(path: str, size: int) -> bytes:
    """Return the one header that a member with this path and size has."""
    front = path.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % size + b"0" * 11 + b"\0"
    back = b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(64) + b"0000000\0" * 2 + bytes(155 + 12)
    return front + b"%06o\0 " % (sum(front) + 8 * 32 + sum(back)) + back


def _make_record(lines: list[Object], head: str) -> Object:
    """Compute the record that the lines of a journal give."""
    start, steps = lines[0], [line for line in lines if line["event"] in ENDS]
    record: Object = {name: start[name] for name in RECORDED & start.keys()}
    record |= {"type": "record/1", "head": head, "events": len(lines), "started": start["at"], "status": "incomplete"}
    counts, imported = Counter(line["event"] for line in lines), dict[tuple[str, str], list[str]]()
    numbers = (start["steps"], *(counts[event] for event in ENDS))
    record["steps"] = dict(zip(("total", "executed", "cached", "failed"), numbers, strict=True))
    record["sees_gold"] = sorted(line["step"] for line in steps if line.get("sees_gold"))
    outputs, workers = record.setdefault("outputs", {}), dict[str, Object]()
    for line in lines:
        if line["event"] == "output":
            outputs[line["name"]] = {name: line[name] for name in ("sha256", "size", "step", "output")}
        elif line["event"] == "calls":
            record["calls"] = line["models"]
        elif line["event"] == "run.healed":
            record["healed"] = {"steps": line["steps"], "blobs": line["blobs"]}
        elif line["event"] == "run.finished":
            record |= {"status": line["status"], "finished": line["at"]}
        if "worker" in line:
            worker = workers.setdefault(line["worker"], {"steps": 0})
            worker["steps"] += line["event"] == "step.done"
            kept = {"worker.joined": ("isolation", "facts"), "worker.refused": ("why",)}.get(line["event"], ())
            worker |= {name: line[name] for name in kept}
        if {"model", "source"} <= line.get("imported", {}).keys():
            source = (str(line["imported"]["model"]), str(line["imported"]["source"]))
            imported.setdefault(source, []).append(line["step"])
    some: Object = {
        "trials": sorted(line["step"] for line in steps if line.get("trial")),
        "imported": [{"model": key[0], "source": key[1], "steps": sorted(imported[key])} for key in sorted(imported)],
        "ended": Counter(line["ended"] for line in steps if "ended" in line),
        "workers": workers,
    }
    return record | {name: value for name, value in some.items() if value}


class Verifier:
    """Checker of a bundle, independent of the harness: it reads the file and collects what is wrong."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], str] = {}  # the first reason, by check and result
        self.members: dict[str, tuple[str, int, int]] = {}  # digest, size, and where the bytes begin
        self.omitted: dict[str, tuple[int, str]] = {}  # size and reason
        self.edges: dict[str, tuple[str, str]] = {}  # of each chain, the digests of its first and its last line
        self.broken: set[str] = set()  # chains with a flaw
        self.executed: dict[str, set[tuple[str, str]]] = {}  # by run: keys and entries of the steps that it executed
        self.named: set[str] = set()  # digests that stand in the documents of the run

    def expect(self, check: str, true: object, reason: object, result: str = "fail") -> None:
        """Note a failed check with its reason, unless `true`."""
        if not true:
            self.found.setdefault((check, result), ascii(str(reason)[:400])[1:-1])

    def guard(self, check: str, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function of a check; any exception in it fails the check, since the input may be hostile."""
        try:
            return function(*values)
        except Exception as error:
            self.expect(check, False, f"{' '.join(map(str, values))} {type(error).__name__}: {error}".strip())

    def verify(self, path: str, envelope: str | None, key: str | None) -> tuple[str, ...]:
        """Make all checks of a bundle, and return the names of those that were made."""
        self.guard("bundle", self._unpack, path)
        if self.found:
            return CHECKS[:1]
        parts = (self._check_chains, self._check_record, self._check_entries, self._check_accounts)
        for check, function in zip(("chain", "record", "key", "unaccounted"), parts, strict=True):
            self.guard(check, function)
        if envelope is None:
            return CHECKS[:-1]
        self.guard("attest", self._check_envelope, envelope, key)
        return CHECKS

    def _unpack(self, path: str) -> None:
        """Compare every byte of the file with what its list says."""
        self.file = _open(path)
        info, block = os.fstat(self.file.fileno()), self.file.read(BLOCK)
        holes = info.st_size - info.st_blocks * 512
        _demand(holes < 1 << 30 or holes * 10 < info.st_size * 9, "the file is almost only holes")
        size = int(block[124:135], 8) if re.fullmatch(rb"[0-7]{11}", block[124:135]) else 0
        _demand(block == _header("bundle.json", size) and size <= LOG, "there is no header of bundle.json")
        listed = _read_document(self.file.read(size), "bundle/1", b"\n")
        self._skip_zeros(-size % BLOCK)
        _check(listed, "type run members:list omitted:list")
        _demand(len(listed["members"]) + len(listed["omitted"]) <= 1_000_000, "more than 1,000,000 files are listed")
        for row in listed["members"]:
            self._take_member(row)
        self._skip_zeros(2 * BLOCK)
        _demand(not self.file.read(1), "something follows the end")
        self.run, self.log = listed["run"], f"runs/{listed['run']}/journal.jsonl"
        needed = {"format", "heads.jsonl", self.log} <= self.members.keys()
        _demand(needed and re.fullmatch(RUN, self.run), "the run is not in it")
        _demand(self._read("format") == b"harness store 1\n", "format is not the line `harness store 1`")
        held = {digest for digest, _, _ in self.members.values()}
        for row in listed["omitted"]:
            _check(row, "sha256 size:int why")
            digest, size, why = row["sha256"], row["size"], row["why"]
            good = _are_digests(digest) and digest not in held and 0 <= size < 1 << 33 and 1 <= len(why) <= 1000
            _demand(good and digest > next(reversed(self.omitted), ""), f"{digest} is not left out as the page says")
            self.omitted[digest] = (size, why)
        self.runs = {path.split("/")[1] for path in self.members if path.startswith("runs/")}

    def _skip_zeros(self, size: int) -> None:
        _demand(self.file.read(size) == bytes(size), f"no {size} zeros before byte {self.file.tell()}")

    def _take_member(self, row: Any) -> None:
        """Compare the next member of the file with its row in the list, a piece at a time."""
        _check(row, "path sha256 size:int")
        path, digest, size = row["path"], row["sha256"], row["size"]
        bound = next((bound for pattern, bound in PATHS.items() if re.fullmatch(pattern, path)), -1)
        _demand(0 <= size <= bound and path > next(reversed(self.members), ""), f"{path} is wrong, too large or late")
        _demand(path == _blob(digest) or path[:6] != "blobs/", f"{path} is named by another digest")
        _demand(self.file.read(BLOCK) == _header(path, size), f"{path} has not its header")
        self.members[path], seen = (digest, size, self.file.tell()), hashlib.sha256()
        for begin in range(0, size, 1 << 20):
            seen.update(self.file.read(min(1 << 20, size - begin)))
        _demand(seen.hexdigest() == digest, f"{path} has not the digest in the list")
        self._skip_zeros(-size % BLOCK)

    def _read(self, path: str) -> bytes:
        """Read a small member again, which must not have been changed meanwhile."""
        digest, size, offset = self.members[path]
        self.file.seek(offset)
        data = self.file.read(min(size, LOG + 1))
        _demand(_digest(data) == digest, f"{path} was changed while it was checked, or is too large")
        return data

    def _name(self, data: bytes) -> bytes:
        """Note each digest that stands in a document of the run."""
        self.named.update(found[1].decode() for found in re.finditer(rb"(?=([0-9a-f]{64}))", data))
        return data

    def _follow(self, path: str, kind: str) -> Iterator[Object]:
        """Yield the lines of a chain up to its first flaw."""
        data, start, number, first, last = self._read(path), 0, 0, "", "0" * 64
        try:
            _demand(sum(map(data.count, (b",", b"[", b"{"))) <= VALUES, "it has too many values for this program")
            while end := data.find(b"\n", start) + 1:
                line = _read_document(data[start : end - 1], kind)
                if kind:
                    _check(line, f"type event n:int prev {LINES[kind + ' ' + line['event']]}")
                if "sandbox" in line:
                    _check(line["sandbox"], "environment image")
                good = type(line["n"]) is int and (line["n"], line["prev"]) == (number, last)
                _demand(good, "`n` is not the number of the line, or `prev` not the digest of the one before")
                yield line
                last = _digest(data[start:end])
                start, number, first = end, number + 1, first or last
        except (LookupError, TypeError, ValueError, RecursionError) as problem:
            self.broken.add(path)
            self.expect("chain", False, f"{path}, line {number}: {problem}")
        if start < len(data) and path not in self.broken:
            if path in ("heads.jsonl", self.log):
                self.expect("chain", False, f"{path}, line {number}: is torn", "skip")
            else:
                last = _digest(data[start:])
        self.edges[path] = (first, last)

    def _check_chains(self) -> None:
        heads, self.listed = list(self._follow("heads.jsonl", "head/1")), dict[tuple[str, str], Object]()
        for line in heads:
            known = self.listed.setdefault((line["event"], line["run"]), line)
            good = known is line or line["run"] != self.run
            self.expect("unaccounted", good, f"heads.jsonl repeats {line['event']} of the run")
        self.lines = list(self._follow(self.log, "event/1"))
        if not self.lines or (self.lines[0]["event"], self.lines[0].get("run")) != ("run.started", self.run):
            self.broken.add(self.log)
            self.expect("chain", False, f"{self.log} does not begin with the start of the run")
            self.lines.clear()
        end: Object = next((line for line in self.lines[-1:] if line["event"] == "run.finished"), {})
        good = end.get("status") == "done" and ("run.finished", self.run) in self.listed
        self.expect("chain", good, "the run has not ended as `done`, or its end is not listed", "skip")
        good = end.get("events", len(self.lines)) == len(self.lines) or self.log in self.broken
        self.expect("chain", good, f"{self.log}: `events` is not the number of lines")
        self.executed[self.run] = {(one["key"], one["entry"]) for one in self.lines if one["event"] == ENDS[0]}
        for run in self.runs:
            for path, kind in ((f"runs/{run}/transcript.jsonl", ""), (f"runs/{run}/journal.jsonl", "event/1")):
                if path in self.members and path != self.log:
                    steps = (line for line in self._follow(path, kind) if line.get("event") == ENDS[0] and kind)
                    done = {(line["key"], line["entry"]) for line in steps}
                    self.executed[run] = set() if path in self.broken else done
        for line in heads:
            kind, _, edge = line["event"].partition(".")
            path = f"runs/{line['run']}/{'journal' if kind == 'run' else 'transcript'}.jsonl"
            if line["run"] != self.run or (path in self.edges and self.listed[line["event"], self.run] is line):
                found = self.edges.get(path, ("", ""))[edge != "started"]
                good = line["run"] not in self.runs or found == line["journal"]
                self.expect("chain", good, f"{path}: heads.jsonl names another line for {line['event']}")
                if not good and kind == "run" and line["run"] != self.run:
                    self.executed.pop(line["run"], None)  # what it says that it executed counts for nothing

    def _check_record(self) -> None:
        path, listed = f"runs/{self.run}/record.json", self.listed.get(("run.finished", self.run))
        if path not in self.members:
            return self.expect("record", False, f"{path} is missing", "fail" if listed else "skip")
        good = listed is None or listed["record"] == self.members[path][0]
        self.expect("record", good, f"{path} is not the one that heads.jsonl names")
        if self.log in self.broken:
            return self.expect("record", False, "it cannot be computed from a broken journal", "skip")
        good = self._read(path) == _write_json(_make_record(self.lines, self.edges[self.log][1])) + b"\n"
        return self.expect("record", good, f"{path} is not what the journal says")

    def _check_entries(self) -> None:
        """Check the entries of finished steps, and what they name: `entry`, `key`, `blob` and `output`."""
        steps, closures = dict[str, Object | None](), set[str]()
        for start in self.lines[:1]:
            sandbox = start.get("sandbox", start)["environment"]
            for digest in (start["manifest"], start["lock"], start["environment"], sandbox):
                self._need("the run", digest)
            if _blob(start["lock"]) in self.members:
                self._name(self._read(_blob(start["lock"])))
        for line in (line for line in self.lines if line["event"] in ENDS[:2]):
            path = f"keys/{line['key'][:2]}/{line['key']}.json"
            good = self.members.get(path, ("",))[0] == line["entry"]
            self.expect("entry", good, f"{line['step']}: {path} is missing, or another one")
            entry = self.guard("key", self._read_entry, path) if good else None
            steps[line["step"]] = entry and entry["outputs"]
            code = entry["preimage"]["code"] if entry else ""
            if _blob(code) in self.members and code not in closures:
                closures.add(code)
                self.guard("blob", self._read_closure, _blob(code))
        for line in (line for line in self.lines if line["event"] == "output"):
            outputs = steps.get(line["step"], {})  # None: there is no sound entry, which was said above
            good = outputs is None or outputs.get(line["output"]) == {"sha256": line["sha256"], "size": line["size"]}
            self.expect("output", good, f"{line['name']} is not {line['output']} of {line['step']}")

    def _read_entry(self, path: str) -> Object:
        entry = _read_document(self._name(self._read(path)), "entry/1", b"\n")
        _check(entry, "type key preimage:dict outputs:dict")
        preimage, outputs = entry["preimage"], entry["outputs"]
        good = isinstance(preimage["outputs"], list) and sorted(preimage["outputs"]) == sorted(outputs)
        _demand(good, "the outputs are not those of the preimage")
        for output in outputs.values():
            _check(output, "sha256 size:int")
        inputs = [one if isinstance(one, list) else [one] for one in preimage["inputs"].values()]
        needed = [preimage["code"], preimage["environment"], *(digest for one in inputs for digest in one)]
        _demand(_are_digests(*needed, *(one["sha256"] for one in outputs.values())), "a digest is none")
        good = entry["key"] == path[8:72] == _digest(_write_json(preimage))
        _demand(good, "the key is not the digest of the preimage")
        for output in outputs.values():
            self._need(path, output["sha256"], output["size"])
        for digest in needed:
            self._need(path, digest)
        return entry

    def _read_closure(self, path: str) -> None:
        closure = _read_document(self._name(self._read(path)), "closure/1")
        _check(closure, "type files:dict")
        for name, digest in closure["files"].items():
            _demand(_are_digests(digest), f"{name} has no digest")
            self._need(path, digest)

    def _need(self, place: str, digest: str, size: int | None = None) -> None:
        """Look for a blob that the run needs."""
        left_out = self.omitted.get(digest)
        held = left_out[0] if left_out else self.members.get(_blob(digest), ("", None))[1]
        self.expect("blob", held is not None, f"{place}: {digest} is neither in the bundle nor left out")
        self.expect("blob", held is None or size in (None, held), f"{place}: {digest} has not {size} bytes")
        self.expect("blob", left_out is None, f"{place}: {digest} was left out: {left_out}", "skip")

    def _check_accounts(self) -> None:
        """Look for lines that are too many, and for members that nothing names."""
        names = {**dict.fromkeys(ENDS[:2], "step"), "output": "name", "run.started": "event", "run.finished": "event"}
        seen, finished = set[tuple[str, str]](), [line for line in self.lines if line["event"] in ENDS[:2]]
        for number, line in enumerate(self.lines):
            good = ("event", "run.finished") not in seen
            self.expect("unaccounted", good, f"line {number} of the journal follows the end")
            if line["event"] in names:
                what = (names[line["event"]], line[names[line["event"]]])
                self.expect("unaccounted", what not in seen, f"line {number} of the journal repeats {what}")
                seen.add(what)
        listed = [
            steps for run, steps in self.executed.items() if run == self.run or ("run.started", run) in self.listed
        ]
        for line in finished:
            good = any((line["key"], line["entry"]) in steps for steps in listed)
            self.expect("unaccounted", good, f"no listed run in the bundle executed {line['step']}", "skip")
        good = ("run.started", self.run) in self.listed
        self.expect("unaccounted", good, "heads.jsonl does not name the start of the run")
        if self.log in self.broken:
            return
        self._name(_write_json(self.lines))
        cached = {(line["key"], line["entry"]) for line in finished if line["event"] == "step.cached"}
        used = {"format", "heads.jsonl", *(f"keys/{line['key'][:2]}/{line['key']}.json" for line in finished)}
        for path in (*self.members, *map(_blob, self.omitted)):
            run = path.split("/")[1] if path.startswith("runs/") else ""
            good = path[16:] in self.named if path.startswith("blobs/") else path in used or run == self.run
            good = good or bool(self.executed.get(run, set()) & cached)
            self.expect("unaccounted", good, f"no line of the run names {path}")

    def _check_envelope(self, path: str, key: str) -> None:
        """Check an envelope, its signature by a key, and what its statement says of this run."""
        data = _open(path).read(ENVELOPE + 1)
        _demand(len(data) <= ENVELOPE, "the envelope is too large")
        envelope, public, signatures = _read_json(data), _read_key(key), dict[str, bytes]()
        _check(envelope, "payload payloadType signatures:list")
        _demand(envelope["payloadType"] == "application/vnd.in-toto+json", "the payload is of another type")
        payload = _from_base64(envelope["payload"])
        for row in envelope["signatures"]:
            _check(row, "keyid sig")
            _demand(_are_digests(row["keyid"]) and row["keyid"] not in signatures, "a `keyid` is none, or stands twice")
            signatures[row["keyid"]] = _from_base64(row["sig"])
        good = 1 <= len(signatures) <= 16 and all(len(sig) == 64 for sig in signatures.values())
        _demand(good, "there are not 1 to 16 signatures of 64 bytes")
        _demand(_digest(public) in signatures, "no signature is by the key")
        message = b"DSSEv1 28 application/vnd.in-toto+json %d %s" % (len(payload), payload)
        _demand(_is_signed(public, signatures[_digest(public)], message), "the signature is wrong")
        statement, subjects = _read_json(payload), dict[str, str]()
        _check(statement, "_type subject:list predicateType predicate:dict")
        _demand(statement["_type"] == "https://in-toto.io/Statement/v1", "the statement is of another type")
        if statement["predicateType"] == "https://slsa.dev/provenance/v1":
            said = statement["predicate"]["runDetails"]["metadata"]["invocationId"]
        else:
            good = statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
            _demand(good, "the predicate is of another type")
            said = statement["predicate"]["annotations"]["run"]
        _demand(said == self.run, "the statement is of another run")
        for row in statement["subject"]:
            _check(row, "name digest:dict")
            _check(row["digest"], "sha256")
            _demand(row["name"] not in subjects, f"the subject {row['name']} comes twice")
            subjects[row["name"]] = row["digest"]["sha256"]
        found = {f"outputs/{line['name']}": line["sha256"] for line in self.lines if line["event"] == "output"}
        found["record.json"] = self.members[f"runs/{self.run}/record.json"][0]
        _demand(subjects == found, "the subjects are not the record and the outputs, each with its digest")


def _from_base64(text: str) -> bytes:
    data = base64.b64decode(text, validate=True)
    _demand(base64.b64encode(data).decode() == text, "it is not base64 as it should be written")
    return data


def _read_key(key: str) -> bytes:
    """Return the 32 bytes of an ed25519 public key, as 64 hexadecimal digits, or from a file with them or with PEM."""
    text = key if _are_digests(key) else _open(key).read(BLOCK).decode("ascii").strip()
    if _are_digests(text):
        return bytes.fromhex(text)
    _, begin, lines, end, _ = text.split("-----")
    _demand((begin, end) == ("BEGIN PUBLIC KEY", "END PUBLIC KEY"), "the key is no PEM")
    data = _from_base64("".join(lines.split()))
    _demand(len(data) == 44 and data[:12].hex() == "302a300506032b6570032100", "the key is no ed25519 public key")
    return data[12:]


def _add(first: Point, second: Point) -> Point:
    """Add two points of the curve."""
    (x1, y1), (x2, y2), product = first, second, D * first[0] * first[1] * second[0] * second[1] % P
    return (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P


def _multiply(number: int, point: Point) -> Point:
    half = _multiply(number >> 1, _add(point, point)) if number else (0, 1)
    return _add(half, point) if number & 1 else half


def _decode_point(data: bytes) -> Point:
    """Decode a point (RFC 8032, 5.1.3), refusing each other spelling of it."""
    y, sign = int.from_bytes(data, "little") % (1 << 255), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    _demand(y < P and x * x % P == square and (x > 0 or not sign), "the key is no point of the curve")
    return x if x & 1 == sign else P - x, y


def _is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Verify an ed25519 signature (RFC 8032, 5.1.7, without cofactor)."""
    (x, y), s = _decode_point(public), int.from_bytes(signature[32:], "little")
    _demand(_multiply(8, (x, y)) != (0, 1) and s < L, "the key is of small order, or the signature not in least form")
    base = _decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    hashed = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    x, y = _add(_multiply(s, base), _multiply(hashed, (P - x, y)))
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def main() -> int:
    """Check the bundle that the command line names, print the findings, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check the evidence bundle of a run.", allow_abbrev=False)
    parser.add_argument("file", help="the bundle")
    parser.add_argument("--envelope", help="a signed statement about the run")
    parser.add_argument("--key", help="a public key, as 64 hexadecimal digits or a file with them or with PEM")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    wanted, verifier, rows = parser.parse_args(), Verifier(), []
    if (wanted.envelope is None) != (wanted.key is None):
        parser.error("--envelope and --key belong together")
    for check in verifier.verify(wanted.file, wanted.envelope, wanted.key):
        result = next((result for result in ("fail", "skip") if (check, result) in verifier.found), "pass")
        rows.append({"check": check, "result": result, "reason": verifier.found.get((check, result), "")})
    results = {row["result"] for row in rows}
    verdict = "disagreed" if "fail" in results else "incomplete" if "skip" in results else "agreed"
    unchecked = UNCHECKED if wanted.envelope is not None else f"{UNCHECKED}; signatures, as no envelope was given"
    if wanted.json:
        print(json.dumps({"checks": rows, "not_checked": unchecked, "verdict": verdict}))
    else:
        lines = [f"{row['result']} {row['check']:11} {row['reason']}".rstrip() for row in rows]
        print(*lines, f"verdict: {verdict}", f"not checked: {unchecked}", sep="\n")
    return int(verdict != "agreed")


if __name__ == "__main__":
    sys.exit(main())
