"""What the answers behind scores took: tokens, dollars at the manifest's prices, seconds, refusals of providers.

Tokens are those that responses say; seconds are those of the steps that this run executed. It must never know a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from harness.models.gate.circuit_breaker import FOR_GOOD
from harness.rowtypes import Likelihood, Response
from harness.run.run_tables import RESPONSES, RunTables

LIKELIHOODS = "likelihoods"
ASKING = (RESPONSES, LIKELIHOODS)  # in the name of a step in which a model is asked
FILTERED = ("content_filter", "refusal")  # how an answer ends that a provider would not give
REFUSED = re.compile(rf"HTTP ({'|'.join(map(str, sorted(FOR_GOOD)))}) ")
MILLION = Decimal(1_000_000)
AskedPlace = tuple[str, str]  # model and dataset


@dataclass
class AnswerCosts:
    """What the answers of one model to one dataset took; None where nobody counted."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    refused: int = 0  # by the provider
    executed: int = 0  # steps that this run executed
    stored: int = 0  # steps that were in the store
    milliseconds: int = 0  # of those executed
    prices: Mapping[str, str] | None = None

    def use(self, prompt: int | None, completion: int | None) -> None:
        """Add the tokens of one answer."""
        if prompt is not None:
            self.prompt_tokens = (self.prompt_tokens or 0) + prompt
        if completion is not None:
            self.completion_tokens = (self.completion_tokens or 0) + completion

    @property
    def dollars(self) -> str:
        """What the tokens cost at the manifest's prices, as a decimal; "" without prices or tokens."""
        if self.prices is None or self.prompt_tokens is None or self.completion_tokens is None:
            return ""
        prices = {name: Decimal(str(self.prices[name])) for name in ("input", "output")}
        whole = prices["input"] * self.prompt_tokens + prices["output"] * self.completion_tokens
        return f"{(whole / MILLION).normalize():f}"

    def document(self) -> dict[str, Any]:
        """Give the costs as plain data; what nobody counted is left out."""
        tokens = {"prompt": self.prompt_tokens, "completion": self.completion_tokens}
        found: dict[str, Any] = {"refused": self.refused} if self.refused else {}
        if counted := {name: count for name, count in tokens.items() if count is not None}:
            found["tokens"] = counted
        if self.dollars:
            found["dollars"] = self.dollars
        if self.executed:
            found["seconds"] = self.milliseconds / 1000
        return found | ({"stored": True} if self.stored and not self.executed else {})


def answer_costs(tables: RunTables) -> dict[AskedPlace, AnswerCosts]:
    """Add up what the answers of a run took, by model and dataset."""
    found: dict[AskedPlace, AnswerCosts] = {}
    for place, prompt, completion, refused in [*_responses(tables), *_likelihoods(tables)]:
        costs = found.setdefault(place, AnswerCosts())
        costs.use(prompt, completion)
        costs.refused += refused
    for event in tables.finished:
        dataset, kind, model = _asked(str(event["step"]))
        if kind in ASKING and (model, dataset) in found:
            costs = found[model, dataset]
            if event["event"] == "step.done":
                costs.executed += 1
                costs.milliseconds += int(event["usage"].get("wall_ms", 0))
            else:
                costs.stored += 1
    models: Mapping[str, Mapping[str, Any]] = tables.lock.intent["models"]
    for (model, _), costs in found.items():
        costs.prices = models.get(model, {}).get("prices")
    return found


def _asked(step: str) -> tuple[str, str, str]:
    """Give dataset, table and model of a step in which a model is asked; its name is DATASET/…/TABLE/MODEL/PART."""
    parts = step.split("/")
    return (parts[0], parts[-3], parts[-2]) if len(parts) > 3 else ("", "", "")


Used = tuple[AskedPlace, int | None, int | None, bool]  # tokens of the prompt and of the answer, whether refused


def _responses(tables: RunTables) -> Iterator[Used]:
    for row in tables.rows(RESPONSES, Response):
        if row["item"] in tables.places:
            used = row.get("usage", {})
            refused = row["finish"] in FILTERED or bool(REFUSED.match(row.get("error", "")))
            place = (row["model"], tables.places[row["item"]].dataset)
            yield place, used.get("prompt_tokens"), used.get("completion_tokens"), refused


def _likelihoods(tables: RunTables) -> Iterator[Used]:
    """Give the tokens of continuations that models were asked about; of their prompts nobody counts any."""
    for row in tables.rows(LIKELIHOODS, Likelihood):
        if row["item"] in tables.places:
            place = (row["model"], tables.places[row["item"]].dataset)
            yield place, None, sum(int(each.get("tokens", 0)) for each in row["continuations"]), False
