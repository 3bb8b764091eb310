"""The reader of the archive trusts nothing in it: what is no sound archive is refused before anything is unpacked."""

import struct
import zipfile

import pytest
from support_curie_records import published, zipped

from harness.errors import InputError
from harness.studies.curie.data import archive_reading
from harness.studies.curie.data.archive_reading import opened

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:ab63\nsize 137211000\n"


def refused(path, read=None):
    """Give what an archive, or a member of it, is refused with."""
    with pytest.raises(InputError) as bad, opened(path) as files:
        files.read(read or files.paths[0])
    return bad.value


def written(path, *members):
    """Write an archive of these members, each a ZipInfo or a name, with its bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def patched(path, find, give):
    """Change bytes of an archive wherever they stand."""
    data = path.read_bytes()
    assert find in data
    path.write_bytes(data.replace(find, give))
    return path


def test_a_sound_archive_is_read_member_by_member(tmp_path):
    with opened(zipped(tmp_path / "a.zip", published())) as files:
        assert set(files.paths) == set(published())
        assert {path: files.read(path) for path in files.paths} == published()


def test_the_pointer_of_git_lfs_is_told_from_the_archive(tmp_path):
    (tmp_path / "a.zip").write_text(POINTER)
    bad = refused(tmp_path / "a.zip")
    assert "pointer of Git LFS" in bad.what and "git lfs pull" in bad.next


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\5\6", b"not a zip" * 1000, b"PK\5\6" + b"\xff" * 18])
def test_what_is_no_archive_is_refused(tmp_path, data):
    (tmp_path / "a.zip").write_bytes(data)
    assert refused(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "name", ["../evil.json", "/etc/passwd", "a/../../b", "a//b", "C:/x", "a\\..\\b", "a\x1bb", "é.json", "x" * 301]
)
def test_a_name_that_leads_out_or_is_none_is_refused(tmp_path, name):
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    assert "leads out of it" in refused(written(tmp_path / "a.zip", (info, b"x"))).what


def test_a_name_cut_short_by_a_zero_byte_is_refused(tmp_path):
    path = patched(written(tmp_path / "a.zip", ("ab.json.exe", b"x")), b"ab.json.exe", b"ab.json\0exe")
    assert "leads out of it" in refused(path).what


def test_a_name_that_stands_twice_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = written(tmp_path / "a.zip", ("a/b.json", b"x"), ("a/b.json", b"y"))
    assert "stands twice" in refused(path).what


def test_a_link_is_refused(tmp_path):
    info = zipfile.ZipInfo("a/link")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    assert "no plain file" in refused(written(tmp_path / "a.zip", (info, b"/etc/passwd"))).what


def test_an_encrypted_member_is_refused(tmp_path):
    path = written(tmp_path / "a.zip", ("a.json", b"x"))
    data = bytearray(path.read_bytes())
    for head, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(head) + flags] |= 1
    path.write_bytes(data)
    assert "encrypted" in refused(path).what


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = written(tmp_path / "a.zip", ("data/bomb.json", b"\0" * (8 << 20)))
    assert "would unpack" in refused(path).what


def test_ten_gigabytes_in_all_are_refused_by_what_the_archive_says(tmp_path, monkeypatch):
    path = written(tmp_path / "a.zip", *((f"data/{number}.json", b"\0" * (1 << 20)) for number in range(4)))
    size = struct.pack("<I", 1 << 20)
    patched(path, size, struct.pack("<I", (10 << 30) // 4))
    monkeypatch.setattr(archive_reading, "RATIO", 1 << 40)
    assert f"unpack to {10 << 30} bytes" in refused(path).what


def test_a_member_that_holds_more_than_it_says_is_damaged(tmp_path):
    path = written(tmp_path / "a.zip", ("a.json", b"z" * 100_000))
    patched(path, struct.pack("<I", 100_000), struct.pack("<I", 10))
    assert "damaged" in refused(path).what


def test_a_member_that_is_too_large_to_be_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archive_reading, "LARGEST", 10)
    assert "more than 10 bytes" in refused(written(tmp_path / "a.zip", ("a.json", b"x" * 11))).what


def test_a_changed_byte_is_found(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.json", b'{"text": "one"}')
    assert "damaged" in refused(patched(path, b'"one"', b'"two"')).what


def test_too_many_members_are_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "a.zip", *((f"{number}", b"") for number in range(5)))
    monkeypatch.setattr(archive_reading, "MOST_MEMBERS", 4)
    assert "more than 4 members" in refused(path).what


@pytest.mark.parametrize("large", [False, True])
def test_a_list_of_members_that_is_too_long_is_not_read(tmp_path, monkeypatch, large):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 0 if large else 1 << 16)
    path = written(tmp_path / "a.zip", ("a", b""))
    assert (b"PK\6\6" in path.read_bytes()) is large
    with opened(path) as files:
        assert files.paths == ("a",)
    monkeypatch.setattr(archive_reading, "MOST_DIRECTORY", 10)
    assert "list of members is too long" in refused(path).what
