"""Forecast of asking: how many answers a run will ask each model for, of how many tokens, at what cost at most.

Everything in it is known before a model is asked, and each estimate says what it rests on: outputs of steps that follow
from the lock (datasets and slices of them), and the tokens that a local model's own tokenizer makes of texts.
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import HarnessError
from harness.files import read_plain
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.run.closure import code_root
from harness.run.executing.workshop import StepResult, Workshop
from harness.run.locking.models import INSTRUMENTS, MODELS, NamedModel, every_model, folder_of
from harness.run.progress import StepSchedule
from harness.steps import JUDGED, Pinned, Plan, Ref, Step, maker
from harness.store.store import Store

TOKENIZER = "tokenizer.json"  # of a model's files


def count_tokens(tokenizer: bytes, texts: Sequence[str]) -> int | None:
    """Count the tokens of texts by a `tokenizer.json`; None where the library is absent or cannot read the file."""
    if importlib.util.find_spec("tokenizers") is None:
        return None
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

    try:
        reader = Tokenizer.from_buffer(tokenizer)
    except ValueError:
        return None
    return sum(len(each.ids) for each in reader.encode_batch(list(texts)))


CUT = ":cut"  # what the kinds of the steps end with that cut a table into slices


def slice_sizes(cut: Step) -> dict[str, int]:
    """Count the rows of each slice by the parameters of the step that cuts; empty where they do not tell."""
    size, ends = cut.params.get("size"), cut.params.get("ends", [cut.params.get("rows")])
    if not isinstance(size, int) or size < 1 or not all(isinstance(end, int) for end in ends):
        return {}
    pieces = ((start, end) for first, end in zip([0, *ends], ends, strict=False) for start in range(first, end, size))
    return dict(zip(cut.outputs, (min(size, end - start) for start, end in pieces), strict=False))


def foreseen_outputs(step: Step, made: Mapping[tuple[str, str], str], lock: Lock, store: Store) -> dict[str, str]:
    """Return the digests that a step's outputs will have, where lock and store tell all of them; else nothing."""
    for name, pin in lock.pins["datasets"].items():
        if step.name == maker(name):
            pinned = {output: pin.get(output) for output in step.outputs}
            found = {output: str(part["sha256"]) for output, part in pinned.items() if isinstance(part, Mapping)}
            sound = all(store.blobs.state(digest) == "sound" for digest in found.values())
            return found if sound and len(found) == len(step.outputs) else {}
    rows = step.inputs.get("rows")
    if step.kind.endswith(CUT) and isinstance(rows, Ref) and len(sizes := slice_sizes(step)) == len(step.outputs):
        return _digests(made[rows.step, rows.output], sizes, store)
    return {}


def _digests(table: str, sizes: Mapping[str, int], store: Store) -> dict[str, str]:
    if store.blobs.state(table) != "sound":
        return {}
    with store.blobs.open(table) as lines:
        return {part: sha256(b"".join(islice(lines, size))) for part, size in sizes.items()}


SAMPLE = 50_000  # characters of the first texts, which stand for all of them
SHOWN = ("text", "messages", "continuations", "content")  # of a prompt: what a model reads
ASKED = ("input", "options")  # of an item: what a wording may show


@dataclass(frozen=True)
class PromptSizes:
    """Sizes of the prompts of one step: how many, of how many characters, and some of their texts.

    `written` tells whether they were counted; else they are estimated from the items, and `texts` are those.
    """

    rows: int
    characters: int
    texts: tuple[str, ...] = ()
    written: bool = True
    images: int = 0
    budget: int | None = None  # the sum of the prompts' own budgets of tokens, where each has one

    @property
    def sampled(self) -> int:
        """Characters of the sample."""
        return sum(map(len, self.texts))


UNKNOWN = PromptSizes(0, 0, written=False)


