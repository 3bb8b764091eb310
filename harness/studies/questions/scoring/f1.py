"""The scorer `f1`: the words that answer and target share, counted as the evaluation script of SQuAD 2.0 does.

Independent of the model that answered.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, targets

NONE = (0.0, 0.0, 0.0)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_SIGNS = str.maketrans("", "", string.punctuation)


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: the best F1 over the target and the accepted answers."""
    graded.write(params, inputs, out, params["name"], lambda seen: f1(seen.response["text"], seen.gold["gold"]))


def f1(response: str, gold: Mapping[str, Any]) -> Found:
    """Score one answer by word F1 against its best target; precision and recall are in the detail."""
    said = words(response)
    best = max((shared(said, words(target)) for target in targets(gold)), default=NONE)
    return finding(best[0], None, metrics={"precision": best[1], "recall": best[2]})


def words(text: str) -> list[str]:
    """Split a text into words: in lower case, without ASCII punctuation, without articles."""
    return _ARTICLE.sub(" ", text.lower().translate(_SIGNS)).split()


def shared(ours: list[str], theirs: list[str]) -> tuple[float, float, float]:
    """Return F1, precision and recall of the words of two texts; if neither has words 1, if one has none 0."""
    if not ours or not theirs:
        return (1.0, 1.0, 1.0) if ours == theirs else NONE
    hits = (Counter(ours) & Counter(theirs)).total()
    if not hits:
        return NONE
    precision, recall = hits / len(ours), hits / len(theirs)
    return 2 * precision * recall / (precision + recall), precision, recall
