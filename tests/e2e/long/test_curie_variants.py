"""The paper's side experiments on maps: the image alone, the caption alone, other temperatures, each as it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import data_of, harness, outputs_of
from toys.boxing import BLIND, BOX, KEY, boxing, images_of, text_of

pytestmark = [pytest.mark.long, pytest.mark.together]
MANIFEST = """\
harness: 2
study: curie
name: maps
about: Maps of our own, of which a part is shown.
models: {{seer: {{provider: openai, model: seer-1, tape: record, base_url: "{url}", key: TOY_KEY}}}}
datasets: {{maps: {{make: curie.demo_biogr, seed: 7, count: 2{shown}}}}}
prompts: {{set: [curie/biogr@1]}}
settings: {{mode: strict}}
generation: {{temperature: {temperature}, max_tokens: 64}}
seeds: [{seeds}]
resources: {{gpus: 0, memory: 2GiB, timeout: 10m}}
outputs: {{items: exact, responses: exact, means: exact, breakdowns: exact}}
"""


@pytest.fixture
def server() -> Iterator[Any]:
    needs("openai", "aiohttp")
    with boxing() as provider:
        yield provider


def asked(folder: Path, server: Any, shown: str = "", temperature: str = "0", seeds: str = "0, 1") -> dict[str, Any]:
    """Run a variant; gives its documents by name, and what the model was sent."""
    for name in ("manifests", "lockfiles"):
        (folder / name).mkdir(parents=True)
    part = f", shown: {shown}" if shown else ""
    text = MANIFEST.format(url=server.url, shown=part, temperature=temperature, seeds=seeds)
    (folder / "manifests" / "m.yaml").write_text(text)
    env = {"TOY_KEY": KEY}
    harness("lock", "manifests/m.yaml", cwd=folder, check=0, env=env)
    before = len(server.bodies)
    run = data_of("run", "manifests/m.yaml", cwd=folder, env=env)
    found: dict[str, Any] = {"sent": server.bodies[before:]}
    for name, digest in outputs_of(run).items():
        data = (folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest).read_bytes()
        found[name] = [json.loads(line) for line in data.splitlines()]
    return found


def captions(found: dict[str, Any]) -> list[str]:
    return [row["input"]["text"] for row in found["items"]]


def test_image_and_caption_are_sent_together_or_alone(tmp_path: Path, server: Any) -> None:
    both, image, caption = (asked(tmp_path / (name or "both"), server, name) for name in ("", "image", "caption"))
    said = captions(both)
    assert captions(image) == ["", ""] and captions(caption) == said and all(said)
    for found, images, texts in ((both, True, True), (image, True, False), (caption, False, True)):
        assert len(found["sent"]) == 4  # two maps, two samples
        for body in found["sent"]:
            assert bool(images_of(body)) is images
            assert any(text in text_of(body) for text in said) is texts
    assert {url for body in both["sent"] for url in images_of(body)} == {
        url for body in image["sent"] for url in images_of(body)
    }


def test_each_variant_has_its_own_mean_and_its_share_of_answers_that_are_no_box(tmp_path: Path, server: Any) -> None:
    seen, unseen = (asked(tmp_path / name, server, name, seeds="0") for name in ("image", "caption"))
    assert {row["text"] for row in seen["responses"] if row["model"] == "seer"} == {BOX}
    assert {row["text"] for row in unseen["responses"] if row["model"] == "seer"} == {BLIND}
    values = [found["means"][0]["tasks"]["biogr"]["models"]["seer"]["primary"]["value"] for found in (seen, unseen)]
    assert values == [0.5, 0], "the box is that of the first of two maps"
    shares = [found["breakdowns"][0]["unusable"]["biogr"]["seer"]["share"] for found in (seen, unseen)]
    assert shares == [0, 1]


@pytest.mark.parametrize("temperature", ["0", "0.9"])
def test_a_temperature_is_sent_as_the_manifest_writes_it(temperature: str, tmp_path: Path, server: Any) -> None:
    found = asked(tmp_path / "p", server, "image", temperature, seeds="0, 1, 2")
    assert {body["temperature"] for body in found["sent"]} == {float(temperature)} and len(found["sent"]) == 6


def test_another_temperature_can_be_set_for_one_run(tmp_path: Path, server: Any) -> None:
    asked(tmp_path / "p", server, seeds="0")
    before = len(server.bodies)
    words = ("run", "manifests/m.yaml", "--set", "generation.temperature=0.5")
    harness(*words, cwd=tmp_path / "p", check=0, env={"TOY_KEY": KEY})
    assert {body["temperature"] for body in server.bodies[before:]} == {0.5}
