"""Fixtures that tests of several rooms share."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from durations import Durations
from hypothesis import settings
from support_draws import BEGUN, Deadline, find_promised_files, in_drawn_order, of_one_file, some_of_each
from support_examples import known_values_alone, register_profiles
from support_ground import PLACE, spoiled

register_profiles()
TESTS = Path(__file__).parent
ASIDE = "long"  # a folder of files that `make test` does not even collect
LONG = (ASIDE, "e2e", "faults", "images", "engines", "tiny", "pages", "bench", "gpu")  # whose tests take seconds each
COLLECT_EVERY = 100_000  # objects: to look for garbage after each 700 takes a tenth of what the tests take
_TURNS = count()
TOGETHER, APART, TORCH = "pytest.mark.together", "pytest.mark.long", 'needs("torch"'

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell leaves it that runs the tests in its background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the programs that tests stop by ctrl-C inherit this


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a submission try a part of the night's tests; let `make test` note what they take."""
    told = "of the tests marked `exhaustive` run those of one file, drawn by the commit, as many as this time allows"
    parser.addoption("--night-for", type=float, metavar="SECONDS", help=told)
    told = (
        "begin no long test after this time: first those that a list of promises names, then others as the commit draws"
    )
    parser.addoption("--long-for", type=float, metavar="SECONDS", help=told)
    parser.addoption("--durations-to", type=Path, metavar="FILE", help="note here what each case takes")


def pytest_configure(config: pytest.Config) -> None:
    """Lay a ground for what is made once for all workers; measure, where that is asked for."""
    if not hasattr(config, "workerinput"):
        if _is_parted(config) and config.pluginmanager.hasplugin("xdist"):
            config.option.maxworkerrestart = "0"  # another worker would not know whose part it has
        ground = tempfile.TemporaryDirectory(prefix="harness-ground-")
        os.environ[PLACE] = ground.name
        os.environ[BEGUN] = str(time.monotonic())
        config.add_cleanup(ground.cleanup)
    if (file := config.getoption("durations_to")) is not None:
        config.pluginmanager.register(Durations(file), "suite-durations")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass by the files that are wholly long where no long test is asked for: to collect them takes seconds."""
    here = collection_path.is_dir() and collection_path.name == ASIDE and collection_path.is_relative_to(TESTS)
    return True if here and "not long" in config.getoption("markexpr") else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Give each worker its part of the short tests; of all tests let each begin at another file.

    What one worker compiles, which takes longest, the others read.
    """
    config, written = session.config, sys.dont_write_bytecode
    worker = getattr(config, "workerinput", None)
    if worker and config.args == config.getini("testpaths"):
        number, workers = int(worker["workerid"][2:]), worker["workercount"]
        files = sorted(TESTS.rglob("test_*.py"), key=str)
        turn = len(files) * number // workers
        if _is_parted(config):
            from support_sharing import part_of

            mine = part_of([file for file in files if ASIDE not in _folders(file)], number, workers)
        else:
            mine = files[turn:] + files[:turn]
        config.args = list(map(str, mine))
    if settings.get_current_profile_name() in ("short", "long"):
        known_values_alone()
    sys.dont_write_bytecode = False
    gc.disable()  # what is collected stays: to look through it again and again takes a fifth of the time
    yield
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)
    gc.enable()
    sys.dont_write_bytecode = written


@pytest.hookimpl(trylast=True)  # after pytest itself, which looks for garbage five times
def pytest_unconfigure() -> None:
    """Let what was frozen be taken away, which libraries look for at the end."""
    gc.unfreeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Be red where a test spoiled what others read."""
    if not hasattr(session.config, "workerinput") and (names := spoiled(Path(os.environ[PLACE]))):
        print(f"spoiled by a test, though every test is given a copy: {', '.join(names)}", file=sys.stderr)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(tryfirst=True)  # before those that are not asked for are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the long tests, so that at the end no worker runs one alone; files are in one order everywhere.

    What needs a container engine is long: first an image is made, which takes a minute.
    """
    for item in items:
        asking = {"docker_host", "image_store"} & set(getattr(item, "fixturenames", ()))
        if asking or ASIDE in _folders(item.path) or item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: str(item.path))
    items.sort(key=lambda item: not _is_long(item))
    if (profile := settings.get_current_profile_name()) in ("long", "night"):
        long = [item for item in items if _is_long(item)]
        kept = some_of_each(long)
        left = set(long) - set(kept)
        if profile == "long":
            config.hook.pytest_deselected(items=list(left))
            items[:] = [*kept, *items[len(long) :]]
        tests = {item.nodeid.partition("[")[0] for item in left}
        for item in long:
            if item.nodeid.partition("[")[0] in tests:
                item.add_marker(pytest.mark.exhaustive)
    if (seconds := config.getoption("night_for")) is not None:
        every = list(items)
        items[:] = of_one_file([item for item in every if item.get_closest_marker("exhaustive")])
        config.hook.pytest_deselected(items=list(set(every) - set(items)))
        config.pluginmanager.register(Deadline(seconds), "night-deadline")
    if (seconds := config.getoption("long_for")) is not None:
        long = [item for item in items if _is_long(item)]
        items[:] = [*in_drawn_order(long, find_promised_files()), *items[len(long) :]]
        config.pluginmanager.register(Deadline(seconds, _is_long), "long-deadline")


