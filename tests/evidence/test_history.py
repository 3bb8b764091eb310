"""The runs of a store as they are listed: what a record says is read the short way, and means what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.digest import sha256
from harness.errors import DamageError
from harness.evidence.claims.subject import History
from harness.evidence.record import spell_record
from harness.store.store import Store

ODD = {
    "outputs of a common sort": {"counts": "a" * 64, "items": "b" * 64},
    "an output called outputs": {"outputs": "a" * 64},
    "an output called outputs before another": {"counts": "c" * 64, "outputs": "a" * 64, "plan": "b" * 64},
    "no output": {},
}


def listed(folder: Path, record: bytes) -> History:
    """Give the history of a store whose list names one run, with this record."""
    store = Store.make(folder)
    (store.runs / "r").mkdir(parents=True)
    (store.runs / "r" / "record.json").write_bytes(record)
    store.heads.add("run.started", {"run": "r", "journal": "0" * 64})
    store.heads.add("run.finished", {"run": "r", "journal": "1" * 64, "record": sha256(record)})
    return History(store)


def body(outputs: dict[str, str], **more: Any) -> Any:
    made = {name: {"sha256": sha, "size": 1, "step": "s", "output": "outputs"} for name, sha in outputs.items()}
    return {
        "type": "record/1", "status": "done", "outputs": made, "plan": "f" * 64, "run": "r", "sees_gold": [],
        "started": "2026-01-01T00:00:00.000Z", "steps": {"total": 1}, "lock": "e" * 64, **more,
    }  # fmt: skip


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("more", [{}, {"sees_gold": ['a","outputs":{']}, {"calls": {"m": {"outputs": {"x": {}}}}}])
def test_a_record_gives_its_own_outputs(tmp_path: Path, case: str, more: dict[str, Any]) -> None:
    made = listed(tmp_path / "store", spell_record(body(ODD[case], **more))).made("r")
    assert made.complete and made.outputs == ODD[case]
    failed = listed(tmp_path / "other", spell_record(body(ODD[case], status="failed", **more))).made("r")
    assert not failed.complete and failed.outputs == ODD[case]


@pytest.mark.parametrize("record", [b"", b"[]\n", b"{}\n", b'{"status":"done","outputs":[1]}\n', b"{\n"])
def test_what_is_no_record_gives_nothing_though_it_is_listed(tmp_path: Path, record: bytes) -> None:
    with pytest.raises(DamageError, match="list of runs names"):
        listed(tmp_path / "store", record).made("r")


def test_a_record_that_is_not_the_listed_one_gives_nothing(tmp_path: Path) -> None:
    history = listed(tmp_path / "store", spell_record(body({"counts": "a" * 64})))
    path = history.store.record("r")
    path.write_bytes(path.read_bytes().replace(b"a" * 64, b"b" * 64))
    with pytest.raises(DamageError, match="list of runs names"):
        history.made("r")
