"""A record of DFT of our own in the archive's layout: three or four items in a program, answers as lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

NAN = float("nan")
_HEADER = "import json\n\nfrom ase import Atoms\n\n\ndef build(metadata) -> Atoms:\n    pass\n\n\n"
Item = dict[str, Any]
# What ROUGE-L sees of answers whose layout alone is another.
TWICE = "the reference holds every item twice, escaped, on one line; line breaks cost the rest"
ONE_LINE = "the reference is one line, too"
ORDER = "of a line it finds only what stands in the same order"
LINES = "it finds each line by itself"


def truth(structures: Sequence[Item], parameters: Sequence[Item]) -> str:
    """Write a ground-truth file: a program that reads the items in, with and without its header."""
    kinds = (("structure_metadata", "StructureMetadataGeneral", structures),
             ("dft_params", "DFTParametersGeneral", parameters))  # fmt: skip
    lines = [
        f"{stem}_{place} = {name}.parse_raw('{json.dumps(item)}')"
        for stem, name, items in kinds
        for place, item in enumerate(items)
    ]
    lines += [f"atoms_{place} = build(structure_metadata_{place})" for place in range(len(structures))]
    program = "\n".join(lines) + "\n"
    return json.dumps({"record_id": "made-up", "code": _HEADER + program, "no_header_code": program})


def changed(items: Sequence[Item], place: int, **fields: Any) -> list[Item]:
    """Give the items with one of them said otherwise; `_` stands for the hyphen of `k-points`."""
    said = {name.replace("k_points", "k-points"): value for name, value in fields.items()}
    return [{**item, **said} if at == place else item for at, item in enumerate(items)]


def answer(items: Sequence[Any]) -> str:
    """Write an answer as the prompt asks for it."""
    return json.dumps(list(items), indent=1, ensure_ascii=False)


def in_python(items: Sequence[Any]) -> str:
    """Write an answer as many models do: a sentence, a fence, and Python's None for what is not known."""
    said = json.dumps([{name: None if value != value else value for name, value in item.items()} for item in items])
    return f"Here is what the paper says:\n\n```json\n{said.replace('null', 'None')}\n```\n"


def on_one_line(items: Sequence[Any]) -> str:
    """Write an answer as the reference is laid out."""
    return json.dumps(list(items))
