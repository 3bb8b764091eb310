"""The step that makes a dataset of a person's file: items without what is right, golds, examples and counts.

Where rows are drawn the file is read again to write them, so that its size does not matter. It must never know a
wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.questions.code.code_tests import CodeTests, read_tests
from harness.studies.questions.data import cells, drawing
from harness.studies.questions.data.tables import SourceFile, read

OUTPUTS = ("items", "gold", "counts")
SHOTS = "shots"
TESTS = "tests"  # a field, and the output that says of each item's tests what a trial may see
LONGEST_ID = 200
NumberedRow = tuple[int, drawing.Row]


@dataclass(frozen=True)
class Mapped:
    """The columns of a file by what they are, each field as a list of columns."""

    fields: Mapping[str, list[str]]

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Mapped:
        """Read them from a step's parameter."""
        return cls({name: [said] if isinstance(said, str) else list(said) for name, said in fields.items() if said})

    def __getitem__(self, field: str) -> list[str]:
        """Give the columns of a field; none where the manifest names none."""
        return self.fields.get(field, [])

    def one(self, field: str) -> str:
        """Give the only column of a field; empty where the manifest names none."""
        return self[field][0] if self[field] else ""

    @property
    def asked(self) -> list[str]:
        """Columns that say what is asked."""
        return [*self["input"], *self["options"]]

    def columns(self, where: drawing.Where = ()) -> list[str]:
        """Every column that is read."""
        fields = {name: value for name, value in self.fields.items() if name != "target_is"}
        return list(dict.fromkeys([*(name for columns in fields.values() for name in columns), *(c for c, _ in where)]))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, golds and counts of a file's rows, and the examples where any are shown.

    InputError, with file, row and column, for whatever the file has not as the manifest says.
    """
    mapped, shots = Mapped.of(params["fields"]), params.get("shots") or {}
    file = SourceFile(inputs["file"], params["file"], params["format"], params["encoding"])
    if shots or mapped["options"] or params.get("count"):
        counts = _write_drawn(params, inputs, out, file, mapped)
    else:  # nothing has to be known of all rows before the first is written
        count = _write(out, params["dataset"], file, mapped, _matching(file, mapped, params["where"]), "")
        if not count:
            raise drawing.nothing_left(params["file"])
        counts = {"rows": count, "asked": count}
    if mapped[TESTS]:
        _write_tests(out)
    rows.write_one(out / "counts", {params["dataset"]: counts})


def _write_drawn(
    params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, file: SourceFile, mapped: Mapped
) -> dict[str, int]:
    """Draw what is asked and what is shown, see how targets name options, and write; gives the counts."""
    where, shots, other = params["where"], params.get("shots") or {}, inputs.get("shots_file")
    source = SourceFile(other, shots["file"], shots["format"], params["encoding"]) if other else file
    also, (asks, shows) = shots.get("where", []), (dict[int, str](), dict[int, str]())
    for number, row in read(file, mapped.columns([*where, *([] if other else also)])):
        if drawing.matches(row, where, file, number):
            asks[number] = drawing.question(row, mapped.asked) if shots else ""
        if also and not other and drawing.matches(row, also, file, number):
            shows[number] = drawing.question(row, mapped.asked)
    if other:
        shows = {number: drawing.question(row, mapped.asked) for number, row in _matching(source, mapped, also)}
    drawn = drawing.draw(params, asks, shows if also or other else None, same=not other)
    way = _ways(params["fields"].get("target_is"), mapped, file, drawn.asked)
    if shots:
        _ways(way, mapped, source, set(drawn.examples))
        _write_examples(out, params["dataset"], source, mapped, drawn.examples, way)
    _write(out, params["dataset"], file, mapped, _chosen(file, mapped, drawn.asked), way)
    return drawn.counts


def _ways(said: str | None, mapped: Mapped, file: SourceFile, wanted: set[int]) -> str:
    """See how targets say which option is right; empty where there are no options, or nothing is right."""
    if not mapped["options"] or not mapped["target"]:
        return ""
    column = mapped.one("target")
    seen = cells.Rightness(said, file, column)
    for number, row in _chosen(file, mapped, wanted):
        choices = cells.options(row, mapped["options"], file, number)
        seen.see(cells.filled(row[column], "target", file, number, column), choices, number)
    return seen.way


def _write_tests(out: Path) -> None:
    """Write of each item's tests what a trial of an answer may see."""

    def visible() -> Iterator[dict[str, Any]]:
        for row in rows.read(out / "gold", Gold):
            tests = read_tests(row["gold"][TESTS])
            assert isinstance(tests, CodeTests)  # `_gold` refuses others
            yield {"id": row["id"], **tests.visible()}

    rows.write(out / TESTS, visible())


