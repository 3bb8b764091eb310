"""The verb `plan`: what a run of a manifest would reuse, score again and ask again, why, and what it would take.

Nothing is executed, and nothing is written.
"""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from harness.run.executing.estimates import ShardProposal, TimeEstimate, format_seconds
from harness.run.executing.forecast import AskingForecast, format_dollars
from harness.run.executing.foreseen_steps import REUSED, ForeseenStep, Reason
from harness.run.plan_ahead import PlannedGroup, RunPlan, plan_run
from harness.verbs.project import Project, Result, Watch, choose_engine
from harness.verbs.requests import PlanRequest
from harness.verbs.running import AskingForeseen, asking_data

__all__ = [
    "PlanResult",
    "plan",
]


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
