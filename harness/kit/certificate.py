"""A grader's certificate as a reader sees it: who labelled, the verdict, the figures, `void`, or `uncertified`.

A certificate holds a set of measurements for each kind of labeller: the grader's makers, others who labelled blind, and
published examples. Only blind labels can make a grader `usable`. The figures are computed from the matrix of labels by
grades. A certificate that contradicts its own matrix is reported with the contradiction. This module does not read
labelled rows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from harness.definitions import digest_definitions
from harness.digest import canonical_json, parse_document, sha256
from harness.errors import InputError
from harness.kit.agreement import NOBODY, UNDEFINED
from harness.kit.resample import LEVEL, RESAMPLES, absent, share
from harness.stats import kappa

TYPE = "certificate/3"  # says who labelled
BY_BYTES = "certificate/1"  # compares files by their bytes, later ones by what they define
OLDER = ("certificate/2", BY_BYTES)  # these do not say who labelled: it counts as the makers
MAKERS, BLIND, PUBLISHED = WHO = ("makers", "blind", "published")  # kinds of labellers, a set of measurements each
KINDS: Mapping[str, tuple[str, ...]] = {BLIND: ("person", "model"), PUBLISHED: ("paper",)}  # what a labeller may be
PARTS = ("develop", "frozen")  # rows used to write the rules, and rows used after the rules were frozen
COMMITTED = "digest"  # of a split: its frozen rows were named by their digest before they were opened
USABLE, NOT_USABLE, UNMEASURED = "usable", "not usable", "not yet measured by others"
LEAST = 0.75  # the least lower end of kappa's interval, on blind labels, with which a grader is usable
DIGITS = 6  # of every figure: the last bits depend on the machine
METHODS = {
    "level": str(LEVEL),
    "shares": "Wilson, over rows",
    "kappa": f"percentiles of {RESAMPLES} bootstrap resamples of instances",
}
SHARES = ("accuracy", "false_accept", "false_reject")  # computed from a matrix with their intervals
FIGURES = (*SHARES, "kappa")  # kappa's value comes from a matrix, its interval from rows alone
NO_WRONG, NO_RIGHT = "no row is labelled otherwise", "no row is labelled so"
_PART = {"rows", "instances", "labels", "matrix", *FIGURES}
_SET = {"labels", "split", "parts"}  # fields of every set of measurements; `bootstrap` is the seed of its resamples
_OTHERS = {"between", "sealed", "misses"}  # fields that a set of others' labels may have, beside `labellers`
_DECIMALS = re.compile(rf"-?[01]\.[0-9]{{{DIGITS}}}")

NEAR = 1.5e-6  # tolerance for equal figures: the last digit may be rounded differently elsewhere
Matrix = Mapping[str, Mapping[str, int]]  # label -> grade -> rows


class Missing(TypedDict):
    """The reason why a value is missing."""

    missing: str


class Measure(TypedDict):
    """A figure and its interval as decimal text, or why either is missing."""

    value: str | Missing
    interval: NotRequired[list[str] | Missing]  # a matrix alone gives none of kappa
    undefined_resamples: NotRequired[int]


class PartFigures(TypedDict):
    """The figures of one part of labelled rows: its counts, the matrix of labels by grades, and what it gives."""

    rows: int
    instances: int
    labels: Mapping[str, int]
    matrix: Matrix
    accuracy: Measure
    false_accept: Measure
    false_reject: Measure
    kappa: Measure


class LabelledRows(TypedDict):
    """Which rows were measured: the digest of their file or of its description, and their number."""

    sha256: str
    rows: int
    shared: NotRequired[str]  # the digest of the fields that all rows share


class PartSplit(TypedDict):
    """How rows were split into parts, and by what it is known that the frozen ones had not been seen."""

    by: str
    seed: NotRequired[int]
    frozen_by: str


class Missed(TypedDict):
    """A row that a grader graded otherwise than it is labelled."""

    id: str
    label: str
    given: str


class Opening(TypedDict):
    """An opening of sealed rows: the digests of the rows, of the grader that opened them, and of what it missed."""

    rows: str
    grader: str
    misses: str


class LabellerRow(TypedDict):
    """One who labelled: the kind and the name."""

    kind: str
    name: str


class PinnedPart(TypedDict):
    """The judge or the prompt behind the grades, with the digest that a lock pins."""

    name: str
    sha256: str


class Measurements(TypedDict):
    """The measurements of a grader on the labels of one kind of labeller."""

    labels: LabelledRows
    split: PartSplit
    parts: Mapping[str, PartFigures]
    bootstrap: NotRequired[int]  # the seed of the resamples, unless the split has it
    labellers: NotRequired[list[LabellerRow]]
    between: NotRequired[PartFigures]  # of the two labellers with each other
    sealed: NotRequired[str]  # the digest of the sealed rows
    misses: NotRequired[list[Missed]]


class CodeFields(TypedDict):
    """What a certificate says of its grader's code: its closure, and the bytes and definitions of each file."""

    code: str
    files: Mapping[str, str]
    definitions: Mapping[str, str]


