"""The maker of published results and the plan of their reanalysis; the manifest, run as a user would run it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from studies.brain.reanalysis.made_results import REAL, participants
from support import REPOSITORY, data_of, harness

from harness import rows
from harness.errors import InputError
from harness.kit.ask import Asked
from harness.kit.study import Brief, Dataset, FileSet
from harness.steps import Pinned
from harness.studies.brain.reanalysis import outputs
from harness.studies.brain.reanalysis.maker import make
from harness.studies.brain.reanalysis.planning import reanalyse

MANIFEST = REPOSITORY / "manifests" / "reanalysis" / "brain-H.yaml"
TABLE = "source_data/figure1/blank_pearson_r_contig.csv"
SHA = "0" * 64


def made(folder: Path, *paths: str, absent: tuple[str, ...] = ()) -> tuple[list[Any], Any]:
    """Run the maker over files, each a table by participant, whatever it is called."""
    (folder / "in").mkdir()
    for at, _ in enumerate(sorted(paths)):
        participants(folder / "in", rows.part_name(at), {"OASM": dict.fromkeys("01234", 0.1)})
    said = {"files": sorted(paths), "absent": sorted(absent)}
    make({"files": said}, {"files": folder / "in"}, folder)
    return list(rows.read(folder / "published")), next(rows.read(folder / "counts"))


def brief(*names: str) -> Brief:
    folders = {"files": FileSet({TABLE: Pinned(SHA)}, ("source_data/figure1/other.csv",))}
    datasets = tuple(Dataset(name, "brain.published", {}, 0, {}, folders) for name in names)
    return Brief(datasets, (), {}, {}, (0,), {"generation": "H"})


def test_what_is_absent_and_what_is_unknown_are_counted_and_named(tmp_path: Path) -> None:
    found, counts = made(tmp_path, TABLE, "source_data/figure1/notes.csv", absent=("source_data/figure1/x.csv",))
    assert [row["path"] for row in found] == [TABLE] and found[0]["split"] == "contiguous"
    assert counts == {"files": 1, "kinds": {"participants": 1}, "unknown": ["source_data/figure1/notes.csv"],
                      "absent": ["source_data/figure1/x.csv"]}  # fmt: skip


@pytest.mark.parametrize("paths", [(), ("README.md", "source_data/figure1/notes.csv")])
def test_files_of_which_none_is_known_are_refused(paths: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of the published files"):
        made(tmp_path, *paths)


def test_the_plan_has_a_document_figures_and_a_page() -> None:
    asked = Asked()
    assert set(reanalyse(asked, brief("results"))) == {"reanalysis", outputs.REPORT, *outputs.figures()}
    assert [step.name for step in asked.steps] == ["reanalysis", "reanalysis-figures", "reanalysis-page"]
    assert all(step.derive for step in asked.steps)


def test_a_run_without_published_results_has_no_reanalysis() -> None:
    asked = Asked()
    assert reanalyse(asked, brief()) == {} and asked.steps == []


def test_two_data_sets_of_published_results_are_refused() -> None:
    with pytest.raises(InputError, match="one and two are both published results") as bad:
        reanalyse(Asked(), brief("one", "two"))
    assert bad.value.where == "datasets.two"


def project(root: Path, *lost: str) -> None:
    """Lay out a project in which nothing is fetched, import copies of the published files, lock and run."""
    for name in ("manifests", "lockfiles", "copies"):
        (root / name).mkdir(parents=True)
    text = re.sub(r"https://raw\.githubusercontent\.com", "https://localhost:1", MANIFEST.read_text())
    (root / "manifests" / "m.yaml").write_text(text)
    for path in (*(REAL / "published").iterdir(), *(REAL / "best_layer_sigma").iterdir()):
        if path.name not in lost:
            shutil.copyfile(path, root / "copies" / path.name)
    for words in (("import", "data", "copies"), ("lock", "manifests/m.yaml"), ("run", "manifests/m.yaml")):
        harness(*words, cwd=root, check=0)


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="the published results are not here")
def test_every_claim_of_the_manifest_is_met_and_the_audit_agrees(tmp_path: Path) -> None:
    project(tmp_path)
    claims = data_of("claims", "manifests/m.yaml", cwd=tmp_path, check=None)["claims"]
    assert len(claims) >= 199 and {one["verdict"] for one in claims} == {"met"}
    [one] = data_of("runs", cwd=tmp_path)["runs"]
    assert data_of("audit", one["run"], cwd=tmp_path)["verdict"] == "agreed"


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="the published results are not here")
def test_without_some_files_the_rest_is_reanalysed(tmp_path: Path) -> None:
    project(tmp_path, "figure1_pereira_pearson_r_contig.csv", "figure2_oasm_omega_values.csv", "best_sigma.npz")
    found = json.loads(harness("get", "last", "reanalysis", cwd=tmp_path, check=0).stdout)
    assert found["coverage"]["files"] == 35 and len(found["coverage"]["absent"]) == 3
    assert list(found["omegas"]) == ["figure5-gpt2xl", "figure5-roberta-large"]
    assert "shuffled" in found["participants"]["figure1"]["pereira"]["pearson_r"]
