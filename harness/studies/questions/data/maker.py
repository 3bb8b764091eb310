"""The step that makes a dataset from a user's file: items without right answers, golds, examples and counts.

If rows are drawn, the file is read a second time to write them, so it may be of any size. Independent of wordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical_json
from harness.errors import InputError
from harness.models import media
from harness.rowtypes import Gold, Item
from harness.studies.questions.code.code_tests import CodeTests, read_tests
from harness.studies.questions.data import cells, drawing
from harness.studies.questions.data.row_scorers import SCORERS, RowScorers, has_options
from harness.studies.questions.data.sources import open_source
from harness.studies.questions.data.tables import SourceFile, read

OUTPUTS = ("items", "gold", "counts")
SHOTS = "shots"
TESTS = "tests"  # a field, and the output with the parts of each item's tests that a trial may see
IMAGE, MEDIA = "image", "media"  # a field, and the output with the bytes of the images
LONGEST_ID = 200
NumberedRow = tuple[int, drawing.Row]


@dataclass(frozen=True)
class Mapped:
    """Which columns of a file hold which field (input, options, target, ...), each field as a list of columns."""

    fields: Mapping[str, list[str]]
    scorers: RowScorers | None = None  # None: every scorer scores every row

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Mapped:
        """Return the mapping of fields to columns from a step's parameters `fields` and `scorers`."""
        fields = params["fields"].items()
        found = {name: [said] if isinstance(said, str) else list(said) for name, said in fields if said}
        return cls(found, RowScorers.of(params))

    def __getitem__(self, field: str) -> list[str]:
        """Return the columns of a field; an empty list if the manifest names none."""
        return self.fields.get(field, [])

    def one(self, field: str) -> str:
        """Return the single column of a field; an empty text if the manifest names none."""
        return self[field][0] if self[field] else ""

    @property
    def asked(self) -> list[str]:
        """The columns that make up a question: its input and its options."""
        return [*self["input"], *self["options"]]

    def lacks(self, row: drawing.Row, field: str, file: SourceFile, number: int) -> bool:
        """Whether a row has nothing in a field that none of its own scorers needs, so that the row is still valid."""
        if self.scorers is None or has_options(row, self[field]):
            return False
        return not self.scorers.need(self.scorers.names(row, self["options"], file, number), field)

    def chooses(self, row: drawing.Row, file: SourceFile, number: int) -> bool:
        """Whether the target of a row names one of its options."""
        if self.scorers is None or not self["options"]:
            return bool(self["options"])
        return self.scorers.need(self.scorers.names(row, self["options"], file, number), "options")

    def columns(self, where: drawing.Where = ()) -> list[str]:
        """Return every column that is read from the file."""
        fields = {name: value for name, value in self.fields.items() if name != "target_is"}
        return list(dict.fromkeys([*(name for columns in fields.values() for name in columns), *(c for c, _ in where)]))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, right answers (gold) and counts from a file's rows, and the few-shot examples if any are shown.

    Raises InputError, with file, row and column, if the file is not as the manifest says.
    """
    mapped, shots = Mapped.of(params), params.get("shots") or {}
    file = open_source(params, inputs)
    if shots or mapped["options"] or params.get("count"):
        counts = _write_drawn(params, inputs, out, file, mapped)
    else:  # each row can be written without knowing the others
        count = _write(out, params["dataset"], file, mapped, _matching(file, mapped, params["where"]), "")
        if not count:
            raise drawing.nothing_left(params["file"])
        counts = {"rows": count, "asked": count}
    if mapped[TESTS]:
        _write_tests(out)
    if mapped[IMAGE]:
        _write_media(file, out)
    rows.write_one(out / "counts", {params["dataset"]: counts})


def _write_drawn(
    params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, file: SourceFile, mapped: Mapped
) -> dict[str, int]:
    """Draw the rows to ask and the examples, find out how targets name options, and write; return the counts."""
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
    """Find out how targets name the right option; return an empty text if there are no options or no targets."""
    if not mapped["options"] or not mapped["target"]:
        return ""
    column = mapped.one("target")
    seen = cells.Rightness(said, file, column)
    for number, row in _chosen(file, mapped, wanted):
        if not mapped.chooses(row, file, number):
            continue
        choices = cells.options(row, mapped["options"], file, number)
        seen.see(cells.filled(row[column], "target", file, number, column), choices, number)
    return seen.way


def _write_tests(out: Path) -> None:
    """Write the parts of each item's tests that a trial of an answer may see."""

    def visible() -> Iterator[dict[str, Any]]:
        for row in rows.read(out / "gold", Gold):
            if TESTS not in row["gold"]:
                continue
            tests = read_tests(row["gold"][TESTS])
            assert isinstance(tests, CodeTests)  # `_gold` refuses others
            yield {"id": row["id"], **tests.visible()}

    rows.write(out / TESTS, visible())


