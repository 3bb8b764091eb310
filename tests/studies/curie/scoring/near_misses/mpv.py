"""Near misses of MPV: five values of an invented paper on a sulfide absorber, and a sixth item without a value."""

# ruff: noqa: RUF001 - signs of print are the point

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from studies.curie.scoring.near_misses.dft_records import LINES, ONE_LINE, ORDER, on_one_line
from studies.curie.scoring.near_misses.within import row, share

Item = dict[str, Any]


def item(material: str, name: str, low: str, units: str, *, high: str = "", form: str = " ", about: str = " ") -> Item:
    """Write one property with the fields that the prompt asks for."""
    return {
        "material": material, "material_descriptor": form, "property_name": name, "property_descriptor": about,
        "low_value": low, "high_value": high or low, "value_units": units,
    }  # fmt: skip


GAP = item("CuInS2", "band gap", "1.53", "eV", form="thin film", about="Room temperature")
MOBILITY = item("CuInS2", "hole mobility", "12.4", "cm<sup>2</sup> V<sup>−1</sup> s<sup>−1</sup>", form="thin film")
ABSORPTION = item(
    "CuInS2", "absorption coefficient", "2.1 × 10<sup>4</sup>", "cm<sup>−1</sup>", about="Wavelength 633 nm"
)
INDEX = item("In2S3", "refractive index", "2.3", " ", high="2.6", form="buffer layer")
SEEBECK = item("CuInS2", "Seebeck coefficient", "145", "μV/K", form="thin film")
SILENT = item("In2S3", "electrical conductivity", " ", " ", form="buffer layer")
LISTED = [GAP, MOBILITY, ABSORPTION, INDEX, SEEBECK]


def truth() -> str:
    """Write the ground-truth file: every item with its ids, the one without a value among them."""
    items = [*LISTED[:3], SILENT, *LISTED[3:]]
    ids = {"record_id": "made-up", "paper_id": "made-up", "synonyms": " "}
    return json.dumps([{**ids, "index": place, **one} for place, one in enumerate(items)])


def answer(items: Sequence[Item]) -> str:
    """Write an answer as the prompt asks for it."""
    return json.dumps(list(items), indent=1, ensure_ascii=False)


def changed(place: int, **fields: str) -> str:
    """Write the right answer with one of its items said otherwise."""
    return answer([{**one, **fields} if at == place else one for at, one in enumerate(LISTED)])


def valued(place: int, value: str, **fields: str) -> str:
    """Write the right answer with another value of one of its items."""
    return changed(place, low_value=value, high_value=value, **fields)


TURNED = [dict(reversed(one.items())) for one in reversed(LISTED)]
PARAPHRASED = [
    item("copper indium disulfide", "Eg", "1.53", "eV", form="film"),
    item("copper indium disulfide", "mobility of holes", "12.4", "cm²/(V·s)", form="film"),
    item("copper indium disulfide", "optical absorption coefficient", "2.1e4", "1/cm", about="at 633 nm"),
    item("indium sulfide (In2S3)", "index of refraction", "2.3", "dimensionless", high="2.6"),
    item("copper indium disulfide", "thermopower", "145", "uV K^-1", form="film"),
]
CONVERTED = [
    item("CuInS2", "band gap", "1530", "meV", form="thin film"),
    item("CuInS2", "hole mobility", "0.00124", "m2/Vs", form="thin film"),
    item("CuInS2", "absorption coefficient", "2.1e6", "m^-1", about="Wavelength 0.633 μm"),
    INDEX,
    item("CuInS2", "Seebeck coefficient", "0.145", "mV/K", form="thin film"),
]
IN_PYTHON = (
    f"The paper gives:\n```json\n{answer([{**one, 'synonyms': None} for one in LISTED]).replace('null', 'None')}\n```"
)
ENDS = [{**INDEX, "high_value": "2.3"}, {**INDEX, "low_value": "2.6"}]
EVERYTHING = item("CuInS2, In2S3", "band gap, mobility, absorption, refractive index, Seebeck coefficient",
                  "1.53, 12.4, 2.1e4, 2.3, 145", "eV, cm2/Vs, cm-1, μV/K")  # fmt: skip
PROSE = ("The CuInS2 film has a band gap of 1.53 eV, a hole mobility of 12.4 cm2/Vs, an absorption coefficient of "
         "2.1e4 cm-1 at 633 nm and a Seebeck coefficient of 145 μV/K; the index of In2S3 is 2.3 to 2.6.")  # fmt: skip
