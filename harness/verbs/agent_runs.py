"""Runs that agents ask for: planned, started once for each key, looked at and stopped, each by its own principal.

What may be started is in the manifests that are served: which options may be overridden, the budget of a run, and how
many each principal has. A run is a process of its own (`perform_asked`), which no server or worker waits for. It runs
the manifest within the budget, writes how the run stands, and holds the run's lock as long as it lives. Its starter may
end before it; a request to stop is a file in the store.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from harness.attempts.codes import AttemptError, printable_text, suggest_name
from harness.clock import unique_stamp
from harness.errors import HarnessError, InputError, Interrupted, StepError
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import load_lock
from harness.manifest.schema import AgentRuns
from harness.run.executing.forecast import AskingForecast
from harness.run.lock import changed_pins
from harness.run.planning.derived import FOLDER
from harness.run.progress import AnswerProgress, progress_text
from harness.run.service import FinishedRun, RunTarget, run_manifest
from harness.run.withheld import keeps_words
from harness.store.attempts import (
    BEGUN,
    DONE,
    ENDED,
    FAILED,
    NEVER,
    OVER_BUDGET,
    RUN_ID,
    RUNNING,
    STOPPED,
    AskedRun,
    ask_to_stop,
    asked_runs,
    has_state,
    hold_run_lock,
    read_asked,
    read_state,
    wants_stop,
    write_asked,
    write_state,
)
from harness.store.store import Store
from harness.texts import NAME
from harness.verbs.project import Project, Watch, choose_engine
from harness.verbs.requests import DerivedRequest, EngineRequest, PlanRequest, RunRequest, ServeRequest
from harness.verbs.running import PlanData, dry_run, plan, write_derived

__all__ = ["AgentDoor", "derived_request", "perform_asked", "runnable_manifests"]


Data = dict[str, Any]
Spawn = Callable[[str], None]  # starts the process of a run, given its id
LOCK = "asked"
AT_ONCE, ALL_AT_ONCE = 2, 8  # runs that go on: of one principal, and of all
MOST_DERIVED = 200  # manifests that overrides derived
USUAL_SECONDS = 3600  # of a run of a manifest that is served without a block `runs`
LIMIT, ONLY = "limit", ("model", "dataset")
LONGEST, MOST_VALUES, GROUPS = 200, 50, 20
_NAME = re.compile(NAME)
UNKNOWN = "there is no run of this id"


def runnable_manifests(project: Project, asked: ServeRequest) -> tuple[LoadedManifest, ...]:
    """Load the manifests whose runs agents may start: those that are named, else all that have a block `runs`.

    Raises InputError if there are none, or if two have the same name.
    """
    found = [project.manifest(path) for path in asked.manifests] or list(_allowed(project))
    names = [loaded.manifest.name for loaded in found]
    if not found:
        raise InputError(
            "no manifest of this project lets agents start runs",
            where=str(project.root),
            next="write a `runs:` block into one and `harness lock` it; or name manifests",
        )
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"two of these manifests are called {twice[0]!r}", next="serve one of them")
    return tuple(found)


def _allowed(project: Project) -> Iterator[LoadedManifest]:
    for path in project.manifests():
        try:
            loaded = project.manifest(path)
        except HarnessError:
            continue  # a manifest that cannot be read
        if loaded.manifest.runs and not loaded.manifest.derived:
            yield loaded


def derived_request(overrides: Mapping[str, str]) -> tuple[DerivedRequest, int]:
    """Return overrides as the options of `run`: those that derive a manifest, and the limit of items (0: none)."""
    only = [f"{name}={overrides[name]}" for name in ONLY if name in overrides]
    settings = [f"{name}={value}" for name, value in sorted(overrides.items()) if name not in (LIMIT, *ONLY)]
    return DerivedRequest(only=only, settings=settings), int(overrides.get(LIMIT, "0"))


@dataclass(frozen=True)
class AgentDoor:
    """The runs of served manifests as one agent may use them: plan, start, look at, cancel."""

    project: Project
    served: tuple[LoadedManifest, ...]
    principal: str
    asked: ServeRequest
    spawn: Spawn

    @property
    def store(self) -> Store:
        """The store of the project, made if there is none yet."""
        return Store.make(self.project.store)

    def manifests(self) -> Data:
        """List the served manifests: what may be overridden, the budget, and how many runs are left."""
        store = self.store
        used = [one.manifest for one in asked_runs(store, self.principal)]
        return {"manifests": [_told(loaded, used.count(loaded.manifest.name)) for loaded in self.served]}

    def plan(self, manifest: str, overrides: Mapping[str, Any], watch: Watch) -> Data:
        """Return what a run would execute, take and cost; nothing is executed."""
        loaded = self._served(manifest)
        said = _overrides(loaded, overrides)
        request, limit = derived_request(said)
        terms, path = _terms(loaded), loaded.path
        where: Data = {"engine": self.asked.engine, "isolation": self.asked.isolation, "images": self.asked.images}
        if request.only or request.settings:
            self._require_room_to_derive()
            given: Data = {"only": request.only, "settings": request.settings, "limit": limit}
            seen = dry_run(self.project, RunRequest(manifests=[path], **given, **where), watch).runs[0]
            path = self.project.root / seen.derived
        found = plan(self.project, PlanRequest(manifests=[path], limit=limit, **where), watch).plans[0]
        return {"manifest": manifest, "overrides": said, "budget": _budget(terms), **_planned(found, terms)}

    def start(
        self,
        manifest: str,
        key: str,
        overrides: Mapping[str, Any],
        budget: tuple[int | None, str | None] = (None, None),
        client: str = "",
    ) -> Data:
        """Start a run, or return the one that this key started; raise AttemptError if it may not be started."""
        loaded = self._served(manifest)
        said, terms = _overrides(loaded, overrides), _terms(loaded)
        wanted = self._asked(loaded, key, said, _within(terms, *budget), client)
        store = self.store
        with store.in_use(), store.lock(LOCK):
            mine = list(asked_runs(store, self.principal))
            before = next((one for one in mine if one.key == key), None)
            if before and before.wanted != wanted.wanted:
                raise AttemptError("E_IDEMPOTENCY_MISMATCH", "this key started a run with other arguments")
            if not before:
                _require_lock(loaded)
                if set(said) - {LIMIT}:
                    self._require_room_to_derive()
                self._require_room(store, mine, loaded, terms)
                write_asked(store, wanted)
        state = read_state(store, before) if before else {"state": BEGUN}
        if not before or state["state"] == NEVER:  # its server was killed before the process began
            self.spawn((before or wanted).run)
            state = {"state": BEGUN}
        return {**self._state(store, before or wanted, state), **({"resumed": True} if before else {})}

    def get(self, run: str = "", key: str = "") -> Data:
        """Return the state of a run of this agent; raise AttemptError if none has this id or key."""
        store = self.store
        asked = self.mine(store, run, key)
        return self._state(store, asked, read_state(store, asked))

    def cancel(self, run: str, reason: str) -> Data:
        """Ask a run of this agent to stop, and return its state; what is finished stays in the store."""
        store = self.store
        asked = self.mine(store, run)
        state = read_state(store, asked)
        if state["state"] not in ENDED:
            ask_to_stop(store, asked.run, reason)
        return self._state(store, asked, state)

    def mine(self, store: Store, run: str = "", key: str = "") -> AskedRun:
        """Return this agent's request for a run, by the run's id or its key; raise AttemptError if there is none."""
        if run:
            found = read_asked(store, run) if RUN_ID.fullmatch(run) else None
        else:
            found = next((one for one in asked_runs(store, self.principal) if one.key == key), None)
        if found is None or found.principal != self.principal:
            raise AttemptError("E_UNKNOWN_RUN", UNKNOWN if run else "this key started no run")
        return found

    def find(self, name: str) -> LoadedManifest | None:
        """Return a served manifest by its name, or None."""
        return next((loaded for loaded in self.served if loaded.manifest.name == name), None)

    def _served(self, name: str) -> LoadedManifest:
        if found := self.find(name):
            return found
        known = suggest_name(name, [loaded.manifest.name for loaded in self.served])
        raise AttemptError("E_UNKNOWN_MANIFEST", f"no manifest `{printable_text(name)}` is served", known)

    def _asked(
        self, loaded: LoadedManifest, key: str, overrides: Mapping[str, str], budget: tuple[int, str], client: str
    ) -> AskedRun:
        engine = {
            "engine": self.asked.engine,
            "isolation": self.asked.isolation,
            "images": str(self.asked.images or ""),
        }
        return AskedRun(
            run=unique_stamp(),
            principal=self.principal,
            key=key,
            manifest=loaded.manifest.name,
            path=loaded.path.relative_to(loaded.root).as_posix(),
            sha256=loaded.sha256,
            overrides=overrides,
            seconds=budget[0],
            dollars=budget[1],
            engine={name: value for name, value in engine.items() if value},
            client=client,
            session=self.asked.session,
        )

    def _require_room(
        self, store: Store, mine: list[AskedRun], loaded: LoadedManifest, terms: AgentRuns | None
    ) -> None:
        """Raise AttemptError if this principal has no run of a manifest left, or too many runs go on."""
        used = sum(one.manifest == loaded.manifest.name for one in mine)
        if terms and terms.max_runs is not None and used >= terms.max_runs:
            raise AttemptError("E_NO_RUNS_LEFT", f"all {terms.max_runs} runs of this manifest were started")
        going = [one for one in asked_runs(store) if read_state(store, one)["state"] not in ENDED]
        own = sum(one.principal == self.principal for one in going)
        if own >= AT_ONCE or len(going) >= ALL_AT_ONCE:
            whose = f"{own} runs of yours" if own >= AT_ONCE else f"{len(going)} runs"
            raise AttemptError("E_RUNS_FULL", f"{whose} go on, and no more are started at once", retryable=True)

    def _require_room_to_derive(self) -> None:
        """Raise AttemptError if there are too many derived manifests already, which nobody but a person deletes."""
        if len(list((self.project.root / FOLDER).glob("*.yaml"))) >= MOST_DERIVED:
            what = f"there are {MOST_DERIVED} derived manifests, and no more are made for agents"
            raise AttemptError("E_RUNS_FULL", what, "Leave the overrides out; an operator deletes old ones.")

    def _state(self, store: Store, asked: AskedRun, state: Mapping[str, Any]) -> Data:
        """Return how a run stands as an agent reads it."""
        ended = state["state"] in ENDED
        own = ("state", "done", "total", "step", "answers", "verdict", "steps", "unanswered", "dollars", "why")
        found = {name: state[name] for name in own if name in state}
        follow = "Call scores with this run." if state["state"] == DONE else AFTER.get(str(state["state"]), WAIT)
        return {
            "run": asked.run,
            "manifest": asked.manifest,
            "key": asked.key,
            "asked": asked.at,
            **found,
            **({"updated": state["at"]} if "at" in state else {}),
            "ended": ended,
            "next": follow,
        }


WAIT = "Call get_run with this run and wait_s."
AFTER = {
    "failed": "Read `why`; an operator sees more with `harness runs RUN`. A new key starts it again.",
    "cancelled": "Nothing is lost: a new key goes on from what is in the store.",
    "over-budget": "Nothing is lost: a new key goes on from what is in the store, within a budget of its own.",
    "killed": "Its process was killed. Nothing that was finished is lost: start it again with a new key.",
    NEVER: "Its process never began: call start_run again with the same key.",
    RUNNING: WAIT,
}


def _told(loaded: LoadedManifest, used: int) -> Data:
    terms = _terms(loaded)
    found: Data = {"manifest": loaded.manifest.name, "study": loaded.manifest.study, "about": loaded.manifest.about}
    found |= {"overrides": list(terms.overrides) if terms else [], "budget": _budget(terms)}
    if terms and terms.max_runs is not None:
        found["runs_left"] = max(0, terms.max_runs - used)
    return found


def _terms(loaded: LoadedManifest) -> AgentRuns | None:
    return loaded.manifest.runs


def _budget(terms: AgentRuns | None) -> dict[str, Any]:
    return {
        "seconds": terms.budget.seconds if terms else USUAL_SECONDS,
        "dollars": terms.budget.dollars if terms else "0",
    }


def _within(terms: AgentRuns | None, seconds: int | None, dollars: str | None) -> tuple[int, str]:
    """Return the budget of a run: as asked, else all that the manifest gives; AttemptError if that is more."""
    most = _budget(terms)
    if seconds is not None and seconds > most["seconds"]:
        raise _beyond(f"{seconds} seconds", f"{most['seconds']} seconds")
    try:
        if dollars is not None and not 0 <= Decimal(dollars) <= Decimal(most["dollars"]):
            raise _beyond(f"{printable_text(dollars)} dollars", f"{most['dollars']} dollars")
    except InvalidOperation:
        raise AttemptError("E_ARGUMENT", "the argument `budget_dollars` is no decimal number") from None
    return seconds or most["seconds"], dollars or most["dollars"]


def _beyond(asked: str, most: str) -> AttemptError:
    what = f"a run of this manifest may take {most}, not {asked}"
    return AttemptError("E_BUDGET", what, "Ask for less, or leave it out.")


def _overrides(loaded: LoadedManifest, asked: Mapping[str, Any]) -> dict[str, str]:
    """Return overrides as texts, in order; raise AttemptError for one that the manifest does not list, or no value."""
    terms = _terms(loaded)
    listed, found = terms.overrides if terms else (), dict[str, str]()
    for name, value in sorted(asked.items()):
        if name not in listed:
            known = f"it lists {', '.join(listed)}" if listed else "it lists none"
            raise AttemptError("E_OVERRIDE", f"this manifest lets nobody override `{printable_text(name)}`: {known}")
        found[name] = _text(name, value)
    return found


def _text(name: str, value: Any) -> str:
    """Return the value of an override as it is written on the command line."""
    one = _one(value) if not isinstance(value, list) else ""
    if isinstance(value, list) and len(value) <= MOST_VALUES:
        parts = [_one(part) for part in value]
        one = "" if "" in parts else ",".join(parts) if name in ONLY else f"[{', '.join(parts)}]"
    if name == LIMIT and not (one.isascii() and one.isdecimal() and 1 <= int(one) < 2**31):
        raise AttemptError("E_OVERRIDE", "`limit` is a whole number from 1", "Give a number, such as 10.")
    if name in ONLY and not all(_NAME.fullmatch(part) for part in one.split(",")):
        raise AttemptError("E_OVERRIDE", f"`{name}` is a name, or a list of names", "Give names of the manifest.")
    if not one or len(one) > LONGEST:
        raise AttemptError("E_OVERRIDE", f"this is no value of `{name}`", "Give a text, a number, or a list of them.")
    return one


def _one(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    return text if text.isprintable() and not text.startswith(("[", "{", '"', "'", "&", "*", "!")) else ""


def _require_lock(loaded: LoadedManifest) -> None:
    """Raise AttemptError if a manifest has no lock that fits."""
    try:
        lock = load_lock(loaded.root, loaded.manifest.name)
        moved = lock is None or bool(changed_pins(loaded, lock))
    except HarnessError:
        moved = True
    if moved:
        raise AttemptError("E_NOT_LOCKED", "this manifest has no lock that fits", "An operator runs `harness lock`.")


def _planned(found: PlanData, terms: AgentRuns | None) -> Data:
    """Return what an agent reads of a plan: counts, the largest groups, what models are asked, time and money."""
    groups = sorted(found.groups, key=lambda one: -(one.seconds or 0))
    asking = ("model", "answers", "stored", "prompt_tokens", "output_tokens", "dollars", "tape")
    paid = found.money.dollars is None or Decimal(found.money.dollars) > 0
    most = Decimal(_budget(terms)["dollars"])
    fits = not paid or (found.money.dollars is not None and Decimal(found.money.dollars) <= most)
    time = found.time.elapsed
    return {
        "steps": found.steps,
        "groups": [
            {"steps": one.steps, "stage": one.stage, "action": one.action, "count": one.count, "time": one.time}
            for one in groups[:GROUPS]
        ],
        "asking": [{name: getattr(one, name) for name in asking} for one in found.asking],
        "time": found.time.text,
        "money": found.money.text,
        "lock_fits": not found.lock,
        "within_budget": fits and (time is None or time <= _budget(terms)["seconds"]),
    }


LOOK = 0.5  # seconds between two looks for a request to stop
TURN = 1.0  # seconds between two notes of how far the run is
LONGEST_REASON = 500  # letters of a reason
WORDLESS = "its data is private, gated or hidden, so its words are not told; an operator sees them"


class BudgetSpentError(InputError):
    """Raised if an agent's run would cost, or has cost, more dollars or seconds than its budget."""

    name = "over-budget"


