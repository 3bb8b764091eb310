"""The makers of questions: what each takes from a manifest, what it refuses, and what it writes."""

import importlib

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.kit.study import Study
from harness.manifest.load import parse_manifest
from harness.run.locking.datasets import made_datasets
from harness.studies.biomed.data.makers import MAKERS
from harness.studies.biomed.templates.pair import TABLES

SHA = "0" * 64
HEAD = f"""
harness: 2
study: biomed
name: x
about: x
models: {{m: {{provider: baseline, behaviour: oracle}}}}
generation: {{temperature: 0, max_tokens: 8}}
outputs: {{items: exact}}
datasets:
  official: {{fetch: "https://example.org/data.csv", sha256: "{SHA}", licence: x}}
"""


class Questions(Study):
    """A study of these makers alone."""

    name = "biomed"
    makers = MAKERS

    def plan(self, brief):
        """Plan nothing."""
        raise NotImplementedError


def made(*lines):
    manifest, tree = parse_manifest("\n".join([HEAD, *lines]).encode(), "x.yaml")
    return made_datasets(manifest, Questions(), tree)


def test_there_are_three_makers_each_with_and_without_published_prompts():
    plain = ["biomed.synthetic", "biomed.generated", "biomed.published"]
    assert list(MAKERS) == [*plain, *(f"{name}_prompts" for name in plain)]


@each_of("name", MAKERS)
def test_a_maker_names_a_step_that_is_there_and_what_it_writes(name):
    maker = MAKERS[name]
    module, _, function = maker.kind.partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    prompts, tables = name.endswith("_prompts"), "synthetic" in name
    more = [f"table-{table}" for table in TABLES] * tables + ["grading_prompt"] * prompts
    assert list(maker.outputs) == ["items", "gold", "counts", "rendered", *more]
    assert ("config" in maker.files and "config" in maker.needs) is prompts


def test_a_manifest_gives_numbers_modes_and_turns():
    words = "seed: 7, rows: 270, most: 500, mode: paper, turns: joined"
    found = made(f"  a: {{make: biomed.synthetic, {words}}}")["a"]
    assert found.params == {"seed": 7, "rows": 270, "most": 500, "mode": "paper", "turns": "joined"}


def test_a_manifest_gives_a_published_file_and_a_part_of_it():
    words = "set: official, config: official, split: disjoint, part: train, unusable: count"
    found = made(f"  a: {{make: biomed.published_prompts, {words}}}")["a"]
    assert found.params == {"split": "disjoint", "part": "train", "unusable": "count"}
    assert found.files == {"set": "official", "config": "official"}


def test_source_tables_are_given_by_their_short_names():
    words = ", ".join(f"{name}: official" for name in TABLES)
    assert tuple(made(f"  a: {{make: biomed.generated, seed: 1, {words}}}")["a"].files) == TABLES


@each_of(
    ("words", "what"),
    [
        ("biomed.synthetic", "`datasets.a.seed` is missing"),
        ("biomed.synthetic, seed: 1, rows: 0", "no whole number from 1"),
        ("biomed.synthetic, seed: 1, most: 2000000", "no whole number from 1"),
        ("biomed.synthetic, seed: 1, rows: [3]", "no whole number from 1"),
        ("biomed.synthetic, seed: 1, rows: ²", "no whole number from 1"),
        ("biomed.synthetic, seed: 1, mode: loose", "none of paper, strict"),
        ("biomed.synthetic, seed: 1, mode: [paper]", "none of paper, strict"),
        ("biomed.synthetic, seed: 1, turns: chat", "none of messages, joined"),
        ("biomed.synthetic, seed: 1, part: test", "unknown key `datasets.a.part`"),
        ("biomed.published", "`datasets.a.set` is missing"),
        ("biomed.published_prompts, set: official", "`datasets.a.config` is missing"),
        ("biomed.published, set: official, split: random", "none of official, disjoint"),
        ("biomed.published, set: official, part: dev", "none of test, train"),
        ("biomed.published, set: official, unusable: skip", "none of count"),
    ],
)
def test_a_dataset_that_cannot_be_made_is_refused(words, what):
    with pytest.raises(InputError, match=what):
        made(f"  a: {{make: {words}}}")


def test_a_manifest_has_one_dataset_of_this_study():
    with pytest.raises(InputError, match="the same ids"):
        made("  a: {make: biomed.synthetic, seed: 1}", "  b: {make: biomed.published, set: official}")
