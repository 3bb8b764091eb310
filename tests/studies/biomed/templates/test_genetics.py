"""All templates of genetics over synthetic tables and published rows: questions asked once, facts in their answers."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Mapping

import pytest
from support import FIXTURES
from support_biomed_genetics import gwas, pairs, tables, values
from support_pace import soon

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, VERDICT
from harness.studies.biomed.sources.synthetic import Sizes
from harness.studies.biomed.sources.synthetic import tables as synthetic
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.genetics import ANSWERERS
from harness.studies.biomed.templates.pair import YES, Pair, Rules, Tables

SIZES = Sizes(drugs=60, snps=1500, smr=2000)
GENETIC = {template.id for template in TEMPLATES.values() if {"smr", "ad_gwas", "pd_gwas"} & {*template.tables}}
REAL = FIXTURES.parent / "data" / "biomed" / "templates_6208.csv"
PLACE = re.compile(
    r"SNP (\S+) is located (?:on or closest to the gene (\S+) )?on chromosome (\w+) at base pair position (\d+)"
)
ALLELES = re.compile(
    r"polymorphism (\S+) has an alternate allele (\w+) frequency of (\S+) and .* allele (\w+) frequency of (\S+)\."
)
P_VALUE = re.compile(r"(Yes|No), .* SNP (\S+) has a p-value of (\S+) and")


@pytest.fixture(scope="module")
def lazy() -> Tables:
    return {name: frame.lazy() for name, frame in synthetic(7, SIZES).items()}


@pytest.fixture(scope="module", params=["paper", "strict"])
def made(lazy: Tables, request: pytest.FixtureRequest) -> Mapping[str, list[Pair]]:
    return {id: pairs(id, lazy, request.param) for id in ANSWERERS}


def test_every_template_of_genetics_gives_pairs(made: Mapping[str, list[Pair]]) -> None:
    assert made.keys() == GENETIC
    assert all(made.values())


def test_no_question_of_genetics_is_asked_twice(made: Mapping[str, list[Pair]]) -> None:
    questions = [pair.question for id in made for pair in made[id]]
    assert len(set(questions)) == len(questions)


def test_every_name_and_count_of_a_fact_stands_in_the_answer(made: Mapping[str, list[Pair]]) -> None:
    for pair in (pair for id in made for pair in made[id]):
        for fact in pair.facts:
            stated = fact["value"] if fact["kind"] == NAMES else [str(fact["value"])]
            if fact["kind"] in (NAME, NAMES, INTEGER, VERDICT):
                assert all(text.lower() in pair.answer.lower() for text in stated), (pair, fact)


@pytest.mark.long
def test_candidates_say_yes_where_pairs_do(lazy: Tables) -> None:
    for id in sorted(GENETIC):
        frame = ANSWERERS[id].candidates(lazy, Rules("strict"))
        answers = [pair.yes for pair in ANSWERERS[id].pairs(lazy, frame, Rules("strict"))]
        expected = frame[YES].to_list() if TEMPLATES[id].yes_no else [None] * frame.height
        assert answers == expected


def test_generating_from_small_tables_takes_little_time(lazy: Tables) -> None:
    start = time.process_time()
    for id in GENETIC:
        ANSWERERS[id].candidates(lazy, Rules("strict"))
    assert soon(time.process_time() - start, 4)


def test_hostile_names_of_genes_and_snps_are_only_text() -> None:
    name = "{gene}{0}\ud7ff%s" + "[" * 1000
    (pair,) = pairs("T09", tables(gwas({"SNP": name, "nearestGene": name, "p": 0.0, "b": float("inf")})))
    assert values(pair)["SNPs", name] == [name]
    assert "p = 0.00e+00, b = inf" in pair.answer


def real(template: str) -> list[dict[str, str]]:
    """Give the published rows of a template, or skip the test where they are not here."""
    if not REAL.is_file():
        pytest.skip("the real questions are not here")
    with REAL.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["template uuid"] == template]


@pytest.mark.parametrize(("template", "seed"), [("T02", "Q2"), ("T03", "Q3")])
def test_frequencies_are_those_that_published_answers_print(template: str, seed: str) -> None:
    printed = {row["source"]: ALLELES.findall(row["answer"])[0] for row in real(seed)}
    study = gwas(
        *(
            {"UUID": row_id, "SNP": snp, "A1": effect, "A2": other, "freq": float(freq)}
            for row_id, (snp, effect, freq, other, _) in printed.items()
        )
    )
    ours = {pair.source: values(pair) for pair in pairs(template, tables(study, study))}
    for row_id, (_, effect, freq, other, rest) in printed.items():
        assert float(ours[row_id]["frequency", effect]) == float(freq)
        assert float(ours[row_id]["other frequency", other]) == float(rest)


def test_verdicts_are_those_that_published_answers_give() -> None:
    printed = {snp: (verdict, p) for row in real("Q35") for verdict, snp, p in P_VALUE.findall(row["answer"])}
    study = gwas(*({"SNP": snp, "p": float(p)} for snp, (_, p) in printed.items()))
    for pair, (snp, (verdict, p)) in zip(pairs("T22", tables(study)), printed.items(), strict=True):
        assert values(pair, asked=True) == {("verdict", ""): verdict.lower()}
        assert float(values(pair)["p", snp]) == pytest.approx(float(p), rel=0.006)


def test_positions_carry_the_facts_that_published_answers_print() -> None:
    published = real("Q42")
    claims = {row["uuid"]: PLACE.findall(row["answer"]) for row in published}
    studies: dict[bool, list[dict[str, object]]] = {True: [], False: []}
    for row in published:
        found, ids = claims[row["uuid"]], row["source"].split(", ")
        for place, row_id in enumerate(ids):
            snp, genes, chromosome, position = found[min(place, len(found) - 1)]
            at = {"chr_38": chromosome, "bp_38": int(position), "nearestGene": genes or None}
            studies[row_id.startswith("AD")].append({"UUID": row_id, "SNP": snp, **at})
    given = tables(gwas(*studies[True]), gwas(*studies[False]))
    ours = {pair.source: pair for pair in pairs("T25", given, "paper")}
    assert ours.keys() == {row["source"] for row in published}
    for row in published:
        stated, found = values(ours[row["source"]], asked=True), claims[row["uuid"]]
        assert [value for (slot, _), value in stated.items() if slot == "position"] == [int(one[3]) for one in found]
        genes = [[*dict.fromkeys(one[1].split(";"))] for one in found if one[1]]
        assert [value for (slot, _), value in stated.items() if slot == "genes"] == genes
    kept = [pair.answer for pair in pairs("T25", given)]
    assert (len(kept), sum("disagree" in answer for answer in kept)) == (len(published) - 5, 0)
