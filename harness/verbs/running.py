"""The verbs `run` and `reproduce`, the dry run, and `plan`: what a run would reuse, score again and ask again.

Options of `run` derive a manifest from the one that is named. The store of a reproduction is empty at first. It is kept
if the user named it or if not every run agreed, else it is deleted. `plan` says why, and what it would take; it
executes and writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pydantic import Field

from harness.clock import unique_stamp
from harness.errors import AGREED, DISAGREED, MISSING, HarnessError, InputError, Interrupted, MissingError
from harness.evidence.keys import TrustedKey, read_trust, require_author
from harness.files import hold_lock, is_plain_file, remove_tree
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import load_lock
from harness.run.executing.forecast import AskingForecast, describe_asking, format_dollars
from harness.run.executing.foreseen_steps import REUSED, ForeseenStep, Reason
from harness.run.lock import changed_pins, require_fitting_lock
from harness.run.plan_ahead import PlannedGroup, RunPlan, ShardProposal, TimeEstimate, format_seconds, plan_run
from harness.run.planning.derived import DerivedOptions, derive_manifest
from harness.run.progress import ANSWERS, AnswerProgress, progress_text, read_error_limit
from harness.run.recording.auditing import expectation_author
from harness.run.service import FinishedRun, RunTarget, forecast_run, lock_manifest, run_manifest
from harness.store.store import Store
from harness.verbs.project import Project, Result, Watch, choose_engine, choose_placement
from harness.verbs.reporting import ReportFolder
from harness.verbs.requests import DerivedRequest, PlanRequest, ReproduceRequest, RunRequest
from harness.verbs.run_data import RunData, grader_texts, run_data
from harness.verbs.scoring import first_scores

__all__ = ["DryRunResult", "PlanResult", "ReproduceResult", "RunResult", "dry_run", "plan", "reproduce", "run"]


def write_derived(parent: LoadedManifest, asked: DerivedRequest, place: RunTarget, watch: Watch) -> LoadedManifest:
    """Write the manifest that a request derives from another one, lock it if needed, and return it.

    Returns the parent itself if the request changes nothing. Raises an error if the parent's lock is missing or no
    longer fits, because the derived manifest uses the same pinned data.
    """
    options = DerivedOptions(tuple(asked.with_models), tuple(asked.only), tuple(asked.settings))
    if not options:
        return parent
    require_fitting_lock(parent, load_lock(parent.root, parent.manifest.name))
    loaded = derive_manifest(parent, options)
    name, at = loaded.manifest.name, loaded.path.relative_to(loaded.root)
    held = load_lock(loaded.root, name)
    unfit = held is None or bool(changed_pins(loaded, held))  # the parent's fits, so this one follows it
    if unfit:
        locked = lock_manifest(loaded, place)
        for pin, reason in locked.unresolved.items():
            watch.say(f"  unresolved {pin}: {reason}")
    watch.say(f"{name}: {at}, derived from {parent.manifest.name}" + ("; locked" if unfit else ""))
    return loaded


def refuse_derived(loaded: LoadedManifest, what: str) -> None:
    """Raise InputError if a manifest is derived and not written by a person; `what` is the reason."""
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
    """Context manager that yields an empty store: in the folder `given`, or a temporary one in the project.

    A `given` folder stays; raises InputError if it is not empty. A temporary store is deleted at the end unless `stays`
    was set. Temporary stores left behind by killed reproductions are deleted first, and reported to `say`.
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
    """Context manager that creates a temporary store, and holds the lock beside it until there is a verdict."""
    place = FreshStore(folder / unique_stamp())
    lock = _lock(place.root)
    with hold_lock(lock):
        try:
            yield place
        finally:
            if not place.stays:
                remove_tree(place.root)
            lock.unlink(missing_ok=True)
            with suppress(OSError):  # another reproduction has its store there
                folder.rmdir()


def _lock(root: Path) -> Path:
    return root.with_name(f"{root.name}.lock")


