"""The answer in the parts of a response that are laid out, not worded: tables, records, programs and marked lines.

Such a part is replaced by one line `answer: VALUE` if its layout says which value is the answer, and left as it is
otherwise. What the answer to a task looks like is not known here. Everything runs in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.answers.v2.wanted import json_values

_RESULT = re.compile(
    r"(?i)[\W_]*(?:the |my |your |a )?(?:final|correct|right|best|actual|expected|chosen|suggested"
    r"|proposed)?[\W_]*(?:answers?|outputs?|results?|solutions?|solved|response|reply|verdict"
    r"|sum|total|unscrambled|rearranged|decoded|anagram solution|solution word|converted|reformatted|formatted"
    r"|rewritten|after"
    r"|choice|pick|winner|guess|conclusion|largest(?: city)?|biggest(?: city)?|most populous(?: city)?|to)"
    r"(?:[ _](?:word|city|option|letter|value|text|string|sum|is|name|number|answer|here))?[\W_]*\Z"
)
_GIVEN = re.compile(
    r"(?i)[\W_]*(?:inputs?|given|question|task|instruction|prompt|letters?|scrambled|anagram|original|before"
    r"|addends?|from|"
    r"source|text|problem|city|place|town|country|radius|distance|steps?|#|no|nr|rank|index|length|count|[ab]|x|y"
    r"|first|second|notes?|explanation|reasoning|confidence)"
    r"(?:[ _](?:number|word|city|km|text|letters?|sets?|length|no|a|b|1|2|one|two|count|string))?[\W_]*\Z"
)
# What a value is like, not which value it is.
_ABOUT = re.compile(
    r"(?i)[\W_]*(?:(?:est(?:imated)?|approx(?:imate)?|total)[ _.]*)?(?:population|inhabitants|residents|people|pop"
    r"|area|size|elevation|lat(?:itude)?|lon(?:gitude)?|lng|coordinates|region|state|province|county|continent"
    r"|length|len|unit|units|type|kind|format|language|meaning|definition|part of speech|category|certainty|probability"
    r"|score|likelihood|sure|reason|why|comments?|remarks?|description|details?|source|year|status"
    r"|valid|carry|carries|digits|method)"
    r"(?:[ _](?:km2?|mi|of|size|est|total|estimate|count|score|level|rank|m|in millions))*(?:[ _]?\([^()]{0,20}\))?"
    r"[\W_]*\Z"
)
# What has such attributes.
_SUBJECT = re.compile(
    r"(?i)[\W_]*(?:city|town|place|name|word|number|option|letter|capital|candidate|value|text|string)"
    r"(?:[ _](?:name|letter))?[\W_]*\Z"
)
_RULE_CELL = re.compile(r"\s*:?-+:?\s*")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)([A-Za-z0-9_+-]{0,20})[ \t]*")
_PAIR = re.compile(r"[ \t]{0,12}(?:[-*] )?[\"']?([A-Za-z][A-Za-z _-]{0,30})[\"']?[ \t]{0,4}[:=][ \t]{1,8}(\S.*)")
_TAG = re.compile(r"<([A-Za-z_]{1,20})>([^<>\n]{1,300})</\1>")
_COMMENT = re.compile(
    r"(?:\S|^)[ \t]*(?:#|//|--|;;)[ \t]{0,4}(?:(?:=+>|->|\u2192|prints?|returns?|outputs?|result|answer|gives|is"
    r"|:)[ \t:]{0,4}){0,3}(.{1,200})\Z"
)
_SHOWN = re.compile(r"[\"'].{1,200}[\"']|-?[0-9][0-9.,_ ]*")
_LITERAL = re.compile(
    r"\s*(?:(?:(?:print|echo|console\.log|puts|printf|System\.out\.println|return|display|alert)\b[ (]{0,3})"
    r"|(?:(?:var|let|const|val|string|int|final)\s)?([A-Za-z_]\w{0,30})\s*=\s*)(f?[\"'][^\"'{}]{1,200}[\"']"
    r"|-?[0-9][0-9_.]*)\s*\)?;?\s*"
)
_POINTER = re.compile(
    r"[ \t]*(?:(?:<-+|<=+|\u2190|\u21d0|\u2b05\ufe0f?|\U0001f448|\u25c0\ufe0f?|-{1,3}>|\u2192|\u2013|\u2014|-|\("
    r"|\[)[ \t*_\"'(]{0,6}(?:i(?:'d| would|'ll)? (?:pick|choose|go with|take|say) )?"
    r"(?:this(?: one| is it| is the (?:answer|one|largest|biggest|winner))?|that(?: one|'s it)|(?:the |my |our "
    r"|final |correct |best |right )*(?:answer|pick|choice|winner|one|guess|solution|result)"
    r"|correct|right|here|largest|biggest|most populous|the largest|the biggest|selected|chosen|final)"
    r"(?: (?:one|option|answer|city|word|here))?[ \t.!*_)\]\"'\u2705\u2713\u2714]{0,8}|(?:<-+|\u2190|\u21d0"
    r"|\U0001f448|\u25c0\ufe0f?|\u2705|\u2714\ufe0f?|\u2713|\u2611\ufe0f?)[ \t*_]{0,4})\Z",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"[ \t]*(?:<-+|<=+|\u2190|\u21d0|\u2b05\ufe0f?|\U0001f448"
    r"|\u25c0\ufe0f?)(?:[ \t*_\"'(]{0,4}[\w'-]+[.!*_)]{0,4}){1,5}\Z"
)
_BOLD_ITEM = re.compile(r"(?:\*\*|__)([^*_\n]{1,120})(?:\*\*|__)(?:[ :,(\u2013-]{1,3}[^*\n]{0,60})?")
_POINTED = re.compile(
    r"[ \t]*(?:[-*] )?(?:\U0001f449|\u27a4|\u25b6\ufe0f?|\u279c|==>|>>>?|\u2705|\u2714\ufe0f?|\u2713"
    r"|\u2611\ufe0f?|\[[xX]\]|\([xX]\))[ \t]*(?=\S)"
)
_ITEM = re.compile(r"[ \t]{0,8}(?:[-*+\u2022]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)])[ \t]+(?=\S)")
_BULLET = re.compile(r"[ \t]{0,8}(?:[-*+\u2022]|\(?\d{1,2}[.)])[ \t]+(?=\S)")
_BOLD = re.compile(r"(?:\*\*|__)(?=\S)([^*_\n]{1,120})(?<=\S)(?:\*\*|__)")
_BOLD_CELL = re.compile(r"\s*(?:\*\*|__)(.{1,200})(?:\*\*|__)\s*")
_ACCEPTS = re.compile(
    r"(?i)[\s*_(]{0,6}(?:yes|y|true|right|correct|ok|valid|fits|works|match(?:es)?|chosen|selected|winner|accepted|x"
    r"|\u2713|\u2714\ufe0f?|\u2705|\u2611\ufe0f?|\[x\])[\s*_.!)]{0,6}"
)
_DENIES = re.compile(
    r"(?i)[\s*_(]{0,6}(?:|no|n|false|wrong|incorrect|invalid|not? (?:valid|right|fit|correct)|fails"
    r"|rejected|excluded|out|-+|\u2717|\u2718|\u274c|\u2716\ufe0f?|\u2610|\[ ?\]|\u2013|\u2014)[\s*_.!)]{0,6}"
)
_FAULT = re.compile(
    r"(?i)\b(?:wrong|reject|exclud|eliminat|error|false|problem|issue|too |out|against|missing|no\b|not\b)"
)
_RANK = re.compile(r"(?i)[\W_]*(?:rank(?:ing)?|place|position|pos)[\W_]*")
_FIRST = re.compile(r"(?i)[\W_]*(?:1|1st|first|i)[\W_]*")
MOST_LINES = 400
MOST_CELLS = 12


def flattened(text: str) -> str:
    """Return a prepared text with each table, record, program and marked line replaced by the answer that it states."""
    if "\n" not in text and "{" not in text and "|" not in text:
        found = _record(text)
        return text if found is None else f"answer: {found}"
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        return text
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end, answer = _block(lines, at)
        if answer is None:
            kept += lines[at:end]
        else:
            kept.append(f"answer: {answer}")
        at = end
    joined = "\n".join(_marked(kept))
    whole = _record(joined.strip()) if joined.lstrip()[:1] in ("{", "<") else None
    return joined if whole is None else f"answer: {whole}"


def _block(lines: Sequence[str], at: int) -> tuple[int, str | None]:
    """Return the end of the block that begins at a line, and the answer that it states."""
    if _FENCE.fullmatch(lines[at]):
        end = next((place for place in range(at + 1, len(lines)) if _FENCE.fullmatch(lines[place])), None)
        if end is None:
            return at + 1, None
        return end + 1, _fenced(lines[at + 1 : end])
    if _is_row(lines[at]) and at + 1 < len(lines) and _is_rule(lines[at + 1]):
        end = next((place for place in range(at + 2, len(lines)) if not _is_row(lines[place])), len(lines))
        return end, _table(_cells(lines[at]), [_cells(line) for line in lines[at + 2 : end]])
    return at + 1, None


def _is_row(line: str) -> bool:
    return "|" in line and len(line) < 2_000 and line.count("|") <= 2 * MOST_CELLS


def _is_rule(line: str) -> bool:
    return "-" in line and _is_row(line) and all(_RULE_CELL.fullmatch(cell) for cell in _cells(line))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str | None:
    """Return the answer of a table: the cell under a heading, or behind one, that says so; or the only bold name."""
    rows = [row for row in body if any(row)]
    called = [row[-1] for row in rows if len(row) >= 2 and row[-1] and _RESULT.fullmatch(row[0])]
    if called:
        return called[-1]
    if len(rows) == 1:
        return _only_row(head, rows[0])
    first = [row for row in rows if _FIRST.fullmatch(row[0]) and len(row) > 1]
    if _RANK.fullmatch(head[0]) and len(first) == 1:
        return first[0][1] or None
    if (judged := _judged(head, rows)) is not None:
        return judged
    pointed = [row for row in rows if any(cell and _POINTER.search(cell) for cell in row[1:])]
    bold = [row for row in rows if any(_BOLD_CELL.fullmatch(cell) for cell in row)]
    for marked in (pointed, bold):
        if len(marked) == 1:
            names = [cell for cell in marked[0] if any(map(str.isalpha, cell)) and not _POINTER.fullmatch(cell)]
            chosen = [cell for cell in names if _BOLD_CELL.fullmatch(cell)] or names
            return chosen[0] if chosen else None
    return None


def _judged(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str | None:
    """Return the name in the only row that the last column of verdicts accepts; None without such a column."""
    for place in range(len(head) - 1, 0, -1):
        cells = [row[place] if place < len(row) else "" for row in rows]
        good = [row for row, cell in zip(rows, cells, strict=True) if _ACCEPTS.fullmatch(cell)]
        rest = [cell for cell in cells if not _ACCEPTS.fullmatch(cell)]
        if len(good) == 1 and rest and all(_DENIES.fullmatch(cell) for cell in rest) and not _FAULT.search(head[place]):
            names = [cell for cell in good[0][:place] if any(map(str.isalnum, cell)) and not _ACCEPTS.fullmatch(cell)]
            return names[0] if names else None
    return None


def _only_row(head: Sequence[str], row: Sequence[str]) -> str | None:
    """Return the cell of a table's only row whose heading calls it the answer, or does not call it given."""
    columns = [place for place, name in enumerate(head) if _RESULT.fullmatch(name)]
    if not columns and len(head) > 1:
        columns = _telling(head)
    return row[columns[0]] or None if len(columns) == 1 and columns[0] < len(row) else None


