"""The tasks for Inspect AI with three examples, which are then not asked, before each question."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, csv_dataset
from inspect_ai.scorer import choice, exact
from inspect_ai.solver import generate, multiple_choice, system_message

SHOTS = 3


def split(rows):
    shown = [f"{row.input}\n{row.choices or ''}\n{row.target}" for row in rows[:SHOTS]]
    return rows[SHOTS:], system_message("\n\n".join(["Examples:", *shown]))


def read(record):
    options = [record[name] for name in "abcd" if record[name]]
    right = "ABCD"[options.index(record["answer"])] if options else record["answer"]
    return Sample(input=record["question"], target=right, choices=options or None)


@task
def with_options(file="mixed.csv"):
    rows, examples = split(csv_dataset(file, read).filter(lambda row: bool(row.choices)))
    return Task(dataset=rows, solver=[examples, multiple_choice()], scorer=choice())


@task
def without_options(file="mixed.csv"):
    rows, examples = split(csv_dataset(file, read).filter(lambda row: not row.choices))
    return Task(dataset=rows, solver=[examples, generate()], scorer=exact())
