"""A series of steward's copies read back without a problem file: their columns say it all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..models.attributes import joined_columns
from ..models.column_names import GROUP, HIDDEN, KIND, PUBLISHED
from ..models.errors import InputError, ReleaseError
from ..models.history import History
from ..models.missing import DOUBTFUL
from ..models.release import Form, Release
from ..models.respelling import releases_spelt_alike
from ..models.spelling import Spelling
from ..models.table import Microdata
from .readers import read_frame
from .steward_copy import NEEDED, steward_release

__all__ = ["read_series"]


def read_series(paths: Sequence[str | Path], *, boxes: bool = False) -> History:
    """Read steward's copies, oldest first.

    Parameters
    ----------
    paths : paths
        CSV files as made by `Release.to_csv` with ``copy="steward"`` (or by any other tool in
        that form): columns group, kind, the respondent's, quasi-identifiers, the same with
        ``published``, the sensitive column. Domains are guessed from the values; where published cells
        cannot be read with them the release is taken without boxes, which is enough for every
        question about who is in which group.
    boxes : bool
        Refuse such files: the question is who may be in which box.

    Raises
    ------
    InputError
        If a file is no steward's copy, or its boxes cannot be read; naming it. Also if ids or values differ
        in spelling only: a problem file says what that means.
    """
    # Pairs, as a release that was published twice is named twice.
    frames = [(Path(path), read_frame(Path(path), decimal=".", own=True)) for path in paths]
    if not frames:
        raise InputError(f"no release is named: name all of them, oldest first, and of each {NEEDED}")
    columns = [_columns(path, frame) for path, frame in frames]
    for (path, _), found in zip(frames, columns, strict=True):
        if found != columns[0]:
            raise ReleaseError(f"{path}: its columns are not those of {frames[0][0]}")
    respondent, names, private = columns[0]
    people = pd.concat([frame[frame[KIND] != "counterfeit"] for _, frame in frames], ignore_index=True)
    table = Microdata.from_frame(
        people.drop_duplicates(respondent, ignore_index=True),
        respondent=respondent,
        quasi_identifiers=list(names),
        sensitive=private[0] if len(private) == 1 else private,
        # What was published is what there is to judge.
        real_values=DOUBTFUL,
        spelling="keep",
    )
    releases = (_release(path, frame, table, boxes=boxes) for path, frame in frames)
    return releases_spelt_alike(releases, Spelling(), respondent)


def _columns(path: Path, frame: pd.DataFrame) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Respondent's column, quasi-identifiers, sensitive columns."""
    found = [str(name) for name in frame.columns if not str(name).endswith(HIDDEN)]
    published = [name for name in found if name.endswith(PUBLISHED)]
    names = tuple(name.removesuffix(PUBLISHED) for name in published)
    rest = [name for name in found if name not in (GROUP, KIND, *names, *published)]
    if not {GROUP, KIND} <= set(found) or len(rest) < 2:
        raise ReleaseError(
            f"{path}: this is not a steward's copy (columns group, kind, the respondent's, "
            "quasi-identifiers, the same with 'published', the sensitive one): name the problem file before "
            f"the releases, or {NEEDED}"
        )
    return rest[0], names, tuple(rest[1:])


def _release(path: Path, frame: pd.DataFrame, table: Microdata, *, boxes: bool) -> Release:
    def read(form: Form | None) -> Release:
        return steward_release(
            joined_columns(frame, table.sensitive.name),
            respondent=table.respondent,
            domains=table.domains,
            sensitive=table.sensitive.name,
            form=form,
        )

    try:
        return read(None)
    except ReleaseError as unread:
        if boxes:
            raise ReleaseError(
                f"{path}: {unread}; with membership 'boxes' its cells matter: name the problem file before "
                "the releases, for its hierarchies"
            ) from unread
        try:
            return read("anatomized")
        except InputError as error:
            raise type(error)(f"{path}: {error}") from error