def _sweep(folder: Path, say: Callable[[str], None]) -> None:
    """Delete temporary stores of killed reproductions: their lock files exist, and no process holds the locks."""
    for lock in sorted(path for path in folder.glob("*.lock") if _STAMP.fullmatch(path.stem) and is_plain_file(path)):
        with hold_lock(lock, wait=False) as ours:
            if ours and lock.exists():  # else that reproduction has just ended
                root = lock.with_suffix("")
                remove_tree(root)
                lock.unlink(missing_ok=True)
                say(f"removed {root}, which a reproduction left that was killed")


@contextmanager
def _told(root: Path, left: str) -> Iterator[None]:
    """Context manager that adds `left` to the advice of an error: what becomes of the store if there is no verdict.

    Ctrl-C is raised as `Interrupted`.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("stopped", next=f"run it again; {left}") from None
    except HarnessError as bad:
        if root.exists():
            mend, _, kept = bad.next.rpartition(": ")
            bad.next = "; ".join(filter(None, [mend if kept.endswith("is kept") else bad.next, left]))
        raise


class RunResult(Result):
    """Result of `run`: the runs, in the order of their manifests."""

    runs: list[RunData]

    @property
    def code(self) -> int:
        """Exit code: 1 if a run disagrees, or if a model left more rows without an answer than allowed; else 0.

        Unconfirmed and incomplete runs count as success.
        """
        return _code(self.runs, {"agreed", "unconfirmed", "incomplete"})


class LeftOut(Result):
    """A manifest that this machine cannot run: what it lacks for that, and what to do."""

    manifest: str
    what: str
    next: str = ""


class ReproduceResult(Result):
    """Result of `reproduce`: the runs, in the order of their manifests, and their store's path if it was kept."""

    runs: list[RunData]
    left_out: list[LeftOut] = Field(default_factory=list)
    store: str = ""
    reports: str = Field("", description="The page that leads to the reports of the runs, if they were wanted.")

    @property
    def code(self) -> int:
        """Exit code: 1 unless every run agreed and no model left more rows without an answer than allowed.

        Else 3 if this machine lacked something for other manifests, and 0 if not.
        """
        return _code(self.runs, {"agreed"}) or (MISSING if self.left_out else AGREED)


def _code(runs: Sequence[RunData], fine: set[str]) -> int:
    return AGREED if all(one.verdict in fine and not one.lacks_answers for one in runs) else DISAGREED


class StageForeseen(Result):
    """Forecast of one stage: how many steps a run would take from the store, and how many it would execute."""

    stage: str
    cached: int
    executed: int


class AskingForeseen(Result):
    """Forecast of the requests to one model; a value that cannot be known in advance is null."""

    part: str  # models | instruments
    model: str
    answers: int  # how many are requested in all
    stored: int  # how many of these are in the store already
    prompt_tokens: int | None  # of the prompts that are not in the store
    counted_by: str  # how the prompt tokens were counted
    output_tokens: int | None  # at most
    tape: str  # replay | record | live, of a model behind an API
    dollars: str | None  # at most, or for the prompts alone if the output has no bound; null: not known
    images: int
    text: str
    money: str = ""  # what `dollars` bounds, or why it is not known; empty if no provider is paid


class ForeseenData(Result):
    """Forecast of a run of one manifest: its stages, and the requests to its models."""

    manifest: str
    stages: list[StageForeseen]
    asking: list[AskingForeseen] = Field(default_factory=list)
    derived: str = ""  # path in the project of the manifest that options derived, if any


class DryRunResult(Result):
    """Result of a dry run: the forecast of each manifest."""

    runs: list[ForeseenData]


