"""The steps that every question-and-answer study shares: cut, render, respond, run code, judge, score, gather.

A study adds its makers, its scorer and its analyses. This module alone decides the shards, and so progress and
resumption, the seeds of repeated samples, and which models are shown images.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.kit import graded
from harness.kit.judge import AnswerShard, Judge, RuleJudge, instrument, judge_steps
from harness.kit.study import Brief, Dataset, Model, Templates
from harness.kit.trials import TrialSpec, trial_steps
from harness.rows import part_name
from harness.steps import GATHER, JUDGED, Plan, Ref, Source, Step, maker_step_name
from harness.trial import TRIALS

ILLUSTRATED = 256  # shard size if prompts have images, because a shard that is made again sends them again
_MEDIA = "harness.kit.media"


def sample_seeds(seeds: Sequence[int], samples: int | None) -> tuple[int, ...]:
    """Return a seed for each sample: the manifest's seeds first, then those that follow the largest of them.

    Without `samples`, the manifest's seeds are returned. Raises InputError if `samples` is below 1.
    """
    if samples is None:
        return tuple(seeds)
    if samples < 1:
        raise InputError(f"`samples` is {samples}", where="samples", next="ask each model at least once")
    more = range(max(seeds) + 1, max(seeds) + 1 + samples - len(seeds))
    return (*seeds[:samples], *more)


def reads_images(model: Model) -> bool:
    """Whether a model is asked prompts with images: stand-ins, imported answers, and remote models.

    A remote model whose `facts` say `images: no` is not.
    """
    asked = model.stand_in is not None or model.imported is not None or model.calls
    return asked and (not model.calls or model.facts.get("images") != "no")


def media_steps(
    dataset: Dataset, models: Sequence[Model], fits: Callable[[Model], bool], slices: Sequence[str]
) -> tuple[list[Step], list[Ref]]:
    """Return the steps that select each shard's images, and its prompts without images for text-only models.

    The second value refers to the counts of prompts that those models are not asked; it is empty if every model is
    asked all prompts.
    """
    steps: list[Step] = []
    name, prompts = dataset.name, {part: Ref(f"{dataset.name}/prompts/{part}", "prompts") for part in slices}
    if any(model.calls and fits(model) for model in models):
        whole = Ref(maker_step_name(name), "media")
        for part, asked in prompts.items():
            both = {"prompts": asked, "media": whole}
            steps.append(Step(f"{name}/media/{part}", f"{_MEDIA}:pick", "prompts", {}, both, ("media",)))
    unfit = sorted(model.name for model in models if not fits(model))
    if not unfit:
        return steps, []
    for part, asked in prompts.items():
        made = ("prompts", "skipped")
        steps.append(Step(f"{name}/plain/{part}", f"{_MEDIA}:without", "prompts", {}, {"prompts": asked}, made))
    skipped = tuple(Ref(f"{name}/plain/{part}", "skipped") for part in slices)
    params = {"dataset": name, "models": unfit}
    tally = Step(f"{name}/skipped", f"{_MEDIA}:tally", "prompts", params, {"skipped": skipped}, ("counts",))
    return [*steps, tally], [Ref(tally.name, "counts")]


def cut_steps(dataset: Dataset, tables: Sequence[str], size: int) -> list[Step]:
    """Return the steps that cut tables of a dataset into shards of at most `size` rows; their outputs are the shards.

    A new shard begins where rows were appended to the dataset, so that earlier shards do not change.
    """
    ends = [*(end for end in dataset.cuts if end < dataset.rows), dataset.rows]
    sizes = [-(-(end - start) // size) for start, end in zip([0, *ends], ends, strict=False)]
    slices = tuple(part_name(index) for index in range(sum(sizes)))
    kind, shape = "harness.rows:cut", dict[str, Any](size=size, rows=dataset.rows)
    if len(ends) > 1:
        kind, shape = "harness.kit.segments:cut", dict[str, Any](size=size, ends=ends)
    return [
        Step(
            f"{dataset.name}/{table}", kind, "rows", shape, {"rows": Ref(maker_step_name(dataset.name), table)}, slices
        )
        for table in tables
    ]


@dataclass(frozen=True)
class ShardedBrief(Brief):
    """A brief of a manifest that says how many answers a shard has at most."""

    shard: int = 0


# Rows in a shard: at least two seconds of work for each shard (docs/architecture.md#shards).
SHARD = 5000
LOCAL = 1024  # for a local model, because its weights are loaded once per shard
SHOTS = "shots"
MERGE = "harness.rows:merge"
TABLES = {"items": "rows", "gold": "rows", "prompts": "prompts", "responses": "responses", "scores": "scores"}


@dataclass(frozen=True)
class Scorer:
    """One of several scorers of a dataset: its step kind, and what it reads in addition to the answers."""

    name: str  # as in its rows
    kind: str
    judges: tuple[str, ...] = ()  # names of the judges whose judgements it reads
    trials: tuple[str, ...] = ()  # names of the trials whose outcomes it reads
    prompts: bool = False  # it reads the prompts
    needs: tuple[str, ...] = ()  # further outputs of the maker
    instead: Mapping[str, int | str] = field(default_factory=dict)  # the paper's value for `error`, for `judge_error`
    params: Mapping[str, Any] = field(default_factory=dict)  # the study's own


@dataclass(frozen=True)
class Rendering:
    """A study's own step that writes prompts: its kind, its parameters, and what it reads in addition to the items."""

    kind: str
    params: Mapping[str, Any]
    inputs: Mapping[str, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Taking:
    """A study's own step that selects the answers for each scorer, if not every scorer scores every item.

    `readers` says by judge, trial or scorer (`scorer NAME`, …) of which scorers it reads the answers. The step's
    parameter `scorers` names these, and its inputs are `items` and `responses`.
    """

    kind: str
    readers: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class How:
    """How a dataset is evaluated: its scorers, prompt templates, judges, samples and token budgets."""

    score: str | tuple[Scorer, ...]  # the step kind that scores an answer, or several scorers, each by its name
    templates: Templates | None  # None: the dataset has its own rendered prompts
    rendered: int = 1  # about how many prompts an item then has
    budgets: bool = False  # each item has its own token budget
    rules_need: tuple[str, ...] = ()  # further outputs of the maker that the score steps read
    score_params: Mapping[str, Any] = field(default_factory=dict)  # the study's own parameters of the score step
    most: Callable[[Model], int | None] = lambda _model: None  # a model's token budget for all items of the dataset
    judges: tuple[Judge | RuleJudge, ...] = ()  # the judges of each answer before it is scored
    trials: tuple[TrialSpec, ...] = ()  # trials of code in answers, before judging and scoring
    samples: int | None = None  # None: one sample per seed
    shots: int = 0  # how many examples of the maker's `shots` its templates show
    media: bool = False  # its prompts may name images of the maker's output `media`
    fits: Callable[[Model], bool] = reads_images  # whether a model is asked prompts with images
    render: Rendering | None = None  # the study's own step that writes prompts, if it has one
    shard: int = 0  # answers in a shard; 0: the number may depend on the models
    taking: Taking | None = None  # None: every scorer scores every answer


@dataclass
class Asked:
    """A plan under construction: the steps that evaluate one or more datasets, and references to their outputs."""

    steps: list[Step] = field(default_factory=list)
    parts: dict[str, list[Ref]] = field(default_factory=dict)
    imported: dict[str, list[Step]] = field(default_factory=dict)  # by model: steps that read imported answers
    scores: dict[tuple[str, str], list[Ref]] = field(default_factory=dict)  # by dataset and model
    scored: dict[tuple[str, str, str], list[Ref]] = field(default_factory=dict)  # by dataset, model and scorer
    judgements: dict[tuple[str, str, str], list[Ref]] = field(default_factory=dict)  # by dataset, model and judge
    tried: dict[tuple[str, str, str], list[Ref]] = field(default_factory=dict)  # by dataset, model and trial

    def add(self, step: Step, output: str | None = None) -> Ref:
        """Add a step and return a reference to its first output, a part of `output` if that is given."""
        self.steps.append(step)
        ref = Ref(step.name, step.outputs[0])
        if output:
            self.parts.setdefault(output, []).append(ref)
        return ref

    def joined(self, output: str, stage: str) -> Ref:
        """Return a reference to an output's table: its only part, or an added step that joins all."""
        return self._one(output, stage, GATHER)

    def merged(self, output: str, stage: str) -> Ref:
        """Return a reference to an output's document: its only part, or the output of an added step that merges all."""
        return self._one(output, stage, MERGE)

    def tables(self, without: Collection[str] = ()) -> dict[str, Ref]:
        """Return the outputs of every question-and-answer study, by name, after `ask` has added all of its datasets.

        These are items, gold, prompts, responses, scores and counts, except those in `without`, and trials, judgements
        and imported if there are any. Steps that join their parts are added to the plan.
        """
        judged = {name: JUDGED for name in (TRIALS, JUDGED) if name in self.parts}
        wanted = {name: stage for name, stage in {**TABLES, **judged}.items() if name not in without}
        found = {name: self.joined(name, stage) for name, stage in wanted.items()}
        if self.imported:
            found["imported"] = self._accounts()
        return {**found, "counts": self.merged("counts", "rows")}

    def plan(self, outputs: Mapping[str, Ref], optional: frozenset[str] = frozenset()) -> Plan:
        """Return the finished plan: every step that was added, and the outputs that a manifest can name."""
        return Plan(tuple(self.steps), outputs, optional=optional)

    def _accounts(self) -> Ref:
        """Return the count of imported rows: those taken, those refused, and the prompts without one."""
        prompts = tuple(self.parts["prompts"])
        for model, steps in sorted(self.imported.items()):
            last, often = steps[-1], [len(step.params["seeds"]) for step in steps]
            kind = last.kind.partition(":")[0] + ":account"
            inputs = {"imported": last.inputs["imported"], "prompts": prompts}
            params = last.params if len(set(often)) == 1 else {**last.params, "samples": often}
            self.add(Step(f"imported/{model}", kind, "responses", params, inputs, ("imported",)), "imported")
        return self.merged("imported", "responses")

    def _one(self, output: str, stage: str, kind: str) -> Ref:
        parts = self.parts.get(output, [])
        if len(parts) == 1:
            return parts[0]
        step = Step(output, kind, stage, {"name": output}, {"parts": tuple(parts)}, (output,), derive=True)
        self.steps.append(step)
        return Ref(step.name, output)


def make(asked: Asked, dataset: Dataset, kind: str, outputs: Sequence[str]) -> None:
    """Add to a plan the step that makes a dataset, and register its outputs among the plan's."""
    asked.steps.append(make_step(dataset, kind, outputs))
    for output in outputs:
        asked.parts.setdefault(output, []).append(Ref(maker_step_name(dataset.name), output))


def make_step(dataset: Dataset, kind: str, outputs: Sequence[str]) -> Step:
    """Return the step that makes a dataset's items; it is equal in every plan, so that its result is shared."""
    said = {name: folder.said for name, folder in dataset.folders.items()}
    folders: dict[str, Source] = {name: folder.parts for name, folder in dataset.folders.items()}
    inputs = {**dataset.files, **folders}
    return Step(maker_step_name(dataset.name), kind, "rows", {**dataset.params, **said}, inputs, tuple(outputs))


def ask(asked: Asked, brief: Brief, dataset: Dataset, how: How) -> None:
    """Add the steps that ask every model every item of a dataset in every template, and judge and score the answers.

    Items are cut into shards, of the size that the manifest says, if it says one. Code in answers is run in trials if
    the study asks for it. A model that does not fit (`How.fits`) is not asked prompts with images; these prompts are
    counted.
    """
    wordings = how.templates.count if how.templates else how.rendered
    judging = [instrument(brief, judge.role).model for judge in how.judges if judge.role]
    most = LOCAL if any(model.weights for model in (*brief.models, *judging)) else SHARD
    most = how.shard or (min(most, ILLUSTRATED) if how.media else most)
    most = brief.shard if isinstance(brief, ShardedBrief) else most
    size = max(1, most // max(1, wordings * len(sample_seeds(brief.seeds, how.samples))))
    steps = cut_steps(dataset, ("items", "gold", *(("budgets",) if how.budgets else ())), size)
    asked.steps += steps
    slices = steps[0].outputs
    for part in slices if how.templates or how.rendered else ():
        asked.add(_prompts(dataset, how, part), "prompts")
    if how.media:
        steps, skipped = media_steps(dataset, brief.models, how.fits, slices)
        asked.steps += steps
        asked.parts.setdefault("counts", []).extend(skipped)
    for model in sorted(brief.models, key=lambda model: model.name):
        for part in slices:
            _one_shard(asked, brief, dataset, how, model, part)
        _in_order(asked, dataset, model, how)


def _in_order(asked: Asked, dataset: Dataset, model: Model, how: How) -> None:
    """Register the parts of trials, judgements and scores of a model by trial, judge and scorer, not shard by shard."""
    for one in how.trials:
        asked.parts.setdefault(TRIALS, []).extend(asked.tried[dataset.name, model.name, one.name])
    for judge in how.judges:
        asked.parts.setdefault(JUDGED, []).extend(asked.judgements[dataset.name, model.name, judge.name])
    for scorer in () if isinstance(how.score, str) else how.score:
        refs = asked.scored[dataset.name, model.name, scorer.name]
        asked.parts.setdefault("scores", []).extend(refs)
        asked.scores.setdefault((dataset.name, model.name), []).extend(refs)


def _prompts(dataset: Dataset, how: How, part: str) -> Step:
    """Return the step that writes a slice's prompts: items in every template, or a selection of the dataset's own."""
    inputs: dict[str, Source] = {"items": Ref(f"{dataset.name}/items", part)}
    if own := how.render:
        named = f"{dataset.name}/prompts/{part}"
        return Step(named, own.kind, "prompts", own.params, {**inputs, **own.inputs}, ("prompts",))
    if how.budgets:
        inputs["budgets"] = Ref(f"{dataset.name}/budgets", part)
    if how.templates:
        inputs["templates"] = how.templates.pinned
    else:
        inputs["rendered"] = Ref(maker_step_name(dataset.name), "rendered")
    kind = "harness.kit.prompts:render" if how.templates else "harness.kit.prompts:pick"
    params = {SHOTS: how.shots} if how.shots else {}
    if how.shots:
        inputs[SHOTS] = Ref(maker_step_name(dataset.name), SHOTS)
    return Step(f"{dataset.name}/prompts/{part}", kind, "prompts", params, inputs, ("prompts",))


def _one_shard(asked: Asked, brief: Brief, dataset: Dataset, how: How, model: Model, part: str) -> None:
    """Add the steps that answer one slice with one model and score its answers."""
    shown = sees_gold(model)
    fits = not how.media or how.fits(model)
    inputs: dict[str, Source] = {"prompts": Ref(f"{dataset.name}/{'prompts' if fits else 'plain'}/{part}", "prompts")}
    if how.media and fits and model.calls:
        inputs["media"] = Ref(f"{dataset.name}/media/{part}", "media")
    answers: Mapping[str, Ref] = {
        "items": Ref(f"{dataset.name}/items", part),
        "gold": Ref(f"{dataset.name}/gold", part),
    }
    generation = dict(brief.generation)
    if generation.get("max_tokens") == "benchmark":
        generation["max_tokens"] = how.most(model) or "benchmark"
    seeds = sample_seeds(brief.seeds, how.samples)
    params = {**model.settings, "model": model.name, "seeds": list(seeds), "generation": generation}
    if model.weights:
        inputs["weights"] = tuple(model.weights.values())
        params["files"] = list(model.weights)
    if model.imported:
        inputs["imported"] = model.imported.rows
        del params["generation"]  # no model is asked
    respond = Step(
        f"{dataset.name}/responses/{model.name}/{part}",
        model.respond,
        "responses",
        params,
        {**inputs, **(answers if shown else {})},
        ("responses", "inference") if model.calls else ("responses",),
        batch=str(model.settings.get("batch", "none")),
        sees_gold=shown,
        calls=model.calls,
        infers=bool(model.weights),
        imported=model.imported.source if model.imported else "",
    )
    if model.imported:
        asked.imported.setdefault(model.name, []).append(respond)
    answered = {"responses": asked.add(respond, "responses"), **answers}
    of = _Taken(asked, how.taking, dataset, model, part, answered).of
    tried, judged = _tried_and_judged(asked, brief, dataset, how, model, part, of)
    if isinstance(how.score, str):
        needed = {name: Ref(maker_step_name(dataset.name), name) for name in how.rules_need}
        named = f"{dataset.name}/scores/{model.name}/{part}"
        step = Step(named, how.score, "scores", how.score_params, {**answered, **needed}, ("scores",))
        asked.scores.setdefault((dataset.name, model.name), []).append(asked.add(step, "scores"))
        return
    for scorer in how.score:
        seen = {**of(f"scorer {scorer.name}"), "prompts": inputs["prompts"]}
        step = _score(scorer, dataset, model, part, seen, {JUDGED: judged, TRIALS: tried})
        asked.scored.setdefault((dataset.name, model.name, scorer.name), []).append(asked.add(step))


@dataclass
class _Taken:
    """The answers of one shard that each judge, trial and scorer reads; steps that take some are added when needed."""

    asked: Asked
    taking: Taking | None
    dataset: Dataset
    model: Model
    part: str
    answered: Mapping[str, Ref]
    steps: dict[tuple[str, ...], Mapping[str, Ref]] = field(default_factory=dict)

    def of(self, reader: str) -> Mapping[str, Ref]:
        """Return the answers that a judge, trial or scorer reads."""
        if self.taking is None:
            return self.answered
        scorers = self.taking.readers[reader]
        if scorers not in self.steps:
            name = f"{self.dataset.name}/taken/{reader.replace(' ', '/')}/{self.model.name}/{self.part}"
            inputs: dict[str, Source] = {each: self.answered[each] for each in ("items", "responses")}
            step = Step(name, self.taking.kind, JUDGED, {"scorers": list(scorers)}, inputs, ("responses",))
            self.steps[scorers] = {**self.answered, "responses": self.asked.add(step)}
        return self.steps[scorers]


def _tried_and_judged(
    asked: Asked,
    brief: Brief,
    dataset: Dataset,
    how: How,
    model: Model,
    part: str,
    of: Callable[[str], Mapping[str, Ref]],
) -> tuple[dict[str, Ref], dict[str, Ref]]:
    """Add the trials and judgements of a shard of answers; return their tables by name."""
    tried: dict[str, Ref] = {}
    for one in how.trials:
        *before, last = trial_steps(one, AnswerShard(dataset.name, model.name, part, of(f"trial {one.name}")))
        asked.steps += before
        tried[one.name] = asked.add(last)
        asked.tried.setdefault((dataset.name, model.name, one.name), []).append(tried[one.name])
    judged: dict[str, Ref] = {}
    for judge in how.judges:
        shard = AnswerShard(dataset.name, model.name, part, of(f"judge {judge.name}"))
        *before, last = judge_steps(judge, brief, shard)
        asked.steps += before
        judged[judge.name] = asked.add(last)
        asked.judgements.setdefault((dataset.name, model.name, judge.name), []).append(judged[judge.name])
    return tried, judged


def _score(
    scorer: Scorer,
    dataset: Dataset,
    model: Model,
    part: str,
    inputs: Mapping[str, Source],
    said: Mapping[str, Mapping[str, Ref]],
) -> Step:
    """Return the step of one of several scorers, with only the inputs that it reads."""
    reads = {JUDGED: scorer.judges, TRIALS: scorer.trials}
    for table, names in reads.items():
        if strangers := [name for name in names if name not in said[table]]:
            raise InputError(f"scorer {scorer.name!r} reads {table} of {strangers[0]!r}, which this dataset has not")
    if strangers := sorted(scorer.instead.keys() - graded.UNSCORED):
        raise InputError(
            f"scorer {scorer.name!r} has a value for {strangers[0]!r}, which no score can be",
            next=f"use: {', '.join(graded.UNSCORED)}",
        )
    seen: dict[str, Source] = {name: ref for name, ref in inputs.items() if name != "prompts" or scorer.prompts}
    seen |= {name: Ref(maker_step_name(dataset.name), name) for name in scorer.needs}
    seen |= {table: tuple(said[table][name] for name in names) for table, names in reads.items() if names}
    params = {**scorer.params, **({graded.INSTEAD: dict(scorer.instead)} if scorer.instead else {})}
    return Step(
        f"{dataset.name}/scores/{scorer.name}/{model.name}/{part}", scorer.kind, "scores", params, seen, ("scores",)
    )


def sees_gold(model: Model) -> bool:
    """Whether a model is a baseline that is shown the right answers (gold), which record and report must say."""
    return model.stand_in is not None and model.stand_in.sees_gold
