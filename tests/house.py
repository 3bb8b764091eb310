"""Draws the house from its code: reads the imports, and writes floors, rooms and arrows into docs/architecture.md.

Run as a program (`make house`) it writes; the tests of the house read the same floors, so that the drawing is the rule.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from harness.run.closure import Code

ROOT = Path(__file__).resolve().parents[1]
PAGE, DRAWING = ROOT / "docs" / "architecture.md", ROOT / "docs" / "house.svg"
BEGIN, END = "<!-- drawn by `make house` -->\n", "<!-- end of the drawing -->\n"
FLOORS = {
    "errors": -1, "digest": 0, "npy": 0, "clean_start": 0, "definitions": 1,
    "engines": 1, "stats": 1, "steps": 1, "files": 1, "rows": 1, "rowtypes": 1, "seeds": 1, "clock": 1, "parts": 1,
    "peers": 1, "step_kinds": 1, "texts": 1, "trial_entry": 1, "arrays": 1,
    "answers": 2, "models": 2, "store": 2, "trial": 2,
    "scorers": 3, "manifest": 3, "attempts": 3,
    "kit": 4, "evidence": 4, "images": 4,
    "studies": 5,
    "run": 6,
    "verbs": 7,
    "view": 8, "tools": 8,
    "cli": 9,
}  # fmt: skip
CONTENTS = ("studies", "kit", "answers")  # what is no engine
SCIENCE = {"studies", "kit", "scorers", "answers", "models", "stats"}
EVIDENCE = {"evidence", "manifest", "store"}
# What the tower of evidence may never know of the tower of science, and the other way round.
APART = {**dict.fromkeys(SCIENCE, EVIDENCE | {"engines"}), **dict.fromkeys(EVIDENCE, SCIENCE)}


def room(module: str) -> str:
    """Name the room of a module: the package or file below `harness`; the agents' tools are one room."""
    first, _, rest = module.partition(".")
    return rest.partition(".")[0] if first == "harness" else first


@dataclass(frozen=True)
class Room:
    """One room: its floor, its size, and the rooms its modules import."""

    name: str
    floor: int
    files: int
    lines: int
    statements: int  # without imports and docstrings
    imports: tuple[str, ...]


def modules() -> list[str]:
    """List every module of the package and of the agents' tools, their folders' docstrings aside."""
    paths = sorted(path for folder in ("harness", "tools") for path in (ROOT / folder).rglob("*.py"))
    return [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in paths
        if path.name != "__init__.py"
    ]


def source(module: str) -> Path:
    """Give the file of a module."""
    return ROOT / (module.replace(".", "/") + ".py")


def rooms() -> list[Room]:
    """Read the rooms there are from the source, the highest floor first."""
    code, found = Code(ROOT), dict[str, list[str]]()
    for module in modules():
        found.setdefault(room(module), []).append(module)
    made = []
    for name, inside in found.items():
        others = {room(other) for module in inside for other in code.imports(module) if other.count(".")} - {name}
        texts = [source(module).read_text() for module in inside]
        lines, statements = sum(len(one.splitlines()) for one in texts), sum(map(count_statements, texts))
        by_floor = sorted(others, key=lambda other: (-FLOORS[other], other))
        made.append(Room(name, FLOORS[name], len(inside), lines, statements, tuple(by_floor)))
    return sorted(made, key=lambda each: (-each.floor, each.name))


