"""The tables of the reanalysis' page with published and recomputed values: scores, units, curves, omegas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, folded, join, table, word_table
from harness.studies.brain.pages.fragments import score
from harness.studies.brain.pages.reanalysis_basis import leaves, named

Document = Mapping[str, Any]
H_RULE = (
    "Theirs: the tables by participant. Ours: the mean of each participant's units, what is undefined left out, "
    "clipped at 0 (generation H). A participant of both experiments of Pereira was averaged over them after clipping; "
    "from units that are merged already this cannot be had, and stands as not derivable with the difference."
)
OMEGA = (
    "Omega is 100 (1 \N{MINUS SIGN} (B \N{MINUS SIGN} S) / L), held to 0 to 100: of a simple score S, a language "
    "model's L and the score B of both, which was not published. So omegas are averaged here, and held against the "
    "most that S and L allow, 100 S / L. Where one is above that, it was made of other scores than the tables'."
)
BOTH = (
    "OURS: a participant of both experiments has the mean of two scores. So the mean of a table follows from the best "
    "layers of both experiments' curves; where one curve is not here, its best score is implied."
)


def side_by_side(document: Document) -> list[Html]:
    """Return the table of means recomputed from units next to the published ones; empty if there are none."""
    body = []
    for way, found in leaves(section(document, "participants"), 5):
        if ours := section(found, "recomputed"):
            lost = ", ".join(section(ours, "not_derivable"))
            body.append(
                [
                    named(way),
                    score(found.get("mean"), 5),
                    score(ours.get("mean"), 5),
                    join([count(ours.get("exact")), " of ", count(found.get("participants"))]),
                    difference(ours.get("difference")),
                    lost or NONE,
                    difference(ours.get("not_derivable_difference")),
                    judged(ours.get("verdict"), _wrong(ours)),
                ]
            )
    head = [
        "Table and model",
        "Theirs",
        "Ours",
        "Exact participants",
        "Largest difference",
        "Not derivable",
        "Difference there",
        "Verdict",
    ]
    return (
        [el("p", H_RULE, class_="soft"), table("Means over participants, theirs and ours", head, body)] if body else []
    )


def means(document: Document) -> list[Html]:
    """Return the table of all published means over participants."""
    body = [
        [named(way), score(found.get("mean"), 5), count(found.get("participants"))]
        for way, found in leaves(section(document, "participants"), 5)
    ]
    words = "Every published table by participant"
    return [folded(words, table(words, ["Table and model", "Mean", "Participants"], body))] if body else []


def ratios(document: Document) -> list[Html]:
    """Return the tables of ratios of a simple score to a language model's, by participants and by units."""
    units = [
        [
            named(way),
            score(found.get("by_participants"), 3),
            score(found.get("clip_then_mean"), 3),
            score(found.get("by_units"), 3),
            _of(found, "participants_above", "participants"),
            _of(found, "units_above", "units"),
        ]
        for way, found in leaves(section(document, "compared_units"), 4)
    ]
    people = [
        [named(way), score(found.get("by_participants"), 3), _of(found, "participants_above", "participants")]
        for way, found in leaves(section(document, "compared"), 5)
    ]
    told = el(
        "p",
        "OASM in figure 2, the simple model elsewhere, divided by the language model. The two ways of "
        "averaging can stand on different sides of 1.",
        class_="soft",
    )
    head = [
        "Figure and model",
        "By participants",
        "Units clipped first",
        "By units",
        "Participants above",
        "Units above",
    ]
    made = [told] if units or people else []
    made += [table("From scores of units", head, units)] if units else []
    words = "From tables by participant"
    return [*made, folded(words, table(words, [head[0], head[1], head[4]], people))] if people else made


def layer_table(document: Document) -> list[Html]:
    """Return the table of the correlations of both splits' curves, and of the best layers."""
    body = []
    for way, found in leaves(section(document, "curves"), 5):
        told = section(found, "correlations")
        cells = [
            score(section(told, one).get(key), 3)
            for key in ("pearson", "steps_pearson")
            for one in ("all", "without_layer_0")
        ]
        best = [_best(section(found, split)) for split in ("shuffled", "contiguous")]
        body.append([named(way), *cells, *best])
    head = [
        "Curve",
        "r, all layers",
        "r, without layer 0",
        "r of first differences",
        "the same without layer 0",
        "Best layer, shuffled",
        "Best layer, contiguous",
    ]
    return [table("Curves of shuffled against contiguous splits", head, body)] if body else []


