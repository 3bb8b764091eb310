"""Kinds of wording that the rule grader must understand, each in several ways that models write it."""

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.studies.biomed.facts import INTEGER, NAMES, VERDICT, fact
from harness.studies.biomed.judging.rule import grade

PHASE = ("What is the highest phase of clinical trials that the drug Rotavexine has reached?",
         "The highest phase of clinical trials that Rotavexine has reached is phase 2.")  # fmt: skip
CHEMBL = ("Which identifier does the drug Rotavexine have in ChEMBL?",
          "The ChEMBL identifier of Rotavexine is CHEMBL9003421.")  # fmt: skip
YEAR = ("In which year did the FDA first approve the drug Rotavexine?", "The FDA first approved Rotavexine in 1957.")
TARGET = ("Which genes are the targets of the drug that is sold as Tavomo?",
          "The drug that is sold as Tavomo, Rotavexine, targets the gene GEN0184.")  # fmt: skip
PLACE = ("Where does rs993683848 lie in the builds GRCh37/hg19 and GRCh38/hg38 of the human genome?",
         "By both GWAS meta-analyses (Bellenguez 2022; Nalls et al. 2019), rs993683848 lies on chromosome 20 at base "
         "pair 16663149 of GRCh37/hg19 and on chromosome 20 at base pair 16769555 of GRCh38/hg38.")  # fmt: skip
SIGNAL = ("Does any SNP at or nearest to the gene GEN0111 reach genome-wide significance in Alzheimer's disease, how "
          "many do, and which?",
          "No. In the European GWAS meta-analysis of Alzheimer's disease (Bellenguez 2022), no SNP at or nearest to "
          "GEN0111 reaches genome-wide significance (p below 5e-08).")  # fmt: skip
DRUGGABLE = ("Is GEN0215 a druggable gene, in the sense that at least one approved drug targets it?",
             "No, there is no approved drug that targets GEN0215. But 33 drugs in clinical trials target it, so it may "
             "prove to be druggable.")  # fmt: skip
SHARES = ("How frequent are the effect allele and the other allele of rs997099143 in the GWAS of Parkinson's disease?",
          "In the European GWAS meta-analysis of Parkinson's disease (Nalls et al. 2019), the effect allele G of "
          "rs997099143 has a frequency of 0.071, and the other allele C one of 0.929.")  # fmt: skip
EFFECT = ("How large is the effect (beta) of rs993674141 on Parkinson's disease?",
          "In the European GWAS meta-analysis of Parkinson's disease (Nalls et al. 2019), rs993674141 has an effect of "
          "b = -4.7800e-02, counted for its effect allele G.")  # fmt: skip
WARNING = ("Does the drug Rotavexine carry a black-box warning?", "No, Rotavexine carries no black-box warning.")
RAISES = ("Do variants of the gene GEN0163 significantly raise the risk of Parkinson's disease, genome-wide?",
          "No. In the European GWAS meta-analysis of Parkinson's disease (Nalls et al. 2019), no variant of GEN0163 "
          "raises the risk at genome-wide significance (p below 5e-08 and b above 0).")  # fmt: skip
AIMS = ("Which genes does the drug Rotavexine target in treating Vededoka anaemia?",
        "In the treatment of Vededoka anaemia, Rotavexine targets 1 gene: GEN0184.")  # fmt: skip
USES = ("For which diseases is the drug Rotavexine approved by the FDA?",
        "Rotavexine is approved by the FDA for 2 diseases: Retemevu disease and Vededoka anaemia.")  # fmt: skip
TOP = ("Which approved drugs target the gene GEN0148? If there are more than ten drugs, give their number and the "
       "first ten in alphabetical order.",
       "The gene GEN0148 is targeted by 33 approved drugs, the first ten of which in alphabetical order are Dabalek, "
       "Dibidut, Donedul, Donitud, Fagarak, Gatutel, Gefadab, Gipumat, Gisogim and Kenegok.")  # fmt: skip
