"""The manifest of two real open models: it plans both in all wordings, and runs to its page on models of their form."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, data_of, harness
from support_bloom import make_bloom
from support_draws import drawn

from harness.manifest.load import load_manifest
from harness.run.planning.plan import check_manifest
from harness.studies.reliability.benchmarks import TASKS
from harness.studies.reliability.models import MODELS

PAIR = REPOSITORY / "manifests" / "paper" / "reliability-560m.yaml"
NAMES = ("bloom-560m", "bloomz-560m")
LOWERED = {
    "seed: 7, count: 5000": "seed: 7, count: 8", "per_length: 100": "per_length: 1", "per_bin: 50": "per_bin: 1",
    "seed: 7, count: 420": "seed: 7, count: 4", "seed: 7, count: 10": "seed: 7, count: 1",
}  # fmt: skip
LIMIT = 2  # items of each benchmark that the miniature asks, in all 15 wordings
TEXTS = ["What is 3 plus 4?", "1", "a rather longer prompt, so that all others are padded " * 8, "é, نعم", "x" * 40,
         "Name the city.\n", "12+34=", "List the letters: tinsle"]  # fmt: skip


@pytest.fixture(scope="module")
def blooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with both models in small; one is spelled as BLOOM's first files are, the other as newer ones."""
    needs("torch", "transformers")
    folder = tmp_path_factory.mktemp("blooms")
    for seed, name in enumerate(NAMES):
        make_bloom(folder / name, seed, old=name == NAMES[0])
    return folder


def project(folder: Path, text: str) -> Path:
    (folder / "lockfiles").mkdir()
    (folder / "manifests").mkdir()
    (folder / "manifests" / PAIR.name).write_text(text)
    return folder


def lowered() -> str:
    text = PAIR.read_text()
    for old, new in LOWERED.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def of_few(text: str, benchmarks: Collection[str]) -> str:
    """Leave a manifest some of its benchmarks."""
    for name in set(TASKS) - set(benchmarks):
        text, count = re.subn(rf"(?m)^(?:  {name}: .*|    - reliability/{name}@.*)\n", "", text)
        assert count == 2, name
    return text


def test_its_models_are_the_papers_exact_pair_and_it_claims_nothing() -> None:
    manifest = load_manifest(PAIR).manifest
    table = {model.name: model for model in MODELS}
    assert tuple(manifest.models) == NAMES and not manifest.claims
    for name, told in manifest.models.items():
        assert told.facts == table[name].facts() and told.source == f"hf:{table[name].access.id}"
        assert told.unresolved and not told.revision
    planned = check_manifest(load_manifest(PAIR))
    assert {each.maker.ids or name for name, each in planned.made.items()} == set(TASKS)


def test_without_weights_a_run_names_both_models_and_the_reason(tmp_path: Path) -> None:
    where = project(tmp_path, of_few(lowered(), {"addition"}))
    harness("lock", f"manifests/{PAIR.name}", cwd=where, check=0)
    told = harness("run", f"manifests/{PAIR.name}", cwd=where, check=3).stderr
    assert "2 pins are unresolved: models.bloom-560m, models.bloomz-560m (no hub could be reached" in told


def answers(folder: Path, batch: str) -> list[str]:
    from harness.models.local.load import open_causal
    from harness.models.provider import CompletionRequest
    from harness.models.providers.transformers import LocalModel

    loaded = open_causal(folder, {"batch": batch, "dtype": "float32"})
    how = {"temperature": "0", "max_tokens": 24}
    asked = [CompletionRequest(f"{place}", 1, 0, text, 0, how) for place, text in enumerate(TEXTS)]
    model = LocalModel("m", loaded, 1 if batch == "reference" else int(batch))
    return [given.text for given in model.complete(asked)]


def library(folder: Path) -> list[str]:
    """Answer prompt by prompt as the library itself does."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    found = []
    for text in TEXTS:
        given = tokenizer(text, return_tensors="pt")
        out = model.generate(**given, max_new_tokens=24, do_sample=False)
        found.append(tokenizer.decode(out[0, given["input_ids"].shape[1] :], skip_special_tokens=True))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_batches_padding_and_the_library_give_the_same_texts(blooms: Path, name: str) -> None:
    reference = answers(blooms / name, "reference")
    assert len(set(reference)) > 4
    assert answers(blooms / name, "1") == answers(blooms / name, "8") == reference == library(blooms / name)


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_given_as_it_is_without_a_sign_of_beginning(blooms: Path, name: str) -> None:
    from tokenizers import Tokenizer

    from harness.models.local.load import model_input, open_causal

    loaded = open_causal(blooms / name, {"batch": "reference"})
    plain = Tokenizer.from_file(str(blooms / name / "tokenizer.json"))
    for text in TEXTS:
        tokens = model_input(loaded, text, None, False).tokens(loaded)
        assert tokens == plain.encode(text, add_special_tokens=False).ids and min(tokens) > 3
        assert loaded.tokenizer.decode(tokens) == text
    assert loaded.ends == {2} and loaded.window == (None if name == NAMES[0] else 2048)


def rows(where: Path, output: str) -> list[dict[str, Any]]:
    text = harness("get", "last", output, cwd=where, check=0).stdout
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.exhaustive
def test_a_miniature_of_it_runs_from_local_folders_to_its_page(blooms: Path, tmp_path: Path) -> None:
    """Of one of its benchmarks, at night of all."""
    benchmarks = drawn(sorted(TASKS), 1)
    text = re.sub(r"(?m)^    unresolved: .*\n", "", of_few(lowered(), benchmarks))
    text = re.sub(r'"hf:bigscience/([^"]*)"', r"models/\1", text)
    where = project(tmp_path, text)
    for name in NAMES:
        (where / "models" / name).mkdir(parents=True)
        for file in (blooms / name).iterdir():
            (where / "models" / name / file.name).write_bytes(file.read_bytes())
    harness("lock", f"manifests/{PAIR.name}", cwd=where, check=0)
    lock = json.loads((where / "lockfiles" / "manifests" / "reliability-560m.lock.json").read_text())
    assert all("model.safetensors" in pin["files"] for pin in lock["pins"]["models"].values())
    data_of("run", f"manifests/{PAIR.name}", "--limit", str(LIMIT), cwd=where, check=None)
    given = rows(where, "responses")
    assert len(given) == 2 * len(benchmarks) * LIMIT * 15 and not [row for row in given if "error" in row]
    assert {(row["model"], row["template"]) for row in given} == {(name, at) for name in NAMES for at in range(1, 16)}
    [compared] = rows(where, "comparisons")
    assert all(name in json.dumps(compared) for name in NAMES)
    page = harness("get", "last", "report.html", cwd=where, check=0).stdout
    assert page.startswith("<!DOCTYPE html>") and all(f"card-{name}.html" in page for name in NAMES)
