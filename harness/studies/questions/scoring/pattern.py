"""The scorer `regex`: compares the match of a pattern in an answer with the target, or scores whether there is a match.

An answer in which the search times out has no score. Too many such answers in one step raise InputError, since the
pattern is then the cause. Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, without
from harness.studies.questions.scoring import search
from harness.studies.questions.scoring.exact import exact
from harness.studies.questions.scoring.match import match

MOST_OUT_OF_TIME = 12  # answers of one step that may time out


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response by a regular expression; raise InputError if it times out in more than 12."""
    slow = 0

    def rule(seen: graded.Seen) -> Found:
        nonlocal slow
        found = regex(seen.response["text"], seen.gold["gold"], params)
        slow += found["value"] == {"missing": search.OUT_OF_TIME}
        if slow > MOST_OUT_OF_TIME:
            raise InputError(
                f"the pattern of {params['name']!r} ran out of time in {slow} answers of one step",
                where="settings.score",
                next="write one with fewer repeats, such as [^\\n]* in place of .*",
            )
        return found

    graded.write(params, inputs, out, params["name"], rule)


def regex(response: str, gold: Mapping[str, Any], params: Mapping[str, Any]) -> Found:
    """Score one answer by a regular expression: 1 if what it matches is a target or, with `matches`, if it matches."""
    pattern = str(params["pattern"])
    if len(response) > search.LONGEST:
        return without(search.TOO_LONG)
    group = params.get("group", min(1, search.groups(pattern)))
    found = search.find(pattern, response, str(params["take"]), int(group))
    if found is None:
        return without(search.OUT_OF_TIME)
    if params["matches"]:
        return finding(int(bool(found)), found[0] if found else None)
    if not found:
        return finding(0, None)
    return (match if params["normalised"] else exact)(found[0], gold)
