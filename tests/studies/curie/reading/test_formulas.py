"""Formulas of a text (rule HFE): where one ends, what of it counts, which words are none."""

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.studies.curie.reading.formulas import sums
from harness.studies.curie.reading.latex import tokens
from harness.studies.curie.reading.latex_brackets import TooDeep


def counted(text: str) -> list[int]:
    """Count the terms of each formula of a text."""
    return [len(one) for one in sums(text)]


@each_of(
    "text",
    [
        "H = a + b\nE = c",
        "H = a + b; E = c",
        r"H = a + b \\ E = c",
        "H = a + b where E = c",
        "H = a + b and E = c",
        r"H = a + b \text{ and } E = c",
        r"\begin{align} H &= a + b \\ E &= c \end{align}",
        r"\[ H = a + b \] \[ E = c \]",
        "$H = a + b$ where $E = c$",
    ],
)
def test_hfe_what_parts_two_formulas(text: str) -> None:
    assert counted(text) == [2, 1]


@each_of(
    ("text", "terms"),
    [
        ("H = X = a + b", [2]),
        (r"H = \sum_{i=1}^N a_i + b", [2]),
        (r"H \equiv a + b", [2]),
        (r"H = \left( a + b \right) c - d", [2]),
        ("H = \\left( a \\\\ + b \\right) c", [1]),
        ("H = a\n  + b", [1, 1]),
        ("H = a - (b - c)", [2]),
    ],
)
def test_hfe_terms_stand_right_of_the_last_equals_sign_outside_brackets(text: str, terms: list[int]) -> None:
    assert counted(text) == terms


@each_of(
    "text",
    [
        "The general Hartree-Fock Hamiltonian is",
        "We find that U is the on-site repulsion.",
        "where $t$ is the hopping amplitude of the lattice",
        "",
        "...",
        "   \n\n ",
    ],
)
def test_hfe_prose_without_a_formula_has_no_terms(text: str) -> None:
    assert counted(text) == []


@each_of(
    "text",
    [
        r"The Hamiltonian is $H = \sum_k a_k$ for all fields.",
        r"The Hamiltonian is H = \sum_k a_k for all fields.",
        r"The general Hamiltonian is \sum_k a_k",
        r"The general Hamiltonian is $\sum_k a_k$.",
        "The Hamiltonian is\n" + r"\sum_k a_k",
        "```latex\n" + r"H = \sum_k a_k" + "\n```",
        r"H = \sum_k a_k (which is known)",
        r"H = \sum_k a_k \quad (12)",
    ],
)
def test_hfe_prose_beside_a_formula_is_left_out(text: str) -> None:
    assert sums(text) == sums(r"\sum_k a_k")


def test_layout_and_type_faces_are_no_tokens() -> None:
    plain = tokens(r"\left( \mathbf{k} \, \cdot \boldsymbol{p} \right) &\quad \hat{c}\displaystyle")
    assert plain == ["(", "{", "k", "}", "{", "p", "}", ")", "&", "{", "c", "}"]


def test_signs_of_unicode_are_commands() -> None:
    assert tokens("ħ²†Σ∑λ₁\u2212") == tokens(r"\hbar^{2}\dagger \Sigma \sum \lambda_{1}-")


def test_the_conjugate_is_one_token_however_it_is_written() -> None:
    spelled = ["h.c.", "H.c.", r"\text{h.c.}", r"\mathrm{H.c}", r"{\rm h.c.}", "h. c."]
    assert {tuple(one for one in tokens(text) if one not in "{}") for text in spelled} == {("\\hc",)}


def test_too_many_brackets_are_refused() -> None:
    with pytest.raises(TooDeep):
        sums("(" * 10_000)
