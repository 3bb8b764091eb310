"""Forecast of asking: how many answers a run will ask each model for, of how many tokens, at what cost at most.

Everything in it is known before a model is asked, and each estimate says what it rests on. It asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.run.named_models import INSTRUMENTS, MODELS, NamedModel, every_model
from harness.run.prompt_sizes import PromptMeasure
from harness.run.schedule import StepSchedule
from harness.run.slices import foreseen_outputs
from harness.run.token_estimate import ROUGH, TokenEstimator
from harness.run.workshop import StepResult, Workshop
from harness.steps import JUDGED, Plan, Ref, Step
from harness.store.store import Store

MILLION = Decimal(1_000_000)
BOUNDS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class AskingForecast:
    """Forecast of what one model is asked: answers, tokens and dollars; None is what cannot be known before."""

    part: str  # models | instruments
    model: str
    answers: int  # asked for in all
    stored: int  # of these, those in the store already
    prompt_tokens: int | None  # of what is to be asked
    counted_by: str  # what the prompt tokens rest on
    output_tokens: int | None  # at most
    tape: str = ""  # replay | record | live, of a model behind an API
    dollars: Decimal | None = None  # at most, or for the prompts alone where the output has no bound
    images: int = 0  # that go along with the prompts; their tokens are not counted

    @property
    def to_ask(self) -> int:
        """How many answers are not in the store."""
        return self.answers - self.stored

    def text(self) -> str:
        """Word the forecast in one line."""
        name = f"instrument {self.model}" if self.part == INSTRUMENTS else self.model
        if not self.to_ask:
            return f"{name}: nothing to ask, {self.stored:,} answers are in the store"
        most = "at most " if self.part == INSTRUMENTS else ""
        parts = [f"{name}: {most}{self.to_ask:,} answers to ask for"]
        parts += [f"{self.stored:,} in the store"] * bool(self.stored)
        if self.tape == "replay":
            return ", ".join([*parts, "replayed from its tape: nothing is sent"])
        parts.append(
            "prompt tokens not known before what is judged is there"
            if self.prompt_tokens is None
            else f"about {self.prompt_tokens:,} prompt tokens ({self.counted_by})"
        )
        bound = "output tokens without a bound" if self.output_tokens is None else ""
        parts += [f"{self.images:,} images, which are not counted"] * bool(self.images)
        parts.append(bound or f"at most {self.output_tokens:,} output tokens")
        if self.dollars is not None:
            cost = _money(self.dollars)
            parts.append(f"the prompts about {cost}" if bound else f"about {cost} at most")
        parts += ["what is on its tape is not asked again"] * (self.tape == "record")
        return ", ".join(parts)


def _money(dollars: Decimal) -> str:
    return "under $0.01" if 0 < dollars < Decimal("0.01") else f"${dollars:,.2f}"


def walk(plan: Plan, lock: Lock, workshop: Workshop | None, wanted: frozenset[str] | None = None) -> StepSchedule:
    """Take what is in the store of a plan, or of the wanted steps alone, as a run would; executes none.

    Where a step is not in the store and its outputs are known all the same, those that read them are looked up too.
    """
    schedule = StepSchedule(plan)
    ready = schedule.first() if workshop else []
    while ready and workshop:
        step = ready.pop()
        if wanted is not None and step.name not in wanted:
            continue
        entry, _ = workshop.finished(workshop.preimage(step, schedule.made))
        if entry:
            ready += schedule.done(step, StepResult(entry, "cached", {}))
        elif known := foreseen_outputs(step, schedule.made, lock, workshop.store):
            ready += schedule.foresee(step, known)
    return schedule


def asking_steps(plan: Plan) -> list[Step]:
    """List the steps of a plan in which a model is asked, here or elsewhere."""
    return [step for step in plan.steps if (step.calls or step.infers) and isinstance(step.inputs.get("prompts"), Ref)]


def forecast_before(loaded: Loaded, lock: Lock, plan: Plan, workshop: Workshop) -> list[AskingForecast]:
    """Forecast what a run will ask, looking up those steps alone that answers rest on."""
    asking = asking_steps(plan)
    if not asking:
        return []
    wanted = {step.name for step in asking}
    for step in reversed(plan.steps):
        if step.name in wanted:
            wanted |= {ref.step for ref in step.refs()}
    with workshop.store.in_use():
        return forecast_asking(loaded, lock, walk(plan, lock, workshop, frozenset(wanted)), workshop.store)


def forecast_asking(loaded: Loaded, lock: Lock, schedule: StepSchedule, store: Store | None) -> list[AskingForecast]:
    """Forecast what each model of a manifest is still asked, by a schedule that has taken what the store holds."""
    told = _Known(loaded, PromptMeasure(lock, schedule, store), TokenEstimator(loaded, lock), schedule, store)
    models = {(one.part, one.name): one for one in every_model(loaded.manifest)}
    found: dict[tuple[str, str], list[AskingForecast]] = {}
    for step in asking_steps(schedule.plan):
        named = models.get((INSTRUMENTS if step.stage == JUDGED else MODELS, str(step.params.get("model"))))
        if named:
            one = _step_forecast(named, step, told)
            told.answers[step.name] = one.answers
            found.setdefault((named.part, named.name), []).append(one)
    return [_together(each) for each in found.values()]


@dataclass(frozen=True)
class _Known:
    """What is known of a run before it begins: its prompts, tokens, what the store holds, and answers so far."""

    loaded: Loaded
    measure: PromptMeasure
    tokens: TokenEstimator
    schedule: StepSchedule
    store: Store | None
    answers: dict[str, int] = field(default_factory=dict)  # by the step that asks for them

    def judged(self, prompts: Ref) -> int:
        """Count the answers that a step writes prompts about; none where another round has asked already."""
        step = self.measure.steps[prompts.step]
        source = step.inputs.get("responses")
        return self.answers.get(source.step, 0) if isinstance(source, Ref) and "unread" not in step.inputs else 0


def _step_forecast(named: NamedModel, step: Step, told: _Known) -> AskingForecast:
    often = len(step.params.get("seeds", (0,)))
    service = named.model.service
    base = AskingForecast(named.part, named.name, 0, 0, 0, "", 0, service.tape if service else "")
    result = told.schedule.results.get(step.name)
    if result and told.store:
        with open(told.store.blobs.deliver(result.entry.outputs[step.outputs[0]].sha256), "rb") as lines:
            rows = sum(1 for _ in lines)
        return replace(base, answers=rows, stored=rows)
    prompts = step.inputs["prompts"]
    assert isinstance(prompts, Ref)
    sizes = told.measure.sizes(prompts)
    if not sizes.rows and not sizes.written:
        about = told.judged(prompts) * often
        return replace(base, answers=about, prompt_tokens=None if about else 0, output_tokens=_most(step, about, None))
    tokens, counted = told.tokens.estimate(named, sizes)
    asked = replace(
        base, answers=sizes.rows * often, prompt_tokens=tokens * often, counted_by=counted,
        output_tokens=_most(step, sizes.rows * often, sizes.budget), images=sizes.images * often,
    )  # fmt: skip
    return replace(asked, dollars=_dollars(service.told.get("prices") if service else None, asked))


def _most(step: Step, answers: int, budget: int | None) -> int | None:
    """Give the number of tokens that answers have at most; None where nothing bounds them."""
    if "likelihoods" in step.outputs or not answers:
        return 0
    said = step.params.get("generation", {})
    bounds = [said[name] for name in BOUNDS if said.get(name) is not None]
    if isinstance(budget, int) and "benchmark" in bounds:
        return budget * len(step.params.get("seeds", (0,)))
    return answers * min(bounds) if bounds and all(isinstance(bound, int) for bound in bounds) else None


def _dollars(prices: Any, asked: AskingForecast) -> Decimal | None:
    """Give what tokens cost at most, at the prices that a manifest gives; None without prices, 0 from a tape."""
    if not prices or asked.prompt_tokens is None:
        return None
    if asked.tape == "replay":
        return Decimal(0)
    output = asked.output_tokens or 0
    return (asked.prompt_tokens * Decimal(prices["input"]) + output * Decimal(prices["output"])) / MILLION


def _together(parts: Iterable[AskingForecast]) -> AskingForecast:
    """Add up the forecasts of one model's steps; what one of them does not know, their sum does not know either."""
    whole, *others = parts
    for one in others:
        whole = replace(
            whole,
            answers=whole.answers + one.answers,
            stored=whole.stored + one.stored,
            prompt_tokens=_sum(whole.prompt_tokens, one.prompt_tokens),
            counted_by=max(whole.counted_by, one.counted_by, key=ROUGH.index),
            output_tokens=_sum(whole.output_tokens, one.output_tokens),
            images=whole.images + one.images,
            dollars=one.dollars if whole.dollars is None else whole.dollars + (one.dollars or 0),
        )
    return whole


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def spoken(forecasts: Iterable[AskingForecast]) -> Iterator[str]:
    """Word what a run is about to ask, a line for each model that is asked anything."""
    yield from (one.text() for one in forecasts if one.to_ask)
