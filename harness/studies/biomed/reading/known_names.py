"""Other names that texts use for genes, diseases, actions of drugs, kinds of molecules and tissues (OURS, versioned).

Common knowledge of the field, written by us and far from complete.
"""

from __future__ import annotations

from collections.abc import Mapping

VERSION = "names-3"

GENES: Mapping[str, str] = {
    "NR1H4": "FXR|farnesoid X receptor|bile acid receptor",
    "TNFRSF8": "CD30",
    "MS4A1": "CD20|CD-20",
    "PDCD1": "PD-1|PD1|programmed cell death protein 1",
    "CD274": "PD-L1|PDL1",
    "ERBB2": "HER2|HER-2|HER2/neu",
    "CTLA4": "CTLA-4",
    "EGFR": "epidermal growth factor receptor|ERBB1|HER1",
    "KDR": "VEGFR2|VEGFR-2",
    "FLT1": "VEGFR1|VEGFR-1",
    "PTGS1": "COX-1|COX1|cyclooxygenase-1",
    "PTGS2": "COX-2|COX2|cyclooxygenase-2",
    "ACHE": "acetylcholinesterase|AChE",
    "BCHE": "butyrylcholinesterase",
    "SLC6A4": "SERT|serotonin transporter|5-HTT",
    "SLC6A3": "DAT|dopamine transporter|DAT1",
    "SLC6A2": "NET|norepinephrine transporter|noradrenaline transporter",
    "MAOA": "MAO-A|monoamine oxidase A",
    "MAOB": "MAO-B|monoamine oxidase B",
    "NR3C1": "glucocorticoid receptor",
    "AR": "androgen receptor",
    "ESR1": "estrogen receptor alpha|ERalpha",
    "PGR": "progesterone receptor",
    "HMGCR": "HMG-CoA reductase",
    "VDR": "vitamin D receptor",
    "SMO": "smoothened",
    "MUC1": "mucin 1|mucin-1|CD227",
    "CD22": "siglec-2|siglec2",
    "TTR": "transthyretin",
    "F10": "factor Xa|FXa",
    "F2": "thrombin",
    "ABL1": "ABL|BCR-ABL|c-ABL",
    "KIT": "c-KIT",
    "SRC": "c-SRC",
    "GBA": "GBA1|glucocerebrosidase",
    "GBA1": "GBA",
    "PVRL2": "NECTIN2",
    "NECTIN2": "PVRL2",
    "EMID2": "COL26A1",
    "COL26A1": "EMID2",
    "SNCA": "alpha-synuclein",
    "OPRM1": "mu opioid receptor|mu-opioid receptor|MOR",
    "OPRK1": "kappa opioid receptor|KOR",
    "OPRD1": "delta opioid receptor|DOR",
    "CNR1": "CB1",
    "CNR2": "CB2",
    "HRH1": "histamine H1 receptor|H1 receptor",
    "HRH2": "histamine H2 receptor|H2 receptor",
    "TACR1": "NK1 receptor|neurokinin 1 receptor",
    "CD19": "B4",
    "TNF": "TNF-alpha|TNFalpha|tumor necrosis factor",
    "IL6R": "IL-6 receptor|IL-6R",
    "IL6": "IL-6",
    "IL17A": "IL-17A",
    "MTOR": "mTOR|FRAP1",
    "JAK1": "janus kinase 1",
    "JAK2": "janus kinase 2",
    "PCSK9": "PCSK-9",
    "AGTR1": "angiotensin II receptor type 1|AT1 receptor",
    "ACE": "angiotensin converting enzyme",
    "CACNA1C": "L-type calcium channel",
    "TUBB": "beta-tubulin|beta tubulin|tubulin beta",
    "PPARG": "PPAR-gamma|PPARgamma",
    "GLP1R": "GLP-1 receptor|GLP-1R",
    "DPP4": "DPP-4",
    "SLC5A2": "SGLT2|SGLT-2",
    "ADRB1": "beta-1 adrenergic receptor",
    "ADRB2": "beta-2 adrenergic receptor",
    "DHFR": "dihydrofolate reductase",
    "TOP1": "topoisomerase I",
    "TOP2A": "topoisomerase II alpha",
    "CALCRL": "CGRP receptor",
    "APP": "amyloid precursor protein",
    "ACACA": "ACC1|acetyl-CoA carboxylase 1|acetyl-CoA carboxylase alpha",
    **{
        f"DRD{n}": f"D{n} receptor|D{n} dopamine receptor|dopamine D{n} receptor|dopamine receptor D{n}|dopamine "
        f"D{n}|D{n}"
        for n in range(1, 6)
    },
    **{
        f"HTR{n}": f"5-HT{n} receptor|5-HT{n}|serotonin {n} receptor"
        for n in ("1A", "1B", "1D", "2A", "2B", "2C", "3A")
    },
    **{
        f"CHRM{n}": f"M{n} muscarinic receptor|muscarinic M{n}|muscarinic acetylcholine receptor M{n}|M{n} receptor"
        for n in range(1, 6)
    },
}
DISEASES: Mapping[str, str] = {
    "alzheimer's disease": "AD|Alzheimer disease|Alzheimers disease|Alzheimer's|Alzheimers|alzheimer dementia",
    "parkinson's disease": "PD|Parkinson disease|Parkinsons disease|Parkinson's|Parkinsons",
    "amyotrophic lateral sclerosis": "ALS|Lou Gehrig's disease",
    "lewy body dementia": "LBD|dementia with Lewy bodies|DLB",
    "frontotemporal dementia": "FTD|FTLD|frontotemporal lobar degeneration",
    "progressive supranuclear palsy": "PSP",
    "restless legs syndrome": "RLS|Willis-Ekbom disease",
    "hypertension": "high blood pressure",
    "insomnia": "sleep initiation and maintenance disorders|sleep disorder",
    "multiple sclerosis": "MS",
    "chronic lymphocytic leukemia": "CLL",
    "acute myeloid leukemia": "AML",
    "chronic myeloid leukemia": "CML",
    "rheumatoid arthritis": "RA",
    "type 2 diabetes mellitus": "T2DM|T2D|type 2 diabetes|type II diabetes",
    "hodgkins lymphoma": "Hodgkin lymphoma|Hodgkin's lymphoma|Hodgkin disease",
    "glioblastoma multiforme": "glioblastoma|GBM",
    "major depressive disorder": "MDD|depression|major depression",
    "covid-19": "COVID|SARS-CoV-2 infection|coronavirus",
    "basal cell carcinoma": "BCC",
    "renal cell carcinoma": "RCC|kidney cancer",
    "heart failure": "cardiac failure",
    "non-small cell lung carcinoma": "NSCLC|non-small cell lung cancer",
    "schizophrenia": "schizophrenic disorder",
}
ACTIONS: Mapping[str, str] = {
    "inhibitor": "inhibits|inhibiting|inhibition|inhibitory|inhibit",
    "antagonist": "antagonism|antagonizes|antagonizing|antagonize|antagonise|antagonises|antagonising|antagonistic",
    "agonist": "agonism|agonistic|agonises|agonizes|agonising|agonizing",
    "blocker": "blocks|blocking|blockade",
    "opener": "opens|opening",
    "activator": "activates|activating|activation",
    "partial agonist": "partial agonism",
    "inverse agonist": "",
    "positive allosteric modulator": "PAM|positive allosteric modulation|positively allosterically modulates",
    "negative allosteric modulator": "NAM|negative allosteric modulation",
    "positive modulator": "positive modulation",
    "negative modulator": "negative modulation",
    "allosteric antagonist": "",
    "binding agent": "binder|binds",
    "modulator": "modulates|modulation",
    "releasing agent": "releaser",
    "substrate": "",
    "stabiliser": "stabilizer",
    "disrupting agent": "disruptor|disrupts",
    "cross-linking agent": "crosslinker|cross-linker|crosslinking agent",
    "antisense inhibitor": "antisense",
    "RNAi inhibitor": "RNA interference|siRNA",
    "vaccine antigen": "vaccine",
    "proteolytic enzyme": "",
    "hydrolytic enzyme": "",
    "exogenous protein": "",
    "exogenous gene": "",
    "chelating agent": "chelator",
    "sequestering agent": "sequestrant",
    "oxidative enzyme": "",
    "methylating agent": "",
    "degrader": "degrades",
    "positive allosteric agonist": "",
}
MOLECULES: Mapping[str, str] = {
    "small molecule": "small-molecule|molecule small|molecule type small|type of molecule small"
    "|small organic molecule|low molecular weight compound|small chemical compound",
    "antibody": "monoclonal antibody|mAb|antibody-drug conjugate|ADC|immunoglobulin",
    "protein": "peptide|recombinant protein|polypeptide|proteinaceous|proteins",
    "oligonucleotide": "antisense oligonucleotide|siRNA|ASO",
    "enzyme": "recombinant enzyme|enzymatic|enzymes",
    "cell": "cell therapy",
    "oligosaccharide": "polysaccharide",
    "gene": "gene therapy",
}
TISSUES: Mapping[str, str] = {
    "amygdala": "amygdalar|amygdaloid",
    "caudate basal ganglia": "caudate|caudate nucleus|basal ganglia caudate",
    "cerebellar hemisphere": "cerebellar hemispheres|hemisphere of the cerebellum",
    "cerebellum": "cerebellar",
    "cortex": "cortical",
    "frontal cortex": "frontal lobe",
    "hippocampus": "hippocampal",
    "hypothalamus": "hypothalamic",
    "nucleus accumbens": "accumbens|accumbal",
    "putamen": "putaminal",
    "spinal cord": "spinal",
    "substantia nigra": "nigral|nigra",
    "whole brain": "brain|bulk brain",
    "prefrontal cortex": "PFC|DLPFC|prefrontal",
    "temporal cortex": "temporal lobe",
    "whole blood": "blood|peripheral blood",
    "liver": "hepatic",
    "lung": "pulmonary|lungs",
    "muscle skeletal": "skeletal muscle|muscle",
    "nerve tibial": "tibial nerve",
    "skin": "cutaneous|dermal",
    "spleen": "splenic",
}
_SPELLINGS = (
    ("aemi", "emi"),
    ("haem", "hem"),
    ("oedema", "edema"),
    ("tumour", "tumor"),
    ("oesoph", "esoph"),
    ("diarrhoea", "diarrhea"),
    ("paediatric", "pediatric"),
    ("foetal", "fetal"),
    ("coeliac", "celiac"),
    ("ageing", "aging"),
    ("fibre", "fiber"),
    ("behaviour", "behavior"),
    ("oestr", "estr"),
    ("aesthe", "esthe"),
    ("sulph", "sulf"),
    ("amoeb", "ameb"),
    ("aetiolog", "etiolog"),
    ("caecum", "cecum"),
    ("gonorrhoea", "gonorrhea"),
    ("orthopaed", "orthoped"),
)
VOCABULARIES: Mapping[str, Mapping[str, str]] = {"action": ACTIONS, "molecule": MOLECULES}


