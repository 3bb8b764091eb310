"""The subject of a run, by which runs are compared, and the claims that earlier runs registered in their locks.

A subject is a study, its data by maker or URL, its models by identity. Other seeds, counts, wordings, generation
settings, instruments or names do not make another subject: a claim could be fished by varying them until it is met. The
study's own settings are kept beside, and do not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any
from urllib.parse import urldefrag

from pydantic import ValidationError

from harness.manifest.models import is_stand_in
from harness.manifest.schema import Claim, split

SAID = ("model", "source", "behaviour")  # how providers call the model that is meant
WEIGHTS = ".safetensors"
MOST_PLACES = 16  # at which one pointer is looked for in a run that calls things otherwise
Names = Mapping[str, frozenset[str]]  # what goes by a name in a manifest, and by what it is known anywhere


@dataclass(frozen=True)
class Subject:
    """The subject of a run: its study, data and models by name with their identities, and the study's settings."""

    study: str
    data: Names
    models: Names
    real: frozenset[str]  # the models that are no stand-ins
    settings: Mapping[str, Any] = field(default_factory=dict)  # the study's own, as they are written


def subject_of(intent: Mapping[str, Any], pins: Mapping[str, Any]) -> Subject:
    """Return the subject of a run, from a manifest's intent and the pins of its lock."""
    models, data = (_parts(intent, pins, kind) for kind in ("models", "datasets"))
    return Subject(
        str(intent.get("study")),
        {name: frozenset(_data(said, pin)) for name, said, pin in data},
        {name: frozenset(_model(said, pin)) for name, said, pin in models},
        frozenset(name for name, said, _ in models if not is_stand_in(said)),
        _mapping(intent.get("settings")),
    )


