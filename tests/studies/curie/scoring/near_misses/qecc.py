"""Near misses of QECC: one entry of ten facts."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from studies.curie.scoring.near_misses.near_miss import NearMiss

GOLD: dict[str, Any] = {
    "code_id": "rotated_example", "physical": "qubits", "logical": "qubits", "Code_parameter": "[[25,1,5]]",
    "name": r"Rotated example code \cite{arXiv:1111.2222}",
    "description": "Qubits sit on a square. The rate is 0.04.",
    "features": {"threshold": [r"\(0.8\%\) under circuit noise \cite{arXiv:3333.4444}."]},
    "relations": {
        "parents": [{"code_id": "surface", "detail": "A case of it."}],
        "cousins": [{"code_id": "color", "detail": "It has the same boundary."}],
    },
}  # fmt: skip
TRUTH = json.dumps({"record_id": "near-1", "arxiv_id": "1111.2222", **GOLD})
ENTRY = r"""code_id: rotated_example
physical: qubits
logical: qubits
Code_parameter: '[[25,1,5]]'
name: 'Rotated example code \cite{arXiv:1111.2222}'
description: |
  Qubits sit on a square. The rate is 0.04.
features:
  threshold:
    - '\(0.8\%\) under circuit noise \cite{arXiv:3333.4444}.'
relations:
  parents:
    - code_id: surface
      detail: 'A case of it.'
  cousins:
    - code_id: color
      detail: 'It has the same boundary.'
"""
_BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
)


def _with(*changes: tuple[str, str]) -> str:
    text = ENTRY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


_TURNED = _with(("parents:", "tmp:"), ("cousins:", "parents:"), ("tmp:", "cousins:"))
_META = "_meta:\n  changelog:\n    - user_id: Someone\n      date: '2025-01-01'\n"
ROWS = [
    NearMiss("the gold as YAML", ENTRY, Fraction(1), "every field is right"),
    NearMiss("a fence around, prose before", f"The entry:\n\n```yaml\n{ENTRY}```\n", Fraction(1),
             "only the YAML is read"),
    NearMiss("the gold as JSON", json.dumps(GOLD), Fraction(1), "JSON is YAML"),
    NearMiss("blanks in the parameters", _with(("[[25,1,5]]", "[[25, 1, 5]]")), Fraction(1), "the same code"),
    NearMiss("parameters without quotes", _with(("'[[25,1,5]]'", "[[25,1,5]]")), Fraction(1),
             "YAML takes them for a list in a list, a reader does not"),
    NearMiss("distance 3 for 5", _with(("[[25,1,5]]", "[[25,1,3]]")), Fraction(9, 10), "another code"),
    NearMiss("brackets of a classical code", _with(("[[25,1,5]]", "[25,1,5]")), Fraction(9, 10),
             "the brackets say which kind of code it is"),
    NearMiss("8 % for 0.8 %", _with(("0.8", "8")), Fraction(9, 10), "the threshold is ten times too high"),
    NearMiss("the per cent sign is lost", _with((r"\(0.8\%\)", "0.8")), Fraction(9, 10), "0.8 is no threshold"),
    NearMiss("other words, the same facts", _with(("under circuit noise", "if circuits are noisy"),
             ("Qubits sit on a square. The rate is 0.04.", "Of rate 0.04; a square holds the qubits.")), Fraction(1),
             "prose is compared by what can be checked in it"),
    NearMiss("a citation of another paper", _with(("3333.4444", "3333.4445")), Fraction(9, 10), "one source is wrong"),
    NearMiss("parents and cousins exchanged", _TURNED, Fraction(8, 10), "both relations are wrong"),
    NearMiss("relations left out", ENTRY.partition("relations:")[0], Fraction(16, 18), "8 facts, all right, of 10"),
    NearMiss("one cousin too many", ENTRY + "    - code_id: toric\n", Fraction(20, 21), "one relation is invented"),
    NearMiss("the entry's history added", ENTRY + _META, Fraction(1), "`_meta` says nothing of the code"),
    NearMiss("bits for qubits", _with(("physical: qubits", "physical: bits")), Fraction(9, 10), "the space is wrong"),
    NearMiss("a bomb of aliases", _BOMB, Fraction(0), "a million leaves are not read", "invalid"),
    NearMiss("prose", "The [[25,1,5]] code on qubits has a threshold of 0.8%.", Fraction(0),
             "the form that was asked for cannot be read", "invalid"),
]  # fmt: skip