@dataclass
class PromptMeasure:
    """Measures the prompts of steps, each file once: of one run's plan, by its lock, as far as a schedule has come."""

    lock: Lock
    schedule: StepSchedule
    store: Store | None
    steps: dict[str, Step] = field(init=False)  # of the plan, by name
    _files: dict[str, PromptSizes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the steps of the plan by their names."""
        self.steps = {step.name: step for step in self.schedule.plan.steps}

    def sizes(self, prompts: Ref) -> PromptSizes:
        """Return the sizes of the prompts that a step's output is, or will be; UNKNOWN where nothing tells them."""
        digest = self.schedule.made.get((prompts.step, prompts.output))
        if digest and self.store:
            return self._file(digest, _prompt_texts)
        step = self.steps[prompts.step]
        items = step.inputs.get("items")
        if not isinstance(items, Ref) or "responses" in step.inputs:
            return UNKNOWN
        cut = self.steps[items.step]
        rows = slice_sizes(cut).get(items.output)
        whole = cut.inputs.get("rows")
        pin = self._pinned(whole) if isinstance(whole, Ref) else None
        if rows is None or pin is None:
            return UNKNOWN
        wordings = _wordings(self.schedule.plan.pinned, step)
        sample = self._file(pin, _item_texts)
        each = sample.characters / max(1, sample.rows)
        shots = 1 + int(step.params.get("shots", 0))
        return PromptSizes(
            rows * len(wordings),
            int(rows * math.fsum(length + shots * each for length in wordings)),
            sample.texts,
            False,
        )

    def _pinned(self, made: Ref) -> str | None:
        """Return the digest by which a lock knows what a dataset's maker gives; None where it is not in the store."""
        for name, pin in self.lock.pins["datasets"].items():
            if made.step == maker(name) and isinstance(part := pin.get(made.output), Mapping):
                digest = str(part.get("sha256"))
                return digest if self.store and self.store.blobs.state(digest) == "sound" else None
        return None

    def _file(self, digest: str, texts: Any) -> PromptSizes:
        """Measure a table of the store: all of its rows, and a sample of its texts."""
        if digest not in self._files:
            assert self.store
            with open(self.store.blobs.deliver(digest), "rb") as lines:
                self._files[digest] = _measured(lines, texts)
        return self._files[digest]


def _measured(lines: Any, texts: Any) -> PromptSizes:
    rows = characters = budget = budgets = images = 0
    room = SAMPLE
    sample: list[str] = []
    for line in lines:
        row = json.loads(line)
        text = "\n".join(texts(row))
        rows, characters = rows + 1, characters + len(text)
        if isinstance(most := row.get("max_tokens"), int):
            budgets, budget = budgets + 1, budget + most
        if room > 0:
            sample.append(text[:room])
            room -= len(text)
        images += len(row.get("attachments", ()))
    return PromptSizes(rows, characters, tuple(sample), budget=budget if budgets == rows else None, images=images)


def _prompt_texts(row: Mapping[str, Any]) -> Iterator[str]:
    for name in SHOWN:
        yield from _strings(row.get(name))


def _item_texts(row: Mapping[str, Any]) -> Iterator[str]:
    for name in ASKED:
        yield from _strings(row.get(name))


def _strings(value: Any) -> Iterator[str]:
    """Iterate over the texts in a value; of a message what is said, not by whom."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for name, part in value.items() if name != "role" for text in _strings(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _strings(part))


def _wordings(pinned: Mapping[str, str], step: Step) -> list[int]:
    """Return the length of each wording of a prompt step: those of a pinned file, or those in its parameters."""
    source = step.inputs.get("templates")
    if isinstance(source, Pinned) and source.sha256 in pinned:
        with open(Path(code_root()) / pinned[source.sha256], "rb") as lines:
            return [len(str(json.loads(line).get("text", ""))) for line in islice(lines, 10_000)]
    said = step.params.get("wordings")
    return [sum(map(len, _strings(one))) for one in said] if isinstance(said, list | tuple) and said else [0]


PER_TOKEN = 4  # characters, where no tokenizer is at hand
READ, GUESSED = "by its tokenizer", "characters / 4"
BEFORE = "estimated from the items, "  # as long as no prompt is written
ROUGH = ("", READ, GUESSED, BEFORE + READ, BEFORE + GUESSED)  # what estimates rest on, from the best to the roughest


class TokenEstimator:
    """Estimates tokens for the models of one locked manifest; each tokenizer reads one sample of the prompts."""

    def __init__(self, loaded: Loaded, lock: Lock) -> None:
        self.loaded, self.lock = loaded, lock
        self._shares: dict[tuple[str, str], Fraction | None] = {}  # tokens for each character, by part and model

    def estimate(self, named: NamedModel, sizes: PromptSizes) -> tuple[int, str]:
        """Estimate the tokens of prompts for a model; gives the number and what it rests on."""
        share = self._share(named, sizes)
        told = GUESSED if share is None else READ
        tokens = -(-sizes.characters // PER_TOKEN) if share is None else round(share * sizes.characters)
        return tokens, told if sizes.written else BEFORE + told

    def _share(self, named: NamedModel, sizes: PromptSizes) -> Fraction | None:
        """Return the tokens for each character, by the first sample there is; None where no tokenizer is here."""
        model = named.part, named.name
        if model not in self._shares and sizes.sampled:
            tokenizer = self._tokenizer(named)
            counted = count_tokens(tokenizer, sizes.texts) if tokenizer else None
            self._shares[model] = None if counted is None else Fraction(counted, sizes.sampled)
        return self._shares.get(model)

    def _tokenizer(self, named: NamedModel) -> bytes | None:
        weights, pin = named.model.weights, self.lock.of(named.part).get(named.name, {})
        if not weights or TOKENIZER not in pin.get("files", {}):
            return None
        try:
            return read_plain((folder_of(self.loaded.root, weights, self.loaded.homes) / TOKENIZER).resolve())
        except HarnessError:
            return (
                None  # a link of the hub's tools, or a folder that is gone: its bytes are in the store, or the run says
            )


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
        base,
        answers=sizes.rows * often,
        prompt_tokens=tokens * often,
        counted_by=counted,
        output_tokens=_most(step, sizes.rows * often, sizes.budget),
        images=sizes.images * often,
    )
    return replace(asked, dollars=_dollars(service.told.get("prices") if service else None, asked))


def _most(step: Step, answers: int, budget: int | None) -> int | None:
    """Return the number of tokens that answers have at most; None where nothing bounds them."""
    if "likelihoods" in step.outputs or not answers:
        return 0
    said = step.params.get("generation", {})
    bounds = [said[name] for name in BOUNDS if said.get(name) is not None]
    if isinstance(budget, int) and "benchmark" in bounds:
        return budget * len(step.params.get("seeds", (0,)))
    return answers * min(bounds) if bounds and all(isinstance(bound, int) for bound in bounds) else None


def _dollars(prices: Any, asked: AskingForecast) -> Decimal | None:
    """Return what tokens cost at most, at the prices that a manifest gives; None without prices, 0 from a tape."""
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
