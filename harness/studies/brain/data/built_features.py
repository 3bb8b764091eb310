"""Builds the feature spaces WORD, SENSE, SYNT and GLOVE of Pereira's sentences from files that a user brings.

The authors published none of their spaces. WORD and SENSE follow the paper: vectors of senses, averaged over a word's
senses by their counts, or of the sense that was chosen for it, and summed over the words of a sentence. SYNT is OURS:
it counts a parse, where the paper averages a language model over sentences of like syntax, whose script is lost. In
GLOVE vectors of content words are summed (OURS: the sources do not say sum or mean).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError, MissingError
from harness.studies.brain.data.lexical_files import (
    SENSE_KEY,
    read_chosen_senses,
    read_named_vectors,
    read_sense_counts,
    senses_by_lemma,
)
from harness.studies.brain.data.parameters import SENTENCES
from harness.studies.brain.data.parsed_sentences import ParsedSentence, ParsedWord, read_parsed
from harness.studies.brain.data.source_order import read_lines, require_rows

Array = Any  # a numpy array
WORD_VECTORS, SENSE_VECTORS, SENSE_COUNTS = "word_vectors", "sense_vectors", "sense_counts"
CHOSEN, PARSED, SYNTAX = "senses_chosen", "parsed", "syntax"
FILES = (WORD_VECTORS, SENSE_VECTORS, SENSE_COUNTS, CHOSEN, PARSED, SYNTAX)
NEEDED: Mapping[str, tuple[str, ...]] = {
    "WORD": (SENSE_COUNTS, SENSE_VECTORS, PARSED),
    "SENSE": (CHOSEN, SENSE_VECTORS),
    "SYNT": (SYNTAX,),
    "GLOVE": (WORD_VECTORS, PARSED),
}
BRING: Mapping[str, str] = {
    WORD_VECTORS: "a text file of word vectors, a word and its numbers a line, such as glove.6B.300d.txt",
    SENSE_VECTORS: "a text file of sense vectors, a WordNet sense key and its numbers a line, such as those of LMMS",
    SENSE_COUNTS: "WordNet's counts of senses, its file cntlist or cntlist.rev",
    CHOSEN: "the output of a program that tells senses apart, lines `ROW WORD SENSE_KEY`, both counted from 1",
    PARSED: "a parser's CoNLL-U of the study's 627 sentences in its order, such as UDPipe or Stanza writes",
    SYNTAX: "the same file as `parsed`",
}
CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV"))
KINDS: Mapping[str, str] = {"NOUN": "1", "PROPN": "1", "VERB": "2", "AUX": "2", "ADJ": "3", "ADV": "4"}
CLASSES = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
)  # fmt: skip
RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop", "csubj",
    "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark", "nmod",
    "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
)  # fmt: skip


class BuiltFeatures(NamedTuple):
    """The feature spaces that were built, [row, column] of float64, and how many of how many words have a vector."""

    spaces: Mapping[str, Array]
    found: Mapping[str, tuple[int, int]]


def built_spaces(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the feature spaces to build: a space is built if the first file that it needs is given."""
    given = {*names}
    return tuple(space for space, needed in NEEDED.items() if needed[0] in given)


def require_companions(names: Iterable[str], where: str) -> None:
    """Raise MissingError, saying what to bring, if a feature space has one of its input files but lacks another."""
    given = {*names}
    for space in built_spaces(given):
        for lacking in NEEDED[space]:
            if lacking not in given:
                told = f"{space} cannot be built without `{lacking}`"
                raise MissingError(told, where=f"{where}.{lacking}", next=f"bring {BRING[lacking]}")
    if SENSE_VECTORS in given and not given & {SENSE_COUNTS, CHOSEN}:
        told = f"no space can be built of `{SENSE_VECTORS}` alone"
        more = f"for WORD bring {BRING[SENSE_COUNTS]}, for SENSE {BRING[CHOSEN]}"
        raise MissingError(told, where=f"{where}.{SENSE_COUNTS}", next=more)


