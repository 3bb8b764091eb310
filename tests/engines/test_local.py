"""In every isolation a command ends as it is told to, sees what it was given, and leaves nothing behind."""

import json
import os
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.engines.local import ISOLATIONS, LocalEngine, available_isolations
from harness.errors import MissingError
from harness.run.environment import step_environment

OFFERED = available_isolations()
CLOSED = [name for name in OFFERED if name != "process"]
EVERY = pytest.mark.parametrize("isolation", OFFERED)


def living(marker):
    """Give the processes in whose command a text stands."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if os.fsencode(marker) in words and state not in "ZX":
            found.append(int(path.name))
    return found


def ended(marker):
    """Whether all those processes end; the kernel may take a moment over a namespace that was killed."""
    deadline = time.monotonic() + 10
    while living(marker) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not living(marker)


# A command that starts two children, one of them in a session of its own, and tells when both live.
FAMILY = """
    import subprocess
    sleep = [sys.executable, "-c", "import time; print('lives', flush=True); time.sleep(1000)", sys.argv[2]]
    children = [subprocess.Popen(sleep, stdout=subprocess.PIPE, start_new_session=alone) for alone in (False, True)]
    for child in children:
        child.stdout.readline()
    print("ready", flush=True)
"""


@EVERY
@pytest.mark.parametrize("code", [0, 100])
def test_a_command_gives_its_exit_code_and_what_it_printed(run, isolation, code):
    outcome = run(isolation, f"print('out'); print('err', file=sys.stderr); sys.stdout.flush(); sys.exit({code})")
    assert (outcome.exit, outcome.signal, outcome.isolation) == (code, 0, isolation)
    assert (outcome.timed_out, outcome.cancelled, outcome.oom) == (False, False, False)
    assert sorted(outcome.log.split()) == [b"err", b"out"]


@EVERY
def test_a_command_that_crashes_is_ended_by_a_signal(run, isolation):
    outcome = run(isolation, "import ctypes; ctypes.string_at(0)")
    assert (outcome.exit, outcome.signal) == (0, 11)


@EVERY
def test_a_command_past_its_time_is_ended(run, folder, isolation):
    outcome = run(isolation, "import time; time.sleep(1000)", seconds=0.5)
    assert (outcome.timed_out, outcome.cancelled) == (True, False)
    assert (outcome.exit, outcome.signal) == (0, 0)  # it was ended, and did not end
    assert ended(folder.parent)


@EVERY
def test_a_command_that_is_cancelled_is_ended_with_all_it_started(run, folder, isolation):
    cancel = threading.Event()
    outcome = run(isolation, FAMILY + "    import time; time.sleep(1000)", lambda _: cancel.set(), cancel)
    assert (outcome.cancelled, outcome.timed_out) == (True, False)
    assert ended(folder.parent)


@EVERY
@pytest.mark.parametrize("code", [0, 3])
def test_a_command_that_ends_leaves_no_process_behind(run, folder, isolation, code):
    outcome = run(isolation, FAMILY + f"    sys.stdout.flush(); os._exit({code})")
    assert (outcome.exit, outcome.signal) == (code, 0)
    assert ended(folder.parent)


@pytest.mark.long
@EVERY
def test_a_child_that_prints_without_end_does_not_keep_the_engine(run, folder, isolation):
    assert run(isolation, "import subprocess; subprocess.Popen(['yes', sys.argv[2]])").exit == 0
    assert ended(folder.parent)
    assert run(isolation, "os.execvp('yes', ['yes', sys.argv[2]])", seconds=0.5).timed_out
    assert ended(folder.parent)


@EVERY
def test_the_log_is_the_end_of_what_was_printed_and_no_more(run, isolation):
    taken = []
    outcome = run(isolation, "for n in range(10**5): print(n)", taken.append, log_bytes=1000)
    assert len(outcome.log) == 1000 and outcome.log.endswith(b"\n99998\n99999\n")
    assert b"".join(taken) == b"".join(b"%d\n" % n for n in range(10**5))


@EVERY
def test_a_command_sees_its_own_variables_and_none_of_the_harness(run, folder, isolation, monkeypatch):
    for name in ("OPENAI_API_KEY", "HARNESS_STORE", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, "/leaked")
    outcome = run(isolation, "import json; print(json.dumps(dict(os.environ)), sys.path)")
    seen = json.loads(outcome.log[: outcome.log.index(b"}") + 1])
    assert b"leaked" not in outcome.log
    assert {name: seen[name] for name in step_environment(folder)} == step_environment(folder)
    assert set(seen) - set(step_environment(folder)) <= {"PWD"}


@EVERY
def test_a_command_past_its_memory_says_so(run, isolation):
    assert run(isolation, "held = bytearray(1 << 30)", memory=256 << 20).oom
    assert run(isolation, "held = bytearray(64 << 20)", memory=256 << 20).exit == 0
    assert not run(isolation, "raise ValueError('no room')", memory=256 << 20).oom


@EVERY
def test_a_file_past_its_size_is_refused(run, folder, isolation):
    outcome = run(isolation, "open('out/big', 'wb').write(bytes(3 << 20))", disk=1 << 20)
    assert outcome.over == "more than 1 MiB" and not outcome.fine
    assert (folder / "out" / "big").stat().st_size <= (1 << 20) + 4096


@EVERY
@pytest.mark.parametrize(
    ("code", "over"),
    [
        ("for n in range(10**6): open(f'out/{n}', 'wb').write(bytes(1 << 18))", "more than 20 MiB"),
        ("for n in range(10**6): open(f'tmp/{n}', 'wb').write(bytes(1 << 18))", "more than 20 MiB"),
        ("for n in range(10**6): open(f'out/{n}', 'wb')", "more than 500 files"),
        ("for n in range(10**6): os.makedirs(f'out/{n}/a/b/c')", "more than 500 files"),
        ("for n in range(10**6): open(f'out/{n}', 'wb').truncate(1 << 20)", "more than 20 MiB"),  # holes count as size
    ],
)
def test_a_step_past_its_disk_budget_is_ended(run, folder, isolation, code, over):
    begun = time.monotonic()
    outcome = run(isolation, code, disk=20 << 20, files=500)
    assert outcome.over == over and not outcome.fine
    assert time.monotonic() - begun < 30


@EVERY
def test_what_a_command_used_is_measured(run, isolation):
    outcome = run(isolation, "import time\nheld = b'x' * (100 << 20)\nwhile time.process_time() < 0.2: pass")
    assert outcome.usage["cpu_ms"] >= 200 and outcome.usage["wall_ms"] >= 200
    assert outcome.usage["rss_kib"] >= 100 << 10


@EVERY
def test_a_command_works_in_its_folder_and_writes_where_it_may(run, folder, isolation):
    code = """
        assert os.getcwd() == os.path.dirname(os.environ["TMPDIR"])
        open("tmp/scratch", "w").write("x")
        open("out/made", "w").write(open("in/rows").read() + sys.stdin.read() + " and made")
    """
    assert run(isolation, code).log == b""
    assert (folder / "out" / "made").read_text() == "given and made"


@pytest.mark.parametrize("isolation", CLOSED)
def test_no_network_is_reached(run, isolation):
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"""
            import socket
            for address in (("127.0.0.1", {server.getsockname()[1]}), ("1.1.1.1", 53)):
                try:
                    socket.create_connection(address, timeout=5)
                    print("reached", address)
                except OSError:
                    print("refused")
            print({{line.split(":")[0].strip() for line in list(open("/proc/net/dev"))[2:]}} - {{"lo"}})
        """
        assert run(isolation, code).log == b"refused\nrefused\nset()\n"


@pytest.mark.parametrize("isolation", CLOSED)
def test_no_other_process_is_reached(run, isolation):
    assert b"ProcessLookupError" in run(isolation, f"os.kill({os.getpid()}, 0)").log


needs_bubblewrap = pytest.mark.skipif("bubblewrap" not in OFFERED, reason="bubblewrap is not offered here")


@needs_bubblewrap
def test_nothing_of_the_disk_is_seen_but_the_system_and_the_folder(run, folder):
    secret = folder.parent / "store" / "gold"
    secret.parent.mkdir()
    secret.write_text("the answers")
    code = f"""
        for path in ({str(secret)!r}, {str(Path(__file__))!r}, "/etc/passwd", "/etc/shadow", "/var"):
            print(os.path.exists(path), end=" ")
        print(sorted(os.listdir({str(folder.parent)!r})))
    """
    assert run("bubblewrap", code).log == b"False " * 5 + b"['step']\n"


@needs_bubblewrap
def test_nothing_of_the_disk_is_written_but_out_and_tmp(run, folder):
    code = f"""
        import subprocess
        places = ["in/rows", "in/new", "code/main.py", "step.json", "new", "/usr/new", {sys.prefix!r} + "/new"]
        for remount in (".", "/usr", {sys.prefix!r}):
            for become in ([], ["unshare", "--user", "--map-root-user", "--mount"]):
                script = f"mount -o remount,bind,rw {{remount}} && echo x >> {{remount}}/in/rows"
                subprocess.run([*become, "sh", "-c", script], stderr=subprocess.DEVNULL)
        for place in places:
            try:
                open(place, "a").write("x")
                print("wrote", place)
            except OSError:
                pass
        print([line.split()[1].strip("0") for line in open("/proc/self/status") if line.startswith("CapEff")])
    """
    before = (folder / "step.json").read_text()
    assert run("bubblewrap", code).log == b"['']\n"
    assert (folder / "in" / "rows").read_text() == "given" and (folder / "step.json").read_text() == before


def test_an_isolation_this_machine_does_not_offer_is_refused(monkeypatch):
    monkeypatch.setattr("harness.engines.local.available_isolations", lambda: ("process",))
    assert LocalEngine().isolation == "process"
    with pytest.raises(MissingError, match="does not have the isolation 'bubblewrap'"):
        LocalEngine("bubblewrap")


def test_a_machine_without_the_programs_around_a_step_is_told(monkeypatch):
    monkeypatch.setattr("harness.engines.local.STEP_PATH", "/nowhere")
    available_isolations.cache_clear()
    try:
        with pytest.raises(MissingError, match="`prlimit` is not installed"):
            LocalEngine()
    finally:
        available_isolations.cache_clear()


def test_the_best_isolation_there_is_is_taken():
    assert list(OFFERED) == [name for name in ISOLATIONS if name in OFFERED]
    assert LocalEngine().isolation == OFFERED[0]
