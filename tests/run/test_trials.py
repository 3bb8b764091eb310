"""Foreign code as trials: every hostile program is contained and its end is an outcome, and equal programs run once."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import REPOSITORY
from support_draws import drawn
from support_engine import open_docker
from support_trials import KIND, SHORT, Tried

from harness import trial
from harness.digest import sha256
from harness.engines.engine import Engine, Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import Interrupted, MissingError
from harness.images.image import find_image, read_image_pins
from harness.run.engines import require_contained
from harness.run.executing.workshop import Workshop
from harness.steps import JUDGED, Pinned, Plan, Ref, Step
from harness.store.store import Store

REACH = """
import os
def reach(what):
    try:
        what()
    except OSError as bad:
        return type(bad).__name__
    return "reached"
"""
# What a hostile program does, and how that must end: its outcomes, and what it may have printed.
HOSTILE = {
    "a fork bomb": ("import os\nwhile True:\n    os.fork()", {"failed", "time", "cpu", "killed", "memory"}),
    "a call over the network": (
        "import socket\ns = socket.socket()\ns.settimeout(2)\ns.connect(('PEER', PORT))\nprint('reached')", {"failed"},
    ),
    "reading the gold": (f"{REACH}print(reach(lambda: open('GOLD').read()))", {"done"}),
    "writing outside": (
        f"{REACH}reach(lambda: open('OUTSIDE/x', 'w'))  # a private /tmp may hold that folder\n"
        "print([reach(lambda: open(p, 'w')) for p in ('/usr/x', '/etc/x', '../in/x', '../x')])",
        {"done"},
    ),
    "an endless loop": ("while True: pass", {"cpu", "time"}),
    "endless waiting": ("import time\ntime.sleep(60)", {"time"}),
    "printing 1 GB": ("for n in range(1024): print('x' * (1 << 20))", {"output"}),
    "filling its folder": ("f = open('big', 'wb')\nwhile True: f.write(b'x' * (1 << 20))", {"output", "failed"}),
    "the kernel's switches": (f"{REACH}print(reach(lambda: open('/proc/sys/kernel/core_pattern', 'w')))", {"done"}),
    "killing its parent": (
        "import os, signal\nfor pid in (os.getppid(), 1, -1):\n    try: os.kill(pid, signal.SIGKILL)\n"
        "    except OSError: pass\nprint('alive')", {"done", "killed"},
    ),
    "leaving processes behind": (
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(MARK)'], "
        "start_new_session=True)\nprint('left')", {"done"},
    ),
    "taking all memory": ("held = b'x' * (4 << 30)", {"memory", "killed"}),
    "laying a pipe where its words are read": (
        "import os\nos.unlink('../out/stdout')\nos.mkfifo('../out/stdout')", {"done", "failed"},
    ),
    "laying a link where its words are read": (
        "import os\nos.unlink('../out/stdout')\nos.symlink('GOLD', '../out/stdout')", {"done", "failed"},
    ),
    "crashing": ("import ctypes\nctypes.string_at(0)", {"killed", "failed"}),
}  # fmt: skip
CONTAINED = {"reading the gold": "FileNotFoundError", "the kernel's switches": "OSError"}


@pytest.mark.parametrize(("over", "kept"), [(True, None), (False, "no such name")])
def test_last_words_are_kept_unless_it_wrote_too_much(over: bool, kept: str | None) -> None:
    ended = trial.TrialEnd(1, 0, timed_out=False, oom=False, over=over, stdout=b"said", stderr=b"no such name")
    said = trial.classify_outcome(ended)
    assert said["stdout"] == "said" and said.get("stderr") == kept


@pytest.fixture
def tried(tmp_path: Path) -> Tried:
    return Tried(tmp_path)


@pytest.fixture(scope="module")
def local() -> Engine:
    if "bubblewrap" not in available_isolations():
        pytest.skip("no bubblewrap here")
    return LocalEngine("bubblewrap")


@pytest.fixture
def docker(docker_host: str) -> Engine:
    pin, store = read_image_pins(REPOSITORY).get("sandbox"), REPOSITORY / ".harness"
    if pin is None or not store.is_dir() or find_image(Store(store), pin.image_id) is None:
        pytest.skip("the image `sandbox` is not here: `make images`")
    return open_docker((store, pin.image_id))


def processes(mark: str) -> list[str]:
    """Name the processes whose command line holds a mark."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line and int(name) != os.getpid():
                found.append(name)
    return found


