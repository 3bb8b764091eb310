"""The page docs/curie.md: examples print what it says, rules have the tests it names, its numbers are the code's."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from support import REPOSITORY
from support_cases import each_of
from support_inside import inside

from harness.kit.certificate import certificate_text
from harness.studies.curie.judging import rule as _rule  # noqa: F401 - a certificate speaks of the code that is loaded
from harness.studies.curie.standalone.catalogue import ANALYSES, SCORERS
from harness.studies.curie.tasks import TASKS

HERE = Path(__file__).parent
PAGE = (REPOSITORY / "docs" / "curie.md").read_text()
STRICT = REPOSITORY.parent / "shared" / "spec" / "curie-strict.md"
LINE = re.compile(r"^\$ ((?:echo|printf).*) \| harness (score|analyse) (\S+)\n(.*)$", re.MULTILINE)
EXAMPLES = [match.groups() for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
            for match in LINE.finditer(block)]  # fmt: skip
RULES = re.findall(r"^\| ([A-Z][A-Z0-9-]*) \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE)
BOUNDS = re.findall(r"([\d,]+)[^()\d]*\(`([a-z_.0-9]+)\.([A-Z_]+)`\)", PAGE)


def typed(command: str) -> str:
    """Give what a shell writes for a line of the page: `echo '…'`, or `printf '%s\\n' '…'`."""
    words = shlex.split(command)
    assert words[:-1] in (["echo"], ["printf", "%s\\n"]), command
    return words[-1] + "\n"


@pytest.mark.parametrize(
    ("command", "verb", "name", "said"), EXAMPLES, ids=[f"{e[2]}-{n}" for n, e in enumerate(EXAMPLES)]
)
def test_an_example_of_the_page_prints_what_stands_there(
    command: str, verb: str, name: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "row").write_text(typed(command))
    printed = inside(verb, name, "--input", tmp_path / "row", cwd=tmp_path, check=0).stdout.strip()
    if said.endswith("…"):
        assert printed.startswith(said[:-1])
    else:
        assert printed == said


def test_every_scorer_and_analysis_of_the_study_has_an_example() -> None:
    assert {name for _, _, name, _ in EXAMPLES} == {*SCORERS, *ANALYSES}
    assert PAGE.count("| harness ") == len(EXAMPLES), "a line that is not run"


def test_no_example_hangs_on_how_a_shell_echoes_a_backslash() -> None:
    assert not [command for command, *_ in EXAMPLES if command.startswith("echo") and re.search(r'\\[^"u]', command)]


@each_of(("name", "files"), RULES)
def test_every_file_that_a_rule_names_has_a_test_of_it(name: str, files: str) -> None:
    word = name.lower().replace("-", "_")
    for file in re.findall(r"`([^`]+)`", files):
        names = re.findall(r"^def (test_\w+)", (HERE / file).read_text(), re.MULTILINE)
        assert any(f"_{word}_" in f"{each}_" for each in names), f"no test of {name} in {file}"


@pytest.mark.skipif(not STRICT.is_file(), reason="the page that settles strict mode is not here")
def test_every_rule_that_was_settled_is_listed() -> None:
    settled = re.findall(r"^- ([A-Z]+\d|[A-Z]+(?:-C)?)(?=:| )", STRICT.read_text(), re.MULTILINE)
    further = {"F0", "A1"}
    assert {*settled, *further} - {"Shape"} == {name for name, _ in RULES}


def test_every_test_file_and_manifest_that_the_page_names_exists() -> None:
    named = re.findall(r"`((?:tests|manifests|certificates)/[\w./-]+)`", PAGE)
    named += [f"tests/studies/curie/{file}" for file in re.findall(r"`((?!tests/)(?:\w+/)*test_\w+\.py)`", PAGE)]
    assert len(named) > 40 and not [path for path in named if not (REPOSITORY / path).exists()]


@each_of(("number", "module", "name"), BOUNDS)
def test_a_bound_of_the_page_is_the_codes(number: str, module: str, name: str) -> None:
    assert getattr(import_module(f"harness.studies.curie.{module}"), name) == int(number.replace(",", ""))


def test_all_bounds_of_the_page_are_checked() -> None:
    assert len(BOUNDS) == len(re.findall(r"\(`[a-z_.0-9]+\.[A-Z_]+`\)", PAGE)) >= 12


def test_the_page_says_of_the_rule_judge_what_its_certificate_says() -> None:
    told = certificate_text(REPOSITORY / "certificates" / "curie.llmsim_rule.json")
    assert told in " ".join(PAGE.split())


def test_the_page_names_every_task() -> None:
    assert not [name for name in TASKS if f"`{name}`" not in PAGE]
