"""A container is abandoned when its owner is dead; a mark that cannot be read is not ours, whatever it says."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support_engine import client, open_docker, ours

from harness.engines import docker
from harness.engines.docker import DEADLINE, GRACE, OWNER, container_deadline, identify_process, is_orphaned


def marked(mark: str, due: object = None) -> dict[str, str]:
    return {OWNER: mark, DEADLINE: str(container_deadline(60) if due is None else due)}


@contextlib.contextmanager
def living() -> Iterator[str]:
    """Give the mark of another process, which ends with the block."""
    code = "from harness.engines.docker import identify_process; print(identify_process(), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # the end of its input ends it


def dead() -> str:
    """Give the mark of a process that has ended."""
    with living() as mark:
        pass
    return mark


def test_the_living_keep_what_is_theirs_even_when_it_is_late() -> None:
    assert not is_orphaned(marked(identify_process())) and not is_orphaned(marked(identify_process(), 0))


def test_containers_of_dead_owners_and_earlier_boots_are_orphaned() -> None:
    assert is_orphaned(marked(dead()))
    _, *rest = identify_process().split()
    assert is_orphaned(marked(" ".join(["another-boot", *rest])))


def test_a_number_that_another_process_has_now_does_not_save_a_container() -> None:
    boot, namespace, pid, _ = identify_process().split()
    assert is_orphaned(marked(f"{boot} {namespace} {pid} 1"))


def test_an_owner_in_another_namespace_is_dead_when_long_overdue() -> None:
    boot, _, pid, began = identify_process().split()
    elsewhere = f"{boot} pid:[1] {pid} {began}"
    now = container_deadline(0)
    assert not is_orphaned(marked(elsewhere)) and not is_orphaned(marked(elsewhere, now - 1))
    assert is_orphaned(marked(elsewhere, round(now - GRACE - 2)))


@pytest.mark.parametrize("mark", ["", "x", "a b c", "a b c d e", "\n", "../../etc 1 1 1 1", "é" * 100])
def test_a_mark_that_cannot_be_read_is_left_alone(mark: str) -> None:
    assert not is_orphaned(marked(mark)) and not is_orphaned({OWNER: identify_process()}) and not is_orphaned({})
    assert not is_orphaned(marked(identify_process(), "soon")) and not is_orphaned(
        marked(identify_process(), "9" * 5000)
    )


def test_a_mark_of_this_boot_with_a_number_that_is_none_is_left_alone() -> None:
    boot, namespace, _, began = identify_process().split()
    assert not is_orphaned(marked(f"{boot} {namespace} many {began}"))


def test_many_that_sweep_at_once_do_not_trip_over_each_other(
    docker_host: str, image_store: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(docker_host) as engine, living() as owner:  # other tests sweep too, as soon as it has ended
        labels = marked(owner)
        settings = {"Image": open_docker(image_store).image, "Cmd": ["true"], "Labels": labels}
        for _ in range(6):
            engine.create_container_from_config(settings)
        assert len(ours(docker_host, owner)) == 6
    together = threading.Barrier(4)
    inner = docker.is_orphaned

    def slow(given: dict[str, str]) -> bool:
        if given.get(OWNER) == labels[OWNER] and not together.broken:
            with contextlib.suppress(threading.BrokenBarrierError):
                together.wait(timeout=5)  # all have listed before any removes
        return inner(given)

    monkeypatch.setattr("harness.engines.docker.is_orphaned", slow)
    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(open_docker, image_store) for _ in range(4)]:
            assert one.result().image == image_store[1]
    assert ours(docker_host, labels[OWNER]) == []
