"""Arrays are read and written in one way: no pickle is opened, no header is believed, no file fills the memory."""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn
from support import clean_env
from support_examples import examples

from harness import arrays
from harness.digest import sha256
from harness.errors import InputError


def header(said: str, version: bytes = b"\x01\x00", length: int | None = None) -> bytes:
    """Spell the beginning of a .npy file, whatever it says."""
    pack = "<H" if version == b"\x01\x00" else "<I"
    return b"\x93NUMPY" + version + struct.pack(pack, len(said) if length is None else length) + said.encode()


def says(descr: str = "'<f4'", shape: str = "(2, 3)", order: str = "False") -> bytes:
    return header(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")


def saved(array: Any, *, pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


SOUND = saved(np.arange(6, dtype=np.float32).reshape(2, 3))
NPY = {
    "a pickle": (pickle.dumps([1, 2]), "it is a pickle"),
    "objects": (saved(np.array([{}, None], object), pickled=True), "Python objects, which are pickles"),
    "objects by another spelling": (says("'O'"), "Python objects"),
    "records": (saved(np.zeros(2, [("a", "<f4")])), "it holds records"),
    "raw bytes": (says("'|V8'"), "it holds '|V8'"),
    "several types at once": (says("'<f4,<f4'"), "neither numbers"),
    "a platform's own number": (says("'<f16'"), "neither numbers"),
    "texts without letters": (says("'<U0'", f"({10**15},)"), "neither numbers"),
    "a huge header": (header("", b"\x02\x00", 2**31), "its header would have 2,147,483,648 bytes"),
    "a huge header that is there": (header(" " * 20_000), "its header would have 20,000 bytes"),
    "a header cut short": (header("{", length=100), "cut short"),
    "a header that is code": (header("__import__('os').abort()"), "its header cannot be read"),
    "a header nested deeply": (header("(" * 9000), "its header cannot be read"),
    "a header of signs": (header("-" * 9000 + "1"), "its header cannot be read"),
    "a header with more in it": (
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}"),
        "does not say",
    ),
    "a header that is a list": (header("[1]"), "does not say"),
    "an order that is none": (says(order="1"), "the order of its elements"),
    "a shape below nothing": (says(shape="(-1, 3)"), "a shape that is not valid"),
    "a shape of truths": (says(shape="(True, 3)"), "a shape that is not valid"),
    "a shape of too many axes": (says(shape=repr((1,) * 40)), "a shape that is not valid"),
    "a shape beyond all memory": (says(shape=f"({2**62}, {2**62})"), "beyond all memory"),
    "a shape beyond all memory that is empty": (says(shape=f"(0, {2**62}, {2**62})"), "beyond all memory"),
    "a shape that promises more": (says(shape=f"({10**12},)") + b"1234", "it is cut short: float32 [1000000000000]"),
    "its end cut off": (SOUND[:-1], "it is cut short: float32 [2, 3] has 24 bytes, 23 are there"),
    "something after its end": (SOUND + b"x", "1 bytes follow float32 [2, 3] that belong to nothing"),
    "a version nobody knows": (b"\x93NUMPY\x09\x00" + SOUND[8:], "version"),
    "letters that are none": (says("'<U1'", "(1,)") + b"\xff" * 4, "what is no letter"),
    "a truth that is neither": (says("'|b1'", "(2,)") + b"\x01\x02", "neither true nor false"),
    "no array at all": (b'{"a": 1}\n', "it is no .npy file"),
    "nothing at all": (b"", "it is no .npy file"),
}


def readers(path: Path) -> list[Any]:
    """Give every way in to a .npy file."""
    return [
        lambda: list(arrays.read_blocks(path)),
        lambda: arrays.read(path),
        lambda: arrays.memory_map(path),
    ]


@pytest.mark.parametrize("attack", NPY)
def test_what_is_no_sound_array_is_refused_by_name_at_every_way_in(attack: str, tmp_path: Path) -> None:
    data, why = NPY[attack]
    (tmp_path / "a").write_bytes(data)
    for read in readers(tmp_path / "a"):
        with pytest.raises(InputError) as told:
            read()
        assert why in told.value.what and told.value.where == str(tmp_path / "a") and told.value.next
    if "is no letter" not in why and "neither true" not in why:  # what a header says is known without the rest
        with pytest.raises(InputError):
            arrays.read_headers(tmp_path / "a")


@pytest.mark.parametrize("attack", NPY)
def test_a_member_of_an_archive_is_refused_for_the_same_reasons(attack: str, tmp_path: Path) -> None:
    data, why = NPY[attack]
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", data)
    for read in (arrays.read_all, lambda path: list(arrays.read_blocks(path, "x"))):
        with pytest.raises(InputError) as told:
            read(tmp_path / "a.npz")
        assert why in told.value.what and told.value.where == f"{tmp_path / 'a.npz'}: x"


def zipped(path: Path, *members: tuple[str, bytes], deflate: bool = False) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def refused(path: Path) -> str:
    for read in (arrays.read_headers, arrays.read_all):
        with pytest.raises(InputError) as told:
            read(path)
    return told.value.what


@pytest.mark.parametrize(
    "name", ["../x.npy", "/etc/x.npy", "a/x.npy", "a\\x.npy", "x.txt", ".npy", "x\0.npy", "\x1b[2J.npy"]
)
def test_a_member_with_a_path_or_a_strange_name_is_refused(name: str, tmp_path: Path) -> None:
    put = zipped(tmp_path / "a.npz", ("x" * len(name), SOUND))
    put.write_bytes(put.read_bytes().replace(b"x" * len(name), name.encode()))
    assert "has no array's name" in refused(put)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    assert "two of its members are called 'x.npy'" in refused(
        zipped(tmp_path / "a", ("x.npy", SOUND), ("x.npy", SOUND))
    )


def test_the_bytes_of_an_archive_are_the_same_in_every_python(tmp_path: Path) -> None:
    arrays.write_all(tmp_path / "a", {"b": np.arange(3, dtype="<f4"), "a": np.array(["x", "yz"])})
    data = (tmp_path / "a").read_bytes()
    assert data[:4] == b"PK\3\4" and data[4:6] == b"\x14\0"  # version 2.0: no form that 3.11.2 and 3.11.7 spell apart
    assert sha256(data) == "81dee90adcfccd209b5dda338a7d6d3e3591dbf70f4fda285f9fe8535413ce90"


def test_an_archive_holds_members_larger_than_one_read(tmp_path: Path) -> None:
    large = np.arange(5 << 20, dtype=np.float32)  # 20 MiB, beyond the bound of a single read
    arrays.write_all(tmp_path / "a", {"large": large})
    assert np.array_equal(arrays.read(tmp_path / "a", "large"), large)
    assert np.array_equal(arrays.read_all(tmp_path / "a")["large"], large)


def test_a_bomb_is_refused_before_it_is_inflated(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    zipped(path, ("x.npy", says(shape="(10000000,)") + bytes(40_000_000)), deflate=True)
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="40,000,000 bytes, at most 1,000"):
        arrays.read_all(path, most=1000)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", arrays.MOST + 1)  # what it says it would inflate to
    path.write_bytes(data)
    assert "it would inflate to 1,073,741,825 bytes" in refused(path)


def test_a_member_that_inflates_to_more_or_less_than_it_says_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.npz", ("x.npy", SOUND + bytes(1000)), deflate=True)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    for size in (len(SOUND), len(SOUND) + 2000):
        data[at + 24 : at + 28] = struct.pack("<I", size)
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"sound \.npz|belong to nothing|cut short"):
            arrays.read_all(path)


