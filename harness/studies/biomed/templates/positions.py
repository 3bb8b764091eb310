"""Templates about where both studies place an SNP: T25 (GRCh38 and genes), T37 (genes), T38 (two builds).

A study that does not place an SNP counts as absent in T38, and in T25 in strict mode. In paper mode T25 says what the
table holds, including chromosome 0 and the gene `NONE`. Genes are compared as sets; if only one study names genes,
these are the answer. An SNP without a usable row in either study is not asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, Fact, fact
from harness.studies.biomed.templates.formats import listed
from harness.studies.biomed.templates.gwas_rows import (
    AD,
    HASHED,
    NO_GENE,
    PD,
    GwasStudy,
    either,
    genes_of,
    rows_of,
    snps,
)
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables
from harness.studies.biomed.terms import PAPER

Row = Mapping[str, Any]
STUDIES: Final = (AD, PD)
BUILDS: Final[Mapping[str, tuple[str, str]]] = {  # by name: the ending of its columns, and its other name
    "GRCh37": ("37", "hg19"),
    "GRCh38": ("38", "hg38"),
}


@dataclass(frozen=True, slots=True)
class _Claim:
    """What one study says about an SNP: its chromosome and position by build, and its nearest genes."""

    study: GwasStudy
    row: str
    places: tuple[tuple[str, str, int], ...]  # build, chromosome, position
    genes: tuple[str, ...]

    def parts_from(self, other: _Claim) -> bool:
        """Whether the other study says something else: another place, or other genes if both name some."""
        mine, others = {*self.genes}, {*other.genes}
        return self.places != other.places or bool(mine and others and mine != others)


@dataclass(frozen=True, slots=True)
class _Ask:
    """What distinguishes one template from another: the builds, whether genes are asked for, and the question."""

    builds: tuple[str, ...]
    genes: bool
    question: str
    as_held: bool = False  # whether paper mode says what the table holds

    def usable(self, mode: str) -> pl.Expr:
        """Return the condition under which a row says something that the question asks for."""
        if self.as_held and mode == PAPER:
            return pl.lit(value=True)
        if not self.builds:
            return pl.col("nearestGene").str.replace_all(NO_GENE, "", literal=True).str.strip_chars("; \t") != ""
        return pl.all_horizontal([_placed(BUILDS[build][0]) for build in self.builds])

    def claim(self, study: GwasStudy, row: Row, mode: str) -> _Claim:
        """Return what a study says in a usable row."""
        as_held = self.as_held and mode == PAPER
        columns = [(build, BUILDS[build][0]) for build in self.builds]
        places = tuple((build, row[f"chr_{end}"] or "0", row[f"bp_{end}"] or 0) for build, end in columns)
        genes = genes_of(row["nearestGene"], keep_none=as_held) if self.genes else ()
        return _Claim(study, row["UUID"], places, genes)


def _placed(end: str) -> pl.Expr:

    chromosome = pl.col(f"chr_{end}")
    return chromosome.is_not_null() & ~chromosome.is_in(["", "0"]) & pl.col(f"bp_{end}").is_not_null()


def _answerer(template: str, ask: _Ask) -> Answerer:
    def candidates(tables: Tables, rules: Rules) -> pl.DataFrame:
        first, second = (snps(tables[study.table], ask.usable(rules.mode)) for study in STUDIES)
        return either(first, second)

    def pairs(tables: Tables, chosen: pl.DataFrame, rules: Rules) -> list[Pair]:
        hashes = chosen[HASHED]
        found = [rows_of(tables[study.table], hashes, ask.usable(rules.mode)) for study in STUDIES]
        made = []
        for hashed in hashes:
            rows = [(study, rows[hashed]) for study, rows in zip(STUDIES, found, strict=True) if hashed in rows]
            snp = rows[0][1]["SNP"]  # another SNP with the same hash is left out
            made.append(
                _pair(template, ask, snp, [ask.claim(*row, rules.mode) for row in rows if row[1]["SNP"] == snp])
            )
        return made

    return Answerer(candidates, pairs)


def _pair(template: str, ask: _Ask, snp: str, claims: Sequence[_Claim]) -> Pair:
    question, ids = ask.question.format(snp=snp), ", ".join(claim.row for claim in claims)
    studies = fact("studies", NAMES, [claim.study.name for claim in claims], asked=False)
    if len(claims) == 1:
        (claim,) = claims
        facts, answer = _facts(claim, snp), f"{claim.study.cited()}, {_says(claim, snp)}."
        return Pair(template, question, answer, (*facts, claim.study.named()), ids, None)
    one, other = claims
    if one.parts_from(other):
        answer = f"The two studies disagree. {one.study.cited()}, {_says(one, snp)}."
        answer += f" {other.study.cited()}, {_says(other, snp)}."
        facts = [found for claim in claims for found in _facts(claim, snp, f" in {claim.study.name}")]
        return Pair(template, question, answer, (*facts, studies), ids, None)
    both = one if one.genes or not other.genes else other
    answer = f"By both GWAS meta-analyses ({one.study.name}; {other.study.name}), {_says(both, snp)}."
    return Pair(template, question, answer, (*_facts(both, snp), studies), ids, None)


def _says(claim: _Claim, snp: str) -> str:
    lies = [
        f"on chromosome {chromosome} at base pair {position} of {build}/{BUILDS[build][1]}"
        for build, chromosome, position in claim.places
    ]
    near = f"in or nearest to the gene{'s'[: len(claim.genes) != 1]} {listed(claim.genes)}"
    return f"{snp} is located {listed([*lies, *([near] if claim.genes else [])])}"


def _facts(claim: _Claim, snp: str, where: str = "") -> list[Fact]:
    facts = []
    for build, chromosome, position in claim.places:
        facts.append(_chromosome(chromosome, f"{build}{where}"))
        facts.append(fact("position", INTEGER, position, of=f"{build}{where}"))
    return [*facts, fact("genes", NAMES, list(claim.genes), of=f"{snp}{where}")] if claim.genes else facts


def _chromosome(name: str, of: str) -> Fact:
    whole = name.isascii() and name.isdigit() and len(name) < 3
    return fact("chromosome", INTEGER, int(name), of=of) if whole else fact("chromosome", NAME, name, of=of)


ANSWERERS: Mapping[str, Answerer] = {
    "T25": _answerer(
        "T25",
        _Ask(
            builds=("GRCh38",),
            genes=True,
            question="Where in the build GRCh38/hg38 does {snp} lie, and which gene or genes is it in or nearest to?",
            as_held=True,
        ),
    ),
    "T37": _answerer("T37", _Ask(builds=(), genes=True, question="Which gene or genes is {snp} in or nearest to?")),
    "T38": _answerer(
        "T38",
        _Ask(
            builds=("GRCh37", "GRCh38"),
            genes=False,
            question="Where does {snp} lie in the builds GRCh37/hg19 and GRCh38/hg38 of the human genome?",
        ),
    ),
}
