"""A package that is published as a source archive alone: its wheel is the same bytes everywhere, and nothing is run."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env

from harness.digest import sha256
from harness.errors import InputError, MissingError
from harness.images.layers.python import ensure_wheels
from harness.images.layers.sdist_wheel import SDISTS, LockLine, fetch_sdist, make_wheel, read_pins, wheel_name
from harness.images.recipe import read_wheels
from harness.store.store import Store

INFO = "Metadata-Version: 2.1\nName: Toy_Pack\nVersion: 1.2\nRequires-Python: >=3.7\n\nA toy: Requires-Dist.\n"
FILES = {
    "PKG-INFO": INFO,
    "setup.py": "import pathlib\npathlib.Path('{ran}').write_text('ran')\nimport setuptools\nsetuptools.setup()\n",
    "LICENSE": "free\n",
    "toy_pack/__init__.py": "from toy_pack.inner import answer\n",
    "toy_pack/inner.py": "answer = 42\n",
    "toy_pack/data/words.txt": "a, b\r\n",
    "toy_pack.egg-info/PKG-INFO": INFO,
    "toy_pack.egg-info/top_level.txt": "toy_pack\n",
    "toy_pack.egg-info/requires.txt": "numpy\nsix>=1.14\n",
}
WHEEL = "d0b064b0b0ea3f7cebe128ff53e814c457a01759b6415de10d91a7fbbc2285af"  # of FILES; any other is another recipe


def archive(files: Mapping[str, str], *, backward: bool = False, time: int = 0) -> bytes:
    """Pack an archive as a builder does, in whatever order and at whatever time."""
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=time) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for path in sorted(files, reverse=backward):
            entry = tarfile.TarInfo(f"toy_pack-1.2/{path}")
            entry.size, entry.mtime, entry.mode = len(files[path].encode()), time, 0o777 if backward else 0o600
            tar.addfile(entry, io.BytesIO(files[path].encode()))
    return made.getvalue()


def pin(data: bytes) -> LockLine:
    return LockLine("toy-pack", "1.2", sha256(data))


def made(files: Mapping[str, str] = FILES, **how: bool | int) -> bytes:
    data = archive(files, backward=bool(how.get("backward")), time=int(how.get("time", 0)))
    return make_wheel(data, pin(data))


def test_an_archive_gives_one_wheel_whatever_its_order_times_and_modes() -> None:
    assert made() == made(backward=True, time=1_700_000_000)
    assert sha256(made()) == WHEEL


@pytest.mark.long
def test_every_python_here_lays_out_the_same_wheel(tmp_path: Path) -> None:
    (tmp_path / "toy.tar.gz").write_bytes(archive(FILES))
    code = (
        "import sys, hashlib, pathlib; from harness.images.layers.sdist_wheel import LockLine, make_wheel;"
        "data = pathlib.Path(sys.argv[1]).read_bytes();"
        "print(hashlib.sha256(make_wheel(data, LockLine('toy-pack', '1.2', ''))).hexdigest())"
    )
    for python in (*(f"python3.{minor}" for minor in range(11, 15)), sys.executable):
        words = [python, "-S", "-B", "-c", code, str(tmp_path / "toy.tar.gz")]
        if (
            shutil.which(python)
            and subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0
        ):
            done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
            assert done.stdout.strip() == WHEEL, (python, done.stderr)


@pytest.mark.long
def test_pip_installs_the_wheel_with_every_hash_of_its_record(tmp_path: Path) -> None:
    data = archive(FILES)
    wheel = tmp_path / wheel_name(pin(data))
    wheel.write_bytes(make_wheel(data, pin(data)))
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*install, "--target", tmp_path / "in", wheel], check=True, capture_output=True)
    code = "from importlib.metadata import requires; import toy_pack; print(toy_pack.answer, requires('toy-pack'))"
    env = clean_env({"PYTHONPATH": str(tmp_path / "in")})
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert said == "42 ['numpy', 'six>=1.14']\n"
    with zipfile.ZipFile(wheel) as inside:
        names = inside.namelist()
        assert names[-1].endswith("RECORD") and names[:3] == sorted(names[:3]) and "setup.py" not in names
        assert {line.partition(",")[0] for line in inside.read(names[-1]).decode().splitlines()} == {*names}
        assert inside.read("toy_pack/data/words.txt") == b"a, b\r\n"
        assert inside.read("toy_pack-1.2.dist-info/METADATA").endswith(b"six>=1.14\n\nA toy: Requires-Dist.\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"PKG-INFO": INFO.replace("1.2", "1.3")}, "its PKG-INFO is of Toy_Pack 1.3"),
        ({"toy_pack/fast.pyx": ""}, "it is not pure Python: toy_pack/fast.pyx"),
        ({"pyproject.toml": "[build-system]\nbuild-backend = 'own'\nbackend-path = ['.']\n"}, "it is built by own"),
        ({"setup.py": "setup(name='Toy_Pack', scripts=['bin/x'])\n"}, "its setup.py has scripts"),
        ({"setup.py": "setup(package_dir = {'p': 'lib/p'})\n"}, "its setup.py has package_dir"),
        ({"setup.cfg": "[options.data_files]\nshare = x\n"}, "its setup.cfg has data_files"),
        ({"pyproject.toml": "["}, "its pyproject.toml cannot be read"),
        ({"toy_pack.egg-info/top_level.txt": "other\n"}, "its package other is not at the top"),
        ({"toy_pack.egg-info/top_level.txt": ""}, "it names no package"),
        ({"toy_pack.egg-info/requires.txt": "six\n\n[fast]\nnumpy\n"}, "it requires packages under conditions"),
        ({"other.egg-info/PKG-INFO": ""}, "it has not one .egg-info folder"),
        ({"../out.py": ""}, "which is no plain file inside it"),
    ],
)
def test_an_archive_that_only_its_builder_could_build_is_refused(change: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said) as met:
        made({**FILES, **change})
    assert met.value.next


def test_what_is_no_archive_is_refused() -> None:
    with pytest.raises(InputError, match=r"it is no \.tar\.gz"):
        make_wheel(archive(FILES)[:200], LockLine("toy-pack", "1.2", ""))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip finds the archive, whose setup.py would leave a trace; and the locks beside it."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    data = archive({**FILES, "setup.py": FILES["setup.py"].format(ran=tmp_path / "ran")})
    (folder / "toy_pack-1.2.tar.gz").write_bytes(data)
    (tmp_path / SDISTS).write_text(f"# an archive\ntoy-pack==1.2 --hash=sha256:{sha256(data)}\n")
    (tmp_path / "lock.txt").write_text(f"toy-pack==1.2 --hash=sha256:{sha256(make_wheel(data, pin(data)))}\n")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"CONFIG_FILE": os.devnull, "NO_INDEX": "1", "FIND_LINKS": str(folder)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    return tmp_path


def test_a_wheel_is_laid_out_of_the_fetched_archive_and_nothing_is_run(shelf: Path, tmp_path: Path) -> None:
    store, [wheel] = Store(tmp_path / "store"), read_wheels(shelf / "lock.txt", "lock.txt")
    ensure_wheels(store, [wheel], lambda _: None)
    assert store.blobs.state(wheel.sha256) == "sound" and not (shelf / "ran").exists()
    (shelf / "shelf" / "toy_pack-1.2.tar.gz").unlink()
    ensure_wheels(store, [wheel], lambda _: None)  # what is kept is not fetched again


@pytest.mark.long
def test_another_archive_or_another_wheel_than_the_pinned_one_is_refused(shelf: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    (shelf / "lock.txt").write_text(f"toy-pack==1.2 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(InputError, match=r"has SHA-256 [0-9a-f]{64}, not the pinned one"):
        ensure_wheels(store, read_wheels(shelf / "lock.txt", "lock.txt"), lambda _: None)
    (shelf / SDISTS).write_text(f"toy-pack==1.2 --hash=sha256:{'1' * 64}\n")
    with pytest.raises(MissingError, match=r"source archive of toy-pack 1\.2 that is pinned could not be fetched"):
        ensure_wheels(store, read_wheels(shelf / "lock.txt", "lock.txt"), lambda _: None)
    assert not (shelf / "ran").exists()


@pytest.mark.long
@pytest.mark.parametrize("backend", ["build-backend = 'own'\nbackend-path = ['.']", "build-backend = 'own'"])
def test_an_archive_that_brings_its_own_builder_is_not_asked(backend: str, shelf: Path, tmp_path: Path) -> None:
    own = f"import pathlib\npathlib.Path('{tmp_path / 'ran'}').write_text('ran')\n"
    system = {"pyproject.toml": f"[build-system]\nrequires = []\n{backend}\n", "own.py": own}
    data = archive({**FILES, **system})
    (shelf / "shelf" / "toy_pack-1.2.tar.gz").write_bytes(data)
    with pytest.raises(MissingError, match="could not be fetched"):
        fetch_sdist(pin(data), tmp_path / "scratch", {**os.environ, "PYTHONPATH": ""})
    assert not (tmp_path / "ran").exists()


@pytest.mark.long
def test_setup_s_command_writes_the_wheels_that_a_lock_names(shelf: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-B", "-m", "harness.images.layers.sdist_wheel"]
    words += [str(shelf / "lock.txt"), str(tmp_path / "laid")]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.stdout == (shelf / "lock.txt").read_text(), done.stderr
    assert [path.name for path in (tmp_path / "laid").iterdir()] == ["toy_pack-1.2-py3-none-any.whl"]
    (shelf / "lock.txt").write_text(f"toy-pack==1.2 --hash=sha256:{'0' * 64}\n")
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "not the pinned one" in done.stderr and str(shelf / "lock.txt") in done.stderr


def test_it_loads_nothing_that_python_does_not_bring() -> None:
    code = "import sys, harness.images.layers.sdist_wheel; print({one.partition('.')[0] for one in sys.modules})"
    said = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    loaded = {one.strip("' ") for one in said.stdout.strip("{}\n").split(",")}
    assert loaded - {"harness", "__main__"} <= {*sys.stdlib_module_names}


def test_every_lock_pins_the_one_wheel_of_each_archive() -> None:
    folder = REPOSITORY / "lockfiles"
    archives = read_pins(folder / SDISTS)
    assert [one.name for one in archives] == ["rouge-score"]
    for lock in (folder / "image-cpu.txt", folder / "image-cuda.txt", *sorted(folder.glob("local-*.txt"))):
        wheels = {wheel.name: wheel for wheel in read_wheels(lock, lock.name)}
        assert {(name, one.sdist) for name, one in wheels.items() if one.sdist} == {
            (one.name, one.sha256) for one in archives
        }
        assert wheels["rouge-score"].sha256.startswith("945034af7c2528a0bc50e74e2f18c22e"), lock.name
