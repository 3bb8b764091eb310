"""Verbs of what is handed over: `export` writes a run into a file or its tables, `attest` signs, `verify` checks.

A signature alone proves nothing of a run: `verify` succeeds only after every digest that was signed has met real bytes,
and by the reviewer's own list of keys.

The tables of a run are its items, answers, judgements, scores and figures' rows, as files for data frames. A row is
flat: what is nested is JSON in its cell. Texts are as they were, so a spreadsheet may take one for a formula. Rows
about gated, private and hidden data are left out and counted.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.digest import differing_pointers, sha256_file
from harness.errors import AGREED, DISAGREED, InputError, MissingError
from harness.evidence import keys
from harness.evidence.anchor import anchor_line
from harness.evidence.attest import (
    ENVELOPE,
    PROVENANCE,
    RECORD,
    Envelope,
    Statement,
    envelope_path,
    find_signer,
    read_envelope,
    run_subjects,
    sign_statement,
    state_expectation,
    state_lock,
    state_provenance,
    state_verdict,
)
from harness.evidence.bundle import SUFFIX, collect_bundle, unpack_bundle, write_bundle
from harness.evidence.compare import json_leaves
from harness.evidence.keys import is_encrypted
from harness.evidence.record import read_record
from harness.files import move_durable, translating_os_errors, write_atomic
from harness.kit.further import SummedUp
from harness.kit.score_lines import number
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import expect_path, lock_path
from harness.rowtypes import Gold, Item, Judgement, Prompt, Response, Score
from harness.run.recorded_runs import manifest_name
from harness.run.recording.auditing import expectation_author
from harness.run.scores.report import score_report
from harness.run.scores.table import GOLD, ITEMS, PROMPTS, RESPONSES, SCORES, RunTables, closed_datasets
from harness.run.withheld import require_no_words, withheld_blobs
from harness.store.store import Store
from harness.store.tree import MOST_RECORD
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import (
    AnchorRequest,
    AttestRequest,
    AuditRequest,
    ExportRequest,
    ExportTablesRequest,
    NewKeyRequest,
    VerifySignedRequest,
)
from harness.verbs.review import audit

__all__ = [
    "AnchorResult",
    "AttestResult",
    "ComparedEnvelope",
    "ExportResult",
    "ExportTablesResult",
    "ExportedTable",
    "NewKeyResult",
    "OmittedData",
    "VerifySignedResult",
    "anchor",
    "attest",
    "export",
    "export_tables",
    "is_encrypted",
    "make_key",
    "verify_signed",
]


JUDGEMENTS = "judgements"
OWN = (ITEMS, GOLD, PROMPTS, RESPONSES, SCORES, JUDGEMENTS)  # outputs that have a table of their own
DRAWN = (".svg", ".png", ".html", ".npy", ".npz")
MOST = 1 << 26  # bytes of a document whose values are listed
ANSWER = {"item": str, "template": int, "model": str, "sample": int}
COLUMNS: Mapping[str, Mapping[str, type]] = {
    "items": {"item": str, "dataset": str, "task": str, "input": str, "options": str, "gold": str, "meta": str},
    "prompts": {"item": str, "template": int, "prompt": str},
    "answers": {**ANSWER, "answer": str, "finish": str, "error": str, "reasoning": str, "prompt_tokens": int,
                "completion_tokens": int},
    "judgements": {**ANSWER, "judge": str, "repeat": int, "round": int, "text": str, "parsed": str, "error": str},
    "scores": {**ANSWER, "dataset": str, "scorer": str, "value": float, "missing": str, "outcome": str, "detail": str},
    "means": {"model": str, "dataset": str, "scorer": str, "metric": str, "n": int, "items": int, "value": float,
              "low": float, "high": float, "errors": int, "unanswered": int, "missing": int, "certificate": str},
    "outputs": {"output": str, "pointer": str, "value": str, "number": float},
}  # fmt: skip
Row = Mapping[str, Any]


class ExportedTable(Result):
    """One table: its file, and its number of rows."""

    file: str
    rows: int


class ExportTablesResult(Result):
    """Result of `export_tables`: the folder, its tables, and how many rows were left out, by dataset."""

    run: str
    folder: str
    tables: list[ExportedTable]
    left_out: dict[str, int] = Field(default_factory=dict)


def export_tables(project: Project, asked: ExportTablesRequest) -> ExportTablesResult:
    """Write a run's tables into a new folder, in one form; InputError if the folder exists."""
    named = {name: folder for name in WRITERS if (folder := getattr(asked, name))}
    if len(named) != 1:
        raise InputError("one form is written at a time", next="give one of --csv DIR, --parquet DIR, --jsonl DIR")
    [(form, folder)] = named.items()
    store, run = project.run(asked.run)
    target = project.path(folder)
    if os.path.lexists(target):
        raise InputError("this is there already", where=str(target), next="name a new folder")
    if form == "parquet":
        _require_polars()
    source = _Source(RunTables.of(store, run))
    made: list[ExportedTable] = []
    with translating_os_errors(target):
        target.mkdir(parents=True)
        try:
            for name, of in source.tables().items():
                path = target / f"{name}.{form}"
                count = WRITERS[form](path, COLUMNS[name], of())
                if count:
                    made.append(ExportedTable(file=path.name, rows=count))
                else:
                    path.unlink()
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
    more: dict[str, Any] = {"left_out": dict(source.left_out)} if source.left_out else {}
    return ExportTablesResult(run=run, folder=str(target), tables=made, **more)


