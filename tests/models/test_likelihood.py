"""Log-likelihoods of given continuations: lm-eval's numbers, whatever is shared, batched or asked besides."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from needs import needs
from support_examples import examples
from support_models import REPOSITORY, deliver, make_model

from harness import rows
from harness.errors import InputError
from harness.models.local import likelihood
from harness.models.local.decode import NO_ROOM
from harness.models.local.likelihood import TokenizedContinuation, measure
from harness.models.local.load import LoadedModel, open_causal
from harness.models.provider import CompletionRequest
from harness.models.providers.transformers import LocalModel

needs("torch", "transformers")

TINY = REPOSITORY / "assets" / "tiny-shaped"
CHOICES = [" 46.", " 47.", " forty-six", " 4", " 46. And", "6"]
PROMPTS: list[dict[str, Any]] = [
    {"text": "What is 12 plus 34?\nAnswer:", "continuations": CHOICES},
    {"text": "What is 12 plus 34? ", "continuations": ["46", "\u00e9t\u00e9", "46 and no more than that"]},
    {"text": "", "continuations": ["12 + 34 = 46", "x"]},
    {"text": " \n", "continuations": ["12"]},
]


def run(where: Path, model: Path, asked: list[dict[str, Any]], **more: Any) -> tuple[list[Any], dict[str, Any]]:
    """Measure, and give the rows and what was observed."""
    names = deliver(model, where / "weights")
    (where / "out").mkdir()
    rows.write(where / "prompts", ({"item": f"i{n}", "template": 1, **each} for n, each in enumerate(asked)))
    params = {"model": "m", "files": names, "dtype": "float32", "batch": "reference", **more}
    measure(params, {"prompts": where / "prompts", "weights": where / "weights"}, where / "out")
    facts = json.loads((where / "out" / "facts.json").read_bytes())
    return list(rows.read(where / "out" / "likelihoods")), facts


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return run(tmp_path_factory.mktemp("ours"), TINY, PROMPTS, unconditional=True)[0]


@pytest.fixture(scope="module")
def tiny() -> LoadedModel:
    return open_causal(TINY, {"batch": "reference", "dtype": "float32"})


def plainly(model: Any, tokenizer: Any, context: str, continuation: str) -> tuple[float, int, bool]:
    """Do as lm-eval's `hf` does, one text at a time and nothing remembered."""
    import torch

    spaces = len(context) - len(context.rstrip())
    if spaces:
        continuation, context = context[-spaces:] + continuation, context[:-spaces]
    if context:
        head = tokenizer.encode(context)
        tail = tokenizer.encode(context + continuation)[len(head) :]
    else:
        head, tail = [tokenizer.eos_token_id], tokenizer.encode(continuation, add_special_tokens=False)
    with torch.no_grad():
        logits = model(torch.tensor([[*head, *tail][:-1]])).logits[0, -len(tail) :]
    logs = torch.log_softmax(logits.float(), dim=-1)
    total = sum(float(logs[place, token]) for place, token in enumerate(tail))
    return total, len(tail), logs.argmax(dim=-1).tolist() == tail


@pytest.mark.long
def test_each_number_is_what_reading_each_text_whole_gives(ours: list[Any]) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(TINY), AutoTokenizer.from_pretrained(TINY)
    assert tokenizer.bos_token_id is None
    greedy = set()
    for prompt, row in zip(PROMPTS, ours, strict=True):
        assert "error" not in row and len(row["continuations"]) == len(prompt["continuations"])
        for text, found in zip(prompt["continuations"], row["continuations"], strict=True):
            total, count, best = plainly(model, tokenizer, prompt["text"], text)
            assert found["logprob"] == pytest.approx(total, abs=1e-4)
            assert (found["tokens"], found["greedy"]) == (count, best)
            assert found["unconditional"] == pytest.approx(plainly(model, tokenizer, "", text)[0], abs=1e-4)
            greedy.add(best)
    assert greedy == {True, False}


@pytest.mark.long
def test_a_sum_is_that_of_the_log_probabilities_that_answers_tell(tiny: LoadedModel, tmp_path: Path) -> None:
    how = {"temperature": "0", "max_tokens": 2}
    [answer] = LocalModel("m", tiny, logprobs=1).complete(
        [CompletionRequest("a", 1, 0, "What is 12 plus 34?\nAnswer:", 0, how)]
    )
    assert answer.logprobs and answer.finish == "length"
    asked = [{"text": "What is 12 plus 34?\nAnswer:", "continuations": [answer.text]}]
    [found] = run(tmp_path, TINY, asked)[0][0]["continuations"]
    assert found["greedy"] and found["tokens"] == 2
    assert found["logprob"] == pytest.approx(sum(each["logprob"] for each in answer.logprobs), abs=1e-4)


WORD = st.text("abc xyz\n0\u00e9", min_size=1, max_size=8).filter(lambda text: text.strip() == text)


