"""The manifests of the published study, run on the real records that lie beside the checkout, and on our own.

Nothing is fetched: addresses are replaced, and files are found by their digests.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, data_of, harness
from support_curie_records import PROMPTS, RECORDS, needs_real, zipped
from support_draws import drawn

from harness import rows
from harness.digest import sha256
from harness.studies.curie.data import archive
from harness.studies.curie.measures.paper_models import TABLE_1
from harness.studies.curie.study import STUDY
from harness.studies.curie.tasks import TASKS

needs_real(RECORDS, PROMPTS)
PAPER = REPOSITORY / "manifests" / "paper"


def project(root: Path, name: str, change: Callable[[str], str] = str) -> str:
    """Lay a manifest into a project of its own, in which nothing is fetched from anywhere; gives its path there."""
    (root / "manifests").mkdir()
    (root / "lockfiles").mkdir()
    text = re.sub(r"https://(raw|media)\.githubusercontent\.com", "https://localhost:1", (PAPER / name).read_text())
    (root / "manifests" / name).write_text(change(text))
    return f"manifests/{name}"


def ran(root: Path, manifest: str, *folders: Path) -> dict[str, Any]:
    """Import folders, lock and run: gives the primary metric of each task by model."""
    for folder in folders:
        harness("import", "data", folder, cwd=root, check=0)
    harness("lock", manifest, cwd=root, check=0)
    harness("run", manifest, cwd=root, check=0)
    tasks = json.loads(harness("get", "last", "means", cwd=root, check=0).stdout)["tasks"]
    return {
        name: {model: (cell["primary"].get("value"), cell["primary"]["n"]) for model, cell in each["models"].items()}
        for name, each in tasks.items()
    }


USABLE = {"dft-s": 41, "dft-p": 45, "dft-c": 45, "mpv": 9, "mpv-non-trivial": 9, "mpv-specific": 9}


# Mean words of the input of the 45 and 9 records at hand, parted at single spaces: counted with `str.split(" ")` alone.
WORDS = {**dict.fromkeys(("dft-s", "dft-p", "dft-c"), "5914"), "mpv": "1656.111111111111"}


@pytest.mark.exhaustive
def test_the_public_copy_gives_the_oracle_all_and_silence_nothing(tmp_path):
    """Of two of its tasks, at night of all."""
    usable = {task: USABLE[task] for task in drawn(USABLE, 2)}

    def change(text: str) -> str:
        for task in USABLE.keys() - usable:
            text, count = re.subn(rf"(?m)^  (?:{task}: |- {{id: (?:n|words)-{task},).*\n", "", text)
            assert count == 2 + (task in WORDS), task
        return text

    manifest = project(tmp_path, "curie-public-copy.yaml", change)
    found = ran(tmp_path, manifest, RECORDS, PROMPTS)
    assert {task: each["oracle"] for task, each in found.items()} == {task: (1, n) for task, n in usable.items()}
    assert {task: each["empty"] for task, each in found.items()} == {task: (0, n) for task, n in usable.items()}
    claims = data_of("claims", manifest, cwd=tmp_path, check=None)["claims"]
    here = {f"n-{task}": "45" if task.startswith("dft") else "9" for task in usable}  # of 74 and 17
    here |= {f"words-{task}": WORDS[task] for task in usable if task in WORDS}
    assert {row["id"]: row["value"] for row in claims} == here
    assert all(row["verdict"] == "missed" and row["without"] for row in claims)


def test_the_maps_give_the_oracle_all_and_silence_nothing(tmp_path):
    found = ran(tmp_path, project(tmp_path, "curie-biogr.yaml"), RECORDS / "biogr", PROMPTS)
    assert (found["biogr"]["oracle"], found["biogr"]["empty"]) == ((1, 8), (0, 8))


def own_archive(path: Path) -> bytes:
    """Write an archive in the published layout: a record of our own in each of the eight domains."""
    packed: dict[str, bytes] = {}
    for task in ("dft-s", "mpv", "hfd", "hfe", "qecc", "geo", "biogr", "pdb"):
        maker, out = STUDY.makers[f"curie.demo_{task}"], path.with_suffix(f".{task}")
        module, _, function = maker.kind.partition(":")
        out.mkdir()
        getattr(import_module(module), function)({"seed": 7, "count": 1, **maker.fixed}, {}, out)
        truths = {row["id"]: row["gold"]["truth"] for row in rows.read(out / "gold")}
        images = list(rows.read(out / "media")) if (out / "media").exists() else []
        for each in rows.read(out / "items"):
            record, above = each["meta"]["record"], f"data/{TASKS[task].domain}"
            packed[f"{above}/ground_truth/{record}.json"] = truths[each["id"]].encode()
            text = json.dumps({"record_id": record, "text": each["input"]["text"]})
            packed[f"{above}/inputs/{record}.json"] = text.encode()
            for shown in images:  # of the one record
                packed[f"{above}/inputs/{record}.png"] = base64.b64decode(shown["data"])
    return zipped(path, packed).read_bytes()


def test_an_archive_of_our_own_runs_as_the_official_one_would(tmp_path):
    """Two stand-ins under the names of two models, and one as the judge: each of their claims gets a number."""
    data = own_archive(tmp_path / "data.zip")
    names = ("mixtral-gcp", "gpt-4o")

    def change(text: str) -> str:
        head, models, rest = re.split(r"^models:\n|^datasets:\n", text, flags=re.MULTILINE)
        assert all(name in models for name in names)
        said = "".join(f"  {name}: {{provider: baseline, behaviour: oracle}}\n" for name in names)
        judge = "instruments:\n  judge: {provider: baseline, behaviour: empty}\n"
        return f"{head}models:\n{said}{judge}datasets:\n{rest}".replace(archive.SHA256, sha256(data))

    manifest = project(tmp_path, "curie-archive.yaml", change)
    harness("import", "data", tmp_path / "data.zip", cwd=tmp_path, check=0)
    found = ran(tmp_path, manifest, PROMPTS)
    assert set(found) == set(TASKS) and all(each["gpt-4o"][1] == 1 for each in found.values())
    claims = data_of("claims", manifest, cwd=tmp_path, check=None)["claims"]
    ours = [row for row in claims if not any(f"/{name}/" in row["of"] for name in set(TABLE_1) - set(names))]
    unmade = [row for row in ours if row["id"].endswith(("-bert", "-lmscore")) and row["of"].startswith("tables#")]
    assert len(ours) - len(unmade) == 12 + 9 + 4 + 9 + (7 + 15 + 1) + (8 + 15 + 2 + 1)
    assert not [row["id"] for row in ours if row["value"] is None and row not in unmade]
    assert len(unmade) == 2 * (6 + 6 + 4) and {row["value"] for row in unmade} == {None}  # no scorer gives them