class _Source:
    """The rows of a run's tables that may be shown."""

    def __init__(self, tables: RunTables) -> None:
        self._tables = tables
        self._closed = closed_datasets(tables)
        self.left_out: Counter[str] = Counter()

    def tables(self) -> dict[str, Callable[[], Iterator[Row]]]:
        """Return the tables by name, each as a function that yields its rows."""
        return {
            "items": self._items,
            "prompts": self._prompts,
            "answers": self._answers,
            "judgements": self._judgements,
            "scores": self._scores,
            "means": self._means,
            "outputs": self._outputs,
        }

    def _dataset(self, item: str) -> str:
        """Return the dataset of an item; empty, and counted, if it is not shown."""
        place = self._tables.places.get(item)
        name = place.dataset if place else ""
        if name in self._closed:
            self.left_out[name] += 1
            return ""
        return name

    def _items(self) -> Iterator[Row]:
        golds = {row["id"]: row["gold"] for name, row in self._tables.made(GOLD, Gold) if name not in self._closed}
        for name, row in self._tables.made(ITEMS, Item):
            if self._dataset(row["id"]):
                yield {
                    "item": row["id"],
                    "dataset": name,
                    "task": row.get("task"),
                    "input": _json(row.get("input")),
                    "options": _json(row.get("options")),
                    "gold": _json(golds.get(row["id"])),
                    "meta": _json(row.get("meta") or None),
                }

    def _prompts(self) -> Iterator[Row]:
        for row in self._tables.rows(PROMPTS, Prompt):
            if self._dataset(row["item"]):
                text = row["text"] if "text" in row else _json(row.get("messages"))
                yield {"item": row["item"], "template": row["template"], "prompt": text}

    def _answers(self) -> Iterator[Row]:
        for row in self._tables.rows(RESPONSES, Response):
            if self._dataset(row["item"]):
                used = row.get("usage", {})
                yield {
                    **{name: row[name] for name in ANSWER},  # type: ignore[literal-required]
                    "answer": row.get("text"),
                    "finish": row.get("finish"),
                    "error": row.get("error"),
                    "reasoning": row.get("reasoning"),
                    "prompt_tokens": used.get("prompt_tokens"),
                    "completion_tokens": used.get("completion_tokens"),
                }

    def _judgements(self) -> Iterator[Row]:
        for row in self._tables.rows(JUDGEMENTS, Judgement):
            if self._dataset(row["item"]):
                yield {**row, "parsed": _json(row["parsed"])}

    def _scores(self) -> Iterator[Row]:
        for row in self._tables.rows(SCORES, Score):
            if dataset := self._dataset(row["item"]):
                said = row["value"]
                missing = said["missing"] if isinstance(said, dict) else None
                yield {
                    **row,
                    "dataset": dataset,
                    "value": number(said),
                    "missing": missing,
                    "detail": _json(row["detail"]),
                }

    def _means(self) -> Iterator[Row]:
        report = score_report(self._tables.store, self._tables.run)
        for one in report.documents(report.table.lines):
            low, high = one.get("interval") or (None, None)
            yield {**one, "low": low, "high": high}

    def _outputs(self) -> Iterator[Row]:
        """Yield each value of the outputs that are documents, such as what figures are drawn from, by its pointer."""
        study = self._tables.study
        summary = study.summary_output if isinstance(study, SummedUp) else ""
        for name, made in sorted(self._tables.record.outputs.items()):
            if name in OWN or name.endswith(DRAWN) or made["size"] > MOST or (self._closed and name != summary):
                continue
            with contextlib.suppress(InputError):  # it is no JSON, or has too many values
                found = json_leaves(self._tables.store.blobs.deliver(made["sha256"]))
                for pointer, text in found.items():
                    value = json.loads(text)
                    told = value if isinstance(value, str) else text
                    yield {"output": name, "pointer": pointer, "value": told, "number": number(value)}