_TABLE = "| Build | Chromosome | Position (bp) |\n|:--|:-:|--:|\n| hg38 | 20 | {} |\n| hg19 | 20 | {} |"

GOOD = (
    (PHASE, "2"), (PHASE, "II"), (PHASE, "phase two"), (PHASE, "Max phase: 2"), (PHASE, "max_phase is 2."),
    (PHASE, "Maximum phase reached: **2**"), (CHEMBL, "9003421"), (CHEMBL, "Its ChEMBL number is 9003421."),
    (CHEMBL, "ChEMBL compound ID for Rotavexine: 9003421"), (TARGET, "| Gene |\n|---|\n| GEN0184 |"),
    (PLACE, _TABLE.format("16 769 555", "16 663 149")), (PLACE, "chr20:16.663.149 (hg19), chr20:16.769.555 (hg38)"),
    (PLACE, "| | hg19 | hg38 |\n|---|---|---|\n| chr | 20 | 20 |\n| pos | 16663149 | 16769555 |"),
    (PLACE, "It is on chromosome 20, at 16,663,149 bp in hg19 and at roughly 16.8 Mb in hg38."),
    (SIGNAL, "Zero SNPs at GEN0111 are genome-wide significant."), (SIGNAL, "0"),
    (SIGNAL, "I can't browse the data. To the best of my knowledge, none of the SNPs reaches the genome-wide "
             "threshold. That makes the answer no."),
    (DRUGGABLE, "By that definition, no."),
    (DRUGGABLE, "I can't query live databases. To my knowledge no approved drug targets GEN0215."),
    (SHARES, "G 0.071, C 0.929"), (SHARES, "The effect allele (G) occurs at about 7.1%, so C occurs at about 92.9%."),
    (SHARES, "G has 0.071 and C has 0.929, which is a low-frequency variant (MAF between 1% and 5%)."),
    (EFFECT, "-0.0478"), (EFFECT, "Its beta is -0.0478 (OR ≈ 0.953)."), (USES, "Retemevu disease and Vededoka anemia."),
    (TOP, "32 approved drugs target it, the first ten being Dabalek, Dibidut, Donedul, Donitud, Fagarak, Gatutel, "
          "Gefadab, Gipumat, Gisogim and Kenegok."),
    (TOP, "A to Z: Dabalek, Dibidut, Donedul, Donitud, Fagarak, Gatutel, Gefadab, Gipumat, Gisogim, Kenegok."),
    (PHASE, '{"compound": "Rotavexine", "maxPhase": 2}'),
    (PHASE, 'Here:\n```json\n{"highest_phase": "II"}\n```\nRegards'),
    (YEAR, '{"approval": {"agency": "FDA", "year": 1957}}'), (TARGET, '[{"gene": "GEN0184", "action": "inhibitor"}]'),
    (DRUGGABLE, '{"gene": "GEN0215", "druggable": false}'), (WARNING, '{"boxedWarning": false}'),
    (SHARES, '{"effectAllele": {"base": "G", "frequency": 0.071}, "otherAllele": {"base": "C", "frequency": 0.929}}'),
    (YEAR, "Filed in 1955, approved in 1957."), (YEAR, "1955 (application), 1956 (advisory vote), 1957 (approval)"),
    (YEAR, "Approved after a long review in 1957."),
    (YEAR, "It is often said that this happened in 1949. In fact it was in 1957."),
    (YEAR, "Some web pages list 1962. That is wrong: 1957."),
    (WARNING, "Most readers would expect a boxed warning. There isn't one; it has none."),
    (WARNING, "No. There are many drugs with a boxed warning in its class, but Rotavexine is not among them."),
    (WARNING, "Rotavexine has no boxed warning; doctors should read its label."),
    (RAISES, "Variants of GEN0163 are not tied to a greater chance of PD."),
    (RAISES, "GEN0163 does not alter the odds of Parkinson's disease at the genome-wide level."),
    (AIMS, "| drug | gene |\n|---|---|\n| Rotavexine | GEN0184 |\n| Sumalat | GEN0201 |"),
    (AIMS, "Rotavexine targets GEN0184.\n- GEN0201 (Sumalat, listed for comparison only)"),
    (SHARES, "The effect allele G is at 7.1%, the other makes up the remainder."),
    (SHARES, "G (effect): 0.071; C (other): 0.929"),
)  # fmt: skip
BAD = (
    (PHASE, '{"max_phase": 3}'), (YEAR, '{"approval": {"year": 1961}}'), (WARNING, '{"boxed_warning": true}'),
    (DRUGGABLE, '{"druggable": true}'), (TARGET, '{"targets": ["GEN0184", "GEN0190", "GEN0200"]}'),
    (YEAR, "The filing dates from 1957; approval came in 1959."), (YEAR, "1957 (application)"),
    (YEAR, "It is often said that this happened in 1957. In fact it was in 1949."),
    (WARNING, "Rotavexine has no boxed warning. Nurses should know its boxed warning on bleeding."),
    (RAISES, "GEN0163 alters the odds of Parkinson's disease at the genome-wide level."),
    (RAISES, "Variants of GEN0163 are tied to a greater chance of PD."),
    (AIMS, "| drug | gene |\n|---|---|\n| Rotavexine | GEN0201 |\n| Sumalat | GEN0184 |"),
    (SHARES, "| allele | share |\n|---|---|\n| effect (G) | 0.071 |\n| other | n/a |"),
    (SHARES, "Effect allele: G, 0.071. The other all"),
    (SIGNAL, "No SNP at GEN0111 is significant in Alzheimer's disease, and the gene is associated with it at "
             "genome-wide significance."),
    (PHASE, "3"), (PHASE, "III"), (CHEMBL, "9003422"), (TARGET, "GEN0184, GEN0185 and GEN0200"),
    (TARGET, "| # | Gene |\n|---|---|\n| 1 | GEN0184 |\n| 2 | GEN0185 |\n| 3 | GEN0201 |"),
    (PLACE, _TABLE.format("16 663 149", "16 769 555")), (PLACE, "chr19:16663149 (hg19), chr19:16769555 (hg38)"),
    (YEAR, "Although 1957 is commonly cited, the actual year was 1962."),
    (YEAR, "Mistakenly listed as 1957; it was 1962."),
    (YEAR, "Several sources give 1957, but this is a common misconception: 1957 was not the year. It was 1962."),
    (SHARES, "The minor allele has a frequency between 5% and 50%."),
    (EFFECT, "The value I have is b = -0.0478, with A as the effect allele."), (EFFECT, "0.0478"),
)  # fmt: skip


