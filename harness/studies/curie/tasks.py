"""The tasks of the study: domain, published prompt, metrics and number of runs of each.

Facts of the paper and of its evaluation configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PAPER, STRICT = "paper", "strict"  # modes: as the published notebooks score, or as the paper describes (OURS)
MODES = (PAPER, STRICT)
VERSION = "curie-1"  # version of the rules; part of every score


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the benchmark: its folder in the archive, its published prompt, and its primary metrics."""

    name: str
    domain: str  # folder in the archive
    prompt: str  # file of the published prompt, without `.txt`
    paper: str  # primary metric in paper mode
    strict: str  # primary metric in strict mode
    about: str
    runs: int = 1  # runs of each model that the paper says it made
    averaged: bool = True  # whether the task is one of the ten whose means are averaged


_ALL = (
    Task("dft-s", "dft", "extract_structure_data_1_shot", "f1", "f1", "structures that a DFT paper computes"),
    Task("dft-p", "dft", "extract_dft_metadata_1_shot", "f1", "f1", "parameters of the DFT calculations of a paper"),
    Task("dft-c", "dft", "write_code_for_paper_0_shot", "rougeLsum", "facts_f1", "a program of a paper's calculations"),
    Task("mpv", "mpve", "mat_paper_to_property_1_shot", "f1", "f1", "values of material properties in a paper"),
    Task(
        "mpv-non-trivial",
        "mpve",
        "mat_paper_to_property_1_shot_exclude_trivia",
        "f1",
        "f1",
        "the same without trivial ones",
        averaged=False,
    ),
    Task(
        "mpv-specific",
        "mpve",
        "mat_paper_to_property_1_shot_bandgap_refractive",
        "f1",
        "f1",
        "band gaps and refractive indices alone",
        averaged=False,
    ),
    Task("hfd", "hfd", "derivation_prompt", "rougeLsum", "facts_f1", "the steps of a mean-field derivation"),
    Task("hfe", "hfe", "extract_hamiltonian_0_shot", "rougeLsum", "facts_f1", "the mean-field Hamiltonian of a paper"),
    Task("qecc", "qecc_65", "describe_code_in_paper", "rougeLsum", "facts_f1", "a quantum error-correcting code"),
    Task("geo", "geo", "extract_dataset_from_geo_papers_0_shot", "rougeLsum", "facts_f1", "data sets of a geo paper"),
    Task("biogr", "biogr", "georeference_image_0_shot", "iou", "iou", "the bounding box of a map", runs=3),
    Task(
        "pdb",
        "pdb",
        "reconstruct_protein_amino_acid_sequence_0_shot",
        "identity_ratio",
        "chance_corrected",
        "the residues of a protein structure",
    ),
)
TASKS: Mapping[str, Task] = {task.name: task for task in _ALL}
AVERAGED = tuple(task.name for task in _ALL if task.averaged)

# SHA-256 of the prompt files at the pinned commit of google/curie. Their texts are not kept in this project.
_DIGESTS = """
fdae1b761ee013e2f2fabacfb32f0728bb7ac95606f9c4641a5025012ff6f310 derivation_prompt
390e3757f3933552430c7ba452452373b30644f4d19aeb9cfb39c8c61ba27098 describe_code_in_paper
3ecb8bb681426ca634e32ba80ccf5a8a26746cc974eda4fcb709054ad66af73f dft_metadata_eval_output_1_shot
0007a828bf23e1a2406c5258869c15129086bae62010c90cba9056a629ed5e6a dft_structure_eval_output_1_shot
68cf17d1ba1f46b2df0fe8b5a4824369d34d0a4c55bdd7dec11148f8bf29e2c6 extract_dataset_from_geo_papers_0_shot
e0d3639b76c26b4e1641b47d1a16b6b86f4407d71d025801244f1aea2ca8eb67 extract_dft_metadata_1_shot
fe1c1cc40566abab8a132515f9d23f8f6efe7a16b000a72b8a190ff997faf4aa extract_hamiltonian_0_shot
9544a8b269a79527ee203647c60e6a6a4046ae2427bf4eed1fa714bbe1c1c70a extract_structure_data_1_shot
4786475940f43bce46aaa2673e98c05617b62882b946c1643467714ed6dfa3a0 georeference_image_0_shot
4a92666d8d726f6505689c843fac8c42b99c83872541664b640bba8a2d8fd948 mat_eval_output_1_shot
ae2ea803dbce390c6a4d1df63625be07dae2dd2a4408763b2ee4966a6e8dc9cc mat_paper_to_property_1_shot
1f6096e21136d0af9396e3f46d7a8433ac2e448e66e79dcd00e1f35889f174d6 mat_paper_to_property_1_shot_bandgap_refractive
910136586281a667d300d0b2e7447b531ba5d4bc61114361d86c6dead98fa849 mat_paper_to_property_1_shot_exclude_trivia
f95a3018fd871d6d43d2babd088fe98ccb7eb0df835e239b4a2e972295c8dd36 reconstruct_protein_amino_acid_sequence_0_shot
fdab5784dd2df2f96df3f21e4dd7c9ffe0b81a16637b00fb4cb58303b1bcb9c1 write_code_for_paper_0_shot
"""
PROMPT_SHA256: Mapping[str, str] = {name: digest for digest, name in map(str.split, _DIGESTS.split("\n")[1:-1])}
# Files with the published judge's wordings. The published code uses that of DFT-P for DFT-S too (trap 8).
JUDGE_PROMPTS: Mapping[str, str] = {
    "dft-s": "dft_metadata_eval_output_1_shot",
    "dft-p": "dft_metadata_eval_output_1_shot",
    "mpv": "mat_eval_output_1_shot",
    "mpv-non-trivial": "mat_eval_output_1_shot",
    "mpv-specific": "mat_eval_output_1_shot",
}
REPOSITORY = ("google/curie", "f3afe026fd7b7706d9764a8f12e86f7a5a02645e")
