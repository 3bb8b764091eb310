"""What is damaged, forged or foreign is found and never given as an answer; what a kill leaves is no damage."""

from __future__ import annotations

import random
import signal
import struct
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from support import clean_env
from support_tape import INDEX, answer, answers, body, copy, record, segmented

from harness.errors import DamageError, HarnessError
from harness.models.tape.index import SIZE, check_tape
from harness.models.tape.tape import Recorder, Tape, request_digest

TEXTS = ["What is 12+34?", "Ü", "three"]
RIGHT = [answer(text) for text in TEXTS]


def forged(prev: str = "0" * 64, **changes: Any) -> bytes:
    """Spell a line as a hand would that knows the format, its own digest included."""
    line = {
        "at": "2026-01-02T03:04:05.678Z", "prev": prev, "repeat": 0, "response": {"text": "{}"}, "status": 200,
        "request": {"body": body("forged"), "provider": "openai"}, "type": "tape/1", **changes,
    }  # fmt: skip
    line = {key: item for key, item in line.items() if item is not None}
    return rfc8785.dumps({**line, "self": sha256(rfc8785.dumps(line)).hexdigest()}) + b"\n"


def laid(folder: Path, *lines: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "segment-00000.jsonl").write_bytes(b"".join(lines))
    return folder


def indexed(folder: Path, index: bytes) -> Path:
    """Put an index in place whose own digest is right, whatever it says."""
    start = len(b"harness-tape-index/1\n")
    (folder / INDEX).write_bytes(index[:start] + sha256(index[start + 32 :]).digest() + index[start + 32 :])
    return folder


