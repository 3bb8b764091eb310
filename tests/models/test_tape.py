"""A tape gives back what was recorded, byte for byte, by what was asked; its name is what it answers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import clean_env
from support_tape import INDEX, answer, answers, body, record, segmented

from harness.errors import InputError, MissingError
from harness.models.tape.index import check_tape
from harness.models.tape.line import prepare_exchange
from harness.models.tape.tape import Recorder, Tape, Taped, request_digest

TEXTS = [f"What is {number}+34?" for number in range(12)]
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | PLAIN | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
BODIES = st.dictionaries(PLAIN.map("f_".__add__), VALUES, max_size=5)


def test_a_request_digest_covers_only_what_may_change_its_answer() -> None:
    wanted = rfc8785.dumps({"provider": "openai", "body": body(temperature=0.0, top_p=1e-7)})
    assert request_digest("openai", body(temperature=0.0, top_p=1e-7)) == sha256(wanted).hexdigest()
    asked = body(temperature=0.0)
    travels = {**asked, "stream": True, "stream_options": {"include_usage": True}, "user": "somebody"}
    assert request_digest("openai", travels) == request_digest("openai", asked)
    assert request_digest("openai", dict(reversed(asked.items()))) == request_digest("openai", asked)
    for other in (("anthropic", asked), ("openai", {**asked, "seed": 1}), ("openai", {**asked, "temperature": 0.1})):
        assert request_digest(*other) != request_digest("openai", asked)
    inner = {**asked, "metadata": {"user": "somebody", "stream": True}}
    assert request_digest("openai", inner) != request_digest("openai", {**asked, "metadata": {}})


def test_what_was_recorded_is_given_back_exactly(tmp_path: Path) -> None:
    asked = body("Ünïcödé \u2028 𝄞 \x00\x7f\n", stream=True, user="somebody", temperature=0.25)
    with Recorder(tmp_path / "tape") as recorder:
        recorder.add("openai", asked, 0, 201, answer("1"))
        recorder.add("openai", asked, 1, 200, b"\xff\xfe not text \x00")
        assert recorder.find(request_digest("openai", asked), 1) is not None
    with Tape.open(tmp_path / "tape") as tape:
        found = [tape.find(request_digest("openai", asked), repeat) for repeat in range(3)]
        assert len(tape) == 2 and [*tape.requests()] == found[:2]
    assert found[2] is None and isinstance(found[0], Taped)
    assert (found[0].provider, found[0].body, found[0].repeat, found[0].status) == ("openai", asked, 0, 201)
    assert [one.response for one in found if one] == [answer("1"), b"\xff\xfe not text \x00"]
    assert found[0].at.endswith("Z")


@given(provider=PLAIN, asked=BODIES, response=st.binary(min_size=1) | PLAIN.filter(bool).map(str.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_request_and_any_answer_come_back(
    provider: str, asked: dict[str, Any], response: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any") / "tape"
    with Recorder(folder) as recorder:
        recorder.add(provider, asked, 3, 200, response)
    with Tape.open(folder) as tape:
        found = tape.find(request_digest(provider, asked), 3)
    assert found and (found.provider, found.response) == (provider, response)
    assert found.body == asked and rfc8785.dumps(dict(found.body)) == rfc8785.dumps(asked)
    assert not check_tape(folder).flaws


@pytest.mark.parametrize("odd", ["\ud800", float("nan"), 2**60, {1: 2}, {1, 2}])
def test_a_body_that_has_no_canonical_form_is_refused_clearly(odd: Any, tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder, pytest.raises(InputError, match="no canonical JSON"):
        recorder.add("openai", body(odd=odd), 0, 200, answer())
    assert len(Tape.open(tmp_path)) == 0


@pytest.mark.parametrize("status", [100, 199, 300, 304, 400, 429, 500])
def test_only_complete_2xx_answers_are_taped(status: int, tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        with pytest.raises(ValueError, match="2xx"):
            recorder.add("openai", body(), 0, status, answer())
        with pytest.raises(ValueError, match="body"):
            recorder.add("openai", body(), 0, 200, b"")
        with pytest.raises(ValueError, match="repeated"):
            recorder.add("openai", body(), -1, 200, answer())


@pytest.mark.parametrize("name", ["api_key", "api-key", "apiKey", "Authorization", "x-api-key", "openai_api_key"])
def test_nobody_can_tape_a_key(name: str, tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder, pytest.raises(InputError, match="looks like a key") as told:
        recorder.add("openai", body(**{name: "sk-planted"}), 0, 200, answer())
    assert "sk-planted" not in str(told.value)
    assert not [path for path in tmp_path.iterdir() if b"sk-planted" in path.read_bytes()]


def test_an_exchange_too_large_for_a_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.tape.line.LIMIT", 4096)
    with Recorder(tmp_path) as recorder, pytest.raises(InputError, match="too large"):
        recorder.add("openai", body(), 0, 200, b"x" * 5000)


def test_the_same_again_changes_nothing_and_another_answer_is_refused(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        recorder.add("openai", body(), 0, 200, answer())
        recorder.add("openai", body(stream=True), 0, 200, answer())
        with pytest.raises(InputError, match="another answer"):
            recorder.add("openai", body(), 0, 200, answer("47"))
    size = (tmp_path / "segment-00000.jsonl").stat().st_size
    with Recorder(tmp_path) as recorder:
        recorder.add("openai", body(), 0, 200, answer())
        with pytest.raises(InputError, match="another answer"):
            recorder.add("openai", body(), 0, 200, answer("47"))
        assert recorder.extend([prepare_exchange("openai", body(), n % 2, 200, answer()) for n in range(6)]) == 1
    assert size < (tmp_path / "segment-00000.jsonl").stat().st_size < 2.5 * size
    assert len(Tape.open(tmp_path)) == 2


def test_a_tape_digest_is_independent_of_order_and_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = record(tmp_path / "one", TEXTS)
    two = segmented(tmp_path / "two", reversed(TEXTS), monkeypatch)
    three = record(tmp_path / "three", TEXTS[:7])
    record(three, TEXTS[3:])
    names = {Tape.open(folder).digest() for folder in (one, two, three)}
    lines = sorted(f"{request_digest('openai', body(text))} 0 {sha256(answer(text)).hexdigest()}\n" for text in TEXTS)
    assert names == {sha256("".join(lines).encode()).hexdigest()}
    assert answers(two, TEXTS) == [answer(text) for text in TEXTS]
    assert Tape.open(record(three, ["more"])).digest() not in names
    assert Tape.open(tmp_path / "nothing").digest() == sha256(b"").hexdigest()


def test_reading_writes_nothing_and_a_tape_that_is_not_there_is_empty(tmp_path: Path) -> None:
    tape = Tape.open(tmp_path / "nothing")
    assert (len(tape), tape.find("0" * 64, 0), tape.nearest("openai", body()), [*tape.requests()]) == (
        0,
        None,
        None,
        [],
    )
    assert not (tmp_path / "nothing").exists()
    (record(tmp_path / "tape", TEXTS) / INDEX).unlink()
    before = sorted(path.name for path in (tmp_path / "tape").iterdir())
    assert answers(tmp_path / "tape", TEXTS) == [answer(text) for text in TEXTS]
    assert sorted(path.name for path in (tmp_path / "tape").iterdir()) == before
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="folder"):
        Tape.open(tmp_path / "file")


def test_two_writers_cannot_be(tmp_path: Path) -> None:
    with Recorder(tmp_path / "tape") as recorder:
        recorder.add("openai", body(), 0, 200, answer())
        with pytest.raises(InputError, match="another process"):
            Recorder(tmp_path / "tape")
        code = "import sys, pathlib; from harness.models.tape.tape import Recorder; Recorder(pathlib.Path(sys.argv[1]))"
        words = [sys.executable, "-c", code, str(tmp_path / "tape")]
        done = subprocess.run(words, env=clean_env(), capture_output=True, text=True, check=False)
        assert "another process is recording" in done.stderr
        assert len(Tape.open(tmp_path / "tape")) == 1
    record(tmp_path / "tape", TEXTS)
    with pytest.raises(ValueError, match="closed"):
        recorder.add("openai", body("late"), 0, 200, answer())


def test_many_threads_and_tasks_share_one_recorder(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        start = threading.Barrier(8)

        def work(name: int) -> None:
            start.wait()
            for number in range(40):
                recorder.add("openai", body(f"{number % 30}"), 0, 200, answer())  # the same ones, from everybody
                recorder.add("openai", body(f"{name}/{number}"), 0, 200, answer(str(name)))
                assert recorder.find(request_digest("openai", body(f"{name}/{number}")), 0)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))

        async def tasks() -> None:
            await asyncio.gather(
                *(asyncio.to_thread(recorder.add, "openai", body(f"t{n}"), 0, 200, answer()) for n in range(20))
            )

        asyncio.run(tasks())
    with Tape.open(tmp_path) as tape:
        assert len(tape) == len([*tape.requests()]) == 8 * 40 + 30 + 20


def test_whoever_comes_during_a_sync_shares_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first sync lasts until everybody else stands in line, so that no scheduler decides how many there are."""
    syncs, real = [], os.fdatasync
    with Recorder(tmp_path) as recorder, ThreadPoolExecutor(8) as pool:

        def sync(handle: int) -> None:
            syncs.append(handle)
            deadline = time.monotonic() + 30
            while len(syncs) == 1 and len(recorder._line) < 7 and time.monotonic() < deadline:
                time.sleep(0.001)
            real(handle)

        monkeypatch.setattr(os, "fdatasync", sync)
        list(pool.map(lambda name: recorder.add("openai", body(str(name)), 0, 200, answer()), range(8)))
        assert len(syncs) == 2
    with Tape.open(tmp_path) as tape:
        assert len(tape) == 8


