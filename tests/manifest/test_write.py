"""What is written as YAML of the subset is read back as the same values, whatever stands in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.manifest.load import PLAIN_JSON, parse_manifest
from harness.manifest.read import MAX_DEPTH, read_tree, spell_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", "~", "null", "no", "0.5", "1e9", "- a", "a: b", "#", "{x}", "*a", "&a", "!t", "'", '"', "a\nb\n", " a ", "---"]
)
KEYS = st.text(st.sampled_from("abcxyz09._- "), min_size=1, max_size=6) | st.sampled_from(["null", "~", "a: b", "#k"])
TREES = st.recursive(
    TEXT | st.none(), lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=3), max_leaves=12
)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    TEXT | st.none() | st.booleans() | NUMBERS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_texts_maps_and_lists_come_back_as_they_were(value):
    assert read_tree(spell_yaml(value).encode(), "m.yaml").value == value


@given(st.dictionaries(KEYS, JSON, min_size=1, max_size=4))
def test_plain_json_comes_back_with_its_types(extra):
    value = {"generation": {"extra": extra, "stop": ["1", "true"]}}
    back = read_tree(spell_yaml(value, PLAIN_JSON).encode(), "m.yaml", typed=PLAIN_JSON).value
    assert back == value
    assert [type(part) for part in back["generation"]["extra"].values()] == [type(part) for part in extra.values()]


def test_a_line_is_written_as_a_person_writes_it():
    value = {"models": {"a": {"provider": "baseline", "behaviour": "oracle"}}, "seeds": ["0", "1"], "about": "One."}
    assert spell_yaml(value) == "models:\n  a: {provider: baseline, behaviour: oracle}\nseeds: [0, 1]\nabout: One.\n"


def test_a_wording_of_two_lines_stays_on_one_and_is_the_same():
    text = "Question: {question}\nAnswer:"
    written = spell_yaml({"prompts": {"text": text}})
    assert written == 'prompts: {text: "Question: {question}\\nAnswer:"}\n'


def test_a_tree_as_deep_as_may_be_read_is_written():
    value: object = "leaf"
    for _ in range(MAX_DEPTH):
        value = {"a": value}
    assert read_tree(spell_yaml(value).encode(), "m.yaml").value == value


@pytest.mark.parametrize("path", ["demo/addition", "demo/reliability", "paper/biomed", "reanalysis/brain-H"])
def test_a_manifest_of_ours_means_the_same_when_written_again(path):
    from support import REPOSITORY

    data = (REPOSITORY / "manifests" / f"{path}.yaml").read_bytes()
    manifest, tree = parse_manifest(data, "m.yaml")
    assert parse_manifest(spell_yaml(tree.value, PLAIN_JSON).encode(), "m.yaml")[0] == manifest
