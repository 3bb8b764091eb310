"""Signed terms up to order and names of dummies (rule HFE), held against a search of our own through all renamings."""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_pace import soon

from harness.studies.curie.reading.latex_brackets import TooDeep
from harness.studies.curie.scoring.facts_terms import terms

pytestmark = pytest.mark.together

Written = tuple[tuple[str, str], ...]  # factors: a letter and its indices


def latex(factors: Written, summed: str) -> str:
    return rf"\sum_{{{' '.join(summed)}}} " + " ".join(f"{base}_{{{' '.join(sub)}}}" for base, sub in factors)


def alike(one: Written, other: Written, summed: str) -> bool:
    """Tell by trying all renamings whether two products of commuting factors are the same."""
    for order in permutations(summed):
        names = dict(zip(summed, order, strict=True))
        if Counter((base, "".join(names.get(at, at) for at in sub)) for base, sub in one) == Counter(other):
            return True
    return False


FACTORS = st.lists(st.tuples(st.sampled_from("VW"), st.text("ijklx", min_size=1, max_size=3)), min_size=1, max_size=4)


@given(FACTORS, FACTORS, st.sampled_from(["ij", "ijk", "ijkl"]))
def test_hfe_equal_spelling_is_equality_up_to_renaming(
    one: list[tuple[str, str]], other: list[tuple[str, str]], summed: str
) -> None:
    same = terms(latex(tuple(one), summed)) == terms(latex(tuple(other), summed))
    assert same == alike(tuple(one), tuple(other), summed)


@given(FACTORS, st.permutations("ijkl"), st.randoms())
def test_hfe_renamed_and_reordered_terms_are_the_same(
    factors: list[tuple[str, str]], order: list[str], chance: random.Random
) -> None:
    names = dict(zip("ijkl", order, strict=True))
    turned = [(base, "".join(names.get(at, at) for at in sub)) for base, sub in factors]
    chance.shuffle(turned)
    assert terms(latex(tuple(factors), "ijkl")) == terms(latex(tuple(turned), "".join(order)))


