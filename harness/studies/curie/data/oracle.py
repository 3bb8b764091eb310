"""The ideal answer to a record, made from its ground truth, in the form that the task's prompt asks for (OURS).

In strict mode it gets the highest score. In paper mode it often does not, because of defects of that mode. The document
is not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from harness.errors import InputError
from harness.studies.curie.data.file_texts import ADVICE
from harness.studies.curie.reading.dft_items import parameters, program_text, structures
from harness.studies.curie.reading.ground_truth import IDS
from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads
from harness.studies.curie.reading.texts import leaves
from harness.studies.curie.scoring import facts_code
from harness.studies.curie.scoring.llmsim_strict import gold_items

STRUCTURE, PARAMETERS = "StructureMetadataGeneral", "DFTParametersGeneral"  # classes whose methods read an item


def oracle(task: str, truth: str) -> str:
    """Return the perfect answer to a task's record, made from the text of its ground-truth file.

    Raises InputError if the ground truth is not JSON5 or lacks what the task's answer is made from.
    """
    try:
        return _ANSWERS[task](truth)
    except Unreadable as bad:
        raise InputError(f"the ground truth cannot be read: {bad}", next=ADVICE) from bad


def _listed(items: Any) -> str:
    return json.dumps(items, ensure_ascii=False, indent=1)


def _items(task: str, truth: str) -> str:
    return _listed(gold_items(task, truth).items)


def _value(truth: str) -> Any:
    """Parse a ground truth and drop the ids that the paper drops: at its top level, and in the objects of a list."""
    found = loads(truth, LONGEST_FILE)
    if isinstance(found, dict):
        return {name: value for name, value in found.items() if name not in IDS}
    if isinstance(found, list):
        return [_value_of(each) for each in found]
    raise Unreadable("it is neither an object nor a list")


def _value_of(each: Any) -> Any:
    return {name: value for name, value in each.items() if name not in IDS} if isinstance(each, dict) else each


def _program(truth: str) -> str:
    """Return the program of the ground truth, or statements of its items if the program's fact score is below 1.

    Some programs of the real records are not Python, and some state defaults that none of their items states.
    """
    program = program_text(truth)
    value = facts_code.score(program, truth)["value"]
    if value == 1 or isinstance(value, dict):  # full score, or no fact to score by
        return program
    return "\n".join([*_statements(STRUCTURE, structures(truth)), *_statements(PARAMETERS, parameters(truth))])


def _statements(name: str, items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, item in enumerate(items, 1):
        written = json.dumps(item, ensure_ascii=False).replace("'", "\\u0027")  # same JSON, cannot end the quote
        yield f"{name.lower()}_{number} = {name}.parse_raw('{written}')"


def _box(truth: str) -> str:
    found = _value(truth)
    if not isinstance(found, dict) or any(name not in found for name in "WSEN"):
        raise Unreadable("it has no W, S, E and N")
    return _listed({name: found[name] for name in "WSEN"})


def _fasta(truth: str) -> str:
    found = _value(truth)
    sequence = found.get("sequence") if isinstance(found, dict) else None
    if not isinstance(sequence, str):
        raise Unreadable("it has no text `sequence`")
    return f">record\n{''.join(sequence.split())}"


def _steps(truth: str) -> str:
    """Return the steps of a derivation as JSON: the list that the file is or contains, else a text with steps."""
    found = _value(truth)
    if isinstance(found, list):
        return _listed(found)
    lists = [each for each in found.values() if isinstance(each, list)]
    texts = [each for each in leaves(found) if '"answer"' in each]
    if not lists and texts:
        return texts[0]
    return _listed(lists[0] if len(lists) == 1 else found)


def _entry(truth: str) -> str:
    """Return a catalogue entry as YAML: the file's fields, or, if they are not those of an entry, a text that is."""
    import yaml  # noqa: PLC0415 - it loads slowly

    found = _value(truth)
    texts = [each for each in leaves(found) if "code_id:" in each]
    if texts and not (isinstance(found, dict) and {"code_id", "name", "description"} & found.keys()):
        return texts[0]
    return str(yaml.safe_dump(found, allow_unicode=True, sort_keys=False, width=1 << 20))


_ANSWERS: Mapping[str, Callable[[str], str]] = {
    **{task: partial(_items, task) for task in ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")},
    "dft-c": _program,
    "hfd": _steps,
    "hfe": lambda truth: "\n\n".join(leaves(_value(truth))),
    "qecc": _entry,
    "geo": lambda truth: _listed(_value(truth)),
    "biogr": _box,
    "pdb": _fasta,
}
