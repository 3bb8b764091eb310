"""Near misses of HFE: a Hamiltonian of three terms."""

from __future__ import annotations

import json
from fractions import Fraction

from studies.curie.scoring.near_misses.near_miss import NearMiss

FRAME = "The general Hartree-Fock Hamiltonian is\n"
KINETIC = r"\sum_{k,\sigma} \epsilon_k c^\dagger_{k\sigma} c_{k\sigma}"
FILLING = r"\mu \sum_{k,\sigma} c^\dagger_{k\sigma} c_{k\sigma}"
REPULSION = r"U \sum_i \langle n_{i\uparrow} \rangle n_{i\downarrow}"
TRUTH = json.dumps(
    {"record_id": "near-1", "arxiv_id": "1111.2222", "answer": f"{FRAME}$H = {KINETIC} - {FILLING} + {REPULSION}$"}
)
_ALIGNED = rf"""```latex
\begin{{align}}
H_{{\mathrm{{HF}}}} &= \sum_{{\mathbf{{k}},\sigma}} \epsilon_{{\mathbf{{k}}}}\,
  c_{{\mathbf{{k}}\sigma}}^{{\dagger}} c_{{\mathbf{{k}}\sigma}} \nonumber \\
  &\quad - {FILLING} + U \sum_i \left\langle n_{{i\uparrow}} \right\rangle n_{{i\downarrow}} .
\end{{align}}
```""".replace("\\,\n  ", "\\, ")
_UNICODE = "H = ∑_{kτ} ε_k c†_{kτ} c_{kτ} \u2212 μ ∑_{kτ} c†_{kτ} c_{kτ} + U ∑_i ⟨n_{i↑}⟩ n_{i↓}"
ROWS = [
    NearMiss("the gold itself", f"{FRAME}$H = {KINETIC} - {FILLING} + {REPULSION}$", Fraction(1),
             "every term is right"),
    NearMiss("terms in another order", f"H = {REPULSION} - {FILLING} + {KINETIC}", Fraction(1), "addition commutes"),
    NearMiss("other letters for the indices",
             r"$H = \sum_{q s} \epsilon_q c^\dagger_{q s} c_{q s} - \mu \sum_{p\tau} c^\dagger_{p\tau} c_{p\tau} "
             r"+ U \sum_j \langle n_{j\uparrow} \rangle n_{j\downarrow}$", Fraction(1), "indices that are summed over"),
    NearMiss("factors in another order",
             rf"H = {KINETIC} - \sum_\sigma \sum_k c^\dagger_{{k\sigma}} c_{{k\sigma}} \mu "
             r"+ \sum_i n_{i\downarrow} \langle n_{i\uparrow} \rangle U", Fraction(1), "numbers commute"),
    NearMiss("all signs flipped", f"H = -{KINETIC} + {FILLING} - {REPULSION}", Fraction(0), "no term is right"),
    NearMiss("one sign wrong", f"H = {KINETIC} + {FILLING} + {REPULSION}", Fraction(2, 3), "two of three are right"),
    NearMiss("another operator", rf"H = {KINETIC.replace(' c_{k', ' b_{k')} - {FILLING} + {REPULSION}",
             Fraction(2, 3), "it annihilates something else"),
    NearMiss("creation after annihilation",
             rf"H = \sum_{{k,\sigma}} \epsilon_k c_{{k\sigma}} c^\dagger_{{k\sigma}} - {FILLING} + {REPULSION}",
             Fraction(2, 3), "operators do not commute"),
    NearMiss("both spins up", f"H = {KINETIC} - {FILLING} + {REPULSION.replace('downarrow', 'uparrow')}",
             Fraction(2, 3), "one index is wrong"),
    NearMiss("a term left out", f"H = {KINETIC} - {FILLING}", Fraction(4, 5), "2 terms, both right, of 3"),
    NearMiss("a term too many", f"H = {KINETIC} - {FILLING} + {REPULSION} + \\text{{h.c.}}", Fraction(6, 7),
             "the conjugate is added to what is Hermitian"),
    NearMiss("half the repulsion", f"H = {KINETIC} - {FILLING} + \\frac{{1}}{{2}} {REPULSION}", Fraction(2, 3),
             "one coefficient is wrong"),
    NearMiss("set with align, bold vectors and a fence", _ALIGNED, Fraction(1), "layout says nothing"),
    NearMiss("Unicode instead of commands", _UNICODE, Fraction(1), "the same formula"),
    NearMiss("a term defined beside", f"{FRAME}$H = {KINETIC} - {FILLING} + X$ where $X = {REPULSION}$", Fraction(6, 7),
             "the name that stands in for it is a term of its own"),
    NearMiss("no formula", "The paper does not give its Hamiltonian.", Fraction(0), "no formula stands in it",
             "invalid"),
]  # fmt: skip
