"""A cut of least cost: which of two labels each node gets, so that all costs together are least."""

from __future__ import annotations

from collections import deque

ONE, ZERO = 0, 1  # nodes whose labels are known
NEVER = 1 << 60


class Cut:
    """Nodes and what labels cost. Costs are integers, of at least 0."""

    def __init__(self) -> None:
        self._edges: list[list[int]] = [[], []]  # of each node: numbers of edges
        self._to: list[int] = []  # edge e and e ^ 1 are the two directions of one
        self._room: list[int] = []

    def node(self) -> int:
        """Return a new node."""
        self._edges.append([])
        return len(self._edges) - 1

    def cost(self, first: int, second: int, cost: int) -> None:
        """What it costs if the first node gets 1, and the second 0."""
        for start, end, room in ((first, second, cost), (second, first, 0)):
            self._edges[start].append(len(self._to))
            self._to.append(end)
            self._room.append(room)

    def least(self) -> list[bool]:
        """Return whether each node gets 1. Of several cuts, the one of the fewest such nodes.

        This is Dinic's algorithm: the cut of least cost is where the largest flow is held up.
        """
        while True:
            depth = self._depths()
            if depth[ZERO] < 0:
                return [level >= 0 for level in depth]
            left = list(map(len, self._edges))  # edges of each node that are yet to be tried
            while self._push(depth, left):
                pass

    def _depths(self) -> list[int]:
        """The number of edges with room on the way to each node, -1 if there is none."""
        depth = [-1] * len(self._edges)
        depth[ONE] = 0
        waiting = deque([ONE])
        while waiting:
            node = waiting.popleft()
            for edge in self._edges[node]:
                if self._room[edge] and depth[self._to[edge]] < 0:
                    depth[self._to[edge]] = depth[node] + 1
                    waiting.append(self._to[edge])
        return depth

    def _push(self, depth: list[int], left: list[int]) -> bool:
        """Send as much as one more way holds; False if there is no way left."""
        way: list[int] = []
        node = ONE
        while node != ZERO:
            if not left[node]:
                if not way:
                    return False
                node = self._to[way.pop() ^ 1]
                left[node] -= 1
                continue
            edge = self._edges[node][left[node] - 1]
            if self._room[edge] and depth[self._to[edge]] == depth[node] + 1:
                way.append(edge)
                node = self._to[edge]
            else:
                left[node] -= 1
        flow = min([self._room[edge] for edge in way])
        for edge in way:
            self._room[edge] -= flow
            self._room[edge ^ 1] += flow
        return True
