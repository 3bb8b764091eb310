"""The makers of the study's data: what each takes from a manifest, and what it refuses before anything is made."""

import importlib

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.kit.study import Study
from harness.manifest.load import parse_manifest
from harness.run.locking.datasets import made_datasets
from harness.studies.brain.data.makers import MAKERS

SHA = "0" * 64
HEAD = f"""
harness: 2
study: brain
name: x
about: x
models: {{m: {{provider: baseline, behaviour: oracle}}}}
generation: {{temperature: 0, max_tokens: 8}}
outputs: {{counts: exact}}
datasets:
  official: {{fetch: "https://example.org/data.txt", sha256: "{SHA}", licence: x}}
"""


class Recordings(Study):
    """A study of these makers alone."""

    name = "brain"
    makers = MAKERS

    def plan(self, brief):
        """Plan nothing."""
        raise NotImplementedError


def made(*lines):
    manifest, tree = parse_manifest("\n".join([HEAD, *lines]).encode(), "x.yaml")
    return made_datasets(manifest, Recordings(), tree)


@each_of("name", MAKERS)
def test_a_maker_names_a_step_that_is_there(name):
    module, _, function = MAKERS[name].kind.partition(":")
    assert callable(getattr(importlib.import_module(module), function)) and "counts" in MAKERS[name].outputs


def test_a_simulation_is_described_in_words_and_whole_numbers():
    words = 'world: topic, seed: 3, layout: blank, units: 30, participants: 2, context: "0.6", llm_only: "1"'
    found = made(f"  a: {{make: brain.simulated, {words}}}")["a"].params
    wanted = {"world": "topic", "seed": 3, "layout": "blank", "units": 30, "participants": 2}
    assert found == {**wanted, "context": "0.6", "llm_only": "1"}


def test_published_files_are_named_by_what_they_hold():
    words = "dataset: pereira, experiment: 384, sentences_243: official, sentences_384: official, order: official"
    found = made(f"  a: {{make: brain.stimuli, {words}}}", "  b: {make: brain.arrays, word: official}")
    assert found["a"].params == {"dataset": "pereira", "experiment": "384"} and len(found["a"].files) == 3
    assert found["b"].params == {} and found["b"].files == {"word": "official"}


def test_recordings_are_named_by_their_files():
    words = "dataset: pereira, experiment: 384, units: 90, assembly: official, order: official, sentences: official"
    one = made(f"  a: {{make: brain.neural_nlp, {words}, labels: official}}")["a"]
    assert one.params == {"dataset": "pereira", "experiment": "384", "units": 90}
    assert {*one.files} == {"assembly", "order", "sentences", "labels"}
    other = made("  a: {make: brain.authors_arrays, dataset: blank, y: official, subjects: official}")["a"]
    assert other.params == {"dataset": "blank"} and {*other.files} == {"y", "subjects"}
    with pytest.raises(InputError, match="assembly` is missing"):
        made("  a: {make: brain.neural_nlp, dataset: fedorenko, sentences: official}")


@each_of(
    ("words", "what"),
    [
        ("world: other, seed: 1", "it is none of default, topic"),
        ("world: topic", "`datasets.a.seed` is missing"),
        ("world: topic, seed: x", "must be a whole number"),
        ("world: topic, seed: 1, categories: 1", "no whole number from 2"),
        ("world: topic, seed: 1, units: 0", "no whole number from 1"),
        ("world: topic, seed: 1, units: 1.5", "no whole number from 1"),
        ("world: topic, seed: 1, experiment: 385", "it is none of 384, 243"),
        ("world: topic, seed: 1, layout: other", "it is none of pereira, fedorenko, blank"),
        *(
            (f'world: topic, seed: 1, context: "{text}"', "no number from 0 to 1000")
            for text in ("-1", "nan", "inf", "x", "1000.1", "1e30")
        ),
    ],
)
def test_what_no_simulation_could_be_is_refused(words, what):
    with pytest.raises(InputError) as bad:
        made(f"  a: {{make: brain.simulated, {words}}}")
    assert what in bad.value.what
