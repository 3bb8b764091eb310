"""The cost of answers at the published prices: the paper's table computed again, and this run's answers (OURS).

Prices are in US dollars per thousand tokens. A run's lengths are counted in words, so its cost is a lower bound of the
same order of magnitude.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Item, Prompt, Response
from harness.studies.biomed.measures.published_numbers import COSTS, PublishedNumbers, read
from harness.studies.biomed.measures.tokens import COUNTER, count
from harness.studies.biomed.terms import PAPER, VERSION

THOUSAND = Decimal(1000)
REQUESTS = 10_800  # implied by the paper's price of requests: 270 in each of 40 templates
GRADER, TOTAL = "bioscore-gpt-4o", "total"
NO_PRICE = {"missing": "no price was published"}
ABOUT = {
    "cost": "(system + question tokens) / 1000 * input price + response tokens / 1000 * output price + requests * fee",
    "paper": "system tokens are counted once a template in paper mode, as published, and once a request in strict",
    GRADER: "all of its tokens are priced as input, as published; what it wrote is not counted",
}


class CountedTokens(NamedTuple):
    """The numbers of tokens (or words) in and out, and of requests, that are paid for."""

    system: int
    question: int
    response: int
    requests: int


class PriceList(NamedTuple):
    """Prices in US dollars: per thousand tokens in and out, and per request."""

    into: Decimal
    out: Decimal
    request: Decimal


def cost(tokens: CountedTokens, prices: PriceList) -> Decimal:
    """Return the exact cost of tokens and requests in US dollars."""
    read_in = (tokens.system + tokens.question) * prices.into / THOUSAND
    return read_in + tokens.response * prices.out / THOUSAND + tokens.requests * prices.request


def prices_of(table: PublishedNumbers, model: str) -> PriceList | None:
    """Return a model's published prices; None if none were published."""
    into, out = (table.get(COSTS, model, f"usd_per_1k_{end}_tokens") for end in ("input", "output"))
    if into is None or out is None:
        return None
    return PriceList(into, out, table.get(COSTS, model, "usd_per_request") or Decimal(0))


def published_costs(table: PublishedNumbers) -> dict[str, Any]:
    """Compute again every cost that the paper prints, and their sum, each beside its printed value."""
    found: dict[str, Any] = {}
    total = Decimal(0)
    for model in table.models(COSTS):
        prices, printed = prices_of(table, model), table.get(COSTS, model, "total_cost_usd")
        parts = [table.get(COSTS, model, f"{name}_tokens") for name in ("system_prompt", "question", "response")]
        if prices is None or printed is None or None in parts:
            continue
        if model == GRADER:
            prices = prices._replace(out=prices.into)
        system, question, response = (int(part or 0) for part in parts)
        computed = cost(CountedTokens(system, question, response, REQUESTS), prices)
        total += computed
        found[model] = _beside(computed, printed)
    printed_total = table.get(COSTS, TOTAL, "total_cost_usd")
    return {**found, **({TOTAL: _beside(total, printed_total)} if printed_total is not None else {})}


def _beside(computed: Decimal, printed: Decimal) -> dict[str, float]:
    rounded = round(computed, 2)
    return {"computed": float(rounded), "printed": float(printed), "difference": float(rounded - printed)}


def run_costs(
    params: Mapping[str, Any], table: PublishedNumbers, counted: Mapping[str, CountedTokens]
) -> dict[str, Any]:
    """Return the cost of each model's answers at published prices.

    `params["prices"]` maps a model to the published name whose prices apply; other models are looked up by their own
    name. Raise InputError for a mapped name without published prices.
    """
    named = params.get("prices", {})
    found = {}
    for model, tokens in counted.items():
        prices = prices_of(table, named.get(model, model))
        if prices is None and model in named:
            raise InputError(f"no prices of {str(named[model])[:80]!r} were published", where="prices")
        usd = NO_PRICE if prices is None else float(round(cost(tokens, prices), 6))
        found[model] = {**tokens._asdict(), "usd": usd}
    return found


def counted_tokens(
    params: Mapping[str, Any], items: Iterable[Item], prompts: Iterable[Prompt], responses: Iterable[Response]
) -> dict[str, CountedTokens]:
    """Count words of system turns, questions and responses, and requests, by model; an error has an empty response."""
    facts = {row["id"]: (str(row["meta"]["template"]), count(str(row["input"].get("question", "")))) for row in items}
    asked = {(row["item"], row["template"]): _words(row) for row in prompts}
    sums = {model: [0, 0, 0, 0] for model in params["models"]}
    met: set[tuple[str, str]] = set()
    for row in responses:
        if row["model"] not in sums or row["item"] not in facts:
            continue
        template, words = facts[row["item"]]
        once = params["mode"] == PAPER and (row["model"], template) in met
        met.add((row["model"], template))
        said = 0 if row.get("error") is not None else count(row["text"])
        before = max(0, asked.get((row["item"], row["template"]), words) - words)
        own = (0 if once else before, words, said, 1)
        sums[row["model"]] = [one + more for one, more in zip(sums[row["model"]], own, strict=True)]
    return {model: CountedTokens(*own) for model, own in sums.items()}


def _words(prompt: Prompt) -> int:
    """Count the words of a prompt, including its question."""
    return count(prompt.get("text", "")) + sum(
        count(str(turn.get("content", ""))) for turn in prompt.get("messages", [])
    )


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `costs`, US dollars by model, from `items`, `rendered`, `responses` and `published`.

    The parameter `prices` may name a published model for each model. Raise InputError for a named model without prices.
    """
    table = read(inputs["published"])
    counted = counted_tokens(
        params,
        rows.read(inputs["items"], Item),
        rows.read(inputs["rendered"], Prompt),
        rows.read(inputs["responses"], Response),
    )
    told = {
        "mode": params["mode"],
        "version": VERSION,
        "about": ABOUT,
        "counter": COUNTER,
        "models": run_costs(params, table, counted),
        "published": published_costs(table),
    }
    rows.write_one(out / "costs", told)
