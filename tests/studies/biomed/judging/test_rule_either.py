"""The rule grader on answers that offer two values for one, and on such as only look like it."""

from __future__ import annotations

from time import process_time

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, fact
from harness.studies.biomed.judging.rule import grade

YEAR = ("In which year did the FDA first approve the drug Alovimab?", "The FDA first approved Alovimab in 1999.")
PHASE = (
    "What is the highest phase of clinical trials that the drug Alovimab has reached?",
    "Alovimab has reached phase 2 of clinical trials.",
)
USE = (
    "Is the drug Alovimab approved by the FDA to treat migraine, and if not, which phase of clinical trials has it "
    "reached for this purpose?",
    "No, Alovimab is not approved by the FDA to treat migraine; it has reached phase 2 of clinical trials.",
)
TARGET = ("Which gene does the drug Alovimab target?", "Alovimab targets the gene DRD2.")
PLACE = (
    "Where is the SNP rs990000001 located in the GRCh38/hg38 build of the human genome?",
    "The SNP rs990000001 is on chromosome 12 at base pair position 104577363 in the GRCh38/hg38 build.",
)
P = (
    "What is the p-value of rs990000001 in the GWAS of Alzheimer's disease?",
    "rs990000001 has a p-value of 3.20e-12 in the GWAS of Alzheimer's disease.",
)
COUNT = ("How many genes does the drug Alovimab target?", "Alovimab targets 4 genes.")
CHROMOSOME = ("On which chromosome is the gene KCNH7?", "The gene KCNH7 is on chromosome 2.")
FREQUENCY = (
    "What is the frequency of the effect allele of rs990000001 in the GWAS of Parkinson's disease?",
    "The effect allele A of rs990000001 has a frequency of 0.031.",
)


@each_of(
    ("pair", "answer"),
    [
        (YEAR, "Either in 1999 or in 2001."),
        (YEAR, "1999 (or 2001)"),
        (YEAR, "Between 1999 and 2001."),
        (YEAR, "1999, 2000 or 2001"),
        (YEAR, "1999/2001"),
        (YEAR, "It was approved in 1995 and again in 1999."),
        (YEAR, "It was 1999, or possibly 2001."),
        (YEAR, "It might be 1999; it might be 2001."),
        (YEAR, "The FDA approved it first in 1999. The FDA approved it first in 2001."),
        (PHASE, "Phase 2 or 3."),
        (PHASE, "Either phase 2 or phase 3."),
        (PHASE, "Phase 1, phase 2, phase 3 or phase 4"),
        (PHASE, "phase 2 (or phase 3)"),
        (TARGET, "Either DRD2 or DRD3."),
        (TARGET, "DRD2 (or HTR2A)"),
        (TARGET, "It targets DRD2; it could also be HTR2A."),
        (PLACE, "Chromosome 12, position 104577363 or 104577999."),
        (PLACE, "12:104577363 or 12:104999999"),
        (P, "3.2e-12 or 4.5e-9"),
        (P, "p = 3.20e-12 (or 4.5e-9)"),
        (COUNT, "Either 4 or 5 genes."),
        (COUNT, "between 4 and 6 genes"),
        (CHROMOSOME, "chromosome 2 or 3"),
        (FREQUENCY, "The frequency of A is 0.031 or 0.045."),
        (USE, "Yes and no, phase 2."),
    ],
)
def test_two_values_where_one_can_hold_are_nothing(pair, answer):
    assert grade(pair[0], pair[1], answer).grade == "0.0"


@pytest.mark.parametrize(
    ("pair", "answer"),
    [
        (YEAR, "It was first approved in 1999 and, for another use, in 2005."),
        (YEAR, "It was first approved in 1999, and in 2005 for a second use."),
        (YEAR, "In 1999 (the trial began in 1995)."),
        (YEAR, "After trials from 1995 to 1998, it was approved in 1999."),
        (YEAR, "It was approved in 1999, not in 2001."),
        (YEAR, "It was approved in 1999 and withdrawn in 2004."),
        (PHASE, "It completed phase 1 and reached phase 2."),
        (PHASE, "Phase 2; phase 3 is planned."),
        (TARGET, "It targets DRD2, not DRD3."),
        (PLACE, "Chromosome 12, 104577363 (GRCh38) or 104971141 (GRCh37)."),
        (P, "p = 3.2e-12, well below the threshold of 5e-8"),
        (FREQUENCY, "The frequency of A is 0.031 (or 3.1 %)."),
    ],
)
def test_another_value_of_something_else_is_no_contradiction(pair, answer):
    assert grade(pair[0], pair[1], answer).grade == "3.0"


def test_a_phase_that_is_half_of_two_in_one_is_worth_little():
    assert grade(*PHASE, "It is in phase 2/3 trials.").grade == "1.0"
    assert grade(*USE, "No, phase 2/3.").grade == "2.0"


def test_a_right_verdict_without_the_phase_asked_for_gets_one_point():
    assert grade(*USE, "No.").grade == "1.0"


def test_a_risk_allele_that_is_one_of_two_is_an_error():
    facts = [fact("verdict", VERDICT, "yes"), fact("risk allele", NAME, "A", of="rs990000001")]
    asked = "Are there alleles of the gene KCNH7 that raise the risk?"
    told = [
        grade(asked, "-", f"Yes, the risk allele of rs990000001 is {said}.", facts).grade for said in ("A", "A or G")
    ]
    assert told == ["3.0", "1.0"]


@pytest.mark.parametrize("said", ["3.2*10^-12", "3.2 * 10^-12", "3.2*10**-12", "3.2*10^(-12)", "**3.2 × 10^-12**"])  # noqa: RUF001
def test_a_star_between_a_number_and_its_power_of_ten_means_times(said):
    assert grade(*P, f"p = {said}").grade == "3.0"


def test_a_figure_behind_a_name_in_a_list_is_no_further_name():
    facts = [
        fact("SNPs", NAMES, ["rs999979694"], of="GEN0272"),
        fact("tissues", NAMES, ["Spinal cord"], of="rs999979694"),
        fact("p", NUMBER, "5.26e-07", of="rs999979694 in Spinal cord"),
        fact("number of SNPs", INTEGER, 1, asked=False),
    ]
    answer = "It has 1 SNP.\n• rs999979694: Spinal cord, adjusted p = 5.26e-07, HEIDI p = 4.58e-01"
    assert grade("In which tissues is GEN0272 significant?", answer, answer, facts).grade == "3.0"


def test_a_position_that_is_asked_for_and_lacks_is_an_important_omission():
    assert float(grade(*PLACE, "It is on chromosome 12.").grade) <= 1.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", drawn(["1999 or 2001, ", "DRD2 or ", "phase 2 or 3 "], 1, 3))
def test_many_alternatives_are_read_soon(text):
    before = process_time()
    for pair in (YEAR, PHASE, TARGET, COUNT):
        assert grade(*pair, text * 20_000).label in ("good", "bad", "abstain")
    assert soon(process_time() - before, 1)
