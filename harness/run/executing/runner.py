"""The runner: executes the steps that are not in the store yet, in dependency order, and writes the journal.

To resume a run, run again: a step is finished if its entry and outputs are sound and a listed run executed it. No other
state is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from harness.clock import MONOTONE, unique_stamp
from harness.digest import encode_document, sha256
from harness.errors import DamageError, HarnessError, Interrupted
from harness.evidence.record import (
    Record,
    entry_of_event,
    read_record,
    spell_record,
    summarise_journal,
    verified_record,
)
from harness.kit.progress import split_progress
from harness.manifest.datasets import file_coverage
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock
from harness.run.closure import code_root
from harness.run.environment import count_cores, machine_facts
from harness.run.executing.exchange import Placement
from harness.run.executing.execute import StepEnded
from harness.run.executing.warm import WarmProcesses, WarmQueue
from harness.run.executing.workshop import StepResult, Workshop
from harness.run.gateway import run_gateway
from harness.run.locking.certificates import certificate_bytes
from harness.run.locking.datasets import bring_files, require_dataset
from harness.run.locking.models import store_models
from harness.run.locking.published import require_published
from harness.run.progress import (
    TURN,
    AnswerCounter,
    Progress,
    ProgressReporter,
    StepSchedule,
    raise_if_stopped,
    stop_on_signals,
)
from harness.steps import Plan, Step, maker_step_name
from harness.store.journal import Chain, Event, Preimage
from harness.store.store import HOME, Entry, require_listed

BATCH = 256
LOOKERS = 4
TOGETHER = 64  # steps that are looked up in one go at most, since giving a thread each costs more than many look-ups
HEARD = 256
MOST_HEALED = 100  # most digests of replaced blobs in one line of a journal


class Runner:
    """One run of one plan: it brings in pinned files, executes steps, writes journal and record."""

    def __init__(
        self,
        loaded: LoadedManifest,
        lock: Lock,
        plan: Plan,
        workshop: Workshop,
        *,
        limit: int = 0,
        jobs: int = 0,
        beside: Path | None = None,
    ) -> None:
        self.name = ""  # of the run; if empty, the run gets a new one
        self.loaded, self.lock, self.plan, self.workshop, self.limit = loaded, lock, plan, workshop, limit
        self.jobs = jobs or max(1, count_cores() // workshop.threads)
        self.store = workshop.store
        self.placement: Placement | None = None  # where steps are executed; None: all of them in this process
        self.asked: Mapping[str, str] | None = None  # the agent's principal that asked for the run, and its key
        self.asked_jobs = jobs
        self.beside = beside or loaded.root / HOME
        self.asking: dict[str, Any] = {}  # what a gateway is told besides its models
        self.schedule = StepSchedule(plan)
        self.reporter = ProgressReporter(self.schedule, AnswerCounter(plan, workshop.store))
        self.makers = {maker_step_name(name): name for name in lock.pins["datasets"]}
        self.damaged: set[str] = set()  # steps whose results were damaged, and which are executed again
        self.heard: Counter[str] = Counter()  # bytes that each step printed, each piece counted as HEARD at least

    def run(self, progress: Progress) -> Record:
        """Execute the plan to its end and return the record; raise the first failure, or Interrupted if stopped.

        A run that fails or is stopped is recorded all the same.
        """
        store, self.reporter.on_step = self.store, progress
        with store.in_use(), stop_on_signals(self.workshop.cancel):
            self.name = run = self.name or unique_stamp()
            self.journal = store.begin_journal(run)
            self.workshop.heard, self.workshop.done = self._hear, self._write_down
            self.workshop.executed.begin(run)
            trials = self.workshop.trials
            trials.told, trials.count = self._tried, self.reporter.count_trials
            trials.at_once(self.jobs)
            problem: HarnessError | None = None
            try:
                self._start(run)
                with run_gateway(self.loaded.manifest, self.loaded.root, self.asking) as calls:
                    self.workshop.calls = calls
                    if calls:
                        calls.steps = self.jobs
                        self.reporter.answers.counts, self.reporter.answers.priced = calls.now, calls.priced
                    try:
                        with closing(WarmProcesses(store, self.jobs)) as self.workshop.warm:
                            self._all(self.workshop.warm)
                    except HarnessError as bad:
                        problem = bad
                    finally:
                        self.workshop.warm = None
                    if self.placement:
                        self.placement.end()
                if calls and calls.summary:
                    self.journal.add("calls", {"models": calls.summary["models"]})
                    problem = calls.judged(problem)
                written = self._finish(run, problem)
            finally:
                self.journal.close()
            if problem:
                raise problem
            if written.head != self.journal.head:
                return read_record(store, run)  # which says what is wrong with the journal
            return verified_record(
                store, require_listed(store, run), written, lambda event: entry_of_event(store, event, run)
            )

    def _hear(self, step: str, text: bytes) -> None:
        """Write what a step prints to the journal, up to the limit of its log, so that a flood does not fill it.

        Lines that say how far the step is are shown and not written.
        """
        parts, text = split_progress(text)
        if parts:
            self.reporter.count_parts(step, parts)
            if not text:
                return
        room = self.workshop.limits.log_bytes - self.heard[step]
        self.heard[step] += max(len(text), HEARD)
        if room > 0:
            cut = "" if len(text) <= room else "\n[the rest is left out]"
            self.journal.add("step.log", {"step": step, "text": text[:room].decode("utf-8", "replace") + cut})

    def _start(self, run: str) -> None:
        workshop, blobs = self.workshop, self.store.blobs
        for digest, name in self.plan.pinned.items():
            if blobs.put((code_root() / name).read_bytes()) != digest:
                raise DamageError(f"{name} changed while it was read", next="run again")
        for data in certificate_bytes(self.loaded.root, self.lock):
            blobs.put(data)
        store_models(self.loaded, self.lock, self.store)
        bring_files(self.loaded, self.lock, self.store, self.beside)
        datasets = self.lock.pins["datasets"]
        require_published(self.loaded.manifest, datasets, self.store, self.beside, self.workshop.cancel)
        fields: dict[str, Any] = {
            "run": run,
            "manifest": blobs.put(self.loaded.data),
            "lock": blobs.put(self.lock.data),
            "plan": sha256(encode_document(self.plan.as_data())),
            "engine": workshop.engine.name,
            "isolation": workshop.engine.isolation,
            "image": workshop.engine.image,
            "environment": blobs.put(workshop.environment),
            "steps": len(self.plan.steps),
            "facts": {
                **machine_facts(workshop.processor),
                **workshop.engine.facts(),
                **workshop.engine.device.facts,
                **workshop.containment(),
                **workshop.unread(),
            },
            "clock": MONOTONE,
        }
        if self.limit:
            fields["limit"] = self.limit
        if self.placement:
            fields["placement"] = self.placement.spoken()
        if self.asked:
            fields["asked"] = dict(self.asked)
        if coverage := file_coverage(datasets):
            fields["data"] = coverage
        if box := workshop.sandbox:
            fields["sandbox"] = {"image": box.engine.image, "environment": blobs.put(box.environment)}
            fields["facts"]["sandbox"] = box.containment()
        self.journal.add("run.started", fields)
        self.journal.flush()
        self.store.heads.add("run.started", {"run": run, "journal": self.journal.head})
        if self.placement:
            self.placement.begin(self.journal.add)

    def _all(self, warm: WarmProcesses) -> None:
        """Execute the plan: steps that are in the store are taken from there at once, the others go to the pool."""
        ready, waiting = self.schedule.first(), dict[Future[StepResult], Step]()
        with (
            ThreadPoolExecutor(LOOKERS, thread_name_prefix="look") as lookers,  # hashing lets other threads run
            ThreadPoolExecutor(self.jobs, thread_name_prefix="step") as pool,
            ThreadPoolExecutor(self._away, thread_name_prefix="away") as away,  # its threads wait for workers
        ):
            queue = WarmQueue(pool, warm)
            try:
                while ready or waiting:
                    steps, ready = ready, []
                    keyed = [(step, self.workshop.preimage(step, self.schedule.made)) for step in steps]
                    for (step, parts), (entry, damage) in zip(keyed, self._look_up(keyed, lookers), strict=True):
                        raise_if_stopped(self.workshop.cancel)
                        if damage:
                            self._note_damage(step, damage)
                        if entry:
                            ready += self._take(step, StepResult(entry, "cached", {}))
                        else:
                            self.reporter.step_begins(step)
                            waiting[self._submit(step, parts, queue, away)] = step
                    self.journal.flush()
                    if ready or not waiting:
                        continue
                    finished, _ = wait(waiting, timeout=TURN, return_when=FIRST_COMPLETED)
                    raise_if_stopped(self.workshop.cancel)
                    self.reporter.under_way()
                    for future in finished:
                        ready += self._take(waiting.pop(future), future)
            except HarnessError:
                for future in waiting:
                    future.cancel()
                wait(waiting)  # a step that is under way may finish; a request to stop has ended it already
                for future, step in waiting.items():
                    if not future.cancelled() and not future.exception():
                        self._take(step, future)
                raise

    def _look_up(
        self, keyed: Sequence[tuple[Step, Mapping[str, Any]]], lookers: Executor
    ) -> Iterator[tuple[Entry | None, str]]:
        """Yield, in their order, whether steps are finished, and what of them is damaged; few are looked up singly."""
        size = max(1, min(TOGETHER, len(keyed) // (2 * LOOKERS)))
        groups = [[parts for _, parts in keyed[at : at + size]] for at in range(0, len(keyed), size)]
        return chain.from_iterable(lookers.map(lambda group: list(map(self.workshop.finished, group)), groups))

    @property
    def _away(self) -> int:
        """How many steps others execute at once."""
        return self.asked_jobs or (self.placement.jobs if self.placement else 1)

    def _submit(self, step: Step, parts: Preimage, queue: WarmQueue, away: Executor) -> Future[StepResult]:
        """Submit a step to the pool of this process, or to the workers of the placement if they may execute it."""
        if self.placement and self.placement.takes(step):
            return away.submit(self.workshop.make, step, parts, self.placement.perform)
        return queue.submit(self.workshop.affinity(step, parts), lambda: self.workshop.make(step, parts))

    def _note_damage(self, step: Step, damage: str) -> None:
        """Record, once for each step, that its result in the store was damaged; the step is executed again."""
        if step.name not in self.damaged:
            self.damaged.add(step.name)
            self.journal.add("step.damaged", {"step": step.name, "detail": damage})

    def _note_healed(self) -> None:
        """Record how much damage this run met and replaced; without damage nothing is recorded."""
        made = [found for step in self.damaged if (found := self.schedule.results.get(step))]
        outputs = {output.sha256 for found in made for output in found.entry.outputs.values()}
        blobs = sorted(set(self.store.blobs.healed) - outputs)
        if made or blobs:
            fields = {"steps": len(made), "blobs": len(blobs), "digests": blobs[:MOST_HEALED]}
            self.journal.add("run.healed", fields)

    def _write_down(self, step: Step, result: StepResult) -> None:
        """Record that a step was executed, before another run may use its result: durably, in any thread."""
        if result.damage:
            self._note_damage(step, result.damage)
        fields = {**_fields(step, result), "usage": dict(result.usage)}
        if result.facts:
            fields["facts"] = dict(result.facts)
        if result.worker:
            fields["worker"] = result.worker
        self.journal.add("step.done", fields)
        self.journal.flush()
        self.workshop.executed.note(self.name, result.entry)

    def _tried(self, step: str, trial: str, outcome: str) -> None:
        """Record the outcome of a program, before anything may use it: durably, in any thread."""
        self.journal.add("trial.done", {"step": step, "trial": trial, "outcome": outcome})
        self.journal.flush()
        self.workshop.executed.note_trial(trial, outcome)

    def _take(self, step: Step, found: StepResult | Future[StepResult]) -> list[Step]:
        """Record how a step ended, and return the steps that can begin now."""
        try:
            result = found if isinstance(found, StepResult) else found.result()
        except HarnessError as bad:
            ended = {"ended": bad.ended} if isinstance(bad, StepEnded) else {}
            self.journal.add("step.failed", {"step": step.name, "error": bad.what[:2000], **ended})
            raise
        if result.state == "cached":
            self.journal.add("step.cached", _fields(step, result))
        if self.journal.count % BATCH == 0:
            self.journal.flush()
        following = list(self.schedule.done(step, result))
        if step.name in self.makers:
            require_dataset(self.makers[step.name], result.entry, self.lock, self.store)
        self.reporter.step_ends(step, result)
        return following

    def _finish(self, run: str, problem: HarnessError | None) -> Chain[Event]:
        """Record the outputs that exist, close the journal, write the record, list the end; return the journal read."""
        self._note_healed()
        for name, ref in sorted(self.plan.outputs.items()):
            result = self.schedule.results.get(ref.step)
            if result:
                output = result.entry.outputs[ref.output]
                self.store.blobs.deliver(output.sha256)
                fields = {"sha256": output.sha256, "size": output.size, "step": ref.step, "output": ref.output}
                self.journal.add("output", {"name": name, **fields})
        status = "done" if not problem else "interrupted" if isinstance(problem, Interrupted) else "failed"
        self.journal.add("run.finished", {"status": status, "events": self.journal.count + 1})
        self.journal.flush()
        written = self.store.read_journal(run, spelled=False)
        if written.head != self.journal.head:  # others wrote into it; its last digest covers every byte otherwise
            written = self.store.read_journal(run)
        data = spell_record(summarise_journal(written.events, written.head))
        self.store.tree.write_file(self.store.record(run), data, mode=0o444)
        self.store.heads.add("run.finished", {"run": run, "journal": written.head, "record": sha256(data)})
        return written


def _fields(step: Step, result: StepResult) -> dict[str, Any]:
    """Return what a journal says about every finished step."""
    entry = result.entry
    fields: dict[str, Any] = {"step": step.name, "stage": step.stage, "key": entry.key, "entry": entry.digest}
    if step.imported:
        fields["imported"] = step.takes()
    if step.trial:
        fields["trial"] = True
    return {**fields, "sees_gold": True} if step.sees_gold else fields