SAME = [
    ("H = a - b", "H = -b + a"),
    ("H = a - b", "E = a + (-b)"),
    (r"\sum_{i,j} V_{ij}", r"\sum_j \sum_i V_{ij}"),
    (r"\sum_{i\sigma} V_{i\sigma}", r"\sum_{\sigma,i} V_{i,\sigma}"),
    (r"\sum_{i \neq j} V_{ij} n_i n_j", r"\sum_{a \ne b} n_b V_{ba} n_a"),
    (r"\sum_{\langle i,j \rangle} n_i n_j", r"\sum_{\langle j i \rangle} n_i n_j"),
    (r"\sum_{i<j} V_{ij}", r"\sum_{a<b} V_{ab}"),
    (r"\sum_{k \in BZ} e_k", r"\sum_{q \in BZ} e_q"),
    (r"\sum_{n=1}^{N} e_n", r"\sum_{m=1}^{N} e_m"),
    (r"\sum_{k_1,k_2} V(k_1-k_2)", r"\sum_{p,q} V(p-q)"),
    (r"\sum_{k,k'} V_{k-k'}", r"\sum_{p,q} V_{p-q}"),
    (r"\sum_\sigma c_{\bar\sigma} h_\sigma", r"\sum_s h_s c_{\bar{s}}"),
    (r"\sum_k (\epsilon_k - \mu) n_k", r"\sum_q n_q (-\mu + \epsilon_q)"),
    (r"\int d^3 r\, f(\mathbf{r})", r"\int d^3x f(x)"),
    (r"\int_{BZ} \frac{d^2k}{(2\pi)^2} e(k)", r"\int_{BZ} \frac{d^2 q}{(2 \pi)^2} e(q)"),
    (r"\prod_i s_i", r"\prod_j s_j"),
    (r"\frac{U}{2} n", r"\frac{1}{2} U n"),
    (r"\frac{U}{2} n", "U n / 2"),
    (r"\frac{\hbar^2 k^2}{2m}", r"\hbar^2k^2/(2m)"),
    (r"x \left[ a + b \right]", r"x (b + a)"),
    (r"{c^\dagger}_k c_k", r"c_k^{\dagger} c_k"),
    (r"c_k^\dag c_k", r"\hat{c}^\dagger_{\mathbf k} \hat c_k"),
    (r"\Delta^{*} c_k", r"c_k \Delta^*"),
    (r"|\psi|^2 g", r"|\psi|^2 g"),
    (r"k^\prime + k''", r"k' + k^{\prime\prime}"),
    ("1.50 a", "1.5 a"),
    (r"\sum_{b,b'} V(b-b') b^\dagger_{b} b_{b'}", r"\sum_{p,q} V(p-q) b^\dagger_{p} b_{q}"),
    (r"\begin{pmatrix} a b & c \\ 0 & d \end{pmatrix}", r"\begin{pmatrix} b a & c \\ 0 & d \end{pmatrix}"),
    (r"\varepsilon_k", r"\epsilon_k"),
    (r"\frac12 U n", r"\frac{1}{2} U n"),
    (r"\dfrac 14 J", r"J / 4"),
    (r"{a + b}", "b + a"),
]
OTHER = [
    ("a", "-a"),
    ("a", "2 a"),
    (r"\sum_i V_{ij}", r"\sum_j V_{ij}"),
    (r"\sum_{ij} V_{ij} n_i n_i", r"\sum_{ij} V_{ij} n_i n_j"),
    (r"\sum_{ij} V_{ij} W_{ij}", r"\sum_{ij} V_{ij} W_{ji}"),
    (r"\sum_{i<j} V_{ij}", r"\sum_{i \neq j} V_{ij}"),
    (r"c_k^\dagger c_k", r"c_k c_k^\dagger"),
    (r"c^\dagger_i b_j + b^\dagger", r"b_j c^\dagger_i + b^\dagger"),
    (r"V(k) W(q)", r"V(q) W(k)"),
    (r"V(k-q)", r"V(q-k)"),
    (r"[A, B]", r"\{A, B\}"),
    (r"[A, B]", "[B, A]"),
    (r"\tilde{t} n", "t n"),
    (r"\langle a b \rangle c", r"a \langle b c \rangle"),
    (r"e^{ikr}", r"e^{-ikr}"),
    (r"\frac{a}{b}", r"\frac{b}{a}"),
    (r"k_x", r"k^x"),
    (r"c_{1k}", r"c_k"),
    (r"\sum_{n=1} a_n", r"\sum_{n=2} a_n"),
    (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", r"\begin{pmatrix} a & c \\ b & d \end{pmatrix}"),
    (r"\int dk\, e_k", r"\int dq\, e_k"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_hfe_formulas_that_mean_the_same(one: str, other: str) -> None:
    assert terms(one) and terms(one) == terms(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_hfe_formulas_that_do_not(one: str, other: str) -> None:
    assert terms(one) and terms(one) != terms(other)


@pytest.mark.parametrize("text", ["x - (y - z)", r"x - \left[ y - z \right]", r"(y - z) - (x)"])
def test_hfe_only_a_sign_outside_of_brackets_begins_a_term(text: str) -> None:
    assert sum(terms(text).values()) == 2


def test_hfe_a_letter_is_an_operator_where_its_text_has_it_with_a_dagger() -> None:
    assert terms("a b") == terms("b a")
    assert terms(r"a b; a^\dagger + b^\dagger") != terms(r"b a; a^\dagger + b^\dagger")


def test_hfe_the_letter_of_an_operator_is_no_dummy() -> None:
    assert terms(r"\sum_a a^\dagger_a a_a") == terms(r"\sum_b a^\dagger_b a_b")


def test_hfe_up_to_six_dummies_are_renamed_in_every_way() -> None:
    one = r"\sum_{abcdef} V_{ab} V_{bc} V_{cd} V_{de} V_{ef}"
    assert terms(one) == terms(r"\sum_{fedcba} V_{fe} V_{dc} V_{ed} V_{ba} V_{cb}")


def test_hfe_more_than_six_are_taken_as_they_appear() -> None:
    one = r"\sum_{abcdefg} V_{abc} W_{defg}"
    assert terms(one) == terms(r"\sum_{tuvwxyz} W_{wxyz} V_{tuv}")
    assert terms(one) != terms(r"\sum_{gfedcba} V_{abc} W_{defg}")


def test_equal_terms_are_counted() -> None:
    assert list(terms("a + a - a").values()) == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        "\\bar" * 1_000_000, r"\sum_{abcdef} V_{ab}V_{bc}V_{cd}V_{de}V_{ef}V_{fa} + " * 20_000, "a/" * 1_000_000,
        r"\sum_{abcdef} 1 + " * 20_000, "x" + "_a" * 500_000, "x" + "'" * 5_000_000, "\\frac" * 200_000, "$" * 100_001,
        ("\\bar{" * 38 + "x" + "}" * 38 + "+") * 1000, ("x_{" * 39 + "y" + "}" * 39 + "+") * 1000, "\\hc" * 100_000,
        ("(x + " * 39 + "y" + ")" * 39 + " ") * 500, "\ud800 a + " * 10_000, "\n" * 5_000_000, "9" * 5_000_000,
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_texts_of_megabytes_end_soon(text: str) -> None:
    begun = time.process_time()
    terms(text)
    assert soon(time.process_time() - begun, 3)


def test_ten_thousand_brackets_are_refused() -> None:
    with pytest.raises(TooDeep):
        terms("{" * 10_000 + "}" * 10_000)
