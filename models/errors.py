"""The exception tree.

::

    OptanonError
    ├── InputError (also ValueError)     the data or a file is not usable as given
    │   ├── TableError                   a microdata table: column, row or value
    │   │   └── SpellingError            ids that may be one respondent's, who must be asked about
    │   ├── HierarchyError               a generalization hierarchy
    │   ├── ReleaseError                 a published table or a history of them
    │   └── ProblemFileError             a problem or policy file: key and remedy
    ├── PolicyError (also ValueError)    a requirement, loss or limit is out of its range
    ├── EngineError                      an engine cannot take this problem
    │   ├── TooLargeError                numbers of a model are larger than a solver computes with
    │   └── OutOfTimeError               a heuristic's time was over before it had a release
    ├── SeriesError                      a release is not to follow those published before
    ├── StoreError                       a stored history cannot be opened, read or written
    │   └── ConflictError                somebody else appended to it in between
    └── CertificateError                 a release or certificate failed its re-check

Every message names the column, row or parameter that is wrong and the remedy,
and none carries a raw respondent id: rows are named by their number (from 1).
"""

from __future__ import annotations

__all__ = [
    "CertificateError",
    "ConflictError",
    "EngineError",
    "HierarchyError",
    "InputError",
    "OptanonError",
    "OutOfTimeError",
    "PolicyError",
    "ProblemFileError",
    "ReleaseError",
    "SeriesError",
    "SpellingError",
    "StoreError",
    "TableError",
    "TooLargeError",
]


class OptanonError(Exception):
    """Base of every error about tables, files, policies, histories, engines and certificates."""


class InputError(OptanonError, ValueError):
    """The data or a file is not usable as given."""


class TableError(InputError):
    """A microdata table has a wrong column, row or value."""


class SpellingError(TableError):
    """Ids differ in spelling only, and nobody said whether they are one respondent's."""


class HierarchyError(InputError):
    """A generalization hierarchy is malformed."""


class ReleaseError(InputError):
    """A published table or a history is malformed or inconsistent."""


class ProblemFileError(InputError):
    """A problem or policy file has a wrong key or value."""


class PolicyError(OptanonError, ValueError):
    """A requirement, loss or limit is out of its range."""


class EngineError(OptanonError):
    """An engine cannot take this problem; another one may."""


class OutOfTimeError(EngineError):
    """A heuristic ran out of time before it had a release."""


class TooLargeError(EngineError):
    """Numbers of a model are larger than a solver computes with."""


class SeriesError(OptanonError):
    """A release is not appended: it would disclose somebody, or nobody can vouch that it does not."""


class StoreError(OptanonError):
    """A stored history cannot be opened, read or written."""


class ConflictError(StoreError):
    """Somebody else appended to a stored history since it was read; nothing was written."""


class CertificateError(OptanonError):
    """A release or a certificate failed its re-check."""