def test_members_that_lie_over_each_other_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.npz", ("x.npy", SOUND), ("y.npy", SOUND))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 20 : at + 28] = struct.pack("<II", 10**6, 10**6)
    path.write_bytes(data)
    assert "its members overlap" in refused(path)


def test_a_flipped_bit_of_a_member_shows_by_its_checksum(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.npz", ("x.npy", SOUND))
    data = bytearray(path.read_bytes())
    data[data.index(SOUND[-8:])] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="CRC"):
        list(arrays.read_blocks(path, "x"))


def test_an_archive_that_is_none_or_cut_short_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.npz", ("x.npy", SOUND))
    path.write_bytes(path.read_bytes()[:-10])
    assert "no sound .npz file" in refused(path)


def test_an_archive_whose_list_of_members_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path, size = tmp_path / "a.npz", 1 << 30
    with path.open("wb") as file:  # a sparse file: nothing of it lies on the disk
        file.write(b"PK\x03\x04")
        file.seek(size)
        file.write(struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, size - 100, 100, 0))
    with pytest.raises(InputError, match="more than 16 MiB list its members"):
        arrays.read_all(path)


DTYPES = [np.bool_, np.int8, np.int64, np.uint16, np.float16, np.float32, np.float64, np.complex64, "<U5", ">f4", "S3"]


