"""What of an illustrated document is shown: its image or its caption alone, both unless a dataset says which.

The paper asked about maps in both ways; what it left in the prompt then is unknown. Sees no ground truths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.errors import InputError
from harness.studies.curie.data.records import TaskRecord

SHOWN = "shown"
IMAGE, CAPTION = "image", "caption"


def choose_shown(given: Any) -> str:
    """Check a dataset's parameter `shown`: whether models see a document's `image` or its `caption`; return it."""
    if given not in (IMAGE, CAPTION):
        raise InputError(
            "of a map its image or its caption can be shown alone",
            where=SHOWN,
            next=f"write `shown: {IMAGE}` or `shown: {CAPTION}`, or leave it out",
        )
    return str(given)


def show_alone(records: Sequence[TaskRecord], shown: str) -> list[TaskRecord]:
    """Return records of which models see only the image or only the caption; ground truths stay."""
    return [replace(one, **({"text": ""} if shown == IMAGE else {"images": ()})) for one in records]
