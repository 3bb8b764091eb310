"""What a person sees on a terminal, what a script reads from a pipe, and what is done when nobody reads."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from support import clean_env, command, judging_once, unlocked_project
from support_inside import inner_data, inside

from harness.cli.terminal import colour_verdicts, format_table, write_bytes

ABOUT = "What this manifest is for, in more words than a line of a terminal has room for, to its very last one."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that lies deep, whose manifest says much."""
    manifest = unlocked_project(tmp_path / "project", models=("oracle",))
    manifest.write_text(manifest.read_text().replace("A few additions, for a test.", ABOUT))
    return tmp_path / "project"


def on_terminal(*args: str, cwd: Path, columns: int) -> tuple[int, str]:
    """Run a verb whose stdout is a terminal; gives its exit code and what the terminal shows."""
    seen, terminal = pty.openpty()
    env = clean_env({"COLUMNS": str(columns)})
    child = subprocess.Popen([*judging_once(), *args], cwd=cwd, env=env, stdout=terminal, stderr=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(seen, 1 << 16):
            shown += piece
    except OSError:  # how a terminal says that its last writer has gone
        pass
    os.close(seen)
    return child.wait(60), shown.decode().replace("\r\n", "\n")


@pytest.mark.long
def test_a_table_is_as_wide_as_the_terminal_and_loses_nothing(project: Path) -> None:
    code, shown = on_terminal("list", cwd=project, columns=60)
    assert code == 0 and max(map(len, shown.splitlines())) <= 60
    assert "manifests/small.yaml  reliability  none  -" in shown
    assert " ".join(shown.split()).endswith(ABOUT)
    _, narrow = on_terminal("list", cwd=project, columns=40)
    assert max(map(len, narrow.splitlines())) <= 40 and narrow.split()[-1] == "one."


def test_what_is_piped_has_one_line_a_row(project: Path) -> None:
    head, _, row = inside("list", cwd=project, env={"COLUMNS": "40"}, check=0).stdout.splitlines()
    assert head.split() == ["manifest", "study", "lock", "last", "verdict", "about"]
    assert row.startswith("manifests/small.yaml") and row.endswith(ABOUT)


def test_a_column_in_which_there_is_nothing_to_remark_is_left_out() -> None:
    assert format_table(["a", ""], [["1", ""], ["22", ""]]) == "a\n──\n1\n22"
    assert format_table(["a", ""], [["1", ""], ["22", "!"]]) == "a\n──  ─\n1\n22  !"


@pytest.mark.long
def test_the_doctor_puts_each_advice_below_its_finding_in_eighty_columns(project: Path) -> None:
    _, shown = on_terminal("doctor", cwd=project, columns=80)
    assert max(map(len, shown.splitlines())) <= 80
    lines = inside("doctor", cwd=project, env={"DOCKER_HOST": "unix:///nowhere.sock"}, check=0).stdout.splitlines()
    [docker] = [place for place, line in enumerate(lines) if line.split()[:2] == ["better", "docker"]]
    assert lines[docker].endswith("nothing listens there") and lines[docker + 1].startswith("  next: start one")


@pytest.mark.parametrize("watched", [False, True])
def test_data_is_given_as_it_is_but_a_terminal_gets_no_control_characters(watched: bool) -> None:
    pieces = [b"csi \xc2", b"\x9b31m, no text \xff\n"]  # a character stands in two pieces
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    out.isatty = lambda: watched  # type: ignore[method-assign]
    with redirect_stdout(out):
        write_bytes(pieces)
    told = "csi \ufffd31m, no text \ufffd\n".encode() if watched else b"".join(pieces)
    assert out.buffer.getvalue() == told


def test_a_verdict_has_a_colour_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "sums-demo: agreed (9 outputs)\nb: disagreed (1 of 2)\na model said: b: agreed\nerror: no\n  agreed"
    out = io.StringIO()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert colour_verdicts(said, out) == said
    out.isatty = lambda: True  # type: ignore[method-assign]
    shown = colour_verdicts(said, out).splitlines()
    assert shown[0] == "sums-demo: \x1b[32magreed\x1b[0m (9 outputs)" and "\x1b[31mdisagreed\x1b[0m (1" in shown[1]
    assert shown[2::2] == said.splitlines()[2::2] and shown[3] == "\x1b[31merror\x1b[0m: no"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert colour_verdicts(said, out) == said


@pytest.mark.long
def test_who_stops_reading_changes_neither_what_is_done_nor_the_exit_code(project: Path) -> None:
    """A verdict is no other one because somebody only wanted its first line."""
    inside("lock", "manifests/small.yaml", cwd=project, check=0)
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        command("run", "manifests/small.yaml"), cwd=project, env=clean_env(), stdout=write, stderr=write, check=False
    )
    assert ran.returncode == 0
    assert inner_data("audit", "last", cwd=project)["verdict"] == "agreed", "the run went on to its end"
    record = next((project / ".harness").glob("runs/*/record.json"))
    record.chmod(0o644)
    record.write_bytes(record.read_bytes().replace(b"local", b"locel"))
    for verb, code in (("audit last", 1), ("get last items", 1), ("list", 0)):
        done = subprocess.run(
            [*judging_once(), *verb.split()],
            cwd=project,
            env=clean_env(),
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert (done.returncode, b"Exception" in done.stderr) == (code, False), verb
    os.close(write)


@pytest.mark.parametrize(("words", "verb"), [("images jump", "images "), ("tape ls", "tape ls "), ("jump", "")])
def test_a_wrong_word_leads_to_the_help_that_lists_the_right_ones(words: str, verb: str, tmp_path: Path) -> None:
    said = inside(*words.split(), cwd=tmp_path, check=2).stderr
    assert f"next:  `harness {verb}--help` shows what it takes" in said


def test_progress_that_does_not_change_is_not_said_each_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from harness.cli import terminal
    from harness.verbs import Progress

    clock = iter(range(100))
    monkeypatch.setattr("harness.cli.terminal.time.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    with terminal.show_progress() as watch:
        for _ in range(20):
            watch.progress(Progress("demo", "0 of 40 answers", "answers", 0, 40))
        watch.progress(Progress("demo", "9 of 40 answers", "answers", 9, 40))
        for rate in (9, 8, 7):  # all are there, and their step has not ended
            watch.progress(Progress("demo", f"40 of 40 answers, {rate}.0/s", "answers", 40, 40))
    said = [*["0 of 40 answers"] * 2, "9 of 40 answers", "40 of 40 answers, 9.0/s"]
    assert capsys.readouterr().err.splitlines() == [f"demo: {line}" for line in said]
