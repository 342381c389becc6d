"""Better releases, region by region: column generation and an integer program on a few dozen tuples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ...limits import SIGNATURE_LIMITS as LIMITS
from ...schedule_series import SIGNATURE
from ...settings import Clock
from ..choice import best_of
from ..column import Column, costs_of
from ..generation import Generation
from ..master import RestrictedMaster
from ..signature_pricing import SignaturePricing
from ..structure.types import Types
from .free import apart

__all__ = ["Regions"]


class Regions:
    """Improve a release region by region.

    Parameters
    ----------
    types : Types
    fakes : int or None
        Most counterfeits of the whole release; no limit where they have a price.
    seed : int
    clock : Clock
    workers : int
        Regions that are improved at a time.
    """

    def __init__(self, types: Types, fakes: int | None, seed: int, clock: Clock, workers: int = 1) -> None:
        self.types, self.fakes, self.seed, self.clock = types, fakes, seed, clock
        self.workers = workers
        self._random = np.random.default_rng(seed)
        self._places = apart(types)
        self._failed: set[frozenset[Column]] = set()

    def run(
        self,
        columns: Sequence[Column],
        pool: Sequence[Column],
        until: float | None,
        told: Callable[[Sequence[Column]], object],
        rounds: int | None = None,
        far: bool = False,
        last: bool = False,
    ) -> tuple[Column, ...]:
        """Improve until time is over or `LIMITS.stall` of the largest regions in a row are best as they are.

        Parameters
        ----------
        columns
            A release within the limit.
        pool
            Columns to choose from besides.
        until
            Second of the clock at which to stop.
        told
            Called with every better release.
        rounds
            Most regions, each time one per worker.
        far
            Whether to begin with small regions.
        last
            Whether nothing comes after it: under a limit regions then grow instead of ending with time left.
        """
        now = list(columns)
        flat = np.array([r for column in pool for r in column.rows], dtype=np.int64)
        owner = np.repeat(np.arange(len(pool)), [len(column.rows) for column in pool])
        sizes = [LIMITS.first_region, LIMITS.region] if far else [LIMITS.region]
        stalled = 0
        with ThreadPoolExecutor(self.workers) as threads:
            while not self.clock.over and (until is None or self.clock.seconds < until):
                if stalled >= LIMITS.stall // len(sizes):
                    larger = sizes[1:]
                    if not larger and last and self.clock.limit is not None and sizes[0] < len(self.types):
                        larger = [sizes[0] * LIMITS.region // LIMITS.first_region]
                    if not larger:
                        break
                    stalled, sizes = 0, larger
                if rounds is not None:
                    rounds -= 1
                    if rounds < 0:
                        break
                regions = [
                    r for r in self._apart(now, sizes[0]) if frozenset(now[j] for j in r) not in self._failed
                ]
                better = self._round(threads, now, regions, (pool, flat, owner))
                stalled = 0 if better is not None else stalled + max(1, len(regions))
                if better is not None:
                    now = better
                    told(now)
        return tuple(now)

    def _round(
        self,
        threads: ThreadPoolExecutor,
        now: Sequence[Column],
        regions: Sequence[Sequence[int]],
        pool: tuple[Sequence[Column], NDArray[np.int64], NDArray[np.int64]],
    ) -> list[Column] | None:
        """Improve all regions at a time; the columns afterwards, or None if all are best as they are."""
        spare = 0 if self.fakes is None else self.fakes - self.types.made_of(now)[0]
        answers = [
            # What may be added anywhere is given to one region only.
            threads.submit(self._solved, [now[j] for j in chosen], 0 if at else spare, *pool)
            for at, chosen in enumerate(regions)
        ]
        gone, made = set[int](), list[Column]()
        for chosen, answer in zip(regions, answers, strict=True):
            better = answer.result()
            if better is None:
                self._failed.add(frozenset(now[j] for j in chosen))
            else:
                gone |= set(chosen)
                made += better
        return [column for j, column in enumerate(now) if j not in gone] + made if made else None

    def _apart(self, columns: Sequence[Column], tuples: int) -> list[list[int]]:
        """One region per worker, none of which share a group; fewer if the release is small."""
        found, free = list[list[int]](), list(range(len(columns)))
        for _ in range(self.workers):
            held = sum(len(columns[j].rows) for j in free)
            if found and held < tuples:
                break
            chosen = [free[j] for j in self._region([columns[j] for j in free], tuples)]
            found.append(chosen)
            free = sorted(set(free) - set(chosen))
        return found

    def _region(self, columns: Sequence[Column], tuples: int) -> list[int]:
        """Groups near a random one (costly ones more often), with some chance in it."""
        center = np.array([self._places[list(column.rows)].mean(axis=0) for column in columns])
        cost = np.array(costs_of(self.types, columns), dtype=float)
        fakes = np.array([column.made for column in columns], dtype=float)
        weight = cost + cost.mean() * (0.2 + fakes) + 1.0
        at = int(self._random.choice(len(columns), p=weight / weight.sum()))
        way = np.abs(center - center[at]).sum(axis=1) + 1e-3
        way *= self._random.uniform(0.5, 1.5, len(columns))
        order = np.argsort(way, kind="stable")
        if self._random.uniform() < LIMITS.faked:
            # Counterfeits can only move between groups of one region.
            faked = self._random.permutation(np.flatnonzero(fakes))
            faked = faked[np.cumsum([len(columns[j].rows) for j in faked]) <= tuples // 2]
            order = np.concatenate([faked, order[~np.isin(order, faked)]])
        chosen, held = list[int](), 0
        for j in order.tolist():
            chosen.append(j)
            held += len(columns[j].rows)
            if held >= tuples:
                break
        return chosen

    def _solved(
        self,
        part: list[Column],
        spare: int,
        pool: Sequence[Column],
        flat: NDArray[np.int64],
        owner: NDArray[np.int64],
    ) -> tuple[Column, ...] | None:
        """A cheaper way to publish the tuples of some groups, or None."""
        small, kept = self.types.part(part)
        local = {row: i for i, row in enumerate(kept)}
        inside = np.zeros(len(self.types), dtype=np.bool_)
        inside[kept] = True
        fits = np.ones(len(pool), dtype=np.bool_)
        fits[owner[~inside[flat]]] = False
        given = [_renamed(pool[j], local) for j in np.flatnonzero(fits).tolist()]
        count = small.rows.count
        given = [c for c in given if all(c.rows.count(r) <= count[r] for r in set(c.rows))]
        begin = [_renamed(column, local) for column in part]
        fakes, cost = small.made_of(begin)
        clock = self.clock.share(SIGNATURE.region)
        pricing, most = SignaturePricing(small, clock=clock), None if self.fakes is None else fakes + spare
        master = RestrictedMaster(small, pricing.cuts, cost / max(1, len(begin)), fakes=most)
        master.add(begin)
        master.add(given)
        generation = Generation(
            pricing, master, clock, per_anchor=LIMITS.per_anchor, most_nodes=LIMITS.region_nodes
        )
        guess = np.zeros(len(small))
        for column, price in zip(begin, costs_of(small, begin), strict=True):
            guess[list(column.rows)] = 0.9 * price / len(column.rows)
        generation.begin(guess, -2.0 * float(guess.mean()))
        generation.run()
        if generation.bound >= cost:
            return None
        columns = master.columns
        if generation.duals is not None:
            duals = generation.duals
            slack = cost * duals.scale - duals.value(small.rows, pricing.cuts, most or 0)
            priced = zip(columns, master.costs, strict=True)
            columns = [c for c, cost in priced if cost * duals.scale - small.profit(duals, c) <= slack]
        columns = [c for c in columns if small.keeps(c)]
        found, _ = best_of(
            small,
            columns,
            begin,
            fakes=most,
            nodes=LIMITS.region_program_nodes,
            seed=self.seed,
            clock=self.clock.share(SIGNATURE.region),
        )
        if found is None or small.made_of(found)[1] >= cost:
            return None
        back = dict(enumerate(kept))
        return tuple(_renamed(column, back) for column in found)


def _renamed(column: Column, names: dict[int, int]) -> Column:
    return Column(tuple(sorted(names[r] for r in column.rows)), column.fakes)
