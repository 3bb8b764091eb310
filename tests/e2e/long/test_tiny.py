"""The two small models in assets/, run through a manifest: what was planted in them shows, and nothing moves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from needs import needs
from support import REPOSITORY, data_of, harness, journals

needs("torch")
MANIFEST = "manifests/demo/tiny-addition.yaml"


def rates(store: Path) -> dict[str, dict[int, Counter[str]]]:
    """Count outcomes by model and by the digits of the longer addend."""
    items = [json.loads(line) for line in get(store, "items")]
    digits = {item["id"]: max(map(len, item["input"].values())) for item in items}
    assert len(items) >= 60
    found: dict[str, dict[int, Counter[str]]] = {}
    for line in get(store, "scores"):
        score = json.loads(line)
        found.setdefault(score["model"], {}).setdefault(digits[score["item"]], Counter())[score["outcome"]] += 1
    return found


def get(store: Path, output: str) -> list[str]:
    text: str = harness("get", "last", output, "--store", store, cwd=REPOSITORY, check=0).stdout
    return text.splitlines()


def test_what_was_planted_shows_and_nothing_moves(tmp_path: Path) -> None:
    store = tmp_path / "store"
    ran = data_of("run", MANIFEST, "--store", store, cwd=REPOSITORY)
    assert ran["runs"][0]["verdict"] == "agreed", ran

    shares = {}
    for model, by_digits in rates(store).items():
        correct = [by_digits[n]["c"] / by_digits[n].total() for n in sorted(by_digits)]
        assert correct[0] > correct[1] > correct[2], (model, correct)
        whole = sum(by_digits.values(), Counter[str]())
        shares[model] = {outcome: whole[outcome] / whole.total() for outcome in "cai"}
    raw, shaped = shares["tiny-raw"], shares["tiny-shaped"]
    assert shaped["a"] < raw["a"] and shaped["i"] > raw["i"], shares

    events = next(journals(store))
    facts = [event["facts"] for event in events if event["event"] == "step.done" and "facts" in event]
    assert facts and {one["batch_used"] for one in facts} == {"reference"}
    assert len({one["numerics"]["digest"] for one in facts}) == 1

    again = data_of("run", MANIFEST, "--store", store, cwd=REPOSITORY)
    assert again["runs"][0]["steps"]["executed"] == 0  # that an audit agrees `tests/e2e/test_threads.py` holds


def test_weights_that_are_not_those_of_the_lock_are_refused(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "lockfiles").mkdir(parents=True)
    (project / "manifests").mkdir()
    (project / "assets" / "tiny-raw").mkdir(parents=True)
    for file in (REPOSITORY / "assets" / "tiny-raw").iterdir():
        (project / "assets" / "tiny-raw" / file.name).write_bytes(file.read_bytes())
    text = (REPOSITORY / MANIFEST).read_text()
    start, end = text.index("  tiny-shaped:"), text.index("datasets:")
    manifest = project / MANIFEST.replace("demo/", "")
    manifest.write_text((text[:start] + text[end:]).replace("count: 60", "count: 2"))
    harness("lock", manifest, cwd=project, check=0)
    weights = project / "assets" / "tiny-raw" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-5] ^= 1
    weights.write_bytes(data)
    done = harness("run", manifest, cwd=project, check=2)
    assert "pins/models/tiny-raw/files/model.safetensors" in done.stderr