class Certificate(TypedDict):
    """The document `certificate/3`; an older one has the measurements of its makers' labels beside the other fields."""

    type: str
    scorer: str
    code: str  # this and the next two are `CodeFields`
    files: Mapping[str, str]
    definitions: NotRequired[Mapping[str, str]]  # not in `certificate/1`
    accepts: str
    sets: NotRequired[Mapping[str, Measurements]]  # by kind of labeller
    intervals: Mapping[str, str]
    judge: NotRequired[PinnedPart]
    prompt: NotRequired[PinnedPart]
    opened: NotRequired[list[Opening]]
    predecessor: NotRequired[str]  # the digest of the certificate that it was carried over from
    labels: NotRequired[LabelledRows]
    split: NotRequired[PartSplit]
    parts: NotRequired[Mapping[str, PartFigures]]
    bootstrap: NotRequired[int]


def matrix_figures(matrix: Matrix, accepts: str) -> dict[str, Measure]:
    """Compute the figures of a matrix as decimal text: accuracy, false accepts and rejects, and kappa."""
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


def spell_decimals(measure: Mapping[str, Any]) -> Measure:
    """Convert a value and its interval to decimal text, because an identity document holds no floats."""
    found: Measure = {"value": _decimal(measure["value"])}
    if "interval" in measure:
        found["interval"] = _decimal(measure["interval"])
    if "undefined_resamples" in measure:
        found["undefined_resamples"] = measure["undefined_resamples"]
    return found


def _decimal(value: Any) -> Any:
    if isinstance(value, list):
        return [_decimal(each) for each in value]
    return f"{value + 0.0:.{DIGITS}f}" if isinstance(value, float) else value


def sets_of(certificate: Certificate) -> Mapping[str, Measurements]:
    """Return the measurements of a certificate by kind of labeller; those of an older one are its makers'."""
    return _sets_of(certificate)


