"""Log-likelihoods that a local model gives to continuations of a prompt, for multiple choice and perplexity.

At the reference level one continuation is read at a time. In batches prompts are read together, as many at a time as
the batch says. It never knows which one is right.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from harness import rows
from harness.errors import InputError
from harness.models.completion import plain_text, require_text
from harness.models.local.batch import NO_ROOM
from harness.models.local.chat import ModelInput, model_input
from harness.models.local.continuations import ContinuationScore, TokenizedContinuation, likelihoods
from harness.models.local.load import REFERENCE, LoadedModel, batch_size, lay_out_weights, open_causal
from harness.models.local.numerics import fingerprint
from harness.models.local.together import Header, batches_together, header_of, measure_batch, prepared
from harness.models.local.tokenized import rolling_windows, tokenize_continuations
from harness.models.local.torch_setup import out_of_memory, release_memory
from harness.rowtypes import Likelihood, Prompt
from harness.steps import FACTS

NOT_FINITE = "the model's numbers are not finite; a wider dtype may help"
Measured = Literal["continuations", "alone", "rolling"]  # after the prompt, without it, or the prompt's text itself
Group = list[TokenizedContinuation]


def measure(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `likelihoods`, a row per prompt: log-likelihood, tokens and greediness of each continuation; and facts.

    With `unconditional` each is also scored without its prompt, after the beginning-of-sequence token alone; with
    `alone` it is scored so only. With `rolling` the prompt's own text is scored, in windows as long as the model reads.
    """
    params = {**params, "batch": str(params.get("batch", REFERENCE))}
    what: Measured = "alone" if params.get("alone") else "rolling" if params.get("rolling") else "continuations"
    with tempfile.TemporaryDirectory() as name:
        loaded = open_causal(lay_out_weights(inputs, params, Path(name)), params)
        reader = LikelihoodModel(params["model"], loaded, batch_size(params["batch"]), bool(params.get("chat")))
        asked = rows.read(inputs["prompts"], Prompt)
        found = reader.rows(asked, what, bool(params.get("unconditional")))
        written = rows.write(out / "likelihoods", found)
    used = REFERENCE if params["batch"] == REFERENCE else str(reader.size)
    facts = {"batch": params["batch"], "batch_used": used, "batches_redone": reader.redone, "likelihoods": written}
    told = {"model": params["model"], "numerics": fingerprint(), "window": loaded.window}
    rows.write_one(out / FACTS, {**loaded.facts, **facts, **told})


