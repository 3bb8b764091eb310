"""A study that reads published data of many files, found as studies are, without a line of it in the harness.

Its code lies in a folder of links to the harness, which stands for the code that is installed while a block lasts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import harness.studies
from harness import parts
from harness.digest import sha256
from harness.run import closure, lock
from harness.run.executing import runner
from harness.run.locking import datasets

REAL = Path(harness.__file__).parent
STUDY = '''"""Shelf: what published files hold, each counted, and a table of the study's own."""

from harness.steps import Plan, Ref, Step
from harness.kit.ask import Asked, make
from harness.kit.study import Maker, Study

HERE = "harness.studies.shelf.data"


class Shelf(Study):
    name = "shelf"
    needs = ()
    makers = {
        "shelf.lengths": Maker(f"{HERE}:make", {}, folders=("data",), needs=("data",)),
        "shelf.whole": Maker(f"{HERE}:make", {}, folders=("data",), needs=("data",), whole=("data",)),
    }

    def plan(self, brief):
        asked, outputs = Asked(), {}
        for dataset in brief.datasets:
            make(asked, dataset, self.makers[dataset.make].kind, ("items", "gold", "counts"))
            for name in ("f00.csv", "sub/f39.csv"):
                one = dataset.folders["data"].only(name)
                step = name.partition(".")[0].replace("/", "-")
                inputs = {"data": one.parts, "words": brief.tables["shelf/words@1"]}
                outputs[step] = asked.add(
                    Step(step, f"{HERE}:value", "analyses", {"data": one.said, "file": name}, inputs, (step,))
                )
        outputs |= {name: Ref("lengths/make", name) for name in ("items", "counts")}
        return Plan(tuple(asked.steps), outputs)


STUDY = Shelf()
'''
DATA = '''"""What a file holds, and what one of them says."""

from harness import rows
from harness.kit.file_set import file_set


def make(params, inputs, out):
    """Write an item for each file that is here."""
    files = file_set(params, inputs, "data")
    rows.write(out / "items", ({"id": path, "bytes": len(file.read_bytes())} for path, file in files.items()))
    rows.write(out / "gold", ())
    rows.write_one(out / "counts", {"here": len(files), "absent": list(files.absent)})


def value(params, inputs, out):
    """Write what one file says, or what is needed to say it."""
    files = file_set(params, inputs, "data")
    name = params["file"]
    found = files.lacking(name) or {"value": int(files[name].read_text().split()[1])}
    step = name.partition(".")[0].replace("/", "-")
    rows.write_one(out / step, {**found, "words": inputs["words"].read_text()})
'''
WORDS = "one,two\n"


def content(number: int) -> bytes:
    """Give what one of the published files holds."""
    return f"value {number}\n".encode()


def published(count: int = 40) -> dict[str, bytes]:
    """Give the published files by their paths; the last one lies in a folder."""
    names = [f"f{number:02}.csv" for number in range(count - 1)] + [f"sub/f{count - 1:02}.csv"]
    return {name: content(number) for number, name in enumerate(names)}


def listed(files: Mapping[str, bytes]) -> dict[str, dict[str, str]]:
    """Spell them as a manifest lists them, at an address where nobody listens."""
    return {name: {"url": f"https://localhost:1/{name}", "sha256": sha256(data)} for name, data in files.items()}


def manifest(root: Path, make: str = "shelf.lengths", more: str = "", files: Mapping[str, bytes] | None = None) -> Path:
    """Write a project of one manifest of that study."""
    (root / "lockfiles").mkdir(parents=True, exist_ok=True)
    path = root / "manifests" / "shelf.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "harness: 2\nstudy: shelf\nname: shelf\nabout: Forty files.\n"
        f"datasets:\n  lengths: {{make: {make}, data: published}}\n"
        f"  published: {{licence: CC0, fetch: {json.dumps(listed(files or published()))}}}\n{more}"
    )
    return path


def downloaded(folder: Path, without: Collection[str] = ()) -> Path:
    """Lay the published files down as a person who downloaded them has them."""
    for name, data in published().items():
        if name not in without:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    return folder


@contextmanager
def shelf(folder: Path) -> Iterator[Path]:
    """Have the house find the study, and its steps their code, in this process; gives the study's folder."""
    root = folder.resolve() / "code"
    own = root / "harness" / "studies" / "shelf"
    (own / "tables").mkdir(parents=True)
    for source, place in ((REAL, root / "harness"), (REAL / "studies", root / "harness" / "studies")):
        for path in source.iterdir():
            if path.name not in ("studies", "__pycache__") or source != REAL:
                (place / path.name).symlink_to(path)
    (own / "__init__.py").write_text('"""Shelf."""\n')
    (own / "study.py").write_text(STUDY)
    (own / "data.py").write_text(DATA)
    (own / "tables" / "words@1.csv").write_text(WORDS)
    (own / "tables" / "unread@1.json").write_text("{}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(harness.studies, "__path__", [*harness.studies.__path__, str(own.parent)])
        for module in (closure, lock, runner, datasets):
            patch.setattr(module, "code_root", lambda: root)
        _forget()
        yield own
    _forget()


def _forget() -> None:
    """Forget the study that was found in another folder: a second block in one process has its own."""
    parts._inside.cache_clear()
    vars(harness.studies).pop("shelf", None)
    for name in [name for name in sys.modules if name.split(".")[:3] == ["harness", "studies", "shelf"]]:
        del sys.modules[name]
