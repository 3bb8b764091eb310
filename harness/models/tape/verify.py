"""Verification of a tape: reads every byte and reports the damaged lines, up to 1,000; it never repairs anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harness.digest import canonical
from harness.errors import DamageError, HarnessError
from harness.models.tape.index import NAME, IndexRecords, load, pack_record
from harness.models.tape.line import START, TapeLine, parse, read_line
from harness.models.tape.segments import RawLine, TapePosition, raw_lines, segment_path, sizes, torn

MOST = 1000  # defects after which reading stops


@dataclass(frozen=True)
class TapeDefect:
    """A defect of a tape: the file's name, the line in it (0: no single line), and what is wrong."""

    file: str
    line: int
    detail: str


@dataclass
class VerifyReport:
    """The report of a verification: counts of what was read, a partial last line (`torn`), and the defects found."""

    exchanges: int = 0
    segments: int = 0
    bytes: int = 0
    torn: str = ""
    redacted: int = 0  # redacted lines, which answer no request
    flaws: list[TapeDefect] = field(default_factory=list)


def verify(folder: Path) -> VerifyReport:
    """Verify every line of a tape, their order, and its index; returns the report, with each defect as an entry.

    Reading stops after 1,000 defects.
    """
    found, records, early = VerifyReport(), IndexRecords(), IndexRecords()
    try:
        kept, ends = load(folder), sizes(folder)
    except DamageError as bad:
        found.flaws.append(TapeDefect(Path(bad.where).name, 0, bad.what))
        return found
    found.segments, found.bytes = len(ends), sum(ends)
    for raw, line in _lines(folder, ends, found):
        if len(found.flaws) >= MOST:
            found.flaws.append(TapeDefect(_file(raw), raw.number, f"reading stopped after {MOST} flaws"))
            return found
        if line:
            found.exchanges += 1
            found.redacted += bool(line.taped.redacted)
            record = pack_record(line.digest, line.taped.repeat, line.answer, raw.segment, raw.offset, len(raw.data))
            records.add(record)
            if kept and (raw.segment, raw.offset) < kept.end[:2]:
                early.add(record)
    try:
        records.sorted(folder)
        if kept and not found.flaws and early.sorted(folder) != kept.layer.data[kept.layer.start :]:
            raise DamageError("it says something else than the segments")
    except DamageError as bad:
        found.flaws.append(TapeDefect(NAME if not bad.where else "", 0, bad.what))
    if not kept and (folder / NAME).exists():
        detail = "it is damaged or belongs to other segments; if they are sound, remove it: it is made again"
        found.flaws.append(TapeDefect(NAME, 0, detail))
    return found


def _file(raw: RawLine) -> str:
    return segment_path(Path(), raw.segment).name


def _lines(folder: Path, ends: list[int], found: VerifyReport) -> Iterator[tuple[RawLine, TapeLine | None]]:
    """Iterate over every line, and report what is wrong with it."""
    head: str | None = START
    for raw in raw_lines(folder, TapePosition(), ends):
        if torn(raw, ends):
            found.torn = f"{_file(raw)} line {raw.number} was cut short by a kill; the next recording cuts it off"
            return
        line, flaw = None, ""
        try:
            line = read_line(raw.data, "")
            if canonical(parse(raw.data.decode())) + b"\n" != raw.data:
                flaw = "this line is not in canonical form"
            elif head not in (None, line.prev):
                flaw = "this line does not follow the one before it: lines are missing, moved or from another tape"
        except HarnessError as bad:
            flaw = bad.what
        head = line.own if line else None  # what follows a damaged line is held against nothing
        if flaw:
            found.flaws.append(TapeDefect(_file(raw), raw.number, flaw))
        yield raw, line
