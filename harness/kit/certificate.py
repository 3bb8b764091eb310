"""The text of a grader's certificate beside a score: measured accuracy and kappa, `void`, or `uncertified`.

The figures are computed from the matrix of labels by grades, and a certificate that contradicts its own matrix is
named. Labelled rows and scorers are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.definitions import digest_definitions
from harness.digest import parse, sha256
from harness.errors import InputError
from harness.kit.agreement import NOBODY, UNDEFINED
from harness.kit.documents import number
from harness.kit.resample import LEVEL, RESAMPLES, absent, share
from harness.stats import kappa

TYPE = "certificate/2"  # it holds files to what they define
OLDER = "certificate/1"  # to their bytes
PARTS = ("develop", "frozen")  # what the rules were made on, and what they were frozen against
DIGITS = 6  # of every figure: a machine's last bit is no finding
METHODS = {
    "level": str(LEVEL),
    "shares": "Wilson, over rows",
    "kappa": f"percentiles of {RESAMPLES} bootstrap resamples of instances",
}
SHARES = ("accuracy", "false_accept", "false_reject")  # a matrix gives them with their intervals
FIGURES = (*SHARES, "kappa")  # of which a matrix gives the value, and rows alone the interval
NO_WRONG, NO_RIGHT = "no row is labelled otherwise", "no row is labelled so"
_PART = {"rows", "instances", "labels", "matrix", *FIGURES}
_DECIMALS = re.compile(rf"-?[01]\.[0-9]{{{DIGITS}}}")

NEAR = 1.5e-6  # between two figures that are the same: a last digit may be rounded otherwise elsewhere
Matrix = Mapping[str, Mapping[str, int]]  # label -> grade -> rows


def matrix_figures(matrix: Matrix, accepts: str) -> dict[str, dict[str, Any]]:
    """Compute the figures of a matrix as decimal text: accuracy, false accepts and rejects, and kappa's value alone."""
    total = sum(sum(row.values()) for row in matrix.values())
    hits = sum(row[label] for label, row in matrix.items())
    right = sum(matrix[accepts].values())
    wrongly = sum(row[accepts] for label, row in matrix.items() if label != accepts)
    agreed = kappa([[row[grade] for grade in matrix] for row in matrix.values()]) if total else None
    found = {
        "accuracy": share(hits, total, NOBODY),
        "false_accept": share(wrongly, total - right, NO_WRONG),
        "false_reject": share(right - matrix[accepts][accepts], right, NO_RIGHT),
        "kappa": absent(UNDEFINED if total else NOBODY) if agreed is None else {"value": agreed},
    }
    return {name: spell_decimals(measure) for name, measure in found.items()}


def spell_decimals(measure: Mapping[str, Any]) -> dict[str, Any]:
    """Spell a value and its interval as decimals, since an identity document holds no floats."""
    return {name: _decimal(value) for name, value in measure.items()}


def _decimal(value: Any) -> Any:
    if isinstance(value, list):
        return [_decimal(each) for each in value]
    return f"{value + 0.0:.{DIGITS}f}" if isinstance(value, float) else value


def find_contradictions(certificate: Mapping[str, Any]) -> list[str]:
    """Name what a certificate says and its own matrix, its counts or plain arithmetic deny; empty where nothing is so.

    An interval of kappa comes of rows, so that here it is only held to be possible.
    """
    if not _is_certificate(certificate):
        return ["it has not the fields of a certificate"]
    parts, accepts = certificate.get("parts"), certificate.get("accepts")
    if not isinstance(parts, Mapping) or set(parts) != set(PARTS) or not isinstance(accepts, str):
        return [f"its parts are not {' and '.join(PARTS)}, or it names no grade that accepts"]
    if not certificate["files"]:  # such a one no change of code would ever void
        return ["it names no code of its grader"]
    flaws = [] if certificate.get("intervals") == METHODS else ["its intervals are of other methods than the harness's"]
    flaws += [f"{name}: {flaw}" for name in PARTS for flaw in _of_part(parts[name], accepts)]
    if flaws:
        return flaws
    counted: list[int] = [parts[name]["rows"] for name in PARTS]
    rows, held = sum(counted), certificate["labels"].get("rows")
    return [] if _is_count(held) and rows == held else [f"its matrices hold {rows} rows, and labels.rows says {held}"]


def _is_certificate(found: Mapping[str, Any]) -> bool:
    """Whether a document names a scorer, its code, its rows and how they were split, each in its place."""
    labels, split, files = (found.get(name) for name in ("labels", "split", "files"))
    defined = found.get("definitions", files if found.get("type") == OLDER else None)
    if not (isinstance(labels, Mapping) and isinstance(split, Mapping) and isinstance(files, Mapping)):
        return False
    if not isinstance(defined, Mapping) or set(defined) != set(files):
        return False
    texts = (
        found.get("scorer"),
        labels.get("sha256"),
        found.get("predecessor", ""),
        *files.values(),
        *defined.values(),
    )
    return all(isinstance(text, str) for text in texts) and all(
        _is_count(seed) for seed in (split.get("seed", 0), found.get("bootstrap", 0))
    )


