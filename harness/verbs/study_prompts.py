"""The prompts of studies as they are shipped and pinned: listed, and filled in, for a person or a client to use.

These are the wordings of the studies of some manifests. A manifest's own wordings, which may be private, are not among
them, nor is anything of an item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness import rows
from harness.attempts.codes import AttemptError, printable_text, suggest_name
from harness.kit.prompts import NAME, Template, template
from harness.manifest.load import LoadedManifest
from harness.studies.registry import find

__all__ = ["list_prompts", "study_prompt"]

NUMBER = "template"  # the argument that chooses a wording of a set
MOST = 100


def list_prompts(served: Iterable[LoadedManifest]) -> list[dict[str, Any]]:
    """List the sets of wordings of the studies of manifests: name, numbers of the wordings, and what they ask for."""
    found = []
    for name, each in sorted(_sets(served).items()):
        numbers = [one.id for one in each]
        told = {"name": name, "about": f"{len(numbers)} wordings, as the study pins them", "numbers": numbers}
        found.append({**told, "fields": _fields(each)})
    return found[:MOST]


def study_prompt(served: Iterable[LoadedManifest], name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return one wording of a set, with the given fields filled in and the others left as they are written."""
    sets = _sets(served)
    if name not in sets:
        raise AttemptError("E_ARGUMENT", "there is no prompt of this name", suggest_name(name, sets))
    numbers = {str(one.id): one for one in sets[name]}
    wanted = given.get(NUMBER, min(numbers, key=int))
    if wanted not in numbers:
        raise AttemptError("E_ARGUMENT", f"`{NUMBER}` is one of {', '.join(numbers)}", "Give one of these numbers.")
    known = {NUMBER, *_fields(sets[name])}
    if strange := sorted(given.keys() - known):
        what = f"this prompt takes no `{printable_text(strange[0])}`"
        raise AttemptError("E_ARGUMENT", what, f"Known: {', '.join(sorted(known))}.")
    one = numbers[wanted]
    words = (part if place % 2 == 0 else given.get(part, f"{{{part}}}") for place, part in enumerate(one.pieces))
    return {"text": "".join(words), "sha256": one.sha256, "about": f"wording {wanted} of {name}"}


def _sets(served: Iterable[LoadedManifest]) -> dict[str, list[Template]]:
    """Return the sets of wordings by name; wordings that are turns of a chat are left out."""
    paths = {name: path for loaded in served for name, path in find(loaded.manifest.study).prompt_sets.items()}
    read = {name: [template(row) for row in _texts(rows.read(path))] for name, path in paths.items()}
    return {name: found for name, found in read.items() if found}


def _texts(found: Iterator[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (row for row in found if isinstance(row.get("text"), str))


def _fields(wordings: Iterable[Template]) -> list[str]:
    """Return the placeholders of wordings, but that of examples, which only a dataset has."""
    return sorted({part for one in wordings for part in one.pieces[1::2]} - {NAME})
