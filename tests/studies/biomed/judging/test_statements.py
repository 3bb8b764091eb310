"""The rule grader on statements of our own: who says what of whom, what is taken back, and what is said all the same.

The rows of `statements.jsonl` were written while the rule was being mended for what the opened blind rows had shown,
each batch before the rule saw it, and each label before its grade. The rule was then mended for what it missed, so they
guard what was mended. They measure nothing of new answers: a batch had a kappa of 0.7 to 0.8 when it was new.
Questions are those of `labels.jsonl` and of the opened blind sets.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support_cases import each_of

from harness.studies.biomed.judging.rule import grade

HERE = Path(__file__).parent
BLIND = HERE.parents[2] / "blind"
KNOWN_TO_DIFFER = 6  # of all statements


def lines(path: Path) -> list[dict[str, Any]]:
    """Give the rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


ASKED = {
    row["instance"]: row
    for path in (HERE / "labels.jsonl", BLIND / "biomed-sealed.jsonl", BLIND / "biomed-open.jsonl")
    for row in lines(path)
}


def label(instance: str, response: str) -> str:
    """Give the rule's label of a response to a question of the labelled answers."""
    asked = ASKED[instance]
    return grade(asked["question"], asked["answer"], response, asked["facts"]).label


@pytest.mark.long
def test_statements_get_the_label_that_their_writer_gives_them():
    rows = lines(HERE / "statements.jsonl")
    pairs = Counter((row["label"], label(row["instance"], row["response"])) for row in rows)
    assert len(rows) >= 800 and len({row["instance"].removeprefix("f-")[:3] for row in rows}) == 40
    assert sum(count for (one, other), count in pairs.items() if one != other) <= KNOWN_TO_DIFFER, pairs


@pytest.mark.long
def test_no_statement_that_is_wrong_of_an_approval_is_good():
    for row in lines(HERE / "statements.jsonl"):
        if row["label"] == "bad" and row["instance"].removeprefix("f-")[:3] in ("T01", "T05", "T08"):
            assert label(row["instance"], row["response"]) != "good", row


