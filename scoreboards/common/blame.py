# SPDX-License-Identifier: Apache-2.0
"""Which clause a failure belongs to, if several would explain it: few clauses explain many failures, and none that was
seen to hold.
"""

from __future__ import annotations

from collections import Counter

from rvtrace.scoreboards.common.clauses import Failure

Candidates = tuple[tuple[str, str], ...]  # (clause, setting), the most specific first


class Blame:
    """Failures that several clauses explain. passed: how often each (clause, setting) was seen to hold."""

    def __init__(self) -> None:
        self.passed: Counter[tuple[str, str]] = Counter()
        self._open: list[tuple[Failure, Candidates]] = []

    def add(self, failure: Failure, candidates: Candidates) -> None:
        """A failure to be judged at the end."""
        self._open.append((failure, candidates))

    def judged(self) -> list[Failure]:
        """All of them, each under its clause: again and again the one that explains most of what is left, and held
        least.
        """
        done: list[tuple[int, Failure]] = []
        left = list(enumerate(self._open))
        while left:
            explained: Counter[tuple[str, str]] = Counter(c for _, (_, candidates) in left for c in candidates)
            if not explained:
                done += [(n, failure) for n, (failure, _) in left]
                break
            order = {c: -n for n, c in enumerate(explained)}
            best = max(
                explained, key=lambda c: (explained[c] / (explained[c] + self.passed[c]), explained[c], order[c])
            )
            for n, (failure, candidates) in left:
                if best in candidates:
                    failure.clause = best[0]
                    done.append((n, failure))
            left = [one for one in left if best not in one[1][1]]
        return [failure for _, failure in sorted(done, key=lambda one: one[0])]
