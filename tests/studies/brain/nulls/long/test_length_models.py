"""Random models of which the length of a sentence is told, or not: whole, by torch, which takes seconds to load."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from needs import needs

from harness.studies.brain.nulls import gelu_mean, length_check, length_models
from harness.studies.brain.nulls.length_models import VARIANTS, LengthDesign

needs("torch", "transformers")
pytestmark = pytest.mark.together
SMALL = LengthDesign(sentences=150, layers=2, width=32, vocabulary=400)
SEEDS = (0, 1, 2)
ABOVE = ("1", "2")  # layers above the embedding


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return length_check.length_check(SMALL, SEEDS)


def claimed(variant: dict[str, Any]) -> bool:
    """Whether a variant shows what the argument says: lengths stand in sums of every layer, at every seed."""
    return bool(variant["sum"]["least"] > 0.75)


def told(found: dict[str, Any], variant: str, pool: str) -> list[float]:
    return [found["variants"][variant][pool]["layers"][layer]["most"] for layer in ("0", *ABOVE)]


def test_a_gelu_tells_the_length_at_every_seed_and_layer(found: dict[str, Any]) -> None:
    assert claimed(found["variants"]["gelu"]) and claimed(found["variants"]["as_drawn"])
    assert told(found, "gelu", "sum")[0] < 0.1  # the embedding has no GELU behind it


def test_an_odd_activation_without_positions_tells_nothing(found: dict[str, Any]) -> None:
    assert max(told(found, "odd", "sum")) < 0.1 and not claimed(found["variants"]["odd"])


def test_a_gelu_less_its_mean_fails_the_claim(found: dict[str, Any]) -> None:
    assert max(told(found, "centred", "sum")) < 0.1 and not claimed(found["variants"]["centred"])


def test_means_over_tokens_do_not_tell_what_sums_tell(found: dict[str, Any]) -> None:
    assert max(told(found, "gelu", "mean")) < 0.1 < 0.75 < found["variants"]["gelu"]["sum"]["least"]


def test_positions_alone_tell_the_length_by_any_activation_and_pooling(found: dict[str, Any]) -> None:
    own = found["variants"]["as_drawn_odd"]
    for pool in ("sum", "mean"):
        assert own[pool]["least"] > 0.3 and own[pool]["layers"]["0"]["least"] > 0.3


def test_lengths_dealt_out_at_random_are_not_decoded(found: dict[str, Any]) -> None:
    for variant in found["variants"].values():
        for pool in ("sum", "mean"):
            assert max(layer["shuffled"] for layer in variant[pool]["layers"].values()) < 0.1


def test_least_and_most_are_those_of_all_seeds_and_layers(found: dict[str, Any]) -> None:
    for variant in found["variants"].values():
        for pool in ("sum", "mean"):
            layers = [variant[pool]["layers"][layer] for layer in ABOVE]
            assert variant[pool]["least"] == min(layer["least"] for layer in layers)
            assert variant[pool]["most"] == max(layer["most"] for layer in layers)
            assert all(layer["least"] <= layer["r2"] <= layer["most"] for layer in layers)


def test_a_model_is_odd_with_an_odd_activation_and_not_with_a_gelu() -> None:
    """Token t + half the vocabulary is the opposite of token t: the opposite sentence has the opposite sums."""
    sentences = [np.arange(3, 12), np.array([5, 9, 5])]
    opposite = [(sentence + SMALL.vocabulary // 2) % SMALL.vocabulary for sentence in sentences]
    off = {}
    for name in ("odd", "gelu"):
        model = length_models.random_gpt2(VARIANTS[name], SMALL, 4)
        one, two = (length_models.pooled_states(model, each)["sum"] for each in (sentences, opposite))
        off[name] = np.abs(one + two)[1:].max() / np.abs(one).max()
        assert np.abs(one + two)[0].max() == 0
    assert off["odd"] < 1e-5 and off["gelu"] > 0.3


def test_variants_of_a_seed_share_their_weights_and_seeds_do_not() -> None:
    drawn = {name: length_models.random_gpt2(variant, SMALL, 1) for name, variant in VARIANTS.items()}
    weights = {name: model.h[1].mlp.c_fc.weight.detach().numpy() for name, model in drawn.items()}
    assert all(np.array_equal(weights["gelu"], other) for other in weights.values())
    other = length_models.random_gpt2(VARIANTS["gelu"], SMALL, 2).h[1].mlp.c_fc.weight.detach().numpy()
    assert not np.allclose(weights["gelu"], other)
    assert not drawn["gelu"].wpe.weight.any() and drawn["as_drawn"].wpe.weight.any()


def test_states_are_pooled_as_one_sentence_after_the_other_is() -> None:
    import torch

    model = length_models.random_gpt2(VARIANTS["as_drawn"], SMALL, 3)
    sentences = length_models.random_sentences(LengthDesign(60, 2, 32, 400), 3)
    found = length_models.pooled_states(model, sentences)
    for place in (0, 7, 59):
        with torch.no_grad():
            states = model(torch.tensor(sentences[place])[None], output_hidden_states=True).hidden_states
        for layer, state in enumerate(states):
            assert np.allclose(found["sum"][layer, place], state[0].sum(dim=0).numpy(), atol=1e-4)
            assert np.allclose(found["mean"][layer, place], state[0].mean(dim=0).numpy(), atol=1e-5)
    assert {len(sentence) for sentence in sentences} <= {*range(5, 20)}


@pytest.mark.parametrize("spread", [0.1, 0.8, 3.0])
def test_the_mean_of_a_gelu_over_gaussian_inputs_is_that_of_an_integral(spread: float) -> None:
    import torch
    from scipy.integrate import quad
    from scipy.stats import norm

    def gelu(x: float) -> float:
        return float(torch.nn.functional.gelu(torch.tensor(x, dtype=torch.float64), approximate="tanh"))

    mean, square = (quad(lambda z, n=n: gelu(spread * z) ** n * norm.pdf(z), -9, 9, limit=200)[0] for n in (1, 2))
    assert gelu_mean.gelu_moments(spread) == pytest.approx((mean, square - mean**2), rel=1e-4)
    exact = spread**2 / math.sqrt(2 * math.pi * (1 + spread**2))  # of the GELU that is not approximated
    assert mean == pytest.approx(exact, rel=5e-3)


def test_the_mean_in_the_model_is_the_one_expected_of_gaussian_inputs(found: dict[str, Any]) -> None:
    first = found["account"]["1"]
    assert first["spread"] == pytest.approx(length_models.SPREAD, rel=0.05)
    assert first["mean_measured"] == pytest.approx(first["mean_expected"], rel=0.05)
    assert first["share_dealt"] == pytest.approx(first["share_expected"], abs=0.05)
    assert 0.1 < first["share_measured"] < first["share_dealt"]  # attention makes the tokens of a sentence alike


def test_equal_seeds_give_equal_documents_and_no_other_draw_is_shifted(found: dict[str, Any]) -> None:
    import torch

    before = torch.random.get_rng_state()
    few = LengthDesign(sentences=50, layers=1, width=16, vocabulary=100)
    one, two, other = (length_check.length_check(few, [seed]) for seed in (3, 3, 4))
    assert one == two and one["variants"] != other["variants"]
    assert torch.equal(before, torch.random.get_rng_state())


def test_the_step_writes_a_document_that_json_can_hold(tmp_path) -> None:
    length_check.check({"sentences": 60, "layers": 1, "width": 16, "vocabulary": 100, "seeds": [2, 5]}, {}, tmp_path)
    found = json.loads((tmp_path / "length_check").read_bytes())
    assert found["sizes"]["seeds"] == [2, 5] and [*found["account"]] == ["1"]
    assert {*found["variants"]} == {*VARIANTS}


@pytest.mark.nightly  # of smaller models the tests above hold it
def test_at_the_sizes_of_a_run_the_length_is_told_as_the_page_says(tmp_path) -> None:
    length_check.check({}, {}, tmp_path)
    found = json.loads((tmp_path / "length_check").read_bytes())
    assert found["sizes"]["seeds"] == [0, 1, 2] and [*found["account"]] == ["1", "2", "3"]
    own = found["variants"]
    assert own["gelu"]["sum"]["least"] > 0.85 and own["gelu"]["mean"]["most"] < 0.05
    assert max(own[name]["sum"]["most"] for name in ("odd", "centred")) < 0.05
