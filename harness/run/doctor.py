"""What this machine can do, held against what the harness wants: each finding with what would make it better."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.engines import gpu
from harness.engines.engine import Kind
from harness.engines.local import ISOLATIONS, STEP_PATH, available
from harness.errors import HarnessError
from harness.run import installed
from harness.run.bytecode import listed
from harness.run.engine_check import check_isolations
from harness.run.engines import kinds
from harness.run.environment import facts
from harness.store.store import HOME


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: fine, could be better, or missing."""

    state: str  # ok | better | missing
    subject: str
    found: str
    advice: str = ""


_ADVICE = {  # what a step gains over the best isolation there is
    "namespaces": "a step would then see nothing of the disk but its own folder",
    "process": "a step could then reach no network",
}


def examine(store: Path | None, folder: Path) -> list[Finding]:
    """Look at the interpreter, the platform, the isolation, the room on the disk, the store and the engines."""
    findings = [_python(), _platform(), *_packages(), _isolation()]
    about = facts()
    findings.append(Finding("ok", "machine", f"{about['cpu']}, {about['cores']} cores, Linux {about['kernel']}"))
    place = store or folder
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free >> 20
    state = "ok" if free >= 1024 else "better"
    findings.append(Finding(state, "disk", f"{free} MiB free", "" if state == "ok" else "free some room"))
    if not os.access(place, os.W_OK):
        findings.append(Finding("better", "store", f"{place} cannot be written", "name a store with --store DIR"))
    images = store or folder / HOME
    return [*findings, *(_engine(name, kind, images) for name, kind in kinds().items()), _gpus(), _builder()]


def _python() -> Finding:
    fine = sys.version_info[:2] == (3, 11) and platform.python_implementation() == "CPython"
    found = f"{platform.python_implementation()} {platform.python_version()}"
    return Finding("ok" if fine else "missing", "Python", found, "" if fine else "use CPython 3.11")


def _platform() -> Finding:
    fine = sys.platform == "linux" and platform.machine() == "x86_64"
    found = f"{sys.platform} {platform.machine()}"
    return Finding("ok" if fine else "missing", "platform", found, "" if fine else "use Linux on x86-64")


def _packages() -> Iterator[Finding]:
    """Read every byte of what a step can import: what is installed, what is locked, our own bytecode."""
    try:
        look = installed.look(full=True)
    except HarnessError as bad:
        yield Finding("missing", "packages", bad.what, bad.next)
        return
    held = (
        f"{look.files:,} files unchanged since they were installed; {look.bytes >> 20:,} MiB read in {look.wall:.1f} s"
    )
    if look.files_altered:
        error = installed.altered_error(look)
        yield Finding("missing", "packages", error.what, error.next)
    else:
        others = [f"{one.path}: {one.why}" for one in look.altered]
        advice = installed.AGAIN if others else ""
        yield Finding("better" if others else "ok", "packages", "; ".join([held, *others]), advice)
    if listed(installed.here().bytecode) is None:
        found = "none of our own: each step compiles what it imports, and loads no other"
        yield Finding("better", "bytecode", found, installed.AGAIN)


def _isolation() -> Finding:
    try:
        offered = available()
    except HarnessError as bad:
        return Finding("missing", "isolation", bad.what, bad.next)
    best, found = offered[0], ", ".join(offered)
    if best == ISOLATIONS[0]:
        return Finding("ok", "isolation", found)
    if shutil.which("bwrap", path=STEP_PATH):
        found, how = f"{found}; bubblewrap is here but refused{_refusal()}", "allow user namespaces"
    else:
        how = "apt-get install bubblewrap" + ("" if best == "namespaces" else ", or allow user namespaces")
    return Finding("better", "isolation", found, f"{how}: {_ADVICE[best]}")


def _refusal() -> str:
    """Give the first words of bubblewrap where it cannot do what a step needs of it first: namespaces of its own."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"]
    try:
        tried = subprocess.run(
            words, env={"PATH": STEP_PATH}, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as bad:
        return f": {type(bad).__name__}"
    said = [line for line in tried.stderr.decode(errors="replace").splitlines() if line.strip()]
    return "".join(f": {''.join(c for c in line if c.isprintable())[:200]}" for line in said[:1])


def _engine(name: str, kind: Kind, images: Path) -> Finding:
    """Say what an engine is, and what came of a real step in each of its isolations."""
    about = kind.about
    try:
        about += f": {kind.probe()}" if kind.probe else ""
        found = check_isolations(kind, images)
    except HarnessError as bad:
        return Finding("better", name, f"{about}: {bad.what}" if about != kind.about else bad.what, bad.next)
    kept = ", ".join(f"{one.isolation} passes {one.claims or 'no'} containment checks" for one in found)
    out = [f"{one.isolation} lets a step reach {', '.join(one.escaped)}" for one in found if one.escaped]
    loose = [f"{one.isolation} does not enforce the limits of {', '.join(one.ignored)}" for one in found if one.ignored]
    if out:
        return Finding("missing", name, f"{about}; {'; '.join(out + loose)}", "choose another engine or isolation")
    if loose:
        return Finding("better", name, f"{about}; {kept}; {'; '.join(loose)}", "give it control groups (version 2)")
    return Finding("ok", name, f"{about}; {kept}")


def _gpus() -> Finding:
    try:
        device = gpu.choose_device(1, gpu.query_driver)
    except HarnessError as bad:
        return Finding("better", "GPU", bad.what, "nothing, unless a manifest wants `gpus`")
    return Finding("ok", "GPU", f"{device.facts['gpus'][0]['model']} ({device.kind})")


def _builder() -> Finding:
    if shutil.which("mmdebstrap"):
        return Finding("ok", "image builder", "mmdebstrap")
    return Finding("better", "image builder", "mmdebstrap is not installed", "apt-get install mmdebstrap")