def count_statements(text: str) -> int:
    """Count the statements of a file that are neither an import nor a docstring."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    return sum(not isinstance(node, ast.Import | ast.ImportFrom) and not _is_text(node) for node in nodes)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def figures(found: list[Room]) -> Iterator[str]:
    """Say what a house weighs: the engine's size, slips of paper, imports, and what an edit makes again."""
    code, importers = Code(ROOT), Counter[str]()
    texts = {module: source(module).read_text() for module in modules()}
    for module in texts:
        importers.update(set(code.imports(module)))
    engine = [each for each in found if each.name not in CONTENTS]
    sums = (sum(getattr(each, what) for each in engine) for what in ("files", "lines", "statements"))
    yield "the engine (all but {}): {:,} files, {:,} lines, {:,} statements".format(" and ".join(CONTENTS), *sums)
    slips = [
        module
        for module, text in texts.items()
        if room(module) not in {*CONTENTS, "cli"} and importers[module] == 1 and len(text.splitlines()) < 120
    ]
    yield f"its files under 120 lines with one importer, `cli` apart: {len(slips)}"
    lines = sum(len(text.splitlines()) for text in texts.values())
    imports = sum(
        (node.end_lineno or 0) - node.lineno + 1
        for text in texts.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    yield f"imports are {imports / lines:.1%} of the lines"
    kinds = [module for module, text in texts.items() for _ in range(_step_kinds(text))]
    remade = Counter[str](file for module in kinds for file in code.closure(module).files)
    weighed = sum(len(text.splitlines()) * remade[f"{module.replace('.', '/')}.py"] for module, text in texts.items())
    again = weighed / lines / len(kinds)
    yield f"an edit of a line makes {again:.1%} of the {len(kinds)} kinds of steps again, on average"


def _step_kinds(text: str) -> int:
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return sum([each.arg for each in node.args.args] == ["params", "inputs", "out"] for node in functions)


def findings(found: list[Room]) -> Iterator[str]:
    """Say what one asks of a house: an arrow that runs up, towers that know each other, a room that is too large."""
    up = [f"{each.name} → {to}" for each in found for to in each.imports if FLOORS[to] >= each.floor]
    yield f"arrows that run up or stay on a floor: {', '.join(up) or 'none'}"
    known = [f"{each.name} → {to}" for each in found for to in each.imports if to in APART.get(each.name, ())]
    yield f"arrows between the two towers: {', '.join(known) or 'none'}"
    all_lines = sum(each.lines for each in found)
    shares = sorted(((each.lines / all_lines, each.name) for each in found), reverse=True)[:4]
    yield "the largest rooms: " + ", ".join(f"{name} {share:.0%}" for share, name in shares) + " of the lines"


def text(found: list[Room]) -> str:
    """Draw the floors as text."""
    lines = ["```text"]
    width = max(len(each.name) for each in found)
    for floor in sorted({each.floor for each in found}, reverse=True):
        for number, each in enumerate(one for one in found if one.floor == floor):
            label = "-" if floor < 0 else str(floor)
            size = f"{each.files:3} files {each.lines:6,} lines {each.statements:6,} statements"
            arrows = f"→ {' '.join(each.imports)}" if each.imports else ""
            lines.append(f"{label if not number else ' ':>2}  {each.name:<{width}} {size}  {arrows}".rstrip())
    return "\n".join([*lines, "", *findings(found), *figures(found), "```\n"])


def _side(name: str) -> int:
    return -1 if name in EVIDENCE else int(name in SCIENCE)


def drawing(found: list[Room]) -> str:
    """Draw the floors as SVG: a box a room, as wide as its share of the lines; arrows run down.

    The two towers stand left and right; what all rooms import, on the two lowest floors, has no arrows.
    """
    wide, step, high, left = 960, 92, 46, 40
    floors = sorted({each.floor for each in found}, reverse=True)
    boxes: dict[str, tuple[float, float, float]] = {}
    parts = []
    for row, floor in enumerate(floors):
        here = sorted((each for each in found if each.floor == floor), key=lambda each: _side(each.name))
        widths = [max(64.0, 560 * each.lines / sum(one.lines for one in found)) for each in here]
        x, y = left + (wide - left - sum(widths) - 14 * (len(here) - 1)) / 2, 20 + row * step
        parts.append(f'<text x="8" y="{y + 28:.0f}" class="floor">{"-" if floor < 0 else floor}</text>')
        for each, width in zip(here, widths, strict=True):
            boxes[each.name] = (x, y, width)
            tower = "science" if each.name in SCIENCE else "evidence" if each.name in EVIDENCE else "other"
            parts.append(
                f'<g class="{tower}"><rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{high}" rx="4"/>'
                f'<text x="{x + width / 2:.0f}" y="{y + 20}">{escape(each.name)}</text>'
                f'<text x="{x + width / 2:.0f}" y="{y + 36}" class="size">{each.lines:,}</text></g>'
            )
            x += width + 14
    lines = []
    for each in found:
        for to in (to for to in each.imports if FLOORS[to] > 0):
            (x1, y1, w1), (x2, y2, w2) = boxes[each.name], boxes[to]
            up = ' class="up"' if FLOORS[to] >= each.floor else ""
            lines.append(f'<path{up} d="M{x1 + w1 / 2:.0f} {y1 + high} L{x2 + w2 / 2:.0f} {y2}"/>')
    style = (
        "rect{stroke:#333;fill:#eee}.science rect{fill:#dbe9f6}.evidence rect{fill:#e2f0d9}text{font:13px sans-serif;"
        "text-anchor:middle}.size{font-size:10px;fill:#555}.floor{text-anchor:start;fill:#777}"
        "path{stroke:#888;stroke-opacity:.35;fill:none}.up{stroke:#c00;stroke-opacity:1}"
    )
    tall = 20 + len(floors) * step
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" role="img"><title>The floors</title>'
    return "\n".join([head, f"<style>{style}</style>", *lines, *parts, "</svg>\n"])


def structure(drawn: str) -> str:
    """Give a drawing without its sizes, which change with every line that is written."""
    sizes = r" +[\d,]+ (files|lines|statements)|(the largest rooms|the engine|its files|imports are|an edit of).*"
    return re.sub(sizes, "", drawn)


def parts_of(page: str) -> tuple[str, str, str]:
    """Cut the page into what stands before the drawing, the drawing, and what follows it."""
    before, _, rest = page.partition(BEGIN)
    drawn, _, after = rest.partition(END)
    return before, drawn, after


def main() -> None:
    """Write the drawing into the page and beside it, and print it."""
    found = rooms()
    print(text(found))
    before, _, after = parts_of(PAGE.read_text())
    PAGE.write_text(f"{before}{BEGIN}![the floors](house.svg)\n\n{text(found)}{END}{after}")
    DRAWING.write_text(drawing(found))


if __name__ == "__main__":
    main()
