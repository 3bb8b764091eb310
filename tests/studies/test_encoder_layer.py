"""The setting `encoder_layer`: in a step's parameters only if it is written, and refused where it can mean nothing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from needs import needs
from support_inside import inside

from harness.errors import InputError
from harness.kit.encoder_layer import layer_of

MANIFEST = """\
harness: 2
study: {study}
name: layers
about: BERTScore by a layer of the paper's encoder.
models: {{oracle: {{provider: baseline, behaviour: oracle}}}}
instruments: {{encoder: {{provider: transformers, source: "hf:FacebookAI/roberta-large", revision: {commit}}}}}
datasets: {{asked: {made}}}
{prompts}settings: {{encoder_layer: 17}}
generation: {{temperature: 0, max_tokens: 64}}
resources: {{gpus: 0, memory: 2GiB, timeout: 10m}}
outputs: {{scores: exact}}
"""
STUDIES = {
    "curie": ("{make: curie.demo_hfe, seed: 7, count: 2}", "prompts: {set: [curie/hfe@1]}\n"),
    "biomed": ("{make: biomed.synthetic, seed: 7, most: 4, rows: 1}", ""),
}


def brief(layer: int | None, *roles: str) -> Any:
    return SimpleNamespace(settings={"encoder_layer": layer}, instruments=dict.fromkeys(roles))


def test_a_layer_is_a_parameter_only_if_the_settings_name_it() -> None:
    assert layer_of(brief(None)) == layer_of(brief(None, "encoder")) == {}
    assert layer_of(brief(17, "encoder")) == {"layer": 17} and layer_of(brief(0, "encoder")) == {"layer": 0}


@pytest.mark.parametrize(("given", "why"), [(brief(17), "which encoder"), (brief(101, "encoder"), "101 is no layer")])
def test_a_layer_that_can_mean_nothing_is_refused(given: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        layer_of(given)


@pytest.mark.parametrize("study", STUDIES)
def test_where_the_papers_encoder_is_not_here_a_run_ends_with_3_and_says_what_to_bring(
    study: str, tmp_path: Path
) -> None:
    needs("transformers")
    for name in ("manifests", "lockfiles"):
        (tmp_path / name).mkdir()
    made, prompts = STUDIES[study]
    text = MANIFEST.format(study=study, made=made, prompts=prompts, commit="ab" * 20)
    (tmp_path / "manifests" / "m.yaml").write_text(text)
    env = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "nothing")}
    inside("lock", "manifests/m.yaml", cwd=tmp_path, env=env, check=0)
    done = inside("run", "manifests/m.yaml", cwd=tmp_path, env=env, check=3)
    assert "instruments.encoder is unresolved: the weights of FacebookAI/roberta-large" in done.stderr
    assert f"hf download FacebookAI/roberta-large --revision {'ab' * 20}" in done.stderr