@pytest.mark.long
def test_every_flipped_byte_is_found_and_never_delivered(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", TEXTS[:2])
    assert not check_tape(folder).flaws
    for name in ("segment-00000.jsonl", INDEX):
        path, whole = folder / name, (folder / name).read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
            assert check_tape(folder).flaws, f"byte {at} of {name}"
            for text, right in zip(TEXTS[:2], RIGHT, strict=False):
                try:
                    [found] = answers(folder, [text])
                except DamageError:
                    assert name != INDEX, "a damaged index hides nothing"
                else:
                    assert found == right
        path.write_bytes(whole)
    assert answers(folder, TEXTS[:2]) == RIGHT[:2]


def test_a_cut_at_every_place_is_torn_or_found(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", TEXTS)
    (folder / INDEX).unlink()
    whole = (folder / "segment-00000.jsonl").read_bytes()
    ends = [0] + [at + 1 for at, byte in enumerate(whole) if byte == 10]
    for cut in range(0, len(whole), 7):
        laid(folder, whole[:cut])
        found, lines = check_tape(folder), max(n for n, end in enumerate(ends) if end <= cut)
        assert (found.flaws, bool(found.torn), found.exchanges) == ([], cut not in ends, lines)
        assert answers(folder, TEXTS) == RIGHT[:lines] + [None] * (3 - lines)
    record(folder, TEXTS)
    assert not check_tape(folder).flaws and not check_tape(folder).torn
    assert answers(folder, TEXTS) == RIGHT


def test_lines_that_are_gone_moved_or_from_another_tape_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = record(tmp_path / "tape", [f"{n}" for n in range(5)])
    lines = (folder / "segment-00000.jsonl").read_bytes().splitlines(keepends=True)
    other = (record(tmp_path / "other", ["x"]) / "segment-00000.jsonl").read_bytes()
    (folder / INDEX).unlink()
    for changed in (
        lines[1:], [*lines[:2], *lines[3:]], [lines[1], lines[0], *lines[2:]], [*lines, other], [*lines, lines[-1]],
        [*lines, b"\n"], [lines[0][:-1], *lines[1:]],
    ):  # fmt: skip
        laid(folder, *changed)
        [flaw, *_] = check_tape(folder).flaws
        assert flaw.file == "segment-00000.jsonl" and flaw.line > 0
        with pytest.raises(DamageError, match=r"segment-00000\.jsonl, byte"):
            Tape.open(folder)
    folder = segmented(tmp_path / "many", [f"{n}" for n in range(9)], monkeypatch)
    (folder / "segment-00001.jsonl").unlink()
    assert [flaw.file for flaw in check_tape(folder).flaws] == ["segment-00001.jsonl"]
    with pytest.raises(DamageError, match="missing"):
        Tape.open(folder)


def test_lines_that_were_cut_off_show_as_long_as_the_index_stands(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", TEXTS)
    lines = (folder / "segment-00000.jsonl").read_bytes().splitlines(keepends=True)
    laid(folder, *lines[:2])
    assert [flaw.file for flaw in check_tape(folder).flaws] == [INDEX]
    assert answers(folder, TEXTS) == [*RIGHT[:2], None]


@pytest.mark.parametrize(
    "line",
    [
        forged(status=404), forged(repeat=-1), forged(repeat=2**32), forged(repeat=0.5), forged(response={}),
        forged(more=1), forged(rest={}), forged(request={"body": {"x": 0}, "provider": "p"}).replace(b"0}", b"1e999}"),
        forged(response={"text": "{}", "base64": ""}), forged(response={"text": 7}), forged(response={"base64": "?"}),
        forged(response="{}"), forged(request={"body": 7, "provider": "p"}), forged(request={"body": {}}),
        forged(request={"body": {}, "provider": 7}), forged(rest={"model": "x"}), forged(rest=[]),
        forged(type="tape/2"),
        forged(at="yesterday"), forged(request=None), forged(response=None), forged(prev="0"), b"{}\n", b"[]\n", b"\n",
        forged().replace(b"forged", b"f0rged"), b"[" * 200_000 + b"\n", b"\xff\xfe\n", b'{"a":' * 50_000 + b"\n",
        forged(request={"body": {}, "provider": "p"}).replace(b'"body":{}', b'"body":' + b"[" * 99_999 + b"]" * 99_999),
    ],
)  # fmt: skip
def test_a_line_that_no_recorder_writes_is_damage(line: bytes, tmp_path: Path) -> None:
    laid(tmp_path / "tape", line)
    [flaw] = check_tape(tmp_path / "tape").flaws
    assert (flaw.file, flaw.line) == ("segment-00000.jsonl", 1)
    with pytest.raises(DamageError) as told:
        Tape.open(tmp_path / "tape")
    assert told.value.next and len(str(told.value)) < 500


def test_a_line_forged_with_its_digest_is_refused_if_deep_or_ambiguous(tmp_path: Path) -> None:
    assert not check_tape(laid(tmp_path / "tape", forged())).flaws
    deep: Any = []
    text = b"[" * 100_000 + b"]" * 100_000
    line = forged(request={"body": {"x": deep}, "provider": "p"})
    raw = line.replace(b'"x":[]', b'"x":' + text)
    own = raw[: raw.index(b',"self":')] + raw[raw.index(b',"status"') : -1]
    raw = raw.replace(line[line.index(b'"self":"') + 8 :][:64], sha256(own).hexdigest().encode())
    with pytest.raises(DamageError, match="no exchange"):
        Tape.open(laid(tmp_path / "tape", raw))
    first = forged()
    head = first[first.index(b'"self":"') + 8 :][:64].decode()
    twice = laid(tmp_path / "tape", first, forged(prev=head, response={"text": "[]"}))
    assert "two different answers" in check_tape(twice).flaws[0].detail
    with pytest.raises(DamageError, match="two different answers"):
        Tape.open(twice)


def test_a_huge_line_is_refused_in_flat_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.tape.index.LIMIT", 4096)
    laid(tmp_path / "tape", b"x" * 100_000 + b"\n")
    assert check_tape(tmp_path / "tape").flaws
    with pytest.raises(DamageError):
        Tape.open(tmp_path / "tape")
    assert check_tape(laid(tmp_path / "tape", b"\n" * 5000)).flaws[-1].detail.startswith("reading stopped")


@pytest.mark.parametrize("how", ["empty", "text", "cut", "longer", "another", "folder", "old"])
def test_an_index_that_is_wrong_is_as_if_there_were_none(how: str, tmp_path: Path) -> None:
    folder, other = record(tmp_path / "tape", TEXTS), record(tmp_path / "other", [*TEXTS[:2], "four!"])
    index = folder / INDEX
    whole = index.read_bytes()
    wrong = {
        "empty": b"", "text": b"{}\n" * 100, "cut": whole[:-1], "longer": whole + b"x",
        "another": (other / INDEX).read_bytes(), "old": b"harness-tape-index/0\n" + whole[21:], "folder": b"",
    }  # fmt: skip
    if how == "folder":
        index.unlink()
        index.mkdir()
    else:
        index.write_bytes(wrong[how])
    assert answers(folder, TEXTS) == RIGHT
    assert [flaw.file for flaw in check_tape(folder).flaws] == [INDEX]


def test_an_index_that_lies_well_gives_no_wrong_answer(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", TEXTS)
    whole = (folder / INDEX).read_bytes()
    records = [whole[len(whole) - SIZE * n :][:SIZE] for n in (3, 2, 1)]
    tail = struct.Struct(">IQI")
    places = [tail.pack(0, 10**6, 200), tail.pack(0, 0, 2**32 - 1), tail.pack(7, 0, 200), tail.pack(0, 2**63, 9)]
    places += [records[1][68:], tail.pack(0, 1, 300), tail.pack(2**32 - 1, 2**64 - 1, 0)]
    for place in places:
        indexed(folder, whole[: -3 * SIZE] + records[0][:68] + place + records[1] + records[2])
        assert answers(folder, TEXTS) == RIGHT
        assert [flaw.file for flaw in check_tape(folder).flaws] == [INDEX]
    indexed(folder, whole[: -3 * SIZE] + records[0][:36] + b"\1" * 32 + records[0][68:] + records[1] + records[2])
    assert answers(folder, TEXTS) == RIGHT


def test_a_stale_index_is_completed_by_reading_only_what_came_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = segmented(tmp_path / "tape", [f"{n}" for n in range(9)], monkeypatch)
    kept = (folder / INDEX).read_bytes()
    record(folder, TEXTS)
    (folder / INDEX).write_bytes(kept)
    from harness.models.tape import index as segments
    from harness.models.tape import line as tape_line

    read: list[bytes] = []
    real = tape_line.read_line
    monkeypatch.setattr(segments, "read_line", lambda data, where: read.append(data) or real(data, where))
    tape = Tape.open(folder)
    assert len(read) == 3 and len(tape) == 12
    assert answers(folder, TEXTS) == RIGHT
    assert not check_tape(folder).flaws
    with Recorder(folder):
        pass
    read.clear()
    assert len(Tape.open(folder)) == 12 and not read, "the next recorder kept a new index"


def test_a_pipe_or_a_folder_in_the_place_of_a_segment_is_damage(tmp_path: Path) -> None:
    import os

    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "segment-00000.jsonl")
    (tmp_path / "b" / "segment-00000.jsonl").mkdir(parents=True)
    for name in "ab":
        with pytest.raises(DamageError):
            Tape.open(tmp_path / name)


def test_another_hand_on_the_tape_stops_the_recorder(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        recorder.add("openai", body(), 0, 200, answer())
        with open(tmp_path / "segment-00000.jsonl", "ab") as file:
            file.write(b"x")
        with pytest.raises(DamageError, match="something else wrote"):
            recorder.add("openai", body("b"), 0, 200, answer())


WRITER = """
import sys
from pathlib import Path
import harness.models.tape.tape as tape
tape.SEGMENT = 60_000
with tape.Recorder(Path(sys.argv[1])) as recorder:
    for number in range(int(sys.argv[2]), 1_000_000):
        recorder.add("p", {"n": number}, 0, 200, b"%d " % number * 200)
        sys.stdout.write(f"{number}\\n")
        sys.stdout.flush()
"""


@pytest.mark.long
def test_a_recorder_killed_at_random_moments_loses_nothing_it_said_it_had(tmp_path: Path) -> None:
    draw, begin = random.Random("tape"), 0
    for _ in range(12):
        words = [sys.executable, "-c", WRITER, str(tmp_path / "tape"), str(begin)]
        with subprocess.Popen(words, env=clean_env(), stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout
            first = run.stdout.readline()
            time.sleep(draw.uniform(0, 0.15))
            run.send_signal(signal.SIGKILL)
            said = [int(line) for line in [first, *run.stdout] if line.endswith("\n")]
        assert said
        found = check_tape(tmp_path / "tape")
        assert not found.flaws and found.exchanges > said[-1]
        with Tape.open(tmp_path / "tape") as tape:
            for number in (*said[-20:], *range(0, begin, 17)):
                one = tape.find(request_digest("p", {"n": number}), 0)
                assert one and one.response == b"%d " % number * 200
        begin = found.exchanges
    assert len(list((tmp_path / "tape").glob("segment-*"))) > 1


KILLED = """
import os, signal, sys
from pathlib import Path
import harness.models.tape.tape as tape
tape.SEGMENT, calls = 1500, 0
def counted(function):
    def call(*given, **named):
        global calls
        calls += 1
        if calls == int(sys.argv[2]):
            if function is write:
                write(given[0], bytes(given[1])[: len(given[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)
    return call
write = os.write
for name in ("write", "fsync", "fdatasync", "rename", "ftruncate"):
    setattr(os, name, counted(getattr(os, name)))
for _ in range(2):
    with tape.Recorder(Path(sys.argv[1])) as recorder:
        for number in range(8):
            recorder.add("p", {"n": number + 8 * _}, 0, 200, b"%d " % number * 50)
print(calls)
"""


@pytest.mark.long
def test_a_kill_before_or_during_any_write_leaves_a_tape_that_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def driven(nth: int, folder: Path) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", KILLED, str(folder), str(nth)]
        return subprocess.run(words, env=clean_env(), capture_output=True, text=True, check=False)

    def continued(folder: Path) -> None:
        for begin in (0, 8):
            with Recorder(folder) as recorder:
                for number in range(8):
                    recorder.add("p", {"n": number + begin}, 0, 200, b"%d " % number * 50)

    monkeypatch.setattr("harness.models.tape.tape.SEGMENT", 1500)
    total = int(driven(0, tmp_path / "whole").stdout)
    wanted = Tape.open(tmp_path / "whole").digest()
    for nth in sorted(random.Random("nth").sample(range(1, total + 1), 16)):
        folder = tmp_path / f"tape-{nth}"
        assert driven(nth, folder).returncode == -signal.SIGKILL
        assert not check_tape(folder).flaws
        Tape.open(folder)
        continued(folder)
        assert Tape.open(folder).digest() == wanted and not check_tape(folder).flaws


def test_damage_is_told_with_what_where_and_what_next(tmp_path: Path) -> None:
    folder = copy(record(tmp_path / "tape", TEXTS), tmp_path / "copy")
    path = folder / "segment-00000.jsonl"
    path.write_bytes(path.read_bytes().replace(b"12+34", b"12+35", 1))
    with Tape.open(folder) as tape:
        for _ in range(2):
            with pytest.raises(HarnessError) as told:
                tape.find(request_digest("openai", body(TEXTS[0])), 0)
            assert told.value.code == 1 and "segment-00000.jsonl" in told.value.where and told.value.next
        assert tape.find(request_digest("openai", body(TEXTS[1])), 0), "what is whole is given still"
