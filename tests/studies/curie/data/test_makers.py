"""The makers of published records: every task from every source that has it, with and without published prompts."""

import importlib

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.kit.study import Study
from harness.manifest.load import parse_manifest
from harness.run.locking.datasets import made_datasets
from harness.studies.curie.data.makers import MAKERS
from harness.studies.curie.tasks import JUDGE_PROMPTS, TASKS

SHA = "0" * 64
HEAD = f"""
harness: 2
study: curie
name: x
about: x
models: {{m: {{provider: baseline, behaviour: oracle}}}}
generation: {{temperature: 0, max_tokens: 8}}
outputs: {{items: exact}}
datasets:
  official: {{fetch: "https://example.org/data.zip", sha256: "{SHA}", licence: x}}
  prompts: {{fetch: {{"p.txt": {{url: "https://example.org/p.txt", sha256: "{SHA}"}}}}, licence: x}}
"""


class Published(Study):
    """A study of published records alone."""

    name = "curie"
    makers = MAKERS

    def plan(self, brief):
        """Plan nothing."""
        raise NotImplementedError


def made(*lines):
    manifest, tree = parse_manifest("\n".join([HEAD, *lines]).encode(), "x.yaml")
    return made_datasets(manifest, Published(), tree)


def test_each_task_can_be_had_from_the_archive_and_some_from_a_copy():
    both = [name.replace("_prompts", "") for name in MAKERS]
    assert all(both.count(name) == 2 for name in both)
    assert {name for name in both if "archive" in name} == {f"curie.archive_{task}" for task in TASKS}
    copied = {f"curie.public_copy_{name}" for name, task in TASKS.items() if task.domain in ("dft", "mpve")}
    assert {name for name in both if "archive" not in name} == {*copied, "curie.repository_biogr"}


@each_of("name", MAKERS)
def test_a_maker_names_a_step_that_is_there_and_what_it_writes(name):
    maker, [task] = MAKERS[name], MAKERS[name].fixed.values()
    module, _, function = maker.kind.partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    prompts, illustrated = "_prompts_" in name, task == "biogr"
    judged = prompts and task in JUDGE_PROMPTS
    more = ["media"] * illustrated + ["rendered"] * prompts + ["judge_template"] * judged
    assert list(maker.outputs) == ["items", "gold", "counts", *more]
    assert ("prompts" in maker.whole and "prompts" in maker.needs) is prompts
    assert maker.ids == task


def test_a_manifest_takes_many_tasks_from_one_archive():
    found = made(
        "  a: {make: curie.archive_hfe, archive: official}",
        "  b: {make: curie.archive_prompts_pdb, archive: official, prompts: prompts, unusable: count}",
    )
    assert (found["a"].params, found["a"].files) == ({"task": "hfe"}, {"archive": "official"})
    assert (found["b"].params, found["b"].folders) == ({"task": "pdb", "unusable": "count"}, {"prompts": "prompts"})


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["  a: {make: curie.archive_hfe}"], "`datasets.a.archive` is missing"),
        (["  a: {make: curie.archive_prompts_hfe, archive: official}"], "`datasets.a.prompts` is missing"),
        (["  a: {make: curie.archive_hfe, archive: official, unusable: skip}"], "refused, or counted"),
        (
            ["  a: {make: curie.archive_hfe, archive: official}",
             "  b: {make: curie.archive_prompts_hfe, archive: official, prompts: prompts}"],
            "the same ids",
        ),
    ],
)  # fmt: skip
def test_a_dataset_that_cannot_be_made_is_refused(lines, what):
    with pytest.raises(InputError, match=what):
        made(*lines)