def _telling(names: Sequence[str]) -> list[int]:
    """Return the places of the names of what is neither given nor an attribute, or else of what has the attributes."""
    rest = [place for place, name in enumerate(names) if name and not _GIVEN.fullmatch(name)]
    told = [place for place in rest if not _ABOUT.fullmatch(names[place])]
    if rest and not told:
        return [place for place, name in enumerate(names) if _SUBJECT.fullmatch(name)]
    return told


def _fenced(lines: Sequence[str]) -> str | None:
    """Return the answer of a fenced block: of a record, of a program whose output is shown, or of a table."""
    body = [line for line in lines if line.strip()]
    if not body:
        return None
    if len(body) > 2 and _is_row(body[0]) and _is_rule(body[1]):
        return _table(_cells(body[0]), [_cells(line) for line in body[2:] if _is_row(line)])
    found = _record("\n".join(body))
    if found is None:
        pairs = [pair for line in body if (pair := _PAIR.fullmatch(line))]
        named = [pair for pair in pairs if _RESULT.fullmatch(pair.group(1))]
        if len(pairs) == len(body) > 1 and named:
            return named[-1].group(2).strip().rstrip(",").strip("\"'")
    return _shown_output(body) if found is None else found


_CONSOLE = (">>>", "In [", "$ ")