def dry_run(project: Project, asked: RunRequest, watch: Watch | None = None) -> DryRunResult:
    """Forecast, by stage, how many steps of each manifest a run would take from the store or execute; runs nothing.

    A step whose inputs are not known yet counts as executed. Only manifests that options derive are locked. Raises an
    error if the lock of another manifest does not fit.
    """
    watch, found = watch or Watch(), []
    for named in [project.manifest(path) for path in asked.manifests]:
        here = project.of(named)
        place = RunTarget(here.store, choose_engine(asked, here, watch, moved=asked.moved), stop=watch.stop)
        loaded = write_derived(named, asked, place, watch)
        seen = forecast_run(loaded, place, asked.limit)
        stages = [StageForeseen(stage=name, cached=kept, executed=made) for name, (kept, made) in seen.stages.items()]
        asking = [asking_data(one) for one in seen.asking]
        found.append(ForeseenData(manifest=seen.manifest, stages=stages, asking=asking, **_derived(named, loaded)))
    return DryRunResult(runs=found)


def asking_data(one: AskingForecast) -> AskingForeseen:
    """Return the forecast of what one model is asked as a result's data."""
    dollars = None if one.dollars is None else f"{one.dollars:f}"
    said = {name: value for name, value in vars(one).items() if name != "service"}
    return AskingForeseen(**{**said, "dollars": dollars}, money=one.money, text=one.text())


def _derived(named: LoadedManifest, loaded: LoadedManifest) -> dict[str, str]:
    """Return the path of the derived manifest as a field, if the request derived one."""
    return {} if loaded is named else {"derived": loaded.path.relative_to(loaded.root).as_posix()}


def _bounded(loaded: LoadedManifest, place: RunTarget) -> dict[str, str]:
    """Return, as a field, the memory that a manifest asks for and its steps do not get here, if there is such."""
    return {"bounded": said} if (said := place.bounds(loaded)) else {}


