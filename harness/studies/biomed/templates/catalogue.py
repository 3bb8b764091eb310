"""The catalogue of the forty templates: slots, source tables, labels, and whether a question is one of yes or no.

Versioned data, read off the paper's example queries; where it is OURS a comment says so. It must never know a table's
rows or the words of a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

VERSION = "templates-1"
# What a template by SMR asks of the test for heterogeneity (p_HEIDI > 0.01): nothing, that it be passed, that the
# answer says whether it is, or, where query and published answer part, nothing in paper mode and that in strict mode.
NEVER: Final = "never"
ALWAYS: Final = "always"
SAID: Final = "said"
IN_STRICT: Final = "strict"


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """One template: what it asks, of which tables, and the labels that its questions carry, the primary one first."""

    id: str
    seed: str  # the expert question that it comes from; matched by us, no list of the authors is public
    about: str
    slots: tuple[str, ...]
    tables: tuple[str, ...]
    biological: tuple[str, ...]
    reasoning: tuple[str, ...]
    yes_no: bool = False
    heidi: str = ""  # of templates by SMR alone


_ALL = (
    QuestionTemplate(
        "T01", "Q1", "whether a gene is druggable, by the drugs that target it",
        ("gene",), ("drug_targets",),
        ("Drug Meta",), ("Multi-Filter", "Aggregate"), yes_no=True,
    ),
    QuestionTemplate(
        "T02", "Q2", "allele frequencies of an SNP in the study of Parkinson's disease",
        ("snp",), ("pd_gwas",),
        ("SNP Disease Relations",), ("Select", "Calculation"),
    ),
    QuestionTemplate(
        "T03", "Q3", "allele frequencies of an SNP in the study of Alzheimer's disease",
        ("snp",), ("ad_gwas",),
        ("SNP Disease Relations",), ("Select", "Calculation"),
    ),
    QuestionTemplate(
        "T04", "Q4", "the drugs that target a gene: approved ones, else those in trials",
        ("gene",), ("drug_targets",),
        ("Drug Gene Relations",), ("Multi-Filter", "Join"),
    ),
    QuestionTemplate(
        "T05", "Q5", "whether a drug is approved for a disease, else its phase",
        ("drug", "disease"), ("indications",),
        ("Drug Disease Relations", "Drug Meta"), ("Multi-Filter",), yes_no=True,
    ),
    QuestionTemplate(
        "T06", "Q6", "the targets of a drug that is used for a disease",
        ("drug", "disease"), ("indications",),
        ("Drug Disease Relations", "Drug Gene Relations"), ("Multi-Filter", "Join"),
    ),
    QuestionTemplate(
        "T07", "Q7", "what a drug is approved for, else its phase",
        ("drug",), ("indications",),
        ("Drug Meta",), ("Multi-Filter", "Join"),
    ),
    QuestionTemplate(
        "T08", "Q9", "whether a drug is approved, and since when",
        ("drug",), ("drug_targets",),
        ("Drug Meta",), ("Multi-Filter",), yes_no=True,
    ),
    QuestionTemplate(
        "T09", "Q10", "the SNPs of a gene that are significant in Alzheimer's disease",
        ("gene",), ("ad_gwas",),
        ("SNP Disease Relations", "Gene Disease Relations"), ("Multi-Filter", "Threshold", "Join"), yes_no=True,
    ),
    QuestionTemplate(
        "T10", "Q11", "the SNPs and tissues of a gene that are significant in Alzheimer's disease by SMR",
        ("gene",), ("smr",),
        ("SMR SNP Disease Relations", "SMR Gene Disease Relations"),
        ("Multi-Filter", "Threshold", "Join", "Calculation"), yes_no=True, heidi=NEVER,
    ),
    QuestionTemplate(
        "T11", "Q12", "other names of a drug",
        ("drug",), ("drug_targets",),
        ("Drug Meta",), ("Select", "Join", "Aggregate"),
    ),
    QuestionTemplate(
        "T12", "Q14", "the type of mechanism of a drug",
        ("drug",), ("drug_targets",),
        ("Pharmacology",), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T13", "Q15", "the year in which a drug was first approved",
        ("drug",), ("drug_targets",),
        ("Drug Meta",), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T14", "Q16", "the approved drugs of a type of molecule for a disease",
        ("molecule_type", "disease"), ("indications",),
        ("Pharmacology", "Drug Disease Relations", "Drug Meta"), ("Multi-Filter", "Join"),
    ),
    QuestionTemplate(
        "T15", "Q17", "the target of a drug that is known by a trade name",
        ("drug",), ("drug_targets",),
        ("Drug Gene Relations",), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T16", "Q19", "the top SNP of a tissue and a disease by SMR",
        ("tissue", "disease"), ("smr",),
        ("Tissue", "SMR SNP Disease Relations"),
        ("Multi-Filter", "Threshold", "Sorting", "Join", "Calculation"), heidi=ALWAYS,
    ),
    QuestionTemplate(
        "T17", "Q22", "the generic name, use, type and action behind a trade name",
        ("trade_name",), ("drug_targets",),
        ("Drug Meta", "Pharmacology"), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T18", "Q23", "whether a drug has a black-box warning",
        ("drug",), ("drug_targets",),
        ("Drug Meta",), ("Select",), yes_no=True,
    ),
    QuestionTemplate(
        "T19", "Q25", "the effect of an SNP in the study of Parkinson's disease",
        ("snp",), ("pd_gwas",),
        ("SNP Disease Relations",), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T20", "Q26", "how many SNPs of a chromosome are significant in Parkinson's disease",
        ("chromosome",), ("pd_gwas",),
        ("SNP Disease Relations", "Genomic Location"), ("Multi-Filter", "Threshold", "Aggregate"),
    ),
    QuestionTemplate(
        "T21", "Q34", "the genes that a drug for a disease targets",
        ("drug", "disease"), ("indications",),
        ("Drug Gene Relations", "Drug Disease Relations"), ("Multi-Filter", "Aggregate", "Join"),
    ),
    QuestionTemplate(
        "T22", "Q35", "whether an SNP is significant in Alzheimer's disease",
        ("snp",), ("ad_gwas",),
        ("SNP Disease Relations",), ("Select", "Threshold"), yes_no=True,
    ),
    QuestionTemplate(
        "T23", "Q38", "how many mechanisms a drug has, and which",
        ("drug",), ("drug_targets",),
        ("Pharmacology",), ("Select", "Aggregate"),
    ),
    QuestionTemplate(
        "T24", "Q40", "whether alleles of a gene raise the risk of Alzheimer's disease, by SMR",
        ("gene",), ("smr",),
        ("SMR SNP Disease Relations", "SMR Gene Disease Relations"),
        ("Select", "Threshold", "Aggregate", "Join", "Calculation"), yes_no=True, heidi=NEVER,
    ),
    QuestionTemplate(
        "T25", "Q42", "the position of an SNP and its nearest genes, by both studies",
        ("snp",), ("ad_gwas", "pd_gwas"),
        ("Genomic Location",), ("Select", "Join", "Data Retrieval", "Comparative Analysis"),
    ),
    QuestionTemplate(
        "T26", "Q45", "whether a gene is associated with Parkinson's disease, with its top SNPs",
        ("gene",), ("pd_gwas",),
        ("Gene Disease Relations",), ("Select", "Threshold"), yes_no=True,
    ),
    QuestionTemplate(
        "T27", "Q49", "the signals of a gene in Alzheimer's disease by SMR, with tissues",
        ("gene",), ("smr",),
        ("SMR SNP Disease Relations", "SMR Gene Disease Relations"),
        ("Multi-Filter", "Threshold", "Join", "Calculation"), yes_no=True, heidi=NEVER,
    ),
    QuestionTemplate(
        "T28", "Q50", "whether variants of a gene raise the risk of Parkinson's disease",
        ("gene",), ("pd_gwas",),
        ("SNP Disease Relations", "Gene Disease Relations"), ("Multi-Filter", "Threshold"), yes_no=True,
    ),
    QuestionTemplate(
        "T29", "Q52", "the relevance of a gene in Alzheimer's disease by SMR",
        ("gene",), ("smr",),
        ("SMR Gene Disease Relations",),
        ("Multi-Filter", "Threshold", "Data Retrieval", "Join", "Calculation"), heidi=NEVER,
    ),
    QuestionTemplate(
        "T30", "Q55", "the top SNP of a gene in a kind of data and a disease, with its p-value",
        ("gene", "omic_type", "disease"), ("smr",),
        ("SMR SNP Disease Relations", "Tissue", "SMR Gene Disease Relations"),
        ("Multi-Filter", "Threshold", "Join", "Calculation", "Sorting"), heidi=IN_STRICT,
    ),
    QuestionTemplate(
        "T31", "Q58", "how many genes a drug targets, and which",
        ("drug",), ("drug_targets",),
        ("Drug Gene Relations",), ("Multi-Filter", "Data Retrieval", "Aggregate"),
    ),
    QuestionTemplate(
        "T32", "Q59", "the target of a drug of a type of molecule, with its status",
        ("molecule_type", "drug"), ("drug_targets",),
        ("Drug Gene Relations", "Drug Meta"), ("Multi-Filter", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T33", "Q61", "the ChEMBL identifier of a drug",
        ("drug",), ("drug_targets",),
        ("Drug Meta",), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T34", "Q63", "the highest phase of a drug",
        ("drug",), ("drug_targets",),
        ("Drug Meta",), ("Select", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T35", "Q65", "the type of molecule of a drug, and its actions",
        ("drug",), ("drug_targets",),
        ("Pharmacology",), ("Multi-Filter", "Data Retrieval"),
    ),
    QuestionTemplate(
        "T36", "Q67", "the top SNP of a gene in a kind of data and a disease, and if it is functionally significant",
        ("gene", "omic_type", "disease"), ("smr",),
        ("SMR SNP Disease Relations", "SMR Gene Disease Relations"),
        ("Multi-Filter", "Data Retrieval", "Aggregate", "Join", "Threshold", "Sorting", "Calculation"),
        yes_no=True, heidi=SAID,
    ),
    QuestionTemplate(
        "T37", "Q69", "the gene nearest to an SNP, by both studies",
        ("snp",), ("ad_gwas", "pd_gwas"),
        ("Genomic Location",), ("Select", "Join", "Comparative Analysis"),
    ),
    QuestionTemplate(
        "T38", "Q36", "the positions of an SNP in two builds of the genome",
        ("snp",), ("ad_gwas", "pd_gwas"),
        ("Genomic Location",), ("Select", "Join", "Data Retrieval", "Comparative Analysis"),
    ),
    QuestionTemplate(
        "T39", "Q71", "the most frequent action of drugs of a type of molecule",
        ("molecule_type",), ("drug_targets",),
        ("Pharmacology",), ("Select", "Join", "Aggregate", "Calculation"),
    ),
    QuestionTemplate(
        "T40", "Q80", "the patents of a drug",
        ("drug",), ("indications",),
        ("Drug Meta",), ("Select", "Join", "Aggregate"),
    ),
)  # fmt: skip
TEMPLATES: Mapping[str, QuestionTemplate] = {template.id: template for template in _ALL}
