"""What an operator's agent reads: of runs, all through the gate, scores, records, transcripts; and studies' prompts.

A run is known to the principal that asked for it, or, if no agent did, if its manifest is served; an attempt to the
principal that took it. Any other is unknown, as one that never was. Words of prompts and answers are never told, right
answers neither; of a transcript, what an attempt's agent sent, if its split is public.

The prompts of studies, as they are shipped and pinned, are listed, and filled in, for a person or a client to use. A
manifest's own wordings, which may be private, are not among them, nor is anything of an item.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import rows
from harness.attempts.codes import READ_BYTES, AttemptError, printable_text, suggest_name
from harness.digest import canonical_json, sha256
from harness.errors import HarnessError
from harness.evidence.record import spell_record
from harness.kit.prompts import NAME, Template, template
from harness.manifest.load import LoadedManifest
from harness.run.attempts.hidden_splits import attempt_shows_hidden
from harness.run.scores.table import RunTables
from harness.run.withheld import SEALED, ItemGate, keeps_words
from harness.store.attempts import ATTEMPT_ID, RUN_ID, attempt_of_run, follow_transcript, read_asked, read_state
from harness.store.store import Store
from harness.studies.registry import find
from harness.verbs.agent_runs import AgentDoor, Data
from harness.verbs.project import Project, Watch
from harness.verbs.published import ClaimData, claims
from harness.verbs.requests import ClaimsRequest, CompareRequest, ScoresRequest
from harness.verbs.scoring import ScoreLineData, compare, scores

__all__ = ["AgentReader", "list_prompts", "study_prompt"]


UNKNOWN = "there is no run of this id"
SEALED_RUN = "what was measured is hidden from agents"
OWN = ("secret", "canary", "idempotency", "view", "media")  # of a transcript's first line: not even for its own agent
Page = tuple[int, int]  # offset and limit


@dataclass(frozen=True)
class AgentReader:
    """Reader of runs for one agent: it returns only what the agent may see of their items and answers."""

    door: AgentDoor

    @property
    def _project(self) -> Project:
        return self.door.project

    def scores(self, run: str, page: Page) -> Data:
        """Return a page of a run's table of scores; lines of groups are told of open datasets alone."""
        gate = self._gate(run)
        found = scores(self._project, ScoresRequest(runs=[gate.tables.run])).runs[0]
        lines = [one for one in found.scores if gate.state(one.dataset) != SEALED]
        closed = gate.note()
        lines += [one for one in found.further if one.dataset not in closed]
        if not lines and SEALED in closed.values():
            raise AttemptError("E_SEALED", SEALED_RUN)
        shown, more = _page(lines, page)
        return {
            "run": found.run,
            "manifest": found.manifest,
            "study": found.study,
            "scores": [_line(one) for one in shown],
            "n_lines": len(lines),
            **more,
            **({"withheld": closed} if closed else {}),
            **({"limit": found.limit} if found.limit else {}),
            **({"stand_ins": found.stand_ins} if found.stand_ins else {}),
            **({"dollars": found.spent} if found.spent else {}),
        }

    def compare(self, run_a: str, run_b: str, models: Sequence[str], page: Page) -> Data:
        """Compare two runs, or two models of one: lines of metrics, and a page of the items that moved."""
        gates = [self._gate(name) for name in dict.fromkeys((run_a, run_b or run_a))]
        if any(gate.shut for gate in gates):
            raise AttemptError("E_SEALED", SEALED_RUN)
        if len(models) == 1:
            raise AttemptError("E_ARGUMENT", "two models are compared", "Give two, or none.")
        named = (models[0], models[1]) if models else ()
        request = CompareRequest(runs=[gate.tables.run for gate in gates], models=named, items=0)
        found = compare(self._project, request)
        told = [pair for gate in gates for pair in gate.note().items()]
        closed = dict(sorted(told, key=lambda pair: pair[1] == SEALED))  # what one of them seals is sealed
        lines = [one for one in found.lines if closed.get(one.dataset) != SEALED]
        if not lines:
            raise AttemptError("E_SEALED", SEALED_RUN)
        moved = [one for one in found.items if one.dataset not in closed]
        shown, more = _page(moved, page)
        return {
            "run_a": found.left_run,
            "run_b": found.right_run,
            "lines": [_plain(one) for one in lines],
            "items": [_plain(one) for one in shown],
            "n_items": len(moved),
            **more,
            **({"withheld": closed} if closed else {"remarks": found.remarks}),
        }

    def claims(self, manifest: str, page: Page, watch: Watch) -> Data:
        """Return a page of the published claims of the served manifests, or of one, with their verdicts."""
        if manifest and not self.door.find(manifest):
            raise AttemptError("E_UNKNOWN_MANIFEST", "no manifest of this name is served")
        todo = [one for one in self.door.served if manifest in ("", one.manifest.name)]
        found = claims(self._project, ClaimsRequest(manifests=[one.path for one in todo]), watch).claims
        store = Store.make(self._project.store)
        kept = {one.manifest.name for one in todo if keeps_words(one, store)}
        shown, more = _page(found, page)
        known = {one.run for one in shown if one.run and self._knows(store, one.run)}
        return {
            "claims": [_claim(one, told=one.manifest not in kept, known=one.run in {None, *known}) for one in shown],
            "n_claims": len(found),
            **more,
            **({"withheld": dict.fromkeys(sorted(kept), "summed")} if kept else {}),
        }

    def record(self, run: str) -> Data:
        """Return the text of a run's record; without outputs if the agent may not see some of the run's data."""
        gate = self._gate(run)
        body, closed = dict(gate.tables.record.body), gate.note()
        if not closed:
            text = spell_record(gate.tables.record.body).decode()
            return {"text": text, "sha256": sha256(text.encode()), "whole": True}
        for name in ("outputs", "imported", "data", "sees_gold"):
            body.pop(name, None)
        text = canonical_json({**body, "withheld": closed}).decode()
        return {"text": text, "sha256": sha256(text.encode()), "whole": False}

    def transcript(self, attempt: str, begin: int) -> Data:
        """Return lines of an ended attempt's transcript, from a number on, as many as a reply holds."""
        store = self._project.open()
        chain = follow_transcript(store, attempt) if self._owns(store, attempt) else None
        if chain is None:
            raise AttemptError("E_UNKNOWN_ATTEMPT", "there is no attempt of this id")
        start = chain.events[0]
        if chain.events[-1]["event"] != "attempt.closed":
            raise AttemptError("E_SEALED", "this attempt is open: its transcript is told when it has ended")
        if start["hidden"] or attempt_shows_hidden(store, start):
            raise AttemptError("E_SEALED", "this attempt is at a hidden split")
        lines, size = list[Mapping[str, Any]](), 0
        for event in chain.events[begin:]:
            line: Mapping[str, Any] = {name: value for name, value in event.items() if name not in OWN}
            size += len(canonical_json(dict(line)))
            if lines and size > READ_BYTES:
                break
            lines.append(line)
        after = begin + len(lines)
        said = {"attempt": attempt, "head": chain.head, "n_lines": len(chain.events), "lines": lines}
        text = json.dumps(said | ({"next_from": after} if after < len(chain.events) else {}), ensure_ascii=False)
        return {"text": text, "sha256": sha256(text.encode()), "whole": False}

    def listed(self) -> Iterator[str]:
        """Yield the runs that the agent asked for and that ended, the newest first."""
        store = self._project.open()
        for known in reversed(list(store.run_ids())):
            asked = read_asked(store, known)
            if asked and asked.principal == self.door.principal and "verdict" in read_state(store, asked):
                yield known

    def _gate(self, run: str) -> ItemGate:
        """Return the gate of a run that this principal may read of; AttemptError for any other."""
        store = self._project.open()
        try:
            tables = RunTables.of(store, run) if self._knows(store, run) else None
        except HarnessError as bad:
            if RUN_ID.fullmatch(run) and read_asked(store, run):
                raise AttemptError("E_UNKNOWN_RUN", "this run has not ended, or left no record", NOT_ENDED) from bad
            tables = None
        if tables is None:
            raise AttemptError("E_UNKNOWN_RUN", UNKNOWN)
        return ItemGate(tables)

    def _knows(self, store: Store, run: str) -> bool:
        if ATTEMPT_ID.fullmatch(attempt_of_run(run)):
            return self._owns(store, attempt_of_run(run))
        if not RUN_ID.fullmatch(run):
            return False
        asked = read_asked(store, run)
        return asked.principal == self.door.principal if asked else self._serves(store, run)

    def _owns(self, store: Store, attempt: str) -> bool:
        """Whether an attempt is of this principal, and of a manifest that is served."""
        if not ATTEMPT_ID.fullmatch(attempt):
            return False
        try:
            start = follow_transcript(store, attempt).events[0]
        except HarnessError:
            return False
        return start["principal"] == self.door.principal and self.door.find(start["name"]) is not None

    def _serves(self, store: Store, run: str) -> bool:
        """Whether a run that no agent asked for is of a manifest that is served, or of one derived from it."""
        try:
            tables = RunTables.of(store, run)
        except HarnessError:
            return False
        if "asked" in tables.record.body:
            return False
        derived = tables.lock.intent.get("derived")
        paths = {one.path.relative_to(one.root).as_posix() for one in self.door.served}
        return self.door.find(tables.manifest_name) is not None or bool(derived and derived["from"] in paths)


