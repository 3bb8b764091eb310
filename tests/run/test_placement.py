"""Where steps are executed: what a user writes, what goes out and comes back, and which workers take a step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import data_of, executed, finished_project, harness, journals, outputs_of, small_project

from harness.digest import document_digest
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.evidence.record import LOST
from harness.manifest.schema import Resources
from harness.run.engines import find_address, read_placement, settings_path
from harness.run.executing.exchange import (
    ASKED,
    FAILED,
    StepAnswer,
    WorkerSetting,
    encode_answer,
    encode_request,
    failure_fields,
    pack_message,
    read_answer,
    read_failure,
    read_request,
    unpack_order,
)
from harness.run.executing.execute import StepEnded
from harness.run.placement.worker import WorkerHost
from harness.steps import GATHER, Setting, Step, key_preimage
from harness.store.store import Output

STEP = Step("items", GATHER, "responses", {"name": "items"}, {}, ("items",), infers=True)
PARTS: Any = key_preimage(STEP, {"parts": ["a" * 64]}, "c" * 64, Setting("e" * 64, "cpu", {"TZ": "UTC"}))
TLS = '[tls]\nca = "ca.pem"\ncert = "cert.pem"\nkey = "key.pem"\n'


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let no placement.toml of the person running the tests be read; give the place of another one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = settings_path()
    path.parent.mkdir(parents=True)
    return path


def test_steps_stay_here_unless_a_user_says_otherwise_and_an_option_goes_before_the_file(
    tmp_path: Path, own_settings: Path
) -> None:
    assert read_placement("", tmp_path).kind == "local"
    own_settings.write_text(f'placement = "dask=tls://10.0.0.5:8786"\nstore = "shared"\n{TLS}')
    named = read_placement("", tmp_path)
    assert (named.kind, named.target, named.shared) == ("dask", "tls://10.0.0.5:8786", True)
    assert named.certificates and named.certificates.ca == own_settings.parent / "ca.pem"
    assert read_placement("local", tmp_path).kind == "local"
    assert read_placement("dask=local:4", tmp_path).own_workers == 4


@pytest.mark.parametrize("text", ["dusk", "dask", "dask=", "local=4", "dask=local:0", "dask=local:x"])
def test_a_placement_that_is_none_is_refused_with_the_forms_there_are(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_placement(text, tmp_path)
    assert "dask=local:N" in error.value.next


@pytest.mark.parametrize("text", ["placing = 1\n", "memory = 1\n", 'store = "lent"\n', '[tls]\nca = "x"\n', "=\n"])
def test_a_setting_that_is_none_is_refused_with_its_file(text: str, tmp_path: Path, own_settings: Path) -> None:
    own_settings.write_text(text)
    with pytest.raises(InputError) as error:
        read_placement("", tmp_path)
    assert error.value.where == str(own_settings)


def test_beyond_this_machine_a_scheduler_is_reached_over_tls_with_certificates_alone(
    tmp_path: Path, own_settings: Path
) -> None:
    for here in ("tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1"):
        assert find_address(read_placement(f"dask={here}", tmp_path)) == here
    (tmp_path / "s.json").write_text(json.dumps({"address": "tcp://10.0.0.5:8786"}))
    for there in ("tcp://10.0.0.5:8786", "tcp://a.host:1", "tls://10.0.0.5:8786", "s.json"):
        with pytest.raises(MissingError):
            find_address(read_placement(f"dask={there}", tmp_path))
    own_settings.write_text(TLS)
    assert find_address(read_placement("dask=tls://10.0.0.5:8786", tmp_path)) == "tls://10.0.0.5:8786"
    for wrong in ("http://127.0.0.1:1", "tcp://127.0.0.1", "127.0.0.1:1", "tcp://127.0.0.1:x"):
        with pytest.raises(InputError):
            find_address(read_placement(f"dask={wrong}", tmp_path))


def test_a_request_and_its_answer_come_back_as_they_went() -> None:
    step, parts = read_request(json.loads(encode_request(STEP, PARTS)))
    assert (step, parts) == (STEP, PARTS)
    answer = StepAnswer({"items": Output("b" * 64, 3)}, {"wall_ms": 5}, {"seen": "x"}, "w2")
    assert read_answer(encode_answer(PARTS, answer), PARTS) == answer


def test_an_answer_to_another_step_or_with_other_outputs_is_refused() -> None:
    fine = json.loads(encode_answer(PARTS, StepAnswer({"items": Output("b" * 64, 3)}, {})))
    wrong: list[dict[str, Any]] = [
        {**fine, "key": document_digest({**PARTS, "batch": "other"})},
        {**fine, "outputs": {**fine["outputs"], "more": fine["outputs"]["items"]}},
        {**fine, "outputs": {"items": {"sha256": "../../etc", "size": 3}}},
        {**fine, "type": FAILED},
    ]
    for body in wrong:
        with pytest.raises(DamageError):
            read_answer(json.dumps(body, sort_keys=True, separators=(",", ":")).encode(), PARTS)


def test_a_message_that_lost_or_changed_a_byte_is_refused() -> None:
    message = pack_message({"type": ASKED, "step": {}}, [b"one", b"", b"three"])
    assert list(unpack_order(message)[1].values()) == [b"one", b"", b"three"]
    for changed in (message[:-1], message + b"x", message.replace(b"three", b"thrxe"), message.replace(b"5}", b"4}")):
        with pytest.raises(DamageError):
            unpack_order(changed)


def test_a_failure_keeps_its_class_its_end_and_its_log() -> None:
    error = StepEnded("step x failed", where="k", next="see")
    error.ended = LOST
    error.add_note("the log")
    back: HarnessError = read_failure(json.loads(json.dumps(failure_fields(error))))
    assert isinstance(back, StepEnded) and back.ended == LOST
    assert (str(back), back.__notes__) == (str(error), ["the log"])


def test_a_worker_takes_no_step_whose_key_names_anything_that_it_is_not(tmp_path: Path) -> None:
    setting: WorkerSetting = {
        "type": "worker-setting/1", "engine": "local", "isolation": "process", "image": "none",
        "resources": Resources(memory="1GiB").model_dump(mode="json"), "ceiling": 0, "numerics": "portable",
        "store": "", "mark": "",
    }  # fmt: skip
    host = WorkerHost(setting, tmp_path)
    shop = host.workshop
    mine: Any = key_preimage(STEP, {"parts": []}, shop.code.closure(GATHER).digest, shop.setting)
    assert host.unfit(STEP, mine) == ""
    numerics = {**mine["numerics"], "HARNESS_PROCESSOR": "GenuineIntel 6/1 avx2"}
    others: list[Any] = [
        {"environment": "0" * 64},
        {"device": "cuda:sm_90"},
        {"numerics": numerics},
        {"code": "0" * 64},
    ]
    reasons = [host.unfit(STEP, mine | other) for other in others]
    assert all(reasons) and len(set(reasons)) == len(others)
    assert host.unfit(Step("ask", GATHER, "responses", {}, {}, ("items",), calls=True), mine)
    assert host.unfit(Step("try", GATHER, "judgements", {}, {}, ("items",), trial=True), mine)
    asked: Any = {"step": {"name": "s", "stage": "rows"}, "parts": {**mine, **others[0]}, "run": ""}
    said, blobs = host.execute(asked, {})
    assert said["type"] == "worker-refused/1" and not blobs


@pytest.mark.long
def test_two_workers_make_what_one_process_makes_and_the_record_names_them(tmp_path: Path) -> None:
    needs("distributed")
    models = ("oracle",)
    finished_project(tmp_path / "here", 20, models)
    here = next(journals(tmp_path / "here" / ".harness"))
    project = small_project(tmp_path / "there", 20, models).parents[1]
    told = data_of(
        "run", "manifests/small.yaml", "--placement", "dask=local:2", cwd=project, fresh=True,
        env={"XDG_CONFIG_HOME": str(tmp_path)},
    )  # fmt: skip
    assert outputs_of(told) == {event["name"]: event["sha256"] for event in here if event["event"] == "output"}
    [events] = journals(project / ".harness")
    done = [event for event in events if event["event"] == "step.done"]
    assert len(executed(project / ".harness")) == len(done) == len({event["step"] for event in done})
    joined = {event["worker"]: event for event in events if event["event"] == "worker.joined"}
    assert {event["worker"] for event in done} <= joined.keys() <= {"w1", "w2"}
    assert all(event["facts"]["containment"]["claims"] for event in joined.values())
    assert events[0]["placement"] == {"name": "dask", "store": "sent"}
    record = json.loads(next((project / ".harness").glob("runs/*/record.json")).read_bytes())
    assert sum(worker["steps"] for worker in record["workers"].values()) == record["steps"]["executed"] == len(done)
    assert {event["key"] for event in done} == {event["key"] for event in here if event["event"] == "step.done"}


def test_without_certificates_a_run_ends_before_it_speaks_to_another_machine(tmp_path: Path) -> None:
    project = small_project(tmp_path / "p", 20, ("oracle",)).parents[1]
    done = harness(
        "run", "manifests/small.yaml", "--placement", "dask=tcp://192.0.2.1:8786", cwd=project, check=3,
        env={"XDG_CONFIG_HOME": str(tmp_path)},
    )  # fmt: skip
    assert "beyond this machine" in done.stderr and not list((project / ".harness").glob("runs/*"))