class _Performance:
    """One run under way: its clock, what stops it, and how far it is."""

    def __init__(self, store: Store, asked: AskedRun) -> None:
        self.store, self.asked = store, asked
        self.stop, self.over = threading.Event(), threading.Event()
        self.state, self.why = "", ""  # set with the event: how the run ends, and why
        self._noted = 0.0
        self._far: dict[str, Any] = {}

    def ends(self, state: str, why: str) -> None:
        """Stop the run for a reason; the first one counts."""
        if not self.stop.is_set():
            self.state, self.why = state, why
            self.stop.set()

    def watch(self) -> None:
        """Look for a request to stop and at the clock until the run is over."""
        until = time.monotonic() + self.asked.seconds
        while not self.over.wait(LOOK):
            if wants_stop(self.store, self.asked.run):
                self.ends(STOPPED, "it was asked to stop")
            elif time.monotonic() > until:
                self.ends(OVER_BUDGET, f"its {self.asked.seconds} seconds are over")

    def step(self, step: str, state: str, done: int, total: int) -> None:
        """Note how many steps are done."""
        self._far |= {"step": f"{step} {state}", "done": done, "total": total}
        self._note(last=done == total)

    def answers(self, found: AnswerProgress) -> None:
        """Note how many answers there are, and stop the run if they cost too much."""
        self._far["answers"] = progress_text(found)
        if found.dollars is not None:
            self._far["dollars"] = f"{found.dollars:f}"
            if found.dollars > Decimal(self.asked.dollars):
                self.ends(OVER_BUDGET, f"it spent {found.dollars:f} of {self.asked.dollars} dollars")
        self._note()

    def foreseen(self, found: list[AskingForecast]) -> None:
        """Raise BudgetSpentError, before any model is asked, if the cost is not in the budget or not known."""
        paid = [one for one in found if one.service and one.tape != "replay" and one.to_ask]
        if not paid:
            return
        if not Decimal(self.asked.dollars):
            raise BudgetSpentError(f"{paid[0].model} would be paid for, and the budget has no dollars")
        if unknown := next((one for one in paid if one.service != "priced"), None):
            raise BudgetSpentError(f"what {unknown.model} costs is not known: the manifest has no prices of it")

    def _note(self, *, last: bool = False) -> None:
        if last or time.monotonic() - self._noted > TURN:
            self._noted = time.monotonic()
            write_state(self.store, self.asked.run, RUNNING, **self._far)

    @property
    def far(self) -> Mapping[str, Any]:
        """How far the run came."""
        return {name: value for name, value in self._far.items() if name != "step"}


