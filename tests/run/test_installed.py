"""What is installed is held against what was installed: whoever alters a file, and whatever is edited along with it."""

from __future__ import annotations

import base64
import json
import os
import shlex
import shutil
import sys
import time
from dataclasses import replace
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from support import REPOSITORY

from harness.errors import MissingError
from harness.evidence.audit.checks import Report
from harness.run.installed import bytecode, checked, doctor, setup
from harness.run.installed.checked import (
    CHANGES_IMPORTS,
    STRANGE,
    AlteredFile,
    ImportPaths,
    InstallCheck,
    check_installed,
    spell_records,
    wheel_record_digest,
)
from harness.run.installed.packages import TICK, record_digest
from harness.run.recording import auditing

FILES = {"alpha/__init__.py": "value = 1\n", "alpha/core.py": "def f():\n    return 1\n", "alpha/data.txt": "data\n"}
OLD = 1_600_000_000_000_000_000


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def line(site: Path, name: str) -> str:
    data = (site / name).read_bytes()
    return f"{name},sha256={base64.urlsafe_b64encode(sha256(data).digest()).decode().rstrip('=')},{len(data)}\n"


def record(site: Path, name: str, version: str, files: list[str]) -> bytes:
    path = site / f"{name}-{version}.dist-info" / "RECORD"
    write(path, "".join(line(site, one) for one in files) + f"{name}/__pycache__/x.pyc,,\n{name}.dist-info/RECORD,,\n")
    return path.read_bytes()


def locks(folder: Path, pins: dict[str, str], records: dict[str, dict[str, list[str]]]) -> None:
    text = "".join(f"{name}=={version} \\\n    --hash=sha256:00\n" for name, version in pins.items())
    write(folder / "requirements.txt", text)
    (folder / "records.json").write_bytes(spell_records(records))


@pytest.fixture
def place(tmp_path: Path) -> ImportPaths:
    """A small installation: one locked package, a standard library of two modules, our bytecode of both."""
    site, stdlib = tmp_path / "venv" / "site", tmp_path / "lib"
    for name, text in FILES.items():
        write(site / name, text)
    for name in ("json.py", "os.py", "site-packages/other.py"):
        write(stdlib / name, "value = 1\n")
    write(tmp_path / "bin" / "python", "an interpreter")
    data = record(site, "alpha", "1.0", list(FILES))
    locks(tmp_path / "locks", {"alpha": "1.0"}, {"alpha": {"1.0": [record_digest(data.splitlines())]}})
    for path in tmp_path.rglob("*"):
        os.utime(path, ns=(OLD, OLD))
    made = ImportPaths(site, stdlib, (tmp_path / "bin" / "python",), tmp_path / "venv" / "bytecode", tmp_path / "locks",
                 tmp_path / "venv" / "seen")  # fmt: skip
    bytecode.make_bytecode(made.bytecode, [stdlib, site])
    time.sleep(2 * TICK / 1e9)  # what was written a moment ago is not believed
    return made


def altered(place: ImportPaths, *, full: bool) -> list[tuple[str, str]]:
    return [(one.path, one.why) for one in check_installed(place, full=full).altered]


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"value = 2\n")


def test_what_was_installed_is_found_as_it_was(place: ImportPaths) -> None:
    for full in (True, False, True):
        found = check_installed(place, full=full)
        assert found.altered == () and found.files == len(FILES) + 4
    assert check_installed(place, full=True).bytes > sum(map(len, FILES.values()))


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("name", FILES)
def test_a_line_added_to_an_installed_file_is_named(place: ImportPaths, name: str, full: bool) -> None:
    check_installed(place, full=True)
    append(place.site / name)
    assert altered(place, full=full) == [(name, "changed")]


def test_a_file_that_was_altered_and_dated_back_is_named(place: ImportPaths) -> None:
    check_installed(place, full=True)
    path = place.site / "alpha" / "core.py"
    write(path, path.read_bytes().replace(b"1", b"2"))
    os.utime(path, ns=(OLD, OLD))
    assert altered(place, full=False) == altered(place, full=True) == [("alpha/core.py", "changed")]


def test_a_record_that_was_edited_together_with_its_file_is_named(place: ImportPaths) -> None:
    append(place.site / "alpha" / "core.py")
    record(place.site, "alpha", "1.0", list(FILES))
    for full in (False, True):
        assert altered(place, full=full) == [("alpha-1.0.dist-info/RECORD", "not what the locked wheel brings")]