def hostile(tried: Tried, engine: Engine, tmp_path: Path) -> None:
    """Try the whole set at once, and look at what came of it and of the machine."""
    import socket

    (tmp_path / "gold").write_text('{"id":"i","gold":"the secret answer"}')
    mark = f"{os.getpid()}{time.monotonic_ns() % 10**6}"
    with socket.create_server(("127.0.0.1", 0)) as peer:
        words = {"PEER": "127.0.0.1", "PORT": str(peer.getsockname()[1]), "GOLD": str(tmp_path / "gold"),
                 "OUTSIDE": str(tmp_path), "MARK": mark}  # fmt: skip
        programs = []
        for text, _ in HOSTILE.values():
            program = text
            for word, value in words.items():
                program = program.replace(word, value)
            programs.append({"program": program})
        found = dict(zip(HOSTILE, tried.run(programs, engine), strict=True))
        peer.settimeout(0)
        with pytest.raises(BlockingIOError):
            peer.accept()
    for name, row in found.items():
        assert row["outcome"] in HOSTILE[name][1], (name, row)
        assert "reached" not in row["stdout"] and "secret" not in json.dumps(row), (name, row)
    assert not (tmp_path / "x").exists()
    assert not processes(mark)
    assert not list(tried.store.temp.iterdir()), "no private folder is left"


@pytest.mark.long
def test_hostile_programs_are_contained_and_told_on_local(tried: Tried, local: Engine, tmp_path: Path) -> None:
    hostile(tried, local, tmp_path)


@pytest.mark.long
def test_hostile_programs_are_contained_and_told_on_docker(tried: Tried, docker: Engine, tmp_path: Path) -> None:
    hostile(tried, docker, tmp_path)


def test_what_a_program_prints_and_reads_is_its_outcome(tried: Tried, local: Engine) -> None:
    reads = {"program": "import sys\nprint(sys.stdin.read()[::-1])\nprint('aside', file=sys.stderr)", "stdin": "abc"}
    fails = {"program": "raise ValueError('of its own')"}
    says = {"program": "print('half \\udc80' if False else 'é', end='')"}
    one, two, three = tried.run([reads, fails, says], local)
    assert (one["outcome"], one["stdout"], one["stderr"]) == ("done", "cba\n", "aside\n")
    assert (two["outcome"], two["exit"], two["stdout"]) == ("failed", 1, "")
    assert two["stderr"].endswith("ValueError: of its own\n") and "/tmp" not in two["stderr"]
    assert (three["outcome"], three["stdout"]) == ("done", "é") and "stderr" not in three


def test_equal_programs_run_once_and_outcomes_come_from_a_listed_run(tried: Tried, local: Engine) -> None:
    program = "import os\nprint(os.urandom(8).hex())"
    rows = tried.run([{"program": program}] * 5 + [{"program": f"{program} # other"}], local)
    assert len({row["stdout"] for row in rows[:5]}) == 1 != len({row["stdout"] for row in rows})
    assert len(tried.lines) == 2
    assert tried.run([{"program": program}], local)[0]["stdout"] == rows[0]["stdout"] and len(tried.lines) == 2
    wider = trial.TrialLimits(seconds=7, cpu_seconds=2)
    assert tried.run([{"program": program}], local, wider)[0]["stdout"] != rows[0]["stdout"], (
        "other limits, another trial"
    )


