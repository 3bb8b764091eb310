"""Diagnosis of this machine (`harness doctor`): what is fine, what could be better, what is missing, and the remedy.

Repairs nothing, and writes nothing but temporary folders and the cache of digests.

What a store asks of its file system is tried in a folder: files that appear whole, names taken once, locks that hold. A
store that several machines share stands or falls with these. Only this machine's view is tried; whether another one
sees the same bytes, each worker of a run finds out for itself.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import harness
from harness.engines import engine
from harness.engines.engine import CALLS, PROCESSES, Engine, EngineKind, EngineOptions, Job
from harness.engines.local import ISOLATIONS, STEP_PATH, advise_isolation, available_isolations
from harness.errors import HarnessError, MissingError
from harness.files import hold_lock, sync_folder, sync_handle
from harness.images.image import list_images
from harness.images.recipe import PYTHON
from harness.run.engines import EngineChoice, engine_kinds, image_of_run
from harness.run.environment import machine_facts, step_environment
from harness.run.installed import checked
from harness.run.installed.bytecode import read_list
from harness.run.processor import ask_processor
from harness.run.receipt import LIMITS, list_escaped, probe_isolation
from harness.store.store import HOME, Store


def find_lacking_calls(folder: Path) -> list[str]:
    """Try each file operation that a store needs in an empty folder; list those that fail or break their promise."""
    found = []
    for name, keeps in NEEDED_CALLS.items():
        try:
            why = "" if keeps(folder) else "does not hold"
        except OSError as bad:
            why = os.strerror(bad.errno or errno.EIO)
        except HarnessError as bad:
            why = bad.what
        if why:
            found.append(f"{name}: {why}")
    return found


def _renames(folder: Path) -> bool:
    """Whether a file that is renamed over another is there whole, and the other is gone."""
    (folder / "old").write_bytes(b"old")
    (folder / "new").write_bytes(b"new")
    os.rename(folder / "new", folder / "old")
    return (folder / "old").read_bytes() == b"new" and not (folder / "new").exists()


def _takes_once(folder: Path) -> bool:
    """Whether a name is taken once: a second maker of the same file is refused."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    os.close(os.open(folder / "once", flags))
    try:
        os.close(os.open(folder / "once", flags))
    except FileExistsError:
        return True
    return False


def _locks(folder: Path) -> bool:
    """Whether a lock that one process holds is refused to another, and is free when it ends."""
    path = folder / "lock"
    command = ["flock", "--nonblock", str(path), "true"]  # of util-linux, without which no step runs
    with hold_lock(path, wait=False) as mine:
        refused = subprocess.run(command, capture_output=True, check=False).returncode != 0
    return mine and refused and subprocess.run(command, capture_output=True, check=False).returncode == 0


def _keeps(folder: Path) -> bool:
    """Whether bytes and names are written through when that is asked for."""
    with open(folder / "kept", "wb") as file:
        file.write(b"kept")
        file.flush()
        sync_handle(file.fileno())
    sync_folder(folder)
    return (folder / "kept").read_bytes() == b"kept"


def _appends(folder: Path) -> bool:
    """Whether what two writers append follows each other, and overwrites nothing."""
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
    one, other = (os.open(folder / "log", flags) for _ in range(2))
    try:
        for handle, line in ((one, b"1\n"), (other, b"2\n"), (one, b"3\n")):
            os.write(handle, line)
    finally:
        os.close(one)
        os.close(other)
    return (folder / "log").read_bytes() == b"1\n2\n3\n"


def _marks(folder: Path) -> bool:
    """Whether a read-only file stays so, and its inode, size and time tell that it was not changed."""
    path = folder / "marked"
    path.write_bytes(b"marked")
    path.chmod(0o444)
    before = path.stat()
    path.read_bytes()
    after = path.stat()
    unchanged = (before.st_ino, before.st_size, before.st_mtime_ns) == (after.st_ino, after.st_size, after.st_mtime_ns)
    return unchanged and (after.st_mode & 0o777) == 0o444


