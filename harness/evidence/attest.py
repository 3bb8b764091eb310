"""Signed statements: in-toto statements in DSSE envelopes, signed by ed25519 keys.

A statement about a run names its record and each of its outputs by digest; one about a lock or an expectation names
that file. A signature says who vouches for them; only real bytes that were compared say that they are these. A key's id
is a hint: what counts is which of the trusted keys a signature was made by. Signing and checking need the package
`cryptography`, reading does not.
"""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.digest import MAX_INT, canonical_json, sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.evidence import keys
from harness.evidence.record import RecordBody
from harness.files import read_plain, translating_os_errors
from harness.manifest.lockfile import expect_path, lock_path, read_expect, read_lock
from harness.store.attempts import ATTEMPT_ID, attempt_of_run

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

STATEMENT = "https://in-toto.io/Statement/v1"
PROVENANCE = "https://slsa.dev/provenance/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
LOCK = "urn:repro-harness:lock:1"  # OURS, as the next: what an author says of a file that is kept in git
EXPECTATION = "urn:repro-harness:expectation:1"
KINDS = (PROVENANCE, TEST_RESULT, LOCK, EXPECTATION)
ENVELOPE = ".dsse.json"
PAYLOAD = "application/vnd.in-toto+json"
RUN_TYPE = "urn:repro-harness:run:1"
BUILDER = "urn:repro-harness:builder:"  # and how the answers of the run came about
RECORD, OUTPUTS = "record.json", "outputs/"
MOST_ENVELOPE = 1 << 24  # bytes
MOST_SIGNATURES = 16
RESULTS = {"agreed": "PASSED", "unconfirmed": "WARNED", "incomplete": "WARNED", "disagreed": "FAILED"}


@dataclass(frozen=True)
class Statement:
    """A statement about a run, a lock or an expectation: its subjects' digests by name, and what is said of them."""

    subjects: Mapping[str, str]
    kind: str
    predicate: Mapping[str, Any]

    @property
    def payload(self) -> bytes:
        """The bytes that are signed."""
        subject = [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(self.subjects.items())]
        body = {"_type": STATEMENT, "subject": subject, "predicateType": self.kind, "predicate": self.predicate}
        return canonical_json(body)

    @property
    def is_of_run(self) -> bool:
        """Whether the statement is about a run, and not about a lock or an expectation of a project."""
        return self.kind in (PROVENANCE, TEST_RESULT)

    @property
    def run(self) -> str:
        """The id of the run that the statement is about."""
        if self.kind == PROVENANCE:
            return str(_at(self.predicate, "runDetails", "metadata", "invocationId") or "")
        return str(_at(self.predicate, "annotations", "run") or "")


def run_subjects(record: bytes, body: RecordBody) -> dict[str, str]:
    """Return the subjects of every statement about a run: its record's bytes, and its outputs."""
    outputs = {f"{OUTPUTS}{name}": str(one["sha256"]) for name, one in body["outputs"].items()}
    return {RECORD: sha256(record), **outputs}


def state_provenance(record: bytes, body: RecordBody, name: str) -> Statement:
    """Return the statement of how a run came about; `name` is that of its manifest."""
    pinned = {"manifest": body["manifest"], "lock": body["lock"], "environment": body["environment"]}
    if body["image"] != "none":
        pinned["image"] = body["image"].removeprefix("sha256:")
    predicate = {
        "buildDefinition": {
            "buildType": RUN_TYPE,
            "externalParameters": {"manifest": name, "limit": body.get("limit", 0)},
            "internalParameters": {"engine": body["engine"], "isolation": body["isolation"], "plan": body["plan"]},
            "resolvedDependencies": [{"name": one, "digest": {"sha256": pinned[one]}} for one in sorted(pinned)],
        },
        "runDetails": {
            "builder": {"id": BUILDER + _builder(body)},
            "metadata": {
                "invocationId": body["run"],
                "startedOn": body["started"],
                "finishedOn": body.get("finished", ""),
            },
        },
    }
    return Statement(run_subjects(record, body), PROVENANCE, predicate)


def state_verdict(record: bytes, body: RecordBody, verdict: str, level: str, checks: Sequence[Any]) -> Statement:
    """Return the statement of what an audit of a run found: its verdict, level, and the checks by how they ended."""

    def ended(how: str) -> list[str]:
        return sorted({f"{one.id} {one.subject}" for one in checks if one.verdict == how})

    predicate = {
        "result": RESULTS[verdict],
        "configuration": [{"name": "lock", "digest": {"sha256": body["lock"]}}],
        "passedTests": ended("pass"),
        "warnedTests": ended("skip"),
        "failedTests": ended("fail"),
        "annotations": {"run": body["run"], "verdict": verdict, "level": level},
    }
    return Statement(run_subjects(record, body), TEST_RESULT, predicate)


