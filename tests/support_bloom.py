"""A folder of the form of BLOOM's on the hub, small, with random weights: its configuration, tokenizer and weights."""

from __future__ import annotations

import json
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
WORDINGS = REPOSITORY / "harness" / "studies" / "reliability" / "prompts"
SPECIAL = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
STOPS = ".,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c"
WORDS = rf" ?[^(\s|[{STOPS}])]+"  # how its tokenizer parts words before it looks at bytes
# The shapes in which the configurations of BLOOM and of models made from it spell the same sizes.
OLD = {"n_embed": 32, "num_attention_heads": 4}
NEW = {"hidden_size": 32, "n_head": 4, "seq_length": 2048}
CONFIG = {
    "model_type": "bloom", "architectures": ["BloomForCausalLM"], "n_layer": 2, "vocab_size": 416,
    "unk_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 3, "offset_alibi": 100,
    "apply_residual_connection_post_layernorm": False, "attention_softmax_in_fp32": True, "pretraining_tp": 1,
    "layer_norm_epsilon": 1e-5, "hidden_dropout": 0.0, "attention_dropout": 0.0, "initializer_range": 0.3,
}  # fmt: skip


def make_bloom(folder: Path, seed: int, *, old: bool) -> Path:
    """Make a model of BLOOM's architecture and tokenizer; `old` spells sizes and tensors as its first files did."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoConfig, BloomForCausalLM

    folder.mkdir(parents=True)
    _tokenizer(folder)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **(OLD if old else NEW)}))
    torch.manual_seed(seed)
    tensors = BloomForCausalLM(AutoConfig.from_pretrained(folder)).state_dict()
    del tensors["lm_head.weight"]  # the embedding's own
    if old:
        tensors = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return folder


def _tokenizer(folder: Path) -> None:
    """Train byte-level pairs on the study's wordings, and write the files that name the class of BLOOM's tokenizer."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE())
    parted = pre_tokenizers.Split(Regex(WORDS), behavior="isolated")
    plain = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([parted, plain])
    made.post_processor = processors.ByteLevel(add_prefix_space=True, trim_offsets=False)
    made.decoder = decoders.ByteLevel()
    lines = [line for path in sorted(WORDINGS.glob("*@1.jsonl")) for line in path.read_text().splitlines()]
    texts = [json.loads(line)["text"] for line in lines]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=list(SPECIAL.values()), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    made.train_from_iterator(texts, trainer)
    made.save(str(folder / "tokenizer.json"))
    named = {**SPECIAL, "tokenizer_class": "BloomTokenizerFast", "padding_side": "left"}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    (folder / "special_tokens_map.json").write_text(json.dumps(SPECIAL))
