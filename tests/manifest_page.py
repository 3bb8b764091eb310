"""Writes docs/manifest.md's tables from the schema of manifests: `python tests/manifest_page.py --write`.

Without `--write` it prints them. The test of the page holds that they are those of the schema.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.verbs.describing import ListedField, schema

PAGE = Path(__file__).resolve().parents[1] / "docs" / "manifest.md"
BEGIN, END = "<!-- written by tests/manifest_page.py -->\n", "<!-- end of what is written -->\n"
LONGEST = 70  # letters of an example in a table
SHORT = {"a" * 64: "aaaa…", "b" * 40: "bbbb…"}  # digests


def cell(text: str) -> str:
    """Write a text in a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    """Write an example or a default as code, a digest shortened."""
    for long, short in SHORT.items():
        text = text.replace(long, short)
    mark = "``" if "`" in text else "`"
    return f"{mark}{cell(text)}{mark}" if text else ""


def parts_of(fields: list[ListedField]) -> Iterator[str]:
    """Write a table for each part of a manifest, where it stands first; one that stands in several places, once."""
    seen: dict[str, list[ListedField]] = {}
    for one in fields:
        held = seen.setdefault(one.part, [])
        if not held or one.field.rpartition(".")[0] == held[0].field.rpartition(".")[0]:
            held.append(one)
    for part, held in seen.items():
        place = held[0].field.rpartition(".")[0]
        yield f"### {part}\n"
        if place:
            yield f"`{place}`: {held[0].note}\n"
        yield "| field | holds | default | what it says | example |\n|---|---|---|---|---|"
        for one in held:
            name, default = one.field.rpartition(".")[2], one.default
            shown = default if default in ("", "required") else code(default)
            yield f"| `{name}` | {cell(one.kind)} | {shown} | {cell(one.about)} | {code(one.example)} |"
        yield ""


def makers_of(document: Mapping[str, Any]) -> Iterator[str]:
    """Write a table of each study's makers: what stands beside `make`, and what may; alike ones together."""
    for name, part in document["$defs"].items():
        alike: dict[tuple[str, str], list[str]] = {}
        for one in part.get("allOf", ()) if name.startswith("Datasets.") else ():
            maker, kinds = one["if"]["properties"]["make"]["const"], one["then"]["properties"]
            wanted = [key for key in one["then"]["required"] if key != "make"]
            other = [key for key in kinds if key not in wanted and key != "make"]
            said = tuple(", ".join(f"`{key}`{_kind(kinds[key])}" for key in keys) for keys in (wanted, other))
            alike.setdefault((said[0], said[1]), []).append(maker)
        if alike:
            yield f"#### {name.partition('.')[2]}\n\n| `make` | needs | may have |\n|---|---|---|"
            yield from (f"| {', '.join(f'`{maker}`' for maker in makers)} | {needs} | {may} |"
                        for (needs, may), makers in alike.items())  # fmt: skip
            yield ""


def _kind(kind: Mapping[str, Any]) -> str:
    return " (whole number)" if kind.get("type") == "integer" else " (a dataset)" if kind.get("type") else ""


def tables() -> str:
    """Write every table of the page."""
    made = schema()
    lines = [*parts_of(made.fields), "### Makers of the studies\n", *makers_of(made.document)]
    return "\n".join(lines).rstrip() + "\n"


def page_with(written: str) -> str:
    """Give the page with these tables in it."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n{written}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page_with(tables()))
    else:
        print(tables())
