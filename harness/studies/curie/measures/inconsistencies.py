"""The paper's own inconsistencies, each with the printed numbers that contradict it: listed, never claimed.

Statements of the paper are given in our words. Independent of the results of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from harness.studies.curie.measures.published_identities import DFT, TEXT_TASKS, averages
from harness.studies.curie.measures.published_table import NOBODY, PublishedTable

GPT, CLAUDE, MIXTRAL, LLAMA = "GPT-4o", "Claude 3 Opus", "Mixtral", "LongLLaMa"
PRO, FLASH = "Gemini 1.5 Pro", "Gemini 2.0 Flash"
CLOSED = ("Gemini 1.0 Pro", GPT, PRO, "Gemini 1.5 Flash", FLASH, CLAUDE)
NOT_IN_TABLE = {"missing": "what the prose says of it is not in the table of printed numbers"}
Found = tuple[dict[str, Any], bool]  # the numbers, and whether they contradict the statement
Check = Callable[[PublishedTable], Found]


def inconsistencies(table: PublishedTable) -> list[dict[str, Any]]:
    """List statements of the paper, the printed numbers about each, and whether they contradict it.

    If a number is not in the table, `contradicted` is a missing value.
    """
    listed = []
    for name, (says, check) in CHECKS.items():
        try:
            found, against = check(table)
            told: Any = against
        except _NotPrintedError as lacking:
            found, told = {}, {"missing": f"not printed: {lacking}"}
        listed.append({"id": name, "says": says, "found": found, "contradicted": told})
    return [
        *listed,
        {
            "id": "hfe-order",
            "says": "an order of models on HFE that Table 1 does not have",
            "found": {"order": _order(table, "table1", "hfe", "rougeLsum")},
            "contradicted": NOT_IN_TABLE,
        },
    ]


class _NotPrintedError(Exception):
    """A number that a check needs is not in the table."""


class _Column(dict[str, Decimal]):
    """One column of a table, by model."""

    def __missing__(self, model: str) -> Decimal:
        raise _NotPrintedError(model)


def _of(table: PublishedTable, *key: str) -> Decimal:
    value = table.get(*key)
    if value is None:
        raise _NotPrintedError(" ".join(key))
    return value


def _column(table: PublishedTable, name: str, task: str, metric: str) -> _Column:
    values = {model: table.get(name, model, task, metric) for model in table.models(name)}
    known = _Column({model: value for model, value in values.items() if value is not None})
    if not known:
        raise _NotPrintedError(f"{name} {task} {metric}")
    return known


def _order(table: PublishedTable, name: str, task: str, metric: str) -> list[str]:
    try:
        column = _column(table, name, task, metric)
    except _NotPrintedError:
        return []
    return sorted(column, key=lambda model: (-column[model], model))


def _numbers(given: Mapping[str, Decimal]) -> dict[str, float]:
    return {name: float(value) for name, value in given.items()}


def _gpt_best(table: PublishedTable) -> Found:
    geo, boxes = _column(table, "table1", "geo", "rougeLsum"), _column(table, "table1", "biogr", "iou")
    best = {name: max(column, key=lambda model: column[model]) for name, column in (("geo", geo), ("biogr", boxes))}
    found = {
        "geo": _numbers({GPT: geo[GPT], best["geo"]: geo[best["geo"]]}),
        "biogr": _numbers({GPT: boxes[GPT], best["biogr"]: boxes[best["biogr"]]}),
    }
    return found, set(best.values()) != {GPT}


def _mixtral_pdb(table: PublishedTable) -> Found:
    column = _column(table, "table1", "pdb", "identity_ratio")
    return _numbers({MIXTRAL: column[MIXTRAL], GPT: column[GPT]}), column[MIXTRAL] < column[GPT]


def _compared(table: PublishedTable, task: str, metric: str) -> dict[str, int]:
    one, plain = (_column(table, "table2", name, metric) for name in (task, "mpv"))
    signs = [(one[model] > plain[model]) - (one[model] < plain[model]) for model in one]
    return {"higher": signs.count(1), "equal": signs.count(0), "lower": signs.count(-1), "of": len(signs)}


def _specific(table: PublishedTable) -> Found:
    found = _compared(table, "mpv-specific", "precision")
    return {"precision": found}, 2 * found["lower"] > found["of"]


def _non_trivial(table: PublishedTable) -> Found:
    found = _compared(table, "mpv-non-trivial", "f1")
    return {"f1": found}, 2 * found["higher"] <= found["of"]


def _best_hfd(table: PublishedTable) -> Found:
    column = _column(table, "table1", "hfd", "rougeLsum")
    best = max(column, key=lambda model: column[model])
    return _numbers({PRO: column[PRO], best: column[best]}), best != PRO


def _worst_hfe(table: PublishedTable) -> Found:
    column = _column(table, "table1", "hfe", "rougeLsum")
    worst = min(column, key=lambda model: column[model])
    return _numbers({LLAMA: column[LLAMA], worst: column[worst]}), worst != LLAMA


def _geo_range(table: PublishedTable) -> Found:
    low, high = (_of(table, "text", NOBODY, "geo", f"rougeL_closed_{end}_stated") for end in ("min", "max"))
    spans = {}
    for name in ("table1", "table5"):
        column = _column(table, name, "geo", "rougeLsum")
        values = [column[model] for model in CLOSED if model in column]
        spans[name] = (min(values), max(values))
    found = {"stated": [float(low), float(high)], **{name: [float(x) for x in span] for name, span in spans.items()}}
    return found, spans["table1"][0] < low


def _box_range(table: PublishedTable) -> Found:
    low, high = (_of(table, "text", NOBODY, "biogr", f"iou_model_average_{end}_stated") for end in ("min", "max"))
    values = _column(table, "table7", "biogr", "iou").values()
    found = {"stated": [float(low), float(high)], "table7": [float(min(values)), float(max(values))]}
    return found, min(values) < low or max(values) > high


def _equal_models(table: PublishedTable) -> Found:
    own, others = (
        {key[2:]: value for key, value in table.numbers.items() if key[:2] == ("figure9", model)}
        for model in (GPT, CLAUDE)
    )
    same = [name for (name, metric), value in own.items() if others.get((name, metric)) == value]
    return {"benchmarks": same, "n": len(same)}, bool(same)


def _dft_column(table: PublishedTable) -> Found:
    models, is_code, is_mean = table.models("table6"), 0, 0
    for model in models:
        printed = _of(table, "table6", model, "dft", "rougeLsum")
        parts = [_of(table, "table6", model, task, "rougeLsum") for task in DFT]
        is_code += printed == parts[0]
        is_mean += abs(printed - sum(parts, Decimal(0)) / 3) <= Decimal("0.01")
    return {"equals_dft_c": is_code, "equals_the_mean": is_mean, "of": len(models)}, is_mean < len(models)


def _five_and_one(table: PublishedTable) -> Found:
    differ = dict.fromkeys(TEXT_TASKS, 0)
    cells = 0
    for model in table.models("table5"):
        for task in TEXT_TASKS:
            one, five = (_of(table, name, model, task, "rougeLsum") for name in ("table1", "table5"))
            differ[task] += one != five
            cells += 1
    return {"differ": sum(differ.values()), "of": cells, "by_task": differ}, any(differ.values())


def _six_and_two(table: PublishedTable) -> Found:
    pairs = [
        [_of(table, name, model, task, "f1") for name in ("table2", "table6")]
        for model in table.models("table6")
        for task in ("dft-s", "dft-p")
    ]
    differ = sum(two != six for two, six in pairs)
    return {"differ": differ, "of": len(pairs)}, differ > 0


def _first(table: PublishedTable) -> Found:
    found = averages(table)["ten"]
    if not all(isinstance(found.get(model), float) for model in (CLAUDE, FLASH)):
        raise _NotPrintedError("a number of the average")
    return {model: found[model] for model in (CLAUDE, FLASH)}, found[CLAUDE] < found[FLASH]


def _examples(table: PublishedTable) -> Found:
    stated = _of(table, "text", NOBODY, "all", "n_examples_stated")
    total = sum(_column_of_tasks(table, "n_examples"), Decimal(0))
    return {"stated": float(stated), "table3": float(total)}, stated != total


def _papers(table: PublishedTable) -> Found:
    stated = _of(table, "text", NOBODY, "dft", "n_papers_stated_in_body")
    printed = _of(table, "table3", NOBODY, "dft-s", "n_papers")
    return {"stated": float(stated), "table3": float(printed)}, stated != printed


def _column_of_tasks(table: PublishedTable, metric: str) -> Iterator[Decimal]:
    yield from (value for key, value in table.numbers.items() if key[0] == "table3" and key[3] == metric)


CHECKS: Mapping[str, tuple[str, Check]] = {
    "gpt-4o-best": ("GPT-4o does best on GEO and BIOGR", _gpt_best),
    "mixtral-pdb": ("Mixtral does better than GPT-4o on PDB", _mixtral_pdb),
    "mpv-specific-precision": ("precision is far higher where two properties alone are asked for", _specific),
    "mpv-non-trivial": ("leaving trivial properties out improves the models", _non_trivial),
    "hfd-best": ("Gemini 1.5 Pro is best on HFD", _best_hfd),
    "hfe-worst": ("LongLLaMA is worst on HFE", _worst_hfe),
    "geo-range": ("closed models have ROUGE-L in a stated range on GEO; Table 5 alone has it", _geo_range),
    "biogr-range": ("models' mean IoU lies in a stated range on BIOGR", _box_range),
    "figure9-equal": ("GPT-4o and Claude 3 Opus have other results on other benchmarks", _equal_models),
    "dft-column": ("the DFT column of Tables 5 and 6 is the average of the three DFT tasks", _dft_column),
    "table5-table1": ("Tables 1 and 5 print the same ROUGE-L of five tasks", _five_and_one),
    "table6-table2": ("Tables 2 and 6 print the same LLMSim F1 of two DFT tasks", _six_and_two),
    "first-place": ("Claude 3 Opus is first; abstract and poster say Gemini 2.0 Flash", _first),
    "examples": ("a stated number of examples; Table 3 has another sum", _examples),
    "dft-papers": ("a stated number of papers for DFT; Table 3 has another", _papers),
}
