"""Questions written by hand in the published forms of OpenBookQA and GPQA, for the tests of the science benchmark."""

import csv
import io
import json

SECRET = "Which planet is secret"


def hub(number, **changed):
    """Give a row in the hub's form, as the configuration `additional` has it."""
    return {
        "id": f"7-{number}", "question_stem": f"{SECRET} {number}",
        "choices": {"text": [f"first {number}", "second", "third", "fourth"], "label": ["A", "B", "C", "D"]},
        "answerKey": "ABCD"[number % 4], "fact1": "planets are secret", "humanScore": number % 5 / 4, "clarity": 1.6,
        "turkIdAnonymized": "b356d338b7", **changed,
    }  # fmt: skip


def nested(number, **changed):
    """Give the same row in the form of the original release."""
    row = hub(number)
    choices = [{"text": t, "label": a} for t, a in zip(row["choices"]["text"], row["choices"]["label"], strict=True)]
    rest = {name: row[name] for name in row if name not in ("question_stem", "choices")}
    return {**rest, "question": {"stem": row["question_stem"], "choices": choices}, **changed}


def json_lines(path, given):
    path.write_text("".join(json.dumps(row) + "\n" for row in given))
    return path


GPQA = ("Record ID", "Question", "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3",
        "Subdomain", "Writer's Difficulty Estimate", "Expert Validator Accuracy", "Non-Expert Validator Accuracy",
        "Canary String")  # fmt: skip


def record(number, **changed):
    return {
        "Record ID": f"rec{number:03d}", "Question": f'{SECRET},\n"number" {number}',
        "Correct Answer": f"right {number}\n",
        "Incorrect Answer 1": "wrong, one", "Incorrect Answer 2": "wrong two", "Incorrect Answer 3": "wrong three",
        "Subdomain": "Physics", "Writer's Difficulty Estimate": "Hard", "Expert Validator Accuracy": "1",
        "Non-Expert Validator Accuracy": f"{number % 4 / 3}", "Canary String": "canary", **changed,
    }  # fmt: skip


def table(path, given, columns=GPQA):
    text = io.StringIO()
    out = csv.DictWriter(text, columns, extrasaction="ignore")
    out.writeheader()
    out.writerows(given)
    path.write_text(text.getvalue(), newline="")
    return path
