"""A masked language model small enough to make in a test, whose tokens begin at a space; and a plain reading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

TAUGHT = "the cat sat on a mat and dogs were walking along the river when rain began to fall over hills"


def make_masked(folder: Path, positions: int = 50) -> Path:
    """Make a RoBERTa of two layers with `positions` places, two of which its padding takes; its file has no pooler."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM

    signs = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=signs, initial_alphabet=alphabet, show_progress=False)
    plain.train_from_iterator([TAUGHT] * 3, trainer)
    plain.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        mask_token="<mask>", cls_token="<s>", sep_token="</s>", model_max_length=positions - 2,
    )  # fmt: skip
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=positions, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(5)
        RobertaForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def plainly(model: Any, tokenizer: Any, context: str, text: str, limit: int) -> Any:
    """Give [layer, token, width] of a text's own tokens behind a context, in plain words of transformers."""
    import torch

    before, own = (tokenizer(part, add_special_tokens=False)["input_ids"] if part else [] for part in (context, text))
    whole: Sequence[int] = [*before, *own][-limit:]
    masked = tokenizer.mask_token is not None
    given = [tokenizer.cls_token_id, *whole, tokenizer.sep_token_id] if masked else whole
    with torch.no_grad():
        states = model(torch.tensor([given]), output_hidden_states=True).hidden_states
    found = torch.stack([state[0] for state in states])
    found = found[:, 1:-1] if masked else found
    return found[:, -min(len(own), limit) :].numpy()