def test_a_miss_names_the_nearest_request_and_the_fields_that_differ(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        for text in TEXTS:
            recorder.add("openai", body(text, temperature=0.0), 0, 200, answer(text))
        recorder.add("anthropic", body(TEXTS[5], temperature=0.0, top_k=3), 0, 200, answer())
    tape = Tape.open(tmp_path)

    def nearest(provider: str, asked: dict[str, Any]) -> tuple[str, list[str]]:
        found = tape.nearest(provider, asked)
        assert found
        return found[0].body["messages"][0]["content"], found[1]

    assert nearest("openai", body(TEXTS[3], temperature=1.0)) == (TEXTS[3], ["/body/temperature"])
    assert nearest("openai", body(TEXTS[3] + "\n", temperature=0)) == (TEXTS[3], ["/body/messages/0/content"])
    assert nearest("openai", body(TEXTS[3], temperature=0, stream=True)) == (TEXTS[3], [])
    assert nearest("mine", body(TEXTS[5], temperature=0, top_k=3)) == (TEXTS[5], ["/provider"])
    assert nearest("openai", body(TEXTS[3], temperature=0.0, seed=1, n=2)) == (TEXTS[3], ["/body/n", "/body/seed"])
    more = body(TEXTS[3], temperature=0.0)
    more["messages"].append({"role": "user", "content": "and?"})
    assert nearest("openai", more) == (TEXTS[3], ["/body/messages"])


def test_on_a_large_tape_a_part_is_looked_at_and_what_holds_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"What is {number}+34, quickly?" for number in range(60)]
    folder = segmented(tmp_path, texts, monkeypatch, 5000)
    monkeypatch.setattr("harness.models.tape.tape.SAMPLE", 5)
    tape, looked = Tape.open(folder), []
    deliver = tape.deliver
    monkeypatch.setattr(tape, "deliver", lambda record: looked.append(record) or deliver(record))
    for text in texts[::7]:
        found = tape.nearest("openai", body(text, seed=7))
        assert found and found[0].body["messages"][0]["content"] == text and found[1] == ["/body/seed"]
    assert len(looked) <= 5 * len(texts[::7])


def test_a_full_disk_tapes_nothing_and_the_recorder_goes_on(tmp_path: Path) -> None:
    code = """if True:
        import resource, sys
        from pathlib import Path
        from harness.errors import MissingError
        from harness.models.tape.tape import Recorder, Tape
        folder = Path(sys.argv[1])
        with Recorder(folder) as recorder:
            recorder.add("p", {"n": 0}, 0, 200, b"{}")
            for room in (500, 700, 1 << 20):
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
                try:
                    recorder.add("p", {"n": 1}, 0, 200, b"x" * 400)
                except MissingError as bad:
                    print(bad.what)
        print(len(Tape.open(folder)))
    """
    words = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(words, env=clean_env(), capture_output=True, text=True, check=True)
    assert done.stdout == "the disk is full\nthe disk is full\n2\n"


def test_a_disk_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((InputError, MissingError)):
        Recorder(tmp_path / "file" / "tape")
