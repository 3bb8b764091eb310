"""Readers and scorers of answers make the same of a text on every Python, over texts that reach every pattern."""

from __future__ import annotations

import ast
import csv
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from patterns import Pattern, compiled_at_import, example, written_in_calls
from readers import ROOMS
from scorers.hostile import TEXTS as UNITS
from support import FIXTURES
from support_draws import drawn

from harness.texts import is_possessive

TESTS = Path(__file__).parents[2]
ROOT = TESTS.parent
WANTED = ("3.11.2", "3.11.7", "3.12.1", "3.13.0")
PROGRAM = "import sys; print('.'.join(map(str, sys.version_info[:3])), sys.implementation.name)"
LONGEST = 6_000  # characters of a text here: that rules are quick with longer ones, their own tests hold
WRITTEN = (
    "scorers", "studies/biomed/reading", "studies/biomed/judging", "studies/curie/reading", "studies/curie/scoring",
    "studies/curie/judging", "studies/curie/grading", "studies/questions/scoring", "studies/questions/judging",
)  # fmt: skip

PERSONS = ("harness.answers.regex_safety",)  # it compiles what a person gave
COMPILED = {"numpy", "scipy", "Bio", "regex", "yaml", "pydantic_core", "numpy or another compiled one"}
Read = dict[str, Any]  # what a Python says of all texts
FEW = 150  # of so many texts the test of each Python reads one
PARTS = 4  # of the thousands of texts; one Python reads one of them in each run, and at night each reads all
MOST = 0.9  # of the patterns the readers themselves search for, over all texts


