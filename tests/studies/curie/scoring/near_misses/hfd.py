"""Near misses of HFD: three steps with two, one and one term."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from studies.curie.scoring.near_misses.near_miss import NearMiss

KINETIC, FILLING = r"\sum_k \epsilon_k c_k^\dagger c_k", r"\mu \sum_k c_k^\dagger c_k"
DISPERSION = r"\frac{\hbar^2 k^2}{2m}"
PAIRING = r"\frac{1}{2} \sum_{k,q} V_q c_{k+q}^\dagger c_k"
_NUMBERED = ((1, f"$H_0 = {KINETIC} - {FILLING}$"), (2, rf"$\epsilon_k = {DISPERSION}$"), (3, f"$H_1 = {PAIRING}$"))


def _steps(*numbered: tuple[int, str]) -> list[dict[str, Any]]:
    return [{"Step": str(at), "task": "a step", "system": "layer", "answer": text} for at, text in numbered]


GOLD = _steps(*_NUMBERED)
TRUTH = json.dumps({"record_id": "near-1", "derivation": GOLD})


def _with(*changes: tuple[int, str]) -> str:
    return json.dumps(_steps(*sorted({**dict(_NUMBERED), **dict(changes)}.items())))


_SPACED = json.dumps(GOLD).replace("\\\\", "\\")
ROWS = [
    NearMiss("the gold itself", json.dumps(GOLD), Fraction(1), "every term of every step is right"),
    NearMiss("a fence around, prose before", f"Sure!\n```json\n{json.dumps(GOLD, indent=1)}\n```", Fraction(1),
             "only the JSON is read"),
    NearMiss("steps in another order", json.dumps(GOLD[::-1]), Fraction(1), "each step says its number"),
    NearMiss("other letters for the indices",
             _with((3, r"$H_1 = \frac{1}{2} \sum_{p,r} V_r c_{p+r}^\dagger c_p$")), Fraction(1),
             "they are summed over"),
    NearMiss("a sum within an index turned", _with((3, f"$H_1 = {PAIRING.replace('k+q', 'q+k')}$")), Fraction(1),
             "addition commutes"),
    NearMiss("one sign wrong", _with((1, f"$H_0 = {KINETIC} + {FILLING}$")), Fraction(3, 4), "three of four are right"),
    NearMiss("a wrong coefficient", _with((2, r"$\epsilon_k = \frac{\hbar^2 k^2}{m}$")), Fraction(3, 4),
             "the 2 is lost"),
    NearMiss("a quotient written in a line", _with((3, r"$H_1 = (1/2) \sum_{k,q} V_q c_{k+q}^\dagger c_k$")),
             Fraction(1), "the same factor"),
    NearMiss("a term in the wrong step", _with((1, f"$H_0 = {KINETIC}$"), (2, f"$E = {DISPERSION} - {FILLING}$")),
             Fraction(3, 4), "it is not the result of that step"),
    NearMiss("other words in the fields", json.dumps([{**one, "task": "T", "more": "x = y"} for one in GOLD]),
             Fraction(1), "only answers are compared"),
    NearMiss("a step left out", json.dumps(GOLD[:2]), Fraction(6, 7), "3 terms, all right, of 4"),
    NearMiss("a sixth step", _with((6, f"$H = {KINETIC}$")), Fraction(1), "five were asked for"),
    NearMiss("a fourth step that the gold has not", _with((4, "$H_2 = 0$")), Fraction(8, 9), "one term too many"),
    NearMiss("backslashes not doubled", _SPACED, Fraction(1), "JSON5 drops them, and the letters are known without"),
    NearMiss("the formulas without JSON", f"Step 1: {_NUMBERED[0][1]}", Fraction(0),
             "the form that was asked for cannot be read", "invalid"),
]  # fmt: skip