def build(files: Mapping[str, Path], rows: int) -> BuiltFeatures:
    """Build each feature space whose files are given: arrays with one row for each sentence of Pereira.

    Raises MissingError as `require_companions` does, and InputError for a file that is not of its kind, and for a space
    in which no word has a vector.
    """
    require_companions(files, "files")
    wanted = built_spaces(files)
    texts = read_lines(SENTENCES, files[SENTENCES]) if wanted and SENTENCES in files else []
    if texts:
        require_rows(SENTENCES, len(texts), rows, "lines")
    parsed = read_parsed(PARSED, files[PARSED], rows, texts) if PARSED in files else []
    spaces: dict[str, Array] = {}
    found: dict[str, tuple[int, int]] = {}
    if "SYNT" in wanted:
        spaces["SYNT"] = syntax(read_parsed(SYNTAX, files[SYNTAX], rows, texts))
    for space in (space for space in wanted if space != "SYNT"):
        chosen = _weights(space, files, parsed, rows)
        keys = {key for row in chosen for word in row for key in word}
        many = sum(len(row) for row in chosen)
        name = WORD_VECTORS if space == "GLOVE" else SENSE_VECTORS
        vectors = read_named_vectors(name, files[name], keys.__contains__)
        spaces[space], known = _summed(chosen, vectors)
        found[space] = known, many
    return BuiltFeatures(spaces, found)


Weights = Sequence[Sequence[Mapping[str, float]]]  # for each word of each row: the weight of each name of a vector


def _weights(space: str, files: Mapping[str, Path], parsed: Sequence[ParsedSentence], rows: int) -> Weights:
    """Return, for each word of each row that counts, the names of its vectors with their weights."""
    if space == "GLOVE":
        return [[{word.form.lower(): 1.0} for word in one.words if word.upos in CONTENT] for one in parsed]
    if space == "SENSE":
        chosen = read_chosen_senses(CHOSEN, files[CHOSEN], rows)
        return [[{key: 1.0} for key in chosen.get(row, ())] for row in range(rows)]
    counts = read_sense_counts(SENSE_COUNTS, files[SENSE_COUNTS])
    lemmas = {_lemma(word) for one in parsed for word in one.words if word.upos in KINDS}
    known = read_named_vectors(
        SENSE_VECTORS, files[SENSE_VECTORS], lambda key: bool(of := SENSE_KEY.fullmatch(key)) and _of(of) in lemmas
    )
    senses = senses_by_lemma(known)
    return [
        [_by_count(senses.get(_lemma(word), ()), counts) for word in one.words if word.upos in KINDS] for one in parsed
    ]


def _of(key: Any) -> tuple[str, str]:
    return key["lemma"].lower(), key["kind"].replace("5", "3")


def _lemma(word: ParsedWord) -> tuple[str, str]:
    return word.lemma.lower().replace(" ", "_"), KINDS[word.upos]


def _by_count(senses: Sequence[str], counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each sense in the counts; equal shares if none was counted."""
    total = sum(counts.get(key, 0) for key in senses)
    return {key: counts.get(key, 0) / total if total else 1 / len(senses) for key in senses}


def _summed(rows: Weights, vectors: Mapping[str, Array]) -> tuple[Array, int]:
    """Return the sum over each row's words of their weighted vectors, and how many words have one."""
    import numpy as np  # noqa: PLC0415 - heavy

    made = np.zeros((len(rows), len(next(iter(vectors.values())))))
    known = 0
    for place, words in enumerate(rows):
        for word in words:
            own = [(weight, vectors[name]) for name, weight in sorted(word.items()) if name in vectors]
            known += bool(own)
            for weight, vector in own:
                made[place] += weight * vector
    return made, known


def syntax(parsed: Sequence[ParsedSentence]) -> Array:
    """Return features of a parsed sentence (OURS): counts of word classes and relations, depth, mean head distance."""
    import numpy as np  # noqa: PLC0415 - heavy

    made = np.zeros((len(parsed), len(CLASSES) + len(RELATIONS) + 2))
    for place, one in enumerate(parsed):
        for word in one.words:
            if word.upos not in CLASSES or word.relation not in RELATIONS:
                odd = word.upos if word.upos not in CLASSES else word.relation
                told = f"{odd[:40]!r} of {word.form[:40]!r} is no universal word class or relation"
                raise InputError(told, where=f"{SYNTAX}: sentence {place + 1}", next="give Universal Dependencies")
            made[place, CLASSES.index(word.upos)] += 1
            made[place, len(CLASSES) + RELATIONS.index(word.relation)] += 1
        far = [abs(number - word.head) for number, word in enumerate(one.words, 1) if word.head]
        made[place, -2:] = _depth(one, place), sum(far) / len(far) if far else 0.0
    return made


def _depth(one: ParsedSentence, place: int) -> int:
    """Return the most words from the root down to a word; raise InputError for heads that go round in a circle."""
    deepest = 0
    for word in one.words:
        steps, head = 1, word.head
        while head:
            steps, head = steps + 1, one.words[head - 1].head
            if steps > len(one.words):
                told = f"the heads of {word.form[:40]!r} go round in a circle"
                raise InputError(told, where=f"{SYNTAX}: sentence {place + 1}", next="give the parser's output")
        deepest = max(deepest, steps)
    return deepest
