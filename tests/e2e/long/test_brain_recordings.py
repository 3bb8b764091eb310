"""Recordings in both published layouts, from files on a disk to findings: full rows, 2,000 units, a real text model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, SECONDS, clean_env, data_of, error_of, harness
from support_brain_recordings import write_authors_arrays, write_neural_nlp
from support_draws import drawn

from harness.digest import sha256_file

needs("torch", "scipy", "h5py", "h5netcdf", "matplotlib")
pytestmark = [pytest.mark.together, pytest.mark.exhaustive]
UNITS = 2000
TINY = {"provider": "transformers", "source": "assets/tiny-shaped", "batch": "reference", "facts": {"layers": "3"}}
IN_TWO_PARTS = """
from harness.cli.main import main
from harness.studies.brain import planning

planning.PARTS = 2
main()
"""
ONE = {"experiment": "243", "units": "60"}  # so many of 100 took part in it
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


def ran(folder: Path, data: Path, run: Callable[..., object] = harness) -> Mapping[str, Any]:
    """Import a folder of files, lock and run; gives the documents of the run."""
    harness("import", "data", data, cwd=folder, check=0)
    run("lock", "manifests/m.yaml", cwd=folder, check=0)
    for _ in range(5):  # a command of a test has two minutes, and a run goes on where it was
        with suppress(subprocess.TimeoutExpired):
            run("run", "manifests/m.yaml", cwd=folder, check=0)
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
    "neural-nlp": write_neural_nlp,
    "authors-arrays": write_authors_arrays,
}


SIZED = {"pereira": UNITS, "blank": None}
FULL = drawn(product(SIZED, MAKERS), 0)  # what takes half a minute each, at night
KINDS = {"passages": ("pereira", 60), "words": ("fedorenko", None)}
SOME = drawn(KINDS, 1)
of_passages = pytest.mark.skipif("passages" not in SOME, reason="words were drawn")


def recorded_by(
    data: Path, name: str, dataset: str, maker: str, units: int | None, params: Mapping[str, str] | None = None
) -> tuple[Any, dict[str, Path]]:
    """Write one simulated dataset by a layout; gives what a manifest says of it, and its files by their names there."""
    params = params or ({"units": str(units)} if units else {})
    (folder := data / name).mkdir(parents=True)
    written = {key: path for key, path in MAKERS[maker](folder, dataset, units=units).items() if key != "word"}
    return made(f"brain.{maker.replace('-', '_')}", dataset, written, name, **params), named(written, name)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Passages or words in both layouts, at night both, and at full size: what a run without a text model says."""
    top = tmp_path_factory.mktemp("scored")
    told: list[tuple[str, str, str, int | None]] = [
        *((f"{kind}-{maker}", KINDS[kind][0], maker, KINDS[kind][1]) for kind in SOME for maker in MAKERS),
        *((f"full-{dataset}-{maker}", dataset, maker, SIZED[dataset]) for dataset, maker in FULL),
    ]
    datasets: dict[str, Any] = {}
    files: dict[str, Path] = {}
    for name, dataset, maker, units in told:
        datasets[name], own = recorded_by(top / "data", name, dataset, maker, units)
        files |= own
    found: Mapping[str, Any] = ran(project(top / "p", datasets, files), top / "data")["performance"]["datasets"]
    return found


def test_recordings_of_each_layout_are_scored_in_all_rows_and_units(scored: Mapping[str, Any]) -> None:
    sizes = {"passages": (627, 60), "words": (416, 97), "full-pereira": (627, UNITS), "full-blank": (1317, 60)}
    assert len(scored) == 2 * len(SOME) + len(FULL)
    for name, own in scored.items():
        [size] = [size for start, size in sizes.items() if name.startswith(start)]
        assert (own["rows"], own["units"]) == size


@of_passages
def test_participants_and_networks_of_passages_are_told_apart(scored: Mapping[str, Any]) -> None:
    for found in (own["splits"]["contiguous"] for name, own in scored.items() if own["rows"] == 627):
        assert set(found["OASM@2.2"]["participants"]) >= {"018", "199", "215", "426"}
        assert set(found["SP+SL"]["networks"]) == {"DMN", "MD", "auditory", "language", "visual"}


@of_passages
def test_what_was_planted_is_found(scored: Mapping[str, Any]) -> None:
    for splits in (own["splits"] for own in scored.values() if own["rows"] == 627):
        assert splits["shuffled"]["OASM@2.2"]["r2"] > 0.15 > 0.01 > splits["contiguous"]["OASM@2.2"]["r2"]
        assert splits["contiguous"]["SP+SL"]["r2"] > 0.02


@pytest.mark.parametrize("of", SOME)
def test_both_layouts_give_the_same_scores(scored: Mapping[str, Any], of: str) -> None:
    one, other = (scored[f"{of}-{maker}"]["splits"] for maker in MAKERS)
    for split in ("contiguous", "shuffled"):
        assert other[split]
        for model, told in other[split].items():
            assert one[split][model]["r2"] == pytest.approx(told["r2"], abs=1e-6), (split, model)


@pytest.mark.nightly  # findings: `tests/studies/brain/measures/test_findings.py`, and a text model's the demo `brain`
def test_a_text_model_on_recordings_ends_as_findings(tmp_path: Path) -> None:
    """A model reads in two parts here, not eight: each is a process that takes seconds to start."""
    own, files = recorded_by(tmp_path / "data", "p", "pereira", "neural-nlp", 100, ONE)
    folder = project(tmp_path / "m", {"real": own}, files, models={"tiny": TINY})
    found = ran(folder, tmp_path / "data", run=in_two_parts)
    assert {"alone", "table", "starred", "time", "tests"} <= set(found["findings"]["real"]["tiny"])


def in_two_parts(*words: str, cwd: Path, check: int) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", IN_TWO_PARTS, *words], cwd=cwd, env=clean_env(), timeout=SECONDS, check=False
    )
    assert done.returncode == check


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
