"""Image routing steps: the images that prompts name, prompts without images, and counts of prompts left out.

The steps move rows and do not decode images.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Medium, Prompt


def pick(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write only the images that these prompts show, so that a step does not depend on images of other prompts.

    Raises InputError if the dataset's `media` lacks one of them.
    """
    wanted = {one["sha256"] for row in rows.read(inputs["prompts"], Prompt) for one in row.get("attachments", ())}
    found: set[str] = set()

    def named(row: Medium) -> bool:
        found.update({row["id"]} & wanted)
        return row["id"] in wanted

    rows.write(out / "media", (row for row in rows.read(inputs["media"], Medium) if named(row)))
    if lost := sorted(wanted - found):
        raise InputError(
            f"prompts name {len(lost)} images that the dataset does not hold, the first {lost[0][:12]}",
            where="media",
            next="have the maker write them to `media`",
        )


def without(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write only the prompts without images, for text-only models, and count the prompts and items left out."""
    left: list[str] = []

    def plain(row: Prompt) -> bool:
        if row.get("attachments"):
            left.append(row["item"])
        return not row.get("attachments")

    rows.write(out / "prompts", (row for row in rows.read(inputs["prompts"], Prompt) if plain(row)))
    rows.write_one(out / "skipped", {"items": sorted(set(left)), "prompts": len(left)})


def tally(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write how many prompts with images each text-only model was not asked."""
    parts = list(rows.read(inputs["skipped"]))
    skipped = {
        "items": len({item for part in parts for item in part["items"]}),
        "models": params["models"],
        "prompts": sum(int(part["prompts"]) for part in parts),
        "reason": "these models read no images",
    }
    rows.write_one(out / "counts", {f"{params['dataset']}/skipped": skipped})
