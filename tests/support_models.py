"""A model small enough to make in a test: random weights, the real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness import rows
from harness.models.local.files import model_files
from harness.steps import FACTS

REPOSITORY = Path(__file__).resolve().parents[1]
TEMPLATES = REPOSITORY / "harness" / "studies" / "reliability" / "prompts" / "addition@1.jsonl"
SMALL = {
    "seed": 3, "mixture": "test", "steps": 1, "noisy": True, "rows": 2, "length": 64, "rate": "0.000001", "warmup": 1,
    "prompt_weight": "0.1", "short": [50, 50], "small": [50, 50],
    "layers": 2, "heads": 2, "width": 32, "window": 64,
}  # fmt: skip


def make_model(folder: Path, **more: Any) -> Path:
    """Make a model folder in the Hugging Face format."""
    from harness.studies.tiny.shape import shape
    from harness.studies.tiny.train import train

    folder.mkdir(parents=True)
    params = {**SMALL, **more}
    train(params, {"templates": TEMPLATES}, folder)
    shape(params, {}, folder)
    for name in ("log", FACTS):
        (folder / name).unlink()
    return folder


def deliver(model: Path, inputs: Path) -> list[str]:
    """Lay a model's files out as a step gets them, numbered; gives their names in that order."""
    inputs.mkdir(parents=True)
    names = model_files(model)
    for index, name in enumerate(names):
        (inputs / f"part-{index:05d}").write_bytes((model / name).read_bytes())
    return names


def prompts(path: Path, texts: list[str]) -> Path:
    """Write prompts as a study does."""
    rows.write(path, ({"item": f"item-{i:03d}", "template": 1, "text": text} for i, text in enumerate(texts)))
    return path
