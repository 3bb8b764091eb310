"""Maximum one-to-one matching of two sides (Hopcroft and Karp 1973), the same for the same pairs in any order.

It must never know what is matched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Edges = dict[int, list[int]]  # from each member of the left side to those of the right it may be matched with
Waiting = dict[int, Iterator[int]]  # what of the edges was not looked at yet


def matching(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Give as many of the (left, right) pairs as can stand together so that no member is in two; sorted."""
    edges: Edges = {}
    for left, right in sorted(set(pairs)):
        edges.setdefault(left, []).append(right)
    of_left: dict[int, int] = {}
    of_right: dict[int, int] = {}
    while True:
        levels = _levels(edges, of_left, of_right)
        if not levels:
            return sorted(of_left.items())
        waiting = {left: iter(edges[left]) for left in levels}
        for left in edges:
            if left not in of_left:
                _lengthen(left, levels, waiting, of_left, of_right)


def _levels(edges: Edges, of_left: dict[int, int], of_right: dict[int, int]) -> dict[int, int]:
    """Give each left member's distance from a free one, in exchanges; nothing where no more can be matched."""
    levels = {left: 0 for left in edges if left not in of_left}
    front, found = list(levels), False
    while front and not found:
        behind = []
        for left in front:
            for right in edges[left]:
                holder = of_right.get(right)
                if holder is None:
                    found = True
                elif holder not in levels:
                    levels[holder] = levels[left] + 1
                    behind.append(holder)
        front = behind
    return levels if found else {}


def _lengthen(
    free: int, levels: dict[int, int], waiting: Waiting, of_left: dict[int, int], of_right: dict[int, int]
) -> None:
    """Match a free member of the left side where a shortest chain of exchanges allows it."""
    chain: list[tuple[int, int]] = []  # of (left, right) that would be matched
    left = free
    while True:
        step = next((one for one in waiting[left] if _leads_on(levels, left, of_right.get(one))), None)
        if step is None:
            if not chain:
                return
            left, _ = chain.pop()  # a dead end: on from where the chain came, which looks at each edge once
            continue
        chain.append((left, step))
        holder = of_right.get(step)
        if holder is None:
            break
        left = holder
    for left, right in chain:
        of_left[left], of_right[right] = right, left


def _leads_on(levels: dict[int, int], left: int, holder: int | None) -> bool:
    """Whether a right member is free, or held by one that is an exchange further away."""
    return holder is None or levels.get(holder) == levels[left] + 1
