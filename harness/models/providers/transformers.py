"""The provider `transformers`: inference with open weights from pinned files, on this machine, without a network.

Batch `reference` runs one request at a time, on one thread unless the run sets more, and is bit-exact. Batch N runs N
at a time, and its log-probabilities differ in the last digits, so the batch is part of the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from harness import rows, texts
from harness.models.local.decode import (
    NO_ROOM,
    BatchUse,
    Decoded,
    DecodeRequest,
    answer_all,
    request_seed,
    sampling_rule,
)
from harness.models.local.load import (
    REFERENCE,
    UNTRAINED,
    LoadedModel,
    batch_size,
    hold_causal,
    model_input,
    open_causal,
    step_model,
    template_digest,
    with_batch_policy,
)
from harness.models.local.torch_setup import fingerprint_torch
from harness.models.provider import (
    LATE,
    CheckedText,
    Completion,
    CompletionRequest,
    Line,
    Settings,
    Weights,
    require_text,
    with_token_limit,
)
from harness.rowtypes import Prompt
from harness.steps import FACTS

_PART = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
PACKAGE = rf"^package:{_PART}(/{_PART})?$"
BATCH = texts.matching_validator(r"^(reference|[1-9][0-9]{0,4})$", "`reference`, or how many at a time")


@dataclass(frozen=True, kw_only=True)
class TransformersSettings(Settings):
    """Settings of a local model: source of its weights (project folder, `folder:`, `package:`, `hf:`), dtype, batch.

    Also whether prompts go through its chat template, log-probabilities, quantisation, and the seed of untrained
    weights.
    """

    source: Line
    revision: Annotated[str, CheckedText(texts.matching_validator(texts.HEX40, "the commit: 40 hex digits"))] | None = (
        None
    )
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    batch: Annotated[str, CheckedText(BATCH)] = REFERENCE
    chat: bool = False
    logprobs: int | None = None
    quantisation: Literal["nf4"] | None = None
    unresolved: Line | None = field(default=None, metadata=LATE)  # why there is no revision; the model cannot be run
    untrained: int | None = field(default=None, metadata=LATE)  # the seed of its weights, if they are not in files

    def __post_init__(self) -> None:
        """Raise ValueError for a hub model without a revision, a folder outside the project, or values out of range."""
        if self.logprobs is not None and not 1 <= self.logprobs <= 100:
            raise ValueError("`logprobs` is a number from 1 to 100")
        if self.untrained is not None and not 0 <= self.untrained < 2**53:
            raise ValueError("`untrained` is a seed: a whole number, 0 or more")
        if self.untrained is not None and self.quantisation:
            raise ValueError("weights that are drawn are not packed: leave `quantisation` or `untrained` out")
        if self.source.startswith("package:"):
            texts.matching_validator(PACKAGE, "`package:` and the name of a package, maybe with `/FOLDER`")(self.source)
        elif not self.source.startswith("hf:"):
            texts.validate_inside_path(self.source.removeprefix("folder:"))
        elif (self.revision is None) == (self.unresolved is None):
            raise ValueError("a model from a hub needs a pin: add `revision: <40 hex digits>`")

    def answer_params(self) -> dict[str, Any]:
        """Return what can change an answer; the files are pinned separately, and their location does not matter."""
        chosen = {name: getattr(self, name) for name in ("dtype", "batch", "chat", "logprobs", "quantisation")}
        return {**chosen, **({} if self.untrained is None else {UNTRAINED: self.untrained})}

    @property
    def weights(self) -> Weights:
        """The source of its weights, their revision, and whether they are drawn from a seed instead."""
        return Weights(self.source, self.revision, self.unresolved, self.untrained is not None)

    @property
    def scores_continuations(self) -> bool:
        """Whether it scores given continuations; True for every local model."""
        return True


PROVIDER = TransformersSettings
WARM = hold_causal


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `responses`, one row per prompt and seed in the order of the prompts, and facts about their computation.

    Without prompts, no weights are loaded and no facts are written, so that a judging round that is not needed costs
    only the start of a step.
    """
    if not rows.count(inputs["prompts"]):
        rows.write(out / "responses", ())
        return
    params = with_batch_policy(params)
    size = batch_size(params["batch"])
    with step_model(open_causal, inputs, params) as loaded:
        model = LocalModel(params["model"], loaded, size, bool(params.get("chat")), params.get("logprobs"))
        requests = _requests(inputs["prompts"], params["seeds"], params.get("generation", {}))
        written = rows.write(out / "responses", (response.row() for response in model.complete(requests)))
    used = model.used
    rows.write_one(
        out / FACTS,
        {
            **loaded.facts,
            "chat_template": template_digest(loaded.tokenizer) if model.templated else loaded.facts["chat_template"],
            "batch": params["batch"],
            "batch_used": REFERENCE if params["batch"] == REFERENCE else str(used.least),
            "batches_redone": used.redone,
            "model": params["model"],
            "numerics": fingerprint_torch(),
            "responses": written,
            "window": loaded.window,
        },
    )


