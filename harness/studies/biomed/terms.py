"""The words that the whole study shares: modes, categories, states of an answer, digests of the published prompts.

Facts of the paper and of its repository.
"""

from __future__ import annotations

from collections.abc import Mapping

PAPER, STRICT = "paper", "strict"  # modes: as the published code counts, and as its words say (OURS)
MODES = (PAPER, STRICT)
VERSION = "biomed-1"  # the version of the rules, stored in every score
REPOSITORY = ("NIH-CARD/CARDBiomedBench", "12e92e6919750785fc92f90cb77883d394c549d4")

# States of an answer in strict mode, each answer in one of them.
BLOCKED, ERROR, UNGRADED, ABSTAINED, ANSWERED = "blocked", "error", "ungraded", "abstained", "answered"
STATES = (BLOCKED, ERROR, UNGRADED, ABSTAINED, ANSWERED)
FAILED = "ERROR: Failed getting response"  # how the published code begins the text of a failed request
DANGEROUS = "DANGEROUS"  # what such a text contains if a safety filter stopped the answer
FILTERED = "content_filter"  # the finish reason that says the same
GOOD = 2.0  # the least raw grade that counts as a response of quality
FULL = 3.0  # the greatest raw grade; a score is a grade divided by it
NOT_KNOWN = -1.0  # the grade, and the score, of an answer that says it does not know

BIOLOGICAL = (
    "Drug Meta",
    "Drug Gene Relations",
    "Drug Disease Relations",
    "Pharmacology",
    "SMR Gene Disease Relations",
    "SMR SNP Disease Relations",
    "Tissue",
    "Gene Disease Relations",
    "SNP Disease Relations",
    "Genomic Location",
)
REASONING = (
    "Select",
    "Multi-Filter",
    "Threshold",
    "Aggregate",
    "Sorting",
    "Data Retrieval",
    "Join",
    "Calculation",
    "Comparative Analysis",
)
KINDS: Mapping[str, tuple[str, ...]] = {"biological": BIOLOGICAL, "reasoning": REASONING}

# SHA-256 of configs/default_config.yaml, and of the prompts in it as they are sent, with trailing blanks cut.
CONFIG_SHA256 = "7c5e4766e6ee2b89c739cd0b8399043b60a5f859234c4df541184af820249bbd"
PROMPT_SHA256: Mapping[str, str] = {
    "system_prompt": "6eec0933e9bd15a7fbc9cab3794c503c4ca1d2050fba61c1c16fabacd2384e73",
    "bioscore_system_prompt": "390eba689b9640c2c37b705855cc73a663d586a7d36fd59fb7db98b6ee688ae8",
    "bioscore_grading_prompt": "2559e0bf928001fb75a80b95305e25e0706ef85893a17b755b11e84fbf758d5b",
}
