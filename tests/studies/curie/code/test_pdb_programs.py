"""Programs in PDB answers: how they are cut out, what the published code and strict mode make of them in a sandbox."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from support_cases import each_of
from support_draws import drawn

from harness import rows, trial
from harness.engines.local import available_isolations
from harness.run.closure import Code
from harness.run.executing.trials import ProgramRunner
from harness.studies.curie.code.pdb_programs import (
    LIMITS,
    NoAnswer,
    answered,
    is_code,
    obstacle,
    program,
    take_paper,
    take_strict,
)
from harness.studies.curie.code.pdb_scores import score
from harness.studies.curie.tasks import PAPER, STRICT

DOCUMENT = "HEADER of it\nATOM      1  N   MET A   1\nATOM      2  N   LYS A   2\n"
TRUTH = '{"sequence": "MKTAYIAKQR"}'
FASTA = "'>p\\nMKTAYIAKQR'"
MODES = (PAPER, STRICT)


@pytest.fixture(scope="module")
def runner() -> ProgramRunner:
    if "bubblewrap" not in available_isolations():
        pytest.skip("no bubblewrap here")
    return ProgramRunner()


def fenced(code: str) -> str:
    return f"Here it is:\n```python\n{textwrap.dedent(code)}\n```\nDone."


def ran(runner: ProgramRunner, response: str, mode: str, document: str = DOCUMENT) -> Any:
    taken = program(response, document, mode)
    assert taken is not None
    ended = runner.run(
        {"item": "", "template": 1, "model": "", "sample": 0, "program": taken[0], "stdin": taken[1]}, LIMITS
    )
    return answered(ended), ended


def scored(response: str, document: str, ended: Any, mode: str) -> Any:
    return score(response, TRUTH, document, ended, mode)


def said(runner: ProgramRunner, code: str, mode: str) -> Any:
    return ran(runner, fenced(code), mode)[0]


def test_an_answer_with_a_python_fence_is_code_even_beside_fasta() -> None:
    assert is_code(">p\nMKT\n```python") and not is_code("```\nprint(1)\n```")


@pytest.mark.parametrize(
    ("response", "document", "mode", "why"),
    [
        (">p\nMKT", DOCUMENT, PAPER, "no program"), (fenced("print(1)"), DOCUMENT, PAPER, "no function"),
        (fenced("def f(x): pass"), "no structure", PAPER, "no ATOM"),
        (fenced("#" * (1 << 19)), DOCUMENT, STRICT, "too large"),
        (fenced("print(1)"), "ATOM" * (2 << 20), STRICT, "too large"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_has_no_program_and_a_reason(response: str, document: str, mode: str, why: str) -> None:
    assert why in obstacle(response, document, mode) and program(response, document, mode) is None


def test_foreign_code_stands_in_the_program_as_data(runner: ProgramRunner) -> None:
    code = "def f(t):\n    return '''>p\n\\\"MKT\\ud800'''  # '''\n'''"
    taken = program(fenced(code), DOCUMENT, PAPER)
    assert taken and taken[0].isascii() and taken[0].splitlines()[-1].startswith("main('paper', ")
    assert isinstance(ran(runner, "```python\ndef f(t):\n    return t\n\ud800```", PAPER)[0], NoAnswer)


def test_paper_an_open_fence_is_cut_behind_the_line_of_the_first_return(runner: ProgramRunner) -> None:
    answer, _ = ran(runner, f"```python\ndef f(t):\n    return {FASTA}\nThat is all.", PAPER)
    assert answer == ">p\nMKTAYIAKQR"
    earlier = f"I return it.\n```python\ndef f(t):\n    return {FASTA}"
    assert ran(runner, earlier, PAPER)[0] == ""  # nothing is left of the code


def test_paper_a_function_gets_the_prompt_from_its_first_atom_on(runner: ProgramRunner) -> None:
    assert said(runner, "def f(t):\n    return t", PAPER) == DOCUMENT[DOCUMENT.index("ATOM") :]
    assert said(runner, "def f(t):\n    return t", STRICT) == DOCUMENT


# A program, and what it gives in paper mode and in strict mode; None where it gives no answer.
PROGRAMS: list[tuple[str, Any, Any]] = [
        (f"import re\ndef f(t):\n    return re.sub('x', '', {FASTA})", None, ">p\nMKTAYIAKQR"),
        (f"def helper(t):\n    return 'x'\ndef f(t):\n    return helper(t) and {FASTA}", "x", ">p\nMKTAYIAKQR"),
        ("def f(t)\n    return t", "", None),
        ("def f(t):\n    return ['>p', 'MKT']", None, ""),
        ("def f(t):\n    raise SystemExit(3)", None, None),
        (f"def f(t, more=1):\n    return {FASTA}\ndef g(a, b): return ''\nclass C:\n    def h(x): return 5",
         ">p\nMKTAYIAKQR", ">p\nMKTAYIAKQR"),
        (f"def main():\n    print({FASTA})\nif __name__ == '__main__':\n    main()", None, ">p\nMKTAYIAKQR\n"),
        (f"def f(t):\n    return {FASTA}\nif __name__ == '__main__':\n    print(f(open('a.pdb').read()))",
         ">p\nMKTAYIAKQR", ">p\nMKTAYIAKQR"),
        (f"def f(t):\n    print({FASTA})", None, ">p\nMKTAYIAKQR\n"),
        ("def f(t):\n    return eval('1 +')", "", None),
        (f"try:\n    import nowhere\nexcept ImportError:\n    def f(t): return {FASTA}",
         ">p\nMKTAYIAKQR", ">p\nMKTAYIAKQR"),
        (f"import os, sys\nos.write(1, {FASTA}.encode())\nsys.exit(0)\ndef f(): pass", None, ">p\nMKTAYIAKQR"),
    ]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", drawn(range(len(PROGRAMS)), 3, 12))
def test_what_each_mode_makes_of_a_program(runner: ProgramRunner, place: int) -> None:
    code, paper, strict = PROGRAMS[place]
    for mode, want in ((PAPER, paper), (STRICT, strict)):
        found = said(runner, code, mode)
        assert isinstance(found, NoAnswer) if want is None else found == want, mode


def test_what_a_program_prints_is_not_its_result_in_paper_mode(runner: ProgramRunner) -> None:
    told = json.dumps({"answer": ">p\nFAKE"})
    code = f"def f(t):\n    print('''{told}''')\n    return {FASTA}"
    for mode in MODES:
        assert said(runner, code, mode) == ">p\nMKTAYIAKQR"


def test_children_that_a_program_forks_tell_nothing(runner: ProgramRunner) -> None:
    code = f"def f(t):\n    import os\n    for _ in range(3): os.fork()\n    return {FASTA}"
    found, ended = ran(runner, fenced(code), PAPER)
    assert found == ">p\nMKTAYIAKQR" and ended["stdout"].count("\n") == 1


BAD_ENDS = [
    ("def f(t):\n    import os\n    os._exit(0)", "told nothing"),
    ("def f(t):\n    import os\n    os.kill(os.getpid(), 9)", "killed"),
    ("def f(t):\n    return 'x' * (1 << 40)", "MemoryError"),
    ("def f(t):\n    return '\\0' * (8 << 20)", "output"),
    ("def f(t):\n    def g(): g()\n    g()", "RecursionError"),
    ("def f(t): return " + "(" * 5000, "told"),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", drawn(range(len(BAD_ENDS)), 2, 6))
def test_a_program_that_comes_to_no_good_end_gives_no_answer(runner: ProgramRunner, place: int) -> None:
    code, why = BAD_ENDS[place]
    found = said(runner, code, STRICT)
    assert isinstance(found, NoAnswer) and why in found.why


@pytest.mark.long
def test_an_endless_program_ends_at_its_limit(runner: ProgramRunner) -> None:
    taken = program(fenced("def f(t):\n    while True: pass"), DOCUMENT, STRICT)
    assert taken
    short = trial.TrialLimits(seconds=4, cpu_seconds=1)
    ended = runner.run({"item": "", "template": 1, "model": "", "sample": 0, "program": taken[0]}, short)
    assert ended["outcome"] in ("cpu", "time") and isinstance(answered(ended), NoAnswer)


@each_of("stdout", ["", "{", "5", '{"answer": 5}', "[" * 99999, '{"answer": "a"}\nmore', '{"raised": {}}'])
def test_an_output_that_is_not_the_entrys_line_is_no_answer(stdout: str) -> None:
    assert isinstance(answered({"outcome": "done", "stdout": stdout}), NoAnswer)
    assert isinstance(answered({"outcome": "failed", "stdout": '{"answer": "a"}'}), NoAnswer)
    assert answered({"outcome": "done", "stdout": 'noise\n{"answer": "a"}\n'}) == "a"


def test_the_steps_write_programs_of_this_task_alone(tmp_path: Path) -> None:
    items = [
        {"id": f"{task}-1", "task": task, "input": {"text": DOCUMENT}, "difficulty": None, "meta": {}}
        for task in ("dft-c", "pdb")
    ]
    answers = [
        {"item": item, "template": 1, "model": "m", "sample": number, "text": text, "finish": "stop"}
        for item in ("dft-c-1", "pdb-1")
        for number, text in enumerate((fenced("def f(t): return t"), ">p\nMKT"))
    ]
    inputs = {"items": tmp_path / "items", "responses": tmp_path / "responses"}
    rows.write(inputs["items"], items)
    rows.write(inputs["responses"], answers)
    for take in (take_paper, take_strict):
        take({}, inputs, tmp_path)
        (found,) = rows.read(tmp_path / "programs")
        assert (found["item"], found["sample"]) == ("pdb-1", 0) and found["stdin"].endswith(DOCUMENT[-20:])
        assert list(trial.read_programs(tmp_path / "programs"))


def test_the_steps_carry_the_text_that_runs_foreign_code() -> None:
    files = Code().closure("harness.studies.curie.code.pdb_programs:take_strict").files
    assert "harness/studies/curie/code/pdb_entry.py" in files


def test_a_programs_answer_is_scored_by_the_rule_of_its_mode(runner: ProgramRunner) -> None:
    response = fenced(f"def f(t):\n    return {FASTA}")
    for mode in MODES:
        ended = ran(runner, response, mode)[1]
        found = scored(response, DOCUMENT, ended, mode)
        assert found["value"] == 1 and found["outcome"] == "valid" and found["detail"]["by_code"] is True


def test_a_failed_program_has_no_metric_in_paper_mode_and_0_in_strict_mode() -> None:
    response, ended = fenced("def f(t): return 5"), {"outcome": "time", "stdout": ""}
    paper, strict = (scored(response, DOCUMENT, ended, mode) for mode in MODES)
    assert "missing" in paper["value"] and paper["outcome"] == "invalid"
    assert (strict["value"], strict["outcome"]) == (0, "invalid") and "time" in strict["detail"]["why"]


@pytest.mark.parametrize("said", ["", " \n\t"])
def test_b7_a_program_that_gives_blanks_is_an_answer_that_cannot_be_used(said: str) -> None:
    ended = {"outcome": "done", "stdout": json.dumps({"answer": said})}
    found = scored(fenced("def f(t): return 5"), DOCUMENT, ended, STRICT)
    assert (found["value"], found["outcome"]) == (0, "invalid") and "blanks" in found["detail"]["why"]


def test_a_program_not_run_has_no_value_one_that_cannot_be_has_failed() -> None:
    for mode in MODES:
        assert "not run" in scored(fenced("def f(t): return 5"), DOCUMENT, None, mode)["value"]["missing"]
    assert scored(fenced("#" * (1 << 19)), DOCUMENT, None, STRICT)["value"] == 0
    assert "ATOM" in scored(fenced("def f(t): return 5"), "", None, PAPER)["value"]["missing"]


def test_a_gold_that_is_none_is_told_before_any_program() -> None:
    for mode in MODES:
        ended = {"outcome": "time", "stdout": ""}
        assert score(fenced("def f(t): return 5"), "{}", DOCUMENT, ended, mode)["outcome"] == "gold_invalid"
