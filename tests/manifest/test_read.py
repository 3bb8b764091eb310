"""YAML as a person means it: text scalars, maps and lists; whatever could surprise is one error that names its line."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.errors import HarnessError, InputError
from harness.manifest.read import MAX_BYTES, MAX_DEPTH, read_bytes, read_tree


def refused(text, **more):
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(InputError) as error:
        read_tree(data, "m.yaml")
    assert error.value.what and error.value.next
    return error.value


@pytest.mark.parametrize(
    "text",
    ["1234567", "0123456", "1e-9", "no", "yes", "off", "30:00", "0x10", "1_000", "1.0", "2026-01-02", ".nan", "Null",
     "NULL", "<<", "=", "-0", "'null'", "'~'", "''", '""'],
)  # fmt: skip
def test_a_scalar_means_what_a_person_sees(text):
    tree = read_tree(f"revision: {text}\nlist: [{text}]\n".encode(), "m.yaml")
    seen = text[1:-1] if text[0] in "'\"" else text
    assert tree.value == {"revision": seen, "list": [seen]}


@pytest.mark.parametrize("text", ["", "~", "null"])
def test_only_what_looks_like_nothing_is_nothing(text):
    assert read_tree(f"a: {text}\n".encode(), "m.yaml").value == {"a": None}


def test_every_part_knows_its_line():
    tree = read_tree(b"# a comment\na:\n  b: 1\n  c:\n    - x\n    - {d: 2}\n", "m.yaml")
    assert tree.value == {"a": {"b": "1", "c": ["x", {"d": "2"}]}}
    assert tree.at(("a",)) == "m.yaml:2"
    assert tree.at(("a", "b")) == "m.yaml:3"
    assert tree.at(("a", "c", 0)) == "m.yaml:5"
    assert tree.at(("a", "c", 1, "d")) == "m.yaml:6"
    assert tree.at(("a", "c", 1, "missing", 3)) == "m.yaml:6"  # the nearest part around it
    assert tree.at(("nothing",)) == "m.yaml:2"  # where the map begins


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "the key 'a' stands twice", 3),
        ("x:\n  a: 1\n  a: 2\n", "the key 'a' stands twice", 3),
        ("x: {a: 1,\n  'a': 2}\n", "the key 'a' stands twice", 2),
        ("a: 1\nb: &x 2\n", "aliases and anchors", 2),
        ("a: 1\nb: *x\n", "aliases and anchors", 2),
        ("a: 1\n*x : 2\n", "aliases and anchors", 2),
        ("&x a: 1\n", "aliases and anchors", 1),
        ("a: &x [1]\n", "aliases and anchors", 1),
        ("a: 1\n<<: *x\n", "aliases and anchors", 2),
        ("a: 1\nb: !!int 2\n", "tags such as", 2),
        ("a: !!python/object/apply:os.system ['true']\n", "tags such as", 1),
        ("a: !mine {b: 1}\n", "tags such as", 1),
        ("!!set {a, b}\n", "tags such as", 1),
        ("? !x a\n: 1\n", "tags such as", 1),
        ("a: 1\n---\nb: 2\n", "one document", 2),
        ("a: 1\n...\n---\n{}\n", "one document", 3),
        ("? [a, b]\n: 1\n", "plain text", 1),
        ("x: 1\n{a: b}: 1\n", "plain text", 2),
        ("a: [1, 2\nb: 3\n", "not YAML", 2),
        ("a: 1\n\tb: 2\n", "not YAML", 2),
        ("a: 'b\n", "not YAML", 2),
        ("a: b: c\n", "not YAML", 1),
        ('a: "\\ud800"\n', "not YAML", 1),
        ("a: \x07\n", "not YAML", 1),
    ],
)
def test_what_could_surprise_is_refused_and_the_line_is_named(text, what, line):
    error = refused(text)
    assert what in error.what
    assert error.where == f"m.yaml:{line}"


@pytest.mark.parametrize("data", [b"a: \xff\n", "a: é\n".encode("latin-1"), "a: 1\n".encode("utf-16"), b"\xff\xfe\xfd"])
def test_what_is_not_utf_8_is_refused(data):
    assert "UTF-8" in refused(data).what


def test_an_alias_bomb_is_refused_before_it_grows():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert refused("\n".join(lines)).where == "m.yaml:1"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "a:\n"])
def test_depth_is_refused_and_not_followed(opening):
    block = "".join(" " * depth + "a:\n" for depth in range(1000))
    text = block if opening == "a:\n" else opening * 100_000
    assert f"more than {MAX_DEPTH} deep" in refused(text).what
    assert refused("? " * 100_000).what == "a key must be plain text"


def test_depth_that_a_manifest_may_have_is_read():
    value = read_tree(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, "m.yaml").value
    for _ in range(MAX_DEPTH - 1):
        value = value[0]
    assert value == []


def test_a_large_file_is_refused_without_reading_it_all(tmp_path):
    path = tmp_path / "large.yaml"
    with open(path, "wb") as file:
        file.truncate(50 << 20)
    with pytest.raises(InputError, match="at most 1 MiB") as error:
        read_bytes(path)
    assert error.value.where == str(path) and error.value.next
    with pytest.raises(InputError, match="not a regular file"):
        read_bytes(Path("/dev/zero"))  # would never end
    path.write_bytes(b"#" * MAX_BYTES)
    assert len(read_bytes(path)) == MAX_BYTES


@pytest.mark.parametrize("make", ["nothing", "folder", "loop"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, make):
    path = tmp_path / "m.yaml"
    {"nothing": lambda: None, "folder": path.mkdir, "loop": lambda: path.symlink_to(path)}[make]()
    with pytest.raises(InputError, match="cannot be read") as error:
        read_bytes(path)
    assert error.value.where == str(path)


yamlish = st.lists(
    st.sampled_from(
        ["a", "b: ", ": ", "- ", "\n", "\n  ", "[", "]", "{", "}", ",", "&x ", "*x", "!t ", "'", '"', "? ", "|", ">\n ",
         "#", "---\n", "...\n", "%YAML 1.1\n", "<<: ", "\t", "\0", "é", "\ufeff", "\x85", "\u2028", "null", "~"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(yamlish.map(str.encode) | st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-8", "replace")))
@example(b"")
@example(b"\xef\xbb\xbfa: 1\n")
@example(b"%TAG ! tag:x,2000:\n---\na: 1\n")
def test_no_bytes_raise_anything_but_an_error_in_our_words(data):
    try:
        tree = read_tree(data, "m.yaml")
    except HarnessError as bad:
        assert bad.what and bad.next and bad.where.startswith("m.yaml")
    else:
        assert isinstance(tree.value, dict | list | str | None)
