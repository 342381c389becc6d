"""A problem: microdata, history and policy, validated against one another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from .assembly import assembled, in_hulls
from .box import Box
from .digests import digests
from .errors import PolicyError, ReleaseError, TableError
from .history import History
from .losses.base import loss
from .memo import memoized
from .outlook.allowed import allowance
from .outlook.forecast import Forecast, forecast
from .outlook.foreseen import drawn_lives, mean
from .outlook.prices import SignaturePrices, priced, sizes
from .outlook.usual import usual_outlook
from .outlook.widening import Widening
from .parameters import require_kind
from .policy import AHEAD, Policy
from .problem_view import smallest_group
from .published_cells import cell_violations
from .recoded import recoding_violations
from .recoding import Ladder, ladders
from .release import QIGroup, Release
from .repeated_levels import refuse_repeated_levels
from .requirements.named_values import refuse_absent_values
from .requirements.of_attribute import refuse_unbound
from .requirements.of_respondents import aligned
from .respelling import spelt_as_before
from .same_columns import refuse_other_columns, refuse_other_values
from .spelling import is_keyed_hash
from .structure import OverlapRule
from .table import Microdata
from .verdicts import Context, Violation

__all__ = ["Problem", "require_meant", "require_problem"]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One release to be made.

    Parameters
    ----------
    table : Microdata
        Who is to be published now.
    policy : Policy
        What the release must keep, and what it should lose least of.
    history : History
        Releases published before; none by default.

    Raises
    ------
    ReleaseError
        If the history has other columns than the table, or of other kinds.
    TableError
        If a persistent sensitive value differs from what was published before, or is missing now.
    PolicyError
        If a requirement is about the other kind of sensitive value (persistent or
        transient) than the table's.
    """

    table: Microdata
    policy: Policy
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        remedy = "wrap requirements as Policy([...])"
        require_kind("policy", self.policy, Policy, remedy=remedy, error=PolicyError)
        remedy = "wrap earlier releases as History([first, second])"
        require_kind("history", self.history, History, remedy=remedy, error=PolicyError)
        remedy = "say what its columns are by Microdata.from_frame(...)"
        require_kind("table", self.table, Microdata, remedy=remedy, error=TableError)
        # A stored history may keep keyed hashes: people must bear the same name in table and history.
        people = self.history.aligned_members(self.table.members)
        if people is not self.table.members:
            object.__setattr__(self, "table", replace(self.table, members=people))
        asked = aligned(self.policy.requirements, self.history.aligned_id)
        if asked is not self.policy.requirements:
            object.__setattr__(self, "policy", self.policy.changed(requirements=asked))
        if self.policy.weights:
            object.__setattr__(self, "table", self.table.weighted(dict(self.policy.weights)))
        if usual_outlook(self.table, self.policy, self.history):
            object.__setattr__(self, "policy", self.policy.changed(outlook="usual"))
        private = self.table.sensitive
        self._refuse_unmeasured()
        refuse_unbound(self.policy.requirements, private.name)
        if self.policy.recoding == "full_domain":
            _ = self.ladders  # raises if a hierarchy does not fit its column
        for requirement in self.policy.requirements:
            if private.persistence != "both" and requirement.adversary not in ("either", private.persistence):
                raise PolicyError(
                    f"{requirement.name} protects {requirement.adversary} values, but column "
                    f"{private.name!r} is "
                    f"declared {private.persistence}: change the requirement, or declare persistence 'both'"
                )
        if not len(self.history):
            return
        self._refuse_lost_key()
        refuse_other_columns(self.table, self.history)
        object.__setattr__(self, "table", spelt_as_before(self.table, self.history))
        if private.persistence != "transient":
            refuse_other_values(self.table, self.history)

    def _refuse_unmeasured(self) -> None:
        """A column that no loss looks at would be published as anything."""
        named = [loss(name) for level in self.policy.levels for name in level.losses]
        if any(kind.box_weights(self.table) is not None for kind in named):
            return
        for kind, domain in product(named, self.table.domains):
            if not kind.measures(domain):
                raise PolicyError(
                    f"{kind.name} measures numbers, and column {domain.name!r} holds categories: minimize a "
                    "loss of boxes such as information_loss besides, or leave the column out"
                )

    def refuse_mistakes(self) -> None:
        """See that the policy can be meant so for this table; asked where a policy is given for a table.

        Parts of the table, and worlds that an adversary thinks of, may lack them.

        Raises
        ------
        PolicyError
            If nobody would be protected, a requirement fits another table only, or a level is repeated.
        """
        refuse_repeated_levels(self.policy.levels)
        refuse_absent_values(self.policy.requirements, self.table.sensitive, self.values)
        for requirement in self.policy.requirements:
            bounds = requirement.bounds(self)
            if why := bounds.misfit(bounds.problem):
                raise PolicyError(why)

    def _refuse_lost_key(self) -> None:
        """Nobody in a history of hashed ids is recognized by an id as it was given."""
        known = self.history.records
        if not known or not all(map(is_keyed_hash, known)):
            return
        if not any(is_keyed_hash(member.respondent) for member in self.table.members):
            raise ReleaseError(
                "respondent ids of the history are keyed hashes, those of the table are not, so nobody would "
                "be recognized: name the stored history that made them, with its key"
            )

    @property
    def values(self) -> tuple[str, ...]:
        """Sensitive values a release may publish: of the table, of the history, declared; sorted."""
        return self._values

    @cached_property
    def _values(self) -> tuple[str, ...]:
        found = set(self.table.histogram) | set(self.table.sensitive.domain)
        for release in self.history:
            for group in release.groups:
                found |= group.signature
        return tuple(sorted(found))

    @cached_property
    def ladders(self) -> tuple[Ladder, ...]:
        """Levels of each quasi-identifier for full-domain recoding."""
        return ladders(self.table, dict(self.policy.hierarchies))

    @cached_property
    def context(self) -> Context:
        """What new groups are judged against."""
        return Context.before(self)

    @property
    def series_checked(self) -> bool | None:
        """Whether some requirement looks at the releases before; None if there is no history to look at."""
        return self.policy.looks_back if self.history.continues else None

    @cached_property
    def strangers(self) -> int:
        """How many respondents the policy names who are in no release of the history, nor in the table."""
        told = [r.settings().get("knowledge", {}) for r in self.policy.requirements]
        named = {who for known in told for kind in known.values() for who in kind}
        return len(named - self.table.row.keys() - self.history.records.keys())

    def check(self, release: Release) -> Iterator[Violation]:
        """Yield every violation of the policy: of limits, coverage, recoding, then of each requirement.

        Cells must be those of their columns: nodes of a hierarchy, ranges of ordered categories, intervals.
        """
        yield from self._coverage(release)
        if self.policy.recoding == "full_domain":
            yield from recoding_violations(release, self.ladders, self._admits)
        else:
            yield from cell_violations(release, self.table.domains)
        for requirement in self.policy.requirements:
            yield from requirement.check(release, self.history)

    def _admits(self, group: QIGroup) -> bool:
        """Whether a group may be published, as far as groups are judged one by one."""
        large = len(group.members) >= smallest_group(self)
        return large and all(r.admits(group, self.context) for r in self.policy.group_requirements)

    def _coverage(self, release: Release) -> Iterator[Violation]:
        # The same objects are the same tuples; only releases read from elsewhere have to be compared.
        same = set(map(id, release.members)) == set(map(id, self.table.members))
        if not same and set(release.members) != set(self.table.members):
            missing = len(set(self.table.members) - set(release.members))
            extra = len(set(release.members) - set(self.table.members))
            yield Violation(
                requirement="coverage",
                message=f"the release does not cover the table: {missing} tuples missing, {extra} not in the "
                "table",
                witness={"missing": missing, "extra": extra},
            )
        limit = self.policy.suppression_limit(len(self.table))
        if not release.groups:
            yield Violation(
                requirement="suppression",
                message="everybody is suppressed: at least one must be published",
                witness={"suppressed": len(release.suppressed), "limit": limit},
            )
        elif len(release.suppressed) > limit:
            yield Violation(
                requirement="suppression",
                message=f"{len(release.suppressed)} tuples are suppressed, the policy allows {limit}",
                witness={"suppressed": len(release.suppressed), "limit": limit},
            )
        counted = self.policy.counts("hidden_cells")
        if release.hidden_cells and not counted:
            yield Violation(
                requirement="hidden cells",
                message=f"{release.hidden_cells} cells are hidden, but no loss of the policy counts them",
                witness={"hidden": release.hidden_cells},
            )
        fakes = self.policy.counterfeit_limit
        if fakes is not None and release.counterfeits > fakes:
            yield Violation(
                requirement="counterfeits",
                message=f"{release.counterfeits} counterfeits are published, the policy allows {fakes}",
                witness={"counterfeits": release.counterfeits, "limit": fakes},
            )
        strange = {value for group in release.groups for value, _ in group.counterfeits} - set(self.values)
        if strange:
            yield Violation(
                requirement="counterfeits",
                message=f"counterfeits have {len(strange)} values that nobody has, now or before: "
                "publish others, or declare these in the domain of the sensitive attribute",
                witness={"values": len(strange)},
            )

    def objective(self, release: Release) -> tuple[Fraction, ...]:
        """Exact value of every level of the objective."""
        return tuple(level.of_release(release, self) for level in self.policy.levels)

    @property
    def prices(self) -> SignaturePrices | None:
        """What signatures will probably cost in the releases to come, by the policy's outlook."""
        return self._prices

    @property
    @memoized
    def widening(self) -> Widening:
        """What the values that a release leaves open will probably cost in the releases to come."""
        return Widening.of(self.table, self.history, smallest_group(self))

    @property
    def allowed(self) -> Fraction:
        """Expected counterfeits that come before nothing; 0 unless they are a level of their own."""
        return self._allowed

    @cached_property
    def _allowed(self) -> Fraction:
        alone = any(set(level.losses) == {AHEAD} for level in self.policy.levels)
        prices, outlook = self.prices, self.policy.outlook
        if prices is None or outlook is None or not alone:
            return Fraction(0)
        return allowance(self.table, self.history, prices, self._least, outlook.allowed_in(len(self.history)))

    def foreseen(self, release: Release) -> Fraction | None:
        """Counterfeits that the outlook's releases after this one will probably need, drawn (a model).

        None without an outlook, or a requirement of equal counts.
        """
        lives = self.lives(release)
        return mean(lives) if lives else None

    def lives(self, release: Release, releases: int | None = None) -> tuple[int, ...]:
        """These counterfeits in each life that is drawn; none where nothing is foreseen.

        Parameters
        ----------
        release : Release
        releases : int, optional
            Of the first so many releases to come alone.
        """
        outlook = self.policy.outlook
        if outlook is None or not self._least:
            return ()
        if not self._drawn or self._drawn[0][0] is not release:
            asked = outlook, self._coming, self._meetings, self._least, self._multiplicity
            self._drawn[:] = [(release, drawn_lives(release, self.history, *asked))]
        return tuple(sum(life[:releases]) for life in self._drawn[0][1])

    @cached_property
    def _drawn(self) -> list[tuple[Release, tuple[tuple[int, ...], ...]]]:
        """The last release that was asked about, and its lives: certificate and summary ask about one."""
        return []

    @cached_property
    def _coming(self) -> Forecast:
        """Measured in all releases, so read once."""
        assert self.policy.outlook is not None
        return forecast(self.table, self.history, self.policy.outlook)

    @property
    def _meetings(self) -> list[OverlapRule]:
        """What forbids groups to meet."""
        forms = [requirement.structure(self).overlap for requirement in self.policy.requirements]
        return [form for form in forms if form is not None]

    @property
    def _multiplicity(self) -> int | None:
        """How often a group may hold each of its values; None for any number."""
        forms = [requirement.structure(self).signature for requirement in self.policy.requirements]
        most = [form.multiplicity for form in forms if form is not None]
        return min((often for often in most if often is not None), default=None)

    @property
    def _least(self) -> int:
        """Fewest values of a signature; 0 without a requirement of equal counts."""
        forms = [requirement.structure(self).signature for requirement in self.policy.requirements]
        return max((form.min_values for form in forms if form is not None), default=0)

    @cached_property
    def _prices(self) -> SignaturePrices | None:
        if self.policy.outlook is None:
            return None
        least = self._least
        if not least:
            return None
        known = (len(r.signature) for r in self.history.records.values() if r.signature is not None)
        return priced(
            self.policy.outlook,
            self._coming,
            self._meetings,
            sizes(least, max(known, default=least)),
        )

    def assemble(
        self,
        groups: Sequence[Sequence[int]],
        fakes: Sequence[Mapping[str, int]] | None = None,
        boxes: Sequence[Box] | None = None,
    ) -> Release:
        """Build a release from row numbers (from 0) per group; rows in no group are suppressed.

        Parameters
        ----------
        groups
            Rows of each group.
        fakes
            Counterfeits per group and value, in the same order; none by default.
        boxes
            Published box per group, in the same order; the tightest by default.
        """
        return assembled(self.table, self.policy.form, groups, fakes or [{}] * len(groups), boxes)

    def in_hulls(self, groups: Sequence[Sequence[int]], extras: Sequence[Mapping[str, int]]) -> list[QIGroup]:
        """Groups of `assemble` in their tightest boxes, in the order of a release; no group may be empty."""
        return in_hulls(self.table, self.policy.form, groups, extras)

    def box(self, rows: Sequence[int]) -> Box:
        """The tightest box over some rows (from 0)."""
        codes = self.table.codes[list(rows)]
        ends = zip(codes.min(axis=0).tolist(), codes.max(axis=0).tolist(), strict=True)
        return tuple(domain.cell(lo, hi) for domain, (lo, hi) in zip(self.table.domains, ends, strict=True))

    @property
    def digest(self) -> str:
        """SHA-256 of table, history and policy; changes when any of them does."""
        return hashlib.sha256("".join(self.digests.values()).encode()).hexdigest()

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each: table, history (with everything the steward knows of it) and policy."""
        return digests(self.table, self.history, self.policy.identity)


def require_problem(raw: object) -> None:
    """See that a problem is given where functions take one: a table alone is a frequent slip."""
    require_kind("problem", raw, Problem, remedy="make it by Problem(table=..., policy=...)")


def require_meant(problem: Problem) -> None:
    """The same, and that its policy can be meant so for its table."""
    require_problem(problem)
    problem.refuse_mistakes()