def test_a_program_that_reads_another_input_is_another_trial(tried: Tried, local: Engine) -> None:
    programs = [{"program": "print(input())", "stdin": word} for word in ("one", "two", "one")]
    assert [row["stdout"] for row in tried.run(programs, local)] == ["one\n", "two\n", "one\n"]
    assert len(tried.lines) == 2


def test_a_program_that_is_allowed_more_memory_than_there_is_does_not_run_with_less(
    tried: Tried, local: Engine
) -> None:
    programs = [{"program": "print('ran')"}]
    with pytest.raises(MissingError, match="is allowed 256 MiB, and 255 MiB is the most") as error:
        tried.run(programs, local, most=SHORT.memory - (1 << 20))
    assert "--max-memory SIZE" in error.value.next and tried.lines == []
    assert tried.run(programs, local, most=SHORT.memory)[0]["stdout"] == "ran\n"


def test_the_key_of_a_trial_names_the_environment_of_its_sandbox_and_other_keys_that_of_the_run(tmp_path: Path) -> None:
    store, engine = Store.make(tmp_path / "store"), LocalEngine("process")
    shop, box = (Workshop(store, engine, Limits(), environment=held) for held in (b"of the run", b"of the sandbox"))
    tries = Step("t", KIND, JUDGED, {}, {"programs": Pinned(sha256(b""))}, ("trials",), trial=True)
    scores = Step("s", KIND, JUDGED, {}, {"trials": Ref("t", "trials")}, ("scores",))

    def named(step: Step) -> str:
        return str(shop.preimage(step, {("t", "trials"): sha256(b"")})["environment"])

    assert named(tries) == named(scores) == sha256(b"of the run"), "without a sandbox of its own"
    shop.sandbox = box
    assert (named(tries), named(scores)) == (sha256(b"of the sandbox"), sha256(b"of the run"))


def test_steps_at_the_same_time_run_an_equal_program_once(tried: Tried, local: Engine) -> None:
    programs = [{"program": f"import os\nprint(os.urandom(8).hex())  # {n}"} for n in range(6)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda order: tried.run(order, local), [programs, programs[::-1], programs * 2]))
    assert len(tried.lines) == len({trial for _, trial, _ in tried.lines}) == 6
    said = [row["stdout"] for row in found[0]]
    assert [row["stdout"] for row in found[1]] == said[::-1] and [row["stdout"] for row in found[2]] == said * 2


def test_a_request_to_stop_ends_what_is_under_way_and_keeps_what_has_ended(tried: Tried, local: Engine) -> None:
    threading.Timer(1.5, tried.trials.cancel.set).start()
    programs = [{"program": "print(1)"}, {"program": "import time\ntime.sleep(5)"}, {"program": "print(2)"}]
    with pytest.raises(Interrupted):
        tried.run(programs, local)
    assert 1 <= len(tried.lines) <= 2


def test_where_nothing_contains_it_no_foreign_code_runs() -> None:
    step = Step("t", KIND, JUDGED, {}, {}, ("trials",), trial=True)
    for isolation in set(available_isolations()) & {"process", "namespaces"}:
        with pytest.raises(MissingError, match="does not contain foreign code"):
            require_contained(Plan((step,), {}), LocalEngine(isolation))
    require_contained(Plan((), {}), LocalEngine("process"))


@pytest.mark.long
@pytest.mark.exhaustive
def test_each_of_many_trials_is_tried_and_stands_in_its_place(tried: Tried, local: Engine) -> None:
    """Of a thousand at night; of fewer before, which the two at once take in turns as often as they need to."""
    numbers = drawn(range(1000), 100)
    rows = tried.run([{"program": f"print({n})"} for n in numbers], local)
    assert Counter(row["outcome"] for row in rows) == {"done": len(numbers)}
    assert [row["stdout"] for row in rows] == [f"{n}\n" for n in numbers]