def perform_asked(project: Project, run: str) -> None:
    """Execute the run that an agent asked for under this id, and write its state and how it ended."""
    store = project.open()
    asked = read_asked(store, run)
    if asked is None:
        raise InputError("nobody asked for this run", where=run)
    with hold_run_lock(store, run):
        if has_state(store, run):
            return  # its process began before, and is over
        write_state(store, run, RUNNING)
        under_way = _Performance(store, asked)
        watcher = threading.Thread(target=under_way.watch, name="budget", daemon=True)
        watcher.start()
        state, more = FAILED, {"why": "defect: the harness met a defect of its own"}
        try:
            state, more = DONE, _summed(_run(project, asked, under_way))
        except Interrupted:
            state, more = under_way.state or STOPPED, {"why": under_way.why or "it was interrupted"}
        except BudgetSpentError as bad:
            state, more = OVER_BUDGET, {"why": bad.what}
        except HarnessError as bad:
            state, more = FAILED, {"why": _words(project, asked, bad)}
        finally:
            under_way.over.set()
            write_state(store, run, state, **{**under_way.far, **more})


def _run(project: Project, asked: AskedRun, under_way: _Performance) -> FinishedRun:
    """Derive, lock and run the manifest as it was asked for."""
    named = project.manifest(project.root / asked.path)
    if named.sha256 != asked.sha256:
        raise InputError("the manifest was changed after the run was asked for", next="start it with a new key")
    watch = Watch(stop=under_way.stop)
    request, limit = derived_request(asked.overrides)
    engine = choose_engine(EngineRequest(**asked.engine), project, watch)
    who = {"principal": asked.principal, "key": asked.key}
    place = RunTarget(project.store, engine, stop=under_way.stop, run=asked.run, asked=who)
    loaded = write_derived(named, request, place, watch)
    return run_manifest(loaded, place, under_way.step, limit, under_way.answers, under_way.foreseen)


def _summed(ran: FinishedRun) -> dict[str, Any]:
    """Return what is told of a run that ended: its verdict, its steps, and what models left without an answer."""
    gaps = {gap.model: f"{gap.errors} of {gap.rows} rows" for gap in ran.gaps}
    return {
        "verdict": ran.verdict,
        "steps": dict(ran.record.body["steps"]),
        **({"unanswered": gaps} if gaps else {}),
    }


def _words(project: Project, asked: AskedRun, bad: HarnessError) -> str:
    """Return why a run failed: the error's words, unless they may repeat data that is not shown, or are a step's."""
    try:
        loaded: LoadedManifest = project.manifest(project.root / asked.path)
        wordless = keeps_words(loaded, Store.make(project.store))
    except HarnessError:
        wordless = True
    if wordless:
        return f"{bad.name}: {WORDLESS}"
    if isinstance(bad, StepError):
        return f"{bad.name}: a step failed ({getattr(bad, 'ended', 'failed')}); an operator sees why"
    told = f"{bad.name}: {bad.what}" + (f". Next: {bad.next}" if bad.next else "")
    return told.replace(str(project.root), ".").replace(str(project.store), ".harness")[:LONGEST_REASON]
