"""What a template provides: the candidates of its questions in a table, and the pairs of those that were drawn.

Types alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.studies.biomed.facts import Fact

if TYPE_CHECKING:
    import polars as pl

TABLES = ("smr", "drug_targets", "indications", "ad_gwas", "pd_gwas")  # the source tables by their short names

YES = "yes"  # the column of candidates that says whether a yes/no question is answered yes


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, its answer, the facts in it, and the ids of the source rows that they come from."""

    template: str  # T01 to T40
    question: str
    answer: str
    facts: tuple[Fact, ...]
    source: str  # ids in the source table, joined by ", "; at most the first ten
    yes: bool | None  # the answer to a yes/no question; otherwise None


@dataclass(frozen=True, slots=True)
class Rules:
    """The mode of a run, paper or strict, by which the answers of some templates differ (T24, T25, T30)."""

    mode: str


Tables = Mapping[str, "pl.LazyFrame"]
# All questions that the tables can answer, in the natural order of their source, one row each, and no two with equal
# slots. The frame has what `Pairs` needs to find the rows again (the slots, or row numbers if there are millions of
# rows) and, for yes/no questions, YES. Tables are read lazily; a table of millions of rows is never read whole.
Candidates = Callable[[Tables, Rules], "pl.DataFrame"]
# The pairs of some candidates (rows of that frame, in any order), in the order of these rows.
Pairs = Callable[[Tables, "pl.DataFrame", Rules], list[Pair]]


@dataclass(frozen=True, slots=True)
class Answerer:
    """The two functions of a question template: one finds candidates, the other writes question and answer of each."""

    candidates: Candidates
    pairs: Pairs
