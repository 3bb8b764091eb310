"""Code answers: what a trial is given to run, what it tells, and that no answer can pass by pretending to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support_answer_scores import values
from support_draws import drawn

from harness.studies.questions.code import outcomes
from harness.studies.questions.code.code_tests import CodeTests, read_tests
from harness.studies.questions.code.programs import code_of, program

ADD = "def add(a, b):\n    return a + b\n"
SPLIT = "import math\nassert add(2, 3) == 5\nassert add([1], [2.0]) == [1, 2]\n"
BESIDE = "def check(f):\n    assert f(2, 3) == 5\n    assert abs(f(0.1, 0.2) - 0.3) < 1e-9\ncheck(add)\n"


def tried(answer: str, tests: str, folder: Path) -> dict[str, Any] | None:
    """Run an answer's program as a trial does, in a process of its own, and give how it ended."""
    read = read_tests(tests)
    assert isinstance(read, CodeTests)
    found = program(answer, read.visible())
    if found is None:
        return None
    (folder / "program.py").write_text(found[0])
    ended = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        input=found[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return {"outcome": "failed" if ended.returncode else "done", "stdout": ended.stdout}


def value(answer: str, tests: str, folder: Path) -> Any:
    return outcomes.passed(answer, tests, tried(answer, tests, folder))["value"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("tests", drawn([SPLIT, BESIDE, json.dumps(SPLIT.splitlines())], 1, 3))
def test_code_that_does_what_the_tests_say_passes_and_other_code_fails(tests: str, tmp_path: Path) -> None:
    assert value(ADD, tests, tmp_path) == 1
    assert value(f"Here:\n```python\n{ADD}```\nDone.", tests, tmp_path) == 1
    for wrong in (ADD.replace("+", "-"), "def other(): pass", "no code at all (", "import sys; sys.exit(0)", ""):
        assert value(wrong, tests, tmp_path) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "answer",
    drawn([
        "import os\nos._exit(0)", "print('{\"values\": [\"5\", \"[1,2]\"]}')\nimport os\nos._exit(0)",
        "class Any:\n    def __eq__(self, other): return True\ndef add(a, b): return Any()",
        "import os\nos.write(1, b'{\"passed\": true}\\n')\nos._exit(0)", "def add(a, b): raise SystemExit(0)",
        "import sys\nsys.stdout.write('x' * 100000)\ndef add(a, b): return add(a, b)",
        "import atexit, os\natexit.register(lambda: os._exit(0))\ndef add(a, b): return 6",
    ], 2, 7),
)  # fmt: skip
def test_an_answer_that_pretends_to_pass_fails(answer: str, tmp_path: Path) -> None:
    assert value(answer, SPLIT, tmp_path) == 0 and value(answer, BESIDE, tmp_path) == 0


def test_what_a_call_must_give_is_nowhere_in_what_a_trial_is_given(tmp_path: Path) -> None:
    tests = "assert secret() == 987654321\n"
    read = read_tests(tests)
    assert isinstance(read, CodeTests) and read.values == ("987654321",)
    found = program("def secret(): pass", read.visible())
    assert found and "secret()" in found[1] and not any("987654321" in text for text in found)


def test_the_share_of_tests_that_hold_stands_beside_the_first_that_fails(tmp_path: Path) -> None:
    tests = "assert half(4) == 2\nassert half(3) == 1.5\nassert half(0) == False\n"
    answer = "def half(n):\n    return n // 2"
    found = outcomes.passed(answer, tests, tried(answer, tests, tmp_path))
    assert found["value"] == 0 and found["detail"]["metrics"]["passed"] == pytest.approx(2 / 3)
    assert found["detail"]["why"] == "half(3) gave 1"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("call", "right"),
    drawn([
        ("{'b': 1, 'a': (1, 2)}", "{'a': (1, 2), 'b': 1.0}"), ("{3, 1}", "{1, 3}"), ("None", "None"), ("b'x'",
        "b'x'"), ("True", "1"),
        ("'1'", "1"), ("[1, 2]", "(1, 2)"), ("1", "1.5"), ("{1: 2}", "{1: 3}"), ("'a\\u0301'", "'á'"), ("0.1 + 0.2",
        "0.3"),
    ], 4, 11),
)  # fmt: skip
def test_values_are_alike_where_python_says_so(call: str, right: str, tmp_path: Path) -> None:
    assert value(f"def f(): return {call}", f"assert f() == {right}", tmp_path) == int(eval(call) == eval(right))


def test_tests_that_are_none_and_trials_that_ended_badly_are_told_apart(tmp_path: Path) -> None:
    assert outcomes.passed(ADD, "assert (", None)["value"] == {"missing": "the tests are no Python"}
    assert outcomes.passed(ADD, "  ", None)["value"] == {"missing": "the item has no tests"}
    for ended in ("time", "memory", "killed", "output", "cpu", "failed"):
        found = outcomes.passed(ADD, SPLIT, {"outcome": ended, "stdout": ""})
        assert found["value"] == 0 and ended in found["detail"]["why"]
    for said in ("", "null", "[]", '{"values": 3}', '{"values": ["5"]}', "[" * 100_000, '{"passed": true}', "\udc80"):
        assert outcomes.passed(ADD, SPLIT, {"outcome": "done", "stdout": said})["value"] == 0
        assert outcomes.passed(ADD, BESIDE, {"outcome": "done", "stdout": said})["value"] == 0


def test_the_blocks_of_an_answer_are_its_code_and_else_all_of_it() -> None:
    assert code_of("a\n```python\nx = 1\n```\nb\n```\ny = 2\n```") == "x = 1\n\ny = 2\n"
    assert code_of("x = 1") == "x = 1" and code_of("```py\nx = 1") == "x = 1"


def test_the_score_step_reads_the_trial_of_its_own_name(tmp_path: Path) -> None:
    about = {"item": "i0", "template": 1, "model": "m", "sample": 0, "program": "0" * 64}
    trials = [
        {**about, "trial": "code", **(tried(ADD, SPLIT, tmp_path) or {})},
        {**about, "trial": "b", "outcome": "time", "stdout": ""},
    ]
    gold = {"target": "", "tests": SPLIT}
    assert values(tmp_path, outcomes.score, "code", [ADD], gold, {"trials": trials}) == [1]
    assert values(tmp_path, outcomes.score, {"code": {"as": "b"}}, [ADD], gold, {"trials": trials}) == [0]