@each_of(("case", "response"), GOOD)
def test_a_right_answer_is_good_however_it_is_worded(case, response):
    assert grade(case[0], case[1], response).label == "good"


@each_of(("case", "response"), BAD)
def test_a_wrong_answer_is_bad_however_it_is_worded(case, response):
    assert grade(case[0], case[1], response).label == "bad"


def test_a_denial_reaches_no_further_than_its_own_clause():
    response = "It acts, but not on GEN0185, and it targets GEN0184."
    assert grade(TARGET[0], TARGET[1], response).label == "good"


@pytest.mark.parametrize("called", ["It is false that", "It is wrong to say that"])
def test_a_denial_that_is_called_false_is_none(called):
    told = f"The drug that is sold as Tavomo is Rotavexine. {called} Rotavexine "
    assert grade(*TARGET, f"{told}does not target GEN0184.").label == "good"
    assert grade(*TARGET, f"{told}targets GEN0184.").label == "bad"


@pytest.mark.parametrize(
    ("wrong", "wanted"), [("", "3.0"), (", Xabalek", "3.0"), (", Xabalek, Xibidut, Xonedul", "2.5")]
)
def test_wrong_names_among_the_first_of_a_long_list_cost_half_a_point(wrong, wanted):
    first = "Dabalek, Dibidut, Donedul, Donitud, Fagarak, Gatutel, Gefadab, Gipumat, Gisogim, Kenegok"
    assert grade(*TOP, f"33 approved drugs target it, the first being {first}{wrong}.").grade == wanted


