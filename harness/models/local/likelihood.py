"""How likely a local model finds given continuations of a prompt: what multiple choice and perplexity rest on.

Tokens are cut as lm-eval cuts them: context and continuation are read as one text, and the space between them belongs
to the continuation. What the continuations of a prompt share is computed once. It must never know which one is right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.models.local.batch import NO_ROOM
from harness.models.local.chat import Shown, shown
from harness.models.local.continuations import Found, Pair, likelihoods
from harness.models.local.load import REFERENCE, Loaded, batch_size, laid, open_causal
from harness.models.local.numerics import fingerprint
from harness.models.local.torch_setup import out_of_memory, release
from harness.models.model import require_text
from harness.rowtypes import Likelihood, Prompt
from harness.steps import FACTS


def measure(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one row for each prompt: of each of its `continuations` the log-likelihood, its tokens, and whether greedy.

    With `unconditional` each is measured without its prompt too, after the model's sign of a beginning alone.
    """
    params = {**params, "batch": str(params.get("batch", REFERENCE))}
    with tempfile.TemporaryDirectory() as name:
        loaded = open_causal(laid(inputs, params, Path(name)), params)
        reader = Reader(params["model"], loaded, batch_size(params["batch"]), bool(params.get("chat")))
        alone = bool(params.get("unconditional"))
        asked = rows.read(inputs["prompts"], Prompt)
        written = rows.write(out / "likelihoods", (reader.row(prompt, alone) for prompt in asked))
    used = REFERENCE if params["batch"] == REFERENCE else str(reader.size)
    facts = {"batch": params["batch"], "batch_used": used, "batches_redone": reader.redone, "likelihoods": written}
    told = {"model": params["model"], "numerics": fingerprint(), "window": loaded.window}
    rows.write_one(out / FACTS, {**loaded.facts, **facts, **told})


@dataclass
class Reader:
    """A model that reads continuations, so many of a prompt's at a time."""

    name: str
    loaded: Loaded
    size: int = 1
    chat: bool = False
    redone: int = 0

    def row(self, prompt: Prompt, unconditional: bool = False) -> Likelihood:
        """Measure the continuations of one prompt; where one cannot be, the row says why and holds none."""
        row: Likelihood = {
            "item": prompt["item"], "template": prompt["template"], "model": self.name, "continuations": [],
        }  # fmt: skip
        given = _continuations(prompt)
        require_text(prompt)
        read = shown(self.loaded, prompt.get("text", ""), prompt.get("messages"), self.chat, prompt["item"])
        found = self._measured(read, given)
        alone = self._measured(Shown("", read.templated), given) if unconditional else []
        if isinstance(found, str) or isinstance(alone, str):
            row["error"] = found if isinstance(found, str) else str(alone)
            return row
        values: list[dict[str, Any]] = [asdict(each) for each in found]
        for value, each in zip(values, alone, strict=False):  # as many, or none where nobody asked
            value["unconditional"] = each.logprob
        row["continuations"] = [*values]
        return row

    def _measured(self, context: Shown, continuations: Sequence[str]) -> list[Found] | str:
        """Measure, with half as many at a time where memory runs out; or say why that cannot be done."""
        pairs: list[Pair] = []
        for one in continuations:
            if isinstance(found := pair(self.loaded, context, one), str):
                return found
            pairs.append(found)
        while True:
            try:
                return likelihoods(self.loaded, pairs, self.size)
            except (RuntimeError, MemoryError) as bad:
                if not out_of_memory(bad):
                    raise
            release()
            self.redone += 1
            if self.size == 1:
                return NO_ROOM
            self.size //= 2


def pair(loaded: Loaded, context: Shown, continuation: str) -> Pair | str:
    """Cut a context and what follows into tokens, so that the border is where lm-eval has it; or say why it cannot."""
    text = context.text.rstrip()
    continuation = context.text[len(text) :] + continuation
    if text:
        before = Shown(text, context.templated)
        head = before.tokens(loaded)
        tail = before.tokens(loaded, continuation)[len(head) :]
    else:
        head, tail = _beginning(loaded), Shown(continuation, templated=True).tokens(loaded)
        if head and head == tail[:1]:
            tail = tail[1:]
    if not head or not tail:
        return "the model has no token that begins a text" if not head else "a continuation has no tokens of its own"
    window, length = loaded.window, len(head) + len(tail) - 1
    if window is not None and length > window:
        return f"a prompt and its continuation have {length} tokens, the window holds {window}"
    return Pair(tuple(head), tuple(tail))


def _beginning(loaded: Loaded) -> list[int]:
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
