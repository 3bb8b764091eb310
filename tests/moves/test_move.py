"""Modules that move or become one are followed by every name, and define what they defined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from moves import move

PAGE = "page.md"
OLD = {
    "harness/__init__.py": "",
    "harness/run/__init__.py": "",
    "harness/run/read_words.py": '''"""Reads words."""

import re

_FORM = re.compile("[a-z]+")
LONGEST = 7


def read_words(text: str) -> list[str]:
    """Read them."""
    return [found for found in _FORM.findall(text) if len(found) <= LONGEST]
''',
    "harness/run/count.py": '''"""Counts words."""

from __future__ import annotations

from harness.run.read_words import read_words  # what a word is

_FORM = "{} words"


class _Count:
    """A count."""

    def __init__(self, text: str) -> None:
        self.words = read_words(text)


def count(text: str) -> str:
    """Count them."""
    from harness.run import read_words as words

    return f"{_FORM.format(len(_Count(text).words))} of {words.LONGEST} letters at most"
''',
    "harness/run/verb.py": '''"""Says how many; `run/count.py` counts."""

from harness.run import count
from harness.run.read_words import LONGEST

STEP = "harness.run.count:count"


def say(text: str) -> str:
    """Say it."""
    return count.count(text)[:LONGEST]
''',
    "tests/test_count.py": "from harness.run import count, read_words\n\nSEEN = count.count('a'), read_words._FORM\n",
    f"docs/{PAGE}": "Counted in `harness/run/count.py` (`run/count.py: count`), by `harness.run.read_words`.\n",
    "lockfiles/setup.sh": "python -m harness.run.count\n",
    "lockfiles/words.py": "from harness.run.read_words import LONGEST\n",
}
MAP = {"files": {"run/words/count.py": ["run/count.py", "run/read_words.py"]}, "docs": {"run/words": "Words."}}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in OLD.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "tools").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def moved(root: Path, said: dict[str, Any]) -> int:
    (root / "map.json").write_text(json.dumps(said))
    return move.main([str(root / "map.json")])


def test_two_files_become_one_and_every_name_follows(root: Path) -> None:
    assert moved(root, MAP) == 0
    there = (root / "harness/run/words/count.py").read_text()
    assert there.startswith('"""Counts words."""') and "import harness" not in there and "from harness" not in there
    assert "_COUNT_FORM.format(len(_Count(text).words))} of {LONGEST} letters" in there
    assert "_READ_WORDS_FORM.findall(text)" in there and not (root / "harness/run/count.py").exists()
    assert there.index("def read_words") < there.index("def count"), "below what it needs"
    assert (root / "harness/run/words/__init__.py").read_text() == '"""Words."""\n'
    verb = (root / "harness/run/verb.py").read_text()
    assert "from harness.run.words import count\nfrom harness.run.words.count import LONGEST\n" in verb
    assert 'STEP = "harness.run.words.count:count"' in verb and "`run/words/count.py` counts" in verb
    assert "count.count('a'), count._READ_WORDS_FORM" in (root / "tests/test_count.py").read_text().replace('"', "'")
    page = (root / "docs" / PAGE).read_text()
    assert "`harness/run/words/count.py` (`run/words/count.py: count`)" in page
    assert page.endswith(", by `harness.run.words.count`.\n")
    assert (root / "lockfiles/setup.sh").read_text() == "python -m harness.run.words.count\n"
    assert (root / "lockfiles/words.py").read_text() == "from harness.run.words.count import LONGEST\n"


def test_what_two_files_offer_is_offered_by_one(root: Path) -> None:
    for name, offered in (("count", '["count"]'), ("read_words", '["LONGEST", "read_words"]')):
        path = root / f"harness/run/{name}.py"
        path.write_text(path.read_text().replace("\n\n_FORM", f"\n\n__all__ = {offered}\n\n_FORM"))
    (root / "harness/run/__init__.py").write_text(
        "from harness.run.count import *\nfrom harness.run.read_words import *\n"
    )
    assert moved(root, MAP) == 0
    assert '__all__ = ["LONGEST", "count", "read_words"]' in (root / "harness/run/words/count.py").read_text()
    assert (root / "harness/run/__init__.py").read_text() == "from harness.run.words.count import *\n"


def test_the_tools_move_too(root: Path) -> None:
    (root / "harness_tools").symlink_to("tools")
    for name, text in {
        "__init__": "",
        "wire": "from harness.run.count import count\n",
        "worker": "from harness_tools import wire\n\nA = wire.count('a')\n",
    }.items():
        (root / f"tools/{name}.py").write_text(text)
    (root / "docs" / PAGE).write_text("`tools/wire.py`, `python -m harness_tools.wire`, `tools/worker.py`\n")
    assert moved(root, {"files": {"harness_tools/lines.py": ["harness_tools/wire.py"]}}) == 0
    assert "from harness_tools import lines\n" in (root / "tools/worker.py").read_text()
    assert "lines.count" in (root / "tools/worker.py").read_text() and (root / "tools/lines.py").is_file()
    assert (
        root / "docs" / PAGE
    ).read_text() == "`tools/lines.py`, `python -m harness_tools.lines`, `tools/worker.py`\n"


def test_a_public_name_that_two_files_give_wants_another(root: Path) -> None:
    (root / "harness/run/count.py").write_text(OLD["harness/run/count.py"] + "\n\nLONGEST = 3\n")
    with pytest.raises(move.MoveError, match=r"LONGEST in harness\.run\.count"):
        moved(root, MAP)
    assert moved(root, MAP | {"names": {"harness.run.count:LONGEST": "MOST"}}) == 0
    assert "MOST = 3" in (root / "harness/run/words/count.py").read_text()


def test_files_that_need_each_other_do_not_become_one(root: Path) -> None:
    name = root / "harness/run/read_words.py"
    name.write_text(name.read_text().replace("import re\n", "import re\n\nfrom harness.run import count\n"))
    with pytest.raises(move.MoveError, match="they need each other"):
        moved(root, MAP)


def test_what_is_not_defined_as_it_was_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    merge = move.merge
    monkeypatch.setattr(move, "merge", lambda parts, doc: merge(parts, doc).replace("LONGEST = 7", "LONGEST = 8"))
    assert moved(root, MAP) == 1
    assert "not defined as it was: harness.run.words.count:LONGEST" in capsys.readouterr().err