NOT_ENDED = "Call get_run with this run and wait_s."


def _page(entries: Sequence[Any], page: Page) -> tuple[Sequence[Any], Data]:
    end = page[0] + page[1]
    return entries[page[0] : end], {"next_offset": end} if end < len(entries) else {}


def _plain(one: Any) -> Data:
    return {name: value for name, value in one.model_dump(mode="json", exclude_unset=True).items() if value is not None}


def _line(one: ScoreLineData) -> Data:
    """Return a line of scores without what is usual, nothing or said elsewhere."""
    usual = ("certificate_text", "tokens", "seconds", "stored")
    found = {name: value for name, value in _plain(one).items() if name not in usual}
    return {name: value for name, value in found.items() if name in ("value", "n") or value not in ("", 0, False, {})}


CLAIMED = ("id", "manifest", "published", "tolerance", "verdict", "kind", "where", "status")
VALUED = ("value", "detail")


def _claim(one: ClaimData, *, told: bool, known: bool) -> Data:
    """Return a claim; of a manifest with closed data, or if its run is another's, without the value that a run gave."""
    names = [*CLAIMED, *(VALUED if told and known else ()), *(["run"] if known else [])]
    return {name: value for name in names if (value := getattr(one, name)) not in (None, "")}


NUMBER = "template"  # the argument that chooses a wording of a set
MOST = 100


