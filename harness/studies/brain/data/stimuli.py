"""The maker of published stimuli: turns files of sentences and stories into rows with their places in the dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.data.parameters import DATASET, EXPERIMENT, OF_EXPERIMENT, ORDER, SENTENCES, STORIES
from harness.studies.brain.data.source_order import ROWS, in_study_order, read_lines, read_order, require_rows
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.others import SENTENCES as FEDORENKO_SENTENCES
from harness.studies.brain.structure.others import TRS, WORDS, blank, fedorenko
from harness.studies.brain.structure.pereira import pereira
from harness.studies.brain.terms import FEDORENKO, PEREIRA

FILES = (SENTENCES, *OF_EXPERIMENT.values(), ORDER, STORIES)
_PUBLISHED = (*OF_EXPERIMENT.values(), ORDER)  # Pereira's sentences as published, and the study's order


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `stimuli` and `counts` of a published dataset; params: dataset and, for Pereira, perhaps one experiment.

    Raises InputError if files are missing, do not belong to the dataset, or do not have its rows.
    """
    dataset, experiment = params[DATASET], params.get(EXPERIMENT, "")
    if experiment and dataset != PEREIRA:
        raise InputError(f"{dataset} has no experiments", where=EXPERIMENT, next=f"leave `{EXPERIMENT}` out")
    every = published(*read_texts(dataset, {name: inputs[name] for name in FILES if name in inputs}))
    found = [row for row in every if experiment in ("", row.get(EXPERIMENT))]
    rows.write(out / "stimuli", found)
    counts = {"blocks": len({row["block"] for row in found}), "rows": len(found), "words": _words(found)}
    rows.write_one(out / "counts", {f"published {dataset}": counts})


def read_texts(dataset: str, files: Mapping[str, Path]) -> tuple[Layout, list[str]]:
    """Return a dataset's layout and the text of each of its rows.

    Raises InputError if files are missing, do not belong to the dataset, or do not have its rows.
    """
    readers = {PEREIRA: _pereira, FEDORENKO: _fedorenko}
    return readers.get(dataset, _blank)(files)


def published(where: Layout, texts: Sequence[str]) -> list[Stimulus]:
    """Return stimuli made of a layout's rows and their texts, unchanged; raise InputError if a row has no word."""
    require_rows(where.dataset, len(texts), len(where.ids), "texts")
    found: list[Stimulus] = []
    for row, text in enumerate(texts):
        if not text.strip():
            raise InputError("a text is empty", where=where.ids[row], next="give the published file")
        stimulus = Stimulus(
            id=where.ids[row],
            label=where.labels[row],
            block=where.blocks[row],
            position=where.positions[row],
            text=text,
        )
        if where.experiments[row]:
            stimulus["experiment"] = where.experiments[row]
        found.append(stimulus)
    return found


def _pereira(files: Mapping[str, Path]) -> tuple[Layout, list[str]]:
    """Read the file in the study's order, or the files of both experiments and the order."""
    _require(PEREIRA, files, (SENTENCES,) if SENTENCES in files else _PUBLISHED)
    if SENTENCES in files:
        return pereira(), read_lines(SENTENCES, files[SENTENCES])
    found = {of: read_lines(name, files[name]) for of, name in OF_EXPERIMENT.items()}
    for of, name in OF_EXPERIMENT.items():
        require_rows(name, len(found[of]), ROWS[of], "sentences")
    return pereira(), in_study_order(read_order(files[ORDER]), found)


def _fedorenko(files: Mapping[str, Path]) -> tuple[Layout, list[str]]:
    _require(FEDORENKO, files, (SENTENCES,))
    lines = [line.split() for line in read_lines(SENTENCES, files[SENTENCES])]
    require_rows(SENTENCES, len(lines), FEDORENKO_SENTENCES, "sentences")
    for number, words in enumerate(lines):
        require_rows(f"{SENTENCES}: line {number + 1}", len(words), WORDS, "words")
    return fedorenko(), [word for words in lines for word in words]


def _blank(files: Mapping[str, Path]) -> tuple[Layout, list[str]]:
    """Read the stories by name; their order in the file does not matter."""
    _require("blank", files, (STORIES,))
    found = arrays.read_all(files[STORIES])
    if sorted(found) != sorted(TRS):
        raise InputError(f"it has other stories than {', '.join(TRS)}", where=STORIES, next="give the published file")
    for story, scans in TRS.items():
        if found[story].dtype.kind != "U" or found[story].ndim != 1:
            raise InputError("a story is no list of texts", where=f"{STORIES}: {story}", next="give a text a scan")
        require_rows(f"{STORIES}: {story}", len(found[story]), scans, "scans")
    return blank(), [str(text) for story in TRS for text in found[story]]


def _require(dataset: str, files: Mapping[str, Path], wanted: Sequence[str]) -> None:
    """Raise InputError if a wanted file is missing or a given file is not used."""
    if missing := [name for name in wanted if name not in files]:
        also = f", or `{SENTENCES}` alone" if missing[0] in _PUBLISHED else ""
        raise InputError(f"{dataset} needs `{missing[0]}`", where=missing[0], next=f"give {', '.join(wanted)}{also}")
    if spare := [name for name in files if name not in wanted]:
        raise InputError(f"nobody reads `{spare[0]}` here", where=spare[0], next=f"give {', '.join(wanted)} alone")


def _words(found: Sequence[Stimulus]) -> int:
    return sum(len(row["text"].split()) for row in found)
