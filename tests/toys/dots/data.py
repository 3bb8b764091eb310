"""The maker of six questions about dots, every other one with an image, and the score step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.models.media import image_reference, image_row, write_images
from harness.studies.reliability.scoring import scored

GIF = b"GIF89a\x01\0\x01\0\x80\0\0%c%c%c\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Make the questions, their answers, one example, and the images."""
    media = [image_row(GIF % (shade, shade, shade)) for shade in (0, 90, 180)]
    items: list[dict[str, Any]] = [
        {"id": f"dot-{n}", "task": "dots", "input": {"n": str(n)}, "difficulty": None, "meta": {}} for n in range(6)
    ]
    for item, one in zip(items[::2], media, strict=True):
        item["attachments"] = [image_reference(one)]
    rows.write(out / "items", items)
    rows.write(out / "gold", ({"id": item["id"], "gold": {"target": "dark"}} for item in items))
    rows.write(out / "shots", [{"id": "shot-0", "input": {"n": "x"}, "answer": "dark"}])
    rows.write_one(out / "counts", {"dots": {"kept": len(items)}})
    write_images(out / "media", media)
    asked = (
        {"item": item["id"], "template": 0, "text": "A dot is", "continuations": [" dark", " light"]} for item in items
    )
    rows.write(out / "measured", asked)


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Say whether an answer says so."""
    scored.write_scores(inputs, out, "dots", lambda item, gold, text: {"value": int(gold["gold"]["target"] in text)})