def _shown_output(body: Sequence[str]) -> str | None:
    """Return the output that a program's text shows: below a prompt, in a comment at the end, or as a literal."""
    last = body[-1]
    if body[0].lstrip().startswith(_CONSOLE) and not last.lstrip().startswith((*_CONSOLE, "...")):
        return re.sub(r"^\s*Out ?\[\d+\]:\s*", "", last).strip().strip("\"'")
    shown = _COMMENT.search(last)
    if shown and _SHOWN.fullmatch(shown.group(1).strip()):
        return shown.group(1).strip().strip("\"'")
    literal = _LITERAL.fullmatch(last)
    if literal and (literal.group(1) is None or _RESULT.fullmatch(literal.group(1))):
        return literal.group(2).removeprefix("f").strip("\"'")
    return None


def _record(text: str) -> str | None:
    """Return the value that a JSON object or a record in tags calls the answer, or its only value."""
    if text[:2] == "[{" or text[:1] == "{":
        values = list(json_values(text))
        only = values[0] if len(values) == 1 and text.rstrip()[-1:] in "}]" else None
        if isinstance(only, list) and len(only) == 1:
            only = only[0]
        return _of_mapping(only) if isinstance(only, dict) else None
    elif text[:1] == "<":
        tags = {each.group(1): each.group(2).strip() for each in _TAG.finditer(text[:5_000])}
        if len(tags) > 1 and not re.search(
            r"\w", _TAG.sub("", re.sub(r"</?[A-Za-z_]{1,20}>(?![^<>\n]*</)", "", text[:5_000]))
        ):
            return _of_mapping(tags)
    return None


