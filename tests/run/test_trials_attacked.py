"""Answers that forge how they ended, reach for the machine, or for an answer that is tried beside them.

Each is an answer's code, tried and scored as in a run: on bubblewrap, docker and podman, for whoever runs the tests.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support_draws import drawn
from support_engine import Service, open_docker
from support_trials import Tried

from harness import trial
from harness.engines.engine import Engine
from harness.engines.local import LocalEngine, available_isolations
from harness.studies.questions.code import outcomes
from harness.studies.questions.code.code_tests import CodeTests, read_tests
from harness.studies.questions.code.programs import program

TESTS = "assert f(21) == 42"
LIMITS = trial.TrialLimits(seconds=10, cpu_seconds=4, memory=512 << 20, output=1 << 20)
ENDED = {"done", "failed"}
ANY = {*ENDED, "killed", "output", "time"}
SAYS = "import os\nos.write(1, {!r})\nos._exit(0)"  # in the place of what the tests would have told
OUT = "import os\npath = os.path.realpath('/proc/self/fd/1')\nfolder = os.path.dirname(path)\n"
MANY = """
import os, time
os.chdir(PLACE)
try:
    for n in range(200_000):
        EACH
except OSError as bad:
    os.write(2, repr(bad).encode())
os._exit(0)
"""
SAID: dict[str, bytes] = {
    "words that are no text": b'{"values": ["42\xff\xfe\x00"]}\n\xff',
    "half a character": b'{"values": ["\\ud800"]}\n',
    "lists without end": b'{"values": [' + b"[" * 200_000 + b"]" * 200_000 + b"]}\n",
    "a value without end": b'{"values": ["' + b"[" * 200_000 + b'"]}\n',
    "a number of many digits": b'{"values": [' + b"9" * 100_000 + b"]}\n",
    "a name twice": b'{"values": ["42"], "values": ["41"]}\n',
    "two lines": b'{"values": ["42"]}\n{"values": ["41"]}\n',
    "more values than calls": b'{"values": ["42", "42"]}\n',
    "no values": b'{"values": []}\n',
    "null": b'{"values": null}\n',
    "values by name": b'{"values": {"0": "42"}}\n',
    "a value that is a number": b'{"values": [42]}\n',
    "that it passed": b'{"passed": true}\n',
    "that it passed as nothing": b'{"passed": null}\n',
    "a list": b'["42"]\n',
    "no number": b'{"values": [NaN]}\n',
}
FORGED: dict[str, tuple[str, set[str]]] = {
    **{f"exit {code}": (f"import os\nos._exit({code})", {"failed"}) for code in (1, 124, 126, 127)},
    # a shell tells a signal so, and an engine may have no other word for one
    **{f"exit {code}": (f"import os\nos._exit({code})", {"failed", "killed", "cpu"}) for code in (130, 137, 152, 255)},
    **{
        f"signal {name}": (
            f"import os, signal, time\nsignal.signal(signal.{name}, signal.SIG_DFL) if {name!r} != 'SIGKILL' else 0\n"
            f"os.kill(os.getpid(), signal.{name})\ntime.sleep(60)",
            {"killed", "cpu", "memory", "failed", "time"},  # the first process of a container is not ended by each
        )
        for name in ("SIGKILL", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSEGV", "SIGSYS")
    },
    "stopping itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", {"time"}),
    **{f"saying {name}": (SAYS.format(words), {"done"}) for name, words in SAID.items()},
    "a link to the machine's": (f"{OUT}os.unlink(path)\nos.symlink('/etc/passwd', path)\nos._exit(0)", ENDED),
    "a link to its own words": (f"{OUT}os.unlink(path)\nos.symlink('/proc/self/environ', path)\nos._exit(0)", ENDED),
    "a pipe": (f"{OUT}os.unlink(path)\nos.mkfifo(path)\nos._exit(0)", ENDED),
    "a folder": (f"{OUT}os.unlink(path)\nos.mkdir(path)\nos._exit(0)", ENDED),
    "a socket": (
        f"{OUT}import socket\nos.unlink(path)\nos.chdir(folder)\nsocket.socket(socket.AF_UNIX).bind('stdout')\n"
        "os._exit(0)", ENDED,
    ),
    "a second name of another file": (
        f"{OUT}os.unlink(path)\nos.link(folder + '/../trial.json', path)\nos._exit(0)", ENDED,
    ),
    "nothing": (f"{OUT}os.unlink(path)\nos._exit(0)", ENDED),
    "holes": (f"{OUT}os.ftruncate(1, 1_000_000)\nos._exit(0)", {*ENDED, "output"}),
    "what nobody may read": (f"{OUT}os.chmod(path, 0)\nos.chmod(folder, 0)\nos._exit(0)", {*ENDED, "output"}),
    "names that are no names": (
        f"{OUT}for n in (b'\\xff\\xfe', b'a\\nb', b'..x', b' ', b'\\xe2\\x80\\xae.txt', b'-rf', b'x' * 255):\n"
        "    open(os.fsencode(folder) + b'/' + n, 'w').write('1')\nos._exit(0)", {*ENDED, "output"},
    ),
    "folders in folders": (MANY.replace("PLACE", "'.'").replace("EACH", "os.mkdir('d'); os.chdir('d')"), ANY),
    "files without number": (MANY.replace("PLACE", "'.'").replace("EACH", "open(str(n), 'w').close()"), ANY),
    "a writer that stays": (
        f"{OUT}if not os.fork():\n    os.setsid()\n    while True:\n"
        "        os.pwrite(1, b'{\"values\": [\"41\"]}\\n', 0)\nos._exit(0)", {*ENDED, "output", "cpu", "time"},
    ),
    "a value that is all values": (
        "class I(int):\n    def __repr__(s): return '42'\n    __str__ = __repr__\n    def __eq__(s, o): return True\n"
        "    def __hash__(s): return 0\n    def __index__(s): return 42\ndef f(x): return I(0)", ENDED,
    ),
    "a text that is all texts": ("class S(str):\n    def __eq__(s, o): return True\ndef f(x): return S('x')", ENDED),
    "a list within itself": ("def f(x):\n    r = []\n    r.append(r)\n    return r", ENDED),
    "a list that is deep": ("def f(x):\n    r = []\n    for _ in range(100_000): r = [r]\n    return r", ANY),
    "a number that is long": ("def f(x): return 10 ** 5_000_000", {*ANY, "cpu"}),
    "words at the end": (
        "import atexit, os\natexit.register(lambda: os.write(1, b'\\n{}'))\ndef f(x): return 41", ENDED,
    ),
}  # fmt: skip
ROOTLESS = ["makes a file in /dev"] if os.geteuid() else []
# What of the machine an answer finds within reach; the names of all of it, which is to be none.
REACHED = r"""
import errno, json, os, socket