def _sets_of(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the measurements in a document that may lack fields of a certificate."""
    if found.get("type") == TYPE:
        sets = found.get("sets")
        return sets if isinstance(sets, Mapping) else {}
    return {MAKERS: {name: found[name] for name in (*sorted(_SET), "bootstrap") if name in found}}


def find_contradictions(certificate: Certificate) -> list[str]:
    """List statements of a certificate that contradict its own matrices, its counts or arithmetic; empty if none do.

    An interval of kappa is computed from rows, so that it is checked only for being possible.
    """
    unchecked: Mapping[str, Any] = certificate
    if not _is_certificate(unchecked):
        return ["it has not the fields of a certificate"]
    accepts = unchecked.get("accepts")
    if not isinstance(accepts, str):
        return ["it names no grade that accepts"]
    if not certificate["files"]:  # no change of code could ever void such a certificate
        return ["it names no code of its grader"]
    flaws = [] if certificate.get("intervals") == METHODS else ["its intervals are of other methods than the harness's"]
    for who in sets_of(certificate):
        flaws += [flaw if who == MAKERS else f"{who}: {flaw}" for flaw in _of_set(certificate, who, accepts)]
    return flaws


def _is_certificate(found: Mapping[str, Any]) -> bool:
    """Whether a document has the fields for a scorer, its code, its rows and their split, each of the right type."""
    files, sets = found.get("files"), _sets_of(found)
    defined = found.get("definitions", files if found.get("type") == BY_BYTES else None)
    if not (isinstance(files, Mapping) and isinstance(defined, Mapping) and set(defined) == set(files)):
        return False
    texts = (found.get("scorer"), found.get("predecessor", ""), *files.values(), *defined.values())
    if not sets or not set(sets) <= set(WHO) or not all(isinstance(text, str) for text in texts):
        return False
    if not _are_openings(found.get("opened", [])):
        return False
    return all(_is_set(who, held) for who, held in sets.items())


def _is_set(who: str, held: Any) -> bool:
    """Whether a set of measurements has the fields of its kind of labeller, each of the right type."""
    more = {"bootstrap"} if who == MAKERS else {"bootstrap", "labellers", *_OTHERS}
    if not isinstance(held, Mapping) or not _SET <= set(held) <= _SET | more:
        return False
    labels, split = held["labels"], held["split"]
    if not (isinstance(labels, Mapping) and isinstance(split, Mapping) and isinstance(labels.get("sha256"), str)):
        return False
    return all(_is_count(seed) for seed in (split.get("seed", 0), held.get("bootstrap", 0)))


def _of_set(certificate: Certificate, who: str, accepts: str) -> Iterator[str]:
    """Yield the flaws of a set of measurements: those of its parts; if there are none, of its counts and labellers."""
    held: Mapping[str, Any] = sets_of(certificate)[who]
    parts = held["parts"]
    if not isinstance(parts, Mapping) or set(parts) != set(PARTS):
        yield f"its parts are not {' and '.join(PARTS)}"
        return
    if flaws := [f"{name}: {flaw}" for name in PARTS for flaw in _of_part(parts[name], accepts)]:
        yield from flaws
        return
    counted: list[int] = [parts[name]["rows"] for name in PARTS]
    rows, said = sum(counted), held["labels"].get("rows")
    if not _is_count(said) or rows != said:
        yield f"its matrices hold {rows} rows, and labels.rows says {said}"
    if who != MAKERS:
        yield from _of_labellers(who, held, rows, accepts)
        yield from _of_sealed(certificate, held)


def _of_labellers(who: str, held: Mapping[str, Any], rows: int, accepts: str) -> Iterator[str]:
    found = held.get("labellers")
    if not isinstance(found, list) or not 1 <= len(found) <= 2 or not all(_is_labeller(who, one) for one in found):
        yield "it does not say which one or two labelled"
    elif (len(found) == 2) != ("between" in held):
        yield "it has not the agreement of just two labellers"
    elif "between" in held:
        flaws = [*_of_part(held["between"], accepts)]
        yield from (f"between its labellers: {flaw}" for flaw in flaws)
        if not flaws and held["between"]["rows"] != rows:
            yield f"its labellers agree on {held['between']['rows']} rows, and it has {rows}"


def _is_labeller(who: str, found: Any) -> bool:
    if not isinstance(found, Mapping) or set(found) != {"kind", "name"} or found["kind"] not in KINDS[who]:
        return False
    return isinstance(found["name"], str) and found["name"].strip() != ""


def _of_sealed(certificate: Certificate, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield what contradicts the opening of sealed rows: they are named by digest, and their misses are listed."""
    part, sealed, misses = held["parts"]["frozen"], held.get("sealed"), held.get("misses", [])
    if sealed is None:
        if part["rows"] or misses or held["split"].get("frozen_by") == COMMITTED:
            yield "it has frozen rows that no digest names"
        return
    openings = openings_of(certificate, sealed) if isinstance(sealed, str) else []
    if not isinstance(sealed, str):
        yield "it does not name its sealed rows"
    elif not isinstance(misses, list) or not all(map(_is_miss, misses)):
        yield "its misses are not a list of rows with id, label and grade"
    elif part["rows"] and not openings:
        yield "it has figures of sealed rows that were never opened"
    elif part["rows"] and openings[-1]["misses"] != misses_digest(misses):
        yield "its misses are not those of the last opening"
    elif _missed(part["matrix"]) != Counter((miss["label"], miss["given"]) for miss in misses):
        yield "its misses are not those of its matrix"


def _are_openings(found: Any) -> bool:
    """Whether these are the openings of sealed rows: of each the rows, the grader and what it missed, by digests."""
    return (
        isinstance(found, list)
        and all(isinstance(one, Mapping) and set(one) == {"rows", "grader", "misses"} for one in found)
        and all(isinstance(text, str) for one in found for text in one.values())
    )


def openings_of(certificate: Certificate, rows: str) -> list[Opening]:
    """Return the openings of the sealed rows of this digest, the first one first."""
    return [one for one in certificate.get("opened", ()) if one["rows"] == rows]


def all_openings(certificate: Certificate) -> list[Opening]:
    """Return every opening of sealed rows that a certificate records; raises InputError if it cannot be told."""
    found = certificate.get("opened", [])
    if not _are_openings(found):
        what = "the certificate that is there does not say when sealed rows were opened"
        raise InputError(what, where="opened", next="restore it from its history, which says so")
    return [{**one} for one in found]


def _is_miss(found: Any) -> bool:
    names = {"id", "label", "given"}
    return isinstance(found, Mapping) and set(found) == names and all(isinstance(found[name], str) for name in names)


def _missed(matrix: Matrix) -> Counter[tuple[str, str]]:
    """Count the rows of a matrix whose label and grade differ."""
    cells = ((label, grade, rows) for label, row in matrix.items() for grade, rows in row.items())
    return Counter({(label, grade): rows for label, grade, rows in cells if rows and label != grade})


def misses_digest(misses: Sequence[Missed]) -> str:
    """Return the digest of the misses of sealed rows: openings with the same one graded every row alike."""
    return sha256(canonical_json(list(misses)))


def _of_part(part: Any, accepts: str) -> Iterator[str]:
    """Yield the flaws of one part: those of its shape; if there are none, of its counts; if none, of its figures."""
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
    """Say why a matrix is not one of counts with equal classes in rows and columns; empty if it is one."""
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
    """Count the rows with a class as label plus the rows with it as grade."""
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
    elif "interval" in computed:  # a missing interval and its reason are known without rows
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
    """Whether a figure equals the computed one, value and interval, within the last digit."""
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
    """Format a measure for an error, whatever its type, cut to a short text."""
    if not isinstance(measure, Mapping):
        return repr(measure)[:40]
    value, ends = measure.get("value"), measure.get("interval")
    value = "undefined" if isinstance(value, Mapping) else value
    return f"{value} [{', '.join(map(str, ends))}]"[:60] if isinstance(ends, list) else str(value)[:40]


UNCERTIFIED = "uncertified"
NOT_CHECKED = "not checked against the labelled rows"  # without rows, only the matrix can be checked
CHECKED = "checked against the labelled rows"
NAMED = 20  # most misses that a line names
SHOWN = ("accuracy", "kappa", "false_accept", "false_reject")
CODE = Path(__file__).parents[2]  # root of the code that runs here: a step's own folder, or the installed harness


def read(data: bytes, where: str) -> Certificate:
    """Parse the bytes of a certificate; raises InputError if it is of another type, unsealed, or edited by hand."""
    kind = next((older for older in OLDER if f'"type":"{older}"'.encode() in data), TYPE)
    found = parse_document(data, kind, where)
    if "self" not in found:
        raise InputError("a certificate without its seal", where=where, next="make it with `harness certify`")
    return cast(Certificate, found)  # `find_contradictions` looks at its fields


def changed_files(certificate: Certificate, root: Path = CODE) -> list[str]:
    """List the files of the grader's code that have changed since it was measured, or are missing.

    A file that differs only in comments, docstrings or layout has not changed.
    """
    files, defined = certificate["files"], certificate.get("definitions", {})
    return [name for name, digest in files.items() if not _is_same(root / name, digest, defined.get(name, ""))]


def _is_same(path: Path, digest: str, defined: str) -> bool:
    if not path.is_file():
        return False
    data = path.read_bytes()
    if sha256(data) == digest:
        return True
    try:
        return defined != "" and digest_definitions(data) == defined
    except (SyntaxError, ValueError):  # it is not Python
        return False


def void_text(what: Iterable[str]) -> str:
    """Return the text of a void certificate: the first three things of the grader that changed, and how many more."""
    found = list(what)
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"void: changed since it was measured: {', '.join(found[:3])}{more}"


def contradicted_text(flaws: Sequence[str], what: str = "itself") -> str:
    """Say where a certificate contradicts itself or its rows: the first contradiction, and how many more."""
    more = f" (and {len(flaws) - 1} more)" if len(flaws) > 1 else ""
    return f"void: it contradicts {what}: {flaws[0]}{more}"


def computed_figures(certificate: Certificate, part: str, who: str = MAKERS) -> dict[str, Measure]:
    """Return the figures of a part computed from its matrix; the interval of kappa is copied from the certificate.

    The certificate must be free of contradictions.
    """
    return _computed(sets_of(certificate)[who]["parts"][part], str(certificate["accepts"]))


def _computed(part: PartFigures, accepts: str) -> dict[str, Measure]:
    computed = matrix_figures(part["matrix"], accepts)
    return {**computed, "kappa": {**part["kappa"], **computed["kappa"]}}


class Verdict(NamedTuple):
    """What a certificate's figures allow: `usable`, `not usable` or `not yet measured by others`, and the reason."""

    word: str
    why: str


def verdict_of(certificate: Certificate) -> Verdict:
    """Return what the figures of a certificate without contradictions allow; only blind labels make a grader usable.

    Sealed rows decide if they were opened, else the open ones, which may refuse a grader, but not make it usable.
    """
    held = sets_of(certificate).get(BLIND)
    name = _deciding_part(held) if held else ""
    if held is None or not held["parts"][name]["rows"]:
        return Verdict(UNMEASURED, "")
    kappa = computed_figures(certificate, name, BLIND)["kappa"]
    ends = kappa["interval"]
    if not isinstance(ends, list):
        return Verdict(NOT_USABLE, "kappa has no interval, so nothing is known")
    if float(ends[0]) < LEAST:
        low = math.floor(float(ends[0]) * 1000) / 1000  # never rounded up to what is asked
        return Verdict(NOT_USABLE, f"kappa may be as low as {low:.3f}, and {LEAST} is asked")
    if name != "frozen":
        return Verdict(UNMEASURED, "of the blind labels only those that its makers may read were measured")
    if is_spent(certificate, held.get("sealed", "")):
        return Verdict(UNMEASURED, "its sealed rows had been opened before, by rules that graded them otherwise")
    return Verdict(USABLE, "")


def is_spent(certificate: Certificate, rows: str) -> bool:
    """Whether sealed rows were opened by rules that graded them differently: the later ones may have learned from it.

    An opening after a change that changed no grade taught nothing.
    """
    return len({one["misses"] for one in openings_of(certificate, rows)}) > 1


def _deciding_part(held: Measurements) -> str:
    return "frozen" if held["parts"]["frozen"]["rows"] else "develop"


def _deciding_set(sets: Mapping[str, Measurements]) -> str:
    """Return the kind of labeller whose figures are shown first: the blind ones, if they have rows."""
    order = [who for who in (BLIND, MAKERS, PUBLISHED) if who in sets]
    return next((who for who in order if sets[who]["labels"]["rows"]), order[0])


def figures_text(certificate: Certificate, checked: str = NOT_CHECKED) -> str:
    """Return a certificate's verdict and figures in one line, and whether they were checked against labelled rows."""
    return f"{verdict_of(certificate).word}: {figures_line(certificate, checked)}"


def figures_line(certificate: Certificate, checked: str = NOT_CHECKED) -> str:
    """Return the figures on which a certificate's verdict rests, computed from its matrix; the makers' kappa beside.

    They are those of blind labels, if there are any, and of frozen rows, or of develop rows if there are none.
    """
    sets, why = sets_of(certificate), verdict_of(certificate).why
    who = _deciding_set(sets)
    name = _deciding_part(sets[who])
    computed = computed_figures(certificate, name, who)
    figures = ", ".join(f"{word.replace('_', ' ')} {spell_measure(computed[word])}" for word in SHOWN)
    rows, by, part = sets[who]["parts"][name]["rows"], _labelled(who, sets[who]), _part_text(certificate, who, name)
    beside = [f"the two labellings agree by kappa {between}"] if (between := between_text(certificate, who)) else []
    if who != MAKERS and MAKERS in sets:
        own = computed_figures(certificate, _deciding_part(sets[MAKERS]), MAKERS)["kappa"]
        beside.append(f"by its makers' labels kappa {spell_measure(own)}")
    return "; ".join([*([why] if why else []), f"on {rows} rows {by} ({part}): {figures}", *beside, checked])


def between_text(certificate: Certificate, who: str) -> str:
    """Return kappa of a set's two labellings with each other; empty if it has one."""
    found = sets_of(certificate)[who].get("between")
    return spell_measure(_computed(found, str(certificate["accepts"]))["kappa"]) if found else ""


def _labelled(who: str, held: Measurements) -> str:
    """Say by whom rows are labelled: their kind, or for those who labelled blind what they are."""
    if who == MAKERS:
        return "labelled by its makers"
    if who == PUBLISHED:
        return "labelled in a paper"
    one, *more = held["labellers"]
    if one in more:
        return f"labelled blind by a {one['kind']}, twice"
    if more and more[0]["kind"] == one["kind"]:
        return f"labelled blind by two {'people' if one['kind'] == 'person' else one['kind'] + 's'}"
    return f"labelled blind by a {' and a '.join(each['kind'] for each in held['labellers'])}"


def _part_text(certificate: Certificate, who: str, name: str) -> str:
    if who == MAKERS or name == "develop":
        return name if who == MAKERS else "open"
    return f"sealed, {opened_text(certificate, sets_of(certificate)[who]['sealed'])}"


def opened_text(certificate: Certificate, rows: str) -> str:
    """Say how often the sealed rows of this digest were opened."""
    times = len(openings_of(certificate, rows))
    return ("not opened", "opened once")[times] if times < 2 else f"opened {times} times"


def set_lines(certificate: Certificate, digits: int = 2) -> list[str]:
    """Return a line for each set of measurements: who labelled, and the accuracy and kappa of each of its parts."""
    found = []
    for who, held in sets_of(certificate).items():
        said = []
        for name in PARTS:
            if rows := held["parts"][name]["rows"]:
                computed = computed_figures(certificate, name, who)
                figures = ", ".join(f"{word} {spell_measure(computed[word], digits)}" for word in ("accuracy", "kappa"))
                said.append(f"{_part_text(certificate, who, name)}: {rows} rows, {figures}")
        if "sealed" in held and not held["parts"]["frozen"]["rows"]:
            opened = opened_text(certificate, held["sealed"])
            said.append(f"sealed, {opened}: not measured, SHA-256 {held['sealed'][:12]}…")
        if named := dict.fromkeys(f"{one['kind']}: {one['name']}" for one in held.get("labellers", ())):
            said.append(", ".join(named))
        if between := between_text(certificate, who):
            said.append(f"the two labellings agree by kappa {between}")
        if misses := held.get("misses"):
            more = f" and {len(misses) - NAMED} more, which the certificate names" if len(misses) > NAMED else ""
            said.append(f"missed of the sealed rows: {', '.join(map(_miss_text, misses[:NAMED]))}{more}")
        found.append(f"{_labelled(who, held)}: {'; '.join(said)}")
    return found


def _miss_text(miss: Missed) -> str:
    return f"{miss['id']} ({miss['label']}, graded {miss['given']})"


def spell_measure(measure: Measure, digits: int = 2) -> str:
    """Format a measure of a certificate with its interval; a dash if it has no value."""
    value, ends = measure["value"], measure["interval"]
    if isinstance(value, Mapping):
        return "-"
    bounds = f" [{float(ends[0]):.{digits}f}, {float(ends[1]):.{digits}f}]" if isinstance(ends, list) else ""
    return f"{float(value):.{digits}f}{bounds}"


def certificate_text(given: Path | None, root: Path = CODE) -> str:
    """Return the line beside a score that says how far its grader can be trusted.

    `given` is the certificate that the lock pins. The line is `uncertified` without a certificate, and `void …` if the
    certificate contradicts itself or the grader's code changed. A file that is missing counts as changed. The code of
    the page must therefore import the grader's code, which also makes the page again when that code changes.
    """
    if given is None:
        return UNCERTIFIED
    found = read(given.read_bytes(), given.name)
    if flaws := find_contradictions(found):
        return contradicted_text(flaws)
    changed = changed_files(found, root)
    return void_text(changed) if changed else figures_text(found)


class Trust(NamedTuple):
    """How far a grader can be trusted: the verdict, the line on its certificate, and one on each set of labels."""

    verdict: str  # usable | not usable | not yet measured by others
    line: str
    sets: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the grader may be used."""
        return self.verdict == USABLE


def trust_of(certificate: Path | None) -> Trust:
    """Return whether a grader may be used: its certificate fits the code here, and others' labels bear it out."""
    text = certificate_text(certificate)
    if certificate is None or text == UNCERTIFIED or text.startswith("void"):
        return Trust(NOT_USABLE, text)
    found = read(certificate.read_bytes(), certificate.name)
    return Trust(verdict_of(found).word, figures_line(found), tuple(set_lines(found)))