NEEDED_CALLS: Mapping[str, Callable[[Path], bool]] = {
    "atomic renames": _renames,
    "exclusive creation": _takes_once,
    "locks between processes": _locks,
    "writing through": _keeps,
    "appending": _appends,
    "marks of files": _marks,
}


PAST = {  # limits, and for each what a step does to exceed it
    "memory": (replace(LIMITS, memory=128 << 20), "held = b'x' * (512 << 20)"),
    "disk": (replace(LIMITS, disk=1 << 20), "for n in range(8): open(f'out/{n}', 'wb').write(bytes(1 << 19))"),
}


@dataclass(frozen=True)
class IsolationCheck:
    """The result of checking one isolation: how much it claims, what a step reached, which limits it ignored."""

    isolation: str
    claims: int  # how much it claims to keep from a step
    escaped: tuple[str, ...] = ()  # what of that a step reached
    ignored: tuple[str, ...] = ()  # limits that are not enforced


def check_isolations(kind: EngineKind, images: Path) -> list[IsolationCheck]:
    """Check every isolation that an engine offers here; an engine that needs an image takes the smallest one.

    The image is taken from the store `images`. Isolations that are not available here are left out. Raises MissingError
    if the engine's only isolation is not available.
    """
    found = []
    for isolation in kind.isolations or ("",):
        try:
            engine = kind.open(
                EngineOptions(isolation, 0, lambda: image_of_run(EngineChoice(images=images), _smallest(images)))
            )
        except MissingError:
            if not isolation:
                raise
            continue  # another finding lists the isolations
        found.append(check_isolation(engine))
    return found


def check_isolation(engine: Engine) -> IsolationCheck:
    """Check one isolation: run the containment probes, and steps that exceed their limits."""
    with tempfile.TemporaryDirectory(prefix="harness-doctor-") as name:
        folder = Path(name)
        (folder / "format").write_text("a store, for the check")
        found = probe_isolation(engine, folder, folder, threading.Event())
        ignored = [limit for limit in PAST if _ignored(engine, limit, folder / limit)]
    held = engine.claims <= CALLS or engine.claims >= PROCESSES  # a bare process is known by its name
    crowded = () if held else ("processes (it is watched from outside)",)
    return IsolationCheck(engine.isolation, len(engine.claims), tuple(list_escaped(found)), (*ignored, *crowded))


def _ignored(engine: Engine, limit: str, folder: Path) -> bool:
    """Whether a step that exceeds a limit still ends successfully."""
    limits, code = PAST[limit]
    for part in ("in", "out", "tmp", "code"):
        (folder / part).mkdir(parents=True)
    (folder / "code" / "past.py").write_text(code)
    folder.chmod(0o755)
    job = Job(engine.command("code/past.py"), folder, step_environment(engine.inside(folder)), limits)
    return engine.run(job, lambda _: None, threading.Event()).fine


def _smallest(images: Path) -> str:
    """Return the ID of the smallest image of a store, which loads fastest."""
    try:
        store = Store.open(images)
        found = list_images(store)
    except HarnessError:
        found = []
    if not found:
        raise MissingError(
            "no image is in this store, so no step was tried",
            where=str(images),
            next="`harness images build NAME`, and ask again (--store DIR names another store)",
        )
    sizes = {image.pin.image_id: sum(store.blobs.size(one) for one in image.layers) for image in found}
    return min(sizes, key=lambda one: (sizes[one], one))


@dataclass(frozen=True)
class MachineFinding:
    """One finding about this machine: `ok`, `better` or `missing`, and what would help."""

    state: str  # ok | better | missing
    subject: str
    found: str
    advice: str = ""


_PROBES = (
    "import json, sys; from harness.models.local.torch_setup import fingerprint_torch; "
    "found = fingerprint_torch('cpu'); "
    "json.dump([len(found['probes']), found['differs']], sys.stdout)"
)
_ADVICE = {  # what is gained over the best isolation that works here
    "namespaces": "a step would then see nothing of the disk but its own folder",
    "process": "a step could then reach no network",
}