def other_names(name: str) -> tuple[str, ...]:
    """Return the other names that the tables have for a name, in any letter case; empty if they have none."""
    return _INDEX.get(name.lower(), ())


def turned(name: str) -> tuple[str, ...]:
    """Return a name in other orders: "disease, X" as "X disease", and "X antagonist" as "antagonist of X"."""
    first, comma, rest = name.partition(", ")
    if comma:
        return (f"{rest} {first}",)
    rest, _, action = name.rpartition(" ")
    if not rest or action.lower() not in ACTIONS:
        return ()
    nouns = (action, *other_names(action))
    return tuple(f"{noun}{link} {rest}" for noun in nouns for link in ("", " the", " of", " of the", " at", " at the"))


def respelled(name: str) -> tuple[str, ...]:
    """Return a British name in American spelling, or an American name in British spelling; empty if they are equal."""
    lower = name.lower()
    american = british = lower
    for one, other in _SPELLINGS:
        american, british = american.replace(one, other), british.replace(other, one)
    found = american if american != lower else british
    return (found,) if found != lower else ()


def _index() -> dict[str, tuple[str, ...]]:
    tables = (GENES, DISEASES, ACTIONS, MOLECULES, TISSUES)
    out: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for name, others in table.items():
            out[name.lower()] = tuple(other for other in others.split("|") if other)
    for table in (ACTIONS, MOLECULES):
        for name, others in table.items():
            for other in filter(None, others.split("|")):
                out.setdefault(other.lower(), (name,))
    for name, others in GENES.items():
        for other in filter(None, others.split("|")):
            out.setdefault(other.lower(), (name, *others.split("|")))
    for name, others in DISEASES.items():
        for other in others.split("|"):
            out.setdefault(other.lower(), (name, *others.split("|")))
    return out


_INDEX = _index()
