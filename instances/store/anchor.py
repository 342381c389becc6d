"""An anchor outside a stored history: the digest of its newest release, written down elsewhere.

Every digest covers all releases before it, so a release that was changed or taken out of the middle is
noticed. That the newest ones were taken away, or that all was replaced, nothing inside can tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...models.errors import StoreError

__all__ = ["refuse_other"]

SHORTEST = 12
"""Characters of a digest that are enough to recognize it."""


def refuse_other(name: str, digests: Sequence[str], expected: str | None) -> None:
    """See that a history is the one whose newest digest somebody wrote down; None expects nothing.

    Parameters
    ----------
    name : str
        Of the history.
    digests : sequence of str
        Its digests: before the first release, after it, and so on.
    expected : str or None
        The newest digest, or its beginning.

    Raises
    ------
    StoreError
        Saying whether the history is a longer one, or another.
    """
    if expected is None:
        return
    wanted = expected.strip().lower()
    if re.fullmatch(rf"[0-9a-f]{{{SHORTEST},64}}", wanted) is None:
        raise StoreError(
            f"{expected[:70]!r} is not a digest: give what `optanon history show` prints, at least "
            f"its first {SHORTEST} characters"
        )
    if digests[-1].startswith(wanted):
        return
    for number, digest in enumerate(digests):
        if digest.startswith(wanted):
            raise StoreError(
                f"{name}: has grown: the digest expected is that of release {number} of {len(digests) - 1}: "
                f"look at it (`optanon history show`), then expect {digests[-1]}"
            )
    raise StoreError(
        f"{name}: is not the history expected: no release in it has this digest, so it was cut off, changed "
        "or replaced: restore it from a backup"
    )