@dataclass
class LikelihoodModel:
    """A local model that scores given texts, `size` at a time; it never generates text."""

    name: str
    loaded: LoadedModel
    size: int = 1
    chat: bool = False
    redone: int = 0

    def rows(
        self, prompts: Iterable[Prompt], what: Measured = "continuations", unconditional: bool = False
    ) -> Iterator[Likelihood]:
        """Score what is to be measured of each prompt; where that cannot be, the row holds an error and no scores.

        Refuses a prompt without continuations where these are to be measured.
        """
        if self.size == 1:
            for prompt in prompts:
                yield from self._together([prompt], what, unconditional)
        else:
            yield from self._together(list(prompts), what, unconditional)

    def _together(self, prompts: Sequence[Prompt], what: Measured, unconditional: bool) -> Iterator[Likelihood]:
        found = self._scored(prompts, what)
        alone = self._scored(prompts, "alone") if unconditional else [[] for _ in prompts]
        for prompt, scores, others in zip(prompts, found, alone, strict=True):
            row: Likelihood = {
                "item": prompt["item"],
                "template": prompt["template"],
                "model": self.name,
                "continuations": [],
            }
            yield _row(row, scores, others)

    def _scored(self, prompts: Sequence[Prompt], what: Measured) -> list[list[ContinuationScore] | str]:
        """Score each prompt, equal ones once; an error message where one cannot be scored."""
        told = [self._tokens(prompt, what) for prompt in prompts]
        keys = [one if isinstance(one, str) else tuple(map(tuple, one)) for one in told]
        groups = {key: one for key, one in zip(keys, told, strict=True) if not isinstance(one, str)}
        each = [group for one in groups.values() for group in one]
        scores = iter(self._measured(each))
        found = {key: [next(scores) for _ in one] for key, one in groups.items()}
        return [key if isinstance(key, str) else _joined(found[key], what) for key in keys]

    def _tokens(self, prompt: Prompt, what: Measured) -> list[Group] | str:
        """Give the groups of texts that share a beginning: the continuations, or each window alone."""
        require_text(prompt)
        if what == "rolling":
            windows = rolling_windows(self.loaded, plain_text(prompt))
            return windows if isinstance(windows, str) else [[one] for one in windows]
        given = _continuations(prompt)
        read = model_input(self.loaded, prompt.get("text", ""), prompt.get("messages"), self.chat, prompt["item"])
        if what == "alone":
            read = ModelInput("", read.templated)
        found = tokenize_continuations(self.loaded, read, given)
        return found if isinstance(found, str) else [found]

    def _measured(self, groups: Sequence[Group]) -> list[list[ContinuationScore] | str]:
        """Score groups, those of about one length together, halving the batch where memory runs out."""
        if self.size == 1 or not batches_together(self.loaded):
            return [self._one(group) for group in groups]
        ready = [prepared(group) for group in groups]
        waiting = sorted(range(len(groups)), key=lambda place: (ready[place].shared, place))
        found: list[list[ContinuationScore] | str] = [NO_ROOM for _ in groups]
        header: Header | None = None
        while waiting and self.size > 1:
            part = waiting[: self.size]
            try:
                header = header or header_of(self.loaded, ready)
                measure_batch(self.loaded, [ready[place] for place in part], header, self.size)
            except (RuntimeError, MemoryError) as bad:
                self._halve(bad)
                continue
            waiting = waiting[len(part) :]
            for place in part:
                found[place] = ready[place].scores()
        for place in waiting:
            found[place] = self._one(groups[place])
        return found

    def _one(self, group: Group) -> list[ContinuationScore] | str:
        """Score the continuations of one prompt, halving the batch where memory runs out."""
        while True:
            try:
                return likelihoods(self.loaded, group, self.size)
            except (RuntimeError, MemoryError) as bad:
                least = self.size == 1
                self._halve(bad)
            if least:
                return NO_ROOM

    def _halve(self, bad: BaseException) -> None:
        """Halve the batch after memory ran out; any other error is raised again."""
        if not out_of_memory(bad):
            raise bad
        release_memory()
        self.redone += 1
        self.size = max(1, self.size // 2)


def _joined(found: Sequence[list[ContinuationScore] | str], what: Measured) -> list[ContinuationScore] | str:
    """Join what was found of a prompt's groups: the windows of one text make one score."""
    scores = []
    for one in found:
        if isinstance(one, str):
            return one
        scores += one
    if not all(math.isfinite(each.logprob) for each in scores):
        return NOT_FINITE
    if what != "rolling":
        return scores
    total = math.fsum(each.logprob for each in scores)
    return [ContinuationScore(total, sum(each.tokens for each in scores), all(each.greedy for each in scores))]


def _row(row: Likelihood, found: list[ContinuationScore] | str, alone: list[ContinuationScore] | str) -> Likelihood:
    if isinstance(found, str) or isinstance(alone, str):
        row["error"] = found if isinstance(found, str) else str(alone)
        return row
    values: list[dict[str, Any]] = [asdict(each) for each in found]
    for value, each in zip(values, alone, strict=False):  # as many, or none where nobody asked
        value["unconditional"] = each.logprob
    row["continuations"] = [*values]
    return row


def _continuations(prompt: Prompt) -> Sequence[str]:
    found = prompt.get("continuations")
    if not isinstance(found, list) or not found or not all(isinstance(one, str) and one for one in found):
        raise InputError(
            "this prompt has no continuations to measure",
            where=f"item {prompt.get('item')}",
            next="give `continuations`, a list of texts that are not empty",
        )
    return found
