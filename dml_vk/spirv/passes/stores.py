"""What variables contain, as far as it is known: values of wholes and of parts, by constant index.

Variables are named by their id, parts by a path of indices. The dictionaries of parts are shared
between states, and so never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Path = tuple[int, ...]
State = dict[int, dict[Path, int]]


def store(state: State, variable: int, path: Path | None, value: int) -> None:
    """Note a store, at an unknown place if there is no path."""
    if path is None:
        state.pop(variable, None)
        return
    if not path:
        state[variable] = {path: value}
        return
    before = state.get(variable, {})
    parts = {known: part for known, part in before.items() if not _overlap(known, path)}
    parts[path] = value
    state[variable] = parts


def note(state: State, variable: int, path: Path, value: int) -> None:
    """Note what was loaded."""
    state[variable] = {**state.get(variable, {}), path: value}


def find(state: State, variable: int, path: Path) -> tuple[int, Path] | None:
    """A known value, and where in it the asked one is."""
    known = state.get(variable)
    if known:
        for depth in range(len(path), -1, -1):
            value = known.get(path[:depth])
            if value is not None:
                return value, path[depth:]
    return None


def forget(state: State, variables: Iterable[int]) -> None:
    """Note that anything may have been stored there."""
    for variable in variables:
        state.pop(variable, None)


def merged(states: Sequence[State]) -> State:
    """What is known whichever of these holds."""
    first, *others = states
    if not others:
        return dict(first)
    state: State = {}
    for variable, known in first.items():
        for other in others:
            there = other.get(variable)
            if there is not known:
                if there is None:
                    break
                known = {path: value for path, value in known.items() if there.get(path) == value}
        else:
            if known:
                state[variable] = known
    return state


def _overlap(a: Path, b: Path) -> bool:
    shared = min(len(a), len(b))
    return a[:shared] == b[:shared]
