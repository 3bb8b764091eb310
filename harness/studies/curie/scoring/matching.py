"""Maximum one-to-one matching of two sides (Hopcroft and Karp 1973), the same for the same pairs in any order.

Independent of what is matched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Edges = dict[int, list[int]]  # from each member of the left side to the possible matches on the right
Waiting = dict[int, Iterator[int]]  # edges not visited yet


def matching(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a largest subset of the (left, right) pairs in which no member occurs twice, sorted."""
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
    """Return each left member's distance from a free one, in exchanges; empty if no more can be matched."""
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
    """Match a free member of the left side if a shortest chain of exchanges allows it."""
    chain: list[tuple[int, int]] = []  # of (left, right) to be matched
    left = free
    while True:
        step = next((one for one in waiting[left] if _leads_on(levels, left, of_right.get(one))), None)
        if step is None:
            if not chain:
                return
            left, _ = chain.pop()  # a dead end: back one step; each edge is visited once
            continue
        chain.append((left, step))
        holder = of_right.get(step)
        if holder is None:
            break
        left = holder
    for left, right in chain:
        of_left[left], of_right[right] = right, left


def _leads_on(levels: dict[int, int], left: int, holder: int | None) -> bool:
    """Whether a right member is free, or held by a left member that is one exchange further away."""
    return holder is None or levels.get(holder) == levels[left] + 1
