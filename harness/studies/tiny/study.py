"""The study that trains the models in assets/: a raw model on a corpus, and a shaped one fine-tuned from the raw one.

The contrast between the two is planted by how they are made. It must not count towards a claim about other models.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit.ask import make_step
from harness.kit.study import Brief, Maker, Study
from harness.steps import Pinned, Plan, Ref, Source, Step
from harness.studies.tiny.recipe import SHAPE, TASKS, raw, shaped

_HERE = "harness.studies.tiny"
_WORDINGS = Path(__file__).parent.parent / "reliability" / "prompts"
_SETS = tuple(f"reliability/{task}@1" for task in sorted(TASKS))  # one for each task, sorted by name


class Tiny(Study):
    """The study that trains two byte-level models of 0.6 M parameters: sums, short anagrams, small text tasks."""

    name = "tiny"
    needs: tuple[str, ...] = ("prompts",)
    makers: Mapping[str, Maker] = {
        "tiny.recipe": Maker(
            f"{_HERE}.recipe:make",
            {"seed": int, "held_out": int, "raw_steps": int, "shaped_steps": int},
            outputs=("items",),
        ),
    }
    prompt_sets: Mapping[str, Path] = {name: _WORDINGS / f"{name.partition('/')[2]}.jsonl" for name in _SETS}

    def plan(self, brief: Brief) -> Plan:
        """Plan the training of the two models: the parameters, two trainings (the second from the first), model files.

        Raises InputError unless there is exactly one dataset, and if a task's set of wordings is not named.
        """
        if len(brief.datasets) != 1:
            raise InputError(
                f"{len(brief.datasets)} recipes for one pair of models",
                where="datasets",
                next="name one dataset, made by tiny.recipe",
            )
        [recipe] = brief.datasets
        templates = tuple(_wordings(brief, name) for name in _SETS)
        weights = "model.safetensors"
        files = ("config.json", "tokenizer.json", "tokenizer_config.json")

        def train(name: str, params: Mapping[str, Any], more: Mapping[str, Ref]) -> Step:
            inputs: dict[str, Source] = {"templates": templates, **more}
            return Step(f"{name}/train", f"{_HERE}.train:train", "analyses", params, inputs, (weights, "log"))

        first = train("tiny-raw", raw(recipe.params), {})
        second = train("tiny-shaped", shaped(recipe.params), {"weights": Ref(first.name, weights)})
        shape = Step("tiny/shape", f"{_HERE}.shape:shape", "analyses", SHAPE, {}, files)
        made = make_step(recipe, self.makers[recipe.make].kind, ("items",))
        outputs = {"items": Ref(made.name, "items"), **{name: Ref(shape.name, name) for name in files}}
        for step, name in ((first, "tiny-raw"), (second, "tiny-shaped")):
            outputs |= {f"{name}.safetensors": Ref(step.name, weights), f"{name}.log": Ref(step.name, "log")}
        return Plan((made, shape, first, second), outputs)


def _wordings(brief: Brief, name: str) -> Pinned:
    if name not in brief.templates:
        raise InputError("the models read a set of wordings that is not named", where="prompts.set", next=f"add {name}")
    return brief.templates[name].pinned


STUDY = Tiny()
