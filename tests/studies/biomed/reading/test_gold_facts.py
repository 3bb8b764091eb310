"""Gold texts read back into facts: the shapes of the published templates, with values of our own, and the real rows."""

from __future__ import annotations

import csv
import re

import pytest
from support_biomed_data import TEMPLATE_ROWS

from harness.studies.biomed.reading.golds import gold_facts


def told(asked, gold):
    """Give the facts as slot, what of, and value."""
    return [(one["slot"], one["of"], one["value"]) for one in gold_facts(asked, gold)]


@pytest.mark.parametrize(
    ("asked", "gold", "wanted"),
    [
        (
            "What is the allele frequency of the SNP rs990000001 in the context of Parkinson's disease?",
            "In Nalls (2019), rs990000001 has an alternate allele G frequency of 0.3 and reference allele C "
            "frequency of 0.7.",
            [("frequency", "G", "0.3"), ("other frequency", "C", "0.7")],
        ),
        (
            "Is Verodexine approved to treat type 2 diabetes mellitus?",
            "Yes, the drug Verodexine was approved by the FDA to treat type 2 diabetes mellitus in 1978.",
            [("verdict", "", "yes"), ("year", "approval", 1978)],
        ),
        (
            "Is Verodexine approved to treat COVID-19?",
            "Verodexine has not been approved by the FDA as a treatment for COVID-19. It is in clinical trial "
            "phase 0.5.",
            [("verdict", "", "no"), ("phase", "", "0.5")],
        ),
        (
            "Is the SNP rs990000002 significant in AD?",
            "No, in (Bellenguez, 2022) the SNP rs990000002 has a p-value of 4.1e-07 and therefore is not "
            "significant in AD.",
            [("verdict", "", "no"), ("p", "", "4.1e-07")],
        ),
        (
            "What is the genomic location of rs990000003 in the GRCh38/hg38 build and what gene is it located on "
            "or near?",
            "The SNP rs990000003 is closest to the gene NAV9;DBX7 on chromosome 11 at base pair position 20123061 "
            "in the "
            "GRCh38/hg38 build of the human genome.",
            [("chromosome", "", 11), ("position", "38", 20123061), ("gene", "", ["NAV9", "DBX7"])],
        ),
    ],
)
def test_the_published_shapes_read_back_into_their_facts(asked, gold, wanted):
    assert told(asked, gold) == wanted


def test_an_answer_without_facts_gives_its_telling_words():
    [only] = gold_facts("Why is that so?", "Because modified formulations extend their release.")
    assert only["slot"] == "words" and "formulations" in only["value"]


_SHAPES = {
    "Q2": r"allele ([ACGTDI]+) frequency of (\S+) and reference allele ([ACGTDI]+) frequency of (\S+?)\.?$",
    "Q3": r"allele ([ACGTDI]+) frequency of (\S+) and reference allele ([ACGTDI]+) frequency of (\S+?)\.?$",
    "Q5": r"(?:phase|in) (\d+(?:\.\d)?)\.$",
    "Q35": r"p-value of (\S+) and",
    "Q42": r"(?:gene (\S+) )?on chromosome (\w+) at base pair position (\d+)",
}


def values(facts):
    """Give the values as texts, without what tells 3.0 from 3."""
    out = []
    for one in facts:
        listed = one["value"] if isinstance(one["value"], list) else [one["value"]]
        out += [str(value).removesuffix(".0") for value in listed if one["slot"] != "verdict"]
    return sorted(out)


@pytest.mark.long
@pytest.mark.skipif(not TEMPLATE_ROWS.is_file(), reason="the real questions are not here")
def test_all_published_rows_read_back_into_exactly_the_values_in_them():
    with open(TEMPLATE_ROWS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            facts, wanted = gold_facts(row["question"], row["answer"]), set()
            for found in re.finditer(_SHAPES[row["template uuid"]], row["answer"]):
                wanted |= {part.removesuffix(".0") for group in found.groups() if group for part in group.split(";")}
            if row["template uuid"] in ("Q2", "Q3"):
                assert [one["of"] for one in facts] == re.findall(r"allele ([ACGTDI]+) ", row["answer"]), row
                wanted = {part for part in wanted if re.match(r"[\d.]", part)}
            assert set(values(facts)) == wanted - {"NONE", "0"} or set(values(facts)) == wanted - {"NONE"}, (row, facts)
            verdicts = [one["value"] for one in facts if one["slot"] == "verdict"]
            yes = "yes" if row["answer"].startswith("Yes") else "no"
            assert verdicts == ([yes] if row["template uuid"] in ("Q5", "Q35") else []), row
