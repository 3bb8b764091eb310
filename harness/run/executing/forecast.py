"""Forecast of asking: for each model of a run, the number of answers and tokens, and the most they can cost.

Everything is known before a model is asked, and each estimate says what it is based on: outputs of steps that follow
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
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock
from harness.run.closure import code_root
from harness.run.executing.workshop import OTHER, StepResult, Workshop
from harness.run.locking.models import INSTRUMENTS, MODELS, NamedModel, every_model, model_folder
from harness.run.planning.plan import CUT
from harness.run.progress import ERROR, StepSchedule
from harness.steps import JUDGED, Pinned, Plan, Ref, Step, maker_step_name, step_key
from harness.store.journal import Preimage
from harness.store.store import Entry, Store

TOKENIZER = "tokenizer.json"  # one of a model's files


def count_tokens(tokenizer: bytes, texts: Sequence[str]) -> int | None:
    """Count the tokens of texts with a `tokenizer.json`; None if the library is missing or cannot read the file."""
    if importlib.util.find_spec("tokenizers") is None:
        return None
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

    try:
        reader = Tokenizer.from_buffer(tokenizer)
    except ValueError:
        return None
    return sum(len(each.ids) for each in reader.encode_batch(list(texts)))


def slice_sizes(cut: Step) -> dict[str, int]:
    """Return the number of rows of each slice, from the cutting step's parameters; empty if they do not tell."""
    size, ends = cut.params.get("size"), cut.params.get("ends", [cut.params.get("rows")])
    if not isinstance(size, int) or size < 1 or not all(isinstance(end, int) for end in ends):
        return {}
    pieces = ((start, end) for first, end in zip([0, *ends], ends, strict=False) for start in range(first, end, size))
    return dict(zip(cut.outputs, (min(size, end - start) for start, end in pieces), strict=False))


def foreseen_outputs(step: Step, made: Mapping[tuple[str, str], str], lock: Lock, store: Store) -> dict[str, str]:
    """Return the digests that a step's outputs will have, if lock and store tell all of them; else an empty map."""
    for name, pin in lock.pins["datasets"].items():
        if step.name == maker_step_name(name):
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


SAMPLE = 50_000  # characters of the first texts, which are a sample of all
SHOWN = ("text", "messages", "continuations", "content")  # fields of a prompt that a model reads
ASKED = ("input", "options")  # fields of an item that a wording may show


@dataclass(frozen=True)
class PromptSizes:
    """Sizes of the prompts of one step: their number, their characters, and some of their texts.

    `written` says that the prompts were counted. Otherwise the sizes are estimated from the items, and `texts` are
    texts of items.
    """

    rows: int
    characters: int
    texts: tuple[str, ...] = ()
    written: bool = True
    images: int = 0
    budget: int | None = None  # the sum of the prompts' own budgets of tokens, if each has one
    unread: bool = False  # the data is not in the store: of the sizes, only the number is known

    @property
    def sampled(self) -> int:
        """The number of characters in the sample."""
        return sum(map(len, self.texts))


UNKNOWN = PromptSizes(0, 0, written=False)