def _parts(
    intent: Mapping[str, Any], pins: Mapping[str, Any], kind: str
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Give what a manifest names of a kind, each with what it says of it and what the lock pins."""
    said, pinned = (_mapping(side.get(kind)) for side in (intent, pins))
    return [(str(name), _mapping(said[name]), _mapping(pinned.get(name))) for name in said]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _model(said: Mapping[str, Any], pin: Mapping[str, Any]) -> Iterator[str]:
    """Say who a model is: what its provider knows it by, and the digests of its weights."""
    known = next((str(said[name]) for name in SAID if said.get(name)), "")
    yield f"{said.get('provider')} {known.casefold()}"
    yield from (str(digest) for file, digest in _mapping(pin.get("files")).items() if str(file).endswith(WEIGHTS))
    if "answers" in pin:
        yield str(pin["answers"])


def _data(said: Mapping[str, Any], pin: Mapping[str, Any]) -> Iterator[str]:
    """Say what data is: who makes it, or where it was published; the same bytes from elsewhere are the same data."""
    if "make" in said:
        yield f"make {said['make']}"
    elif isinstance(files := said.get("fetch"), Mapping):  # lists that share a file are of the same data
        for file in map(_mapping, files.values()):
            yield f"fetch {urldefrag(str(file.get('url'))).url}"
            yield str(file.get("sha256"))
    else:
        yield f"fetch {urldefrag(str(files)).url}"
        yield from (str(side["sha256"]) for side in (said, pin) if side.get("sha256"))


def canonical(pointer: str) -> str:
    """Return a claim's pointer without a final `/value`: a statistic and its value are the same."""
    return pointer.removesuffix("/value")


def equivalent_pointers(
    pointers: Sequence[str], here: Subject, there: Subject, untouched: Collection[str] = ()
) -> list[tuple[str, ...]] | None:
    """Return for each pointer the places where another run holds the same value, likeliest first, or None.

    None means another subject: another study, no shared data, or other models. Models do not matter for outputs in
    `untouched`, where no model had a part. Elsewhere a model that a pointer names must be in the other run, under any
    name; where no pointer names one, `same_subject` decides.
    """
    if not same_subject(here, there, models=False):
        return None
    found, names, free = [], False, True
    for pointer in pointers:
        output, path = split(pointer)
        asked = output not in untouched
        twins = [_twins(here.models.get(name), there.models) if asked else [] for name in path]
        options = [_renamed(name, here, there, known, asked=asked) for name, known in zip(path, twins, strict=True)]
        names, free = names or any(twins), free and not asked
        found.append(tuple(output + "#" + "".join(map(_spelt, chosen)) for chosen in _some(options)))
    return found if all(found) and (free or names or same_subject(here, there)) else None


def same_subject(here: Subject, there: Subject, *, models: bool = True) -> bool:
    """Whether two subjects have the same study and share data and, if `models` and either has a real one, a model.

    Where both have real models, one of those must be shared.
    """
    known = here.study == there.study and bool(_every(here.data) & _every(there.data))
    if not known or not models or not (here.real or there.real):
        return known
    mine, others = here.models, there.models
    if here.real and there.real:
        mine, others = (
            {name: known[name] for name in real} for known, real in ((mine, here.real), (others, there.real))
        )
    return bool(_every(mine) & _every(others))


def _renamed(name: str, here: Subject, there: Subject, twins: Sequence[str], *, asked: bool) -> Sequence[str]:
    """Give what one name of a pointer can be called elsewhere: a model is who it is, data is who made it."""
    if twins:
        return [name] if name in twins else twins
    if asked and name in here.models and name in there.models:
        return []  # another model goes by this name there
    mine, others = here.data.get(name), there.data.get(name)
    if mine is None:
        return [name]
    if others is None:
        return [name, *_twins(mine, there.data)]
    # A dataset may have taken the name of the one that is meant, which then goes by another.
    return [name] if mine & _every(there.data) or others & _every(here.data) else []


def _twins(mine: frozenset[str] | None, others: Names) -> list[str]:
    return [name for name, known in others.items() if mine and mine & known]


def _some(options: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    return islice(product(*options), MOST_PLACES)


def _every(names: Names) -> frozenset[str]:
    return frozenset().union(*names.values())


def _spelt(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")


# What of a claim asks something of a value; its id, its place in the paper and its remark do not.
DEMANDS = ("published", "within", "order", "ties", "at_least", "at_most")
Registered = Mapping[str, Any]
PointerOptions = Sequence[Sequence[str]]  # for each pointer of a claim, where a run may hold what it points to
Likeness = Callable[[int, int], bool]


def read_claims(intent: Mapping[str, Any]) -> list[tuple[Claim, Registered]]:
    """Read the claims in the intent of a lock, each with its fields as written; without any the schema rejects."""
    found = []
    claims = intent.get("claims")
    for old in claims if isinstance(claims, list) else ():
        try:
            found.append((Claim.model_validate(old), old))
        except ValidationError:
            continue
    return found


def demand_of(claim: Claim) -> tuple[object, ...]:
    """Return what a claim demands and of which values, without its id, its place in the paper or its remark."""
    return (claim.of, *_bar(claim))


def same_demand(claim: Claim, spots: PointerOptions, old: Claim) -> bool:
    """Whether a claim demands what an old one did of the same values, whatever datasets and models were called.

    `spots` are, for each pointer of the claim, the places where the old run may hold the same value.
    """
    if len(spots) != len(old.pointers) or _bar(claim) != _bar(old):
        return False
    return all(canonical(one) in map(canonical, each) for each, one in zip(spots, old.pointers, strict=True))


def match_claims(count: int, olds: int, alike: Sequence[Likeness]) -> tuple[list[int | None], list[int]]:
    """Pair `count` new claims with `olds` old ones by likeness tests, tried in turn, each old one used at most once.

    Returns for each new claim the index of its old one or None, and the indices of the old ones left over.
    """
    left = list(range(olds))
    was: list[int | None] = [None] * count
    for likeness in alike:
        for new in range(count):
            found = next((old for old in left if likeness(new, old)), None) if was[new] is None else None
            if found is not None:
                was[new] = found
                left.remove(found)
    return was, left


def by_subject(
    claims: Sequence[Claim], placed: Sequence[PointerOptions | None], olds: Sequence[Claim]
) -> list[Likeness]:
    """Likeness tests, strictest first, for claims of different manifests: same demand, same values, some values.

    `placed` gives, for each claim, where the old run may hold the values it points to; None where it holds none.
    """
    new = [{canonical(one) for each in spots for one in each} if spots else set() for spots in placed]
    old = [{canonical(one) for one in each.pointers} for each in olds]

    def all_of(one: int, other: int) -> bool:
        spots = placed[one] or ()
        return bool(spots) and old[other] <= new[one] and all(old[other] & set(map(canonical, each)) for each in spots)

    return [
        lambda one, other: same_demand(claims[one], placed[one] or (), olds[other]),
        all_of,
        lambda one, other: not new[one].isdisjoint(old[other]),
    ]


def by_manifest(claims: Sequence[Claim], olds: Sequence[Claim]) -> list[Likeness]:
    """Likeness tests, strictest first, for claims of one manifest: demand, id, pointers, place in paper, position."""
    return [
        lambda new, old: demand_of(claims[new]) == demand_of(olds[old]),
        lambda new, old: claims[new].id is not None and claims[new].id == olds[old].id,
        lambda new, old: claims[new].of == olds[old].of,
        lambda new, old: claims[new].where == olds[old].where,
        lambda new, old: new == old,
    ]


def _bar(claim: Claim) -> tuple[object, ...]:
    return tuple(getattr(claim, name) for name in DEMANDS)
