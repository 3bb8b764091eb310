"""The architectures whose operations are walked: each as a tiny model of drawn weights, in every pass."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.models.local.activations import forward_batch
from harness.models.local.decode import DecodeRequest, SamplingRule, decode_batch
from harness.models.local.likelihood import (
    TokenizedContinuation,
    batches_together,
    compute_header,
    likelihoods,
    measure_batch,
    prepare_group,
)
from harness.models.local.load import LoadedModel, open_causal, open_encoder

COMMON = {"vocab_size": 260, "bos_token_id": 256, "eos_token_id": 256, "pad_token_id": 257}
PLAIN = {
    "hidden_size": 32, "intermediate_size": 72, "num_hidden_layers": 2, "num_attention_heads": 4,
    "max_position_embeddings": 128,
}  # fmt: skip
GROUPED = {**PLAIN, "num_key_value_heads": 2, "head_dim": 8}
LLAMA_3 = {
    "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip
CAUSAL: dict[str, dict[str, Any]] = {  # transformers' model types
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 128},
    "gpt_neox": {**PLAIN, "rotary_pct": 0.25},
    "llama": {**GROUPED, "rope_parameters": LLAMA_3},
    "mistral": {**GROUPED, "sliding_window": 8},
    "mixtral": {**GROUPED, "num_local_experts": 4},
    "qwen2": GROUPED,
    "qwen3": GROUPED,
    "gemma": GROUPED,
    "gemma2": {**GROUPED, "sliding_window": 8},
    "gemma3_text": {**GROUPED, "sliding_window": 8},
    "phi": PLAIN,
    "phi3": {**GROUPED, "original_max_position_embeddings": 128},
    "opt": {**PLAIN, "ffn_dim": 72, "word_embed_proj_dim": 32},
    "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "falcon": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4},
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4},
    "rwkv": {"hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32},
}
ENCODERS: dict[str, dict[str, Any]] = {  # MiniLM is a BERT
    "bert": PLAIN,
    "roberta": {**PLAIN, "pad_token_id": 1},
    "xlm-roberta": {**PLAIN, "pad_token_id": 1},
    "distilbert": {"dim": 32, "hidden_dim": 72, "n_layers": 2, "n_heads": 4, "max_position_embeddings": 128},
    "mpnet": PLAIN,
    "modernbert": {**PLAIN, "cls_token_id": 256, "sep_token_id": 257},
}
TEXTS = (tuple(range(40, 51)), (65, 66, 67), tuple(range(30, 47)))


def run_passes(kind: str, dtype: str, *, lengths: int = 1) -> Iterator[Any]:
    """Run a tiny model of a type in every pass of the harness; yields what comes out of each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _lay_out(kind, folder)
        for batch in ("reference", "3"):  # eager attention, and torch's own
            params = {"batch": batch, "dtype": dtype, "untrained": 1}
            if kind in ENCODERS:
                yield from _read(open_encoder(folder, params), lengths)
                continue
            loaded = open_causal(folder, params)
            yield from _read(loaded, lengths)
            yield from _answer(loaded, TEXTS[:1] if batch == "reference" else TEXTS)
            yield from _score(loaded, batch)


def _lay_out(kind: str, folder: Path) -> None:
    from transformers import AutoConfig

    from harness.studies.tiny.shape import tokenizer_file

    settings = {**COMMON, "initializer_range": 0.3, **(CAUSAL.get(kind) or ENCODERS[kind])}
    config = AutoConfig.for_model(kind, **settings)
    config.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_file()))
    said = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|eos|>", "pad_token": "<|pad|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))


def _read(loaded: LoadedModel, lengths: int) -> Iterator[Any]:
    """Read texts for their hidden states: one alone, and several with padding."""
    for length in range(lengths):
        yield forward_batch(loaded, [TEXTS[0] + tuple(range(length))])
    yield forward_batch(loaded, TEXTS)


def _answer(loaded: LoadedModel, texts: tuple[tuple[int, ...], ...]) -> Iterator[Any]:
    asks = [DecodeRequest(text, 3, 5, SamplingRule(1.0, 0.9), logprobs=2) for text in texts]
    yield [(answer.tokens, answer.logprobs) for answer in decode_batch(loaded, asks)]


def _score(loaded: LoadedModel, batch: str) -> Iterator[Any]:
    pairs = [TokenizedContinuation(TEXTS[0], tail) for tail in (TEXTS[1], TEXTS[1][:1], (70, 71))]
    if batch == "reference":
        yield likelihoods(loaded, pairs)
    elif batches_together(loaded):
        yield likelihoods(loaded, pairs, int(batch))
        groups = [prepare_group(pairs), prepare_group([TokenizedContinuation(TEXTS[2], (70,))])]
        measure_batch(loaded, groups, compute_header(loaded, groups), int(batch))
        yield [group.scores() for group in groups]
