"""An isolation is attacked before a run's first step; what it claims to keep from a step and does not stops the run.

Each sabotage opens one wall of the real bubblewrap; the decoys behind it are reached then, and are named.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from support import unlocked_project
from support_draws import drawn
from support_engine import open_docker
from support_inside import inner_data, inside

from harness.digest import encode_document, parse_document
from harness.engines import isolation
from harness.engines.docker import DockerEngine
from harness.engines.engine import CALLS, DISK, MACHINE, NETWORK, SHARED, Engine
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import MissingError
from harness.run import receipt
from harness.run.attack import ATTACKS
from harness.store.journal import read_chain
from harness.store.store import Store

CLOSED = [name for name in available_isolations() if name != "process"]
needs_bubblewrap = pytest.mark.skipif("bubblewrap" not in CLOSED, reason="bubblewrap is not offered here")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no test believe what another found."""
    monkeypatch.setattr(receipt, "_known", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "store")


def attacked(store: Store, engine: Engine) -> Any:
    with store.folder("receipt") as folder:
        return receipt.probe_isolation(engine, store.root, folder, threading.Event())


def ended(found: Any, word: str) -> set[str]:
    return {name for name, how in found["tried"].items() if how.startswith(word)}


@pytest.mark.parametrize("isolation", CLOSED)
def test_an_isolation_keeps_from_a_step_what_it_claims_to_keep(store: Store, isolation: str) -> None:
    found = attacked(store, LocalEngine(isolation))
    assert set(found["tried"]) == {*ATTACKS, "shared"} == set(receipt.WORDS)
    assert set(found["claims"]) >= NETWORK | MACHINE | CALLS | SHARED and receipt.list_escaped(found) == []
    assert ended(found, "untried") <= {"ipv6", "host"}  # which a machine need not have
    if isolation == "namespaces":
        assert "engine" not in found["claims"], "its step sees the disk, and every socket on it that its user may open"


def test_a_bare_process_claims_its_filter_and_its_decoys_are_reached(store: Store) -> None:
    """The same attack where little holds: each decoy can be reached, or the attack would prove nothing."""
    found = attacked(store, LocalEngine("process"))
    assert set(found["claims"]) == CALLS and receipt.list_escaped(found) == []
    assert ended(found, "open") >= set(receipt.CONTROLLED) - {"dns", "host", "ipv4", "ipv6"}  # the filter's


def test_a_container_keeps_from_a_step_what_it_claims_to_keep(
    store: Store, docker_host: str, image_store: tuple[Path, str]
) -> None:
    engine = open_docker(image_store)
    found = attacked(store, engine)
    assert set(found["claims"]) >= NETWORK | MACHINE | DISK | CALLS and receipt.list_escaped(found) == []
    assert ended(found, "held") >= {*ATTACKS, "shared"} - {"ipv6", "host"}