@pytest.mark.parametrize(
    "name", ["alpha/evil.py", "alpha/evil.pyc", "alpha/evil.cpython-311-x86_64-linux-gnu.so", "alpha/sub/evil.so"]
)
def test_an_importable_file_that_no_record_lists_is_named(place: ImportPaths, name: str) -> None:
    check_installed(place, full=True)
    write(place.site / name, "evil = 1\n")
    assert altered(place, full=False) == altered(place, full=True) == [(name, "not listed")]


CERTIFICATES = (REPOSITORY / "tests" / "run" / "corporate.pem").read_text()


@pytest.fixture
def trusting(place: ImportPaths) -> ImportPaths:
    """The small installation with certifi, pip's copy of it, a data file and all that a dist-info folder holds."""
    for name in ("certifi/cacert.pem", "pip/_vendor/certifi/cacert.pem"):
        write(place.site / name, f"# Issuer: CN=A\n{CERTIFICATES}")
    write(place.site / "certifi/__init__.py", "def where(): ...\n")
    write(place.site / "certifi/other.pem", CERTIFICATES)
    write(place.site / "certifi/weights.npy", b"\x93NUMPY")
    write(place.site / "early.pth", "alpha\n")
    notes = ("INSTALLER", "REQUESTED", "METADATA", "entry_points.txt", "top_level.txt", "WHEEL")
    for name in notes:
        write(place.site / "certifi-2.0.dist-info" / name, "pip\n")
    files = [path.relative_to(place.site).as_posix() for path in place.site.rglob("*") if "alpha" not in str(path)]
    record(place.site, "certifi", "2.0", sorted(name for name in files if (place.site / name).is_file()))
    shutil.rmtree(place.locks)  # nothing is locked, so that a record is held against its own files alone
    assert check_installed(place, full=True).altered == ()
    return place


BUNDLES = ("certifi/cacert.pem", "pip/_vendor/certifi/cacert.pem")
NOTES = ("certifi-2.0.dist-info/INSTALLER", "certifi-2.0.dist-info/REQUESTED")


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("name", [*BUNDLES, *NOTES])
def test_a_file_that_no_step_reads_is_noted_and_is_in_no_key(trusting: ImportPaths, name: str, full: bool) -> None:
    before = check_installed(trusting, full=full).environment
    path = trusting.site / name
    path.write_text(f"{path.read_text()}\n# Our proxy\n{CERTIFICATES}" if name in BUNDLES else "uv\n")
    found = check_installed(trusting, full=full)
    assert found.altered == found.unread == (AlteredFile(name, "changed", "unread"),) and not found.files_altered
    assert found.environment == before
    assert checked.unread_text(checked.unread_fact(found)) == (
        f"not as installed, though no step reads it: {name} (changed)"
    )
    append(trusting.site / "alpha" / "core.py")  # a noted file hides no other
    found = check_installed(trusting, full=full)
    assert found.files_altered == (AlteredFile("alpha/core.py", "changed"),) and found.environment != before


@pytest.mark.parametrize(
    "more",
    [
        b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",  # DER, and no certificate
        b"# Unser Verwalter f\xc3\xbcr alles\n",
    ],
)
def test_a_bundle_that_a_library_could_not_load_refuses(trusting: ImportPaths, more: bytes) -> None:
    path = trusting.site / BUNDLES[0]
    path.write_bytes(path.read_bytes() + more)
    assert check_installed(trusting, full=False).files_altered == (AlteredFile(BUNDLES[0], "changed"),)


@pytest.mark.parametrize("name", NOTES)
def test_a_note_of_the_installer_may_be_gone_or_unreadable(trusting: ImportPaths, name: str) -> None:
    before = check_installed(trusting, full=False).environment
    (trusting.site / name).unlink()
    assert check_installed(trusting, full=False).unread == (AlteredFile(name, "missing", "unread"),)
    os.mkfifo(trusting.site / name)
    found = check_installed(trusting, full=False)
    assert found.unread == (AlteredFile(name, "cannot be read", "unread"),) and found.environment == before


INFO = "certifi-2.0.dist-info"
READ = ["certifi/__init__.py", "certifi/other.pem", "certifi/weights.npy", "early.pth", f"{INFO}/METADATA",
        f"{INFO}/entry_points.txt", f"{INFO}/top_level.txt", f"{INFO}/WHEEL", "alpha/data.txt"]  # fmt: skip


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("name", READ)
def test_what_a_step_could_read_is_refused_as_before(trusting: ImportPaths, name: str, full: bool) -> None:
    append(trusting.site / name)
    assert check_installed(trusting, full=full).files_altered == (AlteredFile(name, "changed"),)


