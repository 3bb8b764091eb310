"""Other architectures than the tiny ones: rotary places, ALiBi, sliding windows; alone, in batches, and as theirs."""

import pytest
from needs import needs
from support_draws import drawn
from support_models import make_model

from harness.models.local.load import open_causal
from harness.models.provider import CompletionRequest
from harness.models.providers.transformers import LocalModel

needs("torch", "transformers")

TEXTS = ["1 + 2 =", "a rather longer prompt, so that others are padded", "x", "What is 3 plus 4?", "é", "12+34="]
COMMON = {"vocab_size": 258, "eos_token_id": 256, "pad_token_id": 257, "bos_token_id": 256}
ROTARY = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
          "max_position_embeddings": 128}  # fmt: skip
KINDS = {
    "Llama": {**ROTARY, "num_key_value_heads": 2},
    "Mistral": {**ROTARY, "num_key_value_heads": 2, "sliding_window": 8},
    "Qwen2": {**ROTARY, "num_key_value_heads": 2},
    "GPTNeoX": ROTARY,
    "Bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
}


@pytest.fixture(params=drawn(KINDS, 1, len(KINDS)))
def folder(request, tmp_path):
    import torch
    import transformers

    where = make_model(tmp_path / "m")
    torch.manual_seed(1)
    config = getattr(transformers, f"{request.param}Config")(**COMMON, **KINDS[request.param], initializer_range=0.3)
    model = getattr(transformers, f"{request.param}ForCausalLM")(config)
    model.generation_config.eos_token_id = 256
    model.save_pretrained(where)
    return where


def texts(folder, batch):
    loaded = open_causal(folder, {"batch": batch, "dtype": "float32"})
    how = {"temperature": "0", "max_tokens": 12}
    asked = [CompletionRequest(f"{place}", 1, 0, text, 0, how) for place, text in enumerate(TEXTS)]
    local = LocalModel("m", loaded, 1 if batch == "reference" else int(batch))
    return [response.text for response in local.complete(asked)]


def theirs(folder):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    found = []
    for text in TEXTS:
        given = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            out = model.generate(**given, max_new_tokens=12, do_sample=False)
        found.append(tokenizer.decode(out[0, given["input_ids"].shape[1] :], skip_special_tokens=True))
    return found


@pytest.mark.long
def test_single_batched_and_library_decoding_choose_the_same_tokens(folder):
    reference = texts(folder, "reference")
    assert len(set(reference)) > 1
    assert reference == theirs(folder)
    assert texts(folder, "4") == reference