def _of_part(part: Any, accepts: str) -> Iterator[str]:
    """Name the flaws of one part: of its shape alone, or else of what is counted in it, or else of its figures."""
    if not isinstance(part, Mapping) or set(part) != _PART:
        yield "it has not the fields of a part"
    elif shape := _shape(part["matrix"], accepts):
        yield shape
    elif counts := list(_counts(part)):
        yield from counts
    else:
        computed = matrix_figures(part["matrix"], accepts)
        for name in SHARES:
            if not _same(part[name], computed[name]):
                yield f"{name} is {_said(part[name])}, and its matrix gives {_said(computed[name])}"
        yield from _kappa(part["kappa"], computed["kappa"])


def _shape(matrix: Any, accepts: str) -> str:
    """Say what keeps a matrix from being one of counts over the same classes both ways; empty where it is one."""
    if not isinstance(matrix, Mapping) or not all(isinstance(row, Mapping) for row in matrix.values()):
        return "its matrix is none"
    if any(set(row) != set(matrix) for row in matrix.values()):
        return "its matrix has other grades than labels"
    if not all(_is_count(count) for row in matrix.values() for count in row.values()):
        return "its matrix holds what is no count"
    if any(name != accepts and not _count_class(matrix, name) for name in matrix):
        return "its matrix has a class that no row has"
    return "" if accepts in matrix else f"its matrix has no class {accepts!r}, which the certificate accepts"


def _count_class(matrix: Matrix, name: str) -> int:
    """Count how often a class was labelled and how often it was given."""
    return sum(matrix[name].values()) + sum(row[name] for row in matrix.values())


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _counts(part: Mapping[str, Any]) -> Iterator[str]:
    matrix: Matrix = part["matrix"]
    sums = {label: sum(row.values()) for label, row in matrix.items()}
    total, labels, instances = sum(sums.values()), part["labels"], part["instances"]
    if not _is_count(part["rows"]) or part["rows"] != total:
        yield f"it says {part['rows']} rows, and its matrix holds {total}"
    if not isinstance(labels, Mapping) or labels != sums or not all(map(_is_count, labels.values())):
        yield "its labels are not the sums of its matrix"
    if not _is_count(instances) or not min(1, total) <= instances <= total:
        yield f"it says {instances} instances of {total} rows"


