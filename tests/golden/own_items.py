"""Count our own science questions and text tasks, and compare a reader's answers: python tests/golden/own_items.py …

`ask` prints a hundred of the questions as JSON Lines, drawn by digest, without their right options: for a reader who
has not seen them. `compare ANSWERS` reads the answers, one `{"id": …, "answer": "A"}` a line, prints each that differs
from the right option, and exits with 1 if fewer than 97 in 100 agree. `counts` prints what the page says of both sets;
`counts --write PAGE` puts it between its markers, with the kept answers (`READ`) where a reader has given any.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from marked import write

from harness.digest import sha256
from harness.studies.reliability.data.questions import LETTERS, MultipleChoice
from harness.studies.reliability.data.science import order
from harness.studies.reliability.data.science_own import QUESTIONS
from harness.studies.reliability.data.transforms_own import TASKS, draw
from harness.studies.reliability.data.words_distance import f_wl

SEED, ASKED, LEAST, WIDTH = 7, 100, 0.97, 120
INSTANCES = 10  # of each kind, as many as the paper has
READ = Path(__file__).parents[1] / "studies/reliability/data/science_reading.jsonl"


def asked() -> list[MultipleChoice]:
    """Give the questions for the reader: those whose records have the smallest digests."""
    return sorted(QUESTIONS, key=lambda question: sha256(question.record.encode()))[:ASKED]


def shown(question: MultipleChoice) -> dict[str, object]:
    """Give a question as the reader sees it, its options in the order that a dataset of the seed has."""
    placed = order(SEED, question.record)
    options = {letter: question.options[place] for letter, place in zip(LETTERS, placed, strict=True)}
    return {"id": question.record, "question": question.text, "options": options}


def right(question: MultipleChoice) -> str:
    """Give the letter of the right option in that order."""
    return LETTERS[order(SEED, question.record).index(question.right)]


def answers(path: Path) -> dict[str, str]:
    """Read a reader's answers; one that is missing, twice there, or no letter, ends the command."""
    given = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    found = {row["id"]: row["answer"] for row in given}
    wanted = {question.record for question in asked()}
    if len(found) != len(given) or set(found) != wanted or not set(found.values()) <= set(LETTERS):
        raise SystemExit(f"{path} does not hold one answer A, B, C or D to each of the {ASKED} questions of `ask`")
    return found


def differing(found: Mapping[str, str]) -> Iterator[tuple[MultipleChoice, str]]:
    """Yield the questions whose answer is not the right option, with the answer."""
    for question in asked():
        if found[question.record] != right(question):
            yield question, found[question.record]


def text() -> str:
    """Give what the page says: how many there are of which grade and area, how hard, and what a reader answered."""
    grades = Counter(round(100 * question.failed) for question in QUESTIONS)
    raw = sorted(
        f_wl(made.text, made.target)
        for task in range(1, len(TASKS) + 1)
        for made in (draw(SEED, task, index) for index in range(INSTANCES))
    )
    fifths = [raw[len(raw) * part // 5] for part in range(1, 5)]
    areas = Counter(kind.area for kind in TASKS)
    lines = [
        f"- science: {len(QUESTIONS)} questions, "
        + ", ".join(f"{count} of grade {grade}" for grade, count in sorted(grades.items()))
        + ".",
        f"- transforms: {len(TASKS)} kinds, "
        + ", ".join(f"{count} of {area}" for area, count in sorted(areas.items()))
        + f". With seed {SEED} and {INSTANCES} instances of each, `f_w+l` of the {len(raw)} items goes from {raw[0]} to"
        f" {raw[-1]}; {fifths[0]}, {fifths[1]}, {fifths[2]} and {fifths[3]} part it into fifths.",
        _reading(),
    ]
    filled = (textwrap.fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return "\n" + "\n".join(filled) + "\n\n"


def _reading() -> str:
    if not READ.exists():
        return f"- No reader other than their writer has answered the questions yet: `ask` prints {ASKED} of them."
    apart = list(differing(answers(READ)))
    return (
        f"- A language model without sight of the right options (OURS) answered {ASKED} of the questions, drawn by"
        f" digest: in {ASKED - len(apart)} it chose the right one"
        + (f", in {', '.join(question.record for question, _ in apart)} another." if apart else ".")
    )


def main(argv: Sequence[str]) -> int:
    """Print, compare or write, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/golden/own_items.py", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("ask")
    verbs.add_parser("compare").add_argument("answers", type=Path, metavar="ANSWERS")
    verbs.add_parser("counts").add_argument("--write", type=Path, metavar="PAGE")
    args = parser.parse_args(argv)
    if args.verb == "ask":
        for question in asked():
            print(json.dumps(shown(question)))
        return 0
    if args.verb == "compare":
        apart = list(differing(answers(args.answers)))
        for question, answer in apart:
            print(f"answered {answer}, right is {right(question)}: {json.dumps(shown(question))}")
        print(f"{ASKED - len(apart)} of {ASKED} agree")
        return 0 if ASKED - len(apart) >= LEAST * ASKED else 1
    if args.write:
        write(args.write, "own_items", text())
    else:
        print(text().strip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