@pytest.mark.long
@examples(0.1)
@given(st.text("ab \n\u00e9", max_size=6), WORD, WORD)
def test_what_follows_is_as_likely_in_one_piece_as_in_two(tiny: LoadedModel, before: str, one: str, two: str) -> None:
    """The tiny models read a byte a token, so that the chain rule must hold wherever a text is cut."""
    reader = likelihood.LikelihoodModel("m", tiny, size=2)

    before = f"Q{before}"  # after nothing, the first token follows the sign of a beginning, which no other text has

    def logprob(context: str, *continuations: str) -> list[float]:
        asked: Any = {"item": "i", "template": 0, "text": context, "continuations": list(continuations)}
        [row] = reader.rows([asked])
        return [each["logprob"] for each in row["continuations"]]

    whole, first = logprob(before, one + two, one)
    [second] = logprob(before + one, two)
    assert whole == pytest.approx(first + second, abs=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("batch", ["1", "2", "16"])
def test_a_batch_gives_the_same_numbers_but_for_their_last_digits(ours: list[Any], tmp_path: Path, batch: str) -> None:
    found, facts = run(tmp_path, TINY, PROMPTS, batch=batch, unconditional=True)
    assert facts["batch_used"] == batch and facts["likelihoods"] == len(PROMPTS)
    for one, two in zip(ours, found, strict=True):
        for mine, theirs in zip(one["continuations"], two["continuations"], strict=True):
            assert theirs == pytest.approx(mine, abs=1e-4)


@pytest.mark.long
def test_what_continuations_share_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    forward = likelihood._continuations_forward

    def counted(loaded: Any, tokens: Any, *rest: Any) -> Any:
        read.append(sum(map(len, tokens)))
        return forward(loaded, tokens, *rest)

    monkeypatch.setattr(likelihood, "_continuations_forward", counted)
    text = "What is 12 plus 34? Think about it for a while.\nAnswer: it is"
    run(tmp_path, TINY, [{"text": text, "continuations": [" A", " B", " C", " D"]}])
    assert read == [len(text) + 1]  # of bytes: the space is shared too, and after the last letter nothing is asked


@pytest.mark.long
def test_of_two_texts_the_likelier_is_the_one_the_model_was_taught(tmp_path: Path) -> None:
    asked = [{"text": "What is 3 plus 4?\nAnswer:", "continuations": [" 7", " \u00e9"]}]
    right, wrong = run(tmp_path, TINY, asked)[0][0]["continuations"]
    assert right["logprob"] > wrong["logprob"] + 1


@pytest.mark.long
def test_what_leaves_the_window_is_an_error_row_and_never_cut_short(tmp_path: Path) -> None:
    small = make_model(tmp_path / "m")  # 64 places, a byte each
    asked = [{"text": "x" * 60, "continuations": ["y" * 5]}, {"text": "x" * 60, "continuations": ["y" * 6]}]
    fits, too_long = run(tmp_path / "run", small, asked)[0]
    assert "error" not in fits and fits["continuations"][0]["tokens"] == 5
    assert too_long["error"] == "a prompt and its continuation have 65 tokens, the window holds 64"
    assert too_long["continuations"] == []


@pytest.mark.long
@pytest.mark.parametrize("lacks", [{}, {"continuations": []}, {"continuations": [""]}, {"continuations": "no"}])
def test_a_prompt_without_anything_to_measure_is_refused(lacks: Mapping[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no continuations to measure"):
        run(tmp_path, TINY, [{"text": "a", **lacks}])


@pytest.mark.long
def test_memory_that_runs_out_halves_the_batch_and_loses_nothing(
    ours: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = likelihood.likelihoods

    def short(loaded: Any, pairs: Any, size: int) -> Any:
        if size > 2 or len(pairs) == 2:
            raise RuntimeError("CUDA out of memory")
        return whole(loaded, pairs, size)

    def short_batch(loaded: Any, groups: Any, header: Any, size: int) -> Any:
        raise RuntimeError("CUDA out of memory")

    monkeypatch.setattr(likelihood, "likelihoods", short)
    monkeypatch.setattr(likelihood, "measure_batch", short_batch)
    found, facts = run(tmp_path, TINY, PROMPTS, batch="8")
    assert facts["batch_used"] == "1" and facts["batches_redone"] == 4
    assert [row.get("error") for row in found] == [None, None, NO_ROOM, None]
    for mine, theirs in zip(ours[0]["continuations"], found[0]["continuations"], strict=True):
        assert math.isclose(theirs["logprob"], mine["logprob"], abs_tol=1e-4)


@pytest.mark.long
def test_the_tokens_of_a_batch_are_added_exactly() -> None:
    group = likelihood.prepare_group([TokenizedContinuation((1,), (2,) * 10)])
    group.logs, group.greedy = [[-0.1] * 10], [True]
    assert [each.logprob for each in group.scores()] == [-1.0]  # added one by one they make -0.9999999999999999


@pytest.mark.long
def test_a_long_continuation_with_one_unlikely_token_at_its_beginning_is_not_greedy(tiny: LoadedModel) -> None:
    import torch

    def likeliest(tokens: tuple[int, ...]) -> int:
        with torch.inference_mode():
            return int(tiny.model(torch.tensor([tokens])).logits[0, -1].argmax())

    head = tuple(range(40, 50))
    odd = (*head, likeliest(head) ^ 1)
    whole = odd
    while len(whole) < len(odd) + likelihood.ROWS:
        whole = (*whole, likeliest(whole))
    pairs = [TokenizedContinuation(odd, whole[len(odd) :]), TokenizedContinuation(head, whole[len(head) :])]
    assert [each.greedy for each in likelihood.likelihoods(tiny, pairs)] == [True, False]
