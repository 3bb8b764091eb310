"""One text scored for one item of an attempt, by the study's own steps, outside of any run.

It is for splits that are not hidden. The text stands in a transcript of its own that holds this one answer; what the
steps make of it is named by no run and swept with the next garbage collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.attempts.codes import AttemptError, nearest, shown
from harness.attempts.fold import answer_digest
from harness.attempts.ids import item_id, item_key
from harness.digest import document, sha256
from harness.manifest.load import ModelFolders
from harness.rowtypes import Prompt, Score
from harness.run.agent_scores import rounded
from harness.run.attempt_score import DerivedRun, derive_run
from harness.run.closure import code_root
from harness.run.hidden_splits import attempt_shows_hidden
from harness.run.plan import check_manifest, plan
from harness.run.service import RunTarget
from harness.run.workshop import Workshop
from harness.steps import Plan, Step
from harness.store.attempts import TRANSCRIPT, follow_transcript
from harness.store.journal import START, Event
from harness.store.store import Store
from harness.studies.registry import find

PROMPTS, SCORES = "prompts", "scores"
MOVES = "harness.rows:"  # kinds of steps that only move rows
LATER = "a judge model or a program would have to run, which is done when the attempt is scored"


def score_text(
    place: RunTarget, root: Path, request: Mapping[str, Any], homes: ModelFolders | None = None
) -> dict[str, Any]:
    """Score a text for an item by a metric; AttemptError for a hidden split, and what is unknown."""
    store, attempt = Store.make(place.store), str(request["attempt_id"])
    start = follow_transcript(store, attempt).events[0]
    if start["hidden"] or attempt_shows_hidden(store, start):
        raise AttemptError("E_HIDDEN_SPLIT", "texts are not scored for items of a hidden split")
    with store.in_use():
        transcript = store.blobs.put(one_answer(start, str(request["item_id"]), str(request["prediction"])))
        derived = derive_run(store, root, start, transcript, homes)
        planned = plan(check_manifest(derived.loaded), derived.lock, derived.limit)
        for name in planned.pinned.values():
            store.blobs.put((code_root() / name).read_bytes())
        scorer = TextScorer(derived, planned, place.workshop(derived.loaded, gpus=False))
        return scorer.score(start, str(request["item_id"]), str(request["metric"]))


def one_answer(start: Event, item: str, text: str) -> bytes:
    """Write a transcript that holds one answer and nothing else, as the steps read it."""
    receipt = {"item_id": item, "status": "recorded", "answer_sha256": answer_digest(text, False, None), "record": 1}
    args = {"answers": [{"item_id": item, "answer": text, "abstain": False}]}
    bodies = [
        dict(start),
        {"type": TRANSCRIPT, "event": "call", "tool": "submit_answers", "args": args, "receipts": [receipt]},
        {"type": TRANSCRIPT, "event": "attempt.closed"},
    ]
    data, head = b"", START
    for number, body in enumerate(bodies):
        line = document({**body, "n": number, "prev": head}) + b"\n"
        data, head = data + line, sha256(line)
    return data


class TextScorer:
    """The steps of one derived plan, made as far as the scores of one item need them."""

    def __init__(self, derived: DerivedRun, planned: Plan, workshop: Workshop) -> None:
        self.derived, self.workshop = derived, workshop
        self.steps = {step.name: step for step in planned.steps}
        self.made: dict[tuple[str, str], str] = {}

    def score(self, start: Event, item: str, metric: str) -> dict[str, Any]:
        """Make the scores of an item and give the one of this metric."""
        prompt, source = self._asked(bytes.fromhex(start["secret"]), item)
        study = find(self.derived.loaded.manifest.study)
        wanted = (prompt["item"], prompt["template"], 0, next(iter(self.derived.loaded.manifest.models)))
        found: dict[str, dict[str, Any]] = {}
        later = False
        for step in self._scoring(source):
            if self._calls(step):
                later = True
                continue
            code = self._make(step)
            for row in self._rows(step, SCORES, Score):
                if (row["item"], row["template"], row["sample"], row["model"]) == wanted:
                    for name, value in study.read_score(row).items():
                        full = row["scorer"] + (f"/{name}" if name else "")
                        if not name or full in study.meanings:  # others may count what the right answer holds
                            found[full] = {"metric": full, **_value(value), "scorer_sha256": code}
        if metric in found:
            return found[metric]
        advice = nearest(metric, found) or (f"This item has: {', '.join(sorted(found))}." if found else "")
        what = f"no metric {shown(metric)} scores this item"
        raise AttemptError("E_METRIC_NOT_FOR_STUDY", f"{what}; {LATER}" if later else what, advice)

    def _asked(self, secret: bytes, item: str) -> tuple[Prompt, Step]:
        """Find the prompt of an item's id, and the step that wrote it."""
        for step in list(self.steps.values()):
            if step.stage == PROMPTS and step.outputs == (PROMPTS,) and not step.kind.startswith(MOVES):
                self._make(step)
                for row in self._rows(step, PROMPTS, Prompt):
                    if item_id(secret, item_key(row["item"], row["template"])) == item:
                        return row, step
        raise AttemptError("E_UNKNOWN_ITEM", "this attempt has no such item")

    def _scoring(self, source: Step) -> Iterator[Step]:
        """List the steps that score the answers to what a step asked."""
        after = {source.name}
        for step in self.steps.values():
            if any(ref.step in after for ref in step.refs()) and step.stage != "analyses":
                after.add(step.name)
                if step.stage == SCORES and SCORES in step.outputs and not step.kind.startswith(MOVES):
                    yield step

    def _calls(self, step: Step) -> bool:
        """Whether a step, or one before it, asks a model elsewhere or runs foreign code."""
        return step.calls or step.trial or step.infers or any(self._calls(self.steps[ref.step]) for ref in step.refs())

    def _make(self, step: Step) -> str:
        """Make a step and those before it; gives the digest of its code."""
        for ref in step.refs():
            if (ref.step, ref.output) not in self.made:
                self._make(self.steps[ref.step])
        entry = self.workshop.make(step, parts := self.workshop.preimage(step, self.made)).entry
        self.made |= {(step.name, output): one.sha256 for output, one in entry.outputs.items()}
        return str(parts["code"])

    def _rows(self, step: Step, output: str, kind: type[Any]) -> Iterator[Any]:
        return rows.read(self.workshop.store.blobs.deliver(self.made[step.name, output]), kind)


def _value(value: Any) -> dict[str, Any]:
    """Tell a score as a number, or why there is none."""
    if isinstance(value, Mapping):
        return {"reason": str(value.get("missing", "there is no value"))}
    if isinstance(value, bool) or not isinstance(value, int | float):
        return {"reason": "there is no value"}
    return {"value": rounded(value)}
