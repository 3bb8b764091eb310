"""A step that does anything but leave its declared files is one clear error, and nothing of it is stored."""

import contextlib
import re
import shutil
import textwrap
from dataclasses import replace

import pytest
from support import REPOSITORY, tree

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import HarnessError, MissingError, StepError
from harness.run.closure import Code
from harness.run.executing.workshop import Workshop
from harness.steps import Pinned, Step
from harness.store.store import Store

pytestmark = pytest.mark.together

EVERY = pytest.mark.parametrize("isolation", available_isolations())
TOYS = '''
"""Step kinds that do what no step should; `fine` is the one that does what it should."""
import ctypes, os, signal, sys, time

def fine(params, inputs, out):
    print("x" * params.get("print", 0))
    (out / "rows").write_bytes(inputs["rows"].read_bytes() * 2)

def undeclared(params, inputs, out):
    fine(params, inputs, out)
    (out / params["name"]).write_text("more")

def missing(params, inputs, out):
    pass

def link(params, inputs, out):
    (out / "rows").symlink_to(inputs["rows"])

def removes_out(params, inputs, out):
    out.rmdir()

def swaps_out(params, inputs, out):
    other = out.parent / "tmp" / "other"
    other.mkdir()
    (other / "rows").write_bytes(b"from elsewhere")
    out.rmdir()
    out.symlink_to(other)

def hard_link(params, inputs, out):
    os.link(inputs["rows"], out / "rows")

def folder(params, inputs, out):
    (out / "rows").mkdir()

def fifo(params, inputs, out):
    os.mkfifo(out / "rows")

def writes_inputs(params, inputs, out):
    with open(inputs["rows"], "ab") as file:
        file.write(b"!")
    fine(params, inputs, out)

def raises(params, inputs, out):
    fine(params, inputs, out)
    raise ValueError("the third row\\nhas no id")

def leaves(params, inputs, out):
    fine(params, inputs, out)
    sys.exit(3)

def crashes(params, inputs, out):
    fine(params, inputs, out)
    ctypes.string_at(0)

def sleeps(params, inputs, out):
    fine(params, inputs, out)
    time.sleep(1000)

def hoards(params, inputs, out):
    fine(params, inputs, out)
    bytearray(1 << 30)

def chatters(params, inputs, out):
    for _ in range(100):
        print("x" * (1 << 20))
    raise ValueError("after all that")

def fills(params, inputs, out):
    raise OSError(28, "No space left on device")

def borrows(params, inputs, out):
    fine(params, inputs, out)
    import harness
    harness.__path__.append(params["from"])
    import harness.stats
'''
CASES = {
    "undeclared": "made an undeclared \"more\"",
    "missing": "made no \"rows\"",
    "link": "not a plain file",
    "folder": "not a plain file",
    "fifo": "not a plain file",
    "raises": "ValueError: the third row",
    "leaves": "exited 3",
    "crashes": "ended by signal 11",
    "hoards": "needed more than 256 MiB",
    "chatters": "ValueError: after all that",
    "nothing": "has no attribute 'nothing'",
}  # fmt: skip


@pytest.fixture
def shop(tmp_path):
    """Give a workshop on a code root that holds the toys, and nothing else of the harness but the entry point."""
    for name in ("harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py"):
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / "code" / name)
    (tmp_path / "code" / "harness" / "toys.py").write_text(textwrap.dedent(TOYS))

    def open_shop(isolation="", **limits):
        wanted = replace(Limits(seconds=60, memory=256 << 20), **limits)
        return Workshop(Store.make(tmp_path / "store"), LocalEngine(isolation), wanted, Code(tmp_path / "code"))

    return open_shop


def make(shop, kind, **params):
    rows = shop.store.blobs.put(b"a row\n")
    step = Step(f"toy/{kind}", f"harness.toys:{kind}", "scores", params, {"rows": Pinned(rows)}, ("rows",))
    return shop.make(step, shop.preimage(step, {}))


def fails(shop, kind, error=StepError, *, named=False, **params):
    """Make a step that fails; whatever it was, nothing of it is in the store."""
    make(shop, "fine")  # after this, the code, the environment and the input are in the store
    before = tree(shop.store.root)
    with pytest.raises(error) as failed:
        make(shop, kind, **params)
    after = {name: data for name, data in tree(shop.store.root).items() if not name.startswith("locks/")}
    assert after == {name: data for name, data in before.items() if not name.startswith("locks/")}
    assert "\n" not in failed.value.what and len(failed.value.what) < 1000
    assert named or str(shop.store.root) not in str(failed.value)
    return failed.value