@examples(0.5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_arrays_are_read_back_as_written_with_the_bytes_of_numpy(data: Any, tmp_path: Path) -> None:
    shape = data.draw(drawn.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    array = data.draw(drawn.arrays(data.draw(st.sampled_from(DTYPES)), shape))
    given_as = np.asarray(array, order="F") if data.draw(st.booleans()) else array
    path, archive = tmp_path / "a", tmp_path / "a.npz"
    arrays.write(path, given_as)
    little = array.astype(array.dtype.newbyteorder("<"), order="C")
    assert path.read_bytes() == saved(little)
    arrays.write_all(archive, {"b": given_as, "a": little})
    whole = arrays.read_all(archive)
    ways = [arrays.read(path), arrays.memory_map(path), whole["a"], whole["b"], _joined(path), _joined(archive, "a")]
    for found in ways:
        assert found.dtype == little.dtype and found.shape == shape and found.tobytes() == little.tobytes()
    assert [head.text() for head in arrays.read_headers(archive).values()] == [arrays.read_headers(path)[""].text()] * 2


def _joined(path: Path, member: str = "") -> Any:
    pieces = list(arrays.read_blocks(path, member))
    if not pieces:  # no rows, no block
        head = arrays.read_headers(path)[member]
        return np.zeros(head.shape, head.dtype)
    return np.concatenate(pieces) if pieces[0].ndim else pieces[0]


def test_named_arrays_have_equal_bytes_in_any_order_and_year(tmp_path: Path) -> None:
    one, two = np.arange(3), np.ones((2, 2), np.float32)
    arrays.write_all(tmp_path / "first", {"one": one, "two": two})
    os.utime(tmp_path / "first", (0, 0))
    arrays.write_all(tmp_path / "second", {"two": np.asfortranarray(two), "one": one})
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    with np.load(tmp_path / "first", allow_pickle=False) as found:
        assert found.files == ["one", "two"] and (found["two"] == two).all()


def test_fortran_order_is_read_right_and_refused_where_rows_are_streamed(tmp_path: Path) -> None:
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", x=array)
    for found in (
        arrays.read(tmp_path / "a.npy"),
        arrays.memory_map(tmp_path / "a.npy"),
        arrays.read(tmp_path / "a.npz", "x"),
    ):
        assert found.tolist() == array.tolist()
    assert [one.tolist() for one in arrays.read_blocks(tmp_path / "a.npy", any_order=True)] == [array.tolist()]
    for path, member in ((tmp_path / "a.npy", ""), (tmp_path / "a.npz", "x")):
        with pytest.raises(InputError, match="Fortran order"):
            next(arrays.read_blocks(path, member))


def test_an_array_is_written_as_a_stream_of_the_rows_that_were_announced(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.float32).reshape(4, 3)
    with arrays.stream_writer(tmp_path / "a", np.float32, (4, 3)) as add:
        add(array[:1])
        add(array[1:])
    assert (tmp_path / "a").read_bytes() == saved(array)
    wrong = [array.astype(np.float64), array[:, :2], np.concatenate([array, array])]
    for rows in wrong:
        with (
            pytest.raises(InputError, match="do not fit"),
            arrays.stream_writer(tmp_path / "b", np.float32, (4, 3)) as add,
        ):
            add(rows)
    with (
        pytest.raises(InputError, match="3 rows came of 4"),
        arrays.stream_writer(tmp_path / "b", np.float32, (4, 3)) as add,
    ):
        add(array[:3])


def test_objects_records_and_names_with_paths_are_not_written(tmp_path: Path) -> None:
    for array in (np.array([None]), np.zeros(1, [("a", "<f4")]), np.array(["2020"], "M8[Y]")):
        with pytest.raises(InputError, match="are not written"):
            arrays.write(tmp_path / "a", array)
    with pytest.raises(InputError, match="has no array's name"):
        arrays.write_all(tmp_path / "a", {"a/b": np.zeros(1)})


def test_an_array_that_is_not_there_is_named_beside_those_that_are(tmp_path: Path) -> None:
    arrays.write_all(tmp_path / "a", {"one": np.zeros(1), "two": np.zeros(1)})
    with pytest.raises(InputError, match="no array 'three'") as told:
        arrays.read(tmp_path / "a", "three")
    assert told.value.next == "it has: one, two"


FLAT = """
import resource, sys
from pathlib import Path
import numpy as np
from harness import arrays
from harness.digest import sha256
path = Path(sys.argv[1])
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, rows, last = used(), 0, 0.0
for block in arrays.read_blocks(path):
    rows, last = rows + len(block), float(block[-1, -1])
print(rows, last, used() - before)
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
print(float(arrays.memory_map(path)[-1, -1]))
"""


@pytest.mark.parametrize("size", [1 << 28, pytest.param(1 << 31, marks=pytest.mark.long)])
def test_two_gigabytes_are_read_in_flat_memory(size: int, tmp_path: Path) -> None:
    rows, width, path = size // 4096, 1024, tmp_path / "large"
    with path.open("wb") as file:  # a sparse file: only its ends lie on the disk
        file.write(says(shape=f"({rows}, {width})"))
        file.truncate(file.tell() + 4 * rows * width - 4)
        file.seek(0, os.SEEK_END)
        file.write(struct.pack("<f", 7.5))
    done = subprocess.run(
        [sys.executable, "-c", FLAT, str(path)], capture_output=True, text=True, check=True, env=clean_env()
    ).stdout.split()
    assert done[:2] == [str(rows), "7.5"] and done[3] == "7.5"
    assert int(done[2]) < 64 << 10, f"{done[2]} KiB beyond what was used before it was read"