def _chosen(file: SourceFile, mapped: Mapped, wanted: set[int]) -> Iterator[NumberedRow]:
    return ((number, row) for number, row in read(file, mapped.columns()) if number in wanted)


def _matching(file: SourceFile, mapped: Mapped, where: drawing.Where) -> Iterator[NumberedRow]:
    found = read(file, mapped.columns(where))
    return ((number, row) for number, row in found if drawing.matches(row, where, file, number))


def _write(out: Path, dataset: str, file: SourceFile, mapped: Mapped, asked: Iterable[NumberedRow], way: str) -> int:
    """Write items and golds side by side, in the order of the file; gives how many they are."""
    with open(out / "items", "wb") as items, open(out / "gold", "wb") as golds:
        known: dict[str, int] = {}
        for number, row in asked:
            item = _item(dataset, file, mapped, number, row)
            if item["id"] in known:
                raise InputError(
                    f"the id stands in row {known[item['id']]} too",
                    where=file.at(number, mapped.one("id")),
                    next="give each row an id of its own, or leave `id` out: rows are then numbered",
                )
            known[item["id"]] = number
            items.write(canonical(item) + b"\n")
            golds.write(canonical(_gold(item, mapped, file, number, row, way)) + b"\n")
    return len(known)


def _item(dataset: str, file: SourceFile, mapped: Mapped, number: int, row: drawing.Row) -> Item:
    values = {name: cells.text(row[name], file, number, name) for name in mapped["show"]}
    values |= {name: cells.filled(row[name], "input", file, number, name) for name in mapped["input"]}
    meta: dict[str, Any] = {"row": number}
    if mapped["group"]:
        meta["group"] = {name: cells.text(row[name], file, number, name) for name in mapped["group"]}
    if mapped["cluster"]:
        meta["cluster"] = cells.filled(row[mapped.one("cluster")], "cluster", file, number, mapped.one("cluster"))
    name = f"{dataset}-{number:06d}"
    if column := mapped.one("id"):
        name = f"{dataset}:{_id(cells.filled(row[column], 'id', file, number, column), file, number, column)}"
    item: Item = {"id": name, "task": dataset, "input": values, "difficulty": None, "meta": meta}
    if mapped["options"]:
        item["options"] = cells.options(row, mapped["options"], file, number)
    return item


def _id(text: str, file: SourceFile, number: int, column: str) -> str:
    """Refuse an id that no line of a terminal or of a table can hold."""
    if len(text) > LONGEST_ID or not text.isprintable():
        raise InputError(
            f"the id is no text of 1 to {LONGEST_ID} characters in one line",
            where=file.at(number, column),
            next="name another column, or leave `id` out: rows are then numbered",
        )
    return text


def _gold(item: Item, mapped: Mapped, file: SourceFile, number: int, row: drawing.Row, way: str) -> Gold:
    """Give what is right: of a choice the letter, and the option's text among what is accepted."""
    accepted: list[str] = []
    if column := mapped.one("accepted"):
        accepted = [one for one in cells.several(row[column], file, number, column, "|") if one.strip()]
    target = _target(mapped, file, number, row)
    if way:
        letter = cells.right(way, target, item["options"], file.at(number, mapped.one("target")))
        target, accepted = letter, [item["options"][letter], *accepted]
    gold: dict[str, Any] = {"target": target, "accepted": accepted}
    if column := mapped.one("tests"):
        gold[TESTS] = cells.filled(row[column], "text of the tests", file, number, column)
        if isinstance(why := read_tests(gold[TESTS]), str):
            raise InputError(
                why, where=file.at(number, column), next="write Python: `assert call == value`, a line each"
            )
    return {"id": item["id"], "gold": gold}


def _target(mapped: Mapped, file: SourceFile, number: int, row: drawing.Row) -> str:
    column = mapped.one("target")
    return cells.filled(row[column], "target", file, number, column) if column else ""


def _write_examples(out: Path, dataset: str, file: SourceFile, mapped: Mapped, numbers: list[int], way: str) -> None:
    """Write the examples in the order of their draw, each with its answer, and its letter where it is a choice."""
    found = {}
    for number, row in _chosen(file, mapped, set(numbers)):
        item = _item(dataset, file, mapped, number, row)
        answer = cells.filled(_target(mapped, file, number, row), "target", file, number, mapped.one("target"))
        name = f"{dataset}/shot{item['id'].removeprefix(dataset)}"  # no id of an item, and it tells the same text
        shot: dict[str, Any] = {**item, "id": name, "answer": answer}
        if way:
            letter = cells.right(way, answer, item["options"], file.at(number, mapped.one("target")))
            shot |= {"letter": letter, "answer": item["options"][letter]}
        found[number] = shot
    rows.write(out / SHOTS, (found[number] for number in numbers))
