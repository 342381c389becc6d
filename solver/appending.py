"""Appending a release to the history of its series, and never without a look at them together.

Requirements judge groups, pairs of releases, single attacks; some look at no other release at all. So two
questions come before a release joins a series. Does the policy look at the history? If none of its
requirements does, the append is refused unless that is what the steward wants. And what can whoever holds
all releases conclude, this one included? The exact audit of the series that would be answers, *before*
anything is stored or published: a refusal then loses nothing. Its verdict is stored with the release.

An audit that its time ended does not vouch for anybody it left open: they count as disclosed against the
limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from ..models.adversary.knowledge import Knowledge
from ..models.errors import CertificateError, SeriesError, StoreError
from ..models.exact_numbers import exact_text
from ..models.history import History
from ..models.parameters import require_kind, whole
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements.named_values import protecting_some
from ..models.table import Microdata, Persistence
from .certificate import Certificate
from .certify import as_certified, other_parts
from .insight.audit.audit import audit
from .insight.audit.audit_report import AuditReport
from .result import Result
from .seconds import AUDIT_SECONDS

__all__ = [
    "SeriesVerdict",
    "append_release",
    "beyond_policy",
    "examine",
    "proving",
    "refuse_blind",
    "refuse_broken",
    "refuse_other_result",
]

EXAMPLES = 3
"""Disclosures explained in a refusal."""


@dataclass(frozen=True, kw_only=True)
class SeriesVerdict:
    """What the audit of a series up to one release found, in numbers; no respondent is named.

    Attributes
    ----------
    release : int
        Number of the release, from 1; the adversary holds all up to it.
    respondents : int
        Respondents published so far.
    disclosed : int
        Those whose value is certain; if values change freely, those who certainly had some value once.
    before : int
        How many of them were so before this release.
    undecided : int
        Respondents not found to be disclosed, and not found safe in time.
    worst : Fraction or None
        Largest probability of any value of any respondent, over those it is known for.
    uncounted : int
        Respondents whose probabilities are not known.
    persistence : str
        Whether values were taken to stay: "persistent", "transient" or "both".
    seconds : float
        Wall time.
    """

    release: int
    respondents: int
    disclosed: int
    before: int
    undecided: int
    worst: Fraction | None
    uncounted: int
    persistence: str
    seconds: float

    @classmethod
    def of(cls, report: AuditReport, seconds: float) -> SeriesVerdict:
        """The verdict of a report on at least the last two releases."""
        entry = report.releases[-1]
        lasting, moving = entry.persistent, entry.transient
        if lasting is not None:
            worst, undecided, uncounted = lasting.likeliest, lasting.doubtful, lasting.without_posterior
        else:
            assert moving is not None
            worst, undecided, uncounted = moving.worst, 0, 0
        return cls(
            release=entry.release,
            respondents=entry.respondents,
            disclosed=entry.disclosed,
            before=report.releases[-2].disclosed if len(report.releases) > 1 else 0,
            undecided=undecided,
            worst=worst,
            uncounted=uncounted,
            persistence=report.knowledge.persistence,
            seconds=round(seconds, 3),
        )

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> SeriesVerdict:
        """Read back what `to_dict` gave.

        Raises
        ------
        StoreError
            If something is missing from it.
        """
        try:
            given: dict[str, Any] = {field.name: record[field.name] for field in fields(cls)}
            given["worst"] = None if given["worst"] is None else Fraction(given["worst"])
            return cls(**given)
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise StoreError("the verdict of an audit that is stored with a release is damaged") from error

    def to_dict(self) -> dict[str, Any]:
        """Plain values for files."""
        given: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        return given | {"worst": exact_text(self.worst)}

    @property
    def short(self) -> str:
        """For a table: who is disclosed."""
        open_ones = f", {self.undecided} undecided" if self.undecided else ""
        return f"{self.disclosed or 'nobody'} disclosed{open_ones}"

    def __str__(self) -> str:
        found = f"{self.disclosed or 'nobody'} disclosed of {self.respondents} people"
        if self.disclosed and self.release > 1:
            found += f" ({self.before} of them before this release)"
        if self.undecided:
            found += f"; {self.undecided} more NOT DECIDED in time: unknown, not safe"
        if self.worst is not None:
            missing = f" (not counted for {self.uncounted})" if self.uncounted else ""
            found += f"; largest probability of a value {self.worst}{missing}"
        return f"audit of the series up to release {self.release}: {found}"

    def refusal(self, limit: int | None) -> str | None:
        """Why it breaks a limit on disclosed respondents, in words; None if it does not, or there is none."""
        if limit is None or self.disclosed + self.undecided <= limit:
            return None
        allowed = "nobody may be" if limit == 0 else f"{limit} may be"
        if self.disclosed > limit:
            return f"{self.disclosed} people would be disclosed by the series, {allowed}"
        return (
            f"the audit did not decide in time whether {self.undecided} people would be disclosed by the "
            f"series, {allowed}: give it more time"
        )


def refuse_blind(policy: Policy, wanted: str) -> None:
    """Refuse a policy none of whose requirements looks at the history; `wanted` says how to insist.

    Raises
    ------
    SeriesError
    """
    if policy.looks_back:
        return
    names = ", ".join(requirement.name for requirement in policy.requirements)
    raise SeriesError(
        f"no requirement of the policy ({names}) looks at the other releases of the series, so nobody would "
        "check what this one gives away together with them: ask for weak_m_invariance and hc_safety "
        f"(`optanon init --series` writes such a policy), or {wanted} if it is to be appended all the same"
    )


def refuse_other_result(certificate: Certificate, problem: Problem, release: Release) -> None:
    """Refuse to keep a certificate with a release of which it proves nothing.

    Raises
    ------
    CertificateError
        Naming what it is about another one of, or the requirement that the release breaks.
    """
    remedy = "give the result of this release, or leave it out (--result)"
    others = other_parts(certificate, problem, release)
    if others == ["policy"] and as_certified(certificate, problem) is not problem:
        raise CertificateError(
            "the result is about the policy without its outlook (digests differ): it was solved apart from "
            f"the stored history: {remedy}"
        )
    if others:
        told = " and ".join(filter(None, [", ".join(others[:-1]), others[-1]]))
        raise CertificateError(f"the result is about another {told} (digests differ): {remedy}")
    broken = next(problem.check(release), None)
    if broken is not None:
        raise CertificateError(f"the release breaks {broken.requirement}, whatever the result says: {remedy}")


def beyond_policy(problem: Problem) -> Iterator[str]:
    """What the audit asks beyond a policy: of some requirements not every value is protected."""
    for name, some in protecting_some(problem.policy.requirements, problem.values).items():
        yield (
            f"the audit counts every value, {name} protects {', '.join(map(repr, some))} only "
            "(protected_values): if the others may be known, append it all the same"
        )


def examine(
    history: History,
    release: Release,
    *,
    persistence: Persistence = "persistent",
    seconds: float | None = AUDIT_SECONDS,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[SeriesVerdict, AuditReport]:
    """Audit the series that a history would be with one more release; nothing is stored.

    Parameters
    ----------
    history : History
    release : Release
    persistence : {"persistent", "transient", "both"}
        Whether the adversary takes values to stay the same.
    seconds : float, optional
        Time limit; None for none.
    stop, progress
        As in `audit`.
    """
    report = audit(
        History((*history, history.aligned_release(release))),
        Knowledge(persistence=persistence),
        time_limit=seconds,
        examples=EXAMPLES,
        latest=2,
        stop=stop,
        progress=progress,
    )
    return SeriesVerdict.of(report, sum(entry.seconds for entry in report.releases)), report


def append_release(
    result: Result,
    table: Microdata,
    policy: Policy,
    history: History,
    *,
    audit_limit: int | None = 0,
    audit_seconds: float | None = AUDIT_SECONDS,
    ignores_history: bool = False,
) -> SeriesVerdict:
    """Append the release of a result to its history, if the series with it discloses nobody.

    Parameters
    ----------
    result : Result
        With a release, as `solve` made it.
    table, policy, history
        What it was made from; the history gets the release, its policy, the audit's verdict, and the
        certificate if it is about these.
    audit_limit : int, optional
        How many respondents may be disclosed by the series with the release; those not decided in time
        count. None appends whatever the audit says.
    audit_seconds : float, optional
        Time for the audit; None for no limit.
    ignores_history : bool
        Append although no requirement of the policy looks at the history.

    Returns
    -------
    SeriesVerdict
        Its text says in one line what whoever holds all releases can conclude.

    Raises
    ------
    SeriesError
        If the policy is blind to the history, the release does not keep it beside this table and history,
        the audit finds more disclosed, or there is no result with a release. Nothing is then stored.
    InputError, PolicyError
        If table, policy or history are something else, or `audit_limit` is out of its range.
    StoreError
        If it cannot be stored; nothing is then. `ConflictError` if the history grew since it was read.
    """
    release, limit = _asked(result, audit_limit)
    problem = Problem(table=table, policy=policy, history=history)
    if not ignores_history:
        refuse_blind(policy, "give ignores_history=True")
    refuse_broken(problem, release)
    stays = table.sensitive.persistence
    verdict, report = examine(history, release, persistence=stays, seconds=audit_seconds)
    why = verdict.refusal(limit)
    if why is not None:
        told = "".join(f"\n{text}" for text in (*report.texts(), *beyond_policy(problem)))
        raise SeriesError(f"not appended: {why}, or raise audit_limit{told}")
    proof = proving(result.certificate, problem, release)
    history.append(release, policy=policy, certificate=proof, audit=verdict.to_dict())
    return verdict


def _asked(result: Result, audit_limit: int | None) -> tuple[Release, int | None]:
    """What is to be appended, and the limit."""
    require_kind("result", result, Result, remedy="give what solve returned", error=SeriesError)
    if result.release is None:
        raise SeriesError(f"there is no release to append: the result is {result.status.value}")
    limit = None if audit_limit is None else whole("append_release", "audit_limit", audit_limit, 0)
    return result.release, limit


def refuse_broken(problem: Problem, release: Release) -> None:
    """Refuse a release that breaks its policy: the history may have grown since, or the table be another.

    Raises
    ------
    SeriesError
    """
    broken = next(problem.check(release), None)
    if broken is not None:
        raise SeriesError(
            f"not appended: beside this table and the {len(problem.history)} releases before it breaks "
            f"{broken.requirement} ({broken.message}): solve again"
        )


def proving(certificate: Certificate | None, problem: Problem, release: Release) -> Certificate | None:
    """The certificate, if it is about this release at this place of its series."""
    if certificate is None or other_parts(certificate, problem, problem.history.aligned_release(release)):
        return None
    return certificate
