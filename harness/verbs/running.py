"""The verbs `run` and `reproduce`, and the dry run: their requests and their results.

Options of `run` derive a manifest from the one that is named. The store of a reproduction is empty at first; it is kept
if a person named it or not every run agreed, else deleted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from harness.clock import stamp
from harness.errors import AGREED, DISAGREED, MISSING, HarnessError, InputError, Interrupted, MissingError
from harness.files import is_plain, locked, remove_tree
from harness.manifest.load import Loaded
from harness.manifest.lockfile import load_lock
from harness.run.answers import ANSWERS, AnswerProgress, progress_text, read_error_limit
from harness.run.executing.forecast import AskingForecast, spoken
from harness.run.lock import changed_pins, require_fit
from harness.run.planning.derived import DerivedOptions, derive
from harness.run.service import FinishedRun, RunTarget, forecast, lock_manifest, run_manifest
from harness.verbs.project import PathText, Project, Request, Result, RunnerRequest, Watch
from harness.verbs.run_data import RunData, grader_texts, run_data
from harness.verbs.scoring import first_scores


class DerivedRequest(Request):
    """Part of a request: changes to the manifests that are named, each of which is then derived, locked and run."""

    with_models: Sequence[str] = Field(
        default=(), description="Models to ask besides, each `NAME=PROVIDER/MODEL` or `PROVIDER/MODEL`."
    )
    only: Sequence[str] = Field(default=(), description="What to keep: `model=a,b`, `dataset=x`.")
    settings: Sequence[str] = Field(default=(), description="Values to set, each `PATH=VALUE` of the manifest.")

    @property
    def options(self) -> DerivedOptions:
        """The options that derive a manifest; false where there are none."""
        return DerivedOptions(tuple(self.with_models), tuple(self.only), tuple(self.settings))


def derived(parent: Loaded, asked: DerivedRequest, place: RunTarget, watch: Watch) -> Loaded:
    """Write the manifest that a request derives from one, and lock it where it has no lock that fits.

    The manifest itself is returned where the request changes nothing of it. Refuses a parent whose lock is missing or
    no longer fits: what is derived rests on the same pinned data.
    """
    if not asked.options:
        return parent
    require_fit(parent, load_lock(parent.root, parent.manifest.name))
    loaded = derive(parent, asked.options)
    name, at = loaded.manifest.name, loaded.path.relative_to(loaded.root)
    held = load_lock(loaded.root, name)
    unfit = held is None or bool(changed_pins(loaded, held))  # the parent's fits, so this one follows it
    if unfit:
        locked = lock_manifest(loaded, place)
        for pin, reason in locked.unresolved.items():
            watch.say(f"  unresolved {pin}: {reason}")
    watch.say(f"{name}: {at}, derived from {parent.manifest.name}" + ("; locked" if unfit else ""))
    return loaded


def refuse_derived(loaded: Loaded, what: str) -> None:
    """Refuse a derived manifest where only one that a person wrote is meant."""
    if loaded.manifest.derived:
        raise InputError(
            f"{loaded.manifest.name} is derived from {loaded.manifest.derived.parent}, and {what}",
            where=loaded.tree.where,
            next=f"name {loaded.manifest.derived.parent}; or make it a manifest of its own, without `derived`",
        )


FOLDER = ".reproduce"
_STAMP = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}")
GONE = "the store of this reproduction is gone: the next one begins with nothing, so that nothing old passes for new"


@dataclass
class FreshStore:
    """Store of a reproduction: its path, and whether it stays when the reproduction ends."""

    root: Path
    stays: bool = False


@contextmanager
def fresh_store(given: Path | None, project: Path, say: Callable[[str], None]) -> Iterator[FreshStore]:
    """Context manager that gives an empty store: in the folder `given`, or a temporary one in the project.

    A `given` folder stays, and is refused if it is not empty. A temporary store is deleted at the end unless `stays`
    was set; those that killed reproductions left behind are deleted first, and reported to `say`.
    """
    if given is not None:
        if given.exists() and any(given.iterdir()):
            raise InputError("a reproduction needs a fresh store", where=str(given), next="name a new or empty folder")
        left = f"what was made stays in {given}; a reproduction needs another folder, which is new or empty"
        with _told(given, left):
            yield FreshStore(given.absolute(), stays=True)
        return
    if (project / FOLDER).is_symlink():
        raise InputError(
            "the folder of reproductions is a link, and nothing behind it is deleted",
            where=str(project / FOLDER),
            next="see what it is, and move it away",
        )
    _sweep(project / FOLDER, say)
    with _own(project / FOLDER) as place, _told(place.root, GONE):
        yield place


@contextmanager
def _own(folder: Path) -> Iterator[FreshStore]:
    """Create and lock a temporary store; the lock beside it is held until there is a verdict."""
    place = FreshStore(folder / stamp())
    lock = _lock(place.root)
    with locked(lock):
        try:
            yield place
        finally:
            if not place.stays:
                remove_tree(place.root)
            lock.unlink(missing_ok=True)
            with suppress(OSError):  # another reproduction has its place there
                folder.rmdir()


def _lock(root: Path) -> Path:
    return root.with_name(f"{root.name}.lock")


def _sweep(folder: Path, say: Callable[[str], None]) -> None:
    """Delete temporary stores of killed reproductions: their lock files exist, and nobody holds them."""
    for lock in sorted(path for path in folder.glob("*.lock") if _STAMP.fullmatch(path.stem) and is_plain(path)):
        with locked(lock, wait=False) as ours:
            if ours and lock.exists():  # else it has just come to its end
                root = lock.with_suffix("")
                remove_tree(root)
                lock.unlink(missing_ok=True)
                say(f"removed {root}, which a reproduction left that was killed")


@contextmanager
def _told(root: Path, left: str) -> Iterator[None]:
    """Correct the words of an error where a reproduction ends without a verdict: its store is not kept."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("stopped", next=f"run it again; {left}") from None
    except HarnessError as bad:
        if root.exists():
            mend, _, kept = bad.next.rpartition(": ")
            bad.next = "; ".join(filter(None, [mend if kept.endswith("is kept") else bad.next, left]))
        raise