def examine_machine(store: Path | None, folder: Path) -> list[MachineFinding]:
    """Check interpreter, platform, packages, isolation, disk, store, engines, GPU and image builder; repairs nothing.

    Engines are tried with the images of `store`, or of the project in `folder`.
    """
    findings = [_python(), _platform(), *_packages(), _isolation()]
    about = machine_facts()
    here = ask_processor()
    told = f"{here.name}, {about['cores']} cores, Linux {about['kernel']}"
    state, advice = (
        ("ok", "") if here.computes else ("missing", "use a processor with AVX2, by which every step computes")
    )
    findings.append(MachineFinding(state, "machine", told, advice))
    findings.append(_numerics())
    place = store or folder
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free >> 20
    state = "ok" if free >= 1024 else "better"
    findings.append(MachineFinding(state, "disk", f"{free} MiB free", "" if state == "ok" else "free some room"))
    if not os.access(place, os.W_OK):
        findings.append(
            MachineFinding("better", "store", f"{place} cannot be written", "name a store with --store DIR")
        )
    elif store:
        findings.append(_file_system(place))
    images = store or folder / HOME
    return [*findings, *(_engine(name, kind, images) for name, kind in engine_kinds().items()), _gpus(), _builder()]


def _file_system(place: Path) -> MachineFinding:
    """Try in a named store's folder what a store asks of its file system, so that workers may share it."""
    with tempfile.TemporaryDirectory(prefix=".asked-", dir=place) as folder:
        lacking = find_lacking_calls(Path(folder))
    if lacking:
        advice = "name a store on a local disk, or on NFS 4 with locks, and let inputs be sent (docs/scale.md)"
        return MachineFinding("missing", "file system", f"{place}: {'; '.join(lacking)}", advice)
    return MachineFinding("ok", "file system", f"{place}: {', '.join(NEEDED_CALLS)}")


def _python() -> MachineFinding:
    found = f"{platform.python_implementation()} {platform.python_version()}"
    try:
        told = metadata.metadata("repro-harness").get_all("Classifier") or ()
    except metadata.PackageNotFoundError:  # the source was copied, not installed
        told = ()
    tried = [line.rpartition(" ")[2] for line in told if ":: Python :: 3." in line]
    advice = f"use CPython {', '.join(tried) or PYTHON + ' or newer'}"
    if platform.python_implementation() != "CPython" or sys.version_info < (3, 11):
        return MachineFinding("missing", "Python", found, advice)
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return MachineFinding("missing", "Python", f"{found}, a free-threaded build", advice)
    if tried and f"{sys.version_info.major}.{sys.version_info.minor}" not in tried:
        return MachineFinding("better", "Python", f"{found}, with which nothing was tried yet", advice)
    return MachineFinding("ok", "Python", found)


def _platform() -> MachineFinding:
    found = f"{sys.platform} {platform.machine()}"
    if sys.platform == "linux" and platform.machine() == "aarch64":
        return MachineFinding("better", "platform", f"{found}, on which nothing was tried yet", "use Linux on x86-64")
    fine = sys.platform == "linux" and platform.machine() == "x86_64"
    return MachineFinding("ok" if fine else "missing", "platform", found, "" if fine else "use Linux on x86-64")


@functools.cache
def _numerics() -> MachineFinding:
    """Compare this processor with the committed digests, in a child: libraries read a step's variables only once."""
    if find_spec("torch") is None:
        return MachineFinding(
            "better", "numerics", "not probed: torch is not installed", "install the packages of a model"
        )
    with tempfile.TemporaryDirectory() as private:
        env = {**step_environment(Path(private)), "PYTHONPATH": str(Path(harness.__file__).parents[1])}
        command = [sys.executable, "-P", "-c", _PROBES]
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.strip().splitlines()[-1:])
        return MachineFinding("missing", "numerics", f"the probes did not run: {said[:200]}", "see docs/numerics.md")
    count, differs = json.loads(done.stdout)
    if differs:
        return MachineFinding(
            "better",
            "numerics",
            f"not portable here: {', '.join(differs)} of {count} probes differ from the table",
            "bytes made here hold for this class of processor alone: say `numerics: machine` (docs/numerics.md)",
        )
    return MachineFinding("ok", "numerics", f"portable: {count} probes as on every processor in docs/numerics.md")


