"""Near misses of PDB: 60 residues of our own invention, and what models do to a sequence on its way."""

from __future__ import annotations

import json

from studies.curie.scoring.near_misses.within import row

RIGHT = "MKTLVAEGRPSLDIFNKQWYHLCAATGELVDSIRNPEQFVKTMLGHAYSDIEKLRVPQNG"
TRUTH = json.dumps({"record_id": "made-up", "sequence": RIGHT})
CODES = dict(zip("ACDEFGHIKLMNPQRSTVWY", [
    "ALA", "CYS", "ASP", "GLU", "PHE", "GLY", "HIS", "ILE", "LYS", "LEU", "MET", "ASN", "PRO", "GLN", "ARG", "SER",
    "THR", "VAL", "TRP", "TYR",
], strict=True))  # fmt: skip


def fasta(sequence: str) -> str:
    """Write a record of one line."""
    return f">chain A\n{sequence}\n"


WRAPPED = ">chain A\n" + "\n".join(RIGHT[at : at + 20] for at in range(0, 60, 20))
FENCED = f"The chain reads:\n\n```fasta\n{fasta(RIGHT)}```\nIt has 60 residues."
PROSE = f"{fasta(RIGHT)}The missing loop was left out.\n"
SHUFFLED = "".join(RIGHT[at * 23 % 60] for at in range(60))  # 23 and 60 share no factor: each residue once
OTHER = "GHWSAPCYNRTDQEMKFVILGTSWRAHQPDNCYEKVMFLIGATRSPWHNQDYCEKVFMIL"
SUBSEQUENCE = "it counts a common subsequence, which any two proteins have"
FIRST = "it reads one line"

ROWS = [row(TRUTH, *each) for each in (
    ("wrapped into lines of 20", WRAPPED, 1.0, "how the format is written", FIRST),
    ("small letters", fasta(RIGHT.lower()), 1.0, "the same residues", "letters are compared as they are"),
    ("a fence, sentences around it", FENCED, 1.0, "the same record"),
    ("a sentence right behind it", PROSE, 1.0, "the same record"),
    ("an empty line behind the header", f">chain A\n\n{RIGHT}\n", 1.0, "the same record", "the line it reads is empty"),
    ("a star at the end", fasta(RIGHT + "*"), 1.0, "a stop is no residue", "a star is a letter to it"),
    ("one residue off: V for L", fasta(RIGHT[:3] + "V" + RIGHT[4:]), (0.95, 0.995), "59 of 60",
     "no mismatch there: a wrong residue costs two columns"),
    ("one residue left out in the middle", fasta(RIGHT[:29] + RIGHT[30:]), (0.95, 0.995), "59 of 60"),
    ("the first methionine left out", fasta(RIGHT[1:]), (0.95, 0.995), "59 of 60, and often cut off"),
    ("two neighbours changed about", fasta(RIGHT[:20] + RIGHT[21] + RIGHT[20] + RIGHT[22:]), (0.92, 0.98),
     "58 of 60"),
    ("X for the two methionines", fasta(RIGHT.replace("M", "X")), (0.92, 0.98), "58 of 60; X says nothing"),
    ("isoleucine for leucine throughout", fasta(RIGHT.replace("L", "I")), (0.8, 0.92), "six wrong of 60, all alike"),
    ("a tag that has no atoms: HHHHHH", fasta(RIGHT + "HHHHHH"), (0.85, 0.95), "six residues too many"),
    ("one residue too many in the middle", fasta(RIGHT[:30] + "W" + RIGHT[30:]), (0.95, 0.995), "60 of 61"),
    ("right to the middle, then invented", fasta(RIGHT[:30] + OTHER[30:]), (0.4, 0.6), "half of it"),
    ("sixty glycines", fasta("G" * 60), (-0.1, 0.1), "a guess that knows nothing"),
    ("dashes for a loop without atoms", fasta(RIGHT[:30] + "----" + RIGHT[30:]), (0.9, 1.0), "no residue is wrong",
     "a dash is a letter to it",
     "P1: a dash is no residue, so that the line is none, and the answer holds no record"),
    ("the first half alone", fasta(RIGHT[:30]), (0.4, 0.5), "half of it"),
    ("the chain twice, as in a dimer", fasta(RIGHT * 2), (0.35, 0.55), "every residue, and as many again"),
    ("read backwards", fasta(RIGHT[::-1]), (-0.1, 0.1), "another protein of the same composition", SUBSEQUENCE),
    ("the same residues shuffled", fasta(SHUFFLED), (-0.1, 0.1), "composition is no sequence", SUBSEQUENCE),
    ("another protein of the same length", fasta(OTHER), (-0.1, 0.1), "unrelated", SUBSEQUENCE),
    ("no header", f"{RIGHT}\n", (0.9, 1.0), "a reader knows it for a sequence", "no header, no answer",
     "P1: a record begins with a header; letters alone may be prose, and glued prose would score"),
    ("three-letter codes", fasta(" ".join(CODES[letter] for letter in RIGHT)), (0.8, 1.0),
     "the same residues, spelt out", "letters are compared as they are",
     "P1: a residue is one letter; codes with O are no residue line, and worth 0"),
)]  # fmt: skip
