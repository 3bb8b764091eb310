"""Mean-field cases of the demo (OURS): a model with the terms, letters and sign of interaction drawn for a paper.

Independent of the wording of a paper, of ground truths and of answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.studies.curie.demo.documents import Draw, one, shuffled
from harness.studies.curie.demo.mean_field_models import MeanField, Terms

_LETTERS = {"@t": ("t", "J", r"\tau"), "@U": ("U", "u", "W"), "@V": ("V", "K", "G")}
_EXTRA = (0, 1, 2)  # further one-body terms of easy, medium and hard papers, if the model has that many
NEIGHBOURS = r"\langle i,j \rangle"
# Names of the parts of a Hamiltonian.
BARE, SINGLE, INTERACTION, DIRECT = "H", "H_{0}", r"H_{\mathrm{int}}", r"H_{\mathrm{H}}"
EXCHANGE, FULL, SPECIAL, OTHER = r"H_{\mathrm{F}}", r"H_{\mathrm{MF}}", r"H_{\mathrm{s}}", r"H_{\mathrm{other}}"


@dataclass(frozen=True, slots=True)
class MeanFieldCase:
    """A mean-field model as it occurs in one invented paper: its letters and terms, each term with its sign."""

    model: MeanField
    extra: tuple[str, ...]  # in words
    single: Terms
    interaction: Terms
    direct: Terms
    exchange: Terms
    constants: Terms
    definitions: Terms
    special: Terms

    @property
    def bare(self) -> Terms:
        """The Hamiltonian in LaTeX before any mean-field decoupling."""
        return self.single + self.interaction

    @property
    def full(self) -> Terms:
        """The mean-field Hamiltonian in LaTeX with all its terms, including constants."""
        return self.single + self.direct + self.exchange + self.constants


def _turned(term: str) -> str:
    return ("-" if term[0] == "+" else "+") + term[1:]


def vary(draw: Draw, model: MeanField) -> MeanFieldCase:
    """Draw a model's letters, further terms and, if either is allowed, the sign of its interaction."""
    source = draw.source
    letters = {mark: one(source, choices) for mark, choices in _LETTERS.items()}
    turned = model.either and one(source, (False, True))
    more = shuffled(source, model.extra)[: _EXTRA[draw.rank]]

    def spelled(terms: Iterable[str], turn: bool = False) -> Terms:
        found = []
        for term in terms:
            text = _turned(term) if turn and term not in model.single else term
            for mark, letter in letters.items():
                text = text.replace(mark, letter)
            found.append(text)
        return tuple(found)

    return MeanFieldCase(
        model,
        tuple(words for words, _ in more),
        spelled(model.single) + spelled(term for _, terms in more for term in terms),
        spelled(model.interaction, turned),
        spelled(model.direct, turned),
        spelled(model.exchange, turned),
        spelled(model.constants, turned),
        spelled(model.definitions),
        spelled(model.special[1], turned),
    )


def equation(name: str, terms: Iterable[str]) -> str:
    """Return an equation as one line of LaTeX, without math delimiters around it."""
    first, *rest = terms
    return " ".join([f"{name} =", first.removeprefix("+"), *(f"{term[0]} {term[1:]}" for term in rest)])


def displayed(*equations: str) -> str:
    """Return equations as displayed LaTeX equations."""
    return "\n".join(f"\\begin{{equation}}\n{each}.\n\\end{{equation}}" for each in equations)
