"""The provider `transformers`: open weights from pinned files, on this machine, without a network.

Batch `reference` asks one request at a time on one thread: the bit-exact level. Batch N asks N at a time, and rounds
log-probabilities otherwise in their last digits, which is why the key holds the batch.
It must never know a benchmark, an answer or a store.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from harness import rows, texts
from harness.models.local.batch import NO_ROOM, Used, answer_all
from harness.models.local.chat import shown
from harness.models.local.choose import request_seed, rule
from harness.models.local.decode import Answer, Ask
from harness.models.local.load import REFERENCE, UNTRAINED, Loaded, batch_size, laid, open_causal, template_digest
from harness.models.local.numerics import fingerprint
from harness.models.model import Request, Response, limited, require_text
from harness.models.provider import LATE, Checked, Line, Settings, Weights
from harness.rowtypes import Prompt
from harness.steps import FACTS

PACKAGE = r"^package:[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$"
BATCH = texts.matching(r"^(reference|[1-9][0-9]{0,4})$", "`reference`, or how many at a time")


@dataclass(frozen=True, kw_only=True)
class TransformersSettings(Settings):
    """Open weights: a folder of the project, `folder:NAME` elsewhere, those of `package:NAME`, or a hub's revision."""

    source: Line
    revision: Annotated[str, Checked(texts.matching(texts.HEX40, "the commit: 40 hex digits"))] | None = None
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    batch: Annotated[str, Checked(BATCH)] = REFERENCE
    chat: bool = False
    logprobs: int | None = None
    quantisation: Literal["nf4"] | None = None
    unresolved: Line | None = field(default=None, metadata=LATE)  # why there is no revision: it cannot be run
    untrained: int | None = field(default=None, metadata=LATE)  # from which seed its weights are drawn: no file's then

    def __post_init__(self) -> None:
        """Refuse a model that is not pinned, and a folder that is not the project's."""
        if self.logprobs is not None and not 1 <= self.logprobs <= 100:
            raise ValueError("`logprobs` is a number from 1 to 100")
        if self.untrained is not None and not 0 <= self.untrained < 2**53:
            raise ValueError("`untrained` is a seed: a whole number, 0 or more")
        if self.untrained is not None and self.quantisation:
            raise ValueError("weights that are drawn are not packed: leave `quantisation` or `untrained` out")
        if self.source.startswith("package:"):
            texts.matching(PACKAGE, "`package:` and the name of a package")(self.source)
        elif not self.source.startswith("hf:"):
            texts.inside(self.source.removeprefix("folder:"))
        elif (self.revision is None) == (self.unresolved is None):
            raise ValueError("a model from a hub needs a pin: add `revision: <40 hex digits>`")

    def answering(self) -> dict[str, Any]:
        """Give what can change an answer: what its files are stands beside, where they lie does not."""
        told = {name: getattr(self, name) for name in ("dtype", "batch", "chat", "logprobs", "quantisation")}
        return {**told, **({} if self.untrained is None else {UNTRAINED: self.untrained})}

    @property
    def weights(self) -> Weights:
        """Say where its files lie."""
        return Weights(self.source, self.revision, self.unresolved, self.untrained is not None)


PROVIDER = TransformersSettings


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one response for each prompt and seed in the order of the prompts, and how they were come by.

    Without a prompt no weights are loaded: a round of judging that is not needed costs the start of a step.
    """
    if not rows.count(inputs["prompts"]):
        rows.write(out / "responses", ())
        return
    params = {**params, "batch": str(params.get("batch", REFERENCE))}
    size = batch_size(params["batch"])
    with tempfile.TemporaryDirectory() as name:
        loaded = open_causal(laid(inputs, params, Path(name)), params)
        model = Local(params["model"], loaded, size, bool(params.get("chat")), params.get("logprobs"))
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
            "numerics": fingerprint(),
            "responses": written,
            "window": loaded.window,
        },
    )


def _requests(prompts: Path, given: Sequence[int], generation: Mapping[str, Any]) -> Iterator[Request]:
    for row in rows.read(prompts, Prompt):
        require_text(row)
        for sample, seed in enumerate(given):
            bounded, turns = limited(generation, row), row.get("messages")
            yield Request(row["item"], row["template"], sample, row.get("text", ""), seed, bounded, turns)


class Local:
    """A model on this machine; answers requests in the order given, whatever order it works in."""

    def __init__(self, name: str, loaded: Loaded, size: int = 1, chat: bool = False, logprobs: int | None = None):
        self.name, self.loaded, self.size, self.chat, self.logprobs = name, loaded, size, chat, logprobs
        self.used = Used(size, size)
        self.templated = False  # whether the model's own template has spelled a prompt

    def complete(self, requests: Iterable[Request]) -> Iterator[Response]:
        """Answer each request once; one that cannot be asked becomes a row that says why."""
        requests = list(requests)
        asks = [self.ask(request) for request in requests]
        sound = [ask for ask in asks if isinstance(ask, Ask)]
        answers, self.used = answer_all(self.loaded, sound, self.size)
        waiting = iter(answers)
        for request, ask in zip(requests, asks, strict=True):
            if isinstance(ask, str):
                yield self._error(request, ask)
                continue
            answer = next(waiting)
            yield self._error(request, NO_ROOM) if answer is None else self._answer(request, ask, answer)

    def ask(self, request: Request) -> Ask | str:
        """Turn a request into tokens; a prompt that leaves no room for an answer is an error, never cut short."""
        how = rule(request.generation)
        limit = int(request.generation.get("max_tokens", 256))
        read = shown(self.loaded, request.text, request.messages, self.chat, request.item)
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
        return Ask(tokens, min(limit, room), seed, how, stops, self.logprobs)

    def _answer(self, request: Request, ask: Ask, answer: Answer) -> Response:
        return Response(
            request.item, request.template, self.name, request.sample, answer.text, answer.finish,
            usage={"prompt_tokens": len(ask.tokens), "completion_tokens": answer.spent},
            logprobs=answer.logprobs if ask.logprobs is not None else None,
        )  # fmt: skip

    def _error(self, request: Request, why: str) -> Response:
        return Response(request.item, request.template, self.name, request.sample, "", "error", error=why)
