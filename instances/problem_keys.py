"""What a problem file may say, key by key: which keys there are, what may stand there, what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError, field_validator

from ..models.errors import ProblemFileError
from ..models.spelling import Choice
from .bounded import read_yaml
from .column_kinds import Kind, MarksKey, Strict
from .wrong_keys import first_wrong

__all__ = [
    "OutlookKeys",
    "PolicyKeys",
    "ProblemKeys",
    "QueryKeys",
    "SensitiveKeys",
    "StoreKeys",
    "is_release",
    "raw_keys",
    "read_keys",
    "validated",
]


T = TypeVar("T")

NO_PROBLEM = "a problem file is a mapping with the keys table, respondent, ...: `optanon init` writes one"
TABLES = (".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".gz", ".zip")
"""How files are called that people take for the problem."""


class SensitiveKeys(Strict):
    """The sensitive column, if it is more than a name."""

    column: str
    """Its name."""
    persistence: Literal["persistent", "transient", "both"] = "persistent"
    """Whether a person's value stays the same over the releases, changes freely, or may do either."""
    order: list[str | int | float] | None = None
    """Its values from lowest to highest, for requirements that measure distances between them."""
    domain: list[str | int | float] = Field(default_factory=list[str | int | float])
    """Further values that may be published, although nobody in the table has them."""


class OutlookKeys(Strict):
    """What is known of the releases to come."""

    releases: int = 5
    """How many releases are to come."""
    survival: float | int | str | dict[str, float | int | str] = "measured"
    """The share of people who are still there at the next one: for all, by sensitive value, or measured."""
    survival_column: str | None = None
    """Column with each person's own share, in place of `survival`; prices know its mean by value."""
    arrivals: str | dict[str, float | int | str] = "as_now"
    """How many come to each, by sensitive value; as many as leave (`as_now`), or measured."""
    returns: float | int | str = "measured"
    """The share of those who are gone that is back at the next one."""
    draws: int = 100
    """Simulated lives that a price is the mean of."""
    seed: int = 0
    """Of these."""
    weight: float | int | str | None = None
    """What a counterfeit that is expected weighs against this release's loss; unless said, it comes first."""
    allowed: float | int | str = "usual"
    """Share of the counterfeits that plain signatures make expected, below which the loss decides; usually
    all in a first release, half in later ones."""


class PolicyKeys(Strict):
    """What a release must keep, and what is minimized."""

    requirements: list[str | dict[str, dict[str, Any] | None]] = Field(min_length=1)
    """Names of requirements with their parameters; all must be kept."""
    minimize: list[str | dict[str, float | int | str]] = Field(default_factory=lambda: ["information_loss"])
    """Losses, most important first; a mapping of losses to weights is one weighted sum. One needs no list."""
    max_suppressed: int | float | str | None = None
    """Rows that may be left out: a number, or a share of the table such as 1/20; any number if a loss counts
    them, else none."""
    max_counterfeits: int | None = None
    """Rows that may be invented; any number if a loss counts them, else none."""
    form: Literal["generalized", "anatomized"] = "generalized"
    """Coarser quasi-identifiers beside values; or exact ones and values in two tables."""
    recoding: Literal["multidimensional", "full_domain"] = "multidimensional"
    """Every group has its own cells; or one hierarchy level per column for the whole table."""
    hierarchies: dict[str, str] = Field(default_factory=dict[str, str])
    """CSV files of hierarchies by column, for full-domain recoding."""
    weights: dict[str, float | int | str] = Field(default_factory=dict[str, float | int | str])
    """How much each quasi-identifier counts in losses that measure boxes; 1 unless said."""
    outlook: OutlookKeys | Literal["none"] | None = None
    """What is known of the releases to come. Unless said, the usual one for a stored history under weak
    m-invariance; `none`: each release is the best by itself."""

    @field_validator("minimize", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        return [given] if isinstance(given, str | Mapping) else given


class QueryKeys(Strict):
    """A table in a database."""

    url: str
    """Of a database, as SQLAlchemy has them, or a SQLite file; it is only read."""
    sql: str
    """The query that gives the table."""


class StoreKeys(Strict):
    """A stored history."""

    store: str
    """File or URL of the stored history."""
    key_file: str | None = None
    """File with its key, if ids are kept as keyed hashes."""


class ProblemKeys(Strict):
    """A whole problem file."""

    table: str | QueryKeys
    """CSV or Parquet file, or a query; one row per person."""
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    """Of the CSV file; found out unless said."""
    encoding: str | None = None
    """Of the CSV file; found out unless said."""
    decimal: Literal[".", ","] | None = None
    """Decimal sign of the CSV file; found out unless said."""
    respondent: str
    """Column with each person's id, the same in all releases; it is never published."""
    quasi_identifiers: list[str] | dict[str, Literal["numeric", "flat"] | Kind | None]
    """Columns that outsiders may know, and how each becomes coarser."""
    sensitive: str | SensitiveKeys | list[str | SensitiveKeys]
    """The column to protect, or several; requirements then say with `attribute` which one they protect."""
    missing: Literal["refuse", "category"] = "refuse"
    """Whether missing cells are an error, or a category of their own."""
    drop_missing: list[str] = Field(default_factory=list[str])
    """Columns of which a missing cell leaves its row out of the table, and its person out of the release."""
    missing_marks: MarksKey = Field(default_factory=list[str])
    """Cells that are missing although they hold a text; for all columns, or by column."""
    real_values: MarksKey = Field(default_factory=list[str])
    """Cells that are values although they look missing."""
    spelling: Choice | dict[Literal["respondent", "sensitive"], Choice] = "refuse"
    """What becomes of ids, or values, that differ in blanks, case or composed letters only, or ids in zeros
    in front."""
    history: list[str] | str | StoreKeys = Field(default_factory=list[str])
    """Earlier releases: steward's copies, oldest first, or a stored history."""
    policy: PolicyKeys
    """What the release must keep, and what is minimized."""

    @field_validator("quasi_identifiers")
    @classmethod
    def _once(cls, given: T) -> T:
        if isinstance(given, list) and (twice := [name for name in given if given.count(name) > 1]):
            raise ValueError(f"names column {twice[0]!r} twice: name each once")
        return given


def is_release(name: str) -> bool:
    """Whether a history of one name is a steward's copy, not a store."""
    return "://" not in name and Path(name).suffix in (".csv", ".parquet")


def read_keys(file: Path) -> ProblemKeys:
    """The keys of a problem file; its errors name the key and the remedy."""
    return validated(raw_keys(file), file)


def raw_keys(file: Path) -> dict[str, Any]:
    """What the file holds, whatever its keys are."""
    raw = read_yaml(file)
    if not isinstance(raw, dict):
        table = file.suffix in TABLES
        what = "is a table: name its problem file, which `optanon init` writes" if table else NO_PROBLEM
        raise ProblemFileError(f"{file}: {what}")
    return raw  # pyright: ignore[reportUnknownVariableType]


def validated(raw: dict[str, Any], file: Path) -> ProblemKeys:
    """The keys, if all of them are known and hold what they may."""
    if "secrets" in raw and "policy" not in raw:
        raise ProblemFileError(
            f"{file}: is about published views (key secrets), which are for `optanon solve` and `optanon "
            "check` only: name a problem with a policy"
        )
    try:
        return ProblemKeys.model_validate(raw)
    except ValidationError as error:
        raise ProblemFileError(f"{file}: {first_wrong(error, raw)}") from error