def test_a_container_with_walls_taken_away_is_caught(
    store: Store, docker_host: str, image_store: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = DockerEngine._base

    def weaker(self: DockerEngine, *given: Any) -> dict[str, Any]:
        settings = inner(self, *given)
        settings["HostConfig"] |= {"PidMode": "host", "PidsLimit": 4096, "Binds": [f"{store.root}:{store.root}"]}
        return settings

    monkeypatch.setattr(DockerEngine, "_base", weaker)
    assert ended(attacked(store, open_docker(image_store)), "open") >= {"others", "processes", "steps", "store"}


def without(*words: str) -> Callable[[list[str]], list[str]]:
    return lambda wrap: [word for word in wrap if word not in words]


def bound(store: Store, way: str) -> Callable[[list[str]], list[str]]:
    def more(wrap: list[str]) -> list[str]:
        at = wrap.index("--chdir") - len(("--ro-bind", "", "", *("--bind", "", "") * 2))  # below the step's own folder
        return [*wrap[:at], "--dir", str(store.root), way, str(store.root), str(store.root), *wrap[at:]]

    return more


def loose(wrap: list[str]) -> list[str]:
    at = wrap.index("--chdir") - len(("--ro-bind", "", "", *("--bind", "", "") * 2))
    assert wrap[at] == "--ro-bind"
    return [*wrap[:at], "--bind", *wrap[at + 1 :]]


SABOTAGES: dict[str, tuple[Callable[[Store], Callable[[list[str]], list[str]]], set[str]]] = {
    "the network is left on": (lambda _: without("--unshare-net"), {"ipv4", "dns", "abstract"}),
    "the store is shown": (lambda store: bound(store, "--ro-bind"), {"store", "steps"}),
    "the store is shown for writing": (lambda store: bound(store, "--bind"), {"store", "steps"}),
    "its inputs are given for writing": (lambda _: loose, {"inputs"}),
    "processes are left on": (lambda _: without("--unshare-pid", "--as-pid-1"), {"others"}),
    "no call is filtered": (lambda _: without(), {"clone3", "keyring", "netlink", "ptrace", "tables"}),
}


@needs_bubblewrap
@pytest.mark.parametrize("sabotage", drawn(SABOTAGES, 2, len(SABOTAGES)))
def test_a_bubble_with_a_wall_taken_away_is_caught(
    store: Store, monkeypatch: pytest.MonkeyPatch, sabotage: str
) -> None:
    work, out = SABOTAGES[sabotage]
    break_(monkeypatch, work(store))
    if sabotage in ("the network is left on", "no call is filtered"):
        unfilter(monkeypatch)
    found = attacked(store, LocalEngine("bubblewrap"))
    if out == {"inputs"} and isolation.drops_root():
        out = set()  # a step of root's is nobody, who may not write to them wherever they are bound
    assert ended(found, "open") >= out, found
    with pytest.raises(MissingError, match=receipt.WORDS[min(out)]) if out else nullcontext():
        receipt.require_no_escape(LocalEngine("bubblewrap"), found)


def unfilter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the filter of system calls away, which holds what other walls hold, too."""
    monkeypatch.setattr("harness.engines.local.filter_program", lambda **_: b"")


def break_(monkeypatch: pytest.MonkeyPatch, change: Callable[[list[str]], list[str]]) -> None:
    """Take a wall away from bubblewrap; `--unshare-all` is spelled out first, so that there is one to take."""
    inner = isolation._bubble

    def weaker(*given: Any) -> list[str]:
        spelled = [f"--unshare-{one}" for one in ("ipc", "pid", "net", "uts")]
        wrap = [one for word in inner(*given) for one in (spelled if word == "--unshare-all" else [word])]
        return change(wrap)

    monkeypatch.setattr(isolation, "_bubble", weaker)


@needs_bubblewrap
@pytest.mark.skipif(not isolation.drops_root(), reason="only root's steps change their user")
def test_a_step_that_stays_root_behind_an_open_proc_is_caught(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_become", lambda _: [])
    monkeypatch.setattr("harness.engines.local.chown_to_step", lambda *_: None)

    def unsealed(wrap: list[str]) -> list[str]:
        at = wrap.index("--remount-ro")
        assert wrap[at + 1] == "/proc"
        return wrap[:at] + wrap[at + 2 :]

    break_(monkeypatch, unsealed)
    found = attacked(store, LocalEngine("bubblewrap"))
    assert {"kernel", "processes"} <= ended(found, "open")


@needs_bubblewrap
def test_a_leaking_isolation_ends_a_run_with_3_before_its_first_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = unlocked_project(tmp_path / "project", count=7, models=("oracle",))
    inside("lock", manifest, cwd=tmp_path / "project", check=0)
    break_(monkeypatch, without("--unshare-net"))
    unfilter(monkeypatch)
    monkeypatch.setattr(receipt, "_known", {})
    done = inside("run", manifest, "--store", tmp_path / "leaky", "--json", cwd=tmp_path / "project", check=3)
    assert "the network over IPv4" in done.stderr and "'bubblewrap'" in done.stderr
    assert not list((tmp_path / "leaky").glob("keys/*/*")) and not receipt.receipts_folder().exists()


@pytest.mark.long
def test_a_receipt_stands_in_the_record_of_a_run_and_of_one_from_cache(tmp_path: Path) -> None:
    manifest = unlocked_project(tmp_path, count=7, models=("oracle",))
    inside("lock", manifest, cwd=tmp_path, check=0)
    store = Store(tmp_path / "store")
    for _ in range(2):
        inner_data("run", manifest, "--store", store.root, cwd=tmp_path)
    one, two = (read_chain(store.journal(run)).events[0]["facts"]["containment"] for run in store.run_ids())
    assert one == two and set(one["tried"]) == {*ATTACKS, "shared"}
    [kept] = receipt.receipts_folder().iterdir()
    assert json.loads(kept.read_bytes())["containment"] == one
    assert inner_data("audit", "last", "--store", store.root, cwd=tmp_path)["verdict"] == "agreed"


@pytest.mark.long
def test_a_receipt_is_reused_for_one_engine_isolation_user_and_boot_only(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel, engines = threading.Event(), [LocalEngine(name) for name in available_isolations()]
    found = [receipt.probed_containment(store, engine, cancel) for engine in engines]
    assert len(list(receipt.receipts_folder().iterdir())) == len(engines)
    monkeypatch.setattr(receipt, "_known", {})
    monkeypatch.setattr(receipt, "probe_isolation", lambda *_: pytest.fail("it was tried again"))
    assert [receipt.probed_containment(store, engine, cancel) for engine in engines] == found
    monkeypatch.setattr("harness.run.receipt.platform.release", lambda: "another")
    with pytest.raises(pytest.fail.Exception):
        receipt.probed_containment(store, engines[0], cancel)


@pytest.mark.long
def test_a_receipt_of_another_boot_is_not_believed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, read = LocalEngine(available_isolations()[0]), Path.read_text

    def after_another_start(path: Path, *how: Any, **more: Any) -> str:
        return "another" if path.name == "boot_id" else read(path, *how, **more)

    receipt.probed_containment(store, engine, threading.Event())
    monkeypatch.setattr(receipt, "_known", {})
    monkeypatch.setattr(Path, "read_text", after_another_start)
    receipt.probed_containment(store, engine, threading.Event())
    assert len(list(receipt.receipts_folder().iterdir())) == 2


UNREADABLE = [b"", b"{}", b'{"type":"receipt/1","containment":{"claims":["ipv4"],"tried":{}}}']


@pytest.mark.parametrize("damage", drawn(UNREADABLE, 1, len(UNREADABLE)))
def test_a_receipt_that_cannot_be_read_is_tried_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    engine = LocalEngine(available_isolations()[0])
    found = receipt.probed_containment(store, engine, threading.Event())
    [kept] = receipt.receipts_folder().iterdir()
    kept.write_bytes(damage)
    monkeypatch.setattr(receipt, "_known", {})
    assert receipt.probed_containment(store, engine, threading.Event())["claims"] == found["claims"]
    assert parse_document(kept.read_bytes(), "receipt/1", "a receipt")["containment"]["claims"] == found["claims"]


def test_a_receipt_that_says_a_step_got_out_is_tried_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LocalEngine(available_isolations()[0])
    found = receipt.probed_containment(store, engine, threading.Event())
    [kept] = receipt.receipts_folder().iterdir()
    said = parse_document(kept.read_bytes(), "receipt/1", "a receipt")
    said["containment"]["tried"][found["claims"][0]] = "open: it came"
    kept.write_bytes(encode_document(said) + b"\n")
    monkeypatch.setattr(receipt, "_known", {})
    assert receipt.list_escaped(receipt.probed_containment(store, engine, threading.Event())) == []
    assert "it came" not in kept.read_text(), "the next process need not try once more"


def test_what_an_older_run_said_of_its_isolation_is_still_spelled_well() -> None:
    """It was tried with fewer attacks; what no attack is called is found out all the same."""
    older = set(receipt.WORDS) - CALLS - SHARED
    tried = dict.fromkeys(older, "held: ENOENT")
    found: receipt.Containment = {"claims": ["ipv4", "users"], "tried": tried}
    assert list(receipt.impossible_claims(found)) == [] and receipt.list_escaped(found) == []
    assert list(receipt.impossible_claims({"claims": [], "tried": {**tried, "keyrings": "held: EPERM"}}))


def test_a_step_that_cannot_run_at_all_is_told_before_the_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LocalEngine(available_isolations()[0])
    monkeypatch.setattr(engine, "command", lambda _: ("/nonexistent/python",))
    with pytest.raises(MissingError, match="no step runs in the isolation"):
        receipt.probed_containment(store, engine, threading.Event())
