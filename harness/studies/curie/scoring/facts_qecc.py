"""Facts of QECC (OURS, rule QECC): identifiers of a code and its relatives, citations, parameters, quantities.

A fact is the path of a field, without positions in lists, and an atom. Prose is compared by its citations, code
parameters and quantities alone. It is assumed that the ground truth has the fields of the published template.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.ground_truth import IDS
from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads
from harness.studies.curie.reading.quantities import quantities
from harness.studies.curie.reading.texts import encodable, fenced, leaves, norm
from harness.studies.curie.reading.yaml_text import read_yaml
from harness.studies.curie.scoring.facts import Fact, multisets, scored

NAMED = ("code_id", "physical", "logical")
PARAMETER = "code_parameter"
META = "_meta"
_CITED = re.compile(r"\\{1,2}cite\w{0,10}\s{0,3}(?:\[[^\[\]]{0,80}\])?\{([^{}]{1,300})\}")
_SIZE = re.compile(r"(?:\[\[[^\[\]]{1,200}\]\]|\(\((?:[^()]|\([^()]{0,80}\)){1,200}\)\))(?:_\{[^{}]{0,20}\}|_\w)?")


def score(response: str, truth: str) -> Found:
    """Score an answer of QECC against a ground-truth file by its facts, as `facts.scored` does."""
    return scored(response, truth, facts, lambda text, _: facts_of(text), multisets)


def facts(truth: str) -> Counter[Fact]:
    """Count the facts of a ground-truth file: an object with the template's fields, or YAML of that kind in a text.

    Raises Unreadable if the file is not JSON, or not an object.
    """
    value = loads(truth, LONGEST_FILE)
    if not isinstance(value, dict):
        raise Unreadable("it is no object")
    entry = {name: one for name, one in value.items() if name not in IDS}
    if not any(name in entry for name in (*NAMED, "name", "description")):
        entry = next(_written(entry), entry)
    return Counter(_facts(entry))


def _written(entry: Any) -> Iterator[dict[str, Any]]:
    """Yield the entries that texts of an object hold as YAML."""
    for text in leaves(entry):
        try:
            value = read_yaml(text)
        except Unreadable:
            continue
        if isinstance(value, dict) and NAMED[0] in value:
            yield value


def facts_of(response: str) -> Counter[Fact]:
    """Count the facts of the YAML in an answer or its first code fence; raises Unreadable if it has no object."""
    blocks = fenced(response)
    value = read_yaml(blocks[0] if blocks else response)
    if not isinstance(value, dict | list) or not any(isinstance(one, dict) for one in (value, *value)):
        raise Unreadable("no object stands in it")
    if isinstance(value, dict):
        value = {name: one for name, one in value.items() if name not in IDS}
    return Counter(_facts(value))


def _facts(entry: Any) -> Iterator[Fact]:
    """Yield the facts of every text, number and truth value, each with the names that lead to it."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), entry)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*path, norm_name(name)), one) for name, one in value.items() if name != META)
        elif path == (PARAMETER,) and (unquoted := _unquoted(value)):
            yield PARAMETER, parameter(unquoted)
        elif isinstance(value, list):
            waiting.extend((path, one) for one in value)
        else:
            yield from ((".".join(path), *atom) for text in leaves(value) for atom in _atoms(path, text))


def _unquoted(value: Any) -> str:
    """Return the text of an unquoted `[[7,1,3]]` that YAML read as nested lists; empty for any other value."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 else None
    plain = isinstance(inner, list) and not any(isinstance(one, list | dict) for one in inner)
    return f"[[{','.join(leaves(inner))}]]" if plain else ""


def norm_name(name: str) -> str:
    """Return a field's name in the form that is compared, without case."""
    return encodable(name).casefold()


def _atoms(path: tuple[str, ...], text: str) -> Iterator[Fact]:
    if path in [(name,) for name in NAMED] or (path[:1] == ("relations",) and path[-1] == NAMED[0]):
        yield from ((found,) for found in [norm(text)] if found)
    elif path == (PARAMETER,):
        yield from ((found,) for found in [parameter(text)] if found)
    else:
        yield from _mentioned(text)


def _mentioned(text: str) -> Iterator[Fact]:
    """Yield the atoms of a text: cited keys, code parameters, and the quantities outside of both."""
    for found in _CITED.findall(text):
        yield from (("cite", key) for key in map(norm, found.split(",")) if key)
    rest = _CITED.sub(" ", text)
    yield from ((parameter(found),) for found in _SIZE.findall(rest))
    yield from quantities(_SIZE.sub(" ", rest))


def parameter(text: str) -> str:
    """Return the parameters of a code as compared: with brackets, which distinguish kinds of codes, without blanks."""
    plain = unicodedata.normalize("NFKC", encodable(text[:1000])).casefold()
    return re.sub(r"\\[(),;! ]|[\s$'\"`]", "", plain).strip(".,;")