class RunRequest(RunnerRequest, DerivedRequest):
    """Request of `run` and of its dry run: manifests, limit of items, whether to lock again, engine and jobs."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    limit: int = Field(default=0, ge=0, le=2**31, description="Only the first N items of each dataset; 0: all.")
    relock: bool = Field(default=False, description="Lock again where the lock no longer fits.")


class ReproduceRequest(RunnerRequest):
    """Request of `reproduce`: manifests, the folder of the fresh store if it is named, engine and jobs."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    fresh: PathText | None = Field(default=None, description="A new folder for the fresh store, which is kept.")


class RunResult(Result):
    """Result of `run`: the runs, in the order of their manifests."""

    runs: list[RunData]

    @property
    def code(self) -> int:
        """Exit code: 1 where a run disagrees, or a model left more rows without an answer than allowed; else 0.

        Unconfirmed and incomplete runs count as success.
        """
        return _code(self.runs, {"agreed", "unconfirmed", "incomplete"})


class LeftOut(Result):
    """One manifest that could not be run here: what this machine lacks for it, and what helps."""

    manifest: str
    what: str
    next: str = ""


class ReproduceResult(Result):
    """Result of `reproduce`: the runs, in the order of their manifests, and their store's path if it was kept."""

    runs: list[RunData]
    left_out: list[LeftOut] = Field(default_factory=list)
    store: str = ""

    @property
    def code(self) -> int:
        """Exit code: 0 only where every run agreed, and no model left more rows without an answer than allowed.

        Where all runs did, and this machine lacked something for others, it is 3.
        """
        return _code(self.runs, {"agreed"}) or (MISSING if self.left_out else AGREED)


def _code(runs: Sequence[RunData], fine: set[str]) -> int:
    return AGREED if all(one.verdict in fine and not one.lacks_answers for one in runs) else DISAGREED


class StageForeseen(Result):
    """Forecast of one stage: how many steps a run would take from the store, and how many it would make."""

    stage: str
    cached: int
    executed: int


class AskingForeseen(Result):
    """Forecast of what one model is asked before it is asked; what is null cannot be known before."""

    part: str  # models | instruments
    model: str
    answers: int  # asked for in all
    stored: int  # of these, those in the store already
    prompt_tokens: int | None  # of what is to be asked
    counted_by: str  # what the prompt tokens rest on
    output_tokens: int | None  # at most
    tape: str  # replay | record | live, of a model behind an API
    dollars: str | None  # at most, or for the prompts alone where the output has no bound
    images: int
    text: str


class ForeseenData(Result):
    """Forecast of a run of one manifest, stage by stage, and of what its models are asked."""

    manifest: str
    stages: list[StageForeseen]
    asking: list[AskingForeseen] = Field(default_factory=list)
    derived: str = ""  # of a manifest that options have derived: its path in the project


class DryRunResult(Result):
    """Result of a dry run: the forecast of each manifest."""

    runs: list[ForeseenData]


def dry_run(project: Project, asked: RunRequest, watch: Watch | None = None) -> DryRunResult:
    """Forecast, by stage, how many steps of each manifest a run would take from the store or execute; runs nothing.

    A step whose inputs are not known yet counts as executed. No lock is written but that of a manifest which options
    derive; one that does not fit its manifest raises an error.
    """
    watch, found = watch or Watch(), []
    for named in [project.manifest(path) for path in asked.manifests]:
        here = project.of(named)
        place = RunTarget(here.store, asked.choice(here, watch, moved=asked.moved), stop=watch.stop)
        loaded = derived(named, asked, place, watch)
        seen = forecast(loaded, place, asked.limit)
        stages = [StageForeseen(stage=name, cached=kept, executed=made) for name, (kept, made) in seen.stages.items()]
        asking = [_asking(one) for one in seen.asking]
        found.append(ForeseenData(manifest=seen.manifest, stages=stages, asking=asking, **_derived(named, loaded)))
    return DryRunResult(runs=found)


