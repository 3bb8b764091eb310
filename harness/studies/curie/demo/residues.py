"""Proteins of the demo: real sequences, how the record of each is altered, and names of the residues.

The tests check each sequence against its published length and average mass. Independent of how a structure is built or
written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

THREE: Mapping[str, str] = {
    "A": "ALA",
    "C": "CYS",
    "D": "ASP",
    "E": "GLU",
    "F": "PHE",
    "G": "GLY",
    "H": "HIS",
    "I": "ILE",
    "K": "LYS",
    "L": "LEU",
    "M": "MET",
    "N": "ASN",
    "P": "PRO",
    "Q": "GLN",
    "R": "ARG",
    "S": "SER",
    "T": "THR",
    "V": "VAL",
    "W": "TRP",
    "Y": "TYR",
    "X": "UNK",
}


@dataclass(frozen=True, slots=True)
class DemoProtein:
    """A real protein or peptide; some of its residues may be absent from the structure, or of unknown kind."""

    level: str
    name: str
    source: str  # source of the sequence: the UniProt entry, and which part of it
    sequence: str
    absent: tuple[int, ...] = ()  # numbers of residues, from 1, that the structure lacks
    unknown: tuple[int, ...] = ()  # … whose kind the structure does not state
    twofold: tuple[int, ...] = ()  # … whose atoms have two alternative positions

    @property
    def shown(self) -> tuple[tuple[int, str], ...]:
        """Number and letter of each residue in the structure; X if the structure does not state its kind."""
        numbered = enumerate(self.sequence, 1)
        return tuple((at, "X" if at in self.unknown else letter) for at, letter in numbered if at not in self.absent)


PROTEINS: tuple[DemoProtein, ...] = (
    DemoProtein("easy", "Insulin, A chain, human", "P01308, residues 90 to 110", "GIVEQCCTSICSLYQLENYCN"),
    DemoProtein(
        "medium",
        "Crambin, Crambe abyssinica",
        "P01542, variant with P22 and I25",
        "TTCCPSIVARSNFNVCRLPGTPEAICATYTGCIIIPGATCPGDYAN",
    ),
    DemoProtein(
        "hard",
        "Ubiquitin, human",
        "P0CG48, one repeat",
        "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG",
        absent=(8, 9, 10, 11),
    ),
    DemoProtein(
        "easy",
        "Insulin, B chain, human",
        "P01308, residues 25 to 54",
        "FVNQHLCGSHLVEALYLVCGERGFFYTPKT",
    ),
    DemoProtein(
        "medium",
        "B1 domain of protein G, Streptococcus",
        "P06654, with an initial methionine",
        "MTYKLILNGKTLKGETTTEAVDAATAEKVFKQYANDNGVDGEWTYDDATKTFTVTE",
    ),
    DemoProtein(
        "hard",
        "Lysozyme C, hen",
        "P00698, residues 19 to 147",
        "KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVSDGNGMNAWVAWRNRCK"
        "GTDVQAWIRGCRL",
    ),
    DemoProtein("easy", "Melittin, honey bee", "P01501, residues 44 to 69", "GIGAVLKVLTTGLPALISWIKRKRQQ"),
    DemoProtein(
        "hard",
        "Pancreatic trypsin inhibitor, bovine",
        "P00974, residues 36 to 93",
        "RPDFCLEPPYTGPCKARIIRYFYNAKAGLCQTFVYGGCRAKRNNFKSAEDCMRTCGGA",
        unknown=(26, 42),
    ),
    DemoProtein(
        "medium",
        "Cathelicidin LL-37, human",
        "P49913, residues 134 to 170",
        "LLGDFFRKSKEKIGKEFKRIVQRIKDFLRNLVPRTES",
    ),
    DemoProtein(
        "hard",
        "Ribonuclease A, bovine",
        "P61823, residues 27 to 150",
        "KETAAAKFERQHMDSSTSAASSSNYCNQMMKSRNLTKDRCKPVNTFVHESLADVQAVCSQKNVACKNGQTNCYQSYSTMSITDCRETGSSKYPNCAYKTTQANKHIIVACEGNPYV"
        "PVHFDASV",
        absent=(20, 21),
        unknown=(77,),
        twofold=(43, 90),
    ),
    DemoProtein("easy", "Glucagon, human", "P01275, residues 53 to 81", "HSQGTFTSDYSKYLDSRRAQDFVQWLMNT"),
    DemoProtein(
        "medium",
        "Amyloid beta of 42 residues, human",
        "P05067, residues 672 to 713",
        "DAEFRHDSGYEVHHQKLVFFAEDVGSNKGAIIGLMVGGVVIA",
        twofold=(13,),
    ),
)
