"""The makers that generate questions from templates, with synthetic source tables or with fetched real ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.data.making import sampled, write_questions
from harness.studies.biomed.data.parameters import MODE, MOST, ROWS, SEED, TABLE
from harness.studies.biomed.data.records import BenchmarkQuestion
from harness.studies.biomed.sources.reading import read_tables
from harness.studies.biomed.sources.synthetic import write_tables
from harness.studies.biomed.templates import drawing, generating
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.pair import TABLES, Rules, Tables
from harness.studies.biomed.terms import STRICT


def make_synthetic(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write five invented source tables drawn from `seed`, and the questions that templates make of them.

    Raise InputError as `make` does.
    """
    folder = out / "tables"
    folder.mkdir()
    written = write_tables(params[SEED], folder)
    paths = {name: written[name].rename(out / TABLE.format(name)) for name in TABLES}
    folder.rmdir()
    _write(params, inputs, out, read_tables(paths), "synthetic tables (OURS)")


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the questions that templates make of the given source tables.

    Templates whose tables are not all given are listed in the counts. Raise InputError if no table is given, if the
    tables give no question, and as `read_tables` does.
    """
    paths = {name: inputs[name] for name in TABLES if name in inputs}
    if not paths:
        raise InputError("no source table is given", where="files", next=f"give one or more of: {', '.join(TABLES)}")
    _write(params, inputs, out, read_tables(paths), "source tables")


def _write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, tables: Tables, source: str) -> None:
    seed, most, rules = params[SEED], params.get(MOST, drawing.MOST), Rules(params.get(MODE, STRICT))
    asked = [one.id for one in TEMPLATES.values() if all(name in tables for name in one.tables)]
    questions: list[BenchmarkQuestion] = []
    by_template: dict[str, dict[str, int | None]] = {}
    for found in generating.generate(tables, rules, seed, most=most, only=asked):
        questions += _questions(found)
        by_template[found.template.id] = {
            "candidates": found.candidates,
            "candidates_yes": found.yes,
            "drawn": len(found.pairs),
        }
    if not questions:
        raise InputError("the tables give no question", where=source, next="give tables with rows")
    counts = {
        "source": source,
        "templates": by_template,
        "without_table": [name for name in TEMPLATES if name not in asked],
        "without_question": [name for name, count in by_template.items() if not count["drawn"]],
    }
    write_questions(params, inputs, out, sampled(questions, params.get(ROWS)), counts)


def _questions(found: generating.Generated) -> list[BenchmarkQuestion]:
    template = found.template
    return [
        BenchmarkQuestion(
            id=name,
            question=pair.question,
            answer=pair.answer,
            template=template.id,
            biological=template.biological,
            reasoning=template.reasoning,
            source=pair.source,
            yes_no=template.yes_no,
            yes=pair.yes,
            facts=pair.facts,
        )
        for name, pair in found.pairs.items()
    ]
