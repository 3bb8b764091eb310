"""Opening a model: what the libraries would draw, fetch or guess is refused in words."""

import json

import pytest
from needs import needs
from support_models import make_model

from harness.errors import InputError
from harness.models.local.activations import hidden_states, token_states
from harness.models.local.load import open_causal, open_encoder

needs("torch", "transformers")

PARAMS = {"batch": "reference", "dtype": "float32"}


@pytest.fixture
def folder(tmp_path):
    return make_model(tmp_path / "m")


def edited(folder, **more):
    config = json.loads((folder / "config.json").read_bytes())
    (folder / "config.json").write_text(json.dumps({**config, **more}))
    return folder


@pytest.mark.long
def test_the_facts_say_what_was_opened(folder):
    loaded = open_causal(folder, PARAMS)
    assert loaded.window == 64 and loaded.ends == {256} and loaded.positions
    assert loaded.facts["parameters"] == sum(tensor.numel() for tensor in loaded.model.parameters())
    assert loaded.facts["attention"] == "eager" and not loaded.model.training
    assert open_causal(folder, {**PARAMS, "batch": "8"}).facts["attention"] == "sdpa"
    assert str(next(open_causal(folder, {**PARAMS, "dtype": "bfloat16"}).model.parameters()).dtype) == "torch.bfloat16"


@pytest.mark.long
def test_weights_that_do_not_fill_the_model_are_refused_not_drawn(folder):
    with pytest.raises(InputError, match="weights"):
        open_causal(edited(folder, n_layer=3), PARAMS)


@pytest.mark.long
def test_weights_of_another_shape_are_refused(folder):
    with pytest.raises(InputError, match="weights"):
        open_causal(edited(folder, n_positions=128), PARAMS)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["own-model", "", 7])
def test_an_architecture_that_is_not_in_the_library_is_refused(folder, kind):
    with pytest.raises(InputError, match="configuration cannot be read") as told:
        open_causal(edited(folder, model_type=kind), PARAMS)
    assert str(folder) not in str(told.value)


@pytest.mark.long
def test_a_model_that_does_not_continue_its_prompt_is_refused(folder):
    with pytest.raises(InputError, match="no causal"):
        open_causal(edited(folder, model_type="t5"), PARAMS)


@pytest.mark.long
def test_a_tokenizer_that_cannot_be_read_is_refused(folder):
    (folder / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(InputError, match="tokenizer"):
        open_causal(folder, PARAMS)


@pytest.mark.long
def test_every_byte_comes_back_from_the_tokenizer(folder):
    tokenizer = open_causal(folder, PARAMS).tokenizer
    for text in ("3 + 4 = 7", "  two  spaces\n\ttab", "é ß 漢 🙂", "\x00\x7f", "<|eos|"):
        tokens = tokenizer(text)["input_ids"]
        assert tokens == list(text.encode())
        assert tokenizer.decode(tokens, clean_up_tokenization_spaces=False) == text


@pytest.mark.long
def test_hidden_states_of_every_layer_do_not_hang_on_other_texts(folder):
    import numpy as np

    loaded = open_encoder(folder, PARAMS)
    texts = ["3 + 4 =", "a longer text than that", "é"]
    found = hidden_states(loaded, texts)
    assert found.shape == (3, 3, 32) and found.dtype == np.float32  # two layers and the embedding
    for place, text in enumerate(texts):
        assert np.array_equal(hidden_states(loaded, [text])[0], found[place])
    tokens = [token_states(loaded, loaded.tokenizer(text)["input_ids"], None) for text in texts]
    assert [each.shape for each in tokens] == [(3, len(text.encode()), 32) for text in texts]
    assert np.allclose(tokens[1].mean(axis=1), found[1], atol=1e-6)
    assert np.array_equal(hidden_states(loaded, texts, [-1])[1], found[1][-1:])


@pytest.mark.long
@pytest.mark.parametrize(("texts", "layers"), [([""], None), (["x" * 65], None), (["x"], [3])])
def test_hidden_states_that_are_not_there_are_refused(folder, texts, layers):
    with pytest.raises(InputError):
        hidden_states(open_encoder(folder, PARAMS), texts, layers)
