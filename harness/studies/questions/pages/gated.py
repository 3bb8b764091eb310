"""The step that marks the items of gated data sets before a page is written, so that the page shows none of them.

It also counts for the page how many items are left out, and says why. Unaware of answers and scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit.documents import documents
from harness.rowtypes import Item

ITEMS, COUNTS = "items", "counts"
SHOWN = "shown items"  # what the page's table of datasets calls the sentence
WHY = "none of {:,}; the data set is gated, and who uses it promised not to show its items"


def mark(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the items, those of the data sets in `gated` marked as such, and the counts with how many are left out."""
    gated = dict.fromkeys(params["gated"], 0)

    def marked() -> Iterator[Item]:
        for item in rows.read(inputs[ITEMS], Item):
            if item["task"] in gated:
                gated[item["task"]] += 1
                item["meta"] = {**item["meta"], "gated": True}
            yield item

    rows.write(out / ITEMS, marked())
    counts = documents(inputs, [COUNTS])[COUNTS]
    left = {name: {**counts.get(name, {}), SHOWN: WHY.format(count)} for name, count in gated.items()}
    rows.write_one(out / COUNTS, {**counts, **left})