def _is_long(item: pytest.Item) -> bool:
    return not _folders(item.path).isdisjoint(LONG) or item.get_closest_marker("long") is not None


@cache
def _folders(path: Path) -> frozenset[str]:
    """Name the folders that a file of tests lies in, of which thousands of cases ask."""
    return frozenset(path.relative_to(TESTS).parent.parts)


@pytest.hookimpl(optionalhook=True)  # who leaves xdist out needs none
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the tests of a file to one worker, so that what they share is made once, and long ones to whoever is free.

    Where no long test is asked for, no file is too long for one worker, and those of a folder that need torch, which
    takes seconds to load, are one's together. Else a file with long tests goes to one, too,
    where they are marked `together`: what `--dist loadgroup` does, which does nothing beside this version of pytest.
    """
    if _is_parted(config):
        from support_sharing import Parted

        return Parted(config, log)
    from xdist.scheduler import LoadScopeScheduling

    short = "not long" in config.getoption("markexpr")

    class Together(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
        def __init__(self) -> None:
            super().__init__(config, log)
            self.scopes = {
                path.relative_to(config.rootpath).as_posix(): path.parent
                if short and TORCH in path.read_text()
                else path
                for path in TESTS.rglob("test_*.py")
                if short or _is_shared(path)
            }

        def _split_scope(self, nodeid: str) -> str:
            return str(self.scopes.get(nodeid.partition("::")[0], nodeid))

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            """Note that a test is done; what is done whole is counted no more, after each of thousands of tests."""
            super().mark_test_complete(node, item_index, duration)
            scope = self._split_scope(self.registered_collections[node][item_index])
            if all(self.assigned_work[node][scope].values()):
                del self.assigned_work[node][scope]

        def remove_node(self, node: Any) -> str | None:
            """Let others go on with what an ended worker leaves, without the test that ended it: it would end them."""
            left = self.assigned_work[node]
            running = next((name for unit in left.values() for name, done in unit.items() if not done), None)
            if running is not None:
                scope = self._split_scope(running)
                left[scope][running] = True
                if all(left[scope].values()):
                    del left[scope]
            super().remove_node(node)
            return running

    config.option.loadscopereorder = False  # the order above is meant
    return Together()


def _is_parted(config: pytest.Config) -> bool:
    """Whether each worker collects and runs a part of the files: where all short tests are run, and no long one."""
    return config.args == config.getini("testpaths") and "not long" in config.getoption("markexpr")


def _is_shared(path: Path) -> bool:
    """Whether one worker runs all tests of a file."""
    text = path.read_text()
    return TOGETHER in text or (APART not in text and _folders(path).isdisjoint(LONG))


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a folder of its own, as pytest does, which is removed with all others where none failed.

    A folder removed after each of thousands of tests makes a file system look past what was removed, for half a
    minute, whenever a file is made; and to number folders pytest reads the names of all that there are. What a long
    test made that did not fail is removed at once: it may be a gigabyte.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(_TURNS)}"
    folder.mkdir(0o700)
    failed = request.session.testsfailed
    yield folder
    if _is_long(request.node) and request.session.testsfailed == failed:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def image_store() -> tuple[Path, str]:
    """A store that holds the image `sandbox`, and its image ID; built at the first run, kept between runs."""
    from support_images import sandbox_store

    return sandbox_store()


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """Name in DOCKER_HOST an engine that answers: the one that is here, or a sealed one of this test process's own."""
    from support_engine import USUAL, answers, dockerd

    with pytest.MonkeyPatch.context() as patch:
        here = [host for host in (os.environ.get("DOCKER_HOST", ""), USUAL) if host and answers(host)]
        if here:
            patch.setenv("DOCKER_HOST", here[0])
            yield here[0]
        else:
            with dockerd() as service:
                patch.setenv("DOCKER_HOST", service.host)
                yield service.host


@pytest.fixture(scope="module")
def podman(image_store: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Serve podman as the engine, from folders of the test's own."""
    from support_podman import podman_service

    with podman_service(image_store, tmp_path_factory.mktemp("podman")) as service:
        yield service
