"""A policy: what a release must keep and what it should lose least of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal, TypeAlias

from .errors import PolicyError
from .hierarchy import Hierarchy
from .losses.base import Loss, loss
from .outlook.asked import Outlook
from .parameters import as_fraction, whole
from .problem_view import ProblemView
from .release import Counted, Form, QIGroup, Release
from .requirement import GroupRequirement, Requirement
from .structure import DependsOn

__all__ = ["AHEAD", "Level", "LevelSpec", "Policy", "RecodingKind"]

LevelSpec: TypeAlias = str | Mapping[str, object]

RecodingKind: TypeAlias = Literal["multidimensional", "full_domain"]


@dataclass(frozen=True, kw_only=True)
class Level:
    """One level of a lexicographic objective: a loss, or a weighted sum of losses.

    Parameters
    ----------
    weights : tuple of (loss name, weight)
        Weights above 0; exactly one entry unless all losses are sums.
    """

    weights: tuple[tuple[str, Fraction], ...]

    def __post_init__(self) -> None:
        if not self.weights:
            raise PolicyError("minimize: a weighted level needs at least one loss")
        for name, weight in self.weights:
            found = loss(name)
            if weight <= 0:
                raise PolicyError(f"minimize: the weight of {name} must be above 0, got {weight}")
            # What is expected of releases to come is weighed against the loss of this one, and nothing else.
            if found.foresees and all(loss(other).counts is None for other, _ in self.weights):
                continue
            if len(self.weights) > 1 and found.combine != "sum":
                raise PolicyError(
                    f"minimize: {name} is not a sum over groups, so it cannot be weighted with others"
                )

    @property
    def name(self) -> str:
        """The loss, or the weighted sum in words."""
        if len(self.weights) == 1 and self.weights[0][1] == 1:
            return self.weights[0][0]
        return " + ".join(f"{weight} {name}" for name, weight in self.weights)

    @property
    def losses(self) -> frozenset[str]:
        """Names of the losses in this level."""
        return frozenset(name for name, _ in self.weights)

    @property
    def terms(self) -> tuple[tuple[Loss, Fraction], ...]:
        """The losses and their weights."""
        return tuple((loss(name), weight) for name, weight in self.weights)

    @property
    def counted(self) -> frozenset[Counted]:
        """What losses of this level count."""
        return frozenset(what for name in self.losses if (what := loss(name).counts) is not None)

    def weight_of(self, what: Counted) -> Fraction:
        """What one more of them adds to the level, by the losses that count them."""
        return sum((weight for name, weight in self.weights if loss(name).counts == what), Fraction(0))

    def weight_named(self, name: str) -> Fraction:
        """What one unit of a loss adds to the level; 0 for others."""
        return dict(self.weights).get(name, Fraction(0))

    def of_release(self, release: Release, problem: ProblemView) -> Fraction:
        """Exact value of a release made for a problem."""
        return sum((weight * kind.of_release(release, problem) for kind, weight in self.terms), Fraction(0))

    def of_group(self, group: QIGroup, problem: ProblemView) -> Fraction:
        """What a group adds to that if all losses are sums."""
        return sum((weight * kind.of_group(group, problem.table) for kind, weight in self.terms), Fraction(0))


@dataclass(frozen=True, init=False)
class Policy:
    """Requirements and objective.

    Parameters
    ----------
    requirements : sequence of Requirement
        All must hold.
    minimize : sequence
        Levels in order of importance: a loss name, or a mapping of loss names to
        positive weights. Default: information loss.
    max_suppressed : int, or rational between 0 and 1, optional
        How many tuples (or which share of them) may be left out. Default: none,
        or any number if suppression is named in `minimize`. One tuple is always published,
        whatever the limit: a release of nobody keeps every requirement and says nothing.
    max_counterfeits : int, optional
        How many counterfeits a release may hold. Default: none, or any number
        if counterfeits are named in `minimize`.
    form : {"generalized", "anatomized"}
        What is published.
    recoding : {"multidimensional", "full_domain"}
        Multidimensional: any grouping, each group with its tightest box. Full-domain
        (LeFevre et al., Incognito): one hierarchy level per quasi-identifier for the whole
        table; tuples that become equal are one group; exactly the groups that break a
        group-scope requirement are suppressed, within `max_suppressed`.
    outlook : Outlook or "none", optional
        A model of the releases to come, which prices `expected_counterfeits`; where no level names these,
        they are the level after the counterfeits. Unless one is given, a series in a stored history gets
        ``Outlook()`` where that helps (see `usual_outlook`); "none" makes each release the best by itself.
    hierarchies : mapping of str to Hierarchy, optional
        Full-domain levels of numeric and ordered quasi-identifiers (categories have
        their own). Default for those: exact, eighths, quarters, halves, the whole domain.
    weights : mapping of str to number, optional
        How much a quasi-identifier counts, at least 0; 1 for those that are not named: its width in losses
        that measure boxes (information loss, NCP, semiperimeter), its squares in squared errors. Age twice
        as important as all else: ``{"age": 2}``.

    Raises
    ------
    PolicyError
        If a parameter is out of its range.
    """

    requirements: tuple[Requirement, ...]
    levels: tuple[Level, ...]
    max_suppressed: int | Fraction | None
    max_counterfeits: int | None
    form: Form
    recoding: RecodingKind
    hierarchies: tuple[tuple[str, Hierarchy], ...]
    weights: tuple[tuple[str, Fraction], ...]
    outlook: Outlook | None
    outlook_said: bool = field(compare=False)

    def __init__(
        self,
        requirements: Sequence[Requirement],
        minimize: Sequence[LevelSpec] | LevelSpec = ("information_loss",),
        *,
        max_suppressed: int | float | str | Fraction | None = None,
        max_counterfeits: int | None = None,
        form: Form = "generalized",
        recoding: RecodingKind = "multidimensional",
        hierarchies: Mapping[str, Hierarchy] | None = None,
        weights: Mapping[str, int | float | str | Fraction] | None = None,
        outlook: Outlook | Literal["none", "usual"] | None = None,
    ) -> None:
        if isinstance(requirements, Requirement):
            raise PolicyError(f"requirements must be a list, not {requirements.name}: write Policy([...])")
        if not requirements:
            raise PolicyError(
                "a policy needs at least one requirement: without one the raw table would be published"
            )
        parts = tuple(part for requirement in requirements for part in _components(requirement))
        specs: Sequence[LevelSpec] = [minimize] if isinstance(minimize, str | Mapping) else minimize or ()
        model = _outlook(outlook)
        levels = _foreseen(tuple(_level(spec) for spec in specs), model)
        if not levels:
            raise PolicyError("minimize: name at least one loss")
        if model is None and _looks_ahead(levels):
            if outlook == "none":
                raise PolicyError(
                    "minimize: expected_counterfeits are priced by an outlook, and it says none"
                )
            model = Outlook()
        if form not in ("generalized", "anatomized"):
            raise PolicyError(f"form must be 'generalized' or 'anatomized', got {form!r}")
        if recoding not in ("multidimensional", "full_domain"):
            raise PolicyError(f"recoding must be 'multidimensional' or 'full_domain', got {recoding!r}")
        if recoding == "full_domain" and form == "anatomized":
            raise PolicyError("recoding 'full_domain' generalizes: use form 'generalized' with it")
        if hierarchies and recoding != "full_domain":
            raise PolicyError(
                "hierarchies are levels of recoding 'full_domain': ask for it or leave them out"
            )
        if max_counterfeits is not None:
            max_counterfeits = whole("max_counterfeits", "the limit", max_counterfeits, 0)
        object.__setattr__(self, "requirements", parts)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "max_suppressed", _limit(max_suppressed))
        object.__setattr__(self, "max_counterfeits", max_counterfeits)
        object.__setattr__(self, "form", form)
        object.__setattr__(self, "recoding", recoding)
        object.__setattr__(self, "hierarchies", tuple(sorted((hierarchies or {}).items())))
        object.__setattr__(self, "weights", _weights(weights or {}))
        object.__setattr__(self, "outlook", model)
        object.__setattr__(self, "outlook_said", outlook not in (None, "usual"))

    @property
    def content(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        # That there is to be no outlook is said, too: a series goes on with what is stored.
        looks = "none" if self.outlook is None else self.outlook.content
        return {
            "requirements": [{r.name: r.settings()} for r in self.requirements],
            "minimize": [{name: str(weight) for name, weight in level.weights} for level in self.levels],
            "max_suppressed": None if self.max_suppressed is None else self._most_suppressed,
            "max_counterfeits": self.max_counterfeits,
            "form": self.form,
            "recoding": self.recoding,
            "hierarchies": {name: [list(path) for path in h.paths] for name, h in self.hierarchies},
            "weights": {name: str(weight) for name, weight in self.weights},
        } | ({"outlook": looks} if self.outlook is not None or self.outlook_said else {})

    @property
    def identity(self) -> list[object]:
        """Plain values that tell it from all others: what its digest is made of."""
        weights = [(name, str(weight)) for name, weight in self.weights]
        return [
            [
                [r.name, {key: str(value) for key, value in sorted(r.settings().items())}]
                for r in self.requirements
            ],
            [level.name for level in self.levels],
            self._most_suppressed,
            str(self.max_counterfeits),
            self.form,
            self.recoding,
            [[name, hierarchy.paths] for name, hierarchy in self.hierarchies],
            *([weights] if weights else []),
            *([] if self.outlook is None else [self.outlook.content]),
        ]

    @property
    def _most_suppressed(self) -> str:
        """A share of everybody is no count of one."""
        limit = self.max_suppressed
        return "1.0" if isinstance(limit, Fraction) and limit == 1 else str(limit)

    def changed(self, **changes: Any) -> Policy:
        """A policy that differs in some parameters of the constructor; the others stay as they are."""
        given: dict[str, Any] = {
            "requirements": self.requirements,
            "minimize": [dict(level.weights) for level in self.levels],
            "max_suppressed": self.max_suppressed,
            "max_counterfeits": self.max_counterfeits,
            "form": self.form,
            "recoding": self.recoding,
            "hierarchies": dict(self.hierarchies),
            "weights": dict(self.weights),
            "outlook": self._said,
        }
        return Policy(**(given | changes))

    @property
    def _said(self) -> Outlook | Literal["none", "usual"] | None:
        """What the constructor was told of the outlook."""
        if self.outlook is None:
            return "none" if self.outlook_said else None
        return self.outlook if self.outlook_said else "usual"

    def by_itself(self) -> Policy:
        """The same policy without an outlook: every release is the best for its own history."""
        return self.changed(outlook="none", minimize=self._of_now)

    def weighing(self, weight: Fraction | None) -> Policy:
        """The same policy with this weight of its outlook against the loss; None: the outlook comes first."""
        outlook = replace(self.outlook or Outlook(), weight=weight)
        return self.changed(outlook=outlook, minimize=self._of_now)

    @property
    def _of_now(self) -> list[dict[str, Fraction]]:
        """The levels without what is expected."""
        levels = [{name: w for name, w in level.weights if name != AHEAD} for level in self.levels]
        return [level for level in levels if level] or [{"information_loss": Fraction(1)}]

    @property
    def group_requirements(self) -> tuple[GroupRequirement, ...]:
        """Those that judge each group by itself, given the history; in their order here."""
        return tuple(r for r in self.requirements if isinstance(r, GroupRequirement))

    @property
    def joint_requirements(self) -> tuple[Requirement, ...]:
        """All others: they judge the groups of a release, or of a series, together."""
        return tuple(r for r in self.requirements if not isinstance(r, GroupRequirement))

    def decided_by_histograms(self, problem: ProblemView) -> tuple[int, ...]:
        """Which requirements (indices, from 0) judge a group by what is published of it alone."""
        return tuple(
            index
            for index, r in enumerate(self.requirements)
            if isinstance(r, GroupRequirement) and r.structure(problem).depends_on < DependsOn.MEMBERS
        )

    @property
    def looks_back(self) -> bool:
        """Whether some requirement looks at the releases before; otherwise nobody checks a series."""
        return any(requirement.structure().looks_back for requirement in self.requirements)

    def counts(self, what: Counted) -> bool:
        """Whether some level counts them."""
        return any(what in level.counted for level in self.levels)

    def suppression_limit(self, tuples: int) -> int:
        """How many of `tuples` tuples may be suppressed: never all, a release of nobody does not count."""
        if self.max_suppressed is None:
            allowed = tuples if self.counts("suppressed") else 0
        elif isinstance(self.max_suppressed, Fraction):
            allowed = int(self.max_suppressed * tuples)
        else:
            allowed = self.max_suppressed
        return min(allowed, tuples - 1)

    @property
    def counterfeit_limit(self) -> int | None:
        """How many counterfeits a release may hold; None for any number."""
        if self.max_counterfeits is None:
            return None if self.counts("counterfeits") else 0
        return self.max_counterfeits


def _limit(given: int | float | str | Fraction | None) -> int | Fraction | None:
    """A count if it is written as one, else a share: 1 is one tuple, 1.0 is all of them."""
    if given is None:
        return None
    limit: int | Fraction = as_fraction("max_suppressed", "the limit", given)
    counted = isinstance(given, Integral) or (isinstance(given, str) and given.strip().isdecimal())
    if counted or (limit.denominator == 1 and limit != 1):
        limit = int(limit)
    if limit < 0 or (isinstance(limit, Fraction) and limit > 1):
        raise PolicyError(f"max_suppressed must be a count or a share from 0 to 1, got {given}")
    return limit


def _weights(given: Mapping[str, int | float | str | Fraction]) -> tuple[tuple[str, Fraction], ...]:
    found = {name: as_fraction("weights", f"the weight of {name}", raw) for name, raw in given.items()}
    for name, weight in found.items():
        if weight < 0:
            raise PolicyError(f"weights: the weight of {name} must be at least 0, got {weight}")
    return tuple(sorted(found.items()))


def _components(requirement: object) -> Iterator[Requirement]:
    """The requirement itself, or those it is a short name for."""
    if not isinstance(requirement, Requirement):
        raise PolicyError(
            f"requirements must be Requirement objects such as KCAnonymity(k=3), got {requirement!r}"
        )
    parts = requirement.structure().components
    if not parts:
        yield requirement
    for part in parts:
        yield from _components(part)


AHEAD = "expected_counterfeits"


def _outlook(said: Outlook | str | None) -> Outlook | None:
    if said == "usual":
        return Outlook()
    if isinstance(said, Outlook):
        return said
    if said not in (None, "none"):
        raise PolicyError(f"outlook must be an Outlook, 'none' or 'usual', got {said!r}")
    return None


def _looks_ahead(levels: Sequence[Level]) -> bool:
    return any(AHEAD in level.losses for level in levels)


def _foreseen(levels: tuple[Level, ...], outlook: Outlook | None) -> tuple[Level, ...]:
    """The levels with that of the outlook: after the one that counts counterfeits, or weighed in the last."""
    if outlook is None or not levels or _looks_ahead(levels):
        return levels
    at = next((i for i, level in enumerate(levels) if "counterfeits" in level.counted), None)
    if at is None:
        raise PolicyError(
            "outlook: no level of minimize counts counterfeits: say with ['counterfeits', "
            "'expected_counterfeits', ...] how much those to come matter"
        )
    if outlook.weight is None:
        return (*levels[: at + 1], _level(AHEAD), *levels[at + 1 :])
    return (*levels[:-1], _level(dict(levels[-1].weights) | {AHEAD: outlook.weight}))


def _level(spec: LevelSpec) -> Level:
    if isinstance(spec, str):
        return Level(weights=((spec, Fraction(1)),))
    if not isinstance(spec, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PolicyError(
            f"minimize: each level is a loss name or a mapping of loss names to weights, got {spec!r}"
        )
    return Level(
        weights=tuple((name, as_fraction("minimize", f"weight of {name}", raw)) for name, raw in spec.items())
    )
