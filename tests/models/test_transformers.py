"""Local inference: the same texts whatever the order, the batch or the number of processes; errors are rows."""

import json
import subprocess
import sys

import pytest
from needs import needs
from support_draws import drawn
from support_models import REPOSITORY, deliver, make_model, prompts

from harness import rows
from harness.errors import InputError, MissingError
from harness.models.local import decode as local_batch
from harness.models.local import decode as local_decode
from harness.models.providers.transformers import respond
from harness.run.environment import NUMERICS
from harness.steps import Setting, Step, key_preimage, step_key

needs("torch", "transformers")

TEXTS = [f"{number} + {number * 7} =" for number in range(9)] + ["What is 3 plus 4?", "é", "Add 12 and 900 together."]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model that babbles: random weights, 64 positions."""
    return make_model(tmp_path_factory.mktemp("model") / "m")


@pytest.fixture
def ask(model, tmp_path):
    """Ask the model and give the rows of the answers, the summary and the bytes of both."""
    count = 0

    def asked(texts=TEXTS, order=None, seeds=(0,), folder=None, **more):
        nonlocal count
        count += 1
        here = tmp_path / f"{count}"
        names = deliver(folder or model, here / "weights")
        prompts(here / "all", list(texts))
        given = list(rows.read(here / "all"))
        rows.write(here / "prompts", (given[place] for place in order or range(len(given))))
        (here / "out").mkdir()
        params = {
            "model": "m", "files": names, "source": "assets/m", "dtype": "float32", "batch": "reference",
            "seeds": list(seeds), "generation": {"temperature": "0", "max_tokens": 8}, **more,
        }  # fmt: skip
        respond(params, {"prompts": here / "prompts", "weights": here / "weights"}, here / "out")
        return list(rows.read(here / "out" / "responses")), json.loads((here / "out" / "facts.json").read_bytes())

    return asked


def by_item(found):
    return {(row["item"], row["sample"]): row for row in found}


GREEDY = {"temperature": "0", "max_tokens": 8}
SAMPLED = {"temperature": "0.9", "top_p": "0.95", "max_tokens": 8}


@pytest.mark.long
def test_every_prompt_gets_one_response_a_seed_in_order(ask):
    found, summary = ask(seeds=(5, 9))
    assert [(row["item"], row["sample"]) for row in found] == [
        (f"item-{index:03d}", sample) for index in range(len(TEXTS)) for sample in (0, 1)
    ]
    assert all(row["finish"] in ("stop", "length") and row["usage"]["completion_tokens"] <= 8 for row in found)
    assert summary["responses"] == 2 * len(TEXTS)
    assert summary["batch_used"] == "reference" and summary["threads"] == 1 and summary["attention"] == "eager"
    assert len(summary["numerics"]["digest"]) == 64


@pytest.mark.long
@pytest.mark.parametrize("generation", [pytest.param(GREEDY, marks=pytest.mark.long), SAMPLED])
def test_neither_order_nor_repetition_changes_an_answer(ask, generation):
    first, summary = ask(generation=generation, seeds=(1, 2))
    again, same = ask(generation=generation, seeds=(1, 2))
    assert (first, summary) == (again, same)
    turned, _ = ask(generation=generation, seeds=(1, 2), order=[5, 0, *range(11, 5, -1), *range(1, 5)])
    assert by_item(turned) == by_item(first)


@pytest.mark.long
@pytest.mark.parametrize("batch", ["2", *(pytest.param(size, marks=pytest.mark.long) for size in ("1", "5", "32"))])
@pytest.mark.parametrize("generation", drawn([GREEDY, SAMPLED], 1, 2))
def test_a_batch_decides_as_the_reference_does(ask, batch, generation):
    reference, _ = ask(generation=generation)
    found, summary = ask(generation=generation, batch=batch)
    assert found == reference
    assert summary["batch_used"] == batch and summary["batches_redone"] == 0


@pytest.mark.long
def test_sampling_differs_between_seeds_items_and_places(ask):
    found, _ = ask(texts=["12 + 7 ="] * 4, seeds=(1, 2, 3), generation={"temperature": "1", "max_tokens": 8})
    assert len({row["text"] for row in found}) == len(found)


@pytest.mark.long
def test_greedy_answers_do_not_hang_on_the_seed(ask):
    found, _ = ask(seeds=(1, 2))
    assert all(one["text"] == two["text"] for one, two in zip(found[::2], found[1::2], strict=True))


def test_it_decides_as_the_library_s_own_generate(ask, model):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    theirs, tokenizer = AutoModelForCausalLM.from_pretrained(model), AutoTokenizer.from_pretrained(model)
    ours, _ = ask()
    for text, row in zip(TEXTS, ours, strict=True):
        given = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            out = theirs.generate(**given, max_new_tokens=8, do_sample=False)
        assert tokenizer.decode(out[0, given["input_ids"].shape[1] :], skip_special_tokens=True) == row["text"]


@pytest.mark.long
def test_a_prompt_longer_than_the_window_is_an_error_row(ask):
    found, _ = ask(texts=["x" * 63, "x" * 64, "x" * 65, ""])
    assert found[0]["finish"] == "length" and found[0]["usage"] == {"prompt_tokens": 63, "completion_tokens": 1}
    assert [row.get("error") for row in found[1:]] == [
        "the prompt has 64 tokens, the window holds 64",
        "the prompt has 65 tokens, the window holds 64",
        "the prompt has no tokens",
    ]
    assert all(row["finish"] == "error" and row["text"] == "" for row in found[1:])


@pytest.mark.long
def test_what_is_not_said_is_what_version_1_says(ask):
    usual = {"temperature": "0", "max_tokens": 256, "top_p": "1", "stop": []}
    assert ask(texts=TEXTS[:2], generation={})[0] == ask(texts=TEXTS[:2], generation=usual)[0]


def test_stop_strings_cut_the_text_before_them(ask):
    whole, _ = ask(texts=TEXTS[:1], generation={"temperature": "1", "max_tokens": 30})
    text = whole[0]["text"]
    stop = text[4:6]
    cut, _ = ask(texts=TEXTS[:1], generation={"temperature": "1", "max_tokens": 30, "stop": [stop, "never"]})
    assert cut[0]["text"] == text[: text.index(stop)] and cut[0]["finish"] == "stop"
    at = next(place for place in range(4, len(text)) if text[place] not in text[:place])
    both = [text[at], text[at - 3 : at + 1]]  # which end with the same sign
    first, _ = ask(texts=TEXTS[:1], generation={"temperature": "1", "max_tokens": 30, "stop": both})
    assert first[0]["text"] == text[: at - 3], "where the first of them stands, whichever is named first"
    assert cut[0]["usage"]["completion_tokens"] < whole[0]["usage"]["completion_tokens"]


@pytest.mark.long
def test_log_probabilities_are_those_of_a_distribution(ask):
    import math

    found, _ = ask(texts=TEXTS[:2], logprobs=258)
    for row in found:
        assert len(row["logprobs"]) == row["usage"]["completion_tokens"]
        for token in row["logprobs"]:
            assert math.isclose(sum(math.exp(value) for _, value in token["top"]), 1.0, rel_tol=1e-9)
            assert token["logprob"] == token["top"][0][1]  # greedy
            values = [value for _, value in token["top"]]
            assert values == sorted(values, reverse=True)


@pytest.mark.long
def test_log_probabilities_depend_on_the_batch_in_their_last_digits_alone(ask):
    generation = {"temperature": "0", "max_tokens": 24}
    reference, _ = ask(generation=generation, logprobs=2)
    for batch in ("5", "32"):
        found, _ = ask(generation=generation, logprobs=2, batch=batch)
        for one, two in zip(reference, found, strict=True):
            assert {**one, "logprobs": 0} == {**two, "logprobs": 0} and len(one["logprobs"]) == len(two["logprobs"])
            for left, right in zip(one["logprobs"], two["logprobs"], strict=True):
                assert left["token"] == right["token"] and abs(left["logprob"] - right["logprob"]) <= 5e-6
    steps = [Step("r", "m:f", "responses", {}, {}, ("responses",), batch=batch) for batch in ("reference", "5", "32")]
    assert len({step_key(key_preimage(step, {}, "c", Setting("e", "cpu", {}))) for step in steps}) == 3, (
        "the key holds the batch"
    )


@pytest.mark.long
def test_when_memory_runs_out_the_batch_is_halved_and_nothing_is_lost(ask, monkeypatch):
    reference, _ = ask()
    real, sizes = local_decode.decode_batch, []

    def cramped(loaded, asks):
        sizes.append(len(asks))
        if len(asks) > 3:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")
        return real(loaded, asks)

    monkeypatch.setattr(local_batch, "decode_batch", cramped)
    found, summary = ask(batch="8")
    assert found == reference
    assert sizes[:3] == [8, 4, 2] and set(sizes[2:]) == {2}
    assert summary["batch"] == "8" and summary["batch_used"] == "2" and summary["batches_redone"] == 2


@pytest.mark.long
def test_a_request_beyond_memory_is_an_error_row_and_other_errors_raise(ask, monkeypatch):
    real = local_decode.decode_batch

    def cramped(loaded, asks):
        if any(len(one.tokens) > 20 for one in asks):
            raise MemoryError
        return real(loaded, asks)

    monkeypatch.setattr(local_batch, "decode_batch", cramped)
    found, _ = ask(batch="4")
    assert [row["item"] for row in found if "error" in row] == ["item-011"]
    assert "memory" in found[-1]["error"]

    def broken(loaded, asks):
        raise RuntimeError("index out of range")

    monkeypatch.setattr(local_batch, "decode_batch", broken)
    with pytest.raises(RuntimeError, match="index"):
        ask()


@pytest.mark.long
def test_chat_applies_the_template_and_says_which(ask, model, tmp_path):
    with pytest.raises(InputError, match="chat template"):
        ask(chat=True)
    folder = tmp_path / "chatty"
    make_model(folder)
    template = "{{ strftime_now('%Y') }}{% for m in messages %}<{{ m.content }}>{% endfor %}"
    (folder / "chat_template.jinja").write_text(template)
    from harness.digest import sha256

    framed, summary = ask(texts=["2026<5 + 5 =>"])
    chatted, told = ask(texts=["5 + 5 ="], folder=folder, chat=True)
    assert chatted[0]["text"] == framed[0]["text"]
    assert told["chat_template"] == sha256(template.encode()) and summary["chat_template"] is None


@pytest.mark.parametrize("more", [{"batch": "0"}, {"batch": "all"}, {"generation": {"temperature": "-1"}},
                                  {"generation": {"top_p": "0"}}, {"generation": {"temperature": "hot"}},
                                  {"dtype": "float8"}, {"quantisation": "gguf"}])  # fmt: skip
def test_settings_that_mean_nothing_are_refused(ask, more):
    with pytest.raises(InputError):
        ask(**more)


def test_nf4_without_its_hardware_is_missing_not_ignored(ask):
    with pytest.raises(MissingError, match="nf4"):
        ask(quantisation="nf4")


ROUNDS = """
import sys, json
from pathlib import Path
from harness.models.providers.transformers import respond
params, folder = json.loads(sys.argv[1]), Path(sys.argv[2])
for name in sys.argv[3:]:
    respond(params, {"prompts": folder / "prompts", "weights": folder / "weights"}, folder / name)
    print(name, flush=True)
    sys.stdin.readline()
"""


@pytest.mark.long
def test_one_and_two_processes_write_the_same_bytes(model, tmp_path):
    names = deliver(model, tmp_path / "weights")
    prompts(tmp_path / "prompts", TEXTS[:4])
    params = {"model": "m", "files": names, "dtype": "float32", "seeds": [0], "generation": SAMPLED, "logprobs": 3}
    env = {**NUMERICS, "PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}

    def started(*rounds):
        for name in rounds:
            (tmp_path / name).mkdir()
        words = [sys.executable, "-c", ROUNDS, json.dumps(params), str(tmp_path), *rounds]
        return subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    with started("alone", "left") as one:
        assert one.stdout.readline() == "alone\n"
        with started("warm", "right") as two:
            assert two.stdout.readline() == "warm\n"
            for process in (one, two):  # both go on at once
                process.stdin.write("\n")
                process.stdin.flush()
            assert [process.communicate("\n", timeout=300)[0] for process in (one, two)] == ["left\n", "right\n"]
    written = {
        tuple((tmp_path / name / out).read_bytes() for out in ("responses", "facts.json"))
        for name in ("alone", "warm", "left", "right")
    }
    assert len(written) == 1 and (one.returncode, two.returncode) == (0, 0)