def run(project: Project, asked: RunRequest, watch: Watch | None = None) -> RunResult:
    """Run manifests one by one: execute the steps that the store lacks, write each run's record, compare its outputs.

    If a lock no longer fits, it is made anew first with `relock`, else an error is raised. If options change a
    manifest, the manifest that they derive is written, locked and run instead. Each output is compared with the
    expectation, if there is one.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors)
    found = []
    for named in [project.manifest(path) for path in asked.manifests]:
        here = project.of(named)
        choice = choose_engine(asked, here, watch, moved=asked.moved)
        where = choose_placement(asked, here, watch)
        place = RunTarget(here.store, choice, asked.jobs, errors=allowed, placement=where, stop=watch.stop)
        if asked.relock and lock_manifest(named, place).changed:
            watch.say(f"{named.manifest.name}: the lock was made anew, as --relock says; review it in git")
        loaded = write_derived(named, asked, place, watch)
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
    incomplete, or left too many rows without an answer. With `trust` a run is confirmed only by an expectation that an
    author of that file signed for. With `reports` a report of each run is written there.
    Published data may be taken from the project's own store.
    Manifests for which this machine lacks something are left out, and named in the result. Raises MissingError if this
    holds for every manifest.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors)
    trusted = read_trust(project.path(asked.trust)) if asked.trust else ()
    if asked.trust:
        require_author(trusted, project.path(asked.trust))
    todo = [project.manifest(path) for path in asked.manifests]
    found, left_out = [], list[LeftOut]()
    given = project.path(asked.fresh) if asked.fresh else None
    reports = ReportFolder(project.path(asked.reports)) if asked.reports else None
    with fresh_store(given, todo[0].root, watch.say) as place:
        for loaded in todo:
            here = project.of(loaded)
            choice = choose_engine(asked, here, watch, moved=asked.moved)
            placed = choose_placement(asked, here, watch)
            where = RunTarget(place.root, choice, asked.jobs, here.store, allowed, placed, stop=watch.stop)
            try:
                data = run_data(_run(loaded, where, watch), allowed, grader_texts(loaded))
            except MissingError as lack:
                if len(left_out) + 1 == len(todo):
                    raise
                left_out.append(LeftOut(manifest=loaded.manifest.name, what=lack.what, next=lack.next))
                watch.say(f"{loaded.manifest.name}: left out: {lack.what}")
                continue
            signed = _signed(loaded, data.verdict, trusted, watch) if asked.trust else {}
            found.append(data.model_copy(update=_bounded(loaded, where) | signed))
            if reports:
                reports.add(Store.open(place.root), data.run, loaded.manifest.name, found[-1].verdict)
        place.stays = place.stays or _code(found, {"agreed"}) != AGREED
        more = {"reports": reports.end({one.manifest: one.what for one in left_out})} if reports else {}
    return ReproduceResult(runs=found, left_out=left_out, store=str(place.root) if place.stays else "", **more)


def _signed(loaded: LoadedManifest, verdict: str, trusted: Sequence[TrustedKey], watch: Watch) -> dict[str, str]:
    """Return, as a field, the verdict of a run that agrees with an expectation without a trusted signature.

    An expectation that was edited after it was signed makes it `disagreed`.
    """
    found = expectation_author(loaded.root, loaded.manifest.name, trusted)
    if not found:
        return {}
    watch.say(f"{loaded.manifest.name}: expect: {found.text}")
    if found.party or verdict not in ("agreed", "unconfirmed"):
        return {}
    return {"verdict": "disagreed" if found.moved else "unconfirmed"}


def _run(loaded: LoadedManifest, place: RunTarget, watch: Watch, limit: int = 0) -> FinishedRun:
    """Run a manifest; report first what its models will be asked, and then its steps and answers."""
    tell = watch.task(loaded.manifest.name)
    if bounds := place.bounds(loaded):
        watch.say(f"{loaded.manifest.name}: memory: {bounds} (--max-memory)")

    def foreseen(found: Sequence[AskingForecast]) -> None:
        for line in describe_asking(found):
            watch.say(f"{loaded.manifest.name}: {line}")

    def answered(found: AnswerProgress) -> None:
        tell(progress_text(found), ANSWERS, found.done, found.total)

    return run_manifest(loaded, place, tell, limit, answered, foreseen)


class PlanReason(Result):
    """One reason why steps are executed: the kind of change (weights, image, prompt wording …), and what changed."""

    kind: str
    text: str = ""


class PlanGroup(Result):
    """Steps of one family that are treated alike for the same reasons."""

    steps: str  # the name that they share
    stage: str
    action: str  # rerun | rescored | remade | reused
    sure: bool  # if not, they are executed unless what they read comes out with the same bytes as before
    count: int
    items: int | None  # of the dataset, in these steps; null if they are not of single items
    reasons: list[PlanReason]
    seconds: float | None  # null if no run measured the like
    time: str  # the same in words


class PlanStep(Result):
    """One step of a plan."""

    step: str
    action: str
    sure: bool
    reasons: list[PlanReason]
    seconds: float | None


class PlanItems(Result):
    """The items of a dataset by what becomes of one model's answers to them."""

    dataset: str
    model: str
    rerun: int
    rescored: int
    reused: int


class PlanTime(Result):
    """Estimate of the time of the steps that would be executed."""

    seconds: float | None  # of the measured steps in all; null if no step was measured
    elapsed: float | None  # from begin to end, with so many steps at once
    jobs: int
    measured: int  # steps whose like was measured
    unknown: int  # steps without a measure
    text: str


class PlanMoney(Result):
    """Estimate of what providers are paid; null if not known."""

    dollars: str | None
    bounded: bool  # whether it is the most that is paid; otherwise the least
    unknown: list[str]  # the models whose cost is not known
    text: str


class PlanShard(Result):
    """The size of shards: what the manifest says, what is planned, and what the measures suggest; null if nothing."""

    written: int | None
    now: int  # answers of the largest shard
    seconds: float | None  # that it takes
    proposed: int | None
    proposed_seconds: float | None
    text: str


class PlanData(Result):
    """Plan of a run of one manifest."""

    manifest: str
    lock: list[str]  # what of the lock no longer fits; empty if it fits
    compared_with: str  # the last finished run of the manifest; empty if there is none
    unread: list[str]  # newer runs that cannot be read
    steps: dict[str, int]  # the number of steps by action
    groups: list[PlanGroup]
    items: list[PlanItems]
    asking: list[AskingForeseen]
    prompt_tokens: int | None  # of all models; null if not known
    output_tokens: int | None  # at most; null if nothing bounds them or it is not known
    time: PlanTime
    money: PlanMoney
    shard: PlanShard
    every: list[PlanStep] = Field(default_factory=list)  # every step, if asked for


