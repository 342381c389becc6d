"""Respondent ids as a store keeps them: as given, or as keyed hashes.

A keyed hash is HMAC-SHA256 of the id under a key that only the steward has. Equal ids stay
equal, so that a series can be checked; without the key nobody can try out ids. The store
keeps a check value of the key, never the key, and the chain of digests begins with it: a store that
lost it, or got another, is no longer the one that was written. Ids that differ in spelling only have
different hashes; a shorter hash of what they have in common lets them be noticed.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from ...models.combination import fold_id
from ...models.errors import StoreError
from ...models.group import Member
from ...models.release import Release
from ...models.spelling import KEYED_HASH, is_keyed_hash
from .codec import canonical

__all__ = ["SHORTEST_KEY", "Identities", "new_key_file", "read_key"]

SHORTEST_KEY = 16
"""Bytes; a shorter key could be guessed."""

SPELLING = 16
"""Hexadecimal digits of the hash of a spelling: enough to tell billions of people apart."""

_CHECK = b"optanon: check value of a history's key"


def read_key(key: str | bytes | None, key_file: str | Path | None) -> bytes | None:
    """The key, given directly or in a file (whose last line break does not count); None without one.

    Raises
    ------
    StoreError
        If both are given, the file cannot be read, or the key is shorter than 16 bytes.
    """
    if key is not None and key_file is not None:
        raise StoreError("both a key and a key file are given: give one of them")
    if key_file is not None:
        try:
            found = Path(key_file).read_bytes().rstrip(b"\r\n")
        except OSError as error:
            raise StoreError(f"{key_file}: the key file cannot be read ({error.strerror})") from error
    elif key is not None:
        found = key.encode() if isinstance(key, str) else key
    else:
        return None
    if len(found) < SHORTEST_KEY:
        raise StoreError(f"the key is {len(found)} bytes long: use at least {SHORTEST_KEY}, chosen at random")
    return found


def new_key_file(path: str | Path) -> None:
    """Write a fresh random key that only its owner may read; an existing file is never touched."""
    target = Path(path)
    made = False
    try:
        target.touch(mode=0o600, exist_ok=False)
        made = True
        target.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    except OSError as error:
        if made:
            target.unlink(missing_ok=True)
        raise StoreError(f"{target}: the key file cannot be written ({error.strerror})") from error


@dataclass(frozen=True, kw_only=True)
class Identities:
    """How one store names respondents.

    Parameters
    ----------
    check : str or None
        Check value of the store's key; None if ids are kept as given.
    key : bytes or None
        The key; without it a store with keyed hashes can be read, but ids cannot be matched.
    """

    check: str | None = None
    key: bytes | None = None

    @classmethod
    def of(cls, key: bytes | None) -> Identities:
        """Of a new store: keyed hashes if there is a key."""
        return cls() if key is None else cls(check=_digest(key, _CHECK), key=key)

    def __repr__(self) -> str:
        return "Identities(as given)" if self.check is None else "Identities(keyed hashes)"

    @property
    def genesis(self) -> str:
        """What the chain of digests begins with; empty if ids are kept as given."""
        if self.check is None:
            return ""
        return sha256(canonical({"ids": "keyed hashes", "key check": self.check}).encode()).hexdigest()

    def refuse_hashes(self, respondents: Iterable[str]) -> None:
        """See that a store that keeps ids as given has no keyed hashes.

        Raises
        ------
        StoreError
        """
        if self.check is None and any(map(is_keyed_hash, respondents)):
            raise StoreError(
                "respondent ids are keyed hashes, but the history does not say of which key, so nobody would "
                "be recognized: its key check is lost. Restore the history from a backup"
            )

    def spelling(self, respondent: str) -> str | None:
        """A hash of what spellings of an id have in common; None without the key, or for a hash."""
        if self.key is None or is_keyed_hash(respondent):
            return None
        return _digest(self.key, b"spelling:" + fold_id(respondent).encode())[:SPELLING]

    def unlocked(self, key: bytes | None) -> Identities:
        """With the key somebody gives for an existing store.

        Raises
        ------
        StoreError
            If it is the wrong key, or the store needs none.
        """
        if key is None:
            return self
        if self.check is None:
            raise StoreError("this history keeps respondent ids as given: leave the key out")
        if not hmac.compare_digest(self.check, _digest(key, _CHECK)):
            raise StoreError(
                "this is not the key this history was made with: give the same key, otherwise nobody "
                "would be recognized"
            )
        return replace(self, key=key)

    def kept(self, respondent: str) -> str:
        """The id as the store keeps it; one that already is, stays.

        Raises
        ------
        StoreError
            If the key is missing, or the id is a hash under another key.
        """
        if self.check is None:
            return respondent
        hashed = KEYED_HASH.fullmatch(respondent)
        if hashed is not None:
            if hashed[1] != self.check[:16]:
                raise StoreError(
                    "a respondent id is a keyed hash of another history: start from the table's own ids"
                )
            return respondent
        if self.key is None:
            raise StoreError(
                "this history keeps respondent ids as keyed hashes: give its key (key=..., key_file=... or "
                "--key-file), otherwise nobody would be recognized"
            )
        return f"hmac-{self.check[:16]}:{_digest(self.key, respondent.encode())}"

    def members(self, members: tuple[Member, ...]) -> tuple[Member, ...]:
        """Tuples under the ids of the store."""
        if self.check is None:
            return members
        return tuple(replace(member, respondent=self.kept(member.respondent)) for member in members)

    def release(self, release: Release) -> Release:
        """The release under the ids of the store."""
        if self.check is None:
            return release
        return replace(
            release,
            groups=tuple(replace(group, members=self.members(group.members)) for group in release.groups),
            suppressed=self.members(release.suppressed),
        )


def _digest(key: bytes, text: bytes) -> str:
    return hmac.new(key, text, sha256).hexdigest()