def _kappa(said: Any, computed: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(said, Mapping) or set(said) - {"value", "interval", "undefined_resamples"} or len(said) < 2:
        yield "kappa is no value with an interval"
    elif not _near(said.get("value"), computed["value"]):
        yield f"kappa is {_said(said)}, and its matrix gives {_said(computed)}"
    elif "interval" in computed:  # that it is missing, and why, is known without rows
        if said["interval"] != computed["interval"]:
            yield "kappa is undefined, and has an interval"
    elif isinstance(ends := said.get("interval"), list):
        if len(ends) != 2 or not all(_is_decimal(end) for end in ends):
            yield "the interval of kappa is not two numbers"
        elif not -1 <= float(ends[0]) <= float(said["value"]) <= float(ends[1]) <= 1:
            yield f"the interval of kappa, [{ends[0]}, {ends[1]}], does not hold its value {said['value']}"
    elif not isinstance(ends, Mapping) or set(ends) != {"missing"}:
        yield "the interval of kappa is not two numbers"
    if isinstance(said, Mapping) and not 0 <= _count(said.get("undefined_resamples", 0)) <= RESAMPLES // 2:
        yield "kappa has more undefined resamples than it may"


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _is_decimal(value: Any) -> bool:
    return isinstance(value, str) and _DECIMALS.fullmatch(value) is not None


def _same(said: Any, computed: Mapping[str, Any]) -> bool:
    """Whether a figure is the computed one: value and interval, to the last digit but one."""
    if not isinstance(said, Mapping) or set(said) != set(computed) or not _near(said["value"], computed["value"]):
        return False
    ours, theirs = computed["interval"], said["interval"]
    if not isinstance(ours, Sequence) or not isinstance(theirs, Sequence):
        return bool(ours == theirs)
    return len(ours) == len(theirs) and all(map(_near, theirs, ours))


def _near(said: Any, computed: Any) -> bool:
    if not _is_decimal(said) or not _is_decimal(computed):
        return bool(said == computed)
    return abs(float(said) - float(computed)) < NEAR


def _said(measure: Any) -> str:
    """Spell a measure for an error: what it says, whatever it is, and not much of it."""
    if not isinstance(measure, Mapping):
        return repr(measure)[:40]
    value, ends = measure.get("value"), measure.get("interval")
    value = "undefined" if isinstance(value, Mapping) else value
    return f"{value} [{', '.join(map(str, ends))}]"[:60] if isinstance(ends, list) else str(value)[:40]


UNCERTIFIED = "uncertified"
NOT_CHECKED = "not checked against the labelled rows"  # who has no rows can compute from the matrix, and no further
CHECKED = "checked against the labelled rows"
SHOWN = ("accuracy", "kappa", "false_accept", "false_reject")
CODE = Path(__file__).parents[2]  # where the code lies that runs here: a step's own folder, or the installed harness


def read(data: bytes, where: str) -> dict[str, Any]:
    """Parse the bytes of a certificate; InputError where it is of another type, unsealed, or edited by hand."""
    found = parse(data, OLDER if f'"type":"{OLDER}"'.encode() in data else TYPE, where)
    if "self" not in found:
        raise InputError("a certificate without its seal", where=where, next="make it with `harness certify`")
    return found


def changed_files(certificate: Mapping[str, Any], root: Path = CODE) -> list[str]:
    """Name the files of the grader's code that changed since it was measured, or are missing.

    A file of other bytes that defines the same, with other comments, docstrings or layout, did not change.
    """
    files: Mapping[str, str] = certificate["files"]
    defined: Mapping[str, str] = certificate.get("definitions", {})
    return [name for name, digest in files.items() if not _is_same(root / name, digest, defined.get(name, ""))]


def _is_same(path: Path, digest: str, defined: str) -> bool:
    if not path.is_file():
        return False
    data = path.read_bytes()
    if sha256(data) == digest:
        return True
    try:
        return defined != "" and digest_definitions(data) == defined
    except (SyntaxError, ValueError):  # it is no Python
        return False


def void_text(what: Iterable[str]) -> str:
    """Give the text of a void certificate: the first three things of the grader that changed, and how many more."""
    found = list(what)
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"void: changed since it was measured: {', '.join(found[:3])}{more}"


def contradicted_text(flaws: Sequence[str], what: str = "itself") -> str:
    """Give the text of a certificate that contradicts itself, or its rows: in what first, and how often besides."""
    more = f" (and {len(flaws) - 1} more)" if len(flaws) > 1 else ""
    return f"void: it contradicts {what}: {flaws[0]}{more}"


def computed_figures(certificate: Mapping[str, Any], part: str) -> dict[str, dict[str, Any]]:
    """Compute the figures of a part from its matrix; the interval of kappa, which comes of rows, is as it is written.

    The certificate contradicts nothing of itself.
    """
    found = certificate["parts"][part]
    computed = matrix_figures(found["matrix"], str(certificate["accepts"]))
    return {**computed, "kappa": {**found["kappa"], **computed["kappa"]}}


def figures_text(certificate: Mapping[str, Any], checked: str = NOT_CHECKED) -> str:
    """Give a certificate's figures in one line, computed from its matrix, and whether that was held against rows.

    They are those over its frozen rows, or where it has none its develop rows.
    """
    parts: Mapping[str, Mapping[str, Any]] = certificate["parts"]
    name = "frozen" if parts["frozen"]["rows"] else "develop"
    computed = computed_figures(certificate, name)
    said = ", ".join(f"{word.replace('_', ' ')} {spell_measure(computed[word])}" for word in SHOWN)
    return f"certified on {parts[name]['rows']} labelled rows ({name}): {said}; {checked}"


def spell_measure(measure: Mapping[str, Any], digits: int = 2) -> str:
    """Spell a measure of a certificate with its interval; a dash where it has no value."""
    value, ends = measure["value"], measure["interval"]
    if isinstance(value, Mapping):
        return "-"
    bounds = f" [{float(ends[0]):.{digits}f}, {float(ends[1]):.{digits}f}]" if isinstance(ends, list) else ""
    return f"{float(value):.{digits}f}{bounds}"


def certificate_text(given: Path | None, root: Path = CODE) -> str:
    """Give the line beside a score that says how far its grader can be trusted, from the certificate the lock pins.

    It is `uncertified` without one, and `void …` where the certificate contradicts itself or the grader's code changed.
    The page's own code must import the grader's, so that the page is made anew where that changes: what is not there
    changed.
    """
    if given is None:
        return UNCERTIFIED
    found = read(given.read_bytes(), given.name)
    if flaws := find_contradictions(found):
        return contradicted_text(flaws)
    changed = changed_files(found, root)
    return void_text(changed) if changed else figures_text(found)


class Trust(NamedTuple):
    """How far a grader can be trusted: whether it may be used, and the line on its certificate."""

    usable: bool
    line: str


def trust_of(certificate: Path | None, least: float) -> Trust:
    """Say whether a grader may be used: its certificate fits the code here, and its frozen kappa is high enough."""
    line = certificate_text(certificate)
    if certificate is None or line == UNCERTIFIED or line.startswith("void"):
        return Trust(False, line)
    kappa = number(computed_figures(read(certificate.read_bytes(), certificate.name), "frozen")["kappa"])
    return Trust(kappa is not None and kappa >= least, line)
