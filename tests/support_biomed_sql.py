"""The answers of the forty templates of `biomed` by SQL over the raw tables: a path of its own to the same facts.

Written from the rules in words (docs/biomed.md#formats and what follows it), not from the templates; questions are told
apart by the slots in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from needs import OnceUsed

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.pair import TABLES

duckdb = OnceUsed("duckdb")
QUERIES = Path(__file__).parent / "studies" / "biomed" / "templates" / "sql"
LONGEST = 9  # words of a slot's value
DECIMALS = frozenset(("p", "b", "HEIDI", "frequency", "other frequency"))
Key = tuple[str, ...]
Said = tuple[str, str, tuple[str, ...], int | None]  # slot, of, values, how many of all where not all are shown

# What raw tables have and the invented ones do not: rows of the other orientation, and p-values that say "missing".
_GWAS = """SELECT * REPLACE (
    CASE WHEN {n} % 3 = 0 THEN A2 ELSE A1 END AS A1,
    CASE WHEN {n} % 3 = 0 THEN A1 ELSE A2 END AS A2,
    CASE WHEN {n} % 3 = 0 THEN (1 - freq::VARCHAR::DECIMAL(9, 6))::DOUBLE ELSE freq END AS freq,
    CASE WHEN {n} % 3 = 0 THEN -b ELSE b END AS b,
    CASE {n} % 71 WHEN 3 THEN -9999 WHEN 5 THEN 'nan'::DOUBLE ELSE p END AS p,
    CASE {n} % 13 WHEN 3 THEN '0' WHEN 5 THEN NULL ELSE chr_38 END AS chr_38,
    CASE {n} % 17 WHEN 3 THEN 'NONE' WHEN 5 THEN NULL ELSE nearestGene END AS nearestGene)"""
_SMR = (
    "SELECT * REPLACE (CASE {n} % 31 WHEN 3 THEN -9999 WHEN 5 THEN 'nan'::DOUBLE ELSE p_SMR_multi END AS p_SMR_multi)"
)
_RAW = {"ad_gwas": _GWAS, "pd_gwas": _GWAS, "smr": _SMR}
_ORDER = "regexp_extract(UUID, '(\\d+)$', 1)::BIGINT"


@dataclass(frozen=True)
class Expected:
    """What SQL says of one question."""

    yes: bool | None
    facts: frozenset[Said]
    printed: tuple[str, ...]  # numbers that the answer prints otherwise than its facts hold them


class Database:
    """The tables of a folder as SQL sees them."""

    def __init__(self, folder: Path) -> None:
        self._to = duckdb.connect()
        self._to.execute("SET threads = 2")
        self._to.execute((QUERIES / "base.sql").read_text(encoding="utf-8").replace("{folder}", str(folder)))

    def answers(self, template: str, mode: str) -> dict[Key, Expected]:
        """Give what is expected of each question of a template by its slots, in the natural order of the source."""
        query = (QUERIES / f"{template}.sql").read_text(encoding="utf-8").rstrip().rstrip(";")
        printed = "printed" if "AS printed" in query.rpartition("SELECT")[2] else "[]"
        self._to.execute("SET VARIABLE mode = $1", [mode])
        found = self._to.execute(
            f"WITH found AS ({query}\n) SELECT [{', '.join(TEMPLATES[template].slots)}], yes, facts::JSON, {printed} "
            "FROM found ORDER BY nr"
        ).fetchall()
        return {tuple(key): Expected(yes, _facts(json.loads(said)), tuple(shown)) for key, yes, said, shown in found}


def made_raw(given: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """Write tables once more with what only raw ones have: both orientations of alleles, missing p-values."""
    folder.mkdir()
    paths = {name: folder / f"{name}.parquet" for name in TABLES}
    with duckdb.connect() as to:
        for name, path in paths.items():
            chosen = _RAW.get(name, "SELECT *").replace("{n}", _ORDER)
            to.execute(f"COPY ({chosen} FROM '{given[name]}' ORDER BY {_ORDER}) TO '{path}' (FORMAT parquet)")
    return paths


def said(facts: Iterable[Fact]) -> frozenset[Said]:
    """Give the facts of an answer as SQL gives them."""
    return frozenset(
        (
            one["slot"],
            one["of"],
            tuple(_plain(one["slot"], value) for value in _several(one["value"])),
            one.get("of_all"),
        )
        for one in facts
    )


def slots_of(question: str, known: Sequence[Mapping[str, str]]) -> Key | None:
    """Give the slots of a question, each the longest of its known values that stands in it; none where one lacks."""
    words = question.split()
    found: list[str | None] = [None] * len(known)
    for length in range(min(LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            bare = " ".join(words[start : start + length]).strip("?.,;:()\"'").casefold()
            for place, values in enumerate(known):
                if found[place] is None and bare in values:
                    found[place] = values[bare]
    return None if None in found else tuple(str(one) for one in found)


def values_of(keys: Iterable[Key]) -> list[dict[str, str]]:
    """Give what each slot can be, by the folded text that a question has of it."""
    return [{value.casefold(): value for value in column} for column in zip(*keys, strict=True)]


def _facts(found: Iterable[Mapping[str, Any]]) -> frozenset[Said]:
    return frozenset(
        (one["slot"], one["of"], tuple(_plain(one["slot"], value) for value in one["values"]), one["all"])
        for one in found
    )


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(slot: str, value: Any) -> str:
    """Spell a decimal in one way: `7.67e-01` and `0.767` are the same."""
    return repr(float(value)) if slot in DECIMALS else str(value)
