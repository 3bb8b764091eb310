"""Architecture of the tiny models, and their files in the Hugging Face format: configuration, tokenizer, weights.

Each byte is one token, so the tokenizer consists of 256 names and two special tokens. Independent of questions and
training.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import canonical_json
from harness.studies.tiny.corpus import EOS, PAD, VOCABULARY

LEARNED, TURNED = "learned", "turned"  # kinds of position embeddings: learned or rotary
_CLASSES = {LEARNED: "GPT2LMHeadModel", TURNED: "GPTNeoXForCausalLM"}
_OUTPUT = "lm_head.weight"
EOS_TEXT, PAD_TEXT = "<|eos|>", "<|pad|>"


def architecture(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Hugging Face configuration of a small GPT, without dropout, from a recipe's parameters.

    Positions are learned (`places` is `learned`: GPT-2) or rotary (`turned`: GPT-NeoX, which copies better).
    """
    both = {
        "vocab_size": VOCABULARY,
        "bos_token_id": EOS,
        "eos_token_id": EOS,
        "pad_token_id": PAD,
        "tie_word_embeddings": True,
    }
    if params.get("places", LEARNED) == LEARNED:
        return {
            **both,
            "model_type": "gpt2",
            "n_positions": params["window"],
            "n_embd": params["width"],
            "n_layer": params["layers"],
            "n_head": params["heads"],
            "activation_function": "gelu_pytorch_tanh",
            "resid_pdrop": 0,
            "embd_pdrop": 0,
            "attn_pdrop": 0,
        }
    return {
        **both,
        "model_type": "gpt_neox",
        "max_position_embeddings": params["window"],
        "hidden_size": params["width"],
        "intermediate_size": 4 * params["width"],
        "num_hidden_layers": params["layers"],
        "num_attention_heads": params["heads"],
        "hidden_act": "gelu_pytorch_tanh",
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000, "partial_rotary_factor": 1},
        "use_parallel_residual": False,
        "attention_dropout": 0,
        "hidden_dropout": 0,
    }


def shape(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a model's config.json, tokenizer_config.json and tokenizer.json, in canonical JSON, from `params`."""
    config = {
        **architecture(params),
        "architectures": [_CLASSES[params.get("places", LEARNED)]],
        "dtype": "float32",
    }
    tokenizer = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": EOS_TEXT,
        "pad_token": PAD_TEXT,
        "model_max_length": params["window"],
        "clean_up_tokenization_spaces": False,
    }
    for name, value in (("config", config), ("tokenizer_config", tokenizer), ("tokenizer", tokenizer_file())):
        (out / f"{name}.json").write_bytes(canonical_json(value) + b"\n")


def tokenizer_file() -> dict[str, Any]:
    """Return the content of tokenizer.json for the `tokenizers` library: byte-level BPE without merges."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    signs = [
        {
            "id": number,
            "content": text,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number, text in ((EOS, EOS_TEXT), (PAD, PAD_TEXT))
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": signs,
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {name: number for number, name in enumerate(byte_names())},
            "merges": [],
        },
    }


def byte_names() -> list[str]:
    """Return the byte-level names of the 256 bytes: printable bytes as themselves, others from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    names, spare = [], 0x100
    for byte in range(256):
        names.append(chr(byte if byte in printable else spare))
        spare += byte not in printable
    return names


def write_weights(model: Any, path: Path) -> None:
    """Write a model's weights as safetensors, without the output layer, which is the input embedding."""
    from safetensors.torch import save_file  # noqa: PLC0415

    weights = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if name != _OUTPUT}
    save_file(weights, path, metadata={"format": "pt"})


def read_weights(model: Any, path: Path) -> None:
    """Load weights that `write_weights` wrote into a model of the same shape, and tie its output layer."""
    from safetensors.torch import load_file  # noqa: PLC0415

    weights = load_file(path)
    [table] = (name for name, tensor in model.state_dict().items() if name in weights and _is_table(model, tensor))
    model.load_state_dict({**weights, _OUTPUT: weights[table]}, strict=True)
    model.tie_weights()


def _is_table(model: Any, tensor: Any) -> bool:
    return bool(tensor.data_ptr() == model.get_input_embeddings().weight.data_ptr())
