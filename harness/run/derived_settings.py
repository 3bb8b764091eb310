"""The option `--set PATH=VALUE` of the command line: one place of a manifest's tree, and what is written there.

It knows trees of plain values; it must never know what a field means, nor a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.manifest.load import PLAIN_JSON
from harness.manifest.read import NOTHING, Place, read_tree

SET_OPTION = "--set"
FORM = "write --set PATH=VALUE, such as --set generation.temperature=0.7"
OWN = ("harness", "study", "name", "claims", "agents", "derived")  # what a derived manifest cannot be told
DEEPEST = 16  # dots of a path
BRACKETS = ("[", "{", '"', "'")  # a value that begins so is YAML; any other is a text as it stands


class SetOption(NamedTuple):
    """A change of one value: its dotted path, and the text of the value as it was written."""

    path: str
    value: str

    @property
    def text(self) -> str:
        """The option as it is written."""
        return f"{SET_OPTION} {self.path}={self.value}"

    @property
    def where(self) -> str:
        """The option without its value, for errors, which quote the value themselves."""
        return f"{SET_OPTION} {self.path}"


def read_set_option(text: str) -> SetOption:
    """Read `PATH=VALUE`; refuse a path that is empty, or that a derived manifest has for itself."""
    path, equals, value = text.partition("=")
    where = f"{SET_OPTION} {text[:200]}"
    if not equals or not all(path.split(".")) or path.count(".") > DEEPEST:
        raise InputError("this sets nothing", where=where, next=FORM)
    if path.split(".")[0] in OWN:
        what = f"`{path.split('.')[0]}` is not set on the command line"
        raise InputError(what, where=where, next="write a manifest of its own for that")
    return SetOption(path, value)


def set_value(tree: dict[str, Any], option: SetOption) -> Place:
    """Change one value of a tree, or take its line out where `null` is given; returns the place of it."""
    place: Place = ()
    holder: Any = tree
    parts = option.path.split(".")
    while True:
        part, parts = _part(holder, parts, option, place)
        place = (*place, part)
        if not parts:
            break
        if isinstance(holder, dict) and holder.get(str(part)) is None:
            holder[str(part)] = {}
        holder = holder[part]
        if not isinstance(holder, dict | list):
            named = ".".join(map(str, place))
            raise InputError(f"`{named}` is a value, and has no parts", where=option.where, next="set it as a whole")
    value = _value(option, place)
    if isinstance(holder, list):
        holder[int(part) : int(part) + 1] = [value]
    elif value is None and not _plain(place):
        holder.pop(str(part), None)
    else:
        holder[str(part)] = value
    return place


def _part(holder: Any, parts: list[str], option: SetOption, place: Place) -> tuple[str | int, list[str]]:
    """Take the next key off a path: names may hold dots, so the longest that is there is meant."""
    if isinstance(holder, list):
        most = len(holder) if len(parts) == 1 else len(holder) - 1  # one may be added, and has no parts yet
        if parts[0] in map(str, range(most + 1)):
            return int(parts[0]), parts[1:]
        named = ".".join(map(str, place))
        what = f"`{named}` is a list of {len(holder)}, and has no part {parts[0]!r}"
        raise InputError(what, where=option.where, next=f"set the list as a whole: --set '{named}=[…]'")
    for end in range(len(parts), 1, -1):
        if isinstance(holder, Mapping) and ".".join(parts[:end]) in holder:
            return ".".join(parts[:end]), parts[end:]
    return parts[0], parts[1:]


def _plain(place: Place) -> bool:
    """Whether plain JSON stands at a place of a manifest."""
    return any(_below(place, at) is not None and len(place) > len(at) for at in PLAIN_JSON)


def _below(place: Place, at: Place) -> Place | None:
    """Give what is left of one path below another; nothing where they part."""
    fits = all(wanted in ("*", found) for wanted, found in zip(at, place, strict=False))
    return at[len(place) :] if fits else None


def _value(option: SetOption, place: Place) -> Any:
    """Read a value: YAML where it begins with a bracket or a quote, or where plain JSON stands; else a text."""
    if not option.value.lstrip().startswith(BRACKETS) and not _plain(place):
        return None if option.value in NOTHING else option.value
    left = (_below(place, at) for at in PLAIN_JSON)
    typed: tuple[Place, ...] = ((),) if _plain(place) else tuple(("value", *at) for at in left if at is not None)
    try:
        tree = read_tree(f"value: {option.value}\n".encode(), option.where, typed)
    except InputError as bad:
        raise InputError(bad.what, where=option.where, next="quote a text: --set 'path=\"text\"'") from None
    if set(tree.value) != {"value"}:
        raise InputError("this is more than one value", where=option.where, next="give each --set one value")
    value = tree.value["value"]
    if isinstance(value, dict) and value and ":" not in option.value:  # such as {question}, which a wording begins with
        raise InputError(
            "a text that begins with a brace stands in quotes", where=option.where,
            next=f"--set '{option.path}=\"…\"'",
        )  # fmt: skip
    return value