def _asking(one: AskingForecast) -> AskingForeseen:
    dollars = None if one.dollars is None else f"{one.dollars:f}"
    return AskingForeseen(**{**vars(one), "dollars": dollars}, text=one.text())


def _derived(named: Loaded, loaded: Loaded) -> dict[str, str]:
    """Name the derived manifest of a request that has derived one."""
    return {} if loaded is named else {"derived": loaded.path.relative_to(loaded.root).as_posix()}


def _bounded(loaded: Loaded, place: RunTarget) -> dict[str, str]:
    """Say what a manifest asks of memory and its steps do not get here, where that is so."""
    return {"bounded": said} if (said := place.bounds(loaded)) else {}


def run(project: Project, asked: RunRequest, watch: Watch | None = None) -> RunResult:
    """Run manifests one by one: execute the steps that the store lacks, write each run's record, compare its outputs.

    A lock that no longer fits raises an error, or is made anew first where `relock` says so. Where options change a
    manifest, the one that they derive is written, locked and run in its place. Each output is compared with the
    expectation, if there is one.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors)
    found = []
    for named in [project.manifest(path) for path in asked.manifests]:
        here = project.of(named)
        choice = asked.choice(here, watch, moved=asked.moved)
        place = RunTarget(here.store, choice, asked.jobs, errors=allowed, stop=watch.stop)
        if asked.relock and lock_manifest(named, place).changed:
            watch.say(f"{named.manifest.name}: the lock was made anew, as --relock says; review it in git")
        loaded = derived(named, asked, place, watch)
        ran = _run(loaded, place, watch, asked.limit)
        data = run_data(ran, allowed, grader_texts(loaded), first_scores(ran.store, ran.record.run))
        found.append(data.model_copy(update={**_derived(named, loaded), **_bounded(loaded, place)}))
        steps = found[-1].steps
        watch.say(
            f"{loaded.manifest.name}: run {ran.record.run}, {steps.executed} steps executed, {steps.cached} from the "
            f"store" + ("" if steps.executed else "; nothing was left to do")
        )
    return RunResult(runs=found)


def reproduce(project: Project, asked: ReproduceRequest, watch: Watch | None = None) -> ReproduceResult:
    """Run one or several manifests in one fresh store, and compare the outputs of each run with its expectation.

    A store named by `fresh` always stays. An unnamed one is deleted, unless a run disagreed, was unconfirmed or
    incomplete, or left too many rows without an answer. Published data may be taken from the project's own store.
    Manifests for which this machine lacks something are left out and named; MissingError where it does for each.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors)
    todo = [project.manifest(path) for path in asked.manifests]
    found, left_out = [], list[LeftOut]()
    given = project.path(asked.fresh) if asked.fresh else None
    with fresh_store(given, todo[0].root, watch.say) as place:
        for loaded in todo:
            here = project.of(loaded)
            choice = asked.choice(here, watch, moved=asked.moved)
            where = RunTarget(place.root, choice, asked.jobs, here.store, allowed, stop=watch.stop)
            try:
                data = run_data(_run(loaded, where, watch), allowed, grader_texts(loaded))
            except MissingError as lack:
                if len(left_out) + 1 == len(todo):
                    raise
                left_out.append(LeftOut(manifest=loaded.manifest.name, what=lack.what, next=lack.next))
                watch.say(f"{loaded.manifest.name}: left out: {lack.what}")
                continue
            found.append(data.model_copy(update=_bounded(loaded, where)))
        place.stays = place.stays or _code(found, {"agreed"}) != AGREED
    return ReproduceResult(runs=found, left_out=left_out, store=str(place.root) if place.stays else "")


def _run(loaded: Loaded, place: RunTarget, watch: Watch, limit: int = 0) -> FinishedRun:
    """Run a manifest; report what its models will be asked before it begins, and then its steps and answers."""
    tell = watch.task(loaded.manifest.name)
    if bounds := place.bounds(loaded):
        watch.say(f"{loaded.manifest.name}: memory: {bounds} (--max-memory)")

    def foreseen(found: Sequence[AskingForecast]) -> None:
        for line in spoken(found):
            watch.say(f"{loaded.manifest.name}: {line}")

    def answered(found: AnswerProgress) -> None:
        tell(progress_text(found), ANSWERS, found.done, found.total)

    return run_manifest(loaded, place, tell, limit, answered, foreseen)