def _write_media(file: SourceFile, out: Path) -> None:
    """Write the bytes of the images that items name, each once."""
    named = (one for row in rows.read(out / "items", Item) for one in row.get("attachments", ()))
    media.write_images(out / MEDIA, (file.image(one["sha256"]) for one in named))


def _chosen(file: SourceFile, mapped: Mapped, wanted: set[int]) -> Iterator[NumberedRow]:
    return ((number, row) for number, row in read(file, mapped.columns()) if number in wanted)


def _matching(file: SourceFile, mapped: Mapped, where: drawing.Where) -> Iterator[NumberedRow]:
    found = read(file, mapped.columns(where))
    return ((number, row) for number, row in found if drawing.matches(row, where, file, number))


def _write(out: Path, dataset: str, file: SourceFile, mapped: Mapped, asked: Iterable[NumberedRow], way: str) -> int:
    """Write items and golds in the order of the file; return their number."""
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
            items.write(canonical_json(item) + b"\n")
            golds.write(canonical_json(_gold(item, mapped, file, number, row, way)) + b"\n")
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
    if mapped.scorers:
        meta[SCORERS] = mapped.scorers.names(row, mapped["options"], file, number)
    if column := mapped.one(IMAGE):
        item["attachments"] = [file.attach(row[column], number, column)]
    if mapped["options"] and not mapped.lacks(row, "options", file, number):
        item["options"] = cells.options(row, mapped["options"], file, number)
    return item


def _id(text: str, file: SourceFile, number: int, column: str) -> str:
    """Return an id; raise InputError if it is too long or not printable on one line."""
    if len(text) > LONGEST_ID or not text.isprintable():
        raise InputError(
            f"the id is no text of 1 to {LONGEST_ID} characters in one line",
            where=file.at(number, column),
            next="name another column, or leave `id` out: rows are then numbered",
        )
    return text


def _gold(item: Item, mapped: Mapped, file: SourceFile, number: int, row: drawing.Row, way: str) -> Gold:
    """Return an item's gold; of a choice the target is the letter, and the option's text is also accepted."""
    accepted: list[str] = []
    if column := mapped.one("accepted"):
        accepted = [one for one in cells.several(row[column], file, number, column, "|") if one.strip()]
    target = _target(mapped, file, number, row)
    if way and mapped.chooses(row, file, number):
        letter = cells.right(way, target, item["options"], file.at(number, mapped.one("target")))
        target, accepted = letter, [item["options"][letter], *accepted]
    gold: dict[str, Any] = {"target": target, "accepted": accepted}
    if (column := mapped.one("tests")) and not mapped.lacks(row, "tests", file, number):
        gold[TESTS] = cells.filled(row[column], "text of the tests", file, number, column)
        if isinstance(why := read_tests(gold[TESTS]), str):
            raise InputError(
                why, where=file.at(number, column), next="write Python: `assert call == value`, a line each"
            )
    return {"id": item["id"], "gold": gold}


def _target(mapped: Mapped, file: SourceFile, number: int, row: drawing.Row) -> str:
    column = mapped.one("target")
    if column and mapped.lacks(row, "target", file, number):
        return ""
    return cells.filled(row[column], "target", file, number, column) if column else ""


def _write_examples(out: Path, dataset: str, file: SourceFile, mapped: Mapped, numbers: list[int], way: str) -> None:
    """Write the examples in the order of their draw, each with its answer and, if it is a choice, its letter."""
    found = {}
    for number, row in _chosen(file, mapped, set(numbers)):
        item = _item(dataset, file, mapped, number, row)
        answer = cells.filled(_target(mapped, file, number, row), "target", file, number, mapped.one("target"))
        name = f"{dataset}/shot{item['id'].removeprefix(dataset)}"  # differs from every item's id
        shot: dict[str, Any] = {**item, "id": name, "answer": answer}
        if way and mapped.chooses(row, file, number):
            letter = cells.right(way, answer, item["options"], file.at(number, mapped.one("target")))
            shot |= {"letter": letter, "answer": item["options"][letter]}
        found[number] = shot
    rows.write(out / SHOTS, (found[number] for number in numbers))
