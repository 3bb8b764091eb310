r"""The maker of the demo's QECC records: a paper about a real quantum code, and the facts of that code as gold.

The ground truth is an object with the fields of a catalogue entry, citations as `\cite{…}`. Independent of prompts,
models and scoring.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import seeds
from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.documents import Section, paper, place
from harness.studies.curie.demo.filler import GENERAL
from harness.studies.curie.demo.qecc_codes import CODES, QuantumCode
from harness.studies.curie.demo.qecc_prose import QUANTUM
from harness.studies.curie.demo.selection import WORDS, first, laid, named, stream, written

TASK = "qecc"
_OTHERS = {"easy": 2, "medium": 3, "hard": 4}  # number of other codes that a paper mentions
_BEGIN = Section("Introduction", ("Small codes are where most ideas about fault tolerance are tried first.",))
_MIDDLE = (
    Section("Models of noise", ("What a code is worth depends on the noise that it meets.",)),
    Section("Circuits", ("Generators are measured by circuits, which are noisy as well.",)),
)
_END = Section("Discussion", ("Which of the codes to build is a question of taste as much as of numbers.",))
_CITED = re.compile(r"\s*\\cite\{([^}]*)\}")
_COUNTS = ("two", "three", "four", "five", "six", "seven")


def entry(code: QuantumCode) -> dict[str, Any]:
    """Return what a catalogue says about an error-correcting code: a ground truth without its record's id."""
    found: dict[str, Any] = {
        "code_id": code.id,
        "physical": "qubits",
        "logical": "qubits",
        "Code_parameter": code.parameters,
        "name": code.name,
        "introduced": "".join(rf"\cite{{{source}}}" for source in code.sources),
        "description": f"{code.description} Its rate is {code.rate}.",
        "protection": code.protection,
    }
    listed = {"realizations": code.realizations, "notes": code.notes}
    found |= {"features": {name: list(said) for name, said in code.features.items()}} if code.features else {}
    found |= {name: list(said) for name, said in listed.items() if said}
    related = {"parents": code.parents, "cousins": code.cousins}
    found["relations"] = {
        kind: [{"code_id": name, "detail": why} for name, why in those] for kind, those in related.items()
    }
    return found


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `items`, `gold` and `counts` of the first `count` quantum codes, with papers drawn from `seed`.

    Raises InputError if the count is below one or above the number of codes.
    """
    codes = first(CODES, params["count"], "codes")
    write(TASK, [record(params["seed"], index) for index in range(len(codes))], out)


def record(seed: int, index: int) -> TaskRecord:
    """Return the demo record of quantum code `index`, which depends on the seed and on no other record."""
    import yaml  # noqa: PLC0415 - heavy

    code, name = CODES[index], named(index)
    text, at = _document(stream(seed, TASK, name), code)
    said = entry(code)
    answer = yaml.safe_dump(said, sort_keys=False, allow_unicode=True, width=1000)
    truth = json.dumps({**said, "record_id": name}, ensure_ascii=False)
    return TaskRecord(name, text, truth, answer, code.level, meta=written(seed, text, at))


def _document(source: seeds.Stream, code: QuantumCode) -> tuple[str, int]:
    """Return the paper, and the position in percent at which the code's construction begins."""
    told = [_construction(code), _performance(code), _relations(code)]
    others = seeds.draw_sample(source, [each for each in CODES if each is not code], _OTHERS[code.level])
    compared = Section("Other codes, for comparison", tuple(_mention(each) for each in others))
    middle = laid(source, told, [compared, *_MIDDLE], code.level)
    opening = f"We study the code with parameters {code.parameters}." if code.level == "easy" else ""
    abstract = f"{opening} One small code is described by its generators, and its use is weighed against others."
    sections = [Section("Abstract", (abstract.strip(),), filled=False), _BEGIN, *middle, _END]
    text = _numbered(source, f"On the {code.name}", sections, WORDS[code.level])
    return text, place(text, "generators read:")


def _numbered(source: seeds.Stream, title: str, sections: Sequence[Section], words: int) -> str:
    """Return the paper with its citations as numbers, and the list of references at its end."""
    text = paper(source, title, sections, (*QUANTUM, *GENERAL), words)
    cited = list(dict.fromkeys(_CITED.findall(text)))
    text = _CITED.sub(lambda found: f" [{cited.index(found[1]) + 1}]", text)
    listed = "\n".join(f"[{number}] {each}" for number, each in enumerate(cited, 1))
    return f"{text}\nReferences\n\n{listed}\n"


def _construction(code: QuantumCode) -> Section:
    """Return the section on what the code is; a hard paper states its parameters in words only."""
    n, k, d = code.size
    origin = "".join(rf" \cite{{{source}}}" for source in code.sources)
    generators = code.generators
    counted = "One logical qubit is" if k == 1 else f"{_word(k).capitalize()} logical qubits are"
    shortest = f"the smallest operator that changes encoded states without being noticed acts on {_word(d)} of them"
    size = f"{counted} kept in {n} physical ones, and {shortest}"
    printed = "" if code.level == "hard" else f": its parameters are {code.parameters}"
    return Section(
        f"The {code.name}",
        (
            f"The object of this paper is the {code.name}, which goes back to{origin}. {code.description}",
            f"With qubits numbered from 1 to {n}, its {len(generators)} generators read: {'; '.join(generators)}.",
            f"{size}{printed}. The rate is {code.rate}.",
        ),
    )


def _performance(code: QuantumCode) -> Section:
    """Return the section on what the code protects against and how it is used."""
    heads = {
        "transversal_gates": "Gates",
        "general_gates": "Magic states",
        "decoders": "Decoding",
        "fault_tolerance": "Fault tolerance",
        "code_capacity_threshold": "Threshold with perfect measurements",
        "threshold": "Threshold with faulty measurements",
    }
    used = tuple(f"{heads[name]}: {' '.join(said)}" for name, said in code.features.items())
    realised = tuple(f"Realised so far: {each}" for each in code.realizations)
    family = tuple(f"Family: {each}" for each in code.notes)
    return Section(f"What the {code.name} protects against", (code.protection, *used, *realised, *family))


def _relations(code: QuantumCode) -> Section:
    """Return the section on the names under which a catalogue lists the code and its relatives."""
    parents = " ".join(f"Its parent there is `{name}`: {_lower(why)}" for name, why in code.parents)
    cousins = " ".join(f"A cousin is `{name}`: {_lower(why)}" for name, why in code.cousins)
    return Section(
        f"The {code.name} in the catalogue",
        (
            f"Catalogues list the code as `{code.id}`, with qubits as physical and as logical systems. "
            f"{parents} {cousins}",
        ),
    )


def _mention(code: QuantumCode) -> str:
    """Return sentences on another code: a distractor, with its own parameters, rate and sources."""
    origin = "".join(rf" \cite{{{source}}}" for source in code.sources)
    return (
        f"The {code.name}{origin}, with parameters {code.parameters} and rate {code.rate}, is not the subject "
        f"here. {code.description}"
    )


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _word(number: int) -> str:
    return "one" if number == 1 else _COUNTS[number - 2]
