"""A model without training: its weights come of configuration and seed, the same bytes each time, and of no file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from manifest.parsing import GOOD, parse, refused
from needs import needs
from support_models import REPOSITORY, prompts

from harness import rows
from harness.digest import sha256
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.errors import InputError
from harness.kit.hidden_states import activations
from harness.kit.study import Model
from harness.models.local.activations import ActivationOptions
from harness.models.local.load import open_causal, open_encoder
from harness.models.providers.transformers import TransformersSettings, respond
from harness.run.executing.workshop import Workshop
from harness.run.locking.models import pin_weights, store_weights
from harness.run.recording.auditing import step_reexecutor
from harness.seeds import derive_seed
from harness.steps import Pinned
from harness.store.store import Store

needs("torch", "transformers")
pytestmark = pytest.mark.together
TINY = REPOSITORY / "assets" / "tiny-shaped"
PIECES = [{"id": str(number), "text": text} for number, text in enumerate(("a cat", "two cats", "no cat at all"))]


def drawn(seed: int = 0, **more: Any) -> dict[str, Any]:
    return {"batch": "reference", "dtype": "float32", "untrained": seed, **more}


def digest(model: Any) -> str:
    return sha256(b"".join(tensor.numpy().tobytes() for tensor in model.state_dict().values()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a project with a model of which there are no weights at all."""
    shutil.copytree(TINY, tmp_path / "project" / "tiny", ignore=shutil.ignore_patterns("*.safetensors"))
    return tmp_path / "project" / "tiny"


def test_a_seed_gives_the_same_bytes_each_time_and_another_gives_others(folder: Path) -> None:
    import torch

    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    one = open_causal(folder, drawn())
    assert torch.equal(before, torch.random.get_rng_state())  # nobody else's draws move
    torch.manual_seed(2)
    assert (
        digest(open_causal(folder, drawn()).model) == digest(one.model) != digest(open_causal(folder, drawn(1)).model)
    )
    assert one.facts["untrained"] == 0 and one.facts["attention"] == "eager" and not one.model.training
    assert "untrained" not in open_causal(TINY, {"batch": "reference"}).facts
    assert str(next(open_causal(folder, drawn(dtype="bfloat16")).model.parameters()).dtype) == "torch.bfloat16"


def test_it_is_what_transformers_draws_after_that_seed(folder: Path) -> None:
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(derive_seed(7, "untrained"))
    wanted = AutoModel.from_config(AutoConfig.from_pretrained(folder))
    assert digest(open_encoder(folder, drawn(7)).model) == digest(wanted)


def test_a_manifest_may_name_a_seed_and_without_one_settings_are_as_before() -> None:
    def of(more: str = "") -> Any:
        model = f"  oracle: {{provider: transformers, source: assets/tiny-shaped{more}}}"
        return GOOD.replace("  oracle: {provider: baseline, behaviour: oracle}", model)

    said = parse(of(', untrained: "0"')).models["oracle"]
    assert said.untrained == 0 and said.as_data()["untrained"] == said.answer_params()["untrained"] == 0
    plain = parse(of()).models["oracle"]
    assert "untrained" not in plain.as_data() and "untrained" not in plain.answer_params()
    assert "a seed" in refused(of(", untrained: -1")).what
    assert "untrained" in refused(of(", untrained: yes")).what
    assert "not packed" in refused(of(", untrained: 1, quantisation: nf4")).what


def test_a_lock_pins_configuration_and_tokenizer_alone(folder: Path, tmp_path: Path) -> None:
    settings = TransformersSettings(provider="transformers", source="tiny", untrained=3)
    said: Any = settings.as_data()
    found: Any = pin_weights(folder.parent, settings.weights, said)
    assert sorted(found["files"]) == ["config.json", "tokenizer.json", "tokenizer_config.json"]
    assert found["untrained"] == 3
    shutil.copy(TINY / "model.safetensors", folder)
    assert pin_weights(folder.parent, settings.weights, said) == found  # weights that lie there are not looked at
    (folder / "model.safetensors").unlink()
    trained = TransformersSettings(provider="transformers", source="tiny")
    assert "safetensors" in pin_weights(folder.parent, trained.weights, {})["unresolved"]
    store = Store.make(tmp_path / "store")
    store_weights(store, folder.parent, settings.weights, found["files"])
    assert all(store.blobs.state(one) == "sound" for one in found["files"].values())


def delivered(folder: Path, inputs: Path) -> list[str]:
    names = sorted(path.name for path in folder.iterdir() if path.suffix == ".json")
    inputs.mkdir(parents=True)
    for number, name in enumerate(names):
        shutil.copy(folder / name, inputs / f"part-{number:05d}")
    return names


@pytest.mark.long
def test_it_answers_like_any_model_and_twice_the_same(folder: Path, tmp_path: Path) -> None:
    names, said = delivered(folder, tmp_path / "weights"), []
    asked = {"prompts": prompts(tmp_path / "prompts", ["1 + 1 =", "2"]), "weights": tmp_path / "weights"}
    for seed, name in ((4, "one"), (4, "two"), (5, "three")):
        (tmp_path / name).mkdir()
        generation = {"temperature": "0", "max_tokens": 6}
        params = {"model": "m", "files": names, "seeds": [0], "generation": generation, "logprobs": 1, **drawn(seed)}
        respond(params, asked, tmp_path / name)
        said.append((tmp_path / name / "responses").read_bytes())
        assert json.loads((tmp_path / name / "facts.json").read_bytes())["untrained"] == seed
    assert said[0] == said[1] != said[2]


@pytest.mark.long
def test_a_step_of_a_study_runs_on_an_engine_and_audits_to_equal_bytes(folder: Path, tmp_path: Path) -> None:
    settings = TransformersSettings(provider="transformers", source="tiny", untrained=3)
    said: Any = settings.as_data()
    found: Any = pin_weights(folder.parent, settings.weights, said)
    shop = Workshop(Store.make(tmp_path / "store"), LocalEngine("process"), Limits())
    store_weights(shop.store, folder.parent, settings.weights, found["files"])
    rows.write(tmp_path / "pieces", PIECES)
    pieces = Pinned(shop.store.blobs.copy(tmp_path / "pieces")[0])
    files = {name: Pinned(one) for name, one in sorted(found["files"].items())}
    step = activations(
        "hidden/m",
        Model("m", "transformers", settings.answer_params(), files),
        pieces,
        ActivationOptions(pool="sum"),
        (0, 3),
    )
    parts: Any = shop.preimage(step, {})
    assert parts["params"]["untrained"] == 3 and parts["batch"] == "reference"
    made = shop.make(step, parts)
    assert sorted(made.entry.outputs) == ["layer-00.npy", "layer-03.npy", "vectors"]
    assert (made.facts["pieces"], made.facts["cut"], made.facts["untrained"]) == (3, 0, 3)
    again = step_reexecutor(shop)(step, parts, 60.0)
    assert again.outputs == {name: output.sha256 for name, output in made.entry.outputs.items()} and not again.other
    with pytest.raises(InputError, match="no hidden states"):
        activations("x", Model("m", "openai", {}, calls=True), pieces, ActivationOptions(pool="sum"), (0,))
