"""The verbs `score` and `analyse`: score rows with one scorer, or run one analysis on one object, without a run.

An analysis can read its fields from the arrays of .npz files, and write the arrays of its result to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from harness import arrays
from harness.errors import InputError
from harness.files import translating_os_errors
from harness.rowtypes import Program
from harness.run.executing.trials import ProgramRunner
from harness.run.locking.certificates import grader_standing
from harness.scorers.given import as_json_data, axes_fields, union_models
from harness.scorers.tool import Tool, describe_fields
from harness.studies.registry import analyses, find_scorer, scorers
from harness.verbs.project import Project, Result
from harness.verbs.requests import AnalyseRequest, ScoreRequest

__all__ = [
    "AnalyseResult",
    "ScoreResult",
    "ToolsResult",
    "analyse",
    "list_analyses",
    "list_scorers",
    "score",
]

MOST_LISTED = 100_000  # elements of arrays that are written as JSON


def is_array_file(path: Path) -> bool:
    """Return whether a file holds named arrays (.npz); raise InputError for an array without a name (.npy)."""
    with translating_os_errors(path):  # a pipe can be read only once, so it is not read here
        form = arrays.file_format(path) if path.is_file() else ""
    if form == "npy":
        raise InputError(
            "this array has no name, and fields have one", where=str(path), next="save it in a .npz file by name"
        )
    return form == "npz"


def analysis_fields(
    model: type[BaseModel], file: Path | None, second: Path | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of an analysis, from `given` and from up to two files; raise InputError if one comes twice."""
    found: dict[str, Any] = dict(given)
    sources = [_members(model, file)] if file else []
    sources += [_second(model, second)] if second else []
    for source in sources:
        for name, value in source.items():
            if name in found:
                raise InputError(f"the field `{name}` is given twice", where=name, next="leave it out in one place")
            found[name] = value
    return found


def _members(model: type[BaseModel], file: Path) -> dict[str, Any]:
    """Read every array of a file as a field: as an array, or as plain values if the field takes no array."""
    plain = {name for part in union_models(model) for name in part.model_fields} - axes_fields(model).keys()
    with translating_os_errors(file):
        return {name: _plain(one, name) if name in plain else one for name, one in arrays.read_all(file).items()}


def _plain(array: Any, name: str) -> Any:
    _require_few(array.size, f"the field `{name}` takes no array, and", "give fewer", name)
    return array.tolist()


def _second(model: type[BaseModel], file: Path) -> dict[str, Any]:
    wanted = {name: mark.second for name, mark in axes_fields(model).items() if mark.second}
    if not wanted:
        raise InputError("this analysis takes nothing from a second file", where=str(file), next="leave out --with")
    with translating_os_errors(file):
        there = arrays.read_headers(file)
        if "" in there or not any(member in there for member in wanted.values()):
            needed = ", ".join(f"`{member}` (for `{name}`)" for name, member in wanted.items())
            raise InputError("the second file has nothing for it", where=str(file), next=f"it takes: {needed}")
        return {name: arrays.read(file, member) for name, member in wanted.items() if member in there}


def plain_result(result: Mapping[str, Any], to: Path | None) -> dict[str, Any]:
    """Convert a result to JSON values: its arrays become lists or, with `to`, members of that file, by their names.

    Lists of more than 100,000 elements in all are refused.
    """
    found = dict(_arrays(result, ""))
    if to is None:
        _require_few(sum(int(array.size) for array in found.values()), "the result's arrays have too much to read:")
        return dict(as_json_data(result))
    if not found:
        raise InputError("the result has no array to write", where=str(to), next="leave out -o")
    with translating_os_errors(to):
        arrays.write_all(to, found)
        return dict(
            as_json_data(_pointed(result, "", {name: head.text() for name, head in arrays.read_headers(to).items()}))
        )


def _require_few(
    count: int, what: str, advice: str = "write the result's arrays to a file: -o FILE.npz", where: str = ""
) -> None:
    if count > MOST_LISTED:
        more = f"{what} {count:,} elements are more than the {MOST_LISTED:,} that are listed"
        raise InputError(more, where=where, next=advice)


