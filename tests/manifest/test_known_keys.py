"""A key that nobody knows is told by its line, and by the key of the same place that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from manifest.parsing import GOOD, refused

from harness.errors import InputError
from harness.images.recipe import load_recipe

MODEL = "models:\n  far: {provider: openai, model: toy-1, tape: live, "
CLAIM = "claims: [{of: counts#/rows, published: 3, within: 1, where: page 3, "


@pytest.mark.parametrize(
    ("old", "new", "field", "meant"),
    [
        ("about:", "abuot:", "abuot", "about"),
        ("behaviour: oracle", "behavior: oracle", "models.oracle.behavior", "behaviour"),
        ("memory:", "memry:", "resources.memry", "memory"),
        ("{set:", "{sett:", "prompts.sett", "set"),
        ("models:\n", f"{MODEL}modle: x}}\n", "models.far.modle", "model"),
        ("models:\n", f"{MODEL}prices: {{inptu: 3, input: 3, output: 3}}}}\n", "models.far.prices.inptu", "input"),
        ("models:\n", f"{CLAIM}stauts: x}}]\nmodels:\n", "claims.0.stauts", "status"),
        ("models:\n", "generation: {max_token: 3}\nmodels:\n", "generation.max_token", "max_tokens"),
        ("models:\n", "outputs: {scores: {witin: 3}}\nmodels:\n", "outputs.scores.witin", "within"),
        ("datasets:\n", 'datasets:\n  x: {fetch: "https://a.b/c", sah256: a, licence: MIT}\n', "datasets.x.sah256",
         "sha256"),
    ],
)  # fmt: skip
def test_the_key_that_was_meant_is_named_at_every_level(old: str, new: str, field: str, meant: str) -> None:
    text = GOOD.replace(old, new, 1)
    error = refused(text)
    assert error.what.startswith(f"unknown key `{field}`")
    assert error.next == f"did you mean `{meant}`?"
    word = field.rpartition(".")[2]
    assert error.where == f"m.yaml:{text[: text.index(word)].count(chr(10)) + 1}"


def test_a_word_that_is_like_no_key_is_told_which_keys_there_are() -> None:
    error = refused(GOOD.replace("behaviour: oracle", "quux: oracle", 1))
    assert error.next.startswith("remove it; known here: ") and "behaviour" in error.next
    error = refused(GOOD.replace("models:\n", "outputs: {scores: {quux: 3}}\nmodels:\n", 1))
    assert error.next == "remove it; known here: interval, within"


def test_what_belongs_to_a_class_is_no_key_that_a_file_may_have() -> None:
    error = refused(GOOD.replace("behaviour: oracle", "quux: oracle", 1))
    assert "__" not in error.next, "a class variable of the provider's settings"


def test_where_no_provider_is_known_nothing_is_suggested_of_its_keys() -> None:
    error = refused(GOOD.replace("provider: baseline, behaviour: oracle", "behavior: oracle", 1))
    assert "names no known provider" in error.what and "baseline" in error.next


def test_a_recipe_of_an_image_is_read_with_the_same_eyes(tmp_path: Path) -> None:
    (tmp_path / "images" / "x").mkdir(parents=True)
    recipe = "image: 1\nname: x\nabout: x\nbase: debian/bookworm\npackges: [python3]\nepoch: 0\nuser: 1:1\n"
    (tmp_path / "images" / "x" / "image.yaml").write_text(recipe)
    with pytest.raises(InputError, match="unknown key `packges`") as bad:
        load_recipe(tmp_path, "x")
    assert bad.value.next == "did you mean `packages`?"
