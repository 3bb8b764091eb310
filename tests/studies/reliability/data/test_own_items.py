"""The command that counts our own items and compares a reader's answers, and what it wrote into the page."""

import json
import runpy
import sys

import pytest
from support import REPOSITORY

COMMAND = REPOSITORY / "tests/golden/own_items.py"
PAGE = REPOSITORY / "docs/reliability.md"


@pytest.fixture
def command(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(COMMAND.parent))

    def run(*argv):
        monkeypatch.setattr(sys, "argv", [str(COMMAND), *map(str, argv)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(COMMAND), run_name="__main__")
        return ended.value.code, capsys.readouterr().out

    return run


def test_the_page_says_what_the_command_counts(command):
    code, counted = command("counts")
    assert code == 0 and "420 questions" in counted and "73 kinds" in counted
    assert counted.strip() in PAGE.read_text(encoding="utf-8")


def test_a_reader_gets_a_hundred_questions_without_their_right_options(command, tmp_path):
    _, asked = command("ask")
    questions = [json.loads(line) for line in asked.splitlines()]
    assert len({question["id"] for question in questions}) == 100
    assert all(set(question) == {"id", "question", "options"} for question in questions)
    given = tmp_path / "answers.jsonl"

    def compare(letters):
        rows = ({"id": question["id"], "answer": letters[question["id"]]} for question in questions)
        given.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return command("compare", given)

    letters = {question["id"]: "A" for question in questions}
    code, said = compare(letters)  # the same letter for all is right of about a quarter
    assert code == 1 and 10 <= int(said.splitlines()[-1].split()[0]) <= 40
    for line in said.splitlines()[:-1]:
        record = json.loads(line[line.index("{") :])["id"]
        letters[record] = line.split("right is ")[1][0]
    code, said = compare(letters)
    assert code == 0 and said == "100 of 100 agree\n"
    wrong = {record: "ABCD"[("ABCD".index(letter) + 1) % 4] for record, letter in list(letters.items())[:4]}
    assert compare(letters | dict(list(wrong.items())[:3]))[0] == 0
    assert compare(letters | wrong)[0] == 1
    given.write_text(given.read_text().replace('"answer": "A"', '"answer": "E"', 1))
    code, _ = command("compare", given)
    assert "does not hold one answer" in str(code)
