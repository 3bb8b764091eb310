"""Activations of other architectures are those of plain transformers: every layer, however its tokens are pooled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support_hidden import TAUGHT

from harness.errors import InputError
from harness.models.local.activations import ActivationOptions, Activations
from harness.models.local.load import open_encoder

np = pytest.importorskip("numpy")
needs("torch", "transformers")
pytestmark = pytest.mark.together

WIDE = {"hidden_size": 32, "num_hidden_layers": 3}
HEADS = {**WIDE, "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 64}
KINDS: dict[str, tuple[dict[str, Any], bool]] = {  # and whether its tokenizer puts a sign before a text
    "GPT2": ({"n_embd": 32, "n_layer": 3, "n_head": 2, "n_positions": 64}, False),
    "Llama": ({**HEADS, "num_key_value_heads": 2}, True),
    "Rwkv": ({**WIDE, "attention_hidden_size": 32, "context_length": 64, "rescale_every": 2}, False),
    "GPTNeoX": (HEADS, False),
    "Roberta": ({**HEADS, "pad_token_id": 1}, False),
    "Mamba": ({**WIDE, "state_size": 4}, False),
}
STORY = ["the cat sat on a mat", "and dogs were walking", "along the river when"]
PIECES = [{"id": f"{p}{n}", "passage": p, "text": text} for p in "ab" for n, text in enumerate(STORY)]
LIMIT = 40


def made(folder: Path, kind: str, config: dict[str, Any], *, sign: bool) -> Path:
    """Make a model of random weights, and a tokenizer, in a folder of its own."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    signs, letters = ["<s>", "</s>"], pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=signs, initial_alphabet=letters, show_progress=False)
    plain.train_from_iterator([TAUGHT] * 3, trainer)
    if sign:
        plain.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    transformers.PreTrainedTokenizerFast(tokenizer_object=plain, bos_token="<s>", eos_token="</s>").save_pretrained(
        folder
    )
    with torch.random.fork_rng():
        torch.manual_seed(6)
        said = getattr(transformers, f"{kind}Config")(vocab_size=400, bos_token_id=0, eos_token_id=1, **config)
        transformers.AutoModel.from_config(said).save_pretrained(folder)
    return folder


def plain_states(folder: Path, *, sign: bool) -> list[Any]:
    """Give of each piece the states [layer, token, width] of its own tokens, by transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer, found = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder), []
    for piece in PIECES:
        number = int(piece["id"][1])
        texts = [f" {text}" if place else text for place, text in enumerate(STORY)]
        before, own = (
            tokenizer(text, add_special_tokens=False)["input_ids"] if text else []
            for text in ("".join(texts[:number]), texts[number])
        )
        tokens = [*([0] if sign else []), *[*before, *own][-LIMIT:]]
        with torch.no_grad():
            states = model(input_ids=torch.tensor([tokens]), output_hidden_states=True).hidden_states
        found.append(torch.stack([state[0, -len(own) :] for state in states]).double().numpy())
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_each_layer_is_that_of_plain_transformers(tmp_path: Path, kind: str) -> None:
    config, sign = KINDS[kind]
    folder = made(tmp_path / "m", kind, config, sign=sign)
    wanted = plain_states(folder, sign=sign)
    loaded = open_encoder(folder, {"batch": "reference", "dtype": "float32"})
    pools: dict[Any, Any] = {
        "sum": lambda own: own.sum(axis=1), "mean": lambda own: own.mean(axis=1), "last": lambda own: own[:, -1],
    }  # fmt: skip
    for pool, pooled in pools.items():
        how = ActivationOptions(pool=pool, context="pieces", limit=LIMIT)
        one = [found.vectors[:, 0] for found in Activations(loaded, how, range(4), every=True).of(PIECES)]
        many = [found.vectors[:, 0] for found in Activations(loaded, how, range(4), size=3).of(PIECES)]
        for own, found, batched in zip(wanted, one, many, strict=True):
            assert found.shape == (4, 32) and np.allclose(found, pooled(own), rtol=1e-5, atol=1e-5)
            assert np.allclose(found, batched, rtol=1e-5, atol=1e-5)


def test_a_model_with_two_stacks_of_layers_is_refused(tmp_path: Path) -> None:
    folder = made(
        tmp_path / "m", "T5", {"d_model": 32, "num_layers": 2, "num_heads": 2, "d_kv": 16, "d_ff": 64}, sign=False
    )
    loaded = open_encoder(folder, {"batch": "reference", "dtype": "float32"})
    with pytest.raises(InputError, match="two stacks of layers"):
        Activations(loaded, ActivationOptions(pool="sum"))
