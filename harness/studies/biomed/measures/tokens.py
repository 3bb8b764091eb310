"""The document `tokens`: the lengths of questions, answers and responses, counted in words between white space.

The paper counts tokens of a vocabulary that must be fetched. This counter works offline and uses another unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item, Response
from harness.studies.biomed.measures.paper_figures import histogram, statistics_text
from harness.studies.biomed.terms import PAPER, VERSION

COUNTER = "words between white space (offline; not the paper's tokens of o200k_base)"
NOTHING = {"missing": "there is no text"}
BINS = 40  # of a histogram, of equal whole widths
TITLE = "statistics (words between white space)"


def count(text: str) -> int:
    """Return the number of words of a text, separated by white space."""
    return len(text.split())


def tokens(
    items: Iterable[Item], golds: Iterable[Gold], responses: Iterable[Response], models: Sequence[str], mode: str
) -> dict[str, Any]:
    """Return sums, medians and histograms of the lengths of questions, gold answers and each model's responses.

    A response that is an error has no text. Strict mode leaves it out and counts it. Paper mode counts it as one word,
    because the published code reads it from its table as one word.
    """
    found: dict[str, list[int]] = {"question": [count(str(row["input"].get("question", ""))) for row in items]}
    found["answer"] = [count(str(row["gold"].get("target", ""))) for row in golds]
    lacking = dict.fromkeys(models, 0)
    counts: dict[str, list[int]] = {model: [] for model in models}
    for row in responses:
        model = row["model"]
        if model not in counts:
            continue
        if row.get("error") is None:
            counts[model].append(count(row["text"]))
        elif mode == PAPER:
            counts[model].append(1)
        lacking[model] += row.get("error") is not None
    columns = {f"{name}_token_count": own for name, own in found.items()}
    columns |= {f"{model}_response_token_count": own for model, own in counts.items()}
    with_texts = [model for model in models if counts[model]]
    return {
        "mode": mode,
        "version": VERSION,
        "counter": COUNTER,
        **{name: described(own) for name, own in found.items()},
        "responses": {model: {**described(own), "n_errors": lacking[model]} for model, own in counts.items()},
        "statistics": statistics_text(columns, with_texts, TITLE) if all(found.values()) else NOTHING,
    }


def described(counts: Sequence[int]) -> dict[str, Any]:
    """Return number, sum, median and histogram of word counts, with outliers left out as in the paper.

    Outliers lie beyond 1.5 interquartile ranges of the quartiles. The histogram's median is that of the kept counts.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    if not counts:
        return {"n": 0, "sum": 0, "median": NOTHING, "histogram": NOTHING}
    found = histogram(counts)
    kept = found.pop("kept")
    low, high = min(kept), max(kept)
    width = max(1, -(-(high - low + 1) // BINS))
    bins = [0] * ((high - low) // width + 1)
    for each in kept:
        bins[(each - low) // width] += 1
    return {
        "n": len(counts),
        "sum": sum(counts),
        "median": float(np.median(counts)),
        "histogram": {**found, "n_kept": len(kept), "from": low, "width": width, "counts": bins},
    }


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `tokens`, lengths of questions and answers in words, from `items`, `gold` and `responses`."""
    found = tokens(
        rows.read(inputs["items"], Item),
        rows.read(inputs["gold"], Gold),
        rows.read(inputs["responses"], Response),
        params["models"],
        params["mode"],
    )
    rows.write_one(out / "tokens", found)