@pytest.mark.parametrize(
    "text",
    [
        "", "words\n", CERTIFICATES + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        CERTIFICATES.replace("MII", "M!I", 1), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        CERTIFICATES + "-----BEGIN CERTIFICATE-----\n",
    ],
)  # fmt: skip
def test_a_bundle_that_holds_anything_but_certificates_is_refused(trusting: ImportPaths, text: str) -> None:
    (trusting.site / BUNDLES[0]).write_text(text)
    assert check_installed(trusting, full=True).files_altered == (AlteredFile(BUNDLES[0], "changed"),)


def test_a_bundle_that_is_gone_or_a_link_is_refused(trusting: ImportPaths, tmp_path: Path) -> None:
    path = trusting.site / BUNDLES[0]
    path.unlink()
    assert check_installed(trusting, full=True).files_altered == (AlteredFile(BUNDLES[0], "missing"),)
    write(tmp_path / "elsewhere.pem", CERTIFICATES * 2)
    path.symlink_to(tmp_path / "elsewhere.pem")
    assert check_installed(trusting, full=True).files_altered == (AlteredFile(BUNDLES[0], "changed"),)


@pytest.mark.parametrize("name", ["alpha/certifi/cacert.pem", "alpha/INSTALLER", "alpha/x.dist-info/INSTALLER"])
def test_a_file_elsewhere_is_not_of_the_class_by_its_name(place: ImportPaths, name: str) -> None:
    write(place.site / name, CERTIFICATES)
    shutil.rmtree(place.locks)
    record(place.site, "alpha", "1.0", [*FILES, name])
    (place.site / name).write_text(CERTIFICATES * 2)
    assert check_installed(place, full=True).files_altered == (AlteredFile(name, "changed"),)


@pytest.mark.parametrize("text", ["import evil\n", "/elsewhere\n"])
def test_a_path_file_that_no_record_lists_is_refused(place: ImportPaths, text: str) -> None:
    check_installed(place, full=True)
    write(place.site / "new.pth", text)
    why = "not listed, and changes what Python imports"
    assert altered(place, full=False) == altered(place, full=True) == [("new.pth", why)]
    (place.site / "new.pth").rename(place.site / "_virtualenv.pth")
    assert altered(place, full=False) == [("_virtualenv.pth", why)]
    write(place.site / "_virtualenv.pth", "import _virtualenv")  # which virtualenv and uv put into each environment
    assert altered(place, full=False) == altered(place, full=True) == []


@pytest.mark.parametrize(
    "name", ["sitecustomize.py", "usercustomize.py", "sitecustomize.so", "sitecustomize/__init__.py"]
)
def test_a_module_that_python_loads_at_its_start_is_refused_unless_a_record_lists_it(
    place: ImportPaths, name: str
) -> None:
    check_installed(place, full=True)
    write(place.site / name, "import evil\n")
    top = name.partition("/")[0]
    wrong = [(top, "not listed, and Python loads it at its start")]
    assert altered(place, full=False) == altered(place, full=True) == wrong
    shutil.rmtree(place.locks)
    record(place.site, "alpha", "1.0", [*FILES, name])
    assert altered(place, full=False) == altered(place, full=True) == []
    append(place.site / name)
    assert altered(place, full=False) == [(name, "changed")]


def test_the_patch_of_an_environment_is_the_one_that_its_makers_write(
    place: ImportPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place.site / "_virtualenv.pth", "import _virtualenv")
    write(place.site / "_virtualenv.py", "# as a maker writes it\n")
    wrong = [("_virtualenv.pth", CHANGES_IMPORTS), ("_virtualenv.py", STRANGE)]
    assert altered(place, full=False) == altered(place, full=True) == wrong
    known = sha256((place.site / "_virtualenv.py").read_bytes()).hexdigest()
    monkeypatch.setattr("harness.run.installed.checked.KNOWN_PATCHES", frozenset({known}))
    assert altered(place, full=True) == []
    check_installed(place, full=False)
    append(place.site / "_virtualenv.py")
    assert altered(place, full=False) == wrong, "it is read again when it changes"
    monkeypatch.setattr(checked, "IN_CHECKOUT", False)
    paths = (shlex.quote(str(place.site / name)) for name, _ in wrong)
    assert checked.altered_error(check_installed(place, full=True)).next == f"`rm -r {' '.join(paths)}`"