MELTING = item("CuInS2", "melting point", "1090", "°C")
FOUR = share(4, 5, 5)
NAMES = "other words for the same, and a field's name counts as much as its value"
WORD = "a word or two of a hundred"

TRUTH = truth()
ROWS = [row(TRUTH, *each) for each in (
    ("the right items, a field a line", answer(LISTED), 1.0, "nothing is wrong",
     "the reference is one line of escaped text, and has the item without a value"),
    ("the same on one line", on_one_line(LISTED), 1.0, "line breaks say nothing", ONE_LINE),
    ("on one line in another order", on_one_line(TURNED), 1.0, "the order says nothing", ORDER),
    ("items and fields in another order", answer(TURNED), 1.0, "the order says nothing", LINES),
    ("a paraphrase: names, symbols, spelling of units", answer(PARAPHRASED), 1.0, "the same five facts", NAMES),
    ("other units, converted", answer(CONVERTED), 1.0, "the same quantities", "numbers are words to it"),
    ("a sentence before, a fence, None for unknown", IN_PYTHON, 1.0, "wrapping is no physics",
     "words alone; the published LLMSim cannot read None, and ends at 0"),
    ("rounded: 1.5 eV for 1.53 eV", valued(0, "1.5"), 1.0, "right to its digits", WORD),
    ("with its uncertainty: 1.53 ± 0.02", valued(0, "1.53 ± 0.02"), 1.0, "the same value, said with more care", WORD),
    ("rounded: 12 for 12.4", valued(1, "12"), 1.0, "right to its digits", WORD,
     "two roundings may differ by 2 per cent in the rule judge, and these by 3"),
    ("a decimal comma: 1,53", valued(0, "1,53"), 1.0, "how half of the world writes it", WORD,
     "the rule judge reads a comma as papers in English write it"),
    ("the wavelength by its energy: 1.96 eV", changed(2, property_descriptor="Photon energy 1.96 eV"), 1.0,
     "the same light", WORD),
    ("two values changed about", answer([{**MOBILITY, "low_value": "145", "high_value": "145"},
     {**SEEBECK, "low_value": "12.4", "high_value": "12.4"}, GAP, ABSORPTION, INDEX]), share(3, 5, 5),
     "both are wrong", "the words are the same"),
    ("one unit wrong: meV for eV", changed(0, value_units="meV"), FOUR, "a thousand times too small", WORD),
    ("digits changed about: 1.35 for 1.53", valued(0, "1.35"), FOUR, "another value", WORD),
    ("a power of ten off: 2.1e5", valued(2, "2.1 × 10<sup>5</sup>"), FOUR, "ten times too much", WORD),
    ("a sign wrong: -145 μV/K", valued(4, "-145"), FOUR, "holes would be electrons", "a sign is no word"),
    ("electrons for holes", changed(1, property_name="electron mobility"), FOUR, "another property", WORD),
    ("one element off: CuInSe2", changed(0, material="CuInSe2"), FOUR, "another compound", WORD),
    ("another wavelength: 450 nm", changed(2, property_descriptor="Wavelength 450 nm"), FOUR,
     "the coefficient is that of 633 nm", WORD),
    ("a range by its middle: 2.45", valued(3, "2.45"), (FOUR, 0.9), "half of what was said, at most", WORD),
    ("a range as two items, its ends", answer([*LISTED[:3], *ENDS, SEEBECK]), (share(4, 5, 6), share(5, 5, 6)),
     "neither item is the range"),
    ("one value left out", answer(LISTED[:4]), share(4, 5, 4), "four of five, all right"),
    ("a textbook value added: the melting point", answer([*LISTED, MELTING]), share(5, 5, 6), "the paper has no such"),
    ("the item without a value listed, too", answer([*LISTED, SILENT]), share(5, 5, 6), "the prompt says to skip it",
     "the published gold counts such items"),
    ("every item twice", answer([*LISTED, *LISTED]), share(5, 5, 10), "half the list says nothing new"),
    ("one item that holds everything", answer([EVERYTHING]), (0.0, share(1, 5, 1)), "which belongs to which is lost"),
    ("the list breaks off in its last item", answer(LISTED)[: answer(LISTED).rindex('"low_value"')], share(4, 5, 4),
     "four items are whole"),
    ("the right values in prose, no list", PROSE, (0.5, 1.0), "a reader finds all five", "it sees words, not a form",
     "R2: what holds no JSON list or object is unreadable and worth 0; no model repairs it in strict mode"),
)]  # fmt: skip