def _packages() -> Iterator[MachineFinding]:
    """Yield the findings of a full check of what a step can import: installed and locked files, and our bytecode."""
    try:
        look = checked.check_once(full=True)
    except HarnessError as bad:
        yield MachineFinding("missing", "packages", bad.what, bad.next)
        return
    held = (
        f"{look.files:,} files unchanged since they were installed; {look.bytes >> 20:,} MiB read in {look.wall:.1f} s"
    )
    if look.files_altered:
        error = checked.altered_error(look)
        yield MachineFinding("missing", "packages", error.what, error.next)
    else:
        held += f"; {checked.unread_text(checked.unread_fact(look))}" if look.unread else ""
        others = [f"{one.path}: {one.why}" for one in look.altered if one.kind != "unread"]
        advice = checked.AGAIN if others else ""
        yield MachineFinding("better" if others else "ok", "packages", "; ".join([held, *others]), advice)
    if read_list(checked.import_paths().bytecode) is None:
        found = "none of our own: each step compiles what it imports, and loads no other"
        yield MachineFinding("better", "bytecode", found, f"steps start faster after {checked.COMPILE}")


def _isolation() -> MachineFinding:
    try:
        offered = available_isolations()
    except HarnessError as bad:
        return MachineFinding("missing", "isolation", bad.what, bad.next)
    best, found = offered[0], ", ".join(offered)
    if best == ISOLATIONS[0]:
        return MachineFinding("ok", "isolation", found)
    if shutil.which("bwrap", path=STEP_PATH):
        found = f"{found}; bubblewrap is here but refused{_refusal()}"
    return MachineFinding("better", "isolation", found, f"{advise_isolation()}: {_ADVICE[best]}")


def _refusal() -> str:
    """Return bubblewrap's error message if it cannot make the namespaces that a step needs."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"]
    try:
        tried = subprocess.run(
            words, env={"PATH": STEP_PATH}, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as bad:
        return f": {type(bad).__name__}"
    said = [line for line in tried.stderr.decode(errors="replace").splitlines() if line.strip()]
    return "".join(f": {''.join(c for c in line if c.isprintable())[:200]}" for line in said[:1])


def _engine(name: str, kind: EngineKind, images: Path) -> MachineFinding:
    """Return what an engine is, and the result of a real step in each of its isolations."""
    about = kind.about
    try:
        about += f": {kind.probe()}" if kind.probe else ""
        found = check_isolations(kind, images)
    except HarnessError as bad:
        return MachineFinding("better", name, f"{about}: {bad.what}" if about != kind.about else bad.what, bad.next)
    kept = ", ".join(f"{one.isolation} passes {one.claims or 'no'} containment checks" for one in found)
    out = [f"{one.isolation} lets a step reach {', '.join(one.escaped)}" for one in found if one.escaped]
    loose = [f"{one.isolation} does not enforce the limits of {', '.join(one.ignored)}" for one in found if one.ignored]
    if out:
        return MachineFinding(
            "missing", name, f"{about}; {'; '.join(out + loose)}", "choose another engine or isolation"
        )
    if loose:
        return MachineFinding(
            "better", name, f"{about}; {kept}; {'; '.join(loose)}", "give it control groups (version 2)"
        )
    return MachineFinding("ok", name, f"{about}; {kept}")


def _gpus() -> MachineFinding:
    try:
        device = engine.choose_device(1, engine.query_driver)
    except HarnessError as bad:
        return MachineFinding("better", "GPU", bad.what, "nothing, unless a manifest wants `gpus`")
    return MachineFinding("ok", "GPU", f"{device.facts['gpus'][0]['model']} ({device.kind})")


def _builder() -> MachineFinding:
    if shutil.which("mmdebstrap"):
        return MachineFinding("ok", "image builder", "mmdebstrap")
    return MachineFinding("better", "image builder", "mmdebstrap is not installed", "apt-get install mmdebstrap")
