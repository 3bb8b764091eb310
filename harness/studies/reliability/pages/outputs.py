"""File names and titles of figures, names of model cards and report: known from the models before any step runs.

Names of models may be any text; a slug is a unique, portable spelling of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from harness.digest import sha256
from harness.studies.reliability.pages.model_facts import Models, families


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Give each name a slug that is safe in a file name; no two share one, however alike or strange they are."""
    plain = {name: re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") for name in sorted(set(names))}
    taken = list(plain.values())
    return {
        name: slug if taken.count(slug) == 1 and _kept(name, slug) else _marked(name, slug)
        for name, slug in plain.items()
    }


def _kept(name: str, slug: str) -> bool:
    """Whether a spelling says all that the name says, and looks like nothing that this module adds to one."""
    ours = re.search(r"(^|-)([0-9a-f]{12}|[0-9]+-of-[0-9]+)$", slug)
    return 0 < len(slug) <= 80 and slug == name.lower().replace(" ", "-") and not ours


def _marked(name: str, slug: str) -> str:
    return f"{slug[:48]}-{sha256(name.encode('utf-8', 'surrogatepass'))[:12]}".lstrip("-")


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
