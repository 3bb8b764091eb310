"""Batches across prompts: the numbers of reading each text whole, whatever is padded, shared or asked besides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support_models import REPOSITORY, make_model

from harness.models.local import likelihood
from harness.models.local.likelihood import LikelihoodModel
from harness.models.local.load import LoadedModel, open_causal

pytestmark = pytest.mark.together

needs("torch", "transformers")

TINY = REPOSITORY / "assets" / "tiny-shaped"
SHOTS = "Q: 1 + 1?\nA: 2\n\n"  # what all of these prompts begin with
ASKED: list[tuple[str, list[str]]] = [
    (SHOTS + "Q: 2 + 2?\nA:", [" 4", " 5", " four"]),
    (SHOTS + "Q: is ice cold?\nA:", [" yes", " no, it is not"]),
    (SHOTS + "Q: ", ["x", "\u00e9", "y and on it goes"]),
    (SHOTS + "Q: 12 + 34 + 56?\nA:", [" A", " B", " C", " D", " E"]),
    (SHOTS + "Q: 2 + 2?\nA:", [" 4", " 5", " four"]),
]
WITHOUT = [("x", [" yes", "no"]), ("a much longer prompt than that", [" 1", " 22", " 1"]), ("", ["whole", "who"])]
CHOSEN = {
    "Llama": {"num_key_value_heads": 2},
    "Mistral": {"num_key_value_heads": 2, "sliding_window": 8},
    "GPTNeoX": {},
    "Bloom": {"n_layer": 2, "n_head": 4},
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "OPT": {"ffn_dim": 64, "word_embed_proj_dim": 32},
}
SIZE = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
ENDS = {"vocab_size": 258, "eos_token_id": 256, "pad_token_id": 257, "bos_token_id": 256}


def prompts(asked: list[tuple[str, list[str]]]) -> list[Any]:
    """Give rows as a study writes them."""
    return [
        {"item": f"i{n}", "template": 0, "text": text, "continuations": each} for n, (text, each) in enumerate(asked)
    ]


def logprobs(loaded: LoadedModel, size: int, asked: list[tuple[str, list[str]]], **more: Any) -> list[list[float]]:
    rows = LikelihoodModel("m", loaded, size).rows(prompts(asked), **more)
    return [[one["logprob"] for one in row["continuations"]] for row in rows]


def whole(loaded: LoadedModel, text: str, continuation: str) -> float:
    """Read one text whole: the tokens are its bytes."""
    import torch

    context = text.rstrip()
    head = list(context.encode()) or [256]
    tokens = head + list((text[len(context) :] + continuation).encode())
    with torch.inference_mode():  # as the harness reads; without it torch shows the watch the parts of its softmax
        logs = torch.log_softmax(loaded.model(torch.tensor([tokens[:-1]])).logits[0].double(), dim=-1)
    return sum(float(logs[place - 1, tokens[place]]) for place in range(len(head), len(tokens)))


@pytest.fixture(params=CHOSEN)
def other(request: pytest.FixtureRequest, tmp_path: Path) -> LoadedModel:
    import torch
    import transformers
    from transformers import AutoModelForCausalLM

    folder = make_model(tmp_path / "m")
    torch.manual_seed(1)
    config = getattr(transformers, f"{request.param}Config")
    more = {**ENDS, **SIZE, "max_position_embeddings": 64, **CHOSEN[request.param]}
    std = {"init_std" if request.param == "OPT" else "initializer_range": 0.3}
    AutoModelForCausalLM.from_config(config(**more, **std)).save_pretrained(folder)
    return open_causal(folder, {"batch": "4", "dtype": "float32"})


@pytest.mark.parametrize("asked", [ASKED, WITHOUT, [*ASKED, *WITHOUT]], ids=["a header", "none", "mixed"])
def test_every_architecture_gives_what_reading_each_text_whole_gives(other: LoadedModel, asked: Any) -> None:
    expected = [[whole(other, text, one) for one in each] for text, each in asked]
    for size in (1, 2, 3, 16):
        for found, known in zip(logprobs(other, size, asked), expected, strict=True):
            assert found == pytest.approx(known, abs=1e-4)


def test_a_batch_reads_what_prompts_begin_with_once_and_equal_prompts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = open_causal(TINY, {"batch": "16", "dtype": "float32"})
    read: list[tuple[int, ...]] = []
    forward = likelihood._together_forward

    def counted(loaded: Any, tokens: Any, *rest: Any) -> Any:
        read.append(tuple(tokens.shape))
        return forward(loaded, tokens, *rest)

    monkeypatch.setattr(likelihood, "_together_forward", counted)
    logprobs(loaded, 16, ASKED)
    header, prompts, rests = read
    assert header[0] == 1 and header[1] >= len(SHOTS)
    assert prompts[0] == len(ASKED) - 1 and header[1] + prompts[1] <= max(len(text) + 2 for text, _ in ASKED)
    assert rests[0] <= 16


def test_no_batch_has_more_rows_than_it_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = open_causal(TINY, {"batch": "2", "dtype": "float32"})
    read: list[int] = []
    forward = likelihood._together_forward

    def counted(loaded: Any, tokens: Any, *rest: Any) -> Any:
        read.append(len(tokens))
        return forward(loaded, tokens, *rest)

    monkeypatch.setattr(likelihood, "_together_forward", counted)
    logprobs(loaded, 2, ASKED)
    assert max(read) == 2 and len(read) > 4


def test_memory_that_runs_out_between_batches_measures_the_rest_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = open_causal(TINY, {"batch": "4", "dtype": "float32"})
    expected = logprobs(loaded, 1, ASKED)

    whole = likelihood.measure_batch

    def short(loaded: Any, groups: Any, header: Any, size: int) -> None:
        whole(loaded, groups, header, size)
        if size > 2:
            raise MemoryError

    monkeypatch.setattr(likelihood, "measure_batch", short)
    reader = LikelihoodModel("m", loaded, 4)
    found = [[one["logprob"] for one in row["continuations"]] for row in reader.rows(prompts(ASKED))]
    assert (reader.size, reader.redone) == (2, 1)
    for mine, known in zip(found, expected, strict=True):
        assert mine == pytest.approx(known, abs=1e-4)


def test_memory_that_runs_out_over_what_all_begin_with_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = open_causal(TINY, {"batch": "4", "dtype": "float32"})
    expected, times = logprobs(loaded, 1, ASKED), iter([True, False])

    whole = likelihood.compute_header

    def short(loaded: Any, groups: Any) -> Any:
        if next(times):
            raise MemoryError
        return whole(loaded, groups)

    monkeypatch.setattr(likelihood, "compute_header", short)
    for mine, known in zip(logprobs(loaded, 4, ASKED), expected, strict=True):
        assert mine == pytest.approx(known, abs=1e-4)
    assert next(times, None) is None


def test_one_prompt_that_leaves_the_window_costs_its_neighbours_nothing() -> None:
    loaded = open_causal(TINY, {"batch": "4", "dtype": "float32"})
    long = ("x" * 600, [" 4", " 5"])
    rows = list(LikelihoodModel("m", loaded, 4).rows(prompts([ASKED[0], long, ASKED[1]])))
    assert rows[1]["error"] == "a prompt and its continuation have 601 tokens, the window holds 512"
    kept = [[one["logprob"] for one in row["continuations"]] for row in (rows[0], rows[2])]
    for found, known in zip(kept, logprobs(loaded, 1, ASKED[:2]), strict=True):
        assert found == pytest.approx(known, abs=1e-4)


def test_alone_is_what_unconditional_says_beside_each() -> None:
    loaded = open_causal(TINY, {"batch": "4", "dtype": "float32"})
    beside = LikelihoodModel("m", loaded, 4).rows(prompts(ASKED), unconditional=True)
    expected = [[one["unconditional"] for one in row["continuations"]] for row in beside]
    for size in (1, 4):
        for found, known in zip(logprobs(loaded, size, ASKED, what="alone"), expected, strict=True):
            assert found == pytest.approx(known, abs=1e-4)


def test_numbers_that_are_not_finite_are_an_error_and_never_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    loaded = open_causal(TINY, {"batch": "4", "dtype": "float32"})
    with torch.no_grad():
        next(iter(loaded.model.parameters())).fill_(float("nan"))
    for size in (1, 4):
        rows = list(LikelihoodModel("m", loaded, size).rows(prompts(ASKED)))
        assert {row.get("error") for row in rows} == {likelihood.NOT_FINITE}
        assert all(row["continuations"] == [] for row in rows)