def _json(said: Any) -> str | None:
    return None if said is None else json.dumps(said, ensure_ascii=False)


def _flat(columns: Mapping[str, type], row: Row) -> dict[str, Any]:
    """Return a row with exactly these columns; half of a surrogate pair becomes a replacement character."""
    return {name: _storable(row.get(name)) for name in columns}


def _storable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value


def _write_csv(path: Path, columns: Mapping[str, type], found: Iterator[Row]) -> int:
    count = 0
    with open(path, "x", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        for row in found:
            writer.writerow(_flat(columns, row))
            count += 1
    return count


def _write_jsonl(path: Path, columns: Mapping[str, type], found: Iterator[Row]) -> int:
    count = 0
    with open(path, "x", encoding="utf-8") as file:
        for row in found:
            file.write(json.dumps(_flat(columns, row), ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(path: Path, columns: Mapping[str, type], found: Iterator[Row]) -> int:
    """Write Parquet through polars, from lines beside it, so that a large table is never whole in memory."""
    import polars  # noqa: PLC0415 - heavy

    kinds = {str: polars.String, int: polars.Int64, float: polars.Float64}
    lines = path.with_suffix(".tmp")
    try:
        count = _write_jsonl(lines, columns, found)
        schema = {name: kinds[kind] for name, kind in columns.items()}
        if count:
            polars.scan_ndjson(lines, schema=schema).sink_parquet(path)
        else:
            path.touch()
    finally:
        lines.unlink(missing_ok=True)
    return count


def _require_polars() -> None:
    try:
        import polars  # noqa: F401, PLC0415
    except ModuleNotFoundError as bad:
        raise MissingError(
            "Parquet needs a package that is not installed", where="polars", next="pip install repro-harness[tables]"
        ) from bad


Writer = Callable[[Path, Mapping[str, type], Iterator[Row]], int]
WRITERS: Mapping[str, Writer] = {"csv": _write_csv, "parquet": _write_parquet, "jsonl": _write_jsonl}


BUNDLE = "bundle"


class OmittedData(Result):
    """Blobs that were left out for one reason: their number, and their bytes."""

    why: str
    blobs: int
    bytes: int


class ExportResult(Result):
    """Result of `export`: the file, its digest, what it holds, and what was left out."""

    run: str
    file: str
    sha256: str
    size: int
    files: int
    omitted: list[OmittedData]


def export(project: Project, asked: ExportRequest) -> ExportResult:
    """Write a bundle of a run: its list of runs, logs, entries and blobs, without weights and data that is kept.

    The bytes depend on the store and the run alone. Raises InputError for data that may not be handed over, and if the
    file exists.
    """
    if asked.form != BUNDLE:
        raise InputError(f"there is no form {asked.form!r}", where="--as", next=f"choose {BUNDLE}")
    store, run = project.run(asked.run)
    target = project.path(asked.to or f"{run}{SUFFIX}")
    if os.path.lexists(target) or target.suffix != SUFFIX:
        what = "this file is there already" if os.path.lexists(target) else f"a bundle is a file *{SUFFIX}"
        raise InputError(what, where=str(target), next=f"name a new file, such as -o {run}{SUFFIX}")
    tables = RunTables.of(store, run)
    with store.in_use(), translating_os_errors(target):
        bundle = collect_bundle(store, run, withheld_blobs(tables, weights=not asked.with_weights))
        require_no_words(store, bundle.runs, with_logs=asked.with_logs)
        temporary = target.with_name(f".{target.name}-{os.getpid()}-{secrets.token_hex(4)}")
        try:
            with open(temporary, "xb") as file:
                write_bundle(store, bundle, file)
            move_durable(temporary, target, 0o644)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    digest, size = sha256_file(target)
    blobs, sizes = Counter[str](), Counter[str]()
    for one in bundle.omitted:
        blobs[one.why] += 1
        sizes[one.why] += one.size
    omitted = [OmittedData(why=why, blobs=blobs[why], bytes=sizes[why]) for why in sorted(blobs)]
    return ExportResult(
        run=run, file=str(target), sha256=digest, size=size, files=len(bundle.members) + 1, omitted=omitted
    )


class AnchorResult(Result):
    """Result of `anchor`: the line to publish."""

    line: str


def anchor(project: Project, asked: AnchorRequest) -> AnchorResult:
    """Return the line that says how far the store's list of runs has come; a later list can be compared with it."""
    return AnchorResult(line=anchor_line(project.open()))


class NewKeyResult(Result):
    """Result of `keys new`: the files of a new key, its id and, for trust files, its public half in hexadecimal."""

    file: str
    public_file: str
    id: str
    public: str


def make_key(project: Project, asked: NewKeyRequest) -> NewKeyResult:
    """Make a key of ed25519; its private half is encrypted by the passphrase unless `plain`, and readable by you alone.

    Raises InputError without a passphrase, and if one of the files exists.
    """
    if not asked.plain and not asked.passphrase:
        raise InputError(
            "a key needs a passphrase", next="set HARNESS_KEY_PASSPHRASE, or --plain for a key without one"
        )
    path = project.path(asked.file)
    public_path = path.with_name(f"{path.name}.pub")
    if os.path.lexists(public_path):
        raise InputError("this file is there already", where=str(public_path), next="name a new file")
    private, public = keys.new_key(b"" if asked.plain else asked.passphrase.encode())
    keys.write_private(path, private)
    with translating_os_errors(public_path), open(public_path, "xb") as file:
        file.write(public)
    raw = keys.read_public(public.decode())
    return NewKeyResult(file=str(path), public_file=str(public_path), id=keys.key_id(raw), public=raw.hex())


class AttestResult(Result):
    """Result of `attest`: the envelope, what it states, and how many digests it names."""

    run: str  # or the name of the manifest
    file: str
    states: str  # how the run was made, the verdict, or which file
    subjects: int


def attest(project: Project, asked: AttestRequest, watch: Watch | None = None) -> AttestResult:
    """Sign a statement about a run: how it was made, or with `verdict` what a full audit of it finds.

    With `lock` or `expect` it is about that file of a manifest, and is kept beside it; one there that is about an older
    lock or expectation is replaced. The record and every output of a run are read and checked before. Raises InputError
    if the file exists.
    """
    named = [one for one in (asked.run, asked.lock, asked.expect) if one]
    if len(named) != 1 or (asked.verdict and not asked.run):
        raise InputError(
            "one thing is signed for at a time",
            where=" ".join(map(str, named)) or "attest",
            next="name a run, or --lock MANIFEST, or --expect MANIFEST; --verdict is of a run",
        )
    if not asked.run:
        return _attest_file(project, asked)
    store, run = project.run(asked.run)
    target = project.path(asked.to or f"{run}{'.verdict' if asked.verdict else ''}{ENVELOPE}")
    if os.path.lexists(target):
        raise InputError("this file is there already", where=str(target), next="name a new file with -o")
    key = keys.read_key(project.path(asked.key), asked.passphrase.encode())
    seen = read_run_evidence(store, run, run)
    if seen.missing:
        raise store.blobs.damage(seen.subjects[seen.missing[0]], store.blobs.state(seen.subjects[seen.missing[0]]))
    body = read_record(store, run).body
    if asked.verdict:
        found = audit(project, AuditRequest(subject=asked.run, level="full"), watch)
        statement, states = state_verdict(seen.record, body, found.verdict, found.level, found.checks), found.words
    else:
        statement, states = seen.provenance, "how the run was made"
    with translating_os_errors(target), open(target, "xb") as file:
        file.write(sign_statement(statement, key))
    return AttestResult(run=run, file=str(target), states=states, subjects=len(statement.subjects))


def _attest_file(project: Project, asked: AttestRequest) -> AttestResult:
    """Sign for the lock or the expectation of a manifest, as it is in the project."""
    loaded = project.manifest(asked.lock or asked.expect or "")
    root, name = loaded.root, loaded.manifest.name
    statement = state_lock(root, name) if asked.lock else state_expectation(root, name)
    path = (lock_path if asked.lock else expect_path)(root, name)
    target = project.path(asked.to) if asked.to else envelope_path(path)
    if os.path.lexists(target) and (asked.to or read_envelope(target).statement == statement):
        raise InputError("this file is there already", where=str(target), next="name a new file with -o")
    data = sign_statement(statement, keys.read_key(project.path(asked.key), asked.passphrase.encode()))
    write_atomic(target, data)
    return AttestResult(run=name, file=str(target), states=path.name, subjects=len(statement.subjects))


@dataclass(frozen=True)
class SeenRun:
    """A run whose bytes were read: its record, its outputs' digests, which are not here, and how it was made."""

    name: str
    run: str
    record: bytes
    subjects: Mapping[str, str]
    missing: tuple[str, ...]
    executed: int
    provenance: Statement  # what may be said of how it was made
    lock: str


def read_run_evidence(store: Store, run: str, name: str) -> SeenRun:
    """Read a run from its list down to the bytes of its outputs."""
    body = read_record(store, run).body
    record = store.tree.read_file(store.record(run), MOST_RECORD)
    subjects = run_subjects(record, body)
    lost = [one for one, digest in subjects.items() if one != RECORD and store.blobs.state(digest) != "sound"]
    provenance = state_provenance(record, body, manifest_name(store, run))
    executed, lock = body["steps"]["executed"], body["lock"]
    return SeenRun(name, run, record, subjects, tuple(sorted(lost)), executed, provenance, lock)


class ComparedEnvelope(Result):
    """One signed statement: who signed it, what was compared, and why it does not count, if so."""

    file: str
    states: str  # "how the run was made", the verdict that it signs, or the file that it is about
    run: str  # that it names
    key: str  # the id of the trusted key that signed it; else that of the first signature
    party: str
    met: int  # subjects that met the same bytes
    subjects: int
    flaw: str


class VerifySignedResult(Result):
    """Result of `verify`: each statement, and in how many parties' runs the outputs came out the same."""

    envelopes: list[ComparedEnvelope]
    parties: list[str] = Field(description="Parties that each executed a run of their own with the same outputs.")
    wanted: int
    words: str
    expectations: dict[str, str] = Field(
        default_factory=dict, description="By manifest: who signed for its expectation, or why nobody did that counts."
    )
    confirmed: bool = Field(default=True, description="Whether each of these is signed, if authors are trusted at all.")

    @property
    def code(self) -> int:
        """Exit code: 0 only if each statement counts, as many parties as are wanted agree, and authors signed."""
        good = not any(one.flaw for one in self.envelopes) and (self.wanted == 1 or len(self.parties) >= self.wanted)
        return AGREED if good and self.confirmed else DISAGREED


def verify_signed(project: Project, asked: VerifySignedRequest) -> VerifySignedResult:
    """Check signatures, and compare what was signed with the bytes of runs, bundles, locks and expectations.

    A statement counts if a key of the trust file made its signature, in its role and time, and if the record and every
    output, or the file, have the digests that were signed. If the trust file has an author, the expectation of each
    manifest that is named must be signed, by an envelope beside it.
    """
    trusted = keys.read_trust(project.path(asked.trust)) if asked.trust else ()
    envelopes = [(str(name), read_envelope(project.path(name))) for name in asked.envelopes]
    seen = [read_run_evidence(store, run, name) for name in asked.runs for store, run in _opened(project, name)]
    manifests = [project.manifest(name) for name in asked.manifests]
    files = [one for loaded in manifests for one in _files_of(loaded)]
    compared = [compare_envelope(name, one, trusted, seen, files) for name, one in envelopes]
    parties = _agreeing(envelopes, compared, seen)
    good = sum(not one.flaw for one in compared)
    words = f"{good} of {len(compared)} statements count"
    if asked.parties > 1:
        words += f"; {len(parties)} of {asked.parties} parties made runs with the same outputs"
    elif not seen and not files and all(one.party for one in compared):
        words = "signature good, nothing compared"
    expectations, confirmed = dict[str, str](), True
    if any(keys.AUTHOR in one.roles for one in trusted):
        for loaded in manifests:
            if found := expectation_author(loaded.root, loaded.manifest.name, trusted):
                expectations[loaded.manifest.name] = found.text
                confirmed &= bool(found.party)
                words += f"; {loaded.manifest.name}: expect: {found.text}"
    return VerifySignedResult(
        envelopes=compared,
        parties=parties,
        wanted=asked.parties,
        words=words if confirmed else f"{words}: unconfirmed",
        expectations=expectations,
        confirmed=confirmed,
    )


def _opened(project: Project, name: str) -> Iterator[tuple[Store, str]]:
    """Yield the store and the id of a run, for as long as it is read; a bundle is unpacked."""
    if Path(name).suffix != SUFFIX:
        yield project.run(name)
        return
    with tempfile.TemporaryDirectory(prefix="harness-bundle-") as folder:
        bundle = unpack_bundle(project.path(name), Path(folder))
        yield Store.open(Path(folder)), bundle.run


def _files_of(loaded: LoadedManifest) -> Iterator[Statement]:
    """Yield what may be said of a manifest's lock and expectation, of those that there are."""
    root, name = loaded.root, loaded.manifest.name
    for path, state in ((lock_path, state_lock), (expect_path, state_expectation)):
        if path(root, name).is_file():
            yield state(root, name)


def compare_envelope(
    name: str,
    envelope: Envelope,
    trusted: Sequence[keys.TrustedKey],
    seen: Sequence[SeenRun],
    files: Sequence[Statement],
) -> ComparedEnvelope:
    statement, by = envelope.statement, find_signer(envelope, trusted, keys.current_day())
    states = _states(statement)
    if by.flaw:
        met, flaw = 0, by.flaw
    elif statement.is_of_run:
        met, flaw = _compare_run(statement, seen)
        if not flaw and statement.kind != PROVENANCE and states != "PASSED":
            flaw = f"what was signed is not that the run agrees: {states}"
    else:
        met, flaw = _compare_file(statement, files)
    return ComparedEnvelope(
        file=name,
        states=states,
        run=statement.run[:80],
        key=by.key,
        party=by.party,
        met=met,
        subjects=len(statement.subjects),
        flaw=flaw,
    )


def _states(statement: Statement) -> str:
    if statement.kind == PROVENANCE:
        return "how the run was made"
    return str(statement.predicate.get("result") if statement.is_of_run else min(statement.subjects))[:100]


def _compare_run(statement: Statement, seen: Sequence[SeenRun]) -> tuple[int, str]:
    """Compare a statement with the run that has its record: how many digests met the same bytes, and what is wrong."""
    this = next((one for one in seen if one.subjects[RECORD] == statement.subjects[RECORD]), None)
    if this is None:
        return 0, "nothing compared: no run given is the one it is about" if seen else "nothing compared: give --run"
    same = this.subjects
    met = {one for one, digest in statement.subjects.items() if same.get(one) == digest} - set(this.missing)
    if statement.run != this.run:
        return len(met), f"it speaks of run {statement.run[:80]!r}, and its record is of {this.run}"
    if len(met) < len(same) or same.keys() != statement.subjects.keys():
        lost = sorted({*same, *statement.subjects} - met)
        return len(met), f"{len(lost)} of {len(same)} digests met no equal bytes: {', '.join(lost[:3])}"
    said = _contradictions(statement, this)
    return len(met), f"it says otherwise than the run's record: {', '.join(said[:3])}" if said else ""


def _compare_file(statement: Statement, files: Sequence[Statement]) -> tuple[int, str]:
    """Compare a statement about a lock or an expectation with the files of the manifests that were given."""
    [(name, digest)] = statement.subjects.items()
    this = next((one for one in files if one.kind == statement.kind and name in one.subjects), None)
    if this is None:
        return 0, f"nothing compared: no manifest given has {name}" if files else "nothing compared: give --manifest"
    if this.subjects[name] != digest:
        return 0, f"{name} is not what was signed"
    said = list(differing_pointers(this.predicate, statement.predicate))
    return 1, f"it says otherwise than {name}: {', '.join(said[:3])}" if said else ""


def _contradictions(statement: Statement, this: SeenRun) -> list[str]:
    """Return the fields of a statement's predicate that are not what the run's record says."""
    if statement.kind == PROVENANCE:
        return list(differing_pointers(this.provenance.predicate, statement.predicate))
    locks = [{"name": "lock", "digest": {"sha256": this.lock}}]
    return [] if statement.predicate.get("configuration") == locks else ["/configuration"]


def _agreeing(
    envelopes: Sequence[tuple[str, Envelope]], compared: Sequence[ComparedEnvelope], seen: Sequence[SeenRun]
) -> list[str]:
    """Return the parties that each executed a run of its own whose outputs are those of the first one."""
    found: dict[str, str] = {}  # by record, the party
    outputs: Mapping[str, str] = {}
    for (_, envelope), one in zip(envelopes, compared, strict=True):
        if one.flaw or envelope.statement.kind != PROVENANCE:
            continue
        subjects = dict(envelope.statement.subjects)
        record = subjects.pop(RECORD)
        this = next((each for each in seen if each.subjects[RECORD] == record), None)
        if not this or not this.executed:
            continue
        outputs = outputs or subjects
        if subjects == outputs and record not in found and one.party not in found.values():
            found[record] = one.party
    return sorted(found.values())
