"""Tasks in this process: one after the other, or in threads, as compiled code runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from ..settings import Clock, Tasks

__all__ = ["Here"]

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")


class Here(Tasks):
    """Tasks of this process, in so many threads."""

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        return self._workers

    def run(
        self, work: Callable[[S, J, Clock], R], shared: S, jobs: Sequence[J], clock: Clock
    ) -> Iterator[tuple[int, R]]:
        if self._workers == 1:
            for number, job in enumerate(jobs):
                if clock.over:
                    return
                yield number, work(shared, job, clock)
            return
        with ThreadPoolExecutor(self._workers) as pool:
            begun, flying = 0, dict[Future[R], int]()
            while flying or (begun < len(jobs) and not clock.over):
                while begun < len(jobs) and len(flying) < self._workers and not clock.over:
                    flying[pool.submit(work, shared, jobs[begun], clock)] = begun
                    begun += 1
                for ended in wait(flying, return_when=FIRST_COMPLETED).done:
                    yield flying.pop(ended), ended.result()