found = []
def attempt(name, what):
    try:
        what()
    except (OSError, ValueError):
        return
    found.append(name)

def masked(path):  # engines lay /dev/null over what a container is not to see
    try:
        return os.stat(path).st_rdev == os.makedev(1, 3)
    except OSError:
        return False

for top, folders, files in os.walk("/proc"):
    if top.count("/") > 5 or "/task/" in top:
        continue
    if top.startswith("/proc/") and top.split("/")[2].isdigit():
        folders.clear()  # of processes its own are its own
        continue
    for file in files:
        path = os.path.join(top, file)
        masked(path) or attempt("writes " + path, lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)))
for path in ("/proc/kmsg", "/dev/kmsg", "/proc/kcore", "/dev/mem", "/proc/sysrq-trigger", "/proc/timer_list",
             "/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", os.path.expanduser("~root/.ssh")):
    look = os.listdir if os.path.isdir(path) else lambda path: open(path, "rb").read(1)
    masked(path) or attempt("reads " + path, lambda: look(path))
for place in ("/sys/fs/cgroup", "/sys/kernel", "/dev", "/etc", "/usr", "/bin", "/proc", "../in", "../code", ".."):
    attempt("makes a file in " + place, lambda: open(place + "/attack", "w"))
attempt("makes a device", lambda: os.mknod("device", 0o60666, os.makedev(8, 0)))
attempt("changes its root", lambda: os.chroot("."))
attempt("renames the machine", lambda: socket.sethostname("attack"))
attempt("ends the first process", lambda: os.kill(1, 0) if os.getpid() != 1 and os.getppid() != 1 else os.kill(-2, 9))
attempt("hurries", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 64]
found += ["sees processes"] * bool(others)
print(json.dumps(found))
"""
# An engine lets the pressure be waited for; a rootless one gives root inside its container's own folder of devices.
OPEN = {*(f"writes /proc/pressure/{one}" for one in ("cpu", "io", "memory")), *ROOTLESS}
# Two answers that are tried at the same time: one opens its doors, the other looks for them.
WAITING = """
import os, socket, time
names = ("\\0attack", "/tmp/attack", "/dev/shm/attack", "/var/tmp/attack")
kept = []
for name in names:
    try:
        kept.append(socket.socket(socket.AF_UNIX))
        kept[-1].bind(name)
        kept[-1].listen()
    except OSError:
        pass