def pythons() -> dict[str, str]:
    """Find the Pythons of this machine by their versions: on the path, Debian's own, and pyenv's."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    places = [folder / name for folder in folders for name in ("python3", "python3.11", "python3.12", "python3.13")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found: dict[str, str] = {}
    known = [Path(sys.executable), Path("/usr/bin/python3"), *sorted(pyenv.glob("versions/*/bin/python3"))]
    for place in [*known, *places]:
        if not os.access(place, os.X_OK):
            continue
        done = subprocess.run([place, "-I", "-S", "-c", PROGRAM], capture_output=True, text=True, check=False)
        version, _, name = done.stdout.strip().partition(" ")
        if name == "cpython" and tuple(map(int, version.split("."))) >= (3, 11):
            found.setdefault(version, str(place))
    return found


def made() -> list[tuple[str, str, str]]:
    """Give our own texts: those of the tests of readers and scorers, and the answers that people graded."""
    rows = [
        json.loads(line)
        for name in ("cases", "labels")
        for line in (TESTS / f"studies/biomed/judging/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    asked = [(row["question"], row.get("gold") or row["answer"]) for row in rows]
    found = [(row["response"], *pair) for row, pair in zip(rows, asked, strict=True)]
    paths = sorted(path for folder in WRITTEN for path in (TESTS / folder).rglob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    found += dict.fromkeys(row for tree in trees for row in _rows(tree))
    texts = dict.fromkeys(text for tree in trees for text in _constants(ast.walk(tree)))
    return found + [(text, *asked[number % len(asked)]) for number, text in enumerate(texts)]


def _rows(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Take what stands side by side in a test for a question, its gold and an answer, whatever it really is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Call):
            texts = list(_constants(node.args if isinstance(node, ast.Call) else node.elts))
            for text in texts[2:6]:
                yield text, texts[0], texts[1]


def _constants(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and 1 < len(node.value) <= LONGEST:
            yield node.value


def real() -> list[tuple[str, str, str]]:
    """Give real texts, where they lie beside the checkout: published questions, answers, records, and golden values."""
    found: list[tuple[str, str, str]] = []
    data = FIXTURES.parent / "data"
    for path in sorted(data.glob("biomed/*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if {"question", "answer"} <= set(row)]
        found += [(row["answer"], row["question"], row["answer"]) for row in rows]
        found += [(rows[place - 7]["answer"], row["question"], row["answer"]) for place, row in enumerate(rows)]
    texts: dict[str, None] = {}
    for path in [*sorted(data.rglob("*.json")), *sorted(FIXTURES.rglob("*.json"))]:
        whole = path.read_text(encoding="utf-8")
        texts.update(dict.fromkeys(each[:LONGEST] for each in _leaves(json.loads(whole))))
        texts[whole[:LONGEST]] = None
    for path in [*sorted(data.rglob("*.txt")), *sorted(FIXTURES.rglob("*.csv"))]:
        lines = path.read_text(encoding="utf-8").splitlines()
        texts.update(dict.fromkeys("\n".join(lines[at : at + 20])[:LONGEST] for at in range(0, len(lines), 20)))
    asked = [(question, gold) for _, question, gold in found] or [("Which is it?", "It is 7.")]
    return found + [(text, *asked[number % len(asked)]) for number, text in enumerate(texts) if len(text) > 1]


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)


def readers_patterns() -> list[Pattern]:
    """Give every pattern of the readers' and scorers' rooms."""
    every = dict.fromkeys(compiled_at_import() + written_in_calls())
    return [each for each in every if any(f"{each.module}.".startswith(f"{room}.") for room in ROOMS)]


def hostile(patterns: Iterable[Pattern], texts: list[tuple[str, str, str]], random: Random) -> list[Any]:
    """Write texts that aim at patterns: what each matches, alone, cut, repeated and among words, and chance's own."""
    found = []
    for pattern in patterns:
        aimed = [example(pattern, random)[:LONGEST] for _ in range(3)]
        other = random.choice(texts)[0][:200]
        found += [f"The answer is {aimed[0]}.", other + " " + aimed[1] + "\n" + other, aimed[2][:-1] * 3]
    for unit in UNITS:
        found += [(unit * 300)[:400], "answer is " + (unit * 60)[:200] + "x"]
    pieces = sorted({piece for text, _, _ in texts for piece in re.findall(r"\w+|\W", text[:400])})
    for _ in range(len(found) // 4):
        found.append("".join(random.choice(pieces) + random.choice(("", " ")) for _ in range(random.randint(2, 40))))
    return [(text, *random.choice(texts)[1:]) for text in found]


class Given(NamedTuple):
    """What the readers are given: texts, and patterns with texts of their own; and how many there are of each kind."""

    texts: list[tuple[str, str, str]]
    patterns: list[tuple[Pattern, list[str]]]
    counts: str


def matched(pattern: Pattern, random: Random) -> list[str]:
    """Write eight texts for a pattern, those first that it matches."""
    met, others = list[str](), list[str]()
    while len(met) < 8 and len(met) + len(others) < (40 if met else 2000):  # some are met by few of what chance writes
        text = example(pattern, random)[:LONGEST]
        (met if re.search(pattern.text, text, pattern.flags) else others).append(text)
    return (met + others)[:8]


def given(share: int, part: int = 0, *, each_pattern: bool = False) -> Given:
    """Give a part of all texts, of each kind, and for patterns what each matches and some texts of chance."""
    random = Random(20)
    own, published, patterns = made(), real(), readers_patterns()
    both = own + published
    aimed = hostile(patterns, both, random)
    every = {"of our own": own[::2], "real": published[::24], "hostile": aimed[::2]}
    kinds = {name: kind[part::share] for name, kind in every.items()}
    counts = ", ".join(f"{len(kind):,} {name}" for name, kind in kinds.items())
    alone = []
    for each in patterns if each_pattern else patterns[::share]:
        alone.append((each, matched(each, random) + [random.choice(both)[0][:500] for _ in range(4)]))
    return Given([text for kind in kinds.values() for text in kind], alone, counts)


def read(python: str, what: Given, folder: Path, *more: str) -> Read:
    """Let a Python read, with our packages as far as it can load them."""
    told, out = folder / "given.json", folder / "out.json"
    told.write_text(json.dumps([what.texts, [[*each, aimed] for each, aimed in what.patterns]]), encoding="ascii")
    env = {"PYTHONPATH": sysconfig.get_paths()["purelib"], "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    command = [python, "-s", "-S", "-P", str(TESTS / "readers.py"), str(told), str(out), *more]
    done = subprocess.run(command, env={**os.environ, **env}, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(json.loads(out.read_text(encoding="ascii")))


def is_of_this_minor(version: str) -> bool:
    """Whether what is compiled for this Python is loaded by that one, too."""
    return version.split(".")[:2] == platform.python_version().split(".")[:2]


def hold(version: str, what: Given, ours: Read, folder: Path) -> None:
    """Hold that a Python makes the same of all as this one, by every reader whose packages it can load."""
    if version not in (found := pythons()):
        pytest.skip(f"Python {version} is not here")
    theirs = read(found[version], what, folder)
    digests, lacking = theirs["digests"], theirs["lacking"]
    read_here = {name: sum(map(bool, said)) for name, said in digests.items()}
    part = {f"{name} (needs {needed})": read_here.get(name, 0) for name, needed in lacking.items()}
    print(f"Python {version}: {what.counts} texts, {len(digests)} readers and patterns; of these a part: {part}")
    assert {*digests, *lacking} >= set(ours["digests"])
    assert set(lacking.values()) <= (set() if is_of_this_minor(version) else COMPILED)
    assert all(read_here[name] == len(said) for name, said in ours["digests"].items() if name not in lacking)
    parted = {name: _parted(said, ours["digests"][name]) for name, said in digests.items()}
    assert {name: f"{len(places)}, the first at {places[0]}" for name, places in parted.items() if places} == {}


def _parted(said: list[str], ours: list[str]) -> list[int]:
    """List the texts that are read otherwise; what lacks a package says nothing."""
    return [place for place, (one, other) in enumerate(zip(said, ours, strict=True)) if one and one != other]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[Given, Read]:
    what = given(FEW)
    return what, read(sys.executable, what, tmp_path_factory.mktemp("few"), "note")


@pytest.fixture(scope="module", params=drawn(range(PARTS), 1), ids=lambda part: f"part {part}")
def every(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Given, Read]:
    what = given(PARTS, request.param, each_pattern=True)
    return what, read(sys.executable, what, tmp_path_factory.mktemp("every"), "note")


OTHERS = sorted({*WANTED} - {platform.python_version()})


@pytest.mark.parametrize("version", OTHERS)
def test_another_python_reads_some_texts_alike(version: str, few: tuple[Given, Read], tmp_path: Path) -> None:
    hold(version, few[0], few[1], tmp_path)


@pytest.mark.nightly  # of one text in so many each Python is held above
@pytest.mark.exhaustive
@pytest.mark.parametrize("version", drawn(OTHERS, 1))
def test_another_python_reads_thousands_of_texts_alike(version: str, every: tuple[Given, Read], tmp_path: Path) -> None:
    assert PARTS * len(every[0].texts) >= 5_000
    hold(version, every[0], every[1], tmp_path)


@pytest.mark.nightly  # it is about the texts of the test above
@pytest.mark.exhaustive
def test_the_texts_reach_every_pattern_of_the_readers(every: tuple[Given, Read]) -> None:
    """By the readers, or where none comes so far, alone: it is searched for in texts that it matches."""
    what, ours = every
    noted = {(module, text): (tried, found) for module, text, tried, found in ours["patterns"]}
    alone = {each for each, texts in what.patterns if any(re.search(each.text, text, each.flags) for text in texts)}
    missed = []
    for each, _ in what.patterns:
        tried, found = noted.get((each.module, each.text), (0, 0))
        print(f"{each.module}: searched for {tried} times, found {found}{', and alone' * (each in alone)}: {each.text}")
        if not found and each not in alone:
            missed.append(each)
    by_readers = sum(
        (each.module, each.text) in noted and noted[each.module, each.text][0] > 0 for each, _ in what.patterns
    )
    print(f"{len(what.patterns)} patterns: readers searched for {by_readers} of them")
    assert missed == []
    assert by_readers >= MOST * len(what.patterns)


def require_none_possessive(found: Read, least: int) -> None:
    """Hold that no pattern that was searched for is one which Python 3.11 and later alone know."""
    own = [(module, text) for module, text, _, _ in found["patterns"] if module not in PERSONS]
    assert len(own) > least
    assert [each for each in own if is_possessive(each[1])] == []


def test_no_pattern_that_a_reader_puts_together_is_possessive(few: tuple[Given, Read]) -> None:
    require_none_possessive(few[1], 300)


@pytest.mark.nightly  # the test above holds it of what fewer texts reach
@pytest.mark.exhaustive
def test_no_pattern_that_any_text_reaches_is_possessive(every: tuple[Given, Read]) -> None:
    require_none_possessive(every[1], 500)
