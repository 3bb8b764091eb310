"""Published files of the brain study as tests make them, each text its row's own name, and where the real ones lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from support import FIXTURES

from harness import rows
from harness.studies.brain.structure.others import TRS
from harness.studies.brain.structure.pereira import pereira

REAL = FIXTURES.parent / "data" / "brain" / "stimuli"  # never part of this project
REAL_FILES = {
    "sentences_243": REAL / "stimuli_243sentences.txt",
    "sentences_384": REAL / "stimuli_384sentences.txt",
    "order": REAL / "pereira_reordered_idxs.npy",
    "glove_243": REAL / "peirera_243_glove.txt",
    "glove_384": REAL / "peirera_384_glove.txt",
}


def of_source(experiment: str) -> list[str]:
    """Give an experiment's rows in an order that is not the study's: its passages from the last to the first."""
    blocks = [list(rows_of) for rows_of in pereira(experiment).block_rows().values()]
    ids = pereira(experiment).ids
    return [ids[row] for rows_of in reversed(blocks) for row in rows_of]


def source_order() -> list[int]:
    """Give the published order: in the recordings' file the experiments take turns until the smaller one ends."""
    small, large = of_source("243"), of_source("384")
    recorded = [name for pair in zip(large, small, strict=False) for name in pair] + large[len(small) :]
    return [recorded.index(name) for name in pereira().ids]


def written(folder: Path, name: str, lines: list[str]) -> Path:
    """Write lines as a file."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def pereira_files(folder: Path) -> dict[str, Path]:
    """Write Pereira's files: a text is `The <id>.`, a vector holds the number of its row in the study."""
    ids, files = list(pereira().ids), {}
    for of in ("243", "384"):
        source = of_source(of)
        files[f"sentences_{of}"] = written(folder, f"s{of}", [f"The {name}." for name in source])
        files[f"glove_{of}"] = written(folder, f"g{of}", [f"{ids.index(name)} 0.5 -1e-3" for name in source])
    np.save(folder / "order.npy", np.array(source_order()))
    return {**files, "order": folder / "order.npy"}


def story_file(folder: Path, **changed: Any) -> Path:
    """Write Blank's stories in no order: a text is `<story> <scan> `."""
    found = {name: np.array([f"{name} {scan} " for scan in range(TRS[name])]) for name in reversed(list(TRS))}
    np.savez(folder / "stories.npz", **{name: text for name, text in {**found, **changed}.items() if text is not None})
    return folder / "stories.npz"


def made(make: Any, params: dict[str, Any], files: dict[str, Path], out: Path) -> tuple[list[Any], Any]:
    """Make a step's outputs: its stimuli, if any, and its counts."""
    out.mkdir(exist_ok=True)
    make(params, files, out)
    [counts] = rows.read(out / "counts")
    return list(rows.read(out / "stimuli")) if (out / "stimuli").exists() else [], counts
