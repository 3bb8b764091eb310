"""Meanings of the scorers' numbers for a table of scores, by the scorer's own name.

A manifest may give a scorer's rows another name; the meaning stays the same. Independent of answers and rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.meaning import Meaning

RESCALED = "bertscore rescaled"
_BLANK = "answers nothing"


def _share(about: str) -> Meaning:
    return Meaning(about, "higher", 0, 1, 0, _BLANK)


MEANINGS: Mapping[str, Meaning] = {
    "exact": _share("share of answers that are the target, letter by letter"),
    "match": _share("share of answers that match the target once both are normalised"),
    "number": _share("share of answers whose number is the target's, within the tolerance"),
    "regex": _share("share of answers in which the pattern finds the target"),
    "choice": Meaning("share of answers that name, or hold for the likeliest, the right option", "higher", 0, 1),
    "f1": _share("F1 of the words that answer and target share"),
    "rouge": _share("ROUGE between answer and target, as an F-measure"),
    "bleu": _share("BLEU of an answer beside the target, sentence by sentence"),
    "bertscore": Meaning("BERTScore F of an answer beside the target, by the manifest's encoder", "higher", -1, 1),
    RESCALED: Meaning("BERTScore F, rescaled so that unlike texts are near 0", "higher", None, 1),
    "json": _share("share of answers that are the JSON that was asked for"),
    "code": _share("share of answers whose code passes all tests of its item"),
    "code/passed": _share("share of an item's tests that pass"),
    "judge": Meaning("mean grade that the judge gives, as a share of the best", "higher", 0, 1),
    "perplexity": Meaning("nats a token of the items' own texts", "lower", 0),
}


def renamed(score: Any) -> dict[str, Meaning]:
    """Return what each metric means, by the names that a manifest's `settings.score` gives to its scorers."""
    kinds: dict[str, str] = {}
    for entry in score if isinstance(score, list | tuple) else ():
        kind, said = next(iter(entry.items())) if isinstance(entry, Mapping) and entry else ("", None)
        told = said if isinstance(said, Mapping) else {}
        meant = kind_of({**told, "scorer": kind})
        if isinstance(name := told.get("as", kind if meant != kind else None), str):
            kinds[name] = meant
    return {**MEANINGS, **of_rows(kinds)}


def kind_of(entry: Mapping[str, Any]) -> str:
    """Return the kind of a scorer by which its meaning is looked up; a rescaled BERTScore is a kind of its own."""
    return RESCALED if entry["scorer"] == "bertscore" and entry.get("rescale") else str(entry["scorer"])


def of_rows(kinds: Mapping[str, str]) -> dict[str, Meaning]:
    """Return what each scorer's metrics mean by row name, from a mapping of row names to kinds of scorer."""
    found: dict[str, Meaning] = {}
    for name, kind in kinds.items():
        for measure, meaning in MEANINGS.items():
            scorer, slash, metric = measure.partition("/")
            if scorer == kind:
                found[f"{name}{slash}{metric}"] = meaning
    return found
