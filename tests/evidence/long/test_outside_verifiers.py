"""What is signed and anchored here is verified by other people's software, and by a stranger who has Python alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from needs import needs
from support import REPOSITORY, finished_project
from support_agents import peers_python
from support_inside import inside

from harness.evidence.keys import read_public

needs("cryptography")
pytestmark = pytest.mark.together  # one run serves all
PAGE = REPOSITORY / "docs" / "bundle.md"
SMALL = "manifests/small.yaml"
SECURESYSTEMSLIB = """
import json, sys
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey
for name in sys.argv[2:]:
    body = json.load(open(name))
    keyid = body["signatures"][0]["keyid"]
    key = SSlibKey(keyid, "ed25519", "ed25519", {"public": sys.argv[1]})
    try:
        Envelope.from_dict(body).verify([key], 1)
        print("good")
    except VerificationError as bad:
        print("bad")
"""
AUTHORITY = """\
[tsa]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
[stamping]
extendedKeyUsage = critical,timeStamping
"""


def commands(mark: str) -> list[str]:
    """Give the commands that stand on the page behind a mark, without their comments."""
    found = re.search(rf"<!-- {mark} -->\n```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return [line.partition("   #")[0].strip() for line in found[1].splitlines()]


def shell(command: str, cwd: Path, *before: str, check: int = 0, **env: str) -> str:
    """Run a command as a person types it, and give what it says."""
    words = [*before, "sh", "-c", command]
    done = subprocess.run(
        words, cwd=cwd, capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **env}
    )
    assert done.returncode == check, (command, done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a run, its bundle, and statements of every kind by one key."""
    folder = tmp_path_factory.mktemp("outside") / "project"
    finished_project(folder, count=20, models=("oracle",))
    for words in (
        ("lock", "--accept", "last"),
        ("keys", "new", "--plain", "lab.key"),
        ("export", "last", "-o", "run.tar"),
        ("attest", "last", "--key", "lab.key", "-o", "run.dsse.json"),
        ("attest", "last", "--key", "lab.key", "--verdict", "-o", "verdict.dsse.json"),
        ("attest", "--lock", SMALL, "--key", "lab.key", "-o", "lock.dsse.json"),
        ("attest", "--expect", SMALL, "--key", "lab.key", "-o", "expect.dsse.json"),
    ):
        inside(*words, cwd=folder, check=0)
    return folder


def test_securesystemslib_verifies_every_envelope(place: Path, tmp_path: Path) -> None:
    python = peers_python("securesystemslib.dsse", "securesystemslib.signer")
    public = inside("keys", "new", "--plain", tmp_path / "other", cwd=place, check=0).stdout.split()[-1]
    own = read_public((place / "lab.key.pub").read_text()).hex()
    names = sorted(path.name for path in place.glob("*.dsse.json"))
    assert len(names) == 4
    body = json.loads((place / names[0]).read_bytes())
    body["payload"] = json.loads((place / names[1]).read_bytes())["payload"]
    (tmp_path / "swapped").write_text(json.dumps(body))

    def said(key: str, *files: str | Path) -> list[str]:
        words = [python, "-c", SECURESYSTEMSLIB, key, *map(str, files)]
        return subprocess.run(words, cwd=place, capture_output=True, text=True, check=True).stdout.split()

    assert said(own, *names, tmp_path / "swapped") == ["good"] * 4 + ["bad"]
    assert said(public, *names) == ["bad"] * 4


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """A time-stamp authority of this machine: a key, its certificate, and a configuration."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path / "authority"
    folder.mkdir()
    (folder / "serial").write_text("01\n")
    (folder / "tsa.cnf").write_text(AUTHORITY.format(folder=folder))
    for command in (
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority -days 2",
        "openssl req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj /CN=stamps",
        "openssl x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out tsa.pem"
        " -extfile tsa.cnf -extensions stamping",
    ):
        shell(command, folder)
    return folder


def test_a_time_stamp_of_an_anchor_is_made_and_verified_as_the_page_says(
    place: Path, authority: Path, tmp_path: Path
) -> None:
    """The page's commands, with an authority of this machine in the place of the one that curl asks."""
    folder = shutil.copytree(place, tmp_path / "project", symlinks=True)
    shutil.copy(authority / "ca.pem", folder / "authority.pem")
    lines = commands("a time stamp")
    assert [line.split()[0] for line in lines] == ["harness", "openssl", "curl", "openssl", "harness"]
    stamp = (
        f"openssl ts -reply -config {authority}/tsa.cnf -section tsa -queryfile anchor.tsq"
        f" -signer {authority}/tsa.pem -inkey {authority}/tsa.key -out anchor.tsr"
    )
    for line in lines:
        if line.startswith("harness anchor"):
            (folder / "anchor.txt").write_text(inside("anchor", cwd=folder, check=0).stdout)
        elif line.startswith("harness"):
            inside(*line.split()[1:], "--level", "hashes", cwd=folder, check=0)
        else:
            shell(stamp if line.startswith("curl") else line, folder)
    verify = next(line for line in lines if "-verify" in line)
    assert "Verification: OK" in shell(verify, folder)
    (folder / "anchor.txt").write_text((folder / "anchor.txt").read_text().replace(" 2 ", " 1 "))
    assert "message imprint mismatch" in shell(verify, folder, check=1)


def alone(folder: Path) -> list[str]:
    """Give the words before a command that let it see Debian's programs and one folder, as nobody, with no network."""
    if not shutil.which("bwrap") or not Path("/usr/bin/python3").exists():
        pytest.skip("bubblewrap, or Debian's own Python, is not installed")
    who = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    words = [*who, "bwrap", "--unshare-all", "--clearenv", "--setenv", "PATH", "/usr/bin", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--proc", "/proc", "--dev", "/dev", "--ro-bind", str(folder), "/there", "--chdir", "/there"]
    tried = subprocess.run([*words, "/usr/bin/python3", "-c", ""], capture_output=True, text=True, check=False, cwd="/")
    if tried.returncode:
        pytest.skip(f"no namespace can be made here: {tried.stderr.strip()}")
    return words


def test_a_stranger_verifies_a_bundle_with_three_commands_and_python_alone(place: Path) -> None:
    """In a folder of four files, as another user, without a network and without anything that is not Debian's."""
    folder = Path("/tmp") / f"stranger-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        for name in ("run.tar", "run.dsse.json", "lab.key.pub"):
            shutil.copy(place / name, folder)
            (folder / name).chmod(0o644)
        shutil.copy(REPOSITORY / "tools" / "verify_bundle.py", folder)
        before = alone(folder)
        digest, bundle, signed = commands("a stranger's commands")
        told = json.loads(inside("export", "last", "-o", "again.tar", "--json", cwd=place, check=0).stdout)
        assert shell(digest, Path("/"), *before) == f"{told['sha256']}  run.tar\n"
        said = shell(bundle, Path("/"), *before)
        assert "verdict: agreed\n" in said and "signatures, as no envelope was given" in said
        said = shell(signed, Path("/"), *before)
        assert "pass attest" in said and "verdict: agreed\n" in said and "signatures" not in said
        assert "No module named" in shell("python3 -I -S -c 'import harness'", Path("/"), *before, check=1)
        data = bytearray((folder / "run.tar").read_bytes())
        data[len(data) // 2] ^= 1
        (folder / "run.tar").write_bytes(data)
        assert "verdict: disagreed" in shell(signed, Path("/"), *before, check=1)
    finally:
        shutil.rmtree(folder)