def _requests(prompts: Path, given: Sequence[int], generation: Mapping[str, Any]) -> Iterator[CompletionRequest]:
    for row in rows.read(prompts, Prompt):
        require_text(row)
        for sample, seed in enumerate(given):
            bounded, turns = with_token_limit(generation, row), row.get("messages")
            yield CompletionRequest(row["item"], row["template"], sample, row.get("text", ""), seed, bounded, turns)


class LocalModel:
    """A local model; it yields completions in the order of the requests, and does not truncate prompts."""

    def __init__(self, name: str, loaded: LoadedModel, size: int = 1, chat: bool = False, logprobs: int | None = None):
        self.name, self.loaded, self.size, self.chat, self.logprobs = name, loaded, size, chat, logprobs
        self.used = BatchUse(size, size)
        self.templated = False  # whether a prompt went through the model's chat template

    def complete(self, requests: Iterable[CompletionRequest]) -> Iterator[Completion]:
        """Yield a completion of each request; one that does not fit the window or memory becomes an error row."""
        requests = list(requests)
        asks = [self.ask(request) for request in requests]
        sound = [ask for ask in asks if isinstance(ask, DecodeRequest)]
        answers, self.used = answer_all(self.loaded, sound, self.size)
        waiting = iter(answers)
        for request, ask in zip(requests, asks, strict=True):
            if isinstance(ask, str):
                yield self._error(request, ask)
                continue
            answer = next(waiting)
            yield self._error(request, NO_ROOM) if answer is None else self._answer(request, ask, answer)

    def ask(self, request: CompletionRequest) -> DecodeRequest | str:
        """Convert a request to a decoding request; return an error message for a prompt that cannot be answered.

        A prompt cannot be answered if it has no tokens, or if it leaves no room for an answer in the window; it is not
        truncated.
        """
        how = sampling_rule(request.generation)
        limit = int(request.generation.get("max_tokens", 256))
        read = model_input(self.loaded, request.text, request.messages, self.chat, request.item)
        self.templated |= read.templated
        tokens = read.tokens(self.loaded)
        room = limit
        if self.loaded.window is not None:
            room = self.loaded.window - len(tokens)
            if room < 1:
                return f"the prompt has {len(tokens)} tokens, the window holds {self.loaded.window}"
        if not tokens:
            return "the prompt has no tokens"
        seed = request_seed(request.seed, request.item, request.template, request.sample)
        stops = tuple(request.generation.get("stop", ()))
        return DecodeRequest(tokens, min(limit, room), seed, how, stops, self.logprobs)

    def _answer(self, request: CompletionRequest, ask: DecodeRequest, answer: Decoded) -> Completion:
        return Completion(
            request.item,
            request.template,
            self.name,
            request.sample,
            answer.text,
            answer.finish,
            usage={"prompt_tokens": len(ask.tokens), "completion_tokens": answer.spent},
            logprobs=answer.logprobs if ask.logprobs is not None else None,
        )

    def _error(self, request: CompletionRequest, why: str) -> Completion:
        return Completion(request.item, request.template, self.name, request.sample, "", "error", error=why)
