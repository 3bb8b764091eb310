"""Evaluation settings of a dataset: images, models that see none, repeated samples and few-shot examples."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from models.dots import DOTS
from models.gateways import GPT, both, gateway
from models.misbehaving import misbehaving
from needs import needs

from harness import rows
from harness.errors import InputError
from harness.kit import ask as ask_module
from harness.kit import media
from harness.kit.ask import Asked, How, ask, make, sample_seeds
from harness.kit.study import Brief, Dataset, Model, Templates
from harness.models.media import image_reference, write_images
from harness.models.provider import StandIn
from harness.steps import Pinned, Plan, Ref, Step
from harness.studies.reliability.scoring import scored

needs("aiohttp", "openai")
pytestmark = pytest.mark.together
ITEMS = 6  # every other one with an image
WORDING = {"id": 1, "text": "{shots}Q: {q}\nA:", "shot": "Q: {q}\nA: {answer}\n\n"}


def make_pictures(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Make questions, half of them about an image."""
    found: list[dict[str, Any]] = [
        {"id": f"p-{n}", "task": "t", "input": {"q": f"{n}?"}, "difficulty": None, "meta": {}} for n in range(ITEMS)
    ]
    for place, item in enumerate(found[::2]):
        item["attachments"] = [image_reference(DOTS[place])]
    rows.write(out / "items", found)
    rows.write(out / "gold", ({"id": item["id"], "gold": {"target": "x"}} for item in found))
    rows.write(out / "shots", [{"id": "s-1", "input": {"q": "s?"}, "answer": "S"}])
    rows.write_one(out / "counts", {"pictures": {"kept": len(found)}})
    write_images(out / "media", DOTS)


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Give every answer its length."""
    scored.write_scores(inputs, out, "length", lambda item, gold, text: {"value": len(text)})


def steps_of(plan: Plan, folder: Path, files: Mapping[str, Path]) -> dict[str, Path]:
    """Run each step of a plan here; gives where each left its outputs."""
    where: dict[str, Path] = {}

    def path(source: Any) -> Path:
        return files[source.sha256] if isinstance(source, Pinned) else where[source.step] / source.output

    for number, step in enumerate(plan.check().steps):
        out = where[step.name] = folder / f"{number:03d}"
        out.mkdir(parents=True)
        inputs = {name: fan_in(out, name, source, path) for name, source in step.inputs.items()}
        module, _, function = step.kind.partition(":")
        getattr(importlib.import_module(module), function)(step.params, inputs, out)
        assert {each.name for each in out.iterdir()} >= set(step.outputs)
    return where


def fan_in(out: Path, name: str, source: Any, path: Any) -> Path:
    """Give an input as a step finds it."""
    if not isinstance(source, tuple):
        found: Path = path(source)
        return found
    folder = out.parent / f"{out.name}-in" / name
    folder.mkdir(parents=True)
    for place, each in enumerate(source):
        (folder / rows.part_name(place)).symlink_to(path(each))
    return folder


def far(name: str, **facts: str) -> Model:
    return Model(name, "openai", {"id": GPT}, facts=facts, calls=True)


ECHO = Model("echo", "baseline", {"behaviour": "echo"}, stand_in=StandIn())
BLIND = far("blind", images="no")


def planned(models: tuple[Model, ...], seeds: tuple[int, ...] = (7,), **how: Any) -> Plan:
    """Plan the pictures as a study would."""
    wordings = Templates(Pinned("1" * 64), 1)
    dataset = Dataset("pictures", "toy.pictures", {}, ITEMS)
    brief = Brief((dataset,), models, {"toy/q@1": wordings}, {"temperature": "0", "max_tokens": 9}, seeds)
    asked, here = Asked(), __name__
    make(asked, dataset, f"{here}:make_pictures", ("items", "gold", "counts", "shots", "media"))
    ask(asked, brief, dataset, How(f"{here}:score", wordings, **how))
    outputs = asked.tables()
    return asked.plan(outputs)


@pytest.mark.long
def test_a_blind_model_is_asked_only_prompts_without_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_module, "ILLUSTRATED", 6)  # two items a slice, at three samples
    rows.write(tmp_path / "wordings", [WORDING])
    plan = planned((ECHO, BLIND, far("eyes")), media=True, samples=3, shots=1)
    with misbehaving() as server, gateway(both(server.url, "record", tmp_path / "t")) as running:
        monkeypatch.setenv("HARNESS_GATEWAY", str(running.socket))
        made = steps_of(plan, tmp_path / "run", {"1" * 64: tmp_path / "wordings"})
        sent = [body["messages"][0]["content"] for body in server.bodies]

    def table(name: str) -> list[dict[str, Any]]:
        ref = plan.outputs[name]
        return list(rows.read(made[ref.step] / ref.output))

    responses = table("responses")
    of = {name: [row for row in responses if row["model"] == name] for name in ("echo", "blind", "eyes")}
    assert {name: len(found) for name, found in of.items()} == {"echo": 18, "eyes": 18, "blind": 9}
    assert {row["item"] for row in of["blind"]} == {"p-1", "p-3", "p-5"}
    assert {row["sample"] for row in of["eyes"]} == {0, 1, 2}
    assert not [row for row in responses if "error" in row] and len(table("scores")) == len(responses)
    skipped = {"items": 3, "models": ["blind"], "prompts": 3, "reason": "these models read no images"}
    assert table("counts") == [{"pictures": {"kept": ITEMS}, "pictures/skipped": skipped}]
    assert sum(isinstance(content, list) for content in sent) == 9
    assert of["echo"][0]["text"] == "Q: s?\nA: S\n\nQ: 0?\nA:"
    for place in range(3):  # a step is given the images of its own prompts
        [picked] = rows.read(made[f"pictures/media/{rows.part_name(place)}"] / "media")
        assert picked["id"] == DOTS[place]["id"]


def test_models_that_all_see_leave_nothing_out_and_no_step_says_so() -> None:
    for models in ((ECHO,), (ECHO, far("eyes"))):
        plan = planned(models, media=True)
        names = {step.name.split("/")[1] for step in plan.steps if "/" in step.name}
        assert not names & {"plain", "skipped"} and ("media" in names) == (len(models) == 2)
        assert {step.name for step in plan.steps if "media" in step.inputs and step.stage == "responses"} == {
            step.name for step in plan.steps if step.calls
        }


def test_a_dataset_that_says_nothing_of_this_has_the_steps_that_it_had() -> None:
    plan = planned((ECHO, BLIND))
    assert {step.name.split("/")[1] for step in plan.steps if "/" in step.name} == {
        "make", "items", "gold", "prompts", "responses", "scores",
    }  # fmt: skip
    [prompts] = [step for step in plan.steps if step.stage == "prompts"]
    assert prompts.params == {} and set(prompts.inputs) == {"items", "templates"}
    assert {
        tuple(step.params["seeds"]) for step in plan.steps if step.stage == "responses" and "seeds" in step.params
    } == {(7,)}


def test_samples_are_the_manifest_s_seeds_and_those_that_follow() -> None:
    assert sample_seeds((3, 9), None) == (3, 9)
    assert sample_seeds((3, 9), 1) == (3,) and sample_seeds((3, 9), 2) == (3, 9)
    assert sample_seeds((9, 3), 4) == (9, 3, 10, 11) and len(set(sample_seeds((0,), 50))) == 50
    with pytest.raises(InputError, match="`samples` is 0"):
        sample_seeds((0,), 0)


def test_an_image_that_the_dataset_does_not_hold_stops_the_slice(tmp_path: Path) -> None:
    named = [{"sha256": "0" * 64, "type": "image/png"}]
    rows.write(tmp_path / "prompts", [{"item": "a", "template": 1, "text": "x", "attachments": named}])
    write_images(tmp_path / "media-in", DOTS)
    with pytest.raises(InputError, match="does not hold, the first 000000000000"):
        media.pick({}, {"prompts": tmp_path / "prompts", "media": tmp_path / "media-in"}, tmp_path)


def test_no_step_of_images_or_examples_shows_the_answers_to_a_model() -> None:
    plan = planned((ECHO, BLIND, far("eyes")), media=True, shots=1)
    plan.check()
    shown = Step("x", "m:f", "responses", {}, {"prompts": Ref("pictures/gold", "part-00000")}, ("responses",))
    with pytest.raises(InputError, match="would show the answers"):
        Plan((*plan.steps, shown), plan.outputs).check()
