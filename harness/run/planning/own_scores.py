"""Scorers that a dataset has of its own: typed by the study, and joined with those of the manifest's settings.

A study sees one list of scorers, in which a name means one thing, and by dataset the names that score it. Independent
of what scorers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.errors import InputError
from harness.manifest.datasets import WITH_OPTIONS, WITHOUT_OPTIONS, OwnFile
from harness.manifest.documents import Intent
from harness.manifest.read import Place, Tree
from harness.manifest.schema import Manifest

SCORE, SCORE_OF = "score", "score_of"  # settings: all scorers, and by dataset the names of its scorers
Typed = Callable[[Mapping[str, Any], Place], dict[str, Any]]  # types settings that stand at a place of the manifest


def with_own_scores(manifest: Manifest, typed: Typed, tree: Tree) -> dict[str, Any]:
    """Return a manifest's typed settings; if datasets have scorers of their own, `score_of` names those of each.

    `score` then holds every scorer of the run. Settings may leave `score` out if every dataset has its own. Raises
    InputError for a scorer that is wrong, and for a name that means two different scorers.
    """
    own = {name: one.score for name, one in manifest.datasets.items() if isinstance(one, OwnFile) and one.score}
    if not own:
        return typed(manifest.settings, ("settings",))
    others = [name for name, one in manifest.datasets.items() if isinstance(one, OwnFile) and name not in own]
    settings = dict(manifest.settings)
    if SCORE not in settings and not others:
        settings[SCORE] = [next(iter(_listed(next(iter(own.values())))))]  # types the others; replaced below
    found = typed(settings, ("settings",)) if SCORE in manifest.settings or others else None
    entries: list[Mapping[str, Any]] = list(found[SCORE]) if found and others else []
    names: dict[str, Any] = {name: [entry["name"] for entry in entries] for name in others}
    for name, said in own.items():
        place: Place = ("datasets", name)
        told = _typed_parts(settings, said, typed, place)
        found = found or told[0]
        for part in told:
            for entry in part[SCORE]:
                _add(entries, entry, tree.at((*place, SCORE)))
        parts = [[entry["name"] for entry in part[SCORE]] for part in told]
        both = dict(zip((WITH_OPTIONS, WITHOUT_OPTIONS), parts, strict=True)) if isinstance(said, Mapping) else parts[0]
        names[name] = both
    assert found
    return {**found, SCORE: entries, SCORE_OF: names}


def said_settings(intent: Intent) -> dict[str, Any]:
    """Return the settings of a lock's intent as written, with the scorers that datasets have of their own added."""
    settings = dict(intent.get("settings", {}))
    own = [one[SCORE] for one in intent["datasets"].values() if isinstance(one, Mapping) and one.get(SCORE)]
    if own:
        said = settings.get(SCORE) or ()
        settings[SCORE] = [*(said if isinstance(said, list | tuple) else ()), *(e for one in own for e in _listed(one))]
    return settings


def _listed(said: Any) -> Iterator[Any]:
    for part in said.values() if isinstance(said, Mapping) else [said]:
        yield from part


def _typed_parts(settings: Mapping[str, Any], said: Any, typed: Typed, place: Place) -> list[dict[str, Any]]:
    """Type a dataset's scorers: one list, or the list of each kind of row."""
    if isinstance(said, Mapping):
        return [typed({**settings, SCORE: part}, (*place, SCORE, kind)) for kind, part in said.items()]
    return [typed({**settings, SCORE: said}, place)]


def _add(entries: list[Mapping[str, Any]], entry: Mapping[str, Any], where: str) -> None:
    """Add a scorer to those of the run, unless it is there; raise InputError if its name means another scorer."""
    same = [one for one in entries if one["name"] == entry["name"]]
    if same and same[0] != entry:
        raise InputError(
            f"two different scorers of this run are called {entry['name']!r}",
            where=where,
            next="give one of them another name: `{" + str(entry["scorer"]) + ": {as: NAME}}`",
        )
    if not same:
        entries.append(entry)
