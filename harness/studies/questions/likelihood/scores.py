"""Steps that score log-likelihoods: the option that a model finds most likely, and the perplexity of a text.

A prompt that could not be measured has a missing value with the reason. Independent of the model and of how it computes
likelihoods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit.graded import ERROR
from harness.rowtypes import Found, Gold, Item, Likelihood, Prompt, Score
from harness.studies.questions.likelihood.prompts import LETTER, options
from harness.studies.questions.likelihood.values import Candidate, likeliest, perplexities

Key = tuple[str, int]
Rule = Callable[[Likelihood], Found]  # scores a row that was measured


def choice(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a score per prompt: 1 if the option with the highest log-likelihood is the right one, else 0.

    `normalise` says which values are compared.
    """
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}
    golds = {row["id"]: row["gold"] for row in rows.read(inputs["gold"], Gold)}
    alone = {_key(row): row for row in _table(inputs, "alone")}

    def rule(row: Likelihood) -> Found:
        known = options(items[row["item"]])
        apart = alone[_key(row)]["continuations"] if alone else [{}] * len(known)
        candidates = [
            Candidate(
                letter,
                letter if params["show"] == LETTER else text,
                one["logprob"],
                one["tokens"],
                other.get("logprob"),
            )
            for (letter, text), one, other in zip(known, row["continuations"], apart, strict=True)
        ]
        found = likeliest(candidates, params["normalise"])
        gold = golds[row["item"]]
        right = found.letter == gold["target"] or dict(known)[found.letter] in gold.get("accepted", ())
        return {"value": int(right), "detail": {"answer": found.letter, "margin": found.margin, "values": found.values}}

    rows.write(out / "scores", _scores(params["name"], inputs, rule, alone))


def perplexity(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a score per text: nats per token, with the perplexity by token, word and byte in the detail."""
    texts = {_key(row): row["text"] for row in rows.read(inputs["prompts"], Prompt)}

    def rule(row: Likelihood) -> Found:
        [found] = row["continuations"]
        return perplexities(texts[_key(row)], found["logprob"], found["tokens"])

    rows.write(out / "scores", _scores(params["name"], inputs, rule, {}))


def _scores(name: str, inputs: Mapping[str, Path], rule: Rule, alone: Mapping[Key, Likelihood]) -> Iterator[Score]:
    for row in rows.read(inputs["likelihoods"], Likelihood):
        bad = row.get("error") or (alone[_key(row)].get("error") if alone else None)
        found = _missing(str(bad)) if bad else rule(row)
        yield {
            "item": row["item"],
            "template": row["template"],
            "model": row["model"],
            "sample": 0,
            "scorer": name,
            "value": found["value"],
            "detail": found.get("detail", {}),
        }


def _missing(why: str) -> Found:
    """Return a finding without a value, with the reason."""
    return {"value": {"missing": why}, "detail": {ERROR: why}}


def _key(row: Likelihood | Prompt) -> Key:
    return row["item"], row["template"]


def _table(inputs: Mapping[str, Path], name: str) -> Iterator[Likelihood]:
    return rows.read(inputs[name], Likelihood) if name in inputs else iter(())
