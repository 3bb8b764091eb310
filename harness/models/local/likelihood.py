"""Log-likelihoods that a local model gives to continuations of a prompt, for multiple choice and perplexity.

Tokens are split as lm-eval splits them: context and continuation are read as one text, and the space between them
belongs to the continuation. A shared prefix is computed once. It never knows which one is right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.models.completion import require_text
from harness.models.local.batch import NO_ROOM
from harness.models.local.chat import ModelInput, model_input
from harness.models.local.continuations import ContinuationScore, TokenizedContinuation, likelihoods
from harness.models.local.load import REFERENCE, LoadedModel, batch_size, lay_out_weights, open_causal
from harness.models.local.numerics import fingerprint
from harness.models.local.torch_setup import out_of_memory, release_memory
from harness.rowtypes import Likelihood, Prompt
from harness.steps import FACTS


def measure(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `likelihoods`, a row per prompt: log-likelihood, tokens and greediness of each continuation; and facts.

    With `unconditional` each is also scored without its prompt, after the beginning-of-sequence token alone.
    """
    params = {**params, "batch": str(params.get("batch", REFERENCE))}
    with tempfile.TemporaryDirectory() as name:
        loaded = open_causal(lay_out_weights(inputs, params, Path(name)), params)
        reader = LikelihoodModel(params["model"], loaded, batch_size(params["batch"]), bool(params.get("chat")))
        alone = bool(params.get("unconditional"))
        asked = rows.read(inputs["prompts"], Prompt)
        written = rows.write(out / "likelihoods", (reader.row(prompt, alone) for prompt in asked))
    used = REFERENCE if params["batch"] == REFERENCE else str(reader.size)
    facts = {"batch": params["batch"], "batch_used": used, "batches_redone": reader.redone, "likelihoods": written}
    told = {"model": params["model"], "numerics": fingerprint(), "window": loaded.window}
    rows.write_one(out / FACTS, {**loaded.facts, **facts, **told})


@dataclass
class LikelihoodModel:
    """A local model that scores given continuations, `size` at a time; it never generates text."""

    name: str
    loaded: LoadedModel
    size: int = 1
    chat: bool = False
    redone: int = 0

    def row(self, prompt: Prompt, unconditional: bool = False) -> Likelihood:
        """Score the continuations of one prompt; where one cannot be scored, the row holds an error and no scores.

        Refuses a prompt without continuations.
        """
        row: Likelihood = {
            "item": prompt["item"], "template": prompt["template"], "model": self.name, "continuations": [],
        }  # fmt: skip
        given = _continuations(prompt)
        require_text(prompt)
        read = model_input(self.loaded, prompt.get("text", ""), prompt.get("messages"), self.chat, prompt["item"])
        found = self._measured(read, given)
        alone = self._measured(ModelInput("", read.templated), given) if unconditional else []
        if isinstance(found, str) or isinstance(alone, str):
            row["error"] = found if isinstance(found, str) else str(alone)
            return row
        values: list[dict[str, Any]] = [asdict(each) for each in found]
        for value, each in zip(values, alone, strict=False):  # as many, or none where nobody asked
            value["unconditional"] = each.logprob
        row["continuations"] = [*values]
        return row

    def _measured(self, context: ModelInput, continuations: Sequence[str]) -> list[ContinuationScore] | str:
        """Score continuations, halving the batch where memory runs out; returns an error message where that fails."""
        pairs: list[TokenizedContinuation] = []
        for one in continuations:
            if isinstance(found := tokenize_continuation(self.loaded, context, one), str):
                return found
            pairs.append(found)
        while True:
            try:
                return likelihoods(self.loaded, pairs, self.size)
            except (RuntimeError, MemoryError) as bad:
                if not out_of_memory(bad):
                    raise
            release_memory()
            self.redone += 1
            if self.size == 1:
                return NO_ROOM
            self.size //= 2


def tokenize_continuation(loaded: LoadedModel, context: ModelInput, continuation: str) -> TokenizedContinuation | str:
    """Tokenize a context and a continuation with the boundary where lm-eval has it; or return an error message."""
    text = context.text.rstrip()
    continuation = context.text[len(text) :] + continuation
    if text:
        before = ModelInput(text, context.templated)
        head = before.tokens(loaded)
        tail = before.tokens(loaded, continuation)[len(head) :]
    else:
        head, tail = _beginning(loaded), ModelInput(continuation, templated=True).tokens(loaded)
        if head and head == tail[:1]:
            tail = tail[1:]
    if not head or not tail:
        return "the model has no token that begins a text" if not head else "a continuation has no tokens of its own"
    window, length = loaded.window, len(head) + len(tail) - 1
    if window is not None and length > window:
        return f"a prompt and its continuation have {length} tokens, the window holds {window}"
    return TokenizedContinuation(tuple(head), tuple(tail))


def _beginning(loaded: LoadedModel) -> list[int]:
    tokenizer = loaded.tokenizer
    found = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
    return [] if found is None else [int(found)]


def _continuations(prompt: Prompt) -> Sequence[str]:
    found = prompt.get("continuations")
    if not isinstance(found, list) or not found or not all(isinstance(one, str) and one for one in found):
        raise InputError(
            "this prompt has no continuations to measure",
            where=f"item {prompt.get('item')}",
            next="give `continuations`, a list of texts that are not empty",
        )
    return found
