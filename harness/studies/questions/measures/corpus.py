"""The perplexity of all texts together in the summary, as it is usually published: by token, by word and by byte.

This is not the mean of the texts' own perplexities: each token counts once, so long texts count more. Works on scores;
reads no texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit import score_intervals
from harness.kit.resample import FEWEST
from harness.kit.score_lines import number
from harness.studies.questions.measures.scored_items import ScoredItems
from harness.studies.questions.measures.scored_prompts import Place

KIND = "perplexity"
UNITS: Mapping[str, str] = {"token": "tokens", "word": "words", "byte": "bytes"}
Measured = dict[str, list[float]]  # of one model: sums of log-likelihood, tokens, words and bytes by item or cluster


def perplexities(found: ScoredItems, scorers: Mapping[str, str]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the perplexity of all texts of a dataset, by model, with intervals over texts or over their clusters."""
    places: dict[Place, Measured] = {}
    names = {name for name, kind in scorers.items() if kind == KIND}
    for answer in found.answers if names else ():
        row, detail = answer.row, answer.row["detail"]
        numbers = [number(detail.get(name)) for name in ("logprob", *UNITS.values())]
        if row["scorer"] in names and None not in numbers and number(row["value"]) is not None:
            unit = f"cluster {answer.cluster}" if answer.cluster else f"item {row['item']}"
            sums = places.setdefault((row["model"], answer.dataset, row["scorer"]), {}).setdefault(unit, [0.0] * 4)
            sums[:] = [have + float(more or 0) for have, more in zip(sums, numbers, strict=True)]
    for place, measured in sorted(places.items()):
        yield place, _all(list(measured.values()))


def _all(parts: list[list[float]]) -> dict[str, Any]:
    totals = [math.fsum(column) for column in zip(*parts, strict=True)]
    told: dict[str, Any] = {"logprob": totals[0], "units": len(parts)}
    for place, (unit, name) in enumerate(UNITS.items(), 1):
        told[name] = int(totals[place])
        if totals[place]:
            told[f"{unit}_perplexity"] = _exponent([(int(part[place]), -part[0]) for part in parts])
    if told["bytes"]:
        told["bits_per_byte"] = {"value": -totals[0] / told["bytes"] / math.log(2)}
    return told


def _exponent(parts: list[score_intervals.Part]) -> dict[str, Any]:
    """Return e to the mean surprisal per unit of text, with its interval; a value too large for a float is a text."""
    count = sum(size for size, _ in parts)
    value = _exp(math.fsum(total for _, total in parts) / count)
    if len(parts) < FEWEST:
        return {"value": value, "interval": {"missing": "one text or cluster alone"}}
    low, high = score_intervals.mean_interval(parts)
    return {"value": value, "interval": [_exp(max(low, 0.0)), _exp(high)]}


def _exp(nats: float) -> float | str:
    try:
        return math.exp(nats)
    except OverflowError:
        return "inf"