def experiments(document: Document) -> list[Html]:
    """Return the table that compares tables by participant with the curves of both experiments."""
    body = []
    for way, found in leaves(section(document, "both_experiments"), 4):
        implied = section(found, "implied_best")
        told = ", ".join(f"{name}: {number(value) or 0:.4f}" for name, value in implied.items())
        own = found.get("verdict")
        body.append(
            [
                named(way),
                score(found.get("mean"), 5),
                difference(found.get("difference")),
                judged(own) if own else join([NONE]),
                told or NONE,
            ]
        )
    head = ["Table and model", "Mean from both curves", "Difference", "Verdict", "Implied best of the absent curve"]
    return [el("p", BOTH, class_="soft"), table("Tables and curves of Pereira", head, body)] if body else []


def omega_table(document: Document) -> list[Html]:
    """Return the table of omegas: the mean, the mean without participants of L at or below 0, and how many have 100."""
    body = []
    for way, found in leaves(section(document, "omegas"), 3):
        empty = found.get("empty")
        above = found.get("above_bound") or []
        people = len(section(found, "published"))
        body.append(
            [
                named(way),
                score(found.get("mean"), 2),
                score(found.get("without_empty"), 2) if empty else join(["the same" if empty == [] else NONE]),
                join([count(found.get("at_100")), f" of {people}"]),
                ", ".join(map(str, above)) or NONE,
                judged(found.get("verdict")),
            ]
        )
    head = ["Omega", "Mean", "Without L \N{LESS-THAN OR EQUAL TO} 0", "At 100", "Above what S and L allow", "Verdict"]
    return [el("p", OMEGA, class_="soft"), table("Omegas", head, body)] if body else []


def agreement_tables(document: Document) -> list[Html]:
    """Return the tables of values and choices that two files contain."""
    made = []
    told = section(document, "agreements")
    both = {name: one for part in ("columns", "curves", "arrays") for name, one in section(told, part).items()}
    body = [
        [name, difference(section(both, name).get("difference")), judged(section(both, name).get("verdict"))]
        for name in both
    ]
    if body:
        made.append(table("Scores that two files hold", ["Scores", "Largest difference", "Verdict"], body))
    chosen = section(document, "agreements", "choices")
    rows = [
        [
            name,
            count(section(chosen, name).get("shared")),
            judged(section(chosen, name).get("verdict")),
            _parted(section(chosen, name, "differ")),
        ]
        for name in chosen
    ]
    if rows:
        made.append(word_table("Choices that two files tell", ["Files", "Choices", "Verdict", "Where they part"], rows))
    return made


def judged(verdict: Any, why: str = "") -> Html:
    """Format a verdict, followed by what is wrong, if anything."""
    shown = str(verdict or "not held against anything")
    return join([el("strong", shown) if shown.startswith("differs") else shown, f" ({why})" if why else None])


def difference(value: Any) -> Html:
    """Format a difference; a difference within rounding is 0."""
    known = number(value)
    return join([NONE if known is None else "0" if known <= 1e-12 else f"{known:.1e}"])


def _wrong(ours: Mapping[str, Any]) -> str:
    swapped: Sequence[Any] = ours.get("swapped") or ()
    others = [str(one) for one in ours.get("differs") or () if one not in swapped]
    told = [f"the values of {', '.join(map(str, swapped))} are each other's"] if swapped else []
    return "; ".join([*told, *([", ".join(others)] if others else [])])


def _of(found: Mapping[str, Any], name: str, whole: str) -> Html:
    return join([count(found.get(name)), " of ", count(found.get(whole))])


def _best(found: Mapping[str, Any]) -> Html:
    chosen = section(found, "chosen")
    told = {str(section(chosen, name).get("verdict")) for name in chosen}
    return join([count(found.get("best")), f" ({', '.join(sorted(told))})" if told else None])


def _parted(found: Mapping[str, Any]) -> str:
    return "; ".join(_pair(key, value) for key, value in found.items()) or NONE


def _pair(key: str, value: Any) -> str:
    return f"{key}: {' or '.join(map(str, value))}" if isinstance(value, list) else key