OTHERS = (  # statements about another drug, tissue, population or type of the disease
    (
        "T32.1343",
        "It targets GEN0184 and is in phase 2, unapproved. Supaluzoine targets GEN0189 and is in phase 3.",
        "good",
    ),
    (
        "T32.1343",
        "It targets GEN0189 and is in phase 2, unapproved. Supaluzoine targets GEN0184 and is in phase 3.",
        "bad",
    ),
    ("T21.521", "2 genes, GEN0072 and GEN0137; Baduberistat in contrast has one (GEN0125).", "good"),
    ("T21.521", "2 genes, GEN0072 and GEN0125; Baduberistat in contrast has one (GEN0137).", "bad"),
    ("T16.56", "In the nigra rs990443215 (GEN0119) leads; in the putamen rs991111111 does.", "good"),
    ("T16.56", "In the putamen rs990443215 (GEN0119) leads; in the nigra rs991111111 does.", "bad"),
    ("T02.1039", "Europeans: A 0.421, C 0.579; African samples in gnomAD have A at 0.18.", "good"),
    ("T02.1039", "Europeans: A 0.18, C 0.82; African samples in gnomAD have A at 0.421.", "bad"),
    ("T05.370", "Not approved there; phase 2. For type 2 it is in phase 3.", "good"),
    ("T05.370", "Not approved there; phase 3. For type 2 it is in phase 2.", "bad"),
    ("T40.1036", "0122792, 0128049, 20000561 and 20039666 are its patents; 0101960 belongs to another drug.", "good"),
    ("T40.1036", "0122792, 0128049 and 20000561 are its patents; 20039666 belongs to another drug.", "bad"),
)
KNOWING = (  # not knowing a part is an answer, and not knowing is none
    ("T18.1343", "As an AI I can't comment on drug safety. If pressed: no, it carries none.", "good"),
    ("T18.1343", "As an AI I can't comment on drug safety. If pressed: yes, there is one.", "bad"),
    ("T13.720", "While I'd recommend that you check this in the Orange Book, it was approved in 1947.", "good"),
    ("T13.720", "While I'd recommend that you check this in the Orange Book, it was approved in 1974.", "bad"),
    ("T08.370", "Approved, but I don't know the year.", "bad"),
    ("T08.370", "Neither the approval status nor a year comes up in anything I have.", "abstain"),
    ("T38.370", "no coordinates here", "abstain"),
    ("T37.1483", "No gene.", "bad"),
    ("T22.370", "No p-value for rs991885916 is available to me.", "abstain"),
    ("T22.370", "The p-value of rs991885916, 0.68, is above 5e-8.", "good"),
    ("T29.197", "I've no SMR statistics for GEN0084, so its relevance stays open.", "abstain"),
    ("T24.111", "Naming risk alleles of GEN0124 goes beyond what I know.", "abstain"),
)
TAKEN_BACK = (
    (
        "T02.1039",
        "A 42.1 %, C 57.9 %. Scrap those figures, they belong to some other variant; here I have none.",
        "abstain",
    ),
    ("T14.12", "Balozuvaine, Begosekustat... I'm making these up, please disregard the list.", "abstain"),
    ("T38.370", "hg19: 7:54691930. For hg38 I had a number but I'm withdrawing it.", "bad"),
    ("T27.137", "Yes, SMR shows - on reflection nothing I've got backs that, so treat this reply as empty.", "abstain"),
    ("T08.1343", "Approved, first in 2001... no, I misread the row. 2010 is the year.", "good"),
    ("T08.1343", "Approved, first in 2010... no, I misread the row. 2001 is the year.", "bad"),
    ("T08.370", "Yes. I first had 2008, but it should be 2006.", "good"),
    ("T08.370", "Yes. I first had 2006, but it should be 2008.", "bad"),
    ("T13.720", "1974 — no, digits swapped: 1947.", "good"),
    ("T13.720", "1947 — no, digits swapped: 1974.", "bad"),
)
EXCLUDED = (  # statements that exclude each other
    (
        "T11.1343",
        "It is not known under any other name. Its names are Gebigaze, Limademe, Palufoma and Vuladuli.",
        "bad",
    ),
    ("T11.1343", "It is known under no fewer than four names: Gebigaze, Limademe, Palufoma and Vuladuli.", "good"),
    ("T07.1559", "Furigibi dystrophy and Pumepove neuropathy, type 1. It has no approval for any disease.", "bad"),
    ("T07.1559", "Furigibi dystrophy: approved. Pumepove neuropathy, type 1: phase 3.", "bad"),
    ("T29.225", "GEN0078 has 0 significant SNPs and is therefore highly relevant.", "bad"),
    ("T29.225", "GEN0078 has 0 significant SNPs and is therefore not relevant.", "good"),
    ("T22.370", "rs991885916 reaches significance with p = 0.683, so it is not significant.", "bad"),
    ("T22.370", "rs991885916 has p = 0.683, so it is not significant.", "good"),
    ("T26.225", "No, GEN0135 is not associated. Its lead SNP has p = 3e-12, so the gene counts as associated.", "bad"),
    ("T19.521", "b = -0.1049 for T, though elsewhere it's +0.1049, so the direction can be either.", "bad"),
    ("T18.1343", "There is no black-box warning, except the one on liver failure.", "bad"),
    ("T22.370", "It doesn't. Then again, it does.", "bad"),
)
BOUND = (  # what a letter, an action or a year belongs to
    ("T24.137", "Yes: T at rs990134230, G at rs998928089.", "good"),
    ("T24.137", "Yes: G at rs990134230, T at rs998928089.", "bad"),
    ("T24.137", "Two risk alleles emerge, rs990134230-T and rs998928089-G.", "good"),
    ("T23.1343", "Three modes: it activates GEN0184, opens GEN0184, and potentiates GEN0184 allosterically.", "good"),
    ("T23.1343", "Three: agonist of GEN0184, opener of GEN0148, positive allosteric modulator of GEN0184.", "bad"),
    ("T23.370", "Receptor 13 agonist; Receptor 31 PAM (2)", "bad"),
    ("T13.720", "1947 was the year of the application; approval followed in 1949.", "bad"),
    ("T13.720", "1945 was the year of the application; approval followed in 1947.", "good"),
    ("T13.720", "First approved: 1945 (EMA), 1947 (FDA).", "good"),
    ("T13.720", "First approved: 1947 (EMA), 1952 (FDA).", "bad"),
    ("T10.137", "Yes. rs990134230: whole blood. rs998928089: spinal cord.", "bad"),
    ("T10.137", "Yes. rs990134230: whole blood. rs998928089: whole blood.", "good"),
)
LACKING = (  # a list that lacks a name, or has a wrong one, is partly right
    ("T14.56", "Luzamokistat, Pitorinoine, Talitupaine", "bad"),
    ("T14.56", "Luzamokistat, Pitorinoine, Rilapapostat, Talitupaine", "good"),
    ("T11.370", "Fagukupe, Kadiluda, Mafigega, NAV-5452, Pituzuta, Tutesofi, and also Zitoruvak and ZTK-1.", "bad"),
    ("T11.370", "NAV-5452 (code), Fagukupe, Kadiluda, Mafigega, Pituzuta and Tutesofi (names)", "good"),
    ("T17.370", "Leposipuine; small molecule; antagonist", "bad"),
    ("T17.370", "Leposipuine; small molecule; antagonist; Fulativa, Syndrome", "good"),
    ("T20.11", "Half a dozen.", "good"),
    ("T20.11", "A couple.", "bad"),
)


@each_of(("instance", "response", "wanted"), (*OTHERS, *KNOWING, *TAKEN_BACK, *EXCLUDED, *BOUND, *LACKING))
def test_a_statement_counts_for_what_it_says_and_of_whom(instance, response, wanted):
    assert label(instance, response) == wanted
