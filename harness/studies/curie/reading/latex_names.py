"""Names of LaTeX commands: those that are layout, those with the same meaning, and the Unicode signs for commands.

OURS: the strict page says that layout is removed, not which commands are layout. Independent of formulas.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

MATRICES = ("matrix", "pmatrix", "bmatrix", "vmatrix", "Bmatrix", "smallmatrix", "array", "cases")


def _listed(*lines: str) -> list[str]:
    return " ".join(lines).split()


SMALL = _listed(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi",
    "omega",
)
LARGE = _listed("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega")
GREEK = frozenset((*SMALL, *LARGE))


def _greek(case: str, names: list[str]) -> dict[str, str]:
    spelled = {name: name.upper().replace("LAMBDA", "LAMDA") for name in names}  # Unicode spells it without the b
    return {unicodedata.lookup(f"GREEK {case} LETTER {spelled[name]}"): name for name in names}


SIGNS: Mapping[str, str] = {
    **_greek("SMALL", SMALL),
    **_greek("CAPITAL", LARGE),
    "ϵ": "epsilon",
    "ϕ": "phi",
    "ħ": "hbar",
    "ℏ": "hbar",
    "†": "dagger",
    "∑": "sum",
    "∫": "int",
    "∏": "prod",
    "√": "sqrt",
    "⟨": "langle",
    "⟩": "rangle",
    "〈": "langle",
    "〉": "rangle",
    "∈": "in",
    "≠": "neq",
    "≤": "leq",
    "≥": "geq",
    "≡": "equiv",
    "≈": "approx",
    "∇": "nabla",
    "∂": "partial",
    "↑": "uparrow",
    "↓": "downarrow",
    "±": "pm",
    "∓": "mp",
    "∞": "infty",
    "→": "to",
    "\N{PRIME}": "prime",
    "⊗": "otimes",
}
SAME: Mapping[str, str] = {
    "dag": "dagger",
    "dfrac": "frac",
    "tfrac": "frac",
    "cfrac": "frac",
    "varepsilon": "epsilon",
    "vartheta": "theta",
    "varphi": "phi",
    "varrho": "rho",
    "varsigma": "sigma",
    "varkappa": "kappa",
    "le": "leq",
    "ge": "geq",
    "ne": "neq",
    "rightarrow": "to",
    "lbrace": "{",
    "rbrace": "}",
    "lbrack": "[",
    "rbrack": "]",
    "hslash": "hbar",
    "ast": "*",
    "vert": "|",
    "Vert": "|",
    "lVert": "lvert",
    "rVert": "rvert",
    "coloneqq": "=",
    "equiv": "=",
    "colon": ":",
}
LAYOUT = frozenset(
    _listed(
        "left right middle big Big bigg Bigg bigl bigr Bigl Bigr bigm biggl biggr Biggl Biggr displaystyle textstyle",
        "scriptstyle limits nolimits nonumber notag quad qquad cdot times mathbf mathrm mathit mathsf mathtt bm bf rm",
        "it boldsymbol hat widehat vec overrightarrow text textrm mbox operatorname noindent item centering hfill",
    )
)
# Commands that may have lost their backslash, as in `sum_k`. Those of BARE_BEFORE are English words too, and need an
# index or an argument.
BARE = GREEK | {*_listed("hbar dagger langle rangle uparrow downarrow varepsilon mathbf mathcal mathrm nabla cdot")}
BARE_BEFORE = {*_listed("sum int prod frac sqrt tilde hat vec bar exp cos sin tan log det text left right")}
WORDS = {*_listed("an is of in on to by as at we it or the be if")}  # too short to be told from products by length
ACCENTS = _listed("tilde widetilde bar overline underline dot ddot check mathcal mathscr mathbb mathfrak")