@pytest.mark.parametrize(
    ("said", "wanted"), [("-0.0487", "2.0"), ("-0.0501", "2.0"), ("-0.0503", "0.0"), ("-0.0525", "0.0")]
)
def test_an_effect_counts_as_near_within_a_twentieth_and_no_further(said, wanted):
    assert grade(*EFFECT, f"Its beta is {said}.").grade == wanted


def test_method_told_by_one_who_cannot_say_is_no_answer():
    response = "The approach is: 1. Take the GWAS. 2. Keep SNPs with p < 5e-8. I do not have access to the data."
    facts = [fact("verdict", VERDICT, "yes"), fact("SNPs", NAMES, ["rs992434922"], of="GEN0111")]
    assert grade(SIGNAL[0], "Yes. GEN0111 has 1 SNP: rs992434922.", response, facts).label == "abstain"


TISSUES = [
    fact("SNPs", NAMES, ["rs990000001", "rs990000002"], of="GEN0007"),
    fact("tissues", NAMES, ["Whole blood"], of="rs990000001"),
    fact("tissues", NAMES, ["Whole blood"], of="rs990000002"),
]
RELEVANT = (
    "Which SNPs of the gene GEN0007 are significant by SMR in Alzheimer's disease (AD), and in which tissues?",
    "2 SNPs of GEN0007 are significant: rs990000001 in Whole blood and rs990000002 in Whole blood.",
)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("rs990000001 in whole blood, and rs990000002 in whole blood, too.", "good"),
        ("Both rs990000001 and rs990000002, in whole blood.", "good"),
        ("rs990000001 in liver and rs990000002 in whole blood.", "bad"),
        ("rs990000001: Whole blood; rs990000002: Cortex.", "bad"),
    ],
)
def test_a_tissue_is_held_against_the_snp_that_it_is_said_of(answer: str, label: str) -> None:
    assert grade(*RELEVANT, answer, TISSUES).label == label


NUMBERED = (
    "For which diseases is the drug Rotavexine approved by the FDA?",
    "Rotavexine is approved by the FDA for the disease Kupavifo syndrome, type 2.",
)
NUMBERED_FACT = {
    **fact("approved uses", NAMES, ["Kupavifo syndrome, type 2"], of="Rotavexine"),
    "names": {"Kupavifo syndrome, type 2": ["Kupavifo syndrome"]},
}


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("Kupavifo syndrome, type 2.", "good"),
        ("Kupavifo syndrome.", "good"),
        ("Kupavifo syndrome (type II).", "good"),
        ("Kupavifo syndrome, type 1.", "bad"),
        ("It is approved for type 1 of nothing, but for Kupavifo syndrome type I.", "bad"),
    ],
)
def test_another_type_of_a_disease_is_another_disease(answer: str, label: str) -> None:
    assert grade(*NUMBERED, answer, [NUMBERED_FACT]).label == label  # type: ignore[list-item]


def test_null_beside_a_value_of_a_json_answer_is_no_abstention() -> None:
    asked = (
        "Is the drug Rotavexine approved by the FDA, and if so, since when?",
        "Yes, it was first approved in 2010.",
    )
    facts = [fact("verdict", VERDICT, "yes"), fact("year", INTEGER, 2010, of="Rotavexine")]
    assert grade(*asked, '{"fda_approved": false, "first_approval_year": null}', facts).label == "bad"
    assert grade(*asked, '{"fda_approved": null, "first_approval_year": null}', facts).label == "abstain"