def state_lock(root: Path, name: str) -> Statement:
    """Return the statement about the lock of a manifest as it is in a project; raises InputError without a lock."""
    path = lock_path(root, name)
    data = _read_document(path, "harness lock")
    predicate = {"manifest": {"name": name, "digest": {"sha256": read_lock(data, str(path)).manifest_sha256}}}
    return Statement({path.name: sha256(data)}, LOCK, predicate)


def state_expectation(root: Path, name: str) -> Statement:
    """Return the statement about what is expected of a manifest in a project; raises InputError without expectation.

    The file that is signed names the lock, the accepted run, the code, and every output with its values; the arrays
    beside it are named in it by digest.
    """
    path = expect_path(root, name)
    data = _read_document(path, "harness lock --accept RUN")
    expect = read_expect(data, str(path))
    predicate = {
        "manifest": {"name": name},
        "lock": {"digest": {"sha256": expect.lock_sha256}},
        "record": {"digest": {"sha256": expect.record_sha256}},
    }
    return Statement({path.name: sha256(data)}, EXPECTATION, predicate)


def _read_document(path: Path, made_by: str) -> bytes:
    if not path.is_file():
        raise InputError("there is nothing to sign for", where=str(path), next=f"make it with `{made_by}`")
    with translating_os_errors(path):
        return read_plain(path)


def envelope_path(path: Path) -> Path:
    """Return the path of the signed statement about a lock or an expectation: a file beside it, kept in git like it."""
    return path.with_name(path.name.removesuffix(".json") + ENVELOPE)


@dataclass(frozen=True)
class Authorship:
    """Who of the trusted authors signed for an expectation as it is: the party, or why none did."""

    party: str = ""
    flaw: str = ""
    moved: bool = False  # whether an author signed for another expectation of this manifest

    @property
    def text(self) -> str:
        """Who signed for the expectation, or why no trusted author did, in one line."""
        return f"signed by {self.party}" if self.party else f"unsigned: {self.flaw}"


def find_author(root: Path, name: str, trusted: Sequence[keys.TrustedKey], today: datetime.date) -> Authorship:
    """Return who signed for what is expected of a manifest, by the envelope beside the expectation.

    A signature for other bytes than those of the file counts as none, and is reported
    separately: the expectation was edited after it was signed.
    """
    stated, path = state_expectation(root, name), envelope_path(expect_path(root, name))
    if not path.exists():
        return Authorship(flaw=f"there is no {path.name}")
    try:
        envelope = read_envelope(path)
    except HarnessError as bad:
        return Authorship(flaw=bad.what)
    said = envelope.statement
    if said.kind != EXPECTATION or said.subjects.keys() != stated.subjects.keys():
        return Authorship(flaw="what was signed is about something else")
    by = find_signer(envelope, trusted, today)
    if by.flaw:
        return Authorship(flaw=by.flaw)
    if said == stated:
        return Authorship(by.party)
    return Authorship(flaw=f"{by.party} signed for another expectation than this one", moved=True)


@dataclass(frozen=True)
class Signer:
    """Which of the trusted keys signed an envelope, and why its signature does not count, if so."""

    key: str
    party: str = ""
    flaw: str = ""


def find_signer(envelope: Envelope, trusted: Sequence[keys.TrustedKey], today: datetime.date) -> Signer:
    """Return the trusted key that signed an envelope, one whose role and time fit before others."""
    role = statement_role(envelope.statement)
    by = [one for one in trusted if signed_by(envelope, one.public)]
    fit = next((one for one in by if not one.refusal(role, today)), None) or next(iter(by), None)
    if fit:
        return Signer(keys.key_id(fit.public), fit.party, fit.refusal(role, today))
    known = any(keys.key_id(one.public) in envelope.signatures for one in trusted)
    flaw = "the signature is wrong" if known else "no key that you trust signed it"
    return Signer(next(iter(envelope.signatures)), flaw=flaw)


def _builder(body: RecordBody) -> str:
    """Return how the answers of a run came about, each of which deserves another trust."""
    if ATTEMPT_ID.fullmatch(attempt_of_run(body["run"])):
        return "attempt"
    if body.get("imported"):
        return "imported"
    calls = body.get("calls", {}).values()
    if any(one.get("replayed") for one in calls):
        return "replay"
    return "executed" if body["steps"]["executed"] else "store"


@dataclass(frozen=True)
class Envelope:
    """A signed statement: the bytes that were signed, the statement that they are, and the signatures by key id."""

    payload: bytes
    statement: Statement
    signatures: Mapping[str, bytes]


