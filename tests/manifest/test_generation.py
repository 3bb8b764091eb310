"""How answers are asked for: version 1 sends four settings always, version 2 what is written; every key is typed."""

import pytest
from manifest.parsing import GOOD, parse, refused

from harness.digest import encode_document

NOW = GOOD.replace("harness: 1", "harness: 2")
USUAL = {"temperature": "0", "max_tokens": 256, "top_p": "1", "stop": []}


def asked(text):
    manifest = parse(text)
    intent = manifest.intent()
    assert encode_document({"type": "manifest/1", **intent})  # an identity document, whatever is asked for
    assert intent["generation"] == manifest.generation.asked()
    return intent["generation"]


def test_version_1_sends_four_settings_and_version_2_only_written_ones():
    assert asked(GOOD) == asked(GOOD + "generation: {}\n") == USUAL
    assert asked(NOW) == asked(NOW + "generation: {}\n") == {}
    assert asked(NOW + "generation: {temperature: 0.7, max_tokens: benchmark}\n") == {
        "temperature": "0.7", "max_tokens": "benchmark"}  # fmt: skip


def test_what_is_unset_is_not_sent_in_either_version():
    every = "generation: {temperature: unset, max_tokens: unset, top_p: unset, stop: unset, seed: unset}\n"
    assert asked(GOOD + every) == asked(NOW + every) == {}
    assert asked(GOOD + "generation: {top_p: unset}\n") == {
        key: value for key, value in USUAL.items() if key != "top_p"}  # fmt: skip
    assert asked(NOW + "generation: {stop: [unset]}\n") == {"stop": ["unset"]}


def test_a_line_break_is_a_stop_like_any_other():
    stops = 'generation: {stop: ["\\n", "\\n\\n", " ", "\\nQ: "]}\n'
    assert asked(GOOD + stops)["stop"] == ["\n", "\n\n", " ", "Q:"]  # version 1 never kept the space around a text
    assert asked(NOW + stops)["stop"] == ["\n", "\n\n", " ", "\nQ: "]


def test_reasoning_models_can_be_asked():
    text = NOW + "generation: {max_completion_tokens: 4096, reasoning_effort: high, seed: 7, top_k: 40}\n"
    assert asked(text) == {"max_completion_tokens": 4096, "reasoning_effort": "high", "seed": 7, "top_k": 40}
    thinking = "generation: {max_tokens: 4096, thinking: {type: enabled, budget_tokens: 2048}}\n"
    assert asked(NOW + thinking)["thinking"] == {"type": "enabled", "budget_tokens": 2048}


def test_plain_json_is_pinned_as_its_one_spelling():
    text = (
        NOW
        + """generation:
  extra:
    min_p: 0.05
    "zwei": {"on": true, "off": null, "text": "0.05", "word": high, "list": [1, -2.50, 1e3, "true"]}
"""
    )
    assert asked(text) == {
        "extra": '{"min_p":0.05,"zwei":{"list":[1,-2.5,1000,"true"],"off":null,"on":true,"text":"0.05","word":"high"}}'
    }
    same = NOW + 'generation: {extra: {"zwei": {"word": high, "text": "0.05", "list": [1, -2.5, 1000.0, "true"], '
    assert asked(same + '"off": , "on": true}, "min_p": 5e-2}}\n') == asked(text)
    assert parse(GOOD + "seeds: [0, 10]\n").seeds == (0, 10)  # what stands elsewhere is typed by its field alone


BAD = {
    "a setting in plain JSON": ("extra: {top_p: 1}", "`top_p` has a line of its own"),
    "a true of another language": ("extra: {a: True}", "'True' is no JSON"),
    "a number of another language": ("extra: {a: 0x10}", "'0x10' is no JSON"),
    "half a number": ("extra: {a: .5}", "'.5' is no JSON"),
    "no number": ("extra: {a: 1e999}", "no canonical JSON"),
    "a number that no reader holds": ("extra: {a: 12345678901234567890}", "no canonical JSON"),
    "nothing extra": ("extra: {}", "a map of names to plain JSON"),
    "a list of extras": ("extra: [1]", "a map of names to plain JSON"),
    "an empty stop": ('stop: [""]', "generation.stop.0"),
    "a stop of pages": (f"stop: [{'x' * 2001}]", "generation.stop.0"),
    "a setting without a value": ("top_p: ~", "or `unset`"),
    "two bounds": ("max_tokens: 5, max_completion_tokens: 5", "takes the place of `max_tokens`"),
    "an effort of many words": ("reasoning_effort: very much", "reasoning_effort"),
    "a seed of a fraction": ("seed: 0.5", "generation.seed"),
    "another way to think": ("thinking: {type: deep}", "generation.thinking.type"),
    "thinking of one word": ("thinking: enabled", "generation.thinking"),
    "an unknown setting": ("reasoning: high", "unknown key `generation.reasoning`"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("text", [GOOD, NOW])
def test_a_setting_that_cannot_be_is_told_with_its_line(case, text):
    written, said = BAD[case]
    error = refused(f"{text}generation: {{{written}}}\n")
    assert said in error.what
    assert error.where == f"m.yaml:{text.count(chr(10)) + 1}"
    assert error.next and "pydantic" not in str(error).lower()


def test_version_1_says_how_its_usual_bound_is_taken_out():
    assert "`max_tokens: unset`" in refused(GOOD + "generation: {max_completion_tokens: 5}\n").what
