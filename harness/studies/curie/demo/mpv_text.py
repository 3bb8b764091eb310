"""The text of the demo's MPV papers (OURS): constants in sentences and a table, among numbers of other things.

Independent of ground truths and answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness import seeds
from harness.studies.curie.demo.documents import Draw, Section, one, paper, shuffled
from harness.studies.curie.demo.filler import GENERAL, MATERIALS
from harness.studies.curie.demo.mpv_constants import ALIASES, Constant

THICKNESS = "thickness"  # the trivial property, the geometry of the authors' sample, which mpv-non-trivial leaves out
TABLE = "1"
_SETTINGS = (
    "Pieces were degreased at 60 °C for 15 min and dried in nitrogen before they were mounted.",
    "Spectra were taken with a slit of 0.2 mm and an integration time of 4 s, and 16 scans were averaged.",
    "The diffractometer was run at 40 kV and 30 mA with steps of 0.02 degrees.",
    "Contacts were annealed for 30 s at 380 °C in a flow of 200 sccm of forming gas.",
    "The chamber was pumped to 3e-6 mbar, and a He-Ne laser with 5 mW served for the alignment.",
    "Altogether 24 pieces from 3 suppliers were examined over 11 weeks by 2 of the authors.",
    "A load of 20 mN was applied with a rate of 1 mN/s in every indentation test.",
)
_REFERENCES = (
    "[2] Handbook tables, any recent edition.",
    "[5] P. Aldous, Notes on Crystals 7.",
    "[8] R. Imai, S. Kovacs, Data Sheets of the Optical Workshop 2.",
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A material property as a paper states it: the constant, its name in the text, and the passage or table.

    A constant with an empty value is only shown in a figure.
    """

    constant: Constant
    called: str
    passage: str
    table: str = ""


def _condition(constant: Constant) -> str:
    if not constant.condition:
        return ""
    ray, _, length = constant.condition.rpartition(", ")
    return f" for the {ray} at {length}" if ray else f" at {length}"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def sentence(source: seeds.Stream, constant: Constant, called: str) -> str:
    """Return a sentence that states a material property with its value and condition."""
    value, name = f"{constant.printed}{_condition(constant)}", f"{constant.material} ({constant.formula})"
    return one(
        source,
        (
            f"The {called} of {name} is {value}.",
            f"{name[0].upper()}{name[1:]} has {_article(called)} {called} of {value}.",
            f"For {name} the handbooks [2] give {_article(called)} {called} of {value}.",
        ),
    )


def row(constant: Constant, called: str) -> str:
    """Return a table row that states a material property."""
    return f"{constant.material} | {called} | {constant.printed} | {constant.condition or '-'}"


def state(draw: Draw, constants: Sequence[Constant]) -> list[Stated]:
    """Choose how a paper states each material property: hard papers use other names, and a table for a third."""
    found = []
    for at, constant in enumerate(constants):
        called = constant.name
        if draw.rank == 2 and at % 2:
            called = ALIASES.get(called, called)
        if draw.rank == 2 and at % 3 == 2:
            found.append(Stated(constant, called, row(constant, called), TABLE))
        else:
            found.append(Stated(constant, called, sentence(draw.source, constant, called)))
    return found


def thickness(source: seeds.Stream, material: str, formula: str) -> Stated:
    """Return a sentence on the thickness of the authors' sample of a material."""
    value = one(source, ("0.5", "1.0", "2.0", "3.0", "5.0"))
    constant = Constant(material, formula, THICKNESS, value, value, "mm", "")
    passage = f"Our piece of {material} ({formula}) was a polished plate of {value} mm thickness."
    return Stated(constant, THICKNESS, passage)


def drawn_only(material: str, formula: str) -> Stated:
    """Return a sentence that refers to a figure for a material's property, without any number."""
    constant = Constant(material, formula, "specific heat", "", "", "", "")
    return Stated(
        constant,
        constant.name,
        f"The specific heat of {material} ({formula}) is drawn as a function of "
        "temperature in Figure 2, from which no number is taken here.",
    )


def write_paper(draw: Draw, title: str, stated: Sequence[Stated]) -> str:
    """Return the text of a paper; the stated values keep their order and are spread over the sections."""
    source = draw.source
    said = [each.passage for each in stated if not each.table]
    rows = [each.passage for each in stated if each.table]
    cuts = sorted(seeds.draw_below(source, len(said) + 1) for _ in range(2))
    settings = shuffled(source, _SETTINGS)[: 2 + draw.rank]
    table = f"Table {TABLE}. Constants used in this work: material | property | value | condition\n" + "\n".join(rows)
    sections = [
        Section("Abstract", (_ABSTRACT,), filled=False),
        Section("Introduction", tuple(_grouped(source, said[: cuts[0]]))),
        Section("Materials and methods", (" ".join(settings),)),
        Section("Results", (*_grouped(source, said[cuts[0] : cuts[1]]), *((table,) if rows else ()))),
        Section("Discussion", tuple(_grouped(source, said[cuts[1] :]))),
        Section("Conclusions"),
        Section("References", _REFERENCES, filled=False),
    ]
    return paper(source, title, sections, GENERAL + MATERIALS, 950 + 50 * seeds.draw_below(source, 8))


def _grouped(source: seeds.Stream, passages: Sequence[str]) -> list[str]:
    """Group the passages into paragraphs of one or two."""
    rest, found = list(passages), []
    while rest:
        size = 1 + seeds.draw_below(source, 2)
        found.append(" ".join(rest[:size]))
        del rest[:size]
    return found


_ABSTRACT = (
    "Constants of several materials are collected in one place, because the design of a component needs them together. "
    "Values are those of pure substances as the handbooks print them; our own pieces served to check that nothing had "
    "been mixed up. Settings of instruments are given where a reader would miss them."
)
