"""A model folder is somebody else's: what could run code, leave the folder or lie about itself is refused in words."""

import json
import struct

import pytest

from harness.errors import InputError
from harness.models.local.files import check_file_names, lay_out_files, model_files

GOOD = {"weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}


def tensors(header=None, data=b"\0" * 8, length=None):
    """Spell a safetensors file by hand."""
    head = json.dumps(GOOD if header is None else header).encode()
    return struct.pack("<Q", len(head) if length is None else length) + head + data


@pytest.fixture
def folder(tmp_path):
    """A folder that is sound."""
    where = tmp_path / "model"
    where.mkdir()
    (where / "config.json").write_text('{"model_type": "gpt2"}')
    (where / "model.safetensors").write_bytes(tensors())
    return where


def laid(folder, tmp_path, names=None):
    """Deliver a folder as a step gets it and lay it out again."""
    names = names or sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    parts, target = tmp_path / "parts", tmp_path / "laid"
    parts.mkdir()
    target.mkdir()
    for index, name in enumerate(names):
        (parts / f"part-{index:05d}").write_bytes((folder / name).read_bytes() if (folder / name).is_file() else b"{}")
    return lay_out_files(parts, names, target)


def test_a_sound_folder_comes_back_under_its_names(folder, tmp_path):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text("{}")
    assert model_files(folder) == ["1_Pooling/config.json", "config.json", "model.safetensors"]
    back = laid(folder, tmp_path)
    (folder / "README.md").write_text("# A card")
    (folder / ".gitattributes").write_text("")
    assert {name: (back / name).read_bytes() for name in model_files(folder)} == {
        name: (folder / name).read_bytes() for name in model_files(folder)
    }


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "model.pt", "last.ckpt", "weights.pkl", "modeling_own.py", "kernel.so", "w.h5"]
)
def test_formats_that_run_code_are_refused(folder, name):
    (folder / name).write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(InputError, match="can run code") as told:
        model_files(folder)
    assert name in str(told.value) and "next" in str(told.value)


@pytest.mark.parametrize(
    "name",
    ["../config.json", "/etc/passwd", "a/../../b.json", "a\\b.json", "a\0b", ".hidden", "a//b", "a/./b", "é.json", "",
     7, "a/b/c/d/e.json", "x" * 200],
)  # fmt: skip
def test_names_that_leave_the_folder_are_refused(name):
    with pytest.raises(InputError, match="may not be called"):
        check_file_names(["config.json", "model.safetensors", name])


def test_a_name_given_twice_and_a_folder_that_lacks_its_parts_are_refused(folder, tmp_path):
    with pytest.raises(InputError, match="twice"):
        check_file_names(["config.json", "model.safetensors", "config.json"])
    for gone in ("config.json", "model.safetensors"):
        with pytest.raises(InputError, match="has no"):
            check_file_names([name for name in ("config.json", "model.safetensors") if name != gone])
    with pytest.raises(InputError, match="no such model folder"):
        model_files(tmp_path / "nowhere")
    parts = tmp_path / "few"
    parts.mkdir()
    with pytest.raises(InputError, match="0 were delivered"):
        lay_out_files(parts, ["config.json", "model.safetensors"], tmp_path)


def test_links_are_refused_when_pinned_and_when_delivered(folder, tmp_path):
    (folder / "vocab.json").symlink_to(folder / "config.json")
    with pytest.raises(InputError, match="links"):
        model_files(folder)
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "part-00000").symlink_to(folder / "config.json")
    (parts / "part-00001").write_bytes(tensors())
    with pytest.raises(InputError, match="link"):
        lay_out_files(parts, ["config.json", "model.safetensors"], tmp_path / "laid")


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "generation_config.json"])
@pytest.mark.parametrize("key", ["auto_map", "trust_remote_code"])
def test_a_configuration_that_asks_for_foreign_code_is_refused(folder, tmp_path, name, key):
    (folder / name).write_text(json.dumps({"model_type": "gpt2", key: {"AutoModel": "modeling_own.Own"}}))
    with pytest.raises(InputError, match="code of its own"):
        laid(folder, tmp_path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "header claims"),
        (b"\x80\x04K\x01.", "header claims"),
        (tensors(length=2**63), "header claims"),
        (tensors(length=10_000), "header claims"),
        (tensors(data=b""), "are there"),
        (tensors(data=b"\0" * 80), "are there"),
        (tensors(header=[1]), "names no tensors"),
        (tensors(header={"w": {"dtype": "F32"}}), "no place"),
        (tensors(header={"w": {"data_offsets": [8, 0]}}), "no place"),
        (tensors(header={"w": {"data_offsets": [-8, 8]}}), "no place"),
        (tensors(header={"w": {"data_offsets": ["0", "8"]}}), "no place"),
        (struct.pack("<Q", 12) + b"{not json!!}" + b"\0" * 8, "not JSON"),
        (struct.pack("<Q", 40_000) + b"[" * 40_000, "not JSON"),
    ],
)
def test_weights_that_are_not_what_they_say_are_refused(folder, tmp_path, data, words):
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(InputError, match=words):
        laid(folder, tmp_path)


@pytest.mark.parametrize("table", [[], {}, {"weight_map": {"w": "../x.safetensors"}}, {"weight_map": {"w": "x.bin"}}])
def test_a_table_of_weights_names_safetensors_of_its_own_folder_only(folder, tmp_path, table):
    (folder / "model.safetensors.index.json").write_text(json.dumps(table))
    with pytest.raises(InputError, match="table of weights"):
        laid(folder, tmp_path)


def test_json_that_is_none_is_refused(folder, tmp_path):
    (folder / "config.json").write_text("{'model_type': 'gpt2'}")
    with pytest.raises(InputError, match="not a JSON file"):
        laid(folder, tmp_path)