@dataclass
class PromptMeasure:
    """Measure of the prompts of a plan's steps, as far as a schedule has come; each file is read once."""

    lock: Lock
    schedule: StepSchedule
    store: Store | None
    steps: dict[str, Step] = field(init=False)  # of the plan, by name
    _files: dict[str, PromptSizes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the steps of the plan by name."""
        self.steps = {step.name: step for step in self.schedule.plan.steps}

    def sizes(self, prompts: Ref) -> PromptSizes:
        """Return the sizes of the prompts in a step's output, counted or estimated; UNKNOWN if neither is possible."""
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
        if rows is None:
            return UNKNOWN
        wordings = _wordings(self.schedule.plan.pinned, step)
        if pin is None:
            return PromptSizes(rows * len(wordings), 0, written=False, unread=True)
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
        """Return the digest that the lock pins for an output of a dataset's maker; None if it is not in the store."""
        for name, pin in self.lock.pins["datasets"].items():
            if made.step == maker_step_name(name) and isinstance(part := pin.get(made.output), Mapping):
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
    """Yield the texts in a value; of a message its content, not its role."""
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


PER_TOKEN = 4  # characters, if there is no tokenizer
READ, GUESSED = "by its tokenizer", "characters / 4"
BEFORE = "estimated from the items, "  # as long as no prompt is written
ROUGH = ("", READ, GUESSED, BEFORE + READ, BEFORE + GUESSED)  # bases of estimates, the best first


class TokenEstimator:
    """Estimator of tokens for the models of one locked manifest; each tokenizer reads one sample of the prompts."""

    def __init__(self, loaded: LoadedManifest, lock: Lock) -> None:
        self.loaded, self.lock = loaded, lock
        self._shares: dict[tuple[str, str], Fraction | None] = {}  # tokens for each character, by part and model

    def estimate(self, named: NamedModel, sizes: PromptSizes) -> tuple[int, str]:
        """Estimate the tokens of prompts for a model; return the number and what it is based on."""
        share = self._share(named, sizes)
        told = GUESSED if share is None else READ
        tokens = -(-sizes.characters // PER_TOKEN) if share is None else round(share * sizes.characters)
        return tokens, told if sizes.written else BEFORE + told

    def _share(self, named: NamedModel, sizes: PromptSizes) -> Fraction | None:
        """Return the number of tokens for each character in the first sample; None without a tokenizer."""
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
            return read_plain((model_folder(self.loaded.root, weights, self.loaded.homes) / TOKENIZER).resolve())
        except HarnessError:
            return (
                None  # a link of the hub's tools, or a missing folder: the store has the bytes, or the run reports it
            )


MILLION = Decimal(1_000_000)
BOUNDS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class AskingForecast:
    """Forecast of what one model is asked: answers, tokens and dollars; None if a number cannot be known before."""

    part: str  # models | instruments
    model: str
    answers: int  # asked for in all
    stored: int  # of these, those in the store already
    prompt_tokens: int | None  # of what is to be asked
    counted_by: str  # what the number of prompt tokens is based on
    output_tokens: int | None  # at most
    tape: str = ""  # replay | record | live, for a model behind an API
    dollars: Decimal | None = None  # at most, or for the prompts alone if the output has no bound; None: not known
    images: int = 0  # that go along with the prompts; their tokens are not counted
    service: str = ""  # what is known of the price of a model behind an API: priced | unpriced; empty: any other model

    @property
    def to_ask(self) -> int:
        """The number of answers that are not in the store."""
        return self.answers - self.stored

    def text(self) -> str:
        """Format the forecast in one line."""
        name = f"instrument {self.model}" if self.part == INSTRUMENTS else self.model
        if not self.to_ask:
            return f"{name}: nothing to ask, {self.stored:,} answers are in the store"
        most = "at most " if self.part == INSTRUMENTS else ""
        parts = [f"{name}: {most}{self.to_ask:,} answers to ask for"]
        parts += [f"{self.stored:,} in the store"] * bool(self.stored)
        if self.tape == "replay":
            return ", ".join([*parts, "replayed from its tape: nothing is sent"])
        parts.append(
            f"prompt tokens not known before {'what is judged' if self.part == INSTRUMENTS else 'the data'} is there"
            if self.prompt_tokens is None
            else f"about {self.prompt_tokens:,} prompt tokens ({self.counted_by})"
        )
        bound = "output tokens without a bound" if self.output_tokens is None else ""
        parts += [f"{self.images:,} images, which are not counted"] * bool(self.images)
        parts.append(bound or f"at most {self.output_tokens:,} output tokens")
        if self.dollars is not None:
            cost = format_dollars(self.dollars)
            parts.append(f"the prompts about {cost}" if bound else f"about {cost} at most")
        elif self.service == PRICED:
            parts.append("the cost not known before")
        parts += ["what is on its tape is not asked again"] * (self.tape == "record")
        return ", ".join(parts)

    @property
    def money(self) -> str:
        """The expected cost as text: an amount with what it bounds, and what is unknown if anything is.

        Empty for a model that no provider is paid for, such as one of this machine.
        """
        if not self.service:
            return ""
        if not self.to_ask or self.tape == "replay":
            return "nothing"
        if self.dollars is None:
            return "unknown: " + (NO_PRICES if self.service == UNPRICED else "what is asked is not known before")
        cost = format_dollars(self.dollars)
        return f"at least {cost}: nothing bounds the output" if self.output_tokens is None else f"at most {cost}"


PRICED, UNPRICED = "priced", "unpriced"
NO_PRICES = "the manifest states no `prices`"


def format_dollars(dollars: Decimal) -> str:
    """Format an amount of money; a very small one as less than a cent."""
    return "under $0.01" if 0 < dollars < Decimal("0.01") else f"${dollars:,.2f}"


def look_up(workshop: Workshop, parts: Preimage) -> tuple[Entry | None, str]:
    """Look a step up by its key's preimage in the store, as a run would, but without writing anything."""
    store = workshop.store
    try:
        entry = store.entries.get(step_key(parts))
    except HarnessError as bad:
        return None, f"entry: {bad.what}"
    if entry is None:
        return None, ""
    for name, output in entry.outputs.items():
        state = store.blobs.state(output.sha256)
        if state != "sound":
            return None, f"output {name} was {state}"
    if workshop.executed.has(entry):
        return entry, ""
    return None, OTHER if workshop.executed.has_other(entry) else ""


def look_up_steps(
    plan: Plan, lock: Lock, workshop: Workshop | None, wanted: frozenset[str] | None = None
) -> StepSchedule:
    """Look up the steps of a plan in the store, as a run would; with `wanted`, only those.

    No step is executed, and nothing is written.

    If a step is not in the store but its outputs are known, the steps that read them are looked up too.
    """
    schedule = StepSchedule(plan)
    ready = schedule.first() if workshop else []
    while ready and workshop:
        step = ready.pop()
        if wanted is not None and step.name not in wanted:
            continue
        entry, _ = look_up(workshop, workshop.preimage(step, schedule.made))
        if entry:
            ready += schedule.done(step, StepResult(entry, "cached", {}))
        elif known := foreseen_outputs(step, schedule.made, lock, workshop.store):
            ready += schedule.foresee(step, known)
    return schedule


def takes_prompts(step: Step) -> bool:
    """Whether a step reads one shard of prompts, as a step does that asks a model or a stand-in."""
    return isinstance(step.inputs.get("prompts"), Ref)


def asking_steps(plan: Plan) -> list[Step]:
    """List the steps of a plan in which a model is asked, local or at a provider."""
    return [step for step in plan.steps if (step.calls or step.infers) and takes_prompts(step)]


def look_up_asking_steps(plan: Plan, lock: Lock, workshop: Workshop) -> StepSchedule:
    """Look up in the store the steps that ask models, and those on which their prompts depend; none is executed."""
    wanted = {step.name for step in asking_steps(plan)}
    for step in reversed(plan.steps):
        if step.name in wanted:
            wanted |= {ref.step for ref in step.refs()}
    with workshop.store.in_use():
        return look_up_steps(plan, lock, workshop, frozenset(wanted))


def forecast_before(loaded: LoadedManifest, lock: Lock, plan: Plan, workshop: Workshop) -> list[AskingForecast]:
    """Forecast what a run will ask; only the steps that answers depend on are looked up."""
    if not asking_steps(plan):
        return []
    with workshop.store.in_use():
        return forecast_asking(loaded, lock, look_up_asking_steps(plan, lock, workshop), workshop.store)


def forecast_asking(
    loaded: LoadedManifest, lock: Lock, schedule: StepSchedule, store: Store | None
) -> list[AskingForecast]:
    """Forecast what each model of a manifest is still asked, from a schedule that holds the results in the store."""
    told = _Known(loaded, PromptMeasure(lock, schedule, store), TokenEstimator(loaded, lock), schedule, store)
    models = {(one.part, one.name): one for one in every_model(loaded.manifest)}
    found: dict[tuple[str, str], list[AskingForecast]] = {}
    for step in asking_steps(schedule.plan):
        named = models.get((INSTRUMENTS if step.stage == JUDGED else MODELS, str(step.params.get("model"))))
        if named:
            one = _step_forecast(named, step, told)
            told.answers[step.name] = one.answers
            found.setdefault((named.part, named.name), []).append(one)
    return [add_forecasts(each) for each in found.values()]


@dataclass(frozen=True)
class _Known:
    """What is known of a run before it begins: its prompts, tokens, what the store holds, and answers so far."""

    loaded: LoadedManifest
    measure: PromptMeasure
    tokens: TokenEstimator
    schedule: StepSchedule
    store: Store | None
    answers: dict[str, int] = field(default_factory=dict)  # by the step that asks for them

    def judged(self, prompts: Ref) -> int:
        """Count the answers that a step writes prompts about; 0 if another round has asked about them already."""
        step = self.measure.steps[prompts.step]
        source = step.inputs.get("responses")
        return self.answers.get(source.step, 0) if isinstance(source, Ref) and "unread" not in step.inputs else 0


def _step_forecast(named: NamedModel, step: Step, told: _Known) -> AskingForecast:
    often = len(step.params.get("seeds", (0,)))
    service = named.model.service
    base = AskingForecast(
        named.part,
        named.name,
        0,
        0,
        0,
        "",
        0,
        service.tape if service else "",
        Decimal(0) if service else None,  # of what is not asked
        service=(PRICED if service.told.get("prices") else UNPRICED) if service else "",
    )
    result = told.schedule.results.get(step.name)
    if result and told.store:
        with open(told.store.blobs.deliver(result.entry.outputs[step.outputs[0]].sha256), "rb") as lines:
            rows = sum(1 for line in lines if not line.startswith(ERROR))  # an error is no answer
        return replace(base, answers=rows, stored=rows)
    prompts = step.inputs["prompts"]
    assert isinstance(prompts, Ref)
    sizes = told.measure.sizes(prompts)
    if not sizes.rows and not sizes.written:
        about = told.judged(prompts) * often
        most = _most(step, about, None)
        asked = replace(base, answers=about, prompt_tokens=None if about else 0, output_tokens=most)
        return replace(asked, dollars=_dollars(service.told.get("prices") if service else None, asked))
    tokens, counted = (None, "") if sizes.unread else told.tokens.estimate(named, sizes)
    asked = replace(
        base,
        answers=sizes.rows * often,
        prompt_tokens=None if tokens is None else tokens * often,
        counted_by=counted,
        output_tokens=_most(step, sizes.rows * often, sizes.budget),
        images=sizes.images * often,
    )
    return replace(asked, dollars=_dollars(service.told.get("prices") if service else None, asked))


def _most(step: Step, answers: int, budget: int | None) -> int | None:
    """Return the most tokens that answers can have; None if nothing limits them."""
    if "likelihoods" in step.outputs or not answers:
        return 0
    said = step.params.get("generation", {})
    bounds = [said[name] for name in BOUNDS if said.get(name) is not None]
    if isinstance(budget, int) and "benchmark" in bounds:
        return budget * len(step.params.get("seeds", (0,)))
    return answers * min(bounds) if bounds and all(isinstance(bound, int) for bound in bounds) else None


def _dollars(prices: Any, asked: AskingForecast) -> Decimal | None:
    """Return the most that tokens cost at the prices in a manifest, 0 if replayed from a tape; None if not known."""
    if asked.tape == "replay" or (asked.service and not asked.to_ask):
        return Decimal(0)
    if not prices or asked.prompt_tokens is None:
        return None
    output = asked.output_tokens or 0
    return (asked.prompt_tokens * Decimal(prices["input"]) + output * Decimal(prices["output"])) / MILLION


def add_forecasts(parts: Iterable[AskingForecast]) -> AskingForecast:
    """Add up the forecasts of one model's steps; what is unknown for one step is unknown in the sum."""
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
            dollars=None if whole.dollars is None or one.dollars is None else whole.dollars + one.dollars,
        )
    return whole


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def count_answers(step: Step, measure: PromptMeasure) -> int | None:
    """Return how many answers a step asks for or has in the store; None if that is not known before."""
    result, prompts = measure.schedule.results.get(step.name), step.inputs["prompts"]
    if result and measure.store:
        with open(measure.store.blobs.deliver(result.entry.outputs[step.outputs[0]].sha256), "rb") as lines:
            return sum(1 for _ in lines)
    assert isinstance(prompts, Ref)
    sizes = measure.sizes(prompts)
    known = sizes.rows or sizes.written
    return sizes.rows * len(step.params.get("seeds", (0,))) if known else None


def describe_asking(forecasts: Iterable[AskingForecast]) -> Iterator[str]:
    """Yield a line for each model that a run is about to ask: how many answers, tokens and dollars are expected."""
    yield from (one.text() for one in forecasts if one.to_ask)