time.sleep(5)
print("waited")
"""
LOOKING = """
import os, socket, time
found = []
for _ in range(30):
    for name in ("\\0attack", "/tmp/attack", "/dev/shm/attack", "/var/tmp/attack"):
        try:
            socket.socket(socket.AF_UNIX).connect(name)
            found.append(name)
        except OSError:
            pass
    for place in ("/tmp", "/dev/shm", "/var/tmp"):
        found += [name for name in os.listdir(place) if name.startswith("attack")] if os.path.isdir(place) else []
    time.sleep(.1)
print(found)
"""


def everywhere(engine: str) -> Any:
    return engine if engine == "bubblewrap" else pytest.param(engine, marks=pytest.mark.long)


@pytest.fixture(params=[everywhere(one) for one in ("bubblewrap", "docker", "podman")])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Give each kind of engine that contains foreign code, one after the other."""
    if request.param == "bubblewrap":
        if "bubblewrap" not in available_isolations():
            pytest.skip("no bubblewrap here")
        yield LocalEngine("bubblewrap")
        return
    images = request.getfixturevalue("image_store")
    service: str | Service = request.getfixturevalue("docker_host" if request.param == "docker" else "podman")
    monkeypatch.setenv("DOCKER_HOST", service if isinstance(service, str) else service.host)
    yield open_docker(images)


def scored(tried: Tried, engine: Engine, answers: list[str]) -> list[tuple[dict[str, Any], Any]]:
    """Try and score answers as a run does; gives each one's trial and value."""
    read = read_tests(TESTS)
    assert isinstance(read, CodeTests)
    made = [program(answer, read.visible()) for answer in answers]
    assert all(made)
    rows = tried.run([{"program": one[0], "stdin": one[1]} for one in made if one], engine, LIMITS)
    return [(row, outcomes.passed(answer, TESTS, row)["value"]) for answer, row in zip(answers, rows, strict=True)]


@pytest.mark.exhaustive
def test_no_answer_forges_how_it_ended(engine: Engine, tmp_path: Path) -> None:
    """Among them one that is right, so that what is refused to the others is known to be given."""
    tried, names = Tried(tmp_path), drawn(FORGED, 4, len(FORGED) if engine.name == "local" else 20)
    (right, value), *forged = scored(tried, engine, ["def f(x): return 2 * x", *(FORGED[name][0] for name in names)])
    assert (right["outcome"], value) == ("done", 1), right
    ends = {name: (row["outcome"], value) for name, (row, value) in zip(names, forged, strict=True)}
    odd = {name: end for name, end in ends.items() if end[0] not in FORGED[name][1] or end[1] != 0}
    assert odd == {}
    words = json.dumps([row for row, _ in forged])
    assert "root:" not in words and "HOSTNAME" not in words, "what links lead to is nobody's words"
    assert not list(tried.store.temp.iterdir()), "no private folder is left"


def test_no_answer_reaches_the_machine(engine: Engine, tmp_path: Path) -> None:
    [row] = Tried(tmp_path).run([{"program": REACHED}], engine, LIMITS)
    assert row["outcome"] == "done", row
    found = set(json.loads(row["stdout"]))
    allowed = set() if engine.name == "local" else OPEN
    assert found <= allowed, sorted(found - allowed)
    assert not Path("/etc/attack").exists() and not Path("/usr/attack").exists()


@pytest.mark.long
def test_answers_that_are_tried_at_once_do_not_meet(engine: Engine, tmp_path: Path) -> None:
    waiting, looking = Tried(tmp_path).run([{"program": WAITING}, {"program": LOOKING}], engine, LIMITS)
    assert (waiting["stdout"], looking["stdout"]) == ("waited\n", "[]\n"), (waiting, looking)
