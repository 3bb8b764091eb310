"""What a template gives: the candidates of its questions in a table, and the pairs of those that were drawn.

Types alone; it must never know a table's rows, a template's words or how candidates are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.studies.biomed.facts import Fact

if TYPE_CHECKING:
    import polars as pl

TABLES = ("smr", "drug_targets", "indications", "ad_gwas", "pd_gwas")  # the source tables by their short names

YES = "yes"  # the column of candidates that says whether a question of yes or no is answered yes


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, its answer, the facts in it, and the ids of the source rows that they come from."""

    template: str  # T01 to T40
    question: str
    answer: str
    facts: tuple[Fact, ...]
    source: str  # ids in the source table, joined by ", "; only the first ten where there are more
    yes: bool | None  # of a question of yes or no


@dataclass(frozen=True, slots=True)
class Rules:
    """What parts paper from strict where a template is answered (T24, T25, T30): the mode of the run."""

    mode: str


Tables = Mapping[str, "pl.LazyFrame"]
# All questions that the tables have an answer to, in the natural order of their source, one row each, and no two with
# equal slots: the frame has what `Pairs` needs to find the rows again (the slots, or numbers of rows where there are
# millions of them) and, for questions of yes or no, YES. It reads lazily, and never a whole table of millions of rows.
Candidates = Callable[[Tables, Rules], "pl.DataFrame"]
# The pairs of some candidates (rows of that frame, in any order), in the order of these rows.
Pairs = Callable[[Tables, "pl.DataFrame", Rules], list[Pair]]


@dataclass(frozen=True, slots=True)
class Answerer:
    """The two functions of a template: which questions there are, and their pairs."""

    candidates: Candidates
    pairs: Pairs
