"""An engine is found by the name of its file, and what it can be asked is what its own file says of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.engines.engine import NO_IMAGE, Engine, EngineKind
from harness.errors import HarnessError, InputError, MissingError
from harness.images.image import Pin, save_pins
from harness.manifest.schema import Resources
from harness.run.engines import EngineChoice, engine_kinds, engine_of_run, open_engine


def chosen(choice: EngineChoice, root: Path = Path()) -> Engine:
    return open_engine(choice, root, "tests", Resources())


def test_every_file_that_holds_an_engine_is_one_and_says_what_it_is() -> None:
    assert {"local", "docker"} <= set(engine_kinds())
    assert all(isinstance(kind, EngineKind) and kind.about for kind in engine_kinds().values())
    assert chosen(EngineChoice()).name == "local"


@pytest.mark.parametrize(
    ("choice", "what", "advice"),
    [
        (EngineChoice("prison"), "there is no engine 'prison'", "docker local"),
        (EngineChoice("budget"), "there is no engine 'budget'", "docker local"),
        (EngineChoice("../local"), "there is no engine '../local'", "docker local"),
        (EngineChoice(moved=True), "the local engine runs in no image", "--engine docker"),
        (EngineChoice("docker", "process"), "the docker engine leaves no choice of isolation", "--engine local"),
        (EngineChoice(isolation="prison"), "no isolation is called 'prison'", "bubblewrap namespaces process"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_with_the_choices_there_are(
    choice: EngineChoice, what: str, advice: str
) -> None:
    with pytest.raises(InputError) as refused:
        chosen(choice)
    assert what in refused.value.what and all(word in refused.value.next for word in advice.split())


def test_an_image_without_a_pin_or_not_in_the_store_is_refused(image_store: tuple[Path, str], tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"images\.json names no image 'tests'"):
        chosen(EngineChoice("docker", images=image_store[0]), tmp_path)
    with pytest.raises(MissingError, match=r"no image tests\+moved is in this store") as refused:
        chosen(EngineChoice("docker", images=image_store[0], moved=True), tmp_path)
    assert "images build tests --moved" in refused.value.next


def test_an_image_that_is_nowhere_is_named_with_the_way_to_make_it(
    docker_host: str, image_store: tuple[Path, str], tmp_path: Path
) -> None:
    nowhere = Pin(f"sha256:{'0' * 64}", f"sha256:{'1' * 64}", ())
    (tmp_path / "lockfiles").mkdir()
    save_pins(tmp_path, {"tests": nowhere})
    with pytest.raises(MissingError, match=r"image tests \(sha256:0+…\) is not in this store") as refused:
        chosen(EngineChoice("docker", images=image_store[0]), tmp_path)
    assert "images build tests" in refused.value.next


@pytest.mark.parametrize(
    ("host", "code"), [("unix:///nonexistent/docker.sock", 3), ("tcp://192.0.2.1:2375", 2), ("ssh://somewhere", 2)]
)
def test_no_container_engine_or_one_elsewhere_is_told_with_advice(
    host: str, code: int, image_store: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(HarnessError) as refused:
        engine_of_run(EngineChoice(images=image_store[0]), image_store[1], Resources())
    assert refused.value.code == code and "DOCKER_HOST" in refused.value.next


def test_a_run_is_repeated_by_its_kind_of_engine_without_a_missing_gpu(
    docker_host: str, image_store: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")  # no `nvidia-smi`
    again = engine_of_run(EngineChoice(), NO_IMAGE, Resources(gpus=1))
    assert (again.image, again.device.kind) == (NO_IMAGE, "cpu")
    assert engine_of_run(EngineChoice(images=image_store[0]), image_store[1], Resources()).image == image_store[1]


def test_local_loads_no_docker_sdk_and_help_loads_no_engine() -> None:
    program = """
import sys
from harness.cli.main import run_command_line
run_command_line(["run", "--help"])
print([name for name in sys.modules if name.startswith("harness.engines")], file=sys.stderr)
from pathlib import Path
from harness.images.image import Pin, save_pins
from harness.manifest.schema import Resources
from harness.run.engines import EngineChoice, open_engine
print(open_engine(EngineChoice(), Path(), "", Resources()).name, "docker" in sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\nlocal False\n"
