"""What a person writes for Inspect AI to ask a CSV file of which some rows have options."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, csv_dataset
from inspect_ai.scorer import choice, exact
from inspect_ai.solver import generate, multiple_choice


def read(record):
    options = [record[name] for name in "abcd" if record[name]]
    right = "ABCD"[options.index(record["answer"])] if options else record["answer"]
    return Sample(input=record["question"], target=right, choices=options or None)


@task
def with_options(file="mixed.csv"):
    rows = csv_dataset(file, read).filter(lambda row: bool(row.choices))
    return Task(dataset=rows, solver=multiple_choice(), scorer=choice())


@task
def without_options(file="mixed.csv"):
    rows = csv_dataset(file, read).filter(lambda row: not row.choices)
    return Task(dataset=rows, solver=generate(), scorer=exact())
