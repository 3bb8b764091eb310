"""The study's benchmarks as its plan uses them: maker, scorer, prompt set and token budget of each.

Handles names and kinds only; independent of items and rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.answers.result import NEWEST
from harness.errors import InputError
from harness.kit.ask import How
from harness.kit.study import Brief, Maker, Model
from harness.studies.reliability.data.budget import CONVERSATIONAL, MORE
from harness.studies.reliability.data.difficulty import block
from harness.studies.reliability.data.locality_draw import rules as locality_rules
from harness.studies.reliability.data.published import scale

HERE = "harness.studies.reliability"
PUBLISHED_WORDINGS = 15
RULES = "rules"  # a name in the settings, and a parameter of the score step
_TABLES = ("items", "gold", "counts", "budgets")
_CALIBRATION = {"calibration": block}


@dataclass(frozen=True)
class Benchmark:
    """One source of one of the five benchmarks: drawn, read from a public file, or taken from the published dataset."""

    task: str
    maker: Maker
    rules_need: tuple[str, ...] = ()
    rendered: bool = False  # the dataset includes its prompts

    def how(self, brief: Brief) -> How:
        """Return how a brief evaluates models on this benchmark: prompt templates, scorer, token budgets.

        Raises InputError if the benchmark needs prompt templates and the manifest names none for it.
        """
        templates = None
        if not self.rendered:
            name = next(
                (name for name in sorted(brief.templates) if name.startswith(f"reliability/{self.task}@")), None
            )
            if name is None:
                raise InputError(
                    f"the manifest names no wordings for {self.task}",
                    where="prompts.set",
                    next=f"add reliability/{self.task}@1 to `prompts: {{set: […]}}`",
                )
            templates = brief.templates[name]
        kind = f"{HERE}.scoring.{self.task}:score"
        rules = {RULES: rule_set(brief)}
        return How(kind, templates, PUBLISHED_WORDINGS, True, self.rules_need, rules, self.most)

    def most(self, model: Model) -> int | None:
        """Return a token budget that replaces the items' own: MORE for chat models, except on transforms; else None.

        Returns None for all other models; raises InputError for an unknown `group` among the model's facts.
        """
        group = model.facts.get("group")
        if group not in (None, *CONVERSATIONAL):
            raise InputError(
                f"{group!r} is no group of models with a budget of its own",
                where=f"models.{model.name}.facts.group",
                next=f"use one of: {', '.join(CONVERSATIONAL)}, or leave it out",
            )
        talks = group in CONVERSATIONAL
        return MORE if talks and self.task != "transforms" else None


def rule_set(brief: Brief) -> str:
    """Return the name of the rules by which answers are labelled correct, avoidant or incorrect."""
    return str(brief.settings.get(RULES, NEWEST))


def _made(name: str, params: Mapping[str, Any], outputs: tuple[str, ...] = _TABLES, **more: Any) -> Maker:
    return Maker(f"{HERE}.data.{name}", params, outputs, _CALIBRATION, **more)


def _published(task: str, *more: str) -> Benchmark:
    """Return a benchmark of the published dataset, which includes its prompts; `more` is `gazetteer` for locality."""
    files = ("rows", "cities") if more else ("rows",)
    kind = "published_locality:make" if more else "published:make"
    outputs = (*_TABLES, "rendered", *more)
    optional = {**_CALIBRATION, "difficulty": scale}
    maker = Maker(
        f"{HERE}.data.{kind}", {}, outputs, optional, files=files, needs=files, ids=task, fixed={"benchmark": task}
    )
    return Benchmark(task, maker, more, rendered=True)


_SEEDED = {"seed": int, "count": int}
BENCHMARKS: Mapping[str, Benchmark] = {
    "reliability.addition": Benchmark("addition", _made("addition:make", _SEEDED, ids="addition")),
    # a miniature for the models in assets/: one to three digits, not the paper's distribution
    "reliability.small_addition": Benchmark(
        "addition", Maker(f"{HERE}.data.small_addition:make", _SEEDED, _TABLES, ids="addition")
    ),
    "reliability.anagram": Benchmark(
        "anagram", _made("anagram:make", {"seed": int, "per_length": int}, files=("words", "dictionary"), ids="anagram")
    ),
    "reliability.locality": Benchmark(
        "locality",
        Maker(
            f"{HERE}.data.locality:make",
            {"seed": int, "per_bin": int},
            (*_TABLES, "gazetteer"),
            {**_CALIBRATION, RULES: locality_rules},
            files=("cities", "words"),
            ids="locality",
        ),
        rules_need=("gazetteer",),
    ),
    "reliability.openbookqa": Benchmark(
        "science", _made("science:make_openbookqa", _SEEDED, files=("questions",), needs=("questions",))
    ),
    "reliability.gpqa": Benchmark(
        "science", _made("science:make_gpqa", {"seed": int}, files=("questions",), needs=("questions",))
    ),
    "reliability.science_demo": Benchmark("science", _made("science:make_science_demo", _SEEDED)),
    "reliability.science_own": Benchmark("science", _made("science:make_science_own", _SEEDED)),
    "reliability.transforms_demo": Benchmark("transforms", _made("transforms:make", _SEEDED, ids="transforms")),
    "reliability.transforms_own": Benchmark("transforms", _made("transforms:make_own", _SEEDED, ids="transforms")),
    **{f"reliability.published_{task}": _published(task) for task in ("addition", "anagram", "science", "transforms")},
    "reliability.published_locality": _published("locality", "gazetteer"),
}
TASKS = tuple(sorted({each.task for each in BENCHMARKS.values()}))
# Respondents of the two human studies: simulated, since the raw data may not be distributed, or real ones from files.
PEOPLE: Mapping[str, Maker] = {
    "reliability.simulated_people": Maker(f"{HERE}.people.simulate:make", _SEEDED, ("items", "counts"), ids="people"),
    "reliability.surveys": Maker(
        f"{HERE}.people.surveys:make", {}, ("items", "counts"), files=("s1", "s2"), needs=("s1", "s2"), ids="people"
    ),
}