def test_a_module_that_would_be_loaded_in_the_place_of_the_patch_is_refused(place: ImportPaths) -> None:
    """An extension and a folder come before a source file of the same name."""
    write(place.site / "_virtualenv.pth", "import _virtualenv")
    for name in ("_virtualenv.cpython-311-x86_64-linux-gnu.so", "_virtualenv/__init__.py"):
        write(place.site / name, "")
    found = dict(altered(place, full=True))
    strange = {"_virtualenv.cpython-311-x86_64-linux-gnu.so": STRANGE, "_virtualenv": STRANGE}
    assert found == {"_virtualenv.pth": CHANGES_IMPORTS, **strange}


def test_the_harness_is_no_package_of_its_environment_under_either_name(place: ImportPaths) -> None:
    before = check_installed(place, full=True).environment
    for name in ("repro_harness", "llm_harness"):
        write(place.site / "harness" / "x.py", "x = 1\n")
        record(place.site, name, "0.1.0", ["harness/x.py"])
        found = check_installed(place, full=False)
        assert found.environment == before and found.altered == ()
        shutil.rmtree(place.site / f"{name}-0.1.0.dist-info")
        shutil.rmtree(place.site / "harness")


def test_an_audit_and_the_doctor_count_it_for_no_fault(trusting: ImportPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    (trusting.site / NOTES[0]).write_text("uv\n")
    found, report = check_installed(trusting, full=True), Report()
    auditing._packages(found, report)
    assert report.verdict == "agreed" and "changed; no step reads it" in [each.detail for each in report.checks]
    monkeypatch.setitem(checked._LOOKS, True, found)
    told = next(iter(doctor._packages()))
    assert told.state == "ok" and f"though no step reads it: {NOTES[0]}" in told.found


def test_somebody_elses_package_of_the_former_name_is_part_of_the_environment(place: ImportPaths) -> None:
    write(place.site / "llm_harness" / "__init__.py", "theirs = 1\n")
    record(place.site, "llm_harness", "3.0", ["llm_harness/__init__.py"])
    packages = json.loads(check_installed(place, full=True).environment)["packages"]
    assert packages["llm_harness"]["version"] == "3.0"


def test_the_refusal_outside_a_checkout_names_the_one_command(
    place: ImportPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked, "IN_CHECKOUT", False)
    python = shlex.quote(sys.executable)
    again = f"{python} -m pip install --force-reinstall --no-deps alpha==1.0"
    append(place.site / "alpha" / "core.py")
    assert checked.altered_error(check_installed(place, full=True)).next == f"`{again}`"
    write(place.site / "alpha" / "evil.py", "")
    removal = f"rm -r {shlex.quote(str(place.site / 'alpha' / 'evil.py'))}"
    assert checked.altered_error(check_installed(place, full=True)).next == f"`{removal} && {again}`"
    record(place.site, "alpha", "1.0", [*FILES, "alpha/evil.py"])  # now only the RECORD is not the locked wheel's
    assert checked.altered_error(check_installed(place, full=True)).next == f"`{again}`"


def test_a_file_that_a_record_lists_without_a_digest_is_not_listed(place: ImportPaths) -> None:
    write(place.site / "alpha" / "evil.py", "evil = 1\n")
    with (place.site / "alpha-1.0.dist-info" / "RECORD").open("a") as lines:
        lines.write("alpha/evil.py,,\n")
    assert altered(place, full=True) == [("alpha/evil.py", "not listed")]


def test_a_file_that_is_gone_or_is_a_pipe_or_a_folder_elsewhere_is_named(place: ImportPaths, tmp_path: Path) -> None:
    (place.site / "alpha" / "core.py").unlink()
    (place.site / "alpha" / "data.txt").unlink()
    os.mkfifo(place.site / "alpha" / "data.txt")
    write(tmp_path / "elsewhere" / "__init__.py", "")
    (place.site / "alpha" / "linked").symlink_to(tmp_path / "elsewhere")
    wrong = [("alpha/core.py", "missing"), ("alpha/data.txt", "cannot be read"), ("alpha/linked", "leads elsewhere")]
    assert altered(place, full=True) == wrong and altered(place, full=False) == wrong


def test_a_loose_module_is_part_of_the_environment_and_named_if_it_shadows(place: ImportPaths) -> None:
    seen = [check_installed(place, full=False).environment]
    for name, text in (("mine.py", "a"), ("mine.py", "b"), ("gone.pyc", "a"), ("folder/inner.pyc", "a")):
        write(place.site / name, text)
        found = check_installed(place, full=False)
        assert found.altered == ()
        seen.append(found.environment)
    assert len(set(seen)) == len(seen)
    write(place.site / "alpha.cpython-311-x86_64-linux-gnu.so", "")
    assert [path for path, _ in altered(place, full=False)] == ["alpha.cpython-311-x86_64-linux-gnu.so"]


def test_another_version_or_an_unlocked_package_is_named_but_not_altered(place: ImportPaths) -> None:
    locks(place.locks, {"alpha": "1.1"}, {})
    write(place.site / "beta.py", "")
    record(place.site, "beta", "3", ["beta.py"])
    found = check_installed(place, full=False)
    assert found.altered == (
        AlteredFile("alpha", "version 1.0 is installed, and the lock pins 1.1", "version"),
        AlteredFile("beta", "version 3 is installed, and no lock pins it", "unlocked"),
    )
    assert found.files_altered == ()


def test_a_project_without_locks_pins_nothing(place: ImportPaths, tmp_path: Path) -> None:
    assert check_installed(replace(place, locks=tmp_path / "none"), full=True).altered == ()


def forge(place: ImportPaths, name: str, source: str) -> Path:
    """Put other code into the bytecode of a file, with the digest of its true source: Python takes it."""
    import importlib.util
    import py_compile

    true = place.site / name
    path = Path(bytecode.bytecode_path(str(true), place.bytecode))
    write(place.site.parent / "other.py", source)
    py_compile.compile(
        str(place.site.parent / "other.py"), str(path), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
    )
    data = path.read_bytes()
    path.write_bytes(data[:8] + importlib.util.source_hash(true.read_bytes()) + data[16:])
    return path


@pytest.mark.parametrize("full", [True, False])
def test_forged_bytecode_of_our_own_is_named(place: ImportPaths, full: bool) -> None:
    check_installed(place, full=True)
    path = forge(place, "alpha/core.py", "def f():\n    return 666\n")
    assert altered(place, full=full) == [(f"bytecode/{path.relative_to(place.bytecode)}", "bytecode changed")]


def test_bytecode_that_was_laid_beside_our_own_is_named(place: ImportPaths) -> None:
    check_installed(place, full=True)
    write(place.bytecode / "tmp" / "new.cpython-311.pyc", b"code")
    for full in (False, True):
        assert altered(place, full=full) == [("bytecode/tmp/new.cpython-311.pyc", "bytecode not listed")]


@pytest.mark.parametrize("name", ["os.py", "new.py", "new.pyc", "interpreter"])
def test_another_standard_library_is_another_environment(place: ImportPaths, name: str) -> None:
    before = json.loads(check_installed(place, full=False).environment)
    append(place.machine[0] if name == "interpreter" else place.stdlib / name)
    for full in (False, True):
        after = json.loads(check_installed(place, full=full).environment)
        assert after["stdlib"] != before["stdlib"] and {**after, "stdlib": ""} == {**before, "stdlib": ""}


def test_caches_and_other_packages_are_not_the_standard_library(place: ImportPaths) -> None:
    before = check_installed(place, full=True).environment
    write(place.stdlib / "__pycache__" / "os.cpython-311.pyc", b"code")
    append(place.stdlib / "site-packages" / "other.py")
    assert check_installed(place, full=True).environment == before


def test_an_environment_says_what_was_really_there(place: ImportPaths) -> None:
    sound = json.loads(check_installed(place, full=True).environment)
    assert sound["type"] == "environment/2" and "altered" not in sound["packages"]["alpha"]
    append(place.site / "alpha" / "core.py")
    digest = sha256((place.site / "alpha" / "core.py").read_bytes()).hexdigest()
    forged = json.loads(check_installed(place, full=True).environment)
    assert forged["packages"]["alpha"] == {**sound["packages"]["alpha"], "altered": [f"alpha/core.py {digest}"]}


def test_a_start_reads_nothing_that_it_has_seen_and_a_full_check_reads_all(place: ImportPaths) -> None:
    assert check_installed(place, full=False).bytes > 0
    assert check_installed(place, full=False).bytes == 0
    assert check_installed(place, full=True).bytes > 0
    append(place.stdlib / "os.py")
    assert check_installed(place, full=False).bytes == (place.stdlib / "os.py").stat().st_size
    place.seen.write_bytes(place.seen.read_bytes()[:-7])  # one that cannot be read was never seen
    assert check_installed(place, full=False).bytes > 0


def test_a_file_that_was_written_a_moment_ago_is_read_again_at_each_start(place: ImportPaths) -> None:
    """It may be written once more before the clock of its disk moves on, and then looks as it did."""
    check_installed(place, full=True)
    path, ahead = place.site / "alpha" / "core.py", time.time_ns() + 3600 * 10**9
    os.utime(path, ns=(ahead, ahead))  # no moment ago is long past, however slow the machine is
    assert [check_installed(place, full=False).bytes for _ in range(3)] == [path.stat().st_size] * 3


def test_a_forged_cache_is_not_believed_by_a_full_check(place: ImportPaths) -> None:
    check_installed(place, full=True)
    sound = place.seen.read_bytes()
    append(place.site / "alpha" / "core.py")
    assert altered(place, full=False) != []
    now = place.seen.read_bytes()
    head = json.loads(now.partition(b"\n")[0])
    lie = json.dumps({**head, "told": json.loads(sound.partition(b"\n")[0])["told"]}).encode()
    place.seen.write_bytes(lie + b"\n" + now.partition(b"\n")[2])
    assert altered(place, full=True) == [("alpha/core.py", "changed")]


def test_a_place_that_cannot_be_written_is_looked_at_all_the_same(place: ImportPaths) -> None:
    nowhere = replace(place, seen=Path("/proc/nowhere/seen"))
    assert check_installed(nowhere, full=False).altered == check_installed(nowhere, full=False).altered == ()


def test_the_error_names_what_was_altered_and_what_to_do(place: ImportPaths) -> None:
    for number in range(9):
        write(place.site / "alpha" / f"evil{number}.py", "")
    found: InstallCheck = check_installed(place, full=False)
    error = checked.altered_error(found)
    assert isinstance(error, MissingError) and error.code == 3
    assert "alpha/evil0.py (not listed)" in error.what and "and 3 more" in error.what and "make setup" in error.next


def test_setup_compiles_bytecode_and_refuses_an_altered_installation(
    place: ImportPaths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("harness.run.installed.setup.checked.import_paths", lambda: place)
    bytecode.digest_list_path(place.bytecode).unlink()
    write(place.bytecode / "old.pyc", "of another installation")
    assert setup.main() == 0
    made = bytecode.read_list(place.bytecode)
    assert made and sorted(Path(path).name.partition(".")[0] for path in made) == ["__init__", "core", "json", "os"]
    assert place.seen.is_file() and not (place.bytecode / "old.pyc").exists()
    with monkeypatch.context() as patch:  # what setup laid beside a package's source is as good as what Python would
        patch.setattr(SourceFileLoader, "source_to_code", None)
        assert SourceFileLoader("core", str(place.site / "alpha" / "core.py")).get_code("core")
    assert not (place.stdlib / "__pycache__").exists()
    append(place.site / "alpha" / "core.py")
    assert setup.main() == 3 and "alpha/core.py (changed)" in capsys.readouterr().err


def test_a_source_that_does_not_compile_has_no_bytecode_and_no_error(place: ImportPaths) -> None:
    write(place.site / "alpha" / "old.py", "print 'so it was'\n")
    assert bytecode.make_bytecode(place.bytecode, [place.stdlib, place.site]) == 4


def test_a_wheel_and_what_it_installs_have_one_digest() -> None:
    inside = b"\n".join(
        [b"alpha/a.py,sha256=x,1", b"alpha-1.data/purelib/beta.py,sha256=y,2", b"alpha-1.data/scripts/run,sha256=z,3",
         b'"alpha-1.data/platlib/a,b.so",sha256=w,4', b"alpha-1.dist-info/METADATA,sha256=v,5"]
    )  # fmt: skip
    laid = b'alpha/a.py,sha256=x,1\nbeta.py,sha256=y,2\n"a,b.so",sha256=w,4\n../../../bin/run,sha256=q,3\n'
    assert wheel_record_digest(inside) == record_digest(laid.splitlines())


def test_the_packages_of_this_machine_are_those_that_are_locked() -> None:
    found = checked.check_once()
    assert [one for one in found.altered if one.kind == "file"] == []
    table = json.loads((REPOSITORY / "lockfiles" / "records.json").read_bytes())["packages"]
    packages = json.loads(found.environment)["packages"]
    unknown = [name for name in packages if name.replace("_", "-") not in table and name != "pip"]
    assert len(packages) > 50 and unknown == [], sys.prefix
