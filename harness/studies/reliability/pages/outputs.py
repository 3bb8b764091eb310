"""File names and titles of figures, model cards and report, which are known from the models before any step runs.

Names of models may be any text; a slug is a unique, portable spelling of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from harness.digest import sha256
from harness.studies.reliability.pages.model_facts import Models, families


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a slug for each name that is safe in a file name; slugs are unique, however similar the names are."""
    plain = {name: re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") for name in sorted(set(names))}
    taken = list(plain.values())
    return {
        name: slug if taken.count(slug) == 1 and _kept(name, slug) else _marked(name, slug)
        for name, slug in plain.items()
    }


def _kept(name: str, slug: str) -> bool:
    """Whether a slug says everything that the name says, and does not end like a suffix that this module adds."""
    ours = re.search(r"(^|-)([0-9a-f]{12}|[0-9]+-of-[0-9]+)$", slug)
    return 0 < len(slug) <= 80 and slug == name.lower().replace(" ", "-") and not ours


def _marked(name: str, slug: str) -> str:
    return f"{slug[:48]}-{sha256(name.encode('utf-8', 'surrogatepass'))[:12]}".lstrip("-")


REPORT = "report.html"
MODELS_A_SHEET = 12  # rows of a grid that are readable and that print on one page

TITLES: Mapping[str, str] = {
    "figure-1": "Six indicators of reliability, model by model",
    "figure-2": "Correct, avoidant and incorrect answers along difficulty",
    "figure-3": "What people make of the answers, along difficulty",
    "figure-4": "Avoidance and error against training compute",
    "figure-templates": "Correctness along difficulty, wording by wording",
}


def title(name: str) -> str:
    """Return the title of a figure from its file name; the file name of a sheet begins with its figure's name."""
    stem = PurePath(name).stem
    return next(words for kind, words in TITLES.items() if stem == kind or stem.startswith(f"{kind}-"))


def figures(models: Models) -> tuple[str, ...]:
    """Return the names of all files that `figures.draw` writes: each figure as SVG and as PNG."""
    stems = ("figure-1", *sheets("figure-2", models), "figure-3", "figure-4", *sheets("figure-templates", models))
    return tuple(f"{stem}{ending}" for stem in stems for ending in (".svg", ".png"))


def sheets(stem: str, models: Models) -> dict[str, list[str]]:
    """Return the sheets of a figure with one row per model: the models of each sheet by file stem.

    Up to MODELS_A_SHEET models share one sheet. Otherwise each family has a sheet, or several if it is larger.
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
    """Return the name of every model's card file, in the order of `models`."""
    return tuple(card_names(models).values())


def card_names(models: Iterable[str]) -> dict[str, str]:
    """Map each model to the file name of its card."""
    return {model: f"card-{slug}.html" for model, slug in slugs(models).items()}