def _of_mapping(found: Mapping[Any, Any]) -> str | None:
    simple = {
        str(key): str(value)
        for key, value in found.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
    named = [value for key, value in simple.items() if _RESULT.fullmatch(key)]
    if len(named) == 1:
        return named[0]
    inner = [value for key, value in found.items() if isinstance(value, dict) and _RESULT.fullmatch(str(key))]
    if len(inner) == 1 and not named:
        return _of_inner(inner[0])
    rest = _telling(list(simple))
    return list(simple.values())[rest[0]] if len(found) > 1 and len(rest) == 1 and len(simple) == len(found) else None


def _of_inner(found: Mapping[Any, Any]) -> str | None:
    """Return the value of a mapping that is itself called the answer: its only one, or what its attributes describe."""
    simple = [value for value in found.values() if isinstance(value, str | int | float)]
    return str(simple[0]) if len(found) == len(simple) == 1 else _of_mapping(dict(list(found.items())[:MOST_CELLS]))


def _marked(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; of a list, the item that alone is pointed at or bold becomes the answer."""
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _ITEM.match(lines[end]):
            end += 1
        if end - at < 2:
            line = lines[at]
            pointer = (
                _POINTER.search(line, max(0, len(line) - 80))
                if "\u2190" in line or "<-" in line or "\U0001f448" in line
                else None
            )
            yield (
                line
                if pointer is None or not re.search(r"\w", line[: pointer.start()]) or "=" in line
                else f"answer: {_item(line[: pointer.start()])}"
            )
            at += 1
            continue
        chosen = _chosen_item(lines[at:end])
        if chosen is None:
            yield from lines[at:end]
        else:
            yield f"answer: {chosen}"
        at = end


def _chosen_item(lines: Sequence[str]) -> str | None:
    """Return the only item of a list that is pointed at, ticked or bold, or None."""
    pointed = [line[: found.start()] for line in lines if (found := _POINTER.search(line, max(0, len(line) - 80)))]
    pointed = [line for line in pointed if re.search(r"\w", _item(line))]
    ticked = [_item_text(line)[found.end() :] for line in lines if (found := _POINTED.match(_item_text(line)))]
    if len(pointed) + len(ticked) == 1:
        return _item(pointed[0]) if pointed else ticked[0]
    back = [line[: found.start()] for line in lines if (found := _POINTS_BACK.search(line, max(0, len(line) - 80)))]
    if len(back) == 1 and re.search(r"\w", _item(back[0])):
        return _item(back[0])
    bold = [line for line in lines if _BOLD.search(line)]
    if len(bold) == 1 and (found := _BOLD_ITEM.fullmatch(_item(bold[0]))):
        return found.group(1)
    return None


def _item_text(line: str) -> str:
    mark = _BULLET.match(line)
    return line[mark.end() :] if mark else line


def _item(line: str) -> str:
    return _item_text(line).strip()