@EVERY
def test_a_step_that_leaves_its_files_is_stored_and_made_once(shop, isolation):
    first = make(shop(isolation), "fine")
    assert first.state == "executed"
    assert shop().store.blobs.read(first.entry.outputs["rows"].sha256) == b"a row\na row\n"
    taken = shop(isolation)
    taken.executed.note("a run", first.entry)
    again = make(taken, "fine")
    assert (again.state, again.entry) == ("cached", first.entry)
    assert not list(shop().store.temp.iterdir())


@EVERY
@pytest.mark.parametrize("kind", CASES)
def test_a_step_that_fails_says_how_and_nothing_of_it_is_stored(shop, isolation, kind):
    error = fails(shop(isolation), kind, name="more")
    assert error.what.startswith(f"step toy/{kind} ") and CASES[kind] in error.what
    assert error.where == f"harness.toys:{kind}" and error.next


@EVERY
@pytest.mark.parametrize("kind", ["removes_out", "swaps_out"])
def test_a_step_that_removes_its_out_is_refused_and_nothing_is_stored(shop, isolation, kind):
    """Bubblewrap has mounted it, and nobody may not, so that the step itself fails; else the look afterwards tells."""
    assert re.search("removed its own out/|Read-only|busy|Permission denied", fails(shop(isolation), kind).what)


@EVERY
def test_a_step_past_its_time_says_so(shop, isolation):
    error = fails(shop(isolation, seconds=1.5), "sleeps")
    assert "took more than 1.5 s" in error.what and "timeout" in error.next


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "é" * 100, " ", "rows "])
def test_an_odd_name_is_told_on_one_line_without_control_characters(shop, name):
    error = fails(shop(), "undeclared", name=name)
    assert "made an undeclared" in error.what and error.what.isprintable()


@EVERY
def test_a_step_that_writes_to_its_inputs_changes_nothing_of_the_store(shop, isolation):
    first = make(shop(isolation), "fine").entry
    with contextlib.suppress(StepError):  # where it cannot write it fails; elsewhere it spoils a copy of its own
        make(shop(isolation), "writes_inputs")
    blobs = shop().store.blobs
    assert {blobs.check(path.name) for path in blobs.root.glob("*/*/*")} == {"sound"}
    assert make(shop(isolation), "fine").entry == first


@EVERY
def test_a_step_whose_input_is_stored_again_meanwhile_does_not_fail(shop, isolation):
    one = shop(isolation)
    inner = one.engine

    class Beside:
        """An engine beside which another process puts the same bytes again: another file of the same contents."""

        def __getattr__(self, name):
            return getattr(inner, name)

        def run(self, job, on_log, cancel):
            for path in sorted((one.store.root / "blobs").glob("*/*/*")):
                shutil.copyfile(path, one.store.temp / "again")
                (one.store.temp / "again").rename(path)
            return inner.run(job, on_log, cancel)

    one.engine = Beside()
    assert make(one, "fine").state == "executed"


def test_a_step_that_prints_a_lot_is_no_failure(shop):
    assert make(shop(), "fine", print=100 << 20).state == "executed"


def test_the_log_of_a_failure_is_kept_beside_it_and_bounded(shop):
    error = fails(shop(), "chatters")
    assert len(error.__notes__[0]) <= 8000 and "Traceback" in error.__notes__[0]


def test_a_full_disk_inside_a_step_is_the_machines_fault(shop):
    error = fails(shop(), "fills", MissingError, named=True)  # the folder, so that one knows which disk
    assert "disk is full" in error.what and "bytes" in error.next


def test_code_from_outside_the_closure_fails_the_step(shop):
    error = fails(shop("process"), "borrows", **{"from": str(REPOSITORY / "harness")})
    assert "loaded from outside the step's own code" in error.what and "harness.stats" in error.what


def test_a_link_to_an_input_is_no_output(shop):
    assert "not a plain file of its own" in fails(shop("process"), "hard_link").what


def test_a_failed_step_is_tried_again_and_not_remembered(shop):
    one = shop()
    for _ in range(2):
        with pytest.raises(StepError):
            make(one, "raises")
    assert list(one.store.entries.all()) == []


def test_a_damaged_entry_or_output_is_made_again(shop):
    first = make(shop(), "fine").entry
    output = shop().store.blobs.path(first.outputs["rows"].sha256)
    for path in (shop().store.entries.path(first.key), output):
        path.chmod(0o644)
        path.write_bytes(b"damaged")
        again = make(shop(), "fine")
        assert (again.state, again.entry) == ("executed", first)
        assert shop().store.blobs.read(output.name) == b"a row\na row\n"


def test_a_step_that_needs_what_is_missing_does_not_begin(shop):
    one = shop()
    step = Step("toy", "harness.toys:fine", "scores", {}, {"rows": Pinned("0" * 64)}, ("rows",))
    with pytest.raises(HarnessError, match="is missing"):
        one.make(step, one.preimage(step, {}))
    assert not list(one.store.temp.iterdir())