def read_envelope(path: Path) -> Envelope:
    """Read an envelope and its statement; raises DamageError for anything that is not exactly their form."""

    def refuse(what: str) -> HarnessError:
        return DamageError(f"this is no envelope: {what}", where=str(path), next="ask whoever signed it for the file")

    with translating_os_errors(path):
        data = read_plain(path) if path.stat().st_size <= MOST_ENVELOPE else b""
    try:
        body = _parse(data)
        if not isinstance(body, dict) or body.keys() != {"payload", "payloadType", "signatures"}:
            raise ValueError("it has payload, payloadType and signatures")
        if body["payloadType"] != PAYLOAD:
            raise ValueError(f"its payload is not {PAYLOAD}")
        payload = keys.decode_base64(body["payload"])
        return Envelope(payload, _statement(_parse(payload)), dict(_signatures(body["signatures"])))
    except (ValueError, RecursionError) as bad:
        raise refuse(str(bad)[:200]) from bad


def _parse(data: bytes) -> Any:
    """Parse JSON with the keys and numbers of documents: each key once and in ASCII, whole numbers below 2^53."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs) or not all(key.isascii() for key in found):
            raise ValueError("an object has a key twice, or one that is not ASCII")
        return found

    def whole(text: str) -> int:
        if len(text) > len(str(-MAX_INT)) or abs(int(text)) > MAX_INT:
            raise ValueError("it has a number beyond 2^53")
        return int(text)

    read = json.JSONDecoder(object_pairs_hook=once, parse_int=whole, parse_float=whole, parse_constant=whole).decode
    return read(data.decode("utf-8"))


def _signatures(found: object) -> Iterator[tuple[str, bytes]]:
    if not isinstance(found, list) or not 1 <= len(found) <= MOST_SIGNATURES:
        raise ValueError(f"it has 1 to {MOST_SIGNATURES} signatures")
    seen = set()
    for one in found:
        if not isinstance(one, dict) or one.keys() != {"keyid", "sig"}:
            raise ValueError("a signature has keyid and sig")
        keyid, sig = one["keyid"], keys.decode_base64(one["sig"])
        if not isinstance(keyid, str) or not keys.HEX.fullmatch(keyid) or keyid in seen or len(sig) != 64:
            raise ValueError("a signature is 64 bytes by a key that is named once, by its SHA-256")
        seen.add(keyid)
        yield keyid, sig


def _statement(body: Any) -> Statement:
    if not isinstance(body, dict) or body.keys() != {"_type", "subject", "predicateType", "predicate"}:
        raise ValueError("its statement has _type, subject, predicateType and predicate")
    if body["_type"] != STATEMENT or body["predicateType"] not in KINDS:
        raise ValueError("its statement is of another type")
    if not isinstance(body["predicate"], dict) or not isinstance(body["subject"], list):
        raise ValueError("its statement says nothing")
    subjects: dict[str, str] = {}
    for one in body["subject"]:
        digest = one.get("digest") if isinstance(one, dict) else None
        if not isinstance(digest, dict) or one.keys() != {"name", "digest"} or digest.keys() != {"sha256"}:
            raise ValueError("a subject has a name and a SHA-256")
        name, found = one["name"], digest["sha256"]
        if not isinstance(name, str) or name in subjects or not isinstance(found, str) or not keys.HEX.fullmatch(found):
            raise ValueError("a subject has a name, once, and a SHA-256")
        subjects[name] = found
    found = Statement(subjects, body["predicateType"], body["predicate"])
    if found.is_of_run and RECORD not in subjects:
        raise ValueError("its statement is about no run's record")
    if not found.is_of_run and len(subjects) != 1:
        raise ValueError("its statement is about one file")
    return found


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _encoded(payload: bytes) -> bytes:
    """Return what DSSE signs: the type and the payload, each with its length."""
    return b" ".join([b"DSSEv1", str(len(PAYLOAD)).encode(), PAYLOAD.encode(), str(len(payload)).encode(), payload])


def sign_statement(statement: Statement, key: Ed25519PrivateKey) -> bytes:
    """Return the envelope of a statement, signed by one key, as the bytes of a file."""
    payload = statement.payload
    signature = base64.b64encode(key.sign(_encoded(payload))).decode()
    body = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD,
        "signatures": [{"keyid": keys.key_id(keys.raw_public(key.public_key())), "sig": signature}],
    }
    return canonical_json(body) + b"\n"


def signed_by(envelope: Envelope, public: bytes) -> bool:
    """Whether an envelope has a signature that this key, given as its 32 raw bytes, made."""
    exceptions, ed25519, _ = keys.load_cryptography()
    signature = envelope.signatures.get(keys.key_id(public))
    if signature is None:
        return False
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signature, _encoded(envelope.payload))
    except (exceptions.InvalidSignature, ValueError):
        return False
    return True


def statement_role(statement: Statement) -> str:
    """Return the role in which a statement is made."""
    return {PROVENANCE: keys.RUNNER, TEST_RESULT: keys.AUDITOR}.get(statement.kind, keys.AUTHOR)
