"""Tasks on the workers of a Dask cluster.

What all jobs share is sent once, as the answer of a task of its own, so that it is made again if it is lost
with a worker. Jobs are sent when their turn comes, several at a time while there are many (each message costs
some milliseconds), the last ones singly: two messages per thread are under way, so that neither the
scheduler nor a worker holds more. Jobs whose worker is lost are given to another one; only what was done of
them is lost.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from ...models.errors import EngineError
from ..settings import Clock, Tasks

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Workers", "connected"]

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")

AHEAD = 2
"""Messages under way for each thread."""
TOGETHER = 8
"""Jobs of a message, at most."""
LOST = 5
"""A job that was lost with so many workers is not given to another one: it may be what ends them."""
LISTEN = 0.5
"""Seconds between two looks at the clock."""
PATIENCE = 60.0
"""Seconds without any worker after which the cluster is given up."""


@contextmanager
def connected(cluster: Client | str | None) -> Generator[Tasks | None, None, None]:
    """The cluster's tasks while the block lasts; None without a cluster.

    Parameters
    ----------
    cluster : distributed.Client or str or None
        A client stays open; for the address of a scheduler one is made and closed.

    Raises
    ------
    EngineError
        If Dask distributed is not installed, an address is none of a host and port, nobody answers there, or
        there is no worker.
    """
    if cluster is None:
        yield None
        return
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise EngineError(
            "cluster: Dask distributed is not installed: pip install 'optanon[cluster]'"
        ) from error
    if isinstance(cluster, Client):
        yield Workers(cluster)
        return
    try:
        get_address_host_port(cluster)  # a client of none waits half a minute, and cannot be closed
        client = Client(cluster, timeout=PATIENCE / 4, set_as_default=False)
    except ValueError as error:
        raise EngineError(
            f"cluster: {cluster!r} is no address of a scheduler, such as tcp://host:8786 ({error})"
        ) from error
    except OSError as error:
        raise EngineError(
            f"cluster: no scheduler answers at {cluster!r}: start one (dask scheduler) and give its address"
        ) from error
    with client:
        yield Workers(client)


class Workers(Tasks):
    """Tasks of a cluster; see `connected`.

    Raises
    ------
    EngineError
        If there is no worker.
    """

    def __init__(self, client: Client) -> None:
        self._client: Any = client  # its methods are typed as if all of them were asynchronous
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise EngineError("cluster: the scheduler has no worker: start one (dask worker)") from error
        self._threads = max(1, sum(self._client.nthreads().values()))
        self._sent: tuple[Any, Any] | None = None
        self._over = list[Any]()  # to forget is a message, too: one that is sent after it waits
        self._version = version("optanon")

    @property
    def workers(self) -> int:
        return self._threads

    def run(
        self, work: Callable[[S, J, Clock], R], shared: S, jobs: Sequence[J], clock: Clock
    ) -> Iterator[tuple[int, R]]:
        sent = self._shared(shared)
        waiting = list(range(len(jobs) - 1, -1, -1))
        flying = dict[Any, tuple[list[int], str]]()
        lost, alone = [0] * len(jobs), Clock()
        try:
            while (waiting or flying) and not clock.over:
                threads: dict[str, int] = self._client.nthreads() if waiting else {}
                ahead = AHEAD * max(1, sum(threads.values()))
                while waiting and len(flying) < ahead:
                    place = _least_busy(threads, flying.values())
                    many = min(TOGETHER, -(-len(waiting) // ahead))
                    numbers = [waiting.pop() for _ in range(many)]
                    future = self._client.submit(
                        _worked,
                        self._version,
                        work,
                        sent,
                        [jobs[number] for number in numbers],
                        clock.left,
                        pure=False,
                        workers=[place] if place else None,
                        allow_other_workers=bool(place),
                    )
                    flying[future] = numbers, place
                self._over.clear()
                ended: list[tuple[Any, Any]] = self._client.sync(
                    _ended, self._client, list(flying), clock.left
                )
                if ended or threads or self._client.nthreads():
                    alone = Clock()
                elif alone.seconds > PATIENCE:
                    raise EngineError("cluster: no worker is left: start workers, or solve without a cluster")
                for future, answer in ended:
                    numbers, _ = flying.pop(future)
                    self._over.append(future)
                    answers = _told(answer)
                    if answers is not None:
                        yield from zip(numbers, answers, strict=False)
                        continue
                    for number in reversed(numbers):
                        lost[number] += 1
                        if lost[number] == LOST:
                            raise EngineError(
                                f"cluster: a block was lost with {LOST} workers: give them more memory, or "
                                "look into their logs"
                            )
                        waiting.append(number)
        finally:
            if flying:
                self._client.cancel(list(flying))

    def _shared(self, shared: object) -> Any:
        """Where the workers find what all jobs share."""
        if self._sent is None or self._sent[0] is not shared:
            self._sent = shared, self._client.submit(_itself, shared, pure=False)
        return self._sent[1]


async def _ended(client: Any, flying: Sequence[Any], left: float | None) -> list[tuple[Any, Any]]:
    """Messages that have ended, after a while at the latest, each with its answers or what happened to it.

    It runs in the client's thread: so they come with one call, however many they are.
    """
    from distributed import wait

    try:
        with client.as_current():  # it need not be the default one: there may be none
            found: Any = await wait(flying, timeout=LISTEN, return_when="FIRST_COMPLETED")
    except TimeoutError:
        return []
    done = list(found.done)
    asked = (asyncio.wait_for(future, left) for future in done)
    return list(zip(done, await asyncio.gather(*asked, return_exceptions=True), strict=True))


def _told(answer: Any) -> list[Any] | None:
    """Answers of the jobs of a message, as many as there was time for; None if they are lost."""
    from distributed import KilledWorker

    if isinstance(answer, KilledWorker | CancelledError | TimeoutError):
        return None
    if isinstance(answer, ImportError):
        raise EngineError(
            f"cluster: a worker cannot load optanon ({answer}): install optanon {version('optanon')} there"
        ) from answer
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _least_busy(threads: Mapping[str, int], flying: Iterable[tuple[Sequence[int], str]]) -> str:
    """The worker with the fewest jobs under way for each thread; no word if there is none.

    Left to itself, the scheduler gives jobs to the worker that has what they share.
    """
    under_way = Counter(place for numbers, place in flying for _ in numbers)
    return min(threads, key=lambda place: (under_way[place] / threads[place], place), default="")


def _itself(shared: S) -> S:
    return shared


def _worked(
    asked: str, work: Callable[[S, J, Clock], R], shared: S, jobs: Sequence[J], seconds: float | None
) -> list[R]:
    """Do jobs on a worker."""
    if version("optanon") != asked:
        raise EngineError(
            f"cluster: a worker has optanon {version('optanon')}, not {asked}: install the same version there"
        )
    clock = Clock(seconds)
    return [work(shared, job, clock) for number, job in enumerate(jobs) if not number or not clock.over]
