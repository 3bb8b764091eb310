"""One model's answers to all ten tasks of CURIE at the paper's sizes: records of the demo, joined until long enough.

Documents and ground truths have the words of the paper's (docs/curie.md#paper-words); a third of the answers is right,
a third is right for another record, and a third is prose with half of an answer in it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows, seeds
from harness.studies.curie.study import STUDY

DRAWN = 12  # records of the demo that are joined in turn
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
LENGTHS = (60, 1_000)  # residues of a chain: 44,028 words of a document are about 3,700 atoms, or 470 residues
Record = tuple[str, str, str]  # document, ground truth, right answer


class TaskSize(NamedTuple):
    """The published size of a task: records, words of a document, and how many records of the demo make one."""

    records: int
    words: int
    joined: int


SIZES: Mapping[str, TaskSize] = {
    "dft-s": TaskSize(74, 5_818, 2), "dft-p": TaskSize(74, 5_818, 2), "dft-c": TaskSize(74, 5_818, 2),
    "mpv": TaskSize(17, 1_687, 4), "hfd": TaskSize(15, 5_385, 13), "hfe": TaskSize(38, 8_472, 3),
    "qecc": TaskSize(65, 19_913, 2), "geo": TaskSize(19, 7_802, 8), "biogr": TaskSize(138, 100, 1),
    "pdb": TaskSize(64, 44_028, 1),
}  # fmt: skip
RESPONSES = sum(size.records for size in SIZES.values())


def write_task(task: str, folder: Path) -> None:
    """Write items, gold and one response to each, as the steps of a run are given them."""
    folder.mkdir(parents=True)
    made = _records(task)
    tables: dict[str, list[dict[str, Any]]] = {"items": [], "gold": [], "responses": []}
    for place, (document, truth, target) in enumerate(made):
        name = f"{task}-{place:03d}"
        tables["items"].append({"id": name, "task": task, "input": {"text": document}, "difficulty": None, "meta": {}})
        tables["gold"].append({"id": name, "gold": {"target": target, "truth": truth}})
        text = _answer(place, [record[2] for record in made], document)
        about = {"item": name, "template": 1, "model": "m", "sample": 0}
        tables["responses"].append({**about, "text": text, "finish": "stop"})
    for table, found in tables.items():
        rows.write(folder / table, found)


def _answer(place: int, targets: Sequence[str], document: str) -> str:
    kind, own = place % 3, targets[place]
    if kind == 2:
        said = " ".join(document.split()[:400])
        return f"Here is what the paper says. {said}\n\n```\n{own[: len(own) // 2]}"
    return own if kind == 0 else targets[(place + 1) % len(targets)]


def _records(task: str) -> list[Record]:
    maker, size = STUDY.makers[f"curie.demo_{task}"], SIZES[task]
    module, _, function = maker.kind.partition(":")
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        getattr(import_module(module), function)({"seed": 7, "count": DRAWN, **maker.fixed}, {}, out)
        drawn = [
            (item["input"]["text"], gold["gold"]["truth"], gold["gold"]["target"])
            for item, gold in zip(rows.read(out / "items"), rows.read(out / "gold"), strict=True)
        ]
    below = _draws(task)
    found = []
    for place in range(size.records):
        taken = [drawn[(place + step * (1 + place // DRAWN)) % DRAWN] for step in range(size.joined)]
        truth, target = _JOINS[task](taken) if task != "pdb" else _chain(below)
        found.append((_document([record[0] for record in drawn[place % DRAWN :] + drawn], size.words), truth, target))
    return found


def _document(texts: Sequence[str], words: int) -> str:
    said: list[str] = []
    while len(said) < words:
        for text in texts:
            said += text.split(" ")
            if len(said) >= words:
                break
    return " ".join(said[:words])


def _draws(purpose: str) -> Callable[[int], int]:
    source = seeds.random_stream(seeds.derive_seed(5, f"bench.curie.model.{purpose}"))
    return lambda bound: seeds.draw_below(source, bound)


def _chain(below: Callable[[int], int]) -> tuple[str, str]:
    """Give a chain of residues as ground truth, and a right answer but for one residue of ten."""
    least, most = LENGTHS
    chain = "".join(RESIDUES[below(20)] for _ in range(least + below(most - least)))
    said = "".join(RESIDUES[below(20)] if below(10) == 0 else one for one in chain)
    return json.dumps({"sequence": chain}), f">chain\n{said}\n"


def _programs(taken: Sequence[Record]) -> tuple[str, str]:
    truths = [json.loads(truth) for _, truth, _ in taken]
    whole = {**truths[0], **{name: "\n".join(one[name] for one in truths) for name in ("code", "no_header_code")}}
    return json.dumps(whole), "\n".join(target for *_, target in taken)


def _items_of_programs(taken: Sequence[Record]) -> tuple[str, str]:
    return _programs(taken)[0], json.dumps([one for *_, target in taken for one in json.loads(target)])


def _properties(taken: Sequence[Record]) -> tuple[str, str]:
    items = [one for _, truth, _ in taken for one in json.loads(truth)]
    numbered = [{**one, "index": place} for place, one in enumerate(items)]
    return json.dumps(numbered), json.dumps([one for *_, target in taken for one in json.loads(target)])


def _steps(taken: Sequence[Record]) -> tuple[str, str]:
    steps = [json.loads(truth)["steps"] for _, truth, _ in taken]
    joined = [{**group[0], "answer": "\n".join(one["answer"] for one in group)} for group in zip(*steps, strict=True)]
    return json.dumps({"steps": joined}), json.dumps(joined)


def _energies(taken: Sequence[Record]) -> tuple[str, str]:
    formula = "\n".join(json.loads(truth)["hamiltonian"] for _, truth, _ in taken)
    return json.dumps({"hamiltonian": formula}), "\n".join(target for *_, target in taken)


def _codes(taken: Sequence[Record]) -> tuple[str, str]:
    (_, truth, target), (_, other, _) = taken
    whole = {**json.loads(truth), "comments": json.loads(other)}
    return json.dumps(whole), target


def _data_sets(taken: Sequence[Record]) -> tuple[str, str]:
    truths = [json.loads(truth) for _, truth, _ in taken]
    whole = {**truths[0], "datasets": [one for truth in truths for one in truth["datasets"]]}
    return json.dumps(whole), json.dumps(whole, indent=2)


def _box(taken: Sequence[Record]) -> tuple[str, str]:
    [(_, truth, target)] = taken
    return truth, target


_JOINS: Mapping[str, Callable[[Sequence[Record]], tuple[str, str]]] = {
    "dft-s": _items_of_programs, "dft-p": _items_of_programs, "dft-c": _programs, "mpv": _properties, "hfd": _steps,
    "hfe": _energies, "qecc": _codes, "geo": _data_sets, "biogr": _box,
}  # fmt: skip
