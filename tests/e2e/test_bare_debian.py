"""On a Debian with what the README names and nothing else, an ordinary user reproduces the demos and runs the tests.

The root is made of Debian's own packages and entered by `pivot_root`: in a plain chroot no user namespace can be had,
and bubblewrap is what isolates the steps. The environment `.venv`, which costs minutes and gigabytes, is the one that
is here, shown read-only at its own place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import REPOSITORY

pytestmark = [
    pytest.mark.long,
    pytest.mark.together,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a root of its own"),
    pytest.mark.skipif(not shutil.which("mmdebstrap"), reason="mmdebstrap is not installed here"),
]
PACKAGES = ("make", "git", "python3", "python3-venv", "bubblewrap", "mount")
USER = 1000
# What meets a user, a disk or a program; what computes alone passes or fails as it does beside this test.
MEETING = ("attempts", "engines", "store", "cli/test_verbs.py", "run/test_attempt_open.py", "tools/test_server.py")
ENTER = """
set -e
root=$1 seen=$2; shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for place in $seen; do
    mkdir -p "$root$place"
    mount --bind -o ro "$place" "$root$place"
done
cd "$root"
pivot_root . mnt
umount -l /mnt
cd "$REPOSITORY"
exec setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \\
    env -i HOME=/home/user PATH=/usr/bin:/bin:/sbin $ELSEWHERE "$@"
"""
SLOW = ("brain-networks", "brain-words-scans", "reliability")  # demos that take two thirds of the time of all
Inside = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """Run a command in a bare Debian, in a copy of this checkout, as an ordinary user."""
    root = tmp_path_factory.mktemp("bare") / "root"
    words = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", str(root)]
    made = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if made.returncode:
        pytest.skip(f"no Debian can be made here: {made.stderr.strip()[-400:]}")
    copied = root / REPOSITORY.relative_to("/")
    shutil.copytree(REPOSITORY, copied, symlinks=True, ignore=shutil.ignore_patterns(".git", ".harness", ".reproduce",
                    "__pycache__", "" if (REPOSITORY / ".venv").is_symlink() else ".venv"))  # fmt: skip
    (root / "home" / "user").mkdir()
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")  # as an installed system has it
    for path in (copied, *copied.rglob("*"), root / "home" / "user"):
        os.chown(path, USER, USER, follow_symlinks=False)
    elsewhere = (
        f"PYTHONPATH={REPOSITORY}" if (REPOSITORY / ".venv").is_symlink() else ""
    )  # it was made for another copy
    places = {os.path.realpath(sys.prefix), sys.base_prefix} - {"/usr"}
    for place in (REPOSITORY, *map(Path, places)):
        for above in reversed(place.parents[:-1]):  # nobody may be kept from what lies in a home of root's
            (root / above.relative_to("/")).mkdir(exist_ok=True)
            (root / above.relative_to("/")).chmod(0o755)

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        line = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter", str(root)]
        return subprocess.run(
            [*line, " ".join(sorted(places)), *command], env={**os.environ, "REPOSITORY": str(REPOSITORY),
            "USER_ID": str(USER), "ELSEWHERE": elsewhere}, capture_output=True, text=True, timeout=2400, check=False,
        )  # fmt: skip

    return run


def test_the_demos_are_reproduced_in_bubblewrap(inside: Inside, request: pytest.FixtureRequest) -> None:
    turn = request.config.getoption("turn")
    left = () if turn is None else {*SLOW} - {SLOW[turn % len(SLOW)]}
    demos = sorted(demo for demo in (REPOSITORY / "manifests" / "demo").glob("*.yaml") if demo.stem not in left)
    assert len(demos) > len(SLOW)
    named = () if turn is None else (f"DEMOS={' '.join(str(demo.relative_to(REPOSITORY)) for demo in demos)}",)
    done = inside("make", "reproduce", *named)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "manifests agree with what is expected" in done.stderr
    verdicts = [line for line in done.stdout.splitlines() if ": agreed (" in line]
    assert verdicts and all("isolation bubblewrap" in line for line in verdicts), done.stdout


def test_the_tests_pass_in_bubblewrap(inside: Inside) -> None:
    done = inside("make", "test", "WORKERS=2", f"TESTS={' '.join(f'tests/{name}' for name in MEETING)}")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout and " failed" not in done.stdout
