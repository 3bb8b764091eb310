"""A lock and an expectation are sealed: what was edited by hand, cut or swapped is refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.digest import encode_document, seal_document, sha256
from harness.errors import HarnessError, InputError
from harness.manifest.documents import ExpectedOutput
from harness.manifest.lockfile import (
    PIN_KINDS,
    Expect,
    Lock,
    expect_path,
    load_expect,
    load_lock,
    lock_path,
    read_expect,
    read_lock,
    save_document,
)

LOCK = Lock(
    {"name": "m", "study": "tiny", "models": {}, "datasets": {}, "seeds": [0]},
    "a" * 64,
    {"models": {"o": {"sha256": "b" * 64}}, "prompts": {}, "datasets": {}, "images": {}, "packages": {}},
)
EXPECT = Expect(
    LOCK.sha256,
    "c" * 64,
    {"items": {"sha256": "d" * 64, "level": "exact", "values": {}}},
    {"m:f": "e" * 64},
    {"f.py": "f" * 64},
)
BOTH = pytest.mark.parametrize(
    ("one", "read", "load", "path"),
    [(LOCK, read_lock, load_lock, lock_path), (EXPECT, read_expect, load_expect, expect_path)],
    ids=["lock", "expect"],
)


@BOTH
def test_what_was_saved_is_read_back(tmp_path, one, read, load, path):
    assert load(tmp_path, "m") is None
    assert save_document(path(tmp_path, "m"), one.data) is True
    assert load(tmp_path, "m") == one
    assert read(one.data, "x").data == one.data
    assert path(tmp_path, "m").parent == tmp_path / "lockfiles" / "manifests"


def unread(path):
    """Give what moves when a file is written or replaced, not when it is read."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def expecting_an_array(folder, output):
    """Give what is loaded of an expectation of one array, which is an output of that name."""
    outputs: dict[str, ExpectedOutput] = {output: {**EXPECT.outputs["items"], "array": "npz"}}
    save_document(expect_path(folder, "m"), replace(EXPECT, outputs=outputs).data)
    return load_expect(folder, "m")


def test_an_expected_array_lies_beside_its_expectation(tmp_path):
    place = tmp_path / "lockfiles" / "manifests" / "m.expect" / "scores.npz"
    assert expecting_an_array(tmp_path, "scores").array("scores") == place


@pytest.mark.parametrize("output", ["inner/../../other", "inner/scores", "/scores", "../scores", "..", ".scores"])
def test_an_expectation_names_no_array_outside_its_own_folder(tmp_path, output):
    """It would be read there, and deleted when another run is accepted."""
    with pytest.raises(InputError, match="no expected array lies in"):
        expecting_an_array(tmp_path, output).array(output)


@BOTH
def test_saving_the_same_again_touches_nothing(tmp_path, one, read, load, path):
    save_document(path(tmp_path, "m"), one.data)
    before = unread(path(tmp_path, "m"))
    assert save_document(path(tmp_path, "m"), one.data) is False
    assert unread(path(tmp_path, "m")) == before


def test_a_lock_is_named_by_the_bytes_of_its_file():
    assert LOCK.sha256 == sha256(LOCK.data)


@BOTH
def test_each_bit_and_each_cut_of_a_file_counts(one, read, load, path):
    data = one.data
    for at in range(len(data)):
        for changed in (data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :], data[: at - len(data)]):
            if changed != data[:-1]:
                with pytest.raises(InputError) as refused:
                    read(changed, "the file")
                assert refused.value.where == "the file"


@BOTH
def test_a_file_laid_out_or_edited_by_hand_is_refused(tmp_path, one, read, load, path):
    path(tmp_path, "m").parent.mkdir(parents=True)
    body = json.loads(one.data)
    for text in (
        json.dumps(body, indent=1),
        json.dumps({**body, "more": 1}, sort_keys=True, separators=(",", ":")),
        "<<<<<<< HEAD\n" + one.data.decode(),
        "",
    ):
        path(tmp_path, "m").write_text(text)
        with pytest.raises(InputError) as refused:
            load(tmp_path, "m")
        assert refused.value.where == str(path(tmp_path, "m")) and refused.value.next


@BOTH
def test_a_well_sealed_file_with_other_fields_is_refused(one, read, load, path):
    body = {name: value for name, value in json.loads(one.data).items() if name != "self"}
    others = [{**body, "type": "other/1"}, {**body, "more": 1}]
    others += [{name: value for name, value in body.items() if name != gone} for gone in body if gone != "type"]
    for other in others:
        with pytest.raises(InputError):
            read(seal_document(other), "x")
    with pytest.raises(InputError):
        read(encode_document(body) + b"\n", "x")  # without its seal


def test_one_kind_of_document_does_not_pass_for_the_other():
    with pytest.raises(InputError, match=r"expected a document of type 'lock/1', found 'expect/1'"):
        read_lock(EXPECT.data, "x")
    with pytest.raises(InputError):
        read_expect(LOCK.data, "x")


def test_an_expectation_says_that_it_was_carried_only_where_it_was():
    assert "carried" not in json.loads(EXPECT.data)
    along = replace(EXPECT, carried={"from": "b" * 64, "accepted": "c" * 64})
    assert json.loads(along.data)["carried"] == along.carried
    assert read_expect(along.data, "x") == along
    with pytest.raises(InputError):
        read_expect(along.data.replace(b"b" * 64, b"a" * 64), "x")


@pytest.mark.parametrize(
    "pins",
    [[], {}, {"more": {}}, {"models": []}, {"models": None}, {"models": {"o": "b"}}, {"models": {"o": {"sha256": 7}}},
     {"datasets": {"d": {}}}, {"datasets": {"d": {"items": {"sha256": "b" * 64}}}},
     {"datasets": {"d": {"gold": {"sha256": "b" * 64, "rows": -1}}}}, {"datasets": {"d": {"items": None}}}],
)  # fmt: skip
def test_a_lock_holds_a_map_of_pins_for_each_kind(pins):
    body = json.loads(LOCK.data)
    with pytest.raises(InputError):
        read_lock(seal_document({**body, "pins": {**body["pins"], **pins} if pins else pins}), "x")


@pytest.mark.parametrize(
    "change",
    [{"outputs": []}, {"outputs": {"a": "b"}}, {"outputs": {"a": {"sha256": "b"}}}, {"code": []}, {"files": {"a": 1}},
     {"lock_sha256": None}, {"outputs": {"a": {"sha256": "b", "level": 7, "values": {}}}}, {"carried": None},
     {"carried": {}}, {"carried": {"from": "b" * 64}},
     {"carried": {"from": "b" * 64, "accepted": "c" * 64, "by": "x"}},
     {"carried": {"from": "b" * 64, "accepted": "c" * 64, "within": []}}],
)  # fmt: skip
def test_an_expectation_holds_what_its_readers_take_it_for(change):
    with pytest.raises(InputError):
        read_expect(seal_document({**json.loads(EXPECT.data), **change}), "x")


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a" * 64]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PIN_KINDS, "x"]), inner, max_size=5),
    max_leaves=6,
)


@given(st.sampled_from(["intent", "manifest_sha256", "pins", "type"]), anything)
def test_whatever_stands_in_a_field_is_refused_in_our_words_or_read_back(field, value):
    body = {**json.loads(LOCK.data), field: value}
    try:
        data = seal_document(body)
        assert read_lock(data, "x").data == data
    except HarnessError as bad:
        assert bad.what