def list_prompts(served: Iterable[LoadedManifest]) -> list[dict[str, Any]]:
    """List the sets of wordings of the studies of manifests: name, numbers of the wordings, and what they ask for."""
    found = []
    for name, each in sorted(_sets(served).items()):
        numbers = [one.id for one in each]
        told = {"name": name, "about": f"{len(numbers)} wordings, as the study pins them", "numbers": numbers}
        found.append({**told, "fields": _fields(each)})
    return found[:MOST]


def study_prompt(served: Iterable[LoadedManifest], name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return one wording of a set, with the given fields filled in and the others left as they are written."""
    sets = _sets(served)
    if name not in sets:
        raise AttemptError("E_ARGUMENT", "there is no prompt of this name", suggest_name(name, sets))
    numbers = {str(one.id): one for one in sets[name]}
    wanted = given.get(NUMBER, min(numbers, key=int))
    if wanted not in numbers:
        raise AttemptError("E_ARGUMENT", f"`{NUMBER}` is one of {', '.join(numbers)}", "Give one of these numbers.")
    known = {NUMBER, *_fields(sets[name])}
    if strange := sorted(given.keys() - known):
        what = f"this prompt takes no `{printable_text(strange[0])}`"
        raise AttemptError("E_ARGUMENT", what, f"Known: {', '.join(sorted(known))}.")
    one = numbers[wanted]
    words = (part if place % 2 == 0 else given.get(part, f"{{{part}}}") for place, part in enumerate(one.pieces))
    return {"text": "".join(words), "sha256": one.sha256, "about": f"wording {wanted} of {name}"}


def _sets(served: Iterable[LoadedManifest]) -> dict[str, list[Template]]:
    """Return the sets of wordings by name; wordings that are turns of a chat are left out."""
    paths = {name: path for loaded in served for name, path in find(loaded.manifest.study).prompt_sets.items()}
    read = {name: [template(row) for row in _texts(rows.read(path))] for name, path in paths.items()}
    return {name: found for name, found in read.items() if found}


def _texts(found: Iterator[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (row for row in found if isinstance(row.get("text"), str))


def _fields(wordings: Iterable[Template]) -> list[str]:
    """Return the placeholders of wordings, but that of examples, which only a dataset has."""
    return sorted({part for one in wordings for part in one.pieces[1::2]} - {NAME})
