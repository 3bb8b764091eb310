"""File names and titles of figures, names of model cards and report: known from the models before any step runs.

It knows names and facts of models; it must never know a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from harness.studies.reliability.pages.model_facts import Models, families
from harness.studies.slugs import slugs

REPORT = "report.html"
MODELS_A_SHEET = 12  # rows of a grid that a person can take in, and that print on one page

TITLES: Mapping[str, str] = {
    "figure-1": "Six indicators of reliability, model by model",
    "figure-2": "Correct, avoidant and incorrect answers along difficulty",
    "figure-3": "What people make of the answers, along difficulty",
    "figure-4": "Avoidance and error against training compute",
    "figure-templates": "Correctness along difficulty, wording by wording",
}


def title(name: str) -> str:
    """Give the title of the figure that a file name stands for; a name of one sheet begins with its figure's name."""
    stem = PurePath(name).stem
    return next(words for kind, words in TITLES.items() if stem == kind or stem.startswith(f"{kind}-"))


def figures(models: Models) -> tuple[str, ...]:
    """Name every file that `figures.draw` writes: each figure as SVG, and as PNG beside it."""
    stems = ("figure-1", *sheets("figure-2", models), "figure-3", "figure-4", *sheets("figure-templates", models))
    return tuple(f"{stem}{ending}" for stem in stems for ending in (".svg", ".png"))


def sheets(stem: str, models: Models) -> dict[str, list[str]]:
    """Assign models to the sheets, by file stem, of a figure that has a row a model.

    Up to MODELS_A_SHEET models share one sheet; more get a sheet a family, or several where a family is larger.
    """
    grouped = families(models)
    if len(models) <= MODELS_A_SHEET:
        return {stem: [model for members in grouped.values() for model in members]}
    names = slugs(grouped)
    found = {}
    for family, members in grouped.items():
        parts = [members[at : at + MODELS_A_SHEET] for at in range(0, len(members), MODELS_A_SHEET)]
        for number, part in enumerate(parts, 1):
            found[f"{stem}-{names[family]}" + (f"-{number}-of-{len(parts)}" if len(parts) > 1 else "")] = part
    return found


def cards(models: Models) -> tuple[str, ...]:
    """Name the card file of every model, in the order of `models`."""
    return tuple(card_names(models).values())


def card_names(models: Iterable[str]) -> dict[str, str]:
    """Map each model to the file name of its card."""
    return {model: f"card-{slug}.html" for model, slug in slugs(models).items()}