class PlanResult(Result):
    """Result of `plan`: the plan of each manifest."""

    plans: list[PlanData]


def plan(project: Project, asked: PlanRequest, watch: Watch | None = None) -> PlanResult:
    """Say what a run of each manifest would reuse, score again and ask again, why, and what it would take.

    Executes and writes nothing. If a lock no longer fits, the plan is that of the lock that `harness lock` would write,
    as long as nothing has to be made or fetched for it; otherwise an error is raised.
    """
    watch, found = watch or Watch(), []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        made = plan_run(
            loaded, here.store, choose_engine(asked, here, watch, moved=asked.moved), asked.limit, asked.jobs
        )
        data = _data(made)
        if asked.steps:
            every = [_step(one, made.seconds.get(one.step.name)) for one in made.steps]
            data = data.model_copy(update={"every": every})
        found.append(data)
    return PlanResult(plans=found)


def _data(made: RunPlan) -> PlanData:
    return PlanData(
        manifest=made.manifest,
        lock=made.moved,
        compared_with=made.earlier,
        unread=made.unread,
        steps=made.counts,
        groups=[_group(one) for one in made.groups if one.action != REUSED],
        items=[PlanItems(**vars(one)) for one in made.items],
        asking=[asking_data(one) for one in made.asking],
        prompt_tokens=_sum([one.prompt_tokens for one in made.asking]),
        output_tokens=_sum([one.output_tokens for one in made.asking]),
        time=_time(made.time),
        money=_money(made.asking),
        shard=_shard(made.shard, made.written_shard),
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _group(one: PlannedGroup) -> PlanGroup:
    return PlanGroup(
        steps=one.family,
        stage=one.stage,
        action=one.action,
        sure=one.sure,
        count=one.steps,
        items=one.items,
        reasons=_reasons(one.reasons),
        seconds=one.seconds,
        time="unknown" if one.seconds is None else format_seconds(one.seconds),
    )


def _step(one: ForeseenStep, seconds: float | None) -> PlanStep:
    return PlanStep(
        step=one.step.name, action=one.action, sure=one.sure, reasons=_reasons(one.reasons), seconds=seconds
    )


def _reasons(found: tuple[Reason, ...]) -> list[PlanReason]:
    return [PlanReason(kind=one.kind, text=one.text) for one in found]


def _time(one: TimeEstimate) -> PlanTime:
    known = bool(one.measured) or not one.unknown
    return PlanTime(
        seconds=one.seconds if known else None,
        elapsed=one.elapsed if known else None,
        jobs=one.jobs,
        measured=one.measured,
        unknown=one.unknown,
        text=one.text,
    )


def _money(asking: list[AskingForecast]) -> PlanMoney:
    """Add up what is paid; a cost that is not known for one model is not known for all."""
    paid = [one for one in asking if one.service]
    unknown = [one.model for one in paid if one.dollars is None]
    known = sum((one.dollars for one in paid if one.dollars is not None), Decimal(0))
    bounded = not any(one.dollars and one.output_tokens is None for one in paid)
    amount = f"{'at most' if bounded else 'at least'} {format_dollars(known)}"
    if not paid:
        text = "no provider is paid"
    elif unknown:
        text = f"unknown ({', '.join(f'{one.model}: {one.money}' for one in paid if one.dollars is None)})"
        text += f", and {amount} for the other models" if known else ""
    else:
        text = amount if known else "nothing"
    return PlanMoney(dollars=None if unknown else f"{known:f}", bounded=bounded, unknown=unknown, text=text)


def _shard(one: ShardProposal, written: int | None) -> PlanShard:
    return PlanShard(
        written=written,
        now=one.now,
        seconds=one.seconds,
        proposed=one.shard,
        proposed_seconds=one.proposed_seconds,
        text=one.text,
    )
