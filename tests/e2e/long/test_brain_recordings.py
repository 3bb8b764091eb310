"""Recordings in both published layouts, from files on a disk to findings: full rows, 2,000 units, a real text model."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, data_of, error_of, harness
from support_brain_recordings import write_authors_arrays, write_neural_nlp

from harness.digest import sha256_file

needs("torch", "scipy", "h5py", "h5netcdf", "matplotlib")
pytestmark = pytest.mark.together
UNITS = 2000
TINY = {"provider": "transformers", "source": "assets/tiny-shaped", "batch": "reference", "facts": {"layers": "3"}}
SETTINGS = {"generation": "P", "iterations": 7, "sigmas": "2.2", "families": 1}


def project(folder: Path, datasets: Mapping[str, Any], files: Mapping[str, Path], **more: Any) -> Path:
    """Lay out a project whose manifest pins these files by their digests."""
    (folder / "manifests").mkdir(parents=True)
    (folder / "lockfiles").mkdir()
    shutil.copytree(REPOSITORY / "assets", folder / "assets")
    pinned = {
        name: {"fetch": f"https://example.org/{name}", "sha256": sha256_file(path)[0], "licence": "simulated"}
        for name, path in files.items()
    }
    manifest = {
        "harness": 2, "study": "brain", "name": "m", "about": "Recordings of a user.",
        "datasets": {**pinned, **datasets}, "settings": SETTINGS,
        "resources": {"gpus": 0, "memory": "4GiB", "timeout": "20m"}, **more,
    }  # fmt: skip
    (folder / "manifests" / "m.yaml").write_text(json.dumps(manifest, indent=1))
    return folder


def ran(folder: Path, data: Path) -> Mapping[str, Any]:
    """Import a folder of files, lock and run; gives the documents of the run."""
    harness("import", "data", data, cwd=folder, check=0)
    harness("lock", "manifests/m.yaml", cwd=folder, check=0)
    for _ in range(5):  # a command of a test has two minutes, and a run goes on where it was
        with suppress(subprocess.TimeoutExpired):
            harness("run", "manifests/m.yaml", cwd=folder, check=0)
            break
    found = {}
    for name in ("performance", "findings", "tests"):
        harness("get", "last", name, "-o", f"{name}.got", cwd=folder, check=0)
        found[name] = json.loads((folder / f"{name}.got").read_bytes())
    return found


def named(files: Mapping[str, Path], prefix: str) -> dict[str, Path]:
    return {f"{prefix}-{name.replace('_', '-')}": path for name, path in files.items()}


def made(maker: str, dataset: str, files: Mapping[str, Path], prefix: str, **params: str) -> dict[str, Any]:
    told = {name: f"{prefix}-{name.replace('_', '-')}" for name in files}
    return {"make": maker, "dataset": dataset, **told, **params}


MAKERS: Mapping[str, Callable[..., Mapping[str, Path]]] = {
    "neural_nlp": write_neural_nlp,
    "authors_arrays": write_authors_arrays,
}


def pereira(top: Path, maker: str, units: int, models: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Run one layout of a simulated dataset of Pereira's 627 rows; gives the documents of the run."""
    (data := top / f"{maker}-data").mkdir()
    files = {name: path for name, path in MAKERS[maker](data, "pereira", units=units).items() if name != "word"}
    datasets = {"real": made(f"brain.{maker}", "pereira", files, "p", units=str(units))}
    more = {"models": models} if models else {}
    return ran(project(top / maker, datasets, named(files, "p"), **more), data)


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Both layouts at 2,000 units, without a text model: to fit one would take minutes and prove no more of them."""
    top = tmp_path_factory.mktemp("passages")
    return {maker: pereira(top, maker, UNITS) for maker in MAKERS}


def test_two_thousand_units_of_two_experiments_are_scored(passages: Mapping[str, Any]) -> None:
    for found in passages.values():
        real = found["performance"]["datasets"]["real"]
        assert (real["rows"], real["units"]) == (627, UNITS)
        assert set(real["splits"]["contiguous"]["OASM@2.2"]["participants"]) >= {"018", "199", "215", "426"}
        assert set(real["splits"]["contiguous"]["SP+SL"]["networks"]) == {"DMN", "MD", "auditory", "language", "visual"}


def test_a_text_model_on_recordings_ends_as_findings(tmp_path: Path) -> None:
    found = pereira(tmp_path, "neural_nlp", 100, {"tiny": TINY})
    assert {"alone", "table", "starred", "time", "tests"} <= set(found["findings"]["real"]["tiny"])


def test_what_was_planted_is_found(passages: Mapping[str, Any]) -> None:
    splits = passages["neural_nlp"]["performance"]["datasets"]["real"]["splits"]
    assert splits["shuffled"]["OASM@2.2"]["r2"] > 0.15 > 0.01 > splits["contiguous"]["OASM@2.2"]["r2"]
    assert splits["contiguous"]["SP+SL"]["r2"] > 0.02


def test_both_layouts_give_the_same_scores(passages: Mapping[str, Any]) -> None:
    one, other = (
        passages[name]["performance"]["datasets"]["real"]["splits"] for name in ("neural_nlp", "authors_arrays")
    )
    for split in ("contiguous", "shuffled"):
        for model, told in other[split].items():
            assert one[split][model]["r2"] == pytest.approx(told["r2"], abs=1e-6), (split, model)


def test_words_in_both_layouts_and_scans_are_scored(tmp_path: Path) -> None:
    (data := tmp_path / "data").mkdir()
    datasets: dict[str, Any] = {}
    files: dict[str, Path] = {}
    for dataset, maker in (("fedorenko", "neural_nlp"), ("fedorenko", "authors_arrays"), ("blank", "authors_arrays")):
        prefix = f"{dataset}-{maker.replace('_', '-')}"
        (folder := data / prefix).mkdir()
        own = MAKERS[maker](folder, dataset)
        files |= named(own, prefix)
        datasets[f"{dataset}-{maker.partition('_')[0]}"] = made(f"brain.{maker}", dataset, own, prefix)
    found = ran(project(tmp_path / "p", datasets, files), data)["performance"]["datasets"]
    assert {name: (own["rows"], own["units"]) for name, own in found.items()} == {
        "fedorenko-neural": (416, 97), "fedorenko-authors": (416, 97), "blank-authors": (1317, 60),
    }  # fmt: skip
    one, other = (found[f"fedorenko-{way}"]["splits"]["shuffled"] for way in ("neural", "authors"))
    assert all(one[model]["r2"] == pytest.approx(other[model]["r2"], abs=1e-6) for model in other)


def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    (data := tmp_path / "data").mkdir()
    files = write_neural_nlp(data, "blank")
    folder = project(tmp_path / "p", {"real": made("brain.neural_nlp", "blank", files, "b")}, named(files, "b"))
    with files["assembly"].open("r+b") as handle:
        handle.seek(-9, 2)
        handle.write(b"X")
    harness("import", "data", data, cwd=folder)
    told = data_of("lock", "manifests/m.yaml", cwd=folder)["locks"][0]["unresolved"]
    assert "datasets.b-assembly" in told
    assert error_of(harness("run", "manifests/m.yaml", "--json", cwd=folder, check=3))["code"]


def test_recordings_that_nobody_has_end_with_how_to_get_them(tmp_path: Path) -> None:
    why = "get Blank2014fROI.nc with neural-nlp's loader, and pin what `harness import data FILE` prints"
    datasets = {
        "assembly": {"fetch": "https://example.org/Blank2014fROI.nc", "unresolved": why, "licence": "CC BY-NC-SA"},
        "real": {"make": "brain.neural_nlp", "dataset": "blank", "assembly": "assembly"},
    }
    folder = project(tmp_path / "p", datasets, {})
    harness("lock", "manifests/m.yaml", cwd=folder)
    told = error_of(harness("run", "manifests/m.yaml", "--json", cwd=folder, check=3))
    assert "Blank2014fROI.nc" in json.dumps(told)
    assert data_of("show", "manifests/m.yaml", cwd=folder, check=None)
