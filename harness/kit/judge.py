"""LLM-as-judge steps: one prompt for each answer, asked in repeats; later rounds ask again about unread replies.

A judge is an instrument of the manifest with two steps of the study: one writes its prompts, one parses its replies. A
judge that follows a rule is one step with the same output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.kit.study import Brief, Instrument, Templates
from harness.steps import JUDGED, Ref, Source, Step, maker_step_name

SETTLE = "harness.kit.judged:settle"


@dataclass(frozen=True)
class Judge:
    """A language model that grades answers: its role, rounds, and the steps that write prompts and parse replies."""

    role: str
    asks: str  # the step kind that writes its prompts (`judged.ask`)
    reads: str  # the step kind that parses its replies (`judged.read`)
    templates: Templates | None = None  # templates that the manifest names; else they are in the code of `asks`
    rounds: int = 1  # each later round asks again about the replies that could not be read
    needs: tuple[str, ...] = ()  # further outputs of the maker that both steps read
    params: Mapping[str, Any] = field(default_factory=dict)  # the study's own, for both steps

    @property
    def name(self) -> str:
        """The name in the rows of its judgements, which is its role."""
        return self.role


@dataclass(frozen=True)
class RuleJudge:
    """A judge that is a deterministic rule: one step (`judged.rule`), and no model is asked.

    With a role it measures by a local instrument, such as an encoder, and its step gets the weights as an input.
    """

    name: str
    kind: str
    needs: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    role: str = ""
    tables: Mapping[str, Source] = field(default_factory=dict)  # pinned tables that it reads, by input name


@dataclass(frozen=True)
class AnswerShard:
    """One shard of a model's answers in a plan: dataset, model, part, and references to its rows.

    `inputs` holds the sources of `responses`, `items` and `gold`, by these names. A trial takes all except the gold.
    """

    dataset: str
    model: str
    part: str
    inputs: Mapping[str, Source]  # responses, items, gold


def judge_steps(judge: Judge | RuleJudge, brief: Brief, answers: AnswerShard) -> Iterator[Step]:
    """Yield the steps of a judge for a shard of answers; the first output of the last step is its judgements."""
    name = f"{answers.dataset}/judgements/{judge.name}/{answers.model}/{answers.part}"
    given = {**answers.inputs, **{one: Ref(maker_step_name(answers.dataset), one) for one in judge.needs}}
    if isinstance(judge, RuleJudge):
        yield _rule(judge, brief, name, given)
        return
    rounds, unread = list[Ref](), dict[str, Source]()
    for number in range(judge.rounds):
        *before, read = _round(judge, instrument(brief, judge.role), f"{name}/round-{number}", given, unread, number)
        yield from (*before, read)
        rounds.append(Ref(read.name, "judgements"))
        unread = {"unread": Ref(read.name, "unread")}
    if judge.rounds > 1:
        yield Step(name, SETTLE, JUDGED, {}, {"rounds": tuple(rounds)}, ("judgements",))


def instrument(brief: Brief, role: str) -> Instrument:
    """Return the instrument of a role; raises InputError if the manifest has none, or a stand-in that sees gold."""
    if role not in brief.instruments:
        raise InputError(
            f"this study needs an instrument {role!r}", where="instruments", next=f"add `{role}: {{provider: …}}`"
        )
    found = brief.instruments[role]
    if found.model.stand_in and found.model.stand_in.sees_gold:
        raise InputError(
            "a stand-in that answers from the gold cannot measure",
            where=f"instruments.{role}",
            next="name a model, or a stand-in that is shown nothing",
        )
    return found


def _rule(judge: RuleJudge, brief: Brief, name: str, given: Mapping[str, Source]) -> Step:
    """Return the step of a rule judge, with the weights of its instrument if it has one."""
    params, inputs = {**judge.params, "judge": judge.name}, {**given, **judge.tables}
    if not judge.role:
        return Step(name, judge.kind, JUDGED, params, inputs, ("judgements",))
    model = instrument(brief, judge.role).model
    if model.calls or model.stand_in or model.imported:
        raise InputError(
            f"{judge.name!r} measures by weights on this machine, and {judge.role!r} has none",
            where=f"instruments.{judge.role}",
            next="name a model by its files: `{provider: transformers, source: …}`",
        )
    inputs["weights"] = tuple(model.weights.values())  # empty before they are locked
    params = {**model.settings, **params, "files": list(model.weights)}
    batch = str(model.settings.get("batch", "none"))
    return Step(name, judge.kind, JUDGED, params, inputs, ("judgements",), batch=batch, infers=True)


def _round(
    judge: Judge, by: Instrument, name: str, given: Mapping[str, Source], unread: Mapping[str, Source], number: int
) -> Iterator[Step]:
    """Yield the steps of one round: the prompts, the replies, and the parsed judgements."""
    own = {**judge.params, "judge": judge.name, "round": number}
    wording: Mapping[str, Source] = {"templates": judge.templates.pinned} if judge.templates else {}
    asks = Step(f"{name}/prompts", judge.asks, JUDGED, own, {**given, **wording, **unread}, ("prompts",))
    yield asks
    prompts = {"prompts": Ref(asks.name, "prompts")}
    repeats = by.repeats if number == 0 else 1  # a later round asks about single replies
    replies = _respond(by, f"{name}/replies", prompts, repeats)
    yield replies
    read: dict[str, Source] = {name: source for name, source in given.items() if name != "responses"}
    read |= {**prompts, "replies": Ref(replies.name, "responses")}
    params = {**own, "repeats": repeats, "last": number == judge.rounds - 1}
    yield Step(f"{name}/judgements", judge.reads, JUDGED, params, read, ("judgements", "unread"))


def _respond(by: Instrument, name: str, prompts: Mapping[str, Source], repeats: int) -> Step:
    """Return the step in which a judge replies, which is the standard step of its provider."""
    model, inputs = by.model, dict(prompts)
    params = {**model.settings, "model": model.name, "seeds": list(range(repeats)), "generation": dict(by.generation)}
    if model.weights:
        inputs["weights"] = tuple(model.weights.values())
        params["files"] = list(model.weights)
    return Step(
        name,
        model.respond,
        JUDGED,
        params,
        inputs,
        ("responses", "inference") if model.calls else ("responses",),
        batch=str(model.settings.get("batch", "none")),
        calls=model.calls,
        infers=bool(model.weights),
    )