def _arrays(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _arrays(one, f"{at}.{name}" if at else name)
    elif getattr(value, "ndim", 0):
        yield at, value


def _pointed(value: Any, at: str, said: Mapping[str, str]) -> Any:
    """Replace the arrays of a result with their names in the file, and their types and shapes."""
    if isinstance(value, Mapping):
        return {name: _pointed(one, f"{at}.{name}" if at else name, said) for name, one in value.items()}
    return {"member": at, "array": said[at]} if at in said else value


class ToolData(Result):
    """Description of a scorer or an analysis: its fields, their JSON Schema, and a grader's certificate."""

    model_config = ConfigDict(serialize_by_alias=True)

    name: str
    about: str
    takes: dict[str, str]
    gives: dict[str, str]
    schemas: dict[str, Any] = Field(
        serialization_alias="schema", description="Both as JSON Schema, by `takes` and `gives`."
    )
    certificate: str = Field(default="", description="What the certificate of a grader says, where there is a project.")


class ToolsResult(Result):
    """Result of listing scorers or analyses."""

    tools: list[ToolData]


def list_scorers(project: Project | None = None) -> ToolsResult:
    """List every scorer with its fields and, if a project is given, the state of each grader's certificate."""
    found = scorers()
    graders = [name for name, tool in found.items() if tool.grader] if project else []
    return _listed(found, {name: grader_standing(project.root, name).text for name in graders if project})


def list_analyses() -> ToolsResult:
    """List every analysis with its fields."""
    return _listed(analyses())


def _listed(found: Mapping[str, Tool], certificates: Mapping[str, str] = MappingProxyType({})) -> ToolsResult:
    return ToolsResult(
        tools=[
            ToolData(
                name=name,
                about=tool.about,
                takes=describe_fields(tool.takes),
                gives=describe_fields(tool.gives),
                schemas=tool.schema(),
                **({"certificate": certificates[name]} if name in certificates else {}),
            )
            for name, tool in found.items()
        ]
    )


class ScoreResult(Result):
    """Result of `score`: one score for each row, in the order of the rows."""

    scores: list[dict[str, Any]]


def score(asked: ScoreRequest) -> ScoreResult:
    """Score rows with one scorer; raise InputError for an unknown scorer, or for a row that does not fit its fields."""
    named = ((f"row {number}", row) for number, row in enumerate(asked.rows, 1))
    return ScoreResult(scores=[dict(found) for found in score_each_row(asked.scorer, named, asked.shared)])


def score_each_row(
    name: str, rows: Iterable[tuple[str, Mapping[str, Any]]], shared: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the scores of rows, one at a time; each row comes with its location, which errors name.

    If a row has a program, the program is first run in a sandbox of this machine. Raises MissingError if this machine
    has no sandbox that can contain it.
    """
    tool, sandbox = find_scorer_tool(name), ProgramRunner()
    for where, row in rows:
        try:
            yield tool.run(_tried(tool, {**shared, **row}, sandbox))
        except InputError as bad:
            raise InputError(bad.what, where=", ".join(filter(None, (where, bad.where))), next=bad.next) from bad


def _tried(tool: Tool, row: Mapping[str, Any], sandbox: ProgramRunner) -> Mapping[str, Any]:
    """Return a row with the outcome of its program, if it has one."""
    taken, foreign = tool.program(row), tool.foreign
    if taken is None or foreign is None:
        return row
    text, stdin = taken
    program: Program = {"item": "", "template": 0, "model": "", "sample": 0, "program": text, "stdin": stdin}
    return {**row, foreign.field: sandbox.run(program, foreign.limits)}


class AnalyseResult(Result):
    """Result of `analyse`: the result of the analysis."""

    result: dict[str, Any]


def analyse(asked: AnalyseRequest) -> AnalyseResult:
    """Run one analysis on an object and return its result; arrays may be read from files, and written to one."""
    tool = _find(analyses(), asked.analysis, "analysis")
    file, second, to = (Path(one) if one else None for one in (asked.file, asked.second, asked.to))
    given = analysis_fields(tool.takes, file, second, asked.given) if file or second else asked.given
    return AnalyseResult(result=plain_result(tool.run(given), to))


def find_scorer_tool(name: str) -> Tool:
    """Return the scorer of this name; raise InputError if there is none."""
    return find_scorer(name) or _find(scorers(), name, "scorer")


def require_tool(name: str, *, scorer: bool) -> None:
    """Raise InputError if there is no scorer (or analysis) of this name, before any input is read."""
    if scorer:
        find_scorer_tool(name)
    else:
        _find(analyses(), name, "analysis")


def _find(found: Mapping[str, Tool], name: str, what: str) -> Tool:
    if name not in found:
        wanted = f"name {'an' if what[0] in 'aeiou' else 'a'} {what}"
        near = get_close_matches(name, found, n=5) or [one for one in found if name and name in one]
        verb = "score" if what == "scorer" else "analyse"
        choose = f"choose one of: {', '.join(near)}; " if near else ""
        raise InputError(
            f"no {what} is called {name!r}" if name else wanted, next=f"{choose}`harness {verb} --list` shows all"
        )
    return found[name]
